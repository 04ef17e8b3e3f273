import torch
x = torch.tensor([1., 2.], requires_grad=True)
y = sum(x)
y.backward()
print(x.grad, y)
x.grad = None
y = sum(x)
y.backward(torch.tensor(100.))
print(x.grad)
x = torch.tensor([[-1.2095]], requires_grad=True)
y = 2*x
z = y**3
z.backward(torch.tensor([[1.]]), retain_graph=True)
print(x.grad); x.grad.zero_()
z.backward(torch.tensor([[0.1]]), retain_graph=True)
print(x.grad); x.grad.zero_()
z.backward(torch.tensor([[0.2]]))
print(x.grad, y.grad, z.grad)
x = torch.tensor([[1.3448, -0.2924], [-0.4746, 0.8842]], requires_grad=True)
z = (2*x)**3
z.backward(torch.tensor([[1., 0], [1, 0]]), retain_graph=True); print(x.grad)
z.backward(torch.tensor([[0., 1], [0, 1]])); print(x.grad)
x = torch.tensor([[-0.4230], [-1.2352]], requires_grad=True)
out = ((2*x)**3).mean()
try:
    out.backward(torch.ones(1))
except RuntimeError as e:
    print("refused:", e)
out.backward()
print(x.grad)
