"""Where numbers belong among sorted ones: searchsorted and bucketize. No gradient flows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.imitation.engine.dtypes import type_name
from gradviz.imitation.engine.functions.arguments import need, refuse_bool
from gradviz.imitation.engine.tensor import Tensor, constant
from gradviz.imitation.engine.warn import warn
from gradviz.errors import TorchError


def searchsorted(
    sorted_sequence: Tensor,
    input: Any,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Tensor | None = None,
) -> Tensor:
    x = need("searchsorted", sorted_sequence, "sorted_sequence")
    wanted = np.asarray(input.data if isinstance(input, Tensor) else input)
    _check_side(side, right)
    bounds = np.asarray(x.data)
    if sorter is not None:
        bounds = np.take_along_axis(bounds, _sorter(x, sorter), -1)
    _check_shapes(bounds, wanted)
    for name, read in (("input value", wanted), ("boundary", bounds)):
        if not read.flags.c_contiguous:
            warn(SCATTERED.format(name=name), once=True)
    refuse_bool(x, "searchsorted_out_cpu")
    found = _searched(bounds, wanted, right or side == "right")
    return constant(found.astype(np.int32 if out_int32 else np.int64, "C")[()], x.tape)


SCATTERED = (
    "torch.searchsorted(): {name} tensor is non-contiguous, this will lower the performance due to extra data copy "
    "when converting non-contiguous tensor to contiguous, please use contiguous {name} tensor if possible. This "
    "message will only appear once per program."
)


def _check_side(side: str | None, right: bool) -> None:
    if side not in (None, "left", "right"):
        raise TorchError(f"torch.searchsorted(): side can only be 'left' or 'right' but got {side}")
    if side == "left" and right:
        raise TorchError(
            "torch.searchsorted(): side and right can't be set to opposites, got side of left while right was True"
        )


def _sorter(x: Tensor, sorter: Tensor) -> Any:
    if sorter.shape != x.shape:
        raise TorchError(
            "torch.searchsorted(): boundary and sorter must have the same size, but got boundary tensor "
            f"{list(x.shape)}and got sorter tensor {list(sorter.shape)}"
        )
    if sorter.dtype != np.int64:
        raise TorchError(
            f"torch.searchsorted(): sorter must be a tensor of long dtype but got dtype {type_name(sorter.dtype)}"
        )
    return sorter.data


def _check_shapes(bounds: Any, wanted: Any) -> None:
    if not bounds.ndim:
        raise TorchError("torch.searchsorted(): boundaries tensor should have positive dimension, but got 0 dimension")
    if bounds.ndim == 1:
        return
    if not wanted.ndim:
        raise TorchError(
            "torch.searchsorted(): input value can be a scalar only when boundaries tensor dimension is 1, but we got "
            f"boundaries tensor dim({bounds.ndim}) and input value's dim(0) numel(1)"
        )
    if wanted.shape[:-1] != bounds.shape[:-1]:
        raise TorchError(
            "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries "
            f"tensor and input value tensor must match, but we got boundaries tensor {list(bounds.shape)} and input "
            f"value tensor {list(wanted.shape)}"
        )


def _searched(bounds: Any, wanted: Any, from_right: bool) -> Any:
    if bounds.ndim == 1:
        return _halved(bounds, np.asarray(wanted), from_right)
    rows = zip(bounds.reshape(-1, bounds.shape[-1]), wanted.reshape(-1, wanted.shape[-1]), strict=True)
    return np.array([_halved(a, v, from_right) for a, v in rows], np.int64).reshape(wanted.shape)


def _halved(bounds: Any, wanted: Any, from_right: bool) -> Any:
    """The places that halving finds, bound by bound as in PyTorch: a NaN, and bounds in no order, have them too."""
    low, high = np.zeros(wanted.shape, np.int64), np.full(wanted.shape, len(bounds), np.int64)
    while (low < high).any():
        middle = low + (high - low) // 2
        at = bounds[np.minimum(middle, len(bounds) - 1)]
        is_beyond = ~(at > wanted if from_right else at >= wanted) & (low < high)
        low, high = np.where(is_beyond, middle + 1, low), np.where(is_beyond, high, np.minimum(middle, high))
    return low


def bucketize(input: Any, boundaries: Tensor, *, out_int32: bool = False, right: bool = False) -> Tensor:
    bounds = need("bucketize", boundaries, "boundaries", 2)
    if bounds.ndim != 1:
        raise TorchError(f"boundaries tensor must be 1 dimension, but got dim({bounds.ndim})")
    return searchsorted(bounds, input, out_int32=out_int32, right=right)


FUNCTIONS: dict[str, Callable[..., Any]] = {"searchsorted": searchsorted, "bucketize": bucketize}
METHODS: dict[str, Callable[..., Any]] = {}
