"""Embeddings: rows of a table, looked up by their number."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.engine.apply import apply, tensor_given
from gradviz.engine.dtypes import dtype_of
from gradviz.engine.errors import Beyond
from gradviz.engine.op import Op, example, names
from gradviz.engine.ops import rules as r
from gradviz.engine.tensor import Tensor, constant, current
from gradviz.engine.views import replace


def add_rows(g: Any, index: Any, count: int) -> Any:
    """Rows g [n, d] added up at their numbers, index [n]: an array [count, d]."""
    out = np.zeros((count, g.shape[1]), g.dtype)
    if index.size:
        order = np.argsort(index, kind="stable")
        ordered = index[order]
        starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
        out[ordered[starts]] = np.add.reduceat(g[order], starts, axis=0)
    return out


def _rule(g: Any, y: Any, weight: Any, index: Any, padding_idx: int) -> Any:
    shape, rows = r.plain(weight).shape, np.asarray(r.plain(index))
    is_padding = (rows == padding_idx)[..., None]
    if is_padding.any():
        g = r.where(np.broadcast_to(is_padding, r.plain(g).shape), 0.0, g)
    if isinstance(g, Tensor):
        return r.put(g, shape, (rows,))
    return add_rows(g.reshape((-1, shape[1])), rows.reshape(-1), shape[0])


TABLE_3 = [[0.5, -1.5], [2.0, 3.0], [0.25, -0.75]]
EMBEDDING = Op(
    "embedding", lambda weight, index, padding_idx: weight[index], (_rule, None), ("weight", "index"),
    ("zeros with g added at the rows looked up", ""), "y = weight[index]",
    (example(TABLE_3, np.array([[0, 2], [2, 1]]), padding_idx=-1),
     example(TABLE_3, np.array([0, 1, 0]), padding_idx=2)),
    names("index"), note="A row that was looked up twice gets both gradients; the row padding_idx gets none.",
)  # fmt: skip
TABLE = (EMBEDDING,)
"""The rows of this family."""

WRONG_INDEX = (
    "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got {} "
    "instead (while checking arguments for embedding)"
)


def _padding_row(padding_idx: int | None, count: int) -> int:
    """The number of the padding row; -1 where there is none."""
    if padding_idx is None:
        return -1
    if not -count <= padding_idx < count:
        raise AssertionError("Padding_idx must be within num_embeddings")
    return padding_idx % count


def embedding(
    input: Tensor, weight: Tensor, padding_idx: int | None = None, max_norm: float | None = None,
    norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False,
) -> Tensor:  # fmt: skip
    """The rows of weight [count, d] with the numbers of input, of shape [*input.shape, d].

    Args:
        padding_idx: a row that gets no gradient.
        max_norm: rows that are looked up and longer than this are shortened to it, in place.

    Raises:
        IndexError: a number that is no row.
        RuntimeError: numbers that are not whole.
    """
    if scale_grad_by_freq or sparse:
        raise Beyond(f"embedding({'sparse' if sparse else 'scale_grad_by_freq'}=True)")
    index = current(tensor_given("embedding", input, "indices", 2)).array
    table = current(tensor_given("embedding", weight, "weight")).array
    if index.dtype not in (np.int64, np.int32):
        kind = dtype_of(index.dtype).type_name
        raise RuntimeError(WRONG_INDEX.format("CPUBoolType" if kind == "Bool" else f"torch.{kind}Tensor"))
    if table.ndim != 2:
        raise RuntimeError("'weight' must be 2-D")
    row = _padding_row(padding_idx, table.shape[0])
    if np.size(index) and (np.min(index) < 0 or np.max(index) >= table.shape[0]):
        raise IndexError("index out of range in self")
    if max_norm is not None:
        _shorten(weight, np.unique(index), max_norm, norm_type)
    return apply(EMBEDDING, (weight, input), padding_idx=row)


def _shorten(weight: Tensor, rows: Any, max_norm: float, norm_type: float) -> None:
    table = current(weight).array
    norm = (np.abs(table[rows]) ** norm_type).sum(1, keepdims=True) ** (1 / norm_type)
    scale = np.where(norm > max_norm, max_norm / (norm + 1e-7), 1)
    changed = table.copy()
    changed[rows] = table[rows] * scale
    replace(weight, changed.astype(table.dtype))


def embedding_bag(
    input: Tensor, weight: Tensor, offsets: Tensor | None = None, max_norm: float | None = None,
    norm_type: float = 2, scale_grad_by_freq: bool = False, mode: str = "mean", sparse: bool = False,
    per_sample_weights: Tensor | None = None, include_last_offset: bool = False, padding_idx: int | None = None,
) -> Tensor:  # fmt: skip
    """The mean, sum or maximum of rows of weight, one for each bag of numbers.

    Args:
        input: [bags, n], or [n] with `offsets`, where each bag begins.
        per_sample_weights: as input, with mode="sum": how much each row counts.

    Raises:
        ValueError: another mode, or offsets that are missing or not wanted.
    """
    index = current(tensor_given("embedding_bag", input, "input")).array
    if mode not in ("mean", "sum", "max"):
        raise ValueError("mode has to be one of sum, mean or max")
    if (index.ndim == 2) == (offsets is not None):
        raise ValueError(
            "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed length "
            "sequences." if index.ndim == 2 else "offsets has to be a 1D Tensor but got None"
        )
    if padding_idx is not None or (mode == "max" and offsets is not None):
        raise Beyond("embedding_bag with padding_idx, or with mode='max' and offsets,")
    rows: Any = embedding(input, weight, None, max_norm, norm_type, scale_grad_by_freq, sparse)
    if per_sample_weights is not None:
        if mode != "sum":
            raise NotImplementedError(
                "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum' "
                f"(got mode='{mode}'). Please open a feature request on GitHub."
            )
        rows = rows * per_sample_weights.unsqueeze(-1)
    if offsets is None:
        bags: Tensor = rows.amax(1) if mode == "max" else rows.mean(1) if mode == "mean" else rows.sum(1)
        return bags
    starts = current(offsets).array
    ends = starts[1:] if include_last_offset else np.append(starts[1:], index.size)
    starts = starts[: len(ends)]
    place = np.arange(index.size)
    share = ((place >= starts[:, None]) & (place < ends[:, None])).astype(current(weight).array.dtype)
    if mode == "mean":
        share /= np.maximum(share.sum(1, keepdims=True), 1)
    found: Tensor = constant(share) @ rows
    return found
