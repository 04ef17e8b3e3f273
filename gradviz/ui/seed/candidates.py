"""Where a backward pass with a v of one's own can start."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the window stands before there is a track
    from gradviz.playback.track import Track


def candidates(track: Track) -> Iterator[int]:
    """The nodes that a backward pass can start from: the sweep's outputs first, then the others, latest first."""
    nodes = track.recording.nodes
    outputs = dict.fromkeys(track.call.outputs if track.call is not None else ())
    yield from (node for node in outputs if nodes[node].requires_grad)
    for node in reversed(track.forward):
        if nodes[node].requires_grad and not nodes[node].is_leaf and node not in outputs:
            yield node
