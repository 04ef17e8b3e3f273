"""Distributions of real numbers, for the machine to read.

Sources: torch/distributions, the files of the same names, for the order of operations and draws.
"""

from __future__ import annotations

REAL = """
class _LocScale(Distribution):
    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True
    def __init__(self, loc, scale, validate_args=None):
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(batch_of(self.loc, loc, scale), validate_args=validate_args)
    @property
    def mean(self): return self.loc
    @property
    def mode(self): return self.loc

class Normal(_LocScale, ExponentialFamily):
    @property
    def stddev(self): return self.scale
    @property
    def variance(self): return self.stddev.pow(2)
    def sample(self, sample_shape=torch.Size()):
        shape = self._extended_shape(sample_shape)
        with torch.no_grad():
            return torch.normal(self.loc.expand(shape), self.scale.expand(shape))
    def rsample(self, sample_shape=torch.Size()):
        eps = standard_normal(self._extended_shape(sample_shape), self.loc)
        return self.loc + eps * self.scale
    def log_prob(self, value):
        self._check(value)
        var = self.scale ** 2
        return -((value - self.loc) ** 2) / (2 * var) - self.scale.log() - math.log(math.sqrt(2 * math.pi))
    def cdf(self, value):
        self._check(value)
        return 0.5 * (1 + torch.erf((value - self.loc) * self.scale.reciprocal() / math.sqrt(2)))
    def icdf(self, value): return self.loc + self.scale * torch.erfinv(2 * value - 1) * math.sqrt(2)
    def entropy(self): return 0.5 + 0.5 * math.log(2 * math.pi) + torch.log(self.scale)

class Laplace(_LocScale):
    @property
    def variance(self): return 2 * self.scale.pow(2)
    @property
    def stddev(self): return (2 ** 0.5) * self.scale
    def rsample(self, sample_shape=torch.Size()):
        eps = torch.finfo(self.loc.dtype).eps
        u = self.loc.new_empty(self._extended_shape(sample_shape)).uniform_(eps - 1, 1)
        return self.loc - self.scale * u.sign() * torch.log1p(-u.abs())
    def log_prob(self, value):
        self._check(value)
        return -torch.log(2 * self.scale) - torch.abs(value - self.loc) / self.scale
    def cdf(self, value):
        self._check(value)
        return 0.5 - 0.5 * (value - self.loc).sign() * torch.expm1(-(value - self.loc).abs() / self.scale)
    def icdf(self, value):
        term = value - 0.5
        return self.loc - self.scale * term.sign() * torch.log1p(-2 * term.abs())
    def entropy(self): return 1 + torch.log(2 * self.scale)

class Cauchy(_LocScale):
    @property
    def mean(self): return torch.full(self._extended_shape(), nan, dtype=self.loc.dtype)
    @property
    def variance(self): return torch.full(self._extended_shape(), inf, dtype=self.loc.dtype)
    def rsample(self, sample_shape=torch.Size()):
        eps = self.loc.new_empty(self._extended_shape(sample_shape)).cauchy_()
        return self.loc + eps * self.scale
    def log_prob(self, value):
        self._check(value)
        return -math.log(math.pi) - self.scale.log() - (((value - self.loc) / self.scale) ** 2).log1p()
    def cdf(self, value):
        self._check(value)
        return torch.atan((value - self.loc) / self.scale) / math.pi + 0.5
    def icdf(self, value): return torch.tan(math.pi * (value - 0.5)) * self.scale + self.loc
    def entropy(self): return math.log(4 * math.pi) + self.scale.log()

class Uniform(Distribution):
    has_rsample = True
    def __init__(self, low, high, validate_args=None):
        self.low, self.high = broadcast_all(low, high)
        super().__init__(batch_of(self.low, low, high), validate_args=validate_args)
    @property
    def arg_constraints(self):
        return {"low": constraints.less_than(self.high), "high": constraints.greater_than(self.low)}
    @property
    def support(self): return constraints.interval(self.low, self.high)
    @property
    def mean(self): return (self.high + self.low) / 2
    @property
    def mode(self): return nan * self.high
    @property
    def stddev(self): return (self.high - self.low) / 12 ** 0.5
    @property
    def variance(self): return (self.high - self.low).pow(2) / 12
    def rsample(self, sample_shape=torch.Size()):
        rand = torch.rand(self._extended_shape(sample_shape), dtype=self.low.dtype)
        return self.low + rand * (self.high - self.low)
    def log_prob(self, value):
        self._check(value)
        lb, ub = self.low.le(value).type_as(self.low), self.high.gt(value).type_as(self.low)
        return torch.log(lb.mul(ub)) - torch.log(self.high - self.low)
    def cdf(self, value):
        self._check(value)
        return ((value - self.low) / (self.high - self.low)).clamp(min=0, max=1)
    def icdf(self, value): return value * (self.high - self.low) + self.low
    def entropy(self): return torch.log(self.high - self.low)

class Exponential(ExponentialFamily):
    arg_constraints = {"rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    def __init__(self, rate, validate_args=None):
        (self.rate,) = broadcast_all(rate)
        super().__init__(batch_of(self.rate, rate), validate_args=validate_args)
    @property
    def mean(self): return self.rate.reciprocal()
    @property
    def mode(self): return torch.zeros_like(self.rate)
    @property
    def stddev(self): return self.rate.reciprocal()
    @property
    def variance(self): return self.rate.pow(-2)
    def rsample(self, sample_shape=torch.Size()):
        return self.rate.new_empty(self._extended_shape(sample_shape)).exponential_() / self.rate
    def log_prob(self, value):
        self._check(value)
        return self.rate.log() - self.rate * value
    def cdf(self, value):
        self._check(value)
        return 1 - torch.exp(-self.rate * value)
    def icdf(self, value): return -torch.log1p(-value) / self.rate
    def entropy(self): return 1.0 - torch.log(self.rate)

class Gamma(ExponentialFamily):
    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    def __init__(self, concentration, rate, validate_args=None):
        self.concentration, self.rate = broadcast_all(concentration, rate)
        super().__init__(batch_of(self.concentration, concentration, rate), validate_args=validate_args)
    @property
    def mean(self): return self.concentration / self.rate
    @property
    def mode(self): return ((self.concentration - 1) / self.rate).clamp(min=0)
    @property
    def variance(self): return self.concentration / self.rate.pow(2)
    def rsample(self, sample_shape=torch.Size()):
        shape = self._extended_shape(sample_shape)
        value = standard_gamma(self.concentration.expand(shape)) / self.rate.expand(shape)
        value.detach().clamp_(min=torch.finfo(value.dtype).tiny)
        return value
    def log_prob(self, value):
        value = torch.as_tensor(value, dtype=self.rate.dtype)
        self._check(value)
        return (torch.xlogy(self.concentration, self.rate) + torch.xlogy(self.concentration - 1, value)
                - self.rate * value - torch.lgamma(self.concentration))
    def entropy(self):
        return (self.concentration - torch.log(self.rate) + torch.lgamma(self.concentration)
                + (1.0 - self.concentration) * torch.digamma(self.concentration))

    def cdf(self, value):
        self._check(value)
        return torch.special.gammainc(self.concentration, self.rate * value)

class Chi2(Gamma):
    arg_constraints = {"df": constraints.positive}
    def __init__(self, df, validate_args=None):
        super().__init__(0.5 * df, 0.5, validate_args=validate_args)
    def _held(self): return {"concentration": self.concentration, "rate": self.rate}
    @property
    def df(self): return self.concentration * 2

class StudentT(Distribution):
    arg_constraints = {"df": constraints.positive, "loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True
    def __init__(self, df, loc=0.0, scale=1.0, validate_args=None):
        self.df, self.loc, self.scale = broadcast_all(df, loc, scale)
        self._chi2 = Chi2(self.df)
        super().__init__(self.df.size(), validate_args=validate_args)
    def expand(self, batch_shape, _instance=None):
        new = super().expand(batch_shape)
        new._chi2 = self._chi2.expand(batch_shape)
        return new
    @property
    def mean(self):
        m = self.loc.clone(memory_format=torch.contiguous_format)
        m[self.df <= 1] = nan
        return m
    @property
    def mode(self): return self.loc
    @property
    def variance(self):
        m = self.df.clone(memory_format=torch.contiguous_format)
        big = self.df > 2
        m[big] = self.scale[big].pow(2) * self.df[big] / (self.df[big] - 2)
        m[(self.df <= 2) & (self.df > 1)] = inf
        m[self.df <= 1] = nan
        return m
    def rsample(self, sample_shape=torch.Size()):
        X = standard_normal(self._extended_shape(sample_shape), self.df)
        Z = self._chi2.rsample(sample_shape)
        return self.loc + self.scale * (X * torch.rsqrt(Z / self.df))
    def log_prob(self, value):
        self._check(value)
        y = (value - self.loc) / self.scale
        Z = (self.scale.log() + 0.5 * self.df.log() + 0.5 * math.log(math.pi) + torch.lgamma(0.5 * self.df)
             - torch.lgamma(0.5 * (self.df + 1.0)))
        return -0.5 * (self.df + 1.0) * torch.log1p(y ** 2.0 / self.df) - Z
    def entropy(self):
        lbeta = torch.lgamma(0.5 * self.df) + math.lgamma(0.5) - torch.lgamma(0.5 * (self.df + 1))
        apart = torch.digamma(0.5 * (self.df + 1)) - torch.digamma(0.5 * self.df)
        return self.scale.log() + 0.5 * (self.df + 1) * apart + 0.5 * self.df.log() + lbeta
"""
