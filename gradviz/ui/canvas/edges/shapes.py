"""The shapes of edges, ready to draw, kept for as long as they are used. Scene units.

Of a long edge only the stretch near what is drawn is made: Qt walks along all of a path, however little of it is in
sight, and an edge may be a hundred screens long.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from PySide6.QtGui import QPainterPath

from gradviz.layout.plan import Floats
from gradviz.ui.canvas.ink.bulk import area_path, bars_path, curve_path, line_path, segments_path
from gradviz.ui.canvas.plane.geometry import (
    Measured,
    arrow_ribbon,
    arrowhead,
    curve_until,
    dashes,
    length,
    part,
    ribbon,
    stretches,
)
from gradviz.ui.canvas.plane.view import Rect
from gradviz.ui.canvas.scene.moment import Strand
from gradviz.ui.canvas.scene.scene import WIDEST, Scene

ARROW = 10.0
TIP_GAP = 3.0
"""Between the tip of an arrow and the box, in scene units."""

QUIET_WIDTH, FORWARD_WIDTH = 1.3, 2.4
_BACKWARD_STRANDS = (Strand.CARRIED, Strand.BACKWARD)
_LIMIT = 4000
_TAIL = 40
"""Points at the end of a line, on which its arrowhead always lies."""

_SEAM = 1.0
"""By which the line of a pen goes on into its arrowhead, in scene units, so that no gap is seen between them."""

_CELL = 1024.0
"""Screen pixels, at the least: the sides of a window are multiples of it, so that few windows are ever asked for."""

_BEYOND = 16.0
"""Screen pixels by which a window reaches beyond what is drawn: soft edges, and lines that are a pixel wide."""


class Shape(NamedTuple):
    """One edge in scene units, ready to draw.

    Attributes:
        line: its middle line, whole or in dashes.
        body: its outline with the arrowhead.
        arrow: the outline of its arrowhead.
    """

    line: QPainterPath
    body: QPainterPath
    arrow: QPainterPath


class Ruled(NamedTuple):
    """One edge in scene units, to be drawn with a pen.

    Attributes:
        curve: its middle line up to its arrowhead.
        width: of the pen.
        is_dashed: whether the pen makes dashes.
        arrow: the outline of its arrowhead.
    """

    curve: QPainterPath
    width: float
    is_dashed: bool
    arrow: QPainterPath


class Shapes:
    """Makes the shapes of the edges of one scene."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._kept: dict[tuple[int, int, Rect | None], Shape] = {}

    def of(self, edge: int, strand: Strand, window: Rect | None) -> Shape:
        """The shape of an edge.

        Args:
            window: what is drawn of the scene, as from `window_around`; None for all of it.
        """
        form = Strand.BACKWARD if strand in _BACKWARD_STRANDS else strand
        if not self._scene.is_long[edge]:
            window = None
        key = (edge, max(form, Strand.NONE), window)
        made = self._kept.get(key)
        if made is None:
            if len(self._kept) >= _LIMIT:
                self._kept.clear()
            made = self._kept[key] = self._made(edge, strand, window)
        return made

    def _made(self, edge: int, strand: Strand, window: Rect | None) -> Shape:
        whole, arrow = self._pointed(edge, strand)
        if self._is_dashed(edge, strand):
            return _dashed(whole, arrow, window)
        return _solid(whole, arrow, self._width(edge, strand), window)

    def ruled(self, edge: int, strand: Strand) -> Ruled:
        """An edge for a file that keeps curves."""
        whole, arrow = self._pointed(edge, strand)
        width, is_dashed = self._width(edge, strand), self._is_dashed(edge, strand)
        curve = self._scene.curves[edge]
        cut = curve_until(curve[::-1] if strand in _BACKWARD_STRANDS else curve, length(whole) + _SEAM)
        head = arrow if is_dashed else arrow_ribbon(whole, width, arrow, slice(len(whole) - 1, len(whole)))
        return Ruled(curve_path(cut), width, is_dashed, area_path([head]))

    def _pointed(self, edge: int, strand: Strand) -> tuple[Floats, Floats]:
        """The middle line of an edge up to its arrowhead, which goes where the strand goes, and the arrowhead."""
        line = self._scene.line(edge)
        if strand in _BACKWARD_STRANDS:
            line = line[::-1]
        return _tipped(line, ARROW + self._width(edge, strand) if _is_moving(strand) else ARROW - 1.0)

    def _width(self, edge: int, strand: Strand) -> float:
        if strand in _BACKWARD_STRANDS:
            return float(self._scene.edge_widths[edge])
        return FORWARD_WIDTH if strand is Strand.FORWARD else QUIET_WIDTH

    def _is_dashed(self, edge: int, strand: Strand) -> bool:
        return bool(self._scene.is_dashed[edge]) and not _is_moving(strand)

    def trail(self, edge: int, fraction: float, window: Rect | None, *, backward: bool) -> QPainterPath:
        """The body of an edge up to a fraction of its length, from the end where the token set out."""
        line = self._scene.line(edge)
        width = float(self._scene.edge_widths[edge]) if backward else FORWARD_WIDTH
        line = line[::-1] if backward else line
        line = part(line, 0.0, max(fraction, 0.01) * length(line))
        return area_path([ribbon(line, width, near) for near in stretches(line, window)])


def window_around(area: Rect, scale: float) -> Rect:
    """A rectangle around a part of the scene that stays while the view moves by less than a screen.

    Args:
        scale: screen pixels per scene unit.
    """
    cell = 2.0 ** math.ceil(math.log2(_CELL / scale))
    beyond = ARROW + WIDEST + _BEYOND / scale
    left, top = ((side - beyond) // cell * cell for side in area[:2])
    right, bottom = (-((-side - beyond) // cell) * cell for side in area[2:])
    return left, top, right, bottom


def _is_moving(strand: Strand) -> bool:
    """Whether a value or a gradient goes or went along an edge."""
    return strand is Strand.FORWARD or strand in _BACKWARD_STRANDS


def _tipped(line: Floats, size: float) -> tuple[Floats, Floats]:
    """A line shortened to the base of its arrowhead, and the arrowhead."""
    if len(line) > _TAIL and length(line[-_TAIL:]) > 4 * size:
        tail, arrow = _tipped(line[-_TAIL:], size)  # of a long line only the end needs measuring
        return np.vstack([line[:-_TAIL], tail]), arrow
    measured = Measured(line)
    end = max(measured.length - TIP_GAP, 0.0)
    size = min(size, max(end, 1.0) * 0.8)
    # The body ends inside the arrowhead, so that no gap can open between them.
    return measured.until(end - size * 0.7), arrowhead(measured.at(end), measured.at(end - size), size)


def _solid(whole: Floats, arrow: Floats, width: float, window: Rect | None) -> Shape:
    runs = stretches(whole, window)
    body = area_path([arrow_ribbon(whole, width, arrow, run) for run in runs])
    return Shape(line_path(*(whole[run] for run in runs)), body, area_path([arrow]))


def _dashed(whole: Floats, arrow: Floats, window: Rect | None) -> Shape:
    pieces, tip = dashes(whole, stretches(whole, window)), area_path([arrow])
    return Shape(segments_path(pieces), bars_path(pieces, QUIET_WIDTH, tip), tip)
