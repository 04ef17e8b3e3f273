import copy
import torch
import torch.nn as nn
import torch.nn.utils.parametrize as P
from torch.nn.utils.parametrizations import weight_norm, spectral_norm, orthogonal

class Symmetric(nn.Module):
    def forward(self, X):
        return X.triu() + X.triu(1).transpose(-1, -2)
class MatrixExponential(nn.Module):
    def forward(self, X):
        return torch.matrix_exp(X)
class Skew(nn.Module):
    def forward(self, X):
        A = X.triu(1)
        return A - A.transpose(-1, -2)
    def right_inverse(self, A):
        return A.triu(1)

torch.manual_seed(0)
layer = nn.Linear(3, 3)
P.register_parametrization(layer, "weight", Symmetric())
print(layer)
print(type(layer), layer.__class__.__name__)
A = layer.weight
print(torch.allclose(A, A.T), A)
print(layer.parametrizations.weight.original)
print([n for n, _ in layer.named_parameters()])
print(layer.state_dict().keys())
print(P.is_parametrized(layer), P.is_parametrized(layer, "bias"), P.type_before_parametrizations(layer))
layer(torch.ones(1, 3)).sum().backward()
print(layer.parametrizations.weight.original.grad)
try:
    layer.weight = torch.eye(3)
except RuntimeError as e:
    print(e)
l2 = nn.Linear(3, 3)
P.register_parametrization(l2, "weight", Skew())
P.register_parametrization(l2, "weight", MatrixExponential())
print(l2)
X = l2.weight
print(torch.dist(X.T @ X, torch.eye(3)) < 1e-5)
try:
    l2.weight = torch.eye(3)
except RuntimeError as e: print(e)
with P.cached():
    print(l2.weight is l2.weight)
print(l2.weight is l2.weight)
P.remove_parametrizations(l2, "weight", leave_parametrized=False)
print(l2, l2.weight)
c = copy.deepcopy(layer)
print(c.weight.equal(layer.weight), type(c))
P.remove_parametrizations(layer, "weight")
print(layer, layer.weight.requires_grad, type(layer))
print(c)
torch.manual_seed(1)
w = weight_norm(nn.Linear(4, 2), name="weight")
print(w)
print(w.parametrizations.weight.original0, w.parametrizations.weight.original1.shape, w.weight.grad_fn)
opt = torch.optim.SGD(w.parameters(), lr=0.1)
x = torch.randn(5, 4)
for _ in range(3):
    opt.zero_grad(); loss = w(x).pow(2).mean(); loss.backward(); opt.step(); print(f"{loss.item():.5f}")
for k, v in w.state_dict().items(): print(k, v)
s = spectral_norm(nn.Linear(5, 3))
print(s)
print(torch.linalg.matrix_norm(s.weight, 2))
for _ in range(3):
    s(torch.ones(1, 5)).sum().backward()
print(s.parametrizations.weight.original.grad[0], s.parametrizations.weight[0]._u)
s.eval(); print(s.weight.equal(s.weight))
print(list(s.state_dict()))
cv = spectral_norm(nn.Conv2d(2, 3, 3)); print(cv); print(cv(torch.ones(1, 2, 4, 4)))
o = orthogonal(nn.Linear(3, 3))
Q = o.weight
print(o, torch.dist(Q.T @ Q, torch.eye(3)) < 1e-5)
print(Q)
o2 = orthogonal(nn.Linear(4, 2)); print(o2.weight, torch.allclose(o2.weight @ o2.weight.T, torch.eye(2), atol=1e-6))
o2(torch.ones(1, 4)).sum().backward(); print(o2.parametrizations.weight.original.grad)
o3 = orthogonal(nn.Linear(2, 4), orthogonal_map="cayley"); print(o3.weight); print(o3.parametrizations.weight[0].base)
for bad in (lambda: P.register_parametrization(nn.Linear(2,2), "foo", Symmetric()), lambda: orthogonal(nn.Linear(2,2), orthogonal_map="exp"), lambda: orthogonal(nn.Linear(2,2), "bias"),
            lambda: P.remove_parametrizations(nn.Linear(2,2), "weight"), lambda: P.register_parametrization(nn.Linear(2,3), "weight", Symmetric()), lambda: spectral_norm(nn.Linear(2,2), dim=4)):
    try: bad()
    except Exception as e: print(type(e).__name__, e)
class RankOne(nn.Module):
    def forward(self, x, y):
        return x.unsqueeze(-1) @ y.unsqueeze(-2)
    def right_inverse(self, Z):
        U, S, Vh = torch.linalg.svd(Z, full_matrices=False)
        s0_sqrt = S[0].sqrt().unsqueeze(-1)
        return U[..., :, 0] * s0_sqrt, Vh[..., 0, :] * s0_sqrt
r = P.register_parametrization(nn.Linear(4, 4), "weight", RankOne())
print(r, torch.linalg.matrix_rank(r.weight).item())
print([(n, p.shape) for n, p in r.named_parameters()])
print(weight_norm(nn.Conv1d(2, 2, 3), dim=None).weight.grad_fn)
w2 = weight_norm(nn.Linear(4, 2)); print(w2.load_state_dict({"bias": torch.zeros(2), "weight_g": torch.ones(2,1), "weight_v": torch.ones(2,4)})); print(w2.weight)
