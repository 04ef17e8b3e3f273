import torch, torch.nn as nn
def t(f):
    try: print("ok", f())
    except RuntimeError as e: print(str(e)[95:220])
def a1():
    b=torch.ones(4,requires_grad=True)*2; v=b.view(2,2); w=v**2; v.add_(1); w.sum().backward()
def a2():
    b=torch.ones(4,requires_grad=True)*2; v=b.view(2,2); w=v**2; b.add_(1); w.sum().backward()
def a3():
    b=torch.ones(4,requires_grad=True)*2; v=b[0]; w=v**2; b.zero_(); w.sum().backward()
def a4():
    b=torch.ones(4,requires_grad=True); v=b[:2]; w=v**2
    with torch.no_grad(): b.add_(1)
    w.sum().backward()
def a5():
    b=torch.ones(2,2,requires_grad=True); w=b.t().exp(); w.mul_(2); w.sum().backward()
def a6():
    b=torch.ones(2,2,requires_grad=True); v=b.exp(); z=v.t(); y=z.sin(); z.add_(1); y.sum().backward()
def a7():
    b=torch.ones(2,2,requires_grad=True); v=b.exp(); z=v.t(); z.add_(1); v.sum().backward()
def a8():
    l=nn.Linear(2,2); y=l(torch.ones(1,2,requires_grad=True)); l.weight.data.mul_(2); y.sum().backward(); return l.weight._version, l.bias._version
def a9():
    l=nn.Linear(2,2); y=l(torch.ones(3,1,2,requires_grad=True));
    with torch.no_grad(): l.weight.mul_(2)
    y.sum().backward()
def a10():
    l=nn.Conv2d(1,1,1); y=l(torch.ones(1,1,2,2,requires_grad=True));
    with torch.no_grad(): l.weight.mul_(2)
    y.sum().backward()
def a11():
    l1,l2=nn.Linear(2,2),nn.Linear(2,1); o=torch.optim.SGD([*l1.parameters(),*l2.parameters()],.1); y=l2(l1(torch.ones(1,2))).sum(); y.backward(retain_graph=True); o.step(); y.backward()
def a12():
    b=torch.ones(4,requires_grad=True)*2; v=b.reshape(2,2); w=v.sigmoid(); v2=w.view(-1); v2[0]=3; w.sum().backward()
for f in (a1,a2,a3,a4,a5,a6,a7,a8,a9,a10,a11,a12): print(f.__name__, end=' '); t(f)
for m in (nn.Linear(2,2), nn.Conv2d(1,2,3), nn.BatchNorm1d(2), nn.LayerNorm(2), nn.Embedding(3,2), nn.Embedding(3,2,padding_idx=0), nn.LSTM(2,2), nn.GRUCell(1,1), nn.PReLU(), nn.Bilinear(1,1,1), nn.MultiheadAttention(2,1), nn.GroupNorm(1,2), nn.ConvTranspose1d(1,1,1), nn.Linear(2,2).double(), nn.EmbeddingBag(2,2)):
    print(type(m).__name__, {n:p._version for n,p in m.named_parameters()}, {n:b._version for n,b in m.named_buffers()})
w=torch.empty(2); nn.init.uniform_(w); print(w._version); nn.init.xavier_normal_(torch.empty(2,2)); p=nn.Parameter(torch.randn(2)); print(p._version, torch.randn(2)._version, torch.empty(2).normal_()._version, torch.zeros(2)._version, torch.tensor([1.]).requires_grad_()._version)
