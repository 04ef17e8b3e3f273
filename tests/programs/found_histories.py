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
    "places, masks and weights that a node has saved are not to be changed": """
def trial(loss, change, **kw):
    t3 = torch.tensor([[1.0, -2.0, 0.5], [0.3, 1.5, -1.0], [0.2, 0.1, -0.7]], dtype=torch.float64, requires_grad=True)
    t4 = torch.tensor([2, 0, 1], dtype=torch.int64)
    w = torch.tensor([0.5, 2.0, 1.5], dtype=torch.float64)
    out = loss(t3, t4, w)
    change(t4, w)
    try:
        out.sum().backward()
        print(t3.grad.tolist())
    except Exception as e:
        print(type(e).__name__, str(e)[:150])
losses = [
 lambda x, t, w: F.cross_entropy(x, t, w, reduction='none'),
 lambda x, t, w: F.cross_entropy(x, t, w),
 lambda x, t, w: F.cross_entropy(x, t),
 lambda x, t, w: F.nll_loss(x, t, w, reduction='none'),
 lambda x, t, w: F.nll_loss(x, t),
 lambda x, t, w: F.multi_margin_loss(x, t, weight=w),
 lambda x, t, w: F.multi_margin_loss(x, t),
 lambda x, t, w: F.embedding(t, x),
 lambda x, t, w: x[t],
 lambda x, t, w: x.index_select(0, t),
 lambda x, t, w: x.gather(0, t.expand(3, 3)),
 lambda x, t, w: x.gather(0, t.view(3, 1)),
 lambda x, t, w: F.embedding_bag(t, x, torch.tensor([0])),
 lambda x, t, w: F.embedding_bag(t, x, torch.tensor([0]), mode='sum'),
 lambda x, t, w: x.take(t),
]
changes = [lambda t, w: t.mul_(2), lambda t, w: t[()].unfold(0, 2, 1).mul_(2), lambda t, w: t.unfold(0, 2, 1).mul_(2),
  lambda t, w: t[1:].mul_(2), lambda t, w: w.mul_(2), lambda t, w: t.fill_(7), lambda t, w: t.detach().neg_()]
for i, loss in enumerate(losses):
    for j, change in enumerate(changes):
        print(i, j)
        trial(loss, change)
""",
    "places and masks by which a tensor was changed are saved": """
D = torch.float64
t = torch.tensor([2, 0, 1]); m = torch.tensor([True, False, True])
sets = {'idx': lambda b, t, m, v: b.__setitem__(t, v), 'mask': lambda b, t, m, v: b.__setitem__(m, v), 'sl': lambda b, t, m, v: b.__setitem__((slice(None), t), v), 'sel': lambda b, t, m, v: b.__setitem__((0, t), v[0]), 'put_': lambda b, t, m, v: b.index_put_((t,), v), 'add_': lambda b, t, m, v: b.index_add_(0, t, v), 'fill_': lambda b, t, m, v: b.index_fill_(0, t, 2.), 'cp': lambda b, t, m, v: b.index_copy_(0, t, v), 'mf': lambda b, t, m, v: b.masked_fill_(m, 2.), 'iadd': None, 'num': lambda b, t, m, v: b.__setitem__(m, 2.), 'num2': lambda b, t, m, v: b.__setitem__(t, 2.), 'ms': lambda b, t, m, v: b.masked_scatter_(m, v)}
def iadd(b, t, m, v):
    b[t] += v
sets['iadd'] = iadd
for vn in ('base', 'view', 'part'):
    for sn, s in sets.items():
        for cn in ('none', 't', 'm', 'hook'):
            t = torch.tensor([2, 0, 1]); m = torch.tensor([True, False, True])
            x = torch.arange(9., dtype=D).view(3, 3).requires_grad_()
            v = torch.ones(3, 3, dtype=D, requires_grad=True)
            b = x * 2
            a = b if vn == 'base' else b.view(3, 3) if vn == 'view' else b[:3]
            print(vn, sn, cn)
            try:
                if cn == 'hook' and sn not in ('mask', 'cp'):
                    with torch.autograd.graph.saved_tensors_hooks(lambda t: print('packed', t.dtype, tuple(t.shape)) or t, lambda t: print('unpacked', tuple(t.shape)) or t):
                        s(a, t, m, v)
                else:
                    s(a, t, m, v)
                if cn == 't':
                    t.mul_(2)
                if cn == 'm':
                    m.logical_not_()
                b.sum().backward()
            except Exception as e:
                print(type(e).__name__, str(e)[93:150])
            show_grad('x', x)
            show_grad('v', v)
""",
    "what type a saved tensor is said to have": """
for d in (torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16, torch.bfloat16, torch.float32, torch.float64):
    x = torch.ones(2, dtype=torch.float64, requires_grad=True)
    w = torch.ones(2).to(d)
    try:
        y = x * w
        w.zero_()
        y.sum().backward()
    except Exception as e:
        print(str(e)[60:170])
    print(w.type(), x.type(), torch.tensor(2).to(d).type())
""",
    "a leaf of other sizes forgets its AccumulateGrad with the calls that failed": """
D = torch.float64
def trial(n, act):
    t1 = torch.tensor([[1.138]], dtype=D, requires_grad=True)
    print(n)
    try:
        act(t1)
    except Exception as e:
        print(type(e).__name__)
    t1.data = t1.data.view(-1)
    try:
        (t1 * 2).sum().backward()
    except Exception as e:
        print(type(e).__name__, str(e)[:100])
    show_grad('t1', t1)
def a1(x): x[x > 0] /= True
def a2(x): x[x > 0].mul_(2); raise ValueError
def a3(x):
    y = x * 2
    raise ValueError
def a4(x): x.view(-1).mul_(2)
def a5(x): x.mul_(2)
def a6(x): x[0] += 1
def a7(x): x[x > 0] = x * 5
def a8(x): (x * 2) @ torch.ones(7)
def a9(x): x[[0]] *= 2
def a10(x): x[:, 0] = (x * 2).view(-1)
def a11(x): x += x * 3
for i, a in enumerate((a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11)):
    trial(i, a)
t1 = torch.tensor([[1.138]], dtype=D, requires_grad=True)
try:
    t1[t1 > 0] /= True
except Exception as e:
    print(type(e).__name__)
t1.data = t1.data.view(-1)
(t1 * 2).sum().backward()
show_grad('t1', t1)
t1 = torch.tensor([[1.138]], dtype=D, requires_grad=True)
try:
    t1 += t1 * 2
except Exception as e:
    print(type(e).__name__)
t1.data = t1.data.view(-1)
(t1 * 2).sum().backward()
show_grad('t1', t1)
""",
    "what is assigned at True, at places and to what repeats numbers": """
D = torch.float64
def leaf(): return torch.arange(6., dtype=D).view(2, 3).requires_grad_()
idx = {'T': torch.tensor(True), 'F': torch.tensor(False), 'pyF': False, 'Tt': (torch.tensor(True), torch.tensor([0])), '0d': torch.tensor(0), 'arr': torch.tensor([0]), 'np': np.array(True), 'T0': (True, 0), 'ell': (..., torch.tensor(True)), 'bad': (torch.tensor([-1, -2]), np.array([-3, 2, 1])), 'bad2': (torch.tensor([5]),), 'slb': (slice(0, 1), torch.tensor([7])), 'mask': torch.ones(2, 3) > 0, 'maskbad': torch.ones(3, 3) > 0}
for n, i in idx.items():
    for vn, val in {'num': lambda x: 2., 'self': lambda x: x, 'wide': lambda x: torch.ones(5, 5, dtype=D), 'g': lambda x: torch.ones((), dtype=D, requires_grad=True)}.items():
        for bn, base in {'leaf': leaf, 'const': lambda: leaf().detach(), 'res': lambda: leaf() * 2, 'exp': lambda: torch.arange(3., dtype=D).expand(2, 3), 'expres': lambda: (leaf()[0] * 2).expand(2, 3), 'expleaf': lambda: leaf()[0].expand(2, 3), 'ng': None}.items():
            if bn == 'ng':
                torch.set_grad_enabled(False); base = leaf
            x = base()
            print(n, vn, bn)
            try:
                x[i] = val(x)
                show('x', x)
            except Exception as e:
                print(type(e).__name__, str(e)[:60])
            torch.set_grad_enabled(True)
""",
    "a product of a tensor of inference mode is not saved, whatever shape it is looked at in": """
D=torch.float64
x = torch.arange(3., dtype=D).view(1, 3).requires_grad_()
with torch.inference_mode():
    i = torch.ones(2, dtype=D); j = torch.ones(1, 3, dtype=D); s = torch.tensor(2., dtype=D); k = torch.ones(3, dtype=D); m = torch.ones(3, 3, dtype=D)
acts = {'kron': lambda: torch.kron(x, i), 'kron2': lambda: torch.kron(i, x), 'kron3': lambda: torch.kron(x, j), 'mul': lambda: x * i[0], 'viewmul': lambda: x * j.view(3), 'resh': lambda: x * j.reshape(-1), 'outer': lambda: torch.outer(x.view(-1), k), 'baddbmm': lambda: torch.bmm(x[None], m[None]), 'lerp': lambda: torch.lerp(x, j, 0.5), 'pow': lambda: x.pow(j), 'pow2': lambda: j.pow(x), 'div': lambda: x / j, 'div2': lambda: j / x, 'max': lambda: torch.maximum(x, j), 'atan2': lambda: torch.atan2(x, j), 'clamp': lambda: x.clamp(j, j + 1), 'exp': lambda: x * j.expand(3, 3), 'sum': lambda: x * j.sum()}
for n, a in acts.items():
    print(n)
    try:
        show('out', a())
    except Exception as e:
        print(type(e).__name__, str(e)[:80])
""",
    "places are warned of in what repeats numbers before they are looked at": """
t2 = torch.tensor([0.683, -0.884, 0.801], dtype=torch.float64)
t4 = t2[:1].expand(2, 3)
try:
    t4[torch.tensor([-1, -2]), np.array([-3, 2, 1])] = t4
except Exception as e:
    print(type(e).__name__, e)
""",
    "the gradient of an angle has the sizes of what it saved": """
for data in (torch.ones(1), torch.ones(3), torch.ones(2, 8)):
    for k in ({}, {"create_graph": True}):
        x = torch.linspace(-1, 1, 8).requires_grad_()
        y = torch.angle(x)
        x.data = data
        try:
            y.sum().backward(**k)
            show_grad('x', x)
        except RuntimeError as e:
            print(e)
""",
    "frexp saves the exponents that it gives": """
for change in (lambda e: e.relu_(), lambda e: e.add_(1), lambda e: e[0].mul_(0), lambda e: e.data.add_(1), lambda e: e.clone().add_(1), lambda e: None):
    x = torch.tensor([-0.319, 1.058, -1.268], dtype=torch.float64, requires_grad=True)
    m, e = torch.frexp(x)
    print(e._version, m.grad_fn.next_functions[0][1])
    change(e)
    try:
        m.sum().backward()
        show_grad('x', x)
    except RuntimeError as e:
        print(e)
with torch.autograd.graph.saved_tensors_hooks(lambda t: print('pack', t.dtype, t.tolist()) or t, lambda t: print('unpack', t.dtype) or t):
    m, e = torch.frexp(x)
    m.sum().backward()
""",
    "what a change through a view has saved is named as that view is by now": """
for views in (lambda b: b, lambda b: b[:], lambda b: b[:].transpose(0, -1), lambda b: b[0]):
    for act in ('tanh_', 'exp_', 'relu_'):
        for change in (lambda b, v: b.mul_(2), lambda b, v: v.mul_(2), lambda b, v: b.detach().mul_(2), lambda b, v: b[0].mul_(2)):
            t = torch.tensor([[0.934, 0.387], [-1.257, 0.527]], requires_grad=True).abs()
            base = t.median(-1)[0]
            v = views(base)
            getattr(v, act)()
            with torch.no_grad(): change(base, v)
            try: (base * 2).sum().backward()
            except RuntimeError as e: print(e)
""",
}
