"""How the position moves: by steps, over folds, to the end and around, and never beyond a limit."""

from __future__ import annotations

import pytest

from gradviz.playback.player import Player

STOPS = (0, 2, 5, 9)
"""Where steps lead where the positions between are inside folds."""


def loaded(position: int, stops: tuple[int, ...] = (), length: int = 9) -> Player:
    player = Player()
    player.load(length, position)
    player.stops = stops
    return player


@pytest.mark.parametrize(
    ("position", "by", "wanted"),
    [
        (2, 1, 5), (3, 1, 5), (4, 1, 5), (5, 1, 9), (9, 1, 9), (0, 2, 5), (3, 2, 9), (2, 3, 9),
        (9, -1, 5), (8, -1, 5), (6, -1, 5), (5, -1, 2), (4, -1, 2), (3, -1, 2), (2, -1, 0), (1, -1, 0), (0, -1, 0),
        (9, -2, 2), (7, -2, 2), (5, -2, 0), (2, -2, 0), (4, -9, 0),
    ],
)  # fmt: skip
def test_a_step_leads_over_a_fold_to_its_end_and_back_to_its_beginning(position: int, by: int, wanted: int) -> None:
    player = loaded(position, STOPS)

    player.step(by)

    assert player.position == wanted


@pytest.mark.parametrize(
    ("position", "by", "wanted"), [(3, 1, 4), (3, -1, 2), (3, 4, 7), (0, -1, 0), (9, 1, 9), (8, 5, 9)]
)
def test_without_folds_a_step_is_one_position(position: int, by: int, wanted: int) -> None:
    player = loaded(position)

    player.step(by)

    assert player.position == wanted


@pytest.mark.parametrize("stops", [(), STOPS])
def test_playing_ends_at_the_last_position_and_pauses(stops: tuple[int, ...]) -> None:
    player, seen = loaded(0, stops), []
    player.toggle()
    while player.is_playing and len(seen) < 20:
        player.tick()
        seen.append((player.position, player.is_playing))

    places = stops[1:] or range(1, 10)
    assert seen == [(place, place < 9) for place in places]
    player.tick()
    assert player.position == 9


def test_play_at_the_end_begins_anew_and_before_it_goes_on() -> None:
    ended, amid = loaded(9), loaded(8)
    ended.toggle()
    amid.toggle()

    assert (ended.position, ended.is_playing) == (0, True)
    assert (amid.position, amid.is_playing) == (8, True)


def test_play_of_nothing_does_not_begin() -> None:
    player = loaded(0, length=0)
    player.toggle()

    assert not player.is_playing


def test_play_pressed_again_pauses_where_it_is() -> None:
    player = loaded(4)
    player.toggle()
    player.toggle()

    assert (player.position, player.is_playing) == (4, False)


def test_a_loop_shows_the_end_and_then_begins_anew() -> None:
    player = loaded(7)
    player.loop = True
    player.toggle()
    seen = []
    for _ in range(4):
        player.tick()
        seen.append((player.position, player.is_playing))

    assert seen == [(8, True), (9, True), (0, True), (1, True)]


def test_no_move_goes_beyond_a_limit_and_each_that_would_is_told() -> None:
    player, told = loaded(3), []
    player.limit, player.held = 5, lambda: told.append(player.position)

    player.step()
    player.go(5)
    assert told == []
    player.step()
    player.last()
    player.toggle()

    assert (player.position, player.is_playing, told) == (5, False, [5, 5, 5])


def test_playing_stops_at_a_limit_even_in_a_loop() -> None:
    player, told = loaded(3), []
    player.limit, player.loop, player.held = 5, True, lambda: told.append(player.position)
    player.toggle()
    for _ in range(4):
        player.tick()

    assert (player.position, player.is_playing) == (5, False)


def test_a_limit_at_the_end_holds_nothing_back() -> None:
    player = loaded(8)
    player.limit, player.held = 9, lambda: pytest.fail("held back")
    player.step()
    player.step()
    player.toggle()

    assert (player.position, player.is_playing) == (0, True)


def test_a_change_is_told_once_and_what_changes_nothing_is_not() -> None:
    told: list[int] = []
    player = Player(lambda: told.append(player.position))
    player.load(9, 3)
    player.go(4)
    player.go(4)
    player.step(-1)
    player.set_speed(player.speed)

    assert told == [3, 4, 3]


@pytest.mark.parametrize(("speed", "interval"), [(0.25, 4000), (1.0, 1000), (30.0, 33), (100.0, 16), (3000.0, 16)])
def test_ticks_come_no_faster_than_pictures(speed: float, interval: int) -> None:
    player = loaded(0)
    player.set_speed(speed)

    assert player.interval_ms == interval


def test_it_skips_where_a_tick_makes_several_steps_and_only_while_it_plays() -> None:
    player = loaded(0, length=100)
    player.toggle()
    player.tick(1)
    assert not player.is_skipping
    player.tick(2)
    assert player.is_skipping
    player.go(50)

    assert not player.is_skipping
