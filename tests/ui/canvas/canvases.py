"""Canvases for tests, and what is seen on them."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from gradviz.ui.canvas.canvas import Canvas
from tests.ui.canvas.grids import placed


def shown(qtbot, theme, track, layout=None, size=(700, 520)):
    canvas = Canvas(theme)
    qtbot.addWidget(canvas)
    canvas.resize(*size)
    canvas.show_track(track, layout or placed(track, 2))
    canvas.show()
    qtbot.waitExposed(canvas)
    return canvas


def picture(canvas) -> QImage:
    QApplication.processEvents()
    return canvas.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)


def shades(image: QImage) -> np.ndarray:
    """Red, green and blue of each pixel; whole numbers."""
    return np.frombuffer(image.constBits(), dtype=np.uint8).reshape(-1, 4)[:, :3].astype(int)


def middle_of(canvas, node):
    index = canvas._scene.track.index_of[node]
    return QPointF(*canvas.view.to_screen(tuple(canvas._scene.layout.centres[index])))
