"""`embedding_bag`: rows looked up and brought together, bag by bag."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.imitation.engine.creation import check_size
from gradviz.imitation.engine.dtypes import class_of, joined_dtype, type_name
from gradviz.imitation.engine.functions.arguments import need
from gradviz.imitation.engine.functions.places.placing import refuse_scalar_types, shorten
from gradviz.imitation.engine.functions.shapes.shaping import reshape
from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.hooks.on_saved_tensors import keep
from gradviz.imitation.engine.printing.messages import stream_text
from gradviz.imitation.engine.tensor import Tensor, apply
from gradviz.errors import ScriptError, TorchError

MODES = ("sum", "mean", "max")


def embedding_bag(
    input: Tensor, weight: Tensor, offsets: Tensor | None = None, max_norm: float | None = None, norm_type: float = 2,
    scale_grad_by_freq: bool = False, mode: str = "mean", sparse: bool = False,
    per_sample_weights: Tensor | None = None, include_last_offset: bool = False, padding_idx: int | None = None,
) -> Tensor:  # fmt: skip
    x, w = need("embedding_bag", input), need("embedding_bag", weight, "weight", 2)
    p = per_sample_weights
    _check(x, w, offsets, p, mode)
    if scale_grad_by_freq or sparse:
        name = "scale_grad_by_freq" if scale_grad_by_freq else "sparse"
        raise ScriptError(f"embedding_bag with {name} is not supported by gradviz", hint=f"Leave {name} out.")
    if p is not None and mode != "sum":
        raise TorchError(
            "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum' (got "
            f"mode='{mode}'). Please open a feature request on GitHub.",
            kind="NotImplementedError",
        )
    rows = w.shape[0]
    if padding_idx is not None and not -rows <= padding_idx < rows:
        raise TorchError(
            f"padding_idx must be within the number of embeddings, -{rows} through {rows - 1}, but got {padding_idx}"
        )
    _check_kinds(x, w, offsets, p)
    starts, end = _starts(x, offsets, include_last_offset)
    index, count = np.array(x.data, np.int64).reshape(-1), len(starts)
    is_quick = mode != "max" and padding_idx is None and w.dtype != np.float64 and w.data.strides[1] == w.dtype.itemsize
    end = end if is_quick else index.size
    _refuse_rows(index[:end], rows, is_quick=is_quick)
    index[end:] = 0
    if not count and index.size:
        index, p = index[:0], None
    check_size((count, w.shape[1]))
    if max_norm is not None:
        shorten(w, index, max_norm, norm_type)
    bag = np.searchsorted(starts, np.arange(index.size), side="right") - 1
    kept = np.ones(index.size) if padding_idx is None else (index != padding_idx % rows).astype(np.float64)
    if mode == "max":
        found = apply(OPS["embedding_bag_max"], (w,), rows=_largest_rows(w.data, index, bag, kept, count))
        return keep(found, indices=x, offsets=offsets)
    params: dict[str, Any] = {"index": index, "bag": bag, "count": count}
    sizes = np.maximum(np.bincount(bag, kept, count), 1) if mode == "mean" else np.ones(count)
    params["share"] = kept / sizes[bag]
    params["share"][end:] = 0
    if p is None:
        return keep(apply(OPS["embedding_bag"], (w,), **params), indices=x, offsets=offsets)
    weights = reshape(p, -1) if p.ndim == 2 else p
    return keep(apply(OPS["embedding_bag_weighted"], (w, weights), **params), indices=x, offsets=offsets)


def _check(x: Tensor, w: Tensor, offsets: Tensor | None, p: Tensor | None, mode: str) -> None:
    if p is not None and p.shape != x.shape:
        raise TorchError(
            f"embedding_bag: If per_sample_weights (torch.Size({list(p.shape)})) is not None, then it must have the "
            f"same shape as the input (torch.Size({list(x.shape)}))",
            kind="ValueError",
        )
    if w.ndim != 2:
        raise TorchError(f"weight has to be a 2D Tensor, but got Tensor of dimension {w.ndim}", kind="ValueError")
    if x.ndim not in (1, 2):
        raise TorchError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {x.ndim}", kind="ValueError")
    if x.ndim == 2 and offsets is not None:
        raise TorchError(
            "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed length "
            f"sequences. However, found offsets of type <class 'torch.{type(offsets).__name__}'>",
            kind="ValueError",
        )
    if x.ndim == 2 and x.dtype.kind == "b":
        raise TorchError("\"arange_cpu\" not implemented for 'Bool'", kind="NotImplementedError")
    if x.ndim == 2 and not x.shape[1]:
        raise TorchError("step must be nonzero", hint="The bags have no indices: give each at least one.")
    if x.ndim == 1 and offsets is None:
        raise TorchError("offsets has to be a 1D Tensor but got None", kind="ValueError")
    if offsets is not None and offsets.ndim != 1:
        raise TorchError("offsets has to be a 1D Tensor", kind="ValueError")
    if mode not in MODES:
        raise TorchError("mode has to be one of sum, mean or max", kind="ValueError")


def _check_kinds(x: Tensor, w: Tensor, offsets: Tensor | None, p: Tensor | None) -> None:
    """Raise for dtypes that are not taken; places and offsets come in the one that both fit in."""
    places = x.dtype if offsets is None else joined_dtype((x.data, offsets.data))
    refuse_scalar_types("embedding_bag", "indices", places, "Long", "Int")
    refuse_scalar_types("embedding_bag", "weight", w.dtype, "Half", "BFloat16", "Float", "Double")
    if p is not None and p.dtype != w.dtype:
        raise TorchError(
            "Expected tensor for argument #1 'weight' to have the same type as tensor for argument #1 "
            f"'per_sample_weights'; but type {class_of(type_name(w.dtype))} does not equal "
            f"{class_of(type_name(p.dtype))} (while checking arguments for embedding_bag)",
            hint="Convert one of them, e.g. with .to(weight.dtype).",
        )


def _first(x: Tensor) -> str:
    """The first number as C++ prints it, where it is a tensor still."""
    return stream_text(x.data[0])


def _starts(x: Tensor, offsets: Tensor | None, has_end: bool) -> tuple[Any, int]:
    """Where each bag begins in the flat index, and where the last one ends where PyTorch is quick."""
    if offsets is None:
        return np.arange(x.shape[0]) * x.shape[1], x.data.size
    starts = np.asarray(offsets.data)
    if starts.size and starts[0] != 0:
        raise TorchError(
            "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. However, "
            f"got {_first(offsets)}"
        )
    if starts.size and starts[-1] > x.shape[0]:
        raise TorchError(
            f"offsets[-1] can not be greater than input's length {x.shape[0]} but got offsets[-1] of {starts[-1]}"
        )
    if has_end and not starts.size:
        raise TorchError("include_last_offset: number of offset should be at least 1")
    return (starts[:-1], int(starts[-1])) if has_end else (starts, x.data.size)


def _refuse_rows(index: Any, rows: int, *, is_quick: bool) -> None:
    """Raise for a row that is not there, in the words of the quick way that PyTorch has for plain bags, or others."""
    wrong = np.flatnonzero((index < 0) | (index >= rows))
    if not wrong.size:
        return
    value = index[wrong[0]]
    if is_quick:
        text = f"Index {wrong[0]} of input takes value {value} which is not in the valid range [0, {rows})"
        raise TorchError(text)
    raise TorchError(f"embedding_bag: Expected idx >= 0 && idx < num_embeddings but found idx to be {value}")


def _largest_rows(weight: Any, index: Any, bag: Any, kept: Any, count: int) -> Any:
    """For each bag and column the row with the first largest number; −1 for an empty bag."""
    rows = np.full((count, weight.shape[1]), -1, np.int64)
    columns = np.arange(weight.shape[1])
    for row, number, counts in zip(index, bag, kept, strict=True):
        if counts:
            before = rows[number]
            is_larger = (before < 0) | (weight[row] > weight[np.maximum(before, 0), columns])
            rows[number] = np.where(is_larger, row, before)
    return rows


FUNCTIONS: dict[str, Callable[..., Any]] = {}
METHODS: dict[str, Callable[..., Any]] = {}
NEURAL: dict[str, Callable[..., Any]] = {"embedding_bag": embedding_bag}
