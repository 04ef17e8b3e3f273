"""Run a script in this process: rewritten, behind the gate, with its output, warnings and error as data.

The gate is one wall; `gradviz.run.child` calls this behind the other, in a process that has nothing to give away.
"""

from __future__ import annotations
import __future__

import ast
import copyreg
import random
import signal
import sys
import types
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gradviz.engine.errors import Beyond
from gradviz.errors import GradvizError, ScriptError
from gradviz.recording import Problem, Source, Warned
from gradviz.run import classes, library, notebook
from gradviz.run.builtin_names import Builtins
from gradviz.run.copies import closed_memos
from gradviz.run.gate import ModuleView
from gradviz.run.hints import find_hint
from gradviz.run.job import Stopped
from gradviz.run.levels import Trace
from gradviz.run.library import Surroundings
from gradviz.run.modules import ENGINE, Modules
from gradviz.run.refused import NotImported, Refused
from gradviz.run.rewrite import NEVER_CAUGHT, rewrite
from gradviz.run.visible import FILE, SCRIPT, Uncopied
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
class Result(Uncopied):
    """What a run left.

    Attributes:
        variables: of the script, by name.
        problem: why it ended early, or None.
        error: the exception behind the problem, for whoever knows more about it.
        exit_code: what the script ended itself with.
        warnings: in the order in which they were given.
        remarks: what was done to the text before it ran, in sentences.
    """

    variables: dict[str, Any] = field(default_factory=dict)
    problem: Problem | None = None
    error: BaseException | None = None
    exit_code: int = 0
    warnings: list[Warned] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


def script_file(name: str) -> str:
    """The file name that a script is compiled with; no real file is called so."""
    return f"{FILE}{name}>"


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
    """
    return _Run(source, trace, write, aside, engine, argv, echo_last).run(seed)


class _Run(Uncopied):
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
    ) -> None:
        self.source = source
        self.text = source.text
        self.file = script_file(source.name)
        self.echo_last = echo_last
        self.result = Result()
        self.written = 0
        self._write, self._aside = write, aside
        self._said: set[tuple[str, str, int | None]] = set()
        self._rest = ""
        self.is_notebook = source.kind == "notebook"
        words = [source.name] if argv is None else list(argv)
        self.around = Surroundings(self.write, self.aside, words, source.name, note=self.note, run=self._run_tree)
        self.builtins = Builtins(self.around, trace)
        self.main = types.ModuleType(SCRIPT)
        self.variables = vars(self.main)
        modules = Modules(self.around, self.builtins, self.variables, engine)
        self.builtins.names |= {
            " module": modules.module, " package": modules.package, " imported": modules.imported,
            " star": modules.star, "__import__": modules.import_by_name,
            NEVER_CAUGHT: (Refused, Stopped, KeyboardInterrupt, Beyond),
            notebook.ECHO: lambda value: notebook.echo(self.around, value),
        }  # fmt: skip
        for name in ("__loader__", "__spec__", "__package__"):
            self.variables.pop(name, None)
        self.variables["__builtins__"] = self.builtins.names
        self.result.variables = self.variables

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
                exec(code, self.variables)  # noqa: S102 - this is what the gate is for
                if broken is not None:
                    raise broken
            except SystemExit as end:
                self._leave(end)
            except Stopped as stopped:
                self._fail(stopped.error, stopped.error.headline, stopped.error.hint, *self._place(stopped))
            except Refused as refused:
                self._refuse(refused)
            except GradvizError as error:
                hint = error.hint or (RUN_WITH_PYTORCH if isinstance(error, Beyond) else "")
                self._fail(error, error.headline, hint, *self._place(error))
            except BaseException as error:
                if type(error) is KeyboardInterrupt and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
                    raise  # of the keyboard; in a child it can only be the script's own
                self._explain(error)
        return self.result

    def _prepare(self) -> tuple[types.CodeType, ScriptError | None]:
        """The code to run, and for a notebook the mistake in the first cell that is no Python."""
        if not self.is_notebook:
            self.text = as_python(self.text)
            if self.text != self.source.text:
                self.result.remarks.append("Prompts and shown output were removed from the pasted session.")
        self.around.text = self.text
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
            self.variables["__file__"] = self.source.name
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
            notebook.Session(self.around, self.builtins.names, self.variables, cells)
        if missing:
            self.result.remarks.append(f"Added: {'; '.join(missing)}.")
            exec(self._compile(ast.parse("\n".join(missing))), self.variables)  # noqa: S102
        return code

    def _compile(self, tree: ast.Module) -> types.CodeType:
        rewritten = rewrite(tree, in_cells=self.is_notebook)
        flags = 0
        for name in rewritten.features:
            flags |= getattr(__future__, name).compiler_flag
        code: types.CodeType = compile(rewritten.tree, self.file, "exec", flags, dont_inherit=True)
        return code

    def _run_tree(self, tree: ast.Module, variables: dict[str, Any]) -> None:
        exec(self._compile(tree), variables)  # noqa: S102 - as the script itself

    @contextmanager
    def _surrounded(self) -> Iterator[None]:
        """What a run may change of the process, put back at its end."""
        before, limit = sys.modules.get(SCRIPT), sys.getrecursionlimit()
        sys.modules[SCRIPT] = self.main
        unraisable, sys.unraisablehook = sys.unraisablehook, self._tell_ignored
        rebuild, copyreg.__newobj__ = copyreg.__newobj__, classes.rebuild  # type: ignore[attr-defined]
        try:
            with closed_memos(), warnings.catch_warnings(), np.printoptions(), np.errstate(all="warn", under="ignore"):
                warnings.resetwarnings()
                warnings.simplefilter("always")
                for kind in (PendingDeprecationWarning, ImportWarning, ResourceWarning):
                    warnings.simplefilter("ignore", kind)
                warnings.filterwarnings("ignore", category=DeprecationWarning)
                warnings.filterwarnings("always", category=DeprecationWarning, module="__main__")
                library.ignore_engine()
                warnings.showwarning = self._warn  # type: ignore[assignment]
                yield
        finally:
            sys.unraisablehook = unraisable
            copyreg.__newobj__ = rebuild  # type: ignore[attr-defined]
            sys.setrecursionlimit(limit)
            if before is None:
                sys.modules.pop(SCRIPT, None)
            else:
                sys.modules[SCRIPT] = before

    # ---- what it says ----

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
            text = error.message if isinstance(error, Refused) else headline(error)
            self._keep(Warned(f"ignored by Python: {text}", "Note", self._place(error)[0], self.written))

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

    def _refuse(self, refused: Refused) -> None:
        line, column, _ = self._place(refused)
        if refused.line is not None:
            line, column = refused.line, column_in_characters(self.text, refused.line, refused.offset or 0)
        self._fail(refused, refused.message, refused.hint or RUN_WITH_PYTORCH, line, column)

    def _explain(self, error: BaseException) -> None:
        line, column, segment = self._place(error)
        if isinstance(error, MemoryError):
            message, hint = "there is not enough memory for this", "Use smaller tensors or lists."
            self._fail(error, message, hint, line, column)
            return
        if isinstance(error, NotImported):
            known = error.name or ""
            what = f"the module '{known}' is beyond the built-in engine"
            self._fail(error, what, RUN_WITH_PYTORCH, line, column)
            return
        lines = self.text.split("\n")
        written = lines[line - 1] if line is not None and line <= len(lines) else ""
        try:
            hint = find_hint(error, segment, written, self.variables)
        except (Exception, Refused, SystemExit):  # an object of the script's that does not want to be looked at
            hint = ""
        self._fail(error, headline(error), hint, line, column)

    def _fail(
        self, error: BaseException, message: str, hint: str, line: int | None, column: int | None, _: str = ""
    ) -> None:
        self.result.error = error
        self.result.problem = Problem(message, hint, line, column)

    def _place(self, error: BaseException) -> tuple[int | None, int | None, str]:
        """Line, column and text of the part of the script that raised an error: the innermost that is the script's."""
        if isinstance(error, GradvizError) and error.line is not None:
            return error.line, error.column, ""
        found: types.TracebackType | None = None
        at = error.__traceback__
        while at is not None:
            if at.tb_frame.f_code.co_filename == self.file:
                found = at
            at = at.tb_next
        if found is None:
            return None, None, ""
        code, index = found.tb_frame.f_code, found.tb_lasti // 2
        line, end_line, start, end = next(
            (place for at, place in enumerate(code.co_positions()) if at == index), (None, None, None, None)
        )
        if line is None or start is None:
            return found.tb_lineno, None, ""
        return line, column_in_characters(self.text, line, start), self._segment(line, end_line, start, end)

    def _segment(self, line: int, end_line: int | None, start: int, end: int | None) -> str:
        if end_line is None or end is None:
            return ""
        lines = [each.encode() for each in self.text.split("\n")[line - 1 : end_line]]
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
    except (Exception, Refused, SystemExit) as fault:  # a script's own __str__
        return f"<{type(fault).__name__} in its __str__>"


@contextmanager
def _deep_stack() -> Iterator[None]:
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, DEEPEST_TREE))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


__all__ = ["ModuleView", "Result", "execute", "script_file"]
