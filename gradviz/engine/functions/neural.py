"""Functions of neural networks."""

from __future__ import annotations

from gradviz.engine.dtypes import DType, type_name
from gradviz.engine.functions.arguments import need
from gradviz.engine.functions.conversion import to
from gradviz.engine.functions.shaping import expand
from gradviz.engine.generic import OPS
from gradviz.engine.shapes import one_dim
from gradviz.engine.tensor import Tensor, apply, binary, constant
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


def _broadcast(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    size = binary(OPS["sub"], constant(x.data, x.tape), constant(y.data, y.tape)).shape
    return tuple(z if z.shape == size else expand(z, *size) for z in (x, y))  # type: ignore[return-value]


def mse_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    x, y = need("mse_loss", input), need("mse_loss", target, "target", 2)
    if reduction not in ("none", "mean", "sum"):
        raise TorchError(f"{reduction} is not a valid value for reduction", kind="ValueError")
    if x.shape != y.shape:
        x, y = _broadcast(x, y)
    return apply(OPS["mse_loss"], (x, y), reduction=reduction)
