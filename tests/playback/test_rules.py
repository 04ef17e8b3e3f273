"""The row of the engine's table for a node of a recording."""

from __future__ import annotations

import numpy as np
import pytest

from gradviz.ops.op import Op
from gradviz.ops.table import TABLE
from gradviz.playback.rules import rule_of
from gradviz.recording import Node

EXAMPLES = [(row, example) for row in TABLE.rows() for example in row.examples]


@pytest.mark.parametrize(("row", "example"), EXAMPLES, ids=lambda it: it.name if isinstance(it, Op) else "")
def test_what_is_found_by_the_name_and_params_of_an_example_computes_what_its_row_computes(row, example):
    node = Node(9, row.name, tuple(range(len(example.inputs))), example.params)

    found = rule_of(node, TABLE)

    assert found is not None
    expected = row.forward(*example.inputs, **example.params)
    np.testing.assert_array_equal(found.forward(*example.inputs, **example.params), expected)


def test_an_op_in_place_has_the_rule_of_the_op():
    assert rule_of(Node(2, "mul_", (0, 1)), TABLE) is TABLE.find("mul", 2, {})


@pytest.mark.parametrize("op", ["Square", "leaf", "constant"])
def test_a_leaf_and_a_custom_function_have_no_row(op):
    assert rule_of(Node(1, op), TABLE) is None
