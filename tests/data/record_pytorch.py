"""Record pytorch.gradviz anew: what the recorder leaves of a script that has a little of everything. Needs PyTorch."""

from __future__ import annotations

import sys
from pathlib import Path

from gradviz.formats import save
from gradviz.run.pytorch import Choice, Script, run_with_pytorch

SCRIPT = """\
import torch
from torch import nn
torch.manual_seed(0)
lin = nn.Linear(40, 30)
x = torch.randn(3, 40)
h = torch.tanh(lin(x))
h.register_hook(lambda g: g * 2)
a, b, c = h.unbind(0)
(a * b).sum().backward(retain_graph=True)
z = torch.complex(torch.ones(12, requires_grad=True), torch.zeros(12))
w = z.abs().sum() + c.sum()
torch.autograd.grad(w, c, retain_graph=True)
v = torch.ones(3, requires_grad=True)
e = v.exp()
q = (e * e).sum()
with torch.no_grad():
    e.add_(1)
print("now")
q.backward()
"""

if __name__ == "__main__":
    script = Script(SCRIPT, "several.py", choice=Choice(summary_above=100))
    save(run_with_pytorch(script, Path(sys.executable)).recording, Path(__file__).with_name("pytorch.gradviz"))
