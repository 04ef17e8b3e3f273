"""Run a script: text in, recording out. Errors of the script are part of the recording, never a traceback."""

from __future__ import annotations

import ast
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import gradviz.engine.protocol  # gives Tensor its special methods
from gradviz.engine import autograd
from gradviz.engine.tensor import Tensor, constant
from gradviz.errors import Cancelled, GradvizError, LimitError, ScriptError, TorchError
from gradviz.freeze import freeze, freeze_sweep
from gradviz.recording import Array, Problem, Recording, Source
from gradviz.script.assignment import NAMED_ITEMS
from gradviz.script.machine import Frame, Limits, Machine
from gradviz.script.names import numpy_names, python, torch_names
from gradviz.script.names.neural import named_parameters
from gradviz.script.scope import Scope
from gradviz.script.statements import block
from gradviz.script.values import Instance

MAX_CHARACTERS = 2_000_000
RECURSION = 12_000


@dataclass(frozen=True)
class Run:
    """What a run left: the recording, and the live graph for further seeds.

    Attributes:
        recording: frozen; `recording.problem` says why the script ended early.
        error: the error itself, or None.
        seconds: how long it took.
    """

    recording: Recording
    machine: Machine | None = None
    error: GradvizError | None = None
    seconds: float = 0.0

    def with_seed(self, output: int, seed: Array) -> Recording:
        """The recording with one more sweep: v·J from node `output` with v = seed; `.grad` is left alone.

        Raises:
            GradvizError: the seed's shape is wrong, or an op on the way has no rule.
        """
        if self.machine is None:
            from gradviz.engine.replay import sweep_of

            return replace(self.recording, sweeps=(*self.recording.sweeps, sweep_of(self.recording, output, seed)))
        tape = self.machine.tape
        freed, tape.freed = tape.freed, set()
        leaves = [entry for entry in tape.entries[: output + 1] if entry.op is None and entry.requires_grad]
        with np.errstate(all="ignore"):
            try:
                v = constant(np.asarray(seed, tape.entries[output].dtype)[()], tape)
                autograd.grad([tape.entries[output]], leaves, [v], retain_graph=True, allow_unused=True)
                sweep = freeze_sweep(tape.sweeps.pop())
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
    machine = Machine(limits or Limits(), cancelled, time.time_ns() % 2**63 if seed is None else seed)
    error: GradvizError | None = None
    # The code of a deep expression is as many nested Python calls; these use no C stack.
    recursion = sys.getrecursionlimit()
    sys.setrecursionlimit(max(recursion, RECURSION))
    try:
        with machine.tape.recording():
            try:
                _run(machine, text, echo_last)
            except GradvizError as problem:
                error = problem
            recording = _freeze(machine, Source(kind, name, text), error)
    finally:
        sys.setrecursionlimit(recursion)
    return Run(recording, machine, error, time.perf_counter() - started)


def _run(machine: Machine, text: str, echo_last: bool) -> None:
    tree = parse(text)
    install(machine)
    scope = Scope(is_module=True)
    frame = Frame(machine, None)
    try:
        last = tree.body[-1] if tree.body and echo_last else None
        if isinstance(last, ast.Expr):
            _echo(tree, last)
        code = block(tree.body, scope)
        code(frame)
        machine.check()
    except RecursionError:
        raise LimitError("the script is nested too deeply", hint="Split long expressions into several lines.") from None
    finally:
        machine.state["globals"] = frame.vars


def _echo(tree: ast.Module, last: ast.Expr) -> None:
    call = ast.Call(ast.Name(ECHO, ast.Load()), [last.value], [])
    tree.body[-1] = ast.copy_location(ast.Expr(ast.copy_location(call, last)), last)
    ast.fix_missing_locations(tree)


ECHO = " echo"
"""A name that no script can spell."""


def parse(text: str) -> ast.Module:
    """The syntax tree of a script.

    Raises:
        ScriptError: it is no Python, with the place.
        LimitError: it is too long.
    """
    if len(text) > MAX_CHARACTERS:
        raise LimitError(
            f"the script has {len(text):,} characters; gradviz reads up to {MAX_CHARACTERS:,}",
            hint="Paste only the part to look at.",
        )
    if "\0" in text:
        raise ScriptError("this is not a text file: it contains a zero byte", hint="Open a .py or .ipynb file.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except SyntaxError as error:
        raise ScriptError(
            f"SyntaxError: {error.msg}",
            hint="This line is not valid Python.",
            line=error.lineno,
            column=error.offset,
        ) from None
    except (RecursionError, MemoryError):
        raise LimitError("the script is nested too deeply", hint="Split long expressions into several lines.") from None
    except ValueError as error:
        raise ScriptError(f"this is not a Python script: {error}", hint="Open a .py or .ipynb file.") from None


def install(machine: Machine) -> None:
    """Give a machine its names."""
    from gradviz.script.values import Native

    machine.builtins = python.builtins(machine)
    machine.builtins[ECHO] = Native("echo", lambda value: None if value is None else machine.write(f"{value!r}\n"))
    torch = torch_names.module(machine)
    seed = machine.numpy_seed
    machine.modules = {
        "torch": torch,
        "numpy": numpy_names.module(seed),
        "math": python.math_module(),
        "random": python.random_module(seed),
        "time": python.time_module(),
        "itertools": python.itertools_module(),
        "functools": python.functools_module(),
    }


def _freeze(machine: Machine, source: Source, error: GradvizError | None) -> Recording:
    variables: dict[str, Any] = machine.state.get("globals", {})
    gradients = {name: None if leaf.grad is None else leaf.grad.data for name, leaf in leaves(variables)}
    recording = freeze(
        machine.tape,
        lines=machine.marks,
        scopes=machine.scopes,
        sweep_lines=machine.sweep_lines,
        gradients=gradients,
        output="".join(machine.output),
        source=source,
    )
    return recording if error is None else replace(recording, problem=_problem(machine, error))


def leaves(variables: dict[str, Any]) -> Iterator[tuple[str, Tensor]]:
    """The leaves that the module's variables hold: themselves, in lists, and as parameters of modules."""
    for name, value in variables.items():
        held: Iterable[tuple[str, Any]] = ((name, value),)
        if isinstance(value, list | tuple) and len(value) <= NAMED_ITEMS:
            held = ((f"{name}[{i}]", item) for i, item in enumerate(value))
        elif isinstance(value, Instance) and value.cls.has("named_parameters"):
            held = ((f"{name}.{path}", parameter) for path, parameter in named_parameters(value))
        yield from ((path, x) for path, x in held if isinstance(x, Tensor) and x.is_leaf and x.requires_grad)


def _problem(machine: Machine, error: GradvizError) -> Problem:
    node = getattr(machine, "failed_output", None) if isinstance(error, TorchError) else None
    nodes = len(machine.tape.entries)
    return Problem(
        error.headline, error.hint, error.line, error.column, node if node is not None and 0 <= node < nodes else None
    )


__all__ = ["Cancelled", "Limits", "Run", "gradviz", "parse", "revive", "run"]
