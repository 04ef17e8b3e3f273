"""One script out of many wrong calls, each with values of its own; what it prints is told apart by a mark."""

from __future__ import annotations

from pathlib import Path

HERE = Path(__file__).parent
RECORDED = HERE / "wrong_calls.json"
MARK = "----"
FRESH = """
import math
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
def fresh():
    x = torch.arange(6.).reshape(2, 3) + 1
    return (x, torch.linspace(-1, 1, 6).reshape(2, 3), torch.linspace(0, 1, 12).reshape(3, 4),
            torch.tensor([1., 2., 3.]), torch.tensor(2.), torch.tensor([0, 1]), torch.tensor([[0, 2, 1], [1, 0, 2]]),
            x > 2, torch.eye(3) * 2 + 0.5, torch.arange(24.).reshape(2, 3, 4),
            torch.arange(64.).reshape(1, 1, 8, 8) / 64, torch.ones(2, 3, requires_grad=True), torch.tensor([0, 2]))
"""
EACH = """x, y, w, v, s, i, k, m, q, b, img, p, t = fresh()
try:
    {}
    print("taken")
except Exception as error:
    print(type(error).__name__ + ": " + str(error))
print("{}")
"""


def statements() -> list[str]:
    """The calls, one a line."""
    return (HERE / "wrong_calls.txt").read_text(encoding="utf-8").splitlines()


def script() -> str:
    """All calls as one script."""
    return FRESH + "".join(EACH.format(statement, MARK) for statement in statements())


def answers(printed: str) -> list[str]:
    """What was said of each call."""
    return [answer.strip() for answer in printed.split(f"{MARK}\n")[:-1]]
