"""Where the labels on the edges of one step find room. Screen pixels; all labels and places in one go."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gradviz.layout.plan import Floats
from gradviz.ui.canvas.plane.geometry import Flags, lengths_along, touching
from gradviz.ui.canvas.plane.place import AIR, GAP, LATER_CHOICE, OVER_LINE, costs, meets, overlap
from gradviz.ui.canvas.plane.view import Rect, View
from gradviz.ui.canvas.scene.scene import SPACED, Scene

_PLACES = np.rint(np.array([0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8]) * (SPACED - 1)).astype(np.int64)
_BESIDE = 9.0
_ON_THE_EDGE = 40.0
"""Cost of a label on its own edge: better than on another one, worse than beside its own."""

_RIGHT_FIRST = LATER_CHOICE * np.stack([np.arange(7) * 2 + 1, np.arange(7) * 2, np.arange(7) + 4.0])
_RIGHT_FIRST[2] += _ON_THE_EDGE
_LEFT_FIRST = _RIGHT_FIRST[[1, 0, 2]]
"""What is preferred of the places left of an edge, right of it and on it, from its middle outwards."""

_SIDE = 14
_SPOTS = 21
"""Places of a label; the first `_SIDE` are beside its edge, the others on it."""

_MOST_NEIGHBOURS = 200
"""Segments of other edges that are kept clear of."""

_DENSE = 14.0
"""About so many screen pixels lie between two points of a neighbour: less than a label is high."""
_MOST_STOPS = 8000
"""Points at which a long edge is looked at for what of it is in sight."""


class Choice(NamedTuple):
    """The place of a label.

    Attributes:
        spot: left, top, right, bottom.
        is_brief: whether there is room for the brief text only.
    """

    spot: Floats
    is_brief: bool


def choose(
    scene: Scene, view: View, edges: Sequence[int], widths: Floats, height: float, blocked: Floats, frame: Rect
) -> list[Choice | None]:
    """Places for labels on some edges, the most important first; None for one that finds no room.

    No place covers a box or another label. One that covers lines is taken only where there is no other.

    Args:
        widths: of the whole and of the brief text of each label; shape (n, 2).
        height: of each label.
        blocked: rectangles that must not be covered; shape (k, 4).
        frame: what is in sight.
    """
    if not _come_near(scene, view, edges, widths, height, frame):
        return [None] * len(edges)
    lines = _in_sight(scene, view, edges, frame)
    spots = _along(lines, widths, height)
    crossed = _crossed(spots, lines, _neighbours(scene, view, edges, spots, frame))
    cost = costs(spots.reshape(-1, 4), blocked, frame).reshape(spots.shape[:3]) + OVER_LINE * crossed
    for row, leans_left in enumerate(_lean_left(scene, edges, lines)):
        cost[row] += (_LEFT_FIRST if leans_left else _RIGHT_FIRST).ravel()
    return _in_turn(spots, cost, crossed)


def _in_sight(scene: Scene, view: View, edges: Sequence[int], frame: Rect) -> Floats:
    """Each edge as points evenly apart; of one whose middle is out of sight its longest stretch in sight.

    Shape (n, SPACED, 2).
    """
    lines = view.boxes_to_screen(scene.spaced(edges).reshape(-1, 2)).reshape(len(edges), SPACED, 2)
    middles = lines[:, SPACED // 2]
    for row in np.flatnonzero(~_inside(middles, frame)).tolist():
        stretch = _longest_stretch(view.boxes_to_screen(scene.line(edges[row])), frame)
        if stretch is not None:
            lines[row] = stretch
    return lines


def _inside(points: Floats, frame: Rect) -> Flags:
    return np.asarray(((points >= frame[:2]) & (points <= frame[2:])).all(axis=-1))


def _longest_stretch(line: Floats, frame: Rect) -> Floats | None:
    """The longest part of a line that is in a rectangle, as points evenly apart; None where too little of it is."""
    way = lengths_along(line)

    def at(places: Floats) -> Floats:
        return np.stack([np.interp(places, way, line[:, axis]) for axis in (0, 1)], axis=-1)

    places = np.linspace(0.0, way[-1], min(int(way[-1] / _DENSE) + 2, _MOST_STOPS))
    seen = np.concatenate([[False], _inside(at(places), frame), [False]])
    begins, ends = np.flatnonzero(seen[1:] & ~seen[:-1]), np.flatnonzero(seen[:-1] & ~seen[1:]) - 1
    if not len(begins):
        return None
    longest = int((ends - begins).argmax())
    return at(np.linspace(places[begins[longest]], places[ends[longest]], SPACED))


def _come_near(scene: Scene, view: View, edges: Sequence[int], widths: Floats, height: float, frame: Rect) -> bool:
    """Whether any edge comes so near to what is in sight that a label beside it could be wholly in there."""
    left, top, right, bottom = view.boxes_to_screen(scene.edge_boxes[list(edges)]).T
    across = float(widths.max()) + _BESIDE
    is_beside = (left <= frame[2] + across) & (right >= frame[0] - across)
    return bool((is_beside & (top <= frame[3] + height) & (bottom >= frame[1] - height)).any())


def _in_turn(spots: Floats, cost: Floats, crossed: Floats) -> list[Choice | None]:
    """The best place of each label that is left by those before it."""
    choices: list[Choice | None] = []
    for row in range(len(spots)):
        whole, brief = cost[row].argmin(axis=1).tolist()
        lines = [_lines_at(cost, crossed, row, 0, whole), _lines_at(cost, crossed, row, 1, brief)]
        is_brief = lines[1] < lines[0]
        if np.isinf(lines[is_brief]):
            choices.append(None)
            continue
        spot = spots[row, int(is_brief), brief if is_brief else whole]
        choices.append(Choice(spot, is_brief))
        if row + 1 < len(spots):
            taken = overlap(spots[row + 1 :].reshape(-1, 4), spot[None] + GAP * np.array([-1, -1, 1, 1]))
            cost[row + 1 :][taken.reshape(cost[row + 1 :].shape) > 0] = np.inf
    return choices


def _lines_at(cost: Floats, crossed: Floats, row: int, text: int, best: int) -> float:
    return float("inf") if np.isinf(cost[row, text, best]) else float(crossed[row, text, best])


def _along(lines: Floats, widths: Floats, height: float) -> Floats:
    """Places for each label and text: seven left of its edge, seven right of it, seven on it; shape (n, 2, 21, 4)."""
    x, y = lines[:, _PLACES, 0], lines[:, _PLACES, 1]
    # A slanted edge must be passed by its whole height, not only at the middle of the label.
    level = np.abs(lines[:, None, :, 1] - y[:, :, None]) <= height / 2 + AIR
    across = lines[:, None, :, 0]
    lows, highs = np.where(level, across, np.inf).min(axis=2), np.where(level, across, -np.inf).max(axis=2)
    wide = widths[:, :, None]
    spots = np.empty((len(lines), 2, 3, len(_PLACES), 4))
    spots[:, :, 0, :, 0] = lows[:, None] - _BESIDE - wide
    spots[:, :, 1, :, 0] = highs[:, None] + _BESIDE
    spots[:, :, 2, :, 0] = x[:, None] - wide / 2
    spots[..., 1] = (y - height / 2)[:, None, None]
    spots[..., 2] = spots[..., 0] + wide[..., None]
    spots[..., 3] = spots[..., 1] + height
    return spots.reshape(len(lines), 2, _SPOTS, 4)


def _neighbours(scene: Scene, view: View, edges: Sequence[int], spots: Floats, frame: Rect) -> Floats:
    """Points of the edges that pass by the places in sight and are not of this step; shape (p, 2)."""
    low = np.maximum(spots[..., :2].min(axis=(0, 1, 2)) - AIR, frame[:2])
    high = np.minimum(spots[..., 2:].max(axis=(0, 1, 2)) + AIR, frame[2:])
    near = touching(scene.coarse_boxes, view.rect_to_scene((*low.tolist(), *high.tolist())))
    segments, owners = scene.coarse
    others = near[~np.isin(owners[near], edges)][:_MOST_NEIGHBOURS]
    lines = view.boxes_to_screen(segments[others])
    along = lines[:, 2:] - lines[:, :2]
    pieces = min(max(int(np.abs(along).max(initial=0.0) / _DENSE), 1), 8)
    points: Floats = lines[:, None, :2] + along[:, None] * (np.arange(pieces)[:, None] / pieces)
    return points.reshape(-1, 2)


def _crossed(spots: Floats, lines: Floats, others: Floats) -> Floats:
    """How many points of lines each place covers; a place on its own edge may cover that; shape (n, 2, 21)."""
    flat = spots.reshape(-1, 4)
    low, high = flat[:, :2].min(axis=0) - AIR, flat[:, 2:].max(axis=0) + AIR
    strokes = lines[:, ::3]
    near = others[((others >= low) & (others <= high)).all(axis=1)]
    under = meets(flat, np.concatenate([strokes.reshape(-1, 2), near]))
    count = len(lines)
    per_line = under[:, : count * strokes.shape[1]].reshape(len(flat), count, -1).sum(axis=2)
    crossed: Floats = under.sum(axis=1).astype(np.float64).reshape(spots.shape[:3])
    own = per_line.reshape(*spots.shape[:3], count)[np.arange(count), :, :, np.arange(count)]
    crossed[:, :, _SIDE:] -= own[:, :, _SIDE:]
    return crossed


def _lean_left(scene: Scene, edges: Sequence[int], lines: Floats) -> list[bool]:
    """Whether another edge of this step between the same boxes lies right of each."""
    middles = lines[:, :, 0].mean(axis=1)
    sources, consumers = (ends[list(edges)] for ends in (scene.track.edge_sources, scene.track.edge_consumers))
    alike = (sources[:, None] == sources) | (consumers[:, None] == consumers)
    leans: list[bool] = (alike & (middles > middles[:, None] + 1)).any(axis=1).tolist()
    return leans
