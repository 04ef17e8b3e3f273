"""A picture or film of a graph into a file, without a window."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gradviz.layout.plan import Floats, Layout
from gradviz.playback.track import Track


def paint_file(
    track: Track,
    position: int,
    file: Path,
    *,
    theme: str,
    look: Mapping[str, Any],
    lay_out: Callable[[Floats], Layout],
    tell: Callable[[float], None],
) -> None:
    """Write the graph at a position, or as a film; the suffix of the file chooses which.

    Args:
        theme: the name of a palette.
        look: what of a `Look` is not as usual, by name.
        lay_out: places the boxes, given their sizes (n, 2) in pixels.
        tell: is told the share that is done, 0..1.

    Raises:
        GradvizError: the look asks for what cannot be had, or a film's library is not installed.
        FormatError: the file cannot be written.
        ImportError: a system library that Qt needs is missing.
    """
    # No window is shown, so no screen is needed, whatever QT_QPA_PLATFORM asks for.
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from PySide6.QtGui import QGuiApplication

    from gradviz.formats.safe_write import put
    from gradviz.ui.canvas.files.picture_file import Graph, Look, start_writing
    from gradviz.ui.canvas.files.pictures import done
    from gradviz.ui.canvas.scene.measure import box_sizes
    from gradviz.ui.look.theme import PALETTES, load_fonts

    app = QGuiApplication.instance() or QGuiApplication(["gradviz"])
    load_fonts()
    graph = Graph(track, lay_out(box_sizes(track)), position)
    work = start_writing(file.suffix.lower(), graph, Look(PALETTES[theme], **look))
    with interrupted_between(tell) as told:
        content = done(work, told)
        told(1.0)
    put(file, content)
    del app


@contextmanager
def interrupted_between(tell: Callable[[float], None]) -> Iterator[Callable[[float], None]]:
    """Let Ctrl+C end the work between two of its bits: within a call into Qt it comes out as some other error.

    Args:
        tell: is told the share that is done; so is what is yielded, which raises KeyboardInterrupt.
    """
    asked = list[int]()

    def look(share: float) -> None:
        if asked:
            raise KeyboardInterrupt
        tell(share)

    if threading.current_thread() is not threading.main_thread():
        yield look
        return
    before = signal.signal(signal.SIGINT, lambda number, _frame: asked.append(number))
    try:
        yield look
    finally:
        signal.signal(signal.SIGINT, before)
