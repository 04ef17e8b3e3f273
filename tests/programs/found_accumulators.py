"""Which AccumulateGrad a leaf has, and whether it accumulates still: once not as in PyTorch."""

# ruff: noqa: E501 - calls read better in rows

ACCUMULATORS = {
    "the sizes that a leaf had first are known as long as somebody holds a graph over it": """
D=torch.float64
def L(*s): return torch.arange(1.,1+torch.Size(s).numel(),dtype=D).view(s).requires_grad_()
def t(n,f):
    try: print(n,f())
    except Exception as e: print(n,type(e).__name__,e)
# after a first backward the AccumulateGrad is gone
def f(new, keep, ret=False, held=False):
    x=L(3); y=(x.pow(2)).sum()
    if held: node=y.grad_fn
    if keep!='unused': y.backward(retain_graph=ret)
    if keep=='del': del y
    x.data=new
    (x*x).double().sum().backward() if x.dtype.is_floating_point else None
    return x.grad.dtype, x.grad.tolist()
for new in (torch.ones(5),torch.ones(5,dtype=D),torch.ones(3),torch.ones(1,3,dtype=D),torch.ones(3,1,dtype=D),torch.tensor(2.,dtype=D)):
    for keep in ('keep','del'):
        for held in (False,True):
            t((tuple(new.shape),new.dtype,keep,held),lambda: f(new,keep,True,held))
            t((tuple(new.shape),new.dtype,keep,held,'free'),lambda: f(new,keep,False,held))
def g(new):
    x=L(3); y=x[()]; x.data=new; ((x*x).double().sum()+(y*y).double().sum()).backward(); return x.grad.dtype, x.grad.tolist()
for new in (torch.ones(5),torch.ones(3),torch.ones(1,3,dtype=D)): t(('v',new.dtype,tuple(new.shape)),lambda: g(new))
def g(new):
    x=L(3); y=x[()]; del y; x.data=new; ((x*x).double().sum()).backward(); return x.grad.dtype, x.grad.tolist()
for new in (torch.ones(5),torch.ones(3),torch.ones(1,3,dtype=D)): t(('dv',new.dtype,tuple(new.shape)),lambda: g(new))
def g(new):
    x=L(3); y=x*1; x.data=new; graph(y); ((x*x).double().sum()).backward(); return x.grad.dtype, x.grad.tolist()
for new in (torch.ones(5),torch.ones(3),torch.ones(1,3,dtype=D)): t(('m',new.dtype,tuple(new.shape)),lambda: g(new))
""",
    "a leaf that takes no gradient any more accumulates nothing": """
D=torch.float64
for way in ('attr','meth','detach_','nograd'):
    x=torch.ones(3,dtype=D,requires_grad=True); y=x*2; z=x.view(-1); n=(x*3).grad_fn.next_functions[0][0]
    n.register_hook(lambda *a: print('node',a)); n.register_prehook(lambda *a: print('pre',a)); x.register_post_accumulate_grad_hook(lambda p: print('post',p.grad)); x.register_hook(lambda g: print('h',g))
    if way=='attr': x.requires_grad=False
    elif way=='meth': x.requires_grad_(False)
    elif way=='detach_': x.detach_()
    else:
        with torch.no_grad(): x.detach_()
    y.sum().backward(); print(way,x.grad)
    try: print(torch.autograd.grad(y.sum(),x))
    except Exception as e: print(e)
    x.requires_grad_(); (x*2).sum().backward(); print(x.grad)
    try: z.sum().backward(); print(x.grad)
    except Exception as e: print(e)
for way in (0,1):
    x=torch.ones(3,dtype=D,requires_grad=True); y=x*2; z=x.view(-1)
    x.requires_grad=False; print(z.requires_grad, z.grad_fn)
    (y+z).sum().backward(); print(x.grad)
    if way: x.requires_grad=True
    z2=z*2; print(z2.requires_grad); z2.sum().backward(); print(x.grad)
""",
    "what a node made of a leaf knows of it when the leaf looks into other memory, under create_graph too": """
D=torch.float64
def t(n,f):
    try: print(n,f())
    except Exception as e: print(n,type(e).__name__,e)
def go(f,new,again):
    x=torch.eye(2,dtype=D,requires_grad=True); y=f(x); x.data=torch.ones(new,dtype=D)
    y.sum().backward(create_graph=again); return x.grad.shape, x.grad.tolist()
fs=(lambda x: x.unsqueeze(-1), lambda x: x.view(4), lambda x: x.t(), lambda x: x.diagonal(), lambda x: x[0], lambda x: x.narrow(0,0,1), lambda x: x.expand(3,2,2), lambda x: x.unbind(0)[0], lambda x: x.chunk(2)[0], lambda x: x*2)
for new in ((5,),(2,),(4,),(1,2,2),(2,1),(3,3,3)):
    for i,f in enumerate(fs):
        for again in (False,True): t((new,i,again),lambda: go(f,new,again))
for i,f in enumerate((lambda x: F.mse_loss(x,x.detach()*2), lambda x: F.binary_cross_entropy_with_logits(x,x.detach()), lambda x: x*x)):
    t(i,lambda: go(f,(5,),False))
""",
    "what a hook changes in place goes on, and the error of a saved tensor names the sizes that it has": """
def mul(g): g.mul_(5)
def put(g): g[0]=7
def both(g): return g.add_(1)
def node(a,b=None):
    for g in a:
        if g is not None: g.mul_(2)
for hook in (mul,put,both):
    for how in ('root','mid','leaf'):
        for again in (False,True):
            x=torch.tensor([1.,2.],requires_grad=True); a=x*3; b=a.square(); g=torch.ones(2)
            for _ in range(2): {'root':b,'mid':a,'leaf':x}[how].register_hook(hook)
            try: b.backward(g,create_graph=again); print(how,again,x.grad.tolist(),g)
            except Exception as e: print(how,again,type(e).__name__,e)
for way in ('register_prehook','register_hook'):
    for at in (0,1):
        x=torch.tensor([1.,2.],requires_grad=True); b=(x*3).square(); g=torch.ones(2)
        n=b.grad_fn if at else b.grad_fn.next_functions[0][0]
        getattr(n,way)(node); b.backward(g); print(way,at,x.grad,g)
x=torch.tensor([1.,2.],requires_grad=True); w=x*2
w.register_hook(lambda g: (g.zero_(),None)[1]); w.register_hook(lambda g: print(g))
(w*w).sum().backward(); print(x.grad)
y=(x*3).sum(); y.register_hook(mul); y.backward(); print(x.grad)
for change in (lambda w: torch.add(torch.ones(3),1,out=w), lambda w: w.resize_(6), lambda w: w.unsqueeze_(0), lambda w: w.view(2,1).mul_(2)):
    w=torch.tensor([3.,4.]); y=x*w; change(w)
    try: y.sum().backward()
    except Exception as e: print(e)
""",
    "what retains a gradient is found under the number of the new node": """
class Two(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a): return a * 2, a * 3
    @staticmethod
    def backward(ctx, g, h): return g * 2 + h * 3
class Dirty(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.mark_dirty(b)
        return a * 2, b.mul_(3)
    @staticmethod
    def backward(ctx, g, h): return g * 2, h * 3
def shown(*ts):
    for t in ts: print(t.tolist(), t.grad_fn and t.grad_fn.name(), t._version, t.retains_grad, t.output_nr, t.retains_grad and t.grad)
for act in (lambda a, b: b.mul_(2), lambda a, b: (b.mul_(2), b.mul_(3)), lambda a, b: b.zero_(), lambda a, b: b.copy_(a), lambda a, b: b.unsqueeze_(0), lambda a, b: (b.t_(), b.mul_(2)), lambda a, b: b.detach_(), lambda a, b: (b.detach_(), b.copy_(a)), lambda a, b: torch.no_grad()(lambda: b.mul_(2))(), lambda a, b: setattr(b, 'data', torch.zeros(2, 2)), lambda a, b: (b.mul_(2), a.mul_(3))):
    for made in (lambda t: Two.apply(t), lambda t: torch.std_mean(t, 0), lambda t: (t * 3, t * 2)):
        for both in (False, True):
            t = torch.tensor([[1., 2.], [5., 3.]], requires_grad=True); t2 = t * 1
            a, b = made(t2)
            b.retain_grad()
            if both: a.retain_grad()
            try: act(a, b)
            except RuntimeError as e: print(str(e)[:90])
            shown(a, b)
            try: (a * 5 + b * 7).sum().backward()
            except RuntimeError as e: print(str(e)[:90])
            shown(a, b, t)
t = torch.ones(2, requires_grad=True) * 1
t.retain_grad()
try: Dirty.apply(torch.ones(2), t)
except RuntimeError as e: print(e)
""",
    "a gradient that does not lie as its leaf by now, of more dims or empty": """
for first, second in (((3,3),(9,)), ((4,),(2,2)), ((1,4),(4,1)), ((4,1),(4,)), ((2,3),(3,2)), ((1,1),(1,)), ((1,),()), ((2,1,3),(2,3)), ((0,2),(2,0)), ((0,2),(0,)), ((0,),(0,2)), ((2,2,2),(2,4)), ((1,2,3),(2,3)), ((2,3),(1,2,3))):
    t = torch.ones(first, requires_grad=True)
    (t*2).sum().backward()
    y = t * 3
    t.data = t.data.view(second)
    try:
        y.sum().backward()
        print(t.grad)
        (t * 3).sum().backward()
    except RuntimeError as e:
        print(e)
""",
    "a hook after accumulation is called with what the hook before it returned": """
def show_all(n, r, p):
    print(n, p, p.grad)
    return p.data.mul_(2) if r == 'data' else p if r == 'same' else r
for returns in (('data',), ('data', None), (None, 'data', None), ('same', None), (torch.ones(3), None), (torch.ones(2), 'data'), (1.0,), (torch.ones(2, dtype=torch.float64),), ('data', torch.ones(3))):
    t = torch.ones(2, requires_grad=True)
    for n, r in enumerate(returns): t.register_post_accumulate_grad_hook(lambda p, n=n, r=r: show_all(n, r, p))
    for _ in range(2):
        try: (t * 3).sum().backward()
        except Exception as e: print(type(e).__name__, e)
        print(t, t.grad)
""",
    "how often the memory of a gradient was written to": """
def v(name, f):
    try:
        r = f(); print(name, [None if g is None else g._version for g in r])
    except Exception as e: print(name, type(e).__name__, str(e)[:100])
x = lambda *s: torch.ones(*(s or (2, 3)), dtype=torch.float64, requires_grad=True)
G = torch.autograd.grad
C = {
 "x*x": lambda a: (a * a).sum(), "x+x": lambda a: (a + a).sum(), "x*x*x": lambda a: (a * a * a).sum(), "x*2+x*3": lambda a: (a * 2 + a * 3).sum(), "x+x+x": lambda a: (a + a + a).sum(), "exp+sin": lambda a: (a.exp() + a.sin()).sum(), "exp+sin+cos": lambda a: (a.exp() + a.sin() + a.cos()).sum(),
 "sum+exp": lambda a: a.sum() + a.exp().sum(), "exp+sum": lambda a: a.exp().sum() + a.sum(), "sum+sum": lambda a: a.sum() + a.sum(), "x[0]+x": lambda a: a[0].sum() + a.sum(), "x+x[0]": lambda a: a.sum() + a[0].sum(), "x[0]+x[1]": lambda a: (a[0] + a[1]).sum(), "div": lambda a: (a / a).sum(), "pow": lambda a: (a ** a).sum(), "sub": lambda a: (a - a).sum(),
 "t": lambda a: (a @ a.t()).sum(), "view": lambda a: (a.view(-1).exp() * a.reshape(-1)).sum(), "max": lambda a: torch.maximum(a, a).sum(), "atan2": lambda a: torch.atan2(a, a).sum(), "stack": lambda a: torch.stack([a, a]).sum(), "cat": lambda a: torch.cat([a, a]).exp().sum(), "mse": lambda a: F.mse_loss(a, a), "lerp": lambda a: torch.lerp(a, a, 0.3).sum(), "addcmul": lambda a: torch.addcmul(a, a, a).sum(), "where": lambda a: torch.where(a > 0, a, a).sum(), "softmax": lambda a: (a.softmax(0) * a).sum(), "0d": lambda a: a.sum() * a.sum(), "clone": lambda a: (a.clone() * a.clone()).sum(), "alias": lambda a: (a[:] * a[:]).sum(), "expand": lambda a: (a.expand(2, 2, 3) * a).sum(), "mid": lambda a: (lambda b: (b * b).sum())(a * 2), "mid3": lambda a: (lambda b: (b * b + b.exp()).sum())(a * 2), "one": lambda a: (a * 2).sum(), "t+": lambda a: (a.t().exp().sum() + a.exp().sum()),
 "prod": lambda a: a.prod() + a.mean(), "mean+mean": lambda a: a.mean() + a.mean() + a.exp().mean(), "neg": lambda a: (-a * a).sum(), "relu": lambda a: (a.relu() + a.tanh()).sum(), "select2": lambda a: a[0, 0] * a[1, 1], "unbind": lambda a: sum(a.unbind(0)).sum(), "idx": lambda a: (a[[0, 0]] * a[[1, 0]]).sum(),
}
for n, f in C.items():
    v(n + " grad", lambda: G(f(a := x()), a))
    def both():
        a = x(); b = a * 2
        return G(f(b), [b, a])
    v(n + " both", both)
    v(n + " create", lambda: G(f(a := x()), a, create_graph=True))
    def back():
        a = x(); f(a).backward(); one = a.grad._version
        f(a).backward()
        print(n, "two", a.grad._version)
        return [a.grad]
    def once():
        a = x(); f(a).backward(); return [a.grad]
    v(n + " once", once); v(n + " back", back)
    def ret():
        a = x(); b = a * 2; b.retain_grad(); f(b).backward(); return [b.grad, a.grad]
    v(n + " retain", ret)
    def hook():
        a = x(); b = a * 2; seen = []
        a.register_hook(lambda g: seen.append(g)); b.register_hook(lambda g: seen.append(g)); f(b).backward(); return seen
    v(n + " hook", hook)
""",
    "formulas write into the gradients that they make": """
d = torch.float64
x = lambda: torch.linspace(.1, .9, 6, dtype=d).view(2, 3).requires_grad_()
i0, u = torch.tensor([0]), torch.ones(2, 3, dtype=d)
for act in (lambda t: t.sum(), lambda t: t.mean(), lambda t: t.max(), lambda t: t.median(), lambda t: t.max(1)[0], lambda t: t.cummax(0)[0], lambda t: t.sort()[0], lambda t: t.mode(1)[0], lambda t: t.kthvalue(1)[0], lambda t: t.topk(1)[0], lambda t: t[[0]], lambda t: t[t > .3], lambda t: t[0], lambda t: t[...], lambda t: t.gather(0, torch.zeros(2, 3).long()), lambda t: t.index_select(0, i0), lambda t: t.take(i0), lambda t: t.masked_select(t > 0),
    lambda t: torch.maximum(t, u), lambda t: t.unbind()[0], lambda t: sum(t.split(1)), lambda t: sum(t.unbind()), lambda t: t.flip(0), lambda t: t.tril(), lambda t: t.cumsum(0), lambda t: t.diff(), lambda t: t.relu(), lambda t: torch.where(t > .3, t, 0.), lambda t: t.repeat(2, 1), lambda t: torch.cat([t, t]), lambda t: t + 1, lambda t: t * 2, lambda t: t * torch.ones(4, 2, 3), lambda t: F.binary_cross_entropy_with_logits(t, u), lambda t: F.cosine_similarity(t, u), lambda t: torch.outer(t[0], t[1]), lambda t: Both.apply(t, t), lambda t: Twice.apply(t, t)[0], lambda t: torch.linalg.cross(t, t), lambda t: (t @ t.T).det()):
    for k in ({}, {"create_graph": True}):
        t = x()
        g, = torch.autograd.grad(act(t).sum(), t, **k)
        print(g._version)
        t = x()
        y = act(t)
        y.backward(torch.ones_like(y) * 2)
        print(t.grad._version, t.grad._is_view())
""",
    "a gradient that was summed counts on": """
for s in ((0, 3), (2, 3)):
    t = torch.zeros(s, dtype=torch.float64, requires_grad=True)
    for y in (Twice.apply(t, t)[0], Both.apply(t, t), t * t):
        g, = torch.autograd.grad(y, t, torch.ones_like(y))
        print(g._version)
        v = g.view(-1)
        g.requires_grad_()
        w = (g * 1) * g
        with torch.no_grad():
            v.add_(1)
        try:
            w.sum().backward()
        except RuntimeError as e:
            print(e)
for s in ((2, 0), (1, 1), (2, 3)):
    t = torch.ones(s, dtype=torch.float64, requires_grad=True)
    for n, act in enumerate((lambda t: t.sum(), lambda t: t.view(-1).sum(), lambda t: (t * 2).sum(), lambda t: t.exp().sum(), lambda t: t.unsqueeze(0).sum(), lambda t: (t * t).sum())):
        for k in (False, True):
            u = t * 1
            y = act(u)
            g, h = torch.autograd.grad(y, [t, u], create_graph=k)
            print(g._is_view(), g._version, h._is_view(), h._version)
            h, = torch.autograd.grad(act(u), u, create_graph=k)
            print(h._is_view(), h._version)
""",
}
