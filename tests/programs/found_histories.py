"""What PyTorch knows of a tensor whose memory was changed, moved or written over: once not told as PyTorch does."""

# ruff: noqa: E501 - calls read better in rows

HISTORIES = {
    "tensors of inference mode keep having no version counter when they are given other memory": """
t1 = torch.tensor([1., 2, 3])
with torch.inference_mode():
    t3 = t1 * 2
print(t3.is_inference())
t3.data = t3.data * 2
print(t3.is_inference())
try:
    print(t3._version)
except Exception as e:
    print(type(e).__name__, e)
t4 = t3.data
print(t4.is_inference())
try:
    print(t4._version)
except Exception as e:
    print(type(e).__name__, e)
with torch.inference_mode():
    t5 = t1 * 2
    t5.data = t5.data * 2
    print(t5.is_inference())
    t6 = torch.tensor([1., 2])
    t6.data = t1
    print(t6.is_inference(), t1.is_inference())
    t1.data = t6
    print(t1.is_inference(), t6.is_inference())
for t in (t1, t5, t6):
    try:
        print(t._version)
    except Exception as e:
        print(type(e).__name__, e)
    try:
        t.mul_(2)
        print('ok', t)
    except Exception as e:
        print(type(e).__name__, e)
    try:
        u = torch.ones(t.shape, requires_grad=True)
        v = u * t
        print('ok', v)
    except Exception as e:
        print(type(e).__name__, e)
a = torch.ones(2, requires_grad=True)
with torch.inference_mode():
    b = torch.full((2,), 3.)
try:
    a.data = b
    print(a.is_inference(), a.requires_grad, a.is_leaf)
except Exception as e:
    print(type(e).__name__, e)
for act in (lambda: a._version, lambda: a.sum().backward(), lambda: a.grad, lambda: a.mul_(2), lambda: (a * a).sum().backward()):
    try:
        print(act())
    except Exception as e:
        print(type(e).__name__, e)
x = torch.ones(2)
with torch.no_grad():
  with torch.inference_mode():
    y = torch.zeros(2)
  x.data = y
  print(x.is_inference())
  v = x.view(-1)
  print(v.is_inference())
  y.data = torch.ones(2)
  print(y.is_inference())
for act in (lambda: x._version, lambda: y._version, lambda: y.mul_(2), lambda: x.mul_(2), lambda: v.mul_(2)):
    try:
        print(act())
    except Exception as e:
        print(type(e).__name__, e)
""",
    "a change through a view that repeats numbers has no gradient": """
D = torch.float64
def views(b):
    return {'exp': lambda: b.expand(2, 3), 'slice': lambda: b[:1].expand(2, 3), 'un': lambda: b.expand(2, 3).unsqueeze(-1), 'part': lambda: b.expand(2, 3)[1:], 'same': lambda: b.expand(1, 3), 'as': lambda: b.as_strided((2, 3), (0, 1))}
z = torch.tensor(2., dtype=D, requires_grad=True)
ops = {
 'fill': lambda v: v.fill_(0.5), 'fillt': lambda v: v.fill_(z), 'zero': lambda v: v.zero_(),
 'put': lambda v: v.__setitem__((torch.tensor([0]),), 0.5), 'putz': lambda v: v.__setitem__((torch.tensor([0]),), z),
 'set': lambda v: v.__setitem__(0, z),
 'copy': lambda v: v.copy_(z),
 'norm': lambda v: v.zero_().fill_(z),
}
for how in ('base', 'graph'):
  for vn in views(torch.ones(1, 3)):
    for on, op in ops.items():
        x = torch.tensor([[1., 2., 3.]], dtype=D, requires_grad=True)
        b = x * 2
        v = views(b)[vn]()
        print(how, vn, on)
        try:
            op(v)
            show('b', b)
            (v if how == 'view' else b).sum().backward(create_graph=how == 'graph')
        except Exception as e:
            print(type(e).__name__, str(e)[:90])
        show_grad('x', x)
        show_grad('z', z)
        z.grad = None
""",
    "a view without a history is told of before sizes and places are looked at": """
D = torch.float64
def bases():
    x = torch.arange(6., dtype=D).view(2, 3).requires_grad_()
    return x * 2
parts = {'chunk': lambda b: b.chunk(2)[0], 'same': lambda b: Same.apply(b)}
changes = {'mul': lambda b: b.mul_(2), 'none': lambda b: None}
uses = {
 'idx': lambda p: p[[], torch.tensor([2, -2])],
 'set': lambda p: p.__setitem__((torch.tensor([0]), torch.tensor([0, 0, 0, 5])), 2.),
 'setbad': lambda p: p.__setitem__(([], torch.tensor([2, -2])), 2.),
 'add bad': lambda p: p + torch.ones(7),
 'mul in': lambda p: p.mul_(2), 'mul bad': lambda p: p.mul_(torch.ones(7)),
 'clamp': lambda p: torch.clamp(p, p * 1, p + 1), 'mse': lambda p: F.mse_loss(p, p.detach()), 'mse2': lambda p: F.mse_loss(p.detach(), p),
 'matmul': lambda p: p @ torch.ones(3, dtype=D), 'matmul bad': lambda p: p @ torch.ones(5, dtype=D),
 'view bad': lambda p: p.view(77), 'view': lambda p: p.view(-1), 'sum': lambda p: p.sum(), 'sum bad': lambda p: p.sum(5), 'data': lambda p: p.data, 'det': lambda p: p.detach(),
 'grad_fn': lambda p: p.grad_fn, 'leaf': lambda p: p.is_leaf, 'retain': lambda p: p.retain_grad(), 'bw': lambda p: p.sum().backward(), 'bw2': lambda p: p.backward(torch.ones_like(p)),
 'req': lambda p: p.requires_grad_(), 'ver': lambda p: p._version, 'out': lambda p: torch.add(p, 1, out=p), 'outbad': lambda p: torch.add(p.detach(), 1, out=p), 'cat': lambda p: torch.cat([p, p]), 'cat bad': lambda p: torch.cat([p, torch.ones(1, 1, 1)]),
 'where': lambda p: torch.where(p > 0, p, 0.), 'max': lambda p: p.max(0), 'sort': lambda p: p.sort(), 'long': lambda p: p.long(), 'eq': lambda p: p == p, 'any': lambda p: p.any(), 'arg': lambda p: p.argmax(),
 'det_': lambda p: p.detach_(), 'copy': lambda p: p.copy_(torch.ones(3)), 'fill': lambda p: p.fill_(1.), 'zero': lambda p: p.zero_(), 'set0': lambda p: p.__setitem__(0, 2.), 'exp': lambda p: p.expand(9, 9, 9), 'np': lambda p: p.detach().numpy(), 'item': lambda p: p.flatten()[0].item(), 'grad': lambda p: torch.autograd.grad(p.sum(), p), 'custom': lambda p: Once.apply(p), 'chk': lambda p: nn.Identity and torch.sin and (lambda f, p, use_reentrant: p)(torch.sin, p, use_reentrant=False), 'clone': lambda p: p.clone(), 'is': lambda p: (p.requires_grad, p._is_view(), p.is_leaf, p._base is None), 'attn': lambda p: F.softmax(p, 9), 'linear': lambda p: F.linear(p, torch.ones(2, 5, dtype=D)), 'norm': lambda p: p.norm(), 'std': lambda p: p.std(), 'kron': lambda p: torch.kron(p, p), 'bce': lambda p: F.binary_cross_entropy(p.sigmoid(), p), 'ce': lambda p: F.cross_entropy(p.view(1, 3), torch.tensor([7])), 'gather': lambda p: p.gather(0, torch.tensor([99])), }
for pn, part in parts.items():
    for cn, change in changes.items():
        for un, use in uses.items():
            b = bases()
            p = part(b)
            try:
                change(b)
            except Exception as e:
                print(type(e).__name__, str(e)[:90])
            print(pn, cn, un)
            try:
                u = use(p)
                if isinstance(u, torch.Tensor):
                    print(u.shape, u.requires_grad)
                else:
                    print(type(u).__name__)
                print(p.grad_fn)
            except Exception as e:
                print(type(e).__name__, str(e)[:90])
""",
    "what was saved and changed is not named where its history is lost": """
D = torch.float64
t5 = torch.tensor([0.5], dtype=D)
makers = {'same': lambda x: Same.apply(x.view(-1)), 'same2': lambda x: Same.apply(x * 1), 'split': lambda x: (x * 1).view(-1).split(1)[0], 'view': lambda x: (x * 1).view(-1), 'leafsame': lambda x: Same.apply(x), 'leafsplit': lambda x: x.split(1)[0], 'leafview': lambda x: x.view(-1)}
def ng(x):
    b = x * 1
    with torch.no_grad():
        return b.view(-1)
users = {'mse': lambda v: F.mse_loss(t5, v), 'mul': lambda v: v * v, 'sin': lambda v: v.sin(), 'exp': lambda v: v.exp(), 'cl+mse': lambda v: F.mse_loss(t5, torch.clamp(v, t5, t5 + 1)), 'custom': lambda v: Once.apply(v)}
changes = {'base': lambda x, v: x.mul_(2), 'self': lambda x, v: v.mul_(2), 'data': lambda x, v: v.data.mul_(2), 'det': lambda x, v: v.detach().mul_(2), 'base_': lambda x, v: v._base.mul_(2)}
for grad in (True,):
  for mn, m in makers.items():
    for un, u in users.items():
      for cn, c in changes.items():
        x = torch.tensor([-1.5], dtype=D, requires_grad=True)
        print(grad, mn, un, cn)
        try:
            v = m(x)
            y = u(v)
            with torch.set_grad_enabled(grad):
                c(x, v)
            y.sum().backward()
        except Exception as e:
            print(type(e).__name__, str(e)[:90])
        show_grad('x', x)
""",
}
