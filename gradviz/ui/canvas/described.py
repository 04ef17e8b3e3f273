"""What the canvas shows, in words, for those who do not see it."""

from __future__ import annotations

from gradviz.ui.canvas.scene import Scene


def described(scene: Scene, position: int) -> str:
    """How large the graph is, where we are in it, and what is known of the current node."""
    track = scene.track
    folded = scene.folded
    count = 0 if folded is None else int(folded.is_group.sum())
    boxes = f"{len(track.forward)} nodes" if not count else f"{len(track.forward)} boxes, {count} of them folded groups"
    text = f"{boxes}, position {position} of {track.length}."
    node = track.node_at(position)
    index = track.index_of.get(node) if node is not None else None
    if index is None or node is None:
        return text
    card = scene.cards[index]
    if folded is not None and folded.is_group[index]:
        done, total = folded.progress(index, position)
        return f"{text} Current group {card.name}, {card.word}, step {done} of {total}, {card.value}."
    word = card.word or track.recording.nodes[node].op
    gradient = f", gradient {card.gradient}" if position > track.turn and card.gradient else ""
    return f"{text} Current node {card.name}, {word}, value {card.value}{gradient}."
