"""Functions as a script holds them: ours, its own, and both taken from an object or marked in a class body."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import ast

    from gradviz.imitation.script.machine import Frame
    from gradviz.imitation.script.values import Class


class Native:
    """A function of ours that a script may call.

    Attributes:
        name: how the script spells it, for messages.
        run: called with the arguments; with the machine first where `needs_machine`.
        members: attributes that a script may read, such as `func` of functools.partial.
        is_functional: whether it is one of `torch.nn.functional`.
        fitting: by a number of tensors, whether its reader takes so many whatever they are.
        reader: the forms that PyTorch reads its arguments by, e.g. "torch.add"; "" where it has them read by Python.
        owner: the type of the plain value that it is a method of, or "".
    """

    shown_as = "builtin_function_or_method"

    __slots__ = ("fitting", "is_functional", "is_method", "members", "name", "needs_machine", "owner", "reader", "run")

    def __init__(
        self, name: str, run: Callable[..., Any], *, needs_machine: bool = False, is_method: bool = False
    ) -> None:
        self.name = name
        self.run = run
        self.needs_machine = needs_machine
        self.is_method = is_method
        self.members: dict[str, Any] = {}
        self.is_functional = False
        self.reader = ""
        self.owner = ""
        self.fitting: dict[int, bool] = {}

    @property
    def is_type(self) -> bool:
        """Whether it stands for a class of Python's own, such as `zip`."""
        return not self.is_method and isinstance(getattr(builtins, self.name, None), type)

    def __repr__(self) -> str:
        if self.is_type:
            return f"<class '{self.name}'>"
        if self.is_functional:
            return f"<function {self.name} at 0x7f0000000000>"
        if self.owner:
            return f"<built-in method {self.name} of {self.owner} object at 0x7f0000000000>"
        if (getattr(self.run, "__module__", None) or "").startswith("gradviz.imitation.engine"):
            return f"<built-in method {self.name} of type object at 0x7f0000000000>"
        return f"<built-in function {self.name}>"


class Function:
    """A function that the script defined.

    Attributes:
        params: its arguments; see `calls.Parameters`.
        body: runs it in a frame and returns the value.
        outer: the frame it was defined in.
        owner: the class whose body defined it, for `super()`.
        members: attributes that the script gave it, and its `__doc__`.
        hints: its annotations, unread: a script can do without the modules that they name.
    """

    shown_as = "function"

    __slots__ = ("body", "hints", "members", "name", "outer", "owner", "params", "qualname")

    def __init__(self, name: str, qualname: str, params: Any, body: Callable[[Frame], Any], outer: Frame) -> None:
        self.name = name
        self.qualname = qualname
        self.params = params
        self.body = body
        self.outer = outer
        self.owner: Class | None = None
        self.members: dict[str, Any] = {}
        self.hints: dict[str, ast.expr] = {}

    def __repr__(self) -> str:
        return f"<function {self.qualname} at 0x7f0000000000>"


class Bound:
    """A function with the object it was taken from."""

    __slots__ = ("function", "receiver")

    def __init__(self, function: Any, receiver: Any) -> None:
        self.function = function
        self.receiver = receiver

    @property
    def shown_as(self) -> str:
        """Its type: a tensor's methods are written in C, but for a few."""
        return "builtin_function_or_method" if self._is_in_c else "method"

    @property
    def _is_in_c(self) -> bool:
        from gradviz.imitation.script.errors.calls import IN_PYTHON

        return self._is_of_tensor and self.function.name not in IN_PYTHON

    @property
    def _is_of_tensor(self) -> bool:
        return isinstance(self.function, Native) and type(self.receiver).__name__ == "Tensor"

    def __repr__(self) -> str:
        name = self.function.qualname if isinstance(self.function, Function) else self.function.name
        if self._is_in_c:
            return f"<built-in method {name} of {_kind(self.receiver)} object at 0x7f0000000000>"
        return f"<bound method {'Tensor.' * self._is_of_tensor}{name} of {self.receiver!r}>"


def _kind(tensor: Any) -> str:
    return "Parameter" if tensor.extra is not None and tensor.extra.is_parameter else "Tensor"


class Static:
    """A function marked with @staticmethod."""

    shown_as = "staticmethod"

    __slots__ = ("function",)

    def __init__(self, function: Any) -> None:
        self.function = function


class OnClass:
    """A function marked with @classmethod."""

    shown_as = "classmethod"

    __slots__ = ("function",)

    def __init__(self, function: Any) -> None:
        self.function = function


class Property:
    """A function marked with @property, with its setter and deleter where it has them.

    Attributes:
        doc: the text given with it; without one the getter's is asked for.
    """

    shown_as = "property"

    __slots__ = ("deleter", "doc", "getter", "setter")

    def __init__(self, getter: Any, setter: Any = None, deleter: Any = None, doc: Any = None) -> None:
        self.getter = getter
        self.setter = setter
        self.deleter = deleter
        self.doc = doc


class Once:
    """A function marked with @cached_property: its value stays with the object."""

    shown_as = "cached_property"

    __slots__ = ("function",)

    def __init__(self, function: Any) -> None:
        self.function = function
