# logistic regression, softmax regression & confusion matrix from scratch
import torch
import numpy as np
g = torch.Generator(); g.manual_seed(2023)
X = torch.cat([torch.randn(20, 2, generator=g) + torch.tensor([2., 0.]), torch.randn(20, 2, generator=g) - torch.tensor([2., 0.]), torch.randn(20, 2, generator=g) + torch.tensor([0., 3.])])
y = torch.arange(3).repeat_interleave(20)
print(X.shape, y.unique(return_counts=True), X.mean(0), X.std(dim=0))
X = (X - X.mean(0)) / X.std(0)
W = torch.zeros(2, 3, requires_grad=True); b = torch.zeros(3, requires_grad=True)
def softmax(z):
    e = torch.exp(z - z.max(dim=1, keepdim=True).values)
    return e / e.sum(1, keepdim=True)
def nll(p, y): return -p[torch.arange(len(y)), y].log().mean()
for it in range(50):
    p = softmax(X @ W + b)
    loss = nll(p, y)
    loss.backward()
    with torch.no_grad():
        W -= 0.5 * W.grad; b -= 0.5 * b.grad
        W.grad.zero_(); b.grad.zero_()
    if it % 10 == 0: print(it, loss.item(), (p.argmax(1) == y).float().mean().item())
print(W, b, sep='\n')
pred = p.argmax(1)
cm = torch.zeros(3, 3, dtype=torch.int64)
for t, q in zip(y, pred): cm[t, q] += 1
print(cm, cm.diag().sum().item() / cm.sum().item())
prec = cm.diag() / cm.sum(0); rec = cm.diag().float() / cm.sum(1).float()
print(prec, rec, 2 * prec * rec / (prec + rec))
print(torch.nn.functional.one_hot(y[:4], 3), p.grad_fn.name())
yb = (y == 0).float(); w = torch.zeros(2, requires_grad=True); c = torch.zeros(1, requires_grad=True)
opt = torch.optim.Adam([w, c], lr=0.1)
for it in range(30):
    logit = X.mv(w) + c; loss = torch.nn.functional.binary_cross_entropy_with_logits(logit, yb)
    opt.zero_grad(); loss.backward(); opt.step()
print('bce %.5f acc %.3f' % (loss, ((logit > 0) == yb.bool()).float().mean()), w.detach().numpy().round(3))
fpr = [((logit > t) & (yb == 0)).sum().item() for t in torch.linspace(-3, 3, 4)]; print(fpr)
print(torch.corrcoef(X.T), torch.cov(X.T))
print(np.bincount(pred.numpy()), pred.bincount(), torch.histc(X[:, 0], 4), torch.quantile(X[:, 0], torch.tensor([.25, .5, .75])))
