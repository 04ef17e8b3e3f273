"""Distances and angles between vectors, and the losses made of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.imitation.engine.dtypes import FLOATING, c_name, result_dtype, type_name
from gradviz.imitation.engine.functions.arguments import need, size_at
from gradviz.imitation.engine.functions.linalg.lengths import must_have_some, norm
from gradviz.imitation.engine.functions.losses.options import (
    broadcast_shape,
    checked,
    minus,
    number_minus,
    plus,
    reduced,
    reduction_of,
)
from gradviz.imitation.engine.functions.numbers.arithmetic import add, div, mul, sqrt, sub
from gradviz.imitation.engine.functions.numbers.comparison import eq, minimum, where
from gradviz.imitation.engine.functions.numbers.conversion import to, zeros_like
from gradviz.imitation.engine.functions.numbers.paired import clamp_min
from gradviz.imitation.engine.functions.reducing.reduction import sum
from gradviz.imitation.engine.functions.shapes.shaping import contiguous, expand, expand_as, reshape, view
from gradviz.imitation.engine.functions.together import together
from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.shape_errors import mismatch, refuse_bools
from gradviz.imitation.engine.shapes import one_dim
from gradviz.imitation.engine.tensor import Tensor, apply, constant, record
from gradviz.errors import TorchError

MATRIX_MODE = "use_mm_for_euclid_dist"
MODES = (MATRIX_MODE, f"{MATRIX_MODE}_if_necessary", "donot_use_mm_for_euclid_dist")


# ---- of one vector each ----


def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-08) -> Tensor:
    a, b = need("cosine_similarity", x1, "x1"), need("cosine_similarity", x2, "x2", 2)
    dtype = result_dtype(a.data, b.data)
    if dtype.kind not in FLOATING:
        raise TorchError(
            f"expected common dtype to be floating point, yet common dtype is {type_name(dtype)}",
            hint="Convert with .float() first.",
        )
    if eps < 0:
        raise TorchError(f"eps must be non-negative, got: {eps:g}")
    a, b = (x if x.dtype.kind in FLOATING else to(x, dtype) for x in (a, b))
    size = broadcast_shape(a, b)
    if a.shape != b.shape:
        b, a = (expand(x, *size) for x in (b, a))  # PyTorch's compiler made the second first, here and below
    lengths = [_length(x, dim, eps) for x in (a, b)]
    second = div(b, lengths[1])
    return sum(mul(div(a, lengths[0]), second), dim)


def _length(x: Tensor, dim: int, eps: float) -> Tensor:
    """The length along dim, at least eps."""
    found = norm(x, 2, one_dim(dim, x.ndim), True)
    # PyTorch clamps its copy in place, without the graph noticing.
    return record(OPS["clone"], (found,), {}, np.maximum(found.data, found.dtype.type(eps)))


def pairwise_distance(x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-06, keepdim: bool = False) -> Tensor:
    a, b = need("pairwise_distance", x1, "x1"), need("pairwise_distance", x2, "x2", 2)
    z = plus(sub(a, b), eps)
    if math.isinf(p) and not z.data.size:
        must_have_some(z, p, z.ndim - 1)
    return apply(OPS["norm_p"], (z,), p=float(p), dim=max(a.ndim, b.ndim) - 1, keepdim=keepdim)


def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> Tensor:
    x = need("normalize", input)
    return div(x, expand_as(clamp_min(norm(x, p, dim, True), eps), x))


def dist(input: Tensor, other: Tensor, p: float = 2) -> Tensor:
    a, b = need("dist", input), need("dist", other, "other", 2)
    refuse_bools(a, b)
    dtype = result_dtype(a.data, b.data)
    if dtype.kind not in FLOATING:
        raise TorchError(
            f"norm(): input dtype should be either floating point or complex. Got {type_name(dtype)} instead.",
            hint="Convert with .float() first.",
        )
    a, b = (x if x.dtype.kind in FLOATING else constant(x.data.astype(dtype), x.tape) for x in (a, b))
    if math.isinf(p) and not (a.data.size and b.data.size):
        must_have_some(a, p, None)
    return together("dist", a, b, p=float(p))


# ---- of all pairs ----


def _no_halves(kernel: str, x: Tensor) -> TorchError:
    return TorchError(
        f"\"{kernel}\" not implemented for '{type_name(x.dtype)}'",
        kind="NotImplementedError",
        hint="Convert with .float() first.",
    )


def cdist(x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: str = MODES[1]) -> Tensor:
    a, b = need("cdist", x1, "x1"), need("cdist", x2, "x2", 2)
    if compute_mode not in MODES:
        raise TorchError(f"{compute_mode} is not a valid value for compute_mode", kind="ValueError")
    _check_pairs(a, b, p)
    by_matrix = compute_mode == MATRIX_MODE or (compute_mode == MODES[1] and max(a.shape[-2], b.shape[-2]) > 25)
    if found := mismatch(a.shape[:-2], b.shape[:-2], "'cdist'"):
        raise found
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    size = (*batch, a.shape[-2], b.shape[-2])
    if a.dtype is not b.dtype:  # of nothing
        return record(OPS["cdist"], (a, b), {"p": float(p)}, np.zeros(size, a.dtype))
    if p != 2 or not by_matrix:
        return apply(OPS["cdist"], (a, b), p=float(p))
    if batch:
        a, b = (reshape(expand(x, *batch, *x.shape[-2:]), (-1, *x.shape[-2:])) for x in (a, b))
    return view(apply(OPS["euclidean_dist"], (a, b)), *size)


def _check_pairs(a: Tensor, b: Tensor, p: float) -> None:
    for name, x in (("X1", a), ("X2", b)):
        if x.ndim < 2:
            raise TorchError(f"cdist only supports at least 2D tensors, {name} got: {x.ndim}D")
    if a.shape[-1] != b.shape[-1]:
        raise TorchError(
            f"X1 and X2 must have the same number of columns. X1: {a.shape[-1]} X2: {b.shape[-1]}"
        )  # fmt: skip
    for name, x in (("X1", a), ("X2", b)):
        if x.dtype.kind not in FLOATING:
            raise TorchError(
                f"cdist only supports floating-point dtypes, {name} got: {type_name(x.dtype)}",
                hint="Convert with .float() first.",
            )
    if p < 0:
        raise TorchError("cdist only supports non-negative p values")
    if 0 in (*a.shape[:-1], *b.shape[:-1]):  # of nothing no kernel is asked
        return
    if a.dtype.itemsize == 2:
        raise _no_halves("cdist", a)
    if a.dtype is not b.dtype:
        raise TorchError(f"expected scalar type {type_name(a.dtype)} but found {type_name(b.dtype)}")


def pdist(input: Tensor, p: float = 2) -> Tensor:
    x = need("pdist", input)
    if x.ndim != 2:
        raise TorchError(f"pdist only supports 2D tensors, got: {x.ndim}D")
    if x.dtype.kind not in FLOATING:
        raise TorchError("pdist only supports floating-point dtypes", hint="Convert with .float() first.")
    if p < 0:
        raise TorchError("pdist only supports non-negative p values")
    if x.dtype.itemsize == 2:
        raise _no_halves("pdist", x)
    return apply(OPS["pdist"], (contiguous(x),), p=float(p))


# ---- losses ----


def cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    reduction = checked(reduction_of(size_average, reduce, reduction, "cosine_embedding_loss"))
    a, b, y = (need("cosine_embedding_loss", x) for x in (input1, input2, target))
    dim = y.ndim
    if dim > 1:
        raise TorchError("0D or 1D target tensor expected, multi-target not supported")
    if not a.ndim == b.ndim == dim + 1:
        raise TorchError(
            f"{dim}D target tensor expects {dim + 1}D input tensors, but found inputs with sizes {list(a.shape)} and "
            f"{list(b.shape)}."
        )
    product = sum(mul(a, b), dim)
    squares = [plus(sum(mul(x, x), dim), 1e-12) for x in (a, b)]
    cosine = div(product, sqrt(mul(*squares)))
    none = zeros_like(cosine)
    broadcast_shape(y, cosine)
    near, far = number_minus(1, cosine), clamp_min(minus(cosine, margin), 0)
    return reduced(add(where(eq(y, 1), near, none), where(eq(y, -1), far, none)), reduction)


def _same_dims(anchor: Tensor, positive: Tensor, negative: Tensor) -> None:
    if not anchor.ndim == positive.ndim == negative.ndim:
        raise TorchError(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: "
            f"anchor {anchor.ndim}D, positive {positive.ndim}D, and negative {negative.ndim}D inputs"
        )


def _check_margin(margin: float) -> None:
    if margin <= 0:
        raise TorchError(f"margin must be greater than 0, got {margin}", kind="ValueError")


def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-06,
    swap: bool = False,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    reduction = checked(reduction_of(size_average, reduce, reduction, "triplet_margin_loss"))
    _check_margin(margin)
    return triplet_losses(anchor, positive, negative, margin, p, eps, swap, reduction)


def triplet_losses(
    anchor: Tensor, positive: Tensor, negative: Tensor, margin: float, p: float, eps: float, swap: bool, reduction: str
) -> Tensor:  # fmt: skip
    """How much less the anchor is nearer to the positive than the margin asks for, of any margin."""
    a, near, far = (need("triplet_margin_loss", x) for x in (anchor, positive, negative))
    _same_dims(a, near, far)
    to_near, to_far = pairwise_distance(a, near, p, eps), pairwise_distance(a, far, p, eps)
    if swap:
        to_far = minimum(to_far, pairwise_distance(near, far, p, eps))
    return reduced(clamp_min(sub(plus(to_near, margin), to_far), 0), reduction)


def triplet_margin_with_distance_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    *,
    distance_function: Callable[[Tensor, Tensor], Any] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Tensor:
    if reduction not in ("mean", "sum", "none"):
        raise TorchError(f"{reduction} is not a valid value for reduction", kind="ValueError")
    _check_margin(margin)
    a, near, far = (need("triplet_margin_with_distance_loss", x) for x in (anchor, positive, negative))
    _same_dims(a, near, far)
    distance = pairwise_distance if distance_function is None else distance_function
    to_near, to_far = distance(a, near), distance(a, far)
    if swap:
        to_far = minimum(to_far, distance(near, far))
    return reduced(clamp_min(sub(add(to_near, margin), to_far), 0), reduction)


# ---- bilinear ----


def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    a, b, w = need("bilinear", input1), need("bilinear", input2, "input2", 2), need("bilinear", weight, "weight", 3)
    _check_bilinear(a, b, w, bias)
    rows = [reshape(x, (-1, x.shape[-1])) for x in (a, b)]
    found = reshape(apply(OPS["trilinear"], (rows[0], w, rows[1])), (*a.shape[:-1], w.shape[0]))
    return found if bias is None else add(found, bias)


def _check_bilinear(a: Tensor, b: Tensor, w: Tensor, bias: Tensor | None) -> None:
    if not a.dtype == b.dtype == w.dtype:
        given = {"input1": a, "input2": b, "weight": w} | ({} if bias is None else {"bias": bias})
        told = ", ".join(f"{name}: {c_name(x.dtype)}" for name, x in given.items())
        raise TorchError(f"All tensors must have the same dtype, got {told}")
    if a.ndim != b.ndim:
        raise TorchError(f"bilinear(): input dimensions do not match: got {a.ndim} and {b.ndim}")
    for i, (n, m) in enumerate(zip(a.shape[:-1], b.shape[:-1], strict=True)):
        if n != m:
            raise TorchError(f"bilinear(): input batch dimensions do not match at dim {i}: got {n} and {m}")
    for name, x, dim in (("input1", a, 1), ("input2", b, 2)):
        n, size = size_at(w, dim), size_at(x, -1)
        if size != n:
            raise TorchError(f"bilinear(): {name} size does not match weight size: got {size} but expected {n}")
    if bias is not None and size_at(bias, 0) != w.shape[0]:
        raise TorchError(
            f"bilinear(): bias size does not match weight size: got {bias.shape[0]} but expected {w.shape[0]}"
        )


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "dist": dist, "cdist": cdist, "pdist": pdist, "cosine_similarity": cosine_similarity,
    "pairwise_distance": pairwise_distance, "bilinear": bilinear,
}  # fmt: skip
METHODS: dict[str, Callable[..., Any]] = {"dist": dist}
NEURAL: dict[str, Callable[..., Any]] = {
    **{name: function for name, function in FUNCTIONS.items() if name not in ("dist", "cdist")},
    "normalize": normalize,
    "cosine_embedding_loss": cosine_embedding_loss,
    "triplet_margin_loss": triplet_margin_loss,
    "triplet_margin_with_distance_loss": triplet_margin_with_distance_loss,
}
