"""Record ops*.json anew: what a live PyTorch gives for the expressions and inputs that stand in them. Needs torch.

Run it from the root of the repository: `python -m tests.data.record_ops`.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

from tests.data.op_names import Names

HERE = Path(__file__).parent


def record(case):
    """A case with the answers of this PyTorch."""
    leaves = {
        name: torch.tensor(np.array(given[2], dtype=given[0]).reshape(given[1]))
        for name, given in case["inputs"].items()
    }
    for leaf in leaves.values():
        leaf.requires_grad_(leaf.is_floating_point())
    out = eval(case["expression"], {}, Names(leaves, torch, functional))
    if out.requires_grad:
        out.backward(torch.tensor(np.array(case["v"][2], dtype=case["v"][0]).reshape(case["v"][1])))
    gradients = {name: None if leaves[name].grad is None else written(leaves[name].grad) for name in case["gradients"]}
    return case | {"out": written(out.detach()), "gradients": gradients}


def written(x):
    """A tensor as the file has it: kind, shape, numbers."""
    array = x.numpy(force=True)
    return [array.dtype.str[1:], list(array.shape), array.ravel().tolist()]


if __name__ == "__main__":
    for file in sorted(HERE.glob("ops*.json")):
        whole = json.loads(file.read_text(encoding="utf-8"))
        whole |= {"torch": torch.__version__, "cases": [record(case) for case in whole["cases"]]}
        file.write_text(json.dumps(whole), encoding="utf-8")
