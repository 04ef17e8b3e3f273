import torch
a = torch.tensor([2., 3.], requires_grad=True)
b = torch.tensor([6., 4.], requires_grad=True)
Q = 3*a**3 - b**2
external_grad = torch.tensor([1., 1.])
Q.backward(gradient=external_grad)
print(9*a**2 == a.grad)
print(-2*b == b.grad)
x = torch.rand(5, 5)
y = torch.rand(5, 5)
z = torch.rand((5, 5), requires_grad=True)
a = x + y
print(f"Does `a` require gradients?: {a.requires_grad}")
b = x + z
print(f"Does `b` require gradients?: {b.requires_grad}")
inp = torch.eye(4, 5, requires_grad=True)
out = (inp+1).pow(2).t()
out.backward(torch.ones_like(out), retain_graph=True)
print(f"First call\n{inp.grad}")
out.backward(torch.ones_like(out), retain_graph=True)
print(f"\nSecond call\n{inp.grad}")
inp.grad.zero_()
out.backward(torch.ones_like(out), retain_graph=True)
print(f"\nCall after zeroing gradients\n{inp.grad}")
x = torch.ones(5)
y = torch.zeros(3)
w = torch.full((5, 3), 0.1, requires_grad=True)
b = torch.zeros(3, requires_grad=True)
z = torch.matmul(x, w)+b
print(z, z.requires_grad)
with torch.no_grad():
    z = torch.matmul(x, w)+b
print(z.requires_grad)
z_det = (torch.matmul(x, w)+b).detach()
print(z_det.requires_grad)
print(torch.tensor([1.5, float('nan'), float('inf')]), torch.tensor([1e10, 1.]), torch.zeros(0), torch.arange(20), torch.tensor(3), torch.tensor([True, False]), torch.tensor([1, 2]).double())
print(torch.zeros(3, 4, dtype=torch.int32), torch.ones(2, dtype=torch.float16))
