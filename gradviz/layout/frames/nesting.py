"""Frames inside one another, taken apart into planes, one for each depth, and put together again.

An edge that leaves its frame goes through a port at the bottom of the frame, one for each tensor, and enters another
through a port at the top. So it has a piece in every frame on its way, and the pieces meet at the ports.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from gradviz.layout.frames.frames import boxes_held, depths_of
from gradviz.layout.frames.ways import Ways, ways_of
from gradviz.layout.graph import indices_of
from gradviz.layout.layered.place import Sides
from gradviz.layout.layered.plane import Arranged, Plane
from gradviz.layout.layered.ranks import generations_of
from gradviz.layout.plan import NO_FRAME, Flags, Floats, Ints, Layout, Request
from gradviz.layout.shape import laid_out

Values = TypeVar("Values", Ints, Floats)

ANY_SLOT = -1
"""The slot of an edge into a frame or a port."""


@dataclass(frozen=True, eq=False)
class Outlines:
    """What the plane around some frames needs to know of them.

    Attributes:
        frames: their numbers, ascending; shape (f,).
        sizes: width and height of each; shape (f, 2).
        ports: sorted keys of their ports, see `Nesting.port_keys`; shape (p,).
        attached: how far right of the middle of its frame each port is; shape (p,).
    """

    frames: Ints
    sizes: Floats
    ports: Ints
    attached: Floats


NO_OUTLINES = Outlines(np.zeros(0, dtype=np.int64), np.zeros((0, 2)), np.zeros(0, dtype=np.int64), np.zeros(0))


@dataclass(frozen=True, eq=False)
class Nesting:
    """The frames of a request, by depth.

    Attributes:
        request: boxes, edges and frames.
        ends: source and consumer of every edge, as indices; shape (m, 2).
        around: for each depth from 0 on, and one more, the frame so deep inside others that each box is in, or
            `NO_FRAME`; of depth 0 always; shape (depth + 2, n).
        depths: how many frames are around each box; shape (n,).
        homes: how many are around both ends of each edge; shape (m,).
        ways: which pieces of edges are to run straight down.
    """

    request: Request
    ends: Ints
    around: Ints
    depths: Ints
    homes: Ints
    ways: Ways

    @staticmethod
    def of(request: Request) -> Nesting:
        """Raises: LayoutError: the graph has a cycle, or an edge names a node that is not there."""
        ends = indices_of(request)
        parents = np.append(request.frame_parents, NO_FRAME)
        frame_depths = depths_of(request)
        depth = int(frame_depths.max(initial=0))
        around = np.full((depth + 2, len(request.nodes)), NO_FRAME)
        here, deep = request.framed, np.append(frame_depths, 0)
        for level in range(depth, 0, -1):
            is_here = deep[here] == level
            around[level] = np.where(is_here, here, NO_FRAME)
            here = np.where(is_here, parents[here], here)
        source, consumer = around[:, ends[:, 0]], around[:, ends[:, 1]]
        homes = ((source == consumer) & (source != NO_FRAME)).sum(axis=0)
        ways = ways_of(ends, generations_of(len(request.nodes), ends), around)
        return Nesting(request, ends, around, deep[request.framed], homes, ways)

    @property
    def depth(self) -> int:
        """How many frames are inside one another at the most."""
        return len(self.around) - 2

    def port_keys(self, frames: Ints, tensors: Ints, *, entries: bool) -> Ints:
        """A number for each port of a frame: of what comes in, or of what goes out."""
        return np.asarray((frames * len(self.request.nodes) + tensors) * 2 + entries)

    def level(self, depth: int, inner: Outlines) -> Level:
        """What is directly in the frames that are so deep inside others; 0: what is in no frame.

        Args:
            inner: the frames directly in those.
        """
        boxes, place = self._items(depth, inner)
        vertex_of = self._vertices(depth, inner, boxes, place)
        ends, here = self.ends, self.around[depth]
        is_apart = self.homes < depth
        leaves = np.flatnonzero(is_apart & (self.depths[ends[:, 0]] >= depth))
        stays = np.flatnonzero(self.homes == depth)
        enters = np.flatnonzero(is_apart & (self.depths[ends[:, 1]] >= depth))
        exits, out = np.unique(
            self.port_keys(here[ends[leaves, 0]], ends[leaves, 0], entries=False), return_inverse=True
        )
        entries, into = np.unique(
            self.port_keys(here[ends[enters, 1]], ends[enters, 0], entries=True), return_inverse=True
        )
        first_exit = len(place) + len(entries)
        source = [vertex_of[ends[leaves, 0]], vertex_of[ends[stays, 0]], len(place) + into]
        target = [first_exit + out, vertex_of[ends[stays, 1]], vertex_of[ends[enters, 1]]]
        pairs = np.stack([np.concatenate(source), np.concatenate(target)], axis=1)
        edges = np.concatenate([leaves, stays, enters])
        turn = np.repeat([-depth - 1, 0, depth + 1], [len(leaves), len(stays), len(enters)])

        is_into_box = (self.depths[ends[edges, 1]] == depth) & (turn >= 0)
        slots = np.where(is_into_box, self.request.edges[edges, 2], ANY_SLOT)
        # A tensor goes into a frame once, however often it is read there.
        total, most = first_exit + len(exits), int(slots.max(initial=0)) + 2
        keys = (ends[edges, 0] * total + pairs[:, 1]) * most + slots + 1
        _, once, piece = np.unique(keys, return_index=True, return_inverse=True)
        ports = np.concatenate([entries, exits])
        plane = Plane(
            self._filled(place, total, np.concatenate([self.request.sizes[boxes], inner.sizes]), 0.0),
            pairs[once],
            slots[once],
            ends[edges[once], 0],
            self._attached(depth, inner, edges[once], turn[once]),
            np.append(
                self._filled(place, len(place), np.append(here[boxes], self._parents[inner.frames]), NO_FRAME),
                ports // 2 // len(self.request.nodes),
            ),
            self._filled(place, total, np.append(np.zeros_like(boxes), boxes_held(self.request)[inner.frames]), 0),
            (np.arange(total) >= len(place)) & (np.arange(total) < first_exit),
            np.arange(total) >= first_exit,
            np.unique(piece[self._is_on_way(depth, edges, turn)]),
            is_framed=True,
        )
        return Level(depth, plane, boxes, place, inner.frames, ports, edges, piece, turn)

    @property
    def _parents(self) -> Ints:
        """The frame around each frame; `NO_FRAME` is around the last, which is none."""
        return np.append(self.request.frame_parents, NO_FRAME)

    def _items(self, depth: int, inner: Outlines) -> tuple[Ints, Ints]:
        """The boxes directly in frames of a depth, and the vertex of each of them and then of each frame there.

        They are in the order of their numbers: of a frame, that of its first box.
        """
        boxes, inside = np.flatnonzero(self.depths == depth), self.around[depth + 1]
        first = np.full(len(self.request.frame_parents), len(inside))
        np.minimum.at(first, inside[inside != NO_FRAME], np.flatnonzero(inside != NO_FRAME))
        order = np.argsort(np.append(boxes, first[inner.frames]), kind="stable")
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        return boxes, place

    def _vertices(self, depth: int, inner: Outlines, boxes: Ints, place: Ints) -> Ints:
        """The vertex that stands for each box which is in a frame of the depth, itself or by its frame; shape (n,)."""
        of_frame = np.zeros(len(self._parents), dtype=np.int64)
        of_frame[inner.frames] = place[len(boxes) :]
        vertices: Ints = of_frame[self.around[depth + 1]]
        vertices[boxes] = place[: len(boxes)]
        return vertices

    def _filled(self, place: Ints, total: int, values: Values, other: float) -> Values:
        """Values of boxes and frames by their vertices, and another one for ports."""
        found = np.full((total, *values.shape[1:]), other, dtype=values.dtype)
        found[place] = values
        return found

    def _attached(self, depth: int, inner: Outlines, edges: Ints, turn: Ints) -> Floats:
        """How far right of the middles of their ends some pieces meet them; NaN where these are no frames."""
        found, inside = np.full((len(edges), 2), np.nan), self.around[depth + 1]
        # A piece that leaves ends at a port of this plane, and one that enters begins at one.
        for side, is_port in ((0, turn > 0), (1, turn < 0)):
            frame = inside[self.ends[edges, side]]
            meets = np.flatnonzero((frame != NO_FRAME) & ~is_port)
            wanted = self.port_keys(frame[meets], self.ends[edges[meets], 0], entries=bool(side))
            found[meets, side] = inner.attached[np.searchsorted(inner.ports, wanted)]
        return found

    def _is_on_way(self, depth: int, edges: Ints, turn: Ints) -> Flags:
        """Whether the piece of each of some edges is to run straight down."""
        leaves, enters = (ways[edges] <= depth for ways in (self.ways.out, self.ways.into))
        return np.asarray((leaves & (turn <= 0)) | (enters & (turn >= 0)))

    def layout(self, parts: Sequence[tuple[Level, Arranged]], sides: Sides) -> Layout:
        """The layout of the request, from the planes of all depths, the innermost first."""
        frames = np.zeros((len(self.request.frame_parents), 4))
        centres = np.zeros((len(self.request.nodes), 2))
        chains = []
        for level, found in reversed(parts):
            # Of each component, what stands at (0, 0) there: the left top corner of its frame is on the level of it.
            origin = np.zeros((len(found.left), 2))
            if level.depth:
                origin = frames[level.frames_around(found), :2]
                origin[:, 0] -= found.left - sides[0]
            at = found.centres + origin[found.component]
            boxes, inner = np.split(level.place, [len(level.boxes)])
            centres[level.boxes] = at[boxes]
            half = level.plane.sizes[inner] / 2
            frames[level.frames] = np.concatenate([at[inner] - half, at[inner] + half], axis=1)
            chains.append((level, found, origin))
        return laid_out(self.request, centres, *_joined(chains), "layers", frames)


def _joined(chains: Sequence[tuple[Level, Arranged, Floats]]) -> tuple[Floats, Ints]:
    """The points of the edges of a request, joined of their pieces in all levels, and where those of each edge begin.

    Args:
        chains: levels, and of each component there where its (0, 0) is.
    """
    points: list[Floats] = []
    pieces: list[tuple[Ints, Ints, Ints, Ints]] = []
    count = 0
    for level, found, origin in chains:
        lengths = np.diff(np.append(found.starts, len(found.points)))
        points.append(found.points + np.repeat(origin[found.component[level.plane.ends[:, 0]]], lengths, axis=0))
        pieces.append((level.edges, level.turn, count + found.starts[level.piece], lengths[level.piece]))
        count += len(found.points)
    edge, turn, start, length = (np.concatenate(column) for column in zip(*pieces, strict=True))
    order = np.lexsort((turn, edge))
    edge, start, length = edge[order], start[order], length[order]
    is_first = np.diff(edge, prepend=-1) != 0
    # A piece begins where the one before it ends.
    start, length = start + ~is_first, length - ~is_first
    begins = np.cumsum(length) - length
    chosen = np.arange(int(length.sum())) + np.repeat(start - begins, length)
    return np.concatenate(points)[chosen], begins[is_first]


@dataclass(frozen=True, eq=False)
class Level:
    """What is directly in frames of one depth.

    Attributes:
        depth: how many frames are around it.
        plane: boxes, frames and ports.
        boxes: the boxes in it, by index; shape (b,).
        place: the vertex of each of the boxes, then of each of the frames; shape (b + f,).
        frames: the frames in it; shape (f,).
        ports: keys of the ports, which are the last vertices, see `Nesting.port_keys`.
        edges: the edges of the request that have a piece in it; shape (p,).
        piece: the edge of the plane that each of them runs along here; shape (p,).
        turn: what numbers of all levels order the pieces of an edge by; shape (p,).
    """

    depth: int
    plane: Plane
    boxes: Ints
    place: Ints
    frames: Ints
    ports: Ints
    edges: Ints
    piece: Ints
    turn: Ints

    def frames_around(self, arranged: Arranged) -> Ints:
        """The frame of each component; shape (components,)."""
        found = np.zeros(len(arranged.left), dtype=np.int64)
        found[arranged.component] = self.plane.groups
        return found

    def outlines(self, arranged: Arranged, sides: Sides) -> Outlines:
        """The frames around the components of this plane, as boxes with ports."""
        if not self.depth:
            return NO_OUTLINES
        frames = self.frames_around(arranged)
        order = np.argsort(frames)
        left, right = arranged.left - sides[0], arranged.right + sides[2]
        has_exit = np.zeros(len(frames), dtype=np.bool_)
        has_exit[arranged.component[self.plane.is_exit]] = True
        bottom = arranged.bottom + np.where(has_exit, 0.0, sides[3])
        sizes = np.stack([right - left, bottom], axis=1)
        ports = np.flatnonzero(self.plane.is_port)
        component = arranged.component[ports]
        attached = arranged.centres[ports, 0] - (left + right)[component] / 2
        by_key = np.argsort(self.ports)
        return Outlines(frames[order], sizes[order], self.ports[by_key], attached[by_key])
