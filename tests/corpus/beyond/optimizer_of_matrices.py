import torch
from torch import nn
torch.manual_seed(0)
m=nn.Sequential(nn.Linear(4,8),nn.ReLU(),nn.Linear(8,3))
ms=[p for p in m.parameters() if p.ndim==2]
os=[p for p in m.parameters() if p.ndim!=2]
o=torch.optim.Muon(ms,lr=.02)
a=torch.optim.AdamW(os,lr=.01)
print(o)
x=torch.randn(10,4); y=torch.randint(0,3,(10,))
for i in range(8):
    o.zero_grad(); a.zero_grad()
    l=nn.functional.cross_entropy(m(x),y); l.backward(); o.step(); a.step()
    print(i,l.item())
print(o.state_dict())
print(m[0].weight, m[2].weight)
w=nn.Parameter(torch.randn(3,2,dtype=torch.float64))
o=torch.optim.Muon([w],lr=.1,weight_decay=0,momentum=.9,nesterov=False,adjust_lr_fn="match_rms_adamw")
for i in range(3):
    (w**2).sum().backward(); o.step(); o.zero_grad()
    print(w)
for f in (lambda: torch.optim.Muon(m.parameters()), lambda: torch.optim.Muon([w],lr=-1), lambda: torch.optim.Muon([w],adjust_lr_fn="x"), lambda: torch.optim.Muon([w],weight_decay=-1.), lambda: torch.optim.Muon([w],foo=2), lambda: torch.optim.SGD([w],lr=-1.)):
    try: f()
    except Exception as e: print(type(e).__name__,e)
o=torch.optim.Muon([w],ns_steps=100); (w*w).sum().backward()
o.step()
