# A backward pass without backward(): every grad_fn is called with the gradient that comes to it.
import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
w = torch.tensor([[1.0, 0.0, 2.0], [3.0, 1.0, 1.0]], requires_grad=True)
y = (w @ x).relu().sum()
print(y.grad_fn(torch.tensor(2.0)))
relu = y.grad_fn.next_functions[0][0]
product = relu.next_functions[0][0]
came = relu(torch.ones(2))
print(came)
print(product(came.detach()))
with torch.no_grad():
    print(product(came))
leaf = product.next_functions[0][0]
print(leaf(torch.ones(2, 3)), w.grad)
leaf(torch.ones(2, 3))
print(w.grad)

first, second = torch.arange(4.0, requires_grad=True).split(2)
print(first.grad_fn(torch.ones(2), torch.zeros(2)), first.grad_fn(torch.ones(2), None))
for made in (
    torch.addmm(torch.ones(2), w, w.t()), torch.cat([x, x]), x[1:], torch.where(x > 1, x, 0.0),
    torch.nn.functional.linear(x, w, torch.ones(2)), x.max(0).values, torch.nn.functional.mse_loss(x, torch.zeros(3)),
):
    print(made.grad_fn.name(), made.grad_fn(torch.ones_like(made)), len(made.grad_fn.next_functions))
written = x.clone()
written[0].mul_(5)
print(written.grad_fn.name(), written.grad_fn(torch.ones(3)))


def walk(fn, gradient, depth=0):
    if fn is None:
        return
    sent = fn(gradient)
    sent = sent if isinstance(sent, tuple) else (sent,)
    print("  " * depth + fn.name(), [None if g is None else g.tolist() for g in sent])
    for (following, _), g in zip(fn.next_functions, sent):
        walk(following, g, depth + 1)


total = ((x * 2 + 1) ** 2 * x).sum()
with torch.no_grad():
    walk(total.grad_fn, torch.tensor(1.0))
print(x.grad)
node = x.exp().grad_fn
node.register_hook(lambda *given: print("not called"))
print(node(torch.zeros(3)), callable(node))


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2


for call in (
    lambda: node(1.0), lambda: node(g=torch.ones(3)), lambda: Doubled.apply(x).grad_fn(torch.ones(3)),
):
    try:
        call()
    except TypeError as error:
        print(error)
once = x ** 2
once.sum().backward()
once.grad_fn(torch.ones(3))
