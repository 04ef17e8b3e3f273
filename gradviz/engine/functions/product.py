"""Products of vectors and matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.engine.dtypes import BOOL, type_name
from gradviz.engine.functions.arguments import need
from gradviz.engine.functions.shaping import squeeze, t, unsqueeze, view
from gradviz.engine.generic import OPS
from gradviz.engine.shapes import broadcasts, numel
from gradviz.engine.tensor import Tensor, apply, binary, constant, raise_shape_error
from gradviz.errors import TorchError


def matmul(input: Any, other: Any) -> Tensor:
    a, b = need("matmul", input), need("matmul", other, "other", 2)
    if 0 in (a.ndim, b.ndim):
        raise TorchError(f"both arguments to matmul need to be at least 1D, but they are {a.ndim}D and {b.ndim}D")
    if a.ndim == b.ndim == 1:
        return dot(a, b)
    if b.ndim == 1:
        return mv(a, b) if a.ndim == 2 else squeeze(matmul(a, unsqueeze(b, 1)), -1)
    if a.ndim == 1:
        return squeeze(matmul(unsqueeze(a, 0), b), -2)
    _check_product(a, b)
    return binary(OPS["matmul"], a, b)


def _check_product(a: Tensor, b: Tensor) -> None:
    _same_dtype(a, b)
    if a.shape[-1] != b.shape[-2]:
        if a.ndim == b.ndim == 2:
            text = (
                f"mat1 and mat2 shapes cannot be multiplied ({a.shape[0]}x{a.shape[1]} and {b.shape[0]}x{b.shape[1]})"
            )
        else:
            text = (
                f"Expected size for first two dimensions of batch2 tensor to be: [{numel(a.shape[:-2])}, "
                f"{a.shape[-1]}] but got: [{numel(b.shape[:-2])}, {b.shape[-2]}]."
            )
        raise TorchError(text, hint=f"The inner sizes {a.shape[-1]} and {b.shape[-2]} must be equal.")
    if (
        a.ndim > 2
        and b.ndim > 2
        and not (broadcasts(a.shape[:-2], b.shape[:-2]) or broadcasts(b.shape[:-2], a.shape[:-2]))
    ):
        batch_a, batch_b = (constant(np.empty(x.shape[:-2], dtype=BOOL), x.tape) for x in (a, b))
        raise_shape_error(OPS["matmul"], batch_a.data, batch_b.data, ValueError())


def _same_dtype(a: Tensor, b: Tensor) -> None:
    if a.dtype != b.dtype:
        names = [{"Float": "float", "Double": "double"}.get(type_name(x.dtype), type_name(x.dtype)) for x in (a, b)]
        raise TorchError(
            f"expected m1 and m2 to have the same dtype, but got: {names[0]} != {names[1]}",
            hint="Convert one of them, e.g. with .float() or .double().",
        )


def mm(input: Tensor, mat2: Tensor) -> Tensor:
    a, b = need("mm", input), need("mm", mat2, "mat2", 2)
    if a.ndim != 2:
        raise TorchError("self must be a matrix")
    if b.ndim != 2:
        raise TorchError("mat2 must be a matrix")
    _check_product(a, b)
    return binary(OPS["mm"], a, b)


def bmm(input: Tensor, mat2: Tensor) -> Tensor:
    a, b = need("bmm", input), need("bmm", mat2, "mat2", 2)
    if a.ndim != 3 or b.ndim != 3:
        raise TorchError("batch1 must be a 3D tensor" if a.ndim != 3 else "batch2 must be a 3D tensor")
    _check_product(a, b)
    return binary(OPS["bmm"], a, b)


def mv(input: Tensor, vec: Tensor) -> Tensor:
    a, b = need("mv", input), need("mv", vec, "vec", 2)
    if a.ndim != 2 or b.ndim != 1 or a.shape[1] != b.shape[0]:
        raise TorchError(
            f"size mismatch, got input ({a.shape[0]}), mat ({a.shape[0]}x{a.shape[-1]}), vec ({numel(b.shape)})"
        )
    _same_dtype(a, b)
    return binary(OPS["mv"], a, b)


def dot(input: Tensor, tensor: Tensor) -> Tensor:
    a, b = need("dot", input), need("dot", tensor, "tensor", 2)
    if a.ndim != 1 or b.ndim != 1:
        raise TorchError(f"1D tensors expected, but got {a.ndim}D and {b.ndim}D tensors")
    if a.shape != b.shape:
        raise TorchError(
            f"inconsistent tensor size, expected tensor [{a.shape[0]}] and src [{b.shape[0]}] to have the same number "
            f"of elements, but got {a.shape[0]} and {b.shape[0]} elements respectively"
        )
    _same_dtype(a, b)
    return binary(OPS["dot"], a, b)


def addmm(input: Tensor, mat1: Tensor, mat2: Tensor) -> Tensor:
    _check_product(mat1, mat2)
    return apply(OPS["addmm"], (need("addmm", input), mat1, mat2))


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """y = input @ weightᵀ + bias, as PyTorch records it: addmm of a matrix, else a product of its rows."""
    x, w = need("linear", input), need("linear", weight, "weight", 2)
    if x.ndim == 2:
        return mm(x, t(w)) if bias is None else addmm(bias, x, t(w))
    if bias is None:
        return matmul(x, t(w)) if x.ndim > 1 else squeeze(mm(unsqueeze(x, 0), t(w)), 0)
    rows = addmm(bias, view(x, -1, x.shape[-1]) if x.ndim > 1 else view(x, 1, x.shape[0]), t(w))
    return view(rows, *x.shape[:-1], w.shape[0])
