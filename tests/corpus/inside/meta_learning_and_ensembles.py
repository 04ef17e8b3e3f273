import torch, torch.nn as nn, torch.nn.functional as F
from torch.func import functional_call, vmap, grad, stack_module_state
from torch.nn.utils import parameters_to_vector, vector_to_parameters
pass
import copy

torch.manual_seed(1)
# MAML-ish inner loop, ensembling, per-sample gradients, weight interpolation
net = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
params = dict(net.named_parameters())
def task(a, b):
    x = torch.linspace(-1, 1, 10).unsqueeze(1)
    return x, a * torch.sin(3 * x + b)
def inner(params, x, y, lr=0.1, steps=2):
    for _ in range(steps):
        loss = F.mse_loss(functional_call(net, params, (x,)), y)
        grads = torch.autograd.grad(loss, list(params.values()), create_graph=True)
        params = {k: p - lr * g for (k, p), g in zip(params.items(), grads)}
    return params
meta = torch.optim.SGD(net.parameters(), lr=0.05)
for it in range(3):
    total = 0.
    for a, b in [(1., 0.), (0.5, 1.)]:
        x, y = task(a, b)
        fast = inner(params, x[::2], y[::2])
        total = total + F.mse_loss(functional_call(net, fast, x[1::2]), y[1::2])
    meta.zero_grad(); total.backward(); meta.step()
    print(it, f'{total.item():.5f}', f'{net[0].weight.grad.norm():.5f}')
def per_sample(params, x, y):
    return F.mse_loss(functional_call(net, params, (x.unsqueeze(0),)), y.unsqueeze(0))
detached = {k: v.detach() for k, v in params.items()}
x, y = task(1., 0.)
g = vmap(grad(per_sample), in_dims=(None, 0, 0))(detached, x, y)
print({k: tuple(v.shape) for k, v in g.items()})
loss = F.mse_loss(net(x), y); net.zero_grad(); loss.backward()
print(torch.allclose(g['0.weight'].mean(0), net[0].weight.grad, atol=1e-6))
models = [nn.Linear(3, 2) for _ in range(4)]
ps, bs = stack_module_state(models)
base = copy.deepcopy(models[0]).to('meta') if False else models[0]
def fmodel(p, b, x): return functional_call(base, (p, b), (x,))
xx = torch.randn(5, 3)
out = vmap(fmodel, in_dims=(0, 0, None))(ps, bs, xx)
print(out.shape, torch.allclose(out[2], models[2](xx), atol=1e-6))
vec = parameters_to_vector(net.parameters())
print(vec.shape, vec[:3])
twin = copy.deepcopy(net)
vector_to_parameters(vec * 0.5, twin.parameters())
for alpha in (0., 0.5, 1.):
    mixed = {k: torch.lerp(p1, p2, alpha) for (k, p1), (_, p2) in zip(net.named_parameters(), twin.named_parameters())}
    print(alpha, f'{F.mse_loss(functional_call(net, mixed, x), y).item():.5f}')
try:
    functional_call(net, {'nope': torch.ones(1)}, x, strict=True)
except Exception as e: print(type(e).__name__, e)
try:
    functional_call(net, {'0.weight': torch.ones(2, 2)}, x)
except Exception as e: print(type(e).__name__, e)
try:
    grad(lambda p: functional_call(net, p, x))(detached)
except Exception as e: print(type(e).__name__, e)
try:
    vmap(lambda a, b: a + b)(torch.ones(2), torch.ones(3))
except Exception as e: print(type(e).__name__, e)
try:
    vmap(lambda a: a.item())(torch.ones(2))
except Exception as e: print(type(e).__name__, e)
try:
    vector_to_parameters([1., 2.], net.parameters())
except Exception as e: print(type(e).__name__, e)
try:
    stack_module_state([])
except Exception as e: print(type(e).__name__, e)
try:
    stack_module_state([nn.Linear(1, 1), nn.Linear(1, 2)])
except Exception as e: print(type(e).__name__, e)
print(type(functional_call(net, params, x)).__name__, net.training)
hess = torch.func.hessian(lambda w: F.mse_loss(functional_call(models[0], {'weight': w, 'bias': ps['bias'][0]}, xx), torch.zeros(5, 2)))(ps['weight'][0].detach())
print(hess.shape, torch.allclose(hess, hess.permute(2, 3, 0, 1)))
jac = torch.func.jacrev(lambda z: models[0](z))(xx[0])
print(torch.allclose(jac, models[0].weight), jac.shape)
