"""The lines of a custom `backward`, each with what it gave its variables, read from what the run answers.

Knows no Qt.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradviz.errors import Unanswered
from gradviz.graph.answer import answering
from gradviz.playback.words import number_text, shape_text, short_value
from gradviz.recording import Node, Recording
from gradviz.trace.syntax import tree_of

VALUE_LIMIT = 30
"""Characters of a value beside its name."""
COMES_IN, GOES_OUT, INNER = "comes in", "goes out", ""


@dataclass(frozen=True)
class Row:
    """One line.

    Attributes:
        line: of the source, from 1.
        code: as it stands there, without the indentation that all of them share.
        values: names with their values as text; "none" for a slot that is sent nothing.
        kind: COMES_IN for the head, whose arguments come in; GOES_OUT for the return, with one value for each input.
        times: how often it ran, as far as is known.
    """

    line: int
    code: str
    values: tuple[tuple[str, str], ...] = ()
    kind: str = INNER
    times: int = 1


def read_inside(recording: Recording, node: Node, answer: object) -> tuple[Row, ...]:
    """The rows of the backward of a node's class; () where the answer or the source does not tell them."""
    notes: dict[int, tuple[tuple[str, str], ...]] = {}
    counts: dict[int, int] = {}
    try:
        with answering("the run tells no lines"):
            assert isinstance(answer, dict)
            arguments, returned = (_pairs(answer[key]) for key in ("arguments", "returned"))
            for each in answer["lines"]:
                line = int(each["line"])
                notes[line], counts[line] = _pairs(each["values"]), counts.get(line, 0) + 1
    except Unanswered:
        return ()
    function = _function(recording, node, notes)
    if function is None:
        return ()
    rows = [Row(function.lineno, _code(recording, function), arguments, COMES_IN)]
    statements = list(_statements(function.body))
    last = max(notes, default=function.lineno)
    returns = [each for each in statements if isinstance(each, ast.Return)]
    left = next((each for each in returns if each.lineno >= last), returns[-1] if returns else None)
    for each in statements:
        code = _code(recording, each)
        if left is not None and each is left:
            rows.append(Row(each.lineno, code, returned, GOES_OUT))
        else:
            inside = [line for line in notes if each.lineno <= line <= (_end(each) or each.lineno)]
            values = tuple(pair for line in inside for pair in notes[line])
            rows.append(Row(each.lineno, code, values, INNER, max([counts[line] for line in inside], default=1)))
    return _outdented(rows)


def _pairs(given: Any) -> tuple[tuple[str, str], ...]:
    return tuple([(str(name), _text(value)) for name, value in given])


def _text(value: Mapping[str, Any] | None) -> str:
    if value is None:
        return "none"
    if "text" in value:
        return str(value["text"])
    shape = tuple([int(size) for size in value["shape"]])
    if "numbers" not in value:
        return f"{shape_text(shape)} norm {number_text(float(value['norm']))}"
    return short_value(np.reshape(np.array(value["numbers"], dtype=np.float32), shape), VALUE_LIMIT)


def _function(recording: Recording, node: Node, notes: Mapping[int, Any]) -> ast.FunctionDef | None:
    """The `backward` (or `vjp`) of the class that the node is called after; of several, that in which the notes are."""
    if recording.source is None:
        return None
    tree = tree_of(recording.source.text)
    if tree is None:
        return None
    found = [
        inner
        for each in ast.walk(tree)
        if isinstance(each, ast.ClassDef) and each.name == node.op
        for inner in each.body
        if isinstance(inner, ast.FunctionDef) and inner.name in ("backward", "vjp")
    ]
    holding = [each for each in found if all(each.lineno <= line <= (_end(each) or line) for line in notes)]
    return holding[-1] if holding else None


def _end(each: ast.stmt) -> int | None:
    """The last line of a statement that is none of its inner ones."""
    inner = getattr(each, "body", None)
    return (
        inner[0].lineno - 1
        if isinstance(inner, list) and inner and not isinstance(each, ast.FunctionDef)
        else each.end_lineno
    )


def _statements(body: Sequence[ast.stmt]) -> Iterable[ast.stmt]:
    """The statements in the order in which they stand, inner ones too; no docstring."""
    for number, each in enumerate(body):
        is_text = isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant)
        if is_text and number == 0:
            continue
        yield each
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        for part in ("body", "orelse", "handlers", "finalbody"):
            inner = getattr(each, part, ())
            for one in inner if isinstance(inner, list) else ():
                yield from _statements(one.body if isinstance(one, ast.ExceptHandler) else [one])


def _code(recording: Recording, each: ast.stmt) -> str:
    """The statement as it stands in the source, its lines joined; the head alone where it holds others."""
    assert recording.source is not None
    lines = recording.source.text.splitlines()
    body = getattr(each, "body", None)
    end = body[0].lineno - 1 if isinstance(body, list) and body else each.end_lineno
    end = max(end or each.lineno, each.lineno)
    first = lines[each.lineno - 1].rstrip()
    return " ".join([first, *[line.strip() for line in lines[each.lineno : end]]])


def _outdented(rows: Sequence[Row]) -> tuple[Row, ...]:
    codes = textwrap.dedent("\n".join(row.code for row in rows)).split("\n")
    return tuple([Row(row.line, code, row.values, row.kind, row.times) for row, code in zip(rows, codes, strict=True)])
