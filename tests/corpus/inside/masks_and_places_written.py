import torch
s = torch.zeros(2, 2, requires_grad=True)
k = s.clone()
k[0, 0] = 3.
print(k.grad_fn.name())
k[k > 1] = 0.5
print(k.grad_fn.name(), k)
w = torch.tensor([2., 5.], requires_grad=True)
k[torch.tensor([0, 1]), torch.tensor([1, 0])] = w
print(k.grad_fn.name(), k)
k[torch.tensor([1])] = w * 2
print(k.grad_fn.name(), k)
k[[0]] = w.sum()
print(k.grad_fn.name())
k[:, torch.tensor([0])] = 1.
print(k.grad_fn.name())
(k * torch.tensor([[1., 2.], [3., 4.]])).sum().backward()
print(s.grad, w.grad)
v = torch.ones(3, requires_grad=True) * 1
v[v > 0] = w[0]
print(v.grad_fn.name(), v.grad_fn.next_functions[0][0].name(), len(v.grad_fn.next_functions))
v.sum().backward()
print(w.grad)
