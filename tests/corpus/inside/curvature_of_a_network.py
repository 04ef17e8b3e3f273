import torch
from torch import nn
torch.manual_seed(21)
net = nn.Sequential(nn.Linear(3, 5), nn.Softplus(), nn.Linear(5, 1))
X, Y = torch.randn(8, 3), torch.randn(8, 1)
params = list(net.parameters())
flat = lambda ts: torch.cat([t.reshape(-1) for t in ts])
loss = nn.functional.mse_loss(net(X), Y)
g = flat(torch.autograd.grad(loss, params, create_graph=True))
print(g.shape, g.norm())
def Hv(v): return flat(torch.autograd.grad(g, params, grad_outputs=v, retain_graph=True))
n = g.numel()
v = torch.ones(n) / n ** 0.5
for i in range(30):
    hv = Hv(v); ev = v @ hv; v = hv / hv.norm()
print("top eigenvalue %.4f" % ev.item())
H = torch.stack([Hv(e) for e in torch.eye(n)])
ev = torch.linalg.eigvalsh(H)
print("sym:", torch.allclose(H, H.T, atol=1e-6), "max", f"{ev[-1]:.4f}", "trace", f"{H.trace():.4f}")
# Hutchinson trace
est = torch.stack([(z @ Hv(z)) for z in torch.randint(0, 2, (50, n)).float() * 2 - 1])
print(f"hutchinson {est.mean():.3f} +- {est.std() / 50 ** 0.5:.3f}")
# conjugate gradient for damped newton
def cg(b, iters=10):
    x = torch.zeros_like(b); r = b.clone(); p = r.clone(); rs = r @ r
    for _ in range(iters):
        Ap = Hv(p) + 0.1 * p; a = rs / (p @ Ap); x = x + a * p; r = r - a * Ap; new = r @ r
        if new < 1e-10: break
        p = r + new / rs * p; rs = new
    return x
step = cg(g.detach(), 30)
print("step norm %.3f" % step.norm())
from torch.nn.utils import parameters_to_vector, vector_to_parameters
w = parameters_to_vector(params)
vector_to_parameters(w.detach() - step, params)
print("after: %.4f -> %.4f" % (loss.item(), nn.functional.mse_loss(net(X), Y).item()))
# gradient penalty: derivative of gradient norm
loss = nn.functional.mse_loss(net(X), Y)
gs = torch.autograd.grad(loss, params, create_graph=True)
gp = sum(x.pow(2).sum() for x in gs)
(loss + 0.1 * gp).backward()
print([round(p.grad.norm().item(), 4) for p in params], gp)
# MAML inner step
net.zero_grad()
meta = 0.
for task in range(2):
    w1 = [p.clone() for p in params]
    f = lambda x, w: nn.functional.softplus(x @ w[0].t() + w[1]) @ w[2].t() + w[3]
    inner = ((f(X, w1) - (task + 1) * Y) ** 2).mean()
    gr = torch.autograd.grad(inner, w1, create_graph=True)
    w2 = [p - 0.05 * q for p, q in zip(w1, gr)]
    meta = meta + ((f(X, w2) - (task + 1) * Y) ** 2).mean()
meta.backward()
print(meta, params[0].grad[0])
# saliency, input jacobian, laplacian
x = torch.randn(2, 3, requires_grad=True)
out = net(x)
gx, = torch.autograd.grad(out.sum(), x, create_graph=True)
lap = sum(torch.autograd.grad(gx[:, i].sum(), x, retain_graph=True)[0][:, i] for i in range(3))
print(gx, lap)
t = torch.tensor(1.0, requires_grad=True); y = t.sin()
ds = [y]
for _ in range(5): ds.append(torch.autograd.grad(ds[-1], t, create_graph=True)[0])
print([f"{d.item():+.4f}" for d in ds], ds[-1].grad_fn is not None)
b = torch.autograd.grad([y, t * 2], [t], grad_outputs=[torch.tensor(1.0), None])
print(b)
o = net(x); basis = torch.eye(2).unsqueeze(-1)
print(torch.autograd.grad(o, x, basis, is_grads_batched=True)[0].shape)
