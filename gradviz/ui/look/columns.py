"""Whether a text has printed arrays in it, whose columns only a monospaced font keeps."""

from __future__ import annotations

import re

_LATER_ROW = re.compile(r"^ +(?:\[.*\d|[\[ -]*(?:\d|nan|inf|True|False))", re.MULTILINE)


def has_columns(text: str) -> bool:
    """Whether a line of it is a later row of a printed array."""
    return _LATER_ROW.search(text) is not None
