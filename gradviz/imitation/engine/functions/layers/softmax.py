"""Softmax and its logarithm, and the `dim` that `torch.nn.functional` chooses where none is given."""

from __future__ import annotations

from collections.abc import Callable

from gradviz.imitation.engine.dtypes import FLOATING, DType, type_name
from gradviz.imitation.engine.functions.arguments import need
from gradviz.imitation.engine.functions.numbers.conversion import to
from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.kind_names import kind_name
from gradviz.imitation.engine.shapes import one_dim
from gradviz.imitation.engine.tensor import Tensor, apply
from gradviz.imitation.engine.warn import warn_here
from gradviz.errors import TorchError


def softmax(input: Tensor, dim: int, dtype: DType | None = None) -> Tensor:
    x = need("softmax", input) if dtype is None else to(input, dtype)
    return _along("softmax", x, one_dim(dim, x.ndim))


def log_softmax(input: Tensor, dim: int, dtype: DType | None = None) -> Tensor:
    x = need("log_softmax", input) if dtype is None else to(input, dtype)
    return _along("log_softmax", x, one_dim(dim, x.ndim))


def _along(name: str, x: Tensor, dim: int) -> Tensor:
    if x.dtype.kind not in FLOATING and not x.data.size:
        return x
    if x.dtype.kind not in FLOATING:
        kernel = "lastdim_kernel_impl" if dim == max(x.ndim, 1) - 1 else "kernel_impl"
        raise TorchError(
            f"\"{name}_{kernel}\" not implemented for '{type_name(x.dtype)}'",
            kind="NotImplementedError",
            hint="Convert with .float() first.",
        )
    return apply(OPS[name], (x,), dim=dim)


IMPLICIT = "Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument."


def with_dim(name: str, function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """The function as `torch.nn.functional` has it: without `dim` it takes one of its own, and warns."""

    def run(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: DType | None = None) -> Tensor:
        if not isinstance(input, Tensor):
            raise TorchError(f"'{kind_name(input)}' object has no attribute '{name}'", kind="AttributeError")
        if dim is None:
            warn_here(IMPLICIT.format(name=name))
            dim = 0 if need(name, input).ndim in (0, 1, 3) else 1
        return function(input, dim, dtype)

    run.__name__ = name
    return run
