"""Record gradient_graphs.json: what the gradients of PyTorch 2.13 are made of under create_graph. Needs torch.

Run it from the root of the repository: `python -m tests.data.record_gradient_graphs`. By expression: the graphs of the
gradients for its inputs (v, what came in, takes a gradient too), and a digest of the graphs of their gradients.
"""

from __future__ import annotations

import json
import warnings
from typing import Any

import torch

from tests.data import record_ops_structure
from tests.engine.graph_text import GRAPHS, array, cases, digest, seed, text
from tests.engine.with_torch import ACCUMULATE, evaluate, tensor

assert record_ops_structure.NEURAL  # it says which of two functions of one name is meant


def graph(x: torch.Tensor | None, leaves: dict[str, torch.Tensor]) -> str | None:
    """The graph of a gradient; "leaf" or "const" where it has none."""
    if x is None or x.grad_fn is None:
        return None if x is None else "leaf" if x.requires_grad else "const"
    names = {id(leaf): name for name, leaf in leaves.items()}

    def name(node: Any) -> str:
        plain = node.name().removeprefix("torch::autograd::")
        return f"{plain}:{names[id(node.variable)]}" if node.name() == ACCUMULATE else plain

    return text(x.grad_fn, name, lambda node: node.next_functions, lambda node: node)


def graphs(expression: str, inputs: dict[str, Any]) -> dict[str, Any] | None:
    """The graphs of the first and of the second gradients; None where no gradient flows."""
    leaves = {name: tensor(array(*x)) for name, x in inputs.items()}
    out = evaluate(expression, leaves)
    taking = {name: x for name, x in leaves.items() if x.requires_grad}
    if not out.requires_grad:
        return None
    every = taking | {"v": torch.from_numpy(seed(tuple(out.shape), 1)).to(out.dtype).requires_grad_()}
    first = torch.autograd.grad(out, list(taking.values()), every["v"], create_graph=True, allow_unused=True)
    found = {"first": [graph(x, every) for x in first]}
    outs = [x for x in first if x is not None and x.requires_grad]
    seeds = [torch.from_numpy(seed(tuple(x.shape), 2 + i)).to(x.dtype) for i, x in enumerate(outs)]
    try:
        second = torch.autograd.grad(outs, list(every.values()), seeds, create_graph=True, allow_unused=True)
    except (RuntimeError, NotImplementedError):
        return found
    return found | {"second": digest([graph(x, every) for x in second])}


def main() -> None:
    warnings.simplefilter("ignore")
    found = {expression: graphs(expression, inputs) for expression, inputs in cases().items()}
    lines = (f"{json.dumps(name)}: {json.dumps(row)}" for name, row in found.items() if row is not None)
    GRAPHS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
