"""The bracket at the cursor and its partner, brackets in strings and comments left out."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtGui import QTextBlock, QTextDocument

from gradviz.ui.editor.lexer import PAIRS, PLAIN, spans, units

MAX_BLOCKS = 400
"""A partner further away than this many lines is not looked for, so that typing stays quick."""

_OPENING = {close: opening for opening, close in PAIRS.items()}


def matching(document: QTextDocument, position: int) -> tuple[int, int | None] | None:
    """Positions of the bracket next to the cursor and of its partner, None for a partner that is missing."""
    block = document.findBlock(position)
    for start, sign in _brackets(block):
        if start in (position, position - 1):
            return start, _partner(block, start, sign)
    return None


def _brackets(block: QTextBlock) -> list[tuple[int, str]]:
    """Position in the document and sign of each bracket of a line, in order."""
    text = block.text()
    pieces, _ = spans(text, max(block.previous().userState(), PLAIN))
    return [(block.position() + units(text, p.start), text[p.start]) for p in pieces if p.role == "bracket"]


def _partner(block: QTextBlock, start: int, sign: str) -> int | None:
    depth = 0
    is_opening = sign in PAIRS
    wanted = PAIRS[sign] if is_opening else _OPENING[sign]
    for position, other in _following(block, start) if is_opening else _preceding(block, start):
        if other == sign:
            depth += 1
        elif other == wanted:
            depth -= 1
            if depth < 0:
                return position
    return None


def _following(block: QTextBlock, start: int) -> Iterator[tuple[int, str]]:
    for _ in range(MAX_BLOCKS):
        if not block.isValid():
            return
        yield from (bracket for bracket in _brackets(block) if bracket[0] > start)
        block = block.next()


def _preceding(block: QTextBlock, start: int) -> Iterator[tuple[int, str]]:
    for _ in range(MAX_BLOCKS):
        if not block.isValid():
            return
        yield from (bracket for bracket in reversed(_brackets(block)) if bracket[0] < start)
        block = block.previous()
