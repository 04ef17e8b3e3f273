"""The gradient of every parameter in every backward call: norms, ratios, where NaN came first."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradviz.playback.health.heat import NOT_THERE, Cell, Heat, cell_at, heat_of, thinned
from gradviz.recording import LEAF
from tests.recorded import run

TRAINING = """\
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
unused = torch.ones(2, requires_grad=True)
(unused * 2).sum()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(4, 2)
for step in range(12):
    loss = net(x).pow(2).mean()
    if step == 7:
        loss = loss * float("nan")
    opt.zero_grad()
    loss.backward()
    if step != 7:
        opt.step()
"""


@pytest.fixture(scope="module")
def training():
    return run(TRAINING).recording


def test_rows_are_parameters_of_a_module_together_and_columns_are_calls(training):
    heat = heat_of(training)

    assert heat.names == ("net.0.weight", "net.0.bias", "net.2.weight", "net.2.bias", "unused")
    assert heat.groups == ("net.0", "net.0", "net.2", "net.2", "")
    assert heat.sweeps == tuple(range(12))
    assert heat.numbers == tuple(range(1, 13))


def test_each_cell_is_the_norm_of_what_came_in_and_its_ratio_to_the_parameter(training):
    heat = heat_of(training)

    for column, sweep in enumerate(training.sweeps):
        for step in sweep.steps:
            node = training.nodes[step.node]
            if node.op != LEAF or column == 7:
                continue
            row = heat.names.index(node.name)
            norm = np.linalg.norm(np.ravel(step.incoming))
            assert heat.nodes[row, column] == step.node
            assert heat.norms[row, column] == pytest.approx(norm, rel=1e-5)
            assert heat.ratios[row, column] == pytest.approx(
                norm / np.linalg.norm(np.ravel(training.values[step.node])), rel=1e-5
            )


def test_the_first_nan_is_found_and_a_leaf_without_gradients_is_an_empty_row(training):
    heat = heat_of(training)

    assert heat.first_odd == Cell(0, 7)
    assert heat.odd[:4, 7].all()
    assert not heat.odd[:, :7].any()
    assert (heat.nodes[4] == NOT_THERE).all()
    assert heat.text(Cell(0, 7)) == "net.0.weight, backward 8: NaN or infinity, the first of the run"
    assert heat.text(Cell(4, 0)) == "unused, backward 1: no gradient"
    assert heat.text(Cell(0, 0)).startswith("net.0.weight, backward 1: norm 0.")


def test_measuring_ends_where_it_is_cancelled(training):
    asked = iter([False, False, True])

    heat = heat_of(training, lambda: next(asked))

    assert heat.sweeps == (0, 1)


def test_a_run_without_calls_has_no_rows():
    heat = heat_of(run("import torch\nx = torch.ones(2, requires_grad=True)\ny = x * 2\n").recording)

    assert heat.nodes.shape == (0, 0)
    assert heat.first_odd is None


@st.composite
def tables(draw: st.DrawFn) -> Heat:
    rows, columns = draw(st.integers(1, 12)), draw(st.integers(1, 30))
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    norms = rng.random((rows, columns))
    odd = rng.random((rows, columns)) < 0.05
    nodes = np.where(rng.random((rows, columns)) < 0.2, NOT_THERE, np.arange(rows * columns).reshape(rows, columns))
    odd &= nodes != NOT_THERE
    norms[odd | (nodes == NOT_THERE)] = math.nan
    names = tuple(f"p{row}" for row in range(rows))
    return Heat(names, tuple(range(columns)), tuple(range(1, columns + 1)), nodes, norms, norms / 2, odd)


@settings(max_examples=60, deadline=None)
@given(tables(), st.integers(1, 12), st.integers(1, 30))
def test_a_thinned_table_loses_neither_a_nan_nor_the_largest_gradient(heat, rows, columns):
    numbers, odd, there = thinned(heat, rows, columns, as_ratios=False)

    assert numbers.shape[0] <= rows
    assert numbers.shape[1] <= columns
    assert odd.any() == heat.odd.any()
    assert there.any() == (heat.nodes != NOT_THERE).any()
    known = heat.norms[~np.isnan(heat.norms)]
    if len(known):
        assert np.nanmax(numbers) == known.max()
    for row in range(numbers.shape[0]):
        for column in range(numbers.shape[1]):
            cell = cell_at(heat, rows, columns, Cell(row, column), as_ratios=False)
            assert heat.odd[cell] == odd[row, column]
            if there[row, column] and not odd[row, column]:
                assert heat.norms[cell] == numbers[row, column]
