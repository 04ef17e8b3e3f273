"""Curves through a layered graph: out of the source's bottom, between the boxes of every row, into the consumer's top.

Each edge is a string of knots, two per row that it crosses, each free to slide in a corridor between the boxes
beside it. The string is pulled taut, straightened where knots do no work, and smoothed by a spline that never
leaves the corridors (monotone cubics, Fritsch and Carlson 1980). So no curve touches a foreign box.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gradviz.layout.layered.proper import Proper
from gradviz.layout.plan import Flags, Floats, Ints, Layout, Request
from gradviz.layout.routes.buses import along, bus_levels
from gradviz.layout.routes.channels import Channels
from gradviz.layout.routes.ports import ports_of
from gradviz.layout.shape import laid_out

PULLS = 20
CLEARANCE = 10.0
"""Distance of a curve from a foreign box, or frame, in scene units."""
LEAN = 0.8
"""How far an edge may lean where it meets a box, dx/dy: an arrowhead points down into its box."""
APART = 8.0
"""Distance of two long edges that pass a row side by side."""
STRAIGHT = 0.3
"""A knot this near to the line between its neighbours is dropped."""

SWING = 0.45
"""How far a monotone cubic can leave the line between its two knots, as a share of their distance in x."""


@dataclass(frozen=True, eq=False)
class Knots:
    """The knots of all edges, one edge after the other, each from top to bottom.

    Attributes:
        x, y: where they stand; shape (k,).
        low, high: how far left and right they may slide; shape (k,).
        edge: which edge they belong to; shape (k,), ascending.
    """

    x: Floats
    y: Floats
    low: Floats
    high: Floats
    edge: Ints

    def only(self, kept: Flags) -> Knots:
        """The knots for which `kept` is true."""
        return Knots(self.x[kept], self.y[kept], self.low[kept], self.high[kept], self.edge[kept])

    @property
    def is_inner(self) -> Flags:
        """Whether a knot has one before and one after it on its edge; shape (k,)."""
        inner = np.zeros(len(self.edge), dtype=np.bool_)
        inner[1:-1] = (self.edge[1:-1] == self.edge[:-2]) & (self.edge[1:-1] == self.edge[2:])
        return inner


@dataclass(frozen=True, eq=False)
class Placed:
    """A layered graph with coordinates.

    Attributes:
        x: centre of each vertex; shape (v,).
        top, bottom: y of the borders of each row; shape (rows,).
        order: vertices sorted by row and x; shape (v,).
        lanes: x of each edge's lane; shape (m,), read only where `proper.laned`.
        channels: where edges run level above frames; None: nowhere.
    """

    proper: Proper
    x: Floats
    top: Floats
    bottom: Floats
    order: Ints
    lanes: Floats
    channels: Channels | None = None

    @property
    def sizes(self) -> Floats:
        """Width and height of each node; shape (n, 2)."""
        return self.proper.plane.sizes

    @property
    def y(self) -> Floats:
        """Centre y of each node: amid its row, or where frames are in it, near to what it reads, or feeds; (n,)."""
        proper, plane = self.proper, self.proper.plane
        row, half = proper.row[: proper.nodes], self.sizes[:, 1] / 2
        has_frame = np.zeros(len(self.top), dtype=np.bool_)
        has_frame[row[plane.is_frame]] = True
        is_fed = np.bincount(proper.ends[:, 1], minlength=proper.nodes) > 0
        high, low = self.top[row] + half, self.bottom[row] - half
        return np.where(has_frame[row], np.where(is_fed | plane.is_frame, high, low), (high + low) / 2)


def drawn(request: Request, placed: Placed, engine: str) -> Layout:
    """The layout of a request whose vertices have their places: boxes, and curves between them."""
    centres = np.stack([placed.x[: len(request.nodes)], placed.y], axis=1)
    points, starts = curves_of(placed)
    return laid_out(request, centres, points, starts, engine)


def curves_of(placed: Placed) -> tuple[Floats, Ints]:
    """Points of a chain of cubic Bézier pieces for each edge, one after the other, and where each of them begins."""
    if not len(placed.proper.ends):
        return np.zeros((0, 2)), np.zeros(0, dtype=np.int64)
    ports = ports_of(placed.proper, placed.x, placed.lanes)
    return _beziers(_thinned(_taut(_knots(placed, ports))), placed)


def _corridors(placed: Placed) -> tuple[Floats, Floats]:
    """How far left and right of each dummy its row is free; each of shape (v,), infinite at the ends of a row."""
    proper, order = placed.proper, placed.order
    x = placed.x[order]
    half = np.concatenate([placed.sizes[:, 0] / 2, np.zeros(proper.vertices - proper.nodes)])[order]
    is_box = order < proper.nodes
    # Beside a box a curve may come near its border; beside another long edge each keeps to its half.
    right_of_left = np.where(is_box, x + half + CLEARANCE, np.nan)[:-1]
    left_of_right = np.where(is_box, x - half - CLEARANCE, np.nan)[1:]
    middle = (x[1:] + x[:-1]) / 2
    low, high = np.full(len(order), -np.inf), np.full(len(order), np.inf)
    beside = np.diff(proper.row[order]) == 0
    low[1:][beside] = np.where(is_box[:-1], right_of_left, middle + APART / 2)[beside]
    high[:-1][beside] = np.where(is_box[1:], left_of_right, middle - APART / 2)[beside]
    lows, highs = np.empty_like(low), np.empty_like(high)
    # The edges of a trunk must not part before they branch off.
    is_free = ~proper.is_shared[order]
    lows[order], highs[order] = np.where(is_free, np.minimum(low, x), x), np.where(is_free, np.maximum(high, x), x)
    return lows, highs


def _knots(placed: Placed, ports: tuple[Floats, Floats]) -> Knots:
    """Port, border of the source's row, top and bottom of every row crossed, border of the consumer's row, port."""
    proper = placed.proper
    inner = np.where(proper.laned, 1, np.diff(proper.first))
    count = 2 * inner + 4
    start = np.cumsum(count) - count
    total = int(count.sum())
    edge = np.repeat(np.arange(len(inner)), count)
    x, y = np.empty(total), np.empty(total)
    low, high = np.empty(total), np.empty(total)
    _set_ends(placed, ports, start, start + count - 1, (x, y, low, high))
    _set_rows(placed, start, (x, y, low, high))
    _set_lanes(placed, start, (x, y, low, high))
    knots = Knots(x, y, low, high, edge)
    # Where the box is the tallest of its row its border is the row's border: one knot is enough.
    rises = np.concatenate([[True], np.diff(y) > 0.5])
    first_or_last = ~knots.is_inner
    before_last = np.concatenate([first_or_last[1:] & ~rises[1:], [False]])
    return knots.only(first_or_last | (rises & ~before_last))


Columns = tuple[Floats, Floats, Floats, Floats]
"""x, y, low, high of the knots being made."""


def _set_ends(placed: Placed, ports: tuple[Floats, Floats], first: Ints, last: Ints, columns: Columns) -> None:
    x, y, low, high = columns
    proper = placed.proper
    sides = ((0, first, 1, placed.bottom, ports[0]), (1, last, -1, placed.top, ports[1]))
    for side, at, sign, border, port in sides:
        node = proper.ends[:, side]
        half = placed.sizes[node] / 2
        for knot in (at, at + sign):
            x[knot] = low[knot] = high[knot] = port
        y[at] = placed.y[node] + sign * half[:, 1]
        y[at + sign] = border[proper.row[node]]
        low[at + sign] = np.minimum(port, placed.x[node] - half[:, 0])
        high[at + sign] = np.maximum(port, placed.x[node] + half[:, 0])


def _set_rows(placed: Placed, start: Ints, columns: Columns) -> None:
    x, y, low, high = columns
    proper = placed.proper
    lows, highs = _corridors(placed)
    owner, dummy = proper.owner, proper.via
    upper = start[owner] + 2 + 2 * (np.arange(len(dummy)) - proper.first[owner])
    row = proper.row[dummy]
    for knot, border in ((upper, placed.top), (upper + 1, placed.bottom)):
        x[knot], y[knot] = placed.x[dummy], border[row]
        low[knot], high[knot] = lows[dummy], highs[dummy]


def _set_lanes(placed: Placed, start: Ints, columns: Columns) -> None:
    x, y, low, high = columns
    proper = placed.proper
    edges = np.flatnonzero(proper.laned)
    upper = start[edges] + 2
    rows = proper.row[proper.ends[edges]]
    for knot, border in ((upper, placed.top[rows[:, 0] + 1]), (upper + 1, placed.bottom[rows[:, 1] - 1])):
        x[knot] = low[knot] = high[knot] = placed.lanes[edges]
        y[knot] = border


def _taut(knots: Knots) -> Knots:
    """Pull every string: each knot in turn onto the line between its neighbours, as far as its corridor allows."""
    x, y = knots.x.copy(), knots.y
    inner = np.flatnonzero(knots.is_inner & (knots.low < knots.high))
    share = (y[inner] - y[inner - 1]) / np.maximum(y[inner + 1] - y[inner - 1], 1e-9)
    halves = [np.flatnonzero(inner % 2 == parity) for parity in (0, 1)]
    for _ in range(PULLS):
        for half in halves:
            at, t = inner[half], share[half]
            x[at] = np.clip((1 - t) * x[at - 1] + t * x[at + 1], knots.low[at], knots.high[at])
    return Knots(x, y, knots.low, knots.high, knots.edge)


def _thinned(knots: Knots) -> Knots:
    """Without the knots that stand on the line between their neighbours; four rounds, every other knot in turn."""
    for turn in range(8):
        x, y = knots.x, knots.y
        at = np.flatnonzero(knots.is_inner & (np.arange(len(x)) % 2 == turn % 2))
        share = (y[at] - y[at - 1]) / np.maximum(y[at + 1] - y[at - 1], 1e-9)
        line = (1 - share) * x[at - 1] + share * x[at + 1]
        kept = np.ones(len(x), dtype=np.bool_)
        # Beside a box a knot also holds the curve that the spline will draw, which swings out from the line.
        slack = np.minimum(x[at] - knots.low[at], knots.high[at] - x[at])
        is_free = slack >= SWING * np.abs(x[at + 1] - x[at - 1])
        kept[at[(np.abs(line - x[at]) < STRAIGHT) & is_free]] = False
        knots = knots.only(kept)
    return knots


def _beziers(knots: Knots, placed: Placed) -> tuple[Floats, Ints]:
    """Monotone cubics x(y) through the knots, or buses, as Bézier chains; see `curves_of`."""
    begins = np.flatnonzero(np.diff(knots.edge) == 0)
    edge = knots.edge[begins]
    places = np.stack([knots.x, knots.y], axis=1)
    straight = np.stack([places[begins], places[begins + 1]], axis=1)
    levels = _levels(straight, edge, placed)
    is_bus = ~np.isnan(levels)
    slope = _slopes(knots, ~placed.proper.plane.is_box[placed.proper.ends])
    slope[begins[is_bus]] = slope[begins[is_bus] + 1] = 0.0  # into a bus and out of it goes upright
    third = np.stack([slope[begins], slope[begins + 1], np.ones(len(begins))]) * (np.diff(knots.y)[begins] / 3)
    cubics = np.stack([straight[:, 0], straight[:, 0], straight[:, 1], straight[:, 1]], axis=1)
    cubics[:, 1] += third[[0, 2]].T
    cubics[:, 2] -= third[[1, 2]].T
    count = np.where(is_bus, 3, 1)
    pieces = np.repeat(cubics, count, axis=0)
    pieces[np.repeat(is_bus, count)] = along(straight[is_bus], levels[is_bus]).reshape(-1, 4, 2)
    return _chained(pieces, np.repeat(edge, count))


def _levels(pieces: Floats, edge: Ints, placed: Placed) -> Floats:
    """y where each piece of an edge runs level; NaN for one that does not; shape (p,)."""
    proper, top, bottom = placed.proper, placed.top, placed.bottom
    levels = bus_levels(pieces, edge, proper, top, bottom)
    if placed.channels is None:
        return levels
    along_channels = placed.channels.heights(proper, pieces, edge, top, bottom)
    return np.where(np.isnan(along_channels), levels, along_channels)


def _chained(pieces: Floats, edge: Ints) -> tuple[Floats, Ints]:
    """The chains of the edges of their pieces, which stand in order; see `curves_of`."""
    is_first = np.diff(edge, prepend=-1) != 0
    number = np.cumsum(is_first)
    points = np.empty((int(number[-1]) + 3 * len(pieces), 2))
    at = number + 3 * np.arange(len(pieces))
    starts = at[is_first] - 1
    points[starts] = pieces[is_first, 0]
    for place in range(3):
        points[at + place] = pieces[:, place + 1]
    return points, starts


def _slopes(knots: Knots, is_upright: Flags) -> Floats:
    """dx/dy at every knot: never so steep that a piece leaves the x range of its two knots.

    Args:
        is_upright: whether each edge is upright at its start, and at its end; shape (m, 2).
    """
    inner = knots.is_inner
    rise = np.maximum(np.diff(knots.y), 1e-9)
    steep = np.diff(knots.x) / rise
    slope = np.zeros(len(knots.x))
    at = np.flatnonzero(inner)
    before, after = steep[at - 1], steep[at]
    w1, w2 = 2 * rise[at] + rise[at - 1], rise[at] + 2 * rise[at - 1]
    agree = before * after > 0
    safe = np.where(agree, before * after, 1.0)
    slope[at] = np.where(agree, (w1 + w2) * safe / np.where(agree, w1 * after + w2 * before, 1.0), 0.0)
    edge_ends = np.diff(knots.edge, prepend=-1) != 0
    first = np.flatnonzero(edge_ends)
    last = np.append(first[1:], len(knots.x)) - 1
    edge = knots.edge[first]
    slope[first] = np.where(is_upright[edge, 0], 0.0, _end_slope(steep[first]))
    slope[last] = np.where(is_upright[edge, 1], 0.0, _end_slope(steep[last - 1]))
    return slope


def _end_slope(steep: Floats) -> Floats:
    """The slope at a port: upright for a steep edge, the more along the edge the flatter that is."""
    return np.clip(steep * np.clip((np.abs(steep) - 0.6) / 4.0, 0.0, 0.75), -LEAN, LEAN)
