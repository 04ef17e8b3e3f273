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
from gradviz.ui.canvas.boxes.sprites import Art
from gradviz.ui.canvas.painting import Coming, Drift
from gradviz.ui.canvas.plane.geometry import spaced_alike
from gradviz.ui.canvas.plane.view import Point, Rect, View
from gradviz.ui.canvas.scene.scene import Flags, Scene
from gradviz.ui.look.palette import Palette

DURATION_MS = 280.0
MOST_BOXES, MOST_EDGES = 500, 900
"""A larger picture changes at once: its moments could not be drawn in time."""

_MOST_BEFORE = 2600
"""Boxes or edges of the picture before: more could not be matched in time."""

_PIECES = 8
_STIFF = 0.25
"""Scene units; an edge whose points move alike by this keeps its shape."""
_MOST_LOTS = 6


def is_refolded(old: Scene, new: Scene) -> bool:
    """Whether both are of the same graph, folded in different ways."""
    if old.folded is None or new.folded is None:
        return False
    return old.folded.base is new.folded.base and old.folded.folding != new.folded.folding


def is_turned(old: Scene, new: Scene) -> bool:
    """Whether both are of the same boxes of the same track, laid out in different ways."""
    one, other = (scene.track if scene.folded is None else scene.folded.base for scene in (old, new))
    return one is other and old.track.forward == new.track.forward and old.layout is not new.layout


def can_move(old: Scene, new: Scene) -> bool:
    """Whether there is time to show a change of the picture as motion."""
    if max(len(old.track.forward), len(old.track.edges)) > _MOST_BEFORE:
        return False
    return len(new.track.forward) <= MOST_BOXES and len(new.track.edges) <= MOST_EDGES


class Motion:
    """The way from one scene and view to another.

    Args:
        was: index in the old picture of each box of the new one, or less than 0; shape (n,).
        view: on the old scene.
    """

    def __init__(self, old: Scene, new: Scene, was: Ints, view: View) -> None:
        self._old, self._new, self._was, self._view = old, new, was, view
        self._art: Art | None = None

    def at(self, share: float, view: View) -> tuple[Scene, View]:
        """The scene and view at a share 0..1 of the way to a view on the new scene."""
        eased = _eased(share)
        layout = self._new.layout
        moved = replace(
            layout,
            centres=_between(self._starts, layout.centres, eased),
            frames=_between(self._frame_starts, layout.frames, eased),
            curves=tuple(_straight(_between(self._line_starts, self._line_ends, eased))[self._rows]),
        )
        return self._new.moved(moved), self._view_between(view, eased)

    def art(self, palette: Palette, scale: float, ratio: float) -> Art:
        """What boxes are drawn with; kept for as long as the scale stays."""
        if self._art is None or (self._art.palette, self._art.scale, self._art.ratio) != (palette, scale, ratio):
            self._art = Art(palette, scale, ratio, gauges=True)
        return self._art

    def _view_between(self, after: View, share: float) -> View:
        before = self._view
        scale = before.scale * (after.scale / before.scale) ** share
        return View(scale, before.x + (after.x - before.x) * share, before.y + (after.y - before.y) * share)

    def drifts(self, share: float, view: View) -> list[Drift]:
        """The edges that only move, at a share of the way, in `view`: most of them, each lot of them alike."""
        left = 1.0 - _eased(share)
        return [
            Drift(edges, view.moved(dx * left * view.scale, dy * left * view.scale)) for edges, dx, dy in self._lots
        ]

    @cached_property
    def _lots(self) -> list[tuple[Flags, float, float]]:
        """Edges that set out in their last shape from as far away as others do, and how far that is."""
        away = self._line_starts - self._line_ends
        mean = away.mean(axis=1)
        is_stiff = np.abs(away - mean[:, None]).max(axis=(1, 2), initial=0.0) < _STIFF
        if not is_stiff.any():
            return []
        steps, counts = np.unique(np.rint(mean[is_stiff] / _STIFF), axis=0, return_counts=True)
        largest = steps[np.argsort(-counts, kind="stable")[:_MOST_LOTS]] * _STIFF
        near = [is_stiff & (np.abs(mean - step).max(axis=1) < _STIFF) for step in largest]
        return [(edges, dx, dy) for edges, (dx, dy) in zip(near, largest.tolist(), strict=True)]

    def coming(self, share: float) -> Coming:
        """What is new, and how far it has come in at a share of the way: at first the others make room."""
        return Coming(*self._new_ones, _eased(max(2.0 * share - 1.0, 0.0)))

    @cached_property
    def _new_ones(self) -> tuple[Flags, Flags]:
        """Which boxes and which edges were nowhere before; shapes (n,) and (m,)."""
        came_out = np.array([seat is not None for seat in self._seats], dtype=np.bool_)
        boxes = (self._was < 0) & ~came_out
        edges = boxes[self._new.track.edge_sources] | boxes[self._new.track.edge_consumers]
        return boxes, edges

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
    def _frame_starts(self) -> Floats:
        """Where each frame sets out; shape (k, 4)."""
        track = self._new.folded
        if track is None:
            return self._new.layout.frames
        ends = self._new.layout.frames.tolist()
        places = [
            _place_of_group(self._old, track.groups.groups[number].key) or tuple(end)
            for number, end in zip(track.frames, ends, strict=True)
        ]
        return np.array(places, dtype=np.float64).reshape(-1, 4)

    @cached_property
    def _line_ends(self) -> Floats:
        """Every edge, in the order of the track, as a line; shape (m, p, 2)."""
        return spaced_alike(self._new.curves, _PIECES + 1)

    @cached_property
    def _line_starts(self) -> Floats:
        """The same where they set out: those that were there as they were, the others as their ends stand."""
        track, old = self._new.track, self._old.track
        away = self._starts - self._new.layout.centres
        along = np.linspace(0.0, 1.0, _PIECES + 1)[:, None]
        ends = track.edge_sources, track.edge_consumers
        lines: Floats = self._line_ends + (1.0 - along) * away[ends[0]][:, None] + along * away[ends[1]][:, None]
        places = {key: edge for edge, key in enumerate(_keys(old, np.arange(len(old.forward))))}
        found = np.array([places.get(key, -1) for key in _keys(track, self._was)], dtype=np.int64)
        curves = self._old.curves
        lines[found >= 0] = spaced_alike([curves[edge] for edge in found[found >= 0].tolist()], _PIECES + 1)
        return lines

    @cached_property
    def _rows(self) -> Ints:
        """For each row of the layout's edges the edge of the track."""
        rows = self._new.layout.edges
        order = np.lexsort((rows[:, 2], rows[:, 1])) if len(rows) else np.zeros(0, dtype=np.int64)
        places = np.empty(len(rows), dtype=np.int64)
        places[order] = np.arange(len(rows))
        return places


def _eased(share: float) -> float:
    return 1.0 - (1.0 - min(max(share, 0.0), 1.0)) ** 3


def _between(start: Floats, end: Floats, share: float) -> Floats:
    return start + (end - start) * share


def _keys(track: Track, boxes: Ints) -> Iterable[tuple[int, int, int]]:
    """Source, consumer and number there of every edge; the boxes by the numbers given."""
    ends = boxes[track.edge_sources].tolist(), boxes[track.edge_consumers].tolist()
    return zip(*ends, (slot for _, slot in track.edges), strict=True)


def same_boxes(old: Scene, new: Scene) -> Ints:
    """Index in the old picture of each box of the same track folded in another way, or -1; shape (n,).

    A node that was in a folded group was where the box of that was.
    """
    index_of = old.track.index_of
    return np.array([index_of.get(box, -1) for box in new.track.forward], dtype=np.int64)


def _middle(old: Scene, key: Key | None) -> Point | None:
    place = None if key is None else _place_of_group(old, key)
    return None if place is None else ((place[0] + place[2]) / 2, (place[1] + place[3]) / 2)


def _place_of_group(old: Scene, key: Key) -> Rect | None:
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


def _straight(lines: Floats) -> Floats:
    """Lines of points, shape (m, p, 2), as chains of cubics that are straight."""
    chains = np.empty((len(lines), 3 * (lines.shape[1] - 1) + 1, 2))
    step = np.diff(lines, axis=1) / 3
    chains[:, ::3] = lines
    chains[:, 1::3] = lines[:, :-1] + step
    chains[:, 2::3] = lines[:, 1:] - step
    return chains


def settled(old: Scene, new: Scene, was: Ints, view: View, anchor: Key | None = None) -> View:
    """The view in which the group that was folded or opened stays where it is, or else most boxes do."""
    before = None if anchor is None else _place_of_group(old, anchor)
    after = None if anchor is None else _place_of_group(new, anchor)
    if before is not None and after is not None:
        # Down the page things flow away from its top, so that the top stays.
        dx, dy = (before[0] + before[2] - after[0] - after[2]) / 2, before[1] - after[1]
        return view.moved(dx * view.scale, dy * view.scale)
    known = was >= 0
    if not known.any():
        return view
    dx, dy = np.median(old.layout.centres[was[known]] - new.layout.centres[known], axis=0).tolist()
    return view.moved(dx * view.scale, dy * view.scale)
