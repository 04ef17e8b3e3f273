"""Pooling, in PyTorch's own steps: one axis is pooled as a picture of one row."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from gradviz.imitation.engine.dtypes import FLOATING, INT64
from gradviz.imitation.engine.functions.arguments import need, refuse_bool, refuse_whole
from gradviz.imitation.engine.functions.pictures.adaptive_pooling import refuse_rows, within
from gradviz.imitation.engine.functions.pictures.convolution import each
from gradviz.imitation.engine.functions.pictures.pooling_checks import check_one_axis, one_number, pooled_size
from gradviz.imitation.engine.functions.shapes.shaping import squeeze, unsqueeze
from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.hooks.on_saved_tensors import keep
from gradviz.imitation.engine.rules.pictures.convolution import windows_at
from gradviz.imitation.engine.tensor import Tensor, apply, constant
from gradviz.errors import TorchError

Ints = tuple[int, ...]


def _first_largest(x: Any, axes: int, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints, out: Ints) -> Any:
    """For each window the place, in all of x laid out flat, of its first largest number; −1 where it has none."""
    lead, size = x.shape[: x.ndim - axes], x.shape[x.ndim - axes :]
    given = zip(size, kernel, stride, padding, dilation, out, strict=True)
    ends = [(p, max(0, (m - 1) * s + (k - 1) * d + 1 - n - p)) for n, k, s, p, d, m in given]
    is_bordered, has_nan = any(map(any, ends)), np.isnan(x).any()
    inside = np.pad(np.ones(size, bool), ends)
    wide = np.pad(x, [(0, 0)] * len(lead) + ends, constant_values=-np.inf) if is_bordered else x
    steps = [prod(size[i + 1 :]) for i in range(axes)]
    best = np.full((*lead, *out), -np.inf, x.dtype)
    chosen = np.full(best.shape, -1 if is_bordered else 0, np.int32)
    for offset, place in windows_at(kernel, out, stride, dilation):
        seen = wide[place]
        is_larger = seen > best
        if has_nan:
            is_larger |= np.isnan(seen)
        if is_bordered:
            is_larger |= chosen < 0
            is_larger &= inside[place]
        np.maximum(best, seen, out=best)
        further = (o * d * step for o, d, step in zip(offset, dilation, steps, strict=True))
        np.copyto(chosen, sum(further), where=is_larger)
    begin = np.arange(prod(lead)).reshape(*lead, *(1,) * axes) * prod(size)
    for axis, (m, s, p, step) in enumerate(zip(out, stride, padding, steps, strict=True)):
        begin = begin + ((np.arange(m) * s - p) * step).reshape(m, *(1,) * (axes - axis - 1))
    return np.where(chosen < 0, -1, begin + chosen) if is_bordered else begin + chosen


def _max_pool(axes: int) -> Callable[..., Any]:
    def function(
        input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
        ceil_mode: bool = False, return_indices: bool = False,
    ) -> Any:  # fmt: skip
        x = need(f"max_pool{axes}d", input)
        kernel = each(kernel_size, axes)
        steps = each(kernel if stride in (None, (), []) else stride, axes)
        border, spread = each(padding, axes), each(dilation, axes)
        out = pooled_size(f"max_pool{axes}d", x, axes, kernel, steps, border, spread, ceil_mode)
        refuse_bool(x, f"max_pool{axes}d")
        floats = x.data if x.dtype.kind in FLOATING else x.data.astype(np.float64)
        index = _first_largest(floats, axes, kernel, steps, border, spread, out)
        y, indices = apply(OPS[f"max_pool{axes}d"], (x,), index=index), within(x, index, axes)
        return (keep(y, indices=indices), indices) if return_indices else keep(y, indices=indices)

    return function


max_pool2d, max_pool3d = _max_pool(2), _max_pool(3)


def _of_one_axis(name: str, kernel_size: Any, stride: Any, padding: Any, dilation: Any = 1) -> Ints:
    """Width, step, border and spread of a window on one axis."""
    given = {"kernel_size": kernel_size, "stride": stride, "padding": padding, "dilation": dilation}
    given["stride"] = kernel_size if stride in (None, (), []) else stride
    return tuple(one_number(name, told, each(value, 1)) for told, value in given.items())


def max_pool1d(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:  # fmt: skip
    x = need("max_pool1d", input)
    width, step, border, spread = _of_one_axis("max_pool1d", kernel_size, stride, padding, dilation)
    if not return_indices:
        check_one_axis(x, width, step, border, spread)
        refuse_whole(x, "max_pool1d_impl")
    y, index = max_pool2d(unsqueeze(x, -2), (1, width), (1, step), (0, border), (1, spread), ceil_mode, True)
    if return_indices:
        return squeeze(y, -2), squeeze(index, -2)
    return squeeze(y, -2) if y.requires_grad else constant(y.data[..., 0, :], x.tape)  # by a kernel of its own


NO_DIVISOR = "divisor must be not zero"


def _avg_pool(axes: int) -> Callable[..., Tensor]:
    def function(
        input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
        count_include_pad: bool = True, divisor_override: int | None = None,
    ) -> Tensor:  # fmt: skip
        x = need(f"avg_pool{axes}d", input)
        kernel, border = each(kernel_size, axes), each(padding, axes)
        steps = each(kernel if stride in (None, (), []) else stride, axes)
        if divisor_override == 0 and axes == 2:
            raise TorchError(NO_DIVISOR)
        out = pooled_size(f"avg_pool{axes}d", x, axes, kernel, steps, border, (1,) * axes, ceil_mode)
        size = x.shape[-axes:]
        if x.dtype.kind not in FLOATING and x.dtype != INT64:
            refuse_whole(x, "avg_pool2d" if axes == 2 else "avg_pool3d_out_frame")
        divisor = _counts(size, kernel, steps, border, out, count_include_pad)
        if divisor_override == 0:
            raise TorchError(NO_DIVISOR)
        if divisor_override is not None:
            divisor = np.full(divisor.shape, float(divisor_override))
        params: dict[str, Any] = {"size": size, "kernel": kernel, "stride": steps, "padding": border}
        out_of = apply(OPS[f"avg_pool{axes}d"], (x,), divisor=divisor, **params)
        return out_of if out_of.dtype is x.dtype else constant(out_of.data.astype(x.dtype), x.tape)

    return function


def _counts(size: Ints, kernel: Ints, stride: Ints, padding: Ints, out: Ints, with_border: bool) -> Any:
    """How many numbers each mean is taken of."""
    total = np.ones(())
    for n, k, s, p, m in zip(size, kernel, stride, padding, out, strict=True):
        start = np.arange(m) * s - p
        end = np.minimum(start + k, n + p)
        if not with_border:
            start, end = np.maximum(start, 0), np.minimum(end, n)
        total = total[..., None] * (end - start)
    return total


avg_pool2d, avg_pool3d = _avg_pool(2), _avg_pool(3)


def avg_pool1d(
    input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:  # fmt: skip
    x = need("avg_pool1d", input)
    refuse_rows("avg_pool1d", x)
    width, step, border, _ = _of_one_axis("avg_pool1d", kernel_size, stride, padding)
    y = avg_pool2d(unsqueeze(x, -2), (1, width), (1, step), (0, border), ceil_mode, count_include_pad)
    return squeeze(y, -2)


def _both(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    def pooled(
        input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
        ceil_mode: bool = False, return_indices: bool = False,  # noqa: ARG001 - PyTorch has it too
    ) -> Any:  # fmt: skip
        return function(input, kernel_size, stride, padding, dilation, ceil_mode, True)

    pooled.__name__ = name
    return pooled


_MAXIMA = {"max_pool1d": max_pool1d, "max_pool2d": max_pool2d, "max_pool3d": max_pool3d}

NEURAL: dict[str, Callable[..., Any]] = {
    **_MAXIMA,
    **{f"{name}_with_indices": _both(function, f"{name}_with_indices") for name, function in _MAXIMA.items()},
    "avg_pool1d": avg_pool1d, "avg_pool2d": avg_pool2d, "avg_pool3d": avg_pool3d,
}  # fmt: skip
FUNCTIONS: dict[str, Callable[..., Any]] = {name: NEURAL[name] for name in (*_MAXIMA, "avg_pool1d")}
METHODS: dict[str, Callable[..., Any]] = {}
