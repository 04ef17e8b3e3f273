"""Record where PyTorch stops at a second backward: python tests/data/record_second_backward.py (needs torch).

Each script ends with a backward pass. It is then called again on `again`; a hook before each node of the graph notes
the order in which they run, and the last one that began is the one that stopped.
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import torch

HERE = Path(__file__).parent
HEAD = """\
import torch
import torch.nn.functional as F
torch.manual_seed(0)
x = torch.tensor([1., 2., 3.], requires_grad=True)
w = torch.tensor([.5, -1., 2.], requires_grad=True)
c = torch.tensor([2., 3., 4.])
M = torch.tensor([[1., 2., 0.], [0., 1., 3.], [2., 1., 1.]], requires_grad=True)
"""
END = "\nagain.backward()\n"

BODIES = (
    "again = (x * w).sum()",
    "again = (x * c).sum()",
    "again = (x * 2).sum()",
    "again = (x + w).sum()",
    "again = (x - w).mean()",
    "again = (x + c).sum() * 2",
    "again = (x ** 2).sum()",
    "again = (x ** 3 + w).sum()",
    "again = (x / w).sum()",
    "again = (x / c).sum()",
    "again = (c / x).sum()",
    "again = x.exp().sum()",
    "again = x.log().sum()",
    "again = torch.sin(x).sum() + w.sum()",
    "again = torch.tanh(x).sum()",
    "again = torch.sigmoid(x * w).sum()",
    "again = torch.relu(x).sum()",
    "again = (torch.relu(x - 2) * w).sum()",
    "again = x.sqrt().sum()",
    "again = x.abs().sum()",
    "again = (-x).sum()",
    "again = (-x).exp().mean()",
    "again = (M @ x).sum()",
    "again = (M @ c).sum()",
    "again = (M @ M).sum()",
    "again = (x @ w)",
    "again = M.t().sum()",
    "again = (M.t() * 2).sum()",
    "again = x.view(3, 1).expand(3, 2).sum()",
    "again = torch.cat([x, w]).sum()",
    "again = torch.cat([x * w, w]).sum()",
    "again = torch.stack([x, x * x]).sum()",
    "again = x[1:].sum()",
    "again = (x[0] * x[1])",
    "again = x.max()",
    "again = torch.maximum(x, w).sum()",
    "again = x.clamp(0, 2).sum()",
    "again = torch.where(x > 1, x, w).sum()",
    "again = torch.softmax(x, 0)[0]",
    "again = torch.log_softmax(x, 0).sum()",
    "again = F.mse_loss(x * w, c)",
    "again = x.prod()",
    "again = x.norm()",
    "again = x.var()",
    "again = x.cumsum(0).sum()",
    "h = x * w\nagain = (h + h.sum()).sum()",
    "h = torch.tanh(M @ x)\nagain = ((h - c) ** 2).mean()",
    "lin = torch.nn.Linear(3, 2)\nagain = torch.tanh(lin(x.view(1, 3))).sum()",
    "lin = torch.nn.Linear(3, 2)\nagain = F.cross_entropy(lin(M), torch.tensor([0, 1, 0]))",
    "h = x * w\na = h.sum()\na.backward(retain_graph=True)\nagain = a",
    "again = (x.exp() * 1).sum().log()",
    "h = x.clone()\nh.mul_(w)\nagain = h.sum()",
    "again = F.layer_norm(x, (3,)).pow(2).sum()",
    "again = x.reshape(1, 3).squeeze(0).unsqueeze(1).sum()",
)  # fmt: skip


def record(body: str) -> dict[str, Any]:
    """The names of the nodes that run the second time, in their order, and whether the last of them stopped."""
    text = HEAD + body + END
    space: dict[str, Any] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(text, "script.py", "exec"), space)
    again, began = space["again"], []
    seen, waiting = set(), [again.grad_fn]
    while waiting:
        node = waiting.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        node.register_prehook(lambda _grads, node=node: began.append(node.name()))
        waiting += [following for following, _ in node.next_functions]
    error = None
    try:
        again.backward()
    except RuntimeError as problem:
        error = str(problem)
    ran = [name for name in began if "AccumulateGrad" not in name]
    return {"text": text, "ran": ran, "error": error and error.partition("(")[0].strip()}


def main() -> None:
    """Write second_backward.json beside this file."""
    recorded = {"torch": torch.__version__.partition("+")[0], "scripts": [record(body) for body in BODIES]}
    file = HERE / "second_backward.json"
    file.write_text(json.dumps(recorded, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
