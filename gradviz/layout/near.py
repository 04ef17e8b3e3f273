"""A layout near to the one before: what did not change keeps its place, what is new finds one beside it.

The rows are those of a fresh layout, so the picture stays a layered one. Within a row everything known stands in its
old order, and moves aside only for what is new; what it was straight with moves along. A picture that would be much
worse than the fresh one, or would move more, is given up for that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from gradviz.layout.dot.dot import rows_of
from gradviz.layout.frames.nesting import Level, Nesting
from gradviz.layout.graph import indices_of
from gradviz.layout.layered.lanes import extents_of
from gradviz.layout.layered.layers import finished, lay_out_layers, layered
from gradviz.layout.layered.order import smooth, sortable_rows, sorted_rows
from gradviz.layout.layered.place import blocks_of, means_of, packed, pulled, separated, weights_of, widths_of
from gradviz.layout.layered.plane import Arranged, Plane
from gradviz.layout.layered.proper import Proper, proper_of
from gradviz.layout.layered.stacks import stacks_in_turn, stacks_of
from gradviz.layout.layered.turns import ports_spread
from gradviz.layout.plan import NO_FRAME, Flags, Floats, Ints, Layout, Request
from gradviz.layout.pulse import Pulse, part_of, pulse_of
from gradviz.layout.routes.routes import drawn
from gradviz.layout.shape import turned, x_at

KNOWN_AT_LEAST = 0.4
"""Share of known boxes below which the picture is another one."""
WORSE_CROSSINGS, FREE_CROSSINGS = 1.2, 2
"""How many crossings a near layout may have: so many times those of a fresh one, and so many more."""
WORSE_LENGTH = 1.3
"""The same for how far its edges go to the side, and for its width."""

_PASSES = 12
_SPREADS = 8
_LIGHT = 0.002
"""How strongly a new box holds its place; a known one: 1."""
_THIN = 0.1
"""How strongly an edge holds its place, beside a box."""
_SMOOTH_STEPS = 60
_SPACING = 100.0


@dataclass(frozen=True, eq=False)
class Near:
    """Where the boxes and edges of a request were.

    Attributes:
        centres: centre of each box, nan for a new one; shape (n, 2).
        curves: the curve of each edge, or None for a new one.
    """

    centres: Floats
    curves: tuple[Floats | None, ...]

    @property
    def known(self) -> Flags:
        """Which boxes were there; shape (n,)."""
        known: Flags = ~np.isnan(self.centres[:, 0])
        return known

    @property
    def turned(self) -> Near:
        """With x and y exchanged."""
        curves = tuple(None if curve is None else np.ascontiguousarray(curve[:, ::-1]) for curve in self.curves)
        return Near(np.ascontiguousarray(self.centres[:, ::-1]), curves)


def is_much(known: Flags) -> bool:
    """Whether so many boxes are known that the picture is the same one, changed."""
    return bool(known.any()) and float(known.mean()) >= KNOWN_AT_LEAST


def near_to(old: Layout, was: Ints, request: Request) -> Near:
    """What a request knows of an old layout.

    Args:
        was: index in `old.nodes` of each box, or less than 0 for a new one; shape (n,).
    """
    centres = np.full((len(request.nodes), 2), np.nan)
    centres[was >= 0] = old.centres[was[was >= 0]]
    ends = np.searchsorted(old.nodes, old.edges[:, :2])
    keys = zip(*ends.T.tolist(), old.edges[:, 2].tolist(), strict=True) if len(ends) else ()
    curves = dict(zip(keys, old.curves, strict=True))
    rows = zip(was[indices_of(request)].tolist(), request.edges[:, 2].tolist(), strict=True)
    return Near(centres, tuple(curves.get((source, consumer, slot)) for (source, consumer), slot in rows))


def lay_out_near(
    request: Request,
    near: Near,
    fresh: Layout | None = None,
    cancelled: Callable[[], bool] = lambda: False,
    progress: Callable[[float], None] = lambda _: None,
) -> Layout:
    """Lay out a request near to where its boxes were.

    Args:
        fresh: a layout of the request that knows nothing of the old one; its rows are taken, and where the near
            layout is no good, it is the answer. None: the rows are found anew, and nothing is compared.

    Raises:
        Cancelled: `cancelled` said so.
        LayoutError: the graph has a cycle, or an edge names a node that is not there.
    """
    if not near.known.any():
        return fresh or lay_out_layers(request, cancelled, progress)
    pulse = pulse_of(cancelled, progress)
    if len(request.frame_parents):
        downwards = near if request.direction != "right" else near.turned
        settling = _NearFrames(downwards, pulse_of(cancelled, lambda _: None), compares=fresh is not None)
        return lay_out_layers(request, cancelled, progress, settling)
    if request.direction != "right":
        return _Nearing(request, near, fresh).layout(pulse)
    fresh = None if fresh is None else turned(fresh)
    return turned(_Nearing(turned(request), near.turned, fresh).layout(pulse))


class _Nearing:
    """One near layout of boxes without frames in the making; everything runs downwards."""

    def __init__(self, request: Request, near: Near, fresh: Layout | None):
        self._request, self._near, self._fresh = request, near, fresh

    def layout(self, pulse: Pulse) -> Layout:
        """The near layout, or the fresh one."""
        pulse(0.0)
        proper = self._rows()
        for boxes in stacks_of(proper.plane):
            self._near = _without_reflowed(self._near, proper, boxes)
        known_x = _known_x(proper, self._near)
        is_known = np.concatenate([self._near.known, _known_dummies(proper, self._near)])
        x = _near_x(proper, known_x, is_known, pulse)
        pulse(0.7)
        if self._fresh is not None:
            fresh_x = _known_x(proper, Near(self._fresh.centres, self._fresh.curves))
            if not _is_better(proper, x, fresh_x, known_x):
                return self._fresh
        by_dot = self._fresh is not None and self._fresh.engine == "dot"
        return drawn(self._request, finished(proper, x, lanes=not by_dot), "dot" if by_dot else "layers")

    def _rows(self) -> Proper:
        if self._fresh is None or self._fresh.engine != "dot":
            return layered(Plane.of(self._request))
        _, ranks = rows_of(self._fresh.centres[:, 1])
        return proper_of(Plane.of(self._request), ranks, np.zeros_like(ranks), lanes=False)


class _NearFrames:
    """Keeps what is in frames, and these, where they were; what `layers.Settling` asks for.

    Args:
        near: where the boxes were, in a picture that runs downwards.
        compares: whether a frame whose inside is much better anew is given up for that.
    """

    def __init__(self, near: Near, pulse: Pulse, *, compares: bool) -> None:
        self._near, self._pulse, self._compares = near, pulse, compares
        # How far right of the middle of its frame each box stands; of the frame of the level that was done last.
        self._aside = np.zeros(len(near.centres))

    def settled(self, nesting: Nesting, level: Level, proper: Proper, fresh: Callable[[], Floats]) -> Floats:
        """Where the boxes and frames of a level were, as far as they are known, or fresh places."""
        self._pulse(0.0)
        known_x = np.full(proper.vertices, np.nan)
        boxes, frames = np.split(level.place, [len(level.boxes)])
        known_x[boxes] = self._near.centres[level.boxes, 0]
        known_x[frames] = self._middles(nesting, level)
        is_known = ~np.isnan(known_x)
        if is_known.sum() < KNOWN_AT_LEAST * len(level.place):
            return fresh()
        x = ports_spread(proper, _near_x(proper, known_x, is_known, self._pulse))
        if not self._compares:
            return x
        anew = fresh()
        return x if _is_better(proper, x, anew, known_x) else anew

    def _middles(self, nesting: Nesting, level: Level) -> Floats:
        """Where the middle of each frame in a level would be if its boxes were where they were; NaN: none is known."""
        inside = nesting.around[level.depth + 1]
        known = np.flatnonzero((inside != NO_FRAME) & self._near.known)
        frames, count = inside[known], len(nesting.request.frame_parents)
        total = np.bincount(frames, self._near.centres[known, 0] - self._aside[known], count)
        held = np.bincount(frames, minlength=count)
        return np.where(held > 0, total / np.maximum(held, 1), np.nan)[level.frames]

    def take(self, nesting: Nesting, level: Level, found: Arranged) -> None:
        """Keep how far from the middles of their frames the boxes stand."""
        away = found.centres[:, 0] - ((found.left + found.right) / 2)[found.component]
        boxes, frames = np.split(level.place, [len(level.boxes)])
        self._aside[level.boxes] = away[boxes]
        inside = nesting.around[level.depth + 1]
        of_frame = np.zeros(len(nesting.request.frame_parents))
        of_frame[level.frames] = away[frames]
        nested = np.flatnonzero(inside != NO_FRAME)
        self._aside[nested] += of_frame[inside[nested]]


def _near_x(proper: Proper, known_x: Floats, is_known: Flags, pulse: Pulse) -> Floats:
    """The x of each vertex near to where it was, in the old order, with what is new amid its neighbours.

    Args:
        known_x: of each vertex, NaN where it is not known; shape (v,).
        is_known: which hold their places; shape (v,).
    """
    x = _filled(proper, known_x, part_of(pulse, 0.0, 0.3))
    position = stacks_in_turn(proper, _ordered(proper, x), stacks_of(proper.plane))
    pulse(0.5)
    return _spread(proper, x, position, is_known)


def _spread(proper: Proper, x: Floats, position: Ints, is_known: Flags) -> Floats:
    """Room for everything: what is pushed aside takes along what it was straight with."""
    row = packed(proper, position, widths_of(proper))
    strength = np.where(is_known, 1.0, _LIGHT)
    strength[proper.nodes :] *= _THIN
    (blocks, _), weights = blocks_of(proper, x, kept=True), weights_of(proper)
    placed = separated(proper, row, x, strength)
    for _ in range(_SPREADS):
        moved = x + means_of(placed - x, blocks, strength)
        wanted = np.where(is_known, moved, pulled(proper, placed, weights, "both"))
        placed = separated(proper, row, wanted, strength)
    return placed


def _is_better(proper: Proper, x: Floats, fresh_x: Floats, known_x: Floats) -> bool:
    """Whether x is hardly worse than fresh places, and moves less."""
    rows = sortable_rows(proper)
    crossings, fewest = (rows.crossings(sorted_rows(proper, each)) for each in (x, fresh_x))
    if crossings > WORSE_CROSSINGS * fewest + FREE_CROSSINGS:
        return False
    if _sideways(proper, x) > WORSE_LENGTH * _sideways(proper, fresh_x) + _SPACING:
        return False
    if _width(proper, x) > WORSE_LENGTH * _width(proper, fresh_x) + _SPACING:
        return False
    return _moved(proper, x, known_x) <= _moved(proper, fresh_x, known_x)


def _width(proper: Proper, x: Floats) -> float:
    """How wide what is placed is; of several frames, the widest."""
    left, right = extents_of(proper, x, np.zeros(len(x)))
    framed = proper.plane.is_framed
    return float((right - left).max() if framed else right.max() - left.min())


def _moved(proper: Proper, x: Floats, known_x: Floats) -> float:
    """How far the known boxes have moved to the side, beyond what all have, and the edges, which count less."""
    away, component = x - known_x, proper.component[proper.row]
    total = 0.0
    # What is in a frame is compared with what is in it.
    for part in np.unique(component) if proper.plane.is_framed else [None]:
        here = np.ones(len(x), dtype=np.bool_) if part is None else component == part
        boxes, edges = away[: proper.nodes][here[: proper.nodes]], away[proper.nodes :][here[proper.nodes :]]
        if np.isnan(boxes).all():
            continue
        middle = np.nanmedian(boxes)
        total += float(np.nansum(np.abs(boxes - middle)) + _THIN * np.nansum(np.abs(edges - middle)))
    return total


def _sideways(proper: Proper, x: Floats) -> float:
    return float(np.abs(x[proper.upper] - x[proper.lower]).sum())


def _known_dummies(proper: Proper, near: Near) -> Flags:
    known = np.zeros(proper.vertices, dtype=np.bool_)
    known[proper.via] = np.array([curve is not None for curve in near.curves], dtype=np.bool_)[proper.owner]
    return known[proper.nodes :]


def _known_x(proper: Proper, near: Near) -> Floats:
    """Where each vertex was, nan for a new one; of a dummy: where the curve passed its row."""
    x = np.full(proper.vertices, np.nan)
    x[: proper.nodes] = near.centres[:, 0]
    heights = _heights(proper, near)
    for edge, (first, last) in enumerate(pairwise(proper.first.tolist())):
        curve = near.curves[edge]
        if first < last and curve is not None:
            passed = proper.via[first:last]
            x[passed] = x_at(curve, heights[proper.row[passed]])
    return x


def _heights(proper: Proper, near: Near) -> Floats:
    """How high each row was: as its known boxes were, or between the rows beside it."""
    known = np.flatnonzero(near.known)
    rows = proper.row[known]
    order = np.lexsort((near.centres[known, 1], rows))
    found, first, counts = np.unique(rows[order], return_index=True, return_counts=True)
    if not len(found):
        return np.zeros(len(proper.component))
    middle = near.centres[known[order[first + counts // 2]], 1]
    return np.asarray(np.interp(np.arange(len(proper.component)), found, middle))


def _without_reflowed(near: Near, proper: Proper, boxes: Ints) -> Near:
    """Without what is known of a stack, by `stacks.stacks_of`, where its boxes stand in other rows than they did."""
    known = boxes[near.known[boxes]]
    to_the_right, down = np.diff(near.centres[known], axis=0).T
    in_one_row = np.diff(proper.row[known]) == 0
    if np.where(in_one_row, (np.abs(down) < 1.0) & (to_the_right > 0), down > 1.0).all():
        return near
    centres = near.centres.copy()
    centres[boxes] = np.nan
    is_of_stack = np.isin(proper.ends[:, 0], boxes).tolist()
    curves = tuple(None if gone else curve for gone, curve in zip(is_of_stack, near.curves, strict=True))
    return Near(centres, curves)


def _filled(proper: Proper, x: Floats, pulse: Pulse) -> Floats:
    """With a place for each new vertex: amid its neighbours."""
    is_new = np.isnan(x)
    if not is_new.any():
        return x
    x, weights = x.copy(), weights_of(proper)
    while np.isnan(x).any():
        around = _mean_of_known(proper, x)
        reached = np.isnan(x) & ~np.isnan(around)
        if not reached.any():
            # A part of the graph that nothing known is joined to.
            alone = np.isnan(x)
            key = smooth(proper, _SMOOTH_STEPS, pulse)
            x[alone] = (sorted_rows(proper, key) * _SPACING)[alone]
        x[reached] = around[reached]
    for _ in range(_SPREADS):
        x[is_new] = pulled(proper, x, weights, "both")[is_new]
    return x


def _mean_of_known(proper: Proper, x: Floats) -> Floats:
    known = (~np.isnan(x)).astype(np.float64)
    value, count = np.nan_to_num(x), proper.vertices
    upper, lower = proper.upper, proper.lower
    total = np.bincount(upper, value[lower], count) + np.bincount(lower, value[upper], count)
    weight = np.bincount(upper, known[lower], count) + np.bincount(lower, known[upper], count)
    return np.where(weight > 0, total / np.maximum(weight, 1.0), np.nan)


def _ordered(proper: Proper, x: Floats) -> Ints:
    return sortable_rows(proper).exchanged(sorted_rows(proper, x), _PASSES, 1)[0]
