"""`grad_fn` as scripts look at it: PyTorch's chain."""

from __future__ import annotations

from typing import Any

import pytest

import gradviz.engine as torch
from gradviz.engine.errors import Beyond


def chain(node: Any) -> Any:
    """The names of the nodes under one, nested."""
    below = [chain(each) for each, _ in node.next_functions if each is not None]
    return [node.name(), *below] if below else node.name()


def leaf() -> Any:
    return torch.tensor([1.0, 2.0, 3.0], requires_grad=True)


def test_a_vector_times_a_matrix_has_the_nodes_of_pytorch() -> None:
    x, w = leaf(), torch.ones(3, 2, requires_grad=True)
    y = x @ w
    grows = "torch::autograd::AccumulateGrad"

    assert chain(y.grad_fn) == ["SqueezeBackward4", ["MmBackward0", ["UnsqueezeBackward0", grows], grows]]
    assert (y.tolist(), y._base) == ([6.0, 6.0], None)
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0, 2.0]
    assert w.grad.tolist() == [[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]
    with pytest.raises(RuntimeError, match="mat1 and mat2 shapes cannot be multiplied"):
        x @ torch.ones(4, 2)


def test_a_node_is_not_called_by_hand() -> None:
    with pytest.raises(Beyond, match="calling a node of the graph by hand is beyond the built-in engine"):
        leaf().exp().grad_fn(torch.ones(3))
