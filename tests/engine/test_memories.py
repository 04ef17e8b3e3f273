"""What a pass wrote into its gradients is found out for those who ask, and for nobody else: it takes as long again."""

from __future__ import annotations

import pytest

from gradviz.imitation.engine.passes import memories
from gradviz.imitation.script.run import run

NUMBERS = """
import torch
xs = [torch.tensor(0.1 * i, requires_grad=True) for i in range(4)]
s = xs[0]
for x in xs[1:]:
    s = s * x + torch.tanh(x)
for g in torch.autograd.grad(s, xs):
    g.mul_(2)
"""
LOOP = """
import torch
w = torch.ones(3, requires_grad=True)
w.register_hook(lambda g: g * 2)
for _ in range(2):
    (w * w).sum().backward()
    w.data -= 0.1 * w.grad
    w.grad.zero_()
"""


@pytest.mark.parametrize("script", [NUMBERS, LOOP])
def test_nothing_is_found_out_that_nobody_asks_for(script: str, monkeypatch) -> None:
    monkeypatch.setattr(memories, "_Replay", None)

    assert run(script).error is None


def test_versions_are_found_out_where_they_are_asked_for(monkeypatch) -> None:
    monkeypatch.setattr(memories, "_Replay", None)

    assert run(LOOP + "print(w.grad._version)\n").error is not None
