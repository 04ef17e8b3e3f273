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
}
