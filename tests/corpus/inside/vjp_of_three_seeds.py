import torch
x = torch.tensor(1., requires_grad=True)
y = x ** 2
y.backward()
print(x.grad, y)
x.grad.zero_()
y = x**2
y.backward(torch.tensor(100.))
print(x.grad)
x = torch.linspace(-1, 1, 5, requires_grad=True)
y = x**2
y.backward(torch.ones_like(y))
print(x.grad, x, y)
print(y.grad_fn.next_functions[0][0].name(), y.is_leaf, x.is_leaf)
