import torch
from torch.func import grad, vmap, jacrev, jacfwd, hessian, vjp, jvp
def f(x):
    print("x", x)
    y = x.sin().sum()
    print(y, x.shape)
    return y
x=torch.tensor([1.,2.])
print(grad(f)(x))
print(vmap(f)(torch.ones(2,3)))
print(vmap(grad(f))(torch.arange(4.).reshape(2,2)))
print(grad(lambda t: vmap(f)(t).sum())(torch.arange(4.).reshape(2,2)))
print(vmap(vmap(f))(torch.arange(8.).reshape(2,2,2)))
print(vmap(f, in_dims=1)(torch.arange(6.).reshape(2,3)))
w=torch.tensor([5.,6.])
def g(a, b):
    print(a, b, f"{a}|{b}", [a], (a,), {'k': b})
    return a+b
print(vmap(g, in_dims=(0,None))(torch.ones(3,2), w))
print(grad(lambda x: g(x, w).sum())(x))
print(jacrev(f)(x)); print(vjp(f,x)[0])
p=torch.tensor([1.,2.],requires_grad=True)
print(grad(f)(p))
print(grad(grad(lambda t: (print(t), t**3)[1]))(torch.tensor(2.)))
def h(x):
    print(f"{x.sum():.3f} {x}")
    return x.sum()
print(grad(h)(x))
try: vmap(h)(torch.ones(2,2))
except RuntimeError as e: print(e)
print(vmap(lambda r: r*2, in_dims=0)(x)); print(x)
