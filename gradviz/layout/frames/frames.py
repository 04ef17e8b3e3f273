"""Frames around boxes that belong together: how much room they take, and where they are.

A frame is a rectangle around its boxes and the frames inside it. Both engines keep what is foreign out of it; how
is told where they do.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gradviz.layout.plan import NO_FRAME, Floats, Ints, Layout, Request

PAD = 16.0
"""Between a frame and what is in it, in scene units."""
TITLE = 34.0
"""The same at the top, where the title stands."""

MOST_PAIRS = 48
"""Links from the lower end of one frame to the upper end of the next; more cost more time than stairs cost looks."""

Sides = tuple[float, float, float, float]
"""Left, top, right, bottom."""


def sides_of(direction: str) -> Sides:
    """Room at the left, top, right and bottom of a frame, as an engine sees it that lays everything out downwards."""
    return (PAD, TITLE, PAD, PAD) if direction == "down" else (TITLE, PAD, PAD, PAD)


def chains_of(request: Request) -> list[frozenset[int]]:
    """For each frame it and all frames around it; the last is that of `NO_FRAME`: none."""
    chains: list[frozenset[int]] = []
    for frame, parent in enumerate(request.frame_parents.tolist()):
        chains.append(frozenset({frame}) | (chains[parent] if parent != NO_FRAME else frozenset()))
    return [*chains, frozenset()]


def homes_of(request: Request, ends: Ints) -> Ints:
    """The innermost frame that holds both ends of each edge, or `NO_FRAME`; shape (m,).

    Args:
        ends: source and consumer index of every edge; shape (m, 2).
    """
    if not len(request.frame_parents):
        return np.full(len(ends), NO_FRAME)
    # Of the frames around both, the innermost has the greatest number.
    chains, framed = chains_of(request), request.framed[ends].tolist()
    return np.array([max(chains[one] & chains[other], default=NO_FRAME) for one, other in framed], dtype=np.int64)


INNER = 3
"""How much more the length of an edge counts for every frame that holds both its ends."""


def weights_of(request: Request, ends: Ints) -> Ints:
    """How much the length of each edge counts, so that frames are no taller than they need be; shape (m,).

    Args:
        ends: source and consumer index of every edge; shape (m, 2).
    """
    if not len(request.frame_parents):
        return np.ones(len(ends), dtype=np.int64)
    chains, framed = chains_of(request), request.framed[ends].tolist()
    return np.array([1 + INNER * len(chains[one] & chains[other]) for one, other in framed], dtype=np.int64)


def extents_of(request: Request, values: Floats, lowest: bool) -> Floats:
    """The smallest (or greatest) value of the boxes in each frame, those of the frames inside it counted in.

    Args:
        values: of each box; shape (n,).

    Returns:
        Shape (k,).
    """
    count = len(request.frame_parents)
    found = np.full(count, np.inf if lowest else -np.inf)
    pick = np.minimum if lowest else np.maximum
    inside = request.framed != NO_FRAME
    pick.at(found, request.framed[inside], values[inside])
    for frame in range(count - 1, -1, -1):
        parent = int(request.frame_parents[frame])
        if parent != NO_FRAME:
            found[parent] = pick(found[parent], found[frame])
    return found


def row_room(request: Request, rows: Ints, count: int, sides: Sides) -> Floats:
    """Room that frames need above each row and below it, since some begin or end there; shape (2, count).

    Args:
        rows: row of each box; shape (n,).
        count: number of rows.
        sides: as `sides_of` says.
    """
    room = np.zeros((2, count))
    if not len(request.frame_parents):
        return room
    for edge, (lowest, side) in enumerate(((True, sides[1]), (False, sides[3]))):
        at = extents_of(request, rows.astype(np.float64), lowest)
        need = np.zeros(len(at))
        for frame in range(len(at) - 1, -1, -1):
            need[frame] += side
            room[edge, int(at[frame])] = max(room[edge, int(at[frame])], need[frame])
            parent = int(request.frame_parents[frame])
            if parent != NO_FRAME and at[parent] == at[frame]:
                need[parent] = max(need[parent], need[frame])
    return room


def with_frames(layout: Layout, request: Request) -> Layout:
    """The layout with its frames, moved so that its left top corner is at (0, 0)."""
    count = len(request.frame_parents)
    if not count:
        return layout
    low, high = layout.centres - layout.sizes / 2, layout.centres + layout.sizes / 2
    frames = np.full((count, 4), (np.inf, np.inf, -np.inf, -np.inf))
    inside = request.framed != NO_FRAME
    np.minimum.at(frames[:, :2], request.framed[inside], low[inside])
    np.maximum.at(frames[:, 2:], request.framed[inside], high[inside])
    for frame in range(count - 1, -1, -1):
        frames[frame] += (-PAD, -TITLE, PAD, PAD)
        parent = int(request.frame_parents[frame])
        if parent != NO_FRAME:
            frames[parent, :2] = np.minimum(frames[parent, :2], frames[frame, :2])
            frames[parent, 2:] = np.maximum(frames[parent, 2:], frames[frame, 2:])
    if len(layout.frames):
        frames[:, :2] = np.fmin(frames[:, :2], layout.frames[:, :2])
        frames[:, 2:] = np.fmax(frames[:, 2:], layout.frames[:, 2:])
    return _moved(layout, frames)


def _moved(layout: Layout, frames: Floats) -> Layout:
    corner = np.minimum(frames[:, :2].min(axis=0), 0.0)
    right, bottom = np.maximum(frames[:, 2:].max(axis=0), layout.bounds[2:]) - corner
    return replace(
        layout,
        centres=layout.centres - corner,
        curves=tuple(curve - corner for curve in layout.curves),
        frames=frames - np.tile(corner, 2),
        bounds=(0.0, 0.0, float(right), float(bottom)),
    )


def is_in_turn(layout: Layout, request: Request) -> bool:
    """Whether frames side by side that hold equally many boxes stand in the order of their numbers.

    Args:
        layout: one with its frames.
    """
    held = boxes_held(request)
    kinds = list(zip(request.frame_parents.tolist(), held.tolist(), strict=True))
    tops, bottoms = layout.frames[:, 1], layout.frames[:, 3]
    latest: dict[tuple[int, int], int] = {}
    for frame, kind in enumerate(kinds):
        before = latest.get(kind)
        latest[kind] = frame
        if before is None or tops[frame] >= bottoms[before] or tops[before] >= bottoms[frame]:
            continue
        if layout.frames[frame, 0] < layout.frames[before, 0]:
            return False
    return True


def boxes_held(request: Request) -> Ints:
    """How many boxes are in each frame, those of the frames inside it counted in; shape (k,)."""
    held = np.bincount(request.framed[request.framed != NO_FRAME], minlength=len(request.frame_parents))
    for frame in range(len(held) - 1, -1, -1):
        parent = int(request.frame_parents[frame])
        if parent != NO_FRAME:
            held[parent] += held[frame]
    return held


def is_inside(request: Request, box: int, frame: int) -> bool:
    """Whether a box (by index) belongs to a frame, or to one inside it."""
    here = int(request.framed[box])
    while here not in (frame, NO_FRAME):
        here = int(request.frame_parents[here])
    return here == frame


def blocks_in_order(request: Request, ends: Ints) -> list[tuple[list[int], list[int]]]:
    """What must stand above what so that frames follow one another like boxes, not interlocked like stairs.

    For every edge between a frame and its neighbour: the boxes (by index) at the lower end of the one, which have no
    consumer in it, and those at the upper end of the other, which have no source in it. What has no input may stand
    anywhere, but for what many parts of a frame use.

    Args:
        ends: source and consumer of every edge, as indices; shape (m, 2).
    """
    paths = _paths(request)
    framed = request.framed.tolist()
    units: set[tuple[Unit, Unit]] = set()
    fed: set[Unit] = set()
    users: dict[tuple[Unit, Unit], set[Unit]] = {}
    for source, consumer in ends.tolist():
        one = (*(("frame", frame) for frame in paths[framed[source]]), ("box", source))
        other = (*(("frame", frame) for frame in paths[framed[consumer]]), ("box", consumer))
        shared = next(place for place, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1])
        units.add((one[shared], other[shared]))
        fed.update(other[shared:])
        users.setdefault((one[shared], other[shared]), set()).update(other[shared + 1 : shared + 2])
    lower, upper = _ends_of_frames(request, ends, paths)
    ordered = {pair for pair in units if pair[0] in fed} | _shared_side_by_side(units, users)
    return [
        (lower[before] if kind == "frame" else [before], upper[after] if other_kind == "frame" else [after])
        for (kind, before), (other_kind, after) in sorted(ordered)
        if "frame" in (kind, other_kind)
    ]


SHARED = 3
"""What so many parts of a frame use that stand side by side stands above the frame, not beside it."""


def _shared_side_by_side(
    units: set[tuple[Unit, Unit]], users: dict[tuple[Unit, Unit], set[Unit]]
) -> set[tuple[Unit, Unit]]:
    """The pairs of a box and a frame of which many parts use it, none of them after another."""
    after: dict[Unit, set[Unit]] = {}
    for before, follower in units:
        after.setdefault(before, set()).add(follower)
    return {
        pair
        for pair, parts in users.items()
        if len(parts) >= SHARED and not any(after.get(part, set()) & parts for part in parts)
    }


Unit = tuple[str, int]
"""A box, or a frame as a whole."""


def _paths(request: Request) -> list[tuple[int, ...]]:
    """For each frame those around it and itself, outermost first; the last is that of `NO_FRAME`: none."""
    paths: list[tuple[int, ...]] = []
    for frame, parent in enumerate(request.frame_parents.tolist()):
        paths.append((*(paths[parent] if parent != NO_FRAME else ()), frame))
    return [*paths, ()]


def _ends_of_frames(
    request: Request, ends: Ints, paths: list[tuple[int, ...]]
) -> tuple[list[list[int]], list[list[int]]]:
    """For each frame its boxes without a consumer in it, and those without a source in it."""
    count = len(request.frame_parents)
    inner: list[tuple[set[int], set[int]]] = [(set(), set()) for _ in range(count)]
    for source, consumer in ends.tolist():
        for frame in set(paths[request.framed[source]]) & set(paths[request.framed[consumer]]):
            inner[frame][0].add(source)
            inner[frame][1].add(consumer)
    lower: list[list[int]] = [[] for _ in range(count)]
    upper: list[list[int]] = [[] for _ in range(count)]
    for box, frame in enumerate(request.framed.tolist()):
        for around in paths[frame]:
            if box not in inner[around][0]:
                lower[around].append(box)
            if box not in inner[around][1]:
                upper[around].append(box)
    return lower, upper
