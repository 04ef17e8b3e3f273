"""The check of every rule: each op of the table passes it on its own examples, and a rule at fault is named as such."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gradviz.check_table import table
from gradviz.graph import verify
from gradviz.graph.verify import CheckRow, check
from gradviz.ops.op import Example, Op, example
from gradviz.ops.params import plain
from gradviz.ops.table import TABLE
from gradviz.recording import CONSTANT, LEAF, Node, Recording
from tests.recorded import run

WITHOUT_EXAMPLE = {"floor_divide", "alias", "copy_slices"}
"""Ops that no call makes on its own: the first has no rule, the others come of what is written through a view, below."""


def recorded(op: Op, given: Example) -> Recording:
    """A run of one op, as a recording has it; every floating input that has a rule takes a gradient."""
    with np.errstate(all="ignore"):
        y = np.asarray(op.forward(*given.inputs, **given.params))[()]
    takes = [x.dtype.kind == "f" and op.rule_of(slot) is not None for slot, x in enumerate(given.inputs)]
    nodes = [
        Node(slot, LEAF if takes[slot] else CONSTANT, (), {}, x.shape, x.dtype.name, None, takes[slot])
        for slot, x in enumerate(given.inputs)
    ]
    params = {name: plain(value) for name, value in given.params.items()}
    made = Node(len(nodes), op.name, tuple(range(len(nodes))), params, y.shape, y.dtype.name, None, True)
    return Recording((*nodes, made), (*[x[()] for x in given.inputs], y))


def checked(op: Op, given: Example) -> CheckRow:
    (row,) = check(recorded(op, given))
    return row


@pytest.mark.parametrize("op", TABLE.rows(), ids=lambda op: op.name)
def test_every_op_of_the_table_passes_the_check_on_its_own_examples(op: Op) -> None:
    assert bool(op.examples) == (op.name not in WITHOUT_EXAMPLE)
    for given in op.examples:
        row = checked(op, given)

        assert (row.passed, row.reason) == (True, ""), row


def test_a_row_of_an_embedding_that_gets_no_gradient_by_definition_is_not_compared() -> None:
    (op,) = [row for row in TABLE.rows() if row.name == "embedding"]

    row = checked(op, example([[1.0], [2.0]], np.array([0, 1]), padding_idx=1))

    assert (row.passed, row.reason) == (True, "the row padding_idx was looked up, and gets no gradient by definition")


def test_what_is_written_through_a_view_passes_the_check() -> None:
    script = (
        "import torch\nx = torch.ones(3, requires_grad=True)\ny = x * 2\ny[1:].mul_(x[0])\n"
        "g, = torch.autograd.grad(y.square().sum(), x, create_graph=True)\ng.sum().backward()\n"
    )
    rows = check(run(script).recording)

    assert {"copy_slices", "alias"} <= {row.op for row in rows}
    assert [row for row in rows if not row.passed or row.reason] == []


def test_scatter_of_several_numbers_to_one_place_says_so_and_of_one_each_agrees() -> None:
    text = (
        "import torch\nx = torch.zeros(3, requires_grad=True)\nsrc = torch.tensor([1., 2.], requires_grad=True)\n"
        "y = x.scatter(0, torch.tensor([{}, 2]), src)\ny.sum().backward()\n"
    )
    (once, _), (twice, _) = check(run(text.format(0)).recording), check(run(text.format(2)).recording)

    assert (once.reason, once.passed) == ("", True)
    assert twice.reason == verify.WRITTEN_OVER


def test_the_names_that_the_check_treats_apart_are_those_of_ops() -> None:
    assert {row.name for row in TABLE.rows()} >= set(verify.WRITING)


def test_a_rule_that_ends_in_an_error_fails_and_is_not_blamed_on_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> object:
        raise ValueError("too many values to unpack")

    (exp,) = [row for row in TABLE.rows() if row.name == "exp"]
    given = example([1.0, 2.0])
    monkeypatch.setitem(TABLE._rows, "exp", [replace(exp, vjp=(broken,))])

    row = checked(exp, given)

    assert (row.passed, row.reason) == (False, "its rule ends in an error: too many values to unpack")
    assert "FAILS: its rule ends in an error: too many values to unpack" in table([row])
    assert table([row]).endswith("1 rule compared with central differences: 0 agree, 1 fails.")


def test_numbers_that_no_op_takes_are_named_as_what_was_recorded() -> None:
    (mm,) = [row for row in TABLE.rows() if row.name == "mm"]
    sound = recorded(mm, example([[1.0, 2.0]], [[3.0], [4.0]]))
    nodes = (sound.nodes[0], sound.nodes[1]._replace(shape=(1, 1)), sound.nodes[2])

    (row,) = check(replace(sound, nodes=nodes, values=(sound.values[0], np.ones((1, 1)), sound.values[2])))

    assert row.passed
    assert row.reason.startswith("mm does not run on what was recorded: ")


def test_a_function_whose_backward_raises_fails_with_its_own_words() -> None:
    text = """\
import torch
class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, g):
        assert g.dtype == torch.float32, "float32 only"
        return g * 2
x = torch.ones(2, requires_grad=True)
Doubled.apply(x).sum().backward()
"""
    rows = [CheckRow(**row) for row in run(text).ask("check")]

    assert [(row.passed, row.reason) for row in rows] == [
        (False, "its rule ends in an error: float32 only"),
        (True, ""),
    ]
