"""Memory that tensors are given anew, places written over, and what is refused first: once not as in PyTorch."""

# ruff: noqa: E501 - calls read better in rows

MEMORY = {
    "a tensor looks into other memory, by set_, resize_ and .data": """
def t(n, f):
    try: print(n, f())
    except Exception as e: print(n, type(e).__name__, str(e))
D=torch.float64
leaf=lambda *s: torch.ones(*s,dtype=D,requires_grad=True)
t('leaf', lambda: leaf(2).set_(leaf(3)))
t('leafview', lambda: leaf(2).view(-1).set_(leaf(3)))
t('res', lambda: (leaf(2)*1).set_(leaf(3)))
t('res,plain', lambda: (leaf(2)*1).set_(torch.ones(3,dtype=D)))
t('plain,leaf', lambda: torch.ones(2,dtype=D).set_(leaf(3)))
t('plain,res', lambda: torch.ones(2,dtype=D).set_(leaf(3)*1))
t('plain,plain', lambda: torch.ones(2,dtype=D).set_(torch.zeros(3,dtype=D)))
t('plain,float', lambda: torch.ones(2,dtype=D).set_(torch.zeros(3)))
t('leaf,float', lambda: leaf(2).set_(torch.zeros(3)))
def ng(f):
    with torch.no_grad(): return f()
t('ng leaf', lambda: ng(lambda: leaf(2).set_(leaf(3))))
t('ng leaf plain', lambda: ng(lambda: leaf(2).set_(torch.zeros(3,dtype=D))))
t('ng plain leaf', lambda: ng(lambda: torch.ones(2,dtype=D).set_(leaf(3))))
t('ng res', lambda: ng(lambda: (leaf(2)*1).set_(leaf(3))))
def a():
    x=torch.ones(2,dtype=D); y=torch.zeros(3,dtype=D); v=x.view(-1)
    r=x.set_(y); y.add_(1); v.add_(5)
    return r is x, x, x._version, y._version, v._version, v, v._is_view(), v._base is x
t('plain', a)
def a():
    x=torch.ones(2,dtype=D); y=torch.zeros(3,dtype=D); v=x.view(-1)
    r=v.set_(y); y.add_(1); v.add_(5)
    return x, x._version, y._version, v._version, v, v._is_view()
t('view', a)
t('self', lambda: (lambda x: (x.set_(x), x._version))(torch.ones(2)))
t('empty', lambda: (lambda x: (x.set_(), x._version))(torch.ones(2)))
# resize
def a():
    x=torch.arange(6.); v=x[1:3]; v.resize_(2,2); v.add_(10)
    return x, v, x._version, v._version, v._is_view()
t('rs', a)
def a():
    x=torch.arange(6.); v=x[4:]; v.resize_(2,2); v.fill_(10)
    return x, v, x._version
t('rs grow', a)
def a():
    x=torch.arange(6.).view(2,3); v=x.t(); v.resize_(2,2)
    return x, v
t('rs t', a)
t('rs leaf', lambda: leaf(2).resize_(2,2))
t('rs leaf ng', lambda: ng(lambda: leaf(2).resize_(2,2)))
t('rs leaf same', lambda: leaf(2).resize_(2))
t('rs leafview', lambda: leaf(4).view(-1).resize_(2,2))
t('rsas leaf same', lambda: leaf(2).resize_as_(torch.ones(2)))
t('rs res', lambda: (leaf(2)*1).resize_(2,2))
t('rs ngview', lambda: ng(lambda: leaf(4).view(-1)).resize_(2,2))
def a():
    x=leaf(4)
    y=x*2; y.data=torch.ones(2,2,dtype=D)
    z=y*y
    return z, torch.autograd.grad(z.sum(), x)
t('d1', a)
def a():
    x=leaf(4)
    y=x*2; y.data=torch.ones(1,dtype=D)
    z=y.exp()
    return z, torch.autograd.grad(z.sum(), x)
t('d2', a)
def a():
    x=leaf(4)
    y=x*2; y.data=torch.ones(3,4,dtype=D)
    z=y.exp()
    return z, torch.autograd.grad(z.sum(), x)
t('d3', a)
def a():
    x=leaf(4)
    z=x*x; x.data=torch.full((2,),3.,dtype=D)
    return z, torch.autograd.grad(z.sum(), x)
t('d4', a)
def a():
    x=leaf(4)
    z=x.exp(); x.data=torch.full((2,),3.,dtype=D)
    z.sum().backward(); print(x.grad)
    return x.grad.shape
t('d5', a)
def a():
    x=leaf(4)
    z=x.exp(); x.data=torch.full((2,),3.,dtype=D)
    (z.sum()+x.sum()).backward(); print(x.grad)
    return x.grad.shape
t('d6', a)
def a():
    x=leaf(4)
    z=x.exp(); x.data=torch.full((2,),3.)
    z.sum().backward();
    return x.grad
t('d7', a)
def a():
    x=leaf(4)
    y=x*2;  y.data=y.data.float()
    z=y.exp(); z.sum().backward()
    return y, x.grad
t('d8', a)
def a():
    x=leaf(4); y=x*2;  y.data=torch.ones(2,dtype=D)
    y.backward(torch.ones(2,dtype=D))
    return y, x.grad
t('d9', a)
def a():
    x=leaf(4); y=x*2;  y.data=torch.ones(2,dtype=D)
    return torch.autograd.grad(y.sum(), y)
t('d10', a)
def a():
    x=leaf(4); y=x.sin();  y.register_hook(lambda g: print('h',g)); z=y.cos(); y.data=torch.ones(2,dtype=D); y.register_hook(lambda g: print('h2',g)); y.retain_grad()
    z.sum().backward(); return x.grad, y.grad
t('d11', a)
def a():
    x=leaf(4); y=x.sin(); x.data=torch.zeros(4,dtype=D);
    y.sum().backward(); return x.grad
t('d12', a)
def a():
    x=leaf(4); y=x*1; v=y.view(2,2); y.data=torch.zeros(4,dtype=D); v.mul_(3)
    return y, v, y.grad_fn, v.grad_fn
t('d13', a)
def a():
    x=leaf(4); y=x*1; v=y.view(2,2); v.data=torch.zeros(4,dtype=D); v.mul_(3)
    return y, v, y.grad_fn, v.grad_fn
t('d14', a)
def a():
    x=leaf(4); x.grad=torch.ones(4,dtype=D); x.data=torch.ones(2,dtype=D); (x*2).sum().backward()
    return x.grad
t('d15', a)
""",
    "set_ is a node without a derivative": """
D=torch.float64
x=torch.ones(2,dtype=D,requires_grad=True)
a=x*1; b=x.exp()
a.set_(b)
print(a, a.grad_fn, a.grad_fn.next_functions, a._version, a.is_leaf)
c=torch.ones(2,dtype=D)
c.set_(b); print(c.grad_fn.next_functions, c.requires_grad)
try: c.sum().backward()
except Exception as e: print(type(e).__name__, e)
a=x*1
a.set_(torch.ones(2,dtype=D)); print(a.grad_fn.next_functions, a.requires_grad)
y=x*1; v=y.view(-1)
v.set_(b)
print(y, y.grad_fn, v, v.grad_fn, v._version, y._version, v._is_view())
try: print((v*2).sum().backward())
except Exception as e: print(type(e).__name__, e)
y=x*1; v=y.view(-1)
try:
    y.set_(b)
    print(y, y.grad_fn, v, v.grad_fn, v._version, y._version, v._is_view())
except Exception as e: print(type(e).__name__, e)
u=x.unbind(0)[0]
try: u.set_(b)
except Exception as e: print(type(e).__name__, e)
with torch.no_grad(): v=x.view(-1)
try: v.set_(b)
except Exception as e: print(type(e).__name__, e)
i=torch.tensor([1,2]); i.set_(torch.tensor([3])); print(i)
z=x.expand(3,2); w=z*1
try: w.set_(z); print(w, w.stride(), w.grad_fn)
except Exception as e: print(type(e).__name__, e)
""",
    "as_strided looks beyond the elements of a view": """
D=torch.float64
x=torch.arange(6.,dtype=D).requires_grad_()
y=x*2
v=y[1:3]
w=v.as_strided((3,),(1,))
print(w, w.grad_fn, w.grad_fn.next_functions)
print(torch.autograd.grad((w*torch.tensor([1.,10,100],dtype=D)).sum(), [v,y], retain_graph=True, allow_unused=True))
w=v.as_strided((2,2),(1,1))
print(torch.autograd.grad((w*torch.tensor([[1.,10],[100,1000]],dtype=D)).sum(), [v,y], retain_graph=True, allow_unused=True))
w=v.as_strided((2,),(1,),4)
print(w, torch.autograd.grad((w*torch.tensor([1.,10],dtype=D)).sum(), [v,y], retain_graph=True, allow_unused=True))
u=x.unbind(0)[2][None].as_strided((2,),(1,))
print(u, torch.autograd.grad(u.sum(), x))
v=y[1:3]
w=v.as_strided((3,),(1,))
z=torch.tensor([1.,2.,3.])
z[1:].as_strided((2,),(1,),0).add_(1); print(z)
a=torch.zeros(4,dtype=D)[1:2].requires_grad_()
b=a.as_strided((3,),(1,)); print(b, torch.autograd.grad((b*b).sum(),a))
""",
    "a gradient is a view where PyTorch has one, and hooks let changes pass": """
D=torch.float64
x=torch.ones(1,dtype=D,requires_grad=True); X=torch.ones(2,3,dtype=D,requires_grad=True)
import torch.nn.functional as F
for g in (torch.autograd.grad(X.sum(),X)[0], torch.autograd.grad((X*2).sum(),X)[0], torch.autograd.grad(X.t().sum(),X)[0]): print(g._is_view(), g._base is None, g.stride(), g._version)
def t(n, f):
    try: print(n, f())
    except Exception as e: print(n, type(e).__name__, e)
g=torch.autograd.grad(X.sum(),X)[0]
def a(): g.data[0]=0.5; return g
t('data', a)
def a(): g[:,:1]=0.5; return g
t('part', a)
g=torch.autograd.grad(X.sum(0).sum(),X)[0]
def a(): g[:,:1]=0.5; return g
t('part', a)
def a(): g[0,1]=7.; return g
t('part', a)
def a(): g.detach()[0]=7.; return g
t('part', a)
def a(): g.fill_(3.); return g
t('part', a)
def a(): g.data.zero_(); return g
t('part', a)
def a(): g.data.mul_(2); return g
t('part', a)
f=torch.tensor([0.1,0.2,0.3]); o=torch.zeros((),dtype=D); i=torch.zeros((),dtype=torch.int64)
for n in ('sum','mean','prod','nansum'):
    t(n, lambda: getattr(torch,n)(f,0,out=o).item()); t(n, lambda: getattr(torch,n)(f.double(),0,out=torch.zeros(())))
o=torch.zeros(3,dtype=D)
for n in ('cumsum','cumprod'):
    t(n, lambda: getattr(torch,n)(f,0,out=o).tolist()); t(n, lambda: getattr(torch,n)(f,0,out=torch.zeros(3,dtype=torch.int64)))
b=torch.zeros(0,3,dtype=torch.bool)
for n in ('log_softmax','softmax','softmin'):
    for z in (b, b.long(), torch.zeros(2,3,dtype=torch.bool)):
        t(n, lambda: getattr(F,n)(z,1)); t(n, lambda: getattr(F,n)(z,0))
t('ce', lambda: F.cross_entropy(b, torch.ones(2,3)))
t('ce', lambda: F.cross_entropy(b, torch.ones(0,3)))
t('ce', lambda: F.cross_entropy(b, torch.ones(0,dtype=torch.int64)))
t('ce', lambda: F.cross_entropy(b, torch.ones(2,dtype=torch.int64)))
x=torch.ones(2,dtype=D,requires_grad=True)
y=x*2
with torch.autograd.graph.save_on_cpu():
    z=y*y; w=y.exp()
y.mul_(2); w.detach().mul_(3)
t('cpu', lambda: torch.autograd.grad(z.sum()+w.sum(), x))
y=x*2
with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t): z=y*y
y.mul_(5); t('h', lambda: torch.autograd.grad(z.sum(), x))
""",
    "of nothing no kernel is asked, and alpha is whole beside whole numbers": """
import torch.nn.functional as F
def t(n, f):
    try: print(n, f())
    except Exception as e: print(n, type(e).__name__, e)
b=torch.bool
for n,a,c in (('matmul',(0,2),(2,1)),('matmul',(2,0),(0,1)),('matmul',(2,2),(2,0)),('mm',(0,2),(2,1)),('mm',(2,0),(0,2)),('mv',(0,2),(2,)),('mv',(2,0),(0,)),('dot',(0,),(0,)),('bmm',(0,2,2),(0,2,2)),('bmm',(2,2,0),(2,0,2)),('bmm',(2,0,2),(2,2,2)),('matmul',(2,2,0),(2,0,2)),('matmul',(0,),(0,)),('matmul',(2,0),(0,)),('outer',(0,),(2,))):
    for d in (b,torch.float16):
        t((n,a,c,str(d)), lambda: (lambda r: (r.shape,r.tolist()))(getattr(torch,n)(torch.ones(a).to(d), torch.ones(c).to(d))))
for d in (b,torch.int64,torch.uint8,torch.float16):
    for m in ('replicate','reflect','circular','constant'):
        t((m,d), lambda: F.pad(torch.ones(1,2,3).to(d),(1,1),mode=m).dtype)
        t((m,d), lambda: F.pad(torch.ones(1,2,3,3).to(d),(1,1,1,1),mode=m).dtype)
        t((m,d), lambda: F.pad(torch.ones(1,2,3,3,3).to(d),(1,1,1,1,1,1),mode=m).dtype)
        t((m,d), lambda: F.pad(torch.ones(2,3).to(d),(1,1),mode=m).dtype)
for x in (torch.ones(2), torch.tensor([1,2]), torch.tensor([1,2],dtype=torch.uint8), torch.tensor([True,False])):
    for o in (torch.ones(2), torch.ones(3), torch.tensor([1,2]), torch.tensor(2.0), torch.tensor(2), 2, 2.0):
        for f in ('add_','sub_','add','sub'):
            t((f,x.dtype,o), lambda: getattr(x.clone(),f)(o,alpha=0.5))
            t((f,x.dtype,o), lambda: getattr(x.clone(),f)(o,alpha=2))
""",
    "what custom Functions return where nothing is recorded, and what is put into itself": """
D=torch.float64
def t(n, f):
    try: print(n, f())
    except Exception as e: print(n, type(e).__name__, e)
x=torch.tensor([0.2,1.3,0.7,4.],dtype=D,requires_grad=True)
for m in ('linear','lower','higher','midpoint','nearest'):
    print(m, torch.quantile(x,0.3,interpolation=m)._version, torch.quantile(x,torch.tensor([.3,.5],dtype=D),interpolation=m)._version, torch.quantile(x,0.3,interpolation=m).grad_fn.name())
q=torch.quantile(x,0.3); v=q.view(-1); print(q._version, v._version)
a=torch.tensor([1.,2.,3.],requires_grad=True); b=torch.tensor(-0.7,dtype=D,requires_grad=True)
for f in ('mul_','div_','fmod_','copysign_'):
    y=(a*1.1);
    t(f, lambda: (getattr(y,f)(b), [g.tolist() for g in torch.autograd.grad(y.sum(),(a,b))])[1])
    y=(a*1.1);
    t(f, lambda: (getattr(y[1:],f)(b), [g.tolist() for g in torch.autograd.grad(y.sum(),(a,b))])[1])
s=torch.tensor(1.5)
for i in ((s>0).nonzero(as_tuple=True), (torch.tensor(0),), torch.tensor(0), torch.tensor([0]), ([0],), [0], (0,), (0,0), (None,0), torch.tensor([True]), (torch.tensor(0),torch.tensor(0)), (slice(None),)):
    t(i, lambda: s[i])
X=torch.ones(2,2)
for i in ((torch.tensor(0),)*3, (torch.tensor([0]),)*3, (0,0,0), (0,0,torch.tensor([0])), ([0],[0],[0])):
    t(i, lambda: X[i])
def st(x,i,v): x[i]=v; return x
t('o', lambda: st(X,[-3,-4,3],X)); t('o', lambda: st(X,torch.tensor([0,1,1]),X)); t('o', lambda: st(X,torch.tensor([0,1]),X));  t('o', lambda: st(X,[0,1],X[0])); t('o', lambda: st(X,X>0,X)); t('o', lambda: st(X,X>0,X[0,0])); t('o', lambda: st(X,torch.tensor([5]),X[0])); t('o', lambda: st(X,(slice(None),torch.tensor([0,1])),X)); t('o', lambda: st(X,(0,torch.tensor([0,1])),X[0]))
class Same(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a): return a
    @staticmethod
    def backward(ctx, g): return g
class Sight(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a): return a.view(-1)
    @staticmethod
    def backward(ctx, g): return g
p=torch.ones(2);
for F in (Same,Sight):
    t('c', lambda: F.apply(p).mul_(a[:2])); t('c', lambda: F.apply(p)[0].mul_(a[0])); t('c', lambda: st(F.apply(p),0,a[0])); t('c', lambda: F.apply(p).mul_(2))
y=torch.ones(3,2,requires_grad=True).clone().view(-1)[1:]
y.sub_(torch.ones(5,dtype=D,requires_grad=True),alpha=0.5); print(y.grad_fn.next_functions[0][0].next_functions)
""",
    "numbers moved over those that are read, and comparisons written into a tensor": """
def t(n, f):
    try: print(n, f())
    except Exception as e: print(n, type(e).__name__, e)
n=0
i=torch.tensor([0,0]);
for f in (lambda x: x.index_add_(0,i,x), lambda x: x.index_copy_(0,i,x), lambda x: x.scatter_(0,torch.zeros(2,2,dtype=torch.int64),x), lambda x: x.scatter_add_(0,torch.zeros(2,2,dtype=torch.int64),x), lambda x: x.masked_scatter_(x>0,x), lambda x: x.index_put_((i,),x), lambda x: x.put_(i,x[0]), lambda x: x.index_reduce_(0,i,x,'prod'), lambda x: x.scatter_reduce_(0,torch.zeros(2,2,dtype=torch.int64),x,'prod'), lambda x: x.index_fill_(0,i,x[0,0]), lambda x: x.masked_fill_(x>0,x[0,0]), lambda x: x.addmm_(x,x), lambda x: x.lerp_(x,x), lambda x: x.cumsum_(0), lambda x: x.tril_(), lambda x: x.addcmul_(x,x), lambda x: x.where_(x>0,x) if hasattr(x,'where_') else None, lambda x: x[0].copy_(x[1]), lambda x: x.copy_(x.t()), lambda x: x.add_(x.t()), lambda x: x.mul_(x[0]), lambda x: x.fill_(x[0,0]), lambda x: x.index_add_(0,i,x[:]), lambda x: x.copy_(x)):
    t(('s',n), lambda: f(torch.ones(2,2))); n+=1
for x in (torch.zeros(0,3,requires_grad=True), torch.zeros(3,0,requires_grad=True), torch.ones(3,requires_grad=True)):
    t('c', lambda: [(y.shape, y.grad_fn.name()) for y in x.chunk(2)]); t('c', lambda: [(y.shape, y.grad_fn.name()) for y in x.chunk(2,-1)])
a=torch.eye(2)*2+1
for n in ('cholesky','inv','det','pinv','matrix_exp'):
    r=getattr(torch.linalg,n)(a); print(n, r.stride())
b=torch.tensor([True,False])
t('m', lambda: b.median()); t('m', lambda: b.median(0)); t('m', lambda: b.nanmedian()); t('m', lambda: b.nanmedian(0))
o=torch.zeros(2,dtype=torch.bool); x=torch.ones(2,requires_grad=True); of=torch.zeros(2,requires_grad=True)*1
for n in ('gt','eq','lt','ne','ge','le','logical_and','logical_or'): t(n, lambda: getattr(torch,n)(x,x,out=o)); t(n, lambda: getattr(torch,n)(x,torch.ones(3),out=o)); t(n, lambda: getattr(torch,n)(x,x,out=of))
t('argmax', lambda: torch.argmax(x,0,out=torch.zeros((),dtype=torch.int64))); t('isnan', lambda: torch.isfinite(x)); t('floor', lambda: torch.floor(x,out=torch.zeros(2))); t('sign', lambda: torch.sign(x,out=torch.zeros(2))); t('sort', lambda: torch.sort(x,out=(torch.zeros(2),torch.zeros(2,dtype=torch.int64))));
""",
    "dtypes of norms and of interpolation are refused by their kernels": """
import itertools
def t(n, f):
    try: print(n, f())
    except Exception as e: print(n, type(e).__name__, e)
D,S,H,L,B=torch.float64,torch.float32,torch.float16,torch.int64,torch.bool
for a,b,c in itertools.product((D,S,L),(D,S,L,None),(D,H,None)):
    x=torch.ones(2,4).to(a); w=None if b is None else torch.ones(4).to(b); bb=None if c is None else torch.ones(4).to(c)
    t(f'ln {a} {b} {c}', lambda: F.layer_norm(x,(4,),w,bb).dtype)
    t(f'gn {a} {b} {c}', lambda: F.group_norm(x,2,w,bb).dtype)
    t(f'bn {a} {b} {c}', lambda: F.batch_norm(x,None,None,w,bb,True).dtype)
for a,b,c in itertools.product((D,S,L),(D,L,None),(D,S,L)):
    x=torch.ones(2,4).to(a); w=None if b is None else torch.ones(4).to(b); bb=torch.ones(4).to(c)
    t(f'bnr {a} {b} {c}', lambda: F.batch_norm(x,bb,bb,w,None,False).dtype)
x=torch.zeros(1,1,3,4)
for d in (B,L,torch.uint8,H,torch.int32):
  for m,aa in (('nearest',False),('bilinear',False),('bicubic',False),('bilinear',True),('bicubic',True),('lanczos',True),('area',False),('nearest-exact',False)):
    t(f'{d} {m} {aa}', lambda: F.interpolate(x.to(d),size=(2,2),mode=m,antialias=aa).dtype)
""",
    "quantiles and splits count changes and dims as PyTorch does": """
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
x=torch.tensor([0.2,1.3,0.7,4.]); X=torch.arange(12.).view(3,4)
for m in ('linear','lower','higher','midpoint','nearest'):
    print(m, [torch.quantile(x,0.3,interpolation=m)._version, torch.nanquantile(x,0.3,interpolation=m)._version, torch.quantile(X,0.3,dim=0,interpolation=m)._version, torch.quantile(X,torch.tensor([0.3,.5]),dim=0,interpolation=m)._version, torch.quantile(X,torch.tensor([0.3,.5]),dim=1,keepdim=True,interpolation=m)._version,torch.quantile(X,torch.tensor([0.3,.5]),interpolation=m)._version])
s=torch.tensor(1.)
for n in ('hsplit','vsplit','dsplit'):
    for v in (s, x, X): t(lambda: getattr(v,n)(2)); t(lambda: getattr(v,n)(3)); t(lambda: getattr(v,n)([1]))
""",
    "leaves that were ready before a pass failed have their gradient": """
x=torch.ones(2,requires_grad=True); w=torch.ones(2,requires_grad=True)
y=x.exp(); y.sum().backward(); print(x.grad)
try: (w*y).sum().backward()
except RuntimeError as e: print(e)
print(w.grad, x.grad)
e=torch.zeros(0,3,dtype=torch.float64,requires_grad=True)
print(torch.autograd.gradcheck(lambda v: (v*v).sum(), (e,)))
""",
    "a part of what takes no gradient is assigned after a change in place": """
t6=torch.tensor(2.,requires_grad=True)[None]
t7=torch.zeros(3)
t7[True] *= t6
graph(t7)
""",
    "numbers that stand for several are filled, and sizes are told in order": """
def t(n, f):
    try: print(n, f())
    except Exception as e: print(n, type(e).__name__, e)
t('d', lambda: torch.div(torch.ones(2,2),torch.ones(2,3),rounding_mode='floor')); t('d', lambda: torch.div(torch.ones(2,2).long(),torch.ones(2,3).long(),rounding_mode='trunc'))
t('m', lambda: torch.ones(1,2).masked_fill_(torch.ones(2,2,3)>0,0.5)); t('m', lambda: torch.ones(2).masked_fill_(torch.ones(2,2)>0,0.5)); t('m', lambda: torch.ones(2).masked_fill(torch.ones(3)>0,0.5)); t('m', lambda: torch.ones(2).long().masked_fill_(torch.ones(3)>0,1))
x=torch.ones(3,requires_grad=True); g=torch.autograd.grad(x.sum(),x)[0]
g.data=g.data; g.index_fill_(0,torch.tensor([0]),0.5); print(g)
""",
    "a total is written into what it is taken of, and one of two results has other memory": """
for f in (torch.sum, torch.prod, torch.nansum):
    x = torch.arange(1., 7).view(2, 3)
    print(f(x, 0, out=x), x.shape)
x = torch.eye(3).requires_grad_()
a, b = torch.aminmax(x)
a.data = b
b.backward()
show_grad('x', x)
""",
    "what is sent to a tensor that got memory of another shape is fitted to what its node knows": """
def t(call, data, again, is_leaf):
    x = torch.full((2, 3), 2., requires_grad=True)
    a = x if is_leaf else x * 1
    y = call(a)
    a.data = data.clone()
    try:
        g, = torch.autograd.grad(y, x, torch.ones_like(y), create_graph=again)
        print(tuple(data.shape), again, is_leaf, g.dtype, g.tolist())
    except RuntimeError as e:
        print(tuple(data.shape), again, is_leaf, e)
shapes = (torch.ones(3), torch.ones(2, 1), torch.ones(6, dtype=torch.float64), torch.ones(3, 2), torch.ones(()))
calls = (
    Sight.apply, Same.apply, lambda a: sum(Twice.apply(a, a)), lambda a: sum(Late.apply(a, 0.5)),
    F.softplus, lambda a: a * a, torch.sin, torch.sigmoid, lambda a: a ** 3, F.silu, torch.relu, torch.exp, F.elu,
)
for number, call in enumerate(calls):
    print(number)
    for data in shapes:
        for again in (False, True):
            for is_leaf in (True, False):
                t(call, data, again, is_leaf)
""",
}
