"""What the canvas shows, in words, for those who do not see it."""

from __future__ import annotations

from gradviz.ui.canvas.scene import Scene


def described(scene: Scene, position: int) -> str:
    """How large the graph is, where we are in it, and what is known of the current node."""
    track = scene.track
    text = f"{len(track.forward)} nodes, position {position} of {track.length}."
    node = track.node_at(position)
    index = track.index_of.get(node) if node is not None else None
    if index is None or node is None:
        return text
    card = scene.cards[index]
    word = card.word or track.recording.nodes[node].op
    gradient = f", gradient {card.gradient}" if position > track.turn and card.gradient else ""
    return f"{text} Current node {card.name}, {word}, value {card.value}{gradient}."
