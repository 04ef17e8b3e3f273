import math
import torch
import torch.distributions as D
from torch.distributions import constraints, transforms as T, kl_divergence
torch.manual_seed(0)
L = torch.tensor([[1., 0.], [.5, 2.]])
made = [D.Gamma(torch.tensor([.5, 2., 3.]), torch.tensor([1., 1., 2.])), D.Beta(torch.tensor([.5, 2.]), 2.), D.Beta(2., 3.), D.Dirichlet(torch.tensor([.5, 2., 1.])),
        D.Binomial(10, torch.tensor([.2, .7])), D.Binomial(torch.tensor([40., 100.]), logits=torch.tensor([-.2, .7])),         D.Poisson(torch.tensor([.5, 2., 11., 40.])), D.StudentT(3.), D.StudentT(torch.tensor([3., 1.5]), 1., 2.), D.Cauchy(0., torch.tensor([1., 2.])), D.Chi2(torch.tensor([1., 4.])),
        D.MultivariateNormal(torch.zeros(2), torch.eye(2)), D.MultivariateNormal(torch.zeros(3, 2), scale_tril=L), D.MultivariateNormal(torch.ones(2), precision_matrix=torch.tensor([[2., .5], [.5, 1.]])),
        D.LogNormal(0., 1.), D.HalfNormal(torch.tensor([1., 2.])), D.Gumbel(torch.tensor([1.]), torch.tensor([2.])), D.Geometric(0.3), D.Geometric(torch.tensor([.2, .9])),
        D.OneHotCategorical(torch.tensor([.2, .3, .5])), D.OneHotCategoricalStraightThrough(logits=torch.tensor([.2, .3, .5])), D.Multinomial(5, torch.tensor([.2, .3, .5])),
        D.Independent(D.Normal(torch.zeros(2, 3), torch.ones(2, 3)), 1), D.Exponential(torch.tensor([1., .5])), D.Laplace(torch.tensor(0.), torch.tensor(2.)), D.Uniform(0., torch.tensor([1., 3.])),
        D.MixtureSameFamily(D.Categorical(torch.ones(3)), D.Normal(torch.tensor([-1., 0., 2.]), torch.tensor([.5, 1., .3]))),
        D.MixtureSameFamily(D.Categorical(torch.rand(2)), D.Independent(D.Normal(torch.randn(2, 2), torch.rand(2, 2)), 1)),
        D.TransformedDistribution(D.Normal(torch.zeros(2), 1.), [T.AffineTransform(1., 2.), T.SigmoidTransform()]),
        D.TransformedDistribution(D.Uniform(0., 1.), [T.SigmoidTransform().inv, T.AffineTransform(loc=1., scale=2.)]),
        D.TransformedDistribution(D.Normal(0., 1.), T.TanhTransform(cache_size=1)), D.RelaxedOneHotCategorical(torch.tensor(.5), torch.tensor([.2, .3, .5])),
        D.Normal(0., 1.), D.Bernoulli(torch.tensor([.2, .5])), D.Bernoulli(logits=0.3), D.Categorical(logits=torch.randn(2, 3))]
for d in made:
    print(d, d.batch_shape, d.event_shape, d.has_rsample, d.support)
    x = d.sample()
    y = d.sample((2,))
    print(x, y, sep="\n")
    print(d.log_prob(x), d.log_prob(y).shape)
    for name in ("mean", "variance", "stddev", "mode"):
        try:
            print(name, getattr(d, name))
        except NotImplementedError as e:
            print(name, type(e).__name__, e)
    for name in ("entropy", "perplexity"):
        try:
            print(name, getattr(d, name)())
        except (NotImplementedError, RuntimeError) as e:
            print(name, type(e).__name__, e)
    try:
        print(None if isinstance(d, D.Gamma) else d.cdf(x))
    except (NotImplementedError, RuntimeError) as e:
        print(type(e).__name__, e)
    e = d.expand((2,) + tuple(d.batch_shape))
    print(e, e.batch_shape, e.sample().shape)
pairs = [(D.Normal(0., 1.), D.Normal(1., torch.tensor([1., 2.]))), (D.Beta(1., 2.), D.Beta(2., 2.)), (D.Gamma(1., 2.), D.Gamma(2., 2.)), (D.Dirichlet(torch.ones(3)), D.Dirichlet(torch.tensor([1., 2., 3.]))),
         (D.MultivariateNormal(torch.zeros(2), torch.eye(2)), D.MultivariateNormal(torch.ones(2), scale_tril=L)), (D.Independent(D.Normal(torch.zeros(2), 1.), 1), D.Independent(D.Normal(torch.ones(2), 1.), 1)),
         (D.Poisson(1.), D.Poisson(2.)), (D.Exponential(1.), D.Exponential(2.)), (D.Laplace(0., 1.), D.Laplace(1., 2.)), (D.Uniform(0., 1.), D.Uniform(0., 2.)), (D.LogNormal(0., 1.), D.LogNormal(1., 1.)),
         (D.Geometric(.3), D.Geometric(.5)), (D.OneHotCategorical(torch.ones(2)), D.OneHotCategorical(torch.tensor([.1, .9]))), (D.Normal(0., 1.), D.Gamma(1., 1.)), (D.Uniform(0., 1.), D.Normal(0., 1.)), (D.Beta(1., 1.), D.Categorical(torch.ones(2)))]
for p, q in pairs:
    try:
        print(type(p).__name__, kl_divergence(p, q))
    except NotImplementedError as e:
        print(e)
mu = torch.zeros(2, requires_grad=True); cov = torch.tensor([[2., .3], [.3, 1.]], requires_grad=True)
mvn = D.MultivariateNormal(mu, cov)
lp = mvn.log_prob(torch.tensor([[1., 2.], [0., 1.]])); print(lp); lp.sum().backward(); print(mu.grad, cov.grad)
s = mvn.rsample((2,)); print(s); (s ** 2).sum().backward(); print(mu.grad, cov.grad)
a = torch.tensor([2., 3.], requires_grad=True); b = torch.tensor([1., 1.], requires_grad=True)
print(D.Beta(a, b).log_prob(torch.tensor([.3, .6]))); D.Beta(a, b).log_prob(torch.tensor([.3, .6])).sum().backward(); print(a.grad, b.grad)
loc = torch.tensor([.1, .2], requires_grad=True)
pi = D.TransformedDistribution(D.Normal(loc, 1.), [T.TanhTransform(cache_size=1)])
act = pi.rsample(); logp = pi.log_prob(act); print(act, logp); logp.sum().backward(); print(loc.grad)
for bad in (lambda: D.MultivariateNormal(torch.zeros(2), torch.tensor([[1., 2.], [2., 1.]])), lambda: D.MultivariateNormal(torch.zeros(2)), lambda: D.MultivariateNormal(torch.zeros(2), -torch.eye(2)),
            lambda: D.Gamma(-1., 1.), lambda: D.Beta(0., 1.), lambda: D.Dirichlet(torch.tensor(1.)), lambda: D.Dirichlet(torch.tensor([1., -1.])), lambda: D.Uniform(1., 0.), lambda: D.Uniform(0., 1.).log_prob(torch.tensor(2.)),
            lambda: D.Normal(0., 1.).log_prob(1.), lambda: D.Normal(torch.zeros(2), 1.).log_prob(torch.zeros(3)), lambda: D.MultivariateNormal(torch.zeros(2), torch.eye(2)).log_prob(torch.zeros(3)), lambda: D.Independent(D.Normal(0., 1.), 1),
            lambda: D.Exponential(1.).log_prob(torch.tensor(-1.)), lambda: D.Poisson(-1.), lambda: D.Poisson(1.).log_prob(torch.tensor(1.5)), lambda: D.Categorical(torch.ones(2)).rsample(), lambda: D.Bernoulli(1.5), lambda: D.TransformedDistribution(D.Normal(0., 1.), 3),
            lambda: D.Beta(1., 1.).log_prob(torch.tensor(2.)), lambda: D.LogNormal(0., -1.), lambda: D.LogNormal(0., 1.).log_prob(torch.tensor(-1.)), lambda: D.MixtureSameFamily(D.Categorical(torch.ones(2)), D.Normal(torch.zeros(3), 1.)), lambda: D.OneHotCategorical(torch.ones(3)).log_prob(torch.tensor([1., 1., 0.])),
            lambda: D.Normal("a", 1.), lambda: D.Distribution().sample()):
    try:
        print(bad())
    except (ValueError, NotImplementedError, RuntimeError) as e:
        print(type(e).__name__, e)
print(D.constraints.positive, constraints.simplex.check(torch.tensor([.5, .5])), T.ExpTransform(), T.ComposeTransform([T.ExpTransform(), T.AffineTransform(0., 1.)]), T.ExpTransform().inv)
print(issubclass(D.Normal, D.Distribution), isinstance(made[0], D.Gamma), D.Normal, type(made[3]), D.transforms.ExpTransform)
class Lognorm(T.Transform):
    domain = constraints.real; codomain = constraints.positive; bijective = True; sign = +1
    def _call(self, x): return x.exp()
    def _inverse(self, y): return y.log()
    def log_abs_det_jacobian(self, x, y): return x
print(D.TransformedDistribution(D.Normal(0., 1.), [Lognorm()]).log_prob(torch.tensor([.5, 1.])))
@D.kl.register_kl(D.Normal, D.Laplace)
def kl(p, q): return torch.tensor(42.)
print(kl_divergence(D.Normal(0., 1.), D.Laplace(0., 1.)))
