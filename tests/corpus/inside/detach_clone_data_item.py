import torch
# detach / clone / data / item: what shares memory, what keeps the graph?
x = torch.tensor([1., 2., 3.], requires_grad=True)
a = x.detach()
b = x.clone()
c = x.data
d = x.detach().clone()
for n, t in [('detach', a), ('clone', b), ('data', c), ('detach.clone', d)]:
    print(f"{n:>12}: requires_grad={t.requires_grad!s:5} same_memory={t.data_ptr() == x.data_ptr()} grad_fn={type(t.grad_fn).__name__}")
b.sum().backward()
print(x.grad)
a[0] = 100.
print(x)
d[1] = -1
print(x, x._version, a._version)
y = (x ** 2).sum()
c[2] = 0.
y.backward()
print(x.grad)
y = (x ** 2).sum()
a[1] = 50.
try:
    y.backward()
except RuntimeError as err:
    print(str(err)[:87])
print(x[0].item(), x.sum().item(), x.tolist())
x.item()
