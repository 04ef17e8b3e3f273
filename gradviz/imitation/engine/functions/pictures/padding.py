"""A border around the last axes: of one number, reflected, repeated, or from the other side."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from gradviz.imitation.engine.creation import check_size
from gradviz.imitation.engine.functions.arguments import ints, need, refuse_bool
from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.indexing.reading import get, view
from gradviz.imitation.engine.indexing.writing import put_part
from gradviz.imitation.engine.tensor import Tensor, apply, constant
from gradviz.errors import TorchError

Ints = tuple[int, ...]


def pad(input: Tensor, pad: Any, mode: str = "constant", value: float | None = None) -> Tensor:
    x, widths = need("pad", input), ints(tuple(pad))
    if mode not in ("constant", "reflect", "replicate", "circular"):
        raise TorchError(f"Unrecognised padding mode {mode}", kind="NotImplementedError")
    if len(widths) % 2:
        raise TorchError("Padding length must be divisible by 2")
    if len(widths) > 2 * x.ndim:
        raise TorchError(
            "Padding length should be less than or equal to two times the input dimension but got padding length "
            f"{len(widths)} and input of dimension {x.ndim}"
        )
    pairs = tuple((widths[i], widths[i + 1]) for i in range(len(widths) - 2, -1, -2))
    each = ((0, 0),) * (x.ndim - len(pairs)) + pairs
    check_size(tuple(max(0, n + a + b) for n, (a, b) in zip(x.shape, each, strict=True)))
    if mode == "constant":
        _check_cut(x.shape, each)
        return apply(OPS["constant_pad_nd"], (x,), widths=each, value=value or 0)
    _check_bordered(x, widths, mode, value)
    if mode == "circular":
        return _around(x, widths)
    _check_pixels(x, len(pairs))
    _check_reflection(x, widths, mode, len(pairs))
    _check_result(x, pairs, mode)
    kind = "reflection" if mode == "reflect" else "replication"
    refuse_bool(x, f"{kind}_pad{len(pairs)}d")
    return apply(OPS[f"{kind}_pad"], (x,), widths=each)


def _check_bordered(x: Tensor, widths: Ints, mode: str, value: float | None) -> None:
    """What holds for all modes but a constant."""
    if value:
        raise TorchError(f'Padding mode "{mode}" doesn\'t take in value argument')
    if len(widths) // 2 not in (1, 2, 3) or x.ndim not in (len(widths) // 2 + 1, len(widths) // 2 + 2):
        raise TorchError(
            f"Padding size {len(widths)} is not supported for {x.ndim}D input tensor.\n"
            "Supported combinations for non-constant padding:\n"
            "  - 2D or 3D input: padding size = 2 (pads last dimension)\n"
            "  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)\n"
            "  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)",
            kind="NotImplementedError",
        )


def _check_cut(size: Ints, each: tuple[Ints, ...]) -> None:
    """Raise where a side is cut by more than there is, of which PyTorch cuts one after the other."""
    for n, (before, after) in zip(size, each, strict=True):
        left = n + min(before, 0)
        if left < 0 or left + min(after, 0) < 0:
            raise TorchError("narrow(): length must be non-negative.")


def _check_pixels(x: Tensor, spatial: int) -> None:
    """Raise for an input with nothing in it; a batch may be empty."""
    if 0 in x.shape[x.ndim - spatial - 1 :]:
        raise TorchError(
            f"Expected {spatial + 1}D or {spatial + 2}D (batch mode) tensor with possibly 0 batch size and other "
            f"non-zero dimensions for input, but got: {list(x.shape)}"
        )


def _check_result(x: Tensor, pairs: tuple[Ints, ...], mode: str) -> None:
    """Raise for a result with nothing in it."""
    old = x.shape[x.ndim - len(pairs) :]
    new = tuple(n + before + after for n, (before, after) in zip(old, pairs, strict=True))
    if max(new) < 1:
        names = ("D", "H", "W")[-len(new) :]
        before, after = ([f"{a}: {n}" for a, n in zip(names, sizes, strict=True)] for sizes in (old, new))
        shown = ", ".join([" ".join(before[:-1]), before[-1]] if before[:-1] else before)
        space = " " if mode == "replicate" and len(new) == 2 else ""  # as PyTorch has it
        raise TorchError(f"input ({shown}{space}) is too small. Calculated output {' '.join(after)}")
    check_size((*x.shape[: x.ndim - len(pairs)], *new))


def _check_reflection(x: Tensor, widths: Ints, mode: str, spatial: int) -> None:
    if mode != "reflect":
        return
    for i in range(spatial):
        axis, before, after = x.ndim - 1 - i, widths[2 * i], widths[2 * i + 1]
        if max(before, after) >= x.shape[axis]:
            raise TorchError(
                "Argument #4: Padding size should be less than the corresponding input dimension, but got: padding "
                f"({before}, {after}) at dimension {axis} of input {list(x.shape)}"
            )


# ---- circular ----


def _around(x: Tensor, widths: Ints) -> Tensor:
    """Written into an empty tensor piece by piece, as PyTorch does it: first x, then each border from the other end."""
    size = list(x.shape)
    for i in range(len(widths) // 2):
        before, after = widths[2 * i : 2 * i + 2]
        axis = x.ndim - 1 - i
        if max(before, after) > size[axis]:
            raise TorchError("Padding value causes wrapping around more than once.")
        size[axis] += before + after
        if size[axis] < 0:
            raise TorchError("Negative padding value is resulting in an empty dimension")
    out = constant(np.zeros(size, x.dtype), x.tape)
    outer = [slice(None)] * x.ndim
    inner = x
    for axis, before, after in _borders(x.ndim, widths):
        outer[axis] = slice(max(before, 0), size[axis] - max(after, 0))
        start, end = max(-before, 0), x.shape[axis] - max(-after, 0)
        inner = view("slice", inner, dim=axis, start=start, end=end, step=1)
    put_part(out, tuple(outer), inner)
    for axis, before, after in _borders(x.ndim, widths):
        last = size[axis] - max(after, 0)
        if before > 0:
            _copied(out, axis, slice(0, before), slice(last - before, last))
        if after > 0:
            _copied(out, axis, slice(last, size[axis]), slice(max(before, 0), max(before, 0) + after))
    return out


def _borders(ndim: int, widths: Ints) -> list[tuple[int, int, int]]:
    return [(ndim - 1 - i, widths[2 * i], widths[2 * i + 1]) for i in range(len(widths) // 2)]


def _copied(out: Tensor, axis: int, to: slice, source: slice) -> None:
    lead: tuple[Any, ...] = (slice(None),) * axis
    if prod(out.shape):
        put_part(out, (*lead, to), get(out, (*lead, source)))


FUNCTIONS: dict[str, Callable[..., Any]] = {}
METHODS: dict[str, Callable[..., Any]] = {}
NEURAL: dict[str, Callable[..., Any]] = {"pad": pad}
