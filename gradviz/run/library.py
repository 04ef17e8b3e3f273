"""Small stand-ins for the modules of Python that reach the system: what scripts set and ask at their top.

Nothing real is behind them: no file, no environment, no other process. What is printed goes to the run's output.
"""

from __future__ import annotations

import ast
import contextlib
import inspect
import io
import pathlib
import posixpath
import sys
import time
import traceback
import types
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from gradviz.run.arrays import named_as
from gradviz.run.classes import SimpleNamespace, allow_as_base, stand_for
from gradviz.run.gate import ModuleView, let_write, view
from gradviz.run.refused import Refused
from gradviz.run.visible import FILE, Uncopied, show_as

NO_FILES = "A script reads and writes no files here: put the numbers into the script, or run it with PyTorch."


@dataclass
class Surroundings(Uncopied):
    """What a run has around it.

    Attributes:
        write: takes what is printed.
        aside: takes what goes to the error stream.
        argv: the words of the command line, the script's name first.
        name: of the script, for messages.
        is_notebook: whether cells run, in which `display` shows values as the last line of a cell does.
        text: of the script.
        streams: where `print` writes now; `redirect_stdout` puts another on top.
        note: takes what gradviz says of itself, such as a figure that it does not draw.
        shell: what `get_ipython()` gives; None in a script.
        run: runs a syntax tree behind the gate, with the variables given.
    """

    write: Callable[[str], object]
    aside: Callable[[str], object] = lambda _: None
    argv: list[str] = field(default_factory=lambda: ["script.py"])
    name: str = "script.py"
    text: str = ""
    is_notebook: bool = False
    streams: list[Any] = field(default_factory=list)
    note: Callable[[str], object] = lambda _: None
    shell: Any = None
    run: Callable[[ast.Module, dict[str, Any]], None] | None = None

    def print(self, *values: Any, sep: Any = " ", end: Any = "\n", file: Any = None, flush: bool = False) -> None:
        """`print`."""
        if file is None and self.streams:
            file = self.streams[-1]
        if file is not None and not isinstance(file, Stream):
            print(*values, sep=sep, end=end, file=file, flush=flush)  # to an object of the script's
            return
        for what, given in (("sep", sep), ("end", end)):
            if given is not None and not isinstance(given, str):
                raise TypeError(f"{what} must be None or a string, not {type(given).__name__}")
        text = (" " if sep is None else sep).join([str(value) for value in values]) + ("\n" if end is None else end)
        (self.write if file is None else file.write)(text)


class Stream(Uncopied):
    """`sys.stdout` or `sys.stderr`."""

    encoding = "utf-8"
    errors = "strict"

    def __init__(self, name: str, write: Callable[[str], object]) -> None:
        self._write = write
        self.name = f"<{name}>"

    def write(self, text: str) -> int:
        """Pass a text on."""
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        self._write(text)
        return len(text)

    def writelines(self, lines: Any) -> None:
        """Pass texts on."""
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        """Nothing waits."""

    def isatty(self) -> bool:
        """No."""
        return False

    def reconfigure(self, **_: Any) -> None:
        """Nothing to set."""


def refuse_files(*_: Any, **__: Any) -> Any:
    """What opens, lists or changes files."""
    raise Refused("a script reads and writes no files here", NO_FILES)


def refuse(what: str, hint: str = "") -> Callable[..., Any]:
    """A function that ends the run with one sentence."""

    def refused(*_: Any, **__: Any) -> Any:
        raise Refused(f"'{what}' is not available here", hint)

    return refused


# ---- sys, os, pathlib, platform ----


def leave(code: Any = None, /) -> None:
    """`sys.exit`."""
    raise SystemExit(code)


def sys_names(around: Surroundings) -> dict[str, Any]:
    """`sys`."""
    nobody = refuse("sys.stdin", "There is nobody to ask: assign a value instead.")
    real = ("version", "version_info", "maxsize", "byteorder", "float_info", "int_info", "platform", "hexversion",
            "getsizeof", "getrefcount", "intern", "getrecursionlimit", "implementation", "copyright")  # fmt: skip
    return {name: getattr(sys, name) for name in real if name != "implementation"} | {
        "argv": list(around.argv), "path": [], "executable": "", "exit": leave, "flags": 0,
        "stdout": Stream("stdout", around.write), "stderr": Stream("stderr", around.aside),
        "stdin": view("sys.stdin", {"read": nobody, "readline": nobody, "isatty": lambda: False}),
        "setrecursionlimit": _set_recursion_limit, "exc_info": _exception_info, "dont_write_bytecode": True,
        "maxunicode": sys.maxunicode,
    }  # fmt: skip


MOST_CALLS = 50_000
"""Calls inside one another that a script may ask for."""


def _set_recursion_limit(limit: int) -> None:
    sys.setrecursionlimit(min(limit, MOST_CALLS))


def _exception_info() -> tuple[Any, Any, None]:
    kind, error, _ = sys.exc_info()
    return kind, error, None


def os_names(path: Any) -> dict[str, Any]:
    """`os`: an environment that starts empty and stays here."""
    environ: dict[str, str] = {}
    refused = ("open", "listdir", "scandir", "walk", "remove", "unlink", "rename", "makedirs", "mkdir", "rmdir",
               "removedirs", "chdir", "stat")  # fmt: skip
    return {
        "environ": environ, "getenv": lambda key, default=None: environ.get(key, default), "path": path,
        "name": "posix", "sep": "/", "linesep": "\n", "pathsep": ":", "curdir": ".", "getcwd": lambda: "/",
        "getpid": lambda: 1, "cpu_count": lambda: 1, "fspath": str,
        "putenv": environ.__setitem__, **dict.fromkeys(refused, refuse_files),
        **{name: refuse(f"os.{name}") for name in ("system", "popen", "kill", "fork", "urandom")},
    }  # fmt: skip


def path_names() -> dict[str, Any]:
    """`os.path`: paths as texts; no file is there."""
    real = ("join", "basename", "dirname", "splitext", "split", "normpath", "isabs", "commonpath", "commonprefix")
    same = dict.fromkeys(("abspath", "realpath", "expanduser", "expandvars"), str)
    none = dict.fromkeys(("exists", "isfile", "isdir", "islink"), lambda _: False)
    return {name: getattr(posixpath, name) for name in real} | same | none | {"sep": "/", "getsize": refuse_files}


class _Parser:
    """What `pathlib` of Python 3.13 works with: functions of `posixpath` that look at a text only."""

    sep, altsep = "/", None
    join = staticmethod(posixpath.join)
    split = staticmethod(posixpath.split)
    splitdrive = staticmethod(posixpath.splitdrive)
    splitext = staticmethod(posixpath.splitext)
    normcase = staticmethod(posixpath.normcase)
    isabs = staticmethod(posixpath.isabs)
    if sys.version_info >= (3, 12):
        splitroot = staticmethod(posixpath.splitroot)


class Path(pathlib.PurePosixPath):
    """`pathlib.Path`: a text with parts; no file is behind it."""

    __slots__ = ()
    parser = _Parser

    def exists(self) -> bool:
        """No file is there."""
        return False

    is_file = is_dir = exists

    def resolve(self, *_: Any) -> Path:
        """The same path."""
        return self

    absolute = expanduser = resolve
    open = read_text = read_bytes = write_text = write_bytes = mkdir = touch = unlink = rmdir = rename = refuse_files
    iterdir = glob = rglob = stat = refuse_files

    @classmethod
    def cwd(cls) -> Path:
        """The root."""
        return cls("/")

    home = cwd

    def __repr__(self) -> str:
        return f"PosixPath({str(self)!r})"


Path.__module__ = "pathlib"
for _base in Path.__mro__[:-1]:  # in Python 3.13 the bases lead to the module `posixpath`, and all that it imports
    show_as(_base, Path)


def pathlib_names() -> dict[str, Any]:
    """`pathlib`."""
    return dict.fromkeys(("Path", "PurePath", "PosixPath", "PurePosixPath"), Path)


def platform_names() -> dict[str, Any]:
    """`platform`: nothing about this computer."""
    facts = {"python_version": sys.version.split()[0], "system": "Linux", "machine": "x86_64", "platform": "Linux",
             "node": "", "processor": "x86_64", "release": ""}  # fmt: skip
    return {name: (lambda text=text: text) for name, text in facts.items()}


def gc_names() -> dict[str, Any]:
    """`gc`: there is nothing for a script to collect."""
    return {"collect": lambda *_: 0, "enable": lambda: None, "disable": lambda: None, "isenabled": lambda: True}


# ---- time, contextlib, io ----


def time_names() -> dict[str, Any]:
    """`time`; nobody waits."""
    real = ("time", "perf_counter", "monotonic", "process_time", "time_ns", "perf_counter_ns", "monotonic_ns",
            "strftime", "localtime", "gmtime", "ctime", "asctime", "mktime", "strptime", "struct_time")  # fmt: skip
    return {name: getattr(time, name) for name in real} | {"sleep": lambda _: None}


def timeit_names() -> dict[str, Any]:
    """`timeit`, for functions."""

    def measure(stmt: Any = None, setup: Any = None, _: Any = None, number: int = 1000, **__: Any) -> float:
        if not callable(stmt) or isinstance(setup, str):
            raise Refused("timeit runs no texts here: give it a function")
        if setup is not None:
            setup()
        begin = time.perf_counter()
        for _ in range(number):
            stmt()
        return time.perf_counter() - begin

    def repeat(stmt: Any, setup: Any = None, *, repeat: int = 5, number: int = 1000, **_: Any) -> list[float]:
        return [measure(stmt, setup, number=number) for _ in range(repeat)]

    return {"timeit": measure, "repeat": repeat, "default_timer": time.perf_counter}


def contextlib_names(around: Surroundings) -> dict[str, Any]:
    """`contextlib`."""

    @contextlib.contextmanager
    def redirect(target: Any) -> Iterator[Any]:
        around.streams.append(target)
        try:
            yield target
        finally:
            around.streams.pop()

    @contextlib.contextmanager
    def ignore(target: Any) -> Iterator[Any]:
        yield target

    real = ("contextmanager", "asynccontextmanager", "suppress", "nullcontext", "closing", "ExitStack",
            "ContextDecorator", "AbstractContextManager", "AbstractAsyncContextManager")  # fmt: skip
    return {name: getattr(contextlib, name) for name in real} | {"redirect_stdout": redirect, "redirect_stderr": ignore}


def io_names() -> dict[str, Any]:
    """`io`: texts and bytes in memory."""
    allow_as_base(io.StringIO, io.BytesIO)
    return {"StringIO": io.StringIO, "BytesIO": io.BytesIO, "open": refuse_files}


# ---- warnings, traceback ----


def ignore_engine() -> None:
    """Let numpy say nothing of the engine's own arithmetic, whatever filters a script sets: 1 / 0 is infinite there."""
    warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"gradviz\.engine")


class catch_warnings(warnings.catch_warnings):  # noqa: N801 (Python's name)
    """`warnings.catch_warnings`, of the one module there is."""

    def __init__(self, *, record: bool = False, **named: Any) -> None:
        named.pop("module", None)
        super().__init__(record=record, **named)

    def __enter__(self) -> Any:
        found: Any = super().__enter__()
        ignore_engine()
        return found


def warnings_names() -> dict[str, Any]:
    """`warnings`."""

    def filtering(change: Callable[..., None]) -> Callable[..., None]:
        @named_as(change)
        def changed(*given: Any, **named: Any) -> None:
            change(*given, **named)
            ignore_engine()

        return changed

    real = ("filterwarnings", "simplefilter", "resetwarnings")
    filters = {name: filtering(getattr(warnings, name)) for name in real}
    return {"warn": warnings.warn, "catch_warnings": catch_warnings, **filters}


def error_text(error: BaseException, around: Surroundings) -> str:
    """The traceback of an error through the lines of the script."""
    lines = around.text.split("\n")
    parts = ["Traceback (most recent call last):\n"]
    for entry in traceback.extract_tb(error.__traceback__):
        if entry.filename.startswith(FILE) and entry.lineno is not None:
            line = lines[entry.lineno - 1].strip() if entry.lineno <= len(lines) else ""
            parts.append(f'  File "{around.name}", line {entry.lineno}, in {entry.name}\n    {line}\n')
    return "".join([*parts, *traceback.format_exception_only(type(error), error)])


def traceback_names(around: Surroundings) -> dict[str, Any]:
    """`traceback`: texts, and no frames."""

    def present(given: tuple[Any, ...]) -> BaseException | None:
        errors = [each for each in given if isinstance(each, BaseException)]
        return errors[0] if errors else sys.exc_info()[1]

    def text(*given: Any, **_: Any) -> str:
        error = present(given)
        return "NoneType: None\n" if error is None else error_text(error, around)

    def show(*given: Any, file: Any = None, **_: Any) -> None:
        (around.aside if file is None else file.write)(text(*given))

    def lines(*given: Any, **_: Any) -> list[str]:
        return text(*given).splitlines(keepends=True)

    def only(*given: Any, **_: Any) -> list[str]:
        error = present(given)
        return [] if error is None else traceback.format_exception_only(type(error), error)

    return {
        "format_exc": lambda *_, **__: text(), "print_exc": show, "format_exception": lines, "print_exception": show,
        "format_exception_only": only, "print_stack": lambda *_, **__: None, "format_stack": lambda *_, **__: [],
        "format_tb": lambda *_, **__: [], "print_tb": lambda *_, **__: None,
    }  # fmt: skip


# ---- logging ----

LEVELS = {"DEBUG": 10, "INFO": 20, "WARNING": 30, "ERROR": 40, "CRITICAL": 50}


class Logger(Uncopied):
    """A logger that writes lines: the message, its level and the logger's name."""

    def __init__(self, name: str, journal: Journal) -> None:
        self.name = name
        self.level = 0
        self.handlers: list[Any] = []
        self.propagate = True
        self.disabled = False
        self._journal = journal

    def log(self, level: int, message: Any, *given: Any, **_: Any) -> None:
        """Write a line, if its level is high enough."""
        if level >= (self.level or self._journal.level) and not self.disabled:
            values = given[0] if len(given) == 1 and isinstance(given[0], dict) else given
            text = str(message) % values if given else str(message)
            self._journal.write(level, self.name, text, self.handlers)

    def debug(self, message: Any, *given: Any, **named: Any) -> None:
        """At level 10."""
        self.log(10, message, *given, **named)

    def info(self, message: Any, *given: Any, **named: Any) -> None:
        """At level 20."""
        self.log(20, message, *given, **named)

    def warning(self, message: Any, *given: Any, **named: Any) -> None:
        """At level 30."""
        self.log(30, message, *given, **named)

    warn = warning

    def error(self, message: Any, *given: Any, **named: Any) -> None:
        """At level 40."""
        self.log(40, message, *given, **named)

    exception = error

    def critical(self, message: Any, *given: Any, **named: Any) -> None:
        """At level 50."""
        self.log(50, message, *given, **named)

    def setLevel(self, level: Any) -> None:  # noqa: N802 (logging's name)
        """The lowest level that is written."""
        self.level = LEVELS[level] if isinstance(level, str) else level

    def getEffectiveLevel(self) -> int:  # noqa: N802 (logging's name)
        """The lowest level that is written."""
        return self.level or self._journal.level

    def isEnabledFor(self, level: int) -> bool:  # noqa: N802 (logging's name)
        """Whether it is written."""
        return level >= self.getEffectiveLevel()

    def addHandler(self, handler: Any) -> None:  # noqa: N802 (logging's name)
        """Where lines go."""
        self.handlers.append(handler)

    def removeHandler(self, handler: Any) -> None:  # noqa: N802 (logging's name)
        """Where lines no longer go."""
        if handler in self.handlers:
            self.handlers.remove(handler)

    def hasHandlers(self) -> bool:  # noqa: N802 (logging's name)
        """Whether lines go anywhere else."""
        return bool(self.handlers)


class Formatter:
    """The form of a line; only the fields that logging itself knows are filled in."""

    def __init__(self, fmt: Any = None, datefmt: Any = None, style: str = "%") -> None:  # noqa: ARG002
        self._format = "%(message)s" if fmt is None or style != "%" else str(fmt)

    def text(self, level: int, name: str, message: str) -> str:
        """A line."""
        level_name = {number: name for name, number in LEVELS.items()}.get(level, f"Level {level}")
        fields = {"message": message, "levelname": level_name, "name": name, "levelno": level, "asctime": "",
                  "lineno": 0, "filename": "script.py", "module": "script", "funcName": "<module>"}  # fmt: skip
        try:
            return self._format % fields
        except (KeyError, ValueError, TypeError):
            return message


class StreamHandler(Uncopied):
    """Writes lines to a stream."""

    def __init__(self, stream: Any = None) -> None:
        self.stream = stream
        self.level = 0
        self.formatter = Formatter()

    def setFormatter(self, formatter: Any) -> None:  # noqa: N802 (logging's name)
        """The form of its lines."""
        self.formatter = formatter

    def setLevel(self, level: Any) -> None:  # noqa: N802 (logging's name)
        """The lowest level that is written."""
        self.level = LEVELS[level] if isinstance(level, str) else level

    def flush(self) -> None:
        """Nothing waits."""

    close = flush


class Journal(Uncopied):
    """`logging` of one run."""

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self.level = 30
        self._stream: Any = None
        self._formatter = Formatter("%(levelname)s:%(name)s:%(message)s")
        self._loggers: dict[str, Logger] = {}

    def write(self, level: int, name: str, text: str, handlers: list[Any]) -> None:
        """A line to each handler."""
        root = self.logger().handlers
        if not handlers and not root:
            (self._around.aside if self._stream is None else self._stream.write)(
                self._formatter.text(level, name, text) + "\n"
            )
        for handler in [*handlers, *(each for each in root if each not in handlers)]:
            if isinstance(handler, StreamHandler) and level >= handler.level:
                line = handler.formatter.text(level, name, text) + "\n"
                (self._around.aside if handler.stream is None else handler.stream.write)(line)

    def logger(self, name: Any = None) -> Logger:
        """`logging.getLogger`."""
        return self._loggers.setdefault(name or "root", Logger(name or "root", self))

    def configure(self, *, level: Any = None, format: Any = None, stream: Any = None, **_: Any) -> None:
        """`logging.basicConfig`."""
        if level is not None:
            self.level = LEVELS[level] if isinstance(level, str) else level
        if format is not None:
            self._formatter = Formatter(format)
        self._stream = stream


def logging_names(around: Surroundings) -> dict[str, Any]:
    """`logging`."""
    journal = Journal(around)
    root = journal.logger()
    said = ("debug", "info", "warning", "error", "critical", "exception", "log")
    return {
        **LEVELS, **{name: getattr(root, name) for name in said}, "getLogger": journal.logger, "NOTSET": 0,
        "basicConfig": journal.configure, "StreamHandler": StreamHandler, "Formatter": Formatter, "Logger": Logger,
        "NullHandler": StreamHandler, "shutdown": lambda: None, "FileHandler": refuse_files, "disable": lambda *_: None,
        "getLevelName": lambda level: {number: name for name, number in LEVELS.items()}.get(level, f"Level {level}"),
    }  # fmt: skip


allow_as_base(Formatter, StreamHandler)
let_write(Logger, "level", "propagate", "disabled", "handlers")
let_write(StreamHandler, "level", "formatter", "stream")


def types_names() -> dict[str, Any]:
    """`types`: kinds to ask for."""
    return {
        **KINDS, "LambdaType": KINDS["FunctionType"], "BuiltinMethodType": KINDS["BuiltinFunctionType"],
        "SimpleNamespace": SimpleNamespace, "MethodType": types.MethodType, "NoneType": type(None),
        "UnionType": types.UnionType, "EllipsisType": type(...), "DynamicClassAttribute": property,
    }  # fmt: skip


KINDS: dict[str, type] = {}
"""Kinds of Python's own objects, by their names in `types`."""

for _name in ("FunctionType", "BuiltinFunctionType", "GeneratorType", "CoroutineType", "AsyncGeneratorType",
              "ModuleType", "MappingProxyType", "GenericAlias"):  # fmt: skip
    KINDS[_name] = stand_for(getattr(types, _name))
show_as(ModuleView, KINDS["ModuleType"])


def inspect_names() -> dict[str, Any]:
    """`inspect`: signatures, and what kind of thing something is; no frames, sources or closures."""

    def signature(function: Any, **_: Any) -> Any:
        return inspect.signature(function)

    real = ("Parameter", "isfunction", "isclass", "ismethod", "isgenerator", "isgeneratorfunction", "isbuiltin",
            "iscoroutinefunction", "isabstract", "getdoc", "cleandoc")  # fmt: skip
    return {name: getattr(inspect, name) for name in real} | {"signature": signature}
