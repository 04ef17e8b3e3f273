"""The LU factors of matrices in one array, taken apart, and equations solved with them.

In such an array U stands on and above the diagonal and L, whose diagonal is 1, below it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.imitation.engine import generic as F
from gradviz.imitation.engine.generic import T, matmul, plain
from gradviz.imitation.engine.kernels import equations
from gradviz.imitation.engine.rules.calling import call
from gradviz.imitation.engine.rules.entry import Op, case, saves
from gradviz.imitation.engine.rules.linalg.factors import inv
from gradviz.imitation.engine.rules.linalg.spectra import like, lower, lu_back, upper
from gradviz.imitation.engine.rules.shapes.shaping import shape

M = [[2.0, -1.0, 0.5], [0.3, 1.5, -1.0], [0.7, 0.2, -1.8]]
RIGHT = [[1.0, 0.5], [-0.3, 2.0], [0.7, -1.0]]
ORDER = (0, 2, 1)


def factors_of(x: Any) -> tuple[Any, Any]:
    """Both factors in one array, and which row each row went to, from 0: of [..., n, m] int64 [..., n].

    The rows are numbers of those of x: row i of L U is row `order[i]` of x.
    """
    both, order = np.array(x), np.empty(x.shape[:-1], np.int64)
    for at in np.ndindex(x.shape[:-2]):
        both[at], order[at] = equations.factored(x[at])
    return both, order


def pivots_of(order: Any) -> Any:
    """Exchanges of rows, numbered from 1, one after another, that bring rows into that order: int32."""
    found = np.empty(order.shape, np.int32)
    for at in np.ndindex(order.shape[:-1]):
        now = list(range(order.shape[-1]))
        for i, wanted in enumerate(order[at]):
            j = now.index(wanted)
            now[i], now[j] = now[j], now[i]
            found[*at, i] = j + 1
    return found


def order_of(pivots: Any, rows: int) -> Any:
    """The order of rows that such exchanges bring about: int64 [..., rows]."""
    order = np.empty((*pivots.shape[:-1], rows), np.int64)
    for at in np.ndindex(pivots.shape[:-1]):
        now = list(range(rows))
        for i, j in enumerate(pivots[at]):
            now[i], now[j - 1] = now[j - 1], now[i]
        order[at] = now
    return order


def exchange(order: Any, kind: Any) -> Any:
    """P with x = P L U, for rows of x in that order."""
    return np.swapaxes(np.eye(order.shape[-1], dtype=kind)[order], -1, -2)


def _factor_rule(g: Any, y: Any, x: Any) -> Any:
    """What flows to x = P L U from both factors in one array."""
    low, high = call("lu_unpack", y, part=0), call("lu_unpack", y, part=1)
    to_low, to_high = (
        F.take(g, (Ellipsis, slice(0, shape(low)[-1]))),
        F.take(g, (Ellipsis, slice(0, shape(low)[-1]), slice(None))),
    )
    turned = like(exchange(factors_of(plain(x))[1], plain(x).dtype), x)
    return lu_back(to_low, to_high, low, high, turned)


def _unpack(x: Any, part: int) -> Any:
    k = min(x.shape[-2:])
    if part:
        return np.triu(x[..., :k, :])
    low = np.tril(x[..., :k], -1)
    low[..., range(k), range(k)] = 1
    return low


def _unpack_rule(g: Any, y: Any, x: Any, part: int) -> Any:
    missing = [a - b for a, b in zip(shape(x)[-2:], shape(g)[-2:], strict=True)]
    if any(missing):
        axis = len(shape(x)) - (1 if missing[1] else 2)
        zeros = like(np.zeros((*shape(x)[:axis], max(missing), *shape(x)[axis + 1 :])), x)
        g = call("cat", g, zeros, dim=axis)
    return upper(g) if part else lower(g, -1)


def _solve(both: Any, b: Any, order: Any, left: bool, adjoint: bool) -> Any:
    if not left:
        return np.swapaxes(_solve(both, np.swapaxes(b, -1, -2), order, True, not adjoint), -1, -2)
    solve = equations.transposed_substituted if adjoint else equations.substituted
    batch = np.broadcast_shapes(both.shape[:-2], b.shape[:-2])
    both, b, order = (np.broadcast_to(x, batch + x.shape[x.ndim - n :]) for x, n in ((both, 2), (b, 2), (order, 1)))
    made = np.empty((*batch, *b.shape[:-3:-1]), b.dtype).swapaxes(-1, -2)  # column after column, as LAPACK has it
    for at in np.ndindex(batch):
        made[at] = solve(both[at], order[at].tolist(), b[at])
    return made


def _solve_b(g: Any, y: Any, both: Any, b: Any, order: Any, left: bool, adjoint: bool) -> Any:
    return call("lu_solve", both, g, order=order, left=left, adjoint=not adjoint)


def _solve_both(g: Any, y: Any, both: Any, b: Any, order: Any, left: bool, adjoint: bool) -> Any:
    """What flows to U and to L below its diagonal."""
    if not left:
        g, y, adjoint = T(g), T(y), not adjoint
    low, high = call("lu_unpack", both, part=0), call("lu_unpack", both, part=1)
    if adjoint:
        back = like(np.swapaxes(exchange(order, plain(both).dtype), -1, -2), both)
        g, y = matmul(back, g), matmul(back, y)
        to_low = matmul(inv(low), g)
        to_high = matmul(inv(high), to_low)
        return -upper(matmul(matmul(T(low), y), T(to_high))) - lower(matmul(y, T(to_low)), -1)
    to_high = matmul(T(inv(high)), g)
    to_low = matmul(T(inv(low)), to_high)
    return -upper(matmul(to_high, T(y))) - lower(matmul(to_low, T(matmul(high, y))), -1)


TABLE = (
    Op("lu_factor", "LU", lambda x: factors_of(x)[0], (_factor_rule,), ("x",), ("lu_factor_back(g, y, x)",),
       "y = L below the diagonal and U on and above it, x = P L U", (case(M),), "LinalgLuFactorExBackward0",
       saves("y")),
    Op("lu_unpack", "L U", _unpack, (_unpack_rule,), ("x",), ("back(g)",), "y = the triangles L and U in x",
       (case(M, part=0), case(M, part=1)), "LuUnpackBackward0", saves(""), output="part"),
    Op("lu_solve", "LU⁻¹b", _solve, (_solve_both, _solve_b), ("x", "b"),
       ("lu_solve_back(g, y, x)", "lu_solve_adjoint(g)"), "y = the solution of P L U y = b",
       (case(M, RIGHT, order=np.array(ORDER), left=True, adjoint=False),
        case(M, RIGHT, order=np.array(ORDER), left=True, adjoint=True)),
       "LinalgLuSolveBackward0", saves("x y")),
)  # fmt: skip

NAMES: dict[str, Any] = {"lu_factor_back": _factor_rule}
OF_PARAMS: dict[str, Any] = {
    "lu_unpack": lambda xs, params: {"back": lambda g: _unpack_rule(g, None, xs[0], **params)},
    "lu_solve": lambda xs, params: {
        "lu_solve_back": lambda g, y, x: _solve_both(g, y, x, None, **params),
        "lu_solve_adjoint": lambda g: _solve_b(g, None, *xs, **params),
    },
}
