"""What a node depends on, what depends on it, and the ways from it to the output. Loops, no recursion."""

from __future__ import annotations

from gradviz.playback.track import Track


def ancestors(track: Track, node: int) -> frozenset[int]:
    """The node and all nodes of the picture that it was computed from."""
    return frozenset(track.recording.ancestors((node,))) & frozenset(track.forward)


def descendants(track: Track, node: int) -> frozenset[int]:
    """The node and all nodes of the picture that were computed from it."""
    found, nodes = {node}, track.recording.nodes
    for later in track.forward:
        if later > node and not found.isdisjoint(nodes[later].inputs):
            found.add(later)
    return frozenset(found)


def to_output(track: Track, node: int) -> frozenset[int]:
    """The nodes on the ways from a node to what the backward pass starts from; empty where none leads there.

    Without a backward pass the output is whatever nothing else uses.
    """
    after = descendants(track, node)
    consumers, present = track.recording.consumers, track.index_of
    ends = [n for n in after if not any(use in present for use, _ in consumers[n])]
    outputs = list(track.call.outputs) if track.call is not None else ends
    return after & frozenset(track.recording.ancestors(n for n in outputs if n in after))
