"""Where in the user's code an op runs: line, file, and the levels of calls, modules and rounds of loops around it.

Nothing is traced: the frames are read when an op runs. What is the same whenever the same instructions run inside one
another is found out once. Whether a level is a new one is told from its place: a function runs again when its frame is
another, or when it is further back than it was; a round of a loop when the loop's variable is another, or likewise.
"""

from __future__ import annotations

import ast
import os
import sys
import sysconfig
from types import CodeType, FrameType
from typing import Any, NamedTuple

import torch

from gradviz.capture.names import RETURN, stores_of
from gradviz.trace.syntax import tree_of

LONGEST_VALUE = 30
"""Characters of a loop variable's value that a scope shows."""

OTHER, USER, APPLY, MODULE_CALL, COMPILED = 0, 1, 2, 3, 4
"""Whose code it is: not the user's; the user's; a custom Function's `apply`; our wrapper of a module's call; PyTorch's
of a function under torch.compile."""

_UNNAMED = {"<module>", "<listcomp>", "<dictcomp>", "<setcomp>", "<genexpr>", "forward"}
_PATHS = sysconfig.get_paths()
_NOT_THE_USERS = tuple(
    {
        os.path.join(os.path.abspath(path), "")
        for path in (
            os.path.dirname(os.path.abspath(torch.__file__)),
            *(_PATHS[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")),
        )
    }
)
_INSTALLED = [os.path.join("", each, "") for each in (f"{os.sep}site-packages", f"{os.sep}dist-packages")]
_HERE = os.path.dirname(os.path.abspath(__file__))
EVAL_FRAME = os.path.join("torch", "_dynamo", "eval_frame.py")
_APPLY = os.path.join("torch", "autograd", "function.py")


class Level:
    """One call of a function or module, or one round of a loop.

    Attributes:
        outer: the level around it; None for the outermost.
        name: of the function or module, or what the loop assigns to.
        number: of the round, from 0; -1 for a call.
        value: of the loop's variable; its `id` where it is neither a number nor a text.
        ident: what it is a call or a round of.
        frame: `id` of the frame it was seen in, and `at`, the instruction.
        inner: the level inside it that was seen last.
        module: full path of the module called, or None.
    """

    __slots__ = ("at", "frame", "ident", "inner", "module", "name", "number", "outer", "value")

    def __init__(self, outer: Level | None, name: str, ident: Any = None, number: int = -1) -> None:
        self.outer, self.name, self.ident, self.number = outer, name, ident, number
        self.value: Any = None
        self.frame, self.at = 0, 0
        self.inner: Level | None = None
        self.module: str | None = None if outer is None else outer.module

    @property
    def text(self) -> str:
        """E.g. "block", "epoch = 3" or "x, y [3]"."""
        if self.number < 0:
            return self.name
        if type(self.value) is not tuple and self.value is not None:
            return f"{self.name.partition(', ')[0]} = {str(self.value)[:LONGEST_VALUE]}"
        return f"{self.name} [{self.number}]"

    @property
    def round(self) -> Level | None:
        """The innermost round of a loop that it is in, or is."""
        level: Level | None = self
        while level is not None and level.number < 0:
            level = level.outer
        return level


class Loop(NamedTuple):
    """A loop of a file: its lines, what it assigns to ("while" for nothing), the first of that, the function's line."""

    first: int
    last: int
    names: str
    variable: str | None
    function: int


class Place(NamedTuple):
    """What is known of a chain of frames wherever they stand at the same instructions.

    Attributes:
        names: of the variables that the result is stored in at once, RETURN, or None.
        storing: which frame stores it.
        levels: for each of the user's frames, outermost first: which frame, the name of its level or None, its loops.
    """

    line: int | None
    file: str | None
    names: Any
    storing: int
    levels: tuple[tuple[int, str | None, tuple[Loop, ...]], ...]


class Here(NamedTuple):
    """Where an op runs; `frame` is the one that stores its result."""

    line: int | None
    file: str | None
    names: Any
    level: Level
    frame: FrameType | None


_NOWHERE = Place(None, None, RETURN, 0, ())
_kinds: dict[int, int] = {}
_codes: list[CodeType] = []  # kept alive, since their ids are keys
_loops: dict[str, list[Loop]] = {}
mains: set[str] = set()
"""Scripts that are run as a whole; they are the user's, wherever they stand."""


def kind_of(code: CodeType) -> int:
    """Whose code it is."""
    kind = _kinds.get(id(code))
    if kind is None:
        name = code.co_filename
        if name in mains:
            kind = USER
        elif code.co_name == "apply" and name.endswith(_APPLY):
            kind = APPLY
        elif code.co_name in ("compile_wrapper", "OptimizedModule.__call__") and name.endswith(EVAL_FRAME):
            kind = COMPILED
        elif name.startswith(_HERE):
            kind = MODULE_CALL if code.co_name == "_call_module" else OTHER
        elif (
            name.startswith("<frozen")
            or os.path.abspath(name).startswith(_NOT_THE_USERS)
            or any([each in name for each in _INSTALLED])
        ):
            kind = OTHER
        else:
            kind = USER
        _codes.append(code)
        _kinds[id(code)] = kind
    return kind


class ModuleCall:
    """A module's call that runs.

    Attributes:
        outer: the call around it, or None.
        levels: the level of the call, by the `Places` that asks.
    """

    __slots__ = ("levels", "module", "outer")

    def __init__(self, module: Any, outer: ModuleCall | None) -> None:
        self.module, self.outer = module, outer
        self.levels: dict[int, Here] | None = None


class Places:
    """Finds where ops run.

    Args:
        main: absolute path of the script that is run as a whole; its lines are shown where it is among the frames.

    Attributes:
        base: the frame that the capture was entered in; what is around it is left out.
        label: gives a module's call its name, (text of the level, full path).
        is_compiled: whether a function under torch.compile has been seen among the frames.
    """

    def __init__(self, main: str | None = None) -> None:
        self.main = main
        self.label: Any = None
        if main is not None:
            mains.add(main)
        self.base: FrameType | None = None
        self.is_compiled = False
        self.root = Level(None, "")
        self._known: dict[tuple[int, ...], Place] = {}

    def here(self, frame: FrameType | None, call: ModuleCall | None) -> Here:
        """Where `frame` stands, inside a module's call."""
        key: list[int] = []
        frames: list[FrameType] = []
        base, kinds = self.base, _kinds
        while frame is not None:
            code = frame.f_code
            kind = kinds.get(id(code))
            if kind is None:
                kind = kind_of(code)
            if kind == USER:
                key.append(id(code))
                key.append(frame.f_lasti)
                frames.append(frame)
            elif kind == MODULE_CALL:
                break
            elif kind == APPLY:  # what a custom Function does inside is one op to autograd
                key.clear()
                frames.clear()
            elif kind == COMPILED:
                self.is_compiled = True
            if frame is base:
                frame = None
                break
            frame = frame.f_back
        known = tuple(key)
        place = self._known.get(known)
        if place is None:
            if len(self._known) > 20_000:
                self._known.clear()
            place = self._known[known] = self._place(frames)
        line, file, names, storing, levels = place
        if frame is None or call is None:
            level = self.root
            outer = None
        else:
            outer = self._outer(frame, call)
            level = outer.level
        for at, name, loops in levels:
            inner = frames[at]
            if name is not None:
                level = _call(level, name, inner, not loops)
            for loop in loops:
                level = _round(level, loop, inner, loop is loops[-1])
        stored = frames[storing] if frames else None
        if outer is not None:
            if line is None:
                line, file = outer.line, outer.file
            if names == RETURN:
                names, stored = outer.names, outer.frame
        return Here(line, file, None if names == RETURN else names, level, stored)

    def _outer(self, frame: FrameType, call: ModuleCall) -> Here:
        """The level of a module's call, and where it was called."""
        levels = call.levels
        if levels is None:
            levels = call.levels = {}
        found = levels.get(id(self))
        if found is None:
            around = self.here(frame.f_back, call.outer)
            name, path = self.label(call, frame.f_back)
            level = Level(around.level, name)
            level.module = path
            found = levels[id(self)] = around._replace(level=level)
        return found

    def _place(self, frames: list[FrameType]) -> Place:
        if not frames:
            return _NOWHERE
        shown = frames[0]
        if self.main is not None and shown.f_code.co_filename != self.main:
            shown = next((each for each in frames if each.f_code.co_filename == self.main), shown)
        names: Any = None
        storing = 0
        for at, frame in enumerate(frames):  # through `return f(x)` to where it is stored
            names, storing = stores_of(frame.f_code).get(frame.f_lasti), at
            if names != RETURN:
                break
        levels = []
        for at in reversed(range(len(frames))):
            code = frames[at].f_code
            name = None if code.co_name in _UNNAMED or frames[at] is self.base else _function_name(frames[at])
            loops = _loops_at(code, frames[at].f_lineno)
            if name is not None or loops:
                levels.append((at, name, loops))
        return Place(shown.f_lineno, shown.f_code.co_filename, names, storing, tuple(levels))


def _call(outer: Level, name: str, frame: FrameType, is_straight: bool) -> Level:
    """The level of a function's call; a new one where the function was begun anew."""
    level = outer.inner
    at = frame.f_lasti
    if (
        level is None
        or level.ident != id(frame.f_code)
        or level.frame != id(frame)
        or (is_straight and at < level.at)
        or level.name != name
    ):
        level = outer.inner = Level(outer, name, id(frame.f_code))
        level.frame = id(frame)
    level.at = at
    return level


def _round(outer: Level, loop: Loop, frame: FrameType, is_innermost: bool) -> Level:
    """The level of a loop's round; a new one where another round was begun."""
    level = outer.inner
    at = frame.f_lasti
    value: Any = None
    if loop.variable is not None:
        value = frame.f_locals.get(loop.variable)
        while type(value) is tuple and value:
            value = value[0]
        if type(value) not in (int, float, str, bool):
            value = (id(value),)
    if level is None or level.ident != loop or level.frame != id(frame):
        level = outer.inner = Level(outer, loop.names, loop, 0)
        level.frame, level.value = id(frame), value
    elif level.value != value or (is_innermost and at < level.at):
        level = outer.inner = Level(outer, loop.names, loop, level.number + 1)
        level.frame, level.value = id(frame), value
    level.at = at
    return level


def _function_name(frame: FrameType) -> str:
    code: Any = frame.f_code
    name = getattr(code, "co_qualname", None)  # since Python 3.11
    if name is None:
        name = code.co_name
        owner = frame.f_locals.get("self") if code.co_varnames[:1] == ("self",) else None
        if owner is not None:
            name = f"{type(owner).__name__}.{name}"
    return str(name).replace("<locals>.", "")


def _loops_at(code: CodeType, line: int) -> tuple[Loop, ...]:
    """The loops of a function that a line of it is in, outermost first."""
    name = code.co_filename
    if name not in _loops:
        _loops[name] = loops_of(name)
    function = 0 if code.co_name == "<module>" else code.co_firstlineno
    return tuple([each for each in _loops[name] if each.function == function and each.first < line <= each.last])


def loops_of(filename: str) -> list[Loop]:
    """All loops of a file (or of a cell of a notebook), in the order of their lines."""
    import linecache

    text = "".join(linecache.getlines(filename))
    tree = tree_of(text)
    if tree is None:
        return []
    found: list[Loop] = []
    waiting: list[tuple[ast.AST, int]] = [(tree, 0)]
    while waiting:
        node, function = waiting.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            decorators = getattr(node, "decorator_list", [])
            function = min([node.lineno, *(each.lineno for each in decorators)])
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            names = [each.id for each in ast.walk(node.target) if isinstance(each, ast.Name)]
            text = ", ".join(names) or "for"
            found.append(Loop(node.lineno, node.end_lineno or 0, text, names[0] if names else None, function))
        elif isinstance(node, ast.While):
            found.append(Loop(node.lineno, node.end_lineno or 0, "while", None, function))
        waiting += [(child, function) for child in ast.iter_child_nodes(node)]
    return sorted(found)


class ScopeNames:
    """Gives levels their texts; what comes again at the same place gets a number."""

    def __init__(self) -> None:
        self._known: dict[Level, tuple[str, ...]] = {}
        self._seen: dict[tuple[tuple[str, ...], str], int] = {}

    def of(self, level: Level | None) -> tuple[str, ...]:
        """The texts of a level and of those around it; to be asked in the order in which nodes were made."""
        unknown = []
        at = level
        while at is not None and at not in self._known:
            unknown.append(at)
            at = at.outer
        for inner in reversed(unknown):
            if inner.outer is None:
                self._known[inner] = ()
                continue
            around, text = self._known[inner.outer], inner.text
            count = self._seen[around, text] = self._seen.get((around, text), 0) + 1
            self._known[inner] = (*around, text if count == 1 else f"{text} #{count}")
        return () if level is None else self._known[level]


def user_frames(frame: FrameType | None, base: FrameType | None) -> list[FrameType]:
    """The user's frames from `frame` outwards, innermost first, to the end or to `base`."""
    found = []
    while frame is not None:
        if kind_of(frame.f_code) == USER:
            found.append(frame)
        if frame is base:
            break
        frame = frame.f_back
    return found


def caller(depth: int = 1) -> FrameType:
    """The frame so many calls around the caller's."""
    return sys._getframe(depth + 1)
