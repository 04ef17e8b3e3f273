"""The text of an SVG file made to last: families that every system has, and every text as wide as it was measured.

A reader without the shipped fonts takes another family; the stated length keeps the text inside its box.
"""

from __future__ import annotations

import re
from functools import lru_cache
from html import unescape

from PySide6.QtGui import QFont, QFontMetricsF

_EMPTY_GROUP = re.compile(r"<g [^>]*>\s*</g>\s*")
_TEXT = re.compile(r'<text ([^>]*?font-family="([^"]*)" font-size="(\d+)" font-weight="(\d+)"[^>]*?)\s*>([^<]*)</text>')
_FAMILIES = {
    "Inter": "Inter, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif",
    "JetBrains Mono": "'JetBrains Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace",
}
_FAMILY = re.compile(r'font-family="([^",]*)[^"]*"')


def finished(svg: str) -> str:
    """The file that Qt wrote, with lasting text and without its empty groups."""
    return _FAMILY.sub(_with_families, _TEXT.sub(_with_length, _EMPTY_GROUP.sub("", svg)))


def _with_length(match: re.Match[str]) -> str:
    attributes, families, size, weight, text = match.groups()
    width = _width(families, int(size), int(weight), unescape(text))
    return f'<text {attributes} textLength="{width:.2f}" lengthAdjust="spacingAndGlyphs">{text}</text>'


def _with_families(match: re.Match[str]) -> str:
    first = match.group(1)
    return f'font-family="{_FAMILIES.get(first, first)}"'


@lru_cache(maxsize=16384)
def _width(families: str, size: int, weight: int, text: str) -> float:
    font = QFont(families.split(","))
    font.setPixelSize(size)
    font.setWeight(QFont.Weight(weight))
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    return QFontMetricsF(font).horizontalAdvance(text)
