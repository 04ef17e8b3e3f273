"""The child process: import everything, wait for one job, build the walls, run it, answer questions about it, end.

Started by `gradviz.run.host` as `python -c "... main(config)"`. What the script prints and what it leaves goes out as
frames; what comes in is read by a thread of its own, so that the end of the pipe (the host has gone) and a wish to stop
are seen while the script runs.
"""

from __future__ import annotations

import gc
import importlib
import io
import json
import os
import signal
import sys
import threading
import time
from _thread import interrupt_main
from contextlib import suppress
from dataclasses import asdict
from queue import SimpleQueue
from typing import Any, BinaryIO

from gradviz.errors import GradvizError, LimitError
from gradviz.run.confine import walls
from gradviz.run.job import Job, Outcome, RunJob, Stopped
from gradviz.run.packing import Packed, pack, pack_sweep, unpack_array
from gradviz.run.protocol import (
    BrokenProtocol,
    Frame,
    Message,
    error_from_json,
    error_to_json,
    head_of,
    job_from_json,
    read_frame,
)
from gradviz.run.streams import Printed

FLUSH_SECONDS = 0.05
"""What is printed reaches the host within this time."""

_DIRECT = 100
"""So many lines in a stretch of `FLUSH_SECONDS` are sent one by one, at once; more are collected."""

_LARGEST_TEXT = 2**16


class Outbox:
    """Sends frames, and sees to it that a wish to stop never cuts one in two.

    Attributes:
        stopped: what is raised in the script to stop it, once that is wished for.
    """

    def __init__(self, pipe: int) -> None:
        self._pipe = pipe
        self._lock = threading.Lock()
        self._main = threading.get_ident()
        self._busy = 0
        self._is_open = False
        self.stopped: Stopped | None = None

    def send(self, kind: Message, header: Any = None, packed: Packed | None = None) -> None:
        """Send a frame; returns when the pipe has taken it."""
        if packed is not None:
            header = packed.header
        head = head_of(kind, header, 0 if packed is None else packed.size)
        with self, self._lock:
            self._write(head)
            for piece in () if packed is None else packed.pieces:
                self._write(piece)

    def _write(self, content: bytes) -> None:
        rest = memoryview(content)
        while rest:
            rest = rest[os.write(self._pipe, rest) :]

    def __enter__(self) -> Outbox:
        """Put off a wish to stop until the block is left."""
        if threading.get_ident() == self._main:
            self._busy += 1
        return self

    def __exit__(self, *_: object) -> None:
        if threading.get_ident() == self._main:
            self._busy -= 1
            if not self._busy:
                self._stop_if_due()

    def let_stop(self, is_open: bool) -> None:
        """Say whether the script runs, so that there is something to stop."""
        self._is_open = is_open

    def take_signal(self, *_: object) -> None:
        """Stop the script here and now, unless a frame is being sent; runs in the main thread."""
        if not self._busy:
            self._stop_if_due()

    def _stop_if_due(self) -> None:
        if self._is_open and self.stopped is not None:
            self._is_open = False
            raise self.stopped


class Emitter:
    """What a backend says while it runs, as `gradviz.run.job.Emit` has it: collected where it comes thick and fast."""

    def __init__(self, outbox: Outbox, most: int) -> None:
        self._outbox, self._left, self._most = outbox, most, most
        self._parts: dict[Message, list[str]] = {Message.OUTPUT: [], Message.ASIDE: []}
        self._lock = threading.RLock()
        self._waits = threading.Event()
        self._window = 0.0
        self._sent = 0
        self._progressed = 0.0

    def output(self, text: str) -> None:
        """See `Emit.output`."""
        self._say(Message.OUTPUT, text)

    def aside(self, text: str) -> None:
        """See `Emit.aside`."""
        self._say(Message.ASIDE, text)

    def progress(self, share: float) -> None:
        """See `Emit.progress`."""
        now = time.monotonic()
        if now - self._progressed >= FLUSH_SECONDS:
            self._progressed = now
            self._outbox.send(Message.PROGRESS, {"share": float(share)})

    def flush(self) -> None:
        """Send what was collected."""
        with self._outbox, self._lock:
            for kind, parts in self._parts.items():
                if parts:
                    text = "".join(parts)
                    parts.clear()
                    for start in range(0, len(text), _LARGEST_TEXT):
                        self._outbox.send(kind, {"text": text[start : start + _LARGEST_TEXT]})

    def keep_flushing(self) -> None:
        """Flush, a moment after something was collected, as long as the process lives; in a thread of its own."""
        while True:
            self._waits.wait()
            time.sleep(FLUSH_SECONDS)
            self._waits.clear()
            with suppress(OSError):
                self.flush()

    def _say(self, kind: Message, text: str) -> None:
        if not text:
            return
        self._left -= len(text)
        if self._left < 0:
            hint = "Print less, or only every so often."
            raise Stopped(LimitError(f"the script printed more than {self._most:,} characters", hint=hint))
        with self._outbox, self._lock:  # no wish to stop may come between, or the lock would stay closed
            self._parts[kind].append(text)
            now = time.monotonic()
            if now - self._window > FLUSH_SECONDS:
                self._window, self._sent = now, 0
            if text[-1] == "\n" and self._sent < _DIRECT:
                self._sent += 1
                self.flush()
                return
        self._waits.set()


def main(config_text: str) -> None:
    """Run one job and end the process; `config_text` is JSON of the host's `Backend`."""
    config = json.loads(config_text)
    source, outbox = _take_pipes()
    try:
        backend = _backend(config["entry"])
        for module in config["warm"]:
            importlib.import_module(module)
    except BaseException as error:
        outbox.send(Message.FAILED, error_to_json(_not_started(error)))
        os._exit(3)
    signal.signal(signal.SIGINT, outbox.take_signal)
    sys.dont_write_bytecode = True
    gc.collect()
    gc.freeze()
    outbox.send(Message.READY)
    frame = None
    with suppress(BrokenProtocol, OSError):
        frame = read_frame(source)
    if frame is not None:
        try:
            _serve(job_from_json(frame.header), backend, config, source, outbox)
        except BaseException as error:
            outbox.send(Message.FAILED, error_to_json(_not_started(error)))
    os._exit(0)


def _take_pipes() -> tuple[BinaryIO, Outbox]:
    """The pipes to the host; nothing that a script or a library prints by itself may get into them."""
    if sys.platform == "win32":
        import msvcrt

        for number in (0, 1):
            msvcrt.setmode(number, os.O_BINARY)
    source = os.fdopen(os.dup(0), "rb", buffering=2**16)
    sink = os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nothing, number)
    os.close(nothing)
    return source, Outbox(sink)


def _backend(entry: str) -> RunJob:
    """The function that `entry`, "package.module:function", names."""
    module, _, function = entry.partition(":")
    found: RunJob = getattr(importlib.import_module(module), function)
    return found


def _not_started(error: BaseException) -> GradvizError:
    return GradvizError(f"the process that runs scripts could not start: {type(error).__name__}: {error}")


def _serve(job: Job, backend: RunJob, config: dict[str, Any], source: BinaryIO, outbox: Outbox) -> None:
    standing: list[str] = []
    if job.scratch or job.folder:
        os.chdir(job.scratch or job.folder)
    if config["confined"]:
        bounds = walls.Bounds(job.limits.seconds, job.limits.megabytes)
        chosen = walls.ALL if config["walls"] is None else frozenset(config["walls"])
        folders = walls.Folders(config["library"], job.folder, job.scratch)
        standing = walls.confine(bounds, folders, config["parent"], chosen)
    emit = Emitter(outbox, job.limits.output_characters)
    asked: SimpleQueue[Frame] = SimpleQueue()
    for work in (lambda: _listen(source, outbox, asked), emit.keep_flushing):
        threading.Thread(target=work, daemon=True).start()
    if walls.LIMITS in standing and walls.SECCOMP not in standing:
        walls.allow_no_more_processes()
    sys.stdin = sys.__stdin__ = io.StringIO()  # type: ignore[misc,assignment] # `input()` meets the end of the file
    sys.stdout = sys.__stdout__ = Printed(emit.output, "<stdout>")  # type: ignore[misc,assignment]
    sys.stderr = sys.__stderr__ = Printed(emit.aside, "<stderr>")  # type: ignore[misc,assignment]
    outbox.send(Message.STARTED, {"walls": standing})
    outcome = _run(job, backend, emit, outbox)
    while True:
        _answer(asked.get(), outcome, outbox)


def _run(job: Job, backend: RunJob, emit: Emitter, outbox: Outbox) -> Outcome | None:
    """Run the job and send what it left; None where it left nothing."""
    started = time.perf_counter()
    outcome: Outcome | None = None
    failure: GradvizError | None = None
    try:
        outbox.let_stop(True)
        try:
            outcome = backend(job, emit)
        finally:
            outbox.let_stop(False)
    except Stopped as stopped:
        failure = stopped.error
    except GradvizError as error:
        failure = error
    except MemoryError:
        failure = too_much_memory(job)
    except BaseException as error:
        failure = GradvizError(
            f"gradviz itself failed here with {type(error).__name__}: {error}",
            hint="This is a fault of gradviz, not of the script: please report it with this line.",
        )
    seconds = time.perf_counter() - started
    walls.leave_room()
    with suppress(Stopped):  # of too much output, which has ended the script already
        emit.flush()
    outbox.send(Message.ENDED)
    if failure is None and outcome is not None:
        try:
            _send_outcome(job, outcome, seconds, outbox)
        except MemoryError:
            failure = too_much_memory(job)
        except GradvizError as error:
            failure = error
    if failure is not None:
        outbox.send(Message.FAILED, error_to_json(failure))
    return outcome


def too_much_memory(job: Job) -> LimitError:
    """The sentence for a script that ran out of memory."""
    return LimitError(
        f"the script needs more than the {job.limits.megabytes:,} MB of memory that it may use",
        hint="Use smaller tensors or lists.",
    )


def _send_outcome(job: Job, outcome: Outcome, seconds: float, outbox: Outbox) -> None:
    gc.disable()  # packing makes many small objects and no circles
    recording = outcome.recording
    if job.wants_recording:
        outbox.send(Message.RECORDING, packed=pack(recording))
    gc.enable()
    outbox.send(
        Message.DONE,
        {
            "seconds": seconds,
            "exit_code": outcome.exit_code,
            "problem": None if recording.problem is None else asdict(recording.problem),
            "warnings": recording.warnings,
        },
    )


def _listen(source: BinaryIO, outbox: Outbox, asked: SimpleQueue[Frame]) -> None:
    """Take in what the host sends; in a thread of its own. When the host is gone, so is this process."""
    with suppress(BrokenProtocol, OSError):
        while (frame := read_frame(source)) is not None:
            if frame.kind == Message.STOP:
                outbox.stopped = Stopped(error_from_json(frame.header))
                _interrupt()
            else:
                asked.put(frame)
    os._exit(0)


def _interrupt() -> None:
    """Wake the script's thread, out of a long sleep too."""
    if sys.platform == "win32":
        interrupt_main()
    else:
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)


def _answer(frame: Frame, outcome: Outcome | None, outbox: Outbox) -> None:
    """Answer one question about the run: with SWEEP, ANSWER or FAILED."""
    try:
        if outcome is None:
            raise GradvizError("the run left nothing to ask about")
        if frame.kind == Message.SEED:
            if outcome.with_seed is None:
                raise GradvizError("no other v can be set on what ran here")
            sweep = outcome.with_seed(frame.header["output"], unpack_array(frame.header, frame.body))
            outbox.send(Message.SWEEP, packed=pack_sweep(sweep))
        else:
            answer = outcome.answers.get(frame.header["what"])
            if answer is None:
                raise GradvizError(f"this run cannot answer '{frame.header['what']}'")
            outbox.send(Message.ANSWER, {"value": answer(frame.header["value"])})
    except GradvizError as error:
        outbox.send(Message.FAILED, error_to_json(error))
    except MemoryError:
        outbox.send(Message.FAILED, error_to_json(LimitError("there is not enough memory for this")))
    except Exception as error:
        failure = GradvizError(f"gradviz itself failed here with {type(error).__name__}: {error}")
        outbox.send(Message.FAILED, error_to_json(failure))
