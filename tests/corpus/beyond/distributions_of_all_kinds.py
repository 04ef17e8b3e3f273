import torch
from torch import distributions as D
import torch.distributions as dist
from torch.distributions.kl import kl_divergence
from torch.distributions.normal import Normal
torch.manual_seed(3)
for d in (D.Normal(0., 1.), Normal(torch.zeros(3), torch.tensor([1., 2., 3.])), D.Uniform(torch.tensor([0., 1.]), torch.tensor([1., 3.])), D.Exponential(torch.tensor([1., 0.5])), D.Laplace(torch.tensor(0.), torch.tensor(2.)), D.Bernoulli(0.3), D.Bernoulli(logits=torch.tensor([0., 1.])), D.Categorical(torch.tensor([1., 1., 2.])), D.Categorical(logits=torch.randn(2, 3))):
    print(d, d.batch_shape, d.event_shape)
    if not isinstance(d, D.Laplace):
        x = d.sample(); print(x, x.shape, x.dtype)
        y = d.sample((2,)); print(y, d.sample(torch.Size([2, 1])).shape)
        print(d.log_prob(x), d.log_prob(y))
    print(d.entropy())
    for n in ('mean', 'variance', 'stddev', 'mode'):
        if n in ('mean', 'variance') and not isinstance(d, D.Categorical): print(n, getattr(d, n))
w = torch.tensor([0.1, 0.2, 0.3], requires_grad=True)
c = D.Categorical(logits=w)
lp = c.log_prob(torch.tensor(1)); print(lp, lp.grad_fn.next_functions[0][0].name()); lp.backward(); print(w.grad, c.entropy())
mu = torch.tensor([0.5], requires_grad=True); s = torch.tensor([1.5], requires_grad=True)
n = Normal(mu, s); k = kl_divergence(n, Normal(torch.zeros(1), torch.ones(1))); print(k); k.sum().backward(); print(mu.grad, s.grad)
print(n.rsample((3,)), n.sample((3,)).requires_grad, n.log_prob(torch.tensor(0.3)), n.cdf(torch.tensor([0.])))
print(kl_divergence(D.Categorical(torch.tensor([.5, .5])), D.Categorical(torch.tensor([.9, .1]))), kl_divergence(D.Bernoulli(torch.tensor(.2)), D.Bernoulli(torch.tensor(.7))))
for f in (lambda: Normal(0., -1.), lambda: D.Categorical(torch.tensor([-1., 2.])), lambda: D.Categorical(), lambda: D.Bernoulli(torch.tensor([1.5])), lambda: n.log_prob(3.), lambda: c.log_prob(torch.tensor(7)), lambda: D.Bernoulli(0.5).log_prob(torch.tensor(0.5)), lambda: D.Categorical(torch.tensor(0.5)), lambda: Normal('a', 1.), lambda: Normal(torch.tensor([1., float('nan')]), 1.), lambda: kl_divergence(n, c)):
    try: f()
    except (ValueError, NotImplementedError) as e: print(type(e).__name__, e)
