import torch
x = torch.tensor(2.0, requires_grad=True)
y = x ** 3
g, = torch.autograd.grad(y, x, create_graph=True)
print(g)
g2, = torch.autograd.grad(g, x, create_graph=True)
print(g2)
g3 = torch.autograd.grad(g2, x)
print(g3)
x = torch.tensor([1., 2.], requires_grad=True)
def f(x):
    return torch.stack([x[0]**2, x[0]*x[1], x[1]**2])
J = torch.autograd.functional.jacobian(f, x)
print(J)
y = f(x)
rows = []
for i in range(3):
    v = torch.zeros(3); v[i] = 1.
    g, = torch.autograd.grad(y, x, v, retain_graph=True)
    rows.append(g)
print(torch.stack(rows))
print(torch.ones(3) @ torch.stack(rows))
try:
    y.backward(torch.ones(3)); y.backward(torch.ones(3))
except RuntimeError as e:
    print(e)
z = x + 3
z.sum().backward()
print(x.grad)
y = x.exp()
y.add_(1)
try:
    y.sum().backward()
except RuntimeError as e:
    print(e)
try:
    x += 1
except RuntimeError as e: print(e)
try:
    torch.tensor([1], requires_grad=True)
except RuntimeError as e: print(e)
try:
    torch.ones(2, 3) @ torch.ones(2, 3)
except RuntimeError as e: print(e)
try:
    torch.ones(2, 3) + torch.ones(2, 2)
except RuntimeError as e: print(e)
try:
    torch.ones(2).backward()
except RuntimeError as e: print(e)
h = x.register_hook(lambda g: print("hook", g))
(x*2).sum().backward()
h.remove()
y = x * 3
y.retain_grad()
(y*y).sum().backward()
print(y.grad, x.grad)
