"""Activation functions of `torch.nn.functional` and `torch`."""
# ruff: noqa: ARG001 - `inplace` is read by `switchable`, which wraps those that have it

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from gradviz.imitation.engine.dtypes import FLOATING, DType, type_name
from gradviz.imitation.engine.functions.arguments import need, refuse_bool, refuse_whole
from gradviz.imitation.engine.functions.layers.softmax import softmax
from gradviz.imitation.engine.functions.numbers.arithmetic import abs, add, div, neg, relu, sub, tanh
from gradviz.imitation.engine.functions.shapes.shaping import reshape
from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.memory import storage
from gradviz.imitation.engine.shapes import one_dim
from gradviz.imitation.engine.tensor import Tensor, apply, binary, constant, unary
from gradviz.errors import TorchError

GELU = "GeluKernelImpl"


KERNELS = {GELU: GELU, "softshrink": "softshrink_check"}
"""Kernels that are not called by the function's name and `_cpu`."""


def _given(name: str, input: Any) -> Tensor:
    x = need(name, input)
    if x.dtype.kind not in FLOATING:
        raise TorchError(
            f"\"{KERNELS.get(name, name + '_cpu')}\" not implemented for '{type_name(x.dtype)}'",
            kind="NotImplementedError",
            hint="Convert with .float() first.",
        )
    return x


def _of(name: str, inplace: bool) -> str:
    """The op of a function, or the one whose node keeps what is left of a change in place."""
    return f"{name}_" if inplace else name


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    return apply(OPS[_of("leaky_relu", inplace)], (_given("leaky_relu", input),), negative_slope=negative_slope)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    return apply(OPS[_of("elu", inplace)], (_given("elu", input),), alpha=alpha, scale=1.0, input_scale=1.0)


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    alpha, scale = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946
    return apply(OPS[_of("elu", inplace)], (_given("elu", input),), alpha=alpha, scale=scale, input_scale=1.0)


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    if alpha == 0:
        raise TorchError("ZeroDivisionError: alpha cannot be 0 for CELU")
    return apply(OPS[_of("celu", inplace)], (_given("elu", input),), alpha=alpha, scale=1.0, input_scale=1.0 / alpha)


def gelu(input: Tensor, *, approximate: str = "none") -> Tensor:
    if approximate not in ("none", "tanh"):
        raise TorchError("approximate argument must be either none or tanh.")
    return apply(OPS["gelu"], (_given(GELU, input),), approximate=approximate)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    return unary(OPS["silu"], _given("silu", input))


def softplus(input: Tensor, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    return apply(OPS["softplus"], (_given("softplus", input),), beta=beta, threshold=threshold)


def softsign(input: Tensor) -> Tensor:
    x = need("softsign", input)
    return div(x, add(abs(x), 1))


def logsigmoid(input: Tensor) -> Tensor:
    return unary(OPS["logsigmoid"], _given("log_sigmoid", input))


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    if min_val > max_val:
        raise TorchError("min_val cannot be greater than max_val", kind="ValueError")
    x = need("hardtanh", input)
    if x.dtype.kind == "b":
        raise TorchError("Bool inputs not supported for hardtanh", hint="Convert with .float() first.")
    if x.dtype.kind not in FLOATING:  # of whole numbers it is a clamp, whose bounds are cut
        low, high = (x.dtype.type(int(bound)) for bound in (min_val, max_val))
        return constant(np.clip(x.data, low, high), x.tape)
    return apply(OPS["hardtanh"], (x,), min_val=min_val, max_val=max_val)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    return hardtanh(input, 0.0, 6.0)


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    return unary(OPS["hardsigmoid"], _given("hardsigmoid", input))


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    return unary(OPS["hardswish"], _given("hardswish", input))


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    return unary(OPS["mish"], _given("mish", input))


def tanhshrink(input: Tensor) -> Tensor:
    return sub(input, tanh(input))


def softshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    if lambd < 0:
        raise TorchError(f"lambda must be greater or equal to 0, but found to be {lambd:g}.")
    return apply(OPS["softshrink"], (_given("softshrink", input),), lambd=lambd)


def hardshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    return apply(OPS["hardshrink"], (_given("hardshrink", input),), lambd=lambd)


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    x = need("threshold", input)
    refuse_bool(x, "threshold_cpu")
    return apply(OPS[_of("threshold", inplace)], (x,), threshold=threshold, value=value)


def rrelu(
    input: Tensor,
    lower: float = 1.0 / 8,
    upper: float = 1.0 / 3,
    training: bool = False,
    inplace: bool = False,
    draw: Callable[[int], Any] | None = None,
) -> Tensor:
    """Leaky ReLU with slopes drawn at random while training.

    Args:
        draw: draws so many slopes; where it is missing, and not while training, each is the middle of the two.
    """
    if lower > upper:
        raise TorchError("Lower bound should be less than or equal to the upper bound")
    x = _given("rrelu_with_noise_out" if training else "leaky_relu", input)
    noise = np.ones(x.shape, x.dtype)
    negative = np.asarray(x.data <= 0 if training else ~(x.data > 0))
    noise[negative] = draw(int(negative.sum())) if training and draw is not None else (lower + upper) / 2
    return apply(OPS[_of("rrelu", inplace)], (x,), noise=noise[()])


def prelu(input: Tensor, weight: Tensor) -> Tensor:
    x, w = need("prelu", input), need("prelu", weight, "weight", 2)
    if x.dtype != w.dtype:
        names = (type_name(t.dtype) for t in (x, w))
        raise TorchError("prelu: Type promoting not supported. Got {} and {}".format(*names))
    channels = w.data.size
    if channels != 1 and x.ndim == 0:
        raise TorchError("Not allow zero-dim input tensor.")
    if channels != 1 and channels != (x.shape[1] if x.ndim > 1 else 1):
        raise TorchError(
            f"Mismatch of parameter numbers and input channel size. Found parameter numbers = {channels} and channel "
            f"size = {x.shape[1] if x.ndim > 1 else 1}."
        )
    shape = tuple(channels if i == 1 else 1 for i in range(x.ndim)) if x.ndim > 1 else (channels,) * x.ndim
    return binary(OPS["prelu"], x, w if w.shape == shape else reshape(w, shape))


def glu(input: Tensor, dim: int = -1) -> Tensor:
    x = need("glu", input)
    if x.ndim == 0:
        raise TorchError("glu does not support scalars because halving size must be even")
    axis = one_dim(dim, x.ndim)
    if x.shape[axis] % 2:
        raise TorchError(f"Halving dimension must be even, but dimension {axis} is size {x.shape[axis]}")
    refuse_whole(x, "glu_cpu")
    return apply(OPS["glu"], (x,), dim=axis)


def softmin(input: Tensor, dim: int, dtype: DType | None = None) -> Tensor:
    return softmax(neg(input), dim, dtype)


def relu_(input: Tensor, inplace: bool = False) -> Tensor:
    """`torch.nn.functional.relu`, which has one argument more."""
    return relu(input)


def switchable(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """The function with its argument `inplace`: where it is true, the result takes the tensor's place."""
    signature = inspect.signature(function)

    @wraps(function)
    def run(*arguments: Any, **options: Any) -> Tensor:
        if len(arguments) == 1 and not options:
            return function(arguments[0])  # binding takes longer than most of these functions
        given = signature.bind(*arguments, **options).arguments
        if not given.get("inplace"):
            return function(*arguments, **options)
        x = given["input"]
        storage.refuse_leaf(x)
        return storage.become(x, function(*arguments, **options))

    return run if "inplace" in signature.parameters else function


_ALL = (
    leaky_relu, elu, selu, celu, gelu, silu, softplus, softsign, logsigmoid, hardtanh, relu6, hardsigmoid, hardswish,
    mish, tanhshrink, softshrink, hardshrink, threshold, rrelu, prelu, glu, softmin,
)  # fmt: skip
NEURAL: dict[str, Callable[..., Any]] = {f.__name__: switchable(f) for f in _ALL} | {"relu": switchable(relu_)}
FUNCTIONS: dict[str, Callable[..., Any]] = {f.__name__: f for f in (selu, celu, prelu, hardshrink, threshold, rrelu)}
METHODS: dict[str, Callable[..., Any]] = {f.__name__: f for f in (prelu, hardshrink)}

__all__ = ["FUNCTIONS", "METHODS", "NEURAL"]
