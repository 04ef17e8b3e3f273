"""Run a script: text in, recording out. Errors of the script are part of the recording, never a traceback."""

from __future__ import annotations

import ast
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import gradviz.imitation.engine.protocol  # gives Tensor its special methods
import gradviz.imitation.script.syntax.statements
from gradviz.imitation.engine import autograd
from gradviz.imitation.engine.memory.untracked import is_untracked
from gradviz.imitation.engine.op import Op
from gradviz.imitation.engine.passes.dropping import is_cut, shown
from gradviz.imitation.engine.tensor import Tape, Tensor, constant
from gradviz.imitation.engine.warn import listening
from gradviz.errors import Cancelled, GradvizError, LimitError, TorchError
from gradviz.imitation.freeze import freeze, freeze_sweep, ids_of
from gradviz.recording import Array, Problem, Recording, Source
from gradviz.imitation.script.errors.exceptions import left_with
from gradviz.imitation.script.errors.hints import add_hint
from gradviz.imitation.script.levels import scopes
from gradviz.imitation.script.limits.depth import on_deep_stack
from gradviz.imitation.script.limits.keeping import forget
from gradviz.imitation.script.machine import Frame, Limits, Machine
from gradviz.imitation.script.names.func import functorch
from gradviz.imitation.script.names.library import Modules
from gradviz.imitation.script.names.library.notebook import shown as shown_in_notebooks
from gradviz.imitation.script.names.library.session import Heard, Session
from gradviz.imitation.script.names.numpy import names as numpy_names
from gradviz.imitation.script.names.python import builtins as python
from gradviz.imitation.script.names.torch import names as torch_names
from gradviz.imitation.script.names.torch.neural import named_parameters
from gradviz.imitation.script.producer import Producer
from gradviz.imitation.script.showing.pretty import pretty
from gradviz.imitation.script.silent import Silent
from gradviz.imitation.script.syntax.assignment import NAMED_ITEMS
from gradviz.imitation.script.syntax.forms import block
from gradviz.imitation.script.syntax.imports import refuse_imports
from gradviz.imitation.script.syntax.scope import Scope
from gradviz.imitation.script.text.parsing import (
    BEGIN,
    ECHO,
    LOUD,
    MAX_CHARACTERS,
    QUIET,
    begin,
    capture,
    compiled,
    echo,
    in_characters,
    parse,
    too_deep,
)
from gradviz.imitation.script.torch_values import Handle
from gradviz.imitation.script.values import Class, Instance, Native


@dataclass(frozen=True)
class Run:
    """What a run left: the recording, and the live graph for further seeds.

    Attributes:
        recording: frozen; `recording.problem` says why the script ended early.
        machine: of the script; it lets go of everything when the run is let go.
        error: the error itself, or None.
        seconds: how long it took.
        positions: where the nodes stand on the machine's tape.
        exit_code: what the script ended itself with, by `sys.exit(3)`.
    """

    recording: Recording
    machine: Machine | None = None
    error: GradvizError | None = None
    seconds: float = 0.0
    positions: Sequence[int] = ()
    exit_code: int = 0

    @property
    def custom(self) -> dict[int, Op]:
        """The custom Functions of the graph, by node id, which can be run again."""
        entries = [] if self.machine is None else [self.machine.tape.entries[i] for i in self.positions]
        return {i: entry.op for i, entry in enumerate(entries) if entry.op is not None and entry.op.again is not None}

    def with_seed(self, output: int, seed: Array) -> Recording:
        """The recording with one more sweep: v·J from node `output` with v = seed; `.grad` is left alone.

        Raises:
            GradvizError: the seed's shape is wrong, or an op on the way has no rule.
        """
        if self.machine is None:
            from gradviz.imitation.engine.recorded.replay import sweep_of

            return replace(self.recording, sweeps=(*self.recording.sweeps, sweep_of(self.recording, output, seed)))
        tape = self.machine.tape
        entries = [tape.entries[i] for i in self.positions[: output + 1]]
        freed, tape.freed = tape.freed, {entry.index for entry in entries if is_cut(tape, entry)}
        leaves = [entry for entry in entries if entry.op is None and entry.requires_grad]
        with np.errstate(all="ignore"):
            try:
                v = constant(np.asarray(seed, entries[output].dtype)[()], tape)
                autograd.grad([entries[output]], leaves, [v], retain_graph=True, allow_unused=True)
                sweep = freeze_sweep(tape.sweeps.pop(), ids_of(tape, self.positions))
            finally:
                tape.freed = freed
        return replace(self.recording, sweeps=(*self.recording.sweeps, sweep))


def revive(recording: Recording) -> Run:
    """A run out of a loaded recording, so that further seeds can be tried on it."""
    return Run(recording)


def run(
    text: str,
    name: str = "script.py",
    *,
    cancelled: Callable[[], bool] = lambda: False,
    limits: Limits | None = None,
    echo_last: bool = False,
    seed: int | None = None,
    kind: str = "script",
) -> Run:
    """Interpret a script.

    Args:
        text: Python source.
        name: file name, for messages.
        cancelled: asked often; True stops the run.
        limits: how far the script may go.
        echo_last: print the value of a bare last line, as an interactive session does.
        seed: of the random numbers where the script sets none; None for a new one each time.
        kind: "script" or "notebook".

    Returns:
        The run; a script's error is in `recording.problem`.
    """
    started = time.perf_counter()
    stopped = threading.Event()
    machine = Machine(
        limits or Limits(),
        lambda: stopped.is_set() or cancelled(),
        time.time_ns() % 2**63 if seed is None else seed,
    )
    source = Source(kind, name, text)
    Handle.number_from_zero()
    error, positions, recording = on_deep_stack(lambda: _recorded(machine, source, echo_last), stopped.set)
    code = machine.state.get("exit code") or 0
    result = Run(recording, machine, error, time.perf_counter() - started, positions, code)
    weakref.finalize(result, empty, machine).atexit = False
    return result


def empty(machine: Machine) -> None:
    """Let go of what a script left, when nobody needs its run any more.

    An array of objects hides from Python's collector what it holds, so that a circle through one would keep the whole
    machine for ever.
    """
    machine.state.get("globals", {}).clear()
    machine.state.clear()
    machine.builtins.clear()
    machine.modules = {}
    machine.tape = Tape()


def _recorded(
    machine: Machine, source: Source, echo_last: bool
) -> tuple[GradvizError | None, Sequence[int], Recording]:
    error: GradvizError | None = None
    with machine.tape.recording(), listening(machine.warnings.warn), np.printoptions():
        try:
            _run(machine, source, echo_last)
        except GradvizError as problem:
            error = _left(machine, problem)
        except Exception as fault:
            error = _our_fault(fault, source.text)
        if error is not None:
            add_hint(error, source.text)
        if error is not None and error.line is None and machine.line:
            error.line, error.column = machine.line, 1
        try:
            if not isinstance(error, Cancelled):
                return error, *_freeze(machine, source, error)
        except Cancelled as stopped:
            error = stopped
        # Nobody waits for it any more, and of a large graph the nodes would take as long again.
        output = "".join(machine.output)
        return error, (), Recording(output=output, source=source, problem=_problem(machine, (), error))


def _left(machine: Machine, problem: GradvizError) -> GradvizError | None:
    """The error that ended a script; None where it ended itself, with a code and a last word on the error stream."""
    left = left_with(problem)
    if left is None:
        return problem
    machine.state["exit code"], said = left
    if said:
        machine.warnings.aside(f"{said}\n")
    return None


def _our_fault(fault: Exception, text: str) -> GradvizError:
    if isinstance(fault, MemoryError):
        return LimitError("there is not enough memory for this", hint="Use smaller tensors or lists.")
    if isinstance(fault, RecursionError):
        return too_deep(text)
    return GradvizError(
        f"gradviz itself failed here with {type(fault).__name__}: {fault}",
        hint="This is a fault of gradviz, not of the script: please report it with this line.",
    )


def _run(machine: Machine, source: Source, echo_last: bool) -> None:
    is_notebook = source.kind == "notebook"
    tree, warned, broken = compiled(source.text, by_cell=is_notebook)
    machine.state["source"] = source
    install(machine)
    refuse_imports(machine, tree)
    frame = machine.state["module"] = Frame(machine, None)
    if echo_last or is_notebook:
        echo(tree, source.text, each_cell=is_notebook)
    if not is_notebook:
        machine.builtins["__file__"] = source.name
        machine.builtins["__doc__"] = ast.get_docstring(tree, clean=False)
    if is_notebook:
        capture(tree, source.text)
        machine.builtins["display"] = shown_in_notebooks(machine)
        session = machine.state["session"] = Session(machine, begin(tree, source.text))
        machine.builtins[BEGIN] = Native("begin", session.begin)
    for line, category, message in warned:
        machine.line = line
        machine.warnings.warn(message, category)
    try:
        code = block(tree.body, Scope(is_module=True))
        code(frame)
        _let_go(frame.vars)
        machine.check()
        if broken is not None:
            raise broken
    except GradvizError as error:
        in_characters(error, source.text)
        raise
    finally:
        machine.state["globals"] = frame.vars


def _let_go(variables: dict[str, Any]) -> None:
    """End the generators that stand in the midst of their body, as Python does at its end: `finally` blocks run."""
    for value in tuple(variables.values()):
        if isinstance(value, Producer):
            with suppress(TorchError):  # Python too goes on, nobody is there to catch it
                value.close()


def _echo(machine: Machine, value: Any) -> None:
    """Show the value of a bare last line; `plt.show()` has none."""
    if value is not None and not isinstance(value, Silent):
        text = pretty(value)
        if (session := machine.state.get("session")) is not None:
            session.show(value)
        machine.write(f"{text}\n")


def install(machine: Machine) -> None:
    """Give a machine its names."""
    machine.builtins = python.builtins(machine)
    heard = Heard(machine)
    machine.builtins |= {
        QUIET: Native("quiet", heard.begin),
        LOUD: Native("loud", heard.end),
    }  # fmt: skip
    machine.builtins[ECHO] = Native("echo", lambda value: _echo(machine, value))
    torch = torch_names.module(machine)
    numpy = numpy_names.module(machine, machine.numpy_seed)
    machine.state["types"] += [each for each in numpy.members.values() if isinstance(each, Class)]
    machine.modules = Modules(
        machine, {"torch": torch, "functorch": functorch.namespace(machine, torch.members["func"]), "numpy": numpy}
    )


def _freeze(machine: Machine, source: Source, error: GradvizError | None) -> tuple[Sequence[int], Recording]:
    """Where the nodes stand on the tape, and the recording."""
    if machine.keeping.thin(machine.tape, is_last=True):
        forget(machine)
    positions = shown(machine.tape)
    variables: dict[str, Any] = machine.state.get("globals", {})
    gradients = {name: None if leaf.grad is None else leaf.grad.data for name, leaf in leaves(variables)}
    recording = freeze(
        machine.tape,
        lines=machine.marks,
        scopes=scopes(machine.tape, machine.levels, positions),
        positions=positions,
        gradients=gradients,
        output="".join(machine.output),
        source=source,
        thinned=machine.keeping.thinned,
    )
    problem = None if error is None else _problem(machine, positions, error)
    return positions, replace(recording, problem=problem, warnings=tuple(machine.warnings.given))


def leaves(variables: dict[str, Any]) -> Iterator[tuple[str, Tensor]]:
    """The leaves that the module's variables hold: themselves, in lists, and as parameters of modules."""
    for name, value in variables.items():
        held: Iterable[tuple[str, Any]] = ((name, value),)
        if isinstance(value, list | tuple) and len(value) <= NAMED_ITEMS:
            held = ((f"{name}[{i}]", item) for i, item in enumerate(value))
        elif isinstance(value, Instance) and value.cls.has("named_parameters"):
            held = ((f"{name}.{path}", parameter) for path, parameter in named_parameters(value))
        yield from ((path, x) for path, x in held if isinstance(x, Tensor) and _takes_part(x))


def _takes_part(x: Tensor) -> bool:
    """Whether it is a leaf of the script's own that takes or holds a gradient, and no view of one for a look at it."""
    return x.is_leaf and (x.requires_grad or x.grad is not None) and not is_untracked(x)


def _problem(machine: Machine, positions: Sequence[int], error: GradvizError) -> Problem:
    failed = getattr(machine, "failed_output", None) if isinstance(error, TorchError) else None
    node = None if failed is None else dict(zip(positions, range(len(positions)), strict=True)).get(failed)
    return Problem(error.headline, error.hint, error.line, error.column, node)


__all__ = ["MAX_CHARACTERS", "Cancelled", "Limits", "Run", "gradviz", "parse", "revive", "run"]
