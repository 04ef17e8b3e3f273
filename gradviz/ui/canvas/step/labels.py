"""The labels of the step: what goes out, what comes in, where nothing flows, and where they find room."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from functools import partial
from typing import NamedTuple

import numpy as np

from gradviz.layout.plan import Floats
from gradviz.playback.numbers import figures
from gradviz.playback.words import not_finite_text, number_text, shape_text, short_value
from gradviz.recording import Summary
from gradviz.ui.canvas.ink.marks import Ink, Mark, pill, pill_size, qt_rect
from gradviz.ui.canvas.plane.place import best_spot, rects
from gradviz.ui.canvas.plane.view import Rect, View
from gradviz.ui.canvas.scene.moment import Moment, Stage, arriving
from gradviz.ui.canvas.scene.scene import Scene
from gradviz.ui.canvas.step.room import choose
from gradviz.ui.look.palette import Palette

MOST = 14
"""More labels than this at one step would only hide the picture."""
FEW, MOST_CHARACTERS = 18, 26
"""Characters of a value on an edge: two numbers with four digits each, and at most a small matrix of shorter ones."""


class Tone(IntEnum):
    """What a label says."""

    OUT = 0
    IN = 1
    NONE = 2


class Label(NamedTuple):
    """A text on an edge; without an edge, below the current box.

    Attributes:
        brief: what is left of the text where there is little room; the colour tells the rest.
    """

    text: str
    tone: Tone
    edge: int | None
    brief: str = ""


def labels_at(scene: Scene, moment: Moment) -> list[Label]:
    """The labels of a moment, the most important first."""
    step = scene.track.step_at(moment.position)
    if step is None or moment.stage is Stage.ARRIVING:
        return []
    incoming = [_arrived(scene, edge) for edge in arriving(scene, moment.position)[:MOST]]
    call = scene.track.call
    if call is not None and step.node in call.outputs and not incoming:
        incoming = [Label(f"seed {on_edge(partial(short_value, call.incoming(step)))}", Tone.IN, None)]
    outgoing = _outgoing(scene, step.node, moment.position) if moment.stage is Stage.REST else []
    return (outgoing + incoming)[:MOST]


def _outgoing(scene: Scene, node: int, position: int) -> list[Label]:
    track = scene.track
    index = track.index_of.get(node)
    if index is None:
        return []
    sent = [edge for edge in scene.edges_into(index) if track.edge_sent[edge] <= position]
    return [_sent(scene, edge) for edge in sent[:MOST]]


def _arrived(scene: Scene, edge: int) -> Label:
    text = _on_edge(scene, edge)
    return Label(f"comes in {text}", Tone.IN, edge, text)


def _sent(scene: Scene, edge: int) -> Label:
    text = _on_edge(scene, edge)
    return Label(f"goes out {text}", Tone.OUT, edge, text) if text else Label("none", Tone.NONE, edge)


def _on_edge(scene: Scene, edge: int) -> str:
    """The gradient of an edge; of a matrix that has no room its shape and norm, which say more than a first number."""
    text = on_edge(partial(scene.track.edge_text, edge))
    known = scene.track.edge_known(edge) if text.startswith("[[") and "…" in text else None
    if known is None or isinstance(known, Summary):
        return text
    return not_finite_text(known) or f"{shape_text(known.shape)} norm {number_text(figures(known).norm)}"


def on_edge(write: Callable[[int], str]) -> str:
    """A value as it is written on an edge: as short as it is whole.

    Args:
        write: the value in so many characters.
    """
    few = write(FEW)
    whole = write(MOST_CHARACTERS) if "…" in few else few
    return few if "…" in whole else whole


def label_scale(view: View) -> float:
    """Labels grow and shrink with the picture, but stay readable."""
    return min(max(view.scale, 0.88), 1.3)


def ink_of(palette: Palette, tone: Tone) -> Ink:
    """The colours of a label."""
    if tone is Tone.OUT:
        return Ink(palette.backward, palette.on_accent)
    if tone is Tone.IN:
        return Ink(palette.backward_tint, palette.backward, palette.backward)
    return Ink(palette.constant_tint, palette.constant, palette.hairline)


def label_marks(
    scene: Scene,
    moment: Moment,
    view: View,
    frame: Rect,
    palette: Palette,
    blocked: Floats,
    *,
    vector: bool = False,
) -> list[Mark]:
    """Place the labels of a moment.

    Args:
        frame: the part of the screen they must stay in, in screen pixels.
        blocked: rectangles they must keep clear of, in screen pixels; shape (k, 4).
    """
    wanted = labels_at(scene, moment)
    if not wanted:
        return []
    size = label_scale(view)
    placed: list[tuple[Label, str, Floats]] = []
    on_edges = [(label, label.edge) for label in wanted if label.edge is not None]
    if on_edges:
        texts = [(label.text, label.brief or label.text) for label, _ in on_edges]
        widths = np.array([[pill_size(text, size)[0] for text in pair] for pair in texts])
        edges = [edge for _, edge in on_edges]
        choices = choose(scene, view, edges, widths, pill_size("", size)[1], blocked, frame)
        found = zip(on_edges, texts, choices, strict=True)
        placed = [(label, pair[choice.is_brief], choice.spot) for (label, _), pair, choice in found if choice]
    blocked = np.concatenate([blocked, *(spot[None] for _, _, spot in placed)])
    for label in wanted:
        spot = _beside_box(scene, moment, view, label, size, blocked, frame) if label.edge is None else None
        if spot is not None:
            placed.append((label, label.text, spot))
    return [
        pill(text, qt_rect(tuple(spot.tolist())), ink_of(palette, label.tone), size, vector=vector)
        for label, text, spot in placed
    ]


def _beside_box(
    scene: Scene, moment: Moment, view: View, label: Label, size: float, blocked: Floats, frame: Rect
) -> Floats | None:
    """A place below the current box, or beside or above it; none where that box is out of focus."""
    node = scene.track.node_at(moment.position)
    index = None if node is None else scene.track.index_of.get(node)
    if index is None:
        return None
    left, top, right, bottom = scene.box_in(view, index)
    width, height = pill_size(label.text, size)
    middle = (left + right) / 2 - width / 2
    spots = [(middle, bottom + 14), (right + 14, (top + bottom - height) / 2), (middle, top - 14 - height)]
    strokes = view.boxes_to_screen(scene.spaced(scene.edges_into(index)).reshape(-1, 2))
    return best_spot(rects(np.array(spots), width, height), blocked, strokes, frame)
