"""The eigenvectors of symmetric matrices, with the signs that PyTorch's library gives.

An eigenvector is determined but for its sign, and that follows from the rotations by which a library comes to it.
Those of small matrices are the implicit QL or QR iteration (Golub and Van Loan, Matrix Computations, 8.3); PyTorch's
library and NumPy's give the rotations other signs.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

DIVIDED_FROM = 26
"""From this size on both libraries divide the matrix and agree."""
SWEEPS = 30
"""For every eigenvalue, at most."""


def eigh_array(x: Any, uplo: str) -> tuple[Any, Any]:
    """Eigenvalues, ascending, and eigenvectors of matrices of shape (..., n, n), of which one triangle is read.

    They are NaN where numbers are not finite; but the vectors are those of a diagonal where that alone is infinite.
    """
    n = x.shape[-1]
    is_odd = is_diagonal_infinite(triangle(x, uplo))
    if is_odd.any():
        unit = np.eye(n, dtype=x.dtype)
        values, vectors = eigh_array(np.where(is_odd[..., None, None], unit, x), uplo)
        values[is_odd], vectors[is_odd] = np.nan, unit
        return values, vectors
    try:
        values, vectors = np.linalg.eigh(x, UPLO=uplo)  # type: ignore[call-overload]
    except np.linalg.LinAlgError:
        return np.full(x.shape[:-1], np.nan, x.dtype), np.full(x.shape, np.nan, x.dtype)
    if 2 < n < DIVIDED_FROM and np.isfinite(x).all():
        for at in np.ndindex(x.shape[:-2]):
            vectors[at] = _vectors(x[at].astype(np.float64).tobytes(), n, uplo, float(np.finfo(x.dtype).eps) / 2)
    return values, vectors


def triangle(x: Any, uplo: str) -> Any:
    """The triangle that is read, zeros beside it."""
    return np.triu(x) if uplo == "U" else np.tril(x)


def is_diagonal_infinite(read: Any) -> Any:
    """For each matrix of two rows and more whether infinities are on its diagonal and all else is finite."""
    known, n = np.isfinite(read), read.shape[-1]
    beside = (known | np.eye(n, dtype=bool)).all(axis=(-2, -1))
    return (n > 1) & beside & ~known.all(axis=(-2, -1)) & ~np.isnan(read).any(axis=(-2, -1))


def _whole(x: Any, uplo: str) -> Any:
    """The matrix that one triangle stands for, of numbers about 1."""
    x = np.tril(x) + np.tril(x, -1).T if uplo == "L" else np.triu(x) + np.triu(x, 1).T
    return np.ldexp(x, -int(np.frexp(np.abs(x).max())[1])) + 0.0


@lru_cache(maxsize=256)
def _vectors(numbers: bytes, n: int, uplo: str, eps: float) -> Any:
    """The eigenvectors of n x n numbers; both results of a call and its rule ask for them."""
    x = _whole(np.frombuffer(numbers).reshape(n, n), uplo)
    turned = slice(None, None, -1 if uplo == "U" else 1)  # of an upper triangle the last column goes first
    diagonal, beside, q = _tridiagonal(x[turned, turned])
    diagonal, beside, q = diagonal[turned], beside[turned], q[turned, turned]
    d, e, z = diagonal.tolist(), [*beside.tolist(), 0.0], np.eye(n)
    first = 0
    while first < n:
        last = first
        while abs(e[last]) > math.sqrt(abs(d[last])) * math.sqrt(abs(d[min(last + 1, n - 1)])) * eps:
            last += 1
        e[last] = 0.0
        if abs(d[last]) < abs(d[first]):
            _iterate(d, e, z, last, first, eps)
        else:
            _iterate(d, e, z, first, last, eps)
        first = last + 1
    return np.matmul(q, z[np.argsort(d, kind="stable")].T)


def _tridiagonal(x: Any) -> tuple[Any, Any, Any]:
    """Diagonal, what stands beside it, and Q with x = Q (tridiagonal matrix) Qᵀ."""
    q = np.eye(len(x))
    for i in range(len(x) - 2):
        v = x[i + 1 :, i].copy()
        if not v[1:].any():
            continue
        v[0] += math.copysign(float(np.linalg.norm(v)), v[0])
        mirror = np.eye(len(x))
        mirror[i + 1 :, i + 1 :] -= 2 * np.outer(v, v) / (v @ v)
        x, q = mirror @ x @ mirror, q @ mirror
    return np.diag(x), np.diag(x, -1), q


def _iterate(d: list[float], e: list[float], z: Any, start: int, last: int, eps: float) -> None:
    """Find the eigenvalues from `start` to `last`: d ends as them, and the rows of z as their vectors."""
    step = 1 if last > start else -1
    sweeps = 0
    while (last - start) * step >= 0:
        far = start
        while far != last:
            edge = min(far, far + step)
            if e[edge] ** 2 <= eps * abs(d[far]) * eps * abs(d[far + step]):
                e[edge] = 0.0
                break
            far += step
        if far == start:
            start += step
        elif far == start + step:
            _both(d, e, z, min(start, far))
            start += 2 * step
        elif sweeps > SWEEPS * len(d):
            raise np.linalg.LinAlgError("Eigenvalues did not converge")
        else:
            sweeps += 1
            _sweep(d, e, z, start, far, step)


def _sweep(d: list[float], e: list[float], z: Any, start: int, far: int, step: int) -> None:
    """One sweep of rotations from `far` to `start`, with the shift of Wilkinson."""
    edge = min(start, start + step)
    g = (d[start + step] - d[start]) / (2 * e[edge])
    length = math.hypot(g, 1.0)
    g = d[far] - d[start] + e[edge] / (g - length if g < 0 else g + length)
    cosine, sine, moved = 1.0, 1.0, 0.0
    for at in range(far, start, -step):
        edge = min(at, at - step)
        f, b = sine * e[edge], cosine * e[edge]
        cosine, sine, r = _rotation(g, f)
        if at != far:
            e[min(at, at + step)] = r
        g = d[at] - moved
        r = (d[at - step] - g) * sine + 2 * cosine * b
        moved = sine * r
        d[at] = g + moved
        g = cosine * r - b
        _turn(z, edge, cosine, -step * sine)
    d[start] -= moved
    e[min(start, start + step)] = g


def _turn(z: Any, i: int, cosine: float, sine: float) -> None:
    z[i], z[i + 1] = sine * z[i + 1] + cosine * z[i], cosine * z[i + 1] - sine * z[i]


def _rotation(f: float, g: float) -> tuple[float, float, float]:
    """Cosine and sine that turn (f, g) to (r, 0), and r: of the sign of f where f is the larger, else positive."""
    if g == 0:
        return 1.0, 0.0, f
    if f == 0:
        return 0.0, 1.0, g
    r = math.hypot(f, g)
    if abs(f) > abs(g) and f < 0:
        r = -r
    return f / r, g / r, r


def _both(d: list[float], e: list[float], z: Any, i: int) -> None:
    """The last two eigenvalues of a block at once."""
    total, apart, twice = d[i] + d[i + 1], d[i] - d[i + 1], 2 * e[i]
    root = math.hypot(apart, twice)
    head = apart + root if apart >= 0 else apart - root
    if abs(head) > abs(twice):
        sine = 1 / math.hypot(1.0, twice / head)
        cosine = -twice / head * sine
    else:
        cosine = 1 / math.hypot(1.0, head / twice)
        sine = -head / twice * cosine
    if (total >= 0) == (apart >= 0):
        cosine, sine = -sine, cosine
    _turn(z, i, cosine, sine)
    larger = (total - root) / 2 if total < 0 else (total + root) / 2
    product = d[i] * d[i + 1] - e[i] ** 2
    d[i], d[i + 1], e[i] = larger, (product / larger if larger else 0.0), 0.0
