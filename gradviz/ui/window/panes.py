"""How columns and panes share the window: by what they hold, until somebody moves a border."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QByteArray
from PySide6.QtWidgets import QSplitter

LEFT, RIGHT = (180, 400), (240, 372)
"""Least and greatest width that a column starts with, in pixels."""
LEFT_SHARE, RIGHT_SHARE, WIDEST_LEFT = 0.25, 0.24, 0.31
"""Of the window's width; the last where long lines in the left column need it, and the window is wide."""
ROOMY_PX, WIDEST_PX = 1100, 560


def shared(needs: Sequence[int], least: Sequence[int], room: int) -> list[int]:
    """Sizes of panes in a row, that add up to `room`: what each needs, the rest for the first.

    Where there is not so much, each has its least size, and the panes share what is left as they need more.
    """
    wanted = [max(need, low) for need, low in zip(needs, least, strict=True)]
    spare = room - sum(wanted)
    if spare >= 0:
        return [wanted[0] + spare, *wanted[1:]]
    more = [want - low for want, low in zip(wanted, least, strict=True)]
    share = max(0.0, room - sum(least)) / max(sum(more), 1)
    sizes = [low + int(extra * share) for low, extra in zip(least, more, strict=True)]
    return [max(1, room - sum(sizes[1:])), *sizes[1:]]


class Panes:
    """The columns of the workbench and the panes of its left one.

    Args:
        columns: left, graph, right.
        rows: the panes of the left column.
    """

    def __init__(self, columns: QSplitter, rows: QSplitter) -> None:
        self._columns, self._rows = columns, rows
        self._chosen: set[QSplitter] = set()
        self._shares = LEFT_SHARE, RIGHT_SHARE
        for splitter in (columns, rows):
            splitter.splitterMoved.connect(lambda *_args, splitter=splitter: self.keep(splitter))

    def is_chosen(self, splitter: QSplitter) -> bool:
        """Whether somebody has said how its parts are to share it."""
        return splitter in self._chosen or splitter not in (self._columns, self._rows)

    def keep(self, splitter: QSplitter) -> None:
        """Leave the parts of a splitter as they are now."""
        self._chosen.add(splitter)
        sizes = self._columns.sizes()
        width = sizes[0] + sizes[1] + sizes[2] + 2 * self._columns.handleWidth()
        if splitter is self._columns and any(sizes):
            left, right = sizes[0] / width, sizes[2] / width
            self._shares = left or self._shares[0], right or self._shares[1]

    def restore(self, splitter: QSplitter, state: QByteArray, width: int) -> None:
        """Take the parts of a splitter from an earlier window of `width` pixels."""
        if splitter is self._columns:
            splitter.resize(width, splitter.height())  # it is not laid out yet, and would squeeze what it is given
        splitter.restoreState(state)
        self.keep(splitter)

    def divide(self, width: int, longest: int = 0) -> None:
        """Give the columns their widths in a window of `width` pixels: the graph gets the most.

        Args:
            longest: how wide the longest line in the left column is, with all around it.
        """
        if self._columns not in self._chosen:
            whole = max(width, 1)
            left, right = min(LEFT_SHARE, LEFT[1] / whole), min(RIGHT_SHARE, RIGHT[1] / whole)
            if width >= ROOMY_PX:
                left = max(left, min(longest / whole, WIDEST_LEFT, WIDEST_PX / whole))
            self._shares = left, right
        self._take(width)

    def resize(self, width: int) -> None:
        """Keep the shares of the columns in a window of another width; one that is hidden stays so."""
        if any(self._columns.sizes()) and width > 0:
            self._take(width)

    def _take(self, width: int) -> None:
        left, right = max(round(self._shares[0] * width), LEFT[0]), max(round(self._shares[1] * width), RIGHT[0])
        self._columns.setSizes([left, max(1, width - left - right), right])

    def fit_rows(self, needs: Sequence[int], least: Sequence[int]) -> None:
        """Give the panes of the left column the heights that they need."""
        room = sum(self._rows.sizes())
        if self._rows not in self._chosen and room:
            self._rows.setSizes(shared(needs, least, room))
