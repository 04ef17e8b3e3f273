"""Gradients made with create_graph are graphs of PyTorch's nodes; data/gradient_graphs.json holds what it made.

Those that are made otherwise as yet stand in data/gradient_graphs_that_differ.txt: "first" or "second", then the
expression.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from gradviz.imitation.engine.autograd import grad
from gradviz.imitation.engine.nodes import head
from gradviz.imitation.engine.tensor import Tape, Tensor
from gradviz.errors import TorchError
from gradviz.imitation.script.tensors.grad_nodes import GradNode, node_of
from tests.engine.expressions import array, evaluate
from tests.engine.graph_text import DIFFERING, GRAPHS, cases, digest, seed, text

RECORDED: dict[str, dict[str, Any]] = json.loads(GRAPHS.read_text(encoding="utf-8"))
CASES = cases()
KNOWN = {tuple(line.split(" ", 1)) for line in DIFFERING.read_text(encoding="utf-8").splitlines()}


def graph(x: Tensor | None, leaves: dict[str, Tensor]) -> str | None:
    """The graph of a gradient; "leaf" or "const" where it has none."""
    if x is None or x.op is None:
        return None if x is None else "leaf" if x.requires_grad else "const"
    names = {id(head(leaf)): name for name, leaf in leaves.items()}

    def name(node: GradNode) -> str:
        is_leaf = node.node_name == "AccumulateGrad"
        return f"{node.node_name}:{names[id(node.tensor)]}" if is_leaf else node.node_name

    return text(node_of(x), name, lambda node: node.next_functions, id)


def graphs(expression: str, inputs: dict[str, Any]) -> dict[str, Any]:
    """The graphs of the first and of the second gradients, as the recorder has them."""
    tape = Tape()
    with tape.recording():
        leaves = {
            name: tape.tensor(array(*x), requires_grad=x[0].startswith("f")) for name, x in inputs.items()
        }  # fmt: skip
        out = evaluate(expression, leaves)
        taking = {name: x for name, x in leaves.items() if x.requires_grad}
        every = taking | {"v": tape.tensor(np.asarray(seed(out.shape, 1), out.dtype)[()], requires_grad=True)}
        first = grad([out], list(taking.values()), [every["v"]], create_graph=True, allow_unused=True)
        found: dict[str, Any] = {"first": [graph(x, every) for x in first]}
        outs = [x for x in first if x is not None and x.requires_grad]
        seeds = [tape.tensor(np.asarray(seed(x.shape, 2 + i), x.dtype)[()]) for i, x in enumerate(outs)]
        try:
            second = grad(outs, list(every.values()), seeds, create_graph=True, allow_unused=True)
        except TorchError:
            return found
        return found | {"second": digest([graph(x, every) for x in second])}


@pytest.mark.parametrize("expression", RECORDED)
def test_gradient_is_a_graph_of_pytorchs_nodes(expression):
    recorded = RECORDED[expression]

    found = graphs(expression, CASES[expression])

    different = {(order, expression) for order in ("first", "second") if found.get(order) != recorded.get(order)}
    expected = {order for order, name in KNOWN if name == expression}
    if not expected:
        assert found == recorded
    assert {order for order, _ in different} == expected, "take it off the list of those that differ"
