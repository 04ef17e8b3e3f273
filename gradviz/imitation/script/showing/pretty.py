"""A value as a notebook shows it: containers broken over lines as IPython breaks them.

A group is a container between its brackets. Its commas are places for line ends, which wait until the line grows too
long; then the outermost group with waiting places breaks at all of its own, and stays broken. A text of several lines
ends its lines at once and settles all that waits.
"""

from __future__ import annotations

from collections import deque
from typing import Any

from gradviz.imitation.script.showing.pretty_calls import Made, made, one_line, without_object
from gradviz.imitation.script.tensors.grad_nodes import Edge

WIDTH = 79
MOST = 1_000
"""Members of one container that are shown."""


class _Group:
    """One container being written, or a text of several lines.

    Attributes:
        waiting: its places for a line end whose fate is open.
        is_open: whether it may still be found when a line grows too long.
    """

    __slots__ = ("depth", "is_broken", "is_open", "waiting")

    def __init__(self, depth: int) -> None:
        self.depth = depth
        self.is_broken = False
        self.is_open = True
        self.waiting = 0


class _Place:
    """A place for a line end, with the indentation of the line after it."""

    __slots__ = ("group", "indent")

    def __init__(self, group: _Group, indent: int) -> None:
        self.group = group
        self.indent = indent


class _Page:
    """The text so far, and the line being written."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.column = 0
        self.indent = 0
        self.stack = [_Group(0)]
        self.levels: list[list[_Group]] = [[self.stack[0]]]
        self._tail: deque[str | _Place] = deque()
        self._tail_width = 0

    def text(self, text: str) -> None:
        """Write; it belongs to the line before it or to the next, as the place before it turns out."""
        if not self._tail:
            self.parts.append(text)
            self.column += len(text)
            return
        self._tail.append(text)
        self._tail_width += len(text)
        self._break_outer()

    def place(self) -> None:
        """A blank that may become a line end."""
        group = self.stack[-1]
        if group.is_broken:
            self.settle()
            self._new_line(self.indent)
            return
        group.waiting += 1
        self._tail.append(_Place(group, self.indent))
        self._tail_width += 1
        self._break_outer()

    def end_line(self) -> None:
        """A line end at once; the outermost group breaks with it."""
        group = self._outermost()
        if group is not None:
            self._break(group)
        self.settle()
        self._new_line(self.indent)

    def _new_line(self, indent: int) -> None:
        self.parts.append("\n" + " " * indent)
        self.column = indent

    def settle(self) -> None:
        """Write what waits as it stands."""
        while self._tail:
            self._write(self._tail.popleft())
        self._tail_width = 0

    def open(self, bracket: str, indent: int) -> None:
        """A group begins."""
        if bracket:
            self.text(bracket)
        group = _Group(self.stack[-1].depth + 1)
        self.stack.append(group)
        while len(self.levels) <= group.depth:
            self.levels.append([])
        self.levels[group.depth].append(group)
        self.indent += indent

    def close(self, bracket: str, indent: int) -> None:
        """The innermost group ends."""
        self.indent -= indent
        group = self.stack.pop()
        if not group.waiting:
            self._leave(group)
        if bracket:
            self.text(bracket)

    def _leave(self, group: _Group) -> None:
        if group.is_open:
            group.is_open = False
            self.levels[group.depth].remove(group)

    def _write(self, part: str | _Place) -> None:
        if isinstance(part, str):
            self.parts.append(part)
            self.column += len(part)
            return
        group = part.group
        group.waiting -= 1
        if group.is_broken:
            self._new_line(part.indent)
            return
        if not group.waiting:
            self._leave(group)
        self.parts.append(" ")
        self.column += 1

    def _break_outer(self) -> None:
        while self.column + self._tail_width > WIDTH:
            group = self._outermost()
            if group is None:
                return
            self._break(group)

    def _break(self, group: _Group) -> None:
        while group.waiting:
            self._take()
        while self._tail and isinstance(self._tail[0], str):
            self._take()

    def _take(self) -> None:
        part = self._tail.popleft()
        self._tail_width -= len(part) if isinstance(part, str) else 1
        self._write(part)

    def _outermost(self) -> _Group | None:
        """Break the outermost group that has waiting places; those around it without any break at their next."""
        for level in self.levels:
            for group in reversed(level):
                if group.waiting:
                    group.is_broken, group.is_open = True, False
                    level.remove(group)
                    return group
            for group in level:
                group.is_broken, group.is_open = True, False
            level.clear()
        return None


BRACKETS: dict[type, tuple[str, str]] = {
    list: ("[", "]"), tuple: ("(", ")"), Edge: ("(", ")"),
    set: ("{", "}"), frozenset: ("frozenset({", "})"), dict: ("{", "}"),
}  # fmt: skip


def pretty(value: Any) -> str:
    """The text that IPython shows for the last value of a cell; lines of at most 79 characters where they can be."""
    page = _Page()
    pending: list[Any] = [value]
    around: list[int] = []
    while pending:
        part = pending.pop()
        if type(part) is _Mark:
            part.do(page, around)
        elif type(part) in BRACKETS and (len(part) or type(part) in (list, tuple, dict)):
            _open(page, part, pending, around)
        elif (call := made(part)) is not None:
            _call(page, part, call, pending, around)
        else:
            _plain(page, one_line(part) or without_object(repr(part)))
    page.settle()
    return "".join(page.parts)


class _Mark:
    """Something to do between two values."""

    def __init__(self, do: Any) -> None:
        self.do = do


def _open(page: _Page, value: Any, pending: list[Any], around: list[int]) -> None:
    first, last = BRACKETS[type(value)]
    if id(value) in around:
        page.text(f"{first}...{last}")
        return
    around.append(id(value))
    page.open(first, len(first))
    members = _members(value)
    if type(value) is tuple and len(value) == 1:
        last = "," + last

    def close(page: _Page, around: list[int]) -> None:
        around.pop()
        page.close(last, len(first))

    pending.append(_Mark(close))
    pending.extend(reversed(members))


def _call(page: _Page, value: Any, call: Made, pending: list[Any], around: list[int]) -> None:
    first = f"{call.name}("
    if id(value) in around:
        page.text(f"{first}...)")
        return
    around.append(id(value))
    page.open(first, len(first))

    def close(page: _Page, around: list[int]) -> None:
        around.pop()
        page.close(")", len(first))

    parts: list[Any] = []
    for at, item in enumerate(call.arguments):
        parts += [_Mark(_comma), item] if at else [item]
    for key, item in call.keywords.items():
        parts += [_Mark(_comma)] if parts else []
        parts += [_Mark(lambda page, _, key=key: page.text(f"{key}=")), item]
    pending.append(_Mark(close))
    pending.extend(reversed(parts))


def _members(value: Any) -> list[Any]:
    """What stands between the brackets: values, and the marks between them."""
    parts: list[Any] = []
    items: Any = list(value.items()) if isinstance(value, dict) else list(value)
    if isinstance(value, set | frozenset) and len(items) <= MOST:
        items = _sorted(items)
    for at, item in enumerate(items[:MOST]):
        if at:
            parts.append(_Mark(_comma))
        if isinstance(value, dict):
            parts += [item[0], _Mark(_colon), item[1]]
        else:
            parts.append(item)
    if len(items) > MOST:
        parts += [_Mark(_comma), _Mark(lambda page, _: page.text("..."))]
    return parts


def _sorted(items: list[Any]) -> list[Any]:
    try:
        return sorted(items)
    except Exception:  # whatever the script's own comparison raises: the order is as it comes
        return items


def _comma(page: _Page, _: list[int]) -> None:
    page.text(",")
    page.place()


def _colon(page: _Page, _: list[int]) -> None:
    page.text(": ")


def _plain(page: _Page, text: str) -> None:
    page.open("", 0)
    for at, line in enumerate(text.splitlines()):
        if at:
            page.end_line()
        page.text(line)
    page.close("", 0)
