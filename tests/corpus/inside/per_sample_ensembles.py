import torch, torch.nn as nn, torch.nn.functional as F
from functools import partial
from torch.func import functional_call, vmap, grad, stack_module_state, jacrev, jacfwd
torch.manual_seed(0)
class SimpleMLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(6, 8); self.fc2 = nn.Linear(8, 3)
    def forward(self, x):
        x = x.flatten(1)
        return self.fc2(F.relu(self.fc1(x)))
data, targets = torch.randn(5, 2, 3), torch.randint(0, 3, (5,))
model = SimpleMLP()
def loss_fn(pred, t): return F.cross_entropy(pred, t)
# naive
def compute_grad(s, t):
    s, t = s.unsqueeze(0), t.unsqueeze(0)
    return torch.autograd.grad(loss_fn(model(s), t), list(model.parameters()))
def compute_sample_grads(data, targets):
    sample_grads = [compute_grad(data[i], targets[i]) for i in range(len(data))]
    return [torch.stack(shards) for shards in zip(*sample_grads)]
per = compute_sample_grads(data, targets)
print(per[0].shape)
params = {k: v.detach() for k, v in model.named_parameters()}
buffers = {k: v.detach() for k, v in model.named_buffers()}
def compute_loss(params, buffers, sample, target):
    batch = sample.unsqueeze(0); targets = target.unsqueeze(0)
    return loss_fn(functional_call(model, (params, buffers), (batch,)), targets)
ft = vmap(grad(compute_loss), in_dims=(None, None, 0, 0))(params, buffers, data, targets)
for a, b in zip(per, ft.values()):
    assert torch.allclose(a, b, atol=3e-3, rtol=1e-5)
print(ft['fc2.bias'])
norms = torch.stack([g.flatten(1).norm(dim=1) for g in ft.values()]).norm(dim=0); print(norms)
clipped = {k: (g * (1 / norms.clamp(min=1)).view(-1, *[1] * (g.dim() - 1))).mean(0) for k, g in ft.items()}
print({k: tuple(v.shape) for k, v in clipped.items()})
models = [SimpleMLP() for _ in range(3)]
p, b = stack_module_state(models)
assert all(v.requires_grad for v in p.values())
def fmodel(params, buffers, x): return functional_call(models[0], (params, buffers), (x,))
preds = vmap(fmodel, in_dims=(0, 0, None))(p, b, data); print(preds.shape, preds.requires_grad)
preds2 = vmap(fmodel)(p, b, data.unsqueeze(0).expand(3, -1, -1, -1)); print(torch.allclose(preds, preds2))
# jacobians
def predict(weight, bias, x): return F.linear(x, weight, bias).tanh()
D = 3; weight, bias, x = torch.randn(D, D), torch.randn(D), torch.randn(D)
unit = torch.eye(D)
xp = x.clone().requires_grad_()
def compute_jac(xp): return torch.stack([torch.autograd.grad(predict(weight, bias, xp), xp, vec)[0] for vec in unit])
jac = compute_jac(xp); print(jac)
_, vjp_fn = torch.func.vjp(partial(predict, weight, bias), x)
ft_jac, = vmap(vjp_fn)(unit); print(torch.allclose(ft_jac, jac))
print(jacrev(predict, argnums=2)(weight, bias, x)); print(jacfwd(predict, argnums=2)(weight, bias, x).shape)
both = jacrev(predict, argnums=(0, 1))(weight, bias, x); print(both[0].shape, both[1].shape)
h = torch.func.hessian(predict, argnums=2)(weight, bias, x); print(h.shape, h[0])
bh = vmap(torch.func.hessian(predict, argnums=2), in_dims=(None, None, 0))(weight, bias, torch.randn(2, D)); print(bh.shape)
print(vmap(jacrev(predict, argnums=2), in_dims=(None, None, 0))(weight, bias, torch.randn(2, D)).sum())
# NTK
def fnet(params, x): return functional_call(model, params, (x.unsqueeze(0),)).squeeze(0)
def ntk(x1, x2):
    j1 = vmap(jacrev(fnet), (None, 0))(params, x1); j1 = [j.flatten(2) for j in j1.values()]
    j2 = vmap(jacrev(fnet), (None, 0))(params, x2); j2 = [j.flatten(2) for j in j2.values()]
    return torch.stack([torch.einsum('Naf,Mbf->NMab', a, b) for a, b in zip(j1, j2)]).sum(0)
k = ntk(data[:2], data[2:4]); print(k.shape); print(k[0, 0])
print(vmap(vmap(torch.dot, in_dims=(None, 0)), in_dims=(0, None))(torch.ones(2, 3), torch.arange(6.).view(2, 3)))
print(vmap(lambda x: (x.sum(), {'max': x.max()}))(torch.arange(6.).view(2, 3)))
print(vmap(lambda x, y: x * y, in_dims=(1, None))(torch.ones(2, 3), 2.0).shape)
print(vmap(torch.func.grad(lambda w, x: (w * x).sum() ** 2), (None, 0))(torch.ones(2), torch.tensor([[1., 2.], [3., 4.]])))
