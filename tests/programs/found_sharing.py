"""Changes of memory that others look into, and what hooks see of nodes of lists: once not as in PyTorch."""

# ruff: noqa: E501 - calls read better in rows

SHARING = {
    "a view whose base was changed is a leaf until somebody asks; a diagonal is filled through a view; parts of overlapping memory": """
D=torch.float64
def t(n,f):
    try: print(n,f())
    except Exception as e: print(n,type(e).__name__,e)
t5=torch.ones(1,3,dtype=D)*torch.tensor([[-2]])
t6=t5.view(3,-1); t7=torch.tensor([[-1.3]],dtype=D,requires_grad=True)
t5[1:].atan2_(t7); graph(t5); t6.fill_diagonal_(.5); graph(t6)
for f in (lambda v:v.fill_diagonal_(.5),lambda v:v.fill_(.5),lambda v:v.zero_(),lambda v:v.mul_(2),lambda v:v.add_(1),lambda v:v.masked_fill_(v>0,1.),lambda v:v.exp_(),lambda v:v.copy_(torch.ones(3,1)),lambda v:v.tril_(),lambda v:v.index_fill_(0,torch.tensor([0]),1.),lambda v:v.__setitem__(0,1.),lambda v:v.clamp_(0,1),lambda v:v.relu_(),lambda v:v.cumsum_(0),lambda v:v.neg_(),lambda v:v.requires_grad_(), lambda v: v.detach().add_(1)):
    x=torch.ones(1,3,dtype=D); v=x.view(3,-1); v2=v[1:]; x[:1].mul_(t7)
    try: f(v)
    except Exception as e: print(e)
    graph(v); graph(x); print(v.tolist())
    print(v2.grad_fn); graph(v2); (v2*v2).sum().backward(retain_graph=True); print(t7.grad); t7.grad=None
# writes into memory that overlaps
for ix in ((-3,[-1]),(0,1)):
    x=torch.arange(6.,dtype=D); u=x.unfold(0,2,1)
    def g(): u[ix]-=2.; return u,x
    t(ix,g)
    def g(): u[ix]=7.; return u,x
    t(ix,g)
    x=torch.arange(6.,dtype=D,requires_grad=True); x1=x*1; u=x1.unfold(0,2,1)
    def g(): u[ix]=7.; u.sum().backward(); return u,x,x.grad
    t(ix,g)
e=torch.tensor([-0.3],dtype=D).expand(2,3).requires_grad_()
t('ex',lambda: e.__setitem__(torch.tensor([1]),-e[torch.tensor([1])]))
t('exb',lambda: e.__setitem__(torch.tensor([1]),2.))
t('exm',lambda: e.__setitem__(e>5,2.))
""",
    "parts of unsafe_split share memory that nobody counts; what is empty lies nowhere": """
D=torch.float64
def t(n,f):
    try: print(n,f())
    except Exception as e: print(n,type(e).__name__,str(e)[:150])
def ge():
    x=torch.arange(1.,7.,dtype=D,requires_grad=True); y=x*2; a,b,*_=y.unsafe_split(2)
    b.ge_(3.); print(y,a,b,y._version,b._version,a._version); (y*a.sum()).sum().backward(); return x.grad
t('ge',ge)
def mul():
    x=torch.arange(1.,7.,dtype=D,requires_grad=True); y=x*2; a,b,*_=y.unsafe_split(2)
    s=(y*y).sum(); b.mul_(3.); print(y,a,b,y._version,b._version); s.backward(); print(x.grad); b.sum().backward(); return x.grad
t('mul',mul)
def base():
    x=torch.arange(1.,7.,dtype=D,requires_grad=True); y=x*2; a,b,*_=y.unsafe_split(2)
    s=(b*b).sum(); y.mul_(3.); print(y,a,b,y._version,b._version,b._base is None); s.backward(); print(x.grad); y.sum().backward(); return x.grad
t('base',base)
def plain():
    y=torch.arange(6.); a,b,*_=y.unsafe_split(2); b.add_(1); y.sub_(1); return y,a,b,y._version,b._version
t('plain',plain)
e=torch.zeros(2,0); f=torch.zeros(2,0,requires_grad=True); print(e.data_ptr(), e.data_ptr()==f.view(3,-1).data_ptr(), (e*1).data_ptr(), torch.ones(3)[:0].data_ptr()!=0)
""",
    "hooks of a node of a list see what it sends to tensors that take no gradient too": """
D=torch.float64
for l in (0,1):
    x=torch.ones(2,1,dtype=D,requires_grad=True); c=torch.zeros(2,1); i=torch.ones(2,1,dtype=torch.int64)
    y=torch.cat([c,x,i],-1) if l else torch.stack([c,x,i])
    y.grad_fn.register_hook(lambda gi,go: print(gi,go)); (y*2).sum().backward(); print(x.grad)
    y=torch.cat([c,x,i],-1) if l else torch.stack([c,x,i])
    y.grad_fn.register_hook(lambda gi,go: tuple(None if g is None else g*2 for g in gi)); (y*2).sum().backward(); print(x.grad)
""",
    "a gradient that is a view of the seed shares its memory": """
D=torch.float64
def t(n,f):
    try: print(n,f())
    except Exception as e: print(n,type(e).__name__,str(e)[:150])
for name,m in {'unsq':lambda x:x.unsqueeze(0),'view':lambda x:x.view(-1),'mul':lambda x:x*1,'tt':lambda x:x.t().t(),'alias':lambda x:x.view_as(x),'exp':lambda x:x.expand(2,2,3)}.items():
    def f():
        x=torch.arange(6.,dtype=D).view(2,3).clone().requires_grad_(); y=m(x); s=torch.ones_like(y)*2
        y.backward(s); s.fill_(5.) ; print(x.grad, x.grad._version, x.grad._base is None)
        m(x).sum().backward(); print(s, x.grad, x.grad._version); return x.grad.data_ptr()==s.data_ptr()
    t(name,f)
    def f():
        x=torch.arange(6.,dtype=D).view(2,3).clone().requires_grad_(); y=m(x)
        y.backward(y); g=x.grad; m(x).sum().backward(); return x, g, y
    t(name,f)
    def f():
        x=torch.arange(6.,dtype=D).view(2,3).clone().requires_grad_(); y=m(x); s=torch.ones_like(y)*2
        y.backward(s,create_graph=True); s.fill_(5.); return x.grad
    t(name,f)
    def f():
        x=torch.arange(6.,dtype=D).view(2,3).clone().requires_grad_(); y=m(x); s=torch.ones_like(y)*2
        g,=torch.autograd.grad(y,x,s); s.fill_(5.); return g, g is s, g._version
    t(name,f)
    def f():
        x=torch.arange(6.,dtype=D).view(2,3).clone().requires_grad_(); z=x*1; z.retain_grad(); y=m(z); s=torch.ones_like(y)*2
        y.backward(s); s.fill_(5.); return x.grad, z.grad
    t(name,f)
""",
    "a number is squeezed, and differentiated twice": """
D=torch.float64
def t(n,f):
    try: print(n,f())
    except Exception as e: print(n,type(e).__name__,str(e)[:150])
for s in ((0,),(0,3),(2,0),(1,0),(1,),(),(1,3)):
    for d in (0,-1):
        for c in (True,False):
            def f():
                x=torch.zeros(s,dtype=D,requires_grad=True); y=x.squeeze(d); y.backward(torch.ones_like(y),create_graph=c); return x.grad, x.grad.requires_grad
            t(('sq',s,d,c),f)
            def f():
                x=torch.zeros(s,dtype=D,requires_grad=True); y=x.squeeze(d); y.backward(create_graph=c); return x.grad
            t(('sqb',s,d,c),f)
            def f():
                x=torch.zeros(s,dtype=D,requires_grad=True); return torch.autograd.grad(x.squeeze(d),x,create_graph=c)
            t(('sqg',s,d,c),f)
""",
    "views of a leaf that is a view itself, made while nothing is recorded, take a gradient as the first tensor does": """
D=torch.float64
for m in (lambda x:x[0],lambda x:x.t(),lambda x:x.unsqueeze(0),lambda x:x.detach()):
    for lf in (lambda: torch.ones(2,3,dtype=D,requires_grad=True),lambda: torch.ones(2,3,dtype=D).requires_grad_(),lambda: torch.ones(6,dtype=D).view(2,3).requires_grad_(), lambda:torch.ones(2,3,requires_grad=True).detach().mT.requires_grad_(), lambda: torch.arange(6,dtype=D).view(2,3).requires_grad_()):
        x=lf()
        with torch.inference_mode(): v=m(x)
        print(v.requires_grad,v.is_leaf,v.is_inference(),v._base is None)
        with torch.no_grad(): v=m(x)
        print(v.requires_grad,v.is_leaf,v.is_inference(),v._base is None)
""",
    "the gradient of a leaf that shows numbers several times has memory for each": """
D=torch.float64
x=torch.ones(3,dtype=D,requires_grad=True).detach().expand(2,3).requires_grad_()
x.sum().backward(); print(x.grad, x.grad.stride()); x.grad[0]=5; x.sum().backward(); print(x.grad)
""",
    "changes that count and changes that do not, one after the other, of what was saved": """
x = torch.ones(2, requires_grad=True)
a, b, c = x * 2, x * 3, x + 1
print(type(a.grad_fn) is type(b.grad_fn), type(a.grad_fn) is type(c.grad_fn), isinstance(b.grad_fn, type(a.grad_fn)), {type(a.grad_fn): 1}[type(b.grad_fn)], type(a.grad_fn).__name__)
try:
    type(a.grad_fn)()
except TypeError as e:
    print(e)
D = torch.float64
for first in ('data', 'detach', 'numpy', 'ng', 'none', 'set'):
    for then in ('mul', 'data', 'zero', 'view', 'ng', 'none'):
        for saves in ('exp', 'mul', 'sin', 'leaf'):
            x = torch.ones(3, dtype=D, requires_grad=True)
            w = torch.ones(3, dtype=D)
            y = x * 2
            z = {'exp': lambda: y.exp(), 'mul': lambda: y * y, 'sin': lambda: y.sin(), 'leaf': lambda: y * w}[saves]()
            u = {'exp': z, 'mul': y, 'sin': y, 'leaf': w}[saves]
            print(first, then, saves)
            try:
                if first == 'data': u.data.mul_(2)
                if first == 'numpy': u.detach().numpy()[0] = 5
                if first == 'set': u.data = u.data * 2
                if first == 'detach': u.detach().mul_(2)
                with torch.no_grad():
                    if first == 'ng': u.mul_(2)
                    if then == 'ng': u.mul_(2)
                if then == 'mul': u.mul_(2)
                if then == 'zero': u.zero_()
                if then == 'view': u[:1].mul_(2)
                if then == 'data': u.data.mul_(3)
                z.sum().backward()
            except Exception as e:
                print(type(e).__name__, str(e)[90:190])
            show_grad('x', x)
""",
    "a pass from a view that was made while nothing was recorded": """
D = torch.float64
views = {'exp': lambda x: x.expand(2, 3), 'split': lambda x: x.split(1)[0], 'view': lambda x: x.view(-1), 'det': lambda x: x.detach(), 'sel': lambda x: x[0]}
changes = {'ng': 0, 'g': 1, 'none': 2, 'data': 3}
uses = {'bw': lambda v: v.sum().backward(), 'bw1': lambda v: v.backward(torch.ones_like(v)), 'grad': lambda v: torch.autograd.grad([v, v], v, [torch.ones_like(v)] * 2), 'abw': lambda v: torch.autograd.backward(v, torch.ones_like(v)), 'gradin': lambda v: torch.autograd.grad(torch.ones(1, requires_grad=True).sum(), v, allow_unused=True), 'gradx': None, 'mix': lambda v: torch.autograd.backward([torch.ones(1, requires_grad=True).sum(), v], [None, torch.ones_like(v)])}
for leaf in (True, False):
  for vn, view in views.items():
    for cn in changes:
        for un, use in uses.items():
            x = torch.ones(3, dtype=D, requires_grad=True)
            b = x if leaf else x * 2
            with torch.no_grad():
                v = view(b)
                if cn == 'ng': b.add_(1)
            try:
                if cn == 'g': b.add_(1)
                if cn == 'data': b.data.add_(1)
                if un == 'gradx': print(torch.autograd.grad(v.sum(), x))
                else: print(use(v))
            except Exception as e:
                print(leaf, vn, cn, un, type(e).__name__, str(e)[:70])
""",
    "parts that nobody knows for views share the memory in 16 bits too, and what moves nothing has memory of its own": """
for d in (torch.float16, torch.bfloat16, torch.float32):
    for of in (lambda x: x.unsafe_split(1)[1], lambda x: x.unsafe_chunk(2)[0], lambda x: x.unsafe_split_with_sizes([1, 1])[0], lambda x: x.split(1)[1],
               lambda x: F.pixel_shuffle(x, 1), lambda x: F.pixel_unshuffle(x, 1), lambda x: F.channel_shuffle(x, 1), lambda x: torch.chain_matmul(x[0]), lambda x: x.squeeze(()), lambda x: x.squeeze([]), lambda x: torch.clone(x).squeeze_(())):
        for requires_grad in (False, True):
            x = torch.arange(8.).to(d).view(2, 2, 2).requires_grad_(requires_grad) * 1
            w, y = x.view(-1), of(x)
            with torch.no_grad(): x.add_(10)
            print(y.tolist(), y._version, y._is_view(), y.grad_fn and y.grad_fn.name())
            with torch.no_grad(): y.mul_(2)
            print(x.tolist(), w.tolist())
for requires_grad in (False, True):
    x = torch.arange(4.).view(1, 1, 4).requires_grad_(requires_grad)
    print(F.max_pool1d(x, 2)._is_view(), torch.no_grad()(lambda: F.max_pool1d(x, 1))()._is_view())
""",
}
