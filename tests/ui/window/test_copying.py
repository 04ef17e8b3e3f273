"""Edit > Copy: the picture as an image and as SVG, and parts of the node that is shown."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from PySide6.QtGui import QGuiApplication, QImage

from gradviz.ui.look.palette import DARK
from gradviz.ui.window import copying


@pytest.fixture
def clipboard(opened):
    board = QGuiApplication.clipboard()
    board.clear()
    return board


def test_picture_is_copied_as_an_image_and_as_svg(opened, clipboard):
    opened.trigger("theme_dark")
    opened.trigger("copy_picture")

    data = clipboard.mimeData()
    image = QImage(data.imageData())
    assert image.width() > 400
    assert image.pixelColor(2, 2).name().upper() == DARK.canvas
    assert b"<svg" in bytes(data.data("image/svg+xml").data())
    assert opened.statusBar().currentMessage() == "Copied the picture as an image and as SVG."


def test_picture_of_a_large_graph_is_copied_as_an_image_alone(opened, clipboard, monkeypatch):
    monkeypatch.setattr(copying, "MOST_DRAWN", 1)

    opened.trigger("copy_picture")

    assert clipboard.mimeData().hasImage()
    assert not clipboard.mimeData().hasFormat("image/svg+xml")


def test_copied_picture_is_of_the_step_that_is_shown(opened, clipboard):
    images = []
    for position in (6, 7, 6):
        opened.session.clock.player.go(position)
        opened.trigger("copy_picture")
        images.append(QImage(clipboard.mimeData().imageData()))

    assert images[0] == images[2] != images[1]


def test_process_with_a_picture_on_the_clipboard_ends_well():
    code = (
        "from PySide6.QtGui import QGuiApplication, QImage\n"
        "from gradviz.ui.window.copying import empty_data\n"
        "app, data = QGuiApplication([]), empty_data()\n"
        "data.setImageData(QImage(8, 8, QImage.Format.Format_RGB32))\n"
        "app.clipboard().setMimeData(data)\n"
        "print(app.clipboard().mimeData().formats())"
    )

    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600, check=False)

    assert (ended.returncode, ended.stdout) == (0, "['application/x-qt-image']\n"), ended.stderr


def test_value_of_the_selected_node_is_copied_with_all_its_numbers(opened, clipboard):
    recording = opened.session.picture.track.recording
    opened.workbench.select(0)

    opened.trigger("copy_value")

    assert np.array_equal(np.array(eval(clipboard.text())), recording.value(0))
    assert opened.statusBar().currentMessage().startswith("Copied the value of ")


def test_formula_is_copied_as_tex_and_the_step_as_markdown(opened, clipboard):
    node = opened.session.picture.track.node_at(7)
    opened.session.clock.player.go(7)
    opened.workbench.select(node)

    opened.trigger("copy_formula")
    assert r"\partial" in clipboard.text()
    opened.trigger("copy_markdown")

    assert clipboard.text().startswith("### ")
    assert "- rule: $" in clipboard.text()


def test_a_leaf_has_no_formula_and_the_clipboard_keeps_what_it_has(opened, clipboard):
    opened.workbench.select(0)
    clipboard.setText("before")

    opened.trigger("copy_formula")

    assert clipboard.text() == "before"
    assert "has nothing to copy as the formula" in opened.statusBar().currentMessage()


def test_without_a_node_it_is_said_what_to_do(opened, clipboard):
    opened.session.clock.player.go(0)
    opened.workbench.select(None)

    opened.trigger("copy_value")

    assert opened.statusBar().currentMessage() == "There is no node to copy from: click one."
