"""Many lines as one path: the same as begun and drawn on one by one."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainterPath

from gradviz.ui.canvas.ink.bulk import bars_path, segments_path

STILL = [[5.0, 6.0, 5.0, 6.0]]


def some(count: int) -> np.ndarray:
    return np.random.default_rng(count).uniform(-1e5, 1e5, (count, 4))


@pytest.mark.parametrize("segments", [some(0), some(1), some(300), np.vstack([some(2), STILL, some(1)])])
def test_segments_are_lines_of_one_path(segments) -> None:
    path = QPainterPath()
    for x1, y1, x2, y2 in segments.tolist():
        if (x1, y1) != (x2, y2):
            path.moveTo(x1, y1)
            path.lineTo(x2, y2)

    assert segments_path(segments) == path


@pytest.mark.parametrize("count", [0, 1, 40])
def test_bars_are_closed_areas_around_segments_with_more_behind_them(count) -> None:
    more = QPainterPath(QPointF(1, 2))
    more.lineTo(3, 4)
    segments = np.vstack([some(count), STILL])

    bars = bars_path(segments, 4.0, more)

    assert bars.fillRule() is Qt.FillRule.WindingFill
    assert bars.elementCount() == 5 * count + 2
    for (x1, y1, x2, y2), line in zip(segments[:count].tolist(), bars.toSubpathPolygons()[:count], strict=True):
        corners = [QPointF(x1, y1), QPointF(x2, y2), QPointF(x2, y2), QPointF(x1, y1)]
        away = [
            np.hypot((point - corner).x(), (point - corner).y()) for point, corner in zip(line, corners, strict=False)
        ]
        assert line.isClosed()
        assert away == pytest.approx([2.0] * 4, rel=1e-6)
    assert bars.toSubpathPolygons()[-1] == more.toSubpathPolygons()[0]
