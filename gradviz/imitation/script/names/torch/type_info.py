"""What torch says of dtypes: `finfo`, `iinfo`, the default dtype, and which dtype a result has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.imitation.engine.dtypes import FLOATING, DType, category, limits_of, number_dtype, result_dtype
from gradviz.imitation.engine.functions.arguments import need
from gradviz.imitation.engine.tensor import Tensor
from gradviz.imitation.engine.warn import warn
from gradviz.errors import TorchError
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.tensors.kinds import named_type
from gradviz.imitation.script.torch_values import DTypeName
from gradviz.imitation.script.values import Class, Native

RESOLUTION = {"bfloat16": 1e-2, "float16": 1e-3, "float32": 1e-6, "float64": 1e-15}

OLD_DEFAULT = (
    "torch.set_default_tensor_type() is deprecated as of PyTorch 2.1, please use torch.set_default_dtype() and "
    "torch.set_default_device() as alternatives."
)


class FloatInfo:
    """`torch.finfo`: the limits of a floating dtype."""

    FIELDS = ("bits", "eps", "max", "min", "tiny", "smallest_normal", "resolution", "dtype")

    def __init__(self, dtype: DType) -> None:
        limits = limits_of(dtype)
        self.bits = limits.bits
        self.eps, self.max, self.min = float(limits.eps), float(limits.max), float(limits.min)
        self.tiny = self.smallest_normal = float(limits.tiny)
        self.resolution = RESOLUTION[dtype.name]
        self.dtype = dtype.name

    def __repr__(self) -> str:
        return (
            f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, eps={self.eps:g}, "
            f"smallest_normal={self.tiny:g}, tiny={self.tiny:g}, dtype={self.dtype})"
        )


class WholeInfo:
    """`torch.iinfo`: the limits of a dtype of whole numbers."""

    FIELDS = ("bits", "max", "min", "dtype")

    def __init__(self, dtype: DType) -> None:
        limits = np.iinfo(dtype)
        self.bits, self.max, self.min, self.dtype = limits.bits, int(limits.max), int(limits.min), dtype.name

    def __repr__(self) -> str:
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"


def members(machine: Machine, dtype_of: Callable[[Any], DType | None]) -> dict[str, Any]:
    """The names of `torch` that are about dtypes.

    Args:
        dtype_of: numpy's dtype for what a script gives as dtype.
    """
    tape = machine.tape

    def finfo(type: Any = None) -> FloatInfo:
        dtype = dtype_of(type) or tape.float_dtype
        if dtype.kind not in FLOATING:
            raise TorchError(
                "torch.finfo() requires a floating point input type. Use torch.iinfo to handle 'torch.finfo'",
                kind="TypeError",
            )
        return FloatInfo(dtype)

    def iinfo(type: Any) -> WholeInfo:
        dtype = dtype_of(type)
        if dtype is None or dtype.kind not in "iu":
            raise TorchError(
                "torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'",
                kind="TypeError",
            )
        return WholeInfo(dtype)

    def set_default_dtype(d: Any) -> None:
        dtype = dtype_of(d)
        if dtype is None or dtype.kind not in FLOATING:
            raise TorchError("only floating-point types are supported as the default type", kind="TypeError")
        tape.float_dtype = dtype

    def set_default_tensor_type(t: Any) -> None:
        warn(OLD_DEFAULT, once=True)
        dtype = named_type(t)
        if dtype is None:
            raise TorchError("invalid type object: only floating-point types are supported as the default type")
        set_default_dtype(DTypeName(dtype))

    table: dict[str, Callable[..., Any]] = {
        "set_default_dtype": set_default_dtype, "set_default_tensor_type": set_default_tensor_type,
        "get_default_dtype": lambda: DTypeName(tape.float_dtype), "result_type": result_type, "can_cast": can_cast,
        "promote_types": promote_types, "is_floating_point": is_floating_point, "is_complex": is_complex,
        "is_nonzero": is_nonzero,
    }  # fmt: skip
    return {
        **{name: Native(name, run) for name, run in table.items()},
        "finfo": Class("finfo", python=(FloatInfo,), make=Native("finfo", finfo), module="torch"),
        "iinfo": Class("iinfo", python=(WholeInfo,), make=Native("iinfo", iinfo), module="torch"),
        "dtype": Class("dtype", python=(DTypeName,), module="torch"),
    }


def result_type(tensor1: Any, tensor2: Any) -> DTypeName:
    if not isinstance(tensor1, Tensor) and not isinstance(tensor2, Tensor):
        return DTypeName(number_dtype(tensor2, number_dtype(tensor1, np.dtype(np.bool_))))
    if not isinstance(tensor1, Tensor):
        tensor1, tensor2 = tensor2, tensor1
    if isinstance(tensor2, Tensor):
        return DTypeName(result_dtype(tensor1.data, tensor2.data))
    return DTypeName(number_dtype(tensor2, tensor1.dtype, tensor1.tape.float_dtype))


def can_cast(from_: DTypeName, to: DTypeName) -> bool:
    """Whether a result of one dtype may be written into another."""
    return category(from_.dtype) <= category(to.dtype)


def promote_types(type1: DTypeName, type2: DTypeName) -> DTypeName:
    return DTypeName(result_dtype(np.empty(1, type1.dtype), np.empty(1, type2.dtype)))


def is_floating_point(input: Any) -> bool:
    return need("is_floating_point", input).dtype.kind in FLOATING


def is_complex(input: Any) -> bool:
    return need("is_complex", input).dtype.kind == "c"


def is_nonzero(input: Any) -> bool:
    x = need("is_nonzero", input)
    if x.data.size != 1:
        few = "no values" if not x.data.size else "more than one value"
        raise TorchError(f"Boolean value of Tensor with {few} is ambiguous")
    return bool(x.data.item())
