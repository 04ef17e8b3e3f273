"""How a gradient shrinks or grows on its way: the product of the factors along the path on which most of it came."""

from __future__ import annotations

import math

import numpy as np
import pytest

from gradviz.playback.health.path import path_findings, path_text, path_to
from gradviz.playback.track import Track
from tests.recorded import run
from tests.samples import random_graph

DEEP = """\
import torch
torch.manual_seed(0)
x = torch.randn(4, 8)
W = [(torch.randn(8, 8) * 0.3).requires_grad_() for _ in range(8)]
h = x
for i in range(8):
    h = torch.sigmoid(h @ W[i])
loss = h.mean()
loss.backward()
"""


@pytest.fixture(scope="module")
def deep() -> Track:
    return Track(run(DEEP).recording, 0)


def named(track: Track, name: str) -> int:
    return next(node.id for node in track.recording.nodes if node.name == name)


def norm_into(track: Track, node: int) -> float:
    step = track.steps[track.call.step_of[node]]
    return float(np.linalg.norm(np.ravel(step.incoming).astype(np.float64)))


def test_the_product_of_the_factors_is_the_norm_at_the_node_over_that_of_the_seed(deep):
    for node in deep.call.step_of:
        path = path_to(deep, node)

        assert path is not None
        product = math.prod(factor.ratio * factor.added for factor in path.factors)
        assert product == pytest.approx(norm_into(deep, node) / norm_into(deep, deep.call.outputs[0]), rel=1e-4)
        assert path.product == pytest.approx(product, rel=1e-4)


@pytest.mark.parametrize("seed", range(10))
def test_it_is_so_in_graphs_whose_nodes_have_many_consumers(seed):
    track = Track(random_graph(120, seed), 0)

    for node in list(track.call.step_of)[::7]:
        path = path_to(track, node)
        if path is not None and path.norm and all(factor.sent for factor in path.factors):
            product = math.prod(factor.ratio * factor.added for factor in path.factors)
            assert product == pytest.approx(path.product, rel=1e-4)


def test_the_path_goes_from_the_output_by_the_largest_terms(deep):
    path = path_to(deep, named(deep, "W[0]"))

    assert path is not None
    ops = [deep.recording.nodes[factor.node].op for factor in path.factors]
    assert ops == ["mean", *["sigmoid", "mm"] * 8]


def test_the_sentence_names_the_ops_that_shrink_it_most(deep):
    node = named(deep, "W[0]")
    path = path_to(deep, node)
    assert path is not None

    text = path_text(deep, path)
    (finding,) = path_findings(deep, deep.length, node)

    assert text.startswith("norm 1 at loss, 2.781e-6 at W[0]: × 2.781e-6 over 17 nodes, of which 8 sigmoid make × ")
    assert finding.text == f"The gradient vanishes on its way here: {text}."
    assert path_findings(deep, deep.turn, node) == ()
    assert path_findings(deep, deep.length, named(deep, "W[7]")) == ()


def test_an_exploding_gradient_is_named_too():
    text = "import torch\nx = torch.ones(3, requires_grad=True)\nh = x\nfor i in range(6):\n    h = h * 10\nh.sum().backward()\n"
    track = Track(run(text).recording, 0)

    (finding,) = path_findings(track, track.length, named(track, "x"))

    assert finding.text.startswith("The gradient explodes on its way here: norm 1 at")
    assert "6 mul make × 1e6" in finding.text


@pytest.mark.parametrize(
    ("factor", "word"),
    [(9e-5, "vanishes"), (1.1e-4, None), (0.5, None), (9e3, None), (1.1e4, "explodes")],
)
def test_from_a_ten_thousandth_it_has_vanished_and_from_ten_thousand_times_exploded(factor, word):
    text = f"import torch\nx = torch.tensor(3.0, requires_grad=True)\ny = x * {factor}\ny.backward()\n"
    track = Track(run(text).recording, 0)

    found = path_findings(track, track.length, named(track, "x"))

    assert [finding.text.split(" on its way")[0] for finding in found] == ([f"The gradient {word}"] if word else [])


@pytest.mark.parametrize("seed", [1e-3, 1e3])
def test_what_counts_is_the_factor_and_not_the_norm(seed):
    text = (
        f"import torch\nx = torch.tensor(3.0, requires_grad=True)\ny = x * 1.5e-4\ny.backward(torch.tensor({seed}))\n"
    )
    track = Track(run(text).recording, 0)

    assert path_findings(track, track.length, named(track, "x")) == ()


def test_where_nothing_comes_or_it_is_not_finite_there_is_no_path():
    text = (
        "import torch\nx = torch.zeros(2, requires_grad=True)\nw = torch.ones(2)\n(x.sqrt() * w * 0).sum().backward()\n"
    )
    track = Track(run(text).recording, 0)

    assert path_to(track, named(track, "w")) is None
    assert path_to(track, named(track, "x")) is None
