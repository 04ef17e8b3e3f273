"""What a file shows and says where a what-if or a comparison is on the screen."""

from __future__ import annotations

import csv
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
import zlib
from base64 import b64decode
from pathlib import Path

import pytest
from PySide6.QtGui import QImage

from gradviz.changes import Spot
from gradviz.formats import load
from gradviz.ui.look.palette import LIGHT
from tests.player.test_page import data_in
from tests.ui.real_windows import real_window, settle

TEXT = """\
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * x
y = h.log().sum()
y.backward()
"""
CALLS = """\
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * x
h.backward(torch.tensor([1.0, 0.0]), retain_graph=True)
h.backward(torch.tensor([0.0, 1.0]))
"""
WHAT_IF = "What if: x[1] = 3.5 (was 2)."
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def window(qtbot, tmp_path):
    made = real_window(tmp_path / "settings.ini")
    qtbot.addWidget(made)
    made.session.open_script(TEXT, "one.py")
    settle(qtbot, made)
    player = made.session.clock.player
    player.go(player.length)
    return made


@pytest.fixture
def supposed(qtbot, window):
    window.session.supposing.change(Spot(0, 1), 3.5)
    settle(qtbot, window)
    return window


@pytest.fixture
def compared(qtbot, window):
    window.session.open_script(CALLS, "calls.py")
    settle(qtbot, window)
    window.trigger("compare_calls")
    settle(qtbot, window)
    player = window.session.clock.player
    player.go(player.length)
    return window


def written(window, folder: Path, suffix: str) -> Path:
    file = folder / f"out{suffix}"
    window.files.export_to(file)
    return file


def texts(file: Path) -> list[str]:
    return [each.text or "" for each in ET.parse(file).iter(f"{SVG}text")]


def test_a_picture_of_a_what_if_says_so_and_marks_what_was_other(supposed, tmp_path):
    said = texts(written(supposed, tmp_path, ".svg"))

    assert WHAT_IF in said
    assert len(re.findall(r"Δ (\[\d\] )?was ", "".join(said))) >= 3
    assert "[1, 3.5]" in said


def test_a_picture_of_a_run_says_nothing_of_the_kind(window, tmp_path):
    assert not any("What if" in text or "Δ" in text for text in texts(written(window, tmp_path, ".svg")))


def test_the_sentence_stands_on_a_band_over_the_whole_width_and_covers_nothing(supposed, tmp_path):
    with_band = QImage(str(written(supposed, tmp_path, ".png")))
    graph = supposed.files.graph()
    bare = written_bare(graph, supposed.files.look())

    tint = LIGHT.changed_tint.lower()
    assert [with_band.pixelColor(x, 4).name() for x in (1, with_band.width() // 2, with_band.width() - 2)] == [tint] * 3
    height = next(y for y in range(with_band.height()) if with_band.pixelColor(1, y).name() != tint)
    assert height > 30
    assert with_band.height() - bare[1] >= height - 4


def written_bare(graph, look) -> tuple[int, int]:
    """Width and height in pixels of the same picture without the sentence."""
    from gradviz.ui.canvas.files.picture_file import PNG_SCALE, picture_of

    width, height = picture_of(graph._replace(notes=()), look).size
    return round(width * PNG_SCALE), round(height * PNG_SCALE)


def test_a_film_of_a_what_if_has_its_marks_and_its_sentence(supposed, tmp_path):
    images = pytest.importorskip("PIL.Image")
    with images.open(written(supposed, tmp_path, ".apng")) as film:
        film.seek(film.n_frames - 1)
        inks = film.convert("RGB").getcolors(1 << 24)

    changed = tuple(int(LIGHT.changed[at : at + 2], 16) for at in (1, 3, 5))
    assert any(max(abs(a - b) for a, b in zip(ink, changed, strict=True)) < 12 for _, ink in inks)


def test_the_page_that_plays_says_what_its_numbers_are(supposed, window, tmp_path):
    packed = data_in(written(supposed, tmp_path, ".html").read_text(encoding="utf-8"))

    assert WHAT_IF in zlib.decompress(b64decode(packed + "==", altchars=b"-_")).decode()


def test_every_text_says_what_its_numbers_are(supposed, tmp_path):
    for suffix in (".gv", ".graphml", ".csv", ".md", ".py"):
        assert "What if" in written(supposed, tmp_path, suffix).read_text(encoding="utf-8"), suffix

    rows = list(csv.reader((tmp_path / "out.csv").read_text(encoding="utf-8-sig").splitlines()))
    assert rows[-1] == ["", WHAT_IF, "", "", ""]
    ran = subprocess.run([sys.executable, "-I", "out.py"], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert re.fullmatch(r"x.grad = \[2\. +0\.571428\d*\]\n", ran.stdout)


def test_texts_of_a_run_say_nothing_of_the_kind(window, tmp_path):
    for suffix in (".gv", ".graphml", ".csv", ".md", ".py", ".html"):
        assert "What if" not in written(window, tmp_path, suffix).read_text(encoding="utf-8"), suffix


def test_a_recording_holds_the_run_and_the_what_if_apart(supposed, tmp_path):
    recording = load(written(supposed, tmp_path, ".json"))

    assert recording.values[0].tolist() == [1, 2]
    assert [change.number for change in recording.view.what_if] == [3.5]


def test_a_picture_of_a_comparison_names_both_and_marks_what_differs(compared, tmp_path):
    said = texts(written(compared, tmp_path, ".svg"))

    assert "1: h.backward([1, 0]) beside 2: h.backward([0, 1])." in " ".join(said)
    assert "Δ there " in "".join(said)


@pytest.mark.parametrize(
    ("suffix", "ends"),
    [
        (".svg", "it needs no font."),
        (".csv", "What differs from 2: h.backward([0, 1]) is not marked in it."),
        (".html", "What differs from 2: h.backward([0, 1]) is not marked in it."),
        (".json", "It holds 1: h.backward([1, 0]) alone."),
    ],
)
def test_the_dialog_says_what_of_a_comparison_a_file_leaves_out(compared, suffix, ends):
    dialog = compared.files.export()
    dialog.format.setCurrentIndex(dialog.format.findData(suffix))

    assert dialog.holds.text().endswith(ends)
    dialog.reject()


@pytest.mark.parametrize(
    ("suffix", "ends"),
    [
        (".png", "in pixels."),
        (".md", "It holds the numbers of the what-if and says so."),
        (".gradviz", "It holds the run, and the what-if to be applied again when gradviz opens it."),
    ],
)
def test_the_dialog_says_what_a_file_holds_of_a_what_if(supposed, suffix, ends):
    dialog = supposed.files.export()
    dialog.format.setCurrentIndex(dialog.format.findData(suffix))

    assert dialog.holds.text().endswith(ends)
    dialog.reject()
