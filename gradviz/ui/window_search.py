"""Find a node by what people know of it: name, op, shape, line or number. Knows no Qt."""

from __future__ import annotations

import re

from gradviz.playback.track import Track
from gradviz.playback.words import label, shape_text

_LINE = re.compile(r"line\s*(\d+)", re.IGNORECASE)
_NODE = re.compile(r"(?:#|node\s*)(\d+)", re.IGNORECASE)


def matches(track: Track, text: str) -> tuple[int, ...]:
    """The nodes of the picture that fit, best first: "line 6", "node 3", "#3", a name, an op, a shape "[2, 3]".

    A name that is equal comes before one that only contains the text.
    """
    wanted = text.strip().lower()
    nodes = track.recording.nodes
    if not wanted:
        return ()
    if line := _LINE.fullmatch(wanted):
        return tuple(n for n in track.forward if nodes[n].line == int(line[1]))
    if number := _NODE.fullmatch(wanted):
        return tuple(n for n in track.forward if n == int(number[1]))
    shape = "".join(wanted.split())
    ranked = ((_rank(track, node, wanted, shape), node) for node in track.forward)
    return tuple(node for rank, node in sorted((r, n) for r, n in ranked if r is not None))


def _rank(track: Track, node: int, wanted: str, shape: str) -> int | None:
    """0 for an equal name, 1 for an equal op or shape, 2 for a part of either, None for no match."""
    here = track.recording.nodes[node]
    name = label(track.recording, node).lower()
    if wanted in (name, (here.name or "").lower()):
        return 0
    if wanted == here.op or shape in (shape_text(here.shape).replace(" ", ""), str(here.shape).replace(" ", "")):
        return 1
    return 2 if wanted in name or wanted in here.op else None
