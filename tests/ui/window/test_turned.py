"""The graph runs down or to the right, whichever draws its boxes larger, until somebody turns it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gradviz.ui.window.window import Window
from tests.ui.real_windows import lay_out_parts, real_window, settle

CHAIN = "import torch\ny = x = torch.tensor(0.5, requires_grad=True)\n" + "y = torch.tanh(y)\n" * 9 + "y.backward()\n"


@pytest.fixture
def window(qtbot, tmp_path) -> Iterator[Window]:
    made = real_window(tmp_path / "settings.ini", size=(1600, 1400))
    qtbot.addWidget(made)
    yield made
    made.close()


def test_a_chain_turns_with_the_window_until_somebody_turns_it(qtbot, window) -> None:
    session, action = window.session, window.actions_by_name.by_name
    window.trigger("direction_auto")
    session.open_script(CHAIN, "chain.py")
    settle(qtbot, window)
    lay_out_parts(window)
    settle(qtbot, window)
    assert session.picture.direction == "down"
    assert action["direction_auto"].isChecked()

    window.trigger("show_left")
    window.trigger("show_right")
    window.resize(2600, 640)
    lay_out_parts(window)
    settle(qtbot, window)
    assert session.picture.direction == "right"

    window.trigger("across")
    settle(qtbot, window)
    assert session.picture.direction == "down"
    window.resize(2700, 640)
    lay_out_parts(window)
    settle(qtbot, window)
    assert session.picture.direction == "down"
    assert not action["direction_auto"].isChecked()

    window.trigger("direction_auto")
    settle(qtbot, window)
    assert session.picture.direction == "right"
    assert action["across"].isChecked()
