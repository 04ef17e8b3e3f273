# Rare positives: BCEWithLogitsLoss with pos_weight, beside BCELoss after a sigmoid.
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(42)
X = torch.randn(40, 3)
y = (X @ torch.tensor([1.5, -2.0, 0.7]) > 1.5).float().unsqueeze(1)
print("positives:", int(y.sum()), "of", len(y))

pos_weight = (len(y) - y.sum()) / y.sum()
print(pos_weight)
net = nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 1))
plain = nn.BCEWithLogitsLoss()
heavy = nn.BCEWithLogitsLoss(pos_weight=pos_weight)
print(plain, heavy.pos_weight, dict(heavy.named_buffers()).keys())

logits = net(X)
a, b = plain(logits, y), F.binary_cross_entropy(torch.sigmoid(logits), y)
print(a, b)
print(a.grad_fn.name(), [n and n.name() for n, _ in a.grad_fn.next_functions])
print(b.grad_fn.next_functions[0][0].name(), len(b.grad_fn.next_functions))
g1, = torch.autograd.grad(a, logits, retain_graph=True)
g2, = torch.autograd.grad(b, logits, retain_graph=True)
print(torch.allclose(g1, g2), torch.allclose(g1, (torch.sigmoid(logits) - y) / len(y)))

opt = torch.optim.Adam(net.parameters(), lr=0.05)
for step in range(30):
    loss = heavy(net(X), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 10 == 0:
        print("step %2d loss %.4f" % (step, loss))
with torch.no_grad():
    p = torch.sigmoid(net(X))
    print("recall", ((p > 0.5) & (y > 0.5)).sum().item() / y.sum().item())
print(net[2].bias.grad, net[2].weight.grad)

z = torch.tensor([0.0, 3.0, -200.0], requires_grad=True)
t = torch.tensor([1.0, 0.0, 0.5], requires_grad=True)
loss = F.binary_cross_entropy_with_logits(z, t, weight=torch.tensor([1.0, 0.5, 2.0]), reduction="sum")
loss.backward()
print(loss, z.grad, t.grad)

p = torch.tensor([0.0, 1.0, 0.25], requires_grad=True)
q = torch.tensor([1.0, 1.0, 0.0])
loss = nn.BCELoss(reduction="none")(p, q)
print(loss)
loss.sum().backward()
print(p.grad)
x = torch.tensor([0.3, -0.2], requires_grad=True)
f = F.binary_cross_entropy_with_logits(x, torch.tensor([1.0, 0.0]))
first, = torch.autograd.grad(f, x, create_graph=True)
second, = torch.autograd.grad(first.sum(), x)
print(first, second)

def attempt(what, run):
    try:
        print(what, run())
    except Exception as e:
        print(f"{what}: {type(e).__name__}: {e}")

attempt("shape", lambda: plain(logits, y.squeeze(1)))
attempt("shape bce", lambda: F.binary_cross_entropy(torch.sigmoid(logits), y.squeeze(1)))
attempt("range", lambda: F.binary_cross_entropy(logits, y))
attempt("long", lambda: plain(logits, y.long()))
attempt("long bce", lambda: F.binary_cross_entropy(torch.sigmoid(logits), y.long()))
attempt("reduction", lambda: nn.BCELoss(reduction="average")(torch.sigmoid(logits), y))
attempt("weight", lambda: F.binary_cross_entropy_with_logits(logits, y, pos_weight=torch.ones(1, requires_grad=True)))
attempt("old", lambda: F.binary_cross_entropy_with_logits(logits, y, size_average=False).item() > 0)
F.binary_cross_entropy(net(X), y)
