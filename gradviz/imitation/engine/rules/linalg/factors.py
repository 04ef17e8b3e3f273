"""Determinant, inverse, solution of equations, and the Cholesky factor."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.imitation.engine import generic as F
from gradviz.imitation.engine.generic import T, matmul, plain
from gradviz.imitation.engine.kernels import equations
from gradviz.imitation.engine.rules.entry import Op, case, saves
from gradviz.imitation.engine.rules.shapes.shaping import shape

M = [[2.0, -1.0, 0.5], [0.3, 1.5, -1.0], [0.7, 0.2, -1.8]]
SPD = [[4.0, 1.0, 0.5], [1.0, 3.0, -0.4], [0.5, -0.4, 2.0]]
RIGHT = [[1.0, 0.5], [-0.3, 2.0], [0.7, -1.0]]
WIDE = [[1.0, 0.5, -0.3], [2.0, 0.7, -1.0]]


def inv(x: Any) -> Any:
    """The inverse, of an array or a tensor."""
    return F.apply(F.OPS["inv"], (x,)) if isinstance(x, F.Tensor) else equations.inv(x)


def solved(a: Any, b: Any) -> Any:
    """The matrix x with a @ x = b."""
    if isinstance(a, F.Tensor) or isinstance(b, F.Tensor):
        like = a if isinstance(a, F.Tensor) else b
        a, b = (t if isinstance(t, F.Tensor) else F.constant(t, like.tape) for t in (a, b))
        return F.apply(F.OPS["solve"], (a, b))
    return equations.solve(a, b)


def back(a: Any, g: Any) -> Any:
    """The matrix x with aᵀ @ x = g, which is what comes back through a solution."""
    is_array = not (isinstance(a, F.Tensor) or isinstance(g, F.Tensor))
    return equations.solve_transposed(a, g) if is_array else solved(T(a), g)


def cofactors(x: Any, g: Any, *, small: bool = False) -> Any:
    """g times the inverse, transposed; g is one number per matrix; whether a zero pivot counts as very small."""
    if not isinstance(x, F.Tensor):
        return equations.cofactors(x, g, small=small)
    unit = np.eye(x.shape[-1], dtype=x.dtype)
    return solved(T(x), each(g) * F.constant(unit, x.tape))


def each(g: Any) -> Any:
    """One number per matrix, to go beside the matrices."""
    return F.reshape(g, (*shape(g), 1, 1))


def lower(x: Any) -> Any:
    """The lower triangle, half of the diagonal."""
    n = shape(x)[-1]
    weights = np.tril(np.ones((n, n))) - 0.5 * np.eye(n)
    weights = weights.astype(plain(x).dtype)
    return x * (F.constant(weights, x.tape) if isinstance(x, F.Tensor) else weights)


def cholesky_back(g: Any, y: Any) -> Any:
    """L⁻ᵀ Φ(Lᵀ g) L⁻¹, where Φ is the lower triangle with half of the diagonal."""
    left = solved(T(y), lower(matmul(T(y), g)))
    return T(solved(T(y), T(left)))


def cholesky_rule(g: Any, y: Any, x: Any, is_upper: bool) -> Any:
    """The gradient made symmetric, as x is."""
    whole = cholesky_back(T(g), T(y)) if is_upper else cholesky_back(g, y)
    return (whole + T(whole)) * 0.5


def _cholesky(x: Any, is_upper: bool) -> Any:
    low = _lower_factor(x, is_upper)[0]
    return T(low) if is_upper else low


def _lower_factor(x: Any, is_upper: bool) -> tuple[Any, Any]:
    """As `_as_far`; where all goes well by the library, which takes a NaN for positive."""
    try:
        low = np.linalg.cholesky(T(x) if is_upper else x)  # which reads the lower triangle alone
    except np.linalg.LinAlgError:
        return _as_far(x, is_upper)
    return (low, np.zeros(x.shape[:-2], np.int32)) if np.isfinite(low).all() else _as_far(x, is_upper)


def cholesky_anywhere(x: Any, is_upper: bool) -> Any:
    """Of the symmetric part of a matrix, whose derivative PyTorch's is."""
    return _cholesky((x + T(x)) / 2, is_upper)


def _as_far(x: Any, is_upper: bool) -> tuple[Any, Any]:
    """Lower factors as far as LAPACK comes, and the order of the first minor that is not positive, or 0."""
    low = np.tril(T(x) if is_upper else x)
    info = np.zeros(x.shape[:-2], np.int32)
    for at in np.ndindex(info.shape):
        y = low[at]
        for k in range(len(y)):
            y[k, k] -= y[k, :k] @ y[k, :k]
            if not y[k, k] > 0:
                info[at] = k + 1
                break
            y[k, k] = np.sqrt(y[k, k])
            y[k + 1 :, k] = (y[k + 1 :, k] - y[k + 1 :, :k] @ y[k, :k]) / y[k, k]
    return low, info


def bad_minors(x: Any, is_upper: bool) -> Any:
    """For each matrix the order of the first minor that is not positive, or 0: int32 of the shape of the batch."""
    return _lower_factor(x, is_upper)[1]


def _slogdet(x: Any, part: int) -> Any:
    return equations.slogdet(x, part)


def _slogdet_rule(g: Any, y: Any, x: Any, part: int) -> Any:
    return cofactors(x, g) if part else None


TABLE = (
    Op("inv", "A⁻¹", equations.inv, (lambda g, y, x: -matmul(T(y), matmul(g, T(y))),), ("x",),
       ("-T(y) @ (g @ T(y))",), "y = x⁻¹", (case(M), case([M, SPD])), "LinalgInvExBackward0", saves("y")),
    Op("det", "det", equations.det, (lambda g, y, x: cofactors(x, g * y, small=True),), ("x",), ("T(inv(x)) * each(g * y)",),
       "y = det x", (case(M), case([M, SPD])), "LinalgDetBackward0", saves("x y"),
       note="At a matrix that has no inverse a pivot of 0 counts as very small."),
    Op("slogdet", "ln det", _slogdet, (_slogdet_rule,), ("x",), ("T(inv(x)) * each(g)",),
       "y = the sign of det x, and ln |det x|", (case(M, part=1), case([M, SPD], part=1)),
       "LinalgSlogdetBackward0", saves("x"), output="part", note="No gradient flows through the sign."),
    Op("solve", "A⁻¹b", equations.solve,
       (lambda g, y, a, b: -matmul(back(a, g), T(y)), lambda g, y, a, b: back(a, g)), ("a", "b"),
       ("-solved(T(a), g) @ T(y)", "solved(T(a), g)"), "a @ y = b", (case(M, RIGHT), case([M, SPD], [RIGHT, RIGHT])),
       "LinalgSolveExBackward0", saves("a y")),
    Op("solve_vector", "A⁻¹b", lambda a, b: equations.solve(a, b[..., None])[..., 0],
       (lambda g, y, a, b: -matmul(back(a, _column(g)), T(_column(y))),
        lambda g, y, a, b: F.reshape(back(a, _column(g)), shape(b))), ("a", "b"),
       ("-outer(solved(T(a), reshape(g, (-1, 1)))[:, 0], y)", "solved(T(a), reshape(g, (-1, 1)))[:, 0]"), "a @ y = b",
       (case(M, [1.0, -0.5, 2.0]),), "LinalgSolveExBackward0", saves("a y")),
    Op("solve_right", "bA⁻¹", lambda a, b: T(equations.solve(T(a), T(b))),
       (lambda g, y, a, b: -matmul(T(y), T(solved(a, T(g)))), lambda g, y, a, b: T(solved(a, T(g)))), ("a", "b"),
       ("-T(y) @ T(solved(a, T(g)))", "T(solved(a, T(g)))"), "y @ a = b", (case(M, WIDE),), "LinalgSolveExBackward0",
       saves("a y")),
    Op("cholesky", "chol", _cholesky, (cholesky_rule,), ("x",),
       ("(whole(g, y) + T(whole(g, y))) / 2",), "y @ yᵀ = x, y lower",
       (case(SPD, is_upper=False), case(SPD, is_upper=True)),
       "LinalgCholeskyExBackward0", saves("y"), extended=cholesky_anywhere, note="x is taken as symmetric, and so is its gradient."),
)  # fmt: skip


def _column(x: Any) -> Any:
    return F.reshape(x, (*shape(x), 1))


NAMES: dict[str, Any] = {"inv": inv, "solved": solved, "each": each}
OF_PARAMS: dict[str, Any] = {
    "cholesky": lambda _xs, p: {
        "whole": lambda g, y: cholesky_back(T(g), T(y)) if p["is_upper"] else cholesky_back(g, y)
    },
}
