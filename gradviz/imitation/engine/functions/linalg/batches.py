"""Products with more than two dims, in the steps in which PyTorch takes them.

A stack of matrices times one matrix is folded into one large product; else both are expanded to the same batch
and multiplied pair by pair. The graph shows these steps, because they are the nodes that backward() runs.
"""

from __future__ import annotations

import numpy as np

from gradviz.imitation.engine.functions.linalg.product_checks import check_product, check_vector
from gradviz.imitation.engine.functions.shapes.shaping import (
    contiguous,
    expand,
    reshape,
    squeeze,
    t,
    transpose,
    unsafe_view,
    unsqueeze,
)
from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.shape_errors import mismatch
from gradviz.imitation.engine.shapes import numel
from gradviz.imitation.engine.tensor import Tensor, binary, record


def is_foldable(a: Tensor, b: Tensor) -> bool:
    """Whether the larger one can be one tall matrix. Its copy would cost more than it saves for a constant."""
    larger, smaller = (a, b) if a.ndim >= b.ndim else (b, a)
    if larger.ndim < 3 or smaller.ndim > 2:
        return False
    if smaller.requires_grad:
        return True
    if a.ndim == 2:
        return False
    return larger.data.size == 0 or _rows_are_even(larger if a.ndim >= b.ndim else _turned(larger))


def _turned(x: Tensor) -> Tensor:
    return transpose(x, x.ndim - 2, x.ndim - 1)


def _rows_are_even(x: Tensor) -> bool:
    """Whether all rows follow each other at one distance in memory."""
    strides, shape = x.data.strides, x.shape
    return all(strides[i] == strides[i + 1] * shape[i + 1] for i in range(x.ndim - 2))


def folded(a: Tensor, b: Tensor) -> Tensor:
    """A product of a stack of matrices and one matrix or vector, as one product of two."""
    is_turned = b.ndim > a.ndim
    tall, other = (_turned(b), t(a) if a.ndim == 2 else a) if is_turned else (a, b)
    shape = tall.shape[:-1]
    rows = reshape(tall, (numel(shape), tall.shape[-1]))
    if other.ndim == 1:
        check_vector(rows, other)
        return unsafe_view(binary(OPS["mv"], rows, other), shape)
    check_product(rows, other)
    out = unsafe_view(binary(OPS["matmul"], rows, other), (*shape, other.shape[1]))
    return contiguous(_turned(out)) if is_turned else out


def batched(a: Tensor, b: Tensor) -> Tensor:
    """A product pair by pair, with both expanded to the same batch."""
    if a.ndim == b.ndim == 3 and a.shape[0] != b.shape[0]:
        if a.shape[0] == 1 and a.requires_grad:
            return folded(squeeze(a, 0), b) if is_foldable(squeeze(a, 0), b) else batched(squeeze(a, 0), b)
        if b.shape[0] == 1 and b.requires_grad:
            return folded(a, squeeze(b, 0)) if is_foldable(a, squeeze(b, 0)) else batched(a, squeeze(b, 0))
    if found := mismatch(a.shape[:-2], b.shape[:-2], "'matmul'"):
        raise found
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    left = _flat_batch(a, batch, a.shape[-2:] if a.ndim > 1 else (1, a.shape[0]))
    right = _flat_batch(b, batch, b.shape[-2:]) if b.ndim > 1 else unsqueeze(_flat_batch(b, batch, b.shape), 2)
    product = pair_by_pair(left, right)
    if b.ndim == 1:
        product = squeeze(product, -1)
    return unsafe_view(product, (*batch, *a.shape[-2:-1], *b.shape[-1:][: b.ndim - 1]))


def pair_by_pair(a: Tensor, b: Tensor) -> Tensor:
    """`torch.bmm` of two stacks of matrices; where there is nothing to multiply, of the dtype of the second."""
    check_product(a, b, "bmm")
    if a.dtype == b.dtype:
        return binary(OPS["bmm"], a, b)
    return record(OPS["bmm"], (a, b), {}, np.zeros((*a.shape[:2], b.shape[2]), b.dtype))


def _flat_batch(x: Tensor, batch: tuple[int, ...], matrix: tuple[int, ...]) -> Tensor:
    return reshape(expand(x, *batch, *matrix), (numel(batch), *matrix))
