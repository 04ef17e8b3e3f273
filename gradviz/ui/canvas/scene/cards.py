"""What stands in each box, at every position: the texts of a node, made once per track."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from enum import IntEnum
from itertools import takewhile
from typing import NamedTuple, cast

import numpy as np

from gradviz.ops.table import TABLE
from gradviz.playback.groups.folded import FoldedTrack
from gradviz.playback.groups.groups import INSIDE
from gradviz.playback.groups.report import SAME, Flow, count_text, inputs_of, outputs_of
from gradviz.playback.track import NEVER, Track
from gradviz.playback.words import (
    PARTS,
    in_brackets,
    labels,
    number_text,
    op_word,
    shape_text,
    short_value,
    shortened,
    symbol,
    visible,
)
from gradviz.recording import CONSTANT, LEAF, Known, Node, Summary


class Kind(IntEnum):
    """The form of a box."""

    LEAF = 0
    CONSTANT = 1
    OP = 2
    NUMBER = 3  # a constant that is one number and has no name: a small chip
    GROUP = 4  # a folded group: a stack of cards


class Card(NamedTuple):
    """The texts of a box.

    Attributes:
        sign: what stands in the tile.
        word: the op.
        badge: the shape.
        prefix: what the gradient is of: "∂L/∂y", or ".grad" where it is accumulated.
        gradient: the gradient once it is known; "" where none ever comes.
        has_row: whether the box keeps a row for a gradient.
        short: the name where the whole one has no room.
        value_rows, gradient_rows: the same numbers row by row, of a small matrix in a picture of few boxes; else ().
    """

    kind: Kind
    sign: str
    name: str
    word: str
    badge: str
    value: str
    prefix: str = ""
    gradient: str = ""
    has_row: bool = False
    short: str = ""
    value_rows: tuple[str, ...] = ()
    gradient_rows: tuple[str, ...] = ()


NAME_LIMIT, TITLE_LIMIT, VALUE_LIMIT, OF_LIMIT = 24, 30, 26, 8
MOST_ROWS, ROW_LIMIT, FEW_BOXES = 4, 30, 40
"""A matrix of so many rows, each of so many characters, is shown whole where there are so few boxes."""
_MOST_SHAPES = 2
GROUP_SIGN = "≡"
"""Stands for a group where it is too small for its sheets."""
OF_THIS = "(…)"
NOT_REACHED = "not reached"

_CARDS: dict[int, tuple[Card, ...]] = {}


def cards(track: Track) -> tuple[Card, ...]:
    """The card of every node of `track.forward`, made once per track."""
    key = id(track)
    if key not in _CARDS:
        _CARDS[key] = _all_cards(track)
        weakref.finalize(track, _CARDS.pop, key, None)
    return _CARDS[key]


def _all_cards(track: Track) -> tuple[Card, ...]:
    names = labels(track.recording, NAME_LIMIT)
    reached = (track.backward_ranks != NEVER).tolist()
    outputs = set() if track.call is None else set(track.call.outputs)
    count, has_rows = len(track.recording.nodes), len(track.forward) <= FEW_BOXES
    return tuple(
        _with_gradient(_card(track, node, names[node], node in outputs, has_rows), track, node, reaches, has_rows)
        if node < count
        else _group_card(cast(FoldedTrack, track), index)
        for index, (node, reaches) in enumerate(zip(track.forward, reached, strict=True))
    )


def _card(track: Track, node_id: int, name: str, is_output: bool, has_rows: bool) -> Card:
    node, value = track.recording.nodes[node_id], track.recording.value(node_id)
    word = f"{op_word(node)} · output" if is_output else op_word(node)
    kind = _kind(node, value)
    if kind is Kind.CONSTANT and not node.name:
        name = node.op  # its label is its value, which stands in the next line
    if word == name:
        word = ""
    shape, shown = shape_text(node.shape), short_value(value, VALUE_LIMIT)
    rows = matrix_rows(value) if has_rows else ()
    sign, short = _sign(node, kind, name), _short(node, name)
    return Card(kind, sign, shortened(name, NAME_LIMIT), word, shape, shown, short=short, value_rows=rows)


def matrix_rows(array: Known) -> tuple[str, ...]:
    """A small matrix row by row, its columns aligned; () for anything else."""
    if array is None or isinstance(array, Summary) or array.ndim != 2:
        return ()
    count = int(np.size(array, 0))
    columns = array.size // max(count, 1)
    if not 1 < count <= MOST_ROWS or not 0 < columns <= ROW_LIMIT // 2:
        return ()
    write = number_text if array.dtype.kind == "f" else str
    texts = [[write(number) for number in row] for row in array.tolist()]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    rows = ["  ".join(text.rjust(width) for text, width in zip(row, widths, strict=True)) for row in texts]
    return tuple(rows) if len(rows[0]) <= ROW_LIMIT else ()


def _of(name: str) -> str:
    """What a gradient is of: a name as it is, a short expression in brackets, a long one as "(…)"."""
    whole = in_brackets(name)
    return whole if len(whole) <= OF_LIMIT else OF_THIS


def _short(node: Node, name: str) -> str:
    """A name without its path, which stands around it; of a call, or an expression, what it does."""
    if not node.name and node.op in PARTS:
        return ""  # x[0] is a part of x, which "select" does not tell
    parts = name.split(".")
    # Of a parameter's transpose, and of that one's, the parameter's own name is kept.
    transposes = sum(1 for _ in takewhile(lambda part: part == "T", reversed(parts)))
    kept = parts[-1:] if node.name else parts[-max(2, transposes + 1) :]
    if all(part.isidentifier() for part in kept):
        return ".".join(kept)
    return name if node.name else op_word(node)


def _kind(node: Node, value: Known) -> Kind:
    if node.op == LEAF:
        return Kind.LEAF
    if node.op != CONSTANT:
        return Kind.OP
    return Kind.NUMBER if node.name is None and value is not None and not node.shape else Kind.CONSTANT


def _sign(node: Node, kind: Kind, name: str) -> str:
    if kind is Kind.OP:
        return symbol(node.op)
    return name[:1] if node.name else symbol(node.op)


def _with_gradient(card: Card, track: Track, node_id: int, reached: bool, has_rows: bool) -> Card:
    call = track.call
    node = track.recording.nodes[node_id]
    if call is None or not (node.requires_grad or reached):
        return card
    if not reached:
        return card._replace(has_row=True)
    is_kept = node.is_leaf and node_id in call.accumulation_of
    step = call.steps[call.step_of[node_id]]
    gradient = call.after(call.accumulation_of[node_id]) if is_kept else call.incoming(step)
    return card._replace(
        prefix=".grad" if is_kept else f"∂L/∂{_of(card.name)}",
        gradient=short_value(gradient, VALUE_LIMIT) or ("" if is_kept else "none"),
        has_row=True,
        gradient_rows=matrix_rows(gradient) if has_rows else (),
    )


# ---- folded groups ----


def _group_card(track: FoldedTrack, index: int) -> Card:
    """The card of the folded group in a box."""
    number = track.group_of(track.forward[index])
    assert number is not None
    group, base = track.groups.groups[number], track.base
    members = track.members[index]
    inside = [base.recording.nodes[base.forward[member]] for member in members.tolist()]
    ops = [node for node in inside if not node.is_leaf and (track.has_plumbing or not TABLE.is_plumbing(node.op))]
    outputs = outputs_of(base, members, base.length)
    word = "1 op" if len(ops) == 1 else f"{len(ops)} ops"
    if len(ops) == 1:  # a layer: what it does, and its parameters
        leaves = [_short(node, visible(node.name or "")) for node in inside if node.op == LEAF]
        word = " · ".join([op_word(ops[0]), ", ".join(leaves)] if leaves else [op_word(ops[0])])
    is_reached = int(track.backward_ranks[index]) != NEVER
    words = SAME if group.is_run else count_text(group)
    gradient = _gradient(outputs) if is_reached else ""
    return Card(
        Kind.GROUP,
        GROUP_SIGN,
        _shortened(group.title, TITLE_LIMIT),
        f"{words} · {word}" if words else word,
        f"×{group.count}" if group.is_run else "",
        f"{_shapes(inputs_of(base, members, base.length))} → {_shapes(outputs)}",
        prefix=f"∂L/∂{OF_THIS}" if gradient else "",
        gradient=gradient,
        has_row=base.call is not None and bool(track.takes_gradient[index]),
        short=_shortened(group.title.rpartition(INSIDE)[2], TITLE_LIMIT),
    )


def _shortened(title: str, limit: int) -> str:
    """A title in `limit` characters: its middle goes first, since its ends tell it from its neighbours."""
    if len(title) <= limit:
        return title
    head = (limit - 1) // 2
    return f"{title[:head].rstrip()}…{title[len(title) - (limit - 1 - head) :].lstrip()}"


def _shapes(flows: Sequence[Flow]) -> str:
    """The shapes that cross a border; with few words where there are many."""
    texts = [shape_text(flow.shape) for flow in flows]
    if not texts:
        return "nothing"
    if len(set(texts)) == 1 and len(texts) > 1:
        return f"{len(texts)} × {texts[0]}"
    shown = ", ".join(texts[:_MOST_SHAPES])
    return shown if len(texts) <= _MOST_SHAPES else f"{shown} +{len(texts) - _MOST_SHAPES}"


def _gradient(outputs: Sequence[Flow]) -> str:
    known = [flow.gradient for flow in outputs if flow.gradient is not None]
    if len(known) > 1:
        return f"{len(known)} gradients"
    return short_value(known[0], VALUE_LIMIT) if known else "none"
