import torch, torch.nn as nn, torch.nn.functional as F
torch.manual_seed(2147483647)

def cmp(s, dt, t):
    ex = torch.all(dt == t.grad).item() if False else None
    app = torch.allclose(dt, t.grad, atol=1e-6)
    print(f'{s:15s} | approximate: {str(app):5s} | maxdiff small: {(dt - t.grad).abs().max().item() < 1e-6}')

n, vocab, n_embd, block = 8, 10, 4, 3
C = torch.randn((vocab, n_embd)); W1 = torch.randn((n_embd * block, 6)) * (5/3)/((n_embd * block)**0.5); b1 = torch.randn(6) * 0.1
W2 = torch.randn((6, vocab)) * 0.1; b2 = torch.randn(vocab) * 0.1
bngain = torch.randn((1, 6))*0.1 + 1.0; bnbias = torch.randn((1, 6))*0.1
parameters = [C, W1, b1, W2, b2, bngain, bnbias]
for p in parameters: p.requires_grad = True
g = torch.Generator().manual_seed(2147483647)
Xb = torch.randint(0, vocab, (n, block), generator=g); Yb = torch.randint(0, vocab, (n,), generator=g)
emb = C[Xb]
embcat = emb.view(emb.shape[0], -1)
hprebn = embcat @ W1 + b1
bnmeani = 1/n*hprebn.sum(0, keepdim=True)
bndiff = hprebn - bnmeani
bndiff2 = bndiff**2
bnvar = 1/(n-1)*(bndiff2).sum(0, keepdim=True)
bnvar_inv = (bnvar + 1e-5)**-0.5
bnraw = bndiff * bnvar_inv
hpreact = bngain * bnraw + bnbias
h = torch.tanh(hpreact)
logits = h @ W2 + b2
logit_maxes = logits.max(1, keepdim=True).values
norm_logits = logits - logit_maxes
counts = norm_logits.exp()
counts_sum = counts.sum(1, keepdims=True)
counts_sum_inv = counts_sum**-1
probs = counts * counts_sum_inv
logprobs = probs.log()
loss = -logprobs[range(n), Yb].mean()
for p in parameters: p.grad = None
for t in [logprobs, probs, counts, counts_sum, counts_sum_inv, norm_logits, logit_maxes, logits, h, hpreact, bnraw, bnvar_inv, bnvar, bndiff2, bndiff, hprebn, bnmeani, embcat, emb]:
    t.retain_grad()
loss.backward()
print(loss)
dlogprobs = torch.zeros_like(logprobs); dlogprobs[range(n), Yb] = -1.0/n
cmp('logprobs', dlogprobs, logprobs)
dprobs = (1.0 / probs) * dlogprobs; cmp('probs', dprobs, probs)
dcounts_sum_inv = (counts * dprobs).sum(1, keepdim=True); cmp('counts_sum_inv', dcounts_sum_inv, counts_sum_inv)
dcounts = counts_sum_inv * dprobs
dcounts_sum = (-counts_sum**-2) * dcounts_sum_inv; cmp('counts_sum', dcounts_sum, counts_sum)
dcounts += torch.ones_like(counts) * dcounts_sum; cmp('counts', dcounts, counts)
dnorm_logits = counts * dcounts; cmp('norm_logits', dnorm_logits, norm_logits)
dlogits = F.softmax(logits, 1); dlogits[range(n), Yb] -= 1; dlogits /= n; cmp('logits', dlogits, logits)
dh = dlogits @ W2.T; cmp('h', dh, h)
cmp('W2', h.T @ dlogits, W2); cmp('b2', dlogits.sum(0), b2)
dhpreact = (1.0 - h**2) * dh; cmp('hpreact', dhpreact, hpreact)
cmp('bngain', (bnraw * dhpreact).sum(0, keepdim=True), bngain)
dhprebn = bngain*bnvar_inv/n * (n*dhpreact - dhpreact.sum(0) - n/(n-1)*bnraw*(dhpreact*bnraw).sum(0)); cmp('hprebn', dhprebn, hprebn)
dembcat = dhprebn @ W1.T; cmp('embcat', dembcat, embcat)
demb = dembcat.view(emb.shape); dC = torch.zeros_like(C)
for k in range(Xb.shape[0]):
    for j in range(Xb.shape[1]):
        dC[Xb[k, j]] += demb[k, j]
cmp('C', dC, C)
print(C.grad)
x = torch.randn(4, 6, requires_grad=True)
ln = nn.LayerNorm(6); mu = x.mean(-1, keepdim=True); var = x.var(-1, unbiased=False, keepdim=True)
print(torch.allclose(ln(x), (x - mu) / torch.sqrt(var + ln.eps), atol=1e-6))
bn = nn.BatchNorm1d(6); o = bn(x)
print(bn.running_mean, bn.running_var, bn)
bn.eval(); print((bn(x) - o).abs().max())
print(F.layer_norm(x, (6,)).std(dim=-1), F.normalize(x, dim=1).norm(dim=1), nn.RMSNorm(6)(x)[0])
