"""Parameter: a tensor that a module learns."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from gradviz.engine.creation import lengths_given
from gradviz.engine.devices import check_device
from gradviz.engine.display import tensor_text
from gradviz.engine.dtypes import DType, type_name_of
from gradviz.engine.state import state
from gradviz.engine.tensor import EVEN, Tensor, belong, constant, current, extra_of, memory_of
from gradviz.engine.views import set_requires_grad
from gradviz.ops.op import Array


class Parameter(Tensor):
    """A tensor that a module counts among its parameters when it is assigned as an attribute.

    It looks into the memory of the tensor that it is made of, and requires grad. Made of a part of a tensor, or of one
    that requires grad, it has memory of its own.
    """

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True) -> Parameter:
        """A parameter of the numbers of a tensor; an empty one without a tensor.

        Raises:
            AttributeError: the data is no tensor.
            RuntimeError: whole numbers cannot require grad.
        """
        if data is None:
            return _fresh(cls, np.zeros(0, state.dtype), requires_grad)
        if not isinstance(data, Tensor):
            raise AttributeError(f"'{type_name_of(data)}' object has no attribute 'detach'")
        array = current(data).array
        if requires_grad and array.dtype.kind != "f":
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        if not _can_share(data):
            return _fresh(cls, np.array(array)[()], bool(requires_grad))
        made = _fresh(cls, array, requires_grad=False)
        belong(made, memory_of(data), ())
        # The memory is that of a leaf from now on; whoever holds the data goes on looking at its numbers alone.
        extra_of(data).is_detached = True
        set_requires_grad(made, bool(requires_grad))
        return made

    def __copy__(self) -> Parameter:
        return type(self)(self.detach(), self.requires_grad)

    def __deepcopy__(self, memo: dict[int, Any]) -> Parameter:
        now = current(self)
        made = _fresh(type(self), np.array(now.array)[()], now.tracked)
        made.__dict__.update(copy.deepcopy(self.__dict__, memo))
        memo[id(self)] = made
        return made

    def __repr__(self) -> str:
        return f"Parameter containing:\n{tensor_text(self, 'tensor')}"

    __str__ = __repr__


def _can_share(data: Tensor) -> bool:
    """Whether a parameter can look into the memory of a tensor: if that is no leaf's already, and no part of one."""
    if current(data).tracked:
        return False
    extra = extra_of(data)
    return extra.memory is None or not (extra.path or extra.memory.entry.tracked)


def _fresh(cls: type[Parameter], array: Array, requires_grad: bool) -> Parameter:
    """A parameter with memory of its own."""
    made = object.__new__(cls)
    made.array = array
    made.form = None
    made.tracked = requires_grad
    made.op = None
    made.inputs = ()
    made.params = EVEN
    made.index = -1
    made.incoming = None
    made.extra = None
    return made


def new_parameter(*shape: int, fill: float = 0.0, dtype: DType | None = None, device: Any = None) -> Parameter:
    """A parameter with one number throughout.

    Args:
        dtype: the default dtype where it is None.
        device: the CPU.
    """
    sizes = lengths_given("empty", shape)
    return _fresh(Parameter, np.full(sizes, fill, dtype_wanted(dtype, device))[()], requires_grad=True)


def new_buffer(*shape: int, fill: float = 0.0, dtype: DType | None = None, device: Any = None) -> Tensor:
    """A tensor with one number throughout, for a module to keep; see `new_parameter`."""
    return constant(np.full(shape, fill, dtype_wanted(dtype, device))[()])


def dtype_wanted(dtype: DType | None, device: Any) -> np.dtype[Any]:
    """The numpy dtype that a layer's `dtype` asks for; the default dtype where it is None.

    Raises:
        Beyond: a device other than the CPU.
    """
    check_device(device)
    return state.dtype if dtype is None else dtype.numpy
