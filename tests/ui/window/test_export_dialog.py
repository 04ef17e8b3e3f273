"""The dialog that exports: what it offers, what it writes, and that a cancelled or failed export leaves nothing."""

from __future__ import annotations

import sys

import pytest
from PySide6.QtGui import QImage

from gradviz.errors import GradvizError
from gradviz.export.table import ROWS
from gradviz.film.apng import Apng
from gradviz.ui.look.palette import DARK
from tests.ui.windows import choose_file


@pytest.fixture
def dialog(opened):
    opened.trigger("export")
    yield opened.files._export
    opened.files._export.reject()


def choose(dialog, suffix: str) -> None:
    dialog.format.setCurrentIndex(dialog.format.findData(suffix))


def export(qtbot, dialog, monkeypatch, file):
    choose_file(monkeypatch, "getSaveFileName", file)
    with qtbot.waitSignal(dialog.wrote, timeout=60_000):
        dialog.go.click()


@pytest.mark.parametrize("format_", ROWS, ids=lambda format_: format_.suffix)
def test_every_format_is_written_and_said(qtbot, opened, dialog, monkeypatch, tmp_path, format_):
    if format_.suffix in (".gif", ".mp4"):
        pytest.importorskip({".gif": "PIL", ".mp4": "av"}[format_.suffix])
    choose(dialog, format_.suffix)
    dialog.pace.setCurrentIndex(0)

    export(qtbot, dialog, monkeypatch, tmp_path / "out")

    assert (tmp_path / f"out{format_.suffix}").stat().st_size > 100
    assert opened.statusBar().currentMessage() == f"Wrote {tmp_path / f'out{format_.suffix}'}"
    assert not dialog.isVisible()


@pytest.mark.parametrize(
    ("suffix", "module", "says"),
    [(".gif", "PIL", "a GIF needs Pillow"), (".mp4", "av", "an MP4 needs PyAV")],
)
def test_a_film_whose_library_is_missing_is_grey_and_says_what_to_install(opened, monkeypatch, suffix, module, says):
    monkeypatch.setitem(sys.modules, module, None)
    opened.trigger("export")
    dialog = opened.files._export

    place = dialog.format.findData(suffix)
    item = dialog.format.model().item(place)

    assert not item.isEnabled()
    assert says in item.text()
    assert f'"{sys.executable}" -m pip install' in item.toolTip()
    assert dialog.format.model().item(dialog.format.findData(".apng")).isEnabled()
    dialog.reject()


def test_preview_has_the_colours_that_the_file_will_have(qtbot, dialog, monkeypatch, tmp_path):
    dialog.theme_choice.setCurrentIndex(dialog.theme_choice.findData("dark"))
    dialog.preview.grab()

    preview = dialog.preview._image
    export(qtbot, dialog, monkeypatch, tmp_path / "a.png")

    written = QImage(str(tmp_path / "a.png"))
    assert preview.pixelColor(2, 2).name().upper() == written.pixelColor(2, 2).name().upper() == DARK.canvas
    assert preview.width() / preview.height() == pytest.approx(written.width() / written.height(), rel=0.02)


def test_preview_is_as_detailed_as_the_file_however_small(dialog):
    dialog.preview.setFixedSize(240, 200)
    choose(dialog, ".svg")
    dialog.preview.grab()
    detailed = dialog.preview._image

    choose(dialog, ".png")
    dialog.scale.setCurrentIndex(dialog.scale.count() - 1)
    dialog.width_px.setValue(detailed.width())
    dialog.preview.grab()

    assert dialog.preview._image.size() == detailed.size()
    assert dialog.preview._image != detailed


def test_preview_follows_the_legend_and_the_theme_of_the_window(dialog, opened):
    dialog.preview.grab()
    with_legend = dialog.preview._image

    dialog.legend.setChecked(False)
    dialog.preview.grab()
    assert dialog.preview._image.size() != with_legend.size()
    opened.trigger("theme_dark")
    dialog.preview.grab()

    assert dialog.preview._image.pixelColor(2, 2).name().upper() == DARK.canvas


def test_size_that_is_said_is_that_of_the_file(qtbot, dialog, monkeypatch, tmp_path):
    dialog.scale.setCurrentIndex(dialog.scale.count() - 1)
    dialog.width_px.setValue(900)
    said = dialog.size_words.text()

    export(qtbot, dialog, monkeypatch, tmp_path / "a.png")

    written = QImage(str(tmp_path / "a.png"))
    assert said == f"{written.width():,} × {written.height():,} pixels"
    assert written.width() in (900, 901)


def test_size_of_a_film_that_is_said_is_nearly_that_of_the_file(qtbot, dialog, monkeypatch, tmp_path):
    choose(dialog, ".apng")
    width, seconds = dialog.size_words.text().split(" × ")[0], dialog.size_words.text().split(", ")[-2]

    export(qtbot, dialog, monkeypatch, tmp_path / "a.apng")

    written = QImage(str(tmp_path / "a.apng"), "PNG")
    assert written.width() == pytest.approx(int(width.replace(",", "")), rel=0.2)
    assert seconds == "16 seconds"  # the start, nine steps, and the end once more, 1.5 each


def test_what_means_nothing_for_a_format_is_not_shown(dialog):
    fields = {
        "pages": dialog.pages, "scale": dialog.scale, "rate": dialog.rate, "legend": dialog.legend,
        "colours": dialog.theme_choice,
    }  # fmt: skip
    shown = {}
    for suffix in (".png", ".svg", ".pdf", ".gif", ".json"):
        choose(dialog, suffix)
        shown[suffix] = {name for name, field in fields.items() if field.isVisible()}

    assert shown == {
        ".png": {"scale", "legend", "colours"},
        ".svg": {"legend", "colours"},
        ".pdf": {"pages", "legend", "colours"},
        ".gif": {"scale", "rate", "legend", "colours"},
        ".json": set(),
    }


def test_cancelled_film_leaves_the_old_file_and_nothing_beside_it(qtbot, opened, dialog, monkeypatch, tmp_path):
    file = tmp_path / "a.apng"
    file.write_text("old")
    before = {one.name for one in tmp_path.iterdir()}
    choose(dialog, ".apng")
    choose_file(monkeypatch, "getSaveFileName", file)

    with qtbot.waitSignal(dialog.slices.progressed):
        dialog.go.click()
    assert dialog.progress.isVisible()
    assert not dialog.go.isEnabled()
    dialog.buttons.rejected.emit()

    assert dialog.isVisible()
    assert dialog.problem.text() == "Cancelled. Nothing was written."
    assert dialog.go.isEnabled()
    assert file.read_text() == "old"
    assert {one.name for one in tmp_path.iterdir()} == before


def test_film_that_fails_half_way_is_a_sentence_and_leaves_the_old_file(qtbot, dialog, monkeypatch, tmp_path):
    file = tmp_path / "a.apng"
    file.write_text("old")
    choose(dialog, ".apng")
    choose_file(monkeypatch, "getSaveFileName", file)

    def failing(*_):
        raise GradvizError("the encoder has no more memory")

    monkeypatch.setattr(Apng, "add", failing)
    with qtbot.waitSignal(dialog.slices.failed):
        dialog.go.click()

    assert dialog.problem.text() == "the encoder has no more memory"
    assert file.read_text() == "old"


def test_picture_that_cannot_be_written_is_a_sentence_in_the_dialog(qtbot, dialog, monkeypatch, tmp_path):
    choose_file(monkeypatch, "getSaveFileName", tmp_path / "missing" / "a.png")

    dialog.go.click()
    qtbot.waitUntil(lambda: not dialog.slices.is_busy)

    assert "cannot be written" in dialog.problem.text()
    assert dialog.isVisible()


def test_the_window_goes_on_while_a_film_is_made(qtbot, dialog, monkeypatch, tmp_path):
    choose(dialog, ".apng")
    choose_file(monkeypatch, "getSaveFileName", tmp_path / "a.apng")
    told = []
    dialog.slices.progressed.connect(told.append)

    with qtbot.waitSignal(dialog.wrote, timeout=60_000):
        dialog.go.click()

    assert len(told) > 5
    assert told == sorted(told)


def test_choices_are_there_again_the_next_time(dialog, opened):
    choose(dialog, ".svg")
    dialog.legend.setChecked(False)
    dialog.reject()

    opened.trigger("export")

    assert (dialog.chosen.suffix, dialog.legend.isChecked()) == (".svg", False)
