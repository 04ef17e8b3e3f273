"""Distributions over choices and counts, for the machine to read.

Which operations and draws there are, and in which order, is as in the files of these names in torch/distributions.
"""

from __future__ import annotations

CHOICES = """
def _chosen(probs, logits):
    given = {name: value for name, value in (("probs", probs), ("logits", logits)) if value is not None}
    if len(given) != 1:
        raise ValueError("Either `probs` or `logits` must be specified, but not both.")
    return given.popitem()

class Categorical(Distribution):
    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    has_enumerate_support = True
    def __init__(self, probs=None, logits=None, validate_args=None):
        name, given = _chosen(probs, logits)
        if not given.dim():
            raise ValueError(f"`{name}` parameter must be at least one-dimensional.")
        self._param = (given / given.sum(-1, keepdim=True) if name == "probs"
                       else given - given.logsumexp(dim=-1, keepdim=True))
        setattr(self, name, self._param)
        *batch_shape, self._num_events = self._param.size()
        super().__init__(batch_shape, validate_args=validate_args)
    @property
    def support(self): return constraints.integer_interval(0, self._num_events - 1)
    @lazy_property
    def logits(self): return probs_to_logits(self.probs)
    @lazy_property
    def probs(self): return logits_to_probs(self.logits)
    @property
    def param_shape(self): return self._param.size()
    @property
    def mean(self): return torch.full(self._batch_shape, nan, dtype=self.probs.dtype)
    variance = mean
    @property
    def mode(self): return self.probs.argmax(dim=-1)
    def sample(self, sample_shape=torch.Size()):
        shape = self._extended_shape(sample_shape)
        rows = self.probs.reshape(-1, self._num_events)
        with torch.no_grad():
            return torch.multinomial(rows, torch.Size(sample_shape).numel(), True).T.reshape(shape)
    def log_prob(self, value):
        place, table = torch.broadcast_tensors(self._checked(value).long().unsqueeze(-1), self.logits)
        return table.gather(-1, place[..., :1]).squeeze(-1)
    def entropy(self):
        finite = torch.clamp(self.logits, torch.finfo(self.logits.dtype).min)
        return -(finite * self.probs).sum(-1)
    def enumerate_support(self, expand=True):
        return in_front_of(self._batch_shape, torch.arange(self._num_events), expand)

class _ByChance(Distribution):
    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    def __init__(self, probs=None, logits=None, validate_args=None):
        name, given = _chosen(probs, logits)
        self._take(name, *broadcast_all(given))
        super().__init__(batch_of(self._param, given), validate_args=validate_args)
    def _take(self, name, value):
        self._param = value
        setattr(self, name, value)
    @lazy_property
    def logits(self): return probs_to_logits(self.probs, is_binary=True)
    @lazy_property
    def probs(self): return logits_to_probs(self.logits, is_binary=True)
    @property
    def param_shape(self): return self._param.size()

class Bernoulli(_ByChance, ExponentialFamily):
    support = constraints.boolean
    has_enumerate_support = True
    mean = same_as("probs")
    @property
    def mode(self):
        likelier = (self.probs >= 0.5).to(self.probs)
        likelier[self.probs == 0.5] = nan
        return likelier
    @property
    def variance(self): return self.probs * (1 - self.probs)
    @torch.no_grad()
    def sample(self, sample_shape=torch.Size()): return torch.bernoulli(*self._spread(sample_shape, self.probs))
    def log_prob(self, value):
        x = self._checked(value)
        pair = broadcast_all(self.logits, x)
        return -F.binary_cross_entropy_with_logits(*pair, reduction="none")
    def entropy(self): return F.binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")
    def enumerate_support(self, expand=True):
        return in_front_of(self._batch_shape, torch.arange(2, dtype=self._param.dtype), expand)

class Geometric(_ByChance):
    support = constraints.nonnegative_integer
    def __init__(self, probs=None, logits=None, validate_args=None):
        super().__init__(probs, logits, validate_args)
        if not self._validate_args or probs is None:
            return
        wrong = self.probs.data[~(self.probs > 0)]
        if wrong.numel():
            raise ValueError(
                f"Expected parameter probs {described(self.probs)} of distribution {self!r} to be positive but found "
                f"invalid values:\\n{wrong}")
    @property
    def mean(self): return 1.0 / self.probs - 1.0
    @property
    def variance(self): return (1.0 / self.probs - 1.0) / self.probs
    @property
    def mode(self): return torch.zeros_like(self.probs)
    @torch.no_grad()
    def sample(self, sample_shape=torch.Size()):
        drawn = self.probs.new_empty(self._extended_shape(sample_shape))
        drawn.uniform_(torch.finfo(drawn.dtype).tiny, 1)
        return (drawn.log() / (-self.probs).log1p()).floor()
    def log_prob(self, value):
        count, chance = broadcast_all(self._checked(value), self.probs)
        chance = chance.clone(memory_format=torch.contiguous_format)
        chance[(count == 0) & (chance == 1)] = 0
        return count * (-chance).log1p() + self.probs.log()
    def entropy(self):
        return F.binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none") / self.probs

class Poisson(ExponentialFamily):
    arg_constraints = {"rate": constraints.nonnegative}
    support = constraints.nonnegative_integer
    mean = variance = same_as("rate")
    def __init__(self, rate, validate_args=None):
        (self.rate,) = broadcast_all(rate)
        super().__init__(batch_of(self.rate, rate), validate_args=validate_args)
    @property
    def mode(self): return self.rate.floor()
    @torch.no_grad()
    def sample(self, sample_shape=torch.Size()): return torch.poisson(*self._spread(sample_shape, self.rate))
    def log_prob(self, value):
        rate, count = broadcast_all(self.rate, self._checked(value))
        return count.xlogy(rate) - rate - (count + 1).lgamma()

class Binomial(_ByChance):
    arg_constraints = {"total_count": constraints.nonnegative_integer, **_ByChance.arg_constraints}
    has_enumerate_support = True
    def __init__(self, total_count=1, probs=None, logits=None, validate_args=None):
        name, given = _chosen(probs, logits)
        count, given = broadcast_all(total_count, given)
        self._take(name, given)
        self.total_count = count.type_as(given)
        Distribution.__init__(self, given.size(), validate_args=validate_args)
    @property
    def support(self): return constraints.integer_interval(0, self.total_count)
    @property
    def mean(self): return self.total_count * self.probs
    @property
    def variance(self): return self.total_count * self.probs * (1 - self.probs)
    @property
    def mode(self): return ((self.total_count + 1) * self.probs).floor().clamp(max=self.total_count)
    @torch.no_grad()
    def sample(self, sample_shape=torch.Size()):
        return torch.binomial(*self._spread(sample_shape, self.total_count, self.probs))
    def log_prob(self, value):
        count, logits = self._checked(value), self.logits
        every, hits = torch.lgamma(self.total_count + 1), torch.lgamma(count + 1)
        misses = torch.lgamma(self.total_count - count + 1)
        positive = (logits.clamp(0) + logits - logits.clamp(max=0)) / 2
        whole = self.total_count * positive + self.total_count * torch.log1p(torch.exp(-torch.abs(logits))) - every
        return count * logits - hits - misses - whole
    def _most(self, asking):
        most = int(self.total_count.max())
        if self.total_count.min() != most:
            raise NotImplementedError(f"Inhomogeneous total count not supported by `{asking}`.")
        return most
    def entropy(self):
        self._most("entropy")
        logs = self.log_prob(self.enumerate_support(False))
        return -(torch.exp(logs) * logs).sum(0)
    def enumerate_support(self, expand=True):
        counts = torch.arange(1 + self._most("enumerate_support"), dtype=self._param.dtype)
        return in_front_of(self._batch_shape, counts, expand)

class _OfCategorical(Distribution):
    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    probs, logits, param_shape = (same_as("_categorical." + name) for name in ("probs", "logits", "param_shape"))
    def __init__(self, probs, logits, validate_args):
        self._categorical = Categorical(probs, logits)
        *batch_shape, count = self._categorical.param_shape
        Distribution.__init__(self, batch_shape, (count,), validate_args=validate_args)
    def expand(self, batch_shape, _instance=None):
        new = super().expand(batch_shape)
        new._categorical = self._categorical.expand(batch_shape)
        return new

class OneHotCategorical(_OfCategorical):
    support = constraints.one_hot
    has_enumerate_support = True
    mean = same_as("probs")
    def __init__(self, probs=None, logits=None, validate_args=None): super().__init__(probs, logits, validate_args)
    @property
    def mode(self): return self._one_hot(self._categorical.mode)
    @property
    def variance(self): return self.probs * (1 - self.probs)
    def _one_hot(self, place): return F.one_hot(place, self._categorical._num_events).to(self.probs)
    def sample(self, sample_shape=torch.Size()): return self._one_hot(self._categorical.sample(sample_shape))
    def log_prob(self, value): return self._categorical.log_prob(self._checked(value).max(-1)[1])
    def entropy(self): return self._categorical.entropy()
    def enumerate_support(self, expand=True):
        return in_front_of(self._batch_shape, torch.eye(*self._event_shape, dtype=self.probs.dtype), expand)

class OneHotCategoricalStraightThrough(OneHotCategorical):
    has_rsample = True
    def rsample(self, sample_shape=torch.Size()): return self.sample(sample_shape) + (self.probs - self.probs.detach())

class Multinomial(_OfCategorical):
    def __init__(self, total_count=1, probs=None, logits=None, validate_args=None):
        if not isinstance(total_count, int):
            raise NotImplementedError("inhomogeneous total_count is not supported")
        self.total_count = total_count
        super().__init__(probs, logits, validate_args)
        self._of_one = Binomial(total_count, self.probs)
    @property
    def support(self): return constraints.multinomial(self.total_count)
    @property
    def mean(self): return self.probs * self.total_count
    @property
    def variance(self): return self.total_count * self.probs * (1 - self.probs)
    def sample(self, sample_shape=torch.Size()):
        throws = self._categorical.sample((self.total_count, *sample_shape)).movedim(0, -1)
        counts = throws.new_zeros(self._extended_shape(sample_shape))
        return counts.scatter_add_(-1, throws, torch.ones_like(throws)).type_as(self.probs)
    def log_prob(self, value):
        x = self._checked(value)
        logits, counts = broadcast_all(self.logits, x)
        logits = logits.clone(memory_format=torch.contiguous_format)
        every, each = torch.lgamma(counts.sum(-1) + 1), torch.lgamma(counts + 1).sum(-1)
        logits[(logits == -inf) & (counts == 0)] = 0
        return every - each + (logits * counts).sum(-1)
    def entropy(self):
        total = torch.tensor(self.total_count)
        throws = total * self._categorical.entropy() - torch.lgamma(total + 1)
        counts = self._of_one.enumerate_support(expand=False)[1:]
        return throws + (torch.exp(self._of_one.log_prob(counts)) * torch.lgamma(counts + 1)).sum([0, -1])

class ExpRelaxedCategorical(_OfCategorical):
    support = constraints.real_vector
    has_rsample = True
    def __init__(self, temperature, probs=None, logits=None, validate_args=None):
        self.temperature = temperature
        super().__init__(probs, logits, validate_args)
    def rsample(self, sample_shape=torch.Size()):
        chance = clamp_probs(torch.rand(self._extended_shape(sample_shape), dtype=self.logits.dtype))
        noisy = (self.logits + -((-chance.log()).log())) / self.temperature
        return noisy - noisy.logsumexp(-1, True)
    def log_prob(self, value):
        x, count = self._checked(value), self._event_shape[0]
        logits, logs = broadcast_all(self.logits, x)
        own = torch.full_like(self.temperature, float(count)).lgamma() - self.temperature.log().mul(1 - count)
        apart = logits - logs.mul(self.temperature)
        return (apart - apart.logsumexp(-1, True)).sum(-1) + own
"""
