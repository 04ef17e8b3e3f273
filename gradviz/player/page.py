"""The page: template, style, module and data as one HTML file that asks nothing of any network.

A policy in the page itself lets only this style and this module in, so that nothing in a recording is ever run or
fetched, whatever it says.
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
from gradviz.player.packing import pack
from gradviz.recording import Recording
from gradviz.shipped import shipped

_COMMENT = re.compile(r"/\*.*?\*/|^\s*//[^\n]*", re.DOTALL | re.MULTILINE)
_SPACE_AT_ENDS = re.compile(r"^\s+|[ \t]+$", re.MULTILINE)
_LITERAL = re.compile(
    r"""("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`"""
    r"""|(?<=[(=,:])\s?/(?![*/ ])(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\\[\n])+/[a-z]*)"""
)
_SPACE_IN_MODULE = re.compile(
    r"\s*(=>|[=!]==|[<>]=|\?\?|&&|\|\||[=+\-*/<>?:,;{|(])\s*"
    r"|\s*([)}\]]) ?"  # what ends here may end a statement: the end of the line stays
)
_SPACE_IN_STYLE = re.compile(r"\s*([{};,])\s*|(?<=:) ")
_VARIABLE = re.compile(r"(?<![\w-])--[a-z-]+")
_HOLE = re.compile(r"\{\{(\w+)\}\}")


def write_page(recording: Recording, file: Path, cards: Cards, start: Start | None = None) -> None:
    """Write a recording as one HTML file.

    Args:
        cards: the texts in the boxes of a track.
        start: where the page opens.

    Raises:
        GradvizError: there is no graph, or it is too large for a page.
        FormatError: the file cannot be written; an older one is then as it was.
    """
    put(file, page_of(recording, cards, start).encode("utf-8"))


def page_of(recording: Recording, cards: Cards, start: Start | None = None) -> str:
    """The text of the page.

    Raises:
        GradvizError: there is no graph, or it is too large for a page.
    """
    name = "recording" if recording.source is None else recording.source.name
    style, module = _style(), _module()
    filling = {
        "title": escape(name.encode("utf-8", "replace").decode("utf-8")),
        "style": style,
        "module": module,
        "policy": f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(module)}'; base-uri 'none'",
        "data": pack(document_of(recording, cards, start)),
    }
    return _HOLE.sub(lambda hole: filling[hole.group(1)], shipped("player", "page.html").read_text(encoding="utf-8"))


@cache
def _style() -> str:
    """The style without what is for its readers here: comments, spaces, and long names of its own variables."""
    bare = _COMMENT.sub("", shipped("player", "player.css").read_text(encoding="utf-8"))
    tight = _SPACE_IN_STYLE.sub(r"\1", bare).replace(";}", "}").strip()
    names = dict.fromkeys(name for name in _VARIABLE.findall(tight) if f'"{name}"' not in _module())
    short = {name: f"--{number:x}" for number, name in enumerate(names)}
    return _VARIABLE.sub(lambda match: short.get(match.group(), match.group()), tight)


@cache
def _module() -> str:
    """The module without what is for its readers here: comments, indents, and the spaces around signs."""
    bare = _SPACE_AT_ENDS.sub("", _COMMENT.sub("", shipped("player", "player.js").read_text(encoding="utf-8")))
    # Every other piece is a string, a template or a regular expression, in which a space is a space.
    pieces = _LITERAL.split(bare)
    pieces[::2] = [_SPACE_IN_MODULE.sub(r"\1\2", piece).replace("const ", "let ") for piece in pieces[::2]]
    return "".join(pieces).strip("\n")


def _hash(text: str) -> str:
    """By which a policy knows a style or script."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}"
