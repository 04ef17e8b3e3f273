"""A picture of a graph into a file, without a window."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from gradviz.layout.plan import Floats, Layout
from gradviz.playback.track import Track


def paint_file(
    track: Track, position: int, file: Path, *, dark: bool, legend: bool, lay_out: Callable[[Floats], Layout]
) -> None:
    """Write the whole graph at a position; the suffix of the file chooses PNG, SVG or PDF.

    Args:
        dark: in the dark theme.
        legend: with the legend below the graph.
        lay_out: places the boxes, given their sizes (n, 2) in pixels.

    Raises:
        FormatError: the file cannot be written.
        ImportError: a system library that Qt needs is missing.
    """
    # No window is shown, so no screen is needed, whatever QT_QPA_PLATFORM asks for.
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from PySide6.QtGui import QGuiApplication

    from gradviz.ui.canvas.files.pictures import SAVERS
    from gradviz.ui.canvas.scene.measure import box_sizes
    from gradviz.ui.look.palette import DARK, LIGHT
    from gradviz.ui.look.theme import load_fonts

    app = QGuiApplication.instance() or QGuiApplication(["gradviz"])
    load_fonts()
    save = SAVERS[file.suffix.lower()]
    save(track, lay_out(box_sizes(track)), position, file, theme_palette=DARK if dark else LIGHT, legend=legend)
    del app
