"""What the actions under Edit > Copy put on the clipboard: the picture, and parts of what is said of a node."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QMimeData
from PySide6.QtGui import QGuiApplication, QStandardItemModel

from gradviz.ui.session.session import Session

if TYPE_CHECKING:
    from gradviz.ui.window.window import Window

SVG = "image/svg+xml"
_MOST_PIXELS = 12_000_000
"""Of a copied image: other programs paste no larger one, and it is painted at once."""
MOST_DRAWN = 800
"""Boxes of a graph of which an SVG is copied too: writing that of a larger one would hold up the window."""


class Copying:
    """The handlers of these actions of a window."""

    def __init__(self, window: Window, session: Session) -> None:
        self._window, self._session = window, session

    def handlers(self) -> dict[str, Callable[[], None]]:
        """What each action does."""
        names = ("copy_value", "copy_formula", "copy_markdown")
        parts: dict[str, Callable[[], None]] = {name: partial(self._copy_part, name) for name in names}
        return {"copy_picture": self._copy_picture} | parts

    def _copy_part(self, name: str) -> None:
        from gradviz.ui.inspector import PARTS  # late: the window stands without it

        inspector = self._window.workbench.inspectors[-1]
        if inspector.report is None:
            self._window.show_message("There is no node to copy from: click one.")
            return
        text = inspector.copy_part(name)
        what, title = PARTS[name].what, inspector.report.place.title
        self._window.show_message(f"Copied {what} of {title}." if text else f"{title} has nothing to copy as {what}.")

    def _copy_picture(self) -> None:
        """The graph as it is now, as an image and, where it is small enough, as SVG."""
        from gradviz.export.work import done
        from gradviz.ui.canvas.files.picture_file import PNG_SCALE, picture_of
        from gradviz.ui.canvas.files.pictures import image_of, possible_scale, svg_of

        graph, look = self._window.files.graph(), self._window.files.look()
        picture, data = picture_of(graph, look), empty_data()
        width, height = picture.size
        scale = min(possible_scale(picture.size, PNG_SCALE), math.sqrt(_MOST_PIXELS / (width * height)))
        data.setImageData(image_of(picture, graph.position, scale))
        is_small = len(graph.track.forward) <= MOST_DRAWN
        if is_small:
            data.setData(SVG, done(svg_of(picture_of(graph, look, vector=True), graph.position)))
        QGuiApplication.clipboard().setMimeData(data)
        self._window.show_message(f"Copied the picture {'as an image and as SVG' if is_small else 'as an image'}.")


def empty_data() -> QMimeData:
    """Data for the clipboard, made by Qt.

    The clipboard lives longer than Python: data that was made in Python crashes the process when it ends.
    """
    model = QStandardItemModel(1, 1)
    data = model.mimeData([model.index(0, 0)])
    for kind in data.formats():
        data.removeFormat(kind)
    return data
