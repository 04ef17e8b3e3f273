"""Calls that once were answered otherwise, as one script: python -m tests.calls.telling records what PyTorch says.

Each stands on a line of `telling.txt`, an expression in the values that `made()` gives, which are new for each.
"""

from __future__ import annotations

import json
from pathlib import Path

from tests.calls.script import MARK, REFUSED, TAKEN

HERE = Path(__file__).parent
RECORDED = HERE / "telling.json"
MADE = """
import torch
import torch.nn as nn
import torch.nn.functional as F
from fractions import Fraction
S = torch.optim.lr_scheduler
def made():
    x = torch.tensor([[0.5, -1., 2.], [3., 0., -0.25]])
    P = nn.Parameter(torch.ones(2))
    return (x, torch.tensor([[1, -2, 3], [0, 4, 5]]), x > 0, torch.tensor(0.75), torch.tensor([[2., 1.], [1., 3.]]),
            torch.zeros(0, 3), (torch.arange(6.) / 4 + 0.25).reshape(2, 3), P, torch.optim.SGD([P], lr=0.1))
"""
EACH = f"""x, i, b, s, m, e, w, P, o = made()
torch.manual_seed(0)
print({MARK + "{number}"!r})
try:
    print("{TAKEN}", {{call}})
except Exception as error:
    print("{REFUSED}", type(error).__name__ + ":", error)
"""


def calls() -> list[str]:
    """The calls."""
    return (HERE / "telling.txt").read_text(encoding="utf-8").splitlines()


def script() -> str:
    """All calls as one script."""
    return MADE + "".join(EACH.format(number=number, call=call) for number, call in enumerate(calls()))


def record() -> None:
    """Ask PyTorch."""
    from tests.calls.compare import answers
    from tests.programs.compare import by_pytorch

    said = answers(by_pytorch(script()))
    RECORDED.write_text(json.dumps(list(said.values()), indent=0) + "\n", encoding="utf-8")


if __name__ == "__main__":
    record()
