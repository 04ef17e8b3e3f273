"""From one layout to another: boxes, frames and edges glide from where they were to where they will be.

What stays glides; what comes out of a folded group sets out from its box, and what goes into one is gone at once,
while its box grows out of the frame. Every moment is a scene of its own, so the painter needs to know nothing of it.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np

from gradviz.layout.plan import Floats, Ints
from gradviz.playback.folded import FoldedTrack
from gradviz.playback.track import Track
from gradviz.ui.canvas.geometry import dense, resampled
from gradviz.ui.canvas.scene import Scene
from gradviz.ui.canvas.view import Rect, View

DURATION_MS = 280.0
MOST_BOXES, MOST_EDGES = 260, 500
"""A larger picture changes at once: its moments could not be drawn in time."""

_PIECES = 8


def is_refolded(old: Scene, new: Scene) -> bool:
    """Whether both are of the same graph, folded in different ways."""
    if old.folded is None or new.folded is None:
        return False
    return old.folded.base is new.folded.base and old.folded.folding != new.folded.folding


def can_move(old: Scene, new: Scene) -> bool:
    """Whether there is time to show a change of the picture as motion."""
    if max(len(old.track.forward), len(old.track.edges)) > 10 * MOST_BOXES:
        return False
    return len(new.track.forward) <= MOST_BOXES and len(new.track.edges) <= MOST_EDGES


class Motion:
    """The way from one scene and view to another of the same track."""

    def __init__(self, old: Scene, new: Scene, view_before: View, view_after: View) -> None:
        self._old, self._new = old, new
        self._views = (view_before, view_after)

    def at(self, share: float) -> tuple[Scene, View]:
        """The scene and view at a share 0..1 of the way."""
        eased = 1.0 - (1.0 - share) ** 3
        layout = self._new.layout
        moved = replace(
            layout,
            centres=_between(self._starts, layout.centres, eased),
            frames=_between(self._frame_starts, layout.frames, eased),
            curves=tuple(_between(self._curve_starts, self._curve_ends, eased)[self._rows]),
        )
        return Scene(self._new.track, moved), self._view(eased)

    def _view(self, share: float) -> View:
        before, after = self._views
        scale = before.scale * (after.scale / before.scale) ** share
        return View(scale, before.x + (after.x - before.x) * share, before.y + (after.y - before.y) * share)

    @cached_property
    def _starts(self) -> Floats:
        """Where each box sets out; shape (n, 2)."""
        boxes = [_seat(self._old, self._new, index) for index in range(len(self._new.track.forward))]
        centres: Floats = np.array(boxes, dtype=np.float64).reshape(-1, 2)
        return centres

    @cached_property
    def _frame_starts(self) -> Floats:
        """Where each frame sets out; shape (k, 4)."""
        track = self._new.folded
        if track is None:
            return self._new.layout.frames
        rows = [
            _seat_of_group(self._old, number) or tuple(self._new.layout.frames[place].tolist())
            for place, number in enumerate(track.frames)
        ]
        return np.array(rows, dtype=np.float64).reshape(-1, 4)

    @cached_property
    def _curve_ends(self) -> Floats:
        """Every edge, in the order of the track, as a chain of straight cubics; shape (m, 3k + 1, 2)."""
        lines = [resampled(dense(curve), _PIECES + 1) for curve in self._new.curves]
        return _straight(np.array(lines, dtype=np.float64).reshape(-1, _PIECES + 1, 2))

    @cached_property
    def _curve_starts(self) -> Floats:
        old = dict(zip(_ends(self._old.track), self._old.curves, strict=True))
        new = self._new.track
        lines = []
        for edge, ends in enumerate(_ends(new)):
            curve = old.get(ends)
            if curve is None:
                seats = self._starts[[new.edge_sources[edge], new.edge_consumers[edge]]]
                lines.append(seats[0] + np.linspace(0.0, 1.0, _PIECES + 1)[:, None] * (seats[1] - seats[0]))
            else:
                lines.append(resampled(dense(curve), _PIECES + 1))
        return _straight(np.array(lines, dtype=np.float64).reshape(-1, _PIECES + 1, 2))

    @cached_property
    def _rows(self) -> Ints:
        """For each row of the layout's edges the edge of the track."""
        rows = self._new.layout.edges
        order = np.lexsort((rows[:, 2], rows[:, 1])) if len(rows) else np.zeros(0, dtype=np.int64)
        places = np.empty(len(rows), dtype=np.int64)
        places[order] = np.arange(len(rows))
        return places


def _between(start: Floats, end: Floats, share: float) -> Floats:
    return start + (end - start) * share


def _ends(track: Track) -> list[tuple[int, int, int]]:
    """Source box, consumer box and number of every edge."""
    sources = [track.forward[index] for index in track.edge_sources.tolist()]
    return [(source, consumer, slot) for source, (consumer, slot) in zip(sources, track.edges, strict=True)]


def _seat(old: Scene, new: Scene, index: int) -> tuple[float, float]:
    """Where a box of the new scene was in the old one, itself or what it was in; where it will be if nowhere."""
    box = new.track.forward[index]
    seat = old.track.index_of.get(box)
    if seat is None and new.folded is not None:
        number = new.folded.group_of(box)
        place = None if number is None else _seat_of_group(old, number)
        if place is not None:
            return (place[0] + place[2]) / 2, (place[1] + place[3]) / 2
    x, y = (new.layout.centres[index] if seat is None else old.layout.centres[seat]).tolist()
    return x, y


def _seat_of_group(old: Scene, number: int) -> Rect | None:
    """Where a group was: the box it was in, or its frame; None where it was nowhere."""
    track = old.folded
    if not isinstance(track, FoldedTrack):
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


def settled(old: Scene, new: Scene, view: View, anchor: int | None) -> View:
    """The view in which the group that was folded or opened stays where it is, or else most boxes do."""
    before = None if anchor is None else _seat_of_group(old, anchor)
    after = None if anchor is None else _seat_of_group(new, anchor)
    if before is not None and after is not None:
        # Down the page things flow away from its top, so that the top stays.
        dx, dy = (before[0] + before[2] - after[0] - after[2]) / 2, before[1] - after[1]
        return view.moved(dx * view.scale, dy * view.scale)
    pairs = [
        (old.track.index_of[box], index) for index, box in enumerate(new.track.forward) if box in old.track.index_of
    ]
    if not pairs:
        return view
    rows = np.array(pairs, dtype=np.int64)
    dx, dy = np.median(old.layout.centres[rows[:, 0]] - new.layout.centres[rows[:, 1]], axis=0).tolist()
    return view.moved(dx * view.scale, dy * view.scale)
