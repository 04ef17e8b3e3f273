"""How far one distribution is from another, for the machine to read.

Source: torch/distributions/kl.py, for the order of operations and for which formula is taken.
"""

from __future__ import annotations

DIVERGENCE = """
_known = {}

def register_kl(type_p, type_q):
    def known(formula):
        _known[type_p, type_q] = formula
        return formula
    return known

def _nearest(type_p, type_q):
    fits = [(p, q) for p, q in _known if issubclass(type_p, p) and issubclass(type_q, q)]
    best = None
    for p, q in fits:
        if best is None or (issubclass(p, best[0]) and (p is not best[0] or issubclass(q, best[1]))):
            best = p, q
    return None if best is None else _known[best]

def kl_divergence(p, q):
    fun = _nearest(type(p), type(q))
    if fun is None and isinstance(p, ExponentialFamily) and isinstance(q, ExponentialFamily) and type(p) != type(q):
        raise NotImplementedError(
            "The cross KL-divergence between different exponential families cannot                             "
            "be computed using Bregman divergences")
    if fun is None:
        raise NotImplementedError(
            f"No KL(p || q) is implemented for p type {p.__class__.__name__} and q type {q.__class__.__name__}")
    return fun(p, q)

@register_kl(Normal, Normal)
def _normal(p, q):
    ratio, apart = (p.scale / q.scale).pow(2), ((p.loc - q.loc) / q.scale).pow(2)
    return 0.5 * (ratio + apart - 1 - ratio.log())
@register_kl(HalfNormal, HalfNormal)
def _half_normal(p, q): return _normal(p.base_dist, q.base_dist)
@register_kl(Laplace, Laplace)
def _laplace(p, q):
    ratio, apart = p.scale / q.scale, (p.loc - q.loc).abs()
    return -ratio.log() + apart / q.scale + ratio * torch.exp(-apart / p.scale) - 1
def _never(p, q): return torch.full_like(p.mean, inf)
for _wide, _narrow in ((Normal, (Beta, Exponential, Gamma, Uniform)), (Laplace, (Beta, Exponential, Gamma, Uniform)),
                       (Exponential, (Beta, Uniform)), (Gamma, (Beta, Uniform)), (Poisson, (Bernoulli, Binomial)),
                       (Gumbel, (Beta, Exponential, Gamma, Uniform)),
                       *((each, (Pareto,)) for each in (Normal, Laplace, Exponential, Gamma, Beta, Gumbel)),
                       (Pareto, (Beta, Uniform))):
    for _other in _narrow:
        register_kl(_wide, _other)(_never)
@register_kl(Uniform, Uniform)
def _uniform(p, q):
    nats = ((q.high - q.low) / (p.high - p.low)).log()
    nats[(q.high < p.high) | (q.low > p.low)] = inf
    return nats
@register_kl(Uniform, Normal)
def _uniform_normal(p, q):
    width = p.high - p.low
    logs, square = (math.sqrt(math.pi * 2) * q.scale / width).log(), width.pow(2) / 12
    return logs + 0.5 * (square + ((p.high + p.low - 2 * q.loc) / 2).pow(2)) / q.scale.pow(2)
@register_kl(Exponential, Exponential)
def _exponential(p, q):
    ratio = q.rate / p.rate
    return -ratio.log() + ratio - 1
@register_kl(Gamma, Gamma)
def _gamma(p, q):
    rates = q.concentration * (p.rate / q.rate).log()
    whole = torch.lgamma(q.concentration) - torch.lgamma(p.concentration)
    slope = (p.concentration - q.concentration) * torch.digamma(p.concentration)
    return rates + whole + slope + (q.rate - p.rate) * (p.concentration / p.rate)
@register_kl(Exponential, Gamma)
def _exponential_gamma(p, q):
    ratio, shape = q.rate / p.rate, q.concentration
    return -shape * torch.log(ratio) + ratio + shape.lgamma() + shape * EULER - (1 + EULER)
@register_kl(Gamma, Exponential)
def _gamma_exponential(p, q): return -p.entropy() - q.rate.log() + q.rate * p.concentration / p.rate
@register_kl(Beta, Beta)
def _beta(p, q):
    a, b, c, d = p.concentration1, p.concentration0, q.concentration1, q.concentration0
    gain, loss = c.lgamma() + d.lgamma() + (a + b).lgamma(), a.lgamma() + b.lgamma() + (c + d).lgamma()
    slope = (c + d - (a + b)) * torch.digamma(a + b)
    return gain - loss + (a - c) * torch.digamma(a) + (b - d) * torch.digamma(b) + slope
@register_kl(Dirichlet, Dirichlet)
def _dirichlet(p, q):
    a, b = p.concentration, q.concentration
    whole, other = a.sum(-1), b.sum(-1)
    gain, loss = whole.lgamma() - other.lgamma(), (a.lgamma() - b.lgamma()).sum(-1)
    slope = a.digamma() - whole.digamma().unsqueeze(-1)
    return gain - loss + ((a - b) * slope).sum(-1)
@register_kl(MultivariateNormal, MultivariateNormal)
def _multivariate(p, q):
    if p.event_shape != q.event_shape:
        raise ValueError(
            "KL-divergence between two Multivariate Normals with                          "
            "different event shapes cannot be computed")
    theirs, own, count = q._unbroadcasted_scale_tril, p._unbroadcasted_scale_tril, p.event_shape[0]
    half = q._half_log_det() - p._half_log_det()
    shape = torch.broadcast_shapes(theirs.shape[:-2], own.shape[:-2]) + (count, count)
    solved = torch.linalg.solve_triangular(theirs.expand(shape), own.expand(shape), upper=False)
    trace = solved.reshape(-1, count * count).pow(2).sum(-1).reshape(shape[:-2])
    return half + 0.5 * (trace + mahalanobis(theirs, q.loc - p.loc) - count)
@register_kl(Bernoulli, Bernoulli)
def _bernoulli(p, q):
    hit = p.probs * (F.softplus(-q.logits) - F.softplus(-p.logits))
    for side, number in ((q, inf), (p, 0)):
        hit[side.probs == 0] = number
    miss = (1 - p.probs) * (F.softplus(q.logits) - F.softplus(p.logits))
    for side, number in ((q, inf), (p, 0)):
        miss[side.probs == 1] = number
    return hit + miss
@register_kl(Categorical, Categorical)
def _categorical(p, q):
    nats = p.probs * (p.logits - q.logits)
    for chance, number in ((q.probs, inf), (p.probs, 0)):
        nats[(chance == 0).expand_as(nats)] = number
    return nats.sum(-1)
@register_kl(OneHotCategorical, OneHotCategorical)
def _one_hot(p, q): return _categorical(p._categorical, q._categorical)
@register_kl(Poisson, Poisson)
def _poisson(p, q): return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)
@register_kl(Geometric, Geometric)
def _geometric(p, q): return -p.entropy() - torch.log1p(-q.probs) / p.probs - q.logits
@register_kl(Binomial, Binomial)
def _binomial(p, q):
    if (p.total_count < q.total_count).any():
        raise NotImplementedError("KL between Binomials where q.total_count > p.total_count is not implemented")
    nats = p.total_count * (p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p())
    nats[p.total_count > q.total_count] = inf
    return nats
@register_kl(Gumbel, Gumbel)
def _gumbel(p, q):
    ratio, there, here = p.scale / q.scale, q.loc / q.scale, p.loc / q.scale
    tail = torch.exp(there + (1 + ratio).lgamma() - here)
    return -ratio.log() - there + here + ratio * EULER + tail - (1 + EULER)
@register_kl(Pareto, Pareto)
def _pareto(p, q):
    ratio = q.alpha / p.alpha
    nats = q.alpha * (p.scale / q.scale).log() + -ratio.log() + ratio - 1
    nats[p.scale < q.scale] = inf
    return nats
@register_kl(Cauchy, Cauchy)
def _cauchy(p, q):
    return ((p.scale + q.scale).pow(2) + (p.loc - q.loc).pow(2)).log() - (4 * p.scale * q.scale).log()
@register_kl(Independent, Independent)
def _independent(p, q):
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError
    return sum_beyond(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)
@register_kl(TransformedDistribution, TransformedDistribution)
def _transformed(p, q):
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError
    return kl_divergence(p.base_dist, q.base_dist)
"""
