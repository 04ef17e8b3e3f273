"""`def` and `lambda`: a body compiled once, with the frame it was defined in."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from gradviz.errors import Cancelled, GradvizError, ScriptError
from gradviz.imitation.script.callables import Once
from gradviz.imitation.script.errors.failures import Code, located
from gradviz.imitation.script.machine import Frame
from gradviz.imitation.script.managed import Managed
from gradviz.imitation.script.producer import Producer
from gradviz.imitation.script.syntax.calls import Parameters
from gradviz.imitation.script.syntax.forms import block, expression
from gradviz.imitation.script.syntax.generators import producer_body
from gradviz.imitation.script.syntax.lifting import has_yield
from gradviz.imitation.script.syntax.scope import Scope, local_names
from gradviz.imitation.script.torch_values import Scoped
from gradviz.imitation.script.values import Function, Native, OnClass, Property, Static


def compile_lambda(node: ast.Lambda, scope: Scope) -> Code:
    """The code that makes a lambda."""
    parameters = Parameters(node.args, scope, f"{scope.qualname}<lambda>")
    inner = Scope(parameters.names, qualname=f"{scope.qualname}<lambda>.<locals>.")
    inner.line, inner.outer = scope.line, scope
    body = _on_line(node.body.lineno, expression(node.body, inner))
    return lambda frame: Function(
        "<lambda>", f"{scope.qualname}<lambda>", parameters.evaluated(frame), body, home(frame)
    )


def _on_line(line: int, body: Code) -> Code:
    """What a lambda does, done on its own line and not on that of its call."""

    def run(frame: Frame) -> Any:
        if frame.machine.line != line:
            frame.machine.mark(line)
        return body(frame)

    return run


def home(frame: Frame) -> Frame:
    """The frame a function defined here looks outwards from: a class body is not looked into by its methods."""
    return frame.outer if isinstance(frame, ClassFrame) and frame.outer is not None else frame


class ClassFrame(Frame):
    """The frame of a class body."""

    __slots__ = ()


def compile_def(node: ast.FunctionDef, scope: Scope) -> Code:
    """The code that makes a function, with its decorators applied.

    Raises:
        ScriptError: a generator, or syntax that gradviz does not read in its body.
    """
    parameters = Parameters(node.args, scope, f"{scope.qualname}{node.name}")
    local, globals_, nonlocals = local_names(node.body, parameters.names)
    declared = dict.fromkeys(globals_, "global") | dict.fromkeys(nonlocals, "nonlocal")
    qualname = f"{scope.qualname}{node.name}"
    inner = Scope(local, qualname=f"{qualname}.<locals>.", declared=declared)
    inner.outer = scope
    is_producer = any(has_yield(part) for part in node.body)
    decorators = decorators_of(node, scope)
    doc, hints = ast.get_docstring(node, clean=False), hints_of(node)

    body = producer_body(node, qualname, inner) if is_producer else _body(block(node.body, inner))

    def make(frame: Frame) -> Any:
        decorated = decorators(frame)
        function = Function(node.name, qualname, parameters.evaluated(frame), body, home(frame))
        function.members["__doc__"] = doc
        function.hints = hints
        return decorated(function)

    return make


def hints_of(node: ast.FunctionDef) -> dict[str, ast.expr]:
    """The annotations of a function by the names of its parameters and "return"."""
    arguments = node.args
    every = [*arguments.posonlyargs, *arguments.args, arguments.vararg, *arguments.kwonlyargs, arguments.kwarg]
    found = {part.arg: part.annotation for part in every if part is not None and part.annotation is not None}
    return found if node.returns is None else {**found, "return": node.returns}


def _body(code: Code) -> Code:
    def run(frame: Frame) -> Any:
        signal = code(frame)
        return None if signal is None else signal.value

    return run


def decorators_of(node: ast.FunctionDef | ast.ClassDef, scope: Scope) -> Callable[[Frame], Callable[[Any], Any]]:
    """What the decorators make of a definition.

    They are looked up from the top down, before anything of the definition is; they are called from the bottom up.
    """
    written = [(expression(decorator, scope), decorator) for decorator in node.decorator_list]

    def look_up(frame: Frame) -> Callable[[Any], Any]:
        found = [(code(frame), place) for code, place in written]

        def decorated(value: Any) -> Any:
            for decorator, place in reversed(found):
                value = _decorate(frame, decorator, value, place)
            return value

        return decorated

    return look_up


def _decorate(frame: Frame, decorator: Any, function: Any, node: ast.expr) -> Any:
    """Apply one decorator; its errors and warnings stand where it is written."""
    frame.machine.mark(node.lineno)
    try:
        return _decorated(frame, decorator, function)
    except GradvizError as error:
        raise located(error, node) from None


def _decorated(frame: Frame, decorator: Any, function: Any) -> Any:
    if isinstance(decorator, Scoped):
        return scoped_function(frame, decorator, function)
    if isinstance(decorator, Managed) and decorator.again is not None:
        return managed_function(frame, decorator.again, function)
    if isinstance(decorator, Native) and decorator.name in MARKERS:
        return MARKERS[decorator.name](function)
    return frame.machine.call(decorator, (function,), {})


def scoped_function(frame: Frame, scoped: Any, function: Any) -> Any:
    """`@torch.no_grad()`: the function runs inside the scope; one with `yield` enters it anew each time it goes on."""
    machine = frame.machine
    if scoped.decorated is not None:
        return scoped.decorated(function)

    def run(*arguments: Any, **keywords: Any) -> Any:
        token = scoped.enter()
        try:
            result = machine.call(function, arguments, keywords)
        finally:
            scoped.leave(token)
        return result.within(scoped) if isinstance(result, Producer) else result

    return wrapper(function, run)


def managed_function(frame: Frame, again: Callable[[], Managed], function: Any) -> Any:
    """A context manager as a decorator: the function runs inside a new one each time."""
    machine = frame.machine

    def run(*arguments: Any, **keywords: Any) -> Any:
        managed = again()
        managed.enter()
        try:
            result = machine.call(function, arguments, keywords)
        except (Cancelled, ScriptError):
            raise
        except GradvizError as error:
            if managed.leave(error):
                return None
            raise
        managed.leave(None)
        return result

    return wrapper(function, run)


def wrapper(function: Any, run: Callable[..., Any]) -> Native:
    """A function of ours in the place of a script's, with its name and text."""
    made = Native(getattr(function, "name", "function"), run, is_method=True)
    kept = function.members if isinstance(function, Function | Native) else {}
    home = {"__qualname__": function.qualname, "__module__": "__main__"} if isinstance(function, Function) else {}
    made.members = {**home, **kept, "__wrapped__": function}
    return made


MARKERS: dict[str, Any] = {
    "staticmethod": Static,
    "classmethod": OnClass,
    "property": Property,
    "cached_property": Once,
}
