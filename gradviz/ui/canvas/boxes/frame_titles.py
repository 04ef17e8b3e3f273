"""Where the titles of frames stand: over a top corner of their frame, where they cover nothing. Scene units."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from gradviz.layout.plan import Floats, Ints
from gradviz.ui.canvas.ink.text import Role, text_width
from gradviz.ui.canvas.plane.reach import Flags, Rectangles
from gradviz.ui.canvas.plane.view import Rect
from gradviz.ui.canvas.scene.measure import FOLD_MARK

INSET = 8.0
GAP = 7.0
MARK = FOLD_MARK + GAP
HEIGHT = 30.0
_FONT = 14.0
"""Size of a title, in scene units."""
_READABLE, _LEGIBLE = 11.5, 6.5
"""Screen pixels that a title should have and must have."""
_SIZES, _STEP = 6, 0.1
"""Sizes that are tried at the most, from the most readable to that of the boxes; and about how far they are apart."""
_CORNERS = 2
"""Where a title may stand: on the left and on the right."""
_LEAST_WIDTH, _CUT = 46.0, 84.0
"""Screen pixels: a narrower frame has no title; nor is one cut to fewer, where a letter or two would be left of it."""


class Titles:
    """The titles of the frames of a scene at one scale. Only those near to what is asked for are placed.

    Args:
        titles, sides, boxes, scale, mark: as `placed` takes them.
    """

    def __init__(
        self, titles: Sequence[str], sides: Floats, boxes: Rectangles, scale: float, mark: float = MARK
    ) -> None:
        self._titles, self._sides, self._boxes, self._scale = titles, sides, boxes, scale
        self._mark = mark
        self._wide = _wide(sides, scale)
        self._spots = Rectangles(self._reached())
        self._tabs: dict[int, Rect | None] = {}

    def tab(self, index: int) -> Rect | None:
        """The rectangle of one title with its mark; None where it finds no room."""
        if index not in self._tabs:
            self._place(np.flatnonzero(self._wide == index))
        return self._tabs.get(index)

    def touching(self, areas: Floats, slack: float) -> list[tuple[int, Rect]]:
        """The titles that come within `slack` of one of some areas, shape (r, 4), with their numbers; ascending."""
        near = self._spots.touching(areas, slack) // _CORNERS  # ascending, as they are
        near = near[np.flatnonzero(np.diff(near, prepend=-1))]
        indices = self._wide[near].tolist()
        self._place(near[[index not in self._tabs for index in indices]])
        some = [(index, tab) for index in indices if (tab := self._tabs[index]) is not None]
        hits = Rectangles(np.array([tab for _, tab in some]).reshape(-1, 4)).touching(areas, slack)
        return [some[hit] for hit in hits.tolist()]

    def _reached(self) -> Floats:
        """Where each title of a wide frame may stand, on the left and on the right; shape (w * `_CORNERS`, 4)."""
        largest = np.array(_sizes(self._scale)[:1])
        titles = [self._titles[index] for index in self._wide.tolist()]
        return _places(titles, self._sides[self._wide], largest, self._mark)[0].reshape(-1, 4)

    def _place(self, which: Ints) -> None:
        """Find room for some titles: all that stand in their way, which are those of frames before, find theirs.

        Args:
            which: places in `_wide`.
        """
        is_in = np.zeros(len(self._wide), dtype=np.bool_)
        while len(which):
            is_in[which] = True
            spots = (which[:, None] * _CORNERS + np.arange(_CORNERS)).ravel()
            found, asked = self._spots.pairs(self._spots.sides[spots])
            before, after = found // _CORNERS, spots[asked] // _CORNERS
            which = np.unique(before[(before < after) & ~is_in[before]])
        some = self._wide[is_in].tolist()
        titles = [self._titles[index] for index in some]
        tabs = placed(titles, self._sides[some], self._boxes, self._scale, self._mark)
        self._tabs.update(zip(some, tabs, strict=True))


def placed(
    titles: Sequence[str], sides: Floats, boxes: Rectangles, scale: float, mark: float = MARK
) -> tuple[Rect | None, ...]:
    """The rectangle of each title with its mark; None for one that finds no room at a scale.

    In a small picture titles are written larger than their boxes, as far as they cover neither box nor title. They
    grow upwards; one that could not be read is left out. A title stands on the left, or, where that is taken by the
    title of the frame around it, on the right.

    Args:
        sides: left, top, right, bottom of the frames, outer ones first; shape (k, 4).
        boxes: what titles keep clear of.
        mark: how wide the mark that folds is, with its gap; 0 where there is none.
    """
    sizes = [size for size in _sizes(scale) if size * scale * _FONT >= _LEGIBLE]
    wide = _wide(sides, scale)
    tabs: list[Rect | None] = [None] * len(sides)
    if sizes and len(wide):
        words = [titles[index] for index in wide.tolist()]
        places, is_cut = _places(words, sides[wide], np.array(sizes), mark)
        is_bare = is_cut & ((places[..., 2] - places[..., 0]) * scale < _CUT)
        for index, place in zip(wide.tolist(), _in_turn(places, ~is_bare, boxes), strict=True):
            if place is not None:
                left, top, right, bottom = place.tolist()
                tabs[index] = (left, top, right, bottom)
    return tuple(tabs)


def _wide(sides: Floats, scale: float) -> Ints:
    """The frames that are wide enough for a title."""
    return np.flatnonzero((sides[:, 2] - sides[:, 0]) * scale >= _LEAST_WIDTH)


def _sizes(scale: float) -> tuple[float, ...]:
    """How much larger a title may be written in a small picture, the most readable first."""
    grown = max(_READABLE / (_FONT * scale), 1.0)
    count = min(_SIZES, 1 + math.ceil((grown - 1.0) / _STEP))
    return tuple(np.linspace(grown, 1.0, count).tolist())


def _places(titles: Sequence[str], sides: Floats, sizes: Floats, mark: float) -> tuple[Floats, Flags]:
    """Each title in each size, on the left and on the right, which grows upwards; and whether it is cut there.

    Shapes (k, 2 s, 4) and (k, 2 s).
    """
    widths = np.array([text_width(title, Role.NAME) for title in titles]) + 2 * INSET + mark
    left, top, right = sides[:, :1], sides[:, 1:2], sides[:, 2:3]
    places = np.empty((len(titles), len(sizes), 2, 4))
    lengths = np.minimum(widths[:, None] * sizes, right - left)
    places[..., 0, 0], places[..., 0, 2] = left, left + lengths
    places[..., 1, 0], places[..., 1, 2] = right - lengths, right
    places[..., 3] = (top + HEIGHT)[:, None]
    places[..., 1] = places[..., 3] - HEIGHT * sizes[:, None]
    is_cut = widths[:, None] * sizes > right - left
    return places.reshape(len(titles), 2 * len(sizes), 4), np.repeat(is_cut, 2, axis=1)


def _in_turn(places: Floats, is_fit: Flags, boxes: Rectangles) -> list[Floats | None]:
    """The first fit place of each title that covers neither a box nor the title of a frame before it."""
    flat, is_free = places.reshape(-1, 4), is_fit.ravel()
    is_free[_covering(flat, boxes, boxes.sides)[1]] = False
    free = np.flatnonzero(is_free)
    covered, covering = _covering(flat[free], Rectangles(flat[free]), flat[free])
    of_title = free // places.shape[1]
    apart = of_title[covered] != of_title[covering]  # most pairs are places of one title, which takes only one
    covered, covering = covered[apart], covering[apart]
    order = np.argsort(covering, kind="stable")
    starts = np.searchsorted(covering[order], np.arange(len(free) + 1)).tolist()
    rivals = [set(covered[order[first:last]].tolist()) for first, last in pairwise(starts)]
    taken: set[int] = set()
    chosen: list[Floats | None] = [None] * len(places)
    for number, (place, title) in enumerate(zip(free.tolist(), of_title.tolist(), strict=True)):
        if chosen[title] is None and taken.isdisjoint(rivals[number]):
            chosen[title] = flat[place]
            taken.add(number)
    return chosen


def _covering(tabs: Floats, those: Rectangles, sides: Floats) -> tuple[Ints, Ints]:
    """Which of some rectangles is covered by which title, but for a hair above and below; pairs of indices."""
    found, asked = those.pairs(tabs)
    (left, top, right, bottom), others = tabs[asked].T, sides[found].T
    hits = (others[0] < right) & (others[2] > left) & (others[1] < bottom - 1) & (others[3] > top + 1)
    return found[hits], asked[hits]
