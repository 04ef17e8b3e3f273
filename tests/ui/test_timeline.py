"""The timeline shows both passes as one track, asks for positions, and never moves by itself."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QImage, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication

from gradviz.playback.player import Player
from gradviz.playback.sentence import sentence
from gradviz.playback.track import Track
from gradviz.recording import Recording, Thinned
from gradviz.ui.look.theme import Theme
from gradviz.ui.timeline.slider import MARGIN, Lane, PassSlider, Scale
from gradviz.ui.timeline.sweeps import SweepBar, sweep_title
from gradviz.ui.timeline.timeline import Timeline, counts_text, saved_lane, skipping_text
from tests.recorded import run
from tests.samples import array, random_graph, weighted_sum


def timeline_of(qtbot, theme: Theme, recording: Recording, position: int = 0) -> tuple[Timeline, Player]:
    timeline, player, track = Timeline(theme, sentence), Player(), Track(recording, 0)
    qtbot.addWidget(timeline)
    timeline.resize(1200, 132)
    timeline.show()
    player.load(track.length, position)
    timeline.show_track(track, len(recording.sweeps))
    timeline.show_player(player, 1.0)
    return timeline, player


def many_sweeps(count: int) -> Recording:
    recording = weighted_sum()
    return replace(recording, sweeps=recording.sweeps * count)


# ---- the scale ----


@pytest.mark.parametrize(("turn", "length"), [(5, 9), (3, 3), (1, 2), (300, 305), (5, 2000)])
def test_every_position_is_found_again_from_its_pixel(turn, length):
    scale = Scale(turn, length, 20_000.0)

    assert [scale.position(scale.x(p)) for p in range(length + 1)] == list(range(length + 1))


def test_positions_lie_in_order_and_inside_the_widget():
    scale = Scale(300, 305, 800.0)
    places = [scale.x(p) for p in range(306)]

    assert places == sorted(places)
    assert places[0] >= MARGIN
    assert places[-1] <= 800 - MARGIN


def test_short_pass_keeps_a_quarter_of_the_width():
    scale = Scale(1000, 1004, 1000.0)
    left, right = scale.backward

    assert right - left >= 0.24 * (1000 - 2 * MARGIN)


# ---- the slider ----


def test_click_asks_for_the_position_under_the_pointer(qtbot, theme):
    timeline, _ = timeline_of(qtbot, theme, weighted_sum())
    slider = timeline.slider
    point = QPoint(round(slider.scale.x(7)), 14)

    with qtbot.waitSignal(timeline.slider.position_requested) as asked:
        qtbot.mouseClick(slider, Qt.MouseButton.LeftButton, pos=point)

    assert asked.args == [7]


@pytest.mark.parametrize("position", range(10))
@pytest.mark.parametrize("share", [-0.2, 0.0, 0.4])
def test_click_anywhere_in_the_segment_of_a_step_asks_for_it(qtbot, theme, position, share):
    slider = timeline_of(qtbot, theme, weighted_sum(), (position + 3) % 10)[0].slider
    scale, asked = slider.scale, []
    slider.position_requested.connect(asked.append)
    left, right = scale.forward if position <= scale.turn else scale.backward
    steps = scale.turn if position <= scale.turn else scale.length - scale.turn
    segment = (right - left) / steps
    x = scale.x(position) + share * segment if position else left + 0.2 * segment * (share + 0.5)

    qtbot.mouseClick(slider, Qt.MouseButton.LeftButton, pos=QPoint(round(x), 14))

    assert asked == [position]


@pytest.mark.parametrize("share", [0.25, 0.75])
def test_click_between_the_bars_asks_for_the_nearer_step(qtbot, theme, share):
    slider = timeline_of(qtbot, theme, weighted_sum())[0].slider
    (_, right), (left, _), asked = slider.scale.forward, slider.scale.backward, []
    slider.position_requested.connect(asked.append)

    qtbot.mouseClick(slider, Qt.MouseButton.LeftButton, pos=QPoint(round(right + share * (left - right)), 14))

    assert asked == [5 if share < 0.5 else 6]


@pytest.mark.parametrize(("x", "wanted"), [(0, 0), (1199, 9)])
def test_click_in_the_margin_asks_for_an_end(qtbot, theme, x, wanted):
    slider = timeline_of(qtbot, theme, weighted_sum(), 4)[0].slider
    asked = []
    slider.position_requested.connect(asked.append)

    qtbot.mouseClick(slider, Qt.MouseButton.LeftButton, pos=QPoint(min(x, slider.width() - 1), 14))

    assert asked == [wanted]


def test_label_under_the_pointer_is_written_darker(qtbot, theme):
    slider = timeline_of(qtbot, theme, weighted_sum())[0].slider
    before = slider.grab().toImage()

    qtbot.mouseMove(slider, QPoint(round(slider.scale.x(2)), 14))

    assert slider.grab().toImage() != before


def test_slider_stays_until_it_is_told(qtbot, theme):
    timeline, player = timeline_of(qtbot, theme, weighted_sum(), 5)
    slider = timeline.slider
    qtbot.mouseClick(slider, Qt.MouseButton.LeftButton, pos=QPoint(round(slider.scale.x(9)), 14))
    assert slider.value() == 5

    player.go(9)
    timeline.show_player(player, 1.0)
    assert slider.value() == 9


def test_being_told_a_position_asks_for_nothing(qtbot, theme):
    timeline, player = timeline_of(qtbot, theme, weighted_sum())

    with qtbot.assertNotEmitted(timeline.slider.position_requested):
        player.go(8)
        timeline.show_player(player, 1.0)


def test_drag_asks_for_every_position_on_its_way(qtbot, theme):
    timeline, player = timeline_of(qtbot, theme, weighted_sum())
    slider, asked = timeline.slider, []
    timeline.slider.position_requested.connect(asked.append)
    timeline.slider.position_requested.connect(player.go)
    timeline.slider.position_requested.connect(lambda: timeline.show_player(player, 1.0))

    for position in (1, 2, 3, 4):
        kind = QEvent.Type.MouseButtonPress if position == 1 else QEvent.Type.MouseMove
        at = QPointF(slider.scale.x(position), 14)
        left = Qt.MouseButton.LeftButton
        QApplication.sendEvent(
            slider, QMouseEvent(kind, at, slider.mapToGlobal(at), left, left, Qt.KeyboardModifier(0))
        )

    assert asked == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("key", "wanted"),
    [(Qt.Key.Key_Right, 6), (Qt.Key.Key_Left, 4), (Qt.Key.Key_Home, 0), (Qt.Key.Key_End, 9), (Qt.Key.Key_PageUp, 6)],
)
def test_keys_on_the_slider_ask(qtbot, theme, key, wanted):
    timeline, _ = timeline_of(qtbot, theme, weighted_sum(), 5)

    with qtbot.waitSignal(timeline.slider.position_requested) as asked:
        qtbot.keyClick(timeline.slider, key)

    assert asked.args == [wanted]
    assert timeline.slider.value() == 5


def test_wheel_asks_for_a_neighbour(qtbot, theme):
    timeline, _ = timeline_of(qtbot, theme, weighted_sum(), 5)
    slider = timeline.slider
    at = QPointF(slider.width() / 2, 14)
    up = QWheelEvent(
        at, slider.mapToGlobal(at), QPoint(), QPoint(0, 120), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip

    with qtbot.waitSignal(timeline.slider.position_requested) as asked:
        QApplication.sendEvent(slider, up)

    assert asked.args[0] > 5


def test_names_below_the_track_do_not_overlap(qtbot, theme):
    timeline, _ = timeline_of(qtbot, theme, random_graph(400))
    shown = timeline.slider._shown
    boxes = [box for _, _, box in shown]

    assert len(shown) > 8
    forward = [box for box, (p, _, _) in zip(boxes, shown, strict=True) if p <= timeline.slider.scale.turn]
    assert all(a.right() <= b.left() for a, b in pairwise(forward))


def test_names_stay_below_the_bars(qtbot, theme):
    named = replace(weighted_sum(), nodes=tuple(node._replace(name="a_long_name") for node in weighted_sum().nodes))
    timeline, _ = timeline_of(qtbot, theme, named)
    slider = timeline.slider
    slider.resize(200, slider.height())
    left, right = slider.scale.forward[0], slider.scale.backward[1]

    boxes = [
        slider._label_box(slider.scale.x(position), "a_long_name") for position in range(1, slider.scale.length + 1)
    ]

    assert min(box.left() for box in boxes) >= left - 4
    assert max(box.right() for box in boxes) <= right + 4


def test_few_steps_are_all_named(qtbot, theme):
    timeline, _ = timeline_of(qtbot, theme, weighted_sum())

    names = [text for _, text, _ in timeline.slider._shown]
    assert names == ["x", "x·x", "w", "x·x·w", "y", "y", "x·x·w", "x·x", "x.grad +="]


def test_picture_of_the_slider_follows_position_and_phase(qtbot, theme):
    timeline, player = timeline_of(qtbot, theme, weighted_sum(), 6)
    here = timeline.slider.grab().toImage()

    player.go(7)
    timeline.show_player(player, 0.5)
    between = timeline.slider.grab().toImage()
    timeline.show_player(player, 1.0)
    there = timeline.slider.grab().toImage()

    assert here != between
    assert between != there


@pytest.mark.parametrize(("count", "stop"), [(3, 0), (7, 9), (40, 41), (400, 500)])
def test_what_a_step_leaves_as_it_was_is_what_would_be_drawn(qtbot, theme, count, stop):
    timeline, _ = timeline_of(qtbot, theme, weighted_sum())
    slider = timeline.slider
    slider.show_passes(count, 2 * count, lambda position: f"node{position % 7}" * (1 + position % 2))
    slider.show_lane(Lane(range(2 * count + 1), stop=stop))
    slider.setFocus()
    moves = random.Random(count)
    position = 0

    def on_the_screen() -> QImage:
        QApplication.processEvents()
        return timeline.screen().grabWindow(timeline.winId()).toImage()

    for _ in range(60):
        position = min(max(position + moves.choice((-1, 1, 1, 2, -count, count)), 0), 2 * count)
        slider.show_position(position, moves.choice((0.0, 0.3, 1.0, 1.0)))
        kept = on_the_screen()
        slider.update()

        assert kept == on_the_screen(), position


def test_screen_reader_hears_the_step(qtbot, theme):
    timeline, _ = timeline_of(qtbot, theme, weighted_sum(), 7)

    assert timeline.slider.accessibleDescription() == "backward step 2 of 4: x·x·w"
    assert timeline.slider.describe(0) == "start: nothing is computed yet"
    assert timeline.slider.describe(1) == "forward step 1 of 5: x"


# ---- the rest of the timeline ----


def test_sentences_say_what_happened_and_what_comes(qtbot, theme):
    timeline, _ = timeline_of(qtbot, theme, weighted_sum(), 7)
    now, following = sentence(Track(weighted_sum(), 0), 7)

    assert timeline.now.accessibleName() == now
    assert timeline.next.accessibleName() == following
    assert timeline.now.text().startswith("x·x·w sends")
    assert timeline.now.bold == "x·x·w"


def test_counts_of_both_passes():
    assert counts_text(Track(weighted_sum(), 0)) == "5 forward · 4 backward"
    assert counts_text(Track(replace(weighted_sum(), sweeps=()))) == "5 forward · no backward call"
    assert counts_text(Track(Recording())) == ""


def test_buttons_ask_for_their_action(qtbot, theme):
    timeline, _ = timeline_of(qtbot, theme, weighted_sum(), 5)

    for name in ("first", "back", "play", "step", "last"):
        with qtbot.waitSignal(timeline.transport.pressed) as asked:
            timeline.transport.buttons[name].click()
        assert asked.args == [name]


def test_buttons_that_lead_nowhere_are_disabled(qtbot, theme):
    timeline, player = timeline_of(qtbot, theme, weighted_sum(), 0)
    buttons = timeline.transport.buttons
    assert [buttons[n].isEnabled() for n in ("first", "back", "play", "step", "last")] == [
        False,
        False,
        True,
        True,
        True,
    ]

    player.last()
    timeline.show_player(player, 1.0)
    assert [buttons[n].isEnabled() for n in ("first", "back", "play", "step", "last")] == [
        True,
        True,
        True,
        False,
        False,
    ]


def test_play_button_says_pause_while_playing(qtbot, theme):
    timeline, player = timeline_of(qtbot, theme, weighted_sum(), 0)
    player.toggle()
    timeline.show_player(player, 1.0)

    assert timeline.transport.buttons["play"].accessibleName() == "Pause"


def test_speed_is_asked_for_and_shown(qtbot, theme):
    timeline, player = timeline_of(qtbot, theme, weighted_sum())
    with qtbot.waitSignal(timeline.transport.speed_chosen) as asked:
        timeline.transport.speed.menu().actions()[4].trigger()
    assert asked.args == [5.0]

    player.set_speed(5.0)
    timeline.show_player(player, 1.0)
    assert timeline.transport.speed.text().startswith("5×")
    assert [choice.text() for choice in timeline.transport.speed.menu().actions() if choice.isChecked()] == ["5×"]


def test_player_faster_than_pictures_says_that_it_skips(qtbot, theme):
    timeline, player = timeline_of(qtbot, theme, weighted_sum(), 0)
    player.set_speed(3000.0)
    player.toggle()
    player.tick(1)
    timeline.show_player(player, 1.0)
    assert timeline.next.text().startswith("Next")

    player.tick(3)
    timeline.show_player(player, 1.0)
    assert timeline.next.text() == "Fast: of about 3 steps one is shown."

    player.toggle()
    timeline.show_player(player, 1.0)
    assert timeline.next.text().startswith("Next")
    assert (skipping_text(48), skipping_text(1449)) == (
        "Fast: of about 50 steps one is shown.",
        "Fast: of about 1,000 steps one is shown.",
    )


def test_menu_of_speeds_says_where_several_steps_are_made_at_once(qtbot, theme):
    timeline, _ = timeline_of(qtbot, theme, weighted_sum())
    choices = [action.text() for action in timeline.transport.speed.menu().actions()]

    assert choices[2] == "1×"
    assert choices[-1] == "3,000×  ·  48 steps at once"


# ---- sweeps ----


def test_sweep_is_called_as_the_script_calls_it():
    assert sweep_title(weighted_sum(), 0, 1) == ("y.backward()", "line 7")
    assert sweep_title(replace(weighted_sum(), source=None), 0, 1) == ("y.backward()", "line 7")


def test_sweep_by_hand_reads_as_a_call_with_its_v():
    recording = weighted_sum()
    by_hand = replace(recording.sweeps[0], outputs=(3,), seeds=(array(1, 0),), line=None)
    recording = replace(recording, sweeps=(*recording.sweeps, by_hand))

    title = sweep_title(recording, 1, 1)
    assert title == ("x·x·w.backward([1, 0])", "custom seed")


def test_chip_asks_for_its_sweep(qtbot, theme):
    bar = SweepBar(theme)
    qtbot.addWidget(bar)
    bar.show_sweeps(many_sweeps(3), 0, 3)

    assert [chip.isChecked() for chip in bar.chips] == [True, False, False]
    with qtbot.waitSignal(bar.sweep_chosen) as chosen:
        bar.chips[2].click()
    assert chosen.args == [2]


def test_thousands_of_sweeps_are_one_chip_with_a_list_to_search(qtbot, theme):
    bar = SweepBar(theme)
    qtbot.addWidget(bar)
    bar.show_sweeps(many_sweeps(5000), 41, 5000)
    assert len(bar.chips) == 1
    assert "42 of 5000" in bar.chips[0].text()

    picker = bar.open_list()
    qtbot.keyClicks(picker.field, "4999")
    assert picker.rows.rowCount() == 1
    with qtbot.waitSignal(bar.sweep_chosen) as chosen:
        qtbot.keyClick(picker.field, Qt.Key.Key_Return)
    assert chosen.args == [4998]


def test_a_chip_without_room_gives_up_its_line_and_not_its_middle(qtbot, theme):
    bar = SweepBar(theme)
    qtbot.addWidget(bar)
    bar.show_sweeps(many_sweeps(6), 1, 6)
    bar.show()
    texts = []
    for width in (600, 320):
        bar.resize(width, 30)
        texts.append(bar.chips[0].text())

    assert texts == ["y.backward()    line 7    2 of 6  ▾", "y.backward()    2 of 6  ▾"]


def test_calls_of_a_thinned_run_go_by_their_numbers_and_it_says_what_was_kept(qtbot, theme):
    thin = many_sweeps(6)
    numbered = [
        replace(sweep, number=number) for sweep, number in zip(thin.sweeps, (1, 51, 101, 151, 201, 230), strict=True)
    ]
    thin = replace(thin, sweeps=tuple(numbered), thinned=Thinned(230, 50))
    bar = SweepBar(theme)
    qtbot.addWidget(bar)

    bar.show_sweeps(thin, 3, 6)
    picker = bar.open_list()

    assert "151 of 230" in bar.chips[0].text()
    kept = "Kept 6 of 230 backward calls: the first, the last and every 50th."
    assert kept in bar.chips[0].toolTip()
    assert (picker.note.text(), picker.note.isVisible()) == (kept, True)
    assert [picker.rows.index(row, 0).data()[:4] for row in (0, 1, 2)] == ["  1 ", " 51 ", "101 "]


def test_calls_of_a_loop_are_told_apart_by_what_their_output_is(qtbot, theme):
    bar = SweepBar(theme)
    qtbot.addWidget(bar)
    bar.show_sweeps(many_sweeps(6), 0, 6)

    assert bar.open_list().rows.index(2, 0).data().endswith("   y = 23")


def test_chip_for_another_seed_asks_for_the_editor(qtbot, theme):
    timeline, _ = timeline_of(qtbot, theme, weighted_sum())
    timeline.sweeps.allow_seed(True, "")

    with qtbot.waitSignal(timeline.sweeps.seed_requested):
        timeline.sweeps.seed_chip.click()


@pytest.mark.parametrize(
    ("call", "title"),
    [
        ("y.backward(v, retain_graph=True)", "y.backward(v)"),
        ("output.backward(v, retain_graph=True)", "output.backward(v)"),
        ("the_output.backward(retain_graph=True)", "the_output.backward()"),
        ("y.backward(torch.tensor([1.0, 10.0, 100.0]))", "y.backward([1, 10, 100])"),
        ("y.backward(torch.tensor([1.0, 10.0, 100.0]), create_graph=True)", "y.backward([1, 10, 100])"),
    ],
)
def test_a_long_call_keeps_its_v(call, title):
    name = call.partition(".")[0]
    text = (
        "import torch\nx = torch.ones(3, requires_grad=True)\nv = torch.ones(3)\n"
        f"{name} = x * 2 if 'torch' in '{call}' or '(v' in '{call}' else x.sum()\n{call}\n"
    )
    recording = run(text, "one.py").recording

    assert recording.problem is None
    assert sweep_title(recording, 0, 1).text == title


def test_the_lane_says_what_is_kept_for_backward_and_where_a_second_pass_would_stop():
    track = Track(weighted_sum(), 0)

    lane = saved_lane(track)

    assert len(lane.heights) == track.length + 1
    assert lane.heights[track.turn] == max(lane.heights) > 0
    assert lane.heights[-1] == 0
    assert lane.stop == track.turn + 2
    assert lane.describe(track.turn + 1) == "\n2 nodes keep 16 bytes for backward."
    assert lane.describe(lane.stop) == (
        "\n1 node keeps 8 bytes for backward."
        "\nA second backward would stop here: MulBackward0 needs w again, freed at its step."
    )


def test_the_lane_follows_the_bars_and_is_gone_with_a_track_without_a_call(qtbot, theme):
    slider = PassSlider(theme)
    qtbot.addWidget(slider)
    slider.resize(600, 52)
    track = Track(weighted_sum(), 0)
    slider.show_passes(track.turn, track.length, str)

    slider.show_lane(saved_lane(track))
    bounds = slider._lane_path.boundingRect()

    assert bounds.left() >= slider.scale.forward[0]
    assert bounds.right() <= slider.scale.backward[1]
    assert bounds.height() > 0

    slider.show_lane(Lane())

    assert slider._lane_path.isEmpty()


@pytest.mark.parametrize("prompt", ["In [6]: ", ">>> ", "   ...: "])
def test_the_tab_of_a_call_in_a_pasted_session_has_no_prompt(prompt):
    text = f"In [1]: import torch\n   ...: x = torch.tensor(2.0, requires_grad=True)\n{prompt}(x * x).backward()\n"
    recording = run(text).recording

    assert sweep_title(recording, 0, 1).text == "(x * x).backward()"
