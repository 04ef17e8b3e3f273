import torch
import torch.distributions as D

torch.manual_seed(0)
a = torch.tensor([0.05, 0.3, 1.0, 2.5, 9.0, 50.0], dtype=torch.float64, requires_grad=True)
y = D.Gamma(a, torch.tensor(2.0, dtype=torch.float64)).rsample((4,))
print(y, y.grad_fn.next_functions)
n = y.grad_fn.next_functions[0][0]
print(sorted(k for k in dir(n) if k.startswith("_saved")), n._saved_result, n._saved_self)
(g,) = torch.autograd.grad(y.sum(), a, retain_graph=True)
print(g)
(g,) = torch.autograd.grad(y.sum(), a, create_graph=True)
node = g.grad_fn
while node.next_functions:
    print(node.name(), [f and f.name() for f, _ in node.next_functions])
    node = node.next_functions[-1][0]
    if node is None:
        break
try:
    g.sum().backward()
except Exception as e:
    print(type(e).__name__, e)

for c in (a, a.detach().float().requires_grad_()):
    for d in (D.Beta(c, c + 1), D.StudentT(c), D.Chi2(c), D.FisherSnedecor(c, c + 1), D.InverseGamma(c, c + 1), D.Gamma(c, c)):
        s = d.rsample((3,))
        print(type(d).__name__, s.grad_fn, torch.autograd.grad(s.sum(), c)[0])
    s = D.Dirichlet(c).rsample((2,))
    w = torch.arange(6.0, dtype=c.dtype)
    print(s, s.grad_fn, torch.autograd.grad((s * w).sum(), c, retain_graph=True))
    (g,) = torch.autograd.grad((s * w).sum(), c, create_graph=True)
    print(g.requires_grad)

torch.set_printoptions(precision=10)
for k in range(-4, 8):
    a = torch.full((6,), 2.0**k, dtype=torch.float64, requires_grad=True)
    print(k, torch.autograd.grad(D.Gamma(a, 1.0).rsample((3,)).sum(), a)[0])
    b = torch.tensor([1.0, 2.0, 20.0], dtype=torch.float64) * 2.0 ** (k - 1)
    b.requires_grad_()
    print(k, torch.autograd.grad(D.Dirichlet(b).rsample((3,))[:, 1].sum(), b)[0])

# a posterior by the reparametrised evidence bound
torch.manual_seed(1)
counts = torch.tensor([3.0, 0.0, 2.0, 4.0, 1.0])
u = torch.zeros(2, requires_grad=True)
opt = torch.optim.Adam([u], lr=0.1)
for step in range(40):
    q = D.Gamma(*u.exp())
    rate = q.rsample((8,))
    bound = (D.Poisson(rate.unsqueeze(-1)).log_prob(counts).sum(-1) - D.kl_divergence(q, D.Gamma(1.0, 1.0))).mean()
    opt.zero_grad()
    (-bound).backward()
    opt.step()
    if step % 10 == 9:
        print(step, round(bound.item(), 3), [round(v, 3) for v in u.tolist()])
