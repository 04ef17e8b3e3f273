"""Every format that gradviz writes, in the order in which the dialog offers them."""

from __future__ import annotations

from gradviz.export.films import FILMS
from gradviz.export.page import PAGE
from gradviz.export.pictures import PICTURES
from gradviz.export.recordings import RECORDINGS
from gradviz.export.row import Row
from gradviz.export.texts import TEXTS

ROWS: tuple[Row, ...] = (*PICTURES, *FILMS, PAGE, *RECORDINGS, *TEXTS)


def rows() -> tuple[Row, ...]:
    """All formats."""
    return ROWS


def row_of(suffix: str) -> Row | None:
    """The format of a suffix, in capitals or not; None where there is none."""
    return next((row for row in rows() if suffix.lower() in row.suffixes), None)


def suffixes(option: str = "") -> tuple[str, ...]:
    """All suffixes, or those of the formats for which an option has a meaning."""
    return tuple(suffix for row in rows() for suffix in row.suffixes if not option or option in row.takes)
