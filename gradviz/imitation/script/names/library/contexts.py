"""`contextlib`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradviz.errors import GradvizError, TorchError
from gradviz.imitation.script import attributes
from gradviz.imitation.script.errors.exceptions import matches
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.managed import Managed
from gradviz.imitation.script.names.library import written
from gradviz.imitation.script.names.library.making import with_machine
from gradviz.imitation.script.producer import Producer
from gradviz.imitation.script.syntax.compound import entry
from gradviz.imitation.script.syntax.functions import wrapper
from gradviz.imitation.script.values import Namespace, Native, type_name


def from_generator(machine: Machine, function: Any) -> Native:
    """`@contextmanager`: up to the `yield` before the block, the rest after it."""
    return wrapper(function, lambda *given, **named: _managed(machine, function, given, named))


def _managed(machine: Machine, function: Any, given: tuple[Any, ...], named: dict[str, Any]) -> Managed:
    steps: Any = machine.call(function, given, named)
    if not isinstance(steps, Producer):
        raise TorchError(f"'{type_name(steps)}' object is not an iterator", kind="TypeError")

    def enter() -> Any:
        try:
            return next(steps)
        except StopIteration:
            raise TorchError("generator didn't yield") from None

    def leave(error: GradvizError | None) -> bool:
        try:
            if error is None:
                next(steps)
            else:
                steps.throw(error)
        except StopIteration:
            return error is not None
        except GradvizError as raised:
            if raised is error:
                return False
            raise
        raise TorchError("generator didn't stop" if error is None else "generator didn't stop after throw()")

    return Managed(
        "contextlib._GeneratorContextManager", enter, leave, lambda: _managed(machine, function, given, named)
    )


def _null(machine: Machine, enter_result: Any = None) -> Managed:
    return Managed("contextlib.nullcontext", lambda: enter_result, lambda _: False)


def _suppress(machine: Machine, *kinds: Any) -> Managed:
    return Managed(
        "contextlib.suppress", lambda: None, lambda error: error is not None and matches(machine, error, kinds)
    )


def _closing(machine: Machine, thing: Any) -> Managed:
    def leave(_: Any) -> None:
        machine.call(attributes.get(machine, thing, "close"), (), {})

    return Managed("contextlib.closing", lambda: thing, leave)


def _redirect(machine: Machine, new_target: Any) -> Managed:
    """`redirect_stdout`: prints go to another file meanwhile."""

    def enter() -> Any:
        machine.writers.append(lambda text: machine.call(attributes.get(machine, new_target, "write"), (text,), {}))
        return new_target

    def leave(_: Any) -> None:
        machine.writers.pop()

    return Managed("contextlib.redirect_stdout", enter, leave)


def _redirect_errors(machine: Machine, new_target: Any) -> Managed:
    return Managed("contextlib.redirect_stderr", lambda: new_target, lambda _: False)


def _stack(machine: Machine) -> Managed:
    """`ExitStack`."""
    leaves: list[Callable[[GradvizError | None], Any]] = []

    def enter_context(manager: Any) -> Any:
        enter, leave = entry_of(manager)
        token, given = enter()
        leaves.append(lambda error: leave(token, error))
        return given

    def entry_of(manager: Any) -> Any:
        return entry(machine, manager, None)

    def callback(function: Any, *given: Any, **named: Any) -> Any:
        leaves.append(lambda _: machine.call(function, given, named) and False)
        return function

    def leave(error: GradvizError | None) -> bool:
        pending = error
        while leaves:
            try:
                if leaves.pop()(pending):
                    pending = None
            except GradvizError as raised:
                pending = raised
        if pending is not None and pending is not error:
            raise pending
        return error is not None and pending is None

    stack = Managed("contextlib.ExitStack", lambda: stack, leave)
    stack.members = {
        "enter_context": Native("enter_context", enter_context), "callback": Native("callback", callback),
        "close": Native("close", lambda: leave(None)),
    }  # fmt: skip
    return stack


BASES = """
class ContextDecorator:
    def _recreate_cm(self): return self
    def __call__(self, func):
        @functools.wraps(func)
        def inner(*args, **kwds):
            with self._recreate_cm():
                return func(*args, **kwds)
        return inner
class AbstractContextManager(abc.ABC):
    def __enter__(self): return self
    @abc.abstractmethod
    def __exit__(self, exc_type, exc_value, traceback): return None
"""
"""What a script's own context managers are derived from."""


def module(machine: Machine) -> Namespace:
    """The names."""
    bases = written.run_text(
        machine, BASES, {name: machine.modules[name] for name in ("abc", "functools")}, "contextlib"
    )
    return Namespace("contextlib", {
        **with_machine({
            "contextmanager": from_generator, "nullcontext": _null, "suppress": _suppress, "closing": _closing,
            "redirect_stdout": _redirect, "redirect_stderr": _redirect_errors, "ExitStack": _stack,
        }),
        **bases,
    })  # fmt: skip
