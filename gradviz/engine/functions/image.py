"""Images made larger or smaller, as people call it: padding, interpolation, pixel shuffle."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from gradviz.engine.apply import apply
from gradviz.engine.errors import Beyond, refuse_options
from gradviz.engine.functions.given import numbers_given
from gradviz.engine.operands import tensor_given
from gradviz.engine.tensor import Tensor, current
from gradviz.ops.image import BORDERS, KINDS, PAD, UPSAMPLE


def pad(input: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None) -> Tensor:
    """input with a border.

    Args:
        pad: how many numbers to add: before and after the last dim, then those of the dim before it, and so on;
            negative ones cut off.
        mode: "constant" (filled with value, 0 by default), "reflect", "replicate" or "circular".

    Raises:
        RuntimeError, NotImplementedError: pad or mode do not fit.
    """
    x = tensor_given("pad", input)
    shape = current(x).array.shape
    if len(pad) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    if len(pad) > 2 * len(shape):
        raise RuntimeError(
            f"Padding length should be less than or equal to two times the input dimension but got padding length "
            f"{len(pad)} and input of dimension {len(shape)}"
        )
    spans = tuple([(int(pad[i]), int(pad[i + 1])) for i in range(len(pad) - 2, -2, -2)])
    if mode == "constant":
        whole = ((0, 0),) * (len(shape) - len(spans)) + spans
        if any(n + before + after < 0 for n, (before, after) in zip(shape, whole, strict=True)):
            raise RuntimeError(
                f"The input size {list(shape)}, plus negative padding {list(pad)}, resulted in a negative output size"
            )
        return apply(PAD, (x,), spans=whole, value=value or 0)
    if mode not in ("reflect", "replicate", "circular"):
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    if value:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    if len(spans) == 3:
        raise Beyond(f"padding of volumes with mode={mode!r}")
    if len(shape) not in (len(spans) + 1, len(spans) + 2):
        raise NotImplementedError(
            f"Padding size {len(pad)} is not supported for {len(shape)}D input tensor: mode={mode!r} pads the last dim "
            "of a 2D or 3D input, or the last two of a 3D or 4D input."
        )
    for i, (n, span) in enumerate(zip(shape[len(shape) - len(spans) :], spans, strict=True)):
        if mode == "reflect" and max(span) >= n:
            dim = len(shape) - len(spans) + i
            raise RuntimeError(
                f"Argument #{2 * (len(spans) - i) + 2}: Padding size should be less than the corresponding input "
                f"dimension, but got: padding {span} at dimension {dim} of input {list(shape)}"
            )
        if mode == "circular" and max(span) > n:
            raise RuntimeError("Padding value causes wrapping around more than once.")
    if mode == "circular" and min(map(min, spans)) < 0:
        raise Beyond("negative padding with mode='circular'")
    return apply(BORDERS[mode, len(spans)][0], (x,), spans=spans, mode=mode)


def interpolate(
    input: Tensor, size: Any = None, scale_factor: Any = None, mode: str = "nearest",
    align_corners: bool | None = None, **others: Any,
) -> Tensor:  # fmt: skip
    """Signals [N, C, L] or images [N, C, H, W] at another size.

    Args:
        size: the new spatial sizes, or scale_factor, how many times larger they are; a number or one for each dim.
        mode: "nearest", "linear" or "bilinear".
        align_corners: whether the middles of the corner pixels stay the corners, rather than the pixels' edges.

    Raises:
        ValueError: neither or both of size and scale_factor.
        Beyond: another mode, or one of other dims.
    """
    refuse_options("interpolate", others, "recompute_scale_factor antialias")
    old = current(tensor_given("interpolate", input)).array.shape[2:]
    dims = len(old)
    if (size is None) == (scale_factor is None):
        which = "either size or scale_factor" if size is None else "only one of size or scale_factor"
        raise ValueError(f"{which} should be defined")
    if (mode, dims) not in KINDS:
        raise Beyond(f"interpolate of {dims + 2}D tensors with mode={mode!r}")
    if size is not None:
        out = numbers_given(size, dims)
        scales = tuple([n / o if o else 0.0 for n, o in zip(old, out, strict=True)])
    else:
        factors = tuple(scale_factor) if isinstance(scale_factor, tuple | list) else (scale_factor,) * dims
        out = tuple([math.floor(n * factor) for n, factor in zip(old, factors, strict=True)])
        scales = tuple([1 / factor for factor in factors])
    return apply(
        UPSAMPLE[mode, dims][0], (input,), size=old, out=out, mode=mode, align_corners=bool(align_corners),
        scales=scales,
    )  # fmt: skip


def upsample(
    input: Tensor, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool | None = None
) -> Tensor:
    """An older name of `interpolate`."""
    return interpolate(input, size, scale_factor, mode, align_corners)
