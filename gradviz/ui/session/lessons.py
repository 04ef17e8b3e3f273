"""The shipped lessons: each is a script whose comments say its title and what to watch. Knows no Qt.

What a lesson says at its steps, what it asks and in which group it stands is in a file beside it: `01_square.toml`
beside `01_square.py`.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from gradviz.errors import FormatError
from gradviz.shipped import shipped

if TYPE_CHECKING:  # no guide is read before a lesson is opened
    from gradviz.playback.guide import Guide

GROUPS = {
    "v times J": "What backward takes, and what it gives back",
    "Through a graph": "How gradients travel, meet and add up",
    "Errors and traps": "What is refused, what is None, what is silently wrong",
}
"""What each group of lessons is about, in the order in which they stand on the start page."""
LAST = next(reversed(GROUPS))
"""The group of a lesson that names none."""

_WATCH = re.compile(r"#\s*Watch:\s*(.+)", re.IGNORECASE)
_LINE = re.compile(r'^(group|question)\s*=\s*"(.*)"\s*$', re.MULTILINE)
_COMMENT = re.compile(r"#\s?(.*)")


class Lesson(NamedTuple):
    """One lesson.

    Attributes:
        path: its script.
        title: the first comment line.
        watch: the sentences of its `# Watch:` lines and the comment lines that continue them.
        text: the whole script.
        group: one of `GROUPS`; `LAST` where the file beside it names none.
        question: what it asks, or "".
    """

    path: Path
    title: str
    watch: tuple[str, ...]
    text: str
    group: str = LAST
    question: str = ""


def lessons(folder: Path | None = None) -> tuple[Lesson, ...]:
    """The lessons in the order of their file names; `folder` is for tests."""
    files = sorted((folder or shipped("examples")).glob("*.py"))
    return tuple(read_lesson(file) for file in files)


def read_lesson(path: Path) -> Lesson:
    """The lesson in a file."""
    text = path.read_text(encoding="utf-8")
    # Both stand on one line each, and are read off it: to read TOML takes longer, for what the start page needs.
    beside = dict(_LINE.findall(_text_beside(path)))
    group = beside.get("group", "")
    return Lesson(
        path,
        _title(text) or path.stem.replace("_", " "),
        watch_in(text),
        text,
        group if group in GROUPS else LAST,
        beside.get("question", ""),
    )


def guide_beside(path: Path) -> Guide | None:
    """What the lesson in that file says at its steps; None where no file beside it tells.

    Raises:
        FormatError: the file beside it is no guide.
    """
    from gradviz.playback.guide import read_guide

    text = _text_beside(path)
    return read_guide(text) if text else None


def shipped_guide(name: str) -> Guide | None:
    """That of the shipped lesson with the file name `name`, or None."""
    return guide_beside(shipped("examples", name)) if re.fullmatch(r"\w+\.py", name) else None


def _text_beside(path: Path) -> str:
    beside = path.with_suffix(".toml")
    try:
        return beside.read_text(encoding="utf-8") if path.suffix == ".py" and beside.is_file() else ""
    except (OSError, UnicodeDecodeError) as error:
        raise FormatError(f"{beside.name} cannot be read: {error}") from None


def watch_in(text: str) -> tuple[str, ...]:
    """What to watch, as the comments of a script say it."""
    found: list[str] = []
    is_open = False
    for line in text.splitlines():
        start, comment = _WATCH.match(line), _COMMENT.match(line)
        if start:
            found.append(start[1].strip())
        elif is_open and comment and comment[1].strip():
            found[-1] = f"{found[-1]} {comment[1].strip()}"
        is_open = bool(start) or (is_open and bool(comment) and bool(comment and comment[1].strip()))
    return tuple(found)


def _title(text: str) -> str:
    for line in text.splitlines():
        comment = _COMMENT.match(line)
        if comment and comment[1].strip() and not _WATCH.match(line):
            return comment[1].strip().rstrip(".")
    return ""
