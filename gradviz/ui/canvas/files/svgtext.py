"""The text of an SVG file made to last: drawn as the outlines of its letters, so that no reader needs a font.

Each letter stands once in the file and is used by every text that has it. The text itself lies over its outlines,
transparent, so that it can be searched, selected and read aloud; its stated length keeps it as wide as they are.
A sign of which no font here has an outline, such as a coloured one, is left to the reader's fonts.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache
from html import unescape

from PySide6.QtCore import QPointF
from PySide6.QtGui import QFont, QFontMetricsF, QPainterPath, QRawFont, QTextLayout, QTextOption

from gradviz.ui.look.theme import without_ligatures

_EMPTY_GROUP = re.compile(r"<g [^>]*>\s*</g>\s*")
_TEXT = re.compile(
    r'<text fill="([^"]*)" fill-opacity="([^"]*)" ([^>]*?x="([^"]*)" y="([^"]*)" font-family="([^"]*)"'
    r' font-size="(\d+)" font-weight="(\d+)"[^>]*?)\s*>([^<]*)</text>'
)
_FAMILIES = {
    "Inter": "Inter, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif",
    "JetBrains Mono": "'JetBrains Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace",
}
_FAMILY = re.compile(r'font-family="([^",]*)[^"]*"')
_LETTER = {
    QPainterPath.ElementType.MoveToElement: "M",
    QPainterPath.ElementType.LineToElement: "L",
    QPainterPath.ElementType.CurveToElement: "C",
    QPainterPath.ElementType.CurveToDataElement: " ",
}


def finished(svg: str) -> str:
    """The file that Qt wrote, with its texts as outlines and without its empty groups."""
    letters = _Letters()
    drawn = _TEXT.sub(letters.draw, _EMPTY_GROUP.sub("", svg))
    return _FAMILY.sub(_with_families, drawn.replace("</defs>", f"{letters.definitions()}</defs>", 1))


class _Letters:
    """The outlines that the texts of one file use."""

    def __init__(self) -> None:
        self._outlines: dict[str, str] = {}

    def draw(self, match: re.Match[str]) -> str:
        """A text as its outlines, and itself over them; itself alone where an outline is missing."""
        fill, opacity, attributes, x, y, families, size, weight, text = match.groups()
        laid = _laid_out(families, int(size), int(weight), unescape(text))
        stated = f'textLength="{laid.width:.2f}" lengthAdjust="spacingAndGlyphs"'
        if laid.outlines is None:
            return f'<text fill="{fill}" fill-opacity="{opacity}" {attributes} {stated}>{text}</text>'
        uses = "".join(
            f'<use xlink:href="#{self._name(outline)}" x="{float(x) + at.x():.2f}" y="{float(y) + at.y():.2f}"/>'
            for outline, at in laid.outlines
        )
        outlines = f'<g fill="{fill}" fill-opacity="{opacity}" stroke="none">{uses}</g>' if uses else ""
        return f'{outlines}<text fill="{fill}" fill-opacity="0" {attributes} {stated}>{text}</text>'

    def definitions(self) -> str:
        """The outlines that were used."""
        return "".join(f'<path id="{name}" d="{outline}"/>\n' for outline, name in self._outlines.items())

    def _name(self, outline: str) -> str:
        return self._outlines.setdefault(outline, f"letter{len(self._outlines)}")


class _Laid:
    """A text laid out from a point on its baseline.

    Attributes:
        width: in pixels.
        outlines: of each letter that has one its path, and where it stands; None where one cannot be had.
    """

    def __init__(self, width: float, outlines: list[tuple[str, QPointF]] | None) -> None:
        self.width, self.outlines = width, outlines


@lru_cache(maxsize=16384)
def _laid_out(families: str, size: int, weight: int, text: str) -> _Laid:
    font = QFont(families.split(","))
    font.setPixelSize(size)
    font.setWeight(QFont.Weight(weight))
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    without_ligatures(font)
    return _Laid(QFontMetricsF(font).horizontalAdvance(text), _outlines(font, text))


def _outlines(font: QFont, text: str) -> list[tuple[str, QPointF]] | None:
    layout = QTextLayout(text, font)
    option = QTextOption()
    option.setUseDesignMetrics(True)
    layout.setTextOption(option)
    layout.beginLayout()
    line = layout.createLine()
    layout.endLayout()
    found, base = list[tuple[str, QPointF]](), line.ascent()
    for run in layout.glyphRuns():
        raw = run.rawFont()
        for glyph, at in zip(run.glyphIndexes(), run.positions(), strict=True):
            outline = _outline(raw, glyph)
            if glyph == 0 or (not outline and raw.advancesForGlyphIndexes([glyph])[0].x() and _is_seen(raw, glyph)):
                return None
            if outline:
                found.append((outline, QPointF(at.x(), at.y() - base)))
    return found


def _is_seen(raw: QRawFont, glyph: int) -> bool:
    """Whether a glyph without an outline shows something: a coloured image, not a space."""
    return not raw.boundingRect(glyph).isEmpty()


def _outline(raw: QRawFont, glyph: int) -> str:
    """The path of a glyph from the start of its baseline, as SVG writes it."""
    path = raw.pathForGlyph(glyph)
    parts = []
    for number in range(path.elementCount()):
        element = path.elementAt(number)
        parts.append(f"{_LETTER[element.type]}{_short(element.x)},{_short(element.y)}")
    return "".join(parts).replace("M", "ZM").removeprefix("Z") + "Z" if parts else ""


def _short(number: float) -> str:
    rounded = f"{number:.2f}".rstrip("0").rstrip(".")
    return "0" if rounded == "-0" or not math.isfinite(number) else rounded


def _with_families(match: re.Match[str]) -> str:
    first = match.group(1)
    return f'font-family="{_FAMILIES.get(first, first)}"'
