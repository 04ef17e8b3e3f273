"""Who notices that memory is looked at anew or changed, and which views may be changed: once not as in PyTorch."""

# ruff: noqa: E501 - calls read better in rows

MARKS = {
    "a shape changed in place, other memory and detach_ are noticed by all who look into the memory": """
D = torch.float64
def nm(x):
    return None if x.grad_fn is None else x.grad_fn.name()[:16]
turns = [("t_", lambda x: x.t_()), ("set_", lambda x: x.set_(torch.ones(2, 2, dtype=D))), ("detach_", lambda x: x.detach_())]
kinds = [("self", lambda x: x), ("view", lambda x: x.view(2, -1)), ("detach", lambda x: x.detach()), ("data", lambda x: x.data), ("part", lambda x: x[:1])]
for tn, turn in turns:
    for who, get in kinds:
        for saved, sget in kinds:
            for base in ("res", "leaf"):
                l = torch.tensor([[1.0, 2], [3, 4]], dtype=D, requires_grad=True)
                x = l * 1 if base == "res" else l
                s = sget(x)
                w = torch.ones(tuple(s.shape), dtype=D, requires_grad=True)
                y = s * w
                v = get(x)
                other = x.view(-1)
                old = nm(s), nm(other)
                try:
                    turn(v)
                    print(tn, who, saved, x._version, s._version, v._version, other._version, nm(x), nm(s), nm(v), nm(other), tuple(v.shape))
                    y.sum().backward()
                    print(said([l.grad, w.grad]))
                except Exception as e:
                    print(tn, who, saved, type(e).__name__, str(e)[85:210])
""",
    "views made in a mode, and views of those, changed in place or behind their back": """
D = torch.float64
makes = {"no_grad": torch.no_grad, "inf": torch.inference_mode, "none": torch.enable_grad}
outer = {"unbind": lambda v: v.unbind(0)[1], "id": lambda v: v[:2], "further": lambda v: v.unbind(0)[0].view(-1), "last": lambda v: v.view(-1).split(1)[0]}
for mn, m in makes.items():
    for on, o in outer.items():
        for o2 in outer.values():
            for base in ("leaf", "res", "plain"):
                for m2n in ("no_grad", "none"):
                    l = torch.ones(4, 2, dtype=D, requires_grad=base != "plain")
                    x = l * 1 if base == "res" else l
                    out = []
                    try:
                        with m(): v = o(x)
                        w, w2 = o2(v), o2(v)
                        with makes[m2n]():
                            w.mul_(2)
                    except Exception as e:
                        out.append(str(e)[:90])
                    for y in (x, v, w2):
                        try: out.append((None if y.grad_fn is None else y.grad_fn.name()[:14], y.requires_grad))
                        except Exception as e: out.append(str(e)[:80])
                    print(mn, on, base, m2n, *out)
""",
    "memory exchanged, then a view without recording, then a change behind its back": """
t1 = torch.tensor(0.965, dtype=torch.float64, requires_grad=True)
t1.data = torch.ones(5)
with torch.no_grad(): t2 = t1[...]
t2.detach()[0] = 2
try: t2.grad_fn
except Exception as e: print(e)
""",
    "numbers drawn into a result: no gradient flows back, and they are drawn in the order of memory": """
D = torch.float64
for name in ("normal_", "uniform_", "exponential_", "bernoulli_", "cauchy_", "log_normal_", "random_", "geometric_"):
    a = (0.5,) if name in ("bernoulli_", "geometric_") else ()
    for part in (lambda x: x, lambda x: x[0], lambda x: x.t()):
        l = torch.ones(2, 3, dtype=D, requires_grad=True)
        x = l * 1
        s = x.exp()
        torch.manual_seed(0)
        getattr(part(x), name)(*a)
        graph(x)
        print(name, x.tolist(), x._version)
        x.sum().backward()
        print(l.grad.tolist())
        try: x[0].sum().add(s.sum()).backward()
        except Exception as e: print(str(e)[:80])
    for made in (lambda: torch.ones(2, requires_grad=True), lambda: torch.ones(2, requires_grad=True)[0], lambda: torch.ones(1).expand(3), lambda: torch.ones(2, dtype=torch.bool)):
        try: print(getattr(made(), name)(*a).shape)
        except Exception as e: print(name, type(e).__name__, e)
    torch.manual_seed(1)
    x = getattr(torch.zeros(5, 8, dtype=D)[:, :4].t(), name)(*a)
    print(x.tolist(), torch.rand(1))
for p in ([0.1, 0.5], [[0.1, 0.5], [0.3, 0.2], [0.9, 0.8]], [0.1, 0.5, 0.6], [0.1, 1.5]):
    for x in (torch.zeros(3, 2), torch.zeros(2, 3).t()):
        torch.manual_seed(2)
        try: print(x.bernoulli_(torch.tensor(p)))
        except Exception as e: print(type(e).__name__, str(e)[:150])
x = torch.ones(2, 3, dtype=D, requires_grad=True) * 2
p = torch.full((2, 3), 0.5, dtype=D, requires_grad=True)
x.bernoulli_(p)
graph(x)
x.sum().backward()
show_grad("p", p)
print(torch.ones(2, 3, dtype=D).bernoulli_(p).requires_grad)
for given in ((0, 0), (0, -1), (0.3, 0.5)):
    for kind in (torch.float32, torch.float16, torch.bfloat16, torch.int64):
        torch.manual_seed(3)
        try: print(torch.zeros(3, dtype=kind).log_normal_(*given))
        except Exception as e: print(type(e).__name__, e)
""",
    "numbers scattered one by one into the memory that they are read from, and too few of them": """
D = torch.float64
made = {"rows": lambda: torch.arange(6.0, dtype=D).view(2, 3) - 2, "turned": lambda: (torch.arange(6.0, dtype=D).view(3, 2) - 2).t(), "result": lambda: torch.arange(6.0, dtype=D, requires_grad=True).view(2, 3) - 2, "part": lambda: (torch.arange(12.0, dtype=D).view(3, 4) - 2)[1:, ::2], "repeated": lambda: torch.ones(1, 1, dtype=D).expand(2, 3)}
masks = {"above": lambda x: x > 0, "all": lambda x: torch.ones(x.shape, dtype=torch.bool), "row": lambda x: torch.ones(x.shape[-1:], dtype=torch.bool), "whole": lambda x: torch.ones(x.shape, dtype=torch.int64)}
sources = {"self": lambda x: x, "few": lambda x: torch.tensor([9.0, 8], dtype=D), "one": lambda x: torch.tensor(7.0, dtype=D), "turned": lambda x: x.t(), "part": lambda x: x[1:], "flat": lambda x: x.reshape(-1), "float": lambda x: torch.ones(6)}
for a, make in made.items():
    for b, mask in masks.items():
        for c, source in sources.items():
            x = make()
            other, m, s, before = x.exp(), mask(x), source(x), x._version
            try: x.masked_scatter_(m, s)
            except Exception as e: print(str(e)[:120])
            print(a, b, c, x.tolist(), x._version - before, None if x.grad_fn is None else x.grad_fn.name())
            if x.requires_grad:
                try: (x.sum() + other.sum()).backward()
                except Exception as e: print(str(e)[85:210])
""",
    "Functions that change a view in place, views of all kinds, alone and with other results": """
D=torch.float64
class Alone(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        a.mul_(2); ctx.mark_dirty(a); return a
    @staticmethod
    def backward(ctx, g): return g*2
class TwoOut(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        a.mul_(2); ctx.mark_dirty(a); return a, a*3
    @staticmethod
    def backward(ctx, g, h): return g*2+h*6
class Num(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        a.mul_(2); ctx.mark_dirty(a); return a, 5
    @staticmethod
    def backward(ctx, g, h): return g*2
class NonD(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        a.mul_(2); b=a*3; ctx.mark_dirty(a); ctx.mark_non_differentiable(b); return a, b
    @staticmethod
    def backward(ctx, g, h): return g*2
class Dirty2(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        a.mul_(2); b.mul_(3); ctx.mark_dirty(a, b); return a, b
    @staticmethod
    def backward(ctx, g, h): return g*2, h*3
class Upper(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a): return a[:1]
    @staticmethod
    def backward(ctx, g): return g.expand(4, *g.shape[1:])
class TwoViews(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a): return a[:1], a.view(-1)
    @staticmethod
    def backward(ctx, g, h): return h.view(4,2)
views={"id":lambda x:x,"view":lambda x:x.view(-1),"idx":lambda x:x[0],"unbind":lambda x:x.unbind(0)[0],"ng":None,"inf":None,"detach":lambda x:x.detach(),"half":lambda x:Upper.apply(x),"halfview":lambda x:Upper.apply(x).view(-1),"two": lambda x: TwoViews.apply(x)[0],"twounbind": lambda x: TwoViews.apply(x)[1].unbind(0)[0], "infhalf": None, "nghalf": None}
def get(n,x):
    if n=="ng":
        with torch.no_grad(): return x[1:]
    if n=="inf":
        with torch.inference_mode(): return x[1:]
    if n=="nghalf":
        with torch.no_grad(): v=x.view(4,2)
        return Upper.apply(v)
    if n in("infhalf","infhalfsplit"):
        with torch.inference_mode(): v=x.view(4,2)
        v=Upper.apply(v)
        return v.split(1)[0] if "split" in n else v
    return views[n](x)
for n in views:
    for base in ("leaf","res","plain"):
        for fn in (Alone,TwoOut,Num,NonD,"mul","dirty2","dirty2b"):
            l=torch.ones(4,2,dtype=D,requires_grad=base!="plain")
            x=l*1 if base=="res" else l
            try:
                v=get(n,x)
                other=torch.ones(tuple(v.shape),dtype=D,requires_grad=True)*1
                r=v.mul_(2) if fn=="mul" else Dirty2.apply(v,other) if fn=="dirty2" else Dirty2.apply(other,v) if fn=="dirty2b" else fn.apply(v)
                r0=r if isinstance(r,torch.Tensor) else r[0]
                print(n,base,fn if isinstance(fn,str) else fn.__name__,x.grad_fn and x.grad_fn.name(),v.grad_fn and v.grad_fn.name(),r0 is v,v._version, x.tolist())
                if base != 'plain':
                    (v.sum()*2).backward()
                    show_grad('l', l)
            except Exception as e: print(n,base,fn if isinstance(fn,str) else fn.__name__,type(e).__name__,str(e)[:110])
""",
    "a result copied into and saved, and strided views made without recording": """
leaf = torch.tensor([-0.6, 0.6, 0.5], dtype=torch.float64, requires_grad=True)
x = leaf * 1
y = leaf @ x
x[...] = leaf
try: y.backward()
except Exception as e: print(e)
for mode in (torch.no_grad, torch.inference_mode):
    with mode(): v = leaf.as_strided((2,), (1,)); w = leaf.exp().as_strided((2,), (1,))
    print(v.requires_grad, v.is_leaf, v._is_view(), w.requires_grad, w._is_view())
    try: v.mul_(2)
    except Exception as e: print(e)
""",
    "places shown several times filled, in windows of windows too": """
for kind in (torch.float64, torch.bfloat16):
    t = torch.arange(6.0).view(3, 2).to(kind).requires_grad_()
    v = t.unfold(0, 2, 1)[:, ::2].diagonal().transpose(0, -1)
    v.data.fill_(1)
    print(v.tolist(), t.tolist())
    p = torch.arange(3.0).view(1, 3).to(kind).requires_grad_()
    w = p.broadcast_to(2, 3).swapaxes(0, 1)[...].unfold(0, 2, 1)
    w.data.fill_(1)
    print(w.tolist(), p.tolist())
    with torch.no_grad():
        e = p.expand(2, 3)[:, 1:]
        e.fill_(4)
        try: e[:, 0] = 1
        except Exception as x: print(x)
        e[0] = 7
        print(p)
""",
    "what was made in inference mode is recorded where PyTorch's kernels meet ordinary tensors": """
with torch.inference_mode():
    j = torch.ones(2, 2).requires_grad_()
    i = torch.ones(2, 2)
y, m, k, k1 = torch.ones(2, 2), torch.ones(2, 2) > 0, torch.zeros(2, 2).long(), torch.zeros(2).long()
for act in (
    lambda t: t.abs(), lambda t: t.clone(), lambda t: t.mean(), lambda t: t.std(), lambda t: t.var(), lambda t: t.logsumexp(0), lambda t: t.inverse(), lambda t: t.double(), lambda t: t.nan_to_num(), lambda t: t.deg2rad(), lambda t: t.exp(), lambda t: t.sum(),
    lambda t: t[m], lambda t: t[k1], lambda t: t[[0]], lambda t: t[0], lambda t: t.gather(0, k), lambda t: t.index_select(0, k1), lambda t: t.masked_fill(m, 0.), lambda t: t.masked_select(m), lambda t: t.take(k), lambda t: t.scatter(0, k, 1.), lambda t: t.scatter(0, k, t), lambda t: t.index_add(0, k1, t), lambda t: t.index_put((k1,), t[0]), lambda t: F.embedding(k1, t), lambda t: F.nll_loss(t, k1),
    lambda t: 1 - t, lambda t: 2 ** t, lambda t: t.fmod(2), lambda t: t % 2, lambda t: t * y, lambda t: t.topk(1)[0], lambda t: t.renorm(2, 0, 1.), lambda t: t.kthvalue(1)[0], lambda t: torch.special.xlog1py(y, t.abs()),
):
    for t in (j, i):
        try:
            o = act(t)
            print(o.requires_grad, o.grad_fn and (o.grad_fn.name(), len(o.grad_fn.next_functions)), o.is_inference())
        except RuntimeError as e:
            print(e)
x = torch.ones(3, 3, requires_grad=True)
with torch.inference_mode():
    i = torch.ones(3, 3) * 2
    j = i.clone().requires_grad_()
for source in (i, j):
    for make in (lambda: -x, lambda: x.exp(), lambda: x.detach().clone().requires_grad_(), lambda: x.t()):
        y = make()
        y.data = source
        show('y', y)
        for act in (lambda: y[torch.tensor([0, 2]), [0, 1]], lambda: y * torch.ones(3, 3), lambda: y.clone(), lambda: y.exp()):
            try:
                z = act()
                show('z', z)
                x.grad = y.grad = None
                z.sum().backward()
                show_grad('x', x)
                show_grad('y', y)
            except RuntimeError as e:
                print(e)
""",
}
