"""Linear algebra: determinants, inverses, equations, factorizations, norms of matrices, distances.

Rules follow M. Giles, "Collected matrix derivative results for forward and reverse mode algorithmic differentiation"
(2008); where a rule is from elsewhere it says so. A factorization of several results is one op for each result: each
sends its own part of the gradient, and the parts add up.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from gradviz.ops import functions as r
from gradviz.ops import reduction
from gradviz.ops.linalg import outer_of, turned
from gradviz.ops.op import Op, example, names
from gradviz.ops.symbols import said, word


class LinAlgError(RuntimeError):
    """A matrix that an operation cannot be done with: singular, or not positive definite."""


LinAlgError.__name__ = LinAlgError.__qualname__ = "_LinAlgError"

SQUARE = [[2.0, -1.0, 0.5], [0.3, 1.5, -1.0], [1.0, 0.4, 3.0]]
POSITIVE = [[2.0, 0.5, -0.3], [0.5, 1.5, 0.2], [-0.3, 0.2, 1.0]]
TALL = [[1.0, -2.0], [0.3, 1.5], [2.0, 0.4]]
WIDE = [[1.0, 0.3, 2.0], [-2.0, 1.5, 0.4]]
RIGHT = [[1.0, 2.0], [-0.5, 0.3], [0.7, -1.0]]


# ---- what rules are written with ---------------------------------------------------------------------------------


@word("(the inverse of {0})", name="inverse_of")
def _inverse(x: Any) -> Any:
    return r.through(INVERSE, x)


@word("the solution for {0} and {1}", name="solution")
def _solved(a: Any, b: Any) -> Any:
    return r.through(SOLVE, a, b)


def _half_diagonal(x: Any) -> Any:
    """The lower triangle with half of the diagonal."""
    n = r.plain(x).shape[-1]
    return x * r.constant_like(np.tril(np.ones((n, n))) - np.eye(n) / 2, x)


@word("{0}", name="columns_of")
def _columns(g: Any) -> Any:
    """A vector of numbers, one for each matrix, as factors of the matrices."""
    return r.reshape(g, (*r.plain(g).shape, 1, 1))


# ---- determinant and inverse -------------------------------------------------------------------------------------


def _det_rule(g: Any, y: Any, x: Any) -> Any:
    """g · det x · x⁻ᵀ; of a singular matrix the cofactors, from its singular values."""
    if not np.all(r.plain(y)):
        return _columns(g) * _cofactors(x)
    return _columns(g * y) * turned(_inverse(x))


def _cofactors(x: Any) -> Any:
    """det x · x⁻ᵀ without a division: of x = U S Vᵀ, with the product of all others for each singular value."""
    u, sizes, vh = svd_of(x)
    others = reduction.product_of_others(sizes)
    sign = np.linalg.det(r.plain(u)) * np.linalg.det(r.plain(vh))
    return ((u * r.unsqueeze(others, -2)) @ vh) * r.constant_like(sign[..., None, None], x)


def _refused(run: Callable[..., Any], text: Callable[[Any], str]) -> Callable[..., Any]:
    """A forward that says in PyTorch's words what numpy refuses."""

    def forward(x: Any, *others: Any, **params: Any) -> Any:
        try:
            return run(x, *others, **params)
        except np.linalg.LinAlgError:
            raise LinAlgError(text(x)) from None

    return forward


def _singular_inverse(_: Any) -> str:
    return "linalg.inv: The inversion could not be completed because the input matrix is singular."


def _singular_solve(_: Any) -> str:
    return "torch.linalg.solve: The solver failed because the input matrix is singular."


def _not_positive(x: Any) -> str:
    x = x.reshape(-1, *x.shape[-2:])[0]
    order = next((n for n in range(1, len(x)) if np.linalg.det(x[:n, :n]) <= 0), len(x))
    return (
        "linalg.cholesky: The factorization could not be completed because the input is not positive-definite (the "
        f"leading minor of order {order} is not positive-definite)."
    )


def _logabsdet(x: Any) -> Any:
    return np.linalg.slogdet(x)[1]


def _logdet(x: Any) -> Any:
    sign, found = np.linalg.slogdet(x)
    return np.where(sign < 0, x.dtype.type("nan"), found)


def _logdet_rule(g: Any, y: Any, x: Any) -> Any:
    if not np.all(np.isfinite(r.plain(y))):  # of a singular matrix the logarithm has no derivative
        return _columns(g) * r.constant_like(np.full(r.plain(x).shape, np.nan), x)
    return _columns(g) * turned(_inverse(x))


def _inverse_rule(g: Any, y: Any, x: Any) -> Any:
    return -(turned(y) @ g @ turned(y))


def _pinv_rule(g: Any, y: Any, x: Any, rcond: float) -> Any:
    """Golub and Pereyra, "The differentiation of pseudo-inverses and nonlinear least squares problems" (1973)."""
    yt, gt = turned(y), turned(g)
    left = gt @ (y @ yt)
    right = (yt @ y) @ gt
    return -(yt @ g @ yt) + (left - x @ (y @ left)) + (right - (right @ y) @ x)


DET = Op("linalg_det", np.linalg.det, (_det_rule,), ("x",), (), "y = det x",
         (example(SQUARE), example([SQUARE, POSITIVE])), names("x y"), sign="det", kind="matrix")  # fmt: skip
SLOGDET = Op("linalg_slogdet", _logabsdet, (_logdet_rule,), ("x",), (), "y = ln |det x|",
             (example(SQUARE), example([SQUARE, POSITIVE])), names("x"), sign="lndet", kind="matrix")  # fmt: skip
SLOGDET_SIGN = Op("linalg_slogdet_sign", lambda x: np.linalg.slogdet(x)[0], (lambda g, y, x: r.zeros_like(x),), ("x",),
                  (), "y = the sign of det x", (example(SQUARE),), node="LinalgSlogdetBackward0")  # fmt: skip
LOGDET = Op("logdet", _logdet, (_logdet_rule,), ("x",), (), "y = ln det x", (example(SQUARE),),
            names("x"), "WhereBackward0", sign="lndet", kind="matrix")  # fmt: skip
INVERSE = Op("inverse", _refused(np.linalg.inv, _singular_inverse), (_inverse_rule,), ("x",),
             (), "y = x⁻¹",
             (example(SQUARE), example([SQUARE, POSITIVE])), names("y"), "LinalgInvExBackward0",
             sign="A⁻¹", kind="matrix")  # fmt: skip
PINV = Op("linalg_pinv", lambda x, rcond: np.linalg.pinv(x, rcond=rcond), (_pinv_rule,), ("x",),
          (said("pinv_back", "−{1}ᵀ @ {0} @ {1}ᵀ, and what moves the row and column space", _pinv_rule),), "y = the pseudo-inverse of x",
          (example(TALL, rcond=1e-12), example(WIDE, rcond=1e-12)), names("x y"),
          sign="A⁺", kind="matrix")  # fmt: skip


# ---- equations ---------------------------------------------------------------------------------------------------


def _solve_b(g: Any, y: Any, a: Any, b: Any) -> Any:
    return _solved(turned(a), g)


def _solve_a(g: Any, y: Any, a: Any, b: Any) -> Any:
    return -(_solved(turned(a), g) @ turned(y))


def _solve_vector(a: Any, b: Any) -> Any:
    return np.linalg.solve(a, b[..., None])[..., 0]


@word("the solution for {0} and {1}", name="solution_vector")
def _solved_vector(a: Any, b: Any) -> Any:
    return r.through(SOLVE_VECTOR, a, b)


def _solve_vector_b(g: Any, y: Any, a: Any, b: Any) -> Any:
    return _solved_vector(turned(a), g)


def _solve_vector_a(g: Any, y: Any, a: Any, b: Any) -> Any:
    found = _solved_vector(turned(a), g)
    return -(outer_of(found, y) if r.plain(y).ndim == 1 else r.unsqueeze(found, -1) * r.unsqueeze(y, -2))


SOLVE = Op("linalg_solve", _refused(np.linalg.solve, _singular_solve), (_solve_a, _solve_b), ("a", "b"),
           (), "y: a @ y = b",
           (example(SQUARE, RIGHT), example([SQUARE, POSITIVE], [RIGHT, RIGHT])), names("a y"),
           "LinalgSolveExBackward0", sign="A⁻¹b", kind="matrix")  # fmt: skip
SOLVE_VECTOR = Op("linalg_solve_vector", _refused(_solve_vector, _singular_solve), (_solve_vector_a, _solve_vector_b),
                  ("a", "b"),
                  (said("solve_outer", "−outer(gradient of {3}, {1})", _solve_vector_a), None), "y: a @ y = b",
                  (example(SQUARE, [1.0, 2.0, -0.5]), example([SQUARE, POSITIVE], WIDE)), names("a y"),
                  "LinalgSolveExBackward0", sign="A⁻¹b", kind="matrix")  # fmt: skip


# ---- factorizations ---------------------------------------------------------------------------------------------


def _symmetric(x: Any) -> Any:
    return (x + turned(x)) / 2


def _cholesky_rule(g: Any, y: Any, x: Any) -> Any:
    """I. Murray, "Differentiation of the Cholesky decomposition" (2016), in blocks of the whole matrix."""
    back = _inverse(y)
    return _symmetric(turned(back) @ _half_diagonal(turned(y) @ g) @ back)


def svd_of(x: Any) -> Any:
    """The thin factors u, s, vᵀ of x."""
    if r.is_tensor(x):
        return r.through(SVD_U, x), r.through(SVD_S, x), r.through(SVD_V, x)
    return np.linalg.svd(x, full_matrices=False)


def _gaps(sizes: Any) -> Any:
    """1 / (sⱼ − sᵢ) for each pair, 0 on the diagonal."""
    n = r.plain(sizes).shape[-1]
    off = r.unsqueeze(sizes, -2) - r.unsqueeze(sizes, -1) + r.constant_like(np.eye(n), sizes)
    return r.constant_like(1 - np.eye(n), sizes) / off


def _svd_s_rule(g: Any, y: Any, x: Any) -> Any:
    u, _, vh = svd_of(x)
    return (u * r.unsqueeze(g, -2)) @ vh


def _svd_u_rule(g: Any, y: Any, x: Any) -> Any:
    """J. Townsend, "Differentiating the singular value decomposition" (2016)."""
    _, sizes, vh = svd_of(x)
    inner = turned(y) @ g
    turn = (inner - turned(inner)) * _gaps(sizes * sizes)
    moved = (y @ turn) * r.unsqueeze(sizes, -2)
    if r.plain(x).shape[-2] > r.plain(sizes).shape[-1]:
        moved = moved + (g - y @ inner) / r.unsqueeze(sizes, -2)
    return moved @ vh


def _svd_v_rule(g: Any, y: Any, x: Any) -> Any:
    """As for u: the transpose of x has u and v exchanged."""
    u, sizes, _ = svd_of(x)
    inner = y @ turned(g)
    turn = (inner - turned(inner)) * _gaps(sizes * sizes)
    moved = r.unsqueeze(sizes, -1) * (turned(turn) @ y)
    if r.plain(x).shape[-1] > r.plain(sizes).shape[-1]:
        moved = moved + (g - turned(inner) @ y) / r.unsqueeze(sizes, -1)
    return u @ moved


def eigh_of(x: Any) -> Any:
    return (r.through(EIGH_W, x), r.through(EIGH_V, x)) if r.is_tensor(x) else np.linalg.eigh(_symmetric(x))


def _eigh_w_rule(g: Any, y: Any, x: Any) -> Any:
    v = eigh_of(x)[1]
    return (v * r.unsqueeze(g, -2)) @ turned(v)


def _eigh_v_rule(g: Any, y: Any, x: Any) -> Any:
    return _symmetric(y @ ((turned(y) @ g) * _gaps(eigh_of(x)[0])) @ turned(y))


CHOLESKY = Op("linalg_cholesky", _refused(lambda x: np.linalg.cholesky(_symmetric(x)), _not_positive),
              (_cholesky_rule,), ("x",),
              (said("cholesky_back", "(the inverse of {1})ᵀ @ ({1}ᵀ @ {0}, its lower triangle, half the diagonal) @ "
                    "the inverse of {1}, made symmetric", _cholesky_rule),),
              "y: x = y @ yᵀ, a lower triangle", (example(POSITIVE), example([POSITIVE, POSITIVE])), names("y"),
              "LinalgCholeskyExBackward0", sign="chol", kind="matrix")  # fmt: skip
SVD_NOTE = "Where two singular values are equal, the gradient of the vectors does not exist."
SVD_S = Op("linalg_svd_s", lambda x: np.linalg.svd(x, compute_uv=False), (_svd_s_rule,), ("x",), (said("svd_s_back", "U @ diag({0}) @ Vᵀ", _svd_s_rule),),
           "y = the singular values of x", (example(TALL), example(WIDE), example([SQUARE, POSITIVE])),
           names("x"), node="LinalgSvdBackward0", sign="S", kind="matrix")  # fmt: skip
SVD_U = Op("linalg_svd_u", lambda x: np.linalg.svd(x, full_matrices=False)[0], (_svd_u_rule,), ("x",),
           (said("svd_u_back", "the turn of the columns of {1} by {0}", _svd_u_rule),), "y = U of x = U S Vᵀ", (example(TALL), example(WIDE), example(SQUARE)),
           names("x y"), note=SVD_NOTE, node="LinalgSvdBackward0", sign="U", kind="matrix")  # fmt: skip
SVD_V = Op("linalg_svd_v", lambda x: np.linalg.svd(x, full_matrices=False)[2], (_svd_v_rule,), ("x",),
           (said("svd_v_back", "the turn of the rows of {1} by {0}", _svd_v_rule),), "y = Vᵀ of x = U S Vᵀ", (example(TALL), example(WIDE), example(SQUARE)),
           names("x y"), note=SVD_NOTE, node="LinalgSvdBackward0", sign="V", kind="matrix")  # fmt: skip
EIGH_W = Op("linalg_eigh_values", lambda x: np.linalg.eigvalsh(_symmetric(x)), (_eigh_w_rule,), ("x",),
            (said("eigh_back", "V @ diag({0}) @ Vᵀ", _eigh_w_rule),),
            "y = the eigenvalues of x", (example(POSITIVE), example([POSITIVE, POSITIVE])), names("x"), node="LinalgEighBackward0",
            sign="λ", kind="matrix")  # fmt: skip
EIGH_V = Op("linalg_eigh_vectors", lambda x: np.linalg.eigh(_symmetric(x))[1], (_eigh_v_rule,), ("x",),
            (said("eigh_v_back", "{1} @ ({1}ᵀ @ {0}, divided by the gaps between eigenvalues) @ {1}ᵀ, made symmetric",
                  _eigh_v_rule),),
            "y = the eigenvectors of x", (example(POSITIVE),), names("x y"),
            note="Where two eigenvalues are equal, the gradient does not exist.", node="LinalgEighBackward0",
            sign="V", kind="matrix")  # fmt: skip


# ---- others -----------------------------------------------------------------------------------------------------


def _cross(a: Any, b: Any, dim: int) -> Any:
    return np.cross(a, b, axis=dim)


@word("{0} × {1}", name="crossed")
def _crossed(a: Any, b: Any, dim: int) -> Any:
    return r.through(CROSS, a, b, dim=dim)


def _away(a: Any, b: Any) -> Any:
    """The difference of each row of a and each row of b."""
    return r.unsqueeze(a, -2) - r.unsqueeze(b, -3)


def _cdist(a: Any, b: Any, p: float) -> Any:
    return reduction.NORM.forward(_away(a, b), p=p, dim=-1, keepdim=False)


def _cdist_rule(g: Any, y: Any, a: Any, b: Any, p: float) -> Any:
    if p == math.inf:  # of equal largest differences each gets all of it
        away = _away(a, b)
        g, y = (r.unsqueeze(each, -1) for each in (g, y))
        return r.kept_where(np.abs(r.plain(away)) == r.plain(y), g * r.sign(away))
    rule = reduction.NORM.vjp[0]
    assert rule is not None
    return rule(g, y, _away(a, b), p=p, dim=-1, keepdim=False)


TRACE = Op("trace", lambda x: np.trace(x), (lambda g, y, x: g * r.constant_like(np.eye(*r.plain(x).shape), g),), ("x",),
           (said("trace_back", "{0} on the diagonal, 0 elsewhere", lambda g, y, x: g * r.constant_like(np.eye(*x.shape), g)),), "y = Σ of the diagonal", (example(SQUARE), example(TALL)),
           keeps_integers=True, sign="tr", kind="sum")  # fmt: skip
CROSS = Op("linalg_cross", _cross,
           (lambda g, y, a, b, dim: _crossed(b, g, dim), lambda g, y, a, b, dim: _crossed(g, a, dim)), ("a", "b"),
           (), "y = a × b", (example(SQUARE, POSITIVE, dim=1), example(SQUARE, POSITIVE, dim=0)),
           names("a b"), sign="a×b", kind="product")  # fmt: skip
CDIST = Op("cdist", _cdist,
           (lambda g, y, a, b, p: r.total(_cdist_rule(g, y, a, b, p), -2),
            lambda g, y, a, b, p: -r.total(_cdist_rule(g, y, a, b, p), -3)), ("a", "b"),
           (said("cdist_left", "the sum over {3} of {0} ⊙ ({2} − {3}) / {1}",
                 lambda g, y, a, b, p: r.total(_cdist_rule(g, y, a, b, p), -2)),
            said("cdist_right", "the sum over {2} of {0} ⊙ ({3} − {2}) / {1}",
                 lambda g, y, a, b, p: -r.total(_cdist_rule(g, y, a, b, p), -3))),
           "y = the distance of each row of a from each row of b",
           tuple(example(TALL, [[0.5, 1.0], [1.8, -1.0]], p=p) for p in (2.0, 1.0, math.inf)),
           names("a b y"), note="At distance 0 the gradient is 0.", sign="dist", kind="distance")  # fmt: skip


EUCLIDEAN = replace(CDIST, node="EuclideanDistBackward0")
"""The same of many rows, which PyTorch takes from a product of matrices."""


def _pdist_rule(g: Any, y: Any, x: Any, p: float) -> Any:
    shape = r.plain(x).shape
    first, second = np.triu_indices(shape[0], 1)
    sent = reduction.norm_rule(g, y, r.take(x, first) - r.take(x, second), p, 1, keepdim=False)
    return r.put(sent, shape, first) - r.put(sent, shape, second)


def _pdist(x: Any, p: float) -> Any:
    first, second = np.triu_indices(len(x), 1)
    return reduction.norm_of(x[first] - x[second], p, 1, keepdim=False)


PDIST = Op("pdist", _pdist, (_pdist_rule,), ("x",), (said("pdist_back", "for each pair of rows {0} ⊙ (a − b) / {1} to a, minus that to b", _pdist_rule),),
           "y = the distances of all pairs of rows", tuple(example(TALL, p=p) for p in (2.0, 1.0, 3.0, math.inf)),
           names("x y"), note="At distance 0 the gradient is 0.", sign="dist", kind="distance")  # fmt: skip

TABLE = (
    DET, SLOGDET, SLOGDET_SIGN, LOGDET, INVERSE, PINV, SOLVE, SOLVE_VECTOR, CHOLESKY, SVD_S, SVD_U, SVD_V, EIGH_W,
    EIGH_V, TRACE, CROSS, CDIST, EUCLIDEAN, PDIST,
)  # fmt: skip
"""The rows of this family."""
