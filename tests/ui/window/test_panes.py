"""How the columns and panes share a window."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtWidgets import QApplication

from gradviz.ui.window.panes import LEFT, RIGHT, shared
from tests.ui.real_windows import lay_out_parts, real_window, settle

SIZES = st.integers(1, 2000)


@given(st.lists(st.tuples(SIZES, st.integers(1, 100)), min_size=1, max_size=4), st.integers(400, 2000))
def test_panes_fill_their_room_and_none_but_the_first_has_more_than_it_needs(panes, room):
    needs, least = zip(*panes, strict=True)

    sizes = shared(needs, least, room)

    assert sum(sizes) == room
    assert all(low <= size for size, low in zip(sizes, least, strict=True))
    assert all(size <= max(need, low) for size, need, low in zip(sizes[1:], needs[1:], least[1:], strict=True))


def test_panes_that_need_more_get_more():
    assert shared((400, 100, 100), (100, 50, 50), 800) == [600, 100, 100]
    assert shared((900, 250, 50), (100, 50, 50), 700) == [500, 150, 50]


def opened(qtbot, tmp_path: Path, text: str, size: tuple[int, int] = (1440, 900)):
    window = real_window(tmp_path / "settings.json", size=size)
    qtbot.addWidget(window)
    window.session.open_script(text, "one.py")
    settle(qtbot, window)
    return window


SHORT = "import torch\nx = torch.ones(1, requires_grad=True)\n(x * x).backward()\n"


def test_long_lines_of_code_widen_the_left_column_of_a_wide_window(qtbot, tmp_path):
    narrow = opened(qtbot, tmp_path, f"# {'long ' * 40}\n{SHORT}").workbench.columns.sizes()[0]
    wide = opened(qtbot, tmp_path, f"words = '{'long ' * 40}'\n{SHORT}").workbench.columns.sizes()[0]

    assert narrow < 370 < wide <= 0.31 * 1440 + 1


def test_a_script_of_few_lines_leaves_the_room_to_what_it_prints(qtbot, tmp_path):
    window = opened(qtbot, tmp_path, f"{SHORT}for i in range(16):\n    print(i)\n")

    script, output, _ = window.workbench.left.sizes()
    assert output > script / 2
    assert window.workbench.output.pane.verticalScrollBar().maximum() == 0


@pytest.mark.parametrize("width", [820, 1100])
def test_a_narrower_window_takes_its_room_from_all_columns(qtbot, tmp_path, width):
    window = opened(qtbot, tmp_path, SHORT)

    window.resize(width, 600)
    lay_out_parts(window)

    left, middle, right = window.workbench.columns.sizes()
    assert left == pytest.approx(max(round(0.25 * width), LEFT[0]), abs=8)
    assert right == pytest.approx(max(round(0.24 * width), RIGHT[0]), abs=8)
    assert middle > 0.44 * width


def test_what_somebody_has_moved_stays(qtbot, tmp_path):
    window = opened(qtbot, tmp_path, SHORT)
    bench = window.workbench

    bench.columns.moveSplitter(500, 1)
    bench.left.moveSplitter(200, 1)
    QApplication.processEvents()
    before = bench.columns.sizes(), bench.left.sizes()
    window.session.open_script(f"words = '{'long ' * 40}'\n{SHORT}print(1)\n", "two.py")
    settle(qtbot, window)

    assert (bench.columns.sizes(), bench.left.sizes()) == before
