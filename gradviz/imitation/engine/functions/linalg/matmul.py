"""The products that most code is written with: `matmul`, `mm`, `bmm`, `mv`, `dot`, `addmm` and `linear`."""

from __future__ import annotations

from typing import Any

from gradviz.imitation.engine.functions.arguments import need
from gradviz.imitation.engine.functions.linalg.batches import batched, folded, is_foldable, pair_by_pair
from gradviz.imitation.engine.functions.linalg.product_checks import (
    check_addmm,
    check_product,
    check_vector,
    same_dtype,
)
from gradviz.imitation.engine.functions.shapes.shaping import is_contiguous, t, unsqueeze, view
from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.tensor import Tensor, apply, binary
from gradviz.errors import TorchError


def matmul(input: Any, other: Any) -> Tensor:
    a, b = need("matmul", input), need("matmul", other, "other", 2)
    if 0 in (a.ndim, b.ndim):
        raise TorchError(f"both arguments to matmul need to be at least 1D, but they are {a.ndim}D and {b.ndim}D")
    if a.ndim == b.ndim == 1:
        return dot(a, b)
    if a.ndim == 2 and b.ndim == 1:
        return mv(a, b)
    if a.ndim == 1 and b.ndim == 2:
        check_product(unsqueezed := unsqueeze(a, 0), b)
        out = apply(OPS["squeeze_"], (binary(OPS["matmul"], unsqueezed, b),), dim=0)
        out.more.first_version = 1
        return out
    if a.ndim == b.ndim == 2:
        check_product(a, b)
        return binary(OPS["matmul"], a, b)
    return folded(a, b) if is_foldable(a, b) else batched(a, b)


def mm(input: Tensor, mat2: Tensor) -> Tensor:
    a, b = need("mm", input), need("mm", mat2, "mat2", 2)
    if a.ndim != 2:
        raise TorchError("self must be a matrix")
    if b.ndim != 2:
        raise TorchError("mat2 must be a matrix")
    check_product(a, b)
    return binary(OPS["mm"], a, b)


def bmm(input: Tensor, mat2: Tensor) -> Tensor:
    a, b = need("bmm", input), need("bmm", mat2, "mat2", 2)
    if a.ndim != 3 or b.ndim != 3:
        raise TorchError("batch1 must be a 3D tensor" if a.ndim != 3 else "batch2 must be a 3D tensor")
    return pair_by_pair(a, b)


def mv(input: Tensor, vec: Tensor) -> Tensor:
    a, b = need("mv", input), need("mv", vec, "vec", 2)
    check_vector(a, b)
    return binary(OPS["mv"], a, b)


def dot(input: Tensor, tensor: Tensor) -> Tensor:
    a, b = need("dot", input), need("dot", tensor, "tensor", 2)
    if a.ndim != 1 or b.ndim != 1:
        raise TorchError(f"1D tensors expected, but got {a.ndim}D and {b.ndim}D tensors")
    if a.dtype != b.dtype:
        same_dtype(a, b, "dot")
    if a.shape != b.shape:
        raise TorchError(
            f"inconsistent tensor size, expected tensor [{a.shape[0]}] and src [{b.shape[0]}] to have the same number "
            f"of elements, but got {a.shape[0]} and {b.shape[0]} elements respectively"
        )
    same_dtype(a, b, "dot")
    return binary(OPS["dot"], a, b)


def addmm(input: Tensor, mat1: Tensor, mat2: Tensor) -> Tensor:
    c, a, b = need("addmm", input), need("addmm", mat1, "mat1", 2), need("addmm", mat2, "mat2", 3)
    check_addmm(c, a, b)
    return apply(OPS["addmm"], (c, a, b))


MATRIX, PICTURES = 2, 4


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """y = input @ weightᵀ + bias, as PyTorch records it: addmm of a matrix, else of its rows."""
    x, w = need("linear", input), need("linear", weight, "weight", 2)
    if not x.ndim or not w.ndim:
        raise TorchError(f"both arguments to linear need to be at least 1D, but they are {x.ndim}D and {w.ndim}D")
    try:
        return _linear(x, w, bias)
    except TorchError as error:
        if w.ndim == MATRIX and x.shape[-1] != w.shape[-1]:
            error.hint = f"The last size of the input, {x.shape[-1]}, must be the layer's in_features, {w.shape[-1]}."
            if x.ndim == PICTURES:
                error.hint += " Put nn.Flatten() before it, or x.flatten(1)."
        raise


def _linear(x: Tensor, w: Tensor, bias: Tensor | None) -> Tensor:
    if bias is None:
        return matmul(x, t(w))
    if x.ndim == 2:
        return addmm(bias, x, t(w))
    if not is_contiguous(x):
        return binary(OPS["add"], matmul(x, t(w)), bias)
    rows = addmm(bias, view(x, -1, x.shape[-1]) if x.ndim > 1 else view(x, 1, x.shape[0]), t(w))
    return view(rows, *x.shape[:-1], w.shape[0])
