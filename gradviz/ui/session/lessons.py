"""The shipped lessons: each is a script whose comments say its title and what to watch. Knows no Qt."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from gradviz.shipped import shipped

_WATCH = re.compile(r"#\s*Watch:\s*(.+)", re.IGNORECASE)
_COMMENT = re.compile(r"#\s?(.*)")


class Lesson(NamedTuple):
    """One lesson.

    Attributes:
        path: its script.
        title: the first comment line.
        watch: the sentences of its `# Watch:` lines and the comment lines that continue them.
        text: the whole script.
    """

    path: Path
    title: str
    watch: tuple[str, ...]
    text: str


def lessons(folder: Path | None = None) -> tuple[Lesson, ...]:
    """The lessons in the order of their file names; `folder` is for tests."""
    files = sorted((folder or shipped("examples")).glob("*.py"))
    return tuple(read_lesson(file) for file in files)


def read_lesson(path: Path) -> Lesson:
    """The lesson in a file."""
    text = path.read_text(encoding="utf-8")
    return Lesson(path, _title(text) or path.stem.replace("_", " "), watch_in(text), text)


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
