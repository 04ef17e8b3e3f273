"""Groups on the canvas: what is drawn of them, what a click on them means, and the glide to another folding."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPen
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from gradviz.layout.graph import request_of
from gradviz.layout.layered.layers import lay_out_layers
from gradviz.layout.plan import Layout
from gradviz.playback.groups import folding as fold
from gradviz.playback.groups.folded import FoldedTrack
from gradviz.playback.track import Track
from gradviz.ui.canvas.boxes.frames import Frames
from gradviz.ui.canvas.boxes.titles import MARK, placed
from gradviz.ui.canvas.canvas import Canvas
from gradviz.ui.canvas.edges.counts import Counts
from gradviz.ui.canvas.glide import DURATION_MS, is_refolded
from gradviz.ui.canvas.ink.marks import PILL
from gradviz.ui.canvas.ink.painter import painter_on
from gradviz.ui.canvas.overlay import hover_rows
from gradviz.ui.canvas.painting import Painting
from gradviz.ui.canvas.plane.view import Rect, View
from gradviz.ui.canvas.scene.cards import Kind, cards
from gradviz.ui.canvas.scene.measure import FOLD_MARK, GROUP_PAD, box_sizes
from gradviz.ui.canvas.scene.moment import Stage, frame_of
from gradviz.ui.canvas.scene.scene import Scene
from gradviz.ui.canvas.step.spotlight import Lit, Spotlight
from gradviz.ui.look.palette import LIGHT
from gradviz.ui.look.theme import Theme
from tests.layout.plans import intruders
from tests.playback.scoped import blocks, folded, grouped, names, track
from tests.ui.canvas.canvases import marks_of, picture, save


@pytest.fixture
def made(qapp) -> Track:
    return track(blocks(2))


def laid_out(board: FoldedTrack) -> Layout:
    request = request_of(board, box_sizes(board))
    layout = lay_out_layers(request)
    assert intruders(layout, request) == []
    return layout


def shown(qtbot, theme: Theme, board: FoldedTrack, size: tuple[int, int] = (900, 1100)) -> Canvas:
    canvas = Canvas(theme)
    canvas.reduced_motion = True
    qtbot.addWidget(canvas)
    canvas.resize(*size)
    canvas.show_track(board, laid_out(board))
    canvas.show()
    qtbot.waitExposed(canvas)
    return canvas


def box(canvas: Canvas, board: FoldedTrack, name: str) -> tuple[float, float, float, float]:
    """Where a box is on the screen."""
    left, top, right, bottom = canvas._scene.boxes[names(board).index(name)].tolist()
    return canvas.view.rect_to_screen((left, top, right, bottom))


def click(canvas: Canvas, x: float, y: float) -> None:
    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=QPointF(x, y).toPoint())


def number_of(board: FoldedTrack, title: str) -> int:
    return next(number for number, group in enumerate(board.groups.groups) if group.title == title)


# ---- what is drawn ----


def test_the_card_of_a_group_says_what_it_is_and_what_crosses_its_border(made) -> None:
    board = folded(made, "layers.0")

    card = cards(board)[names(board).index("layers.0")]

    assert (card.kind, card.name, card.word, card.value) == (Kind.GROUP, "layers.0", "2 ops", "scalar → scalar")
    # loss = y1², y1 = (y0 + w1)·y0 at y0 = 8: dL/dy0 = 2·80·(8 + 10).
    assert card.gradient == "2880"


def test_a_run_of_alike_groups_says_how_many_it_stands_for(qapp) -> None:
    lines = [*blocks(3)[:-1], ("z", "add", ("y2", "y2"), ("net",)), ("loss", "mul", ("z", "z"), ())]
    board = folded(track(lines), "layers.0 … layers.2")

    card = cards(board)[-1]

    assert (card.badge, card.word) == ("×3", "same structure · 6 ops")


def test_every_step_inside_a_folded_group_draws_another_picture(qtbot, theme, made) -> None:
    board = folded(made, "layers.0", "layers.1")
    canvas = shown(qtbot, theme, board)

    pictures = []
    for position in range(board.length + 1):
        canvas.show_position(position)
        pictures.append(picture(canvas))

    assert all(one != other for one, other in pairwise(pictures))


@pytest.mark.parametrize("zoom", [0.2, 0.35, 1.0])
def test_same_position_is_the_same_picture_whichever_way_it_was_reached(qtbot, theme, made, zoom) -> None:
    board = folded(made, "layers.0")
    stepped, jumped = (shown(qtbot, theme, board) for _ in range(2))
    for canvas in (stepped, jumped):
        canvas.zoom_by(zoom / canvas.view.scale, (0.0, 0.0))

    for position in range(board.length):
        stepped.show_position(position)
        picture(stepped)
    stepped.show_position(board.length - 2)
    jumped.show_position(board.length - 2)

    assert picture(stepped) == picture(jumped)


def test_the_hover_card_of_a_group_tells_what_is_in_it(made) -> None:
    board = folded(made, "layers.0")
    scene = Scene(board, laid_out(board))

    rows = [row.text for row in hover_rows(scene, names(board).index("layers.0"), 3, LIGHT)]

    assert rows[0] == "layers.0"
    assert rows[2] == "1 add, 1 mul"
    assert "unfolds" in rows[-1]


def test_a_group_is_lit_where_something_in_it_is(made) -> None:
    board = folded(made, "layers.0")
    scene = Scene(board, laid_out(board))
    inner = next(node.id for node in made.recording.nodes if node.name == "a0")

    lit = Lit(scene, Spotlight(frozenset({inner})))

    assert [names(board)[index] for index in lit.nodes.nonzero()[0]] == ["layers.0"]


def test_the_canvas_says_the_group_of_the_step(qtbot, theme, made) -> None:
    board = folded(made, "layers.0")
    canvas = shown(qtbot, theme, board)

    canvas.show_position(3)

    assert "6 boxes, 1 of them folded groups" in canvas.accessibleDescription()
    assert "Current group layers.0, 2 ops, step 2 of 3" in canvas.accessibleDescription()


def tabs_of(frames: Frames, scale: float) -> list[Rect | None]:
    return [frames.tab(number, scale) for number in frames.groups]


@pytest.mark.parametrize("scale", [1.0, 0.6, 0.3, 0.2, 0.1])
def test_no_title_covers_a_box_or_another_title(made, scale) -> None:
    board = folded(made, "layers.0")
    scene = Scene(board, laid_out(board))

    frames = Frames(scene)
    tabs = [tab for tab in tabs_of(frames, scale) if tab is not None]

    for number, (left, top, right, bottom) in enumerate(tabs):
        others = [*scene.boxes.tolist(), *tabs[:number]]
        assert not [o for o in others if o[0] < right and o[2] > left and o[1] < bottom - 1 and o[3] > top + 1]


def test_titles_are_there_while_they_can_be_read_and_grow_in_a_small_picture(made) -> None:
    board = folded(made)
    scene = Scene(board, laid_out(board))
    frames = Frames(scene)

    near, small, far = tabs_of(frames, 1.0), tabs_of(frames, 0.5), tabs_of(frames, 0.05)

    assert None not in near
    assert small[0] is not None
    assert small[0][3] - small[0][1] > near[0][3] - near[0][1]
    assert set(far) == {None}


def test_a_frame_whose_corner_is_taken_by_the_title_around_it_has_its_own_on_the_right(qapp) -> None:
    sides = np.array([[0.0, 0.0, 600.0, 400.0], [10.0, 22.0, 590.0, 200.0]])

    outer, inner = placed(("model", "layer"), sides, np.empty((0, 4)), 0.6)

    assert outer is not None
    assert inner is not None
    assert (outer[0], inner[2]) == (0.0, 590.0)


def test_a_title_takes_the_largest_size_that_the_boxes_above_it_leave_room_for(qapp) -> None:
    sides, above = np.array([[0.0, 100.0, 900.0, 400.0]]), np.array([[0.0, 0.0, 900.0, 86.0]])

    (free,) = placed(("layer",), sides, np.empty((0, 4)), 0.5)
    (close,) = placed(("layer",), sides, above, 0.5)

    assert free is not None
    assert close is not None
    assert 86.0 <= close[1] < 90.0
    assert free[1] < 86.0


def test_wide_frames_have_titles_from_however_far_and_narrow_ones_no_single_letters(qapp) -> None:
    sides = np.array([[0.0, 0.0, 60_000.0, 400.0], [0.0, 500.0, 6_000.0, 900.0]])

    wide, narrow = placed(("layer", "Neuron #14 of 20"), sides, np.empty((0, 4)), 0.01)

    assert wide is not None
    assert (wide[3] - wide[1]) * 0.01 > 20.0
    assert narrow is None


def test_titles_stay_where_they_are_while_the_graph_is_moved(made) -> None:
    board = folded(made)
    scene = Scene(board, laid_out(board))
    whole = dict(zip(Frames(scene).groups, tabs_of(Frames(scene), 0.7), strict=True))
    left, top, right, bottom = scene.around

    for low in np.arange(top - 400.0, bottom, 90.0).tolist():
        frames = Frames(scene)
        for index, tab in frames._titles_in((left, low, right, low + 400.0), 0.7):
            assert tab == whole[frames.groups[index]]


# ---- what a click means ----


def test_a_click_on_a_folded_group_selects_it_and_one_on_its_mark_opens_it(qtbot, theme, made) -> None:
    board = folded(made, "layers.0")
    canvas = shown(qtbot, theme, board)
    left, top, right, _ = box(canvas, board, "layers.0")
    scale, number = canvas.view.scale, number_of(board, "layers.0")

    with qtbot.waitSignal(canvas.group_clicked) as clicked, qtbot.assertNotEmitted(canvas.fold_requested):
        click(canvas, left + 20, top + 20)
    with qtbot.waitSignal(canvas.fold_requested) as folded_:
        click(canvas, right - (GROUP_PAD + FOLD_MARK / 2) * scale, top + 20 * scale)

    assert clicked.args == folded_.args == [number]


def test_a_click_on_the_title_of_a_frame_selects_it_and_one_on_its_mark_folds_it(qtbot, theme, made) -> None:
    board = folded(made)
    canvas = shown(qtbot, theme, board)
    number = number_of(board, "layers.1")
    tab = canvas._painting.frames.tab(number, canvas.view.scale)
    left, top, right, bottom = canvas.view.rect_to_screen(tab)

    with qtbot.waitSignal(canvas.group_clicked) as clicked:
        click(canvas, right - 6, (top + bottom) / 2)
    with qtbot.waitSignal(canvas.fold_requested) as folded_:
        click(canvas, left + 12 * (bottom - top) / 30, (top + bottom) / 2)

    assert clicked.args == folded_.args == [number]


def test_a_double_click_on_a_group_opens_it_and_one_on_the_ground_fits(qtbot, theme, made) -> None:
    board = folded(made, "layers.0")
    canvas = shown(qtbot, theme, board)
    left, top, _, _ = box(canvas, board, "layers.0")
    whole = canvas.view

    with qtbot.waitSignal(canvas.fold_requested):
        QTest.mouseDClick(canvas, Qt.MouseButton.LeftButton, pos=QPointF(left + 20, top + 20).toPoint())
    canvas.zoom_by(1.3)
    QTest.mouseDClick(canvas, Qt.MouseButton.LeftButton, pos=QPointF(3, 3).toPoint())

    assert canvas.view == whole


def test_a_double_click_on_the_mark_folds_once(qtbot, theme, made) -> None:
    board = folded(made, "layers.0")
    canvas = shown(qtbot, theme, board)
    _, top, right, _ = box(canvas, board, "layers.0")
    at = QPointF(right - (GROUP_PAD + FOLD_MARK / 2) * canvas.view.scale, top + 20 * canvas.view.scale).toPoint()
    asked = []
    canvas.fold_requested.connect(asked.append)

    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=at)
    QTest.mouseDClick(canvas, Qt.MouseButton.LeftButton, pos=at)

    assert len(asked) == 1


def test_a_click_on_a_node_is_no_click_on_its_group(qtbot, theme, made) -> None:
    board = folded(made)
    canvas = shown(qtbot, theme, board)
    left, top, _, _ = box(canvas, board, "a1")

    with qtbot.waitSignal(canvas.node_clicked) as clicked, qtbot.assertNotEmitted(canvas.group_clicked):
        click(canvas, left + 20, top + 20)

    assert made.recording.nodes[clicked.args[0]].name == "a1"


# ---- from one folding to another ----


def refolded(board: FoldedTrack, title: str) -> FoldedTrack:
    changed = fold.toggled(board.folding, board.groups, number_of(board, title))
    return FoldedTrack.of(board.base, board.groups, changed)


def test_a_group_that_opens_stays_where_it_is(qtbot, theme, made) -> None:
    board = folded(made, "layers.1")
    canvas = shown(qtbot, theme, board)
    canvas.zoom_by(1.01)
    number = number_of(board, "layers.1")
    opened = refolded(board, "layers.1")
    canvas.resize(2000, 2000)
    QApplication.processEvents()
    left, top, right, _ = box(canvas, board, "layers.1")

    canvas.expect(number)
    canvas.show_track(opened, laid_out(opened))

    sides = canvas._painting.frames.sides_of(number)
    new_left, new_top, new_right, _ = canvas.view.rect_to_screen(sides)
    assert abs(new_top - top) <= 1.0
    assert abs(new_left + new_right - left - right) <= 2.0


def test_the_glide_begins_at_the_old_places_and_ends_in_the_picture_without_it(qtbot, theme, made) -> None:
    board = folded(made, "layers.0")
    opened = refolded(board, "layers.0")
    moving, still = (shown(qtbot, theme, board) for _ in range(2))
    moving.reduced_motion = False
    before = picture(still)

    for canvas in (moving, still):
        canvas.expect(number_of(board, "layers.0"))
        canvas.show_track(opened, laid_out(opened))
    moving._glide_timer.stop()
    halfway = [picture(moving)]
    moving.advance_glide(DURATION_MS / 2)
    halfway.append(picture(moving))
    moving.advance_glide(DURATION_MS)

    assert halfway[0] != halfway[1]
    assert picture(still) not in (before, *halfway)
    assert picture(moving) == picture(still)


def test_another_track_is_no_other_folding(made) -> None:
    board, other = folded(made, "layers.0"), folded(track(blocks(2)), "layers.0")
    scene, *others = (Scene(one, laid_out(one)) for one in (board, refolded(board, "layers.0"), other))

    assert [is_refolded(scene, one) for one in others] == [True, False]


def test_a_picture_with_frames_is_written_to_files(tmp_path, made) -> None:
    board = folded(made, "layers.0")
    for name in ("a.svg", "a.png"):
        save(board, laid_out(board), 3, tmp_path / name, theme_palette=LIGHT)

    text = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert all(word in text for word in ("net", "layers.0", "layers.1", "2 ops"))


def test_titles_in_a_file_leave_no_room_for_the_mark_that_folds(made) -> None:
    board = folded(made)
    scene = Scene(board, laid_out(board))

    file, window = (Painting(scene, LIGHT, for_file=for_file).frames for for_file in (True, False))

    widths = [[tab[2] - tab[0] for tab in tabs_of(frames, 1.0) if tab is not None] for frames in (file, window)]
    assert widths[0] == pytest.approx([width - MARK for width in widths[1]])


def test_nothing_in_a_file_seems_to_fold(qtbot, theme, tmp_path, made, monkeypatch) -> None:
    from gradviz.ui.canvas.boxes import boxes, frames

    drawn = []
    for module in (frames, boxes):
        monkeypatch.setattr(module, "paint_fold_mark", lambda *_given, **_more: drawn.append(1))
    board = folded(made, "layers.0")
    for name in ("a.svg", "a.png"):
        save(board, laid_out(board), 3, tmp_path / name, theme_palette=LIGHT)

    assert not drawn
    canvas = shown(qtbot, theme, board)
    canvas.read(1.0)
    picture(canvas)
    assert drawn


def test_groups_have_a_sign_in_the_legend_only_where_one_is_folded(tmp_path, made) -> None:
    texts = []
    for number, board in enumerate((folded(made), folded(made, "layers.0"))):
        file = tmp_path / f"{number}.svg"
        save(board, laid_out(board), 0, file, theme_palette=LIGHT)
        texts.append(file.read_text(encoding="utf-8"))

    assert [">group<" in text for text in texts] == [False, True]


def test_grouped_pictures_of_nothing_folded_are_plain_tracks_in_what_they_show(made) -> None:
    board = FoldedTrack.of(made, grouped(made), fold.OPEN)

    assert cards(board) == cards(made)


def test_an_edge_that_stands_for_several_uses_says_how_many(qapp, tmp_path) -> None:
    board = folded(track(blocks(1)), "net › layers.0")

    counts = Counts(Scene(board, laid_out(board)))

    # x is used twice in the group, and the loss takes what comes out of it in two slots.
    assert counts.texts == ["×2"]


@pytest.mark.parametrize("zoom", [1.0, 0.4])
def test_no_label_covers_the_title_of_a_frame_or_a_count(qtbot, theme, made, zoom) -> None:
    canvas = shown(qtbot, theme, folded(made, "layers.0"))
    canvas.zoom_by(zoom / canvas.view.scale)
    painting, found = canvas._painting, 0

    for position in range(made.length + 1):
        canvas.show_position(position)
        QApplication.processEvents()
        places = [painting.frames.title_boxes(canvas.view, canvas._camera.sight)]
        places.append(painting.counts.boxes_in(canvas.view, canvas._camera.sight))
        taken = [QRectF(*box[:2], *(box[2:] - box[:2])) for box in np.concatenate(places)]
        labels = [mark.rect.adjusted(4, 4, -4, -6) for mark in marks_of(canvas) if mark.kind == PILL]
        found += len(labels) * len(taken)
        assert not any(label.intersects(place) for label in labels for place in taken)

    assert found


def test_counts_are_there_while_numbers_can_be_read(qtbot, theme, made) -> None:
    canvas = shown(qtbot, theme, folded(made, "layers.0"))
    seen = []
    for scale in (1.0, 0.2):
        canvas.zoom_by(scale / canvas.view.scale)
        seen.append(len(canvas._painting.counts.boxes_in(canvas.view, canvas._camera.sight)))

    assert seen[0] > 0
    assert seen[1] == 0


def test_a_plain_picture_has_no_counts(made) -> None:
    assert Counts(Scene(made, laid_out(folded(made)))).texts == []


def test_no_edge_runs_through_a_title(qtbot, theme, made) -> None:
    board = folded(made)
    scene = Scene(board, laid_out(board))
    painting, view = Painting(scene, LIGHT), View(1.0, 40.0, 40.0)
    tabs = [tab for tab in tabs_of(painting.frames, 1.0) if tab is not None]
    left, top, right, bottom = view.rect_to_screen(tabs[0])

    def drawn(strands) -> QImage:
        image = QImage(900, 1400, QImage.Format.Format_RGB32)
        with painter_on(image) as painter:
            painting.edges.paint = strands
            painting.paint(painter, view, frame_of(scene, 0, Stage.REST), (0.0, 0.0, 900.0, 1400.0))
        return image.copy(QRect(round(left) + 3, round(top) + 4, round(right - left) - 6, round(bottom - top) - 8))

    def line(painter, *_rest) -> None:
        painter.setPen(QPen(QColor("red"), 3.0))
        painter.drawLine(QPointF(left, (top + bottom) / 2), QPointF(right, (top + bottom) / 2))

    assert tabs
    assert drawn(lambda *_: None) == drawn(line)


def test_a_title_stands_on_a_tab_with_a_border_below_which_edges_are_seen_to_pass(made) -> None:
    board = folded(made)
    scene = Scene(board, laid_out(board))
    painting, view = Painting(scene, LIGHT), View(1.0, 40.0, 40.0)
    painting.edges.paint = lambda *_: None
    left, top, _, bottom = view.rect_to_screen(tabs_of(painting.frames, 1.0)[0])
    image = QImage(900, 1400, QImage.Format.Format_RGB32)

    with painter_on(image) as painter:
        painting.paint(painter, view, frame_of(scene, 0, Stage.REST), (0.0, 0.0, 900.0, 1400.0))

    rows = range(round(top) + 6, round(bottom) + 1)
    colors = [image.pixel(round(left) + 60, row) for row in rows]
    assert colors[0] != colors[-1]
    assert len(set(colors)) > 2
