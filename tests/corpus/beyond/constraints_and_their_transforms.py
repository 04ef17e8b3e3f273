import torch
import torch.distributions as D
from torch.distributions import constraints as C, biject_to, transform_to
torch.manual_seed(0)
for make in (lambda: D.HalfCauchy(torch.tensor([1., 2.])), lambda: D.InverseGamma(torch.tensor([2., 3.5]), torch.tensor([3., 1.])),
             lambda: D.Kumaraswamy(torch.tensor([1.5, .5]), torch.tensor([2., 3.])), lambda: D.LogisticNormal(torch.zeros(3), torch.ones(3)),
             lambda: D.Pareto(torch.tensor([1., 2.]), torch.tensor([3., 1.5])), lambda: D.Weibull(torch.tensor([1., 2.]), torch.tensor([1.5, .7])),
             lambda: D.RelaxedBernoulli(torch.tensor([2.2]), torch.tensor([.1, .2, .3, .99])), lambda: D.RelaxedBernoulli(torch.tensor(.5), logits=torch.tensor([.1, .2])),
             lambda: D.NegativeBinomial(torch.tensor([3., 5.]), torch.tensor([.3, .6])), lambda: D.NegativeBinomial(4, logits=torch.tensor([.3, -.6])),
             lambda: D.FisherSnedecor(torch.tensor([1., 5.]), torch.tensor([2., 7.])),
             lambda: D.LowRankMultivariateNormal(torch.zeros(3), torch.tensor([[1.], [0.], [.5]]), torch.tensor([1., 2., .5])),
             lambda: D.LowRankMultivariateNormal(torch.zeros(2, 3), torch.tensor([[1.], [.3], [.5]]), torch.tensor([1., 2., .5]))):
    d = make()
    print(d, d.batch_shape, d.event_shape, d.has_rsample)
    print(d.support)
    x = d.sample((2,)); print(x); print(d.log_prob(x))
    for name in ("mean", "variance", "mode", "stddev"):
        try: print(name, getattr(d, name))
        except NotImplementedError as e: print(name, e)
    for name in ("entropy",):
        try: print(name, d.entropy())
        except NotImplementedError as e: print(name, e)
    for name in ("cdf",):
        try: print(name, d.cdf(x), d.icdf(torch.full_like(x, .3)))
        except NotImplementedError as e: print(name, e)
    e = d.expand((2,) + tuple(d.batch_shape)); print(e, e.sample().shape, "mean" if isinstance(d, (D.LogisticNormal, D.RelaxedBernoulli)) else (e.mean.shape, e.variance.shape))
    print(e.log_prob(x).shape)
d = D.LowRankMultivariateNormal(torch.zeros(3), torch.tensor([[1.], [0.], [.5]]), torch.tensor([1., 2., .5]))
print(d.covariance_matrix, d.precision_matrix, d.scale_tril.abs(), sep="\n")
for c in (C.real, C.positive, C.nonnegative, C.greater_than(2.), C.less_than(1.), C.interval(0., 1.), C.unit_interval, C.interval(-1., 3.), C.half_open_interval(0., 2.), C.simplex, C.real_vector, C.lower_cholesky, C.positive_definite, C.corr_cholesky,
          C.independent(C.positive, 1), C.cat([C.positive, C.real], 0, [2, 1]), C.stack([C.positive, C.real, C.unit_interval], 0), C.boolean, C.one_hot, C.square, C.symmetric, C.positive_semidefinite, C.lower_triangular, C.nonnegative_integer, C.integer_interval(0, 3), C.multinomial(3)):
    try: print(c, type(c).__name__, c.event_dim, c.is_discrete)
    except Exception as e: print(type(c).__name__, type(e), e)
    for way in (biject_to, transform_to):
        try:
            t = way(c)
        except NotImplementedError as e:
            print(e); continue
        print(t, t.bijective)
        try: print(t.domain, t.codomain, t.event_dim)
        except Exception as e: print(type(e).__name__, e)
        x = torch.tensor([[.1, -.4, .3], [.3, 1., -.2], [.5, .2, 2.]] if c.event_dim == 2 and c is not C.corr_cholesky else [.1, -.4, .3], requires_grad=True)
        y = t(x); print(y); print(t.inv(y))
        print(c.check(y))
        try: print(t.log_abs_det_jacobian(x, y))
        except NotImplementedError: print("none")
        y.sum().backward(); print(x.grad, y.grad_fn)
        print(t.forward_shape(x.shape), t.inverse_shape(y.shape))
print(isinstance(D.Normal.arg_constraints["scale"], C.greater_than), C.positive.lower_bound, C.unit_interval.upper_bound)

from torch.distributions import transforms as T, kl_divergence
from torch.distributions.utils import vec_to_tril_matrix, tril_matrix_to_vec
for p, q in ((D.Binomial(10, torch.tensor([.2, .7])), D.Binomial(10, torch.tensor([.3, .7]))), (D.Binomial(10, .2), D.Binomial(11, .2)), (D.Gumbel(0., torch.tensor([1., 2.])), D.Gumbel(.5, 1.5)),
             (D.Pareto(1., torch.tensor([1., 3.])), D.Pareto(torch.tensor([.5, 2.]), 1.)), (D.Cauchy(0., 1.), D.Cauchy(1., torch.tensor([2., 3.]))), (D.Weibull(1., 1.), D.Weibull(1., 2.))):
    try:
        print(kl_divergence(p, q))
    except NotImplementedError as e:
        print(e)
r = T.ReshapeTransform((4,), (2, 2)); x = torch.arange(8.).reshape(2, 4)
print(r(x), r.inv(r(x)), r.log_abs_det_jacobian(x, r(x)), r.domain, r.codomain, r.forward_shape((5, 4)), r.inverse_shape((5, 2, 2)))
c = T.CatTransform([T.ExpTransform(), T.AffineTransform(1., 3.)], dim=1, lengths=[1, 3], cache_size=1)
print(c(x), c.inv(c(x)), c.log_abs_det_jacobian(x, c(x)), c.domain.check(x), c.codomain.check(x), c.length, c.bijective)
s = T.StackTransform([T.StickBreakingTransform(), T.LowerCholeskyTransform()], dim=0)
s = T.StackTransform([T.ExpTransform(), T.TanhTransform()], dim=0)
print(s(x), s.inv(s(x)), s.log_abs_det_jacobian(x, s(x)), s.domain, s.event_dim)
n = T.CumulativeDistributionTransform(D.Normal(0., 1.))
print(n(x / 4), n.inv(n(x / 4)), n.log_abs_det_jacobian(x, n(x)), n.domain, n.sign)
flow = D.TransformedDistribution(D.Independent(D.Normal(torch.zeros(2, 4), 1.), 1), [T.IndependentTransform(T.ExpTransform(), 1), T.ReshapeTransform((4,), (2, 2))])
z = flow.rsample(); print(z, flow.log_prob(z), flow.event_shape, flow.batch_shape, flow.support, T.IndependentTransform(T.ExpTransform(), 1))
v = torch.arange(1., 7.); print(vec_to_tril_matrix(v), tril_matrix_to_vec(vec_to_tril_matrix(v)), vec_to_tril_matrix(v, -1))
w = torch.tensor([.3, -.2, .5], requires_grad=True)
L = T.CorrCholeskyTransform()(w); (L @ L.mT).sum().backward(); print(L, w.grad)
class Even(C.Constraint if hasattr(C, "Constraint") else object):
    pass
@transform_to.register(Even)
def made(constraint):
    return T.ExpTransform()
print(transform_to(Even()))
for wrong in (lambda: biject_to(Even()), lambda: transform_to.register(3, made), lambda: c(torch.ones(2, 3)), lambda: s(torch.ones(3, 3)), lambda: s(torch.tensor(1.)), lambda: r.forward_shape((3,)), lambda: r.forward_shape(()),
              lambda: T.ReshapeTransform((2,), (3,)), lambda: T.StackTransform([1]), lambda: T.CatTransform([T.ExpTransform()], lengths=[1, 2]), lambda: vec_to_tril_matrix(torch.ones(4)), lambda: tril_matrix_to_vec(torch.ones(2, 2), 3),
              lambda: T.CorrCholeskyTransform().forward_shape((4,)), lambda: T.CorrCholeskyTransform().inverse_shape((4, 3)), lambda: C.cat([1]), lambda: C.cat([C.real], lengths=[1, 2]), lambda: D.NegativeBinomial(3), lambda: D.NegativeBinomial(3, 1.),
              lambda: D.Pareto(1., -1.), lambda: D.Weibull(-1., 1.), lambda: D.LowRankMultivariateNormal(torch.tensor(1.), torch.ones(1, 1), torch.ones(1)), lambda: D.LowRankMultivariateNormal(torch.zeros(2), torch.ones(3, 1), torch.ones(2)),
              lambda: D.LowRankMultivariateNormal(torch.zeros(2, 2), torch.ones(3, 2, 1), torch.ones(2)), lambda: D.Pareto(2., 1.).log_prob(torch.tensor(1.)), lambda: D.RelaxedBernoulli(torch.tensor(1.)), lambda: T.IndependentTransform(T.ExpTransform(), 1)(torch.tensor(1.))):
    try:
        print(wrong())
    except Exception as e:
        print(type(e).__name__, e)
