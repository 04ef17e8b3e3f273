"""The bytes of a JSON file as a Python object, with a clear sentence for each way in which it can fail."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NoReturn
from uuid import uuid4

import orjson

from gradviz.errors import FormatError, UnsupportedVersionError
from gradviz.formats.json_write import FORMAT, VERSION
from gradviz.formats.watched import Watch, go_on

PIECE = 1_000_000
"""Characters that are parsed at once, in some 10 ms."""
_LARGE = 1_000_000  # characters; beyond it a foreign file is refused without reading it whole
_LINES = ('\n{"id":', '\n{"node":')
"""How the lines of nodes, and those of steps and changes of `.grad`, begin in what `json_write` writes."""


def decode(content: bytes) -> str:
    """The text of a file.

    Raises:
        FormatError: empty, or not text.
    """
    if not content.strip():
        raise FormatError("The file is empty.", hint="Export the recording again.")
    try:
        if b"\0" not in content:
            return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        pass
    raise FormatError("The file is binary or not in UTF-8, so it is not a JSON recording.")


def refuse_foreign(text: str) -> None:
    """Refuse a large file of another kind before anybody reads it whole.

    Raises:
        FormatError: the name of the format is nowhere in it.
    """
    if len(text) > _LARGE and f'"{FORMAT}"' not in text:
        raise FormatError(f'The file is not a gradviz recording: nowhere does it say "format": "{FORMAT}".')


def parse_fast(text: str, watch: Watch) -> Mapping[str, Any]:
    """The top of a gradviz recording, by orjson, which makes floats of whole numbers beyond 64 bits.

    A large one is parsed in pieces, since no other thread runs while orjson parses one.

    Raises:
        ValueError: orjson refuses it; `parse` may not, or says where and why.
        FormatError: as `parse`.
        Cancelled: nobody wants it any more.
    """
    if len(text) >= PIECE:
        with suppress(_NoPiecesError, ValueError):
            return _own(_parsed_in_pieces(text, watch))
    return _own(orjson.loads(text))


class _NoPiecesError(Exception):
    """The text is no recording as gradviz writes it: its pieces are not where they belong."""


def _parsed_in_pieces(text: str, watch: Watch) -> Any:
    """The text with stretches of its nodes, steps and changes of `.grad` parsed by themselves, then put in place.

    Each of those begins a line, and no JSON text has a line end in it. A stretch of lines is a part of one list if it
    is a list by itself, and if what stands for it in the rest of the text is found in one of those lists.
    """
    mark, pieces, rest, at = uuid4().hex, list[list[Any]](), list[str](), 0
    starts = {line: text.find(line) for line in _LINES}
    while (start := min((start for start in starts.values() if start >= 0), default=-1)) >= 0:
        end = max(text.rfind(line, start + 1, start + PIECE) for line in _LINES)
        if end < 0:
            end = min(start + PIECE, len(text))
        try:
            pieces.append(orjson.loads(f"[{text[start:end].removesuffix(',')}]"))
            rest += [text[at:start], f'"{mark}{len(pieces) - 1}",']
        except ValueError:  # the end of a list is in it
            rest.append(text[at:end])
        at = end
        starts = {line: start if not 0 <= start < at else text.find(line, at) for line, start in starts.items()}
        go_on(watch, at / len(text))
    top = orjson.loads("".join([*rest, text[at:]]))
    if not isinstance(top, dict) or _put_back(top, mark, pieces) != len(pieces):
        raise _NoPiecesError
    return top


def _put_back(top: dict[str, Any], mark: str, pieces: Sequence[list[Any]]) -> int:
    """Put the pieces into the lists of a recording; how many had a place there."""
    found = 0
    for values in long_lists(top):
        marked = [at for at, value in enumerate(values) if type(value) is str and value.startswith(mark)]
        found += len(marked)
        for at in reversed(marked):
            values[at : at + 1] = pieces[int(values[at].removeprefix(mark))]
    return found


def long_lists(top: Mapping[str, Any]) -> list[list[Any]]:
    """The lists of a document that are long in a large one: of nodes, and of what each sweep did."""
    sweeps = top.get("backward")
    holders = [sweep for sweep in sweeps if type(sweep) is dict] if type(sweeps) is list else []
    lists = [top.get("nodes"), *(sweep.get(key) for sweep in holders for key in ("steps", "accumulated"))]
    return [values for values in lists if type(values) is list]


def parse(text: str) -> Mapping[str, Any]:
    """The top of a gradviz recording, whose "format" and "version" fit, by Python's own json.

    Raises:
        FormatError: not JSON (with line and column), cut off, or another format.
        UnsupportedVersionError: another version.
        RecursionError: nested deeper than Python parses.
    """
    try:
        top = json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise _syntax_error(error) from None
    except ValueError:  # a whole number of more digits than Python converts
        raise FormatError("The file holds a whole number of thousands of digits, which no recording has.") from None
    return _own(top)


def _refuse_constant(name: str) -> NoReturn:
    raise FormatError(
        f'The file holds the bare word {name}, which is not JSON; a recording writes the string "{name}".'
    )


_UNFINISHED = re.compile(r"[\w.+-]*\s*")
"""What is left where a text ends, at most a part of a word or of a number."""


def _syntax_error(error: json.JSONDecodeError) -> FormatError:
    text = error.doc
    if not text.lstrip().startswith(("{", "[")):
        return FormatError("The file is not JSON: a recording begins with {.", line=error.lineno, column=error.colno)
    if _UNFINISHED.fullmatch(text, error.pos) or error.msg.startswith("Unterminated string"):
        message = "The file breaks off here: its end is missing."
        return FormatError(message, hint="Export the recording again.", line=error.lineno, column=error.colno)
    return FormatError(f"The file is not JSON: {_lower(error.msg)}.", line=error.lineno, column=error.colno)


def _lower(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]


def _own(top: Any) -> Mapping[str, Any]:
    """The top itself, if it is that of a recording of the version that is read here."""
    if not isinstance(top, dict) or "format" not in top:
        hint = "It is a notebook: give it the suffix .ipynb." if isinstance(top, dict) and "nbformat" in top else ""
        raise FormatError(f'The file is not a gradviz recording: it does not say "format": "{FORMAT}".', hint=hint)
    if top["format"] != FORMAT:
        said = json.dumps(top["format"])[:40]
        raise FormatError(f'The file is not a gradviz recording: its "format" is {said}, not "{FORMAT}".')
    version = top.get("version")
    if type(version) is not int:
        raise FormatError("version is missing." if version is None else "version is not a whole number.")
    if version != VERSION:
        raise UnsupportedVersionError(
            f"The file is format version {version}; this gradviz reads version {VERSION}. "
            "Update gradviz or export again."
        )
    return top
