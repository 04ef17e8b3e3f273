"""Softmax and log softmax of arrays and their gradients, rounded as PyTorch's kernels round them.

There are two kernels: one for the last axis, that works by registers along it, and one for another axis, that works by
registers across it. Source: SoftMaxKernel.cpp of PyTorch.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from gradviz.imitation.engine.kernels.nearest import fused
from gradviz.imitation.engine.kernels.registers import LANES, one_exp, polynomial_exp, product_sums, row_sums
from gradviz.imitation.engine.kernels.vector_log import vector_log


def softmax(x: Any, dim: int) -> Any:
    """eˣ / Σ eˣ along an axis."""
    if not x.ndim or not x.size:
        return np.ones_like(x)
    x = np.ascontiguousarray(x)
    if _is_last(x, dim):
        e = polynomial_exp(x - x.max(axis=dim, keepdims=True))
        return e * np.reciprocal(along(e, dim))
    z = _three(x, dim)
    e = _exp_of_columns(z - z.max(axis=1, keepdims=True))
    return (e / _in_turn(e)).reshape(x.shape)


def log_softmax(x: Any, dim: int) -> Any:
    """x − ln Σ eˣ along an axis."""
    if not x.ndim or not x.size:
        return np.zeros_like(x)
    x = np.ascontiguousarray(x)
    z = x if _is_last(x, dim) else _three(x, dim)
    z = z - z.max(axis=dim if z is x else 1, keepdims=True)
    sums = along(polynomial_exp(z), dim) if _is_last(x, dim) else _in_turn(_exp(z, LANES * 4 // x.itemsize))
    return (z - vector_log(sums)).reshape(x.shape)


def softmax_backward(g: Any, y: Any, dim: int) -> Any:
    """y · (g − Σ g y)."""
    if not _is_single(y):
        return y * (g - _sum(g * y, dim))
    if _is_last(y, dim):
        return (g - product_sums(g, y)) * y
    given, out = _three(g, dim), _three(y, dim)
    sums = np.zeros_like(out[:, 0])
    for row in range(out.shape[1]):
        sums = fused(given[:, row], out[:, row], sums)
    return (out * (given - sums[:, None])).reshape(y.shape)


def log_softmax_backward(g: Any, y: Any, dim: int) -> Any:
    """g − exp(y) Σ g."""
    if not _is_single(y):
        return g - np.exp(y) * _sum(g, dim)
    if _is_last(y, dim):
        return fused(-polynomial_exp(y), row_sums(g), g)
    given, out = _three(g, dim), _three(y, dim)
    return fused(-_exp(out, LANES), _in_turn(given), given).reshape(y.shape)


def _is_single(x: Any) -> bool:
    return bool(x.ndim > 0 and x.dtype.char == "f" and x.size > 0)


def _is_last(x: Any, dim: int) -> bool:
    return bool(dim % x.ndim == x.ndim - 1)


def _sum(x: Any, dim: int) -> Any:
    return along(x, dim) if x.ndim else x


def along(x: Any, dim: int) -> Any:
    """The sum along `dim`, which is kept: by registers along the last axis, else one row after the other."""
    if x.dtype.kind != "f" or x.itemsize < 4 or not x.shape[dim]:
        return x.sum(axis=dim, keepdims=True)
    return row_sums(x) if _is_last(x, dim) else np.take(np.add.accumulate(x, axis=dim), [-1], axis=dim)


def _three(x: Any, dim: int) -> Any:
    """The axes before, the axis, the axes after."""
    dim %= x.ndim
    return x.reshape(prod(x.shape[:dim]), x.shape[dim], prod(x.shape[dim + 1 :]))


def _exp(z: Any, from_size: int) -> Any:
    """By registers across the last axis where it is long enough, and one by one what fills none."""
    width, lanes = z.shape[-1], LANES * 4 // z.itemsize
    whole = width // lanes * lanes if width >= from_size else 0
    if not whole:
        return one_exp(z)
    return np.concatenate((polynomial_exp(z[..., :whole]), one_exp(z[..., whole:])), axis=-1)


def _exp_of_columns(z: Any) -> Any:
    """By registers across the last axis, where each of two threads has half of all columns."""
    before, _, inner = z.shape
    place, half, lanes = np.arange(before * inner), -(-before * inner // 2), LANES * 4 // z.itemsize
    start = np.maximum(place - place % inner, np.where(place < half, 0, half))
    end = np.minimum(place - place % inner + inner, np.where(place < half, half, before * inner))
    wide = (place - start < (end - start) // lanes * lanes).reshape(before, 1, inner)
    wide = np.broadcast_to(wide, z.shape)
    e = np.empty_like(z)
    e[wide], e[~wide] = polynomial_exp(z[wide]), one_exp(z[~wide])
    return e


def _in_turn(z: Any) -> Any:
    """The sum along axis 1, one after the other; the axis is kept."""
    return np.add.accumulate(z, axis=1)[:, -1:]
