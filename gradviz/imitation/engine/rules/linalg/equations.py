"""Equations with a triangular matrix or a Cholesky factor, and the exponential of a matrix."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from gradviz.imitation.engine import generic as F
from gradviz.imitation.engine.generic import T, matmul, plain
from gradviz.imitation.engine.kernels import equations
from gradviz.imitation.engine.rules.calling import call
from gradviz.imitation.engine.rules.entry import Op, case, saves
from gradviz.imitation.engine.rules.linalg.spectra import like, lower, upper
from gradviz.imitation.engine.rules.shapes.shaping import shape

LOW = [[2.0, 0.0, 0.0], [0.3, 1.5, 0.0], [0.7, 0.2, -1.8]]
RIGHT = [[1.0, 0.5], [-0.3, 2.0], [0.7, -1.0]]
M = [[0.5, -1.0, 0.5], [0.3, 0.2, -1.0], [0.7, 0.2, -0.8]]


def _triangle(a: Any, is_upper: bool, unitriangular: bool) -> Any:
    part = np.triu(a) if is_upper else np.tril(a)
    if unitriangular:
        n = np.arange(a.shape[-1])
        part[..., n, n] = 1
    return part


def _solve_triangular(a: Any, b: Any, is_upper: bool, left: bool, unitriangular: bool) -> Any:
    part = _triangle(a, is_upper, unitriangular)
    return _substituted(part, b, is_upper) if left else T(_substituted(T(part), T(b), not is_upper))


def _substituted(part: Any, b: Any, is_upper: bool) -> Any:
    """x with part @ x = b; where the library finds none, row after row, and a pivot of 0 is divided by."""
    with suppress(np.linalg.LinAlgError):
        found = np.linalg.solve(part, b)
        if np.isfinite(found).all():
            return found
    batch = np.broadcast_shapes(part.shape[:-2], b.shape[:-2])
    x, n = np.broadcast_to(b, (*batch, *b.shape[-2:])) + b.dtype.type(0), b.shape[-2]
    for i in reversed(range(n)) if is_upper else range(n):
        x[..., i, :] /= part[..., i, i, None]
        rest = slice(0, i) if is_upper else slice(i + 1, n)
        x[..., rest, :] -= part[..., rest, i, None] * x[..., i, None, :]
    return x


def _b_rule(g: Any, y: Any, a: Any, b: Any, is_upper: bool, left: bool, unitriangular: bool) -> Any:
    return call("solve_triangular", T(a), g, is_upper=not is_upper, left=left, unitriangular=unitriangular)


def _a_rule(g: Any, y: Any, a: Any, b: Any, is_upper: bool, left: bool, unitriangular: bool) -> Any:
    back = _b_rule(g, y, a, b, is_upper, left, unitriangular)
    whole = -(matmul(back, T(y)) if left else matmul(T(y), back))
    offset = 1 if unitriangular else 0
    return upper(whole, offset) if is_upper else lower(whole, -offset)


def _factored(low: Any, is_upper: bool) -> Any:
    """The matrix of a Cholesky factor."""
    return matmul(T(low), low) if is_upper else matmul(low, T(low))


def _cholesky_solve(b: Any, low: Any, is_upper: bool) -> Any:
    first = T(low) if is_upper else low
    return equations.solve(T(first), equations.solve(first, b))  # their product has the square of their condition


def _cholesky_inverse(low: Any, is_upper: bool) -> Any:
    return _cholesky_solve(np.eye(low.shape[-1], dtype=low.dtype), low, is_upper)


def _cholesky_solve_b(g: Any, y: Any, b: Any, low: Any, is_upper: bool) -> Any:
    factor = upper(low) if is_upper else lower(low)  # PyTorch's solver reads one triangle
    return call("cholesky_solve", g, factor, is_upper=is_upper)


def _cholesky_solve_low(g: Any, y: Any, b: Any, low: Any, is_upper: bool) -> Any:
    common = matmul(_cholesky_solve_b(g, y, b, low, is_upper), T(y))
    both = common + T(common)
    return -(matmul(low, both) if is_upper else matmul(both, low))


def _cholesky_inverse_rule(g: Any, y: Any, x: Any, is_upper: bool) -> Any:
    middle = matmul(matmul(y, g + T(g)), y)
    return -(matmul(x, middle) if is_upper else matmul(middle, x))


# ---- exponential ----

DEGREE = 18
REACH = 1.09
"""The norm up to which so many terms of the series are exact in float64."""


def matrix_exp_array(x: Any) -> Any:
    """The exponential by its series, of x halved until it is small, squared again."""
    if not x.size:
        return x.copy()
    norm = float(np.abs(x).sum(-2).max(initial=0))
    halvings = max(0, int(np.ceil(np.log2(norm / REACH)))) if norm > REACH and np.isfinite(norm) else 0
    small = np.ldexp(x, -halvings)
    one = np.broadcast_to(np.eye(x.shape[-1], dtype=x.dtype), x.shape)
    found = one
    for n in range(DEGREE, 0, -1):
        found = one + np.matmul(small, found) / x.dtype.type(n)
    for _ in range(halvings):
        found = np.matmul(found, found)
    return found


def matrix_exp_rule(g: Any, y: Any, x: Any) -> Any:
    """The upper right block of the exponential of [[xᵀ, g], [0, xᵀ]]."""
    n, dims = shape(x)[-1], plain(x).ndim
    turned = T(x)
    zeros = like(np.zeros(shape(x)), x if isinstance(x, F.Tensor) else g)
    above = call("cat", turned, g, dim=dims - 1)
    below = call("cat", zeros, turned, dim=dims - 1)
    whole = call("matrix_exp", call("cat", above, below, dim=dims - 2))
    return F.take(whole, (Ellipsis, slice(0, n), slice(n, None)))


_SETS = {"is_upper": False, "left": True, "unitriangular": False}
TABLE = (
    Op("solve_triangular", "L⁻¹b", _solve_triangular, (_a_rule, _b_rule), ("a", "b"),
       ("to_a(g, y)", "to_b(g)"), "a @ y = b, a triangular",
       (case(LOW, RIGHT, **_SETS), case(np.array(LOW).T, RIGHT, **_SETS | {"is_upper": True, "unitriangular": True}),
        case(LOW, np.array(RIGHT).T, **_SETS | {"left": False})), "LinalgSolveTriangularBackward0", saves("a y")),
    Op("cholesky_solve", "A⁻¹b", _cholesky_solve, (_cholesky_solve_b, _cholesky_solve_low), ("b", "low"),
       ("solved(factored(low, is_upper), g)", "to_low(g, y)"), "(low @ lowᵀ) @ y = b",
       (case(RIGHT, LOW, is_upper=False), case(RIGHT, np.array(LOW).T, is_upper=True)), "CholeskySolveBackward0",
       saves("b low y")),
    Op("cholesky_inverse", "A⁻¹", _cholesky_inverse, (_cholesky_inverse_rule,),
       ("x",), ("-x @ (y @ (g + T(g)) @ y) if is_upper else -(y @ (g + T(g)) @ y) @ x",), "y = (x xᵀ)⁻¹",
       (case(LOW, is_upper=False), case(np.array(LOW).T, is_upper=True)), "CholeskyInverseBackward0", saves("x y")),
    Op("matrix_exp", "e^A", matrix_exp_array, (matrix_exp_rule,), ("x",), ("back(g)",), "y = 1 + x + x²/2 + x³/6 + …",
       (case(M), case([M, LOW])), "LinalgMatrixExpBackward0", saves("x")),
)  # fmt: skip


def _of_triangular(xs: Any, params: dict[str, Any]) -> dict[str, Any]:
    return {"to_a": lambda g, y: _a_rule(g, y, *xs, **params), "to_b": lambda g: _b_rule(g, None, *xs, **params)}


NAMES: dict[str, Any] = {"factored": _factored}
OF_PARAMS: dict[str, Any] = {
    "solve_triangular": _of_triangular,
    "cholesky_solve": lambda xs, p: {"to_low": lambda g, y: _cholesky_solve_low(g, y, *xs, **p)},
    "matrix_exp": lambda xs, _: {"back": lambda g: matrix_exp_rule(g, None, xs[0])},
}
