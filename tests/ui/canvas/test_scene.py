"""The scene: widths, hits, places, and what is shown at a moment."""

from __future__ import annotations

import numpy as np
import pytest

from gradviz.playback.track import Track
from gradviz.ui.canvas.plane.geometry import dense, points_at, spaced_alike
from gradviz.ui.canvas.plane.place import best_spot
from gradviz.ui.canvas.scene import scene as scene_module
from gradviz.ui.canvas.scene.moment import Mood, Stage, Strand, frame_of, moment_of, mood_of
from gradviz.ui.canvas.scene.scene import THINNEST, WIDEST, Scene, _log_widths
from gradviz.ui.canvas.step.tokens import spread
from tests.samples import weighted_sum
from tests.ui.canvas.canvases import shown
from tests.ui.canvas.grids import grid, placed


@pytest.fixture
def scene(qapp):
    track = Track(weighted_sum(), 0)
    return Scene(track, placed(track, 2))


# ---- widths, hits and places ----


def test_edge_width_grows_with_the_gradient_on_a_log_scale():
    widths = _log_widths(np.array([1e-4, 1e-2, 1.0, 0.0, np.nan, np.inf]))

    assert widths[0] == widths[3] == widths[4] == THINNEST
    assert widths[1] == pytest.approx((THINNEST + WIDEST) / 2)
    assert widths[2] == widths[5] == WIDEST


def test_equal_gradients_have_equal_widths_in_the_middle_of_the_range():
    assert _log_widths(np.array([3.0, 3.0])).tolist() == pytest.approx([(THINNEST + WIDEST) / 2] * 2)


def test_best_spot_is_the_first_that_covers_nothing():
    spots = np.array([[0, 0, 10, 10], [30, 0, 40, 10], [60, 0, 70, 10]], dtype=float)
    blocked = np.array([[5, 5, 8, 8]], dtype=float)
    strokes = np.array([[35.0, 5.0]])

    assert best_spot(spots, blocked, strokes, (0.0, 0.0, 100.0, 100.0)).tolist() == [60, 0, 70, 10]
    assert best_spot(spots, blocked, strokes, (500.0, 0.0, 600.0, 100.0)) is None


def test_tokens_side_by_side_make_room_for_each_other():
    places = spread([100.0, 104.0, 300.0], [50.0, 50.0, 50.0], [40.0, 40.0, 40.0])

    assert places[1] - places[0] >= 45.9
    assert places[2] == 300.0


def test_hit_test_finds_the_box_under_a_point(scene):
    x, y = scene.layout.centres[3]

    assert scene.node_at_point((x, y)) == 3
    assert scene.node_at_point((x, y - 1000.0)) is None


def test_edges_of_a_node_are_found_from_both_ends(scene):
    edges = scene.track.edges

    assert [edges[e] for e in scene.edges_into(3)] == [(3, 0), (3, 1)]
    assert [edges[e] for e in scene.edges_out_of(0)] == [(1, 0), (1, 1)]
    assert list(scene.edges_into(0)) == []


def test_edge_of_a_constant_is_dashed(scene):
    assert scene.is_dashed.tolist() == [False, False, False, True, False]


def moods(scene, position, stage=Stage.REST):
    return [mood_of(face) for face in frame_of(scene, position, stage).faces.tolist()]


# ---- moments ----


def test_nodes_are_pale_until_they_are_computed(scene):
    assert moods(scene, 0) == [Mood.PALE] * 5
    assert moods(scene, 2) == [Mood.PLAIN, Mood.FORWARD, Mood.PALE, Mood.PALE, Mood.PALE]


def test_constant_is_not_pale_in_the_backward_pass(scene):
    assert moods(scene, 7) == [Mood.PLAIN, Mood.PLAIN, Mood.PLAIN, Mood.BACKWARD, Mood.PLAIN]


def test_node_that_the_pass_never_reaches_is_pale_once_it_runs(qapp):
    recording = weighted_sum()
    nodes = list(recording.nodes)
    nodes[2] = nodes[2]._replace(op="leaf", requires_grad=True)
    track = Track(type(recording)(tuple(nodes), recording.values, recording.sweeps), 0)
    scene = Scene(track, placed(track, 2))

    assert moods(scene, track.turn)[2] is Mood.PLAIN
    assert moods(scene, track.turn + 1)[2] is Mood.PALE


def test_edges_follow_the_step(scene):
    strands = frame_of(scene, 7, Stage.REST).strands.tolist()

    assert strands == [Strand.QUIET, Strand.QUIET, Strand.BACKWARD, Strand.NONE, Strand.BACKWARD]


def test_gradient_is_shown_from_its_step_on(scene):
    assert [int(face) & 1 for face in frame_of(scene, 7, Stage.REST).faces] == [0, 0, 0, 1, 1]


def test_gradients_of_several_uses_arrive_before_the_sum_is_shown(scene):
    arriving, rest = moment_of(scene, 9, 0.3), moment_of(scene, 9, 1.0)

    assert (arriving.stage, rest.stage) == (Stage.ARRIVING, Stage.REST)
    assert int(frame_of(scene, 9, arriving.stage).faces[0]) & 1 == 0
    assert int(frame_of(scene, 9, rest.stage).faces[0]) & 1 == 1


def test_value_is_shown_when_its_inputs_have_arrived(scene):
    travelling = moment_of(scene, 4, 0.9)

    assert int(frame_of(scene, 4, travelling.stage).faces[3]) & 2 == 0
    assert int(frame_of(scene, 4, Stage.REST).faces[3]) & 2 == 2


def test_sizes_of_ten_thousand_boxes_hold_their_texts(qapp):
    track, layout = grid(10_000)

    assert layout.sizes.shape == (10_000, 2)
    assert layout.sizes.min() > 0
    assert track.length == 10_000 + len(track.steps)


def test_a_prepared_scene_is_drawn_at_any_scale_without_more_that_takes_long(qtbot, theme, monkeypatch):
    track, layout = grid(500)
    scene = Scene(track, layout)
    scene.prepare()
    for name in ("cards", "gauge_codes", "largest_names", "Curves", "_size"):
        monkeypatch.setattr(scene_module, name, None)

    canvas = shown(qtbot, theme, track, layout, scene=scene)

    for scale in (0.05, 0.095, 0.2, 0.4, 1.0):
        canvas.zoom_by(scale / canvas.view.scale)
        canvas.grab()
        canvas.show_position(track.turn + 3)
        canvas.grab()
        canvas.show_position(track.turn + 2)
    assert canvas._scene is scene


def test_curves_spaced_alike_are_what_each_is_by_itself():
    rng = np.random.default_rng(3)
    curves = [rng.uniform(0, 100, (3 * pieces + 1, 2)) for pieces in (1, 3, 1, 2)]
    curves.append(np.array([[5.0, 5.0]] * 4))  # all in one point

    lines = spaced_alike(curves, 9)

    for line, curve in zip(lines, curves, strict=True):
        assert line == pytest.approx(points_at(dense(curve), np.linspace(0.0, 1.0, 9)), abs=0.5)
