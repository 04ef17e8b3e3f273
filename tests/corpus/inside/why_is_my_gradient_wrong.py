"""Why is my gradient None / zero / wrong? Answers collected from the forum."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(42)
print("=" * 60)
print("Case 1: non-leaf because of an op after requires_grad=True")
a = torch.rand(2, 3, requires_grad=True).double()
print(a.is_leaf, a.dtype, a.grad_fn.name())
(a ** 2).sum().backward()
print(a.grad)
print("Case 2: rebinding inside no_grad")
w = torch.tensor([1.0, 2.0], requires_grad=True)
(w * w).sum().backward()
with torch.no_grad():
    w = w - 0.1 * w.grad
print(w, w.requires_grad, w.grad)
print("Case 3: argmax breaks the graph")
logits = torch.randn(4, 3, requires_grad=True)
pred = logits.argmax(dim=1)
print(pred, pred.requires_grad, pred.grad_fn)
try:
    pred.float().mean().backward()
except RuntimeError as err:
    print("   ->", err)
print("Case 4: round / floor / sign give zeros")
x = torch.tensor([0.4, 1.6, -2.2], requires_grad=True)
for f in (torch.round, torch.floor, torch.ceil, torch.sign, torch.trunc):
    y = f(x)
    g, = torch.autograd.grad(y.sum(), x)
    print(f"   {f.__name__:6s} {y.tolist()} {g.tolist()} {type(y.grad_fn).__name__}")
print("Case 5: comparison and casting")
m = (x > 0).float()
print(m, m.requires_grad)
print((x * m).sum().backward(), x.grad)
print("Case 6: tensor(tensor) copies")
y = torch.tensor(x)
print(y.requires_grad)
y = torch.tensor(x.sum())
print(y)
y = torch.tensor([x[0], x[1] * 2])
print(y, y.requires_grad)
y = torch.stack([x[0], x[1] * 2])
print(y)
print("Case 7: list of tensors to FloatTensor")
z = torch.FloatTensor([x.sum().item(), 2])
print(z, z.requires_grad)
print("Case 8: grad accumulates")
v = torch.tensor(3.0, requires_grad=True)
for i in range(3):
    (v ** 2).backward()
    print("   ", v.grad)
v.grad.zero_()
print("   ", v.grad, v.grad.requires_grad, v.grad.is_leaf)
print("Case 9: only leaves")
h = v * 2
o = h ** 2
o.backward()
print(h.grad)
print("Case 10: integer indices through embedding")
emb = nn.Embedding(5, 2, padding_idx=0)
idx = torch.tensor([[0, 1, 1, 4]])
emb(idx).sum().backward()
print(emb.weight.grad)
print(emb.weight)
print("Case 11: freeze")
lin = nn.Linear(2, 2)
lin.weight.requires_grad_(False)
lin(torch.ones(1, 2)).sum().backward()
print(lin.weight.grad, lin.bias.grad)
print([n for n, p in lin.named_parameters() if p.requires_grad])
print("Case 12: detach in the middle")
p = torch.ones(2, requires_grad=True)
q = (p * 3).detach() * p
q.sum().backward()
print(p.grad)
print("Case 13: .item() in the loss")
p.grad = None
loss = (p.sum() - 1).item() ** 2
try:
    loss.backward()
except AttributeError as err:
    print("   ->", err)
print("Case 14: inputs as numpy")
try:
    F.mse_loss(p.numpy(), p)
except Exception as err:
    print("   ->", type(err).__name__, err)
print("Case 15: wrong loss target shape")
out = torch.zeros(3, 1, requires_grad=True)
l = F.mse_loss(out, torch.ones(3))
print(l)
l.backward()
print(out.grad)
print("Case 16: max with index")
t = torch.tensor([[1., 5., 5.], [2., 0., 1.]], requires_grad=True)
vals, ind = t.max(dim=1)
print(vals, ind)
vals.sum().backward(); print(t.grad)
t.grad = None; t.max().backward(); print(t.grad)
t.grad = None; t.amax(1).sum().backward(); print(t.grad)
print(torch.max(t, dim=0))
