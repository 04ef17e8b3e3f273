"""functorch as it was before torch.func: each name warns, models become functions of their parameters."""
import functorch
import torch
from functorch import combine_state_for_ensemble, grad, hessian, jacrev, make_functional, make_functional_with_buffers, vmap
from torch import nn

torch.manual_seed(0)
x = torch.tensor(2.0)
print(grad(lambda v: v ** 3)(x), grad(grad(lambda v: v ** 3))(x))
print(jacrev(torch.sin)(torch.arange(3.0)))
print(hessian(lambda v: (v ** 3).sum())(torch.tensor([1.0, 2.0])))
print(functorch.jvp(torch.exp, (x,), (torch.tensor(1.0),)), functorch.vjp(torch.exp, x)[0])
print(functorch.grad_and_value(lambda v: v * v)(x))

model = nn.Linear(2, 1)
run, params = make_functional(model)
print(params[0], params[0] is model.weight, [tuple(p.shape) for p in params])
data = torch.randn(3, 2)
print(torch.equal(run(params, data), model(data)))


def loss(params, sample, target):
    return ((run(params, sample) - target) ** 2).mean()


weight, bias = vmap(grad(loss), in_dims=(None, 0, 0))(params, data, torch.zeros(3, 1))
print(weight.shape, bias.squeeze())

normed = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2)).eval()
try:
    make_functional(normed)
except RuntimeError as error:
    print(error)
run, params, buffers = make_functional_with_buffers(normed, disable_autograd_tracking=True)
print([p.requires_grad for p in params], buffers)
print(torch.equal(run(params, buffers, data), normed(data)))

models = [nn.Linear(2, 1) for _ in range(3)]
run, params, buffers = combine_state_for_ensemble(models)
print(params, buffers)
print(vmap(run, in_dims=(0, 0, None))(params, buffers, data).shape)
try:
    combine_state_for_ensemble([])
except RuntimeError as error:
    print(error)
