"""Attention of arrays and its gradients, block by block as PyTorch's kernel for the CPU works it out.

Blocks of queries look at blocks of keys; what was mixed of earlier keys is scaled down where a later score is higher.
By registers the exponential is a quick one; what fills none has the C library's. Source: FlashAttentionKernel.cpp of
PyTorch.

Shapes: q (..., queries, size), k and v (..., keys, size), with two axes before; mask: what is added to the scores.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from gradviz.imitation.engine.kernels import registers
from gradviz.imitation.engine.kernels.nearest import fused
from gradviz.imitation.engine.kernels.products import each
from gradviz.imitation.engine.kernels.quick_exp import quick_exp
from gradviz.imitation.engine.kernels.registers import LANES, one_exp, one_log, polynomial_exp

KEYS = 512
"""Keys of a block."""
QUERIES = ((768, 256), (192, 64), (1, 32))
"""From so many queries on so many in a block."""


class Way(NamedTuple):
    """What besides q, k and v tells how much a query looks at a key.

    Attributes:
        mask: numbers added to the scores, or None.
        is_causal: whether a query sees no later keys.
        scale: what the products are multiplied by.
    """

    mask: Any
    is_causal: bool
    scale: float


class Block(NamedTuple):
    """Which queries and keys, and for a causal one which of them do not see each other, or None."""

    rows: slice
    columns: slice
    hidden: Any


def _blocks(queries: int, keys: int, is_causal: bool) -> Iterator[list[Block]]:
    """All blocks of keys for each block of queries."""
    size = next(size for least, size in QUERIES if queries >= least)
    for at in range(0, queries, size):
        end = min(at + size, queries)
        seen = min(end, keys) if is_causal else keys
        yield [_block(at, end, n, min(n + KEYS, keys), is_causal and seen - n <= KEYS) for n in range(0, seen, KEYS)]


def _block(at: int, end: int, n: int, last: int, is_hiding: bool) -> Block:
    hidden = np.arange(n, last) > np.arange(at, end)[:, None] if is_hiding else None
    return Block(slice(at, end), slice(n, last), hidden)


def attend(q: Any, k: Any, v: Any, way: Way) -> tuple[Any, Any]:
    """What the queries see, laid out in memory as q is, and the logarithm of the sum of each one's weights."""
    out, lse, mask = np.empty_like(q), np.empty(q.shape[:-1], q.dtype), _whole_mask(q, k, way)
    k, v = np.ascontiguousarray(k), np.ascontiguousarray(v)
    for blocks in _blocks(q.shape[-2], k.shape[-2], way.is_causal):
        rows = blocks[0].rows
        top, total, mixed = _seen(np.ascontiguousarray(q[..., rows, :]), k, v, blocks, way._replace(mask=mask))
        total = np.where(total == 0, total.dtype.type(1), total)
        out[..., rows, :] = mixed * np.reciprocal(total)[..., None]
        lse[..., rows] = _finite(top) + one_log(total)
    return out, lse


def _whole_mask(q: Any, k: Any, way: Way) -> Any:
    if way.mask is None:
        return None
    return np.broadcast_to(way.mask, (*q.shape[:-1], k.shape[-2])).astype(q.dtype, copy=False)


def _finite(top: Any) -> Any:
    return np.where(np.isneginf(top), top.dtype.type(0), top)


def _seen(q: Any, k: Any, v: Any, blocks: list[Block], way: Way) -> tuple[Any, Any, Any]:
    """The highest score of each query, the sum of its weights, and what it sees times that sum."""
    top = total = mixed = None
    for block in blocks:
        scores = _scores(q, k, block, way)
        highest = _highest(scores) if way.mask is None else scores.max(axis=-1)
        if top is not None:
            highest = np.where(top > highest, top, highest)
        weights = _weights(scores - _finite(highest)[..., None])
        weights = np.where(np.isneginf(highest)[..., None], weights.dtype.type(0), weights)
        added, seen = _sums(weights), each(weights, v[..., block.columns, :])
        if top is None:
            top, total, mixed = highest, added, seen
            continue
        faded = one_exp(top - _finite(highest))
        top, total, mixed = highest, fused(faded, total, added), mixed * faded[..., None] + seen
    return top, total, mixed


def _highest(scores: Any) -> Any:
    """Along rows: a NaN in a whole register is what is found; what fills none counts by its numbers alone."""
    lanes = LANES * 4 // scores.itemsize
    whole = scores.shape[-1] // lanes * lanes
    top = scores[..., :whole].max(axis=-1, initial=-np.inf)
    left = np.fmax.reduce(scores[..., whole:], axis=-1, initial=-np.inf)
    return np.where(left > top, left, top)


def _scores(q: Any, k: Any, block: Block, way: Way) -> Any:
    scores, scale = each(q, k[..., block.columns, :].swapaxes(-1, -2)), q.dtype.type(way.scale)
    if block.hidden is not None:
        scores = np.where(block.hidden, scores.dtype.type(-np.inf), scores)
    return scores * scale if way.mask is None else fused(scores, scale, way.mask[..., block.rows, block.columns])


def _weights(scores: Any) -> Any:
    """e^x; the highest score of each row is 0."""
    lanes = LANES * 4 // scores.itemsize
    whole = scores.shape[-1] // lanes * lanes
    near, left = scores[..., :whole], scores[..., whole:]
    near = quick_exp(near, True) if scores.dtype.char == "f" else polynomial_exp(near)
    return np.concatenate((near, one_exp(left)), axis=-1)


def _sums(weights: Any) -> Any:
    """Of rows: whole registers, folded, and then one by one what fills none."""
    lanes = LANES * 4 // weights.itemsize
    whole = weights.shape[-1] // lanes * lanes
    if whole:
        folded = registers.folded(registers.held(weights[..., :whole], lanes), lanes)
        weights = np.concatenate((folded, weights[..., whole:]), axis=-1)
    return np.add.accumulate(weights, axis=-1)[..., -1]


def attend_backward(g: Any, q: Any, k: Any, v: Any, y: Any, lse: Any, way: Way) -> tuple[Any, Any, Any]:
    """dL/dq, dL/dk and dL/dv, of the result y of `attend` and its logarithms; heads lie inside queries in memory."""
    dq, dk, dv = (np.zeros_like(x.swapaxes(1, 2), order="C").swapaxes(1, 2) for x in (q, k, v))
    g, q, k, v = (np.ascontiguousarray(x) for x in (g, q, k, v))
    along, way = registers.product_sums(g, y), way._replace(mask=_whole_mask(q, k, way))
    scale = q.dtype.type(way.scale)
    for rows, columns, hidden in (block for row in _blocks(q.shape[-2], k.shape[-2], way.is_causal) for block in row):
        given, asking, keys = g[..., rows, :], q[..., rows, :], k[..., columns, :]
        weights = _weights_again(asking, keys, lse[..., rows, None], Block(rows, columns, hidden), way)
        slope = weights * (each(given, v[..., columns, :].swapaxes(-1, -2)) - along[..., rows, :])
        if given.shape[-2] == 1:
            dq[..., rows, :] += each(slope * scale, keys)
            dk[..., columns, :] = fused((slope * scale).swapaxes(-1, -2), asking, dk[..., columns, :])
            dv[..., columns, :] = fused(weights.swapaxes(-1, -2), given, dv[..., columns, :])
            continue
        dq[..., rows, :] += each(slope, keys) * scale
        dk[..., columns, :] += each(slope.swapaxes(-1, -2), asking) * scale
        dv[..., columns, :] += each(weights.swapaxes(-1, -2), given)
    return dq, dk, dv


def _weights_again(q: Any, k: Any, lse: Any, block: Block, way: Way) -> Any:
    scale = q.dtype.type(way.scale)
    # Where it packs the keys first, the library multiplies them then.
    is_before = k.shape[-2] > q.shape[-2] > 1 and k.shape[-2] >= max(LANES, k.shape[-1])
    scores = each(q, (k * scale).swapaxes(-1, -2)) if is_before else each(q, k.swapaxes(-1, -2)) * scale
    if way.mask is not None:
        scores = scores + way.mask[..., block.rows, block.columns]
    weights = polynomial_exp(scores - lse)
    return weights if block.hidden is None else np.where(block.hidden, weights.dtype.type(0), weights)
