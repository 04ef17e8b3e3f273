"""From a track to a picture: groups, sizes and layout, all of it work for a thread of its own. Knows no Qt."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gradviz.layout.plan import Floats, Ints, Layout
from gradviz.ui.session.foldings import Sight

if TYPE_CHECKING:  # the window stands before there is anything to draw
    from gradviz.layout.spread import Spread
    from gradviz.playback.difference import Difference
    from gradviz.playback.track import Track
    from gradviz.recording import Recording
    from gradviz.ui.canvas.scene.scene import Scene

MOST_KEPT = 12
"""Layouts kept for when the same boxes come back: by undo, or by folding and opening."""

FEW = 300
"""Nodes of a track that is seen at once where its layout is kept."""

MOST_COMPARED = 1_000_000
"""Numbers that are compared with others while the window waits."""

_GROUPED, _MEASURED, _LAID_OUT = 0.1, 0.2, 0.95
"""Shares of the work that are done with the groups, with the sizes, and with the layout."""


class Picture(NamedTuple):
    """What is drawn.

    Attributes:
        track: the whole track, whose positions the player counts.
        layout: where the boxes are.
        direction: "down" or "right", in which they were laid out.
        board: the track seen through a folding, whose boxes the layout has; None where the track has no groups.
        key: of the boxes, edges, frames and sizes; pictures with the same key can have the same layout.
        was: index of each box in the picture before, or less than 0; None where that was no picture of this script
            as it was before, or is not known.
        scene: what the canvas makes of it, where that was made with it.
        difference: what differs from what it is compared with, or None.
        spread: how large it is in either direction, where that decided it; else None.
    """

    track: Track
    layout: Layout
    direction: str = "down"
    board: Track | None = None
    key: bytes = b""
    was: Ints | None = None
    scene: Scene | None = None
    difference: Difference | None = None
    spread: Spread | None = None

    @property
    def drawn(self) -> Track:
        """The track whose boxes the layout has."""
        return self.track if self.board is None else self.board


class Errand:
    """A layout that is asked for: calling it says whether it is cancelled.

    Attributes:
        old: the layout of the script as it was before, or None; what did not change should keep its place.
        was: index in `old` of each box, or less than 0; None where `old` is.
    """

    def __init__(
        self, cancelled: Callable[[], bool], tell: Callable[[float], None], old: Layout | None, was: Ints | None
    ) -> None:
        self._cancelled, self._tell = cancelled, tell
        self.old, self.was = old, was

    def __call__(self) -> bool:
        return self._cancelled()

    def tell(self, share: float) -> None:
        """Say which share of the layout is done, 0..1."""
        self._tell(_MEASURED + (_LAID_OUT - _MEASURED) * share)


LayOut = Callable[["Track", Floats, str, Errand], Layout]
Measure = Callable[["Track"], Floats]
Prepare = Callable[["Track", Layout], "Scene"]


@dataclass(frozen=True)
class Maker:
    """Makes one picture.

    Attributes:
        measure: width and height of every box.
        lay_out: places boxes of those sizes.
        track: what is to be drawn.
        direction: "down", "right", or "auto" for the one in which the boxes are larger.
        room: width and height in pixels of what it is drawn on; 0 where that is not known.
        sight: what is folded.
        old: the picture before, or None.
        kept: earlier layouts by the keys of their pictures.
        prepare: makes what the canvas needs of a picture, which takes long for a large one.
        peers: tracks that are shown in the same boxes: of a what-if that of the run, of a rank the other ranks.
        against: what it is compared with.
        word: for what that has: "was", or "there".
    """

    measure: Measure
    lay_out: LayOut
    track: Track
    direction: str
    sight: Sight
    old: Picture | None
    kept: Mapping[bytes, Layout] = field(default_factory=dict)
    prepare: Prepare | None = None
    peers: tuple[Track, ...] = ()
    against: Track | None = None
    word: str = "was"
    room: tuple[float, float] = (0.0, 0.0)

    def make(self, cancelled: Callable[[], bool], tell: Callable[[float], None]) -> Picture:
        """The picture; what is drawn as before keeps its layout.

        Raises:
            Cancelled: `cancelled` said so.
            LayoutError: see `Layouter.lay_out`.
        """
        drawn = self.sight.drawn(self.track)
        tell(_GROUPED)
        sizes = self._sizes(drawn)
        tell(_MEASURED)
        spread = _spread_of(drawn, sizes) if self.direction == "auto" else None
        direction = self.direction if spread is None else spread.direction(self.room)
        key, old, was = key_of(drawn, sizes, direction), self.old, self._was(drawn)
        layout = self.kept.get(key)
        if layout is None:
            before = None if was is None or old is None or old.direction != direction else old.layout
            errand = Errand(cancelled, tell, before, None if before is None else was)
            layout = self.lay_out(drawn, sizes, direction, errand)
        made = self._picture(drawn, layout, key, was)
        return self._prepared(made._replace(direction=direction, spread=spread))

    def at_once(self) -> Picture | None:
        """The picture of a small track whose layout is kept: quick enough for any thread; else None."""
        if len(self.track.forward) > FEW or (self.against is not None and numbers_of(self.track) > MOST_COMPARED):
            return None
        drawn = self.sight.drawn(self.track)
        sizes = self._sizes(drawn)
        spread = _spread_of(drawn, sizes) if self.direction == "auto" else None
        direction = self.direction if spread is None else spread.direction(self.room)
        key = key_of(drawn, sizes, direction)
        if key not in self.kept:
            return None
        made = self._picture(drawn, self.kept[key], key, self._was(drawn))
        return made._replace(direction=direction, spread=spread)

    def _sizes(self, drawn: Track) -> Floats:
        """The sizes of the boxes, in which whatever is shown in the same boxes has room too.

        So they stay where they are from one rank to the next, and while a number is dragged, unless it outgrows them.
        """
        sizes, boxes = self.measure(drawn), boxes_of(drawn) if self.peers else b""
        for peer in self.peers:
            its = self.sight.drawn(peer)
            if boxes_of(its) == boxes:
                sizes = np.maximum(sizes, self.measure(its))
        return sizes

    def _prepared(self, picture: Picture) -> Picture:
        if self.prepare is None:
            return picture
        return picture._replace(scene=self.prepare(picture.drawn, picture.layout))

    def _was(self, drawn: Track) -> Ints | None:
        """Where each box was in the old picture, where that is of another track."""
        from gradviz.playback.matching import matched

        if self.old is None or self.old.track is self.track:
            return None
        if self.old.track.recording.nodes is self.track.recording.nodes and boxes_of(self.old.drawn) == boxes_of(drawn):
            return np.arange(len(drawn.forward))
        return matched(self.old.drawn, drawn)

    def _picture(self, drawn: Track, layout: Layout, key: bytes, was: Ints | None) -> Picture:
        board = None if drawn is self.track else drawn
        made = Picture(self.track, layout, board=board, key=key, was=_if_much(was))
        if self.against is None:
            return made
        from gradviz.playback.difference import Difference

        return made._replace(difference=Difference(self.against, self.track, self.word).find_all())


def _spread_of(drawn: Track, sizes: Floats) -> Spread:
    from gradviz.layout.spread import spread_of  # late: it brings the layout engines

    return spread_of(sizes, drawn.edge_sources, drawn.edge_consumers)


def _if_much(was: Ints | None) -> Ints | None:
    """Where the boxes were, if enough of them were anywhere."""
    from gradviz.layout.near import is_much  # late: it brings the layout engines

    return was if was is not None and is_much(was >= 0) else None


def numbers_of(track: Track) -> int:
    """How many numbers the values of a track have."""
    return sum(math.prod(track.recording.nodes[node].shape) for node in track.forward)


def numbers_in(recording: Recording) -> int:
    """How many numbers the values of a whole recording have."""
    return sum(math.prod(node.shape) for node in recording.nodes)


def boxes_of(drawn: Track) -> bytes:
    """The same for tracks whose boxes, edges and frames are the same, whatever is in them."""
    return key_of(drawn, np.zeros(0), "")


def key_of(drawn: Track, sizes: Floats, direction: str) -> bytes:
    """The same for pictures whose boxes, edges, frames and sizes are the same."""
    import hashlib

    from gradviz.playback.groups.folded import FoldedTrack

    frames = (drawn.frame_of, drawn.frame_parents) if isinstance(drawn, FoldedTrack) else ()
    digest = hashlib.blake2b(direction.encode())
    for numbers in (drawn.forward, drawn.edges, drawn.edge_sources, sizes, *frames):
        array = np.asarray(numbers)
        digest.update(repr(array.shape).encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.digest()
