import torch, torch.nn as nn
from torch.nn.modules import module as M
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook, register_module_full_backward_hook, register_module_full_backward_pre_hook, register_module_backward_hook
net=nn.Sequential(nn.Linear(2,2),nn.ReLU())
hs=[register_module_forward_hook(lambda m,i,o: print("fwd",type(m).__name__, len(i))),
register_module_forward_pre_hook(lambda m,i: print("pre",type(m).__name__)),
register_module_full_backward_hook(lambda m,gi,go: print("bwd",type(m).__name__, [None if g is None else tuple(g.shape) for g in gi],len(go))),
register_module_full_backward_pre_hook(lambda m,go: print("bpre",type(m).__name__,len(go)))]
net[0].register_forward_hook(lambda m,i,o: print("own fwd"))
net[0].register_full_backward_hook(lambda m,i,o: print("own bwd"))
net[0].register_forward_pre_hook(lambda m,i: print("own pre"))
net[0].register_full_backward_pre_hook(lambda m,i: print("own bpre"))
net(torch.ones(1,2,requires_grad=True)).sum().backward()
for h in hs: h.remove()
net(torch.ones(1,2)).sum()
try: register_module_backward_hook(print)
except RuntimeError as e: print(e)
x=torch.ones(2)
print(x.__add__(1),x.__radd__(2),x.__rsub__(2),x.__getitem__(0),x.__setitem__(0,5.),x,x.__eq__(1),x.__matmul__(x),x.__neg__(), torch.Tensor.__mul__(x,2))
torch.full((3,),1.)
for f in (lambda: torch.full(3,1.), lambda: torch.full(3,1), lambda: torch.ones(3).sum(dtype=float), lambda: torch.zeros(2,dtype=int), lambda: torch.arange(3).sum(dtype=float), lambda:torch.ones(3).mean(dtype=float), lambda: torch.ones(2).to(float), lambda: torch.ones(2,dtype=bool), lambda: torch.ones(2).cumsum(0,dtype=float), lambda: torch.ones(2).softmax(0,dtype=float), lambda: torch.arange(3).mean(), lambda: torch.full((2,),1,dtype=float), lambda: torch.randn(2,dtype=float).dtype, lambda: torch.eye(2,dtype=int), lambda: torch.tensor([1,2],dtype=float), lambda: torch.linspace(0,1,3,dtype=float), lambda: torch.zeros_like(x,dtype=int),lambda: x.new_zeros(2,dtype=int), lambda: x.prod(dtype=float), lambda: torch.sum(x,dtype=float), lambda: torch.full("a",1)):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
