"""Softmax, its logarithm and their gradients as arrays, rounded as PyTorch's kernels round them.

Along the last axis PyTorch adds with one register (16 numbers of float32 here), shorter rows one number after the
other; along any other axis it adds row by row. numpy's own order differs in the last digit.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.engine import nearest
from gradviz.engine.dtypes import FLOAT32, FLOAT64

REGISTER = 64
"""Bytes that are added at once."""

_running = np.add.accumulate


def along(x: Any, dim: int) -> Any:
    """The sum along `dim`, which is kept."""
    if x.dtype.kind != "f" or x.itemsize < 4 or not x.shape[dim]:
        return x.sum(axis=dim, keepdims=True)
    lanes, count = REGISTER // x.itemsize, x.shape[dim]
    if dim % x.ndim != x.ndim - 1 or count < lanes:
        return np.take(_running(x, axis=dim), [-1], axis=dim)
    whole = count // lanes * lanes
    held = _running(x[..., :whole].reshape(*x.shape[:-1], -1, lanes), axis=-2)[..., -1, :].copy()
    held[..., : count - whole] += x[..., whole:]
    while lanes > 1:
        lanes //= 2
        held = held[..., :lanes] + held[..., lanes:]
    return held


def softmax(x: Any, dim: int) -> Any:
    """eˣ / Σ eˣ; along the last axis by the reciprocal of the sum."""
    if x.ndim == 0:
        return np.ones_like(x)
    e = nearest.exp(x - x.max(axis=dim, keepdims=True))
    sums = along(e, dim)
    return e * np.reciprocal(sums) if dim % x.ndim == x.ndim - 1 else e / sums


def log_softmax(x: Any, dim: int) -> Any:
    """x − ln Σ eˣ, without overflow."""
    if x.ndim == 0:
        return np.zeros_like(x)
    z = x - x.max(axis=dim, keepdims=True)
    return z - nearest.log(along(nearest.exp(z), dim))


def softmax_backward(g: Any, y: Any, dim: int) -> Any:
    """y · (g − Σ g y)."""
    return y * (g - (g * y if y.ndim == 0 else along(g * y, dim)))


def log_softmax_backward(g: Any, y: Any, dim: int) -> Any:
    """g − exp(y) Σ g, the product and the difference rounded as one."""
    e, sums = nearest.exp(y), g if y.ndim == 0 else along(g, dim)
    if g.dtype != FLOAT32:
        return g - e * sums
    return (np.asarray(g, FLOAT64) - np.multiply(e, sums, dtype=FLOAT64)).astype(FLOAT32)[()]
