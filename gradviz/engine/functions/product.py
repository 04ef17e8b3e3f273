"""Products of vectors and matrices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.engine.dtypes import BOOL, c_name, type_name
from gradviz.engine.functions.arguments import need
from gradviz.engine.functions.batches import batched, folded, is_foldable
from gradviz.engine.functions.shaping import is_contiguous, t, unsqueeze, view
from gradviz.engine.generic import OPS
from gradviz.engine.shape_errors import raise_shape_error
from gradviz.engine.shapes import broadcasts, expand_error, numel
from gradviz.engine.tensor import Tensor, apply, binary
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
        _check_product(unsqueezed := unsqueeze(a, 0), b)
        return apply(OPS["squeeze_"], (binary(OPS["matmul"], unsqueezed, b),), dim=0)
    # a batch times one matrix is one product of two matrices
    _check_product(a, b, "mm" if b.ndim <= 2 or a.ndim <= 2 else "bmm")
    if a.ndim == b.ndim == 2:
        return binary(OPS["matmul"], a, b)
    return folded(a, b) if is_foldable(a, b) else batched(a, b)


def _check_product(a: Tensor, b: Tensor, product: str = "mm") -> None:
    if product == "addmm":
        _same_dtype(a, b, product)
    rows = b.shape[-2] if b.ndim > 1 else b.shape[0]
    if a.shape[-1] != rows:
        if a.ndim == b.ndim == 2:
            text = (
                f"mat1 and mat2 shapes cannot be multiplied ({a.shape[0]}x{a.shape[1]} and {b.shape[0]}x{b.shape[1]})"
            )
        else:
            text = (
                f"Expected size for first two dimensions of batch2 tensor to be: [{numel(a.shape[:-2])}, "
                f"{a.shape[-1]}] but got: [{numel(b.shape[:-2])}, {rows}]."
            )
        raise TorchError(text, hint=f"The inner sizes {a.shape[-1]} and {rows} must be equal.")
    if a.ndim > 2 or b.ndim > 2:
        try:
            np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        except ValueError as error:
            batch_a, batch_b = (np.empty(x.shape[:-2], dtype=BOOL) for x in (a, b))
            raise_shape_error(OPS["matmul"], batch_a, batch_b, error)
    _same_dtype(a, b, product)  # last, as in PyTorch's kernels; addmm alone asks first


DIFFERENT: dict[str, Callable[..., str]] = {
    "mm": lambda a, b: f"expected m1 and m2 to have the same dtype, but got: {c_name(a)} != {c_name(b)}",
    "addmm": lambda a, b: f"mat1 and mat2 must have the same dtype, but got {type_name(a)} and {type_name(b)}",
    "mv": lambda a, b: (
        f"addmv input tensors must have the same dtype, but got {type_name(b)}, {type_name(a)}, and {type_name(b)}"
    ),
    "dot": lambda a, b: f"dot : expected both vectors to have same dtype, but found {type_name(a)} and {type_name(b)}",
    "bmm": lambda a, b: f"expected scalar type {type_name(a)} but found {type_name(b)}",
}
"""What each product says of two dtypes."""


def _same_dtype(a: Tensor, b: Tensor, product: str = "mm") -> None:
    if a.dtype != b.dtype:
        raise TorchError(
            DIFFERENT[product](a.dtype, b.dtype), hint="Convert one of them, e.g. with .float() or .double()."
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
    _check_product(a, b, "bmm")
    return binary(OPS["bmm"], a, b)


def mv(input: Tensor, vec: Tensor) -> Tensor:
    a, b = need("mv", input), need("mv", vec, "vec", 2)
    if a.ndim != 2 or b.ndim != 1 or a.shape[1] != b.shape[0]:
        raise TorchError(
            f"size mismatch, got input ({a.shape[0]}), mat ({a.shape[0]}x{a.shape[-1]}), vec ({numel(b.shape)})"
        )
    _same_dtype(a, b, "mv")
    return binary(OPS["mv"], a, b)


def dot(input: Tensor, tensor: Tensor) -> Tensor:
    a, b = need("dot", input), need("dot", tensor, "tensor", 2)
    if a.ndim != 1 or b.ndim != 1:
        raise TorchError(f"1D tensors expected, but got {a.ndim}D and {b.ndim}D tensors")
    _same_dtype(a, b, "dot")
    if a.shape != b.shape:
        raise TorchError(
            f"inconsistent tensor size, expected tensor [{a.shape[0]}] and src [{b.shape[0]}] to have the same number "
            f"of elements, but got {a.shape[0]} and {b.shape[0]} elements respectively"
        )
    return binary(OPS["dot"], a, b)


def addmm(input: Tensor, mat1: Tensor, mat2: Tensor) -> Tensor:
    c, a, b = need("addmm", input), need("addmm", mat1, "mat1", 2), need("addmm", mat2, "mat2", 3)
    for name, x in (("mat1", a), ("mat2", b)):
        if x.ndim != 2:
            raise TorchError(f"{name} must be a matrix, got {x.ndim}-D tensor")
    if c.dtype != b.dtype:
        names = [type_name(x.dtype) for x in (c, b)]
        raise TorchError(f"self and mat2 must have the same dtype, but got {names[0]} and {names[1]}")
    _check_product(a, b, "addmm")
    size = (a.shape[0], b.shape[1])
    if not broadcasts(c.shape, size):
        raise expand_error(c.shape, size)
    return apply(OPS["addmm"], (c, a, b))


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """y = input @ weightᵀ + bias, as PyTorch records it: addmm of a matrix, else of its rows."""
    x, w = need("linear", input), need("linear", weight, "weight", 2)
    if not x.ndim or not w.ndim:
        raise TorchError(f"both arguments to linear need to be at least 1D, but they are {x.ndim}D and {w.ndim}D")
    if bias is None:
        return matmul(x, t(w))
    if x.ndim == 2:
        return addmm(bias, x, t(w))
    if not is_contiguous(x):
        return binary(OPS["add"], matmul(x, t(w)), bias)
    rows = addmm(bias, view(x, -1, x.shape[-1]) if x.ndim > 1 else view(x, 1, x.shape[0]), t(w))
    return view(rows, *x.shape[:-1], w.shape[0])
