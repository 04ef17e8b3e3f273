"""The language of breakpoints and of the search: what it reads, what it refuses in one sentence, where it holds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gradviz.errors import ConditionError
from gradviz.playback.conditions.breakpoints import Stops, read
from gradviz.playback.conditions.condition import is_condition, parse, text_of
from gradviz.playback.conditions.find import find
from gradviz.playback.conditions.fitting import Fitting
from gradviz.playback.measures import Measures
from gradviz.playback.track import Track
from gradviz.recording import Node, Recording, Step, Sweep
from tests.samples import array, random_graph, weighted_sum

F = np.float32


def positions(track: Track, text: str) -> list[int]:
    return Fitting(track, parse(text)).positions(1, track.length).tolist()


@pytest.fixture
def track() -> Track:
    return Track(weighted_sum(), 0)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("norm > 1e3", "norm > 1e3"),
        ("  grad  >=  -2 ", "norm >= -2"),
        ("norm above 5", "norm > 5"),
        ("out norm below 1e-6", "out norm < 1e-6"),
        ("outgoing<2", "out norm < 2"),
        ("value > 3", "value norm > 3"),
        ("NaN", "nan"),
        ("has inf", "inf"),
        ("shape = (3, 2)", "shape = (3, 2)"),
        ("[3, 2]", "shape = [3, 2]"),
        ("op is not mul", "op != mul"),
        ("name = 'w1'", "name = w1"),
        ("line 7", "line = 7"),
        (":7", "line = 7"),
        ("#3", "node = 3"),
        ("op = mul AND norm>1", "op = mul and norm > 1"),
        ("op = mul and backward", "op = mul and backward"),
        ("op = tanh and time = 2", "op = tanh and time = 2"),
    ],
)  # fmt: skip
def test_a_condition_is_read_and_written_in_one_way(text: str, written: str) -> None:
    assert text_of(parse(text)) == written
    assert parse(written) == parse(written)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        ("norm", "'norm' is compared with nothing"),
        ("norm >", "After 'norm >' comes a value, for example norm > 1e3."),
        ("norm > abc", "'abc' is no number"),
        ("norm > nan", "write nan alone"),
        ("nrom > 3", "Did you mean 'norm'?"),
        ("> 3", "nothing on its left"),
        ("shape = (3, x)", "'(3, x)' is no shape"),
        ("shape > (3, 2)", "with = or !=, not with >"),
        ("op > mul", "'op' is compared with = or !="),
        ("line = seven", "'seven' is no whole number"),
        ("nan > 3", "'nan' stands alone"),
        ("out norm = 3", "may send several"),
        ("time > 2", "'time' is compared with = only"),
        ("time = 2", "fits everything"),
        ("forward", "fits everything"),
        ("norm > 1 and", "'1 and' is no number"),
        ("hello", "'hello' is not known here"),
    ],
)  # fmt: skip
def test_what_is_no_condition_is_refused_in_one_sentence(text: str, words: str) -> None:
    with pytest.raises(ConditionError) as refused:
        parse(text)

    assert words in refused.value.message
    assert "\n" not in refused.value.message
    assert refused.value.message[-1] in ".?"


@pytest.mark.parametrize("text", ["norm > 3", "nan", "Inf", ":7", "line 7", "(2, 3)", "[2]", "x = 3", "op is mul"])
def test_conditions_are_told_from_names(text: str) -> None:
    assert is_condition(text)


@pytest.mark.parametrize("text", ["x", "mul", "nano", "w1", "value", "forward", "lines", "x·x·w", "max(x)"])
def test_names_are_no_conditions(text: str) -> None:
    assert not is_condition(text)


def test_a_line_holds_in_both_passes_and_a_pass_can_be_chosen(track: Track) -> None:
    assert positions(track, "line = 6") == [2, 4, 5, 6, 7, 8]
    assert positions(track, "line = 6 and forward") == [2, 4, 5]
    assert positions(track, "line = 6 and backward") == [6, 7, 8]
    assert positions(track, "op = mul and forward and backward") == []


def test_norms_are_those_of_what_comes_in_goes_out_and_was_computed(track: Track) -> None:
    # Incoming: 1, [1, 1], [3, 5], [-6, 20] at 6..9; outgoing of 7 is [3, 5], of 8 twice [-3, 10].
    assert positions(track, "norm > 1.5") == [8, 9]
    assert positions(track, "norm < 1.2") == [6]
    assert positions(track, "norm = 1") == [6]
    assert positions(track, "out norm > 6") == [8]
    assert positions(track, "out norm < 6") == [6, 7]
    assert positions(track, "value norm > 20") == [4, 5]
    assert positions(track, "norm != 1") == [7, 8, 9]


def test_a_norm_that_is_just_reached_is_not_above(track: Track) -> None:
    assert positions(track, "norm > 1") == [7, 8, 9]
    assert positions(track, "norm >= 1") == [6, 7, 8, 9]


def test_shapes_ops_names_and_nodes_hold_where_they_are(track: Track) -> None:
    assert positions(track, "shape = () and forward") == [5]
    assert positions(track, "shape = [2] and backward") == [7, 8, 9]
    assert positions(track, "op = mul and name = x·x and backward") == [8]
    assert positions(track, "name != w and op != mul and forward") == [1, 5]
    assert positions(track, "node = 2") == [3]


def test_the_second_time_is_counted_among_what_fits_the_rest(track: Track) -> None:
    assert positions(track, "op = mul and time = 2") == [4, 7]
    assert positions(track, "op = mul and time = 3") == []


def strange() -> Track:
    """a * b with gradients that are not finite: inf comes in, nan goes out to b."""
    nodes = (
        Node(0, "leaf", shape=(2,), name="a", requires_grad=True, line=1),
        Node(1, "leaf", shape=(2,), name="b", requires_grad=True, line=2),
        Node(2, "mul", (0, 1), shape=(2,), name="y", requires_grad=True, line=3),
    )
    values = (array(1, np.inf), array(0, 1), array(0, np.nan))
    steps = (
        Step(2, array(1, np.inf), (array(1, 2), array(np.nan, 1))),
        Step(1, array(np.nan, 1)),
        Step(0, array(1, 2)),
    )
    return Track(Recording(nodes, values, (Sweep((2,), (array(1, np.inf),), steps),)), 0)


def test_nan_and_infinity_are_found_in_values_and_in_gradients() -> None:
    track = strange()

    assert positions(track, "nan") == [3, 4, 5]
    assert positions(track, "inf") == [1, 4]
    assert positions(track, "nan and backward") == [4, 5]


def test_a_norm_of_nan_is_neither_above_nor_below() -> None:
    assert positions(strange(), "norm > 0") == [4, 6]  # infinity is above everything
    assert positions(strange(), "norm < 1e30") == [6]


def test_reasons_say_the_number_and_where_it_is() -> None:
    track = strange()

    assert Fitting(track, parse("norm > 2")).reason(6) == "norm of what comes in = 2.236 > 2"
    assert Fitting(track, parse("nan")).reason(4) == "NaN in what goes out to b"
    assert Fitting(track, parse("nan")).reason(3) == "NaN in the value"
    assert Fitting(track, parse("inf")).reason(4) == "infinity in what comes in"
    assert Fitting(track, parse("out norm > 2 and op = mul")).reason(4) == (
        "norm of what goes out = 2.236 > 2 and op = mul"
    )


def test_norms_agree_with_numpy_however_they_are_grouped() -> None:
    rng = np.random.default_rng(0)
    shapes = [(), (3,), (2, 0), (200, 200), (7, 5), ()] * 4
    nodes = tuple(Node(i, "leaf", shape=shape, requires_grad=True) for i, shape in enumerate(shapes))
    incoming = [np.asarray(rng.normal(size=shape)) for shape in shapes]
    incoming[1][0] = 1e200  # its square is no float
    steps = tuple(Step(i, g) for i, g in enumerate(incoming))
    sum_node = Node(len(nodes), "cat", tuple(range(len(nodes))))
    recording = Recording((*nodes, sum_node), (None,) * (len(nodes) + 1), (Sweep((len(nodes),), (F(1),), steps),))
    track = Track(recording, 0)

    track.measures.cover(np.arange(track.length + 1))

    assert np.allclose(track.measures.norms[track.turn + 1 :], [np.linalg.norm(g / 1e100) * 1e100 for g in incoming])
    assert not track.measures.has_inf.any()
    assert track.measures.missing == 0


def test_only_what_is_asked_for_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    track = Track(random_graph(300), 0)
    measured: list[int] = []
    original = Measures._measure
    monkeypatch.setattr(
        Measures, "_measure", lambda self, where: (measured.extend(where.tolist()), original(self, where))
    )

    Fitting(track, parse("norm > 1e9")).positions(400, 409)
    Fitting(track, parse("norm > 1e9")).positions(405, 412)
    Fitting(track, parse("value norm > 1e9 and line = 7 and forward")).positions(1, track.length)

    assert measured == [*range(400, 413), track.index_of[6] + 1]


# ---- the search ----


def test_search_knows_names_ops_shapes_lines_and_numbers(track: Track) -> None:
    assert find(track, "w")[0] == 2
    assert find(track, "sum") == (4,)
    assert find(track, "line 6") == find(track, ":6") == (1, 3, 4)
    assert find(track, "#3") == find(track, "node 3") == (3,)
    assert find(track, "[2]") == find(track, "(2)") == (0, 1, 2, 3)
    assert find(track, "nothing") == find(track, " ") == ()
    assert find(Track(random_graph(50), 0), "x1")[0] == 1


def test_search_shares_the_language_of_breakpoints(track: Track) -> None:
    assert find(track, "grad > 5") == (0, 1)
    assert find(track, "norm < 1.2") == (4,)
    assert find(track, "nan") == ()
    assert find(strange(), "nan") == (1, 2)
    with pytest.raises(ConditionError, match="'abc' is no number"):
        find(track, "grad > abc")


@pytest.mark.parametrize("text", ["norm > 0.1", "grad > 0.1", "value norm > 0.1", "out norm > 0.1"])
def test_numbers_beyond_the_position_that_may_be_told_are_not_looked_at(track: Track, text: str) -> None:
    everywhere = positions(track, text)
    assert len(everywhere) > 2

    for until in range(track.length + 1):
        told = Fitting(track, parse(text), until)
        assert told.positions(1, track.length).tolist() == [place for place in everywhere if place <= until]
        nodes = {track.node_at(place) for place in everywhere if place <= until}
        assert find(track, text, until) == tuple(sorted(node for node in nodes if node is not None))
        assert [told.holds(place) for place in everywhere] == [place <= until for place in everywhere]


def test_what_needs_no_numbers_is_found_beyond_that_position(track: Track) -> None:
    plain = "op = mul and backward"

    assert Fitting(track, parse(plain), 1).positions(1, track.length).tolist() == positions(track, plain) != []
    assert find(track, "op = mul", 0) == find(track, "op = mul")


def test_breakpoints_on_numbers_keep_to_it_and_others_do_not(track: Track) -> None:
    known = (read("norm > 0.1"), read("line = 6 and backward"))
    lines = positions(track, "line = 6 and backward")
    norms = positions(track, "norm > 0.1")

    for until in range(track.turn, track.length + 1):
        wanted = sorted({*lines, *(place for place in norms if place <= until)})
        assert Stops(track, known, until).all.tolist() == wanted


def test_search_without_a_backward_pass_finds_nodes_and_no_gradients() -> None:
    track = Track(replace(weighted_sum(), sweeps=()))

    assert find(track, "op = mul") == (1, 3)
    assert find(track, "norm > 0") == ()
