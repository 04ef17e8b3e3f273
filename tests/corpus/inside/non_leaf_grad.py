import torch

x = torch.tensor([[1., 2., 3.], [4., 5., 6.]], requires_grad=True)
w = torch.full((3, 2), 0.5, requires_grad=True)
h = x @ w
h.retain_grad()
a = torch.relu(h - 3)
loss = a.sum()
print("before:", x.grad, h.grad)
loss.backward()
print("h.grad", h.grad)
print("a.grad", a.grad)
print("x.grad", x.grad, "w.grad", w.grad, sep="\n")
print([t.is_leaf for t in (x, w, h, a, loss)])
print(loss.grad_fn, loss.grad_fn.next_functions)if False else print(type(loss.grad_fn).__name__)
fn = loss.grad_fn
depth = 0
while fn is not None:
    print('  ' * depth + fn.name())
    fn = fn.next_functions[0][0] if fn.next_functions else None
    depth += 1
