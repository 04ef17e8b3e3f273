"""Where rectangles or segments are on the screen, kept for as long as the view stays."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QSize
from PySide6.QtGui import QImage

from gradviz.layout.plan import Floats, Ints
from gradviz.ui.canvas.ink.memory import Blocks, Pixels, whole_pixels
from gradviz.ui.canvas.ink.traces import Traces
from gradviz.ui.canvas.plane.reach import Flags
from gradviz.ui.canvas.plane.view import View

_HIGHER = 61
"""More than most rectangles are high: sizes that are told apart by a number of 16 bits, which is sorted fast."""

_FEW = 8
"""Fewer than one in so many are faster worked out than looked up, where the view has just changed."""

GROWTH = 2.0
"""Screen pixels by which a rectangle may be filled larger on each side."""


def growth(ratio: float) -> int:
    """The same in device pixels."""
    return round(GROWTH * ratio)


class OnScreen:
    """Rows of scene coordinates (x1, y1, x2, y2), shape (n, 4), to be asked for some of them on the screen."""

    def __init__(self, rows: Floats) -> None:
        self._rows, self._placed = rows, rows
        self._view: View | None = None
        self._traces: tuple[QSize, Traces] | None = None

    def of(self, view: View, which: Ints) -> Floats:
        """The rows `which` (indices) in screen pixels; shape (len(which), 4). The caller may write to it."""
        if view != self._view:
            if len(which) * _FEW < len(self._rows):
                return view.boxes_to_screen(self._rows[which])
            self._view, self._placed, self._traces = view, view.boxes_to_screen(self._rows), None
        some: Floats = self._placed.take(which, axis=0)  # ten times as fast as by index
        return some

    def traces(self, view: View, picture: QImage, over: OnPixels) -> Traces | None:
        """The pixels of all segments in a picture, if all are in it; None in a view that is new.

        They are worth it from some draws on.

        Args:
            over: what is drawn over them each time.
        """
        if view != self._view:
            return None
        size = picture.size()
        if self._traces is None or self._traces[0] != size:
            self._traces = (size, Traces(self._placed, size, over.covered(view, picture)))
        traces = self._traces[1]
        return traces if traces.is_whole else None


class OnPixels:
    """Rectangles of the scene, shape (n, 4), to be asked which device pixels some of them are on: one at the least."""

    def __init__(self, boxes: Floats) -> None:
        self._boxes = boxes
        self._seen: tuple[View, float] | None = None
        self._rows = whole_pixels(boxes[:0], 1.0)
        self._order: Ints = np.arange(0)
        self._blocks: tuple[QSize, Blocks] | None = None

    def of(self, view: View, ratio: float, which: Ints) -> tuple[Ints, Pixels]:
        """The rectangles `which` (ascending indices) in an order in which those of one size are in a row, and these.

        A few of them stay as they are.
        """
        if self._seen != (view, ratio):
            if len(which) * _FEW < len(self._boxes):
                return which, self._placed(view, ratio, which)
            self._rows, self._seen, self._blocks = self._placed(view, ratio, slice(None)), (view, ratio), None
            sizes = self._rows[:, 2:] - self._rows[:, :2]
            self._order = np.argsort((sizes[:, 0] * _HIGHER + sizes[:, 1]).astype(np.uint16), kind="stable")
        if len(which) == len(self._boxes):
            which = self._order
        elif len(which) * _FEW >= len(self._boxes):
            is_asked = np.zeros(len(self._boxes), dtype=np.bool_)
            is_asked[which] = True
            which = self._order[is_asked[self._order]]
        return which, self._rows.take(which, axis=0)

    def blocks(self, view: View, picture: QImage) -> tuple[Ints, Blocks] | None:
        """All rectangles as blocks of a picture, where they can be, and which each is; None in a view that is new.

        They are worth it from some draws on.
        """
        if self._seen != (view, picture.devicePixelRatio()):
            return None
        if self._blocks is None or self._blocks[0] != picture.size():
            rows = self._rows.take(self._order, axis=0)
            self._blocks = (picture.size(), Blocks(rows, picture.size(), growth(picture.devicePixelRatio())))
        blocks = self._blocks[1]
        return (self._order, blocks) if blocks.is_whole else None

    def covered(self, view: View, picture: QImage) -> Flags | None:
        """The pixels of a picture that the rectangles are on, shape (height * width,), where they are blocks of it."""
        known = self.blocks(view, picture)
        return None if known is None else known[1].covered(picture.size()).reshape(-1)

    def _placed(self, view: View, ratio: float, which: Ints | slice) -> Pixels:
        screen = view.boxes_to_screen(self._boxes[which])
        screen[:, 2:] = np.maximum(screen[:, 2:], screen[:, :2] + 1.0)
        return whole_pixels(screen, ratio)
