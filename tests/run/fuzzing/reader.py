"""Many small sources in one confined process, each a run of its own, in sight of what a whole script left."""

from __future__ import annotations

import gc
import io
import linecache
import os
import signal
import sys
import sysconfig
import threading
import time
import traceback
from _thread import interrupt_main
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import gradviz
from gradviz.engine.nn.module import Module
from gradviz.engine.nn.parameter import Parameter
from gradviz.engine.state import state
from gradviz.engine.tensor import Tensor
from gradviz.errors import GradvizError, LimitError
from gradviz.recording import Source, check
from gradviz.run import builtin_names, execute, gate
from gradviz.run.builtin import run_job
from gradviz.run.confine import walls
from gradviz.run.job import Job, Limits, Stopped
from gradviz.run.levels import Trace
from tests.run.fuzzing.canary import SEEN, Canary, Holdings, watched

SECONDS = 2.0
"""What a source may take by the clock before it is asked to stop; the watching process ends it a little later."""

MEGABYTES = 500
MOST_OUTPUT = 20_000
COMPARED_EVERY = 20
"""Of so many sources what the modules hold is compared once, and at the end of a batch."""


@dataclass(frozen=True)
class Finding:
    """What went wrong: its kind, what tells it from others, and a text for people."""

    kind: str
    mark: str
    text: str


def library() -> list[str]:
    """Directories of Python's library and of numpy, and gradviz's own."""
    home = Path(np.__file__).parent
    places = [sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"), home, f"{home}.libs"]
    return [os.path.realpath(place) for place in (*places, Path(gradviz.__file__).parent)]


def public_names() -> list[str]:
    """Names that a script may put behind a dot."""
    import gradviz.engine as torch
    from gradviz.engine import nn

    found = {*dir(Tensor), *dir(torch), *dir(nn), *dir(nn.functional), *dir(Module), *dir(np.ndarray), *dir(np)}
    return sorted(name for name in found if name[:1] != "_")


class Clock:
    """Stops a source whose time is over, as the host's wish to stop does."""

    def __init__(self) -> None:
        self._until: float | None = None
        self.has_stopped = False
        signal.signal(signal.SIGINT, self._take)
        threading.Thread(target=self._watch, daemon=True).start()

    def __enter__(self) -> Clock:
        self.has_stopped = False
        self._until = time.monotonic() + SECONDS
        return self

    def __exit__(self, *_: object) -> None:
        self._until = None

    def _watch(self) -> None:
        while True:
            time.sleep(0.25)
            if self._until is not None and time.monotonic() > self._until:
                interrupt_main()

    def _take(self, *_: object) -> None:
        if self._until is not None and time.monotonic() > self._until:
            self._until = time.monotonic() + SECONDS
            self.has_stopped = True
            raise Stopped(LimitError("its time is over"))


class Said:
    """What a source says beside its output, where a traceback would stand."""

    def output(self, text: str) -> None:
        """Nobody reads it."""

    def progress(self, share: float) -> None:
        """Nobody waits."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def aside(self, text: str) -> None:
        """Kept."""
        self.lines.append(text)


class Stderr(io.TextIOBase):
    """The error stream of the process, as the child of a host has it."""

    def __init__(self, said: Said) -> None:
        self._said = said

    def write(self, text: str, /) -> int:
        """Kept."""
        self._said.aside(text)
        return len(text)


class Reader:
    """Runs sources in this process.

    Attributes:
        ran: sources that ended without an error.
        stopped: sources that the clock ended.
        suspects: errors of Python in our own code that a script was told as its own.
    """

    def __init__(self, *, confined: bool) -> None:
        self.ran = self.stopped = self.read_count = 0
        self.suspects: list[Finding] = []
        self._said = Said()
        self._left: dict[str, Any] = {}
        self._clock = Clock()
        places = library()
        self.canary = Canary(places)
        self._rewrite, self._builtins = execute.rewrite, execute.Builtins
        self._watch()
        self.begin("import torch, numpy, statistics, decimal, random\nimport torch.nn as nn, torch.optim, torch.func")
        if confined:
            bounds = walls.Bounds(None, MEGABYTES)
            self.standing = walls.confine(bounds, places, os.getppid(), walls.ALL - {walls.AUDIT})
            walls.allow_no_more_processes()
            sys.stderr = sys.__stderr__ = Stderr(self._said)  # type: ignore[misc,assignment]
        sys.addaudithook(self.canary.audit)
        self._holdings = Holdings()

    def close(self) -> None:
        """Take the watch off again; the audit hook stays, and hears nothing."""
        execute.rewrite, execute.Builtins = self._rewrite, self._builtins  # type: ignore[misc]

    def _watch(self) -> None:
        """Let every script be watched, and see what the first one left."""
        reader = self

        def rewrite(*given: Any, **named: Any) -> Any:
            made = reader._rewrite(*given, **named)
            return made._replace(tree=watched(made.tree))

        class Builtins(builtin_names.Builtins):
            def __init__(self, *given: Any) -> None:
                super().__init__(*given)
                self.names = {**reader._left, **self.names, SEEN: reader.canary.see}

        execute.rewrite, execute.Builtins = rewrite, Builtins  # type: ignore[misc,assignment]

    def begin(self, first: str) -> None:
        """Run the script whose variables the next sources see."""
        self._left = {}
        result = self._execute("script", first)
        self._left = {name: value for name, value in (result.variables if result else {}).items()
                      if name[:1] not in ("_", " ")}  # fmt: skip

    def read(self, kind: str, text: str) -> list[Finding]:
        """Run a source; what is wrong with how it ended."""
        self.read_count += 1
        self.canary.found.clear()
        self._said.lines.clear()
        found: list[Finding] = []
        result: execute.Result | None = None
        try:
            result = self._execute(kind, text)
        except (MemoryError, Stopped):
            pass  # told by the child
        except BaseException as error:
            found.append(Finding("fault", mark_of(error), "".join(traceback.format_exception(error))))
        finally:
            self.canary.is_on = False
        self.stopped += self._clock.has_stopped
        if result is not None:
            self.ran += result.problem is None
            found += self._of_result(result)
            if isinstance(result.error, MemoryError) or self._clock.has_stopped:
                result = None
                gc.collect()
        for each, what in self.canary.found:
            mark, _, rest = what.partition("\n")
            found.append(Finding(each, mark, rest))
        aside = "".join(self._said.lines)
        if "Traceback" in aside:
            found.append(Finding("text", f"traceback: {aside.strip().splitlines()[-1][:60]}", aside[:2000]))
        if self.read_count % COMPARED_EVERY == 0:
            found += self.changes()
        return found

    def changes(self) -> list[Finding]:
        """What was changed that no script may change."""
        changed = self._holdings.changes()
        if changed:
            self._holdings = Holdings()
        return [Finding("escape", f"changed {each}", each) for each in changed]

    def read_whole(self, text: str) -> list[Finding]:
        """Run a script with its recording, and look whether that is sound."""
        said = Said()
        limits = Limits(megabytes=MEGABYTES, nodes=20_000)
        try:
            with self._clock:
                recording = run_job(Job(text, limits=limits), said).recording
            check(recording)
        except (MemoryError, Stopped):
            return []
        except GradvizError as error:
            return [] if isinstance(error, LimitError) else [Finding("problem", error.message[:60], error.message)]
        except BaseException as error:
            return [Finding("fault", f"whole {mark_of(error)}", "".join(traceback.format_exception(error)))]
        finally:
            self._reset()
        return []

    def _execute(self, kind: str, text: str) -> execute.Result:
        self._reset()
        trace = Trace((Tensor, Parameter), Module)
        left = MOST_OUTPUT

        def write(printed: str) -> None:
            nonlocal left
            left -= len(printed)
            if left < 0:
                raise Stopped(LimitError("it printed too much"))

        source = Source(kind, "f.py", text)
        with self._clock, np.errstate(all="ignore"):
            self.canary.is_on = True
            try:
                return execute.execute(source, trace=trace, write=write, aside=lambda _: None, seed=0)
            finally:
                self.canary.is_on = False

    def _reset(self) -> None:
        """What one source left set is not the next one's."""
        state.__init__()  # type: ignore[misc]
        sys.setrecursionlimit(1000)

    def _of_result(self, result: execute.Result) -> list[Finding]:
        if result.problem is None:
            return []
        message = f"{result.problem.message} {result.problem.hint}"
        error = result.error
        found = []
        if "gradviz itself failed" in message or "gradviz/" in message:
            found.append(Finding("fault", message[:100], message))
        if "Traceback (most" in message and not _is_of_script(error):
            found.append(Finding("text", "a traceback", message))
        each = suspect(error)
        if each is not None:
            self.suspects.append(each)
        return found


def _frames(error: BaseException | None) -> Sequence[traceback.FrameSummary]:
    return traceback.extract_tb(error.__traceback__) if error is not None else ()


def _is_of_script(error: BaseException | None) -> bool:
    frames = _frames(error)
    return not frames or frames[-1].filename.startswith("<script")


def mark_of(error: BaseException) -> str:
    """The kind of an exception and the place in gradviz that it came from."""
    frames = [frame for frame in _frames(error) if "gradviz/" in frame.filename]
    if not frames:
        return type(error).__name__
    return f"{type(error).__name__} {frames[-1].filename.rpartition('gradviz/')[2]}:{frames[-1].name}"


def suspect(error: BaseException | None) -> Finding | None:
    """An exception of Python that is told as the script's own, though our code stumbled over it."""
    if not isinstance(error, AttributeError | AssertionError | NameError | KeyError | UnboundLocalError):
        return None
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    if at is None or "gradviz/" not in at.tb_frame.f_code.co_filename or at.tb_frame.f_globals is vars(gate):
        return None
    if linecache.getline(at.tb_frame.f_code.co_filename, at.tb_lineno).lstrip().startswith("raise"):
        return None
    place = f"{at.tb_frame.f_code.co_filename.rpartition('gradviz/')[2]}:{at.tb_lineno}"
    return Finding(
        "suspect", f"{type(error).__name__} {place}", f"{type(error).__name__}: {str(error)[:200]} at {place}"
    )
