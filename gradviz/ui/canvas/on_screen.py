"""Where rectangles or segments are on the screen, kept for as long as the view stays."""

from __future__ import annotations

from gradviz.layout.plan import Floats, Ints
from gradviz.ui.canvas.view import View

_FEW = 8
"""Fewer than one in so many are faster worked out than looked up, where the view has just changed."""


class OnScreen:
    """Rows of scene coordinates (x1, y1, x2, y2), shape (n, 4), to be asked for some of them on the screen."""

    def __init__(self, rows: Floats) -> None:
        self._rows, self._placed = rows, rows
        self._view: View | None = None

    def of(self, view: View, which: Ints) -> Floats:
        """The rows `which` (indices) in screen pixels; shape (len(which), 4). The caller may write to it."""
        if view != self._view:
            if len(which) * _FEW < len(self._rows):
                return view.boxes_to_screen(self._rows[which])
            self._view, self._placed = view, view.boxes_to_screen(self._rows)
        return self._placed[which]
