"""How far distributions of different kinds are from one another, and distributions of directions and correlations.

For the machine to read. Source: torch/distributions/kl.py, von_mises.py and lkj_cholesky.py, for the order of
operations.
"""

from __future__ import annotations

CROSS = """
def _or_never(nats, outside):
    nats[outside] = inf
    return nats
def _x_log_x(x): return torch.special.xlogy(x, x)
def _mean_of_log(p):
    width = p.high - p.low
    return width, (_x_log_x(p.high) - _x_log_x(p.low) - width)
def _log_partition(q): return q.concentration.lgamma() - q.concentration * q.rate.log()

@register_kl(Beta, Exponential)
def _beta_exponential(p, q):
    return -p.entropy() - q.rate.log() + q.rate * (p.concentration1 / (p.concentration1 + p.concentration0))
@register_kl(Beta, Gamma)
def _beta_gamma(p, q):
    a, whole = p.concentration1, p.concentration1 + p.concentration0
    own, theirs = -p.entropy(), _log_partition(q)
    return own + theirs - (q.concentration - 1) * (a.digamma() - whole.digamma()) + q.rate * a / whole
@register_kl(Beta, Normal)
def _beta_normal(p, q):
    whole = p.concentration1 + p.concentration0
    mean, spread = p.concentration1 / whole, q.scale.pow(2)
    own, scale = -p.entropy(), 0.5 * (spread * 2 * math.pi).log()
    square = (mean * (1 - mean) / (whole + 1) + mean.pow(2)) * 0.5
    return own + scale + (square - q.loc * mean + q.loc.pow(2) * 0.5) / spread
@register_kl(Beta, Uniform)
def _beta_uniform(p, q): return _or_never(-p.entropy() + (q.high - q.low).log(), (q.low > 0.0) | (q.high < 1.0))
@register_kl(Exponential, Gumbel)
def _exponential_gumbel(p, q):
    product, place = p.rate * q.scale, q.loc / q.scale
    first = product.log() - 1
    return first - place + torch.exp(place) * product / (product + 1) + product.reciprocal()
@register_kl(Exponential, Normal)
def _exponential_normal(p, q):
    spread, square = q.scale.pow(2), p.rate.pow(2)
    first = 0.5 * torch.log(square * spread * 2 * math.pi)
    return first - 1 + (square.reciprocal() - q.loc / p.rate + q.loc.pow(2) * 0.5) / spread
@register_kl(Gamma, Gumbel)
def _gamma_gumbel(p, q):
    product, place, shape = p.rate * q.scale, q.loc / q.scale, p.concentration
    first = (shape - 1) * shape.digamma() - shape.lgamma() - shape
    second = product.log() + shape / product
    return first + second + (torch.exp(place) * (1 + product.reciprocal()).pow(-shape) - place)
@register_kl(Gamma, Normal)
def _gamma_normal(p, q):
    spread, square, shape = q.scale.pow(2), p.rate.pow(2), p.concentration
    first = 0.5 * torch.log(square * spread * 2 * math.pi) - shape - shape.lgamma()
    second, third = 0.5 * (shape.pow(2) + shape) / square, q.loc * shape / p.rate
    return first + (shape - 1) * shape.digamma() + (second - third + 0.5 * q.loc.pow(2)) / spread
@register_kl(Gumbel, Normal)
def _gumbel_normal(p, q):
    ratio = p.scale / q.scale
    first, second = (ratio / math.sqrt(2 * math.pi)).log(), (math.pi * ratio * 0.5).pow(2) / 3
    third = ((p.loc + p.scale * EULER - q.loc) / q.scale).pow(2) * 0.5
    return -first + second + third - (EULER + 1)
@register_kl(Laplace, Normal)
def _laplace_normal(p, q):
    spread = q.scale.pow(2)
    ratio = p.scale.pow(2) / spread
    first = 0.5 * torch.log(2 * ratio / math.pi)
    return -first + ratio + (0.5 * p.loc.pow(2) - p.loc * q.loc + 0.5 * q.loc.pow(2)) / spread - 1
@register_kl(Normal, Gumbel)
def _normal_gumbel(p, q):
    here, ratio, there = p.loc / q.scale, (p.scale / q.scale).pow(2), q.loc / q.scale
    first, second = ratio.log() * 0.5, here - there
    return -first + second + torch.exp(-here + 0.5 * ratio + there) - (0.5 * (1 + math.log(2 * math.pi)))
@register_kl(Normal, Laplace)
def _normal_laplace(p, q):
    apart, ratio = p.loc - q.loc, p.scale / q.scale
    steps = apart / p.scale
    first = torch.log(ratio)
    second = math.sqrt(2 / math.pi) * p.scale * torch.exp(-0.5 * steps.pow(2))
    third = apart * torch.erf(math.sqrt(0.5) * steps)
    return -first + (second + third) / q.scale - (0.5 * (1 + math.log(0.5 * math.pi)))
@register_kl(Pareto, Exponential)
def _pareto_exponential(p, q):
    product = p.scale * q.rate
    first, second = (p.alpha / product).log(), p.alpha.reciprocal()
    return _or_never(first - second + p.alpha * product / (p.alpha - 1) - 1, p.alpha <= 1)
@register_kl(Pareto, Gamma)
def _pareto_gamma(p, q):
    common = p.scale.log() + p.alpha.reciprocal()
    first, second = p.alpha.log() - common, _log_partition(q)
    third, fourth = (1 - q.concentration) * common, q.rate * p.alpha * p.scale / (p.alpha - 1)
    return _or_never(first + second + third + fourth - 1, p.alpha <= 1)
@register_kl(Pareto, Normal)
def _pareto_normal(p, q):
    spread, common = 2 * q.scale.pow(2), p.scale / (p.alpha - 1)
    first, second = (math.sqrt(2 * math.pi) * q.scale * p.alpha / p.scale).log(), p.alpha.reciprocal()
    third, fourth = p.alpha * common.pow(2) / (p.alpha - 2), (p.alpha * common - q.loc).pow(2)
    return _or_never(first - second + (third + fourth) / spread - 1, p.alpha <= 2)
@register_kl(Uniform, Beta)
def _uniform_beta(p, q):
    a, b, width = q.concentration1, q.concentration0, p.high - p.low
    first = torch.log(width)
    second = (a - 1) * (_x_log_x(p.high) - _x_log_x(p.low) - width) / width
    third = (b - 1) * (_x_log_x(1 - p.high) - _x_log_x(1 - p.low) + width) / width
    fourth = a.lgamma() + b.lgamma() - (a + b).lgamma()
    return _or_never(third + fourth - first - second, (p.high > 1.0) | (p.low < 0.0))
@register_kl(Uniform, Exponential)
def _uniform_exponential(p, q):
    return _or_never(q.rate * (p.high + p.low) / 2 - ((p.high - p.low) * q.rate).log(), p.low < 0.0)
@register_kl(Uniform, Gamma)
def _uniform_gamma(p, q):
    width, mean = _mean_of_log(p)
    first, second = width.log(), _log_partition(q)
    third = (1 - q.concentration) * mean / width
    return _or_never(-first + second + third + q.rate * (p.high + p.low) / 2, p.low < 0.0)
@register_kl(Uniform, Gumbel)
def _uniform_gumbel(p, q):
    common, high, low = q.scale / (p.high - p.low), (p.high - q.loc) / q.scale, (p.low - q.loc) / q.scale
    first = common.log() + 0.5 * (high + low)
    return first - common * (torch.exp(-high) - torch.exp(-low))
@register_kl(Uniform, Pareto)
def _uniform_pareto(p, q):
    width, mean = _mean_of_log(p)
    first = (q.alpha * q.scale.pow(q.alpha) * width).log()
    return _or_never(mean / width * (q.alpha + 1) - first, p.low < q.scale)

def _trace(matrix): return matrix.reshape(-1, matrix.size(-1) * matrix.size(-2)).pow(2).sum(-1).reshape(
    matrix.shape[:-2])
def _same_events(p, q, which):
    if p.event_shape != q.event_shape:
        raise ValueError(f"KL-divergence between two {which} Multivariate Normals with                          "
                         "different event shapes cannot be computed")
@register_kl(LowRankMultivariateNormal, LowRankMultivariateNormal)
def _low_rank(p, q):
    _same_events(p, q, "Low Rank")
    logs, square, solved = q._log_det() - p._log_det(), q._square(q.loc - p.loc), q._solved()
    trace = ((p._diag / q._diag).sum(-1) + _trace(p._factor * q._diag.rsqrt().unsqueeze(-1))
             - _trace(solved * p._diag.sqrt().unsqueeze(-2)) - _trace(solved.matmul(p._factor)))
    return 0.5 * (logs + trace + square - p.event_shape[0])
@register_kl(MultivariateNormal, LowRankMultivariateNormal)
def _multivariate_low_rank(p, q):
    _same_events(p, q, "(Low Rank)")
    lower = p._unbroadcasted_scale_tril
    logs = q._log_det() - 2 * lower.diagonal(dim1=-2, dim2=-1).log().sum(-1)
    square, solved = q._square(q.loc - p.loc), q._solved()
    trace = _trace(lower * q._diag.rsqrt().unsqueeze(-1)) - _trace(solved.matmul(lower))
    return 0.5 * (logs + trace + square - p.event_shape[0])
@register_kl(LowRankMultivariateNormal, MultivariateNormal)
def _low_rank_multivariate(p, q):
    _same_events(p, q, "(Low Rank)")
    theirs, count = q._unbroadcasted_scale_tril, p.event_shape[0]
    logs = 2 * theirs.diagonal(dim1=-2, dim2=-1).log().sum(-1) - p._log_det()
    square = mahalanobis(theirs, q.loc - p.loc)
    shape = torch.broadcast_shapes(theirs.shape[:-2], p._factor.shape[:-2])
    theirs = theirs.expand(shape + (count, count))
    factor = p._factor.expand(shape + (count, p.cov_factor.size(-1)))
    roots = torch.diag_embed(p._diag.sqrt()).expand(shape + (count, count))
    trace = (_trace(torch.linalg.solve_triangular(theirs, factor, upper=False))
             + _trace(torch.linalg.solve_triangular(theirs, roots, upper=False)))
    return 0.5 * (logs + trace + square - count)

SMALL = (
    (1.0, 3.5156229, 3.0899424, 1.2067492, 0.2659732, 0.360768e-1, 0.45813e-2),
    (0.5, 0.87890594, 0.51498869, 0.15084934, 0.2658733e-1, 0.301532e-2, 0.32411e-3))
LARGE = (
    (0.39894228, 0.1328592e-1, 0.225319e-2, -0.157565e-2, 0.916281e-2, -0.2057706e-1, 0.2635537e-1, -0.1647633e-1,
     0.392377e-2),
    (0.39894228, -0.3988024e-1, -0.362018e-2, 0.163801e-2, -0.1031555e-1, 0.2282967e-1, -0.2895312e-1, 0.1787654e-1,
     -0.420059e-2))

def _polynomial(x, factors):
    total = factors[-1]
    for factor in factors[-2::-1]:
        total = factor + x * total
    return total
def _log_bessel(x, order):
    ratio = x / 3.75
    small = _polynomial(ratio * ratio, SMALL[order])
    small = (x.abs() * small if order else small).log()
    large = x - 0.5 * x.log() + _polynomial(3.75 / x, LARGE[order]).log()
    return torch.where(x < 3.75, small, large)

class VonMises(Distribution):
    arg_constraints = {"loc": constraints.real, "concentration": constraints.positive}
    support = constraints.real
    has_rsample = False
    mean = mode = same_as("loc")
    def __init__(self, loc, concentration, validate_args=None):
        self.loc, self.concentration = broadcast_all(loc, concentration)
        super().__init__(self.loc.shape, torch.Size(), validate_args)
    def log_prob(self, value):
        x = self._checked(value)
        return (self.concentration * torch.cos(x - self.loc) - math.log(2 * math.pi)
                - _log_bessel(self.concentration, 0))
    @lazy_property
    def _loc(self): return self.loc.to(torch.double)
    @lazy_property
    def _concentration(self): return self.concentration.to(torch.double)
    @lazy_property
    def _proposal_r(self):
        kappa = self._concentration
        tau = 1 + (1 + 4 * kappa**2).sqrt()
        rho = (tau - (2 * tau).sqrt()) / (2 * kappa)
        return torch.where(kappa < 1e-5, 1 / kappa + kappa, (1 + rho**2) / (2 * rho))
    @torch.no_grad()
    def sample(self, sample_shape=torch.Size()):
        x = torch.empty(self._extended_shape(sample_shape), dtype=self._loc.dtype)
        done = torch.zeros(x.shape, dtype=torch.bool)
        while not done.all():
            first, second, third = torch.rand((3,) + x.shape, dtype=self._loc.dtype).unbind()
            z = torch.cos(math.pi * first)
            cosine = (1 + self._proposal_r * z) / (self._proposal_r + z)
            c = self._concentration * (self._proposal_r - cosine)
            taken = ((c * (2 - c) - second) > 0) | ((c / second).log() + 1 - c >= 0)
            x = torch.where(taken, (third - 0.5).sign() * cosine.acos(), x)
            done = done | taken
        return ((x + math.pi + self._loc) % (2 * math.pi) - math.pi).to(self.loc.dtype)
    @lazy_property
    def variance(self): return 1 - (_log_bessel(self.concentration, 1) - _log_bessel(self.concentration, 0)).exp()

class LKJCholesky(Distribution):
    arg_constraints = {"concentration": constraints.positive}
    support = constraints.corr_cholesky
    def __init__(self, dim, concentration=1.0, validate_args=None):
        if dim < 2:
            raise ValueError(f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}.")
        self.dim = dim
        (self.concentration,) = broadcast_all(concentration)
        rows = torch.arange(dim - 1, dtype=self.concentration.dtype)
        rows = torch.cat([rows.new_zeros((1,)), rows])
        self._beta = Beta(rows + 0.5, (self.concentration + 0.5 * (dim - 2)).unsqueeze(-1) - 0.5 * rows)
        super().__init__(self.concentration.size(), torch.Size((dim, dim)), validate_args)
    def expand(self, batch_shape, _instance=None):
        new = super().expand(batch_shape)
        new._beta = self._beta.expand(torch.Size(batch_shape) + (self.dim,))
        return new
    def sample(self, sample_shape=torch.Size()):
        share = self._beta.sample(sample_shape).unsqueeze(-1)
        normal = torch.randn(self._extended_shape(sample_shape), dtype=share.dtype).tril(-1)
        direction = normal / normal.norm(dim=-1, keepdim=True)
        direction[..., 0, :].fill_(0.0)
        lower = torch.sqrt(share) * direction
        rest = torch.clamp(1 - torch.sum(lower**2, dim=-1), min=torch.finfo(lower.dtype).tiny).sqrt()
        lower += torch.diag_embed(rest)
        return lower
    def log_prob(self, value):
        diagonal = self._checked(value).diagonal(dim1=-1, dim2=-2)[..., 1:]
        order = 2 * (self.concentration - 1).unsqueeze(-1) + self.dim - torch.arange(2, self.dim + 1)
        density = torch.sum(order * diagonal.log(), dim=-1)
        count = self.dim - 1
        alpha = self.concentration + 0.5 * count
        below = torch.lgamma(alpha) * count
        above = torch.mvlgamma(alpha - 0.5, count)
        return density - (0.5 * count * math.log(math.pi) + above - below)
"""
