"""A canvas that shows the weighted sum, all its boxes in two columns."""

from __future__ import annotations

import pytest

from gradviz.playback.track import Track
from gradviz.ui.canvas.canvas import Canvas
from gradviz.ui.look.theme import Theme
from tests.samples import weighted_sum
from tests.ui.canvas.canvases import shown


@pytest.fixture
def theme(qapp) -> Theme:
    return Theme("light")


@pytest.fixture
def track() -> Track:
    return Track(weighted_sum(), 0)


@pytest.fixture
def canvas(qtbot, theme: Theme, track: Track) -> Canvas:
    return shown(qtbot, theme, track)
