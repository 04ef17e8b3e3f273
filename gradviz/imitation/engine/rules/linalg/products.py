"""Products with a term added, products of all pairs, and sums along the diagonal."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.imitation.engine import generic as F
from gradviz.imitation.engine.generic import T, matmul
from gradviz.imitation.engine.kernels import products
from gradviz.imitation.engine.kernels.nearest import fused
from gradviz.imitation.engine.rules.entry import Op, case, saves
from gradviz.imitation.engine.rules.linalg.matmul import mv
from gradviz.imitation.engine.rules.shapes.shaping import shape

A = [[1.0, -2.0, 0.5], [0.3, 1.5, -1.0]]
B = [[0.7, 1.1], [-0.4, 0.2], [2.0, -1.3]]
U, V = [0.4, -1.1], [0.5, -1.5, 2.0]


def _times(x: Any, factor: Any) -> Any:
    """x times a number; x itself for 1, so that an exact result stays exact."""
    return x if factor == 1 else x * factor


def crossed(a: Any, b: Any, dim: int) -> Any:
    """The cross product along dim."""
    if isinstance(a, F.Tensor) or isinstance(b, F.Tensor):
        like = a if isinstance(a, F.Tensor) else b
        a, b = (t if isinstance(t, F.Tensor) else F.constant(t, like.tape) for t in (a, b))
        return F.apply(F.OPS["cross"], (a, b), dim=dim)
    (a0, a1, a2), (b0, b1, b2) = (np.moveaxis(x, dim, 0) for x in np.broadcast_arrays(a, b))
    return np.stack([fused(a1, b2, -(a2 * b1)), fused(a2, b0, -(a0 * b2)), fused(a0, b1, -(a1 * b0))], dim)


def _diagonal(x: Any) -> tuple[Any, Any]:
    at = np.arange(min(shape(x)))
    return at, at


def on_diagonal(g: Any, x: Any) -> Any:
    """g on the diagonal of zeros of the shape of x."""
    n = min(shape(x))
    return F.scatter(F.broadcast_to(F.reshape(g, (1,)), (n,)), shape(x), _diagonal(x))


def _sum_pairs(c: Any, a: Any, b: Any, beta: Any, alpha: Any) -> Any:
    return _times(c, beta) + _times(products.matmul(a, b), alpha)


def _c_rule(g: Any, y: Any, c: Any, a: Any, b: Any, beta: Any, alpha: Any) -> Any:
    return _times(g, beta)


def _a_rule(g: Any, y: Any, c: Any, a: Any, b: Any, beta: Any, alpha: Any) -> Any:
    return _times(matmul(g, T(b)), alpha)


def _b_rule(g: Any, y: Any, c: Any, a: Any, b: Any, beta: Any, alpha: Any) -> Any:
    return _times(matmul(T(a), g), alpha)


_SCALED = {"beta": 2, "alpha": 3}
_SUMMED = ("beta * g", "alpha * (g @ T(b))", "alpha * (T(a) @ g)")
_RULES = (_c_rule, _a_rule, _b_rule)

TABLE = (
    Op("addmm_scaled", "linear", _sum_pairs, _RULES, ("c", "a", "b"), _SUMMED, "y = βc + α a @ b",
       (case([0.1, 0.2], A, B, **_SCALED),), "AddmmBackward0", saves("a b")),
    Op("baddbmm", "@+", _sum_pairs, _RULES, ("c", "a", "b"), _SUMMED, "y = βc + α a @ b, pair by pair",
       (case([0.1, 0.2], [A, A], [B, B], **_SCALED),), "BaddbmmBackward0", saves("a b")),
    Op("addbmm", "@+", lambda c, a, b, beta, alpha: _times(c, beta) + _times(products.matmul(a, b).sum(0), alpha), _RULES,
       ("c", "a", "b"), _SUMMED, "y = βc + α Σ a @ b", (case([0.1, 0.2], [A, A], [B, B], **_SCALED),),
       "AddbmmBackward0", saves("a b")),
    Op("addmv", "@+", lambda c, a, b, beta, alpha: _times(c, beta) + _times(products.matmul(a, b), alpha),
       (_c_rule, lambda g, y, c, a, b, beta, alpha: _times(F.outer(g, b), alpha),
        lambda g, y, c, a, b, beta, alpha: _times(mv(T(a), g), alpha)), ("c", "a", "b"),
       ("beta * g", "alpha * outer(g, b)", "alpha * (T(a) @ g)"), "y = βc + α a @ b",
       (case([0.1, 0.2], A, V, **_SCALED),), "AddmvBackward0", saves("a b")),
    Op("addr", "+xyT", lambda c, a, b, beta, alpha: _times(c, beta) + _times(np.outer(a, b), alpha),
       (_c_rule, lambda g, y, c, a, b, beta, alpha: _times(mv(g, b), alpha),
        lambda g, y, c, a, b, beta, alpha: _times(mv(T(g), a), alpha)), ("c", "a", "b"),
       ("beta * g", "alpha * (g @ b)", "alpha * (T(g) @ a)"), "y = βc + α a bᵀ", (case(A, U, V, **_SCALED),),
       "AddrBackward0", saves("a b")),
    Op("vdot", "·", products.matmul, (lambda g, y, a, b: g * b, lambda g, y, a, b: g * a), ("a", "b"), ("g * b", "g * a"),
       "y = Σ a · b", (case(V, [1.0, 2.0, -0.5]),), "VdotBackward0", saves("a b")),
    Op("cross", "×", crossed, (lambda g, y, a, b, dim: crossed(b, g, dim), lambda g, y, a, b, dim: crossed(g, a, dim)),
       ("a", "b"), ("crossed(b, g, dim)", "crossed(g, a, dim)"), "y = a × b", (case(V, [1.0, 2.0, -0.5], dim=0),
       case([V, V], A, dim=1)), "LinalgCrossBackward0", saves("a b")),
    Op("trace", "tr", lambda x: np.trace(x, dtype=np.int64 if x.dtype.kind in "iu" else None), (lambda g, y, x: on_diagonal(g, x),), ("x",), ("on_diagonal(g, x)",),
       "y = Σ of the diagonal of x", (case(A),), "TraceBackward0"),
)  # fmt: skip

NAMES: dict[str, Any] = {"crossed": crossed, "on_diagonal": on_diagonal}
OF_PARAMS: dict[str, Any] = {}
