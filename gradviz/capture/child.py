"""The process that runs a script with the user's own PyTorch: `PYTHON .../capture/child.py`, started by a host.

It speaks the frames of `gradviz.run.protocol` over the pipes that were its input and output, and writes the recording
to the file that the job names, again and again while the script runs. Nothing is confined: the script does what it
would do started by hand. gradviz need not be installed here, so this file finds the recorder beside itself.
"""

from __future__ import annotations
import __future__

import ast
import atexit
import builtins
import codecs
import faulthandler
import functools
import importlib
import importlib.util
import io
import json
import linecache
import os
import re
import select
import signal
import struct
import sys
import threading
import time
import types
import warnings
from _thread import interrupt_main
from contextlib import suppress
from typing import Any, BinaryIO

_HEAD = struct.Struct("!BIQ")
READY, STARTED, OUTPUT, ASIDE, ENDED, DONE, FAILED, JOB, STOP = 1, 2, 3, 4, 6, 9, 10, 20, 21
"""Kinds of frames, numbered as in `gradviz.run.protocol`."""
_STREAMS = {OUTPUT: 1, ASIDE: 2}
"""Where what is printed goes, by the kind of frame in which it travels."""

FLUSH_SECONDS = 0.05
"""What is printed reaches the host within this time."""
SNAPSHOT_SECONDS = 1.0
"""The file is written at the first backward pass, then at most so often, and in at most a tenth of the time."""
MOST_WASTE = 100_000_000
"""Bytes of dropped calls that the file may hold, where what is kept is less."""
OUTPUT_KEPT = 10_000_000
"""Characters of the output that are part of the recording."""
_FUTURE = functools.reduce(
    int.__or__, [getattr(__future__, name).compiler_flag for name in __future__.all_feature_names]
)
"""Flags of what a cell takes from `__future__`."""
_CAN_LOOK = os.name == "posix"
"""Whether a pipe can be asked if something waits in it."""
_DIRECT = 100
_LARGEST_TEXT = 2**16
_MAX_FRAME = 2**30
_FIRST_OF_OURS = 900
"""From here on our pipes are numbered: the files that a script opens have the numbers that they have without us."""
_NO_TEXT = re.compile("[\udc80-\udcff]")
"""A byte that is no UTF-8, as `surrogateescape` has it."""


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
    """Frames to and from the host, over what were the input and the output of this process.

    Attributes:
        printed: by kind of frame, the pipe through which comes what a library or a process of the script prints by
            itself.
        crashed: what was the error stream, for what Python says when it is killed.
        is_stopped: whether the host wishes the script to end.
    """

    def __init__(self) -> None:
        if sys.platform == "win32":
            import msvcrt

            for number in (0, 1):
                msvcrt.setmode(number, os.O_BINARY)
        self._pid = os.getpid()
        source, self._sink, self.crashed = (_out_of_the_way(os.dup(number)) for number in (0, 1, 2))
        self._source: BinaryIO = os.fdopen(source, "rb", buffering=2**16)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        self.printed: dict[int, int] = {}
        for kind, number in _STREAMS.items():
            readable, writable = os.pipe()
            os.dup2(writable, number)
            os.close(writable)
            self.printed[kind] = _out_of_the_way(readable)
            if _CAN_LOOK:
                os.set_blocking(self.printed[kind], False)
        _keep_open([source, self._sink, self.crashed, *self.printed.values()])
        self._lock = threading.Lock()
        self.interrupts = Interrupts()
        self.is_stopped = False

    @property
    def is_ours(self) -> bool:
        """Whether this is the process that was started, and none that the script has forked."""
        return os.getpid() == self._pid

    def send(self, kind: int, header: Any = None) -> None:
        """Send a frame; a process that the script has forked sends none."""
        if not self.is_ours:
            return
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
                self.is_stopped = True
                interrupt_main()
            elif not kind:
                os._exit(4)


def _out_of_the_way(number: int) -> int:
    """The same file under a high number."""
    try:
        import fcntl

        high = fcntl.fcntl(number, fcntl.F_DUPFD_CLOEXEC, _FIRST_OF_OURS)
    except (ImportError, OSError):  # Windows, or so many files are not allowed
        return number
    os.close(number)
    return high


def _keep_open(numbers: list[int]) -> None:
    """Let `os.closerange`, with which a script may close all that it does not know, pass over ours."""
    close, kept, pid = os.closerange, sorted(numbers), os.getpid()

    @functools.wraps(close)
    def closerange(low: int, high: int, /) -> None:
        for number in kept if os.getpid() == pid else ():
            if low <= number < high:
                close(low, number)
                low = number + 1
        close(low, high)

    os.closerange = closerange


class Speaker:
    """Passes on what is printed, collected where it comes thick and fast.

    Bytes that are no UTF-8 go as `surrogateescape` has them.

    Attributes:
        length: characters of the output so far.
        kept: the output, as far as it is part of the recording.
    """

    def __init__(self, line: Line) -> None:
        self._line = line
        self._lock = threading.RLock()
        self._parts: dict[int, list[str]] = {OUTPUT: [], ASIDE: []}
        self._window, self._sent = 0.0, 0
        self._waits = threading.Event()
        decoder = codecs.getincrementaldecoder("utf-8")
        self._own, self._others = ({kind: decoder("surrogateescape") for kind in _STREAMS} for _ in range(2))
        self.length = 0
        self.kept: list[str] = []
        threading.Thread(target=self._keep_flushing, daemon=True).start()
        for kind in _STREAMS:
            threading.Thread(target=self._pass_on_printed, args=(kind,), daemon=True).start()

    def say(self, kind: int, content: bytes) -> None:
        """Pass on what the script prints, after what its processes had printed before it."""
        if not self._line.is_ours:
            os.write(_STREAMS[kind], content)
            return
        with self._line.interrupts, self._lock:
            self._take_all_printed()
            self._collect(kind, self._own[kind].decode(content))
            now = time.monotonic()
            if now - self._window > FLUSH_SECONDS:
                self._window, self._sent = now, 0
            if content[-1:] == b"\n" and self._sent < _DIRECT:
                self._sent += 1
                self._send()
                return
        self._waits.set()

    def flush(self) -> None:
        """Send what was collected, and what was printed by others until now."""
        if not self._line.is_ours:
            return
        with self._line.interrupts, self._lock:
            self._take_all_printed()
            self._send()

    def _collect(self, kind: int, text: str) -> None:
        self._parts[kind].append(text)
        if kind == OUTPUT:
            if self.length < OUTPUT_KEPT:
                self.kept.append(text if text.isascii() else _NO_TEXT.sub("\ufffd", text))
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

    def _take_all_printed(self) -> None:
        for kind in _STREAMS if _CAN_LOOK else ():
            self._take_printed(kind)

    def _take_printed(self, kind: int) -> bool:
        """Collect what waits in a pipe; False where nobody can write to it any more."""
        try:
            content = os.read(self._line.printed[kind], _LARGEST_TEXT)  # as much as a pipe holds
        except BlockingIOError:
            return True
        self._collect(kind, self._others[kind].decode(content))
        return bool(content)

    def _pass_on_printed(self, kind: int) -> None:
        pipe = self._line.printed[kind]
        is_open = True
        while is_open and _CAN_LOOK:
            select.select([pipe], [], [])
            with self._line.interrupts, self._lock:
                is_open = self._take_printed(kind)
            self._waits.set()
        while is_open:
            content = os.read(pipe, _LARGEST_TEXT)
            is_open = bool(content)
            with self._line.interrupts, self._lock:
                self._collect(kind, self._others[kind].decode(content))
            self._waits.set()


class Raw(io.RawIOBase):
    """What stands below `sys.stdout` and `sys.stderr`, as it does under `python -u`: every byte goes on at once."""

    mode = "wb"

    def __init__(self, speaker: Speaker, kind: int, name: str) -> None:
        super().__init__()
        self._speaker, self._kind, self.name = speaker, kind, name

    def writable(self) -> bool:
        """Yes."""
        return True

    def fileno(self) -> int:
        """Of what a process of the script may print to."""
        return _STREAMS[self._kind]

    def write(self, content: Any, /) -> int:
        """Pass the bytes on."""
        given = bytes(content)
        if given:
            self._speaker.say(self._kind, given)
        return len(given)

    def flush(self) -> None:
        """Send at once what waits."""
        super().flush()
        self._speaker.flush()


def _stream(speaker: Speaker, kind: int, before: Any) -> Any:
    """What a script prints to: Python's own kind of stream, so that all that it can do can be done with it."""
    name = "<stdout>" if kind == OUTPUT else "<stderr>"
    errors = getattr(before, "errors", None) or "strict"
    raw: Any = Raw(speaker, kind, name)
    made: Any = io.TextIOWrapper(raw, "utf-8", errors, newline="\n", write_through=True)
    made.mode = "w"
    return made


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
    importlib.import_module("gradviz.trace.pretty")
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
        self.argv = [options.get("called") or self.file or self.name, *options.get("argv", [])]
        self.out = options["out"]
        self.recorder = capture.Recorder(
            int(keep.get("sweeps") or 200),
            megabytes=float(keep.get("megabytes") or 1_000),
            summary_above=keep.get("summary_above"),
            filter=keep.get("filter") or None,
            main=self.filename,
        )
        self.recorder.first_only = bool(keep.get("first_only"))
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
        space = main.__dict__
        space.update({"__file__": self.filename, "__builtins__": builtins, "__annotations__": {}, "__cached__": None})
        sys.modules["__main__"] = main
        sys.argv = self.argv
        sys.path.insert(0, os.path.dirname(os.path.realpath(self.filename)) if self.file else self.folder)
        linecache.cache[self.filename] = (len(self.text), None, self.text.splitlines(True), self.filename)
        warnings.showwarning = self._warn
        recorder.space = space
        try:
            if not self.echoes:
                code = compile(self.text, self.filename, "exec", dont_inherit=True)
                with recorder:
                    exec(code, space)  # noqa: S102 # as the user asked for
            else:
                space[" show"] = _show
                with recorder:
                    self._run_cells(space)
        except SystemExit as ended:
            self._end(ended)
        except BaseException as error:
            self.exit_code = 130 if isinstance(error, KeyboardInterrupt) else 1
            recorder.problem = recorder.problem_of(error)
            if not self.line.is_stopped:
                self._tell(error)

    def leave(self) -> None:
        """Do what Python does when a script is over: wait for threads, call what it wanted called, let names go."""
        try:
            threading._shutdown()  # type: ignore[attr-defined]
            atexit._run_exitfuncs()
        except KeyboardInterrupt as error:
            self.exit_code = 130
            self.recorder.problem = self.recorder.problem or self.recorder.problem_of(error)
        except BaseException as error:  # of Python 3.9; later ones say it themselves
            sys.excepthook(type(error), error, error.__traceback__)
        space = sys.modules["__main__"].__dict__
        for names in ([each for each in space if each[:1] == "_" != each[1:2]], list(space)):
            for name in names:
                if name != "__builtins__":
                    space[name] = None
        for stream in (sys.stdout, sys.stderr):
            with suppress(Exception):  # the script's own, perhaps, and closed
                stream.flush()

    def _tell(self, error: BaseException) -> None:
        """Have the script's own `sys.excepthook` say an error; Python's is spared, since the host says it in a line."""
        hook = sys.excepthook
        if hook is sys.__excepthook__:
            return
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
            trace = trace.tb_next
        try:
            hook(type(error), error.with_traceback(trace), trace)
        except SystemExit as ended:
            self.exit_code = 0
            self._end(ended)
        except BaseException as again:
            for words, each in (("Error in sys.excepthook:", again), ("\nOriginal exception was:", error)):
                print(words, file=sys.stderr)
                sys.__excepthook__(type(each), each, each.__traceback__)

    def _run_cells(self, space: dict[str, Any]) -> None:
        """Run a notebook cell by cell, a script as one cell: one is read when those before it have run, and what they
        took from `__future__` holds in it."""
        lines = self.text.split("\n")
        marks = enumerate(lines) if self.kind == "notebook" else ()
        starts = [0, *(at for at, line in marks if at and line.startswith("# %% cell"))]
        flags = 0
        for start, end in zip(starts, [*starts[1:], len(lines)]):
            cell = "\n" * start + "\n".join(lines[start:end])
            tree = compile(cell, self.filename, "exec", flags | ast.PyCF_ONLY_AST, dont_inherit=True)
            last = tree.body[-1] if tree.body else None
            if isinstance(last, ast.Expr) and not self._is_silenced(last):
                call = ast.Call(ast.copy_location(ast.Name(" show", ast.Load()), last), [last.value], [])
                last.value = ast.copy_location(call, last.value)
            code = compile(tree, self.filename, "exec", flags, dont_inherit=True)
            flags |= code.co_flags & _FUTURE
            exec(code, space)  # noqa: S102 # as the user asked for

    def _is_silenced(self, last: ast.Expr) -> bool:
        """Whether a semicolon stands behind it."""
        line: str = self.text.split("\n")[(last.end_lineno or last.lineno) - 1]
        return line.encode()[last.end_col_offset or 0 :].lstrip().startswith(b";")

    def _end(self, ended: SystemExit) -> None:
        """As Python takes it: a number is the exit code, a text is printed."""
        recorder = self.recorder
        recorder.problem = None
        code = ended.code
        if isinstance(code, int):
            self.exit_code = int(code) & 0xFFFFFFFF if -(2**63) <= code < 2**63 else 0xFFFFFFFF
        elif code is not None:
            self.exit_code = 1
            if sys.stderr is not None:
                print(code, file=sys.stderr)

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
        where = sys.stderr if file is None else file
        if where is not None:
            with suppress(OSError):
                where.write(warnings.formatwarning(message, category, filename, lineno, line))

    # ---- what is left ----------------------------------------------------------------------------------------------

    def _after_pass(self, *_: object) -> None:
        if time.monotonic() >= self._due:
            started = time.monotonic()
            with self.line.interrupts:
                self.write()
            self._due = time.monotonic() + max(SNAPSHOT_SECONDS, 10 * (time.monotonic() - started))

    def write(self) -> None:
        """Write what was recorded so far, such that the file can be read; a process that was forked writes nothing."""
        if not self.line.is_ours:
            return
        if self._container is None:
            self._container = self._open.Container(self.out)
        self.recorder.output = "".join(self.speaker.kept)
        self._container.finish(self.recorder.document(self._container.put))
        if self._container.waste > max(self._container.live, MOST_WASTE) and os.name == "posix":
            self._write_anew()

    def _write_anew(self) -> None:
        """Write the file without what had been written of calls that were dropped since; it is there all the time."""
        draft = f"{self.out}.{os.getpid()}.part"
        container = self._open.Container(draft)
        container.finish(self.recorder.document(container.put))
        os.replace(draft, self.out)
        self._container.close()
        self._container = container

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
        pretty: Any = sys.modules["gradviz.trace.pretty"]
        sys.stdout.write(f"{pretty.shown(value)}\n")


def _failed(message: str, hint: str = "") -> dict[str, Any]:
    return {"class": "GradvizError", "kind": None, "message": message, "hint": hint, "line": None, "column": None}


def main() -> int:
    """Run one job; the exit code of the script."""
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [
        each for each in sys.path if os.path.abspath(each or os.curdir) != here
    ]  # not our names for the script
    line = Line()
    faulthandler.enable(line.crashed)
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
    sys.stdin = sys.__stdin__ = open(0, encoding="utf-8", closefd=False)  # type: ignore[misc] # noqa: SIM115
    sys.stdout = sys.__stdout__ = _stream(speaker, OUTPUT, sys.__stdout__)  # type: ignore[misc]
    sys.stderr = sys.__stderr__ = _stream(speaker, ASIDE, sys.__stderr__)  # type: ignore[misc]
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
        run.leave()
    finally:
        seconds = time.perf_counter() - started
        line.interrupts.ignore()
    speaker.flush()
    if not line.is_ours:
        return run.exit_code
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
