"""One state, shown twice: what a canvas draws of it, a canvas that has just been made, and another window."""

from __future__ import annotations

from pathlib import Path
from tempfile import mkdtemp

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget

from gradviz.ui.canvas.canvas import Canvas
from gradviz.ui.session.session import Session
from gradviz.ui.window.window import Window
from tests.ui.canvas import canvases
from tests.ui.real_windows import lay_out_parts, real_window, settle


def grab(canvas: Canvas) -> QImage:
    """What a canvas draws, without the find bar that may lie over it."""
    ratio = canvas.devicePixelRatioF()
    image = QImage(canvas.size() * ratio, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    image.fill(Qt.GlobalColor.magenta)  # what nobody draws is to be seen
    canvas.render(image, renderFlags=QWidget.RenderFlag(0))
    return image


def assert_same(mine: Canvas, its: Canvas) -> None:
    assert its.size() == mine.size(), f"two sizes of one state: {its.size().toTuple()} {mine.size().toTuple()}"
    assert its.view == mine.view
    first, second = grab(mine), grab(its)
    if not canvases.look_alike(second, first):
        kept = keep_apart(first, second)
        raise AssertionError(f"two pictures of one state, kept in {kept}: {mine.accessibleDescription()}")


def keep_apart(first: QImage, second: QImage) -> Path:
    """Two pictures of one size, and black where they are different, as files in a folder of their own."""
    folder = Path(mkdtemp(prefix="two_pictures_"))
    apart = np.abs(canvases.shades(first) - canvases.shades(second)).max(axis=1)
    grey = np.where(apart > 8, 0, 255).astype(np.uint8).tobytes()
    black = QImage(grey, first.width(), first.height(), first.width(), QImage.Format.Format_Grayscale8)
    for image, name in ((first, "mine"), (second, "its"), (black, "apart")):
        image.save(str(folder / f"{name}.png"))
    return folder


def copy_of(canvas: Canvas, window: Window) -> Canvas:
    """A canvas that has just been made, given the state of a canvas."""
    made = Canvas(window._theme)
    made.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    made.resize(canvas.size())
    made.show()
    show_state(made, canvas, window)
    return made


def show_state(made: Canvas, canvas: Canvas, window: Window) -> None:
    picture, bench = window.session.picture, window.workbench
    made.set_stale(window.session.document.content.is_stale)
    if picture is not None:
        made.show_track(picture.drawn, picture.layout)
        made.show_position(window.session.clock.player.position)
        made.select(bench.selected)
        made.select_group(bench.selected_group)
    made.show_gauges(canvas._has_gauges)
    made.show_stops(*canvas._lights.stops)
    made.show_checks(canvas._lights.verdicts)
    made.show_difference(canvas._lights.difference)
    made.light(canvas._lights.spotlight)
    made.ask(canvas._asked)
    made.keep_clear(canvas._camera.covered)
    made._look(canvas.view)
    point_as(made, canvas)


def point_as(made: Canvas, canvas: Canvas) -> None:
    """The pointer over the same box, with its card or not yet."""
    made._hovered, made._has_card = canvas._hovered, canvas._has_card
    made.update()


def window_in_state_of(window: Window, settings_file: Path, qtbot) -> Window:
    """Another window, brought to the state of a window at once: text, sweep, folding, position, selection and sight."""
    session, content = window.session, window.session.document.content
    other = real_window(settings_file, window._theme.choice)
    its = other.session
    its.direction, its.steps_over = session.direction, session.steps_over
    open_as(other, session)
    settle(qtbot, other)
    for output, _name, seed in content.hand_seeds:
        its.sweep_by_hand(output, seed)
        settle(qtbot, other)
    its.edit(content.text)
    settle(qtbot, other)
    its.document.set_breakpoints(content.breakpoints)
    if content.sweep is not None:
        its.document.choose_sweep(content.sweep)
        settle(qtbot, other)  # what is folded is among the groups of the call that is shown
    board = window.workbench.folds.board
    if board is not None:
        its.refold(board.folding)
    settle(qtbot, other)
    compare_as(its, session)
    settle(qtbot, other)
    if content.supposed is not None:
        its.supposing.suppose(content.supposed.what_if)
        settle(qtbot, other)
    predict_alike(other, window)
    look_alike(other, window)
    return other


def predict_alike(other: Window, window: Window) -> None:
    """The same lesson said or dismissed, and as much of it predicted."""
    mine, its = window.workbench.leading, other.workbench.leading
    if mine.guide is None and not window.session.document.content.watch:
        its.dismiss()
    elif (its.guide is None) is not (mine.guide is None):  # a lesson that was saved goes on being one, until it is
        its.guide = mine.guide  # opened as the file that it is then, with the sentences in its text alone
        other.workbench._show_watch()
        its.show_moment()
    if mine.predicting.is_on:
        other.session.clock.player.first()
        its.predicting.turn(True)
        while len(its.predicting._waiting) > len(mine.predicting._waiting):
            other.session.clock.player.last()
            its.predicting.reveal()
    its.show_moment()


def compare_as(its: Session, session: Session) -> None:
    """The same recordings beside the one that is there, of which the same is shown."""
    content, own = session.document.content, its.document.content.own
    if not content.beside:
        return
    first = content.beside[0].recording
    its.compare([each._replace(recording=own) if each.recording is first else each for each in content.beside])
    if content.place and content.beside[content.place].recording is not first:
        its.choose_beside(content.place)
    if content.sweep is not None:
        its.document.choose_sweep(content.sweep)
    its.document.compare(its.document.content.beside, content.against)


def open_as(other: Window, session: Session) -> None:
    """The script of the recording that is drawn; the recording itself where no run made it."""
    content = session.document.content
    own = content.beside[0].recording if content.beside else content.own
    source = own.source
    if session._first_run is None and own.nodes:
        other.session.open_recording(own, content.name, held=content.held)
    else:
        drawn = source.text if content.is_stale and source else content.text
        other.session.open_script(drawn, content.name, kind=content.kind, watch=content.watch, held=content.held)


def look_alike(other: Window, window: Window) -> None:
    """The same parts in the same sizes, and the same point of the picture in the middle."""
    mine, its = window.workbench, other.workbench
    other.resize(window.size())
    its.left.setVisible(not mine.left.isHidden())
    for a, b in ((its.inspector, mine.inspector), (its.breakpoints, mine.breakpoints)):
        its.show_part(a, not b.isHidden())
    its.show_heat(mine.has_heat)
    lay_out_parts(other)
    its.middle.setSizes(mine.middle.sizes())
    its.columns.setSizes(mine.columns.sizes())
    its._align()
    other.session.clock.player.go(window.session.clock.player.position)
    its.inspector.show_remarks(mine.inspector._remarks)
    its.select(mine.selected)
    if mine.selected_group is not None:
        its.select_group(mine.selected_group)
    lay_out_parts(other)
    if mine.finder.is_open:  # the graph and the legend have the room below it
        its.find_bar.field.setText(mine.find_bar.field.text())
        its.finder.open()
        lay_out_parts(other)
    its.canvas.show_gauges(mine.canvas._has_gauges)
    its.canvas.light(mine.canvas._lights.spotlight)
    its.canvas.show_checks(mine.canvas._lights.verdicts)
    its.canvas._look(mine.canvas.view)
    point_as(its.canvas, mine.canvas)
