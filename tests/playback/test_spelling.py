"""Recordings have PyTorch's names of ops, and the entry of the rule table is found again."""

from __future__ import annotations

import pytest

from gradviz.imitation.engine.recorded.entries import entry_of
from gradviz.imitation.engine.rules import OPS
from gradviz.recording import Node
from gradviz.imitation.script.run import run
from gradviz.imitation.spelling import spelled

SCRIPT = """
import torch
import torch.nn.functional as F
x = torch.ones(1, 1, 4, 4, requires_grad=True)
w = torch.ones(1, 1, 2, 2, requires_grad=True)
y = F.conv2d(x, w) * 2 + 1
y.clamp(min=0).pow(2).max(dim=2)[0].sum().backward()
"""


@pytest.mark.parametrize("name", sorted(OPS))
def test_every_entry_is_found_by_pytorchs_name_and_what_its_examples_are_given(name: str) -> None:
    op = OPS[name]
    for case in op.example:
        node = Node(9, spelled(name), tuple(range(len(case["inputs"]))), case["params"])

        assert entry_of(node, OPS) is op


def test_a_recording_has_the_names_that_pytorch_has() -> None:
    recording = run(SCRIPT, seed=0).recording
    ops = [node.op for node in recording.nodes if node.op not in ("leaf", "constant")]

    assert ops == ["conv2d", "mul", "add", "clamp", "pow", "max", "sum"]


def test_an_op_that_is_not_in_the_table_has_no_entry() -> None:
    assert entry_of(Node(1, "Square", (0,)), OPS) is None
    assert spelled("my_number") == "my_number"
