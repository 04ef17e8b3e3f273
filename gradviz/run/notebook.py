"""Cells: the value of a last line is shown, what was typed and shown before is at hand, `%%capture` is silent.

A notebook's text has a line `# %% cell 3` before each cell (`gradviz.source.notebook`), and magics as comments.
"""

from __future__ import annotations

import ast
from typing import Any

from gradviz.run.plotting import Silent, Surroundings, display_in
from gradviz.source.notebook import Cell, split_cells
from gradviz.trace import pretty

ECHO, BEGIN, QUIET, LOUD = " echo", " begin", " quiet", " loud"
"""What shows the last value of a cell, begins a cell, and begins and ends one that is captured."""


def put_echo(tree: ast.Module, text: str, *, each_cell: bool) -> None:
    """Let the bare last line of the script, or of each cell, show its value, as an interactive session does."""
    lines = text.split("\n")
    parts = _cells(tree, text) if each_cell else [(None, tree.body)]
    for cell, statements in parts:
        if not statements or (cell is not None and cell.is_timed):
            continue
        last = statements[-1]
        if isinstance(last, ast.Expr) and not _is_silenced(lines, last):
            place = tree.body.index(last)
            call = ast.copy_location(ast.Call(_name(ECHO, last), [last.value], []), last)
            tree.body[place] = ast.copy_location(ast.Expr(call), last)


def put_beginnings(tree: ast.Module, text: str) -> list[str]:
    """Let each cell tell that it begins; the texts of those that are not empty, as they are numbered."""
    typed: list[str] = []
    for cell, statements in _cells(tree, text):
        if cell.text.strip():
            typed.append(cell.text)
            if statements:
                first = statements[0]
                number = ast.copy_location(ast.Constant(len(typed)), first)
                tree.body.insert(tree.body.index(first), _called(BEGIN, [number], first))
    return typed


def put_captures(tree: ast.Module, text: str) -> None:
    """Let what a cell under `%%capture` prints be kept, and shown to nobody."""
    for cell, statements in _cells(tree, text):
        if statements and cell.is_captured:
            first, last = statements[0], statements[-1]
            named = [each for each in cell.magic[1:] if each.isidentifier()][:1]
            kept: list[ast.expr] = [ast.copy_location(ast.Constant(name), last) for name in named]
            tree.body.insert(tree.body.index(last) + 1, _called(LOUD, kept, last))
            tree.body.insert(tree.body.index(first), _called(QUIET, [], first))


def _cells(tree: ast.Module, text: str) -> list[tuple[Cell, list[ast.stmt]]]:
    """The cells of a notebook's text, with their statements."""
    cells = split_cells(text)
    found: list[tuple[Cell, list[ast.stmt]]] = [(cell, []) for cell in cells]
    at = 0
    for statement in tree.body:
        while at + 1 < len(cells) and statement.lineno >= cells[at + 1].line:
            at += 1
        if found:
            found[at][1].append(statement)
    return found


def _is_silenced(lines: list[str], node: ast.Expr) -> bool:
    """Whether a semicolon stands behind it."""
    rest = lines[(node.end_lineno or 1) - 1].encode()[node.end_col_offset or 0 :]
    return rest.lstrip().startswith(b";")


def _name(name: str, place: ast.stmt) -> ast.expr:
    return ast.copy_location(ast.Name(name, ast.Load()), place)


def _called(name: str, arguments: list[ast.expr], place: ast.stmt) -> ast.stmt:
    call = ast.copy_location(ast.Call(_name(name, place), arguments, []), place)
    return ast.copy_location(ast.Expr(call), place)


# ---- while it runs ----

LAST = ("_", "__", "___")
BEFORE = ("_i", "_ii", "_iii")


class Session:
    """What was typed and shown before, under the names that IPython keeps it by.

    They stand among the builtins, so that what a script itself calls `_` goes before them and none of them is taken
    for one of its variables.
    """

    def __init__(
        self, around: Surroundings, names: dict[str, Any], variables: dict[str, Any], cells: list[str]
    ) -> None:
        self._around = around
        self._names = names
        self._variables = variables
        self._cells = cells
        self._last: list[Any] = [""] * len(LAST)
        self._count = 0
        self._typed = [""]
        self._values: dict[int, Any] = {}
        self._heard: list[_Heard] = []
        around.is_notebook = True
        around.shell = _make_shell()
        names |= {"In": self._typed, "_ih": self._typed, "Out": self._values, "_oh": self._values}
        names |= dict.fromkeys((*LAST, *BEFORE), "")
        names |= {"get_ipython": lambda: around.shell, "display": display_in(around)}
        names |= {BEGIN: self._begin, QUIET: self._be_quiet, LOUD: self._be_loud, ECHO: self._show}

    def _begin(self, count: int) -> None:
        """A cell begins; those since the last that were no code have been passed."""
        while self._count < count:
            self._names |= dict(zip(BEFORE, [*self._typed[: -len(BEFORE) - 1 : -1], "", ""], strict=False))
            self._typed.append(self._cells[self._count])
            self._count += 1
            self._names[f"_i{self._count}"] = self._typed[-1]

    def _show(self, value: Any) -> None:
        """Show the value of a cell, and keep it; `_` is left to a script that has one of its own."""
        if not echo(self._around, value) or value is self._values:
            return
        self._last = [value, *self._last[:-1]]
        if not any(name in self._variables for name in LAST):
            self._names |= dict(zip(LAST, self._last, strict=True))
        self._names[f"_{self._count}"] = self._values[self._count] = value

    def _be_quiet(self) -> None:
        heard = _Heard(self._around.write)
        self._heard.append(heard)
        self._around.write = heard.take

    def _be_loud(self, name: str = "") -> None:
        heard = self._heard.pop()
        self._around.write = heard.write
        if name:
            self._variables[name] = CapturedIO("".join(heard.parts), self._around)


class _Heard:
    """What a captured cell prints."""

    def __init__(self, write: Any) -> None:
        self.write = write
        self.parts: list[str] = []

    def take(self, text: str) -> None:
        """Keep a text."""
        self.parts.append(text)


class CapturedIO:
    """What `%%capture out` leaves in `out`."""

    def __init__(self, text: str, around: Surroundings) -> None:
        self.stdout = text
        self.stderr = ""
        self.outputs: list[Any] = []
        self._around = around

    def show(self) -> None:
        """Print it after all."""
        self._around.write(self.stdout)

    __call__ = show

    def __str__(self) -> str:
        return self.stdout


def echo(around: Surroundings, value: Any) -> bool:
    """Show the value of a bare last line, if there is one; `plt.show()` has none."""
    if value is None or isinstance(value, Silent):
        return False
    around.write(f"{pretty.shown(value)}\n")
    return True


def _make_shell() -> Any:
    """The shell of a notebook, whose magics do nothing."""

    def nothing(*_: Any, **__: Any) -> None:
        return None

    names = dict.fromkeys(("run_line_magic", "run_cell_magic", "system", "magic"), staticmethod(nothing))
    more = {"getoutput": staticmethod(lambda *_, **__: []), "config": {"IPKernelApp": {}}}
    return type("ZMQInteractiveShell", (), {**names, **more, "__module__": "ipykernel.zmqshell"})()
