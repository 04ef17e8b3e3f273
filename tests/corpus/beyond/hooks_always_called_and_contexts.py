import torch, torch.nn as nn, contextlib
from torch.utils.checkpoint import checkpoint
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:600])
class M(nn.Module):
    def forward(self, x, fail=False):
        if fail: raise ValueError("failed here")
        return x*2
m=M()
m.register_forward_hook(lambda mod,a,o: print("always", a, o), always_call=True)
m.register_forward_hook(lambda mod,a,k,o: print("kw", a, k, o), always_call=True, with_kwargs=True)
m.register_forward_hook(lambda mod,a,o: print("usual", o))
x=torch.ones(2)
t(lambda: m(x)); t(lambda: m(x, fail=True)); t(lambda: m(x,True)); t(lambda: m(x,3,4))
def bad(mod,a,o): raise RuntimeError("in the hook")
h=m.register_forward_hook(bad, always_call=True)
t(lambda: m(x, fail=True)); t(lambda: m(x)); h.remove()
g=nn.modules.module.register_module_forward_hook(lambda mod,a,o: print("global", o), always_call=True)
t(lambda: m(x, fail=True)); t(lambda: m(x)); g.remove()
m2=nn.Sequential(nn.Linear(2,2), M()); m2.register_forward_hook(lambda mod,a,o: print("outer", type(o)), always_call=True)
t(lambda: m2(torch.ones(3)))
print(len(m._forward_hooks))
@contextlib.contextmanager
def say(w):
    print("enter", w)
    try: yield
    finally: print("leave", w)
w=torch.ones(2,requires_grad=True)
def f(x):
    print("run"); return (x*w).sin()*w
y=checkpoint(f, w, use_reentrant=False, context_fn=lambda: (say("first"), say("again")))
y.sum().backward(); print(w.grad)
with torch.no_grad(): checkpoint(f, w, use_reentrant=False, context_fn=lambda: (say("first"), say("again")))
t(lambda: checkpoint(f, w, use_reentrant=True, context_fn=lambda: (say(1), say(2))))
t(lambda: checkpoint(f, w, use_reentrant=False, determinism_check='all'))
t(lambda: checkpoint(f, w, use_reentrant=False, debug=True, context_fn=lambda: (say(1), say(2))))
t(lambda: checkpoint(f, w, use_reentrant=False, context_fn=lambda: 1))
def boom(x): raise KeyError("boom")
t(lambda: checkpoint(boom, w, use_reentrant=False, context_fn=lambda: (say("first"), say("again"))))
t(lambda: nn.Linear(2,2).to(1)); t(lambda: nn.Linear(2,2).to('a')); t(lambda: nn.Linear(2,2).to(None)); t(lambda: nn.Linear(2,2).to(0.5)); t(lambda: nn.Linear(2,2).to()); t(lambda: nn.Linear(2,2).to(torch.int64)); t(lambda: torch.ones(2).to(1)); t(lambda: nn.Linear(2,2).to(x).weight.dtype); t(lambda: nn.Linear(2,2).to('cuda'))
