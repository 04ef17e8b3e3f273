"""`Variable`, the wrapper that old code puts around tensors: tensors themselves do what it did."""

from __future__ import annotations

from typing import Any

from gradviz.engine.apply import alias
from gradviz.engine.dtypes import type_name_of
from gradviz.engine.state import warn
from gradviz.engine.tensor import Tensor, current
from gradviz.engine.views import set_requires_grad


class VariableType(type):
    """Makes a tensor of what is wrapped, and takes every tensor for a Variable."""

    def __call__(cls, data: Any = None, requires_grad: bool | None = None, volatile: bool | None = None) -> Any:
        """A leaf that looks into the memory of `data`, and requires grad where that is asked for.

        Raises:
            TypeError: the data is no tensor.
            RuntimeError: whole numbers cannot require grad.
        """
        if volatile:
            warn("volatile was removed and now has no effect. Use `with torch.no_grad():` instead.")
        if data is None:
            return Tensor()
        if not isinstance(data, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type_name_of(data)}")
        made = alias(data)
        if requires_grad:
            if current(data).array.dtype.kind != "f":
                raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
            set_requires_grad(made, True)
        return made

    def __instancecheck__(cls, x: object) -> bool:
        return isinstance(x, Tensor)


class Variable(metaclass=VariableType):
    """See the module."""
