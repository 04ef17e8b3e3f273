"""Write down the names that PyTorch has, so that the reader can tell what it lacks from what nobody has.

Needs torch: python tests/data/record_pytorch_names.py
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

MODULES = [
    "torch",
    "torch.autograd",
    "torch.autograd.forward_ad",
    "torch.autograd.functional",
    "torch.autograd.graph",
    "torch.autograd.profiler",
    "torch.backends",
    "torch.cuda",
    "torch.distributions",
    "torch.fft",
    "torch.func",
    "torch.functional",
    "torch.linalg",
    "torch.nn",
    "torch.nn.functional",
    "torch.nn.init",
    "torch.nn.modules",
    "torch.nn.parameter",
    "torch.nn.utils",
    "torch.nn.utils.parametrizations",
    "torch.nn.utils.parametrize",
    "torch.nn.utils.rnn",
    "torch.optim",
    "torch.optim.lr_scheduler",
    "torch.random",
    "torch.special",
    "torch.utils",
    "torch.utils.checkpoint",
    "torch.utils.data",
]
PATH = Path(__file__).parents[2] / "gradviz" / "imitation" / "script" / "errors" / "pytorch_names.txt"


def rows() -> list[str]:
    """ "OWNER<tab>NAME NAME ..." for every owner."""
    owners: dict[str, Any] = {name: importlib.import_module(name) for name in MODULES}
    owners |= {"Tensor": torch.Tensor, "torch.nn.Module": torch.nn.Module}
    return [
        f"{name}\t{' '.join(filter(lambda each: _is_own(owner, each), dir(owner)))}" for name, owner in owners.items()
    ]


def _is_own(owner: Any, name: str) -> bool:
    """Whether a name is PyTorch's, and not what a module of it imports."""
    if name.startswith("_"):
        return False
    value = getattr(owner, name, None)
    home = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None) or "torch"
    return home.partition(".")[0] not in sys.stdlib_module_names - {"builtins"}


if __name__ == "__main__":
    PATH.write_text("\n".join(rows()) + "\n", encoding="utf-8")
