import torch
import torch.nn as nn

# Case 1 : https-like question "why can I modify exp's input but not its output"
t = torch.arange(3.0, requires_grad=True)
u = 2 * t
uexp = u.exp()
loss = uexp.sum()
u[0] = 666
loss.backward(retain_graph=True)
print(t.grad)
uexp[0] = 666
try:
    loss.backward()
except RuntimeError as e:
    print("RuntimeError:", e)

# Case 2 : ReLU(inplace)
x = torch.randn(2, 3, requires_grad=True)
torch.manual_seed(0)
conv = nn.Conv1d(1, 2, 3, padding=1)
relu = nn.ReLU(inplace=True)
y = conv(torch.ones(1, 1, 4))
s = torch.sigmoid(y)
z = relu(s)
try:
    z.sum().backward()
except RuntimeError as e:
    print(e)

# Case 3 : optimizer.step between two backward
a = nn.Linear(2, 2)
b = nn.Linear(2, 1)
oa = torch.optim.SGD(a.parameters(), lr=0.1)
ob = torch.optim.SGD(b.parameters(), lr=0.1)
h = a(torch.ones(1, 2))
lb = b(h).sum()
la = b(h).pow(2).sum()
ob.zero_grad()
lb.backward(retain_graph=True)
ob.step()
oa.zero_grad()
try:
    la.backward()
except RuntimeError as err:
    print(err)

# Case 4: hidden state kept across iterations
cell = nn.RNNCell(2, 2)
hx = torch.zeros(1, 2)
opt = torch.optim.SGD(cell.parameters(), lr=0.1)
for i in range(3):
    hx = cell(torch.ones(1, 2), hx)
    opt.zero_grad()
    try:
        hx.sum().backward()
    except RuntimeError as err:
        print(i, err)
        break
    opt.step()

# Case 5: leaf
w = torch.zeros(3, requires_grad=True)
for f in (lambda: w.add_(1), lambda: w.__setitem__(0, 1.), lambda: w[0:2].mul_(2), lambda: w.fill_(0), lambda: w.t_() if False else w.zero_()):
    try:
        f()
    except RuntimeError as err:
        print(err)
try:
    w += 1
except RuntimeError as err:
    print(err)

# Case 6: unbind / split / chunk
v = torch.ones(2, 3, requires_grad=True) * 1
p, q = v.unbind(0)
try:
    p.add_(1)
except RuntimeError as err:
    print(err)
c = v.chunk(3, dim=1)
try:
    c[0].mul_(2)
except RuntimeError as err:
    print(err)

# Case 7: under no_grad
with torch.no_grad():
    vv = v.view(-1)
try:
    vv.mul_(2)
except RuntimeError as err:
    print(err)
print(v._version, vv._version)

# Case 8 expand
e = torch.zeros(1).expand(3)
try:
    e.add_(torch.arange(3.))
except RuntimeError as err:
    print(err)
e2 = torch.zeros(3)
try:
    e2[1:].copy_(e2[:-1].add(1))
    e2[1:] += e2[:-1]
    print(e2)
    e2.add_(torch.ones(2, 3))
except RuntimeError as err:
    print(err)

# Case 9 anomaly
with torch.autograd.detect_anomaly():
    q = torch.tensor([1., -1.], requires_grad=True)
    r = q.sqrt()
    r = r * 2
    try:
        r.sum().backward()
    except RuntimeError as err:
        print(err)

# Case 10 data vs detach
k = torch.tensor([1., 2., 3.], requires_grad=True)
out = k.sigmoid()
c = out.data
c.zero_()
out.sum().backward()
print(k.grad)
k.grad = None
out = k.sigmoid()
c = out.detach()
c.zero_()
out.sum().backward()
