"""Distributions over choices and counts, for the machine to read.

Sources: torch/distributions, the files of the same names, for the order of operations and draws.
"""

from __future__ import annotations

CHOICES = """
def _only_one(probs, logits):
    if (probs is None) == (logits is None):
        raise ValueError("Either `probs` or `logits` must be specified, but not both.")

class Categorical(Distribution):
    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    has_enumerate_support = True
    def __init__(self, probs=None, logits=None, validate_args=None):
        _only_one(probs, logits)
        name, given = ("logits", logits) if probs is None else ("probs", probs)
        if given.dim() < 1:
            raise ValueError(f"`{name}` parameter must be at least one-dimensional.")
        if probs is None:
            self.logits = self._param = logits - logits.logsumexp(dim=-1, keepdim=True)
        else:
            self.probs = self._param = probs / probs.sum(-1, keepdim=True)
        self._num_events = self._param.size()[-1]
        super().__init__(self._param.size()[:-1], validate_args=validate_args)
    @property
    def support(self): return constraints.integer_interval(0, self._num_events - 1)
    @lazy_property
    def logits(self): return probs_to_logits(self.probs)
    @lazy_property
    def probs(self): return logits_to_probs(self.logits)
    @property
    def param_shape(self): return self._param.size()
    @property
    def mean(self): return torch.full(self._extended_shape(), nan, dtype=self.probs.dtype)
    @property
    def mode(self): return self.probs.argmax(dim=-1)
    @property
    def variance(self): return torch.full(self._extended_shape(), nan, dtype=self.probs.dtype)
    def sample(self, sample_shape=torch.Size()):
        rows = self.probs.reshape(-1, self._num_events)
        count = 1
        for size in sample_shape:
            count *= size
        with torch.no_grad():
            return torch.multinomial(rows, count, True).T.reshape(self._extended_shape(sample_shape))
    def log_prob(self, value):
        self._check(value)
        value, log_pmf = torch.broadcast_tensors(value.long().unsqueeze(-1), self.logits)
        return log_pmf.gather(-1, value[..., :1]).squeeze(-1)
    def entropy(self):
        logits = torch.clamp(self.logits, min=torch.finfo(self.logits.dtype).min)
        return -(logits * self.probs).sum(-1)
    def enumerate_support(self, expand=True):
        values = torch.arange(self._num_events, dtype=torch.long).view((-1,) + (1,) * len(self._batch_shape))
        return values.expand((-1,) + self._batch_shape) if expand else values

class _ByChance(Distribution):
    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    def __init__(self, probs=None, logits=None, validate_args=None):
        _only_one(probs, logits)
        given = logits if probs is None else probs
        (self._param,) = broadcast_all(given)
        setattr(self, "logits" if probs is None else "probs", self._param)
        super().__init__(batch_of(self._param, given), validate_args=validate_args)
    @lazy_property
    def logits(self): return probs_to_logits(self.probs, is_binary=True)
    @lazy_property
    def probs(self): return logits_to_probs(self.logits, is_binary=True)
    @property
    def param_shape(self): return self._param.size()

class Bernoulli(_ByChance, ExponentialFamily):
    support = constraints.boolean
    has_enumerate_support = True
    @property
    def mean(self): return self.probs
    @property
    def mode(self):
        mode = (self.probs >= 0.5).to(self.probs)
        mode[self.probs == 0.5] = nan
        return mode
    @property
    def variance(self): return self.probs * (1 - self.probs)
    def sample(self, sample_shape=torch.Size()):
        with torch.no_grad():
            return torch.bernoulli(self.probs.expand(self._extended_shape(sample_shape)))
    def log_prob(self, value):
        self._check(value)
        logits, value = broadcast_all(self.logits, value)
        return -F.binary_cross_entropy_with_logits(logits, value, reduction="none")
    def entropy(self): return F.binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")
    def enumerate_support(self, expand=True):
        values = torch.arange(2, dtype=self._param.dtype).view((-1,) + (1,) * len(self._batch_shape))
        return values.expand((-1,) + self._batch_shape) if expand else values

class Geometric(_ByChance):
    support = constraints.nonnegative_integer
    def __init__(self, probs=None, logits=None, validate_args=None):
        super().__init__(probs, logits, validate_args)
        if self._validate_args and probs is not None and not (self.probs > 0).all():
            raise ValueError(
                f"Expected parameter probs ({type(self.probs).__name__} of shape {tuple(self.probs.shape)}) of "
                f"distribution {self!r} to be positive but found invalid values:\\n"
                f"{self.probs.data[~(self.probs > 0)]}")
    @property
    def mean(self): return 1.0 / self.probs - 1.0
    @property
    def mode(self): return torch.zeros_like(self.probs)
    @property
    def variance(self): return (1.0 / self.probs - 1.0) / self.probs
    def sample(self, sample_shape=torch.Size()):
        with torch.no_grad():
            tiny = torch.finfo(self.probs.dtype).tiny
            u = self.probs.new_empty(self._extended_shape(sample_shape)).uniform_(tiny, 1)
            return (u.log() / (-self.probs).log1p()).floor()
    def log_prob(self, value):
        self._check(value)
        value, probs = broadcast_all(value, self.probs)
        probs = probs.clone(memory_format=torch.contiguous_format)
        probs[(probs == 1) & (value == 0)] = 0
        return value * (-probs).log1p() + self.probs.log()
    def entropy(self):
        return F.binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none") / self.probs

class Poisson(ExponentialFamily):
    arg_constraints = {"rate": constraints.nonnegative}
    support = constraints.nonnegative_integer
    def __init__(self, rate, validate_args=None):
        (self.rate,) = broadcast_all(rate)
        super().__init__(batch_of(self.rate, rate), validate_args=validate_args)
    @property
    def mean(self): return self.rate
    @property
    def mode(self): return self.rate.floor()
    @property
    def variance(self): return self.rate
    def sample(self, sample_shape=torch.Size()):
        with torch.no_grad():
            return torch.poisson(self.rate.expand(self._extended_shape(sample_shape)))
    def log_prob(self, value):
        self._check(value)
        rate, value = broadcast_all(self.rate, value)
        return value.xlogy(rate) - rate - (value + 1).lgamma()

class Binomial(_ByChance):
    arg_constraints = {"total_count": constraints.nonnegative_integer, **_ByChance.arg_constraints}
    has_enumerate_support = True
    def __init__(self, total_count=1, probs=None, logits=None, validate_args=None):
        _only_one(probs, logits)
        given = logits if probs is None else probs
        self.total_count, self._param = broadcast_all(total_count, given)
        self.total_count = self.total_count.type_as(self._param)
        setattr(self, "logits" if probs is None else "probs", self._param)
        Distribution.__init__(self, self._param.size(), validate_args=validate_args)
    @property
    def support(self): return constraints.integer_interval(0, self.total_count)
    @property
    def mean(self): return self.total_count * self.probs
    @property
    def mode(self): return ((self.total_count + 1) * self.probs).floor().clamp(max=self.total_count)
    @property
    def variance(self): return self.total_count * self.probs * (1 - self.probs)
    def sample(self, sample_shape=torch.Size()):
        shape = self._extended_shape(sample_shape)
        with torch.no_grad():
            return torch.binomial(self.total_count.expand(shape), self.probs.expand(shape))
    def log_prob(self, value):
        self._check(value)
        n, k = torch.lgamma(self.total_count + 1), torch.lgamma(value + 1)
        rest = torch.lgamma(self.total_count - value + 1)
        positive = (self.logits.clamp(min=0) + self.logits - self.logits.clamp(max=0)) / 2
        whole = (self.total_count * positive
                 + self.total_count * torch.log1p(torch.exp(-torch.abs(self.logits))) - n)
        return value * self.logits - k - rest - whole
    def entropy(self):
        if not self.total_count.min() == int(self.total_count.max()):
            raise NotImplementedError("Inhomogeneous total count not supported by `entropy`.")
        log_prob = self.log_prob(self.enumerate_support(False))
        return -(torch.exp(log_prob) * log_prob).sum(0)
    def enumerate_support(self, expand=True):
        most = int(self.total_count.max())
        if not self.total_count.min() == most:
            raise NotImplementedError("Inhomogeneous total count not supported by `enumerate_support`.")
        values = torch.arange(1 + most, dtype=self._param.dtype).view((-1,) + (1,) * len(self._batch_shape))
        return values.expand((-1,) + self._batch_shape) if expand else values

class _OfCategorical(Distribution):
    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    def __init__(self, probs, logits, validate_args):
        self._categorical = Categorical(probs, logits)
        shape = self._categorical.param_shape[-1:]
        Distribution.__init__(self, self._categorical.batch_shape, shape, validate_args=validate_args)
    def expand(self, batch_shape, _instance=None):
        new = super().expand(batch_shape)
        new._categorical = self._categorical.expand(batch_shape)
        return new
    @property
    def probs(self): return self._categorical.probs
    @property
    def logits(self): return self._categorical.logits
    @property
    def param_shape(self): return self._categorical.param_shape

class OneHotCategorical(_OfCategorical):
    support = constraints.one_hot
    has_enumerate_support = True
    def __init__(self, probs=None, logits=None, validate_args=None): super().__init__(probs, logits, validate_args)
    @property
    def mean(self): return self.probs
    @property
    def mode(self): return F.one_hot(self.probs.argmax(dim=-1), num_classes=self.probs.shape[-1]).to(self.probs)
    @property
    def variance(self): return self.probs * (1 - self.probs)
    def sample(self, sample_shape=torch.Size()):
        probs = self.probs
        return F.one_hot(self._categorical.sample(sample_shape), self._categorical._num_events).to(probs)
    def log_prob(self, value):
        self._check(value)
        return self._categorical.log_prob(value.max(-1)[1])
    def entropy(self): return self._categorical.entropy()
    def enumerate_support(self, expand=True):
        n = self.event_shape[0]
        values = torch.eye(n, dtype=self.probs.dtype).view((n,) + (1,) * len(self.batch_shape) + (n,))
        return values.expand((n,) + self.batch_shape + (n,)) if expand else values

class OneHotCategoricalStraightThrough(OneHotCategorical):
    has_rsample = True
    def rsample(self, sample_shape=torch.Size()):
        samples = self.sample(sample_shape)
        return samples + (self.probs - self.probs.detach())

class Multinomial(_OfCategorical):
    def __init__(self, total_count=1, probs=None, logits=None, validate_args=None):
        if not isinstance(total_count, int):
            raise NotImplementedError("inhomogeneous total_count is not supported")
        self.total_count = total_count
        super().__init__(probs, logits, validate_args)
        self._binomial = Binomial(total_count=total_count, probs=self.probs)
    def entropy(self):
        n = torch.tensor(self.total_count)
        own = n * self._categorical.entropy() - torch.lgamma(n + 1)
        support = self._binomial.enumerate_support(expand=False)[1:]
        chances = torch.exp(self._binomial.log_prob(support))
        return own + (chances * torch.lgamma(support + 1)).sum([0, -1])
    @property
    def support(self): return constraints.multinomial(self.total_count)
    @property
    def mean(self): return self.probs * self.total_count
    @property
    def variance(self): return self.total_count * self.probs * (1 - self.probs)
    def sample(self, sample_shape=torch.Size()):
        drawn = self._categorical.sample(torch.Size((self.total_count,)) + torch.Size(sample_shape))
        drawn = drawn.permute(*range(1, drawn.dim()), 0)
        counts = drawn.new_zeros(self._extended_shape(sample_shape))
        return counts.scatter_add_(-1, drawn, torch.ones_like(drawn)).type_as(self.probs)
    def log_prob(self, value):
        self._check(value)
        logits, value = broadcast_all(self.logits, value)
        logits = logits.clone(memory_format=torch.contiguous_format)
        n, xs = torch.lgamma(value.sum(-1) + 1), torch.lgamma(value + 1).sum(-1)
        logits[(value == 0) & (logits == -inf)] = 0
        return n - xs + (logits * value).sum(-1)

class ExpRelaxedCategorical(_OfCategorical):
    support = constraints.real_vector
    has_rsample = True
    def __init__(self, temperature, probs=None, logits=None, validate_args=None):
        self.temperature = temperature
        super().__init__(probs, logits, validate_args)
    def rsample(self, sample_shape=torch.Size()):
        uniforms = clamp_probs(torch.rand(self._extended_shape(sample_shape), dtype=self.logits.dtype))
        gumbels = -((-(uniforms.log())).log())
        scores = (self.logits + gumbels) / self.temperature
        return scores - scores.logsumexp(dim=-1, keepdim=True)
    def log_prob(self, value):
        self._check(value)
        K = self._categorical._num_events
        logits, value = broadcast_all(self.logits, value)
        log_scale = torch.full_like(self.temperature, float(K)).lgamma() - self.temperature.log().mul(-(K - 1))
        score = logits - value.mul(self.temperature)
        return (score - score.logsumexp(dim=-1, keepdim=True)).sum(-1) + log_scale
"""
