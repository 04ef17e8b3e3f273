"""Run a script in this process, as Python runs it, with its output, warnings and error as data.

It is Python's own: every name, library and class. What keeps it from the user's files is the process that it runs in
(`gradviz.run.confine`), and nothing here.
"""

from __future__ import annotations
import __future__

import _sitebuiltins
import ast
import atexit
import builtins
import functools
import io
import linecache
import random
import signal
import sys
import threading
import types
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gradviz.engine.errors import Beyond
from gradviz.errors import GradvizError, ScriptError
from gradviz.recording import Problem, Source, Warned
from gradviz.run import notebook
from gradviz.run.hints import find_hint
from gradviz.run.imports import ENGINE, Imports
from gradviz.run.job import Stopped
from gradviz.run.levels import SCRIPT, Trace, calls_put_in, name_beside
from gradviz.run.plotting import Surroundings
from gradviz.run.rewrite import NEVER_CAUGHT, rewrite
from gradviz.run.streams import Printed
from gradviz.source.notebook import split_cells
from gradviz.source.pasted import as_python, missing_imports
from gradviz.source.syntax import column_in_characters, parse_script, syntax_problem, too_deep

MOST_WARNINGS = 1_000
"""Warnings kept of one run; a loop that warns with another text each time gives no more."""

DEEPEST_TREE = 20_000
"""Calls inside one another while a tree is rewritten; Python's own limit is for scripts."""

RUN_WITH_PYTORCH = "Run it with PyTorch."
"""The way out of the built-in engine's frontier; the window has a button for it."""


@dataclass
class Result:
    """What a run left.

    Attributes:
        variables: of the script, by name.
        problem: why it ended early, or None.
        error: the exception behind the problem, for whoever knows more about it.
        exit_code: what the script ended itself with.
        warnings: in the order in which they were given.
        remarks: what was done to the text before it ran, in sentences.
        imports: what `import` finds in it, for functions of the script that are called afterwards.
    """

    variables: dict[str, Any] = field(default_factory=dict)
    problem: Problem | None = None
    error: BaseException | None = None
    exit_code: int = 0
    warnings: list[Warned] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    imports: AbstractContextManager[object] = field(default_factory=nullcontext)


def script_file(name: str, folder: str = "") -> str:
    """The file name that a script is compiled with."""
    return str(Path(folder, name)) if folder else name


def execute(
    source: Source,
    *,
    trace: Trace,
    write: Callable[[str], object],
    aside: Callable[[str], object] | None = None,
    engine: Mapping[str, str] = ENGINE,
    argv: Sequence[str] | None = None,
    echo_last: bool = False,
    seed: int | None = None,
    folder: str = "",
    texts: dict[str, str] | None = None,
) -> Result:
    """Run a script to its end, or to its error.

    Args:
        source: its text; of a notebook the cells, one after the other.
        trace: hears of levels and names while it runs.
        write: takes what it prints, as it prints it.
        aside: takes what goes to the error stream besides, line by line.
        engine: where torch comes from, module by module.
        argv: the words of the command line; the script's name where none are given.
        echo_last: show the value of a bare last line, as notebooks do for every cell.
        seed: of Python's and numpy's random numbers, None for the system's.
        folder: of the script, whose modules it can import; "" where it has none.
        texts: is given the text of every file that is traced, the script's own first.
    """
    return _Run(source, trace, write, aside, engine, argv, echo_last, folder, {} if texts is None else texts).run(seed)


class _Run:
    """One run, while it goes on."""

    def __init__(
        self,
        source: Source,
        trace: Trace,
        write: Callable[[str], object],
        aside: Callable[[str], object] | None,
        engine: Mapping[str, str],
        argv: Sequence[str] | None,
        echo_last: bool,
        folder: str,
        texts: dict[str, str],
    ) -> None:
        self.source = source
        self.text = source.text
        self.folder = folder
        self.file = script_file(source.name, folder)
        self.texts = texts
        self.echo_last = echo_last
        self.result = Result()
        self.written = 0
        self._write, self._aside = write, aside
        self._said: set[tuple[str, str, int | None]] = set()
        self._rest = ""
        self._at_exit: list[Callable[[], object]] = []
        self.is_notebook = source.kind == "notebook"
        self.argv = [self.file if folder else source.name] if argv is None else list(argv)
        self.around = Surroundings(self.write, note=self.note)
        self.imports = self.result.imports = Imports(engine, self.around, folder, self._compile_module)
        self.main = types.ModuleType(SCRIPT)
        self.variables = vars(self.main)
        self.variables["__builtins__"] = builtins
        self.result.variables = self.variables
        # They stay when the run has ended: functions of the script may be called yet.
        self.names: dict[str, Any] = vars(builtins)
        self.names |= calls_put_in(trace)
        for name in ("exit", "quit"):  # Python's `site` makes these, and a child starts without it
            self.names.setdefault(name, _sitebuiltins.Quitter(name, "Ctrl-D (i.e. EOF)"))
        self.names |= {
            NEVER_CAUGHT: (Stopped, Beyond),
            notebook.ECHO: lambda value: notebook.echo(self.around, value),
        }

    # ---- the run ----

    def run(self, seed: int | None) -> Result:
        """Run it."""
        broken: ScriptError | None = None
        with self._surrounded():
            if seed is not None:
                random.seed(seed)
                np.random.seed(seed % 2**32)
            try:
                code, broken = self._prepare()
                others = set(threading.enumerate())
                exec(code, self.variables)  # noqa: S102 - the process has nothing to give away
                if broken is not None:
                    raise broken
                for thread in threading.enumerate():
                    if thread not in others and not thread.daemon:
                        thread.join()
                self._say_goodbye()
            except SystemExit as end:
                self._leave(end)
                self._say_goodbye()
            except Stopped as stopped:
                self._fail(stopped.error, stopped.error.headline, stopped.error.hint, self._place(stopped))
            except GradvizError as error:
                hint = error.hint or (RUN_WITH_PYTORCH if isinstance(error, Beyond) else "")
                self._fail(error, error.headline, hint, self._place(error))
            except BaseException as error:
                if type(error) is KeyboardInterrupt and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
                    raise  # of the keyboard; in a child it can only be the script's own
                self._explain(error)
        return self.result

    def _say_goodbye(self) -> None:
        """Call what the script has registered for its end, the last first; its errors end nothing, as in Python."""
        while self._at_exit:
            try:
                self._at_exit.pop()()
            except (Exception, SystemExit) as error:
                self._keep(
                    Warned(f"ignored by Python: {headline(error)}", "Note", self._place(error).line, self.written)
                )

    def _register(self, function: Callable[..., object], *given: Any, **named: Any) -> Callable[..., object]:
        """`atexit.register`: what the script registers is for its own end, and not for that of this process."""
        if sys._getframe(1).f_code.co_filename not in self.texts:
            return _register(function, *given, **named)
        self._at_exit.append(functools.partial(function, *given, **named))
        return function

    def _prepare(self) -> tuple[types.CodeType, ScriptError | None]:
        """The code to run, and for a notebook the mistake in the first cell that is no Python."""
        if not self.is_notebook:
            self.text = as_python(self.text)
            if self.text != self.source.text:
                self.result.remarks.append(
                    "The run left out the prompts and the output shown between them; the text keeps them."
                )
        self.texts[self.file] = self.text
        linecache.cache[self.file] = (len(self.text), None, self.text.splitlines(keepends=True), self.file)
        text, broken = self.text, None
        while True:
            try:
                return self._prepared(text), broken
            except ScriptError as error:
                starts = [cell.line for cell in split_cells(text) if error.line is not None and cell.line <= error.line]
                if not self.is_notebook or not starts:
                    raise
                text, broken = "\n".join(text.split("\n")[: starts[-1] - 2]), error

    def _prepared(self, text: str) -> types.CodeType:
        tree = parse_script(text)
        missing = missing_imports(tree)
        if not self.is_notebook:
            self.variables["__file__"] = self.file
            self.variables["__doc__"] = ast.get_docstring(tree, clean=False)
        if self.echo_last or self.is_notebook:
            notebook.put_echo(tree, text, each_cell=self.is_notebook)
        if self.is_notebook:
            notebook.put_captures(tree, text)
            cells = notebook.put_beginnings(tree, text)
        with _deep_stack(), warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always", SyntaxWarning)
            try:
                code = self._compile(tree)
            except SyntaxError as error:
                raise syntax_problem(error) from None
            except RecursionError:
                raise too_deep(text) from None
        self.result.warnings = [Warned(str(each.message), each.category.__name__, each.lineno) for each in warned]
        if self.is_notebook:
            notebook.Session(self.around, self.names, self.variables, cells)
        if missing:
            self.result.remarks.append(f"Added: {'; '.join(missing)}.")
            exec(self._compile(ast.parse("\n".join(missing))), self.variables)  # noqa: S102
        return code

    def _compile(self, tree: ast.Module, file: str = "") -> types.CodeType:
        rewritten = rewrite(tree, in_cells=self.is_notebook and not file)
        flags = 0
        for name in rewritten.features:
            flags |= getattr(__future__, name).compiler_flag
        code: types.CodeType = compile(rewritten.tree, file or self.file, "exec", flags, dont_inherit=True)
        return code

    def _compile_module(self, text: str, file: str) -> types.CodeType:
        """The code of a module beside the script."""
        self.texts[file] = text
        tree = ast.parse(text, file)
        with _deep_stack():
            return self._compile(tree, file)

    @contextmanager
    def _surrounded(self) -> Iterator[None]:
        """What a run may change of the process, put back at its end."""
        before, limit = sys.modules.get(SCRIPT), sys.getrecursionlimit()
        known = dict(self.names)
        kept = sys.argv, sys.stdin, sys.stdout, sys.stderr, sys.unraisablehook
        sys.modules[SCRIPT] = self.main
        sys.argv, sys.stdin, sys.unraisablehook = self.argv, io.StringIO(), self._tell_ignored
        sys.stdout, sys.stderr = Printed(self.around_write, "<stdout>"), Printed(self.aside, "<stderr>")
        try:
            with self.imports, _filters(), np.printoptions(), np.errstate(all="warn", under="ignore"):
                warnings.showwarning = self._warn  # type: ignore[assignment]
                atexit.register = self._register  # type: ignore[assignment]
                yield
        finally:
            sys.argv, sys.stdin, sys.stdout, sys.stderr, sys.unraisablehook = kept
            atexit.register = _register
            for name in self.names.keys() - known:
                del self.names[name]
            self.names |= known
            sys.setrecursionlimit(limit)
            if before is None:
                sys.modules.pop(SCRIPT, None)
            else:
                sys.modules[SCRIPT] = before

    # ---- what it says ----

    def around_write(self, text: str) -> None:
        """Take what it prints: a captured cell of a notebook keeps it to itself."""
        self.around.write(text)

    def write(self, text: str) -> None:
        """Pass on what it prints."""
        self.written += len(text)
        self._write(text)

    def aside(self, text: str) -> None:
        """What is written on the error stream, told line by line: it is no part of the output."""
        if self._aside is not None:
            self._aside(text)
        *lines, self._rest = (self._rest + text).split("\n")
        for line in lines:
            self._keep(Warned(line, "stderr", self._line(), self.written))

    def note(self, text: str) -> None:
        """Something that gradviz says of itself, once a line."""
        line = self._line()
        if (text, "Note", line) not in self._said:
            self._said.add((text, "Note", line))
            self._keep(Warned(text, "Note", line, self.written))

    def _warn(self, message: Any, category: type, file: str, line: int | None, *_: Any, **__: Any) -> None:
        if file != self.file:
            line = self._line()
        said = (str(message), category.__name__, line)
        if said not in self._said:
            self._said.add(said)
            self._keep(Warned(said[0], said[1], line, self.written))

    def _tell_ignored(self, ignored: Any) -> None:
        """An error that nobody can catch, such as one in a generator that is thrown away."""
        error = ignored.exc_value
        if error is not None:
            self._keep(Warned(f"ignored by Python: {headline(error)}", "Note", self._place(error).line, self.written))

    def _keep(self, warned: Warned) -> None:
        if len(self.result.warnings) < MOST_WARNINGS:
            self.result.warnings.append(warned)

    def _line(self) -> int | None:
        """The line of the script that runs."""
        frame: Any = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename != self.file:
            frame = frame.f_back
        return None if frame is None else frame.f_lineno

    # ---- how it ended ----

    def _leave(self, end: SystemExit) -> None:
        code = end.code
        if code is None or isinstance(code, int):
            self.result.exit_code = int(code or 0)
        else:
            self.result.exit_code = 1
            self.aside(f"{_text_of(code)}\n")

    def _explain(self, error: BaseException) -> None:
        place = self._place(error)
        if isinstance(error, MemoryError):
            self._fail(error, "there is not enough memory for this", "Use smaller tensors or lists.", place)
            return
        if isinstance(error, ModuleNotFoundError) and error.name and error.name.partition(".")[0] not in _STANDARD:
            what = f"the module '{error.name}' is beyond the built-in engine"
            self._fail(error, what, RUN_WITH_PYTORCH, place)
            return
        if isinstance(error, SyntaxError) and place.path and error.filename == place.path:
            self._fail(error, f"{type(error).__name__}: {error.msg}", syntax_problem(error).hint, place)
            return
        lines = self.texts.get(place.path, self.text).split("\n")
        written = lines[place.line - 1] if place.line is not None and place.line <= len(lines) else ""
        try:
            hint = find_hint(error, place.segment, written, self.variables)
        except (Exception, SystemExit):  # an object of the script's that does not want to be looked at
            hint = ""
        self._fail(error, headline(error), hint, place)

    def _fail(self, error: BaseException, message: str, hint: str, place: Place) -> None:
        self.result.error = error
        file = "" if place.path in ("", self.file) else name_beside(place.path, self.folder)
        self.result.problem = Problem(message, hint, place.line, place.column, file=file)

    def _place(self, error: BaseException) -> Place:
        """The part of the script that raised an error: the innermost that is the script's, or a module's beside it."""
        if isinstance(error, GradvizError) and error.line is not None:
            return Place(self.file, error.line, error.column)
        if isinstance(error, SyntaxError) and error.filename in self.texts and error.lineno is not None:
            return Place(error.filename, error.lineno, error.offset)
        found: types.TracebackType | None = None
        at = error.__traceback__
        while at is not None:
            if at.tb_frame.f_code.co_filename in self.texts:
                found = at
            at = at.tb_next
        if found is None:
            return Place()
        code, index = found.tb_frame.f_code, found.tb_lasti // 2
        line, end_line, start, end = next(
            (place for at, place in enumerate(code.co_positions()) if at == index), (None, None, None, None)
        )
        path = code.co_filename
        if line is None or start is None:
            return Place(path, found.tb_lineno)
        text = self.texts[path]
        return Place(path, line, column_in_characters(text, line, start), _segment(text, line, end_line, start, end))


class Place(NamedTuple):
    """A part of the script, or of a module beside it.

    Attributes:
        path: of the file, as it was compiled.
        line, column: from 1.
        segment: its text.
    """

    path: str = ""
    line: int | None = None
    column: int | None = None
    segment: str = ""


_register = atexit.register
_STANDARD = sys.stdlib_module_names


def _segment(text: str, line: int, end_line: int | None, start: int, end: int | None) -> str:
    if end_line is None or end is None:
        return ""
    lines = [each.encode() for each in text.split("\n")[line - 1 : end_line]]
    if not lines:
        return ""
    lines[-1] = lines[-1][:end]
    lines[0] = lines[0][start:]
    return b"\n".join(lines).decode(errors="ignore")


def headline(error: BaseException) -> str:
    """The last line of Python's traceback: "ValueError: bad"."""
    text, kind = _text_of(error), type(error).__name__
    return f"{kind}: {text}" if text else kind


def _text_of(value: Any) -> str:
    try:
        return str(value)
    except (Exception, SystemExit) as fault:  # a script's own __str__
        return f"<{type(fault).__name__} in its __str__>"


@contextmanager
def _deep_stack() -> Iterator[None]:
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, DEEPEST_TREE))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


# ---- warnings ----


@contextmanager
def _filters() -> Iterator[None]:
    """The filters of a run: a warning is always told, and numpy says nothing of the engine's own arithmetic.

    1 / 0 is infinite there, without a word; that holds whatever filters a script sets.
    """
    changed = {name: getattr(warnings, name) for name in ("filterwarnings", "simplefilter", "resetwarnings")}
    enter = warnings.catch_warnings.__enter__

    def enter_and_ignore(caught: Any) -> Any:
        found = enter(caught)
        _ignore_engine()
        return found

    with warnings.catch_warnings():
        warnings.resetwarnings()
        warnings.simplefilter("always")
        for kind in (PendingDeprecationWarning, ImportWarning, ResourceWarning):
            warnings.simplefilter("ignore", kind)
        warnings.filterwarnings("ignore", category=DeprecationWarning)
        warnings.filterwarnings("always", category=DeprecationWarning, module="__main__")
        _ignore_engine()
        try:
            for name, change in changed.items():
                setattr(warnings, name, _ignoring(change))
            warnings.catch_warnings.__enter__ = enter_and_ignore  # type: ignore[method-assign]
            yield
        finally:
            for name, change in changed.items():
                setattr(warnings, name, change)
            warnings.catch_warnings.__enter__ = enter  # type: ignore[method-assign]


_add_filter = warnings.filterwarnings


def _ignore_engine() -> None:
    _add_filter("ignore", category=RuntimeWarning, module=r"gradviz\.(?:engine|ops)\b")


def _ignoring(change: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(change)
    def changed(*given: Any, **named: Any) -> None:
        change(*given, **named)
        _ignore_engine()

    return changed
