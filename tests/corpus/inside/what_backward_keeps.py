"""Lecture 4: what backward() keeps and what it throws away."""
import torch
from torch import nn
import math

def show(name, t):
    print(f"{name:<8}| data={t.data} | requires_grad={t.requires_grad} | is_leaf={t.is_leaf} | grad_fn={t.grad_fn.name() if t.grad_fn is not None else None} | _version={t._version}")

torch.manual_seed(1234)
a = torch.tensor([2.0, 3.0], requires_grad=True)
b = torch.tensor([6.0, 4.0], requires_grad=True)
Q = 3 * a**3 - b**2
show("a", a); show("b", b); show("Q", Q)
external_grad = torch.tensor([1.0, 1.0])
Q.backward(gradient=external_grad)
print(9 * a**2 == a.grad)
print(-2 * b == b.grad)

fn = Q.grad_fn
depth = 0
stack = [(fn, 0)]
while stack:
    f, d = stack.pop()
    print("  " * d + type(f).__name__, [n for n in dir(f) if n.startswith("_saved")])
    for nxt, idx in f.next_functions:
        if nxt is not None:
            stack.append((nxt, d + 1))
print(Q.grad_fn._saved_alpha)
mul = Q.grad_fn.next_functions[0][0]
print(mul._saved_self, mul._saved_other)
powb = Q.grad_fn.next_functions[1][0]
print(powb._saved_exponent)
try:
    print(powb._saved_self)
except RuntimeError as e:
    print("RuntimeError:", e)
try:
    Q.backward(gradient=external_grad)
except RuntimeError as e:
    print("RuntimeError:", str(e).split(".")[0])

x = torch.linspace(0., 2. * math.pi, steps=25, requires_grad=True)
y = torch.sin(x)
print(x)
print(y)
c = 2 * y
d = c + 1
out = d.sum()
print(out)
print('d:')
out.backward()
print(x.grad)
print(d.grad is None)
print(x.grad.sum(), x.grad.mean().item())

class Tiny(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer1 = nn.Linear(10, 6)
        self.relu = nn.ReLU()
        self.layer2 = nn.Linear(6, 3)
    def forward(self, x):
        return self.layer2(self.relu(self.layer1(x)))

inp = torch.randn(4, 10, requires_grad=False)
ideal = torch.randn(4, 3, requires_grad=False)
model = Tiny()
print(model.layer2.weight[0][0:3])
print(model.layer2.weight.grad)
opt = torch.optim.SGD(model.parameters(), lr=0.001)
pred = model(inp)
loss = (ideal - pred).pow(2).sum()
print(loss)
loss.backward()
print(model.layer2.weight[0][0:3])
print(model.layer2.weight.grad[0][0:3])
opt.step()
print(model.layer2.weight[0][0:3])
for i in range(0, 4):
    pred = model(inp)
    loss = (ideal - pred).pow(2).sum()
    loss.backward()
print(model.layer2.weight.grad[0][0:3])
opt.zero_grad(set_to_none=False)
print(model.layer2.weight.grad[0][0:3])
a = torch.ones(2, 3, requires_grad=True) * 2
with torch.autograd.no_grad():
    b = a + a
print(a, b, torch.is_grad_enabled())
