"""The process that runs a script with the user's own PyTorch: `PYTHON .../capture/child.py`, started by a host.

It speaks the frames of `gradviz.run.protocol` over the pipes that were its input and output, and writes the recording
to the file that the job names, again and again while the script runs. Nothing is confined: the script does what it
would do started by hand. gradviz need not be installed here, so this file finds the recorder beside itself.
"""

from __future__ import annotations

import ast
import codecs
import faulthandler
import importlib
import importlib.util
import io
import json
import linecache
import os
import select
import signal
import struct
import sys
import threading
import time
import types
import warnings
from _thread import interrupt_main
from typing import Any, BinaryIO

_HEAD = struct.Struct("!BIQ")
READY, STARTED, OUTPUT, ASIDE, ENDED, DONE, FAILED, JOB, STOP = 1, 2, 3, 4, 6, 9, 10, 20, 21
"""Kinds of frames, numbered as in `gradviz.run.protocol`."""

FLUSH_SECONDS = 0.05
"""What is printed reaches the host within this time."""
SNAPSHOT_SECONDS = 1.0
"""The file is written at the first backward pass, then at most so often, and in at most a tenth of the time."""
OUTPUT_KEPT = 10_000_000
"""Characters of the output that are part of the recording."""
_CAN_LOOK = os.name == "posix"
"""Whether a pipe can be asked if something waits in it."""
_DIRECT = 100
_LARGEST_TEXT = 2**16
_MAX_FRAME = 2**30


class Interrupts:
    """The wish to stop, put off while a frame or the file is being written."""

    def __init__(self) -> None:
        self._depth = 0
        self._is_due = False
        self._main = threading.get_ident()
        signal.signal(signal.SIGINT, self._take)

    def _take(self, *_: object) -> None:
        if self._depth:
            self._is_due = True
        else:
            raise KeyboardInterrupt

    def __enter__(self) -> None:
        if threading.get_ident() == self._main:
            self._depth += 1

    def __exit__(self, *_: object) -> None:
        if threading.get_ident() == self._main:
            self._depth -= 1
            if not self._depth and self._is_due:
                self._is_due = False
                raise KeyboardInterrupt

    def ignore(self) -> None:
        """The script is over: nothing is left to stop."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)


class Line:
    """Frames to and from the host, over what were the input and the output of this process."""

    def __init__(self) -> None:
        if sys.platform == "win32":
            import msvcrt

            for number in (0, 1):
                msvcrt.setmode(number, os.O_BINARY)
        self._source: BinaryIO = os.fdopen(os.dup(0), "rb", buffering=2**16)
        self._sink = os.dup(1)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        # what a library or a process of the script prints by itself comes through a pipe of its own
        self.printed, writable = os.pipe()
        os.dup2(writable, 1)
        os.close(writable)
        if _CAN_LOOK:
            os.set_blocking(self.printed, False)
        self._lock = threading.Lock()
        self.interrupts = Interrupts()

    def send(self, kind: int, header: Any = None) -> None:
        """Send a frame."""
        text = b"" if header is None else json.dumps(header, separators=(",", ":")).encode()
        rest = memoryview(_HEAD.pack(kind, len(text), 0) + text)
        with self.interrupts, self._lock:
            while rest:
                rest = rest[os.write(self._sink, rest) :]

    def read(self) -> tuple[int, Any]:
        """The next frame; (0, None) where there is none any more."""
        head = self._source.read(_HEAD.size)
        if len(head) < _HEAD.size:
            return 0, None
        kind, length, size = _HEAD.unpack(head)
        if length > _MAX_FRAME or size > _MAX_FRAME:
            return 0, None
        text = self._source.read(length)
        self._source.read(size)
        return kind, json.loads(text) if text else {}

    def listen(self) -> None:
        """Wait for a wish to stop; where the host has gone, the run ends at once."""
        while True:
            kind, _ = self.read()
            if kind == STOP:
                interrupt_main()
            elif not kind:
                os._exit(4)


class Speaker:
    """Passes on what is printed, collected where it comes thick and fast."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._lock = threading.RLock()
        self._parts: dict[int, list[str]] = {OUTPUT: [], ASIDE: []}
        self._window, self._sent = 0.0, 0
        self._waits = threading.Event()
        self._pid = os.getpid()
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.length = 0
        self.kept: list[str] = []
        for work in (self._keep_flushing, self._pass_on_printed):
            threading.Thread(target=work, daemon=True).start()

    def say(self, kind: int, text: str) -> None:
        """Pass a text on, after what processes of the script had printed before it."""
        if os.getpid() != self._pid:  # a process that the script has forked
            os.write(1 if kind == OUTPUT else 2, text.encode("utf-8", "replace"))
            return
        if not text:
            return
        with self._line.interrupts, self._lock:
            if _CAN_LOOK:
                self._take_printed()
            self._collect(kind, text)
            now = time.monotonic()
            if now - self._window > FLUSH_SECONDS:
                self._window, self._sent = now, 0
            if text[-1] == "\n" and self._sent < _DIRECT:
                self._sent += 1
                self._send()
                return
        self._waits.set()

    def flush(self) -> None:
        """Send what was collected, and what was printed by others until now."""
        with self._line.interrupts, self._lock:
            if _CAN_LOOK:
                self._take_printed()
            self._send()

    def _collect(self, kind: int, text: str) -> None:
        self._parts[kind].append(text)
        if kind == OUTPUT:
            if self.length < OUTPUT_KEPT:
                self.kept.append(text)
            self.length += len(text)

    def _send(self) -> None:
        for kind, parts in self._parts.items():
            text = "".join(parts)
            parts.clear()
            for start in range(0, len(text), _LARGEST_TEXT):
                self._line.send(kind, {"text": text[start : start + _LARGEST_TEXT]})

    def _keep_flushing(self) -> None:
        while True:
            self._waits.wait()
            time.sleep(FLUSH_SECONDS)
            self._waits.clear()
            self.flush()

    def _take_printed(self) -> bool:
        """Collect what waits in the pipe; False where nobody can write to it any more."""
        try:
            content = os.read(self._line.printed, _LARGEST_TEXT)  # as much as a pipe holds
        except BlockingIOError:
            return True
        self._collect(OUTPUT, self._decoder.decode(content))
        return bool(content)

    def _pass_on_printed(self) -> None:
        is_open = True
        while is_open and _CAN_LOOK:
            select.select([self._line.printed], [], [])
            with self._line.interrupts, self._lock:
                is_open = self._take_printed()
            self._waits.set()
        while not _CAN_LOOK:
            content = os.read(self._line.printed, _LARGEST_TEXT)
            if not content:
                return
            self.say(OUTPUT, self._decoder.decode(content))


class Stream(io.TextIOBase):
    """What a script prints to."""

    def __init__(self, speaker: Speaker, kind: int) -> None:
        self._speaker, self._kind = speaker, kind
        self.name = "<stdout>" if kind == OUTPUT else "<stderr>"
        self.mode = "w"

    encoding = "utf-8"
    errors = "strict"

    def writable(self) -> bool:
        """Yes."""
        return True

    def fileno(self) -> int:
        """Of what a process of the script may print to."""
        return 1 if self._kind == OUTPUT else 2

    def write(self, text: str, /) -> int:
        """Pass the text on."""
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        self._speaker.say(self._kind, text)
        return len(text)

    @property
    def buffer(self) -> Any:
        """For those who write bytes."""
        return _Bytes(self)


class _Bytes(io.RawIOBase):
    def __init__(self, stream: Stream) -> None:
        self._stream = stream

    def writable(self) -> bool:
        return True

    def write(self, content: Any, /) -> int:
        self._stream.write(bytes(content).decode("utf-8", "replace"))
        return len(content)


def load_recorder() -> Any:
    """The package `gradviz.capture` that this file is part of, whether or not gradviz is installed here.

    Raises:
        ImportError: there is no PyTorch, or it cannot be loaded.
    """
    folder = os.path.dirname(os.path.abspath(__file__))
    above = os.path.dirname(folder)
    start = os.path.join(above, "__init__.py")
    if os.path.basename(above) == "gradviz" and os.path.exists(start):
        _load("gradviz", start, above)
    else:
        house = types.ModuleType("gradviz")
        house.__path__ = [above]
        sys.modules["gradviz"] = house
    package = _load("gradviz.capture", os.path.join(folder, "__init__.py"), folder)
    importlib.import_module("gradviz.capture.recorder")
    return package


def _load(name: str, start: str, folder: str) -> Any:
    """A package from its folder, wherever that is."""
    spec: Any = importlib.util.spec_from_file_location(name, start, submodule_search_locations=[folder])
    package = importlib.util.module_from_spec(spec)
    sys.modules[name] = package
    spec.loader.exec_module(package)
    return package


class Run:
    """One script, from its text to the file that it leaves."""

    def __init__(self, job: Any, line: Line, speaker: Speaker, capture: Any) -> None:
        options = job.get("options") or {}
        keep = options.get("keep") or {}
        self.line, self.speaker = line, speaker
        self.text, self.name, self.kind = job["text"], job.get("name") or "script.py", job.get("kind", "script")
        self.echoes = self.kind == "notebook" or bool(job.get("echo_last"))
        self.folder = options.get("folder") or os.getcwd()
        self.file = options.get("file") or ""
        self.filename = os.path.abspath(self.file or os.path.join(self.folder, self.name))
        self.argv = [self.file or self.name, *options.get("argv", [])]
        self.out = options["out"]
        self.recorder = capture.Recorder(
            int(keep.get("sweeps") or 200),
            megabytes=float(keep.get("megabytes") or 1_000),
            summary_above=keep.get("summary_above"),
            filter=keep.get("filter") or None,
            main=self.filename,
        )
        self.recorder.source = {"kind": self.kind, "name": self.name, "text": self.text}
        self.recorder.on_pass = self._after_pass
        self._container: Any = None
        self._open = sys.modules["gradviz.capture.container"]
        self.recorder.printed = lambda: speaker.length
        self._due = 0.0  # also what is killed a moment after its first pass leaves that
        self.exit_code = 0

    # ---- running ---------------------------------------------------------------------------------------------------

    def script(self) -> None:
        """Run the script as Python would, recorded."""
        recorder = self.recorder
        main = types.ModuleType("__main__")
        main.__dict__.update({"__file__": self.filename, "__builtins__": __builtins__, "__annotations__": {}})
        sys.modules["__main__"] = main
        sys.argv = self.argv
        sys.path.insert(0, os.path.dirname(self.filename) if self.file else self.folder)
        linecache.cache[self.filename] = (len(self.text), None, self.text.splitlines(True), self.filename)
        warnings.showwarning = self._warn
        recorder.space = main.__dict__
        try:
            code = self._compiled(main.__dict__)
            with recorder:
                exec(code, main.__dict__)  # noqa: S102 # as the user asked for
        except SystemExit as ended:
            self._end(ended)
        except BaseException as error:
            self.exit_code = 130 if isinstance(error, KeyboardInterrupt) else 1
            recorder.problem = recorder.problem_of(error)

    def _compiled(self, space: dict[str, Any]) -> Any:
        if not self.echoes:
            return compile(self.text, self.filename, "exec", dont_inherit=True)
        tree = ast.parse(self.text, self.filename)
        starts = [at for at, line in enumerate(self.text.split("\n"), 1) if line.startswith("# %% cell")] or [1]
        ends = [start - 1 for start in starts[1:]] + [sys.maxsize]
        space[" show"] = _show
        for end in ends:
            before = [each for each in tree.body if each.lineno <= end]
            last = before[-1] if before else None
            if isinstance(last, ast.Expr) and not self._is_silenced(last):
                call = ast.Call(ast.copy_location(ast.Name(" show", ast.Load()), last), [last.value], [])
                last.value = ast.copy_location(call, last.value)
        return compile(tree, self.filename, "exec", dont_inherit=True)

    def _is_silenced(self, last: ast.Expr) -> bool:
        """Whether a semicolon stands behind it."""
        line: str = self.text.split("\n")[(last.end_lineno or last.lineno) - 1]
        return line.encode()[last.end_col_offset or 0 :].lstrip().startswith(b";")

    def _end(self, ended: SystemExit) -> None:
        """As Python takes it: a number is the exit code, a text is printed."""
        recorder = self.recorder
        recorder.problem = None
        if isinstance(ended.code, int):
            self.exit_code = ended.code
        elif ended.code is not None:
            self.speaker.say(ASIDE, f"{ended.code}\n")
            self.exit_code = 1

    def _warn(
        self, message: Any, category: Any, filename: str, lineno: int, file: Any = None, line: Any = None
    ) -> None:
        """Stands in for `warnings.showwarning`: the line is that of the script, wherever the warning is given."""
        at = lineno if filename == self.filename else None
        frame: Any = sys._getframe(1)
        while frame is not None and at is None:
            at = frame.f_lineno if frame.f_code.co_filename == self.filename else None
            frame = frame.f_back
        entry = {"message": str(message), "category": category.__name__, "line": at, "at": self.speaker.length}
        self.recorder.warnings.append(entry)
        text = warnings.formatwarning(message, category, filename, lineno, line)
        if file is None:
            self.speaker.say(ASIDE, text)
        else:
            file.write(text)

    # ---- what is left ----------------------------------------------------------------------------------------------

    def _after_pass(self, *_: object) -> None:
        if time.monotonic() >= self._due:
            started = time.monotonic()
            with self.line.interrupts:
                self.write()
            self._due = time.monotonic() + max(SNAPSHOT_SECONDS, 10 * (time.monotonic() - started))

    def write(self) -> None:
        """Write what was recorded so far, such that the file can be read."""
        if self._container is None:
            self._container = self._open.Container(self.out)
        self.recorder.output = "".join(self.speaker.kept)
        self._container.finish(self.recorder.document(self._container.put))

    def finish(self) -> None:
        """Write the last state; without what had been written of calls that were dropped since, where that is much."""
        with self.line.interrupts:
            self.write()
            is_wasteful = self._container.waste > max(self._container.live, 1_000_000)
            self._container.close()
            if is_wasteful:
                self._open.write(self.out, self.recorder.document)


def _show(value: Any) -> None:
    """The last value of a cell, as a notebook without pictures shows it."""
    if value is not None:
        sys.stdout.write(f"{value!r}\n")


def _failed(message: str, hint: str = "") -> dict[str, Any]:
    return {"class": "GradvizError", "kind": None, "message": message, "hint": hint, "line": None, "column": None}


def main() -> int:
    """Run one job; the exit code of the script."""
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [
        each for each in sys.path if os.path.abspath(each or os.curdir) != here
    ]  # not our names for the script
    faulthandler.enable(2)
    line = Line()
    line.send(READY)
    kind, job = line.read()
    if kind != JOB:
        return 0
    try:
        capture = load_recorder()
    except BaseException as error:
        version = ".".join(map(str, sys.version_info[:3]))
        hint = f"Install it there (`{sys.executable} -m pip install torch`), or choose another Python."
        line.send(
            FAILED, _failed(f"PyTorch cannot be loaded in Python {version}: {type(error).__name__}: {error}", hint)
        )
        return 1
    speaker = Speaker(line)
    sys.stdin = sys.__stdin__ = io.TextIOWrapper(io.BytesIO())  # type: ignore[misc]
    sys.stdout = sys.__stdout__ = Stream(speaker, OUTPUT)  # type: ignore[misc,assignment]
    sys.stderr = sys.__stderr__ = Stream(speaker, ASIDE)  # type: ignore[misc,assignment]
    try:
        run = Run(job, line, speaker, capture)
    except (KeyError, TypeError, ValueError) as error:
        line.send(FAILED, _failed(f"the job cannot be read: {error}"))
        return 1
    threading.Thread(target=line.listen, daemon=True).start()
    line.send(STARTED, {"walls": []})
    started = time.perf_counter()
    try:
        run.script()
    finally:
        seconds = time.perf_counter() - started
        line.interrupts.ignore()
    speaker.flush()
    line.send(ENDED)
    try:
        run.finish()
    except OSError as error:
        line.send(
            FAILED, _failed(f"the recording cannot be written: {error.strerror or error}", "Make room on the disk.")
        )
        return 1
    problem = run.recorder.problem
    told = None if problem is None else {key: problem.get(key) for key in ("message", "hint", "line", "column")}
    done = {"seconds": seconds, "exit_code": run.exit_code, "problem": told, "warnings": run.recorder.warnings}
    line.send(DONE, done)
    speaker.flush()
    return run.exit_code


if __name__ == "__main__":
    sys.exit(main())
