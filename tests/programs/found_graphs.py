"""Graphs of odd programs: tensors of inference mode, views without a history, nodes of custom Functions, multi hooks."""

# ruff: noqa: E501 - calls read better in rows

GIVEN = """
D = torch.float64
def t(n, f):
    try: print(n, f())
    except Exception as e: print(n, type(e).__name__, e)
def leaf(*s): return torch.ones(*s, dtype=D, requires_grad=True)
"""

GRAPHS = {
    "what is made of tensors of inference mode outside of it": GIVEN
    + """
with torch.inference_mode():
    a=torch.ones(2,3,dtype=D)
    r=torch.ones(2,3,dtype=D).requires_grad_()
ops={'detach':lambda x:x.detach(),'view':lambda x:x.view(-1),'idx':lambda x:x[0],'t':lambda x:x.t(),'data':lambda x:x.data,'expand':lambda x:x.expand(2,2,3),'unbind':lambda x:x.unbind(0)[0],'split':lambda x:x.split(1)[0],'viewas':lambda x:x.view_as(x),'reshape':lambda x:x.reshape(-1),'reshape same':lambda x:x.reshape(2,3),'contiguous':lambda x:x.contiguous(),'to':lambda x:x.to(D),'mul':lambda x:x*2,'asstrided':lambda x:x.as_strided((2,),(1,)),'diag':lambda x:x.diagonal(),'flatten':lambda x:x.flatten(),'squeeze':lambda x:x.squeeze(),'chunk':lambda x:x.chunk(2)[0],'narrow':lambda x:x.narrow(0,0,1),'T':lambda x:x.T,'mT':lambda x:x.mT,'permute':lambda x:x.permute(1,0),'unfold':lambda x: x.unfold(0,1,1),'movedim':lambda x:x.movedim(0,1),'exp_as':lambda x:x.expand_as(x),'sq':lambda x:x.unsqueeze(0),'real':lambda x:x.real,'numpy':lambda x:torch.from_numpy(x.detach().numpy())}
for nm,x in (('a',a),('r',r)):
    for n,f in ops.items():
        def g():
            y=f(x)
            try: v=y._version
            except Exception as e: v='noversion'
            return y.is_inference(), y.requires_grad, y.is_leaf, y.grad_fn, v
        t(nm+' '+n, g)
w=torch.ones(2,3,dtype=D,requires_grad=True)
for nm,x in (('a',a),('r',r)):
    t(nm+' add', lambda: (x+w).grad_fn.next_functions)
    t(nm+' add', lambda: (w+x).grad_fn.next_functions)
    t(nm+' mul', lambda: (w*x).grad_fn.next_functions)
    t(nm+' cat', lambda: torch.cat([w,x]).grad_fn.next_functions)
    t(nm+' sumadd', lambda: (w+x.sum()).grad_fn.next_functions)
    t(nm+' view+', lambda: (w+x.view(2,3)).grad_fn.next_functions)
    t(nm+' bw', lambda: (w+x).sum().backward())
    print(x.grad)
    t(nm+' bw', lambda: x.sum().backward())
    t(nm+' rg', lambda: x.requires_grad_())
    t(nm+' rgview', lambda: x.view(-1).requires_grad_())
    t(nm+' rgdet', lambda: x.detach().requires_grad_())
    t(nm+' hook', lambda: x.register_hook(lambda g:g))
    t(nm+' inpl', lambda: x.add_(1))
    t(nm+' inpl w', lambda: x.add_(w))
    t(nm+' det inpl', lambda: x.detach().add_(1))
    t(nm+' data inpl', lambda: x.data.add_(1))
    t(nm+' view inpl', lambda: x.view(-1).add_(1))
    t(nm+' setitem', lambda: x.__setitem__(0,1))
    t(nm+' retain', lambda: x.retain_grad())
    with torch.no_grad():
        t(nm+' ng inpl', lambda: x.add_(1))
        t(nm+' ng view inpl', lambda: x.view(-1).add_(1))
        t(nm+' ng det inpl', lambda: x.detach().add_(1))
""",
    "inputs marked as dirty count a change, whatever is recorded": GIVEN
    + """
class Lost(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        ctx.mark_dirty(a)
        return a * 2
    @staticmethod
    def backward(ctx, g):
        return g * 2
def a():
    x=torch.ones(3,dtype=D); y=Changes.apply(x); return x._version,y._version,y is x
t('ch plain', a)
def a():
    x=torch.ones(3,dtype=D); v=x.view(-1); y=Changes.apply(v); return x._version,y._version,y is v, y._is_view()
t('ch view', a)
def a():
    x=torch.ones(3,dtype=D); y=Changes.apply(x); x.data=torch.ones(5); return x._version
t('ch data', a)
def a():
    x=torch.ones(3,dtype=D); v=x.view(-1); y=Changes.apply(v); x.data=torch.ones(5); return x._version,v._version
t('ch view data', a)
def a():
    x=torch.ones(3,dtype=D,requires_grad=True)*1; y=Changes.apply(x); return x._version,y._version,y is x
t('ch grad', a)
def a():
    x=torch.ones(3,dtype=D,requires_grad=True)*1; y=Changes.apply(x); x.data=torch.ones(5); return x._version,y._version,y is x
t('ch grad data', a)
def a():
    x=torch.ones(3,dtype=D,requires_grad=True)*1; y=Changes.apply(x.view(-1)); return x._version,y._version
t('ch gradview', a)
def a():
    x=torch.ones(3,dtype=D);
    with torch.no_grad(): y=Changes.apply(x)
    return x._version
t('ch ng', a)
def a():
    x=torch.ones(3,dtype=D)*1; y=Changes.apply(x); y.data=y.data.view(-1); return y._version
t('ch res data', a)
def a():
    x=torch.ones(2); y=Lost.apply(x); return x._version
t('lost', a)
def a():
    x=torch.ones(2,dtype=torch.int64); y=Changes.apply(x); return x._version
t('int', a)
""",
    "hooks of a custom node see the gradient of what takes none": GIVEN
    + """
def a(x,y,k=2, **kw):
    o=Both.apply(x,y,k)
    o.grad_fn.register_hook(lambda gi,go: print('   done',gi))
    (o*2).sum().backward()
t('hk leaf,plain', lambda: a(leaf(2),torch.ones(2,dtype=D)))
t('hk res,plain', lambda: a(leaf(2)*1,torch.ones(2,dtype=D)))
t('hk plain,leaf', lambda: a(torch.ones(2,dtype=D),leaf(2)))
t('hk res,data', lambda: a(leaf(2)*1,(leaf(2)*1).data))
t('hk res,data,3', lambda: a(leaf(2)*1,(leaf(2)*1).data,3))
t('hk res,detach', lambda: a(leaf(2)*1,(leaf(2)*1).detach()))
t('hk res,shape', lambda: a(leaf(1,1)*1,(leaf(1,1)*1)[1:][None].data))
t('hk res,shape2', lambda: a(leaf(2,3)*1,torch.ones(3,dtype=D)))
""",
    "views whose history is not known, or that nobody asked for": GIVEN
    + """
def stale():
    x=leaf(2,2)*1; u=x.unbind(0)[0]; x.mul_(2); return u
u=stale(); t('hook', lambda: u.register_hook(lambda g:g))
u=stale(); t('retain', lambda: u.retain_grad())
u=stale(); t('leaf', lambda: u.is_leaf)
u=stale(); t('rg', lambda: u.requires_grad)
u=stale(); t('gradfn', lambda: u.grad_fn)
u=stale(); t('print', lambda: u)
u=stale(); t('nr', lambda: u.output_nr)
u=stale(); t('det', lambda: u.detach())
u=stale(); t('grad', lambda: u.grad)
u=stale(); t('retains', lambda: u.retains_grad)
u=stale(); t('tolist', lambda: u.tolist())
u=stale(); t('version', lambda: u._version)
u=stale(); t('reqgrad_', lambda: u.requires_grad_().shape)
u=stale(); t('bw', lambda: u.sum().backward())
u=stale(); t('bw', lambda: u.backward(torch.ones(2,dtype=D)))
u=stale(); t('multi', lambda: torch.autograd.graph.register_multi_grad_hook((u,), lambda g:g))
u=stale(); t('pagh', lambda: u.register_post_accumulate_grad_hook(lambda g:g))
u=stale(); t('requires', lambda: setattr(u,'requires_grad',False))
u=stale(); t('grad in', lambda: torch.autograd.grad((leaf(2)).sum(),u))
u=stale(); t('float', lambda: u[0].item())
u=stale(); t('inplace', lambda: u.mul_(2))
u=stale(); t('no_grad use', lambda: torch.no_grad()(lambda: u*2)())
def late():
    x=torch.ones(2,3,dtype=D); v=x.t(); x[0].mul_(leaf(1)[0]); return v
v=late(); t('L is_leaf', lambda: v.is_leaf)
v=late(); t('L rg', lambda: v.requires_grad)
v=late(); t('L retain', lambda: (v.retain_grad(), v.retains_grad))
v=late(); t('L retain2', lambda: (v.grad_fn, v.retain_grad(), v.retains_grad))
def f():
    v.retain_grad(); v.sum().backward(); return v.grad
v=late(); t('L retain bw', f)
def f():
    v.grad_fn; v.retain_grad(); v.sum().backward(); return v.grad
v=late(); t('L retain bw2', f)
v=late(); t('L out', lambda: v.output_nr)
v=late(); t('L grad', lambda: v.grad)
v=late(); t('L pagh', lambda: v.register_post_accumulate_grad_hook(lambda g:g))
v=late(); t('L grad in', lambda: torch.autograd.grad(v.sum(),v))
v=late(); t('L detach_', lambda: v.detach_())
v=late(); t('L grad=', lambda: setattr(v,'grad',torch.ones(3,2,dtype=D)))
""",
    "a hook of several tensors keeps to the nodes that they had": GIVEN
    + """
R = torch.autograd.graph.register_multi_grad_hook
t('plain', lambda: R((torch.ones(2),), lambda g: 1))
t('plain2', lambda: R((leaf(2),torch.ones(2),), lambda g: 1))
with torch.inference_mode(): r=torch.ones(2).requires_grad_(); q=torch.ones(2)
t('inf', lambda: R((leaf(2),r), lambda g: 1))
t('inf', lambda: R((leaf(2),q), lambda g: 1))
t('inf any', lambda: R((leaf(2),r), lambda g: 1, mode='any'))
with torch.no_grad(): v=leaf(3).view(-1)
t('ngview', lambda: R((v,), lambda g: 1))
t('empty', lambda: R((), lambda g: 1))
x=leaf(2); y=x*2; R((y,x), lambda g: print('  all',g)); y.mul_(3); y.sum().backward(retain_graph=True); print('--'); y.backward(torch.ones(2,dtype=D))
x=leaf(2); y=x*2; R((y,), lambda g: print('  all',g)); y.backward(torch.ones(2,dtype=D),retain_graph=True);  y.mul_(3); y.backward(torch.ones(2,dtype=D))
x=leaf(2); y=x*2; R((y,), lambda g: print('  any',g),mode='any'); y.backward(torch.ones(2,dtype=D),retain_graph=True);  y.mul_(3); y.backward(torch.ones(2,dtype=D))
""",
    "gradients beside one that lies elsewhere are summed to their sizes": GIVEN
    + """
x = leaf(2, 3); y = torch.arange(3, dtype=D).requires_grad_(); z = torch.logaddexp2(x, y)
x.data = torch.ones(2, 3, dtype=D).expand(2, 3); z.sum().backward(); print(y.grad.shape, x.grad.shape)
a, b = leaf(2, 2).unbind(0)
c = b[torch.tensor([0, 1, 0])]
a.data = a.data[:1]
t('other', lambda: (a * c).sum().backward())
""",
    "a first gradient of other sizes than its leaf has by now": GIVEN
    + """
def a(shape, new, f, k=1, clone=False):
    x=torch.ones(*shape,dtype=D,requires_grad=True)
    y=f(x)
    x.data=torch.zeros(*new,dtype=D)
    for i in range(k): y.backward(torch.ones_like(y),retain_graph=True)
    return x.grad.shape, x.grad.stride(), x.grad
for n,sh,new in (('same numel',(2,3),(6,)),('same numel2',(6,),(2,3)),('same numel3',(2,3),(3,2)),('more',(3,),(2,3)),('more2',(3,),(1,3)),('less',(2,3),(3,)),('less2',(1,3),(3,)),('to1',(3,),(1,)),('from1',(1,),(3,)),('3d',(2,3,2),(12,)),('sq',(2,2),(4,))):
    for m,f in (('mul',lambda x:x*2),('view',lambda x:x.view(-1)),('sum',lambda x:x.sum()),('sin',lambda x:x.sin()),('expand',lambda x:x.expand(2,*x.shape)),('t',lambda x:x.transpose(0,-1) if x.dim()>1 else x.unfold(0,1,1) if x.dim() else x*1)):
        t(n+' '+m, lambda: a(sh,new,f))
        if m in('mul','sum'): t(n+' twice '+m, lambda: a(sh,new,f,2))
""",
    "views of what takes no gradient yet are not to be asked once it does": GIVEN
    + """
leaf=lambda *s: torch.arange(1.,1+torch.Size(s).numel(),dtype=D).view(s).requires_grad_()
def ng(x):
    with torch.no_grad(): return x.view(-1)
def inf(x):
    with torch.inference_mode(): return x.view(-1)
K={'custom':Same.apply,'several':lambda x:x.unbind(0)[0],'no_grad':ng,'inference':inf,'custom view':lambda x:Same.apply(x).view(-1),'ng view':lambda x:ng(x)[0:1],'split':lambda x:x.split(1)[0][0]}
B={'set':lambda x:x.__setitem__(...,leaf(1)[0]),'mul':lambda x:x.mul_(leaf(1)[0]),'part':lambda x:x[0].mul_(leaf(1)[0]),'put':lambda x:x.__setitem__(0,leaf(1)[0]),'arr':lambda x:x.__setitem__(torch.tensor([0]),leaf(1)[0])}
U={'use':lambda v:(v*2).grad_fn is None,'fn':lambda v:v.grad_fn,'rg':lambda v:(v.requires_grad,),'print':lambda v:v,'ch':lambda v:v.mul_(2),'leaf':lambda v:v.is_leaf,'det':lambda v:v.detach()}
for k,f in K.items():
    for b,g in B.items():
        for u,h in (U.items() if b=='mul' else list(U.items())[:1]):
            def a():
                x=torch.ones(2,2,dtype=D); v=f(x); g(x); return h(v)
            t(f'{k} {b} {u}', a)
""",
    "seeds are the very tensors that were given": GIVEN
    + """
leaf=lambda *s: torch.arange(1.,1+torch.Size(s).numel(),dtype=D).view(s).requires_grad_()
def a():
    x=leaf(3); y=x.t(); y.register_hook(lambda g: print('h',g)); y.backward(y); return x.grad
t('seed', a)
def a():
    x=leaf(3); y=x*1; y.grad_fn.register_prehook(lambda g: print('h',g)); y.backward(y); return x.grad
t('seed', a)
def a():
    x=leaf(3); y=x*1; z=y*2; y.register_hook(lambda g: print('h',g)); z.backward(y); return x.grad
t('seed', a)
def a():
    x=leaf(3); y=x*1; y.retain_grad();  y.backward(y.sin()); return x.grad, y.grad
t('seed', a)
def a():
    x=leaf(3);  x.register_hook(lambda g: print('h',g)); x.backward(x); return x.grad
t('seed leaf', a)
def a():
    x=leaf(3);  y=leaf(3)*2; x.backward(y); return x.grad
t('seed leaf', a)
def a():
    x=leaf(3);  y=leaf(3); return torch.autograd.grad(x,x,y*2), torch.autograd.grad(x*1,x,y*2)
t('seed leaf', a)
def a():
    x=leaf(3); z=x*1; z.register_hook(lambda g: print('h',g)); s=leaf(3); return torch.autograd.grad(z,[x,z],s)
t('seed g', a)
def a():
    x=leaf(3); z=x*1; s=leaf(3); g,= torch.autograd.grad(z,[z],s); return g is s, g.requires_grad, g.data_ptr()==s.data_ptr()
t('seed g', a)
def a():
    x=leaf(3); z=x*1; s=leaf(3); g,= torch.autograd.grad(z,[z],s,create_graph=True); g.mul_(2); return g, s, z
t('seed g', a)
def a():
    x=leaf(3); z=x*1; s=torch.ones(3,dtype=D); g,= torch.autograd.grad(z,[z],s,create_graph=True); g[:1].mul_(leaf(1)); return g, s, z
t('seed g', a)
def a():
    x=leaf(3); z=x*1; s=torch.ones(3,dtype=D); g,= torch.autograd.grad(z,[z],s); g[:1].mul_(leaf(1)); return g, s, z
t('seed g', a)
""",
    "changes through views: numbers without dims, what is freed and what is saved, views made before": GIVEN
    + """
leaf=lambda *s: torch.arange(1.,1+torch.Size(s).numel(),dtype=D).view(s).requires_grad_()
def a():
    x=leaf(3).max(); x.view(-1)[0]=2.; return x, x.grad_fn.name()
t('0d', a)
def a():
    x=leaf(3).max(); x.view(-1)[:]=2.; return x, x.grad_fn.name()
t('0d', a)
def a():
    x=leaf(3).max(); v=x.view(1,1); v[0]=leaf(1); return x, v, x.grad_fn.name(), torch.autograd.grad(x,v,allow_unused=True)
t('0d', a)
def a():
    x=leaf(3).max(); v=x.view(-1); v[torch.tensor([0])]=leaf(1); return x, v, x.grad_fn.name()
t('0d', a)
def a():
    x=leaf(3).max(); v=x.expand(2); v[0]=7.; return x, v
t('0d ex', a)
def a():
    x=leaf(2,2); y=x*1; y[:,[-1]]=y[:,[-1]].detach(); y.sum().backward(); y.sum().backward()
t('ip', a)
def a():
    x=leaf(2,2); y=x*1; y[:,[-1]]=leaf(2,1); y.sum().backward(); y.sum().backward()
t('ip2', a)
def a():
    x=leaf(2,2); y=x*1; y.index_add_(0,torch.tensor([0]),torch.ones(1,2,dtype=D)); y.sum().backward(); y.sum().backward(); return x.grad
t('ia', a)
def a():
    x=leaf(2,2); y=x*1; y.index_copy_(0,torch.tensor([0]),torch.ones(1,2,dtype=D)); y.sum().backward(); y.sum().backward(); return x.grad
t('ic', a)
def a():
    x=leaf(2,2); y=x*1; y.index_fill_(0,torch.tensor([0]),1.); y.sum().backward(); y.sum().backward(); return x.grad
t('if', a)
def a():
    x=leaf(2,2); y=x*1; y.scatter_(0,torch.tensor([[0]]),1.); y.sum().backward(); y.sum().backward(); return x.grad
t('sc', a)
def a():
    x=leaf(2,2); y=x*1; y.scatter_add_(0,torch.tensor([[0]]),torch.ones(1,1,dtype=D)); y.sum().backward(); y.sum().backward(); return x.grad
t('sa', a)
def a():
    x=leaf(2,2); y=x*1; y.index_put_((torch.tensor([0]),),torch.ones(2,dtype=D),True); y.sum().backward(); y.sum().backward(); return x.grad
t('ipa', a)
def a():
    x=leaf(2,2); y=x*1; y[0]=1.; y.sum().backward(); y.sum().backward(); return x.grad
t('cs', a)
def a():
    x=leaf(2,2); y=x.exp(); y[0].tanh_(); y.relu_(); y.sum().backward(); return x.grad
t('part', a)
def a():
    x=leaf(2,2); y=x*1; y[0].tanh_(); y.mul_(2); y.sum().backward(); return x.grad
t('part2', a)
def a():
    x=leaf(2,2); y=x*1; y[0].mul_(2); y.mul_(2); y.sum().backward(); return x.grad
t('part3', a)
def a():
    x=leaf(2,2); y=x*1; y[0].exp_(); y[1].exp_(); y.sum().backward(); return x.grad
t('part4', a)
def a():
    x=leaf(2,2); y=x*1; y.t().exp_(); y.sum().backward(); return x.grad
t('part5', a)
def a(f):
    x=torch.ones(2,2,dtype=D); v=x[...]; f(x,v); x.requires_grad_(); return v.is_leaf, v.requires_grad, v.grad_fn and v.grad_fn.name()
t('late0', lambda: a(lambda x,v: 0))
t('late x', lambda: a(lambda x,v: x.mul_(2)))
t('late v', lambda: a(lambda x,v: v.mul_(2)))
t('late d', lambda: a(lambda x,v: x.data.mul_(2)))
t('late det', lambda: a(lambda x,v: x.detach().mul_(2)))
def a():
    x=torch.ones(2,2,dtype=D); x.mul_(2); v=x[...]; x.requires_grad_(); return v.is_leaf, v.requires_grad, v.grad_fn and v.grad_fn.name()
t('late b', a)
def a(f):
    x=torch.ones(2,3,dtype=D); v=x.mT; x.requires_grad_(); w=f(v); return w.requires_grad, w.grad_fn and (w.grad_fn.name(), w.grad_fn.next_functions)
for n,f in (('flatten',lambda v: v.flatten()),('reshape',lambda v: v.reshape(-1)),('contig',lambda v: v.contiguous()),('mul',lambda v: v*2),('sum',lambda v:v.sum()),('view',lambda v:v[0]),('clone',lambda v:v.clone()),('t',lambda v:v.t()),('adv',lambda v:v[[0]]),('to',lambda v:v.float()),('ravel',lambda v:v.ravel()),('unflatten',lambda v:v.reshape(6).unflatten(0,(2,3))),('repeat',lambda v:v.repeat(2,1)),('cat',lambda v:torch.cat([v,v]))):
    t('late '+n, lambda: a(f))
""",
}
