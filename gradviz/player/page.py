"""The page: template, style, module and data as one HTML file that asks nothing of any network.

A policy in the page itself lets only its own styles and scripts in, by their hashes, so that nothing in a recording is
ever run or fetched, whatever it says. Style and module are packed as the data are, and arrive as they stand here.
"""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from html import escape
from pathlib import Path

from gradviz.formats.safe_write import put
from gradviz.player.document import Cards, Start, document_of
from gradviz.player.packing import pack, pack_bytes
from gradviz.player.products import Ask
from gradviz.recording import Recording
from gradviz.shipped import shipped

_HOLE = re.compile(r"\{\{(\w+)\}\}")


def write_page(
    recording: Recording, file: Path, cards: Cards, start: Start | None = None, ask: Ask | None = None, note: str = ""
) -> None:
    """Write a recording as one HTML file.

    Args:
        cards: the texts in the boxes of a track.
        start: where the page opens.
        ask: asks the run of the recording for the Jacobian of a custom Function; None where there is no run.
        note: what its numbers are, where they are not simply those of a run; it stands above the graph.

    Raises:
        GradvizError: there is no graph, or it is too large for a page.
        FormatError: the file cannot be written; an older one is then as it was.
    """
    put(file, page_of(recording, cards, start, ask, note).encode("utf-8"))


def page_of(
    recording: Recording, cards: Cards, start: Start | None = None, ask: Ask | None = None, note: str = ""
) -> str:
    """The text of the page, as `write_page` writes it.

    Raises:
        GradvizError: there is no graph, or it is too large for a page.
    """
    name = "recording" if recording.source is None else recording.source.name
    style, module, first_style, first_module = map(_shipped, ("player.css", "player.js", "first.css", "first.js"))
    styles, scripts = (" ".join(map(_hash, each)) for each in ((first_style, style), (first_module, module)))
    filling = {
        "title": escape(name.encode("utf-8", "replace").decode("utf-8")),
        "policy": f"default-src 'none'; style-src {styles}; script-src {scripts}; base-uri 'none'",
        "first_style": first_style,
        "first_module": first_module,
        "style": pack_bytes(style.encode()),
        "module": pack_bytes(module.encode()),
        "data": pack(document_of(recording, cards, start, ask, note)),
    }
    return _HOLE.sub(lambda hole: filling[hole.group(1)], _shipped("page.html"))


@cache
def _shipped(name: str) -> str:
    """The text of a shipped part of the page, with the same ends of lines on every system."""
    return shipped("player", name).read_text(encoding="utf-8").strip()


def _hash(text: str) -> str:
    """By which a policy knows a style or script."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}'"
