"""A folder of ranks in the window: the choice, the sentence, the way to what differs."""

from __future__ import annotations

from pathlib import Path

from gradviz.formats import save
from tests.playback.test_ranks import rank
from tests.ui.real_windows import real_window, settle


def test_a_folder_of_ranks_opens_says_what_differs_and_goes_there(qtbot, tmp_path: Path):
    for number, own in enumerate(([3.0, 4.0], [30.0, 40.0], [4.0, 3.0])):
        save(rank(number, own, [1.0, 1.0]), tmp_path / f"rank{number}.gradviz")
    window = real_window(tmp_path.parent / "settings.ini")
    qtbot.addWidget(window)

    window.open_path(tmp_path)
    settle(qtbot, window)
    strip = window.workbench.compare

    assert [strip.choice.itemText(place) for place in range(strip.choice.count())] == ["Rank 0", "Rank 1", "Rank 2"]
    assert strip.words.text().startswith("Before the reduction rank 1 has a gradient of norm 50 at w")

    strip.go.click()
    settle(qtbot, window)

    assert window.session.document.content.recording.rank.rank == 1
    assert (strip.choice.currentIndex(), window.workbench.selected) == (1, 0)

    layout = window.session.picture.layout
    assert set(window.session.picture.difference.gradients) == {0}
    strip.shown_chosen.emit(2)
    settle(qtbot, window)
    assert window.session.picture.layout is layout
    strip.shown_chosen.emit(0)
    settle(qtbot, window)
    assert window.session.picture.layout is layout
    strip.shown_chosen.emit(2)
    settle(qtbot, window)

    assert window.session.document.content.recording.rank.rank == 2


def test_another_document_takes_the_ranks_away(qtbot, tmp_path: Path):
    for number in range(2):
        save(rank(number, [1.0, 1.0], [1.0, 1.0]), tmp_path / f"rank{number}.gradviz")
    window = real_window(tmp_path.parent / "settings.ini")
    qtbot.addWidget(window)
    window.open_path(tmp_path)
    settle(qtbot, window)

    window.session.open_script("import torch\n", "one.py")
    settle(qtbot, window)

    assert window.workbench.compare.isHidden()
