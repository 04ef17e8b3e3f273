"""Functions of neural networks."""

from __future__ import annotations

from gradviz.engine.dtypes import DType, type_name
from gradviz.engine.functions.arguments import need
from gradviz.engine.functions.conversion import to
from gradviz.engine.generic import OPS
from gradviz.engine.shapes import one_dim
from gradviz.engine.tensor import Tensor, apply
from gradviz.errors import TorchError


def softmax(input: Tensor, dim: int, dtype: DType | None = None) -> Tensor:
    x = need("softmax", input) if dtype is None else to(input, dtype)
    return apply(OPS["softmax"], (_floating("softmax", x),), dim=one_dim(dim, x.ndim))


def log_softmax(input: Tensor, dim: int, dtype: DType | None = None) -> Tensor:
    x = need("log_softmax", input) if dtype is None else to(input, dtype)
    return apply(OPS["log_softmax"], (_floating("log_softmax", x),), dim=one_dim(dim, x.ndim))


def _floating(name: str, x: Tensor) -> Tensor:
    if x.dtype.kind != "f":
        raise TorchError(
            f"\"{name}_lastdim_kernel_impl\" not implemented for '{type_name(x.dtype)}'",
            kind="NotImplementedError",
            hint="Convert with .float() first.",
        )
    return x
