"""A recording as text for other programs and for paper: graphs, tables of steps, a script for numpy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from gradviz.formats.safe_write import put
from gradviz.playback.track import Track
from gradviz.texts.graph_text import dot, graphml
from gradviz.texts.numpy_script import numpy_script
from gradviz.texts.step_text import csv_table, markdown_table


class TextFormat(NamedTuple):
    """One kind of text.

    Attributes:
        words: what a person calls it.
        text_of: the text for one backward call, with sentences on what its numbers are; raises GradvizError where it
            cannot be written.
    """

    words: str
    text_of: Callable[[Track, Sequence[str]], str]


TEXTS: dict[str, TextFormat] = {
    ".dot": TextFormat("Graphviz graph", dot),
    ".gv": TextFormat("Graphviz graph", dot),
    ".graphml": TextFormat("GraphML graph", graphml),
    ".csv": TextFormat("Table of steps", csv_table),
    ".md": TextFormat("Table of steps", markdown_table),
    ".py": TextFormat("Script for numpy", numpy_script),
}
"""The kinds of text by the suffix of the file."""


def write_text(track: Track, file: Path, notes: Sequence[str] = ()) -> None:
    """Write one backward call as the kind of text that the suffix says.

    Args:
        notes: sentences on what its numbers are, where they are not simply those of a run.

    Raises:
        GradvizError: it cannot be said in that kind of text.
        FormatError: the file cannot be written.
    """
    put(file, TEXTS[file.suffix.lower()].text_of(track, notes).encode(errors="replace"))
