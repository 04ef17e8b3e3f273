"""Films of a pass: what is seen when, and that a large graph is followed."""

from __future__ import annotations

import numpy as np
import pytest

from gradviz.errors import GradvizError
from gradviz.export.work import done
from gradviz.playback.track import Track
from gradviz.ui.canvas.files import film_file
from gradviz.ui.canvas.files.film_file import _Painter, film_scale, film_sides, shots
from gradviz.ui.canvas.files.picture_file import Graph, Look, picture_of
from gradviz.ui.canvas.scene.moment import Stage
from gradviz.ui.look.palette import DARK, LIGHT
from gradviz.ui.session.clock import playing_ms
from tests.samples import weighted_sum
from tests.ui.canvas.files import start_writing
from tests.ui.canvas.grids import grid, placed


@pytest.fixture
def graph(qapp):
    track = Track(weighted_sum(), 0)
    return Graph(track, placed(track, 2), 0)


@pytest.fixture
def tall(qapp):
    track, layout = grid(120, 3)
    return Graph(track, layout, 0)


def every_stop(graph):
    return range(graph.track.length + 1)


def test_a_film_goes_through_every_step_and_stands_as_long_as_asked_for(graph):
    plan = list(shots(picture_of(graph, Look(LIGHT)), every_stop(graph), 20, 1.5))

    assert [shot.moment.position for shot in plan if shot.moment.stage is Stage.REST] == list(every_stop(graph))
    assert sum(shot.ticks for shot in plan) == 30 * (graph.track.length + 2)  # the start, and the end once more
    moving = [shot for shot in plan if shot.moment.position == 7 and shot.moment.stage is not Stage.REST]
    assert len(moving) == round(20 * playing_ms(1500) / 1000)
    assert all(shot.ticks == 1 for shot in moving)


def test_a_film_too_fast_for_the_animation_of_the_window_has_none(graph):
    plan = list(shots(picture_of(graph, Look(LIGHT)), every_stop(graph), 20, 0.1))

    assert {shot.moment.stage for shot in plan} == {Stage.REST}


def test_a_film_stops_only_where_steps_lead_to(graph):
    plan = list(shots(picture_of(graph, Look(LIGHT)), (0, 5, 9), 10, 1.0))

    assert [shot.moment.position for shot in plan if shot.moment.stage is Stage.REST] == [0, 5, 9]


def test_tokens_move_and_the_rest_stays(graph):
    picture = picture_of(graph, Look(LIGHT))
    painter = _Painter(picture, 1.0, every_stop(graph))
    first, second = (
        painter.image(shot.moment)
        for shot in list(shots(picture, every_stop(graph), 20, 1.5))
        if shot.moment.position == 7 and shot.moment.stage is Stage.TRAVELLING and shot.moment.progress in (0.0, 0.5)
    )

    changed = (first != second).any(axis=2)
    assert 0 < changed.mean() < 0.2


def test_a_small_graph_is_shown_whole_in_even_pixels(graph):
    size = picture_of(graph, Look(LIGHT)).size

    for scale in (0.5, 1.0, 1.3):
        width, height = film_sides(size, scale)
        assert (width % 2, height % 2) == (0, 0)
        assert (width, height) == pytest.approx((size[0] * scale, size[1] * scale), abs=2)
    assert film_sides(size, film_scale(size, None, 640))[0] == 640


def test_a_large_graph_is_followed_so_that_the_node_of_each_step_is_in_sight(tall):
    picture = picture_of(tall, Look(DARK))
    painter = _Painter(picture, 1.0, every_stop(tall))

    assert film_sides(picture.size, 1.0)[1] == 1080 < picture.size[1]
    for stop, view in painter._views.items():
        node = tall.track.node_at(stop)
        box = picture.scene.boxes[0 if node is None else tall.track.index_of[node]]
        left, top, right, bottom = view.rect_to_screen(tuple(box.tolist()))
        assert left >= -1
        assert top >= -1
        assert right <= painter._sight[2] + 1
        assert bottom <= painter._sight[3] + 1
    views = list(painter._views.values())
    assert 2 < len(set(views)) < len(views) / 3  # turned like a page, not moved at each step


def test_followed_and_whole_pictures_are_of_the_size_that_is_said(tall):
    picture = picture_of(tall, Look(LIGHT))
    for scale in (0.2, 1.0, 1.5):
        painter = _Painter(picture, scale, every_stop(tall))

        width, height = film_sides(picture.size, scale)
        assert painter.image(picture.moment(3)).shape == (height, width, 3)


def test_the_same_pass_gives_the_same_film_byte_for_byte(graph):
    made = [done(start_writing(".apng", graph, Look(LIGHT, pace=0.3, width=300))) for _ in range(2)]

    assert made[0] == made[1]
    assert made[0] != done(start_writing(".apng", graph, Look(DARK, pace=0.3, width=300)))


def test_a_film_of_too_many_images_is_refused(graph, monkeypatch):
    monkeypatch.setattr(film_file, "MOST_IMAGES", 10)

    with pytest.raises(GradvizError, match=r"a film of 9 steps would have \d+ images, more than 10"):
        done(start_writing(".apng", graph, Look(LIGHT)))


def test_a_film_that_is_given_up_ends_its_thread(graph):
    import threading

    before = set(threading.enumerate())
    work = start_writing(".apng", graph, Look(LIGHT))
    while next(work) < 0.3:
        pass
    work.close()

    for thread in set(threading.enumerate()) - before:
        thread.join(60)
    assert set(threading.enumerate()) <= before


def test_the_colours_of_a_gif_are_those_of_the_theme(graph):
    pillow = pytest.importorskip("PIL.Image")
    import io

    opened = pillow.open(io.BytesIO(done(start_writing(".gif", graph, Look(DARK, pace=0.3)))))

    assert "#{:02X}{:02X}{:02X}".format(*opened.convert("RGB").getpixel((3, 3))) == DARK.canvas
    assert np.asarray(opened).shape[0] % 2 == 0


def test_ctrl_c_ends_a_film_between_two_images_and_is_as_it_was_afterwards():
    import signal

    from gradviz.export.headless import interrupted_between

    before, told = signal.getsignal(signal.SIGINT), []

    def work():
        with interrupted_between(told.append) as look:
            look(0.1)
            signal.raise_signal(signal.SIGINT)
            told.append("painted")
            look(0.2)

    with pytest.raises(KeyboardInterrupt):
        work()

    assert told == [0.1, "painted"]
    assert signal.getsignal(signal.SIGINT) is before
