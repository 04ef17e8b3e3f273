"""Word counts, histograms, bins: the functions that count and search."""
import torch

tokens = torch.tensor([4, 1, 1, 3, 4, 4, 0])
print(torch.unique(tokens), tokens.unique(sorted=True, return_counts=True))
vocab, inverse, counts = torch.unique(tokens, return_inverse=True, return_counts=True)
print(vocab[inverse].equal(tokens), counts.float() / counts.sum())
print(torch.unique_consecutive(tokens, return_inverse=True, return_counts=True))
rows = torch.tensor([[1, 2], [0, 5], [1, 2]])
print(torch.unique(rows, dim=0), rows.unique(dim=0, return_inverse=True)[1], torch.unique(rows, dim=1))

print(torch.bincount(tokens), tokens.bincount(minlength=8))
print(torch.bincount(tokens, weights=torch.tensor([1., .5, .5, 2., 1., 1., 3.])))

x = torch.tensor([0.1, 0.4, 0.45, 1.9, -0.7, 2.0, 0.4])
print(torch.histc(x, bins=4, min=-1, max=2), torch.histc(x, 3))
hist = torch.histogram(x, bins=4, range=(-1.0, 2.0))
print(hist)
print(hist.hist.sum(), hist.bin_edges)
print(torch.histogram(x, torch.tensor([0.0, 0.5, 2.0]), density=True).hist)

edges = torch.tensor([0.0, 0.5, 1.0])
print(torch.bucketize(x, edges), torch.bucketize(x, edges, right=True), torch.bucketize(0.5, edges))
print(torch.searchsorted(edges, torch.tensor([[0.5, 2.0], [-1.0, 0.7]])), torch.searchsorted(edges, 0.6, side="right"))
print(torch.isin(tokens, torch.tensor([1, 4])), torch.isin(tokens, 4, invert=True))
print(tokens.count_nonzero(), torch.count_nonzero(rows, dim=0), torch.any(rows == 5, dim=1))

# embedding of buckets keeps the graph; counting does not
table = torch.arange(8.0).reshape(4, 2).requires_grad_()
out = table[torch.bucketize(x, edges)].sum()
out.backward()
print(table.grad)
w = torch.tensor([1.0, 2.0, 2.0], requires_grad=True)
u = w.unique()
print(u, u.requires_grad, torch.histc(w, 2), (w > 1).sum().requires_grad)
try:
    u.sum().backward()
except Exception as e:
    print(type(e).__name__, e)

# an empirical distribution function, and its inverse
sample = torch.sort(torch.tensor([3.0, -1.0, 2.0, 0.5])).values
cdf = lambda t: torch.searchsorted(sample, t, right=True) / len(sample)
print(cdf(torch.tensor([-2.0, 0.5, 10.0])))

for bad in (lambda: torch.bincount(torch.tensor([-1])), lambda: torch.bincount(x), lambda: torch.histc(tokens, 3),
            lambda: torch.bucketize(x, torch.zeros(2, 2)), lambda: torch.searchsorted(edges, x, side="up"),
            lambda: torch.histc(x, 0), lambda: torch.isin(x, [1, 2]), lambda: torch.bincount(tokens, minlength=-2),
            lambda: torch.searchsorted(torch.zeros(2, 3), torch.zeros(3, 2))):
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__, e)
