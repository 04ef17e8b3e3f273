"""`grad_fn` as scripts look at it and call it: PyTorch's chain, and the vjp of one node."""

from __future__ import annotations

from typing import Any

import pytest

import gradviz.engine as torch


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


def test_a_node_gives_the_vjp() -> None:
    x = leaf()
    y = x * x

    both = y.grad_fn(torch.ones(3))
    alone = x.sum().grad_fn(torch.tensor(2.0))

    assert [g.tolist() for g in both] == [[1.0, 2.0, 3.0]] * 2
    assert both[0].grad_fn is not None
    assert alone.tolist() == [2.0, 2.0, 2.0]
    assert (x * torch.ones(3)).grad_fn(torch.ones(3))[1] is None
    assert y.grad_fn(None) == (None, None)
    assert (1 - x).grad_fn(torch.ones(3)).tolist() == [-1.0, -1.0, -1.0]
    with torch.no_grad():
        assert y.grad_fn(torch.ones(3))[0].grad_fn is None
    assert x.grad is None


def test_hooks_are_not_called_and_what_was_freed_is_gone() -> None:
    x = leaf()
    y = x * x
    y.register_hook(lambda g: g * 100)

    assert y.grad_fn(torch.ones(3))[0].tolist() == [1.0, 2.0, 3.0]
    y.sum().backward()
    with pytest.raises(RuntimeError, match="a second time"):
        y.grad_fn(torch.ones(3))


def test_the_node_of_a_leaf_adds_to_its_gradient() -> None:
    x = leaf()
    node = (x * x).grad_fn.next_functions[0][0]

    assert node(torch.ones(3)) == ()
    node(torch.ones(3))
    assert x.grad.tolist() == [2.0, 2.0, 2.0]


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ((), TypeError, "expected 1 arguments, got 0 instead"),
        ((1.0,), TypeError, "argument 0 is not a Variable"),
        ((torch.ones(2),), RuntimeError, "The size of tensor a"),
    ],
)
def test_what_is_no_gradient_is_refused(given: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        leaf().exp().grad_fn(*given)


def test_the_node_of_a_function_is_not_called() -> None:
    class Doubled(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2

    with pytest.raises(TypeError, match="'DoubledBackward' object is not callable"):
        Doubled.apply(leaf()).grad_fn(torch.ones(3))
