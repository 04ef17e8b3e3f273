# Robust statistics with autograd: median, quantile, mode, trimmed mean
import torch

def report(name, y, x):
    x.grad = None
    y.backward(retain_graph=True)
    print(f"{name:>10}: {y.item():8.4f}  grad_fn={y.grad_fn.name()}  grad={x.grad.tolist()}")

x = torch.tensor([2.0, 9.0, 4.0, 4.0, 7.0, 1.0], requires_grad=True)
report("mean", x.mean(), x)
report("median", x.median(), x)
report("median dim", x.median(dim=0).values, x)
report("q25", x.quantile(0.25), x)
report("q50", torch.quantile(x, 0.5), x)
report("lower", x.quantile(0.5, interpolation="lower"), x)
report("midpoint", x.quantile(0.3, interpolation="midpoint"), x)
report("max", x.max(), x)
report("amin", x.amin(), x)
report("mode", x.mode().values, x)
report("std", x.std(), x)

q = torch.tensor([0.1, 0.5, 0.9])
m = torch.arange(12.0).reshape(3, 4).requires_grad_()
out = m.quantile(q, dim=1)
print(out, out.shape)
out.sum().backward()
print(m.grad)
node, chain = out.grad_fn, []
while node is not None:
    chain.append(node.name())
    node = node.next_functions[0][0] if node.next_functions else None
print(" <- ".join(chain))

data = torch.tensor([[1.0, float("nan"), 3.0], [float("nan"), 5.0, 2.0]])
print(data.median(), data.nanmedian(), data.nanmedian(dim=1), sep="\n")
print(data.nansum(), data.nanmean(dim=0), data.nanquantile(0.5, dim=1), data.quantile(0.5))

ties = torch.tensor([1, 3, 3, 1, 2, 3, 1])
print(ties.mode(), ties.median(), ties.median(0))
print(torch.mode(ties.reshape(1, 7), keepdim=True))

def iqr(t):
    lo, hi = torch.quantile(t, torch.tensor([0.25, 0.75]))
    return hi - lo

z = torch.linspace(-2, 3, 9, requires_grad=True)
iqr(z).backward()
print(z.grad)

s, mu = torch.std_mean(z, dim=0)
print(s, mu, s.grad_fn is mu.grad_fn, (s.output_nr, mu.output_nr))
v, mu = torch.var_mean(z, unbiased=False)
print(v.item(), mu.item())

for bad in (lambda: x.quantile(1.5), lambda: torch.zeros(0).quantile(0.5), lambda: ties.quantile(0.5),
            lambda: x.quantile(0.5, interpolation="cubic"), lambda: torch.zeros(0, 3).median(0),
            lambda: ties.std(), lambda: x.median(dim=3), lambda: (x > 2).median()):
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__, e)
