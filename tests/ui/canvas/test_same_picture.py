"""Whatever way led to it, a canvas shows what a canvas that has just been made draws of the same state.

GRADVIZ_LOOKS=1000 tries that many ways instead of a few.
"""

from __future__ import annotations

import os
from functools import cache
from unittest.mock import patch

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtWidgets import QApplication

from gradviz.layout.plan import Layout
from gradviz.playback.track import Track
from gradviz.ui.canvas.canvas import Canvas
from gradviz.ui.canvas.scene.measure import box_sizes
from gradviz.ui.look.theme import Theme
from tests.playback.scoped import folded
from tests.recorded import run
from tests.ui.canvas.canvases import look_alike
from tests.ui.canvas.grids import grid_recording, placed
from tests.ui.real_windows import lay_out
from tests.ui.same_state import grab

DEEP = """\
import torch
def layer(h, w):
    return torch.tanh(h * w + 1)
x = torch.tensor([1.0, 2.0], requires_grad=True)
w = torch.tensor([0.5, 0.3], requires_grad=True)
h = x
for i in range(4):
    h = layer(h, w)
loss = h.sum()
loss.backward()
"""
RATIOS = (1.0, 1.1, 1.25, 4 / 3, 1.5, 1.75, 2.0)
SCALES = (0.05, 0.09, 0.1, 0.3, 0.5, 0.6, 0.7, 0.8, 0.81, 0.88, 1.0, 1.25, 2.0, 4.0)
SIDE = st.integers(200, 900)
ACT = st.one_of(
    st.tuples(st.just("move"), st.integers(-150, 150), st.integers(-150, 150)),
    st.tuples(st.just("zoom"), st.floats(0.5, 2), st.integers(0, 200), st.integers(0, 200)),
    st.tuples(st.just("scale"), st.sampled_from(SCALES)),
    st.tuples(st.just("step"), st.sampled_from((-1, 1))),
    st.tuples(st.just("jump"), st.floats(0, 1)),
    st.tuples(st.just("select"), st.floats(0, 1)),
    st.tuples(st.just("resize"), SIDE, SIDE),
    st.tuples(st.just("gauges"), st.booleans()),
)
LOOKS = int(os.environ.get("GRADVIZ_LOOKS", "0"))


@cache
def shows() -> tuple[tuple[Track, Layout], ...]:
    """What there is to look at: a script laid out both ways, the same folded, and boxes and edges in numbers."""
    whole = Track(run(DEEP).recording, 0)
    small = folded(whole)
    many = Track(grid_recording(300, 15), 0)
    laid = [(track, lay_out(track, box_sizes(track), way, lambda: False)) for track, way in
            ((whole, "down"), (whole, "right"), (small, "down"))]  # fmt: skip
    return (*laid, (many, placed(many, 15)))


def made(theme: Theme, show: tuple[Track, Layout], size: tuple[int, int]) -> Canvas:
    canvas = Canvas(theme)
    canvas.reduced_motion = True
    canvas.resize(*size)
    canvas.show_track(*show)
    canvas.show()
    QApplication.processEvents()
    return canvas


def act(canvas: Canvas, name: str, *given: float) -> None:
    track = canvas._scene.track
    if name == "move":
        canvas.move_by(*given)
    elif name == "zoom":
        canvas.zoom_by(given[0], given[1:])
    elif name == "scale":
        canvas.zoom_by(given[0] / canvas.view.scale)
    elif name == "step":
        canvas.show_position(min(max(canvas._position + given[0], 0), track.length))
    elif name == "jump":
        canvas.show_position(round(given[0] * track.length))
    elif name == "select":
        canvas.select(track.forward[round(given[0] * (len(track.forward) - 1))])
    elif name == "resize":
        canvas.resize(*given)
    else:
        canvas.show_gauges(given[0])
    QApplication.processEvents()


@settings(max_examples=LOOKS or 12, derandomize=not LOOKS, suppress_health_check=list(HealthCheck))
@given(
    st.integers(0, 3),
    st.sampled_from(RATIOS),
    st.sampled_from(("light", "dark", "contrast_light", "contrast_dark")),
    st.tuples(SIDE, SIDE),
    st.lists(ACT, min_size=1, max_size=12),
)
def test_a_picture_tells_nothing_of_the_way_to_it(qapp, which, ratio, theme, size, acts) -> None:
    with patch.object(Canvas, "devicePixelRatioF", lambda _canvas: ratio):
        canvas = made(Theme(theme), shows()[which], size)
        for each in acts:
            act(canvas, *each)
        fresh = made(Theme(theme), shows()[which], (canvas.width(), canvas.height()))
        fresh.show_position(canvas._position)
        fresh.select(canvas._selected)
        fresh.show_gauges(canvas._has_gauges)
        fresh._look(canvas.view)

        assert look_alike(grab(fresh), grab(canvas))

        for each in (canvas, fresh):
            each.close()
            each.deleteLater()
