"""What is drawn, as arrays: boxes, edges, their sizes and texts. Made once per (track, layout); never changed.

Nodes are numbered as in `track.forward`, edges as in `track.edges`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gradviz.layout.plan import Floats, Ints, Layout
from gradviz.playback.groups.bundles import HIDDEN
from gradviz.playback.groups.folded import FoldedTrack
from gradviz.playback.track import NEVER, Track
from gradviz.recording import Array
from gradviz.ui.canvas.ink.on_screen import OnPixels
from gradviz.ui.canvas.plane.geometry import DENSE, Joined, Segments, dense, spaced_alike, split
from gradviz.ui.canvas.plane.reach import Rectangles
from gradviz.ui.canvas.plane.view import Rect
from gradviz.ui.canvas.scene.cards import Card, cards
from gradviz.ui.canvas.scene.edge_pieces import Pieces
from gradviz.ui.canvas.scene.gauges import Ranks, Size, gauge_codes, ranks_of, size_of
from gradviz.ui.canvas.scene.names import largest_names

Flags = np.ndarray[Any, np.dtype[np.bool_]]

SPACED = 61

THINNEST, WIDEST = 1.6, 5.0
"""Width of an edge by the size of its gradient, in scene units."""

_LEAST_DECADES = 3.0
_MOST_LINES = 4000

_MOST_SEGMENTS = 1_000_000
_PIECE = 250.0
"""About how long the pieces are in which edges are known, in scene units."""

_LONG = 3000.0
"""An edge that reaches further is drawn in stretches, in scene units."""

_LONGEST_SEGMENT = 256.0
"""Of such an edge."""

_OF_THE_TRACK = (
    "cards",
    "kinds",
    "edge_widths",
    "gauges",
    "gauge_ranks",
    "gauge_sizes",
    "kind_codes",
    "out_of_reach",
    "is_dashed",
)


_SLOW = (
    "cards",
    "curves",
    "edge_widths",
    "gauges",
    "gauge_ranks",
    "gauge_sizes",
    "largest_names",
    "out_of_reach",
    "is_short",
)


@dataclass(frozen=True, eq=False)
class Scene:
    """A track in its places."""

    track: Track
    layout: Layout

    def moved(self, layout: Layout) -> Scene:
        """The same track in other places; what does not depend on the places is not made again."""
        made = Scene(self.track, layout)
        for name in _OF_THE_TRACK:
            made.__dict__[name] = getattr(self, name)
        return made

    def prepare(self) -> None:
        """Make what else would be made when a picture is first drawn at a scale: of a large one, in any thread."""
        for name in _SLOW:
            getattr(self, name)
        if self.folded is not None:
            _ = self.folded.stops, self.folded.under_way(self.folded.length)
        self.boxes_near.prepare()
        for pieces in (self.rough_pieces, self.coarse_pieces, self.dense_pieces):
            pieces.prepare()

    @property
    def folded(self) -> FoldedTrack | None:
        """The track, where groups of it can be folded."""
        return self.track if isinstance(self.track, FoldedTrack) else None

    def group_at(self, position: int) -> int | None:
        """Index of the folded group that is current at a position, or None."""
        if self.folded is None or not self.folded.has_folded:
            return None
        index = self.folded.box_at(position)
        return index if index != HIDDEN and self.folded.is_group[index] else None

    @cached_property
    def cards(self) -> tuple[Card, ...]:
        """The texts of each node."""
        return cards(self.track)

    @cached_property
    def kinds(self) -> Ints:
        """`Kind` of each node."""
        return np.array([card.kind for card in self.cards], dtype=np.int64)

    @cached_property
    def kind_codes(self) -> Ranks:
        """The same as a few bits of a code, above those of a mood and a flag."""
        codes: Ranks = (self.kinds << 3).astype(np.uint16)
        return codes

    @cached_property
    def boxes(self) -> Floats:
        """Left, top, right, bottom of each box; shape (n, 4)."""
        half = self.layout.sizes / 2
        return np.hstack([self.layout.centres - half, self.layout.centres + half]).reshape(-1, 4)

    @cached_property
    def curves(self) -> tuple[Floats, ...]:
        """The curve of each edge, in the order of `track.edges`."""
        rows = self.layout.edges
        order = np.lexsort((rows[:, 2], rows[:, 1])) if len(rows) else np.zeros(0, dtype=np.int64)
        return tuple(self.layout.curves[i] for i in order.tolist())

    @cached_property
    def _joined(self) -> Joined:
        return Joined(self.curves)

    @cached_property
    def coarse(self) -> Segments:
        """Every edge as a few segments, for a small picture."""
        return Segments(self._joined, 8, 4, 64)

    @cached_property
    def rough(self) -> Segments:
        """Every edge as straight as can be, for a picture of many nodes."""
        return Segments(self._joined, 1, 1, 6)

    @cached_property
    def boxes_near(self) -> Rectangles:
        """Finds the boxes near a place."""
        return Rectangles(self.boxes)

    @cached_property
    def edges_near(self) -> Rectangles:
        """Finds the edges near a place."""
        return Rectangles(self.edge_boxes)

    @cached_property
    def whole(self) -> Pieces:
        """Boxes and edges, each edge as one piece: quickly made, for a picture that is seen once."""
        return Pieces(self.boxes, self.edge_boxes, np.arange(len(self.edge_boxes)))

    @cached_property
    def dense_pieces(self) -> Pieces:
        """Boxes and edges where edges are drawn as curves."""
        return self._pieces(Segments(self._joined, DENSE, DENSE, _MOST_SEGMENTS), _PIECE)

    @cached_property
    def coarse_pieces(self) -> Pieces:
        """Boxes and edges where edges are drawn as `coarse`."""
        return self._pieces(self.coarse, 2 * _PIECE)

    @cached_property
    def rough_pieces(self) -> Pieces:
        """Boxes and edges where edges are drawn as `rough`."""
        left, top, right, bottom = self.around
        return self._pieces(self.rough, max(6 * _PIECE, max(right - left, bottom - top) / 64))

    def _pieces(self, segments: Segments, longest: float) -> Pieces:
        return Pieces.along(self.boxes, segments, longest) if self.curves else self.whole

    @cached_property
    def boxes_on_pixels(self) -> OnPixels:
        """Which device pixels the boxes are on in a view."""
        return OnPixels(self.boxes)

    @cached_property
    def edge_boxes(self) -> Floats:
        """Left, top, right, bottom of each edge; shape (m, 4)."""
        if not self.curves:
            return np.zeros((0, 4))
        # A cubic never leaves the hull of its control points.
        points, starts = self._joined.points, self._joined.starts[:-1]
        return np.hstack([np.minimum.reduceat(points, starts), np.maximum.reduceat(points, starts)])

    @cached_property
    def is_long(self) -> Flags:
        """Whether each edge reaches over several screens."""
        flags: Flags = (self.edge_boxes[:, 2:] - self.edge_boxes[:, :2]).max(axis=1, initial=0.0) > _LONG
        return flags

    @cached_property
    def is_short(self) -> Ranks:
        """The others, as numbers 0 and 1."""
        return (~self.is_long).astype(np.uint8)

    @cached_property
    def out_of_reach(self) -> Ints:
        """The nodes that take no gradient and get none in this sweep: the pass does not miss them."""
        return np.flatnonzero(~self.track.takes_gradient & (self.track.backward_ranks == NEVER))

    @cached_property
    def is_dashed(self) -> Flags:
        """Whether no gradient can ever flow along each edge: its source takes none."""
        return ~self.track.edge_takes_gradient

    @cached_property
    def edge_widths(self) -> Floats:
        """Width of each edge by the size of the gradient it carries, on a log scale; in scene units."""
        sizes = np.array([_size(self.track.gradients(edge)) for edge in range(len(self.track.edges))])
        return _log_widths(sizes)

    @cached_property
    def gauges(self) -> tuple[Ints, Floats]:
        """The code and the norm of the gradient that comes into each node; measured when first asked for."""
        return gauge_codes(self.track)

    @cached_property
    def gauge_ranks(self) -> Ranks:
        """What the gauges are drawn by; see `ranks_of`."""
        return ranks_of(self.gauges[0])

    @cached_property
    def gauge_sizes(self) -> frozenset[Size]:
        """Which sizes there are among the gradients."""
        return frozenset(size_of(code) for code in np.flatnonzero(np.bincount(self.gauges[0])).tolist())

    @cached_property
    def around(self) -> Rect:
        """The rectangle around everything."""
        return self.layout.bounds

    @cached_property
    def body(self) -> Rect:
        """The rectangle around the boxes."""
        if not len(self.boxes):
            return self.around
        left, top = self.boxes[:, :2].min(axis=0).tolist()
        right, bottom = self.boxes[:, 2:].max(axis=0).tolist()
        return left, top, right, bottom

    @cached_property
    def largest_names(self) -> float:
        """How much larger names may be written with their paths."""
        return largest_names(zip(self.cards, self.layout.sizes[:, 0].tolist(), strict=True))

    @cached_property
    def _lines(self) -> dict[int, Floats]:
        return {}

    def line(self, edge: int) -> Floats:
        """An edge as points, close enough for any zoom."""
        known = self._lines.get(edge)
        if known is None:
            if len(self._lines) >= _MOST_LINES:
                self._lines.clear()
            line = dense(self.curves[edge])
            known = self._lines[edge] = split(line, _LONGEST_SEGMENT) if self.is_long[edge] else line
        return known

    @cached_property
    def _spaced(self) -> dict[int, Floats]:
        return {}

    def spaced(self, edges: Sequence[int]) -> Floats:
        """Some edges as `SPACED` points at equal distances each; shape (len(edges), SPACED, 2)."""
        if len(self._spaced) >= _MOST_LINES:
            self._spaced.clear()
        missing = [edge for edge in edges if edge not in self._spaced]
        if missing:
            lines = spaced_alike([self.curves[edge] for edge in missing], SPACED)
            self._spaced.update(zip(missing, lines, strict=True))
        return np.stack([self._spaced[edge] for edge in edges]) if len(edges) else np.zeros((0, SPACED, 2))

    def node_at_point(self, point: tuple[float, float], slack: float = 0.0) -> int | None:
        """Index of the node whose box holds a scene point, or None."""
        hits = self.boxes_near.touching(np.array([[*point, *point]]), slack)
        return int(hits[0]) if len(hits) else None

    @cached_property
    def _edges_by_consumer(self) -> Ints:
        return np.searchsorted(self.track.edge_consumers, np.arange(len(self.track.forward) + 1))

    def edges_into(self, index: int) -> range:
        """The edges that bring the inputs of a node."""
        first, last = self._edges_by_consumer[index : index + 2].tolist()
        return range(first, last)

    @cached_property
    def _by_source(self) -> tuple[Ints, Ints]:
        order = np.argsort(self.track.edge_sources, kind="stable")
        starts = np.searchsorted(self.track.edge_sources[order], np.arange(len(self.track.forward) + 1))
        return order, starts

    def edges_out_of(self, index: int) -> list[int]:
        """The edges that take the value of a node to its consumers."""
        order, starts = self._by_source
        edges: list[int] = order[starts[index] : starts[index + 1]].tolist()
        return edges


def _size(gradients: Sequence[Array]) -> float:
    """The largest number of some gradients, without sign; nan where there is none."""
    sizes = [abs(float(g)) if g.ndim == 0 else float(np.abs(g).max()) for g in gradients if g.size]
    return max(sizes, default=float("nan"))


def _log_widths(sizes: Floats) -> Floats:
    positive = np.isfinite(sizes) & (sizes > 0)
    widths = np.where(np.isinf(sizes), WIDEST, THINNEST)
    if not positive.any():
        return widths
    logs = np.log10(sizes[positive])
    # At least three decades wide and at most six: equal gradients look equal, and one outlier hides no others.
    low, high = max(float(logs.min()), float(logs.max()) - 6.0), float(logs.max())
    spare = max(_LEAST_DECADES - (high - low), 0.0)
    share = (logs - (low - spare / 2)) / (high - low + spare)
    widths[positive] = THINNEST + (WIDEST - THINNEST) * np.clip(share, 0.0, 1.0)
    return widths
