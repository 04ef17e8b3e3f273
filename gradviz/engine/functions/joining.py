"""Functions that join and pad tensors, or make their shapes fit each other."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.engine.functions.arguments import ints, need
from gradviz.engine.functions.placing import masked_select
from gradviz.engine.functions.shaping import cat, expand, meshgrid, reshape, stack, unsqueeze
from gradviz.engine.generic import OPS
from gradviz.engine.tensor import Tensor, apply, constant
from gradviz.errors import ScriptError, TorchError

# ---- joined ----


def atleast_1d(*tensors: Any) -> Any:
    return _each(tensors, lambda x: reshape(x, 1) if x.ndim == 0 else x)


def atleast_2d(*tensors: Any) -> Any:
    return _each(tensors, lambda x: reshape(x, 1, 1) if x.ndim == 0 else unsqueeze(x, 0) if x.ndim == 1 else x)


def _three(x: Tensor) -> Tensor:
    if x.ndim == 0:
        return reshape(x, 1, 1, 1)
    if x.ndim == 1:
        return unsqueeze(unsqueeze(x, 0), -1)
    return unsqueeze(x, -1) if x.ndim == 2 else x


def atleast_3d(*tensors: Any) -> Any:
    return _each(tensors, _three)


def _each(tensors: tuple[Any, ...], change: Callable[[Tensor], Tensor]) -> Any:
    if len(tensors) == 1 and isinstance(tensors[0], Tensor):
        return change(tensors[0])
    given = tensors[0] if len(tensors) == 1 else tensors
    return tuple(change(need("atleast", x, "tensors")) for x in given)


def hstack(tensors: Any) -> Tensor:
    if not tensors:
        raise TorchError("hstack expects a non-empty TensorList")
    xs = atleast_1d(tuple(tensors))
    return cat(xs, 0 if xs and xs[0].ndim == 1 else 1)


def vstack(tensors: Any) -> Tensor:
    return cat(atleast_2d(tuple(tensors)), 0)


def dstack(tensors: Any) -> Tensor:
    return cat(atleast_3d(tuple(tensors)), 2)


def column_stack(tensors: Any) -> Tensor:
    return hstack([reshape(x, x.data.size, 1) if x.ndim <= 1 else x for x in tensors])


def broadcast_to(input: Tensor, *size: Any) -> Tensor:
    return expand(need("broadcast_to", input), *size)


def broadcast_tensors(*tensors: Any) -> tuple[Tensor, ...]:
    given = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], list | tuple) else tensors
    xs = [need("broadcast_tensors", x, "tensors") for x in given]
    try:
        size = np.broadcast_shapes(*(x.shape for x in xs))
    except ValueError:
        from gradviz.engine.shape_errors import raise_shape_error

        raise_shape_error(OPS["add"], xs[0].data, xs[1].data, ValueError("the shapes do not broadcast"))
        raise
    return tuple(x if x.shape == size else expand(x, size) for x in xs)


def cartesian_prod(*tensors: Any) -> Tensor:
    xs = [need("cartesian_prod", x, "tensors") for x in tensors]
    for x in xs:
        if x.ndim != 1:
            raise TorchError(f"Expect a 1D vector, but got shape {list(x.shape)}")
    if len(xs) == 1:
        return xs[0]
    return stack([reshape(x, -1) for x in meshgrid(xs)], 1)


def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    x = need("combinations", input)
    if x.ndim != 1:
        raise TorchError(f"Expect a 1D vector, but got shape {list(x.shape)}")
    places = np.indices((x.shape[0],) * r)
    follows = np.less_equal if with_replacement else np.less
    holds = np.ones(places.shape[1:], np.bool_)
    for a, b in itertools.pairwise(places):
        holds &= follows(a, b)
    mask = constant(holds, x.tape)
    return stack([masked_select(grid, mask) for grid in meshgrid([x] * r)], 1)


# ---- padded ----


def pad(input: Tensor, pad: Any, mode: str = "constant", value: float | None = None) -> Tensor:
    x, widths = need("pad", input), ints(tuple(pad))
    if len(widths) % 2:
        raise TorchError("Padding length must be divisible by 2")
    if len(widths) > 2 * x.ndim:
        raise TorchError(
            "Padding length should be less than or equal to two times the input dimension but got padding length "
            f"{len(widths)} and input of dimension {x.ndim}"
        )
    pairs = tuple((widths[i], widths[i + 1]) for i in range(len(widths) - 2, -1, -2))
    spatial = len(pairs)
    each = ((0, 0),) * (x.ndim - spatial) + pairs
    if mode == "constant":
        return apply(OPS["constant_pad_nd"], (x,), widths=each, value=value or 0)
    if mode not in ("reflect", "replicate"):
        raise ScriptError(f"padding mode '{mode}' is not supported", hint="Use constant, reflect or replicate.")
    if x.ndim not in (spatial + 1, spatial + 2):
        raise TorchError(
            f"Padding size {len(widths)} is not supported for {x.ndim}D input tensor.\n"
            "Supported combinations for non-constant padding:\n"
            "  - 2D or 3D input: padding size = 2 (pads last dimension)\n"
            "  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)\n"
            "  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)",
            kind="NotImplementedError",
        )
    _check_reflection(x, widths, mode, spatial)
    return apply(OPS["reflection_pad" if mode == "reflect" else "replication_pad"], (x,), widths=each)


def _check_reflection(x: Tensor, widths: tuple[int, ...], mode: str, spatial: int) -> None:
    if mode != "reflect":
        return
    for i in range(spatial):
        axis, before, after = x.ndim - 1 - i, widths[2 * i], widths[2 * i + 1]
        if max(before, after) >= x.shape[axis]:
            raise TorchError(
                "Argument #4: Padding size should be less than the corresponding input dimension, but got: padding "
                f"({before}, {after}) at dimension {axis} of input {list(x.shape)}"
            )


FUNCTIONS: dict[str, Callable[..., Any]] = {
    f.__name__: f
    for f in (
        atleast_1d, atleast_2d, atleast_3d, hstack, vstack, dstack, column_stack, broadcast_to, broadcast_tensors,
        cartesian_prod, combinations,
    )
} | {"row_stack": vstack}  # fmt: skip
METHODS: dict[str, Callable[..., Any]] = {"broadcast_to": broadcast_to}
NEURAL: dict[str, Callable[..., Any]] = {"pad": pad}
