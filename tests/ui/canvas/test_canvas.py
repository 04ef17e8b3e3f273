"""The widget: what it shows of a graph, and at the edges of use."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest

from gradviz.playback.track import Track
from gradviz.recording import Recording
from gradviz.ui.canvas.canvas import Canvas
from gradviz.ui.canvas.edges.edges import Ink, ink_of, share_of_long
from gradviz.ui.canvas.ink.text import Role, text_width
from gradviz.ui.canvas.scene.cards import Card, Kind
from gradviz.ui.canvas.scene.moment import Strand
from gradviz.ui.canvas.scene.names import largest_names, name_for, name_size
from gradviz.ui.look.palette import DARK, LIGHT
from tests.samples import weighted_sum
from tests.ui.canvas.canvases import frame_of_canvas, middle_of, picture, shown
from tests.ui.canvas.grids import grid, placed

# ---- what changes the picture ----


def test_token_moves_with_the_phase(canvas):
    canvas.show_position(7, 0.3)
    early = picture(canvas)
    canvas.show_position(7, 0.6)

    assert picture(canvas) != early


def test_selection_hover_staleness_and_theme_change_the_picture(canvas, theme):
    canvas.show_position(7)
    plain = picture(canvas)

    canvas.select(1)
    selected = picture(canvas)
    canvas.select(None)
    canvas.set_stale(True)
    stale = picture(canvas)
    canvas.set_stale(False)
    assert picture(canvas) == plain
    theme.choose("dark")
    dark = picture(canvas)

    assert len({image.cacheKey() for image in (plain, selected, stale, dark)}) == 4
    assert plain not in (selected, stale, dark)


def test_an_edge_of_the_selected_node_keeps_the_colour_of_its_gradient(canvas, track):
    canvas.show_position(track.length)
    scene, node = canvas._scene, track.index_of[3]
    strands = frame_of_canvas(canvas).strands.tolist()

    canvas.select(3)

    image = picture(canvas)
    coloured = [
        edge for edge in (*scene.edges_into(node), *scene.edges_out_of(node)) if strands[edge] >= Strand.CARRIED
    ]
    assert coloured
    for edge in coloured:
        line = scene.line(edge).reshape(-1, 2)
        x, y = canvas.view.to_screen(tuple(line[len(line) // 2]))
        assert image.pixelColor(int(x), int(y)).name() == LIGHT.backward.lower()


def test_card_appears_beside_the_node_that_is_pointed_at(qtbot, canvas):
    canvas.show_position(7)
    with qtbot.waitSignal(canvas.node_hovered) as hovered:
        QTest.mouseMove(canvas, middle_of(canvas, 3).toPoint())
    ringed = picture(canvas)
    qtbot.waitUntil(lambda: canvas._has_card)

    assert hovered.args == [3]
    assert picture(canvas) != ringed


# ---- edges of use ----


def test_ten_thousand_nodes_open_and_step(qtbot, theme):
    track, layout = grid(10_000)
    canvas = shown(qtbot, theme, track, layout, (1600, 1000))

    canvas.show_position(track.turn + 1)
    before = picture(canvas)
    canvas.show_position(track.turn + 2)

    assert picture(canvas) != before
    assert canvas.node_at(middle_of(canvas, 5000).toTuple()) is not None


def test_position_beyond_the_track_is_its_end(canvas, track):
    canvas.show_position(track.length)
    last = picture(canvas)

    canvas.show_position(track.length + 50)

    assert picture(canvas) == last


def test_empty_canvas_takes_all_input(qtbot, theme):
    canvas = Canvas(theme)
    qtbot.addWidget(canvas)
    canvas.show()
    canvas.show_position(3)
    canvas.select(1)
    canvas.fit()
    canvas.reveal(2)

    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton)

    assert picture(canvas).width() == canvas.width()
    assert canvas.accessibleDescription() == ""


def test_graph_without_edges_or_backward_is_drawn(qtbot, theme):
    recording = weighted_sum()
    track = Track(Recording(recording.nodes[:1], recording.values[:1]), None)

    canvas = shown(qtbot, theme, track, placed(track, 1))
    canvas.show_position(1)

    assert picture(canvas).width() == 700


def test_cleared_canvas_shows_nothing(canvas):
    canvas.show_position(5)

    canvas.clear()

    image = picture(canvas)
    assert image.pixel(350, 260) == image.pixel(1, 1)
    assert canvas.accessibleDescription() == "No graph."


def test_description_says_what_is_current(canvas):
    canvas.show_position(7)

    assert canvas.accessibleName() == "Computational graph"
    assert canvas.accessibleDescription() == (
        "5 nodes, position 7 of 9. Current node x·x·w, mul, value [3, 20], gradient [1, 1]."
    )


def test_high_density_screen_gets_its_own_pixels(canvas, monkeypatch):
    monkeypatch.setattr(canvas, "devicePixelRatioF", lambda: 2.0)

    canvas._dress()
    canvas.repaint()

    assert canvas._image.width() == 1400
    assert canvas._painting.art.ratio == 2.0


def test_legend_is_shown_only_where_it_fits(qtbot, theme, track):
    wide, narrow = (shown(qtbot, theme, track, size=(width, 520)) for width in (700, 300))

    assert len(wide._legend_marks()) == 1
    assert narrow._legend_marks() == []


def test_legend_lies_over_rings_and_the_dots_of_breakpoints(canvas):
    inside = canvas._legend_marks()[0].rect.toAlignedRect().adjusted(6, 6, -6, -8)
    away = QPointF(inside.center()) - middle_of(canvas, 3)
    canvas.move_by(away.x(), away.y())
    inside = canvas._legend_marks()[0].rect.toAlignedRect().adjusted(6, 6, -6, -8)
    assert inside.contains(middle_of(canvas, 3).toPoint())
    plain = picture(canvas).copy(inside)

    canvas.select(3)
    canvas.show_stops(frozenset({3}), frozenset())

    assert picture(canvas).copy(inside) == plain


@pytest.mark.parametrize("theme_palette", [LIGHT, DARK])
def test_long_edges_are_paler_in_a_small_picture_than_short_ones(qapp, theme_palette):
    def contrast(ink: Ink) -> float:
        return sum(abs(a - b) for a, b in zip(*(QColor(c).getRgb() for c in (ink.color, ground)), strict=True))

    ground = theme_palette.canvas
    shares = [share_of_long(scale) for scale in (1.0, 0.5, 0.2, 0.01)]
    carried = [contrast(ink_of(theme_palette, Strand.CARRIED, share)) for share in shares]

    assert shares[0] == 1.0
    assert carried == sorted(carried, reverse=True)
    assert len(set(carried[:3])) == 3
    assert carried[-1] > 0.2 * carried[0]
    # What happens now is told at any length.
    assert ink_of(theme_palette, Strand.BACKWARD, shares[-1]) == ink_of(theme_palette, Strand.BACKWARD, 1.0)


def test_a_long_name_is_written_smaller_before_it_is_cut(qapp):
    wide = text_width("second.weight", Role.BIG)

    assert name_size("x", 100.0, 1.0, 0.5) == 1.0
    assert 0.7 < name_size("second.weight", wide * 0.8, 1.0, 0.5) <= 0.8
    assert name_size("second.weight", wide * 0.2, 1.0, 0.5) == pytest.approx(8.5 / (24 * 0.5))


def test_a_name_without_room_loses_its_path_or_what_it_is_called_with(qapp):
    weight = Card(Kind.LEAF, "w", "first.weight", "leaf", "[3]", "", short="weight")
    call = Card(Kind.OP, "conv", "conv2d(x, w)", "conv2d", "[3]", "", short="conv2d")
    wide = text_width("first.weight", Role.BIG)

    assert [name_for(weight, 10 * wide, has_path=paths) for paths in (True, False)] == ["first.weight", "weight"]
    assert [name_for(call, room, has_path=True) for room in (10 * wide, wide / 2)] == ["conv2d(x, w)", "conv2d"]
    assert largest_names([(weight, 4 * wide)]) > largest_names([(weight, 4 * wide), (weight, wide)])
