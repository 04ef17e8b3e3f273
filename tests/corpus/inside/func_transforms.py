import torch
from torch.func import grad, vjp, jvp, jacrev, jacfwd, hessian, vmap

f = lambda x: (x ** 3).sum()
x = torch.tensor([1., 2., 3.])
print(grad(f)(x))
print(grad(lambda x: grad(f)(x).sum())(x))
y, pull = vjp(torch.sin, x)
print(y, pull(torch.ones(3)))
print(jvp(torch.cos, (x,), (torch.tensor([1., 0., 0.]),)))
print(jacrev(lambda v: v * v.sum())(x))
print(torch.allclose(jacrev(torch.tanh)(x), jacfwd(torch.tanh)(x)))
print(hessian(lambda v: v.prod())(x))
def predict(w, b, v):
    return torch.tanh(v @ w + b)
w, b = torch.ones(3) * 0.1, torch.zeros(())
print(jacrev(predict, argnums=(0, 1))(w, b, x))
per_sample = vmap(grad(lambda w, v: (v @ w) ** 2), in_dims=(None, 0))
print(per_sample(w, torch.eye(3)))
g, value = torch.func.grad_and_value(f)(x)
print(g, value)
