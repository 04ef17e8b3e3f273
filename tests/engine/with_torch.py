"""Expressions and programs run on PyTorch, for recording what it gives and for live comparison."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

METHODS = (
    "view", "expand", "expand_as", "double", "sum_to_size", "unsqueeze_", "squeeze_", "transpose_", "swapaxes_", "t_",
    "repeat",
)  # fmt: skip
ACCUMULATE = "torch::autograd::AccumulateGrad"


def _method(name: str) -> Any:
    return lambda x, *arguments: getattr(x, name)(*arguments)


def namespace() -> dict[str, Any]:
    """The names an expression may use."""
    neural = torch.nn.functional
    names: dict[str, Any] = {name: getattr(neural, name) for name in dir(neural) if name.islower()}
    names |= {name: getattr(torch, name) for name in dir(torch) if name.islower()}
    names |= {name: _method(name) for name in METHODS} | {"T": lambda x: x.T}
    names |= {"neural": neural, "linalg": torch.linalg, "special": torch.special}
    # torch has some losses under the same name that take the reduction as a number.
    losses = [name for name in dir(neural) if name.endswith("_loss")]
    own = ("relu", "softmax", "kl_div", "binary_cross_entropy_with_logits", *losses)
    return names | {name: getattr(neural, name) for name in own}


NAMES = namespace()


def evaluate(expression: str, tensors: dict[str, torch.Tensor]) -> Any:
    """The expression on PyTorch."""
    return eval(expression, NAMES, tensors)


def tensor(x: Any, requires_grad: bool = True) -> torch.Tensor:
    """The same numbers in the same layout, taking a gradient where they can."""
    array = np.asarray(x)
    return torch.from_numpy(array).requires_grad_(requires_grad and array.dtype.kind == "f")


def graph(out: torch.Tensor) -> list[Any]:
    """The backward nodes that `out` depends on, those of leaves included."""
    found: dict[Any, None] = {}
    waiting = [torch.autograd.graph.get_gradient_edge(out).node]
    while waiting:
        node = waiting.pop()
        if node is not None and node not in found:
            found[node] = None
            waiting += [source for source, _ in node.next_functions]
    return list(found)


def node_names(out: torch.Tensor) -> list[str]:
    """Names of the backward nodes in the order of their making."""
    interior = [node for node in graph(out) if node.name() != ACCUMULATE]
    return [
        node.name().removeprefix("torch::autograd::") for node in sorted(interior, key=lambda node: node._sequence_nr())
    ]


def run(
    leaves: dict[str, Any], lines: Sequence[str], passes: Sequence[tuple[str, Any]]
) -> tuple[dict[str, torch.Tensor], list[tuple[str, Any]]]:
    """The tensors of a program after all passes, and the steps: name of the backward node, incoming gradient."""
    tensors = {name: tensor(x, i != 2) for i, (name, x) in enumerate(leaves.items())}
    for line in lines:
        name, text = line.split(" = ", 1)
        tensors[name] = evaluate(text, tensors)
    steps: list[tuple[str, Any]] = []
    for name, v in passes:
        out = tensors[name]
        nodes = graph(out)  # held until the pass is done: the node of a leaf that nothing used lives no longer
        hooks = [node.register_prehook(_noting(node, steps)) for node in nodes]
        # torch.tensor copies: PyTorch may take v over as the .grad of a leaf and add to it later.
        out.backward(None if v is None else torch.tensor(v), retain_graph=True)
        for hook in hooks:
            hook.remove()
    return tensors, steps


def _noting(node: Any, steps: list[tuple[str, Any]]) -> Any:
    name = node.name().removeprefix("torch::autograd::")

    def note(incoming: tuple[torch.Tensor | None, ...]) -> None:
        given = [g for g in incoming if g is not None]
        steps.append((name, given[0].detach().numpy().copy() if given else None))

    return note
