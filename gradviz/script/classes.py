"""`class`, making objects, and `super()`."""

from __future__ import annotations

import ast
from typing import Any

from gradviz.errors import TorchError
from gradviz.script.failures import Code
from gradviz.script.functions import ClassFrame
from gradviz.script.machine import Frame, Machine
from gradviz.script.scope import Scope
from gradviz.script.supers import Super
from gradviz.script.values import Bound, Class, Function, Instance, OnClass, Property, Static, type_name


def compile_class(node: ast.ClassDef, scope: Scope) -> Code:
    """The code that makes a class.

    Raises:
        ScriptError: a metaclass, or syntax that gradviz does not read in its body.
    """
    from gradviz.script.expressions import expression, not_read
    from gradviz.script.functions import decorate
    from gradviz.script.statements import block

    if node.keywords:
        raise not_read(node.keywords[0])
    bases = [expression(base, scope) for base in node.bases]
    body = block(node.body, Scope(qualname=f"{scope.qualname}{node.name}."))
    decorators = [expression(decorator, scope) for decorator in reversed(node.decorator_list)]

    def make(frame: Frame) -> Any:
        parents = tuple(_base(base(frame)) for base in bases)
        inside = ClassFrame(frame.machine, frame)
        body(inside)
        cls: Any = Class(node.name, parents or (frame.machine.builtins["object"],), inside.vars)
        for value in inside.vars.values():
            _own(value, cls)
        for decorator in decorators:
            cls = decorate(frame, decorator(frame), cls)
        return cls

    return make


def _base(base: Any) -> Class:
    if not isinstance(base, Class):
        raise TorchError(f"cannot derive a class from {type_name(base)} '{base!r}'", kind="TypeError")
    if base.python and not base.attributes.get("__open__"):
        raise TorchError(
            f"deriving a class from '{base.name}' is not supported",
            kind="TypeError",
            hint="Keep the value in an attribute.",
        )
    return base


def _own(value: Any, cls: Class) -> None:
    """Tell the functions of a class body which class they belong to, for `super()`."""
    if isinstance(value, Static | OnClass):
        value = value.function
    for function in (value.getter, value.setter) if isinstance(value, Property) else (value,):
        if isinstance(function, Function) and function.owner is None:
            function.owner = cls


def construct(machine: Machine, cls: Class, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """`cls(...)`.

    Raises:
        TorchError: arguments that its `__init__` does not take.
    """
    for ancestor in cls.mro:
        if ancestor.make is not None:
            return machine.call(ancestor.make, (cls, *arguments) if ancestor.make.is_method else arguments, keywords)
        if "__init__" in ancestor.attributes:
            break
    instance = Instance(cls, machine)
    prepare = cls.find("__prepare__")
    if prepare is not None:
        machine.call(prepare, (instance,), {})
    init = cls.find("__init__")
    if init is not None:
        result = machine.call(Bound(init, instance), arguments, keywords)
        if result is not None:
            raise TorchError(f"__init__() should return None, not '{type_name(result)}'", kind="TypeError")
    elif arguments or keywords:
        raise TorchError(f"{cls.name}() takes no arguments", kind="TypeError")
    return instance


def make_super(frame: Frame, arguments: tuple[Any, ...]) -> Super:
    """`super()` or `super(Class, self)`.

    Raises:
        TorchError: outside a method.
    """
    if len(arguments) == 2 and isinstance(arguments[0], Class):
        return Super(arguments[0], arguments[1])
    place: Frame | None = frame
    while place is not None and (place.function is None or place.function.owner is None):
        place = place.outer
    if place is None or place.function is None or place.function.owner is None or place.first is None:
        raise TorchError("super(): no arguments", kind="RuntimeError", hint="Call it inside a method.")
    return Super(place.function.owner, place.first)
