"""The host: starts child processes, hands each one job, passes on what it says, and ends it when it must.

    with Host(BUILTIN) as host:
        run = host.run(Job(text), on_output=print)
        run.recording

One process a run. A warm spare, which has imported all it needs, waits for the next run, so that one starts within
milliseconds. A child lives on after its run to answer questions about it (`ChildRun.with_seed`), until it is closed or
nobody holds it any more. Whatever happens to a child ends as one sentence, a GradvizError.

The host itself runs no script, imports no engine, and loads numpy only when somebody asks for a recording.
"""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
import sysconfig
import threading
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from queue import Empty, Full, Queue, SimpleQueue
from typing import TYPE_CHECKING, Any

from gradviz.errors import Cancelled, GradvizError, LimitError
from gradviz.run.confine import macos
from gradviz.run.job import Job
from gradviz.run.protocol import (
    BrokenOff,
    BrokenProtocol,
    Frame,
    Hearing,
    Message,
    error_from_json,
    error_to_json,
    frame_of,
    job_to_json,
    read_frame,
)
from gradviz.run.scratch import MOST_BYTES, MOST_FILES, Scratch

if TYPE_CHECKING:
    from gradviz.recording import Array, Problem, Recording, Warned

START_SECONDS = 60.0
"""A child that says nothing for so long, on a slow disk or behind a virus scanner, will not start any more."""

GRACE_SECONDS = 0.5
"""What a script that is stopped has to end by itself, and to hand back what was recorded until then."""

PACK_SECONDS = 60.0
"""What a child has to hand back its recording."""

SEED_SECONDS = 60.0
"""What a child has to answer a question."""

_POLL_SECONDS = 0.02
_LOOK_SECONDS = 0.5
_WAITING_FRAMES = 64
_MOST_SPARES = 2
_LAST_WORDS = 2**13
_JOIN_SECONDS = 5.0
_LAST_WORDS_SECONDS = 1.0

Say = Callable[[str], None]


@dataclass(frozen=True)
class Backend:
    """What a child runs, and in which Python.

    Attributes:
        entry: "package.module:function", a `gradviz.run.job.RunJob`; imported before the walls stand.
        python: the interpreter's file; this one by default.
        paths: directories to import from besides that interpreter's own library, and besides gradviz and numpy.
        confined: whether walls are built around it.
        walls: which ones, by the names in `gradviz.run.confine.walls`; None for all. For tests of one alone.
        warm: modules that many scripts need and many do not: a child imports them where it waits as a spare.
    """

    entry: str
    python: str = ""
    paths: tuple[str, ...] = ()
    confined: bool = True
    walls: frozenset[str] | None = None
    warm: tuple[str, ...] = ()


BUILTIN = Backend("gradviz.run.builtin:run_job", warm=("numpy.random", "statistics"))
"""The engine of gradviz itself."""

_BOOT = "import sys; sys.path[:] = {paths} + sys.path; from gradviz.run.child import main; main({config!r})"


def _places() -> tuple[list[str], list[str]]:
    """Directories to import gradviz and numpy from; and all that a confined child may read."""
    packages = [str(Path(__file__).resolve().parent.parent)]
    numpy = importlib.util.find_spec("numpy")  # found, not imported
    packages += list(numpy.submodule_search_locations or ()) if numpy is not None else []
    roots = list(dict.fromkeys(str(Path(package).parent) for package in packages))
    libraries = [f"{package}.libs" for package in packages]  # where wheels keep the libraries they bring
    own = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib")]
    return roots, [*dict.fromkeys([*own, *packages, *libraries])]


def _command(backend: Backend, *, keeps_spare: bool = True) -> list[str]:
    roots, library = _places()
    python = backend.python or sys.executable
    paths = [*backend.paths, *roots]
    config = {
        "entry": backend.entry,
        "confined": backend.confined,
        "walls": None if backend.walls is None else sorted(backend.walls),
        "library": [*library, *backend.paths],
        "parent": os.getpid(),
        "warm": backend.warm if keeps_spare else (),
    }
    boot = _BOOT.format(paths=paths, config=json.dumps(config))
    # -I: no variables, no directory of the user; -S: no site-packages but what `paths` names.
    return [python, "-I", "-S", "-X", "utf8", "-c", boot]


def _environment() -> dict[str, str]:
    """All that a child sees of this process's environment."""
    # One thread for linear algebra: threads would not be behind the walls, and a learner's matrices are small.
    given = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    kept = ("SYSTEMROOT", "SYSTEMDRIVE") if sys.platform == "win32" else ()
    return given | {name: os.environ[name] for name in kept if name in os.environ}


class Child:
    """One child process, as its host sees it.

    Attributes:
        is_broken: whether it sent what no child of ours sends.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        environment: Mapping[str, str] | None = None,
        folder: Path | None = None,
        hears_errors: bool = False,
    ) -> None:
        """Start it.

        Args:
            command: program and arguments.
            environment: its variables; None for the few that a confined child has.
            folder: its working directory; None for the root.
            hears_errors: whether what goes to its error stream is kept for `last_words`.

        Raises:
            GradvizError: it cannot be started.
        """
        # Ctrl+C in a terminal is for the host, which knows what to do.
        options: dict[str, Any] = {"start_new_session": True}
        if sys.platform == "win32":
            options = {"creationflags": subprocess.CREATE_NO_WINDOW | subprocess.CREATE_NEW_PROCESS_GROUP}
        try:
            self._process = self._start(
                command,
                stderr=subprocess.PIPE if hears_errors else subprocess.DEVNULL,
                cwd=Path(sys.executable).anchor if folder is None else folder,
                env=_environment() if environment is None else environment,
                **options,
            )
        except (OSError, ValueError, MemoryError) as error:
            reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
            raise GradvizError(
                f"the process that runs scripts could not be started: {reason}",
                hint="Close other programs if memory is short, and look whether a virus scanner holds Python back.",
            ) from None
        self.scratch: Scratch | None = None
        self._frames: Queue[Frame | None] = Queue(_WAITING_FRAMES)
        self._is_over = threading.Event()
        self._hearing = Hearing()
        self.is_broken = False
        self._words = b""
        self._reader = threading.Thread(target=self._read, name="gradviz child", daemon=True)
        self._reader.start()
        self._hearer = threading.Thread(target=self._hear_errors, name="gradviz child's errors", daemon=True)
        if hears_errors:
            self._hearer.start()

    def _start(self, command: Sequence[str], **options: Any) -> subprocess.Popen[bytes]:
        return subprocess.Popen(  # noqa: S603 - the command is ours
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, close_fds=True, **options
        )

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def expect(self, megabytes: int, nodes: int) -> None:
        """Allow it to hand back a recording: of so many nodes, and of arrays of so many MB and a little."""
        self._hearing.expect(megabytes, nodes)

    def ask(self, question: bytes, answer: Message) -> bool:
        """Send a question that has this kind of answer; False where nobody is there to take it."""
        self._hearing.ask(answer)
        return self.send(question)

    def send(self, frame: bytes) -> bool:
        """Send a frame; False where nobody is there to take it."""
        stdin = self._process.stdin
        assert stdin is not None
        try:
            stdin.write(frame)
            stdin.flush()
        except (OSError, ValueError):  # a broken pipe, or one that was closed
            return False
        return True

    def next_frame(self, seconds: float) -> Frame | None:
        """The next frame.

        Raises:
            Empty: none came in that time.

        Returns:
            None where the child has ended, or sends what is no frame.
        """
        return self._frames.get(timeout=max(seconds, 0.0))

    def end(self) -> int:
        """Kill it if it lives, and leave nothing of it behind; returns its exit code, negative for a signal."""
        self._is_over.set()
        with suppress(OSError):
            self._process.kill()
        code = self._process.wait()
        assert self._process.stdin is not None
        with suppress(OSError, ValueError):
            self._process.stdin.close()
        self._reader.join(_JOIN_SECONDS)  # a process that the script has started may hold the pipe open
        if self.scratch is not None:
            self.scratch.remove()
        return code

    def wait(self, seconds: float) -> int | None:
        """Its exit code, or None where it still lives after that time."""
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def last_words(self) -> str:
        """The end of what it wrote to its error stream, where that was asked for; of one that has ended, all of it."""
        if self._hearer.is_alive() and self._process.poll() is not None:
            self._hearer.join(_LAST_WORDS_SECONDS)  # what it has started may hold the stream open
        return self._words.decode("utf-8", "replace")

    def _hear_errors(self) -> None:
        """Take in the error stream until its end, however much comes; in a thread of its own."""
        stream = self._process.stderr
        assert stream is not None
        with suppress(OSError, ValueError), stream:
            while piece := os.read(stream.fileno(), _LAST_WORDS):
                self._words = (self._words + piece)[-_LAST_WORDS:]

    def _read(self) -> None:
        """Pass on frames until there are no more; in a thread of its own."""
        stdout = self._process.stdout
        assert stdout is not None
        frame: Frame | None = None
        while not self._is_over.is_set():
            try:
                frame = read_frame(stdout, self._hearing.bound_of)
                if frame is not None:
                    self._hearing.took(frame)
            except BrokenProtocol as error:
                frame, self.is_broken = None, not isinstance(error, BrokenOff)
            except (OSError, ValueError):
                frame = None
            while not self._is_over.is_set():
                with suppress(Full):
                    self._frames.put(frame, timeout=0.1)
                    break
            if frame is None:
                break
        with suppress(OSError, ValueError):
            stdout.close()


class Host:
    """Runs jobs, each in a fresh child of one backend. May be used from several threads at once.

    Args:
        backend: what the children run.
        keeps_spare: whether a warm child waits for the next job; a program that runs one job needs none.
        start: how a child is started, given the command.
    """

    def __init__(
        self,
        backend: Backend = BUILTIN,
        *,
        keeps_spare: bool = True,
        start: Callable[[Sequence[str]], Child] = Child,
    ) -> None:
        self._command = _command(backend, keeps_spare=keeps_spare)
        self._keeps_spare = keeps_spare
        self._orders: SimpleQueue[Queue[Child | GradvizError] | None] = SimpleQueue()
        self._spares: list[Queue[Child | GradvizError]] = []
        self._lock = threading.Lock()
        self._is_closed = False
        self._live: weakref.WeakSet[ChildRun] = weakref.WeakSet()
        # On Linux a child is killed when the thread that started it ends, so one thread starts them all.
        self._starter = threading.Thread(target=_start_children, args=(start, self._command, self._orders), daemon=True)
        self._starter.start()

    def __enter__(self) -> Host:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def warm(self) -> None:
        """Start a spare child in the background, unless one waits."""
        with self._lock:
            if not self._spares and not self._is_closed:
                self._spares.append(self._order())

    def close(self) -> None:
        """End the spare and every child whose run is still held."""
        with self._lock:
            if self._is_closed:
                return
            self._is_closed = True
            spares, self._spares = self._spares, []
        for spare in spares:
            _end_when_started(spare)
        for run in list(self._live):
            run.close()
        self._orders.put(None)

    def run(
        self,
        job: Job,
        *,
        on_output: Say | None = None,
        on_aside: Say | None = None,
        on_progress: Callable[[float], None] | None = None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> ChildRun:
        """Run a job; blocks, and calls the given functions in this thread, as the child speaks.

        Args:
            job: what to run.
            on_output: is given what the script prints, in portions.
            on_aside: is given what is said beside that.
            on_progress: is given the share that is done, 0..1.
            cancelled: asked often; True ends the run at once.

        Raises:
            LimitError: time, memory or output was more than the job allows, and nothing came back.
            Cancelled: `cancelled` said so.
            GradvizError: the child could not start, crashed, or was ended from outside.
        """
        told: dict[Message, Say] = {}
        if on_output is not None:
            told[Message.OUTPUT] = on_output
        if on_aside is not None:
            told[Message.ASIDE] = on_aside
        child = self._ready_child(cancelled)
        try:
            child.scratch = Scratch()
            nodes = max(job.limits.nodes, job.keep.nodes) if job.wants_recording else 0
            child.expect(max(job.limits.megabytes, job.keep.megabytes), nodes)
            if not child.send(frame_of(Message.JOB, job_to_json(replace(job, scratch=child.scratch.path)))):
                raise ended(child)
            run = _Conversation(child, job, told, on_progress, cancelled).hold()
        except BaseException:
            child.end()
            raise
        self._live.add(run)
        return run

    def _ready_child(self, cancelled: Callable[[], bool]) -> Child:
        """A child that has said that it is ready; spares that have died meanwhile are replaced by a new one.

        Raises:
            GradvizError: none can be started, or `cancelled` said so; the next run then takes what was started.
        """
        for is_last in (*[False] * _MOST_SPARES, True):
            child: Child | None = None
            waiting = self._take_spare()
            try:
                child = _wait_for(waiting, cancelled)
                _wait_until_ready(child, cancelled)
                if child.wait(0) is not None:  # it has said so before it was killed
                    raise ended(child, is_starting=True)
            except Cancelled:
                if child is not None:
                    waiting.put(child)
                self._give_back(waiting)
                raise
            except BaseException as error:
                if child is not None:
                    child.end()
                if is_last or not isinstance(error, GradvizError):
                    raise
            else:
                return child
        raise AssertionError

    def _take_spare(self) -> Queue[Child | GradvizError]:
        with self._lock:
            if self._is_closed:
                raise GradvizError("gradviz is being closed, so nothing is run any more")
            waiting = self._spares.pop(0) if self._spares else self._order()
            if self._keeps_spare and not self._spares:
                self._spares.append(self._order())
            return waiting

    def _give_back(self, waiting: Queue[Child | GradvizError]) -> None:
        """Keep for the next run what was started for one that nobody wants any more, as when somebody types."""
        with self._lock:
            is_kept = not self._is_closed and len(self._spares) < _MOST_SPARES
            if is_kept:
                self._spares.insert(0, waiting)
        if not is_kept:
            threading.Thread(target=_end_when_started, args=(waiting,), daemon=True).start()

    def _order(self) -> Queue[Child | GradvizError]:
        answer: Queue[Child | GradvizError] = Queue()
        self._orders.put(answer)
        return answer


def _start_children(
    start: Callable[[Sequence[str]], Child],
    command: Sequence[str],
    orders: SimpleQueue[Queue[Child | GradvizError] | None],
) -> None:
    """Start a child for every order, until None comes."""
    while (answer := orders.get()) is not None:
        try:
            answer.put(start(command))
        except GradvizError as error:
            answer.put(error)
        except RuntimeError as error:  # no thread can be started
            answer.put(GradvizError(f"the process that runs scripts could not be started: {error}"))


def _wait_for(waiting: Queue[Child | GradvizError], cancelled: Callable[[], bool]) -> Child:
    """What the starter hands over.

    Raises:
        GradvizError: it could not be started, or `cancelled` said so.
    """
    while True:
        try:
            started = waiting.get(timeout=_POLL_SECONDS)
        except Empty:
            if cancelled():
                raise Cancelled("Stopped.") from None
            continue
        if isinstance(started, GradvizError):
            raise started
        return started


def _end_when_started(waiting: Queue[Child | GradvizError]) -> None:
    started = waiting.get()
    if isinstance(started, Child):
        started.end()


def _wait_until_ready(child: Child, cancelled: Callable[[], bool]) -> None:
    until = time.monotonic() + START_SECONDS
    while True:
        try:
            frame = child.next_frame(_POLL_SECONDS)
        except Empty:
            if cancelled():
                raise Cancelled("Stopped.") from None
            if time.monotonic() > until:
                raise GradvizError(
                    f"the process that runs scripts said nothing for {START_SECONDS:.0f} seconds",
                    hint="Look whether a virus scanner holds Python back.",
                ) from None
            continue
        if frame is None:
            raise ended(child, is_starting=True)
        if frame.kind == Message.FAILED:
            raise error_from_json(frame.header)
        if frame.kind == Message.READY:
            return


_SIGNALS = {
    "SIGSEGV": "it reached into memory that is not its own (a segmentation fault)",
    "SIGBUS": "it reached into memory that is not there (a bus error)",
    "SIGABRT": "a library in it gave up (abort)",
    "SIGFPE": "the processor refused a calculation",
    "SIGILL": "the processor refused an instruction",
    "SIGKILL": "the system, or somebody, killed it; memory may have been short",
    "SIGXCPU": "its processor time was used up",
    "SIGTERM": "somebody ended it",
}


def ended(child: Child, *, is_starting: bool = False) -> GradvizError:
    """The sentence for a child that ended without a word."""
    code = None if child.is_broken else child.wait(1.0)
    if code is None:
        child.end()
        return GradvizError(
            "the process of the script sent what gradviz cannot read, and was ended",
            hint="Run the script again; if it ends so again, it may be hostile.",
        )
    what = "the process that runs scripts ended before it was ready" if is_starting else "the script's process ended"
    if code >= 0:
        return GradvizError(f"{what}, with exit code {code}", hint="Run the script again.")
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    return GradvizError(f"{what}: {_SIGNALS.get(name, name)}", hint="Nothing else is lost; run the script again.")


class _Conversation:
    """One job from its start to its end, as the host hears it."""

    def __init__(
        self,
        child: Child,
        job: Job,
        told: dict[Message, Say],
        on_progress: Callable[[float], None] | None,
        cancelled: Callable[[], bool],
    ) -> None:
        self._child, self._job, self._told = child, job, told
        self._on_progress, self._cancelled = on_progress, cancelled
        self._until: float | None = None
        self._stopped: GradvizError | None = None
        self._is_packing = False
        self._characters = 0
        self._look_at = 0.0
        self._packed: Frame | None = None
        self._done: Frame | None = None

    def hold(self) -> ChildRun:
        """Listen until the run is over.

        Raises:
            GradvizError: as `Host.run`.
        """
        self._start_clock()  # again when the child says that it starts: building the walls is not the script's time
        while self._done is None:
            if self._cancelled():
                raise Cancelled("Stopped.")
            now = time.monotonic()
            if self._until is not None and now >= self._until:
                self._stop_or_give_up(now)
            self._watch_memory()
            self._watch_folder(now)
            try:
                frame = self._child.next_frame(_POLL_SECONDS)
            except Empty:
                continue
            if frame is None:
                raise self._stopped if self._stopped is not None and not self._is_packing else ended(self._child)
            self._take(frame)
        return ChildRun(self._child, self._job, self._packed, self._done.header)

    def _start_clock(self) -> None:
        seconds = self._job.limits.seconds
        self._until = None if seconds is None else time.monotonic() + seconds

    def _stop_or_give_up(self, now: float) -> None:
        """Ask the child to stop; where that was done, and was of no use, end it."""
        if self._stopped is not None:
            raise self._stopped
        from gradviz.recording import counted  # late: it brings numpy

        seconds = self._job.limits.seconds or 0.0
        self._stopped = LimitError(
            f"the script ran longer than {counted(seconds, 'second')} and was ended",
            hint="Look for a loop that does not end, or give it more time.",
        )
        self._child.send(frame_of(Message.STOP, error_to_json(self._stopped)))
        self._until = now + GRACE_SECONDS

    def _watch_memory(self) -> None:
        """On a system that limits no memory, look how much the child has."""
        if sys.platform == "darwin" and macos.resident_bytes(self._child.pid) > self._job.limits.megabytes * 2**20:
            raise LimitError(
                f"the script needs more than the {self._job.limits.megabytes:,} MB of memory that it may use",
                hint="Use smaller tensors or lists.",
            )

    def _watch_folder(self, now: float) -> None:
        """Look from time to time how much the script has written."""
        scratch = self._child.scratch
        if scratch is None or now < self._look_at:
            return
        self._look_at = now + _LOOK_SECONDS
        if scratch.is_too_large():
            most = f"{MOST_BYTES // 10**6:,} MB or {MOST_FILES:,} files"
            raise LimitError(f"the script wrote more than {most}", hint="Write less.")

    def _take(self, frame: Frame) -> None:
        kind, header = frame.kind, frame.header
        if kind in (Message.OUTPUT, Message.ASIDE):
            text = header["text"]
            self._characters += len(text)
            if self._characters > self._job.limits.output_characters:
                most = f"{self._job.limits.output_characters:,}"
                raise LimitError(f"the script printed more than {most} characters", hint="Print less.")
            if kind in self._told:
                self._told[kind](text)
        elif kind == Message.PROGRESS:
            if self._on_progress is not None:
                self._on_progress(min(max(float(header["share"]), 0.0), 1.0))
        elif kind == Message.STARTED:
            self._start_clock()
        elif kind == Message.ENDED:
            self._until = time.monotonic() + PACK_SECONDS
            self._is_packing = True
            self._stopped = LimitError("what the script left takes too long to hand over", hint="Keep less of it.")
        elif kind == Message.RECORDING:
            self._packed = frame
        elif kind == Message.FAILED:
            raise error_from_json(header)
        elif kind == Message.DONE:
            self._done = frame


class ChildRun:
    """A run that is over; its child lives on to answer questions, until it is closed or nobody holds this any more.

    Attributes:
        seconds: how long the script ran.
        exit_code: what it ended itself with, by `sys.exit(3)`.
    """

    def __init__(self, child: Child, job: Job, packed: Frame | None, done: dict[str, Any]) -> None:
        self.seconds = float(done["seconds"])
        self.exit_code = int(done["exit_code"])
        self._problem, self._warnings = done["problem"], done["warnings"]
        self._child, self._job, self._packed = child, job, packed
        self._lock = threading.Lock()
        self._close = weakref.finalize(self, child.end)

    @property
    def is_alive(self) -> bool:
        """Whether questions can still be asked."""
        return self._close.alive and self._child.wait(0) is None

    @cached_property
    def recording(self) -> Recording:
        """What the run left.

        Raises:
            GradvizError: the job wanted none, or what came is none.
        """
        from gradviz.run.packing import unpack

        packed, self._packed = self._packed, None
        if packed is None:
            raise GradvizError("no recording was asked for")
        return unpack(packed.header, packed.body)

    @cached_property
    def problem(self) -> Problem | None:
        """The error that ended the script, or None; the recording has it too."""
        from gradviz.run.packing import read_problem

        return None if self._problem is None else read_problem(self._problem)

    @cached_property
    def warnings(self) -> tuple[Warned, ...]:
        """What was warned of; the recording has it too."""
        if not self._warnings:
            return ()
        from gradviz.run.packing import read_warning

        return tuple(read_warning(given) for given in self._warnings)

    @property
    def error(self) -> GradvizError | None:
        """The problem as an error that can be raised, or None."""
        problem = self.problem
        if problem is None:
            return None
        if problem.file:  # the place is not one of the script
            places = (problem.file, problem.line, problem.column)
            where = ":".join([str(each) for each in places if each is not None])
            return GradvizError(f"{where}: {problem.message}", hint=problem.hint)
        return GradvizError(problem.message, hint=problem.hint, line=problem.line, column=problem.column)

    def with_seed(self, output: int, seed: Array) -> Recording:
        """The recording with one more sweep at its end: v·J from node `output` with v = `seed`, of its shape.

        Raises:
            GradvizError: the seed does not fit, the child has ended, or it took too long.
        """
        from gradviz.run.packing import pack_array, unpack_sweep

        recording = self.recording
        packed = pack_array(seed, output=output)
        frame = self._ask(frame_of(Message.SEED, packed.header, packed.pieces), Message.SWEEP)
        return replace(recording, sweeps=(*recording.sweeps, unpack_sweep(frame.header, frame.body, recording)))

    def ask(self, what: str, value: Any = None) -> Any:
        """The answer to another question about the run; `value` and the answer are plain JSON.

        Raises:
            GradvizError: the run cannot answer that, the child has ended, or it took too long.
        """
        return self._ask(frame_of(Message.ASK, {"what": what, "value": value}), Message.ANSWER).header.get("value")

    def close(self) -> None:
        """End the child; the recording stays, and questions find nobody any more."""
        self._close()

    def _ask(self, question: bytes, answer: Message) -> Frame:
        with self._lock:
            if not self._close.alive or not self._child.ask(question, answer):
                raise GradvizError("the process of this run has ended", hint="Run the script again.")
            until = time.monotonic() + (self._job.limits.seconds or SEED_SECONDS)
            while True:
                try:
                    frame = self._child.next_frame(until - time.monotonic())
                except Empty:
                    self.close()
                    raise LimitError("this took too long and was ended", hint="Run the script again.") from None
                if frame is None:
                    error = ended(self._child)
                    self.close()
                    raise error
                if frame.kind == Message.FAILED:
                    raise error_from_json(frame.header)
                if frame.kind == answer:
                    return frame
