"""Products of float32 vectors and matrices, added up in the order in which PyTorch's library adds them.

Which order that is depends on the shapes and on how the numbers lie in memory. Products of matrices are chains of
fused multiply-adds along the inner axis, except for few small dot products, which are folded in halves; a matrix times
a vector is formed by registers along its rows, or by eight columns at once; small batches are added in plain turn.
Found by probing PyTorch 2.13 with its Intel library on a processor with registers of 512 bits: sums in which two huge
numbers cancel show which terms were added before. Elsewhere, and for other dtypes, the order is numpy's.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.imitation.engine.kernels import long_products
from gradviz.imitation.engine.kernels.nearest import DOUBLE, SINGLE, fused
from gradviz.imitation.engine.kernels.registers import LANES, folded

SMALL_BATCH = 400
"""Multiplications per matrix of a batch, from which on the library is called for each."""
CHAINED = 32
"""From this inner size on numpy's library chains only if the left matrix lies in columns, the right one in rows."""
PACKED = 1_000_000
"""Beyond so many multiplications numpy's library packs both matrices first and chains however they lie."""
COLUMNS = 8
"""Columns that a matrix in columns, times a vector, takes at once."""
ROOM = 4096
"""So many products are formed by one call of numpy's: of more the memory would cost more than the calls."""
SHARED_COLUMNS, LATE, SHARED_LATE = 256, range(41, 72), 1000
"""So many columns are shared out to two threads; where they are of these lengths, so many."""
SHARED_ROWS = 8192
"""Rows of so many numbers, and dot products, are shared out to two threads."""


def matmul(a: Any, b: Any) -> Any:
    """`numpy.matmul`, rounded as PyTorch rounds it."""
    if a.dtype.char != "f" or b.dtype.char != "f" or not a.size or not b.size:
        is_double = a.ndim > 1 and b.ndim > 1 and a.dtype.char == b.dtype.char == "d" and a.size and b.size
        return _doubles(a, b) if is_double else np.matmul(a, b)
    # The layout of a result tells later, where random numbers are drawn in the order of memory.
    return np.ascontiguousarray(_product(a, b)) if a.ndim > 1 or b.ndim > 1 else _dot(a, b)


def _doubles(a: Any, b: Any) -> Any:
    if a.ndim > 2 and b.ndim > 2 and _is_small(a, b):
        return np.ascontiguousarray(_in_turn(a, b))
    return np.ascontiguousarray(_of_column(a, b)) if a.shape[-1] == 1 else np.matmul(a, b)


def _of_column(a: Any, b: Any) -> Any:
    """A column times a row; of one number each is added to 0, which makes 0 of −0."""
    y = a * b
    return y if a.shape[-2] > 1 and b.shape[-1] > 1 else y + a.dtype.type(0)


def addmm(c: Any, a: Any, b: Any) -> Any:
    """c + a @ b of two matrices; where the inner axis is done in blocks, c comes before the first."""
    if a.dtype.char == b.dtype.char == c.dtype.char == "f" and a.size and b.size:
        (m, k), n = a.shape, b.shape[1]
        if k == 1 and m > 1 and n > 1:
            return fused(a, b, c)
        if k > long_products.BLOCK and m > 1 and n > 1 and not _is_by_registers(a, b):
            return np.ascontiguousarray(long_products.by_blocks(a, b, _chains, c))
    product = matmul(a, b) if a.dtype.char != "f" or a.shape[1] != 1 else a * b
    product += c  # in its own memory: an array more would be a pass over memory more
    return product


def _is_by_registers(a: Any, b: Any) -> bool:
    return _in_rows(a) and _in_rows(b.T) and long_products.is_by_registers(len(a), *b.shape)


def _product(a: Any, b: Any) -> Any:
    if a.ndim == 2 and b.ndim == 2:
        return _matrices(a, b)
    if b.ndim == 1:
        return _vector(a, b) if a.ndim == 2 else np.matmul(a, b)
    if a.ndim == 1:
        return _vector(b.T, a) if b.ndim == 2 else np.matmul(a, b)
    return _batches(a, b)


def _matrices(a: Any, b: Any) -> Any:
    (m, k), n = a.shape, b.shape[1]
    if k == 1:
        return _of_column(a, b)
    if m == n == 1 and b.strides[1] == b.itemsize:
        return columns(b, a[0])[None]
    if n == 1:
        return _vector(a, b[:, 0])[:, None]
    if m == 1:
        return _vector(b.T, a[0])[None]
    if _is_by_registers(a, b):
        return long_products.by_registers(a, b, _chains)
    if _is_folded(m, k, n) and _in_rows(a) and _in_rows(b.T):
        return _folded_products(a, b)
    return _chains(a, b) if k <= long_products.BLOCK else long_products.by_blocks(a, b, _chains)


def _in_rows(x: Any) -> bool:
    return bool(x.flags.c_contiguous)


def _is_folded(m: int, k: int, n: int) -> bool:
    """Whether rows times rows are done one dot product at a time: for few and short ones."""
    return m * n < 2 * LANES if n < 4 else m < n < 12 and k <= n


def chains(a: Any, b: Any, start: Any = None) -> Any:
    """a @ b, each result a chain of fused multiply-adds; from `start` on, where it is given: a column, or a matrix."""
    if start is not None:
        if not np.isfinite(start).all():
            return chains(a, b) + start
        wide = start.shape[1] > 1
        a = np.concatenate((np.identity(len(a), a.dtype) if wide else start, a), axis=1)
        b = np.concatenate((start if wide else np.ones_like(b[:1]), b))
    rows, columns = len(a), b.shape[1]
    # Of one row, or column, numpy makes no chain.
    a, b = (a if rows > 1 else a.repeat(2, axis=0)), (b if columns > 1 else b.repeat(2, axis=1))
    return _chains(a, b)[:rows, :columns]


def _chains(a: Any, b: Any) -> Any:
    """Each result a chain of fused multiply-adds along the inner axis."""
    (m, k), n = a.shape, b.shape[1]
    # Of a matrix and its own transpose numpy computes one half only, in another order.
    if (k >= CHAINED and m * k * n <= PACKED) or a.base is b.base is not None or a.base is b or b.base is a:
        a, b = np.array(a, order="F"), np.ascontiguousarray(b)
    return np.matmul(a, b)


def _folded_products(a: Any, b: Any) -> Any:
    """Rows times rows by registers; of three rows and more every other one by pairs of registers, of two none."""
    y = np.empty((a.shape[0], b.shape[1]), a.dtype)
    y[::2] = _dots(a[::2], b.T, 2 if len(a) > 2 else 1)
    y[1::2] = _dots(a[1::2], b.T, 1)
    return y


def _dots(a: Any, rows: Any, at_once: int) -> Any:
    """Each row times each row: so many registers at once, each to its own sum; then what is left, and the lanes."""
    left, k = a[:, None], a.shape[1]
    sums = [np.zeros((len(a), len(rows), LANES), a.dtype) for _ in range(at_once)]
    whole = k // (at_once * LANES) * at_once * LANES
    for i, at in enumerate(range(0, whole, LANES)):
        part = slice(at, at + LANES)
        sums[i % at_once] = fused(left[..., part], rows[:, part], sums[i % at_once])
    lane = sum(sums[1:], sums[0])
    for at in range(whole, k, LANES):
        part = slice(at, min(at + LANES, k))
        count = part.stop - at
        lane[..., :count] = fused(left[..., part], rows[:, part], lane[..., :count])
    return folded(lane, LANES)[..., 0]


def _vector(a: Any, x: Any) -> Any:
    """A matrix times a vector."""
    if a.shape[1] == 1:
        return a[:, 0] * x
    if a.strides[0] == a.itemsize and a.strides[1] >= a.shape[0] * a.itemsize:
        return columns(np.ascontiguousarray(a.T), x)
    if a.size < SHARED_ROWS:
        return _rows(a, x)
    half = len(a) - len(a) // 2
    return np.concatenate((_rows(a[:half], x), _rows(a[half:], x)))


def _rows(a: Any, x: Any) -> Any:
    if a.shape[1] <= LANES + 1:
        return _short_rows(a, x)
    a = np.ascontiguousarray(a)
    four = a.shape[0] // 4 * 4
    if four == a.shape[0]:
        return _rows_by_four(a, x)
    return np.concatenate((_rows_by_four(a[:four], x), _rows_left(a[four:], x))) if four else _rows_left(a, x)


def _short_rows(a: Any, x: Any) -> Any:
    """Rows of a number and one register at most: of rows in fours the first product is what the others add to."""
    exact = a.astype(DOUBLE)
    exact *= x.astype(DOUBLE)
    first = exact[:, 0].astype(a.dtype)
    four = len(first) // 4 * 4
    exact[:four, 1] += first[:four]
    if four < len(first):
        exact[four:, 1:] += 0.0  # which makes 0 of −0
    width = _lanes(a.shape[1] - 1)
    lane = np.zeros((len(first), width), a.dtype)
    lane[:, : a.shape[1] - 1] = exact[:, 1:]
    y = folded(lane, width)[:, 0]
    if width == LANES:
        y[four:] += first[four:]
        return y
    first[:four] = 0  # as the lanes that are 0 would make of −0
    first += y
    return first


def _lanes(count: int) -> int:
    """How many lanes of a register so many numbers fill: as many as can be folded in halves."""
    return LANES if count >= LANES else 1 << (count - 1).bit_length()


def _rows_by_four(a: Any, x: Any) -> Any:
    """Four rows are formed at once: the first product, then whole registers, then what is left; folded after both."""
    exact = a.astype(DOUBLE)
    exact *= x.astype(DOUBLE)
    lane = np.zeros((a.shape[0], LANES), a.dtype)
    lane[:, 0] = exact[:, 0]
    whole = (a.shape[1] - 1) // LANES * LANES + 1
    for at in range(1, whole, LANES):
        lane = (exact[:, at : at + LANES] + lane).astype(SINGLE)
    left = a.shape[1] - whole
    if left:
        lane = np.concatenate((folded(lane, LANES), np.zeros((a.shape[0], LANES - 1), a.dtype)), axis=1)
        lane[:, :left] = exact[:, whole:] + lane[:, :left]
    return folded(lane, LANES)[:, 0]


def _rows_left(a: Any, x: Any) -> Any:
    """Rows that fill no four: all registers but the last ones in pairs, and the first product at last."""
    y = _first_apart(a, x, 2)
    if len(a) > 1 and a.shape[1] > 2 * LANES:
        y[1:2] = _first_apart(a[1:2], x, 1)  # the second row is formed without pairs
    return y


def _first_apart(a: Any, x: Any, at_once: int) -> Any:
    return a[:, 0] * x[0] + _dots(a[:, 1:], x[None, 1:], at_once)[:, 0]


def columns(rows: Any, x: Any, start: Any = None) -> Any:
    """A matrix in columns, given as their rows, times a vector; two threads have half of many columns each.

    `start`: a number to begin with.
    """
    if len(rows) < (SHARED_LATE if rows.shape[1] in LATE else SHARED_COLUMNS):
        return _own_columns(rows, x, start)
    half = len(rows) - len(rows) // 2
    return _own_columns(rows[:half], x[:half], start) + _own_columns(rows[half:], x[half:])


def _own_columns(rows: Any, x: Any, start: Any = None) -> Any:
    k, n = rows.shape
    wide = n // LANES * LANES if k >= COLUMNS else 0
    if not wide:
        return _turn(rows, x, start)
    y = np.full(wide, 0 if start is None else start, rows.dtype)
    at_once = max(1, ROOM // wide) * COLUMNS
    for at in range(0, k, at_once):
        y = _added_columns(rows[at : at + at_once, :wide], x[at : at + at_once], y)
    return y if wide == n else np.concatenate((y, _turn(rows[:, wide:], x, start)))


def _added_columns(rows: Any, x: Any, y: Any) -> Any:
    """y and the columns times their numbers: of each eight all but two are added up before they come to y."""
    exact = rows.astype(DOUBLE)
    exact *= x.astype(DOUBLE)[:, None]
    whole = len(rows) // COLUMNS * COLUMNS
    eights = exact[:whole].reshape(-1, COLUMNS, len(y))
    pairs = (eights[:, :2] + eights[:, 2:4].astype(SINGLE)).astype(SINGLE)
    lasts = (eights[:, 5] + eights[:, 7].astype(SINGLE)).astype(SINGLE)
    for eight, front, last in zip(eights, pairs[:, 0] + pairs[:, 1], lasts, strict=True):
        y = front + ((eight[4] + (eight[6] + y).astype(SINGLE)).astype(SINGLE) + last)
    for left in exact[whole:]:
        y = (left + y).astype(SINGLE)
    return y


def _turn(rows: Any, x: Any, start: Any = None) -> Any:
    """A chain of fused multiply-adds for each column; twice, since numpy takes another order for one vector, or row."""
    if start is not None:
        return chains(x[None], rows, np.full((1, 1), start, rows.dtype))[0]
    columns = np.asarray(rows.T if rows.shape[1] > 1 else rows.repeat(2, axis=1).T, order="F")
    return np.matmul(columns, x.repeat(2).reshape(-1, 2))[: rows.shape[1], 0]


def _dot(a: Any, b: Any) -> Any:
    """Two vectors, from 8192 numbers on in two halves."""
    in_row = a.strides[0] == b.strides[0] == a.itemsize
    each_half = _dot_in_row if in_row else _dot_apart
    if a.size < SHARED_ROWS:
        return each_half(a, b)
    half = (a.size + 1) // 2
    return each_half(a[:half], b[:half]) + each_half(a[half:], b[half:])


def _dot_in_row(a: Any, b: Any) -> Any:
    """Registers in turn to four sums; of what is left two to the first two, one and what fills none to the first."""
    sums = np.zeros((4, LANES), a.dtype)
    at = a.size // sums.size * sums.size
    for left, right in zip(a[:at].reshape(-1, *sums.shape), b[:at].reshape(-1, *sums.shape), strict=True):
        sums = fused(left, right, sums)
    flat = sums.reshape(-1)
    while at < a.size:
        rest = a.size - at
        count = 2 * LANES if rest >= 2 * LANES else min(rest, LANES)
        flat[:count] = fused(a[at : at + count], b[at : at + count], flat[:count])
        at += count
    lane = (sums[0] + sums[1]) + (sums[2] + sums[3])
    lane = lane[:8] + lane[8:]
    lane = lane[:4] + lane[4:]
    return (lane[0] + lane[1]) + (lane[2] + lane[3])


def _dot_apart(a: Any, b: Any) -> Any:
    """Where numbers lie apart in memory: in turn to four sums, of what is left two to two sums, and the last."""
    at = a.size // 4 * 4
    sums = np.zeros(4, a.dtype)
    for left, right in zip(a[:at].reshape(-1, 4), b[:at].reshape(-1, 4), strict=True):
        sums = fused(left, right, sums)
    two = sums[:2] + sums[2:]
    if a.size - at > 1:
        two = fused(a[at : at + 2], b[at : at + 2], two)
    found = two[0] + two[1]
    return fused(a[-1], b[-1], found) if a.size % 2 else found


def _is_small(a: Any, b: Any) -> bool:
    return bool(a.shape[-2] * a.shape[-1] * b.shape[-1] < SMALL_BATCH)


def _in_turn(a: Any, b: Any) -> Any:
    """Term after term added to 0, each rounded."""
    y = a[..., :1] * b[..., :1, :] + a.dtype.type(0)  # which makes 0 of −0
    for i in range(1, a.shape[-1]):
        y += a[..., i : i + 1] * b[..., i : i + 1, :]
    return y


def _batches(a: Any, b: Any) -> Any:
    m, k, n = a.shape[-2], a.shape[-1], b.shape[-1]
    if _is_small(a, b):
        return _in_turn(a, b)
    if k < CHAINED and m > 1 and n > 1:
        return _of_column(a, b) if k == 1 else np.matmul(a, b)
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    a, b = np.broadcast_to(a, (*batch, m, k)), np.broadcast_to(b, (*batch, k, n))
    y = np.empty((*batch, m, n), a.dtype)
    for place in np.ndindex(*batch):
        y[place] = _matrices(a[place], b[place])
    return y


def each(a: Any, b: Any) -> Any:
    """The product of each matrix of a batch with its partner, every pair as if it were alone; none is empty."""
    if a.dtype.char != "f":
        return np.matmul(a, b)
    (*batch, m, k), n = a.shape, b.shape[-1]
    if min(m, k, n) > 1 and k <= long_products.BLOCK and m * k * n <= PACKED and not _is_by_rows(a, b):
        return np.matmul(*((a, b) if k < CHAINED else (_columns_first(a), np.ascontiguousarray(b))))
    y = np.empty((*batch, m, n), a.dtype)
    for place in np.ndindex(*batch):
        y[place] = _matrices(a[place], b[place])
    return y


def _is_by_rows(a: Any, b: Any) -> bool:
    """Whether pairs of a batch are formed as rows times rows."""
    first = (0,) * (a.ndim - 2)
    left, right = a[first], b[first]
    (m, k), n = left.shape, right.shape[1]
    is_folded = _is_folded(m, k, n) and _in_rows(left) and _in_rows(right.T)
    return is_folded or _is_by_registers(left, right)


def _columns_first(a: Any) -> Any:
    return np.ascontiguousarray(a.swapaxes(-1, -2)).swapaxes(-1, -2)
