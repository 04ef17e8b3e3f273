"""The labels of the step: what goes out, what comes in, where nothing flows, and where they find room."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QRectF

from gradviz.layout.plan import Floats
from gradviz.playback.words import short_value
from gradviz.ui.canvas.marks import Ink, Mark, pill, pill_size
from gradviz.ui.canvas.moment import Moment, Stage, arriving
from gradviz.ui.canvas.place import AIR, best_spot, rects
from gradviz.ui.canvas.scene import SPACED, Scene
from gradviz.ui.canvas.view import Rect, View
from gradviz.ui.palette import Palette

MOST = 14
"""More labels than this at one step would only hide the picture."""


class Tone(IntEnum):
    """What a label says."""

    OUT = 0
    IN = 1
    NONE = 2


class Label(NamedTuple):
    """A text on an edge; without an edge, below the current box."""

    text: str
    tone: Tone
    edge: int | None


def labels_at(scene: Scene, moment: Moment) -> list[Label]:
    """The labels of a moment, the most important first."""
    step = scene.track.step_at(moment.position)
    if step is None or moment.stage is Stage.ARRIVING:
        return []
    incoming = [
        Label(f"comes in {short_value(scene.gradient(edge), 16)}", Tone.IN, edge)
        for edge in arriving(scene, moment.position)
    ]
    call = scene.track.call
    if call is not None and step.node in call.outputs and not incoming:
        incoming = [Label(f"seed {short_value(step.incoming, 16)}", Tone.IN, None)]
    outgoing = _outgoing(scene, step.node) if moment.stage is Stage.REST else []
    return (outgoing + incoming)[:MOST]


def _outgoing(scene: Scene, node: int) -> list[Label]:
    index = scene.track.index_of.get(node)
    if index is None:
        return []
    texts = [(edge, short_value(scene.gradient(edge), 16)) for edge in scene.edges_into(index)]
    return [
        Label(f"goes out {text}", Tone.OUT, edge) if text else Label("none", Tone.NONE, edge) for edge, text in texts
    ]


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
    size = label_scale(view)
    lines = {label.edge: view.boxes_to_screen(scene.spaced(label.edge)) for label in wanted if label.edge is not None}
    # In a small graph labels keep clear of all edges; in a large one only of those of the step.
    others = range(len(scene.curves)) if len(scene.curves) <= _FEW_EDGES else ()
    quiet = [view.boxes_to_screen(scene.spaced(edge)[::3]) for edge in others if edge not in lines]
    strokes = np.concatenate([*(line[::2] for line in lines.values()), *quiet, np.zeros((0, 2))])
    marks = []
    for label in wanted:
        width, height = pill_size(label.text, size)
        if label.edge is None:
            spots = _below(scene, moment, view, width, height)
        else:
            spots = _beside(lines[label.edge], width, height, _leans_left(scene, label.edge, lines))
        spot = best_spot(spots, blocked, strokes, frame)
        if spot is None:
            continue
        blocked = np.vstack([blocked, [spot]])
        rect = QRectF(spot[0], spot[1], width, height)
        marks.append(pill(label.text, rect, ink_of(palette, label.tone), size, vector=vector))
    return marks


_FEW_EDGES = 80
_PLACES = np.rint(np.array([0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8]) * (SPACED - 1)).astype(np.int64)


def _beside(line: Floats, width: float, height: float, leans_left: bool) -> Floats:
    """Places along an edge: beside it on either side, then on it; the best ones first."""
    points = line[_PLACES]
    # A slanted edge must be passed by its whole height, not only at the middle of the label.
    beside = np.abs(line[None, :, 1] - points[:, None, 1]) <= height / 2 + AIR
    lows = np.minimum(np.where(beside, line[None, :, 0], np.inf).min(axis=1), points[:, 0])
    highs = np.maximum(np.where(beside, line[None, :, 0], -np.inf).max(axis=1), points[:, 0])
    left, right, on = (
        np.column_stack([x, points[:, 1] - height / 2])
        for x in (lows - 9.0 - width, highs + 9.0, points[:, 0] - width / 2)
    )
    sides = np.stack((left, right) if leans_left else (right, left), axis=1).reshape(-1, 2)
    return rects(np.concatenate([sides, on]), width, height)


def _below(scene: Scene, moment: Moment, view: View, width: float, height: float) -> Floats:
    """Places around the current box, below it first."""
    index = scene.track.index_of[scene.track.node_at(moment.position) or 0]
    box = scene.boxes[index]
    left, top, right, bottom = view.rect_to_screen((box[0], box[1], box[2], box[3]))
    middle = (left + right) / 2 - width / 2
    spots = [(middle, bottom + 14), (right + 14, (top + bottom - height) / 2), (middle, top - 14 - height)]
    return rects(np.array(spots), width, height)


def _leans_left(scene: Scene, edge: int, lines: dict[int, Floats]) -> bool:
    """Whether another edge of this step between the same boxes lies right of this one."""
    sources, consumers = scene.track.edge_sources, scene.track.edge_consumers
    here = lines[edge][:, 0].mean()
    return any(
        other != edge
        and (sources[other] == sources[edge] or consumers[other] == consumers[edge])
        and line[:, 0].mean() > here + 1
        for other, line in lines.items()
    )
