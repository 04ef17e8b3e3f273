"""Exceptions of a script: classes by name, `raise`, and `try` with what it catches.

An error of the engine and an exception that the script raised are caught alike, by the class's name. Limits,
Stop and unsupported syntax cannot be caught.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, NamedTuple

from gradviz.errors import Cancelled, GradvizError, ScriptError, TorchError
from gradviz.script.failures import Code, located
from gradviz.script.machine import Frame, Machine
from gradviz.script.scope import Scope
from gradviz.script.values import Class, Instance, Native, Raised, type_name

TREE = """
BaseException > Exception KeyboardInterrupt SystemExit
Exception > ArithmeticError AssertionError AttributeError ImportError LookupError NameError OSError RuntimeError
Exception > StopIteration SyntaxError TypeError ValueError Warning
ArithmeticError > ZeroDivisionError OverflowError FloatingPointError
LookupError > IndexError KeyError
NameError > UnboundLocalError
RuntimeError > NotImplementedError RecursionError
ImportError > ModuleNotFoundError
ValueError > UnicodeError
OSError > FileNotFoundError
Warning > UserWarning DeprecationWarning RuntimeWarning FutureWarning
"""


def _init(self: Instance, *arguments: Any) -> None:
    self.attributes["args"] = arguments


def _text(self: Instance) -> str:
    arguments = self.attributes.get("args", ())
    if not arguments:
        return ""
    if len(arguments) == 1:
        return repr(arguments[0]) if self.cls.name == "KeyError" else str(arguments[0])
    return str(arguments)


def _repr(self: Instance) -> str:
    arguments = self.attributes.get("args", ())
    inside = repr(arguments[0]) if len(arguments) == 1 else ", ".join(map(repr, arguments))
    return f"{self.cls.name}({inside})"


def exception_classes(base: Class) -> dict[str, Class]:
    """The classes of Python's exceptions that a script may name."""
    methods = {
        "__init__": Native("__init__", _init, is_method=True),
        "__str__": Native("__str__", _text, is_method=True),
        "__repr__": Native("__repr__", _repr, is_method=True),
    }
    classes = {"BaseException": Class("BaseException", (base,), methods, module="")}
    for line in TREE.strip().splitlines():
        parent, children = line.split(" > ")
        for name in children.split():
            classes[name] = Class(name, (classes[parent],), {}, module="")
    return classes


def value_of(machine: Machine, error: GradvizError) -> Instance:
    """The exception object a script sees for an error."""
    if isinstance(error, Raised):
        return error.value
    kind = error.kind if isinstance(error, TorchError) else "RuntimeError"
    classes = machine.state["exceptions"]
    value = Instance(classes.get(kind, classes["RuntimeError"]), machine)
    text: Any = error.message
    if kind == "KeyError" and text[:1] in "'\"":
        text = text[1:-1]  # the message is the repr of the key already
    value.attributes["args"] = (text,) if text or kind != "AssertionError" else ()
    return value


def compile_raise(node: ast.Raise, scope: Scope) -> Code:
    """The code of `raise`."""
    from gradviz.script.expressions import expression

    if node.exc is None:
        return _raise_again(node)
    code = expression(node.exc, scope)

    def run(frame: Frame) -> None:
        value = code(frame)
        if isinstance(value, Class):
            value = frame.machine.call(value, (), {})
        base = frame.machine.state["exceptions"]["BaseException"]
        if not isinstance(value, Instance) or not value.cls.is_a(base):
            raise located(TorchError("exceptions must derive from BaseException", kind="TypeError"), node)
        raise located(Raised(value, str(value)), node)

    return run


def _raise_again(node: ast.Raise) -> Code:
    def run(frame: Frame) -> None:
        if not frame.machine.handling:
            raise located(TorchError("No active exception to reraise"), node)
        raise frame.machine.handling[-1]

    return run


class Handler(NamedTuple):
    """One `except`: the code of its classes (None for all), its name, its body."""

    kinds: Code | None
    name: str | None
    body: Code
    node: ast.ExceptHandler


def handlers_of(node: ast.Try, scope: Scope, block: Callable[[list[ast.stmt]], Code]) -> list[Handler]:
    """The handlers of a `try`, their bodies compiled by `block`."""
    from gradviz.script.expressions import expression

    return [
        Handler(None if h.type is None else expression(h.type, scope), h.name, block(h.body), h) for h in node.handlers
    ]


def handled(frame: Frame, error: GradvizError, handlers: list[Handler]) -> tuple[Code, Callable[[], None]] | None:
    """The body that handles an error, and what to do after it; None where no handler fits."""
    machine = frame.machine
    for kinds, name, body, node in handlers:
        if kinds is None or _matches(machine, error, kinds(frame), node):
            return body, _handling(frame, error, name)
    return None


def _handling(frame: Frame, error: GradvizError, name: str | None) -> Callable[[], None]:
    if name is not None:
        frame.vars[name] = value_of(frame.machine, error)
    frame.machine.handling.append(error)  # type: ignore[arg-type]

    def leave() -> None:
        frame.machine.handling.pop()
        if name is not None:
            frame.vars.pop(name, None)

    return leave


def compile_try(node: ast.Try, scope: Scope) -> Code:
    """The code of `try`."""
    from gradviz.script.statements import block

    body = block(node.body, scope)
    otherwise = block(node.orelse, scope) if node.orelse else None
    finally_ = block(node.finalbody, scope) if node.finalbody else None
    handlers = handlers_of(node, scope, lambda nodes: block(nodes, scope))

    def attempt(frame: Frame) -> Any:
        try:
            signal = body(frame)
        except (Cancelled, ScriptError):
            raise
        except GradvizError as error:
            found = handled(frame, error, handlers)
            if found is None:
                raise
            handler, leave = found
            try:
                return handler(frame)
            finally:
                leave()
        return otherwise(frame) if otherwise is not None and signal is None else signal

    def run(frame: Frame) -> Any:
        if finally_ is None:
            return attempt(frame)
        try:
            signal = attempt(frame)
        except (Cancelled, ScriptError):
            raise
        except GradvizError:
            final = finally_(frame)
            if final is not None:
                return final
            raise
        final = finally_(frame)
        return signal if final is None else final

    return run


def _matches(machine: Machine, error: GradvizError, kinds: Any, node: ast.ExceptHandler) -> bool:
    value = value_of(machine, error)
    for kind in kinds if isinstance(kinds, tuple) else (kinds,):
        if not isinstance(kind, Class):
            raise located(
                TorchError(
                    f"catching classes that do not inherit from BaseException is not allowed (got {type_name(kind)})",
                    kind="TypeError",
                ),
                node,
            )
        if value.cls.is_a(kind):
            return True
    return False
