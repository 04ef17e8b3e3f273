"""Distributions made by transforming those of the other files, and by mixing them, for the machine to read.

Which operations and draws there are, and in which order, is as in the files of these names in torch/distributions.
"""

from __future__ import annotations

DERIVED = """
class HalfCauchy(TransformedDistribution):
    arg_constraints = {"scale": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    scale, variance = same_as("base_dist.scale"), same_as("base_dist.variance")
    def __init__(self, scale, validate_args=None):
        super().__init__(Cauchy(0, scale, validate_args=False), AbsTransform(), validate_args=validate_args)
    @property
    def mean(self): return torch.full(self._extended_shape(), inf, dtype=self.scale.dtype)
    @property
    def mode(self): return torch.zeros_like(self.scale)
    def log_prob(self, value):
        x = torch.as_tensor(self._checked(value), dtype=self.scale.dtype)
        return torch.where(x >= 0, self.base_dist.log_prob(x) + math.log(2), -inf)
    def cdf(self, value): return 2 * self.base_dist.cdf(self._checked(value)) - 1
    def icdf(self, prob): return self.base_dist.icdf((prob + 1) / 2)
    def entropy(self): return self.base_dist.entropy() - math.log(2)

class InverseGamma(TransformedDistribution):
    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.positive
    has_rsample = True
    concentration, rate = same_as("base_dist.concentration"), same_as("base_dist.rate")
    def __init__(self, concentration, rate, validate_args=None):
        base = Gamma(concentration, rate, validate_args=validate_args)
        super().__init__(base, PowerTransform(-base.rate.new_ones(())), validate_args=validate_args)
    @property
    def mean(self):
        return torch.where(self.concentration > 1, self.rate / (self.concentration - 1), inf)
    @property
    def mode(self): return self.rate / (self.concentration + 1)
    @property
    def variance(self):
        below = (self.concentration - 1).square() * (self.concentration - 2)
        return torch.where(self.concentration > 2, self.rate.square() / below, inf)
    def entropy(self):
        return (self.concentration + self.rate.log() + self.concentration.lgamma()
                - (1 + self.concentration) * self.concentration.digamma())

class Kumaraswamy(TransformedDistribution):
    arg_constraints = {"concentration1": constraints.positive, "concentration0": constraints.positive}
    support = constraints.unit_interval
    has_rsample = True
    def __init__(self, concentration1, concentration0, validate_args=None):
        self.concentration1, self.concentration0 = broadcast_all(concentration1, concentration0)
        ends = [torch.full_like(self.concentration0, end) for end in (0, 1)]
        steps = [PowerTransform(exponent=self.concentration0.reciprocal()), AffineTransform(loc=1.0, scale=-1.0),
                 PowerTransform(exponent=self.concentration1.reciprocal())]
        super().__init__(Uniform(*ends, validate_args=validate_args), steps, validate_args=validate_args)
    def _moment(self, order):
        one = 1 + order / self.concentration1
        logarithm = torch.lgamma(one) + torch.lgamma(self.concentration0) - torch.lgamma(one + self.concentration0)
        return self.concentration0 * torch.exp(logarithm)
    @property
    def mean(self): return self._moment(1)
    @property
    def mode(self):
        logarithm = (self.concentration0.reciprocal() * (-self.concentration0).log1p()
                     - (-self.concentration0 * self.concentration1).log1p())
        logarithm[(self.concentration0 < 1) | (self.concentration1 < 1)] = nan
        return logarithm.exp()
    @property
    def variance(self): return self._moment(2) - torch.pow(self.mean, 2)
    def entropy(self):
        one, other = 1 - self.concentration1.reciprocal(), 1 - self.concentration0.reciprocal()
        middle = torch.digamma(self.concentration0 + 1) + EULER
        return other + one * middle - torch.log(self.concentration1) - torch.log(self.concentration0)

class LogisticNormal(TransformedDistribution):
    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.simplex
    has_rsample = True
    loc, scale = same_as("base_dist.base_dist.loc"), same_as("base_dist.base_dist.scale")
    def __init__(self, loc, scale, validate_args=None):
        base = Normal(loc, scale, validate_args=validate_args)
        base = base if base.batch_shape else base.expand([1])
        super().__init__(base, StickBreakingTransform(), validate_args=validate_args)

class Pareto(TransformedDistribution):
    arg_constraints = {"alpha": constraints.positive, "scale": constraints.positive}
    mode = same_as("scale")
    def __init__(self, scale, alpha, validate_args=None):
        self.scale, self.alpha = broadcast_all(scale, alpha)
        base, steps = Exponential(self.alpha, validate_args=validate_args), [ExpTransform()]
        steps.append(AffineTransform(loc=0, scale=self.scale))
        super().__init__(base, steps, validate_args=validate_args)
    @property
    def mean(self):
        alpha = self.alpha.clamp(min=1)
        return alpha * self.scale / (alpha - 1)
    @property
    def variance(self):
        alpha = self.alpha.clamp(min=2)
        return self.scale.pow(2) * alpha / ((alpha - 1).pow(2) * (alpha - 2))
    @property
    def support(self): return constraints.greater_than_eq(self.scale)
    def entropy(self): return (self.scale / self.alpha).log() + (1 + self.alpha.reciprocal())

class Weibull(TransformedDistribution):
    arg_constraints = {"scale": constraints.positive, "concentration": constraints.positive}
    support = constraints.positive
    def __init__(self, scale, concentration, validate_args=None):
        self.scale, self.concentration = broadcast_all(scale, concentration)
        self.concentration_reciprocal = self.concentration.reciprocal()
        base = Exponential(torch.ones_like(self.scale), validate_args=validate_args)
        super().__init__(base, self._steps(), validate_args=validate_args)
    def _steps(self):
        return [PowerTransform(exponent=self.concentration_reciprocal), AffineTransform(loc=0, scale=self.scale)]
    def expand(self, batch_shape, _instance=None):
        new = super().expand(batch_shape)
        new.concentration_reciprocal = new.concentration.reciprocal()
        new.transforms = new._steps()
        return new
    @property
    def mean(self): return self.scale * torch.exp(torch.lgamma(1 + self.concentration_reciprocal))
    @property
    def mode(self):
        return self.scale * ((self.concentration - 1) / self.concentration) ** self.concentration.reciprocal()
    @property
    def variance(self):
        return self.scale.pow(2) * (torch.exp(torch.lgamma(1 + 2 * self.concentration_reciprocal))
                                    - torch.exp(2 * torch.lgamma(1 + self.concentration_reciprocal)))
    def entropy(self):
        return EULER * (1 - self.concentration_reciprocal) + torch.log(self.scale * self.concentration_reciprocal) + 1

class LogitRelaxedBernoulli(_ByChance):
    support = constraints.real
    def __init__(self, temperature, probs=None, logits=None, validate_args=None):
        self.temperature = temperature
        super().__init__(probs, logits, validate_args)
    def rsample(self, sample_shape=torch.Size()):
        shape = self._extended_shape(sample_shape)
        probs = clamp_probs(self.probs.expand(shape))
        drawn = clamp_probs(torch.rand(shape, dtype=probs.dtype))
        return (drawn.log() - (-drawn).log1p() + probs.log() - (-probs).log1p()) / self.temperature
    def log_prob(self, value):
        logits, x = broadcast_all(self.logits, self._checked(value))
        apart = logits - x.mul(self.temperature)
        return self.temperature.log() + apart - 2 * apart.exp().log1p()

class RelaxedBernoulli(TransformedDistribution):
    arg_constraints = _ByChance.arg_constraints
    support = constraints.unit_interval
    has_rsample = True
    temperature, logits, probs = (same_as("base_dist." + name) for name in ("temperature", "logits", "probs"))
    def __init__(self, temperature, probs=None, logits=None, validate_args=None):
        base = LogitRelaxedBernoulli(temperature, probs, logits)
        super().__init__(base, SigmoidTransform(), validate_args=validate_args)

class NegativeBinomial(_ByChance):
    arg_constraints = {"total_count": constraints.greater_than_eq(0),
                       "probs": constraints.half_open_interval(0.0, 1.0), "logits": constraints.real}
    support = constraints.nonnegative_integer
    def __init__(self, total_count, probs=None, logits=None, validate_args=None):
        name, given = _chosen(probs, logits)
        count, given = broadcast_all(total_count, given)
        self._take(name, given)
        self.total_count = count.type_as(given)
        Distribution.__init__(self, given.size(), validate_args=validate_args)
    @property
    def mean(self): return self.total_count * torch.exp(self.logits)
    @property
    def mode(self): return ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0.0)
    @property
    def variance(self): return self.mean / torch.sigmoid(-self.logits)
    @torch.no_grad()
    def sample(self, sample_shape=torch.Size()):
        rates = Gamma(concentration=self.total_count, rate=torch.exp(-self.logits), validate_args=False)
        return torch.poisson(rates.sample(sample_shape=sample_shape))
    def log_prob(self, value):
        x = self._checked(value)
        chance = self.total_count * F.logsigmoid(-self.logits) + x * F.logsigmoid(self.logits)
        ways = -torch.lgamma(self.total_count + x) + torch.lgamma(1.0 + x) + torch.lgamma(self.total_count)
        return chance - ways.masked_fill(self.total_count + x == 0.0, 0.0)

class FisherSnedecor(Distribution):
    arg_constraints = {"df1": constraints.positive, "df2": constraints.positive}
    support = constraints.positive
    has_rsample = True
    def __init__(self, df1, df2, validate_args=None):
        self.df1, self.df2 = broadcast_all(df1, df2)
        self._gammas = [Gamma(each * 0.5, each) for each in (self.df1, self.df2)]
        super().__init__(batch_of(self.df1, df1, df2), validate_args=validate_args)
    def expand(self, batch_shape, _instance=None):
        new = super().expand(batch_shape)
        new._gammas = [each.expand(batch_shape) for each in self._gammas]
        return new
    def _above(self, least):
        kept = self.df2.clone()
        kept[kept <= least] = nan
        return kept
    @property
    def mean(self):
        df2 = self._above(2)
        return df2 / (df2 - 2)
    @property
    def mode(self):
        made = (self.df1 - 2) / self.df1 * self.df2 / (self.df2 + 2)
        made[self.df1 <= 2] = nan
        return made
    @property
    def variance(self):
        df2 = self._above(4)
        return 2 * df2.pow(2) * (self.df1 + df2 - 2) / (self.df1 * (df2 - 2).pow(2) * (df2 - 4))
    def rsample(self, sample_shape=torch.Size(())):
        shape = self._extended_shape(sample_shape)
        one, other = (each.rsample(sample_shape).view(shape) for each in self._gammas)
        tiny = torch.finfo(other.dtype).tiny
        return (one / other.clamp_(min=tiny)).clamp_(min=tiny)
    def log_prob(self, value):
        x, one, other, share = self._checked(value), self.df1 * 0.5, self.df2 * 0.5, self.df1 / self.df2
        ways = (one + other).lgamma() - one.lgamma() - other.lgamma()
        return ways + (one * share.log() + (one - 1) * torch.log(x)) - (one + other) * torch.log1p(share * x)

class LowRankMultivariateNormal(Distribution):
    arg_constraints = {"loc": constraints.real_vector, "cov_factor": constraints.independent(constraints.real, 2),
                       "cov_diag": constraints.independent(constraints.positive, 1)}
    support = constraints.real_vector
    has_rsample = True
    mean = mode = same_as("loc")
    def __init__(self, loc, cov_factor, cov_diag, validate_args=None):
        if not loc.dim():
            raise ValueError("loc must be at least one-dimensional.")
        event = loc.shape[-1:]
        if cov_factor.dim() < 2:
            raise ValueError(
                "cov_factor must be at least two-dimensional, with optional leading batch dimensions")
        if cov_factor.shape[-2:-1] != event:
            raise ValueError(f"cov_factor must be a batch of matrices with shape {event[0]} x m")
        if cov_diag.shape[-1:] != event:
            raise ValueError(f"cov_diag must be a batch of vectors with shape {event}")
        try:
            wide, self.cov_factor, wide_diag = torch.broadcast_tensors(
                loc.unsqueeze(-1), cov_factor, cov_diag.unsqueeze(-1))
        except RuntimeError as failed:
            raise ValueError(
                f"Incompatible batch shapes: loc {loc.shape}, cov_factor {cov_factor.shape}, "
                f"cov_diag {cov_diag.shape}") from failed
        self.loc, self.cov_diag = wide[..., 0], wide_diag[..., 0]
        self._factor, self._diag = cov_factor, cov_diag
        self._capacitance_tril = self._lower_of_sum(self._over_diag(), cov_factor)
        super().__init__(self.loc.shape[:-1], event, validate_args=validate_args)
    def _over_diag(self): return self._factor.mT / self._diag.unsqueeze(-2)
    def _lower_of_sum(self, one, other):
        product = torch.matmul(one, other).contiguous()
        count = product.size(-1)
        product.view(-1, count * count)[:, ::count + 1] += 1
        return torch.linalg.cholesky(product)
    def _wide(self, matrix): return matrix.expand(self._batch_shape + self._event_shape + self._event_shape)
    @lazy_property
    def variance(self): return (self._factor.pow(2).sum(-1) + self._diag).expand(self._extended_shape())
    @lazy_property
    def scale_tril(self):
        roots = self._diag.sqrt().unsqueeze(-1)
        shares = self._factor / roots
        return self._wide(roots * self._lower_of_sum(shares, shares.mT))
    @lazy_property
    def covariance_matrix(self):
        return self._wide(torch.matmul(self._factor, self._factor.mT) + torch.diag_embed(self._diag))
    @lazy_property
    def precision_matrix(self):
        solved = self._solved()
        return self._wide(torch.diag_embed(self._diag.reciprocal()) - solved.mT @ solved)
    def rsample(self, sample_shape=torch.Size()):
        shape = self._extended_shape(sample_shape)
        few = standard_normal(shape[:-1] + self.cov_factor.shape[-1:], self.loc)
        each = standard_normal(shape, self.loc)
        return self.loc + torch.matmul(self._factor, few.unsqueeze(-1)).squeeze(-1) + self._diag.sqrt() * each
    def _log_det(self):
        return 2 * self._capacitance_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1) + self._diag.log().sum(-1)
    def _square(self, apart):
        within = torch.matmul(self._over_diag(), apart.unsqueeze(-1)).squeeze(-1)
        return (apart.pow(2) / self._diag).sum(-1) - mahalanobis(self._capacitance_tril, within)
    def _solved(self): return torch.linalg.solve_triangular(self._capacitance_tril, self._over_diag(), upper=False)
    def log_prob(self, value):
        square = self._square(self._checked(value) - self.loc)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + self._log_det() + square)
    def entropy(self):
        nats = 0.5 * (self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + self._log_det())
        return nats.expand(self._batch_shape) if self._batch_shape else nats
"""
