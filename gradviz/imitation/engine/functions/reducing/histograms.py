"""How many numbers lie in each of the bins of a range, and points in each of the boxes of several."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.imitation.engine.creation import evenly_spaced
from gradviz.imitation.engine.dtypes import c_name
from gradviz.imitation.engine.functions.arguments import need, refuse_whole
from gradviz.imitation.engine.functions.named import TYPES, named
from gradviz.imitation.engine.functions.reducing.counting import underivable
from gradviz.imitation.engine.tensor import Tensor, constant, record
from gradviz.errors import TorchError

_UNKNOWN = "derivative for aten::{} is not implemented"
HISTOGRAM = underivable("histogram", "NotImplemented", _UNKNOWN.format("histogram"), "RuntimeError", "output")
HISTOGRAMDD = underivable(
    "histogramdd", "NotImplemented", _UNKNOWN.format("_histogramdd_from_bin_cts"), "RuntimeError", "output"
)
named("histogramdd", "hist", "bin_edges")
WHOLE = "torch.histogramdd"
"""Where the checks of both are made in PyTorch."""

# ---- of bins as wide as each other, without their edges ----


def _ends(x: Tensor, bins: int, low: float, high: float) -> tuple[Any, Any]:
    """The ends of the range that is cut into bins."""
    if bins < 1:
        raise TorchError(f"torch.histogram(): bins must be > 0, but got {bins} for dimension 0")
    if low > high:
        raise TorchError("torch.histc: max must be larger than min")
    if low == high and x.data.size:
        low, high = x.data.min(), x.data.max()
    if not np.isfinite(low) or not np.isfinite(high):
        shown = ", ".join("-nan" if np.isnan(n) else f"{n:g}" for n in (low, high))
        raise TorchError(f"torch.histc: range of [{shown}] is not finite")
    if low == high:
        low, high = low - 1, high + 1
    return x.dtype.type(low), x.dtype.type(high)


def histc(input: Tensor, bins: int = 100, min: float = 0, max: float = 0) -> Tensor:
    x = need("histc", input)
    refuse_whole(x, "histogram_cpu")
    low, high = _ends(x, bins, min, max)
    inside = x.data[(x.data >= low) & (x.data <= high)] if x.ndim else x.data.reshape(-1)
    at = ((inside - low) * x.dtype.type(bins) / (high - low)).astype(np.int64)
    counts = np.bincount(np.clip(at, 0, bins - 1), minlength=bins)
    return constant(counts.astype(x.dtype), x.tape)


# ---- with their edges ----


def histogram(
    input: Tensor, bins: Any = 100, *, range: Any = None, weight: Tensor | None = None, density: bool = False
) -> Any:
    x = need("histogram", input)
    points = x.data.reshape(-1, 1)
    weights = None if weight is None else _weights(x, weight, (*x.shape, 1), x.shape)
    edges = _edges(points, x, [bins], range)
    heights = _heights(points, edges, weights, density)
    values = (record(HISTOGRAM, (x,), {"output": i}, part) for i, part in enumerate((heights, edges[0])))
    return TYPES["histogram"](*values)


def histogramdd(
    input: Tensor, bins: Any, range: Any = None, weight: Tensor | None = None, density: bool = False
) -> Any:
    x = need("histogramdd", input)
    if x.ndim < 2:
        raise TorchError(f"{WHOLE}: input tensor should have at least 2 dimensions")
    points = x.data.reshape(-1, x.shape[-1])
    listed = list(bins) if isinstance(bins, list | tuple) else [bins] * x.shape[-1]
    if len(listed) != x.shape[-1]:
        raise TorchError("histogramdd: The size of bins must be equal to the innermost dimension of the input.")
    weights = None if weight is None else _weights(x, weight, x.shape, x.shape[:-1])
    edges = _edges(points, x, listed, range)
    heights = _heights(points, edges, weights, density)
    first, *others = (record(HISTOGRAMDD, (x,), {"output": i}, part) for i, part in enumerate((heights, *edges)))
    return TYPES["histogramdd"](first, tuple(others))


def _weights(x: Tensor, weight: Tensor, shown: tuple[int, ...], shape: tuple[int, ...]) -> Any:
    if weight.dtype != x.dtype:
        raise TorchError(
            f"{WHOLE}: if weight tensor is provided, input tensor and weight tensor should have the same dtype, but "
            f"got input({c_name(x.dtype)}), and weight({c_name(weight.dtype)})"
        )
    if weight.shape != shape:
        raise TorchError(
            f"{WHOLE}: if weight tensor is provided it should have the same shape as the input tensor excluding its "
            f"innermost dimension, but got input with shape {list(shown)} and weight with shape {list(weight.shape)}"
        )
    return weight.data.reshape(-1)


def _edges(points: Any, x: Tensor, bins: list[Any], span: Any) -> list[Any]:
    """The edges of the bins of every dim, given or found."""
    if span is not None and len(span) != 2 * len(bins):
        raise TorchError(
            f"{WHOLE}: for a {len(bins)}-dimensional histogram range should have {2 * len(bins)} elements, but got "
            f"{len(span)}"
        )
    _check_given(x, bins)
    if not any(isinstance(each, Tensor) for each in bins):
        refuse_whole(x, "histogramdd")
    found = []
    for dim, given in enumerate(bins):
        edges = given.data if isinstance(given, Tensor) else None
        if (given if edges is None else len(edges) - 1) < 1:
            count = given if edges is None else len(edges) - 1
            raise TorchError(f"torch.histogram(): bins must be > 0, but got {count} for dimension {dim}")
        if edges is None:
            low, high = _span(points[:, dim], dim, None if span is None else span[2 * dim : 2 * dim + 2])
            edges = evenly_spaced(low, high, given + 1, x.dtype)
        found.append(edges)
    return found


def _check_given(x: Tensor, bins: list[Any]) -> None:
    for dim, edges in enumerate(bins):
        if not isinstance(edges, Tensor):
            continue
        if edges.dtype != x.dtype:
            raise TorchError(
                f"{WHOLE}: input tensor and bins tensors should have the same dtype, but got input with dtype "
                f"{c_name(x.dtype)} and bins for dimension {dim} with dtype {c_name(edges.dtype)}"
            )
        if edges.ndim != 1:
            raise TorchError(
                f"{WHOLE}: bins tensor should have one dimension, but got {edges.ndim} dimensions in the bins tensor "
                f"for dimension {dim}"
            )


def _span(numbers: Any, dim: int, given: Any) -> tuple[float, float]:
    low, high = given if given is not None else (numbers.min(), numbers.max()) if numbers.size else (0.0, 1.0)
    if low > high:
        raise TorchError(f"{WHOLE}: min should not exceed max, but got min {low:g} max {high:g} for dimension {dim}")
    if not math.isfinite(low) or not math.isfinite(high):
        raise TorchError(f"{WHOLE}: dimension {dim}'s range [{low:g}, {high:g}] is not finite")
    return (low - 0.5, high + 0.5) if low == high else (low, high)


def _heights(points: Any, edges: list[Any], weights: Any, density: bool) -> Any:
    """The sum of the weights in each box; of its edges the lower belongs to it, and the upper one of the last."""
    heights = np.zeros([len(each) - 1 for each in edges], points.dtype)
    inside = np.ones(len(points), np.bool_)
    for numbers, each in zip(points.T, edges, strict=True):
        inside &= (numbers >= each[0]) & (numbers <= each[-1])
    at = tuple(
        np.minimum(np.searchsorted(each, numbers[inside], "right") - 1, len(each) - 2)
        for numbers, each in zip(points.T, edges, strict=True)
    )
    np.add.at(heights, at, 1 if weights is None else weights[inside])
    if density:
        heights = heights / heights.sum()
        for dim, each in enumerate(edges):
            heights = heights / np.diff(each).reshape(-1, *(1,) * (len(edges) - dim - 1))
    return heights


FUNCTIONS: dict[str, Callable[..., Any]] = {f.__name__: f for f in (histc, histogram, histogramdd)}
METHODS: dict[str, Callable[..., Any]] = {"histc": histc, "histogram": histogram}
