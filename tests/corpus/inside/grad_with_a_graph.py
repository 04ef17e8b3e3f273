# .grad that is part of a graph: copied where there was none, added where there was one
import torch

x = torch.tensor([2.0, 3.0], requires_grad=True)
w = torch.tensor(1.5, requires_grad=True)
(x**3 * w).sum().backward(create_graph=True)
print(x.grad, w.grad, x.grad.grad_fn.next_functions[0], x.grad.grad_fn.next_functions[1][0].name())
(x**2).sum().backward(create_graph=True)
print(x.grad)
g = x.grad.sum()
x.grad = None
g.backward()
print(x.grad)
z = torch.ones(2, requires_grad=True)
(z + 1).sum().backward(create_graph=True)
print(z.grad, z.grad.requires_grad, z.grad.grad_fn)
n = x * 2
n.retain_grad()
(n**2).sum().backward(create_graph=True)
print(n.grad, x.grad)
