"""Embeddings: rows of a table, looked up by their number."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.engine.apply import apply
from gradviz.engine.dtypes import dtype_of
from gradviz.engine.errors import refuse_options
from gradviz.engine.operands import tensor_given
from gradviz.engine.tensor import Tensor, current
from gradviz.ops.embedding import EMBEDDING


def embedding(input: Tensor, weight: Tensor, padding_idx: int | None = None, **others: Any) -> Tensor:
    """The rows of weight [count, d] with the numbers of input, of shape [*input.shape, d].

    Args:
        padding_idx: a row that gets no gradient.

    Raises:
        IndexError: a number that is no row.
        RuntimeError: numbers that are not whole.
        Beyond: `max_norm`, `scale_grad_by_freq` or `sparse`.
    """
    refuse_options("embedding", others, "max_norm norm_type scale_grad_by_freq sparse")
    index = current(tensor_given("embedding", input, "indices", 2)).array
    table = current(tensor_given("embedding", weight, "weight")).array
    if index.dtype not in (np.int64, np.int32):
        kind = dtype_of(index.dtype).type_name
        raise RuntimeError(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got "
            f"{'CPUBoolType' if kind == 'Bool' else f'torch.{kind}Tensor'} instead (while checking arguments for "
            "embedding)"
        )
    if table.ndim != 2:
        raise RuntimeError("'weight' must be 2-D")
    count = table.shape[0]
    if padding_idx is not None and not -count <= padding_idx < count:
        raise AssertionError("Padding_idx must be within num_embeddings")
    if np.size(index) and (np.min(index) < 0 or np.max(index) >= count):
        raise IndexError("index out of range in self")
    return apply(EMBEDDING, (weight, input), padding_idx=-1 if padding_idx is None else padding_idx % count)
