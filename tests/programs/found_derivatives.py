"""Derivatives that are differentiated again: which nodes they are made of, as PyTorch's rules make them."""

# ruff: noqa: E501 - calls read better in rows

GIVEN = """
d = torch.float64
X = torch.tensor([[-2.3, -0.4, 0.3, 1.7], [.5, .1, -.6, 3.]], dtype=d, requires_grad=True)
w = torch.tensor([[.5, -1., .2, .3], [2., .3, .1, 1.]], dtype=d, requires_grad=True)
v = torch.tensor([.5, 2., -1., .3], dtype=d, requires_grad=True)
s = torch.tensor(.7, dtype=d, requires_grad=True)
def go(f, *ts):
    for out in (f(*ts), f(*ts).sum()):
        v = torch.ones_like(out, requires_grad=out.ndim > 0)
        gs = torch.autograd.grad(out, ts, v, create_graph=True, allow_unused=True)
        for g in gs:
            show('g', g)
            if g is not None and g.requires_grad:
                graph(g)
                hs = torch.autograd.grad(g.sum(), ts, retain_graph=True, allow_unused=True)
                print([None if h is None else h.tolist() for h in hs])
"""

DERIVATIVES = {
    "the derivative of a function of each number is made of PyTorch's nodes": GIVEN
    + """
for f in (
    torch.tanh, torch.sigmoid, torch.relu, F.leaky_relu, F.elu, torch.selu, torch.celu, F.softplus, F.logsigmoid,
    F.gelu, lambda x: F.gelu(x, approximate='tanh'), F.silu, F.hardtanh, F.relu6, F.hardswish, F.softshrink,
    F.hardshrink, F.softsign, F.tanhshrink, lambda x: F.threshold(x, .1, 20.), torch.exp,
    lambda x: (x.abs() + 1).log(), lambda x: (x.abs() + 1).sqrt(), torch.sin, torch.cos, lambda x: x ** 2,
    lambda x: x ** 3, lambda x: x.square(), lambda x: x.pow(0), lambda x: 2 ** x, lambda x: x / 2, lambda x: x * 3,
    lambda x: 1 - x, lambda x: 1 / x,
):
    go(f, X)
""",
    "the derivative of a sum, a part or a loss is made of PyTorch's nodes": GIVEN
    + """
for f in (
    lambda x: x + 1, lambda x: -x, lambda x: x.sum(0), lambda x: x.sum(-1, keepdim=True), lambda x: x.mean(),
    lambda x: x.mean(0), lambda x: x.mean((0, 1)), lambda x: x.softmax(-1), lambda x: x.log_softmax(0),
    lambda x: x.max(), lambda x: x.clamp(-.5, .7), lambda x: x.clamp(min=0), lambda x: x[0], lambda x: x[1:],
    lambda x: x[:, 1], lambda x: x[None], lambda x: x[x > 0], lambda x: x[torch.tensor([0, 1, 0])],
    lambda x: x.view(-1), lambda x: x.reshape(4, 2), lambda x: x.t(), lambda x: x.T, lambda x: x.transpose(0, 1),
    lambda x: x.unsqueeze(0), lambda x: x[None].squeeze(0), lambda x: x[None].squeeze(),
    lambda x: x.expand(2, 2, 4), lambda x: x.flip(0), lambda x: x.triu(), lambda x: x.clone(), lambda x: x.float(),
    lambda a: F.cross_entropy(a, torch.tensor([1, 3])),
    lambda a: F.binary_cross_entropy_with_logits(a, torch.ones_like(a)), lambda a: a.masked_fill(a > 0, 2.),
):
    go(f, X)
""",
    "the derivative of a function of two tensors is made of PyTorch's nodes": GIVEN
    + """
for f, *ts in (
    (lambda a, b: a + b, X, v), (lambda a, b: a - b, X, v), (lambda a, b: a * b, X, v), (lambda a, b: a / b, X, v),
    (lambda a, b: a * b, X, s), (lambda a, b: a * b, X, w), (lambda a, b: a / b, X, w),
    (lambda a, b: a @ b.T, X, w), (lambda a, b: F.linear(a, b), X, w),
    (lambda a, b, c: F.linear(a, b, c), X, w, v[:2]), (lambda a, b: F.mse_loss(a, b), X, w),
    (lambda a, b: torch.where(a > b, a, b), X, w), (lambda a, b: torch.maximum(a, b), X, w),
    (lambda a, b: torch.cat([a, b]), X, w), (lambda a, b: torch.stack([a, b]), X, w),
    (lambda a, b: a.dot(b), v, v.detach().requires_grad_()), (lambda a, b: F.smooth_l1_loss(a, b), X, w),
):
    go(f, *ts)
""",
    "strided views differentiated twice, those of a base that was changed too": """
D = torch.float64
def down(x):
    out, todo = [], [x.grad_fn]
    while todo and len(out) < 12:
        n = todo.pop(0)
        out.append(None if n is None else n.name())
        todo += [] if n is None else [m for m, _ in n.next_functions]
    return out
seen = [lambda x: x.as_strided((2, 2), (1, 1)), lambda x: x.as_strided((2, 2), (0, 1)), lambda x: x.as_strided((4, 1), (1, 1)), lambda x: x.as_strided((), (), 3), lambda x: x.t().as_strided((3, 2), (1, 3)), lambda x: x.unfold(1, 2, 1), lambda x: x[:, ::2], lambda x: x.as_strided((1, 1), (1, 1)), lambda x: x.sum().as_strided((2, 2), (0, 0)), lambda x: x[0].as_strided((2, 2), (2, 1)), lambda x: x[1, 1].as_strided((3,), (1,)), lambda x: x.sum().expand(3), lambda x: x.expand(2, 2, 3)]
for see in seen:
    l = torch.arange(1.0, 7, dtype=D).view(2, 3).requires_grad_()
    x = l * 1
    v = see(x)
    if v._is_view() and v._base is x: x.mul_(1)
    g, = torch.autograd.grad((v * v * v).sum(), x, create_graph=True)
    h, = torch.autograd.grad((g * g).sum(), x, create_graph=True)
    h.sum().backward()
    print(g.tolist(), h.tolist(), l.grad.tolist())
    print(down(g), down(h))
""",
}
