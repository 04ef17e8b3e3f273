"""Canvases for tests, and what is seen on them."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF
from PySide6.QtGui import QImage, QRegion
from PySide6.QtWidgets import QApplication, QWidget

from gradviz.export.work import done
from gradviz.formats.safe_write import put
from gradviz.ui.canvas.canvas import Canvas
from gradviz.ui.canvas.files.picture_file import Graph, Look
from gradviz.ui.canvas.ink.marks import Mark
from gradviz.ui.canvas.scene.moment import Frame, moment_of
from tests.ui.canvas.files import start_writing
from tests.ui.canvas.grids import placed


def shown(qtbot, theme, track, layout=None, size=(700, 520), scene=None):
    canvas = Canvas(theme)
    qtbot.addWidget(canvas)
    canvas.resize(*size)
    canvas.show_track(track, layout or placed(track, 2), scene=scene)
    canvas.show()
    qtbot.waitExposed(canvas)
    return canvas


def save(track, layout, position, file, *, theme_palette, **look):
    """Write a picture or a film by the suffix of the file; see `Look` for how it looks."""
    put(file, done(start_writing(file.suffix, Graph(track, layout, position), Look(theme_palette, **look))))


RATIOS = (1.0, 1.1, 1.25, 1.5, 1.75, 2.0)
"""Device pixels to a screen pixel, of screens there are."""


def picture(canvas, region: QRegion | None = None) -> QImage:
    """What is seen of a canvas, or of a region of it, in device pixels."""
    QApplication.processEvents()
    ratio = canvas.devicePixelRatioF()
    image = QImage(canvas.size() * ratio, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    image.fill(0)
    where = region or QRegion(canvas.rect())
    canvas.render(image, where.boundingRect().topLeft(), where, QWidget.RenderFlag(0))
    image.setDevicePixelRatio(1.0)
    return image


def frame_of_canvas(canvas) -> Frame:
    """What a canvas shows of every box and edge."""
    return canvas._frame(moment_of(canvas._scene, canvas._position, canvas._phase))


def marks_of(canvas) -> list[Mark]:
    """What lies over the graph on a canvas."""
    moment = moment_of(canvas._scene, canvas._position, canvas._phase)
    return canvas._marks(canvas._scene, moment, canvas._frame(moment))


def shades(image: QImage) -> np.ndarray:
    """Red, green and blue of each pixel; whole numbers."""
    return np.frombuffer(image.constBits(), dtype=np.uint8).reshape(-1, 4)[:, :3].astype(int)


def look_alike(one: QImage, other: QImage) -> bool:
    """Whether two images are the same but for a shade: Qt draws a sign otherwise once it has drawn larger ones."""
    if one.size() != other.size():
        return False
    if one == other:
        return True
    return bool((np.abs(shades(one) - shades(other)).max(axis=1) > 90).mean() < 5e-4)


def middle_of(canvas, node):
    index = canvas._scene.track.index_of[node]
    return QPointF(*canvas.view.to_screen(tuple(canvas._scene.layout.centres[index])))
