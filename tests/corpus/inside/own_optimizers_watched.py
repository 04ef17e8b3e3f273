"""Optimizers of a script's own, with functions that are called before and after each step."""
import torch
class A(torch.optim.Optimizer):
    def __init__(self, ps): super().__init__(ps, {})
    def step(self, closure=None): print("step", closure); return 5
class B(A):
    def step(self, closure=None): print("B"); return super().step(closure)
w = torch.ones(1, requires_grad=True)
for c in (A, B):
    o = c([w]); p = c([w])
    h = o.register_step_post_hook(lambda o, a, k: print("post", [type(x).__name__ for x in a], k))
    g = o.register_step_pre_hook(lambda o, a, k: print("pre", len(a), k))
    print(o.step(), o.step(3), o.step(closure=None)); p.step()
    h.remove(); g.remove(); o.step()
B([w]).step(); torch.optim.SGD([w]).step()
print(B.step.__name__, A([w]).step.__name__)
