"""Methods that end in an underscore and follow one pattern: the function, whose result takes the tensor's place."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from gradviz.engine import storage
from gradviz.engine.dtypes import type_name
from gradviz.engine.functions import METHODS, NEURAL, turning
from gradviz.engine.tensor import Tensor
from gradviz.errors import TorchError

NAMES = (
    "log1p", "log2", "log10", "exp2", "expm1", "sinh", "cosh", "asin", "acos", "atan", "asinh", "acosh", "atanh",
    "erf", "erfc", "rsqrt", "sinc", "deg2rad", "rad2deg", "frac", "sign", "sgn", "floor", "ceil", "trunc", "fix",
    "round", "logit", "nan_to_num", "arcsin", "arccos", "arctan", "arcsinh", "arccosh", "arctanh", "log", "tan",
    "reciprocal", "square", "floor_divide", "rsub",
    "fmod", "remainder", "atan2", "arctan2", "hypot", "copysign", "lerp", "addcmul", "addcdiv", "clamp_min",
    "clamp_max", "clip", "xlogy", "heaviside", "true_divide", "divide", "multiply", "subtract",
    "masked_fill", "scatter", "scatter_add", "index_add", "index_fill", "index_copy", "index_put", "tril", "triu",
    "masked_scatter", "put", "scatter_reduce", "index_reduce",
    "addmm", "baddbmm", "addbmm", "addmv", "addr", "pow", "float_power", "cumsum", "cumprod", "negative", "absolute",
    "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not", "logical_and", "logical_or", "logical_xor",
    "logical_not", "erfinv", "lgamma", "digamma", "i0", "ldexp", "nextafter", "mvlgamma", "polygamma", "gcd", "lcm",
    "bitwise_left_shift", "bitwise_right_shift", "eq", "ne", "lt", "le", "gt", "ge", "renorm",
    "greater", "greater_equal", "less", "less_equal", "not_equal",
)  # fmt: skip
NEURAL_NAMES = ("leaky_relu", "elu", "selu", "celu", "hardtanh", "relu", "threshold")


def in_place(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """`x.f_(...)` for `f(x, ...)`.

    Raises:
        TorchError: a leaf that requires grad, or a result of another shape or a dtype that does not fit.
    """

    def run(self: Tensor, *arguments: Any, **options: Any) -> Tensor:
        storage.refuse_leaf(self)
        out = function(self, *arguments, **options)
        _check(self, out)
        return storage.become(self, out)

    return run


def _check(tensor: Tensor, out: Tensor) -> None:
    if out.shape != tensor.shape:
        raise TorchError(
            f"output with shape {list(tensor.shape)} doesn't match the broadcast shape {list(out.shape)}",
            hint="An in-place change cannot make a tensor larger.",
        )
    if out.dtype.kind == "f" and tensor.dtype.kind != "f":
        raise TorchError(
            f"result type {type_name(out.dtype)} can't be cast to the desired output type {type_name(tensor.dtype)}"
        )


TENSOR_IN_PLACE: dict[str, Callable[..., Tensor]] = {
    f"{name}_": in_place(METHODS[name]) for name in NAMES if name in METHODS
} | turning.METHODS
"""By name, with the underscore."""
NEURAL_IN_PLACE: dict[str, Callable[..., Tensor]] = {
    f"{name}_": partial(NEURAL[name], inplace=True) for name in NEURAL_NAMES
}
"""Those of `torch.nn.functional`."""
_OF_TORCH = """
    abs acos acosh addmv arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan atanh ceil clamp clamp_max
    clamp_min clip cos cosh deg2rad detach erf erfc exp exp2 expm1 fill fix floor frac gcd i0 index_put lcm ldexp log
    log10 log1p log2 logit nan_to_num neg negative rad2deg reciprocal relu round rsqrt sigmoid sin sinc sinh sqrt
    square tan tanh trunc xlogy zero
"""
OF_TORCH = frozenset(_OF_TORCH.split())
"""Those that `torch` has as functions too, without the underscore."""
