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
from gradviz.ui.canvas.place import AIR, LATER_CHOICE, OVER_LINE, best_spot, costs, covered, rects
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
    arrived = [(edge, short_value(scene.gradient(edge), 16)) for edge in arriving(scene, moment.position)]
    incoming = [Label(f"comes in {text}", Tone.IN, edge, text) for edge, text in arrived]
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
        Label(f"goes out {text}", Tone.OUT, edge, text) if text else Label("none", Tone.NONE, edge)
        for edge, text in texts
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
    if not wanted:
        return []
    size = label_scale(view)
    room = _Room(scene, view, frame, blocked, [label.edge for label in wanted if label.edge is not None])
    marks = []
    for label in wanted:
        if label.edge is None:
            around = _around_box(scene, moment, view)
            spot, text = room.free_spot(around, *pill_size(label.text, size)), label.text
        else:
            spot, text = _placed(room, label, size)
        if spot is not None:
            room.take(spot)
            left, top, right, bottom = spot.tolist()
            rect = QRectF(left, top, right - left, bottom - top)
            marks.append(pill(text, rect, ink_of(palette, label.tone), size, vector=vector))
    return marks


def _placed(room: _Room, label: Label, size: float) -> tuple[Floats | None, str]:
    """The place of a label on an edge and its text; the brief one where the whole one would cover something."""
    assert label.edge is not None
    spot, cost = room.spot_on(label.edge, *pill_size(label.text, size))
    if label.brief and cost >= OVER_LINE:
        brief_spot, brief_cost = room.spot_on(label.edge, *pill_size(label.brief, size))
        if brief_cost < cost - OVER_LINE:
            return brief_spot, label.brief
    return spot, label.text


def _around_box(scene: Scene, moment: Moment, view: View) -> Rect:
    """The current box on the screen."""
    index = scene.track.index_of[scene.track.node_at(moment.position) or 0]
    box = scene.boxes[index]
    return view.rect_to_screen((box[0], box[1], box[2], box[3]))


_PLACES = np.rint(np.array([0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8]) * (SPACED - 1)).astype(np.int64)
_BESIDE = 9.0
_ON_THE_EDGE = 40.0
"""Cost of a label on its own edge: better than on another one, worse than beside its own."""

_RIGHT_FIRST = LATER_CHOICE * np.stack([np.arange(7) * 2 + 1, np.arange(7) * 2, np.arange(7) + 4.0])
_RIGHT_FIRST[2] += _ON_THE_EDGE
_LEFT_FIRST = _RIGHT_FIRST[[1, 0, 2]]
"""What is preferred of the places left of an edge, right of it and on it, from its middle outwards."""

_MOST_NEIGHBOURS = 60
_BETWEEN = np.arange(8)[:, None] / 8


class _Room:
    """The free space around the edges of one step, in screen pixels."""

    def __init__(self, scene: Scene, view: View, frame: Rect, blocked: Floats, edges: list[int]) -> None:
        self._scene, self._frame, self._blocked, self._edges = scene, frame, blocked, edges
        self._lines = [view.boxes_to_screen(scene.spaced(edge)) for edge in edges]
        self._middles = [float(line[:, 0].mean()) for line in self._lines]
        self._quiet = self._neighbours(view)

    def _neighbours(self, view: View) -> Floats:
        """Points of the edges that pass near by and are not of this step."""
        if not self._edges:
            return np.zeros((0, 2))
        near = self._scene.edges_near.touching(self._scene.edge_boxes[self._edges], 60.0 / view.scale)
        others = near[~np.isin(near, self._edges)][:_MOST_NEIGHBOURS]
        lines = view.boxes_to_screen(self._scene.coarse.of(others))
        points: Floats = lines[:, None, :2] + (lines[:, None, 2:] - lines[:, None, :2]) * _BETWEEN
        return points.reshape(-1, 2)

    def take(self, spot: Floats) -> None:
        """Keep the next labels clear of a place."""
        self._blocked = np.concatenate([self._blocked, spot[None]])

    def free_spot(self, box: Rect, width: float, height: float) -> Floats | None:
        """A place below a box, or beside or above it."""
        left, top, right, bottom = box
        middle = (left + right) / 2 - width / 2
        spots = [(middle, bottom + 14), (right + 14, (top + bottom - height) / 2), (middle, top - 14 - height)]
        strokes = np.concatenate([*self._lines, np.zeros((0, 2))])
        return best_spot(rects(np.array(spots), width, height), self._blocked, strokes, self._frame)

    def spot_on(self, edge: int, width: float, height: float) -> tuple[Floats | None, float]:
        """The best place beside an edge or on it, and what it costs; None where nothing is free."""
        at = self._edges.index(edge)
        spots = _along(self._lines[at], width, height)
        others = np.concatenate([line[::2] for line in (*self._lines[:at], *self._lines[at + 1 :])] + [self._quiet])
        cost = costs(spots, self._blocked, self._frame) + OVER_LINE * covered(spots, others)
        # A slanted edge may come back under a place beside it; a place on it covers it, and may.
        cost[:14] += OVER_LINE * covered(spots[:14], self._lines[at])
        cost += (_LEFT_FIRST if self._leans_left(at) else _RIGHT_FIRST).ravel()
        best = int(cost.argmin())
        return (None, np.inf) if np.isinf(cost[best]) else (spots[best], float(cost[best]))

    def _leans_left(self, at: int) -> bool:
        """Whether another edge of this step between the same boxes lies right of this one."""
        sources, consumers = self._scene.track.edge_sources, self._scene.track.edge_consumers
        edge = self._edges[at]
        return any(
            middle > self._middles[at] + 1 and (sources[other] == sources[edge] or consumers[other] == consumers[edge])
            for other, middle in zip(self._edges, self._middles, strict=True)
        )


def _along(line: Floats, width: float, height: float) -> Floats:
    """Places for a label along an edge: seven left of it, seven right of it, seven on it; shape (21, 4)."""
    points = line[_PLACES]
    x, y = points[:, 0], points[:, 1]
    # A slanted edge must be passed by its whole height, not only at the middle of the label.
    level = np.abs(line[:, 1] - y[:, None]) <= height / 2 + AIR
    spots = np.empty((3, len(_PLACES), 4))
    spots[0, :, 0] = np.minimum(np.where(level, line[:, 0], np.inf).min(axis=1), x) - _BESIDE - width
    spots[1, :, 0] = np.maximum(np.where(level, line[:, 0], -np.inf).max(axis=1), x) + _BESIDE
    spots[2, :, 0] = x - width / 2
    spots[:, :, 1] = y - height / 2
    spots[:, :, 2] = spots[:, :, 0] + width
    spots[:, :, 3] = spots[:, :, 1] + height
    return spots.reshape(-1, 4)
