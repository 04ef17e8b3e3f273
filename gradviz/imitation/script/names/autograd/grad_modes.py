"""`torch.no_grad`, `enable_grad`, `set_grad_enabled` and anomaly mode: with `with`, as a decorator, or called."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from typing import Any

from gradviz.imitation.engine import inference
from gradviz.imitation.engine.warn import warn
from gradviz.errors import TorchError
from gradviz.imitation.script.machine import Frame, Machine
from gradviz.imitation.script.syntax.functions import scoped_function
from gradviz.imitation.script.torch_values import Scoped
from gradviz.imitation.script.values import Class, Native, type_name

ANOMALY = (
    "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for debugging."
)


def _switched(machine: Machine, name: str, enabled: bool) -> Scoped:
    tape = machine.tape

    def enter() -> tuple[bool, bool]:
        before = tape.grad_enabled, tape.told
        tape.grad_enabled = enabled and not inference.is_on(tape)
        tape.told = enabled
        return before

    def leave(before: tuple[bool, bool]) -> None:
        tape.grad_enabled, tape.told = before

    return Scoped(name, enter, leave)


def is_grad_enabled(machine: Machine) -> bool:
    """`torch.is_grad_enabled()`."""
    tape = machine.tape
    return inference.records_calls(tape)


def _inferring(machine: Machine, enabled: bool) -> Scoped:
    tape = machine.tape

    def enter() -> tuple[int, bool, bool]:
        before = tape.fresh, tape.grad_enabled, tape.told
        inference.switch(tape, enabled)
        tape.told = not enabled
        return before

    def leave(before: tuple[int, bool, bool]) -> None:
        tape.fresh, tape.grad_enabled, tape.told = before

    return Scoped("inference_mode", enter, leave)


def inference_mode(machine: Machine, mode: Any = True) -> Any:
    """`torch.inference_mode()`; called with a function it wraps that."""
    if isinstance(mode, bool):
        return _inferring(machine, mode)
    return wrapped(machine, _inferring(machine, True), mode)


def _mode(machine: Machine, name: str, enabled: bool) -> Native:
    """`no_grad` or `enable_grad`: called with nothing it gives the scope, called with a function it wraps that."""

    def make(function: Any = None) -> Any:
        scoped = _switched(machine, name, enabled)
        return scoped if function is None else wrapped(machine, scoped, function)

    return Native(name, make)


def wrapped(machine: Machine, scoped: Scoped, function: Any) -> Any:
    """The function running inside the scope.

    Raises:
        TorchError: a class, or what is no function.
    """
    if isinstance(function, Class):
        raise TorchError(
            "decorating a class with a grad mode is not supported", kind="TypeError", hint="Decorate its methods."
        )
    return scoped_function(Frame(machine, None), scoped, function)


def set_grad_enabled(machine: Machine, mode: bool) -> Scoped:
    """Switches at once; as a `with`, switches back at its end; as a decorator, switches back at once."""
    if not isinstance(mode, bool):
        raise TorchError(
            f"set_grad_enabled(): argument 'enabled' (position 1) must be bool, not {type_name(mode)}", kind="TypeError"
        )
    scoped = _switched(machine, "set_grad_enabled", mode)
    before = scoped.enter()

    def decorated(function: Any) -> Any:
        scoped.leave(before)
        return wrapped(machine, scoped, function)

    return Scoped("set_grad_enabled", lambda: before, scoped.leave, decorated=decorated)


THREADS = "whether backward may use several threads"
"""A switch that changes nothing here: a pass gives the same numbers either way."""


def set_multithreading_enabled(machine: Machine, mode: bool) -> Scoped:
    """Switches at once; as a `with`, switches back at its end; as a decorator, stays switched."""

    def enter() -> bool:
        before = bool(machine.state.get(THREADS, True))
        machine.state[THREADS] = bool(mode)
        return before

    def leave(before: bool) -> None:
        machine.state[THREADS] = before

    before, name = enter(), "set_multithreading_enabled"
    scoped = Scoped(name, enter, leave)
    return Scoped(name, lambda: before, leave, decorated=lambda function: wrapped(machine, scoped, function))


def thread_names(machine: Machine) -> dict[str, Any]:
    """What `torch.autograd` has of threads."""
    switch = Native("set_multithreading_enabled", set_multithreading_enabled, needs_machine=True)
    shown = Native("is_multithreading_enabled", lambda: machine.state.get(THREADS, True))
    return {"set_multithreading_enabled": switch, "is_multithreading_enabled": shown}


# ---- anomaly mode ----

CHECKS_NAN = "whether anomaly mode looks for NaN"

NO_TRACE = "No forward pass information available. Enable detect anomaly during forward pass for more information."


class Anomaly:
    """Anomaly mode of one run: what was made while it was on is told the place of when its backward fails."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._on: list[tuple[int, int | None]] = []

    @property
    def state(self) -> tuple[bool, bool]:
        """Whether it is on, and whether NaN is looked for."""
        return self._machine.tape.trace is not None, self._machine.state.get(CHECKS_NAN, True)

    def switch(self, state: tuple[bool, bool]) -> None:
        """Turn it on or off."""
        tape = self._machine.tape
        is_on, finds_nan = state
        self._machine.state[CHECKS_NAN] = finds_nan
        now = len(tape.entries)
        if is_on and tape.trace is None:
            self._on.append((now, None))
        elif not is_on and tape.trace is not None:
            self._on[-1] = self._on[-1][0], now
        tape.trace = self._trace if is_on else None
        tape.finds_nan = is_on and finds_nan

    def _trace(self, position: int) -> str:
        if not any(start <= position and (end is None or position < end) for start, end in self._on):
            return NO_TRACE
        frames = traceback(self._machine, position)
        return f"Traceback of forward call that caused the error:\n{frames}"

    def scoped(self, state: tuple[bool, bool], *, at_once: bool) -> Scoped:
        """The state for a `with`; where `at_once`, from now on."""
        before = self.state
        if at_once:
            self.switch(state)

        def enter() -> tuple[bool, bool]:
            found = before if at_once else self.state
            self.switch(state)
            return found

        return Scoped("anomaly_mode", enter, self.switch)


def traceback(machine: Machine, position: int) -> str:
    """Where an entry was made, as Python writes the calls around it, outermost first."""
    source = machine.state["source"]
    text: list[str] = source.text.split("\n")
    line, level = _last(machine.marks, position) or machine.line, _last(machine.levels, position)
    frames: list[str] = []
    while True:
        while level is not None and level.outer is not None and level.number >= 0:
            level = level.outer
        name = "<module>" if level is None or level.outer is None else level.name.rsplit(".", 1)[-1]
        code = text[line - 1].strip() if 0 < line <= len(text) else ""
        frames.append(f'  File "{source.name}", line {line}, in {name}\n    {code}\n')
        if level is None or level.outer is None:
            return "".join(reversed(frames))
        line, level = level.line, level.outer


def _last(marks: Any, position: int) -> Any:
    at = bisect_right(marks, position, key=lambda mark: mark[0])
    return marks[at - 1][1] if at else None


def names(machine: Machine) -> dict[str, Any]:
    """The switches that `torch` and `torch.autograd` both have."""
    with_machine: dict[str, Callable[..., Any]] = {
        "set_grad_enabled": set_grad_enabled,
        "inference_mode": inference_mode,
    }
    return {
        "no_grad": _mode(machine, "no_grad", False),
        "enable_grad": _mode(machine, "enable_grad", True),
        **{name: Native(name, run, needs_machine=True) for name, run in with_machine.items()},
        "is_grad_enabled": Native("is_grad_enabled", is_grad_enabled, needs_machine=True),
        "is_inference_mode_enabled": Native("is_inference_mode_enabled", lambda: inference.is_on(machine.tape)),
        "is_inference": Native("is_inference", inference.is_inference),
        "is_anomaly_enabled": Native("is_anomaly_enabled", lambda: machine.tape.trace is not None),
        "is_anomaly_check_nan_enabled": Native(
            "is_anomaly_check_nan_enabled", lambda: machine.state.get(CHECKS_NAN, True)
        ),
    }


def anomaly_names(machine: Machine) -> dict[str, Any]:
    """Anomaly mode, as `torch.autograd` has it."""
    anomaly = Anomaly(machine)

    def detect_anomaly(check_nan: bool = True) -> Scoped:
        warn(ANOMALY)
        return anomaly.scoped((True, check_nan), at_once=False)

    def set_detect_anomaly(mode: bool, check_nan: bool = True) -> Scoped:
        return anomaly.scoped((bool(mode), check_nan), at_once=True)

    return {
        "detect_anomaly": Native("detect_anomaly", detect_anomaly),
        "set_detect_anomaly": Native("set_detect_anomaly", set_detect_anomaly),
    }
