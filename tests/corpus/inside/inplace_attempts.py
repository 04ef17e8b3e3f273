# in-place operations and views: everything that can go wrong
import torch
def attempt(label, fn):
    try:
        r = fn()
        print(f"[ok]   {label}: {r}")
    except Exception as e:
        print(f"[{type(e).__name__}] {label}: {e}")
def leaf_inplace():
    a = torch.ones(3, requires_grad=True); a += 1; return a
def leaf_view():
    a = torch.ones(3, requires_grad=True); a[0] = 5; return a
def leaf_data():
    a = torch.ones(3, requires_grad=True); a.data[0] = 5; (a * a).sum().backward(); return a.grad
def saved_changed():
    a = torch.ones(3, requires_grad=True); b = a.exp(); c = b * 2; b.add_(1); c.sum().backward(); return a.grad
def saved_changed2():
    a = torch.ones(3, requires_grad=True); b = a * 2; c = b ** 2; b.mul_(3); c.sum().backward()
def saved_slice():
    a = torch.ones(2, 3, requires_grad=True); b = a.sigmoid(); b[0] = 0; b.sum().backward()
def fine():
    a = torch.ones(3, requires_grad=True); b = a * 2; b += 1; b[1] = 7; b.sum().backward(); return a.grad
def relu_inplace():
    a = torch.tensor([-1., 2.], requires_grad=True); b = a * 1; torch.relu_(b); b.sum().backward(); return a.grad, b.grad_fn.name()
def unbind_view():
    a = torch.ones(2, 2, requires_grad=True) * 1; u, v = a.unbind(0); u.add_(1); return a
def split_view():
    a = torch.ones(4, requires_grad=True) * 1; u, v = a.split(2); u.mul_(2); return u
def chunk_view():
    a = torch.ones(4, requires_grad=True) * 1; u, v = a.chunk(2); u.zero_(); return u
def nograd_view():
    a = torch.ones(4, requires_grad=True)
    with torch.no_grad(): v = a.view(2, 2)
    v += 1
    return v
def detach_inplace():
    a = torch.ones(3, requires_grad=True); b = a * 2; d = b.detach(); d.zero_(); b.pow(2).sum().backward(); return a.grad
def detach_inplace2():
    a = torch.ones(3, requires_grad=True); b = a.tanh(); d = b.detach(); d.zero_(); b.sum().backward(); return a.grad
def view_detach():
    a = torch.ones(2, 2, requires_grad=True) * 2; v = a.view(4); v.detach_(); return v
def expand_write():
    e = torch.zeros(1, 3).expand(2, 3); e[0, 0] = 1; return e
def expand_add():
    e = torch.zeros(3, 1).expand(3, 2); e.add_(1); return e
def resize():
    a = torch.ones(3, requires_grad=True); a.resize_(2); return a
def dtype_inplace():
    a = torch.arange(3); a += 0.5; return a
def dtype_div():
    a = torch.arange(3); a /= 2; return a
def shape_inplace():
    a = torch.zeros(3); a += torch.ones(2, 3); return a
def copyfrom():
    a = torch.zeros(3); b = torch.ones(3, requires_grad=True); a.copy_(b * 2); a.sum().backward(); return b.grad, a.grad_fn.name()
def setitem_grad():
    a = torch.zeros(2, 2); b = torch.tensor(3., requires_grad=True); a[0, 1] = b; a[1] = b * 2; a.sum().backward(); return a, b.grad
def fill():
    a = torch.zeros(2); b = torch.tensor(3., requires_grad=True); a.fill_(b); a.sum().backward(); return a.grad_fn.name(), b.grad
def inference():
    with torch.inference_mode(): a = torch.ones(2)
    b = torch.ones(2, requires_grad=True); return (a * b).sum()
def inference2():
    with torch.inference_mode(): a = torch.ones(2)
    a.add_(1); return a
def req_int():
    return torch.arange(3, requires_grad=True)
def req_nonleaf():
    a = torch.ones(2, requires_grad=True); b = a * 2; b.requires_grad = False
def req_nonleaf2():
    a = torch.ones(2, requires_grad=True); b = a * 2; b.requires_grad_(False)
def bad_grad():
    a = torch.ones(2, requires_grad=True); a.grad = torch.ones(3)
def bad_grad2():
    a = torch.ones(2, requires_grad=True); a.grad = torch.ones(2, dtype=torch.double)
def bad_grad3():
    a = torch.ones(2, requires_grad=True); a.grad = 1.0
def no_req():
    torch.ones(2).sum().backward()
def nonscalar():
    (torch.ones(2, requires_grad=True) * 2).backward()
def mism():
    (torch.ones(2, requires_grad=True) * 2).backward(torch.ones(3))
def deep():
    import copy; a = torch.ones(2, requires_grad=True) * 2; return copy.deepcopy(a)
def setgradfn():
    a = torch.ones(2, requires_grad=True); a.grad_fn = None
def setleaf():
    a = torch.ones(2); a.is_leaf = False
def bool_many():
    return bool(torch.ones(2) > 0)
def view_bad():
    return torch.ones(2, 3).t().view(6)
def masked():
    a = torch.arange(4., requires_grad=True); b = a * 1; b[b > 1] = 0; b.sum().backward(); return a.grad, b
for f in (leaf_inplace, leaf_view, leaf_data, saved_changed, saved_changed2, saved_slice, fine, relu_inplace, unbind_view, split_view, chunk_view, nograd_view, detach_inplace, detach_inplace2, view_detach, expand_write, expand_add, resize, dtype_inplace, dtype_div, shape_inplace, copyfrom, setitem_grad, fill, inference, inference2, req_int, req_nonleaf, req_nonleaf2, bad_grad, bad_grad2, bad_grad3, no_req, nonscalar, mism, deep, setgradfn, setleaf, bool_many, view_bad, masked):
    attempt(f.__name__, f)
def show(f):
    t = torch.tensor([4, 5]); a = t
    try: r = f(t); print(a, r is a, a._version)
    except Exception as e: print(type(e).__name__, e)
def fd(t): t //= 2; return t
def md(t): t %= 2; return t
def an(t): t &= 4; return t
def orr(t): t |= 1; return t
def xo(t): t ^= 1; return t
def ls(t): t <<= 1; return t
def rs(t): t >>= 1; return t
def pw(t): t **= 2; return t
def mm(t): t @= t; return t
def fdt(t): t //= torch.tensor([2., 2.]); return t
def mdt(t): t %= torch.tensor([[2, 3]]); return t
def mdx(t): t %= torch.tensor([[2, 3], [1, 1]]); return t
def bb(t): t &= torch.tensor([True, False]); return t
for f in (fd, md, an, orr, xo, ls, rs, pw, mm, fdt, mdt, mdx, bb): print(f.__name__); show(f)
m = torch.tensor([True, False]); k = m; m &= torch.tensor([False, True]); print(k); m |= True; print(k); m ^= True; print(k)
x = torch.tensor([5., 7.], requires_grad=True)
for f in (md,):
    y = x * 2; z = y; z = f(y); print(z, z is y, z.grad_fn)
    try: z.sum().backward(); print(x.grad)
    except Exception as e: print(type(e).__name__, e)
    try: f(x)
    except Exception as e: print(type(e).__name__, e)
class A: pass
a = A(); a.t = torch.tensor([4, 5]); b = a.t; a.t //= 2; a.t %= 2; print(b, a.t is b)
l = [torch.tensor([7., 8.])]; b = l[0]; l[0] %= 3; print(b)
v = torch.arange(6.).view(2, 3); v[0] %= 2; v[1] //= 2; print(v); v[:, 0] **= 2; print(v)
