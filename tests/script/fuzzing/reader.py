"""Many small sources on one machine, since a machine takes longer to make than most sources to read.

A source sees what a whole script left before it, so that its names mean something.
"""

from __future__ import annotations

import linecache
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from gradviz.imitation.engine.warn import listening
from gradviz.errors import Cancelled, GradvizError
from gradviz.imitation.script.limits import memory
from gradviz.imitation.script.machine import Frame, Limits, Machine
from gradviz.imitation.script.run import empty, install
from gradviz.imitation.script.syntax.forms import block
from gradviz.imitation.script.syntax.imports import refuse_imports
from gradviz.imitation.script.syntax.scope import Scope
from gradviz.imitation.script.text.parsing import in_characters, parse
from tests.script.fuzzing.guard import Guard

SMALL = Limits(steps=3_000, nodes=20_000, megabytes=400, output_characters=20_000)
STOP_SECONDS = 1.0
"""CPU time of one source, after which Stop is pressed."""

LONGEST_SECONDS = 3.0
"""What a source may take, with what passes until it has stopped."""

MOST_BYTES = 600_000_000


@dataclass(frozen=True)
class Finding:
    """What went wrong: its kind, what tells it from others, and a text for people."""

    kind: str
    mark: str
    text: str


def mark_of(error: BaseException) -> str:
    """The kind of an exception and the place in gradviz that it came from."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "gradviz" in frame.filename]
    if not frames:
        return type(error).__name__
    return f"{type(error).__name__} {frames[-1].filename.rpartition('gradviz/')[2]}:{frames[-1].name}"


class Reader:
    """A machine with what a first script left on it."""

    def __init__(self, first: str, guard: Guard) -> None:
        self._until = 0.0
        self._guard = guard
        self.machine = Machine(SMALL, lambda: time.thread_time() > self._until, 0)
        install(self.machine)
        self._base = Frame(self.machine, None)
        self.is_spoilt = False
        self.said: str | None = None
        with self.open():
            self.read(first, self._base)
        self.is_spoilt = False

    @contextmanager
    def open(self) -> Iterator[None]:
        """Sources are read inside."""
        with self.machine.tape.recording(), listening(self.machine.warnings.warn), np.printoptions():
            yield

    def read(self, text: str, frame: Frame | None = None) -> Finding | None:
        """Run a source as `run` would; None where it came back as it should."""
        self._reset()
        frame = frame or self._after_first()
        self.said = None
        began, before = time.thread_time(), memory.used()
        self._until = began + STOP_SECONDS
        try:
            with self._guard.watching():
                self._run(text, frame)
        except GradvizError as error:
            self.said = error.one_line("f.py")
            if "\n" in self.said:
                return Finding("text", "more than one line", self.said)
            self.is_spoilt = isinstance(error, Cancelled)
        except BaseException as error:
            self.is_spoilt = True
            return Finding("fault", mark_of(error), traceback.format_exc())
        return self._passed(time.thread_time() - began, memory.used() - before)

    def close(self) -> None:
        """Let go of what the first script left, as the end of a run does."""
        self.machine.state["globals"] = self._base.vars
        empty(self.machine)

    def _passed(self, seconds: float, size: int) -> Finding | None:
        if self._guard.touched:
            return Finding("touch", self._guard.touched[0][:60], "\n".join(self._guard.touched))
        if seconds > LONGEST_SECONDS:
            self.is_spoilt = True
            return Finding("slow", f"{self.said}"[:60], f"{seconds:.1f} s of CPU; {self.said}")
        if size > MOST_BYTES:
            self.is_spoilt = True
            return Finding("memory", f"{self.said}"[:60], f"{size / 1e6:.0f} MB; {self.said}")
        self.is_spoilt |= len(self.machine.tape.entries) > SMALL.nodes // 2
        return None

    def _run(self, text: str, frame: Frame) -> None:
        tree = parse(text)
        machine = self.machine
        refuse_imports(machine, tree)
        machine.state["module"] = frame
        try:
            code = block(tree.body, Scope(is_module=True))
            code(frame)
            machine.check()
        except GradvizError as error:
            in_characters(error, text)
            raise

    def _after_first(self) -> Frame:
        frame = Frame(self.machine, None)
        frame.vars.update(self._base.vars)
        return frame

    def _reset(self) -> None:
        """What one source spent or left open is not the next one's."""
        machine = self.machine
        machine.output.clear()
        machine.handling.clear()
        machine.writers.clear()
        machine.tape.grad_enabled = True
        machine._steps = machine._written = machine._depth = 0
        machine._next_check = machine.CHECK_EVERY
        machine._memory = memory.used()


def suspect(error: BaseException) -> Finding | None:
    """An exception of Python that is told as the script's own, though our code stumbled over it."""
    if isinstance(error, MemoryError):
        return Finding("memory", mark_of(error), "".join(traceback.format_tb(error.__traceback__)))
    if not isinstance(error, AttributeError | AssertionError | NameError):
        return None
    inner = error.__traceback__
    while inner is not None and inner.tb_next is not None:
        inner = inner.tb_next
    if inner is None or "gradviz" not in inner.tb_frame.f_code.co_filename:
        return None
    if linecache.getline(inner.tb_frame.f_code.co_filename, inner.tb_lineno).lstrip().startswith("raise"):
        return None
    code = inner.tb_frame.f_code
    mark = f"{type(error).__name__} {code.co_filename.rpartition('gradviz/')[2]}:{inner.tb_lineno}"
    return Finding("suspect", mark, f"{type(error).__name__}: {error} in {code.co_name}")
