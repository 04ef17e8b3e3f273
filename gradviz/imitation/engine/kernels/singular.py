"""The singular value decomposition, with the signs of the vectors that PyTorch's library gives.

Singular vectors are determined but for their signs, and those follow from the way a library takes to a bidiagonal
matrix. PyTorch's takes another way than NumPy's at other shapes: a tall matrix goes by its QR factors from one and a
half times as many rows as columns on, a wide one by its LQ factors from twenty times as many columns as rows on only.
"""

from __future__ import annotations

from typing import Any

import numpy as np

ROWS_FOR_QR = 1.5
COLUMNS_FOR_LQ = 20


def svd_array(x: Any, full_matrices: bool) -> tuple[Any, Any, Any]:
    """U, S and Vᵀ of matrices of shape (..., n, m); of all n or m vectors, or of as many as there are values."""
    rows, columns = x.shape[-2:]
    if 0 in x.shape or not np.isfinite(x).all():
        u, s, vt = np.linalg.svd(np.zeros_like(x), full_matrices=full_matrices)
        return (u, s, vt) if 0 in x.shape else (u * np.nan, s * np.nan, vt * np.nan)
    if rows < columns:
        way = _by_lq if columns >= COLUMNS_FOR_LQ * rows else _wide
    else:
        way = _by_qr if rows > columns and rows >= int(ROWS_FOR_QR * columns) else _at_once
    exact = x.astype(np.float64) + 0.0  # of a negative zero its library takes no sign
    u, s, vt = (found.astype(x.dtype) for found in way(exact, full_matrices))
    return u, s, vt


def _at_once(x: Any, full_matrices: bool) -> tuple[Any, Any, Any]:
    return np.linalg.svd(x, full_matrices=full_matrices)


def _by_qr(x: Any, full_matrices: bool) -> tuple[Any, Any, Any]:
    columns = x.shape[-1]
    q, r = np.linalg.qr(x, mode="complete" if full_matrices else "reduced")
    u, s, vt = np.linalg.svd(r[..., :columns, :])
    return np.concatenate([np.matmul(q[..., :columns], u), q[..., columns:]], -1), s, vt


def _by_lq(x: Any, full_matrices: bool) -> tuple[Any, Any, Any]:
    rows = x.shape[-2]
    q, r = np.linalg.qr(x.mT, mode="complete" if full_matrices else "reduced")
    u, s, vt = np.linalg.svd(r[..., :rows, :].mT)
    return u, s, np.concatenate([np.matmul(vt, q[..., :rows].mT), q[..., rows:].mT], -2)


def _wide(x: Any, full_matrices: bool) -> tuple[Any, Any, Any]:
    """By a lower bidiagonal matrix that rotations make an upper one; NumPy finds no more to do on that."""
    rows = x.shape[-2]
    left, low, right = _lower_bidiagonal(x)
    turned, high = np.linalg.qr(low)
    heads, found = (np.diagonal(each, axis1=-2, axis2=-1) for each in (low, high))
    signs = np.where((heads < 0) == (found < 0), 1.0, -1.0)
    high = signs[..., None] * np.triu(np.tril(high, 1))
    u, s, vt = np.linalg.svd(high)
    u = np.matmul(left, np.matmul(turned * signs[..., None, :], u))
    vt = np.matmul(vt, right[..., :rows].mT)
    return u, s, np.concatenate([vt, right[..., rows:].mT], -2) if full_matrices else vt


def _lower_bidiagonal(x: Any) -> tuple[Any, Any, Any]:
    """Q, B and P of x = Q (B 0) Pᵀ, by reflections of the rows and columns in turn."""
    rows, columns = x.shape[-2:]
    work = np.array(x)
    left, right = (np.array(np.broadcast_to(np.eye(n), (*x.shape[:-2], n, n))) for n in (rows, columns))
    for i in range(rows):
        across = _mirror(work[..., i, i:])
        work[..., i:] = np.matmul(work[..., i:], across)
        right[..., i:] = np.matmul(right[..., i:], across)
        if i + 1 < rows:
            down = _mirror(work[..., i + 1 :, i])
            work[..., i + 1 :, :] = np.matmul(down, work[..., i + 1 :, :])
            left[..., i + 1 :] = np.matmul(left[..., i + 1 :], down)
    return left, np.tril(np.triu(work[..., :rows], -1)), right


def _mirror(x: Any) -> Any:
    """The reflection leaving of a vector its first number alone, of the other sign; none where that is so already."""
    head = x[..., :1]
    rest = np.sqrt((x[..., 1:] ** 2).sum(-1, keepdims=True))
    v = np.array(x)
    v[..., :1] += np.where(head < 0, -1.0, 1.0) * np.hypot(head, rest)
    square = np.where(rest > 0, (v**2).sum(-1, keepdims=True), np.inf)
    return np.eye(x.shape[-1]) - 2 * (v[..., :, None] * v[..., None, :]) / square[..., None]
