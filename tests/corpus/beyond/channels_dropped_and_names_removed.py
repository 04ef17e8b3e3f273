import torch, torch.nn as nn, torch.nn.functional as F
torch.manual_seed(0)
class L(nn.Module):
    def forward(self, x):
        return [x]
def h(m, gi, go): print('full', gi, go)
n = L(); n.register_full_backward_hook(h)
r = n(torch.ones(2, requires_grad=True))
r[0].sum().backward()
class D(nn.Module):
    def forward(self, x):
        return {'a': x * 2}
n = D(); n.register_full_backward_hook(h)
try:
    n(torch.ones(2, requires_grad=True))['a'].sum().backward()
except Exception as e: print(type(e), e)
class N(nn.Module):
    def forward(self, x):
        return None
n = N(); n.register_full_backward_hook(h)
try:
    print(n(torch.ones(2, requires_grad=True)))
except Exception as e: print(type(e), e)
for f in (F.dropout1d, F.dropout2d, F.dropout3d):
    for shape in ((3,), (2, 3), (2, 3, 2), (2, 2, 2, 2), (1, 2, 1, 2, 2)):
        try:
            print(f(torch.ones(shape)))
        except Exception as e: print(type(e), e)
d = nn.Dropout2d(); print(d(torch.ones(2, 3))); print(d(torch.ones(2, 3)))
d(torch.ones(2, 3, 4)); d(torch.ones(2, 3, 4))
d.eval()
d(torch.ones(2, 3, 4))
d(torch.ones(2, 3))
A = torch.eye(2)
for name in ("solve", "lstsq", "symeig", "eig", "matrix_rank"):
    for a in ((A, A),):
        try: getattr(torch, name)(*a)
        except Exception as e: print(type(e).__name__, e)
    try: getattr(A, name)
    except AttributeError as e: print(e)
try: A.symeig(eigenvectors=True)
except RuntimeError as e: print(e)
print(torch.cholesky(A * 4), torch.cholesky(A * 4, upper=True), torch.cholesky(A, True))
x = (A * 4).requires_grad_()
y = torch.cholesky(x); print(y.grad_fn); y.sum().backward(); print(x.grad)
try: torch.cholesky(-A)
except RuntimeError as e: print(type(e), e)
print(torch.meshgrid(torch.ones(2), torch.zeros(3)))
torch.meshgrid([torch.ones(2), torch.zeros(3)])
torch.meshgrid(torch.ones(2), torch.zeros(3), indexing='ij')
import torch.functional as TF
print(TF.einsum('ij->i', A), TF.split(A, 1))
print(torch.functional.norm(A))
try: TF.relu(A)
except AttributeError as e: print(e)
try: TF.softmax(A)
except AttributeError as e: print(e)
