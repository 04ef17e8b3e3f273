"""Spread, length and running sums."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradviz.engine.dtypes import DType, type_name
from gradviz.engine.functions.arguments import dims_of, need
from gradviz.engine.functions.conversion import to
from gradviz.engine.generic import OPS
from gradviz.engine.shapes import one_dim
from gradviz.engine.tensor import Tensor, apply
from gradviz.errors import ScriptError, TorchError


def _spread(name: str) -> Callable[..., Tensor]:
    def function(
        input: Tensor, dim: Any = None, unbiased: bool = True, keepdim: bool = False, *, correction: Any = None
    ) -> Tensor:
        x = need(name, input)
        if x.dtype.kind != "f":
            raise TorchError(f"{name} and {name}_mean only support floating point and complex dtypes")
        if isinstance(dim, bool):
            dim, unbiased = None, dim
        free = int(unbiased) if correction is None else correction
        return apply(OPS[name], (x,), dim=dims_of(dim, x), correction=free, keepdim=keepdim)

    function.__name__ = name
    return function


def norm(input: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, dtype: DType | None = None) -> Tensor:
    x = need("norm", input) if dtype is None else to(input, dtype)
    if p not in ("fro", 2, None):
        raise ScriptError(f"the norm with p={p} is not supported", hint="Use p=2, or write it with abs and pow.")
    if x.dtype.kind != "f":
        raise TorchError(
            "linalg.vector_norm: Expected a floating point or complex tensor as input. Got " + type_name(x.dtype)
        )
    return apply(OPS["norm"], (x,), dim=dims_of(dim, x), keepdim=keepdim)


def logsumexp(input: Tensor, dim: Any, keepdim: bool = False) -> Tensor:
    x = need("logsumexp", input)
    x = x if x.dtype.kind == "f" else to(x, x.tape.float_dtype)
    return apply(OPS["logsumexp"], (x,), dim=dims_of(dim, x), keepdim=keepdim)


def cumsum(input: Tensor, dim: int, *, dtype: DType | None = None) -> Tensor:
    x = need("cumsum", input) if dtype is None else to(input, dtype)
    return apply(OPS["cumsum"], (x,), dim=one_dim(dim, x.ndim))


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "var": _spread("var"), "std": _spread("std"), "norm": norm, "logsumexp": logsumexp, "cumsum": cumsum,
}  # fmt: skip
