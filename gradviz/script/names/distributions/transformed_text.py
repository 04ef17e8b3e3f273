"""Transforms, and distributions of what is transformed, for the machine to read.

Sources: torch/distributions/transforms.py, transformed_distribution.py and the files of the same names.
"""

from __future__ import annotations

TRANSFORMS = """
class Transform:
    bijective = False
    def __init__(self, cache_size=0):
        if cache_size not in (0, 1):
            raise ValueError("cache_size must be 0 or 1")
        self._cache_size, self._inv, self._cached_x_y = cache_size, None, (None, None)
    @property
    def event_dim(self):
        if self.domain.event_dim == self.codomain.event_dim:
            return self.domain.event_dim
        raise ValueError("Please use either .domain.event_dim or .codomain.event_dim")
    @property
    def inv(self):
        if self._inv is None:
            self._inv = _InverseTransform(self)
        return self._inv
    @property
    def sign(self): raise NotImplementedError
    def with_cache(self, cache_size=1):
        if self._cache_size == cache_size:
            return self
        made = copy.copy(self)
        Transform.__init__(made, cache_size=cache_size)
        return made
    def _settings(self): return ()
    def __eq__(self, other): return self is other if type(self) in _PLAIN else type(self) is type(other) and all(
        bool(torch.as_tensor(a == b).all()) for a, b in zip(self._settings(), other._settings()))
    def __hash__(self): return id(self)
    def __call__(self, x):
        if self._cache_size and x is self._cached_x_y[0]:
            return self._cached_x_y[1]
        y = self._call(x)
        self._cached_x_y = (x, y) if self._cache_size else (None, None)
        return y
    def _inv_call(self, y):
        if self._cache_size and y is self._cached_x_y[1]:
            return self._cached_x_y[0]
        x = self._inverse(y)
        self._cached_x_y = (x, y) if self._cache_size else (None, None)
        return x
    def _call(self, x): raise NotImplementedError
    def _inverse(self, y): raise NotImplementedError
    def log_abs_det_jacobian(self, x, y): raise NotImplementedError
    def __repr__(self): return self.__class__.__name__ + "()"
    def forward_shape(self, shape): return shape
    def inverse_shape(self, shape): return shape

class _InverseTransform(Transform):
    def __init__(self, transform):
        super().__init__(cache_size=transform._cache_size)
        self._inv = transform
    @property
    def domain(self): return self._inv.codomain
    @property
    def codomain(self): return self._inv.domain
    @property
    def bijective(self): return self._inv.bijective
    @property
    def sign(self): return self._inv.sign
    @property
    def inv(self): return self._inv
    def with_cache(self, cache_size=1): return self.inv.with_cache(cache_size).inv
    def _settings(self): return (self._inv,)
    def __repr__(self): return f"{self.__class__.__name__}({self._inv!r})"
    def __call__(self, x): return self._inv._inv_call(x)
    def log_abs_det_jacobian(self, x, y): return -self._inv.log_abs_det_jacobian(y, x)
    def forward_shape(self, shape): return self._inv.inverse_shape(shape)
    def inverse_shape(self, shape): return self._inv.forward_shape(shape)

class ComposeTransform(Transform):
    def __init__(self, parts, cache_size=0):
        super().__init__(cache_size=cache_size)
        self.parts = [part.with_cache(cache_size) for part in parts] if cache_size else parts
    def _settings(self): return tuple(self.parts)
    @property
    def domain(self):
        if not self.parts:
            return constraints.real
        dim = self.parts[-1].codomain.event_dim
        for part in reversed(self.parts):
            dim = max(dim + part.domain.event_dim - part.codomain.event_dim, part.domain.event_dim)
        first = self.parts[0].domain
        return constraints.independent(first, dim - first.event_dim) if dim > first.event_dim else first
    @property
    def codomain(self):
        if not self.parts:
            return constraints.real
        dim = self.parts[0].domain.event_dim
        for part in self.parts:
            dim = max(dim + part.codomain.event_dim - part.domain.event_dim, part.codomain.event_dim)
        last = self.parts[-1].codomain
        return constraints.independent(last, dim - last.event_dim) if dim > last.event_dim else last
    @property
    def bijective(self): return all(part.bijective for part in self.parts)
    @property
    def sign(self):
        sign = 1
        for part in self.parts:
            sign = sign * part.sign
        return sign
    @property
    def inv(self):
        if self._inv is None:
            self._inv = ComposeTransform([part.inv for part in reversed(self.parts)])
            self._inv._inv = self
        return self._inv
    def __call__(self, x): return reduce(lambda value, part: part(value), self.parts, x)
    def log_abs_det_jacobian(self, x, y):
        here, dim, terms = x, self.domain.event_dim, []
        for place, part in enumerate(self.parts, 1):
            there = y if place == len(self.parts) else part(here)
            terms.append((part, here, there, dim))
            here, dim = there, dim + part.codomain.event_dim - part.domain.event_dim
        sums = [
            sum_rightmost(part.log_abs_det_jacobian(before, after), dim - part.domain.event_dim)
            for part, before, after, dim in terms
        ]
        return reduce(lambda total, term: total + term, sums) if sums else torch.zeros_like(x)
    def forward_shape(self, shape): return reduce(lambda made, part: part.forward_shape(made), self.parts, shape)
    def inverse_shape(self, shape): return reduce(lambda made, part: part.inverse_shape(made), self.parts[::-1], shape)
    def __repr__(self):
        return self.__class__.__name__ + "(\\n    " + ",\\n    ".join(repr(part) for part in self.parts) + "\\n)"

class _Elementwise(Transform):
    domain, codomain, bijective, sign = constraints.real, constraints.real, True, 1

class ExpTransform(_Elementwise):
    codomain = constraints.positive
    def _call(self, x): return x.exp()
    def _inverse(self, y): return y.log()
    def log_abs_det_jacobian(self, x, y): return x
class PowerTransform(_Elementwise):
    domain = codomain = constraints.positive
    def __init__(self, exponent, cache_size=0):
        super().__init__(cache_size=cache_size)
        (self.exponent,) = broadcast_all(exponent)
    @property
    def sign(self): return self.exponent.sign()
    def _settings(self): return (self.exponent,)
    def _call(self, x): return x.pow(self.exponent)
    def _inverse(self, y): return y.pow(1 / self.exponent)
    def log_abs_det_jacobian(self, x, y): return (self.exponent * y / x).abs().log()
class SigmoidTransform(_Elementwise):
    codomain = constraints.unit_interval
    def _call(self, x):
        finfo = torch.finfo(x.dtype)
        return torch.clamp(torch.sigmoid(x), min=finfo.tiny, max=1.0 - finfo.eps)
    def _inverse(self, y):
        finfo = torch.finfo(y.dtype)
        y = y.clamp(min=finfo.tiny, max=1.0 - finfo.eps)
        return y.log() - (-y).log1p()
    def log_abs_det_jacobian(self, x, y): return -F.softplus(-x) - F.softplus(x)
class SoftplusTransform(_Elementwise):
    codomain = constraints.positive
    def _call(self, x): return F.softplus(x)
    def _inverse(self, y): return (-y).expm1().neg().log() + y
    def log_abs_det_jacobian(self, x, y): return -F.softplus(-x)
class TanhTransform(_Elementwise):
    codomain = constraints.interval(-1.0, 1.0)
    def _call(self, x): return x.tanh()
    def _inverse(self, y): return torch.atanh(y)
    def log_abs_det_jacobian(self, x, y): return 2.0 * (math.log(2.0) - x - F.softplus(-2.0 * x))
class AbsTransform(Transform):
    domain, codomain = constraints.real, constraints.positive
    def _call(self, x): return x.abs()
    def _inverse(self, y): return y
class AffineTransform(Transform):
    bijective = True
    def __init__(self, loc, scale, event_dim=0, cache_size=0):
        super().__init__(cache_size=cache_size)
        self.loc, self.scale, self._event_dim = loc, scale, event_dim
    @property
    def event_dim(self): return self._event_dim
    @property
    def domain(self):
        return constraints.independent(constraints.real, self._event_dim) if self._event_dim else constraints.real
    codomain = domain
    @property
    def sign(self):
        if isinstance(self.scale, NUMBERS):
            return (self.scale > 0) - (self.scale < 0)
        return self.scale.sign()
    def _settings(self): return (self.loc, self.scale)
    def _call(self, x): return self.loc + self.scale * x
    def _inverse(self, y): return (y - self.loc) / self.scale
    def log_abs_det_jacobian(self, x, y):
        plain = isinstance(self.scale, NUMBERS)
        result = torch.full_like(x, math.log(abs(self.scale))) if plain else torch.abs(self.scale).log()
        shape, n = x.shape, self._event_dim
        if n:
            result, shape = result.view(result.size()[:-n] + (-1,)).sum(-1), shape[:-n]
        return result.expand(shape)
    def _wider(self, shape):
        return torch.broadcast_shapes(shape, getattr(self.loc, "shape", ()), getattr(self.scale, "shape", ()))
    def forward_shape(self, shape): return self._wider(shape)
    def inverse_shape(self, shape): return self._wider(shape)
class SoftmaxTransform(Transform):
    domain, codomain = constraints.real_vector, constraints.simplex
    def _call(self, x):
        probs = (x - x.max(-1, True)[0]).exp()
        return probs / probs.sum(-1, True)
    def _inverse(self, y): return y.log()
_PLAIN = (Transform,)
identity_transform = ComposeTransform([])
"""

TRANSFORMED = """
class TransformedDistribution(Distribution):
    arg_constraints = {}
    def __init__(self, base_distribution, transforms, validate_args=None):
        if isinstance(transforms, Transform):
            transforms = [transforms]
        elif not isinstance(transforms, list):
            raise ValueError(f"transforms must be a Transform or list, but was {transforms}")
        elif not all(isinstance(t, Transform) for t in transforms):
            raise ValueError("transforms must be a Transform or a list of Transforms")
        self.transforms, whole, base = transforms, ComposeTransform(transforms), base_distribution
        shape, base_dim = base.batch_shape + base.event_shape, len(base.event_shape)
        ins, outs = whole.domain.event_dim, whole.codomain.event_dim
        if len(shape) < ins:
            raise ValueError(
                f"base_distribution needs to have shape with size at least {ins}, but got {shape}.")
        forward = whole.forward_shape(shape)
        wanted = whole.inverse_shape(forward)
        if shape != wanted:
            base = base.expand(wanted[:len(wanted) - base_dim])
        self.base_dist = Independent(base, ins - base_dim) if ins > base_dim else base
        cut = len(forward) - max(outs, base_dim + outs - ins)
        super().__init__(forward[:cut], forward[cut:], validate_args=validate_args)
    def expand(self, batch_shape, _instance=None):
        new = super().expand(batch_shape)
        shape = new._batch_shape + self.event_shape
        for t in reversed(self.transforms):
            shape = t.inverse_shape(shape)
        new.base_dist = self.base_dist.expand(shape[:len(shape) - len(self.base_dist.event_shape)])
        return new
    @property
    def support(self):
        if not self.transforms:
            return self.base_dist.support
        support = self.transforms[-1].codomain
        more = len(self.event_shape) - support.event_dim
        return constraints.independent(support, more) if more > 0 else support
    @property
    def has_rsample(self): return self.base_dist.has_rsample
    def sample(self, sample_shape=torch.Size()):
        with torch.no_grad():
            return self._through(self.base_dist.sample(sample_shape))
    def rsample(self, sample_shape=torch.Size()): return self._through(self.base_dist.rsample(sample_shape))
    def _through(self, x):
        for transform in self.transforms:
            x = transform(x)
        return x
    def log_prob(self, value):
        self._check(value)
        dim, log_prob, y = len(self.event_shape), 0.0, value
        for transform in reversed(self.transforms):
            x = transform.inv(y)
            dim += transform.domain.event_dim - transform.codomain.event_dim
            term = transform.log_abs_det_jacobian(x, y)
            log_prob = log_prob - sum_rightmost(term, dim - transform.domain.event_dim)
            y = x
        return log_prob + sum_rightmost(self.base_dist.log_prob(y), dim - len(self.base_dist.event_shape))
    def _monotone(self, value):
        sign = 1
        for transform in self.transforms:
            sign = sign * transform.sign
        return value if isinstance(sign, int) and sign == 1 else sign * (value - 0.5) + 0.5
    def cdf(self, value):
        for transform in self.transforms[::-1]:
            value = transform.inv(value)
        if self._validate_args:
            self.base_dist._validate_sample(value)
        return self._monotone(self.base_dist.cdf(value))
    def icdf(self, value): return self._through(self.base_dist.icdf(self._monotone(value)))

class LogNormal(TransformedDistribution):
    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.positive
    has_rsample = True
    def __init__(self, loc, scale, validate_args=None):
        super().__init__(Normal(loc, scale, validate_args=validate_args), ExpTransform(), validate_args=validate_args)
    @property
    def loc(self): return self.base_dist.loc
    @property
    def scale(self): return self.base_dist.scale
    @property
    def mean(self): return (self.loc + self.scale.pow(2) / 2).exp()
    @property
    def mode(self): return (self.loc - self.scale.square()).exp()
    @property
    def variance(self):
        square = self.scale.pow(2)
        return square.expm1() * (2 * self.loc + square).exp()
    def entropy(self): return self.base_dist.entropy() + self.loc

class HalfNormal(TransformedDistribution):
    arg_constraints = {"scale": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    def __init__(self, scale, validate_args=None):
        super().__init__(Normal(0, scale, validate_args=False), AbsTransform(), validate_args=validate_args)
    @property
    def scale(self): return self.base_dist.scale
    @property
    def mean(self): return self.scale * math.sqrt(2 / math.pi)
    @property
    def mode(self): return torch.zeros_like(self.scale)
    @property
    def variance(self): return self.scale.pow(2) * (1 - 2 / math.pi)
    def log_prob(self, value):
        self._check(value)
        return torch.where(value >= 0, self.base_dist.log_prob(value) + math.log(2), -inf)
    def cdf(self, value):
        self._check(value)
        return 2 * self.base_dist.cdf(value) - 1
    def icdf(self, prob): return self.base_dist.icdf((prob + 1) / 2)
    def entropy(self): return self.base_dist.entropy() - math.log(2)

class Gumbel(TransformedDistribution):
    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    def __init__(self, loc, scale, validate_args=None):
        self.loc, self.scale = broadcast_all(loc, scale)
        finfo = torch.finfo(self.loc.dtype)
        low, high = finfo.tiny, 1 - finfo.eps
        if not (isinstance(loc, NUMBERS) and isinstance(scale, NUMBERS)):
            low, high = torch.full_like(self.loc, low), torch.full_like(self.loc, high)
        steps = [ExpTransform().inv, AffineTransform(loc=0, scale=-torch.ones_like(self.scale)), ExpTransform().inv,
                 AffineTransform(loc=loc, scale=-self.scale)]
        super().__init__(Uniform(low, high, validate_args=validate_args), steps, validate_args=validate_args)
    def log_prob(self, value):
        self._check(value)
        y = (self.loc - value) / self.scale
        return (y - y.exp()) - self.scale.log()
    @property
    def mean(self): return self.loc + self.scale * EULER
    @property
    def mode(self): return self.loc
    @property
    def stddev(self): return (math.pi / math.sqrt(6)) * self.scale
    @property
    def variance(self): return self.stddev.pow(2)
    def entropy(self): return self.scale.log() + (1 + EULER)
EULER = 0.57721566490153286060

class RelaxedOneHotCategorical(TransformedDistribution):
    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.simplex
    has_rsample = True
    def __init__(self, temperature, probs=None, logits=None, validate_args=None):
        base = ExpRelaxedCategorical(temperature, probs, logits, validate_args=validate_args)
        super().__init__(base, ExpTransform(), validate_args=validate_args)
    @property
    def temperature(self): return self.base_dist.temperature
    @property
    def logits(self): return self.base_dist.logits
    @property
    def probs(self): return self.base_dist.probs
"""
