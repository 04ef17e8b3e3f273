"""Embeddings: rows of a table, looked up by their number."""

from __future__ import annotations

from dataclasses import replace as replace_fields
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


def _rule(g: Any, y: Any, weight: Any, index: Any, padding_idx: int, scale_grad_by_freq: bool = False) -> Any:
    shape, rows = r.plain(weight).shape, np.asarray(r.plain(index))
    is_padding = (rows == padding_idx)[..., None]
    if is_padding.any():
        g = r.where(np.broadcast_to(is_padding, r.plain(g).shape), 0.0, g)
    if scale_grad_by_freq:
        g = g * r.mask(1 / _uses(rows)[..., None], g)
    return _put_rows(g, rows, shape)


def _put_rows(g: Any, rows: Any, shape: tuple[int, ...]) -> Any:
    """Zeros of the table's shape with g added at the rows that were looked up."""
    if isinstance(g, Tensor):
        return r.put(g, shape, (rows,))
    return add_rows(g.reshape((-1, shape[1])), rows.reshape(-1), shape[0])


def _uses(rows: Any) -> Any:
    """How often each number stands among all of them, in their shape."""
    if not rows.size:
        return np.ones(rows.shape)
    return np.bincount(rows.reshape(-1))[rows]


# ---- bags --------------------------------------------------------------------------------------------------------


def _bags(index: Any, offsets: Any) -> Any:
    """The bag that each number is in, where `offsets` say at which number each bag begins."""
    return np.searchsorted(offsets, np.arange(index.size), side="right") - 1


def _parts(index: Any, offsets: Any, mode: str, padding_idx: int) -> Any:
    """What part of its row each number adds to its bag, as a column."""
    parts = (index != padding_idx).astype(np.float64)
    if mode == "mean":
        bags = _bags(index, offsets)
        parts /= np.maximum(np.bincount(bags, parts, len(offsets)), 1)[bags]
    return parts[:, None]


def _largest(weight: Any, index: Any, offsets: Any, padding_idx: int) -> tuple[Any, Any]:
    """The bags that hold any row, and for each of their columns the number of the row whose element is the largest."""
    kept = np.flatnonzero(index != padding_idx)
    bags = _bags(index, offsets)[kept]
    if not kept.size:
        return bags, np.empty((0, weight.shape[1]), np.int64)
    rows = weight[index[kept]]
    starts = np.flatnonzero(np.concatenate([[True], bags[1:] != bags[:-1]]))
    best = np.repeat(np.maximum.reduceat(rows, starts), np.diff(np.append(starts, len(rows))), axis=0)
    place = np.where((rows == best) | np.isnan(rows), np.arange(len(rows))[:, None], len(rows))
    first = np.minimum.reduceat(place, starts)
    return bags[starts], index[kept][first]


def _bag(weight: Any, index: Any, offsets: Any, *weights: Any, mode: str, padding_idx: int) -> Any:
    if mode == "max":
        found = np.zeros((len(offsets), weight.shape[1]), weight.dtype)
        bags, rows = _largest(weight, index, offsets, padding_idx)
        found[bags] = weight[rows, np.arange(weight.shape[1])]
        return found
    parts = _parts(index, offsets, mode, padding_idx).astype(weight.dtype)
    rows = weight[index] * (parts * weights[0][:, None] if weights else parts)
    return add_rows(rows, _bags(index, offsets), len(offsets))


def _bag_rule(g: Any, y: Any, weight: Any, index: Any, offsets: Any, *weights: Any, mode: str, padding_idx: int) -> Any:
    numbers, starts, shape = r.plain(index), r.plain(offsets), r.plain(weight).shape
    if mode == "max":
        bags, rows = _largest(r.plain(weight), numbers, starts, padding_idx)
        return r.put(r.take(g, (bags,)), shape, (rows, np.broadcast_to(np.arange(shape[1]), rows.shape)))
    sent = r.take(g, (_bags(numbers, starts),)) * r.mask(_parts(numbers, starts, mode, padding_idx), g)
    return _put_rows(sent * r.reshape(weights[0], (-1, 1)) if weights else sent, numbers, shape)


def _bag_weights_rule(
    g: Any, y: Any, weight: Any, index: Any, offsets: Any, weights: Any, mode: str, padding_idx: int
) -> Any:
    numbers = r.plain(index)
    sent = r.take(g, (_bags(numbers, r.plain(offsets)),)) * r.mask((numbers != padding_idx)[:, None], g)
    return r.total(sent * r.take(weight, (numbers,)), 1)


TABLE_3 = [[0.5, -1.5], [2.0, 3.0], [0.25, -0.75]]
EMBEDDING = Op(
    "embedding", lambda weight, index, padding_idx: weight[index], (_rule, None), ("weight", "index"),
    ("zeros with g added at the rows looked up", ""), "y = weight[index]",
    (example(TABLE_3, np.array([[0, 2], [2, 1]]), padding_idx=-1),
     example(TABLE_3, np.array([0, 1, 0]), padding_idx=2)),
    names("index"), note="A row that was looked up twice gets both gradients; the row padding_idx gets none.",
)  # fmt: skip
EMBEDDING_BY_USES = replace_fields(
    EMBEDDING, formula=("zeros with g, divided by how often a row is used, added at the rows looked up", ""),
    examples=(example(TABLE_3, np.array([[0, 2]]), padding_idx=-1, scale_grad_by_freq=True),),
    forward=lambda weight, index, padding_idx, scale_grad_by_freq: weight[index],
)  # fmt: skip
BAG_EXAMPLES: tuple[dict[str, Any], ...] = tuple(
    {"mode": mode, "padding_idx": padding_idx} for mode, padding_idx in (("sum", -1), ("mean", 1), ("max", 0))
)
IN_BAGS, STARTS = np.array([0, 2, 2, 1, 0]), np.array([0, 2, 2])
EMBEDDING_BAG = Op(
    "embedding_bag", _bag, (_bag_rule, None, None), ("weight", "index", "offsets"),
    ("zeros with each bag's g added at the rows in it, divided by their number for a mean", "", ""),
    "y = the sum, mean or maximum of weight[index] in each bag",
    tuple(example(TABLE_3, IN_BAGS, STARTS, **each) for each in BAG_EXAMPLES),
    names("weight index offsets"), note="The row padding_idx counts in no bag; an empty bag is 0.",
)  # fmt: skip
EMBEDDING_BAG_WEIGHTED = replace_fields(
    EMBEDDING_BAG, vjp=(_bag_rule, None, None, _bag_weights_rule), inputs=("weight", "index", "offsets", "weights"),
    formula=("zeros with each bag's g * weights added at the rows in it", "", "",
             "for each number the sum of its row times the g of its bag"),
    equation="y = the sum of weights · weight[index] in each bag",
    examples=(example(TABLE_3, IN_BAGS, STARTS, [0.5, 2.0, -1.0, 1.5, 0.25], **BAG_EXAMPLES[0]),),
    saves=names("weight index offsets weights"),
)  # fmt: skip
TABLE = (EMBEDDING, EMBEDDING_BY_USES, EMBEDDING_BAG, EMBEDDING_BAG_WEIGHTED)
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
        scale_grad_by_freq: whether the gradient of a row is divided by how often it was looked up.

    Raises:
        IndexError: a number that is no row.
        RuntimeError: numbers that are not whole.
    """
    if sparse:
        raise Beyond("embedding(sparse=True)")
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
    if scale_grad_by_freq:
        return apply(EMBEDDING_BY_USES, (weight, input), padding_idx=row, scale_grad_by_freq=True)
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
        include_last_offset: whether `offsets` end with where the last bag ends.
        padding_idx: a row that counts in no bag.

    Raises:
        ValueError: another mode, or offsets that are missing or not wanted.
        RuntimeError: numbers that are not whole, a number that is no row, or offsets that do not begin with 0.
    """
    index = current(tensor_given("embedding_bag", input, "input")).array
    table = current(tensor_given("embedding_bag", weight, "weight", 2)).array
    if mode not in ("mean", "sum", "max"):
        raise ValueError("mode has to be one of sum, mean or max")
    if (index.ndim == 2) == (offsets is not None):
        raise ValueError(
            "if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed length "
            "sequences."
            if index.ndim == 2
            else "offsets has to be a 1D Tensor but got None"
        )
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError(
            "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for mode='sum' "
            f"(got mode='{mode}'). Please open a feature request on GitHub."
        )
    if mode == "max" and scale_grad_by_freq:
        raise ValueError("max mode does not support scaling the gradient by the frequency")
    if scale_grad_by_freq or sparse:
        raise Beyond(f"embedding_bag({'sparse' if sparse else 'scale_grad_by_freq'}=True)")
    if index.dtype not in (np.int64, np.int32):
        kind = f"torch.{dtype_of(index.dtype).type_name}Tensor"
        raise RuntimeError(WRONG_INDEX.format(kind).replace("for embedding)", "for embedding_bag)"))
    wrong = np.flatnonzero((index < 0) | (index >= len(table)))
    if wrong.size:
        raise RuntimeError(
            f"Index {wrong[0]} of input takes value {index.reshape(-1)[wrong[0]]} which is not in the valid range "
            f"[0, {len(table)})"
        )
    starts = np.arange(0, index.size, index.shape[1]) if offsets is None else current(offsets).array
    if starts.size and starts[0]:
        raise RuntimeError(
            "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. However, "
            f"got {starts[0]}"
        )
    if include_last_offset:
        starts = starts[:-1]
    flat = index.reshape(-1)
    if max_norm is not None:
        _shorten(weight, np.unique(flat), max_norm, norm_type)
    inputs: tuple[Tensor, ...] = (weight, constant(flat), constant(starts))
    row, params = EMBEDDING_BAG, {"mode": mode, "padding_idx": _padding_row(padding_idx, len(table))}
    if per_sample_weights is not None:
        row, inputs = EMBEDDING_BAG_WEIGHTED, (*inputs, per_sample_weights.reshape((-1,)))
    return apply(row, inputs, **params)
