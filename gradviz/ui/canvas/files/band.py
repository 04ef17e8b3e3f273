"""The band above the graph of a picture: what its numbers are, where they are not simply those of a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter

from gradviz.ui.canvas.ink.text import Pen, Role, elided, text_width
from gradviz.ui.look.palette import Palette

LEAST_WIDTH = 360.0
"""Of a picture with a band, in scene units: sentences in a narrower one would be a column of words."""
_LINE, _PAD, _SIDE = 19.0, 9.0, 16.0


class Band(NamedTuple):
    """Sentences in lines.

    Attributes:
        lines: what each says, and whether it is of the first sentence.
    """

    lines: tuple[tuple[str, bool], ...]

    @property
    def height(self) -> float:
        """In scene units; 0 without a line."""
        return len(self.lines) * _LINE + 2 * _PAD if self.lines else 0.0

    def paint(self, painter: QPainter, palette: Palette, width: float, *, vector: bool) -> None:
        """Draw it from the origin on, in scene units."""
        if not self.lines:
            return
        painter.fillRect(QRectF(0.0, 0.0, width, self.height), QColor(palette.changed_tint))
        painter.fillRect(QRectF(0.0, self.height - 1.0, width, 1.0), QColor(palette.hairline))
        pen = Pen(painter, vector=vector)
        for number, (text, is_first) in enumerate(self.lines):
            role, ink = (Role.STRONG, palette.changed) if is_first else (Role.CAPTION, palette.text)
            pen.write(_SIDE, _PAD + _LINE * (number + 0.5), text, role, ink)


def band_of(notes: Sequence[str], width: float) -> Band:
    """Sentences, each from a new line on, in a band of some width in scene units."""
    lines = [
        (line, number == 0)
        for number, note in enumerate(notes)
        for line in _broken(note, Role.CAPTION if number else Role.STRONG, width - 2 * _SIDE)
    ]
    return Band(tuple(lines))


def _broken(text: str, role: Role, room: float) -> Iterator[str]:
    """A text in lines no wider than `room`; a word that is wider ends in "…"."""
    line = ""
    for word in text.split():
        longer = f"{line} {word}".lstrip()
        if line and text_width(longer, role) > room:
            yield line
            longer = word
        line = elided(longer, role, room)
    if line:
        yield line
