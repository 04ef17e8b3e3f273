"""What the canvas shows, in words, for those who do not see it."""

from __future__ import annotations

from gradviz.playback.words import counted, op_word
from gradviz.ui.canvas.scene.scene import Scene


def described(scene: Scene, position: int, selected: int | None = None, group: int | None = None) -> str:
    """How large the graph is, where we are in it, and what is known of the current and of the selected node.

    Args:
        selected: id of the selected node, or None.
        group: number of the selected group, folded or open, or None.
    """
    track = scene.track
    folded = scene.folded
    count = 0 if folded is None else int(folded.is_group.sum())
    boxes = counted(len(track.forward), "node")
    if count:
        boxes = f"{counted(len(track.forward), 'box', 'boxes')}, {count} of them folded groups"
    node = track.node_at(position)
    also = "" if selected is None else "It is selected."
    sentences = [
        f"{boxes}, position {position} of {track.length}.",
        _box(scene, position, node, "Current"),
        _box(scene, position, selected, "Selected") if selected != node else also,
        _group(scene, group),
    ]
    return " ".join(sentence for sentence in sentences if sentence)


def _box(scene: Scene, position: int, node: int | None, word_for_it: str) -> str:
    """One sentence on the box that a node is in; "" where it is in none."""
    track, folded = scene.track, scene.folded
    index = track.index_of.get(node) if node is not None else None
    if index is None or node is None:
        return ""
    card = scene.cards[index]
    if folded is not None and folded.is_group[index]:
        done, total = folded.progress(index, position)
        return f"{word_for_it} group {card.name}, {card.word}, step {done} of {total}, {card.value}."
    word = card.word or op_word(track.recording.nodes[node])
    # A node may be selected before the step that computes it, and before the one that its gradient comes in at.
    if position < int(track.forward_ranks[index]):
        return f"{word_for_it} node {card.name}, {word}, not computed yet."
    gradient = f", gradient {card.gradient}" if position >= int(track.backward_ranks[index]) and card.gradient else ""
    return f"{word_for_it} node {card.name}, {word}, value {card.value}{gradient}."


def _group(scene: Scene, number: int | None) -> str:
    folded = scene.folded
    if number is None or folded is None or not number < len(folded.groups.groups):
        return ""
    is_folded = folded.box_of_group(number) in folded.index_of
    return f"Selected group {folded.groups.groups[number].title}, {'folded' if is_folded else 'open'}."
