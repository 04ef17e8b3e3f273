"""What differs between two tracks: which is which, how much, and where first."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gradviz.changes import Spot, WhatIf
from gradviz.graph.what_if import Recalculation
from gradviz.playback.difference import Beside, Difference, Pair, changed_elements, differs, pair_text, place_of
from gradviz.playback.track import Track
from gradviz.recording import Engine, Recording, Step, Summary
from tests.recorded import run
from tests.samples import F, array, weighted_sum


def what_if(recording: Recording, *changes: tuple[Spot, float]) -> Recording:
    wanted = WhatIf()
    for spot, number in changes:
        wanted = wanted.changed(spot, number)
    return Recalculation(recording).apply(wanted).recording


def test_a_changed_leaf_differs_in_all_that_depends_on_it_and_nowhere_else():
    run_ = weighted_sum()
    found = Difference(Track(run_, 0), Track(what_if(run_, (Spot(0, 1), 3.0)), 0))
    assert set(found.values) == {0, 1, 3, 4}
    assert set(found.gradients) == {0}
    assert set(found.edges) == {(1, 0), (1, 1)}
    assert set(found.grads) == {0}
    assert found.values[4] == (F(23), F(48), "was")
    assert found.first == 0
    assert found.unpaired == (0, 0)
    assert found.sentence("the run") == (
        "4 of 5 values and 1 of 4 gradients differ from the run, first at x ([-1, 3] here, [-1, 2] there)."
    )


def test_a_changed_gradient_differs_from_there_on_in_the_order_of_the_pass():
    run_ = weighted_sum()
    found = Difference(Track(run_, 0), Track(what_if(run_, (Spot(3, 0, 0), 2.0)), 0))
    assert not found.values
    assert set(found.gradients) == {3, 1, 0}
    assert found.first == 3


def test_a_value_is_named_before_any_gradient():
    run_ = weighted_sum()
    found = Difference(Track(run_, 0), Track(what_if(run_, (Spot(2, 0), 4.0)), 0))
    assert set(found.gradients) == {1, 0}
    assert found.first == 2


def test_the_same_recording_does_not_differ_and_says_so():
    found = Difference(Track(weighted_sum(), 0), Track(weighted_sum(), 0))
    assert found.first is None
    assert found.nodes == frozenset()
    assert found.sentence("a.json") == "All numbers are those of a.json."


def test_nodes_of_another_graph_are_paired_by_what_they_are_and_the_rest_is_counted():
    head = "import torch\nx = torch.tensor([1.0, 2.0], requires_grad=True)\nh = x * x\n"
    one = run(head + "y = (h * 3).sum()\ny.backward()\n").recording
    other = run(head + "y = (torch.tanh(h) * 3).sum()\ny.backward()\n").recording
    found = Difference(Track(other, 0), Track(one, 0))
    pairs = {one.nodes[node].op: other.nodes[before].op for node, before in found.node_of.items()}
    assert pairs == {op: op for op in ("leaf", "mul", "constant", "sum")}
    assert found.unpaired == (1, 0)
    assert "Without a counterpart: 1 there of the nodes." in found.sentence("b.py")


def test_a_graph_with_nothing_in_common_has_nothing_to_compare():
    other = run("import torch\nq = torch.tensor([1.0], requires_grad=True)\nq.exp().backward()\n").recording
    mine = run("import torch\nz = torch.tensor(2.0, requires_grad=True)\nz.log().backward()\n").recording
    assert "nothing to compare" in Difference(Track(other, 0), Track(mine, 0)).sentence("b.py")


@pytest.mark.parametrize(
    ("one", "other", "tolerance", "expected"),
    [
        (array(1, 2), array(1, 2), 0.0, False),
        (array(1, 2), array(1, 3), 0.0, True),
        (array(1, np.nan), array(1, np.nan), 0.0, False),
        (array(1, np.nan), array(1, 2), 1e-3, True),
        (array(1, 2), array(1, 2.000001), 0.0, True),
        (array(1, 2), array(1, 2.000001), 2e-6, False),
        (array(0, 0), array(0, 1e-30), 2e-6, True),
        (array(np.inf, 1), array(np.inf, 1), 0.0, False),
        (array(1, 2), array(1), 0.0, True),
        (array(1, 2), None, 0.0, True),
        (None, None, 0.0, False),
        (Summary((2,), "float32", norm=1.0), Summary((2,), "float32", norm=2.0), 0.0, True),
        (Summary((2,), "float32", norm=1.0), array(1, 0), 0.0, False),
    ],
)
def test_what_is_a_difference(one, other, tolerance, expected):
    assert differs(one, other, tolerance) is expected
    assert differs(other, one, tolerance) is expected


def test_another_engine_may_round_otherwise():
    run_ = weighted_sum()
    values = (*run_.values[:4], F(23.00001))
    other = replace(run_, values=values, engine=Engine("PyTorch", "2.13.0"))
    assert not Difference(Track(other, 0), Track(run_, 0)).values
    assert set(Difference(Track(replace(run_, values=values), 0), Track(run_, 0)).values) == {4}


def test_changed_elements_are_told_one_by_one():
    assert changed_elements(array(1, np.nan, 3), array(1, np.nan, 4)).tolist() == [False, False, True]
    assert changed_elements(array(1), None) is None
    assert changed_elements(array(1), array(1, 2)) is None


@pytest.mark.parametrize(
    ("pair", "expected"),
    [
        (Pair(array(1, 2), array(1, 3)), "was [1, 2]"),
        (Pair(None, array(1, 3)), "was none"),
        (Pair(F(2), F(3), "there"), "there 2"),
        (
            Pair(np.arange(40.0).reshape(4, 10), np.where(np.eye(4, 10) > 0, 99.0, np.arange(40.0).reshape(4, 10))),
            "[0, 0] was 0, 3 more",
        ),
        (Pair(np.arange(40.0), np.where(np.arange(40) == 7, 99.0, np.arange(40.0)), "there"), "[7] there 7"),
        (Pair(np.arange(40.0), None), "was [0, 1, 2, 3, 4, …]"),
    ],
)
def test_what_was_is_said_by_the_first_number_where_an_array_is_large(pair, expected):
    assert pair_text(pair, 20) == expected


def test_the_place_of_what_is_shown_is_found_by_recording_and_call():
    one, other = weighted_sum(), weighted_sum()
    twice = replace(one, sweeps=one.sweeps * 2)
    assert place_of((Beside("a", one), Beside("b", other)), other, 0) == 1
    calls = (Beside("1", twice, 0), Beside("2", twice, 1))
    assert (place_of(calls, twice, 1), place_of(calls, one, 1)) == (1, None)
    assert calls[1].track(0).sweep == 1
    assert Beside("a", one).track(5).sweep == 0
    assert Beside("none", Recording()).track(0).sweep is None


def test_a_gradient_on_one_side_alone_differs():
    run_ = weighted_sum()
    shorter = replace(run_.sweeps[0], steps=run_.sweeps[0].steps[:2], accumulated=())
    found = Difference(Track(replace(run_, sweeps=(shorter,)), 0), Track(run_, 0))
    assert set(found.gradients) == {0, 1}
    assert found.gradients[1].was is None
    assert isinstance(run_.sweeps[0].steps[2], Step)
