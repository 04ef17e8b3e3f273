"""Activation functions, softmax, dropout, and what measures vectors: normalize, cosine similarity, distance."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.engine.apply import apply, function_of
from gradviz.engine.dtypes import DType, dtype_of
from gradviz.engine.functions import elementwise as e
from gradviz.engine.functions.dims import dim_within
from gradviz.engine.functions.given import floats_given, in_place_of
from gradviz.engine.functions.shape import memory_order
from gradviz.engine.operands import array_of, floating, tensor_given
from gradviz.engine.sampling import default_generator
from gradviz.engine.state import warn
from gradviz.engine.tensor import Tensor, constant, current
from gradviz.engine.views import in_place, replace
from gradviz.ops.activation import (
    ELU,
    GELU,
    GLU,
    HARDSIGMOID,
    HARDSWISH,
    HARDTANH,
    LEAKY_RELU,
    LOG_SIGMOID,
    LOG_SOFTMAX,
    MISH,
    PRELU,
    RELU,
    SELU,
    SELU_ALPHA,
    SELU_SCALE,
    SILU,
    SOFTMAX,
    SOFTPLUS,
)
from gradviz.ops.op import Op
from gradviz.ops.promotion import result_dtype
from gradviz.ops.reduction import OLD_NORM

# ---- element by element -----------------------------------------------------------------------------------------

relu_of = function_of(RELU)


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """max(input, 0), element by element."""
    return relu_of(input) if not inplace else in_place_of(input, relu_of(input), inplace)


relu_ = in_place(relu_of, "relu_")


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """input where it is positive, else negative_slope · input."""
    x = floats_given("leaky_relu", input, "leaky_relu_cpu")
    return in_place_of(input, apply(LEAKY_RELU, (x,), negative_slope=float(negative_slope)), inplace)


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """input kept between min_val and max_val."""
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    x = current(tensor_given("hardtanh", input))
    return in_place_of(input, apply(HARDTANH, (x,), min_val=min_val, max_val=max_val), inplace)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """input kept between 0 and 6."""
    return hardtanh(input, 0, 6, inplace)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """input where it is positive, else alpha · (exp(input) − 1)."""
    return in_place_of(input, apply(ELU, (floats_given("elu", input, "elu_cpu"),), alpha=float(alpha)), inplace)


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """ELU with the scale and alpha that keep mean 0 and variance 1 through many layers."""
    return in_place_of(input, apply(SELU, (floats_given("selu", input, "elu_cpu"),)), inplace)


def gelu(input: Tensor, *, approximate: str = "none") -> Tensor:
    """input · Φ(input); with approximate="tanh" by a formula with tanh.

    Raises:
        RuntimeError: another word for `approximate`.
    """
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    return apply(GELU, (floats_given("gelu", input, "GeluKernelImpl"),), approximate=approximate)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """input · sigmoid(input), also called swish."""
    return in_place_of(input, apply(SILU, (floats_given("silu", input, "silu_cpu"),)), inplace)


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """input · tanh(softplus(input))."""
    return in_place_of(input, apply(MISH, (floats_given("mish", input, "mish_cpu"),)), inplace)


def softplus(input: Tensor, beta: float = 1, threshold: float = 20) -> Tensor:
    """ln(1 + exp(beta · input)) / beta; input itself where beta · input is above the threshold."""
    x = floats_given("softplus", input, "softplus_cpu")
    return apply(SOFTPLUS, (x,), beta=float(beta), threshold=float(threshold))


def softsign(input: Tensor) -> Tensor:
    """input / (1 + |input|)."""
    return e.div(input, e.add(e.abs(input), 1))


def logsigmoid(input: Tensor) -> Tensor:
    """ln sigmoid(input), without overflow."""
    return apply(LOG_SIGMOID, (floats_given("log_sigmoid", input, "log_sigmoid_cpu"),))


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """(input + 3) / 6, kept between 0 and 1."""
    return in_place_of(input, apply(HARDSIGMOID, (floats_given("hardsigmoid", input, "hardsigmoid_cpu"),)), inplace)


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """input · hardsigmoid(input)."""
    return in_place_of(input, apply(HARDSWISH, (floats_given("hardswish", input, "hardswish_cpu"),)), inplace)


def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """input where it is positive, else weight · input; weight has one element, or one for each channel (dim 1).

    Raises:
        RuntimeError: the weight fits neither.
    """
    x, w = current(tensor_given("prelu", input)), current(tensor_given("prelu", weight, "weight", 2))
    shape = x.array.shape
    channels = shape[1] if len(shape) > 1 else 1
    if w.array.size not in (1, channels):
        raise RuntimeError(
            "Mismatch of parameter numbers and input channel size. Found parameter numbers = "
            f"{w.array.size} and channel size = {channels}."
        )
    wanted = tuple([w.array.size if i == 1 else 1 for i in range(len(shape))])
    fits = w.array.size == 1 and w.array.ndim == min(len(shape), 1)
    return apply(PRELU, (x, weight if fits else weight.reshape(wanted)))


def glu(input: Tensor, dim: int = -1) -> Tensor:
    """a · sigmoid(b), where a and b are the halves of input along a dim.

    Raises:
        RuntimeError: the size of that dim is odd.
    """
    x = floats_given("glu", input, "glu_cpu")
    dim = dim_within(dim, x.array.ndim)
    if not x.array.ndim:
        raise RuntimeError("glu does not support 0-dimensional tensors")
    if x.array.shape[dim] % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {dim} is size {x.array.shape[dim]}")
    return apply(GLU, (x,), dim=dim)


# ---- softmax ----------------------------------------------------------------------------------------------------


def _along(function: str, op: Op, input: Tensor, dim: int | None, dtype: DType | None) -> Tensor:
    x = tensor_given(function, input)
    if dtype is not None:
        x = e.convert(x, dtype)
    ndim = current(x).array.ndim
    if dim is None:
        dim = 0 if ndim in (0, 1, 3) else 1
        warn(
            f"Implicit dimension choice for {function} has been deprecated. Change the call to include dim=X as an "
            "argument."
        )
    dim = dim_within(dim, ndim)
    last = "lastdim_" if dim >= ndim - 1 else ""
    x = floats_given(function, x, f"{op.name}_{last}kernel_impl")
    return apply(op, (x,), dim=dim if ndim else None)


def softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: DType | None = None) -> Tensor:
    """exp(input) / Σ exp(input) along a dim: positive numbers that sum to 1.

    Raises:
        IndexError: there is no such dim.
        NotImplementedError: input holds whole numbers.
    """
    return _along("softmax", SOFTMAX, input, dim, dtype)


def log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: DType | None = None) -> Tensor:
    """ln softmax(input) along a dim, without overflow; raises what `softmax` raises."""
    return _along("log_softmax", LOG_SOFTMAX, input, dim, dtype)


def _named_dim(function: str, dim: int | None, axis: int | None) -> int:
    """The dim, which must be named, under one of its two names."""
    found = axis if dim is None else dim
    if found is None:
        raise TypeError(f'{function}() missing 1 required positional arguments: "dim"')
    return found


def softmax_along(
    input: Tensor, dim: int | None = None, dtype: DType | None = None, *, axis: int | None = None
) -> Tensor:
    """`torch.softmax` and `x.softmax`: as `softmax`, but the dim must be named."""
    return _along("softmax", SOFTMAX, input, _named_dim("softmax", dim, axis), dtype)


def log_softmax_along(
    input: Tensor, dim: int | None = None, dtype: DType | None = None, *, axis: int | None = None
) -> Tensor:
    """`torch.log_softmax` and `x.log_softmax`: as `log_softmax`, but the dim must be named."""
    return _along("log_softmax", LOG_SOFTMAX, input, _named_dim("log_softmax", dim, axis), dtype)


def gumbel_softmax(logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Tensor:
    """A sample that is nearly one-hot (Jang, Gu and Poole, 2017); hard=True makes it one-hot going forward.

    Its gradient is that of softmax((logits + noise) / tau) in both cases.
    """
    x = current(tensor_given("gumbel_softmax", logits))
    noise = -np.log(default_generator.exponential(x.array.shape, 1.0, x.array.dtype))
    soft = softmax((logits + constant(noise)) / tau, dim)
    if not hard:
        return soft
    array = current(soft).array
    largest = np.expand_dims(np.argmax(array, dim), dim)
    sharp = np.zeros_like(array)
    np.put_along_axis(sharp, largest, 1, dim)
    found: Tensor = constant(sharp) - soft.detach() + soft
    return found


# ---- dropout ----------------------------------------------------------------------------------------------------


def _check_probability(p: float) -> None:
    if not 0 <= p <= 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def _dropped(x: Tensor, p: float, training: bool, inplace: bool, shape: tuple[int, ...]) -> Tensor:
    """x times a mask of 0 and 1 / (1 − p), drawn in a shape that broadcasts to it."""
    now = current(x)
    if not training or p == 0 or not now.array.size:
        return x
    if now.array.dtype.kind != "f":
        kind = dtype_of(now.array.dtype).type_name
        raise RuntimeError(f"result type Float can't be cast to the desired output type {kind}")
    if p == 1:
        return in_place_of(x, e.mul(x, constant(now.array.dtype.type(0))), inplace)
    # Random numbers are drawn in the order of memory, which for a turned view is not that of its dims.
    order = memory_order(x) if shape == now.array.shape else tuple(range(len(shape)))
    mask = np.asarray(default_generator.dropout_mask([shape[dim] for dim in order], p, now.array.dtype))
    mask = mask.transpose(np.argsort(order).tolist())[()]
    return in_place_of(x, e.mul(x, constant(mask)), inplace)


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """In training each number is set to 0 with probability p, and what stays is divided by 1 − p.

    Raises:
        ValueError: p lies outside [0, 1].
    """
    _check_probability(p)
    return _dropped(tensor_given("dropout", input), p, training, inplace, current(input).array.shape)


def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Dropout of whole channels of [N, C, H, W].

    Raises:
        RuntimeError: fewer than two dims.
    """
    _check_probability(p)
    shape = current(tensor_given("dropout2d", input)).array.shape
    if len(shape) < 2:
        raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
    return _dropped(input, p, training, inplace, (*shape[:2], *(1,) * (len(shape) - 2)))


def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False) -> Tensor:
    """Dropout that keeps mean and variance behind a SELU (Klambauer and others, 2017).

    A dropped number becomes −scale · alpha, and an affine map a · x + b restores the moments.
    """
    _check_probability(p)
    x = floats_given("alpha_dropout", input, "bernoulli_scalar_cpu_")
    if not training or p == 0 or not x.array.size:
        return input
    if p == 1:
        return e.mul(input, constant(x.array.dtype.type(0)))
    lowest = SELU_SCALE * SELU_ALPHA
    kept: Any = default_generator.bernoulli_mask(x.array.shape, 1 - p, x.array.dtype)
    a = 1 / math.sqrt((lowest * lowest * p + 1) * (1 - p))
    return e.add(e.mul(input, constant(kept * a)), constant((kept - 1) * (lowest * a) + lowest * a * p))


# ---- vectors ----------------------------------------------------------------------------------------------------


def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> Tensor:
    """input divided by its p-norm along a dim, or by eps where the norm is smaller."""
    norm = tensor_given("normalize", input).norm(p, dim, keepdim=True)
    return e.div(input, e.clamp_min(norm, eps).expand(current(input).array.shape))


def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """The cosine of the angle between vectors along a dim; norms below eps count as eps."""
    both = [tensor_given("cosine_similarity", x1, "x1"), tensor_given("cosine_similarity", x2, "x2", 2)]
    arrays = [array_of(x) for x in both]
    if arrays[0].dtype != arrays[1].dtype:
        both = [e.convert(x, dtype_of(result_dtype(*arrays))) for x in both]
    if arrays[0].shape != arrays[1].shape:
        shape = np.broadcast_shapes(*[array.shape for array in arrays])
        both = [x if array.shape == shape else x.expand(shape) for x, array in zip(both, arrays, strict=True)]
    first, second = (e.div(x, _norm_above(x, dim, eps)) for x in both)
    found: Tensor = e.mul(first, second).sum(dim)
    return found


def _norm_above(x: Tensor, dim: int, eps: float) -> Tensor:
    """The norms along a dim, at least eps; that bound is unknown to the gradient, which flows as if it were not."""
    size = e.clone(x.norm(2, dim, keepdim=True))
    array = current(size).array
    if np.any(array < eps):
        replace(size, np.maximum(array, eps))
    return size


def pairwise_distance(x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Tensor:
    """The p-norm of x1 − x2 + eps along the last dim."""
    return apply(OLD_NORM, (e.plus_number(floating(e.sub(x1, x2)), eps),), p=p, dim=(-1,), keepdim=keepdim)


def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """input1ᵀ W input2 + bias, for each of the matrices of weight [out, in1, in2]."""
    x, y, w = (current(tensor_given("bilinear", each)).array.shape for each in (input1, input2, weight))
    for number, (i, j) in enumerate(zip(x[:-1], y[:-1], strict=False)):
        if i != j:
            raise RuntimeError(f"bilinear(): input batch dimensions do not match at dim {number}: got {i} and {j}")
    for name, given, wanted in (("input1", x[-1], w[1]), ("input2", y[-1], w[2])):
        if given != wanted:
            raise RuntimeError(f"bilinear(): {name} size does not match weight size: got {given} but expected {wanted}")
    if bias is not None and current(bias).array.shape[0] != w[0]:
        size = current(bias).array.shape[0]
        raise RuntimeError(f"bilinear(): bias size does not match weight size: got {size} but expected {w[0]}")
    rows = input1.unsqueeze(-2).unsqueeze(-2) @ weight
    found: Tensor = e.mul(rows.squeeze(-2), input2.unsqueeze(-2)).sum(-1)
    return found if bias is None else e.add(found, bias)


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """Class numbers as rows of 0 with one 1; int64 of shape [..., num_classes].

    Raises:
        RuntimeError: no int64, a negative class, or one of num_classes or more.
    """
    index = array_of(tensor_given("one_hot", tensor, "tensor"))
    if index.dtype != np.int64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if not np.size(index) and num_classes <= 0:
        raise RuntimeError("Can not infer total number of classes from empty tensor.")
    if np.size(index) and np.min(index) < 0:
        raise RuntimeError("Class values must be non-negative.")
    most = int(np.max(index, initial=-1))
    count = most + 1 if num_classes == -1 else int(num_classes)
    if count < 1:
        raise RuntimeError("num_classes should be positive")
    if most >= count:
        raise RuntimeError("Class values must be smaller than num_classes.")
    return constant((np.asarray(index)[..., None] == np.arange(count)).astype(np.int64))


# ---- where it is found ------------------------------------------------------------------------------------------

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "log_softmax": log_softmax_along, "prelu": prelu, "relu": relu_of, "softmax": softmax_along,
}  # fmt: skip
"""What is a function of torch and a method of tensors alike."""
IN_PLACE = "relu"
"""What is also done in place, under the name with an underscore."""
NAMESPACE: dict[str, Callable[..., Any]] = {
    "bilinear": bilinear, "cosine_similarity": cosine_similarity, "dropout": dropout,
    "pairwise_distance": pairwise_distance, "relu_": relu_, "selu": selu,
}  # fmt: skip
"""What is a function of torch but no method of tensors."""
