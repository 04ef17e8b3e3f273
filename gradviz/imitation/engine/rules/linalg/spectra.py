"""Eigenvalues, singular values, and the QR and LU factors: each result of a call is an entry of its own.

All results of one call share one backward node in PyTorch; `part` is the number of a result among them. The rules are
linear in the incoming gradients, so that the gradients of the parts add up to that of the node.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.imitation.engine import generic as F
from gradviz.imitation.engine.generic import T, matmul, plain
from gradviz.imitation.engine.kernels import equations
from gradviz.imitation.engine.kernels.eigenvectors import eigh_array
from gradviz.imitation.engine.kernels.singular import svd_array
from gradviz.imitation.engine.rules.calling import call, names_of_gradients, zeros
from gradviz.imitation.engine.rules.entry import Op, case, saves
from gradviz.imitation.engine.rules.linalg.factors import inv
from gradviz.imitation.engine.rules.shapes.shaping import shape
from gradviz.errors import TorchError

M = [[2.0, -1.0, 0.5], [0.3, 1.5, -1.0], [0.7, 0.2, -1.8]]
SYM = [[4.0, 1.0, 0.5], [1.0, 3.0, -0.4], [0.5, -0.4, 2.0]]
TALL = [[1.0, -2.0], [0.3, 1.5], [-0.7, 0.4]]
WIDE = [[1.0, -2.0, 0.5], [0.3, 1.5, -1.0]]


def like(array: Any, x: Any) -> Any:
    """A plain array, as a constant where x is a tensor."""
    numbers = np.asarray(array, plain(x).dtype)
    return F.constant(numbers, x.tape) if isinstance(x, F.Tensor) else numbers


def row(x: Any) -> Any:
    """One number for every column of a matrix."""
    return F.reshape(x, (*shape(x)[:-1], 1, shape(x)[-1]))


def column(x: Any) -> Any:
    """One number for every row of a matrix."""
    return F.reshape(x, (*shape(x), 1))


def gaps(x: Any) -> Any:
    """x_j − x_i, and 1 on the diagonal."""
    return row(x) - column(x) + like(np.eye(shape(x)[-1]), x)


def off_diagonal(x: Any) -> Any:
    """x with zeros on the diagonal."""
    return x * like(1.0 - np.eye(shape(x)[-1]), x)


def skew(x: Any) -> Any:
    """x − xᵀ."""
    return x - T(x)


# ---- symmetric matrices ----


def _eigh(x: Any, part: int, uplo: str) -> Any:
    return eigh_array(x, uplo)[part]


def eigh_anywhere(x: Any, part: int, uplo: str) -> Any:
    """Of the symmetric part of a matrix, whose derivative PyTorch's is."""
    return _eigh((x + np.swapaxes(x, -1, -2)) / 2, part, uplo)


def eigh_rule(g: Any, y: Any, x: Any, part: int, uplo: str) -> Any:
    """V diag(g) Vᵀ of the eigenvalues; V (half of Vᵀ g − gᵀ V, / gaps) Vᵀ of the eigenvectors."""
    v = call("eigh", x, part=1, uplo=uplo)
    if part == 0:
        return matmul(v * row(g), T(v))
    between = off_diagonal(skew(matmul(T(v), g)) / 2 / gaps(call("eigh", x, part=0, uplo=uplo)))
    return matmul(v, matmul(between, T(v)))


# ---- any matrix ----


def _svd(x: Any, part: int, full_matrices: bool) -> Any:
    return svd_array(x, full_matrices)[part]


def svd_told(x: Any, part: int, full_matrices: bool) -> Any:
    """The vectors that belong to a singular value; the others are any that fill up the space, and count for 0."""
    y = np.array(_svd(x, part, full_matrices))
    k = min(x.shape[-2:])
    if part == 0:
        y[..., k:] = 0
    elif part == 2:
        y[..., k:, :] = 0
    return y


def svd_rule(g: Any, y: Any, x: Any, part: int, full_matrices: bool) -> Any:
    """The gradient of U, of the singular values or of Vᵀ; of more columns than there are values the rest counts for 0."""
    u, s, vt = (call("svd", x, part=number, full_matrices=False) for number in range(3))
    if part == 1:
        return matmul(u * row(g), vt)
    k = shape(s)[-1]
    squares = gaps(s * s)
    if part == 0:
        g = F.take(g, (Ellipsis, slice(0, k)))
        inner = matmul(u, skew(matmul(T(u), g)) / squares * row(s))
        if shape(x)[-2] > k:
            scaled = g / row(s)
            inner = inner + scaled - matmul(u, matmul(T(u), scaled))
        return matmul(inner, vt)
    g = F.take(g, (Ellipsis, slice(0, k), slice(None)))
    inner = matmul(column(s) * (skew(matmul(vt, T(g))) / squares), vt)
    if shape(x)[-1] > k:
        scaled = g / column(s)
        inner = inner + scaled - matmul(matmul(scaled, T(vt)), vt)
    return matmul(u, inner)


WITHOUT_Q = (
    "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. Please use linalg.qr(A, "
    "mode='reduced') if you are going to differentiate through linalg.qr."
)
COMPLETE = "The QR decomposition is not differentiable when mode='complete' and nrows > ncols."


def _qr(x: Any, part: int, mode: str) -> Any:
    if mode == "r":
        return np.zeros((0,), x.dtype) if part == 0 else np.linalg.qr(x, mode="r")
    return np.linalg.qr(x, mode=mode)[part]  # type: ignore[call-overload]


def half_diagonal(x: Any) -> Any:
    """x with half of its diagonal."""
    return x * like(1.0 - 0.5 * np.eye(shape(x)[-1]), x)


def tri(x: Any, k: int) -> Any:
    """Whether each place of a matrix of the shape of x lies on or below a diagonal."""
    rows, columns = shape(x)[-2:]
    return np.broadcast_to(np.tri(rows, columns, k, np.bool_), shape(x))


def lower(x: Any, k: int = 0) -> Any:
    """The triangle on and below a diagonal."""
    return F.zero_where(~tri(x, k), x)


def upper(x: Any, k: int = 0) -> Any:
    """The triangle on and above a diagonal."""
    return F.zero_where(tri(x, k - 1), x)


def _over_triangle(x: Any, r: Any) -> Any:
    """The y with y @ rᵀ = x, of an upper triangle r."""
    return call("solve_triangular", T(r), x, is_upper=False, left=False, unitriangular=False)


def qr_rule(g: Any, y: Any, x: Any, part: int, mode: str) -> Any:
    """The gradient of Q or of R.

    Raises:
        TorchError: a mode in which PyTorch has no derivative.
    """
    rows, columns = shape(x)[-2:]
    if mode == "r":
        raise TorchError(WITHOUT_Q)
    if mode == "complete" and rows > columns:
        raise TorchError(COMPLETE, hint="Use mode='reduced'.")
    q, r = (call("qr", x, part=number, mode="reduced") for number in (0, 1))
    if rows >= columns:
        inner = upper(matmul(g, T(r))) if part == 1 else -upper(matmul(T(q), g))
        both = matmul(q, half_diagonal(inner + T(inner)))
        return _over_triangle(both + g if part == 0 else both, r)
    square = F.take(r, (Ellipsis, slice(0, rows)))
    inner = matmul(T(q), g) if part == 0 else -matmul(g, T(r))
    inner = _over_triangle(half_diagonal(lower(skew(inner))), square)
    wide = _widened(inner, columns - rows, -1)
    return matmul(q, wide if part == 0 else g + wide)


def lu_parts(x: Any) -> tuple[Any, Any, Any]:
    """P, L and U with x = P L U, by rows of the largest pivot."""
    n, m = x.shape[-2:]
    k = min(n, m)
    order = np.empty((*x.shape[:-2], n), np.int64)
    low, high = np.zeros((*x.shape[:-1], k), x.dtype), np.zeros((*x.shape[:-2], k, m), x.dtype)
    for at in np.ndindex(x.shape[:-2]):
        work, rows = equations.factored(x[at])
        low[at], high[at], order[at] = np.tril(work[:, :k], -1), np.triu(work[:k]), rows
    low[..., range(k), range(k)] = 1
    turned = np.zeros((*x.shape[:-1], n), x.dtype)
    np.put_along_axis(turned, order[..., None, :], x.dtype.type(1), -2)
    return turned, low, high


def _lu(x: Any, part: int) -> Any:
    return lu_parts(x)[part + 1]


def lu_rule(g: Any, y: Any, x: Any, part: int) -> Any:
    """What flows to x = P L U from L or from U."""
    low, high = call("lu", x, part=0), call("lu", x, part=1)
    to_low, to_high = (g if part == number else zeros(factor) for number, factor in enumerate((low, high)))
    return lu_back(to_low, to_high, low, high, like(lu_parts(plain(x))[0], x))


def lu_back(to_low: Any, to_high: Any, low: Any, high: Any, turned: Any) -> Any:
    """What flows to P L U from L and U; of a square matrix P L⁻ᵀ (the triangles of Lᵀ to L and to U Uᵀ) U⁻ᵀ."""
    rows, columns, k = shape(low)[-2], shape(high)[-1], shape(low)[-1]
    to_low, to_high = lower(to_low, -1), upper(to_high)
    between = matmul(T(low), to_low) - matmul(to_high, T(high))
    if rows <= columns:
        first = F.take(high, (Ellipsis, slice(0, k)))
        inner = matmul(lower(between, -1), T(inv(first)))
        return matmul(turned, matmul(T(inv(low)), to_high + _widened(inner, columns - k, -1)))
    first = F.take(low, (Ellipsis, slice(0, k), slice(None)))
    inner = matmul(T(inv(first)), upper(-between))
    return matmul(turned, matmul(to_low + _widened(inner, rows - k, -2), T(inv(high))))


def _widened(x: Any, count: int, axis: int) -> Any:
    """x with so many columns (axis −1) or rows (−2) of zeros behind."""
    if not count:
        return x
    size = list(shape(x))
    size[axis] = count
    return call("cat", x, like(np.zeros(size), x), dim=len(size) + axis)


# ---- pseudo-inverse ----


def pinv_back(g: Any, p: Any, x: Any) -> Any:
    """The gradient of the pseudo-inverse p of x."""
    pt, gt = T(p), T(g)
    if shape(x)[-2] <= shape(x)[-1]:
        k = matmul(gt, p)
        kpt = matmul(k, pt)
        return -T(matmul(p, k)) + kpt - matmul(matmul(x, p), kpt) + matmul(matmul(pt, p), gt - matmul(k, x))
    k = matmul(p, gt)
    ptk = matmul(pt, k)
    return -T(matmul(k, p)) + matmul(matmul(gt - matmul(x, k), p), pt) + ptk - matmul(matmul(ptk, p), x)


def pinv_array(x: Any, atol: float | None = None, rtol: float | None = None) -> Any:
    """The pseudo-inverse; singular values up to the larger tolerance count as 0."""
    if 0 in x.shape:
        return np.zeros((*x.shape[:-2], x.shape[-1], x.shape[-2]), x.dtype)
    u, s, vt = np.linalg.svd(x, full_matrices=False)
    if rtol is None:
        rtol = 0.0 if atol is not None and atol > 0 else max(x.shape[-2:]) * np.finfo(x.dtype).eps
    kept = s > np.maximum(atol or 0.0, rtol * s.max(-1, keepdims=True, initial=0))
    turned = np.where(kept, 1 / np.where(kept, s, x.dtype.type(1)), x.dtype.type(0))
    return np.matmul(np.swapaxes(vt, -1, -2) * turned[..., None, :], np.swapaxes(u, -1, -2))


def _lstsq(a: Any, b: Any, part: int, has_rest: bool) -> Any:
    """The solution; or of each column of b the square of what is left of it, where that is asked for."""
    x = np.matmul(pinv_array(a), b)
    if part == 0:
        return x
    return np.square(b - np.matmul(a, x)).sum(-2) if has_rest else np.zeros(0, a.dtype)


def lstsq_rule(g: Any, y: Any, a: Any, b: Any, part: int, has_rest: bool) -> tuple[Any, Any]:
    """What flows to a and to b: through the pseudo-inverse of a; or through what is left, to which it is square."""
    p = _pseudo(a)
    if part == 0:
        return pinv_back(matmul(g, T(b)), p, a), matmul(T(p), g)
    if not has_rest:
        return None, None
    x = matmul(p, b)
    left = (b - matmul(a, x)) * row(g) * 2.0
    return -matmul(left, T(x)), left


def _side(slot: int, is_vector: bool) -> Any:
    """The rule for one input."""

    def rule(g: Any, y: Any, a: Any, b: Any, part: int, has_rest: bool) -> Any:
        wide = column(b) if is_vector else b
        found = lstsq_rule(column(g) if is_vector and part == 0 else g, y, a, wide, part=part, has_rest=has_rest)[slot]
        return F.reshape(found, shape(b)) if is_vector and slot and found is not None else found

    return rule


def _lstsq_vector(a: Any, b: Any, part: int, has_rest: bool) -> Any:
    found = _lstsq(a, b[..., None], part, has_rest)
    return found[..., 0] if part == 0 else found


def _pseudo(x: Any) -> Any:
    return call("pinv", x, atol=None, rtol=None)


_SOLUTION: dict[str, Any] = {"part": 0, "has_rest": False}
_LEAST = "y = the x with the least ‖a x − b‖, or the squares of what is left"
TABLE = (
    Op("eigh", "V λ Vᵀ", _eigh, (eigh_rule,), ("x",), ("back(g)",), "x = V diag(λ) Vᵀ, x symmetric",
       (case(SYM, part=0, uplo="L"), case(SYM, part=1, uplo="L")), "LinalgEighBackward0", saves("x"), output="part",
       extended=eigh_anywhere, note="x is taken as symmetric. Of equal eigenvalues the eigenvectors have no gradient."),
    Op("svd", "U S Vᵀ", _svd, (svd_rule,), ("x",), ("back(g)",), "x = U diag(S) Vᵀ",
       tuple(case(m, part=part, full_matrices=False) for m in (TALL, WIDE, M) for part in range(3)),
       "LinalgSvdBackward0", saves("x"), output="part", extended=svd_told,
       note="Of equal singular values the singular vectors have no gradient."),
    Op("qr", "Q R", _qr, (qr_rule,), ("x",), ("back(g)",), "x = Q R, Q orthogonal, R upper",
       tuple(case(m, part=part, mode="reduced") for m in (TALL, WIDE, M) for part in range(2)), "LinalgQrBackward0",
       saves("x"), output="part"),
    Op("lu", "P L U", _lu, (lu_rule,), ("x",), ("back(g)",), "x = P L U, L lower, U upper",
       (case(M, part=0), case(M, part=1)), "LinalgLuBackward0", saves("x"), output="part"),
    Op("pinv", "A⁺", pinv_array, (lambda g, y, x, atol=None, rtol=None: pinv_back(g, y, x),), ("x",),
       ("pinv_back(g, y, x)",), "y = x⁺, the pseudo-inverse", (case(TALL), case(WIDE)), "LinalgPinvBackward0",
       saves("x y"), note="The rank of x is taken as fixed."),
    Op("lstsq", "A⁺b", _lstsq, (_side(0, False), _side(1, False)), ("a", "b"), ("to_a(g)", "to_b(g)"), _LEAST,
       (case(TALL, [[1.0], [-0.5], [2.0]], **_SOLUTION), case(M, [[1.0, 0.2], [-0.5, 1.0], [2.0, 0.3]], **_SOLUTION),
        case(TALL, [[1.0], [-0.5], [2.0]], part=1, has_rest=True)), "LinalgLstsqBackward0", saves("a b"),
       output="part", note="a is taken as of full rank."),
    Op("lstsq_vector", "A⁺b", _lstsq_vector, (_side(0, True), _side(1, True)), ("a", "b"), ("to_a(g)", "to_b(g)"),
       _LEAST, (case(TALL, [1.0, -0.5, 2.0], **_SOLUTION), case(TALL, [1.0, -0.5, 2.0], part=1, has_rest=True)),
       "LinalgLstsqBackward0", saves("a b"), output="part", note="a is taken as of full rank."),
)  # fmt: skip

NAMES: dict[str, Any] = {"pinv_back": pinv_back}
_BACK = {"eigh": eigh_rule, "svd": svd_rule, "qr": qr_rule, "lu": lu_rule}


def _named(rule: Any) -> Any:
    return lambda xs, params: {"back": lambda g: rule(g, None, xs[0], **params)}


OF_PARAMS: dict[str, Any] = {name: _named(rule) for name, rule in _BACK.items()} | {
    op.name: names_of_gradients(op) for op in TABLE if op.name.startswith("lstsq")
}
