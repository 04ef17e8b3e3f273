"""Distributions of real numbers, for the machine to read.

Which operations and draws there are, and in which order, is as in the files of these names in torch/distributions.
"""

from __future__ import annotations

REAL = """
class _LocScale(Distribution):
    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True
    mean = mode = same_as("loc")
    def __init__(self, loc, scale, validate_args=None):
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(batch_of(self.loc, loc, scale), validate_args=validate_args)
    def _room(self, sample_shape): return self.loc.new_empty(self._extended_shape(sample_shape))

class Normal(_LocScale, ExponentialFamily):
    stddev = same_as("scale")
    @property
    def variance(self): return self.stddev.pow(2)
    @torch.no_grad()
    def sample(self, sample_shape=torch.Size()): return torch.normal(*self._spread(sample_shape, self.loc, self.scale))
    def rsample(self, sample_shape=torch.Size()):
        return self.loc + standard_normal(self._extended_shape(sample_shape), self.loc) * self.scale
    def log_prob(self, value):
        x, square = self._checked(value), self.scale ** 2
        return -((x - self.loc) ** 2) / (2 * square) - self.scale.log() - math.log(math.sqrt(2 * math.pi))
    def cdf(self, value):
        x = self._checked(value)
        return 0.5 * (1 + torch.erf((x - self.loc) * self.scale.reciprocal() / math.sqrt(2)))
    def icdf(self, value): return self.loc + self.scale * torch.erfinv(2 * value - 1) * math.sqrt(2)
    def entropy(self): return 0.5 + 0.5 * math.log(2 * math.pi) + torch.log(self.scale)

class Laplace(_LocScale):
    @property
    def stddev(self): return (2 ** 0.5) * self.scale
    @property
    def variance(self): return 2 * self.scale.pow(2)
    def rsample(self, sample_shape=torch.Size()):
        drawn = self._room(sample_shape).uniform_(torch.finfo(self.loc.dtype).eps - 1, 1)
        return self.loc - self.scale * drawn.sign() * torch.log1p(-drawn.abs())
    def log_prob(self, value):
        x = self._checked(value)
        return -torch.log(2 * self.scale) - torch.abs(x - self.loc) / self.scale
    def cdf(self, value):
        x = self._checked(value)
        return 0.5 - 0.5 * (x - self.loc).sign() * torch.expm1(-(x - self.loc).abs() / self.scale)
    def icdf(self, value):
        beside = value - 0.5
        return self.loc - self.scale * beside.sign() * torch.log1p(-2 * beside.abs())
    def entropy(self): return 1 + torch.log(2 * self.scale)

class Cauchy(_LocScale):
    @property
    def mean(self): return self._everywhere(nan)
    @property
    def variance(self): return self._everywhere(inf)
    def _everywhere(self, number): return torch.full(self._batch_shape, number, dtype=self.loc.dtype)
    def rsample(self, sample_shape=torch.Size()): return self.loc + self._room(sample_shape).cauchy_() * self.scale
    def log_prob(self, value):
        x = self._checked(value)
        return -math.log(math.pi) - self.scale.log() - (((x - self.loc) / self.scale) ** 2).log1p()
    def cdf(self, value): return torch.atan((self._checked(value) - self.loc) / self.scale) / math.pi + 0.5
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
        share = torch.rand(self._extended_shape(sample_shape), dtype=self.low.dtype)
        return self.low + share * (self.high - self.low)
    def log_prob(self, value):
        x = self._checked(value)
        inside = [side.type_as(self.low) for side in (self.low.le(x), self.high.gt(x))]
        return torch.log(inside[0].mul(inside[1])) - torch.log(self.high - self.low)
    def cdf(self, value): return ((self._checked(value) - self.low) / (self.high - self.low)).clamp(0, 1)
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
    def stddev(self): return self.rate.reciprocal()
    @property
    def variance(self): return self.rate.pow(-2)
    @property
    def mode(self): return torch.zeros_like(self.rate)
    def rsample(self, sample_shape=torch.Size()):
        return self.rate.new_empty(self._extended_shape(sample_shape)).exponential_() / self.rate
    def log_prob(self, value):
        x = self._checked(value)
        return self.rate.log() - self.rate * x
    def cdf(self, value):
        x = self._checked(value)
        return 1 - torch.exp(-self.rate * x)
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
    def mode(self): return ((self.concentration - 1) / self.rate).clamp(0)
    @property
    def variance(self): return self.concentration / self.rate.pow(2)
    def rsample(self, sample_shape=torch.Size()):
        shares, rates = self._spread(sample_shape, self.concentration, self.rate)
        drawn = standard_gamma(shares) / rates
        drawn.detach().clamp_(torch.finfo(drawn.dtype).tiny)
        return drawn
    def log_prob(self, value):
        x = self._checked(torch.as_tensor(value, dtype=self.rate.dtype))
        return (torch.xlogy(self.concentration, self.rate) + torch.xlogy(self.concentration - 1, x)
                - self.rate * x - torch.lgamma(self.concentration))
    def cdf(self, value):
        x = self._checked(value)
        return torch.special.gammainc(self.concentration, self.rate * x)
    def entropy(self):
        return (self.concentration - torch.log(self.rate) + torch.lgamma(self.concentration)
                + (1.0 - self.concentration) * torch.digamma(self.concentration))

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
    mode = same_as("loc")
    def __init__(self, df, loc=0.0, scale=1.0, validate_args=None):
        self.df, self.loc, self.scale = broadcast_all(df, loc, scale)
        self._square = Chi2(self.df)
        super().__init__(self.df.size(), validate_args=validate_args)
    def expand(self, batch_shape, _instance=None):
        new = super().expand(batch_shape)
        new._square = self._square.expand(batch_shape)
        return new
    @property
    def mean(self):
        at = self.loc.clone(memory_format=torch.contiguous_format)
        at[self.df <= 1] = nan
        return at
    @property
    def variance(self):
        known, square = self.df > 2, self.df.clone(memory_format=torch.contiguous_format)
        square[known] = self.scale[known].pow(2) * self.df[known] / (self.df[known] - 2)
        for where, number in (((self.df > 1) & ~known, inf), (self.df <= 1, nan)):
            square[where] = number
        return square
    def rsample(self, sample_shape=torch.Size()):
        noise = standard_normal(self._extended_shape(sample_shape), self.df)
        return self.loc + self.scale * (noise * torch.rsqrt(self._square.rsample(sample_shape) / self.df))
    def log_prob(self, value):
        apart = (self._checked(value) - self.loc) / self.scale
        whole = (self.scale.log() + 0.5 * self.df.log() + 0.5 * math.log(math.pi) + torch.lgamma(0.5 * self.df)
                 - torch.lgamma(0.5 * (self.df + 1.0)))
        return -0.5 * (self.df + 1.0) * torch.log1p(apart ** 2.0 / self.df) - whole
    def entropy(self):
        whole = torch.lgamma(0.5 * self.df) + math.lgamma(0.5) - torch.lgamma(0.5 * (self.df + 1))
        slope = torch.digamma(0.5 * (self.df + 1)) - torch.digamma(0.5 * self.df)
        return self.scale.log() + 0.5 * (self.df + 1) * slope + 0.5 * self.df.log() + whole
"""
