"""`Variable`, the wrapper that old code puts around tensors: tensors themselves do what it did."""

from __future__ import annotations

from typing import Any

from gradviz.engine.apply import alias, tensor_given
from gradviz.engine.state import warn
from gradviz.engine.tensor import Tensor, current, extra_of
from gradviz.engine.views import set_requires_grad


class VariableType(type):
    """Makes a tensor of what is wrapped, and takes every tensor for a Variable."""

    def __call__(cls, data: Any = None, requires_grad: bool | None = None, volatile: bool | None = None) -> Any:
        """A tensor that looks into the memory of `data`; itself a leaf that requires grad where that is asked for."""
        if volatile:
            warn("volatile was removed and now has no effect. Use `with torch.no_grad():` instead.")
        x = tensor_given("Variable", data, "data")
        made = alias(x)
        extra_of(made).is_detached = False
        if requires_grad or (requires_grad is None and current(x).tracked and current(x).op is None):
            set_requires_grad(made, True)
        return made

    def __instancecheck__(cls, x: object) -> bool:
        return isinstance(x, Tensor)


class Variable(metaclass=VariableType):
    """See the module."""
