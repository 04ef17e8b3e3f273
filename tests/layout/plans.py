"""Requests for the layout tests, and what must hold of every layout."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

from gradviz.layout.frames.frames import is_inside
from gradviz.layout.plan import Floats, Layout, Request


def request_from_pairs(
    count: int,
    pairs: list[tuple[int, int]],
    sizes: Sequence[tuple[float, float]] | None = None,
    direction: str = "down",
) -> Request:
    """A request with node ids 10, 13, 16, ... and slots counted per consumer."""
    slots: dict[int, int] = {}
    rows = []
    for source, consumer in sorted(pairs, key=lambda pair: (pair[1], pair[0])):
        slots[consumer] = slots.get(consumer, -1) + 1
        rows.append((10 + 3 * source, 10 + 3 * consumer, slots[consumer]))
    boxes = np.array(sizes or [(90.0, 40.0)] * count, dtype=np.float64).reshape(-1, 2)
    return Request(10 + 3 * np.arange(count), boxes, np.array(rows, dtype=np.int64).reshape(-1, 3), direction)


@st.composite
def requests(draw: st.DrawFn, largest: int = 30) -> Request:
    """Graphs of any kind: parallel edges, several components, single nodes, boxes of any size, both directions."""
    count = draw(st.integers(1, largest))
    box = st.tuples(st.integers(20, 300), st.integers(10, 120))
    sizes = [(float(w), float(h)) for w, h in draw(st.lists(box, min_size=count, max_size=count))]
    pairs: list[tuple[int, int]] = []
    if count > 1:
        ends = st.tuples(st.integers(0, count - 1), st.integers(0, count - 1)).filter(lambda pair: pair[0] != pair[1])
        pairs = [(min(pair), max(pair)) for pair in draw(st.lists(ends, max_size=2 * count))]
    return request_from_pairs(count, pairs, sizes, draw(st.sampled_from(["down", "right"])))


def sampled(curve: Floats, pieces: int = 16) -> Floats:
    """Points of a Bézier chain."""
    t = np.linspace(0, 1, pieces + 1)[:, None]
    parts = [
        (1 - t) ** 3 * a + 3 * t * (1 - t) ** 2 * b + 3 * t**2 * (1 - t) * c + t**3 * d
        for a, b, c, d in zip(curve[0:-1:3], curve[1::3], curve[2::3], curve[3::3], strict=True)
    ]
    return np.concatenate(parts)


def overlaps(layout: Layout) -> list[tuple[int, int]]:
    """Pairs of nodes whose boxes overlap."""
    apart = np.abs(layout.centres[:, None] - layout.centres[None])
    allowed = (layout.sizes[:, None] + layout.sizes[None]) / 2 - 1e-6
    first, second = np.nonzero(np.triu((apart < allowed).all(axis=2), 1))
    return list(zip(layout.nodes[first].tolist(), layout.nodes[second].tolist(), strict=True))


def boxes_hit(layout: Layout) -> list[tuple[int, int]]:
    """(row of the edge, node) for every curve that runs through a box, its own boxes too."""
    hits: list[tuple[int, int]] = []
    for row, curve in enumerate(layout.curves):
        inside = np.abs(sampled(curve)[:, None] - layout.centres[None]) < layout.sizes[None] / 2 - 0.01
        hits.extend((row, int(layout.nodes[node])) for node in np.flatnonzero(inside.all(axis=2).any(axis=0)))
    return hits


def check_layout(layout: Layout, request: Request) -> None:
    """What holds of every layout, whichever engine made it."""
    assert np.array_equal(layout.nodes, request.nodes)
    assert np.array_equal(layout.edges, request.edges)
    assert np.array_equal(layout.sizes, request.sizes)
    assert len(layout.curves) == len(request.edges)
    assert overlaps(layout) == []
    assert boxes_hit(layout) == []
    across, along = (0, 1) if request.direction == "down" else (1, 0)
    for curve, (source, consumer, _) in zip(layout.curves, request.edges.tolist(), strict=True):
        assert len(curve) % 3 == 1
        _check_port(layout, curve[0], source, across, along, 1)
        _check_port(layout, curve[-1], consumer, across, along, -1)
    assert_inside_bounds(layout)


def _check_port(layout: Layout, point: Floats, node: int, across: int, along: int, sign: int) -> None:
    index = int(np.searchsorted(layout.nodes, node))
    centre, size = layout.centres[index], layout.sizes[index]
    assert abs(point[along] - (centre[along] + sign * size[along] / 2)) < 1e-6
    assert abs(point[across] - centre[across]) <= size[across] / 2 + 1e-6


def assert_inside_bounds(layout: Layout) -> None:
    """The bounds begin at (0, 0), hold everything and are hardly larger (curves end inside their control points)."""
    corners = [layout.centres - layout.sizes / 2, layout.centres + layout.sizes / 2]
    corners.append(layout.frames.reshape(-1, 2))
    points = np.concatenate([*corners, *(sampled(curve) for curve in layout.curves)])
    left, top, right, bottom = layout.bounds
    assert (left, top) == (0.0, 0.0)
    assert (points >= -1e-6).all()
    assert (points <= (right + 1e-6, bottom + 1e-6)).all()
    assert (points.max(axis=0) > (right - 20, bottom - 20)).all()
    assert (points.min(axis=0) < 20).all()


def intruders(layout: Layout, request: Request) -> list[tuple[int, int]]:
    """(frame, index of a box) for every box that touches a frame it is not in: none, where an engine did its work."""
    low, high = layout.centres - layout.sizes / 2, layout.centres + layout.sizes / 2
    found = []
    for frame, (left, top, right, bottom) in enumerate(layout.frames.tolist()):
        touches = (high[:, 0] > left) & (low[:, 0] < right) & (high[:, 1] > top) & (low[:, 1] < bottom)
        found += [(frame, box) for box in np.flatnonzero(touches).tolist() if not is_inside(request, box, frame)]
    return found
