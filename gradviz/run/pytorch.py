"""Run with PyTorch: a script in the user's own Python, recorded there by `gradviz.capture`.

Nothing is confined: the script does what it does when the user starts it, with the user's rights. So it runs only when
somebody asks. What it leaves is a `.gradviz` file, which is written while it runs: of a run that was stopped, killed or
ended itself, what was recorded until then is there.
"""

from __future__ import annotations

import os
import re
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from queue import Empty
from typing import Any

from gradviz.errors import Cancelled, GradvizError, LimitError
from gradviz.formats import load
from gradviz.recording import Problem, Recording, Warned, counted
from gradviz.run.host import Child, Say, ended
from gradviz.run.interpreters import Interpreter, surroundings, usable
from gradviz.run.job import Job, Keep, Limits
from gradviz.run.over import EndedRun
from gradviz.run.packing import read_problem, read_warning
from gradviz.run.protocol import Frame, Message, error_from_json, error_to_json, frame_of, job_to_json

CHILD = Path(__file__).resolve().parent.parent / "capture" / "child.py"
"""What runs in the user's Python."""

START_SECONDS = 120.0
"""A Python that says nothing for so long will not start any more."""
GRACE_SECONDS = 20.0
"""What a script that is stopped has to end by itself and to write the rest of its recording."""
WRITE_SECONDS = 600.0
"""What a recording may take to be written after the script has ended."""
OUTPUT_CHARACTERS = 10_000_000
"""Printed, where somebody keeps it."""

KEPT = "What was recorded until then is shown."
NO_INPUT = "A run here has nobody who could type: put what the script asks for into it, or read it from a file."
INTERRUPTED, REFUSED = 130, 2
"""Exit codes of what somebody stopped, and of what gradviz ended."""
_BY_SIGNAL = 128
_POLL_SECONDS = 0.02
_LEAVE_SECONDS = 5.0
_NO_TEXT = re.compile("[\ud800-\udfff]")
_GONE_SECONDS = 1.0


@dataclass(frozen=True)
class Choice:
    """What of a run is kept.

    Attributes:
        sweeps: backward calls, at most; of more, the first, the last, and others evenly spread between.
        megabytes: of arrays, at most; beyond, calls between are dropped, and what still does not fit is summed up.
        summary_above: elements from which on an array is only summed up, or None.
        filter: a part of the names of modules, variables or ops that are kept; "" for all.
        first_only: nothing is recorded after the first call.
    """

    sweeps: int = 200
    megabytes: int = 1_000
    summary_above: int | None = None
    filter: str = ""
    first_only: bool = False


ONLY_PRINTED = Choice(sweeps=1, megabytes=16, first_only=True)
"""For a run of which nobody looks at more than what it prints."""


@dataclass(frozen=True)
class Script:
    """What is run, and where.

    Attributes:
        text: the source, which need not be saved yet.
        name: its file name, for messages.
        kind: "script" or "notebook".
        file: where it stands, or None; the script sees it as `__file__`.
        argv: what `sys.argv` has besides the name.
        folder: the working directory; where the file stands, or else the user's home, where None.
        seconds: after which it is stopped, or None.
        choice: what is kept.
        output_characters: after which it is stopped, or None.
        called: its name in `sys.argv`; the path of its file, where "".
        echo_last: show the value of a bare last expression, as the window does.
    """

    text: str
    name: str = "script.py"
    kind: str = "script"
    file: Path | None = None
    argv: Sequence[str] = ()
    folder: Path | None = None
    seconds: float | None = None
    choice: Choice = field(default_factory=Choice)
    output_characters: int | None = OUTPUT_CHARACTERS
    called: str = ""
    echo_last: bool = False

    @property
    def place(self) -> Path:
        """The working directory."""
        if self.folder is not None:
            return self.folder
        return Path.home() if self.file is None else self.file.resolve().parent


@dataclass(frozen=True, kw_only=True)
class TorchRun(EndedRun):
    """A run with PyTorch that is over; `problem` in its recording says why it ended early.

    Attributes:
        exit_code: what it ended itself with.
        interpreter: what it ran in.
    """

    exit_code: int
    interpreter: Interpreter

    @property
    def warnings(self) -> tuple[Warned, ...]:
        """What was warned of."""
        return self.recording.warnings

    @cached_property
    def error(self) -> GradvizError | None:
        """The problem as an error that can be raised, or None."""
        problem = self.recording.problem
        if problem is None:
            return None
        error = GradvizError(problem.message, hint=problem.hint, line=problem.line, column=problem.column)
        if problem.file:  # the line is not one of the script
            error.message, error.line, error.column = f"{problem.file}:{problem.line}: {error.message}", None, None
        return error


class EndedItself(GradvizError):
    """The process of a script ended without a word.

    Attributes:
        exit_code: as a shell has it.
    """

    def __init__(self, message: str, *, hint: str = "", exit_code: int = 1) -> None:
        super().__init__(message, hint=hint)
        self.exit_code = exit_code


def run_with_pytorch(
    script: Script,
    python: Path,
    *,
    on_output: Say | None = None,
    on_aside: Say | None = None,
    on_progress: Callable[[float], None] | None = None,
    cancelled: Callable[[], bool] = lambda: False,
    stopping: Callable[[], bool] = lambda: False,
    is_exact: bool = False,
) -> TorchRun:
    """Run a script in a Python that has PyTorch; blocks, and calls the given functions in this thread.

    Args:
        script: what to run.
        python: the program.
        on_output: is given what the script prints, in portions.
        on_aside: is given what is said beside that.
        on_progress: is given the share that is done, 0..1, where the script tells it.
        cancelled: asked often; True ends the run at once, and nothing comes back.
        stopping: asked often; True has the script end, and what was recorded comes back.
        is_exact: whether bytes that are no UTF-8 are passed on as `surrogateescape` has them; else each is a "\ufffd".

    Raises:
        Cancelled: `cancelled` said so, or `stopping` before anything was recorded.
        GradvizError: that Python does not start, or has no PyTorch that can be recorded.
    """
    interpreter = usable(python)
    folder = script.place
    if not folder.is_dir():
        raise GradvizError(f"the folder {folder} is not there", hint="Choose where the script is to run.")
    with tempfile.TemporaryDirectory(prefix="gradviz-", ignore_cleanup_errors=True) as own:
        out = Path(own) / "run.gradviz"
        child = Child([str(python), str(CHILD)], environment=surroundings(), folder=folder, hears_errors=True)
        conversation = _Conversation(child, script, out, on_output, on_aside, on_progress, is_exact=is_exact)
        try:
            conversation.hold(cancelled, stopping)
        except BaseException:
            _end_all(child)
            raise
        if not conversation.is_told:
            _leave(child)
            return conversation.run(interpreter)
        try:
            return conversation.run(interpreter)
        finally:  # taking PyTorch apart takes half a second, for which nobody need wait
            threading.Thread(target=_leave, args=(child,), name="the end of a run").start()


def _leave(child: Child) -> None:
    """Let a child that has said all end by itself, as a script's last words may want."""
    child.wait(_LEAVE_SECONDS)
    _end_all(child)


def _end_all(child: Child) -> None:
    """End a child, and what its script has started and left behind."""
    if sys.platform != "win32":
        with suppress(OSError):  # its group is its own: it was started with a session
            os.killpg(child.pid, signal.SIGKILL)
    child.end()


class _Conversation:
    """One run from its start to its end, as it is heard here."""

    def __init__(
        self,
        child: Child,
        script: Script,
        out: Path,
        on_output: Say | None,
        on_aside: Say | None,
        on_progress: Callable[[float], None] | None,
        *,
        is_exact: bool,
    ) -> None:
        self._child, self._script, self._out = child, script, out
        self._is_exact = is_exact
        self._told = {Message.OUTPUT: on_output, Message.ASIDE: on_aside}
        self._on_progress = on_progress
        self._until: float | None = time.monotonic() + START_SECONDS
        self._gone_since: float | None = None
        self._is_ready = self._has_started = self._has_ended = False
        self._stopped: GradvizError | None = None
        self._failure: GradvizError | None = None
        self._done: dict[str, Any] | None = None
        self._characters = 0
        self._started = time.monotonic()
        self._heard: list[str] = []

    @property
    def is_told(self) -> bool:
        """Whether the child has said all that it has to say."""
        return self._done is not None

    # ---- while it runs ----

    def hold(self, cancelled: Callable[[], bool], stopping: Callable[[], bool]) -> None:
        """Listen until the run is over."""
        while self._done is None and self._failure is None:
            if cancelled() or (not self._has_started and stopping()):
                raise Cancelled("Stopped.")
            if self._stopped is None and stopping():
                self._stop(Cancelled("Stopped."))
            if self._until is not None and time.monotonic() >= self._until:
                self._run_out()
                continue
            try:
                frame = self._child.next_frame(_POLL_SECONDS)
            except Empty:
                if self._is_gone():
                    self._failure = self._stopped or self._ended()
                continue
            if frame is None:
                self._failure = self._stopped or self._ended()
                return
            self._take(frame)

    def _is_gone(self) -> bool:
        """Whether the process ended a while ago; what its script has started may hold the pipe open."""
        if self._child.wait(0) is None:
            return False
        if self._gone_since is None:
            self._gone_since = time.monotonic()
        return time.monotonic() - self._gone_since > _GONE_SECONDS

    def _stop(self, why: GradvizError) -> None:
        self._stopped = why
        self._child.send(frame_of(Message.STOP, error_to_json(why)))
        self._until = time.monotonic() + GRACE_SECONDS

    def _run_out(self) -> None:
        """The time for what is awaited is over."""
        if not self._is_ready:
            self._failure = GradvizError(
                f"that Python said nothing for {START_SECONDS:.0f} seconds",
                hint="Look whether a virus scanner or a slow disk holds it back.",
            )
        elif self._stopped is not None or self._has_ended:
            late = LimitError("what was recorded took too long to be written", hint="Keep less of it.")
            self._failure = self._stopped or late
        else:
            seconds = self._script.seconds
            self._stop(
                LimitError(
                    f"the script ran longer than {counted(seconds or 0.0, 'second')} and was ended",
                    hint="Look for a loop that does not end, or give it more time.",
                )
            )

    def _take(self, frame: Frame) -> None:
        kind, header = frame.kind, frame.header
        if kind == Message.READY:
            self._is_ready = True
            self._until = time.monotonic() + START_SECONDS  # to import PyTorch
            self._child.send(frame_of(Message.JOB, _job_header(self._script, self._out)))
        elif kind == Message.STARTED:
            self._has_started, self._started = True, time.monotonic()
            self._until = None if self._script.seconds is None else self._started + self._script.seconds
        elif kind in self._told:
            self._hear(kind, header["text"])
        elif kind == Message.PROGRESS and self._on_progress is not None:
            self._on_progress(min(max(float(header["share"]), 0.0), 1.0))
        elif kind == Message.ENDED:
            self._has_ended, self._until = True, time.monotonic() + WRITE_SECONDS
        elif kind == Message.FAILED:
            self._failure = self._stopped or error_from_json(header)
        elif kind == Message.DONE:
            self._done = header

    def _hear(self, kind: Message, text: str) -> None:
        if not self._is_exact:
            text = _NO_TEXT.sub("\ufffd", text)
        most = self._script.output_characters
        self._characters += len(text)
        if most is not None and self._characters > most:
            if self._stopped is None:
                hint = "Print less, or only every so often."
                self._stop(LimitError(f"the script printed more than {most:,} characters and was ended", hint=hint))
            return
        if kind == Message.OUTPUT and most is not None:
            self._heard.append(text)
        if (say := self._told[kind]) is not None:
            say(text)

    def _ended(self) -> GradvizError:
        """The sentence for a child that ended without a word."""
        error = ended(self._child, is_starting=not self._is_ready)
        if not self._is_ready:
            said = self._child.last_words().strip().rpartition("\n")[2][:300]
            hint = f"It said: {said}" if said else "Try to start it in a terminal, and look what it says."
            return GradvizError(error.message, hint=hint)
        said = self._child.last_words().strip().rpartition("\n")[2][:300]
        return EndedItself(error.message, hint=f"It said: {said}" if said else "", exit_code=self._exit_code())

    # ---- when it is over ----

    def run(self, interpreter: Interpreter) -> TorchRun:
        """What is left.

        Raises:
            GradvizError: why there is nothing.
        """
        seconds = time.monotonic() - self._started
        failure, done = self._failure or self._stopped, self._done
        recording = self._recording()
        if recording is None:
            if done is None or failure is not None:
                raise failure or GradvizError("the recorder has left no recording")
            recording = Recording(output="".join(self._heard))
        if done is not None:
            recording = self._completed(recording, done)
            seconds = float(done["seconds"])
        if failure is not None:
            recording = replace(
                recording, problem=_problem_of(failure, recording.problem, has_nodes=bool(recording.nodes))
            )
        if not recording.output and self._heard:
            recording = replace(recording, output="".join(self._heard))
        code = self._exit_code() if done is None else int(done["exit_code"])
        return TorchRun(recording, seconds, exit_code=code, interpreter=interpreter)

    def _exit_code(self) -> int:
        """As a shell has it, of a script that did not come to its end."""
        if self._stopped is not None:
            return INTERRUPTED if isinstance(self._stopped, Cancelled) else REFUSED
        code = self._child.wait(0)
        return 1 if code is None else code if code >= 0 else _BY_SIGNAL - code

    def _recording(self) -> Recording | None:
        """What stands in the file; None where there is none, or it broke off before anything was in it."""
        try:
            return load(self._out) if self._out.exists() else None
        except GradvizError as error:
            if self._done is not None:
                raise GradvizError(f"the recorder has left a file that cannot be read: {error.message}") from None
            return None

    def _completed(self, recording: Recording, done: Mapping[str, Any]) -> Recording:
        """With what was told beside the file, where that does not say it."""
        problem, warnings = recording.problem, recording.warnings
        if problem is None and done.get("problem") is not None:
            problem = read_problem(done["problem"])
        if not warnings:
            warnings = tuple(map(read_warning, done["warnings"]))
        if problem is not None and problem.message.startswith("EOFError") and not problem.hint:
            problem = replace(problem, hint=NO_INPUT)
        return replace(recording, problem=problem, warnings=warnings)


def _problem_of(failure: GradvizError, known: Problem | None, *, has_nodes: bool) -> Problem:
    """Why a run was ended, with the line at which the recorder saw it, if it did."""
    hint = f"{failure.hint} {KEPT}".strip() if has_nodes else failure.hint
    line, column = failure.line, failure.column
    if line is None and known is not None:
        line, column = known.line, known.column
    return Problem(failure.headline, hint, line, column, None if known is None else known.node)


def _job_header(script: Script, out: Path) -> dict[str, Any]:
    choice = script.choice
    job = Job(
        script.text,
        script.name,
        script.kind,
        Limits(seconds=script.seconds),
        Keep(choice.sweeps, megabytes=choice.megabytes),
        echo_last=script.echo_last,
        options={
            "file": "" if script.file is None else os.path.abspath(script.file),  # noqa: PTH100 - links stay, as in Python
            "called": script.called,
            "argv": list(script.argv),
            "folder": str(script.place),
            "out": str(out),
            "keep": {
                "sweeps": choice.sweeps,
                "megabytes": choice.megabytes,
                "summary_above": choice.summary_above,
                "filter": choice.filter,
                "first_only": choice.first_only,
            },
        },
    )
    return job_to_json(job)
