"""Where numbers left the graph: `y.detach()`, `y.item()`, `y > 0`, all that runs under no_grad."""

from __future__ import annotations

import ast
import linecache
from types import FrameType
from typing import Any
from weakref import ref

import torch

from gradviz.capture.scopes import Here

COMPARISONS = frozenset(("eq", "ge", "gt", "le", "lt", "ne"))
MOST_NOTES = 4096
"""Tensors behind a cut that are remembered at a time."""


class CutNote:
    """One cut, which keeps no graph alive.

    Attributes:
        sources: (weak event, or leaf; output) of what the numbers were taken from.
        how: by what, as the script writes it: "detach()", ".data", "item()", "torch.no_grad()".
        line: where, and `file`.
    """

    __slots__ = ("file", "how", "line", "sources")

    def __init__(self, sources: list[tuple[Any, int]], how: str, here: Here) -> None:
        self.sources = sources
        self.how, self.line, self.file = how, here.line, here.file


class Cuts:
    """Which tensors were computed from the graph outside of it.

    Attributes:
        made_of: by `id` of such a tensor, as long as it lives, itself and the cut that it comes from.
        left: what Python got, the last of each place.
    """

    def __init__(self) -> None:
        self.made_of: dict[int, tuple[Any, CutNote]] = {}
        self.left: dict[tuple[str | None, int | None], CutNote] = {}

    def of(self, t: Any) -> CutNote | None:
        """The cut that a tensor is behind."""
        found = self.made_of.get(id(t))
        return found[1] if found is not None and found[0]() is t else None

    def add(self, made: list[Any], note: CutNote) -> None:
        """Tensors were made behind a cut; none, where Python got the numbers."""
        if not made:
            self.left[note.file, note.line] = note
        if len(self.made_of) > MOST_NOTES:
            self.made_of = {key: each for key, each in self.made_of.items() if each[0]() is not None}
            if len(self.made_of) > MOST_NOTES:
                self.made_of.clear()
        for t in made:
            self.made_of[id(t)] = (ref(t), note)

    def go_on(self, given: list[Any], made: list[Any]) -> None:
        """What was computed from tensors behind a cut is behind it too."""
        note = next((note for t in given if (note := self.of(t)) is not None), None)
        if note is not None and made:
            self.add(made, note)


def words_for(frame: FrameType | None, op: str) -> str:
    """By what numbers were taken, as the script writes it; by the op's name where the source is not at hand."""
    if not torch.is_grad_enabled():
        return "torch.no_grad()"
    if op in COMPARISONS:
        return "a comparison"
    return _written(_source_at(frame)) or ("item()" if op == "_local_scalar_dense" else f"{op}()")


def _written(source: str) -> str:
    """What an expression calls, "detach()", or the attribute that it reads, ".data"; "" for any other."""
    try:
        body: Any = ast.parse(source, mode="eval").body
    except (SyntaxError, ValueError):
        return ""
    if isinstance(body, ast.Attribute):
        return f".{body.attr}"
    called = body.func if isinstance(body, ast.Call) else None
    name = called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""
    return name and f"{name}()"


def _source_at(frame: FrameType | None) -> str:
    """The source of what a frame runs now, where Python knows its columns, as it does since 3.11."""
    positions = getattr(frame.f_code, "co_positions", None) if frame is not None else None
    if frame is None or positions is None:
        return ""
    line, end, start, stop = next((each for n, each in enumerate(positions()) if n == frame.f_lasti // 2), (None,) * 4)
    if line is None or line != end or start is None or stop is None:
        return ""
    return linecache.getline(frame.f_code.co_filename, line).encode()[start:stop].decode(errors="replace")


def hint_about(note: CutNote | None, cuts: Cuts, main: str | None) -> str:
    """Where the graph of an output without one was cut, if that was seen; else "".

    Args:
        note: the cut that the output is behind.
        main: the script; lines of other files are not told.
    """
    cut_it = note is not None
    if note is None:
        if len(cuts.left) != 1:
            return ""
        (note,) = cuts.left.values()
    at = f" at line {note.line}" if note.line is not None and note.file in (None, main) else ""
    if cut_it:
        return f"The graph was cut{at} by {note.how}: from there on no gradient is recorded."
    left = f"Numbers left the graph{at} by {note.how}"
    return f"{left}: a tensor that is made of them knows nothing of where they come from."
