"""What a call of a function with `yield` gives."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from functools import partial
from typing import Any

from gradviz.errors import TorchError
from gradviz.imitation.script.levels import Level
from gradviz.imitation.script.machine import Frame, Machine

Steps = Generator[Any, Any, Any]
"""Yields what the script yields; its result is a signal, or the value of an expression."""


def _ended(machine: Machine, error: TorchError) -> TorchError:
    """The error for a body that raised StopIteration itself."""
    from gradviz.imitation.script.errors.exceptions import CAUSE, CONTEXT, raised, value_of

    made = raised(machine, machine.state["exceptions"]["RuntimeError"], "generator raised StopIteration")
    made.value.attributes |= dict.fromkeys((CAUSE, CONTEXT), value_of(machine, error))
    return made


class Producer:
    """An iterator over what the body yields, which goes on one step at a time.

    Attributes:
        frame: of its variables.
        level: where in its body it stopped, or None before it began.
        handling: the exceptions that it was handling when it stopped.
    """

    shown_as = "generator"
    __slots__ = ("_machine", "_steps", "frame", "handling", "level", "name")

    def __init__(self, name: str, frame: Frame, steps: Steps) -> None:
        self.name = name
        self.frame = frame
        self._machine = frame.machine
        self._steps = steps
        self.level: Level | None = None
        self.handling: list[TorchError] = []

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        return self.send(None)

    def send(self, value: Any) -> Any:
        """Go on to the next `yield`, which the value is given to."""
        return self._go_on(lambda: self._steps.send(value))

    def throw(self, error: Any) -> Any:
        """Go on with this exception raised where it stands."""
        return self._go_on(lambda: self._steps.throw(error))

    def within(self, scoped: Any) -> Producer:
        """The same, each step inside a scope such as that of `torch.no_grad()`."""

        def steps() -> Steps:
            step: Callable[[], Any] = partial(next, self._steps)
            while True:
                token = scoped.enter()
                try:
                    item = step()
                except StopIteration as end:
                    return end.value
                finally:
                    scoped.leave(token)
                try:
                    step = partial(self._steps.send, (yield item))
                except GeneratorExit:
                    self._steps.close()
                    raise
                except TorchError as error:
                    step = partial(self._steps.throw, error)

        return Producer(self.name, self.frame, steps())

    def close(self) -> None:
        """End it where it stands; its `finally` blocks run."""
        self._go_on(self._steps.close)

    def _go_on(self, step: Callable[[], Any]) -> Any:
        handling = self._machine.handling
        count = len(handling)
        handling += self.handling
        try:
            return self._machine.resume(self, step)
        except TorchError as error:
            if error.kind == "StopIteration":  # the end of another iterator must not be taken for its own
                raise _ended(self._machine, error) from None
            raise
        finally:
            self.handling = handling[count:]
            del handling[count:]

    def __repr__(self) -> str:
        return f"<generator object {self.name} at 0x7f0000000000>"
