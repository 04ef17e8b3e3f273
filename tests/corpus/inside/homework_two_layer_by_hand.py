"""
HW2, problem 3: a two layer network, gradients by hand and by autograd
"""
import math
import torch

torch.manual_seed(231)
B, D, H, C = 5, 4, 6, 3
X = torch.randn(B, D)
t = torch.tensor([0, 2, 1, 1, 0])
W1 = (torch.randn(D, H) / math.sqrt(D)).requires_grad_()
b1 = torch.zeros(H, requires_grad=True)
W2 = (torch.randn(H, C) / math.sqrt(H)).requires_grad_()
b2 = torch.zeros(C, requires_grad=True)

# forward
a1 = X.mm(W1) + b1
h1 = a1.clamp(min=0)
scores = h1.mm(W2) + b2
logp = scores - scores.logsumexp(dim=1, keepdim=True)
loss = -logp[range(B), t].mean()
loss.backward()
print('loss %.5f' % loss.item())

# backward by hand
with torch.no_grad():
    ds = logp.exp()
    ds[range(B), t] -= 1
    ds /= B
    dW2 = h1.t().mm(ds)
    db2 = ds.sum(0)
    dh = ds.mm(W2.t())
    da = dh * (a1 > 0).float()
    dW1 = X.t().mm(da)
    db1 = da.sum(dim=0)
for name, mine, theirs in zip(['W1', 'b1', 'W2', 'b2'], [dW1, db1, dW2, db2], [W1.grad, b1.grad, W2.grad, b2.grad]):
    err = (mine - theirs).abs().max().item()
    print('{:3s} {} close: {}'.format(name, tuple(theirs.shape), err < 1e-6))
print(b2.grad)
