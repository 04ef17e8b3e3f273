import torch, copy, torch.nn as nn
p=nn.Parameter(torch.ones(2)); p.grad=torch.ones(2); q=copy.deepcopy(p); print(q.grad)
m=nn.Linear(2,1); m(torch.ones(1,2)).backward(); k=copy.deepcopy(m); print(k.weight.grad, m.weight.grad)
t=torch.ones(2,requires_grad=True); t.grad=torch.ones(2); u=copy.deepcopy(t); print(u.grad, u._version)
print(copy.deepcopy({'a':p})['a'].grad, copy.copy(p).grad, copy.copy(p) is p, copy.copy(t).grad)
