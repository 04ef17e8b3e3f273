"""From one layout to another: boxes, frames and edges glide from where they were to where they will be.

What stays glides; what comes out of a folded group sets out from its box, and what goes into one is gone at once,
while its box grows out of the frame. Every moment is a scene of its own, so the painter needs to know nothing of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property

import numpy as np

from gradviz.layout.plan import Floats, Ints
from gradviz.playback.groups.groups import Key
from gradviz.playback.track import Track
from gradviz.ui.canvas.painting import Coming
from gradviz.ui.canvas.plane.view import Point, Rect, View
from gradviz.ui.canvas.scene.scene import Scene

DURATION_MS = 280.0
MOST_BOXES, MOST_EDGES = 500, 900
"""A larger graph changes at once: its moments could not be drawn in time."""

_MOST_BEFORE = 2600
"""Boxes or edges of the graph before: more could not be matched in time."""


def is_refolded(old: Scene, new: Scene) -> bool:
    """Whether both are of the same graph, folded in different ways."""
    if old.folded is None or new.folded is None:
        return False
    return old.folded.base is new.folded.base and old.folded.folding != new.folded.folding


def is_turned(old: Scene, new: Scene) -> bool:
    """Whether both are of the same boxes of the same track, laid out in different ways."""
    one, other = (scene.track if scene.folded is None else scene.folded.base for scene in (old, new))
    return one is other and old.track.forward == new.track.forward and old.layout is not new.layout


def can_glide(old: Scene, new: Scene) -> bool:
    """Whether there is time to show the change as motion."""
    if max(len(old.track.forward), len(old.track.edges)) > _MOST_BEFORE:
        return False
    return len(new.track.forward) <= MOST_BOXES and len(new.track.edges) <= MOST_EDGES


class Glide:
    """The way from one scene and view to another.

    Attributes:
        share: how far it has come, 0..1.

    Args:
        was: index in the old scene of each box of the new one, or less than 0; shape (n,).
        view: on the old scene.
    """

    def __init__(self, old: Scene, new: Scene, was: Ints, view: View) -> None:
        self._old, self._new, self._was, self._view = old, new, was, view
        self.share = 0.0

    def coming(self) -> Coming:
        """What was nowhere before, and how far it has come in: at first the others make room."""
        came_out = np.array([seat is not None for seat in self._seats], dtype=np.bool_)
        boxes = (self._was < 0) & ~came_out
        track = self._new.track
        return Coming(boxes, boxes[track.edge_sources] | boxes[track.edge_consumers], _eased(2.0 * self.share - 1.0))

    def advance(self, elapsed_ms: float) -> bool:
        """Let so much time pass; whether it goes on."""
        self.share += elapsed_ms / DURATION_MS
        return self.share < 1.0

    def now(self, view: View) -> tuple[Scene, View]:
        """The scene and the view on the way to a view on the new scene."""
        eased = _eased(self.share)
        layout, starts = self._new.layout, self._new.curves.starts[1:-1]
        points = _between(self._starts_of_edges, self._new.curves.points, eased)
        curves = np.split(points, starts) if len(self._new.track.edges) else []
        moved = replace(
            layout,
            centres=_between(self._starts, layout.centres, eased),
            frames=_between(self._starts_of_frames, layout.frames, eased),
            curves=tuple(curves[edge] for edge in self._edge_of_row),
        )
        before = self._view
        scale = before.scale * (view.scale / before.scale) ** eased
        at = View(scale, before.x + (view.x - before.x) * eased, before.y + (view.y - before.y) * eased)
        return self._new.moved(moved), at

    @cached_property
    def _seats(self) -> list[Point | None]:
        """For each folded group that was open, the middle of its frame."""
        track = self._new.folded
        if track is None or not is_refolded(self._old, self._new):
            return [None] * len(self._was)
        groups = [track.group_of(box) for box in track.forward]
        keys = [None if group is None else track.groups.groups[group].key for group in groups]
        return [_middle(self._old, key) if was < 0 else None for key, was in zip(keys, self._was.tolist(), strict=True)]

    @cached_property
    def _starts(self) -> Floats:
        """Where each box sets out; shape (n, 2)."""
        starts = self._new.layout.centres.copy()
        known = self._was >= 0
        starts[known] = self._old.layout.centres[self._was[known]]
        for index, seat in enumerate(self._seats):
            if seat is not None:
                starts[index] = seat
        return starts

    @cached_property
    def _starts_of_frames(self) -> Floats:
        """Where each frame sets out; shape (k, 4)."""
        track = self._new.folded
        if track is None:
            return self._new.layout.frames
        ends = self._new.layout.frames.tolist()
        starts = [
            _sides_of_group(self._old, track.groups.groups[number].key) or tuple(end)
            for number, end in zip(track.frames, ends, strict=True)
        ]
        return np.array(starts, dtype=np.float64).reshape(-1, 4)

    @cached_property
    def _starts_of_edges(self) -> Floats:
        """Where the control points of the edges set out; shape (p, 2).

        An edge of as many cubics as before begins as it was, any other as its ends stand.
        """
        track, curves, old = self._new.track, self._new.curves, self._old
        away = self._starts - self._new.layout.centres
        counts = np.diff(curves.starts)
        owners = np.repeat(np.arange(len(counts)), counts)
        along = ((np.arange(len(owners)) - curves.starts[owners]) / np.maximum(counts[owners] - 1, 1))[:, None]
        sources, consumers = track.edge_sources[owners], track.edge_consumers[owners]
        starts: Floats = curves.points + (1.0 - along) * away[sources] + along * away[consumers]
        edge_of = {key: edge for edge, key in enumerate(_keys(old.track, np.arange(len(old.track.forward))))}
        for edge, key in enumerate(_keys(track, self._was)):
            before = edge_of.get(key)
            if before is not None and curves.pieces[edge] == old.curves.pieces[before]:
                starts[curves.starts[edge] : curves.starts[edge + 1]] = old.curve(before)
        return starts

    @cached_property
    def _edge_of_row(self) -> list[int]:
        """For each row of the layout's edges the edge of the track."""
        rows = self._new.layout.edges
        order = np.lexsort((rows[:, 2], rows[:, 1])) if len(rows) else np.zeros(0, dtype=np.int64)
        edges: list[int] = np.argsort(order).tolist()
        return edges


def _eased(share: float) -> float:
    return 1.0 - (1.0 - min(max(share, 0.0), 1.0)) ** 3


def _between(start: Floats, end: Floats, share: float) -> Floats:
    return start + (end - start) * share


def _keys(track: Track, boxes: Ints) -> Iterable[tuple[int, int, int]]:
    """Source, consumer and number there of every edge; the boxes by the numbers given."""
    ends = boxes[track.edge_sources].tolist(), boxes[track.edge_consumers].tolist()
    return zip(*ends, (slot for _, slot in track.edges), strict=True)


def same_boxes(old: Scene, new: Scene) -> Ints:
    """Index in the old scene of each box of the same track folded in another way, or -1; shape (n,).

    A node that was in a folded group was where the box of that was.
    """
    index_of = old.track.index_of
    return np.array([index_of.get(box, -1) for box in new.track.forward], dtype=np.int64)


def _middle(old: Scene, key: Key | None) -> Point | None:
    sides = None if key is None else _sides_of_group(old, key)
    return None if sides is None else ((sides[0] + sides[2]) / 2, (sides[1] + sides[3]) / 2)


def _sides_of_group(old: Scene, key: Key) -> Rect | None:
    """Where a group was: the box it was in, or its frame; None where it was nowhere."""
    track = old.folded
    number = None if track is None else track.groups.number_of.get(key)
    if track is None or number is None:
        return None
    if number in track.frames:
        left, top, right, bottom = old.layout.frames[track.frames.index(number)].tolist()
        return left, top, right, bottom
    for around in track.groups.around(number):
        seat = track.index_of.get(track.box_of_group(around))
        if seat is not None:
            left, top, right, bottom = old.boxes[seat].tolist()
            return left, top, right, bottom
    return None


def settled(old: Scene, new: Scene, was: Ints, view: View, anchor: Key | None = None) -> View:
    """The view in which the group that was folded or opened stays where it is, or else most boxes do."""
    before = None if anchor is None else _sides_of_group(old, anchor)
    after = None if anchor is None else _sides_of_group(new, anchor)
    if before is not None and after is not None:
        # Down the page things flow away from its top, so that the top stays.
        dx, dy = (before[0] + before[2] - after[0] - after[2]) / 2, before[1] - after[1]
        return view.moved(dx * view.scale, dy * view.scale)
    known = was >= 0
    if not known.any():
        return view
    dx, dy = np.median(old.layout.centres[was[known]] - new.layout.centres[known], axis=0).tolist()
    return view.moved(dx * view.scale, dy * view.scale)
