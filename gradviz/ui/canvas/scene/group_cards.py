"""The texts of the box of a folded group: what it is, what goes in and comes out, and the gradients there."""

from __future__ import annotations

from collections.abc import Sequence

from gradviz.playback.groups.folded import FoldedTrack
from gradviz.playback.groups.groups import INSIDE
from gradviz.playback.groups.report import SAME, Flow, count_text, inputs_of, outputs_of
from gradviz.playback.track import NEVER
from gradviz.playback.words import shape_text, short_value
from gradviz.ui.canvas.scene.cards import OF_THIS, Card, Kind

TITLE_LIMIT, VALUE_LIMIT = 30, 22
_MOST_SHAPES = 2
SIGN = "≡"
"""Stands for a group where its picture would be too small."""


def group_card(track: FoldedTrack, index: int) -> Card:
    """The card of the folded group in a box."""
    number = track.group_of(track.forward[index])
    assert number is not None
    group, base = track.groups.groups[number], track.base
    members = track.members[index]
    ops = sum(not base.recording.nodes[base.forward[member]].is_leaf for member in members.tolist())
    outputs = outputs_of(base, members, base.length)
    word = "1 op" if ops == 1 else f"{ops} ops"
    is_reached = int(track.backward_ranks[index]) != NEVER
    words = SAME if group.is_run else count_text(group)
    gradient = _gradient(outputs) if is_reached else ""
    return Card(
        Kind.GROUP,
        SIGN,
        shortened(group.title, TITLE_LIMIT),
        f"{words} · {word}" if words else word,
        f"×{group.count}" if group.is_run else "",
        f"{_shapes(inputs_of(base, members, base.length))} → {_shapes(outputs)}",
        prefix=f"∂L/∂{OF_THIS}" if gradient else "",
        gradient=gradient,
        has_row=base.call is not None and bool(track.takes_gradient[index]),
        short=shortened(group.title.rpartition(INSIDE)[2], TITLE_LIMIT),
    )


def shortened(title: str, limit: int) -> str:
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
