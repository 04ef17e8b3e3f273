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
}
