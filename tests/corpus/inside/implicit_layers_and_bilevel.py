"""Hyper-gradients by unrolling, implicit differentiation and conjugate gradients; DEQ layer; Sinkhorn"""
import torch
from torch import nn
from torch.autograd import grad
from torch.autograd.functional import jacobian, hessian, hvp, vhp, vjp, jvp

torch.manual_seed(10)
torch.set_default_dtype(torch.float64)
X = torch.randn(12, 3); w_true = torch.tensor([1., -2., .5])
y = X @ w_true + .1 * torch.randn(12)
Xv = torch.randn(6, 3); yv = Xv @ w_true

def inner(w, lam): return ((X @ w - y) ** 2).mean() + lam.exp() * (w ** 2).sum()
def outer(w): return ((Xv @ w - yv) ** 2).mean()

lam = torch.tensor(-1., requires_grad=True)
# unrolled
w = torch.zeros(3, requires_grad=True)
for t in range(50):
    g, = grad(inner(w, lam), w, create_graph=True)
    w = w - 0.1 * g
hyper_unrolled, = grad(outer(w), lam)
print("unrolled", hyper_unrolled)

# exact
A = X.T @ X / 12 + lam.exp() * torch.eye(3)
ws = torch.linalg.solve(A, X.T @ y / 12)
hyper_exact, = grad(outer(ws), lam)
print("exact   ", hyper_exact)

# implicit
wi = ws.detach().requires_grad_()
H = hessian(lambda w: inner(w, lam.detach()), wi.detach())
v = torch.linalg.solve(H, grad(outer(wi), wi)[0])
gw, = grad(inner(wi, lam), wi, create_graph=True)
hyper_implicit = -grad(gw @ v, lam)[0]
print("implicit", hyper_implicit)
print(H)

def cg(Avp, b, n=3):
    x = torch.zeros_like(b); r = b.clone(); p = r.clone(); rs = r @ r
    for i in range(n):
        Ap = Avp(p); a = rs / (p @ Ap); x = x + a * p; r = r - a * Ap; rn = r @ r
        p = r + rn / rs * p; rs = rn
    return x
Avp = lambda p: hvp(lambda w: inner(w, lam.detach()), wi.detach(), p)[1]
vc = cg(Avp, grad(outer(wi), wi)[0])
print((vc - v).abs().max() < 1e-10)
print(vhp(lambda w: inner(w, lam.detach()), wi.detach(), torch.ones(3)))
print(jacobian(lambda w, l: X[:2] @ w * l, (wi.detach(), lam.detach())))
print(vjp(lambda w: X[:2] @ w, wi.detach(), torch.tensor([1., 2.])))
print(jvp(lambda w: (X[:2] @ w) ** 2, wi.detach(), torch.ones(3)))
try:
    hessian(lambda w: X @ w, wi)
except RuntimeError as e:
    print(e)
try:
    vjp(lambda w: X @ w, wi)
except RuntimeError as e:
    print(e)
try:
    jacobian(lambda w: 3., wi)
except TypeError as e:
    print(e)
try:
    jacobian(lambda w: w.detach(), wi, strict=True)
except RuntimeError as e:
    print(e)

class DEQ(nn.Module):
    def __init__(self, n, tol=1e-8, max_iter=100):
        super().__init__()
        self.linear = nn.Linear(n, n, bias=False)
        with torch.no_grad(): self.linear.weight.mul_(.5)
        self.tol, self.max_iter = tol, max_iter
    def forward(self, x):
        with torch.no_grad():
            z = torch.zeros_like(x); self.iterations = 0
            while self.iterations < self.max_iter:
                zn = torch.tanh(self.linear(z) + x)
                self.err = torch.norm(zn - z); z = zn; self.iterations += 1
                if self.err < self.tol: break
        z = torch.tanh(self.linear(z) + x)
        z.register_hook(self._hook(z.detach().clone().requires_grad_(), x.detach()))
        return z
    def _hook(self, z0, x):
        f0 = torch.tanh(self.linear(z0) + x)
        def hook(g):
            u = g
            for _ in range(60):
                u = torch.autograd.grad(f0, z0, u, retain_graph=True)[0] + g
            return u
        return hook
layer = DEQ(3)
xin = torch.randn(2, 3, requires_grad=True)
out = layer(xin); print(layer.iterations, out)
print(torch.autograd.gradcheck(layer, (xin,), atol=1e-5, check_undefined_grad=False))
out.sum().backward(); print(xin.grad, layer.linear.weight.grad)

def sinkhorn(C, a, b, eps=.5, n=30):
    f, g = torch.zeros_like(a), torch.zeros_like(b)
    for _ in range(n):
        f = -eps * torch.logsumexp((g[None, :] - C) / eps + b.log()[None, :], 1)
        g = -eps * torch.logsumexp((f[:, None] - C) / eps + a.log()[:, None], 0)
    P = torch.exp((f[:, None] + g[None] - C) / eps) * a[:, None] * b[None]
    return (P * C).sum(), P
pts = torch.randn(4, 2, requires_grad=True)
C = torch.cdist(pts, torch.tensor([[0., 0.], [1., 1.]])) ** 2
cost, P = sinkhorn(C, torch.full((4,), .25), torch.tensor([.3, .7]))
cost.backward(); print(cost, P.sum(0), pts.grad)
