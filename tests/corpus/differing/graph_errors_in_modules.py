# anomaly, retain_graph misuse, inplace in modules: full error texts and warnings
import torch, torch.nn as nn, warnings
def run(title, fn):
    print("###", title)
    try: print("->", fn())
    except Exception as e: print(type(e).__module__ + "." + type(e).__name__ if type(e).__module__ != "builtins" else type(e).__name__, "|", e)
class Bad(nn.Module):
    def __init__(self): super().__init__(); self.l = nn.Linear(2, 2); self.h = torch.zeros(1, 2)
    def forward(self, x): self.h = torch.tanh(self.l(x) + self.h); return self.h
torch.manual_seed(0)
def hidden():
    m = Bad()
    for _ in range(2): m(torch.ones(1, 2)).sum().backward()
run("hidden state", hidden)
def relu_in():
    x = torch.randn(3, requires_grad=True); y = torch.sigmoid(x); z = nn.ReLU(inplace=True)(y); z.sum().backward()
run("relu after sigmoid", relu_in)
def relu_ok():
    x = torch.tensor([1., -1.], requires_grad=True); y = x * 2; z = nn.ReLU(inplace=True)(y); z.sum().backward(); return x.grad, y is z
run("relu fine", relu_ok)
def gan():
    g, d = nn.Linear(1, 1), nn.Linear(1, 1); og, od = torch.optim.SGD(g.parameters(), .1), torch.optim.SGD(d.parameters(), .1)
    f = g(torch.ones(1, 1)); ld = d(f).sum(); lg = -d(f).sum()
    od.zero_grad(); ld.backward(retain_graph=True); od.step(); og.zero_grad(); lg.backward()
run("gan step before backward", gan)
def loop():
    w = torch.ones(1, requires_grad=True); h = torch.ones(1)
    for i in range(3): h = h * w; h.backward()
run("loop", loop)
def loop2():
    w = torch.ones(1, requires_grad=True); h = torch.ones(1)
    for i in range(3): h = h * w; h.backward(retain_graph=True)
    return w.grad
run("loop retain", loop2)
def plus():
    a = torch.ones(2, requires_grad=True); b = a ** 2; b += 1; c = b ** 2; b += 1; c.sum().backward()
run("plus equal", plus)
def idx():
    x = torch.rand(3, 3, requires_grad=True); y = x.exp(); y[0, 0] = 0; y.sum().backward()
run("index put on exp", idx)
def soft():
    x = torch.rand(3, requires_grad=True); y = x.softmax(0); y.div_(2); y.sum().backward()
run("div_ on softmax", soft)
def matm():
    a = torch.ones(2, 2, requires_grad=True); b = torch.ones(2, 2); c = a @ b; b.add_(1); c.sum().backward()
run("constant changed", matm)
def lin():
    l = nn.Linear(2, 2); y = l(torch.ones(1, 2, requires_grad=True))
    with torch.no_grad(): l.weight.mul_(2)
    y.sum().backward()
run("weight changed", lin)
def lin2():
    l = nn.Linear(2, 2); y = l(torch.ones(1, 2)); 
    with torch.no_grad(): l.weight.mul_(2)
    y.sum().backward(); return l.weight.grad
run("weight changed, input needs none", lin2)
with warnings.catch_warnings(record=True) as ws:
    warnings.simplefilter("always")
    with torch.autograd.detect_anomaly():
        def anom():
            a = torch.tensor([0.], requires_grad=True); b = a * torch.tensor([float("inf")]); b.backward()
        run("anomaly nan", anom)
        run("anomaly plus", plus)
    print(len(ws), sorted({w.category.__name__ for w in ws}), str(ws[0].message)[:60])
run("backward twice", lambda: [(lambda l: (l.backward(), l.backward()))((torch.ones(1, requires_grad=True) ** 2).sum())])
run("no graph", lambda: torch.ones(1).backward())
run("int grad", lambda: torch.ones(2, dtype=torch.int, requires_grad=True))
run("grad of int", lambda: torch.autograd.grad(torch.ones(1, requires_grad=True).sum(), torch.ones(1)))
run("shape", lambda: torch.ones(2, requires_grad=True).sum().backward(torch.ones(2)))
run("backward grad none", lambda: (torch.ones(2, requires_grad=True) * 2).backward(None))
run("grads wrong count", lambda: torch.autograd.grad([torch.ones(1, requires_grad=True) * 2], [torch.ones(1, requires_grad=True)], grad_outputs=[torch.ones(1), torch.ones(1)]))
run("not a tensor", lambda: torch.autograd.backward(3))
run("set grad str", lambda: setattr(torch.ones(1, requires_grad=True), "grad", "a"))
run("set requires_grad str", lambda: setattr(torch.ones(1), "requires_grad", "a"))
run("requires_grad_ int", lambda: torch.arange(2).requires_grad_())
run("retain_grad none", lambda: torch.ones(1).retain_grad())
run("detach_ view", lambda: (torch.ones(2, requires_grad=True) * 1)[0].detach_())
run("view inference", lambda: torch.inference_mode()(lambda: torch.ones(2))().requires_grad_())
run("numpy", lambda: torch.ones(2, requires_grad=True).numpy())
run("numpy conj", lambda: torch.ones(2, requires_grad=True).detach().numpy().sum())
run("len 0-d", lambda: len(torch.tensor(1.)))
run("iter 0-d", lambda: list(torch.tensor(1.)))
run("index 0-d", lambda: torch.tensor(1.)[0])
run("format", lambda: f"{torch.ones(2):.2f}")
run("unpack", lambda: (lambda a, b: a)(*torch.ones(3)))
run("nested", lambda: torch.tensor([torch.ones(2), torch.ones(2)]))
