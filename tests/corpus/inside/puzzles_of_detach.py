import torch
w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
q = lambda title, value: print(f"{title:<38} {value}")
y = w * 2; z = y.detach(); z[0] = 100.; q("detach shares memory", y)
try: (y * y).sum().backward(); q("and grad", w.grad)
except RuntimeError as e: q("error", e)
c = w.clone(); c.sum().backward(); q("clone passes gradient", w.grad); w.grad = None
d = w.detach().clone().requires_grad_(); (d ** 2).sum().backward(); q("copy is its own leaf", (w.grad, d.grad))
with torch.no_grad(): n = w * 2
q("no_grad", (n.requires_grad, n.grad_fn)); n.requires_grad_(); (n * w).sum().backward(); q("n.grad / w.grad", (n.grad, w.grad)); w.grad = None
with torch.no_grad():
    with torch.enable_grad(): e = w * 3
    f = w * 3
q("enable inside no_grad", (e.requires_grad, f.requires_grad, torch.is_grad_enabled()))
with torch.set_grad_enabled(False): q("set_grad_enabled", (w * 1).requires_grad)
@torch.no_grad()
def ev(x): return x * w
q("decorator", ev(2).requires_grad)
for k in range(3): (w.sum() * (k + 1)).backward(); q(f"accumulated {k}", w.grad)
w.grad.zero_(); q("zeroed", w.grad)
(w ** 2).sum().backward(); g = w.grad; w.grad = None; (w ** 2).sum().backward(); q("same object?", (g is w.grad, torch.equal(g, w.grad))); w.grad = None
a = w[1]; q("select", (a, a.is_leaf, a._is_view() if hasattr(a, "_is_view") else None, a.grad_fn.name()))
s = (w * w).sum(); s.backward(retain_graph=True); s.backward(); q("twice", w.grad); w.grad = None
h = torch.zeros(3); outs = []
for t in range(4):
    h = torch.tanh(h * w + 1)
    if t == 1: h = h.detach()
    outs.append(h)
sum(o.sum() for o in outs).backward(); q("truncated bptt", w.grad); w.grad = None
x = w.data; x += 1; q("data writes through", w); q("version", w._version)
st = torch.tensor([0.2, 0.7], requires_grad=True); hard = (st > 0.5).float(); ste = hard + st - st.detach(); (ste * torch.tensor([3., 4.])).sum().backward(); q("straight through", (ste, st.grad))
r = torch.ones(2, 2, requires_grad=True); rv = r.t(); ru = r.reshape(4); rx = r.expand(3, 2, 2); (rv.sum() + ru[0] + rx.sum()).backward(); q("views add up", r.grad)
i = torch.tensor([0, 0, 2]); v = torch.zeros(3, requires_grad=True); v[i].sum().backward(); q("gather counts", v.grad)
u = torch.ones(2, requires_grad=True); k = u * 1; k += u; k *= 2; k.sum().backward(); q("in place chain", (k, u.grad)); q("names", (k.grad_fn.name(), k.grad_fn.next_functions[0][0].name()))
lst = [torch.tensor(float(j), requires_grad=True) for j in range(3)]; torch.stack(lst).prod().backward(); q("list of scalars", [p.grad.item() for p in lst])
m1, m2 = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2); m2.weight = m1.weight; m2(m1(torch.ones(1, 2))).sum().backward(); q("tied", (m1.weight.grad is m2.weight.grad, m1.weight.grad.shape))
o = torch.tensor(1.0, requires_grad=True); p = o * 2; p2 = p * 3; q("grad wrt middle", torch.autograd.grad(p2, p)); 
try: torch.autograd.grad(p2, p)
except RuntimeError as e: q("again", e)
q("grad of unrelated", torch.autograd.grad((o * 2), [torch.ones(1, requires_grad=True)], allow_unused=True))
q("item / tolist", (o.item(), w.tolist(), type(o.item()))); q("compare", (w > 2, (w > 2).any().item(), bool(w[0] == 2), w.max() == 4))
import copy
wc = copy.deepcopy(w); q("deepcopy", (wc.is_leaf, wc.requires_grad, wc.grad)); q("requires_grad of int ops", (w.argmax(), w.argmax().requires_grad, (w > 1).requires_grad))
q("ones_like / new", (torch.ones_like(w).requires_grad, w.new_zeros(2), torch.zeros_like(w, requires_grad=True).requires_grad))
l1 = torch.nn.Linear(1, 1); l1.requires_grad_(False); q("frozen", l1(torch.ones(1)).requires_grad)
try: l1(torch.ones(1)).backward()
except RuntimeError as e: q("frozen backward", e)
del y
try: y
except NameError as e: q("deleted", e)
