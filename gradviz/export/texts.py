"""One backward call as text for other programs: graphs, tables of steps, a script for numpy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from gradviz.export.row import Family, Row, Subject
from gradviz.export.work import Work

if TYPE_CHECKING:
    from gradviz.playback.track import Track

_TAKES = frozenset({"sweep"})


def _dot(subject: Subject) -> Work:
    from gradviz.texts.graph_text import dot

    return _text(dot, subject)


def _graphml(subject: Subject) -> Work:
    from gradviz.texts.graph_text import graphml

    return _text(graphml, subject)


def _csv(subject: Subject) -> Work:
    from gradviz.texts.step_text import csv_table

    return _text(csv_table, subject)


def _markdown(subject: Subject) -> Work:
    from gradviz.texts.step_text import markdown_table

    return _text(markdown_table, subject)


def _numpy(subject: Subject) -> Work:
    from gradviz.texts.numpy_script import numpy_script

    return _text(numpy_script, subject)


def _text(text_of: Callable[[Track, Sequence[str]], str], subject: Subject) -> Work:
    yield 0.0
    return text_of(subject.track(), subject.notes).encode(errors="replace")


TEXTS = (
    Row((".gv", ".dot"), "Graph for Graphviz", "Nodes and edges with values and gradients.", Family.TEXT, _dot, _TAKES),
    Row((".graphml",), "Graph for networkx, yEd, Gephi", "Nodes and edges with values and gradients.", Family.TEXT,
        _graphml, _TAKES),
    Row((".csv",), "Steps for a spreadsheet", "The steps of this backward call as a table.", Family.TEXT, _csv, _TAKES,
        notes_place=" in its last row"),
    Row((".md",), "Steps as Markdown", "The steps of this backward call as a table.", Family.TEXT, _markdown, _TAKES),
    Row((".py",), "Script for numpy", "A script that computes the gradients again, without PyTorch.", Family.TEXT,
        _numpy, _TAKES),
)  # fmt: skip
