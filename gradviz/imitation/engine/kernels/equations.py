"""Determinants, inverses and solutions of equations, with the digits of the libraries that PyTorch calls.

Learnt by trying out every order of adding (MKL, x86): columns of L are scaled by the reciprocal of the pivot, but the
last one of a small matrix is divided; every update is a fused multiply-add. Systems of up to eight unknowns follow
the order of its small kernels, larger ones are left to numpy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.imitation.engine.dtypes import FLOATING
from gradviz.imitation.engine.kernels import nearest
from gradviz.imitation.engine.kernels.summation import total
from gradviz.imitation.engine.random.normal import fused

MOST = 8
"""Larger systems are solved by numpy, and determinants of matrices with more than `MOST_FACTORED` rows."""
MOST_FACTORED = 32
FEW = 4
"""Up to this many rows the last column of L is divided by its pivot."""
MANY = 256
"""Of more matrices than these no digits are looked after."""


def factored(a: Any) -> tuple[Any, list[int]]:
    """LU of one matrix: L below the diagonal and U on and above it; the rows of `a` in their new order.

    Args:
        a: float32 or float64, [n, m].
    """
    lu = np.array(a)
    n, one = len(lu), lu.dtype.type(1)
    rows = list(range(n))
    for k in range(min(lu.shape)):
        sizes = np.abs(lu[k:, k])
        # Nothing is larger than a NaN in the first place, and a NaN elsewhere is not larger than anything.
        pivot = k if np.isnan(sizes[0]) else k + int(np.argmax(np.fmax(sizes, 0)))
        if pivot != k:
            lu[[k, pivot]] = lu[[pivot, k]]
            rows[k], rows[pivot] = rows[pivot], rows[k]
        if not lu[k, k]:
            continue
        is_divided = n <= FEW and k == n - 2
        lu[k + 1 :, k] = lu[k + 1 :, k] / lu[k, k] if is_divided else lu[k + 1 :, k] * (one / lu[k, k])
        lu[k + 1 :, k + 1 :] = fused(-lu[k + 1 :, k : k + 1], lu[k : k + 1, k + 1 :], lu[k + 1 :, k + 1 :], lu.dtype)
    return lu, rows


def _sign(rows: list[int]) -> int:
    """Of a permutation."""
    seen, sign = set[int](), 1
    for start in range(len(rows)):
        at, length = start, 0
        while at not in seen:
            seen.add(at)
            at, length = rows[at], length + 1
        sign = -sign if length and not length % 2 else sign
    return sign


def substituted(lu: Any, rows: list[int], b: Any) -> Any:
    """x with L @ U @ x = b in its new order of rows; b of shape [n, m]. A pivot of 0 is divided by."""
    n = len(lu)
    x = np.array(b[rows], lu.dtype, order="F")  # column after column, as those libraries have it
    for i in range(1, n):
        x[i] = _less(x[i], lu[i, :i], x[:i], n)
    for i in reversed(range(n)):
        x[i] = _over(_less(x[i], lu[i, :i:-1], x[:i:-1], n), lu[i, i], n)
    return x


def transposed_substituted(lu: Any, rows: list[int], b: Any) -> Any:
    """x with (L @ U)ᵀ @ x = b, where the rows of what was factored had the new order `rows`; b of shape [n, m]."""
    n = len(lu)
    x = np.array(b, lu.dtype)
    for i in range(n):
        x[i] = _less(x[i], lu[:i, i], x[:i], n) * (lu.dtype.type(1) / lu[i, i])
    for i in reversed(range(n - 1)):
        x[i] = _less(x[i], lu[:i:-1, i], x[:i:-1], n)
    out = np.empty_like(x, order="F")
    out[rows] = x
    return out


def _less(b: Any, factors: Any, x: Any, n: int) -> Any:
    """b minus the sum of factors times rows of x, those that were found first coming first."""
    if len(x) < 2 or n == MOST:
        for factor, row in zip(factors, x, strict=True):
            b = fused(-factor, row, b, x.dtype)
        return b
    total = fused(-factors[0], x[0], -factors[1] * x[1], x.dtype)
    for factor, row in zip(factors[2:], x[2:], strict=True):
        total = fused(-factor, row, total, x.dtype)
    return b + total


def _over(x: Any, pivot: Any, n: int) -> Any:
    """x over a pivot: columns are scaled two by two, and of three unknowns the odd one that is left is divided."""
    if n == MOST:
        return x / pivot
    scaled = x * (x.dtype.type(1) / pivot)
    if n == 3 and len(x) % 2:
        scaled[-1] = x[-1] / pivot
    return scaled


def _looked_after(a: Any, most: int) -> bool:
    return bool(a.dtype.kind in FLOATING and 0 < a.shape[-1] <= most and 0 < a[..., 0, 0].size <= MANY)


def _each(function: Callable[..., Any], shape: tuple[int, ...], *arrays: Any) -> Any:
    """A function of matrices for each of a batch of them."""
    if len(shape) == 2:
        return function(*arrays)
    spread = [np.broadcast_to(x, (*shape[:-2], *x.shape[-2:])).reshape(-1, *x.shape[-2:]) for x in arrays]
    found = np.stack([np.asarray(function(*parts)) for parts in zip(*spread, strict=True)])
    return found.reshape(*shape[:-2], *found.shape[1:])


def zero_pivots(a: Any) -> Any:
    """For each matrix the number, from 1, of the first pivot that is 0, else 0: int32 of the shape of the batch."""
    found = np.zeros(a.shape[:-2], np.int32)
    for at in np.ndindex(found.shape):
        is_zero = np.diagonal(factored(a[at])[0]) == 0
        found[at] = is_zero.argmax() + 1 if is_zero.any() else 0
    return found


def det(a: Any) -> Any:
    """The determinant of each matrix. PyTorch factors the transpose, which is how a row after row lies in memory."""
    if not _looked_after(a, MOST_FACTORED):
        return np.linalg.det(a)
    return _each(_one_det, a.shape, a)


def _one_det(a: Any) -> Any:
    lu, rows = _of_rows(a)
    return _pivots_multiplied(lu) * lu.dtype.type(_sign(rows))


def _of_rows(a: Any) -> tuple[Any, list[int]]:
    return factored(a.T if a.flags.c_contiguous else a)


def _pivots_multiplied(lu: Any) -> Any:
    found = lu.dtype.type(1)
    for pivot in np.diagonal(lu):
        found = found * pivot
    return found


def slogdet(a: Any, part: int) -> Any:
    """The sign (part 0) of the determinant of each matrix, or the logarithm of its size (part 1)."""
    if not _looked_after(a, MOST_FACTORED):
        return np.linalg.slogdet(a)[part]
    return _each(_one_slogdet[part], a.shape, a)


def _one_sign(a: Any) -> Any:
    lu, rows = _of_rows(a)
    return np.prod(np.nan_to_num(np.sign(np.diagonal(lu)))) * lu.dtype.type(_sign(rows))


def _one_log(a: Any) -> Any:
    sizes = np.abs(np.diagonal(_of_rows(a)[0]))
    with np.errstate(divide="ignore"):
        return total(nearest.log(sizes))


_one_slogdet = (_one_sign, _one_log)


def cofactors(a: Any, g: Any, *, small: bool) -> Any:
    """The x with aᵀ @ x = g times the unit matrix: g times the inverse, transposed.

    Args:
        g: one number per matrix.
        small: whether a zero pivot counts as very small; if not, it is divided by.
    """
    n = a.shape[-1]
    right = np.where(np.eye(n, dtype=bool), np.asarray(g)[..., None, None], a.dtype.type(0))
    if not _looked_after(a, MOST):
        try:
            return np.linalg.solve(np.swapaxes(a, -1, -2), right)
        except np.linalg.LinAlgError:
            pass  # by pivots of 0, matrix by matrix

    def one(a: Any, right: Any) -> Any:
        lu, rows = _of_rows(a)
        if small:  # which makes 0 of −0
            lu += np.diag(np.where(np.diagonal(lu) == 0, np.finfo(lu.dtype).eps, lu.dtype.type(0)))
        if a.flags.c_contiguous:
            return substituted(lu, rows, right)
        return transposed_substituted(lu, rows, right)

    return _each(one, a.shape, a, right)


def solve(a: Any, b: Any) -> Any:
    """x with a @ x = b, for each pair of matrices; not finite where a has no inverse."""
    if not _looked_after(a, MOST):
        try:
            return np.linalg.solve(a, b)
        except np.linalg.LinAlgError:
            pass  # by pivots of 0, pair by pair
    shape = (*np.broadcast_shapes(a.shape[:-2], b.shape[:-2]), *b.shape[-2:])
    return _each(lambda left, right: substituted(*factored(left), right), shape, a, b)


def inv(a: Any) -> Any:
    """The inverse of each matrix: the solution for the unit matrix."""
    return solve(a, np.eye(a.shape[-1], dtype=a.dtype))


def solve_transposed(a: Any, b: Any) -> Any:
    """x with aᵀ @ x = b, for each pair of matrices, by the factors of a; not finite where a has no inverse."""
    if not _looked_after(a, MOST):
        return solve(np.swapaxes(a, -1, -2), b)
    shape = (*np.broadcast_shapes(a.shape[:-2], b.shape[:-2]), *b.shape[-2:])
    return _each(lambda left, right: transposed_substituted(*factored(left), right), shape, a, b)
