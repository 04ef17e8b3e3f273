"""`with`, `try` and `match`: one form of each for plain functions and for functions with `yield`."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from gradviz.errors import Cancelled, GradvizError, ScriptError, TorchError
from gradviz.imitation.script.errors.exceptions import (
    TRACE,
    AnyTry,
    Handler,
    came_upon,
    fitting,
    handled_by,
    handlers_of,
    raised,
    value_of,
)
from gradviz.imitation.script.errors.failures import located
from gradviz.imitation.script.errors.groups import handled_by_parts
from gradviz.imitation.script.machine import Frame, Machine
from gradviz.imitation.script.managed import Managed
from gradviz.imitation.script.names.torch.devices import require
from gradviz.imitation.script.producer import Steps
from gradviz.imitation.script.silent import Silent
from gradviz.imitation.script.syntax.assignment import target
from gradviz.imitation.script.syntax.patterns import pattern
from gradviz.imitation.script.syntax.scope import Scope
from gradviz.imitation.script.syntax.signals import truth
from gradviz.imitation.script.syntax.steps import Parts, StepCode
from gradviz.imitation.script.torch_values import Device, Handle, Scoped
from gradviz.imitation.script.values import Instance, Native, Raised, type_name


def with_(node: ast.With, scope: Scope, parts: Parts) -> StepCode:
    """The code of `with`."""
    items = [
        (parts.value(item.context_expr), target(item.optional_vars, scope) if item.optional_vars else None, item)
        for item in node.items
    ]
    body = parts.block(node.body)

    def run(frame: Frame, level: int = 0) -> Steps:
        if level == len(items):
            return (yield from body(frame))
        code, assign, item = items[level]
        enter, leave = entry(frame.machine, (yield from code(frame)), item.context_expr)
        token, given = enter()
        try:
            if assign is not None:
                assign(frame, given)
            signal = yield from run(frame, level + 1)
        except (Cancelled, ScriptError):
            raise  # what ends the run is nobody's to swallow
        except GradvizError as error:
            if leave(token, error):
                return None
            raise
        except GeneratorExit:
            leave(token, None)
            raise
        leave(token, None)
        return signal

    return run


Enter = Callable[[], tuple[Any, Any]]
Leave = Callable[[Any, Any], Any]


MODES = frozenset(("no_grad", "enable_grad", "inference_mode", "set_grad_enabled", "detect_anomaly"))
"""Classes of PyTorch's that are functions here."""
UNCALLED = "Call it: `with torch.no_grad():`."


def entry(machine: Machine, scoped: Any, node: ast.expr | None) -> tuple[Enter, Leave]:
    """How to enter what stands behind `with` (a token for leaving, and the value of `as`), and how to leave it.

    Raises:
        TorchError: it is no context manager.
    """
    if isinstance(scoped, Scoped):
        return lambda: (token := scoped.enter(), scoped.given(token)), lambda token, _error: scoped.leave(token)
    if isinstance(scoped, Silent | Handle):
        return lambda: (scoped.enter(), scoped), lambda token, _error: scoped.leave(token)
    if isinstance(scoped, Instance) and scoped.cls.has("__enter__"):

        def leave(_token: Any, error: Any) -> Any:
            value = None if error is None else value_of(machine, error)
            given = (None, None, None) if value is None else (value.cls, value, value.attributes.get(TRACE))
            return scoped.special("__exit__", *given) and error is not None

        return lambda: (None, scoped.special("__enter__")), leave
    if isinstance(scoped, Device):  # where tensors are made: there is one such place here
        require(scoped)
        return lambda: (None, scoped), lambda _token, _error: None
    if isinstance(scoped, Managed):
        return lambda: (None, scoped.enter()), lambda _token, error: scoped.leave(error)
    kind = "type" if isinstance(scoped, Native) and scoped.name in MODES else type_name(scoped)
    text = f"'{kind}' object does not support the context manager protocol"
    problem = TorchError(text, kind="TypeError", hint=UNCALLED if kind == "type" else "")
    raise problem if node is None else located(problem, node)


Handling = Callable[[Frame, GradvizError], Steps]
"""What the handlers of a `try` do with an error; what they do not take they raise again."""


def try_(node: ast.Try, scope: Scope, parts: Parts) -> StepCode:
    """The code of `try`."""
    handlers = handlers_of(node, scope, parts.block)
    return _guarded(node, parts, lambda frame, error: _handled(frame, error, handlers))


def try_star(node: ast.TryStar, scope: Scope, parts: Parts) -> StepCode:
    """The code of `try` with `except*`."""
    handlers = handlers_of(node, scope, parts.block)
    return _guarded(node, parts, lambda frame, error: handled_by_parts(frame, error, handlers))


def _guarded(node: AnyTry, parts: Parts, handle: Handling) -> StepCode:
    body, otherwise, final = (parts.block(part) for part in (node.body, node.orelse, node.finalbody))

    def attempt(frame: Frame) -> Steps:
        try:
            signal = yield from body(frame)
        except (Cancelled, ScriptError):
            raise
        except GradvizError as error:
            signal = yield from handle(frame, error)
            _let_go(error)
            return signal
        except GeneratorExit:
            return (yield from _closed(frame, handle))
        return signal if signal is not None else (yield from otherwise(frame))

    def run(frame: Frame) -> Steps:
        try:
            signal = yield from attempt(frame)
        except (Cancelled, ScriptError):
            raise
        except (GradvizError, GeneratorExit) as error:
            try:
                last = yield from final(frame)
            except TorchError as later:
                if isinstance(error, GradvizError):
                    came_upon(frame.machine, later, error)
                raise
            if last is not None:
                return last
            raise
        last = yield from final(frame)
        return signal if last is None else last

    return run if node.finalbody else attempt


def _let_go(error: BaseException | None) -> None:
    """Forget the host's frames that an error came through: PyTorch counts on what they hold to be gone with it."""
    while error is not None:
        error.__traceback__ = None
        error = error.__context__


def _handled(frame: Frame, error: GradvizError, handlers: list[Handler]) -> Steps:
    handler = fitting(frame, error, handlers)
    if handler is None:
        raise error
    return (yield from handled_by(frame, error, handler))


def _closed(frame: Frame, handle: Handling) -> Steps:
    """What a function with `yield` does that is closed where it stands, and catches that.

    Raises:
        GeneratorExit: no handler takes it, or one raises it again.
    """
    error = raised(frame.machine, frame.machine.state["exceptions"]["GeneratorExit"])
    try:
        return (yield from handle(frame, error))
    except Raised as again:
        if again.value is error.value:
            raise GeneratorExit from None
        raise


def match(node: ast.Match, scope: Scope, parts: Parts) -> StepCode:
    """The code of `match`."""
    subject = parts.value(node.subject)
    cases = [
        (pattern(case.pattern, scope), None if case.guard is None else parts.value(case.guard), case)
        for case in node.cases
    ]
    bodies = [parts.block(case.body) for case in node.cases]

    def run(frame: Frame) -> Steps:
        value = yield from subject(frame)
        for (matches, guard, case), body in zip(cases, bodies, strict=True):
            if not matches(frame, value):
                continue
            if guard is None or truth((yield from guard(frame)), case.guard or node):
                return (yield from body(frame))
        return None

    return run
