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
}
