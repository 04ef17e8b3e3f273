"""`torch.nn.init`: fills a tensor in place, without recording it, with PyTorch's own numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.engine.memory import storage
from gradviz.engine.tensor import Tensor
from gradviz.engine.warn import warn
from gradviz.errors import TorchError
from gradviz.script.machine import Machine
from gradviz.script.names.nn.kinds import NO_OP
from gradviz.script.names.torch.generators import stream
from gradviz.script.values import Namespace, Native


def fans(tensor: Tensor) -> tuple[int, int]:
    """Fan in and fan out of a weight.

    Raises:
        TorchError: fewer than two dimensions.
    """
    if tensor.ndim < 2:
        raise TorchError(
            "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions", kind="ValueError"
        )
    field = math.prod(tensor.shape[2:])
    return tensor.shape[1] * field, tensor.shape[0] * field


LINEAR = ("linear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "sigmoid")


def calculate_gain(nonlinearity: str, param: Any = None) -> float:
    """The recommended gain.

    Raises:
        TorchError: an unknown nonlinearity.
    """
    if nonlinearity in LINEAR:
        return 1
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        if isinstance(slope, bool) or not isinstance(slope, int | float):
            raise TorchError(f"negative_slope {param} not a valid number", kind="ValueError")
        return math.sqrt(2.0 / (1 + slope**2))
    known = {"tanh": 5.0 / 3, "relu": math.sqrt(2.0), "selu": 3.0 / 4}
    if nonlinearity not in known:
        raise TorchError(f"Unsupported nonlinearity {nonlinearity}", kind="ValueError")
    return known[nonlinearity]


def _fan(tensor: Tensor, mode: str) -> int:
    if mode.lower() not in ("fan_in", "fan_out"):
        raise TorchError(
            f"Mode {mode.lower()} not supported, please use one of ['fan_in', 'fan_out']", kind="ValueError"
        )
    return fans(tensor)[mode.lower() == "fan_out"]


def _put(tensor: Tensor, array: Any) -> Tensor:
    storage.write(tensor, array)
    return tensor


def constant_(machine: Machine, tensor: Tensor, val: float) -> Tensor:
    return _put(tensor, np.full(tensor.shape, val, tensor.dtype))


def eye_(machine: Machine, tensor: Tensor) -> Tensor:
    if tensor.ndim != 2:
        raise TorchError("Only tensors with 2 dimensions are supported", kind="ValueError")
    return _put(tensor, np.eye(*tensor.shape, dtype=tensor.dtype))


def dirac_(machine: Machine, tensor: Tensor, groups: int = 1) -> Tensor:
    if tensor.ndim not in (3, 4, 5):
        raise TorchError("Only tensors with 3, 4, or 5 dimensions are supported", kind="ValueError")
    if tensor.shape[0] % groups:
        raise TorchError("dim 0 must be divisible by groups", kind="ValueError")
    filled = np.zeros(tensor.shape, tensor.dtype)
    per_group = tensor.shape[0] // groups
    centre = tuple(n // 2 for n in tensor.shape[2:])
    for group in range(groups):
        for d in range(min(per_group, tensor.shape[1])):
            filled[(group * per_group + d, d, *centre)] = 1
    return _put(tensor, filled)


def uniform_(machine: Machine, tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Any = None) -> Tensor:
    return _put(tensor, stream(machine, generator).uniform(tensor.shape, a, b, tensor.dtype.name))


def normal_(machine: Machine, tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Any = None) -> Tensor:
    return _put(tensor, stream(machine, generator).normal(tensor.shape, mean, std, tensor.dtype.name))


def trunc_normal_(
    machine: Machine,
    tensor: Tensor,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    generator: Any = None,
) -> Tensor:
    """Normal numbers within [a, b], by PyTorch's two ways of throwing away what it draws."""

    def below(x: float) -> float:
        return (1.0 + math.erf((x - mean) / std / math.sqrt(2.0))) / 2.0

    if mean < a - 2 * std or mean > b + 2 * std:
        warn(FAR_OUT)
    numbers = stream(machine, generator)
    if below(b) - below(a) > 0.3:
        return _put(tensor, _inside(machine, numbers, tensor, (mean, std, a, b)))
    return _put(tensor, _accepted(machine, numbers, tensor, (mean, std, a, b)))


FAR_OUT = "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of values may be incorrect."
Truncated = tuple[float, float, float, float]


def _inside(machine: Machine, numbers: Any, tensor: Tensor, about: Truncated) -> Any:
    """Normal numbers; those outside are drawn anew, the whole tensor each time."""
    mean, std, a, b = about
    low, high = tensor.dtype.type(a), tensor.dtype.type(b)
    drawn: Any = np.asarray(numbers.normal(tensor.shape, mean, std, tensor.dtype.name))
    while (outside := (drawn < low) | (drawn > high)).any():
        machine.spend(1)
        drawn = np.where(outside, numbers.normal(tensor.shape, mean, std, tensor.dtype.name), drawn)
    return drawn


def _accepted(machine: Machine, numbers: Any, tensor: Tensor, about: Truncated) -> Any:
    """Uniform numbers in [a, b], each kept with the chance that the normal density gives it."""
    mean, std, a, b = about
    kind, name, shape = tensor.dtype.type, tensor.dtype.name, tensor.shape
    peak = kind(-0.5 * ((max(a, min(mean, b)) - mean) / std) ** 2)
    result: Any = np.zeros(shape, tensor.dtype)
    pending: Any = np.ones(shape, np.bool_)
    while pending.any():
        machine.spend(1)
        drawn = np.asarray(numbers.uniform(shape, a, b, name))
        result = np.where(pending, drawn, result)
        density = ((drawn - kind(mean)) / kind(std)) ** 2 * kind(-0.5) - peak
        with np.errstate(divide="ignore"):
            pending &= np.log(numbers.uniform(shape, 0.0, 1.0, name)) > density
    return result


def xavier_uniform_(machine: Machine, tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    std = gain * math.sqrt(2.0 / float(sum(fans(tensor))))
    bound = math.sqrt(3.0) * std
    return uniform_(machine, tensor, -bound, bound, generator)


def xavier_normal_(machine: Machine, tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    return normal_(machine, tensor, 0.0, gain * math.sqrt(2.0 / float(sum(fans(tensor)))), generator)


def kaiming_uniform_(
    machine: Machine,
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Any = None,
) -> Tensor:
    if 0 in tensor.shape:
        warn(NO_OP)
        return tensor
    bound = math.sqrt(3.0) * (calculate_gain(nonlinearity, a) / math.sqrt(_fan(tensor, mode)))
    return uniform_(machine, tensor, -bound, bound, generator)


def kaiming_normal_(
    machine: Machine,
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Any = None,
) -> Tensor:
    if 0 in tensor.shape:
        warn(NO_OP)
        return tensor
    return normal_(machine, tensor, 0, calculate_gain(nonlinearity, a) / math.sqrt(_fan(tensor, mode)), generator)


def orthogonal_(machine: Machine, tensor: Tensor, gain: float = 1, generator: Any = None) -> Tensor:
    if tensor.ndim < 2:
        raise TorchError("Only tensors with 2 or more dimensions are supported", kind="ValueError")
    if not tensor.data.size:
        return tensor
    rows = tensor.shape[0]
    drawn: Any = stream(machine, generator).normal((rows, tensor.data.size // rows), 0.0, 1.0, tensor.dtype.name)
    is_wide = rows < drawn.shape[1]
    q, r = np.linalg.qr(drawn.T if is_wide else drawn)
    q = q * np.sign(np.diagonal(r))
    return _put(tensor, (q.T if is_wide else q).reshape(tensor.shape) * tensor.dtype.type(gain))


def sparse_(machine: Machine, tensor: Tensor, sparsity: float, std: float = 0.01, generator: Any = None) -> Tensor:
    """Normal numbers, with zeros in that part of every column."""
    if tensor.ndim != 2:
        raise TorchError("Only tensors with 2 dimensions are supported", kind="ValueError")
    rows, columns = tensor.shape
    drawn = np.array(stream(machine, generator).normal(tensor.shape, 0.0, std, tensor.dtype.name))
    for column in range(columns):
        drawn[stream(machine, generator).randperm(rows)[: math.ceil(sparsity * rows)], column] = 0
    return _put(tensor, drawn)


def _deprecated(name: str, run: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def function(*arguments: Any, **keywords: Any) -> Tensor:
        warn(f"`nn.init.{name}` is now deprecated in favor of `nn.init.{name}_`.", "FutureWarning")
        return run(*arguments, **keywords)

    return function


def init_namespace(machine: Machine) -> Namespace:
    """`torch.nn.init`, with the names of old code."""
    table: dict[str, Callable[..., Any]] = {
        f.__name__: f
        for f in (
            constant_, eye_, dirac_, uniform_, normal_, trunc_normal_, xavier_uniform_, xavier_normal_,
            kaiming_uniform_, kaiming_normal_, orthogonal_, sparse_,
        )
    }  # fmt: skip
    table |= {"zeros_": lambda machine, tensor: constant_(machine, tensor, 0.0)}
    table |= {"ones_": lambda machine, tensor: constant_(machine, tensor, 1.0)}
    old = ("uniform", "normal", "constant", "xavier_uniform", "xavier_normal", "kaiming_uniform", "kaiming_normal")
    table |= {name: _deprecated(name, table[f"{name}_"]) for name in (*old, "eye", "dirac", "orthogonal", "sparse")}
    members = {name: Native(name, run, needs_machine=True) for name, run in table.items()}
    members["calculate_gain"] = Native("calculate_gain", calculate_gain)
    members["_calculate_correct_fan"] = Native("_calculate_correct_fan", _fan)
    members["_calculate_fan_in_and_fan_out"] = Native("_calculate_fan_in_and_fan_out", fans)
    return Namespace("torch.nn.init", members)
