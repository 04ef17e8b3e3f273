"""Pictures and films as the rows of their formats write them."""

from __future__ import annotations

from gradviz.export.row import Subject
from gradviz.export.table import row_of
from gradviz.export.work import Work
from gradviz.ui.canvas.files.picture_file import Graph, Look


def start_writing(suffix: str, graph: Graph, look: Look) -> Work:
    """Begin to write a graph in a look."""
    row, track = row_of(suffix), graph.track
    assert row is not None
    recording = track.recording
    return row.start(
        Subject(recording, recording, track.sweep, track=lambda: track, graph=lambda: graph, look=lambda: look)
    )
