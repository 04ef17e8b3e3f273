"""The clock: the only timer of playback."""

from __future__ import annotations

from gradviz.ui.session.clock import Clock


def test_step_by_hand_is_animated_from_0_to_1(qtbot):
    clock = Clock()
    clock.load(4, 0)
    clock.player.step()
    assert clock.phase == 0.0

    clock.advance(160)
    assert 0.0 < clock.phase < 1.0
    clock.advance(1000)

    assert clock.phase == 1.0
    assert not clock.is_running


def test_step_back_and_jumps_are_shown_at_rest(qtbot):
    clock = Clock()
    clock.load(9, 5)

    clock.player.step(-1)
    assert clock.phase == 1.0
    clock.player.go(9)
    assert clock.phase == 1.0
    assert not clock.is_running


def test_reduced_motion_shows_no_phase_below_1(qtbot):
    clock = Clock(reduced_motion=True)
    clock.load(4, 0)
    clock.player.step()

    assert clock.phase == 1.0


def test_playing_advances_with_time_and_rests_at_the_end(qtbot):
    clock = Clock()
    clock.load(2, 0)
    clock.player.toggle()
    assert clock.is_running

    clock.advance(1000)
    assert clock.player.position == 1
    clock.advance(1000)
    assert clock.player.position == 2
    clock.advance(1000)

    assert not clock.player.is_playing
    assert not clock.is_running


def test_fast_playing_makes_many_steps_in_a_tick(qtbot):
    clock = Clock()
    clock.load(1000, 0)
    clock.player.set_speed(100.0)
    clock.player.toggle()

    clock.advance(500)

    assert 40 <= clock.player.position <= 60
    assert clock.phase == 1.0
    clock.stop()
