"""Products and equations of matrices, their factors and spectra."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.imitation.engine import generic as F
from gradviz.imitation.engine.create_graph.reduction import prod_of_others
from gradviz.imitation.engine.create_graph.steps import constant, expanded, transposed
from gradviz.imitation.engine.functions.linalg.factors import refuse_failed
from gradviz.imitation.engine.generic import matmul, plain
from gradviz.imitation.engine.kernels import equations
from gradviz.imitation.engine.rules.calling import call
from gradviz.imitation.engine.rules.linalg.distances import column
from gradviz.imitation.engine.rules.linalg.matmul import left_rule, right_rule


def _times(x: Any, factor: Any) -> Any:
    return x if factor == 1 else x * factor


def _mv(a: Any, b: Any) -> Any:
    return call("mv", a, b)


def _outer(a: Any, b: Any) -> Any:
    return F.reshape(a, (*a.shape, 1)) * b


# ---- products with a term added ----


def _addbmm_g(g: Any, a: Any, b: Any) -> Any:
    return expanded(call("unsqueeze", g, dim=0), (a.shape[0], a.shape[1], b.shape[2]))


def _bmm_left(g: Any, b: Any, alpha: Any) -> Any:
    return _times(matmul(g, transposed(b)), alpha)


def _bmm_right(g: Any, a: Any, alpha: Any) -> Any:
    return _times(matmul(transposed(a), g), alpha)


def _term(g: Any, y: Any, c: Any, a: Any, b: Any, beta: Any, alpha: Any) -> Any:
    return _times(g, beta)


# ---- equations ----


def _solution(a: Any, b: Any, left: bool = True) -> Any:
    return call("solve" if left else "solve_right", a, b)


def _inv(g: Any, y: Any, x: Any) -> Any:
    inner = matmul(g, transposed(y))
    return -matmul(transposed(y), inner)


def _on_diagonal(g: Any, n: int) -> Any:
    spread = expanded(call("unsqueeze", g, dim=g.ndim), (*g.shape, n))
    return call("diag_embed", spread, offset=0, dim1=g.ndim, dim2=g.ndim + 1)


def _regular_det(g: Any, y: Any, x: Any) -> Any:
    diagonal = transposed(_on_diagonal(g * y, x.shape[-1]))
    return _solution(transposed(x), diagonal)


def _singular_det(g: Any, x: Any) -> Any:
    """By singular values, of which some are 0: the determinant is their product, but for its sign."""
    left, values, right = (call("svd", x, part=part, full_matrices=True) for part in range(3))
    sign = call("det", left) * call("det", right) * g
    others = prod_of_others(call("unsqueeze", sign, dim=g.ndim), values, g.ndim)
    return matmul(left * call("unsqueeze", others, dim=g.ndim), right)


def _det(g: Any, y: Any, x: Any) -> Any:
    n, is_singular = x.shape[-1], np.abs(plain(y)) < 100 * np.finfo(x.dtype).eps
    if n == 1:
        return expanded(call("unsqueeze", call("unsqueeze", g, dim=g.ndim), dim=g.ndim + 1), x.shape)
    if not is_singular.any():
        return _regular_det(g, y, x)
    if is_singular.all():
        return _singular_det(g, x)
    place = is_singular[..., None, None]
    unit, apart = (constant(np.broadcast_to(np.diag(d), x.shape), x) for d in (np.ones(n), np.arange(1, n + 1)))
    regular = _regular_det(g, y, F.where(place, unit, x))
    return F.where(place, _singular_det(g, F.where(place, x, apart)), regular)


def _slogdet(came: Any, made: Any, sources: Any, needs: Any) -> tuple[Any, ...]:
    if len(came) < 2 or came[1] is None:
        return (None,)
    (x,) = sources
    refuse_failed("torch.linalg.solve", equations.zero_pivots(np.swapaxes(plain(x), -1, -2)))
    diagonal = transposed(_on_diagonal(came[1], x.shape[-1]))
    return (_solution(transposed(x), diagonal),)


def _solved(kind: str) -> Any:
    left, is_vector = kind != "solve_right", kind == "solve_vector"

    def column(z: Any) -> Any:
        return call("unsqueeze", z, dim=z.ndim) if is_vector else z

    def at_once(needs: Any, g: Any, y: Any, a: Any, b: Any) -> tuple[Any, ...]:
        right = column(g)
        found = _solution(transposed(a), right, left)
        to_a = None
        if needs[0]:
            turned = transposed(column(y))
            to_a = -(matmul(found, turned) if left else matmul(turned, found))
        return to_a, (call("squeeze", found, dim=found.ndim - 1) if is_vector else found) if needs[1] else None

    return at_once


def _triangular(a: Any, b: Any, upper: bool, left: bool, unitriangular: bool = False) -> Any:
    return call("solve_triangular", a, b, is_upper=upper, left=left, unitriangular=unitriangular)


def _solved_triangular(
    needs: Any, g: Any, y: Any, a: Any, b: Any, is_upper: bool, left: bool, unitriangular: bool
) -> tuple[Any, ...]:  # fmt: skip
    to_b = _triangular(transposed(a), g, not is_upper, left, unitriangular)
    to_a = None
    if needs[0]:
        turned = transposed(y)
        to_a = -(matmul(to_b, turned) if left else matmul(turned, to_b))
        to_a = call("triu" if is_upper else "tril", to_a, diagonal=int(unitriangular) * (1 if is_upper else -1))
    return to_a, to_b if needs[1] else None


# ---- factors ----


def _cholesky(g: Any, y: Any, x: Any, is_upper: bool) -> Any:
    low, g = (transposed(z) if is_upper else z for z in (y, g))
    found = call("tril", matmul(transposed(low), g), diagonal=0)
    found = (found + transposed(call("tril", found, diagonal=-1))) * 0.5
    found = _triangular(transposed(low), found, True, True)
    return _triangular(low, found, False, False)


def _cholesky_inverse(g: Any, y: Any, x: Any, is_upper: bool) -> Any:
    both = g + transposed(g)
    both = matmul(y, matmul(both, y))
    return -(matmul(x, both) if is_upper else matmul(both, x))


def _cholesky_solve(needs: Any, g: Any, y: Any, b: Any, low: Any, is_upper: bool) -> tuple[Any, ...]:
    to_b = call("cholesky_solve", g, low, is_upper=is_upper)
    if not needs[1]:
        return to_b, None
    common = matmul(to_b, transposed(y))
    common = common + transposed(common)
    return to_b if needs[0] else None, -(matmul(low, common) if is_upper else matmul(common, low))


# ---- spectra ----


def _pinv(g: Any, y: Any, x: Any, **_: Any) -> Any:
    back, turned = transposed(y), transposed(g)
    if x.shape[-2] <= x.shape[-1]:
        inner = matmul(turned, y)
        outer = matmul(inner, back)
        last = turned - matmul(inner, x)
        last = matmul(matmul(back, y), last)
        third = matmul(matmul(x, y), outer)
        return -transposed(matmul(y, inner)) + outer - third + last
    inner = matmul(y, turned)
    outer = matmul(back, inner)
    last = matmul(matmul(outer, y), x)
    second = matmul(matmul(turned - matmul(x, inner), y), back)
    return -transposed(matmul(inner, y)) + second + outer - last


def _euclidean(needs: Any, g: Any, y: Any, a: Any, b: Any) -> tuple[Any, ...]:
    ratio = call("masked_fill", g / y, index=plain(y) == 0, value=0)
    second = matmul(transposed(ratio), a)
    to_b = b * call("unsqueeze", F.sum(ratio, (ratio.ndim - 2,)), dim=ratio.ndim - 1) - second
    first = matmul(ratio, b)
    to_a = a * F.sum(ratio, (ratio.ndim - 1,), True) - first
    return to_a, to_b


# ---- the trilinear product ----


def _through(x: Any, w: Any, axis: int) -> Any:
    """w summed against the rows of x along its axis 1 or 2: [rows, outputs, what is left]."""
    out, left, right = w.shape
    order, rest = ((1, 0, 2), right) if axis == 1 else ((2, 0, 1), left)
    table = F.reshape(F.permute(w, order), (x.shape[1], out * rest))
    return F.reshape(F.matmul(x, table), (x.shape[0], out, rest))


def _to_rows(g: Any, x: Any, w: Any, axis: int) -> Any:
    """g through the table that the other rows x make of w, where axis is theirs."""
    return F.sum(column(g) * _through(x, w, axis), 1, False)


def _to_weight(g: Any, y: Any, a: Any, w: Any, b: Any) -> Any:
    pairs = column(a) * F.reshape(b, (b.shape[0], 1, b.shape[1]))
    flat = F.reshape(pairs, (a.shape[0], a.shape[1] * b.shape[1]))
    return F.reshape(F.matmul(F.T(g), flat), w.shape)


RULES: dict[str, Any] = {
    "trilinear": (
        lambda g, y, a, w, b: _to_rows(g, b, w, 2),
        _to_weight,
        lambda g, y, a, w, b: _to_rows(g, a, w, 1),
    ),
    "mv": (lambda g, y, a, b: _outer(g, b), lambda g, y, a, b: _mv(call("t", a), g)),
    "addmm_scaled": (
        _term,
        lambda g, y, c, a, b, beta, alpha: _times(left_rule(g, y, a, b), alpha),
        lambda g, y, c, a, b, beta, alpha: _times(right_rule(g, y, a, b), alpha),
    ),
    "baddbmm": (
        _term,
        lambda g, y, c, a, b, beta, alpha: _bmm_left(g, b, alpha),
        lambda g, y, c, a, b, beta, alpha: _bmm_right(g, a, alpha),
    ),
    "addbmm": (
        _term,
        lambda g, y, c, a, b, beta, alpha: _bmm_left(_addbmm_g(g, a, b), b, alpha),
        lambda g, y, c, a, b, beta, alpha: _bmm_right(_addbmm_g(g, a, b), a, alpha),
    ),
    "addmv": (
        _term,
        lambda g, y, c, a, b, beta, alpha: _times(_outer(g, b), alpha),
        lambda g, y, c, a, b, beta, alpha: _times(_mv(call("t", a), g), alpha),
    ),
    "addr": (
        _term,
        lambda g, y, c, a, b, beta, alpha: _times(_mv(g, b), alpha),
        lambda g, y, c, a, b, beta, alpha: _times(_mv(call("t", g), a), alpha),
    ),
    "inv": (_inv,),
    "det": (_det,),
    "cholesky": (_cholesky,),
    "cholesky_inverse": (_cholesky_inverse,),
    "pinv": (_pinv,),
}
AT_ONCE: dict[str, Any] = {
    **{kind: _solved(kind) for kind in ("solve", "solve_vector", "solve_right")},
    "solve_triangular": _solved_triangular,
    "cholesky_solve": _cholesky_solve,
    "euclidean_dist": _euclidean,
}
OF_RESULTS: dict[str, Any] = {"slogdet": _slogdet}
