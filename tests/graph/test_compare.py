"""What was recorded against our own rules: equal where PyTorch and we mean the same, and said where not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gradviz.graph.compare import compare
from gradviz.recording import Node, Origin, Recording, Step, Summary, Sweep
from tests import recorded
from tests.samples import F, array, random_graph, weighted_sum

SCRIPT = """\
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8, 3))
nn.functional.cross_entropy(net(torch.randn(2, 1, 4, 4)), torch.tensor([0, 2])).backward()
"""


@pytest.mark.parametrize("recording", [weighted_sum(), random_graph(60)])
def test_what_is_right_agrees(recording: Recording) -> None:
    rows = compare(recording, 0)

    assert [row.node for row in rows] == [node.id for node in recording.nodes if not node.is_leaf]
    assert not any(row.differs or row.reason for row in rows)


def test_a_run_of_the_built_in_engine_agrees_with_itself() -> None:
    recording = recorded.run(SCRIPT).recording
    assert recording.problem is None

    assert not any(row.differs for row in compare(recording, 0))


def test_a_gradient_that_is_other_is_found_where_it_arose() -> None:
    recording = weighted_sum()
    sweep = recording.sweeps[0]
    steps = list(sweep.steps)
    steps[2] = Step(1, array(3, 5), (array(-3, 10), array(-3, 11)))
    wrong = replace(recording, sweeps=(replace(sweep, steps=tuple(steps)),))

    (row,) = [row for row in compare(wrong, 0) if row.differs]

    assert (row.node, row.what) == (1, "the gradient of input 1")
    assert row.difference == pytest.approx(1 / 11)


def test_a_sum_that_cancels_differs_by_rounding_only() -> None:
    """A bias in front of a batch norm: its gradient would be 0, and is what rounding leaves of it."""
    nodes = (
        Node(0, "leaf", shape=(3,), requires_grad=True),
        Node(1, "leaf", shape=(1,), requires_grad=True),
        Node(2, "add", (0, 1), shape=(3,), requires_grad=True),
    )
    g = np.array([1, -0.5, -0.5], np.float32)
    x, bias = np.zeros(3, np.float32), np.zeros(1, np.float32)

    def ran(left: float) -> Recording:
        sweep = Sweep((2,), (g,), (Step(2, g, (g, np.array([left], np.float32))),))
        return Recording(nodes, (x, bias, x), (sweep,))

    assert [row.differs for row in compare(ran(3e-8), 0)] == [False]
    assert [row.differs for row in compare(ran(3e-4), 0)] == [True]


def test_a_value_that_is_other_is_found() -> None:
    recording = weighted_sum()
    wrong = replace(recording, values=(*recording.values[:4], F("nan")))

    (row,) = [row for row in compare(wrong, 0) if row.differs]

    assert (row.node, row.what, row.difference) == (4, "the value", np.inf)


def test_what_cannot_be_compared_has_its_reason() -> None:
    recording = weighted_sum()
    nodes = list(recording.nodes)
    nodes[1] = nodes[1]._replace(op="an_op_of_nobody")
    nodes[4] = nodes[4]._replace(op="dropout")
    values = (*recording.values[:2], None, *recording.values[3:])
    made = replace(recording, nodes=tuple(nodes), values=values, summaries={2: Summary((2,), "float32")})

    reasons = {row.node: row.reason for row in compare(made, 0)}

    assert reasons == {1: "no rule in the table", 3: "the value of an input was not kept", 4: "it draws random numbers"}


def test_what_a_hook_changed_is_compared_by_its_value_only() -> None:
    recording = weighted_sum()
    sweep = replace(recording.sweeps[0], hooked=frozenset({1}), steps=(*recording.sweeps[0].steps[:2], Step(1, array(9, 9), (array(0, 0), array(0, 0))), *recording.sweeps[0].steps[3:]))  # fmt: skip

    assert not any(row.differs for row in compare(replace(recording, sweeps=(sweep,)), 0))


def test_what_wrote_over_its_input_is_not_compared_with_it() -> None:
    x = array(4, 4)  # what exp_ left where it read
    nodes = (Node(0, "leaf", shape=(2,)), Node(1, "exp", (0,), shape=(2,), origin=Origin("exp_", in_place=True)))

    (row,) = compare(Recording(nodes, (x, x)), None)

    assert not row.differs


def test_it_ends_when_nobody_waits() -> None:
    assert compare(random_graph(60), 0, lambda: True) == []
