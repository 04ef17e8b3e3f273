"""Writing where a number stands at several places, products in place, parts of whole slices: once not as in PyTorch."""

# ruff: noqa: E501 - calls read better in rows

from tests.programs.found_graphs import GIVEN

OVERLAPS = {
    "memory that shows a number several times is written by some only, after the checks of sizes": GIVEN
    + """
leaf=lambda *s: torch.arange(1.,1+torch.Size(s).numel(),dtype=D).view(s).requires_grad_()
z=torch.tensor(2.,dtype=D)
def ex(): return torch.arange(3.,dtype=D).view(3,1).expand(3,2)
def gx(): return (leaf(3,1)*1).expand(3,2)
for n,m in (('ex',ex),('gx',gx)):
    t(n+' fill t', lambda: m().fill_(z))
    t(n+' fill n', lambda: m().fill_(2))
    t(n+' zero', lambda: m().zero_())
    t(n+' set ...', lambda: m().__setitem__(...,z))
    t(n+' set ... n', lambda: m().__setitem__(...,2.))
    t(n+' set :', lambda: m().__setitem__(slice(None),2.))
    t(n+' set 0', lambda: m().__setitem__(0,2.))
    t(n+' set 0 t', lambda: m().__setitem__(0,z))
    t(n+' set arr', lambda: m().__setitem__(torch.tensor([0,1]),2.))
    t(n+' set mask', lambda: m().__setitem__(torch.ones(3,2)>0,2.))
    t(n+' set arr t', lambda: m().__setitem__(torch.tensor([0,1]),z))
    def f():
        x=m(); x.copy_(x); return x
    t(n+' copy self', f)
    def f():
        x=m(); x[...]=x; return x
    t(n+' set self', f)
    t(n+' copy', lambda: m().copy_(torch.ones(3,2,dtype=D)))
    t(n+' copy 0d', lambda: m().copy_(z))
    t(n+' index_put_', lambda: m().index_put_((torch.tensor([0]),),torch.ones(2,dtype=D)))
    t(n+' index_put_ n', lambda: m().index_put_((torch.tensor([0]),),z))
    t(n+' index_fill_', lambda: m().index_fill_(0,torch.tensor([0]),2.))
    t(n+' masked_fill_', lambda: m().masked_fill_(torch.ones(3,2)>0,2.))
    t(n+' masked_scatter_', lambda: m().masked_scatter_(torch.ones(3,2)>0,torch.ones(6)))
    t(n+' masked_scatter_', lambda: m().masked_scatter_(torch.ones(1,3,2)>0,torch.ones(6,dtype=D)))
    t(n+' scatter_', lambda: m().scatter_(0,torch.tensor([[0]]),2.))
    t(n+' clamp_', lambda: m().clamp_(0,1))
    t(n+' uniform_', lambda: m().uniform_().shape)
    t(n+' normal_', lambda: m().normal_().shape)
    t(n+' addmm_', lambda: m().addmm_(m(),m()))
    t(n+' tril_', lambda: m().tril_())
    t(n+' fill_diagonal_', lambda: m().fill_diagonal_(1.))
    t(n+' exp_', lambda: m().exp_())
    t(n+' add_', lambda: m().add_(1))
    t(n+' t_', lambda: m().t_().shape)
    t(n+' detach_', lambda: m().detach_().shape)
    t(n+' cumsum_', lambda: m().cumsum_(0))
    t(n+' index_add_', lambda: m().index_add_(0,torch.tensor([0]),torch.ones(1,2,dtype=D)))
    t(n+' lerp_', lambda: m().lerp_(z,.5))
    t(n+' erf_', lambda: m().erf_())
    t(n+' bernoulli_', lambda: m().bernoulli_().shape)
    t(n+' random_', lambda: m().random_().shape)
P=lambda *s: torch.ones(*s,dtype=D)
t('ms1', lambda: P(2).masked_scatter_(P(2,2)>0,torch.ones(4)))
t('ms2', lambda: P(2).masked_scatter_(P(2,2)>0,P(4)))
t('ms3', lambda: P(2).masked_scatter_(P(2),P(4)))
t('ms4', lambda: P(2).masked_scatter_(P(3)>0,P(4)))
t('ms5', lambda: P(2).masked_scatter_(P(2)>0,P(1)))
t('ms6', lambda: P(2).masked_scatter(P(2,2)>0,torch.ones(4)))
x=P(3); t('addmm shapes', lambda: x.addmm_(x.view(3,1),x.view(3,1)))
x=P(3,3); t('addmm self', lambda: x.addmm_(x,x))
x=P(3,3); t('addmm view', lambda: x.addmm_(x.t(),x))
t('addmm bad', lambda: torch.tensor(1.).addmm_(torch.ones(1,1),torch.ones(1,1)))
t('addmm bad', lambda: torch.ones(2).addmm_(torch.ones(1,1),torch.ones(1,2)))
t('addmm bad2', lambda: torch.ones(2).addmm_(torch.ones(2,2),torch.ones(1,2)))
t('addmv bad', lambda: torch.tensor(1.).addmv_(torch.ones(1,1),torch.ones(1)))
t('baddbmm bad', lambda: torch.tensor(1.).baddbmm_(torch.ones(1,1,1),torch.ones(1,1,1)))
t('addmv bad', lambda: torch.ones(1).addmv_(torch.ones(2,1),torch.ones(1)))
x=leaf(2,3)
t('p1', lambda: x.__setitem__((slice(None,2,1),torch.tensor([[0],[1]])),1))
t('p2', lambda: x.__setitem__((slice(0,3),torch.tensor([[0],[1]])),1))
t('p3', lambda: x.__setitem__((slice(0,1),torch.tensor([[0],[1]])),1))
t('p4', lambda: x.__setitem__((slice(-2,None),torch.tensor([[0],[1]])),1))
t('p5', lambda: x.__setitem__((slice(0,2),),1))
t('p6', lambda: x.__setitem__((slice(0,2),slice(None,5)),1))
t('p7', lambda: x.__setitem__((torch.tensor([0]),slice(None,5)),1))
def f(i):
    y=leaf(2,3)*1; y[i]=1.; return y.grad_fn.name(), y.grad_fn.next_functions[0][0].name()
t('q1', lambda: f((slice(0,2),torch.tensor([0,1]))))
t('q2', lambda: f((slice(0,2),)))
t('q3', lambda: f((slice(0,1),torch.tensor([0,1]))))
t('q4', lambda: f((torch.tensor([0,1]),slice(0,3))))
""",
    "what is refused first, and what a pass for some inputs makes": GIVEN
    + """
leaf=lambda *s: torch.arange(1.,1+torch.Size(s).numel(),dtype=D).view(s).requires_grad_()
b=torch.tensor([True,False])
t('fd', lambda: leaf(2,3,2).fill_diagonal_(1.)); t('fd2', lambda: torch.ones(2,3,2).fill_diagonal_(1.)); t('fd3', lambda: leaf(2,2,2).fill_diagonal_(1.)); t('fd4', lambda: leaf(2,3).fill_diagonal_(1.)); t('fd5', lambda: leaf(2).fill_diagonal_(1.))
A={'sub_':lambda x:x.sub_(b),'subT':lambda x:x.sub_(True),'add_':lambda x:x.add_(b),'subtract_':lambda x:x.subtract_(b)}
for o,f in A.items():
    t(o+' leaf', lambda: f(leaf(2))); t(o+' view', lambda: f(leaf(2).view(-1))); t(o+' res', lambda: f(leaf(2)*1)); t(o+' bool', lambda: f(b.clone()))
def g():
    x=leaf(2).view(-1); x[0:0]-=b; return x
t('sl',g)
z=leaf(1)[0]*1
t('ip0', lambda: z.index_put_((torch.tensor([0]),),torch.ones(1,dtype=D)))
t('ip1', lambda: z.index_put((torch.tensor([0]),),torch.ones(1,dtype=D)))
t('ip2', lambda: torch.ones(2).index_put_((torch.tensor([0]),torch.tensor([0])),torch.ones(1)))
t('ip3', lambda: torch.ones(2).index_put_((torch.tensor([0]),torch.tensor([0]),torch.tensor([0])),torch.ones(1)))
t('ip4', lambda: torch.ones(2).index_put_((torch.tensor([5]),),torch.ones(1)))
t('ip5', lambda: torch.ones(2,2).index_put_((torch.tensor([[True]]),),torch.ones(1)))
def h():
    x=leaf(1,0); y=leaf(3,3); v=x.view(-1)*1; v.data=torch.ones(3,3,dtype=D); o=y@v
    return torch.autograd.grad(o.sum(),y,retain_graph=True), torch.autograd.grad([o,o],y,[torch.ones(3,3,dtype=D)]*2)
t('only', h)
def h():
    x=leaf(3); w=leaf(3); s=x*1; o=s*w; o.grad_fn.register_hook(lambda gi,go: print('  gi',gi)); r=torch.autograd.grad(o.sum(),w,retain_graph=True);
    o.backward(torch.ones(3,dtype=D),inputs=[w],retain_graph=True); return r
t('hk', h)
""",
    "hooks see what is saved before sizes fail, and what nodes do not save": GIVEN
    + """
leaf=lambda *s: torch.arange(1.,1+torch.Size(s).numel(),dtype=D).view(s).requires_grad_()
H=lambda: torch.autograd.graph.saved_tensors_hooks(lambda t: print('  packed', tuple(t.shape)) or t, lambda t: print('  unpacked') or t)
def p(f):
    with H(): return f()
P=lambda *s: torch.ones(*s,dtype=D)
for n in ('mul', 'div', 'add', 'sub'):
    f = getattr(torch, n)
    t(n + ' gg', lambda: p(lambda: f(leaf(2, 3), leaf(4))))
    t(n + ' gp', lambda: p(lambda: f(leaf(2, 3), P(4))))
    t(n + ' pg', lambda: p(lambda: f(P(2, 3), leaf(4))))
def a():
    s,m=torch.std_mean(leaf(3)*1,0); m.sub_(1); m.backward()
t('sm', a)
def a():
    s,m=torch.std_mean(leaf(3)*1,0); s.sub_(1); m.backward()
t('sm', a)
def a():
    s,m=torch.std_mean(leaf(3)*1,0); m.sub_(1); s.backward()
t('sm', a)
def a():
    s,m=torch.std_mean(leaf(3)*1,0); m.sub_(1); (m*s).backward()
t('sm', a)
t('pb', lambda: torch.autograd.grad((leaf(2)**torch.tensor([True,False])).sum(),[leaf(2)]))
def a():
    x=leaf(2); return torch.autograd.grad((x**torch.tensor([True,False])).sum(),x)
t('pb', a)
def a():
    x = leaf(1, 3); y = x.expand(2, 3); y.data = torch.ones(5)
    return torch.autograd.grad(y, y, torch.ones(5), create_graph=True)
t('seed', a)
""",
    "a part of a tensor given to it as its memory, and the steps of cosine_similarity": GIVEN
    + """
x=torch.ones(2,3,dtype=D)
x.data=x.split(1)[0]; print(x)
y=torch.ones(2,3,dtype=D,requires_grad=True); y.data=y.data[:1]; print(y)
z=torch.ones(2,3,dtype=D,requires_grad=True); z.data-=z.data; print(z, z._version); z.data=z.data; print(z,z._version); z.data=z.detach(); print(z, z._version)
w=torch.ones(2,dtype=D); v=w.view(-1); w.data=v; v.add_(1); print(w,v,w._version,v._version)
w=torch.ones((),dtype=D,requires_grad=True); w.data=w.data; w.data+=1; print(w); w.data=w.data*2; print(w)
def order(t):
    nodes=[t.grad_fn]
    for n in nodes:
        for o,_ in n.next_functions:
            if o is not None and o not in nodes: nodes.append(o)
    for i,n in enumerate(nodes): n.register_prehook(lambda g,n=n,i=i: print(i,n.name()))
    t.sum().backward()
for a,b in ((1,2),(2,1)):
    x=torch.tensor([[1.,2.,3.]],dtype=D,requires_grad=True); y=torch.tensor([[3.,-2.,1.]],dtype=D,requires_grad=True)
    xs=[None,x,y]
    order(torch.cosine_similarity(xs[a],xs[b]))
    order(torch.cosine_similarity(xs[a]*2,xs[b].exp()))
    order(F.cosine_similarity(xs[a].exp(),xs[b]))
order(torch.cosine_similarity(x,x*x))
print(x.grad)
""",
    "a number that a view shows several times is changed as often, and the last gradient of it counts": """
D=torch.float64
def t(n,f):
    try: print(n,f())
    except Exception as e: print(n,type(e).__name__,e)
views=(lambda z: z.unfold(0,3,1), lambda z: z.unfold(0,4,2), lambda z: z.as_strided((2,3),(1,2)), lambda z: z.as_strided((3,3),(1,1)), lambda z: z.as_strided((2,3),(2,1)), lambda z: z.unfold(0,3,1).t(), lambda z: z.view(2,3).unfold(1,2,1), lambda z: z.view(3,2).unfold(0,2,1), lambda z: z.unfold(0,3,1)[1:])
changes=(lambda u,w: u.mul_(2), lambda u,w: u.add_(1).neg_(), lambda u,w: u.mul_(.1).exp_(), lambda u,w: u.mul_(w), lambda u,w: u.add_(w,alpha=2), lambda u,w: u.addcmul_(torch.ones_like(w),w), lambda u,w: u.lerp_(torch.ones_like(w),.5), lambda u,w: u.log1p_(), lambda u,w: u.pow_(2), lambda u,w: u.clamp_(1.5,3), lambda u,w: u.masked_fill_(u>2,-1.), lambda u,w: u.fill_(2), lambda u,w: u.cumsum_(0) if u.shape[0]==1 else u.zero_())
def go(view,change,again):
    x=torch.arange(1.,7,dtype=D).requires_grad_(); z=x*1; u=view(z); w=torch.arange(2.,2+u.shape[-1],dtype=D).requires_grad_()
    change(u,w); L=(z*torch.arange(1.,7,dtype=D)).sum()+(u*10).sum()
    return z.tolist(), u.tolist(), u._version, *(None if g is None else g.tolist() for g in torch.autograd.grad(L,(x,w),create_graph=again,allow_unused=True))
def plain(view,change):
    z=torch.arange(1.,7,dtype=D); u=view(z); change(u,torch.arange(2.,2+u.shape[-1],dtype=D)); return z.tolist(), u._version
for i,view in enumerate(views):
    for j,change in enumerate(changes):
        for again in (False,True): t((i,j,again),lambda: go(view,change,again))
        t((i,j),lambda: plain(view,change))
    t((i,'self'),lambda: plain(view,lambda u,w: u.add_(u)))
    t((i,'whole'),lambda: view(torch.arange(6)).mul_(3))
""",
    "what overlaps the part that it is assigned to is refused, whether recorded or not": """
def t(*names, run):
    try:
        print(*names, run())
    except Exception as e:
        print(*names, type(e).__name__, e)
forms = (
    lambda x: x.__setitem__(0, x[1]),
    lambda x: x.__setitem__(0, x[:,1]),
    lambda x: x.__setitem__(0, x[0]),
    lambda x: x.__setitem__(torch.tensor([0,1]), x[0]),
    lambda x: x.__setitem__(torch.tensor([0,1]), x[:2]),
    lambda x: x.__setitem__(torch.tensor([0,1,2]), x),
    lambda x: x.__setitem__(torch.tensor([0,1]), x[0,0]),
    lambda x: x.__setitem__(x>4, x[0,0]),
    lambda x: x.__setitem__(torch.tensor([True,False,True]), x[0]),
    lambda x: x.__setitem__(..., x),
    lambda x: x.__setitem__(..., x.t()),
    lambda x: x.__setitem__(slice(None), x.t()),
    lambda x: x.__setitem__(slice(None), x[0]),
    lambda x: x.__setitem__(slice(1,None), x[:-1]),
    lambda x: x.__setitem__((0,0), x[1,1]),
    lambda x: x.__setitem__((0,0), x[0,0]),
    lambda x: x.__setitem__(0, x),
    lambda x: x.__setitem__(None, x),
    lambda x: x.__setitem__(None, x.t()),
    lambda x: x[0].__setitem__(slice(None), x[1]),
    lambda x: x[0].__setitem__(slice(None), x[:,0]),
    lambda x: x[0].__setitem__(torch.tensor([0,1]), x[0,:2]),
    lambda x: x[0].__setitem__(torch.tensor([0,1]), x[1,:2]),
    lambda x: x.t().__setitem__(torch.tensor([0,1]), x[:2]),
    lambda x: x.t().__setitem__(0, x[0]),
    lambda x: x.__setitem__((torch.tensor([0,1]), torch.tensor([1,2])), x[0,:2]),
    lambda x: x.__setitem__((torch.tensor([0,1]), torch.tensor([1,2])), x[2,2]),
    lambda x: x.__setitem__((0, torch.tensor([1,2])), x[0,:2]),
    lambda x: x.__setitem__((torch.tensor([1,2]), 0), x[0,:2]),
    lambda x: x.expand(2,3,3).__setitem__(0, x),
    lambda x: x[0].expand(3,3).__setitem__(0, x[1]),
    lambda x: x[0].expand(3,3).__setitem__(slice(None), x[1]),
    lambda x: x[0].expand(3,3).__setitem__(slice(None), 5.),
    lambda x: x[0].expand(3,3).__setitem__((0,0), 5.),
    lambda x: x[0].expand(3,3).__setitem__(torch.tensor([0]), 5.),
    lambda x: x.__setitem__(slice(0,2), x[2].expand(2,3)),
    lambda x: x.__setitem__(slice(0,2), x[0].expand(2,3)),
    lambda x: x.copy_(x.t()),
    lambda x: x[0].copy_(x[:,0]),
    lambda x: x.copy_(x[0]),
    lambda x: x.fill_(x[0,0]),
    lambda x: x[0].fill_(x[0,0]),
    lambda x: x.add_(x.t()),
    lambda x: x.add_(x[0]),
    lambda x: x[1:].add_(x[:-1]),
    lambda x: x.add_(x),
    lambda x: x.index_put_((torch.tensor([0,1]),), x[0]),
    lambda x: x.index_put_((torch.tensor([0,1]),), x[0], accumulate=True),
    lambda x: x.index_put_((torch.tensor([0,1,2]),), x),
    lambda x: x.index_fill_(0, torch.tensor([0,1]), x[0,0]),
    lambda x: x.index_copy_(0, torch.tensor([0,1]), x[1:]),
    lambda x: x.index_add_(0, torch.tensor([0,1]), x[1:]),
    lambda x: x.masked_fill_(x>4, x[0,0]),
    lambda x: x.masked_scatter_(x>4, x[0]),
    lambda x: x.scatter_(1, torch.tensor([[0,1],[1,0]]), x),
    lambda x: x.scatter_add_(1, torch.tensor([[0,1],[1,0]]), x),
    lambda x: x.put_(torch.tensor([0,1]), x[0,:2]),
    lambda x: torch.where(x>4, x, x.t(), out=x) if not x.requires_grad else 0,
    lambda x: x.__setitem__(torch.tensor([[True,False,True]]*3), x.t().reshape(-1)[:6]),
    lambda x: x.__setitem__(torch.tensor([[True,False,False]]*3), x[0]),
    lambda x: x.__setitem__(0, 7),
    lambda x: x.__setitem__(torch.tensor([0,1]), 7),
    lambda x: x.__setitem__(x[0].long() % 3, x[0]),
)
def changed(form, takes):
    x = torch.arange(9.).view(3, 3).clone()
    x = x.requires_grad_() * 1 if takes else x
    form(x)
    return x.tolist(), x._version
for takes in (False, True):
    for mode in (torch.no_grad, torch.enable_grad):
        with mode():
            for i, form in enumerate(forms): t(takes, i, run=lambda: changed(form, takes))
parts = (
    lambda a: a.__setitem__(0, a[:,0]),
    lambda a: a.__setitem__(slice(1,None), a[:-1]),
    lambda a: a.__setitem__(..., a.t()),
    lambda a: a.__setitem__(torch.tensor([0,1]), a[2:]),
    lambda a: a.__setitem__((slice(None,None,2)), a[1::2]),
    lambda a: a.__setitem__((slice(None), slice(None,None,2)), a[:, 1::2]),
    lambda a: a.__setitem__((slice(None), slice(0,2)), a[:, 1:3]),
    lambda a: a.__setitem__((slice(0,2), slice(0,2)), a[1:3, 1:3]),
    lambda a: a.__setitem__((0, slice(0,2)), a[0, 1:3]),
    lambda a: a.view(-1).__setitem__(slice(0,8), a.view(-1)[4:12]),
    lambda a: a.diagonal().__setitem__(slice(None), a[0]),
    lambda a: a[0].__setitem__(slice(None), a.diagonal()),
    lambda a: a.__setitem__(0, a[0]),
    lambda a: a.__setitem__((slice(0,1)), a[0]),
    lambda a: a.__setitem__((0, 1), a[0, 1:2]),
    lambda a: a.__setitem__((0, slice(1,2)), a[0, 1]),
    lambda a: a.__setitem__(0, a.view(4,4)[0].view(4)),
    lambda a: a.__setitem__((slice(0,0)), a[:0]),
    lambda a: a.view(-1).__setitem__(0, a),
    lambda a: a.__setitem__(0, a.numpy()[1]),
    lambda a: a.__setitem__(a[0] > 1, a),
)
def counted(part, dtype):
    a = torch.arange(16).view(4, 4).to(dtype)
    part(a)
    return a.tolist(), a._version
for dtype in (torch.long, torch.bool):
    for i, part in enumerate(parts): t(dtype, i, run=lambda: counted(part, dtype))
""",
}
