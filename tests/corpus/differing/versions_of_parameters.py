import torch
from torch import nn
torch.manual_seed(0)
m = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1)); o = torch.optim.SGD(m.parameters(), 0.1)
print([p._version for p in m.parameters()], nn.Embedding(2, 2).weight._version, [p._version for p in nn.BatchNorm1d(2).parameters()], [p._version for p in nn.LayerNorm(2).parameters()], [p._version for p in nn.Conv2d(1, 1, 1).parameters()], [p._version for p in nn.LSTM(1, 1).parameters()], nn.PReLU().weight._version, nn.Parameter(torch.ones(2))._version, [p._version for p in nn.LSTMCell(1, 1).parameters()], [b._version for b in nn.BatchNorm1d(2).buffers()], nn.Embedding(2, 2, padding_idx=0).weight._version, [p._version for p in nn.Bilinear(1,1,1).parameters()],[p._version for p in nn.GroupNorm(1,1).parameters()])
l = m(torch.ones(1, 2)).sum(); l.backward(retain_graph=True); o.step()
try: l.backward()
except RuntimeError as e: print(e)
print([p._version for p in m.parameters()])
for opt in (torch.optim.Adam, torch.optim.AdamW, torch.optim.RMSprop, torch.optim.Adagrad):
    v = [p._version for p in m.parameters()]; oo = opt(m.parameters()); oo.step(); print(opt.__name__, [p._version - a for p, a in zip(m.parameters(), v)])
m.load_state_dict(m.state_dict()); print([p._version for p in m.parameters()]); nn.init.zeros_(m[0].weight); print(m[0].weight._version); m[0].weight.data.fill_(1); print(m[0].weight._version); m.zero_grad(); torch.nn.utils.clip_grad_norm_(m.parameters(), 1.)
w = torch.ones(3); p = nn.Parameter(w); w[0] = 5; print(p, p._version, w._version, p.data_ptr() == w.data_ptr()); p.data[1] = 7; print(w)
p += 1; print(w, p.is_leaf, p._base is None)
import torch
torch.manual_seed(0)
ops = {'t': lambda x: x.t(), 'view': lambda x: x.view(-1), 'sel': lambda x: x[0], 'slice': lambda x: x[:, :1], 'unsq': lambda x: x.unsqueeze(0), 'perm': lambda x: x.permute(1, 0), 'exp': lambda x: x.expand(2, 2, 2), 'diag': lambda x: x.diagonal(), 'unbind': lambda x: x.unbind(0)[1].clone(), 'split': lambda x: x.split(1)[1].clone(), 'view_as': lambda x: x.view_as(x), 'sq': lambda x: x.squeeze(), 'flat': lambda x: x.flatten(), 'resh': lambda x: x.reshape(4), 'mT': lambda x: x.mT, 'tt': lambda x: x.t().t()}
for n, f in ops.items():
    for leaf in (True, False):
        w = torch.ones(2, 2, requires_grad=True); b = w if leaf else w * 1
        v = f(b); y = (v * v).sum()
        with torch.no_grad(): (w if leaf else b).add_(1)
        try: y.backward(); print(n, leaf, 'fine')
        except RuntimeError as e: print(n, leaf, str(e).split('operation: ')[1].split(' Hint')[0])
b = torch.ones(2, 2, requires_grad=True) * 1; v = b.t(); y = (v * v).sum(); v.mul_(2)
try: y.backward()
except RuntimeError as e: print(str(e).split('operation: ')[1].split(' Hint')[0])
b = torch.ones(2, 2, requires_grad=True) * 1; v = b.t(); y = (v * v).sum(); b.mul_(2)
try: y.backward()
except RuntimeError as e: print(str(e).split('operation: ')[1].split(' Hint')[0])
