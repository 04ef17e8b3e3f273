"""What is drawn, as arrays: boxes, edges, their sizes and texts. Made once per (track, layout); never changed.

Nodes are numbered as in `track.forward`, edges as in `track.edges`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gradviz.layout.plan import Floats, Ints, Layout
from gradviz.playback.groups.bundles import HIDDEN
from gradviz.playback.groups.folded import FoldedTrack
from gradviz.playback.health.births import Birth, births
from gradviz.playback.track import NEVER, Track
from gradviz.recording import Array, Summary
from gradviz.ui.canvas.plane.geometry import Curves, Flags, boxes_around, dense, spaced_alike, touching
from gradviz.ui.canvas.plane.view import Rect, View
from gradviz.ui.canvas.scene.cards import Card, cards
from gradviz.ui.canvas.scene.gauges import gauge_codes
from gradviz.ui.canvas.scene.names import largest_names

SPACED = 61
"""Points of an edge at equal distances, between which a label finds its place."""

THINNEST, WIDEST = 1.6, 5.0
"""Width of an edge by the size of its gradient, in scene units."""

_LEAST_DECADES = 3.0
_LONG = 3000.0
"""An edge that reaches further is drawn in stretches, in scene units."""

_OF_THE_TRACK = ("cards", "kinds", "edge_widths", "gauges", "out_of_reach", "is_dashed", "births")
_SLOW = (*_OF_THE_TRACK, "curves", "largest_names", "coarse", "rough", "is_long")


@dataclass(frozen=True, eq=False)
class Scene:
    """A track in its layout."""

    track: Track
    layout: Layout

    def moved(self, layout: Layout) -> Scene:
        """The same track laid out in another way; what does not depend on the layout is not made again."""
        made = Scene(self.track, layout)
        for name in _OF_THE_TRACK:
            made.__dict__[name] = getattr(self, name)
        return made

    def prepare(self) -> None:
        """Make what would else be made when it is first drawn: of a large graph that takes long. In any thread."""
        for name in _SLOW:
            getattr(self, name)
        if self.folded is not None:
            _ = self.folded.stops, self.folded.under_way(self.folded.length)

    # ---- boxes ----

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
    def boxes(self) -> Floats:
        """Left, top, right, bottom of each box; shape (n, 4)."""
        half = self.layout.sizes / 2
        return np.hstack([self.layout.centres - half, self.layout.centres + half]).reshape(-1, 4)

    def box_in(self, view: View, index: int) -> Rect:
        """The box of a node on the screen."""
        left, top, right, bottom = self.boxes[index].tolist()
        return view.rect_to_screen((left, top, right, bottom))

    def marked(self, nodes: Iterable[int]) -> Flags:
        """Which boxes stand for some of these nodes; a folded group does where anything in it is one."""
        flags: Flags = np.zeros(len(self.track.forward), dtype=np.bool_)
        flags[[self.track.index_of[node] for node in nodes if node in self.track.index_of]] = True
        return flags

    @cached_property
    def out_of_reach(self) -> Ints:
        """The nodes that take no gradient and get none in this sweep: the pass does not miss them."""
        return np.flatnonzero(~self.track.takes_gradient & (self.track.backward_ranks == NEVER))

    @cached_property
    def gauges(self) -> tuple[Ints, Floats]:
        """The code and the norm of the gradient that comes into each node."""
        return gauge_codes(self.track)

    @cached_property
    def births(self) -> tuple[Birth, ...]:
        """Where a NaN or an infinity is born, in the order in which they are."""
        return births(self.track if self.folded is None else self.folded.base)

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

    def node_at_point(self, point: tuple[float, float], slack: float = 0.0) -> int | None:
        """Index of the node whose box holds a scene point, or None."""
        hits = touching(self.boxes, (*point, *point), slack)
        return int(hits[0]) if len(hits) else None

    # ---- edges ----

    @cached_property
    def curves(self) -> Curves:
        """The curve of each edge, in the order of `track.edges`."""
        rows = self.layout.edges
        order = np.lexsort((rows[:, 2], rows[:, 1])) if len(rows) else np.zeros(0, dtype=np.int64)
        return Curves([self.layout.curves[i] for i in order.tolist()])

    @cached_property
    def edge_boxes(self) -> Floats:
        """Left, top, right, bottom of each edge; shape (m, 4)."""
        return self.curves.boxes

    @cached_property
    def is_long(self) -> Flags:
        """Whether each edge reaches over several screens."""
        flags: Flags = (self.edge_boxes[:, 2:] - self.edge_boxes[:, :2]).max(axis=1, initial=0.0) > _LONG
        return flags

    @cached_property
    def coarse(self) -> tuple[Floats, Ints]:
        """Every edge as a few segments, and the edge of each segment."""
        return self.curves.segments(8, 4, 64)

    @cached_property
    def coarse_boxes(self) -> Floats:
        """The rectangle around each of these segments; shape (s, 4)."""
        return boxes_around(self.coarse[0])

    @cached_property
    def rough(self) -> tuple[Floats, Ints]:
        """Every edge as straight as can be, for many nodes at once."""
        return self.curves.segments(1, 1, 6)

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
    def _lines(self) -> dict[int, Floats]:
        return {}

    def line(self, edge: int) -> Floats:
        """An edge as points, close enough for any zoom."""
        if edge not in self._lines:
            self._lines[edge] = dense(self.curve(edge))
        return self._lines[edge]

    def curve(self, edge: int) -> Floats:
        """The control points of an edge; shape (3k + 1, 2)."""
        first, last = self.curves.starts[edge : edge + 2].tolist()
        return self.curves.points[first:last]

    @cached_property
    def _spaced(self) -> dict[int, Floats]:
        return {}

    def spaced(self, edges: Sequence[int]) -> Floats:
        """Some edges as `SPACED` points at equal distances each; shape (len(edges), SPACED, 2)."""
        missing = [edge for edge in edges if edge not in self._spaced]
        self._spaced.update(zip(missing, spaced_alike([self.curve(edge) for edge in missing], SPACED), strict=True))
        return np.array([self._spaced[edge] for edge in edges]).reshape(-1, SPACED, 2)

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


def _size(gradients: Sequence[Array | Summary]) -> float:
    """The largest number of some gradients, without sign; nan where there is none."""
    sizes = [
        _largest(g) if isinstance(g, Summary) else abs(float(g)) if g.ndim == 0 else float(np.abs(g).max())
        for g in gradients
        if isinstance(g, Summary) or g.size
    ]
    return max(sizes, default=float("nan"))


def _largest(summary: Summary) -> float:
    return max((abs(number) for number in (summary.min, summary.max) if number is not None), default=float("nan"))


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
