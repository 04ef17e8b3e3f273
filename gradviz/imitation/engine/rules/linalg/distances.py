"""Lengths of differences: the p-norm along an axis, dist, all pairs of rows (cdist, pdist); and the trilinear product.

Where a difference is 0 its length has no derivative; the gradient is 0 there, as PyTorch has it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradviz.imitation.engine import generic as F
from gradviz.imitation.engine.generic import plain
from gradviz.imitation.engine.kernels import nearest, products
from gradviz.imitation.engine.rules.calling import call, number, zeros
from gradviz.imitation.engine.rules.entry import Op, case, saves
from gradviz.imitation.engine.rules.numbers.elementwise import power
from gradviz.imitation.engine.rules.shapes.shaping import shape
from gradviz.imitation.engine.shapes import axes_of
from gradviz.errors import TorchError

A = [[1.0, -2.0, 0.5], [0.3, 1.5, -1.0]]
B = [[0.7, 1.1, -0.4], [0.2, 2.0, -1.7], [0.9, -0.6, 0.1]]
POWERS = (2.0, 1.0, 3.0, 1.5, 0.5, math.inf)


def length(z: Any, p: float, dim: Any = None, keepdim: bool = False) -> Any:
    """The p-norm of an array along dims."""
    axes, size = axes_of(dim, z.ndim), np.abs(z)
    if p == 0:
        return (size != 0).sum(axis=axes, keepdims=keepdim).astype(z.dtype)[()]
    if math.isinf(p):
        return (
            np.max(size, axis=axes, keepdims=keepdim, initial=0) if p > 0 else np.min(size, axis=axes, keepdims=keepdim)
        )
    if p == 1:
        return size.sum(axis=axes, keepdims=keepdim)
    if p == 2:
        return np.sqrt((z * z).sum(axis=axes, keepdims=keepdim))
    return nearest.power(nearest.power(size, number(z, p)).sum(axis=axes, keepdims=keepdim), number(z, 1 / p))


def row_length(z: Any, p: float) -> Any:
    """The p-norm along the last axis as PyTorch's kernel for pairs of rows has it: NaN is no difference but NaN."""
    if p == 0:
        return np.minimum(np.ceil(np.abs(z)), 1).sum(axis=-1)
    return np.fmax.reduce(np.abs(z), axis=-1, initial=0) if p == math.inf else length(z, p, -1)


def _without(is_zero: Any, x: Any) -> Any:
    is_zero = np.broadcast_to(is_zero, plain(x).shape)
    return call("masked_fill", x, index=is_zero, value=0) if isinstance(x, F.Tensor) else F.zero_where(is_zero, x)


def slope(z: Any, y: Any, p: float) -> Any:
    """How the length y of a difference changes with each number z of it; y broadcasts against z."""
    if math.isinf(p):
        gap = np.ceil(np.abs(np.abs(plain(z)) - plain(y)))
        return _signed(z) * F.mask(1 - np.minimum(gap, 1), z)
    return _signed(z) if p == 1 else finite_slope(z, y, p)


def _signed(z: Any) -> Any:
    return F.where(np.isnan(plain(z)), z, F.sign(z))


def finite_slope(z: Any, y: Any, p: float) -> Any:
    """How the p-norm y changes with each number z, for a finite p."""
    is_zero = plain(y) == 0
    if p == 0:
        return zeros(z)
    if p == 1:
        return F.sign(z)
    if p == 2:
        return _without(is_zero, z / y)
    if p < 1:
        return F.sign(z) * _without(plain(z) == 0, power(call("abs", z), p - 1)) * power(y, 1 - p)
    if p < 2:
        return _without(is_zero, F.sign(z) * power(call("abs", z), p - 1) / power(y, p - 1))
    return _without(is_zero, z * power(call("abs", z), p - 2) / power(y, p - 1))


def even_slope(z: Any, y: Any, p: float, dim: Any = None) -> Any:
    """The same for every p: several largest numbers, or NaNs, share the gradient of the maximum norm."""
    if not math.isinf(p):
        return finite_slope(z, y, p)
    hits = (np.abs(plain(z)) == plain(y)) | (np.isnan(plain(z)) & np.isnan(plain(y)))
    return F.sign(z) * F.mask(hits, z) / F.mask(hits.sum(axis=axes_of(dim, hits.ndim), keepdims=True), z)


# ---- along a dim, and of everything ----


def norm_rule(g: Any, y: Any, x: Any, p: float, dim: Any, keepdim: bool) -> Any:
    """g times the slope of the p-norm."""
    return F.spread(g, x, dim, keepdim) * even_slope(x, F.kept(y, x, dim, keepdim), p, dim)


def dist_rule(g: Any, y: Any, x: Any, other: Any, p: float) -> Any:
    """g times the slope of the p-norm of x − other."""
    return g * even_slope(x - other, y, p)


def dist_other_rule(g: Any, y: Any, x: Any, other: Any, p: float) -> Any:
    """dL/d(other), with the other sign.

    Raises:
        TorchError: for p = 0, of which PyTorch makes no gradient to change the sign of.
    """
    if p == 0:
        raise TorchError(
            "Expected a proper Tensor but got None (or an undefined Tensor in C++) for argument #0 'self'",
            hint="The number of differences has no derivative; use another p, or detach the second tensor.",
        )
    return -dist_rule(g, y, x, other, p)


# ---- all pairs of rows ----


def column(x: Any) -> Any:
    """x with an axis of one added at the end."""
    return F.reshape(x, (*shape(x), 1))


def differences(a: Any, b: Any) -> Any:
    """Row minus row, for all pairs: [..., rows of a, rows of b, columns]."""
    left, right = shape(a), shape(b)
    return F.reshape(a, (*left[:-1], 1, left[-1])) - F.reshape(b, (*right[:-2], 1, *right[-2:]))


def cdist_rule(g: Any, y: Any, a: Any, b: Any, p: float) -> Any:
    """dL/da: for each row of a the slopes of its distances to all rows of b."""
    return F.sum(column(g) * slope(differences(a, b), column(y), p), -2, False)


def cdist_other_rule(g: Any, y: Any, a: Any, b: Any, p: float) -> Any:
    """dL/db: the same with a and b exchanged."""
    return cdist_rule(F.T(g), F.T(y), b, a, p)


def _euclidean(a: Any, b: Any) -> Any:
    """By one product of matrices, as PyTorch has it for many rows."""
    squares = [(x * x).sum(axis=-1, keepdims=True) for x in (a, b)]
    left = np.concatenate([a * -2, squares[0], np.ones_like(squares[0])], axis=-1)
    right = np.concatenate([b, np.ones_like(squares[1]), squares[1]], axis=-1)
    return np.sqrt(np.maximum(np.matmul(left, np.swapaxes(right, -1, -2)), 0))


def ratio(g: Any, y: Any) -> Any:
    """g / y, and 0 where the distance is 0."""
    return _without(plain(y) == 0, g / y)


def euclidean_rule(g: Any, y: Any, a: Any, b: Any) -> Any:
    """dL/da of the distances of all rows of a to all rows of b."""
    r = ratio(g, y)
    return a * F.sum(r, -1, True) - F.matmul(r, b)


def euclidean_other_rule(g: Any, y: Any, a: Any, b: Any) -> Any:
    """dL/db of the distances of all rows of a to all rows of b."""
    r = ratio(g, y)
    return b * column(F.sum(r, -2, False)) - F.matmul(F.T(r), a)


def pairs(x: Any) -> tuple[Any, Any]:
    """The row numbers of all pairs, in PyTorch's order."""
    found: tuple[Any, Any] = np.triu_indices(shape(x)[0], 1)
    return found


def _between(x: Any) -> Any:
    first, second = pairs(x)
    return F.take(x, first) - F.take(x, second)


def pdist_rule(g: Any, y: Any, x: Any, p: float) -> Any:
    """Each distance pulls at its two rows, in opposite directions."""
    first, second = pairs(x)
    pull = column(g) * slope(_between(x), column(y), p)
    return F.scatter(pull, shape(x), first) - F.scatter(pull, shape(x), second)


# ---- trilinear ----


def _halves(a: Any, w: Any) -> Any:
    """The rows of a through each table of w: [outputs, rows, what is left]."""
    return products.matmul(a[None], w)


def _trilinear(a: Any, w: Any, b: Any) -> Any:
    found = products.matmul(_halves(a, w)[:, :, None], b[:, :, None])
    return np.ascontiguousarray(found.reshape(len(w), len(a)).T)


def _first_rule(g: Any, y: Any, a: Any, w: Any, b: Any) -> Any:
    """To a: the outputs one after another, as PyTorch adds them up."""
    total = np.zeros_like(a)
    for output, table in enumerate(w):
        total = total + products.matmul(g[:, output, None, None] * table, b[:, :, None])[..., 0]
    return total


def _weight_rule(g: Any, y: Any, a: Any, w: Any, b: Any) -> Any:
    return products.matmul(np.swapaxes(a[None] * g.T[..., None], 1, 2), b[None])


def _last_rule(g: Any, y: Any, a: Any, w: Any, b: Any) -> Any:
    total = np.zeros_like(b)
    for half, each in zip(_halves(a, w), g.T, strict=True):
        total = total + half * each[:, None]
    return total


SLOPE = "The slope of a p-norm y at z is z · |z|ᵖ⁻² / yᵖ⁻¹, and 0 where the length is 0."
W = np.linspace(-1, 1, 12).reshape(2, 2, 3)

TABLE = (
    Op("norm_p", "‖x‖", lambda x, p, dim, keepdim: length(x, p, dim, keepdim), (norm_rule,), ("x",),
       ("spread(g, x, dim, keepdim) * even_slope(x, spread(y, x, dim, keepdim), p, dim)",), "y = (Σ |x|ᵖ)^(1/p)",
       (*(case(A, p=p, dim=1, keepdim=False) for p in POWERS), case(A, p=2.0, dim=0, keepdim=True)),
       "NormBackward1", saves("x y"), note=SLOPE),
    Op("dist", "‖x‖", lambda x, other, p: length(x - other, p),
       (dist_rule, dist_other_rule), ("x", "other"),
       ("g * even_slope(x - other, y, p)", "-g * even_slope(x - other, y, p)"), "y = (Σ |x − other|ᵖ)^(1/p)",
       tuple(case(A, B[0], p=p) for p in POWERS), "DistBackward0", saves("x other y"), note=SLOPE),
    Op("cdist", "dist", lambda a, b, p: row_length(differences(a, b), p), (cdist_rule, cdist_other_rule), ("a", "b"),
       ("sum(column(g) * slope(differences(a, b), column(y), p), -2, False)",
        "sum(column(T(g)) * slope(differences(b, a), column(T(y)), p), -2, False)"),
       "y = the distance of each row of a to each row of b", tuple(case(A, B, p=p) for p in POWERS), "CdistBackward0",
       saves("a b y"), note=SLOPE + " PyTorch itself has no second derivative here."),
    Op("euclidean_dist", "dist", _euclidean, (euclidean_rule, euclidean_other_rule), ("a", "b"),
       ("a * sum(ratio(g, y), -1, True) - ratio(g, y) @ b", "b * column(sum(ratio(g, y), -2, False)) - T(ratio(g, y)) @ a"),
       "y = the distance of each row of a to each row of b", (case(A, B),), "EuclideanDistBackward0", saves("a b y"),
       note="Where a distance is 0 its gradient is 0."),
    Op("pdist", "dist", lambda x, p: length(_between(x), p, -1), (pdist_rule,), ("x",),
       ("scatter(pull(g, y), shape(x), first) - scatter(pull(g, y), shape(x), second)",),
       "y = the distance of each pair of rows", tuple(case(B, p=p) for p in POWERS), "PdistBackward0", saves("x y"),
       note=SLOPE + " PyTorch itself has no second derivative here."),
    Op("trilinear", "xWz", _trilinear,
       (_first_rule, _weight_rule, _last_rule), ("a", "w", "b"),
       ("einsum('no,oij,nj->ni', g, w, b)", "einsum('no,ni,nj->oij', g, a, b)", "einsum('no,oij,ni->nj', g, w, a)"),
       "y[o] = a · w[o] · b",
       (case(B[:2], np.swapaxes(np.concatenate([W, W[:1] + 0.5]), 1, 2), [[0.3, -1.0], [1.2, 0.4]]),),
       "TrilinearBackward0", saves("a w b")),
)  # fmt: skip

NAMES: dict[str, Any] = {
    "column": column, "differences": differences, "einsum": np.einsum, "even_slope": even_slope, "ratio": ratio,
    "slope": slope,
}  # fmt: skip
"""Functions that the formulas use."""


def _pdist_names(xs: Any, params: Any) -> dict[str, Any]:
    first, second = pairs(xs[0])
    z = _between(xs[0])
    return {"first": first, "second": second, "pull": lambda g, y: column(g) * slope(z, column(y), params["p"])}


OF_PARAMS: dict[str, Any] = {"pdist": _pdist_names}
"""Names worked out of the params."""
