"""Transforms, and distributions of what is transformed, for the machine to read.

Sources: torch/distributions/transforms.py, transformed_distribution.py and the files of the same names.
"""

from __future__ import annotations

TRANSFORMS = """
def product_of_signs(transforms): return reduce(lambda sign, each: sign * each.sign, transforms, 1)
class Transform:
    bijective = False
    def __init__(self, cache_size=0):
        if cache_size not in (0, 1):
            raise ValueError("cache_size must be 0 or 1")
        self._cache_size, self._inv, self._cached_x_y = cache_size, None, (None, None)
    @property
    def event_dim(self):
        dims = {self.domain.event_dim, self.codomain.event_dim}
        if len(dims) > 1:
            raise ValueError("Please use either .domain.event_dim or .codomain.event_dim")
        return dims.pop()
    @property
    def inv(self):
        self._inv = self._inv or self._turned()
        return self._inv
    def _turned(self): return _InverseTransform(self)
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
    def __call__(self, x): return self._cached_x_y[1] if self._knows(x, 0) else self._keep(x, self._call(x))[1]
    def _inv_call(self, y): return self._cached_x_y[0] if self._knows(y, 1) else self._keep(self._inverse(y), y)[0]
    def _knows(self, value, side): return self._cache_size and value is self._cached_x_y[side]
    def _keep(self, *pair):
        self._cached_x_y = pair if self._cache_size else (None, None)
        return pair
    def _call(self, x): raise NotImplementedError
    def _inverse(self, y): raise NotImplementedError
    def log_abs_det_jacobian(self, x, y): raise NotImplementedError
    def __repr__(self): return self.__class__.__name__ + "()"
    def forward_shape(self, shape): return shape
    def inverse_shape(self, shape): return shape

class _InverseTransform(Transform):
    domain, codomain, bijective, sign = (same_as("inv." + name) for name in ("codomain", "domain", "bijective", "sign"))
    inv = same_as("_inv")
    def __init__(self, transform):
        super().__init__(cache_size=transform._cache_size)
        self._inv = transform
    def with_cache(self, cache_size=1): return self.inv.with_cache(cache_size).inv
    def _settings(self): return (self.inv,)
    def __repr__(self): return f"{self.__class__.__name__}({self.inv!r})"
    def __call__(self, x): return self.inv._inv_call(x)
    def log_abs_det_jacobian(self, x, y): return -self.inv.log_abs_det_jacobian(y, x)
    def forward_shape(self, shape): return self.inv.inverse_shape(shape)
    def inverse_shape(self, shape): return self.inv.forward_shape(shape)

class ComposeTransform(Transform):
    def __init__(self, parts, cache_size=0):
        super().__init__(cache_size=cache_size)
        self.parts = [part.with_cache(cache_size) for part in parts] if cache_size else parts
    def _settings(self): return tuple(self.parts)
    @property
    def domain(self): return self._end([(part.domain, part.codomain) for part in self.parts[::-1]])
    @property
    def codomain(self): return self._end([(part.codomain, part.domain) for part in self.parts])
    def _end(self, sides):
        if not sides:
            return constraints.real
        dim, end = sides[0][1].event_dim, sides[-1][0]
        for this, other in sides:
            dim = max(dim + this.event_dim - other.event_dim, this.event_dim)
        return constraints.independent(end, dim - end.event_dim) if dim > end.event_dim else end
    @property
    def bijective(self): return all(part.bijective for part in self.parts)
    @property
    def sign(self): return product_of_signs(self.parts)
    def _turned(self):
        turned = ComposeTransform([part.inv for part in self.parts[::-1]])
        turned._inv = self
        return turned
    def __call__(self, x): return reduce(lambda value, part: part(value), self.parts, x)
    def log_abs_det_jacobian(self, x, y):
        here, dim, terms = x, self.domain.event_dim, []
        for place, part in enumerate(self.parts, 1):
            there = y if place == len(self.parts) else part(here)
            terms.append((part, here, there, dim))
            here, dim = there, dim + part.codomain.event_dim - part.domain.event_dim
        sums = [
            sum_beyond(part.log_abs_det_jacobian(before, after), dim - part.domain.event_dim)
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
    def _call(self, x): return _inside(x.dtype, torch.sigmoid(x))
    def _inverse(self, y):
        share = _inside(y.dtype, y)
        return share.log() - (-share).log1p()
    def log_abs_det_jacobian(self, x, y): return -F.softplus(-x) - F.softplus(x)
def _inside(dtype, share):
    kind = torch.finfo(dtype)
    return share.clamp(kind.tiny, 1.0 - kind.eps)
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
    event_dim = same_as("_event_dim")
    @property
    def domain(self):
        return constraints.independent(constraints.real, self._event_dim) if self._event_dim else constraints.real
    codomain = domain
    @property
    def sign(self):
        given = self.scale
        return (given > 0) - (given < 0) if isinstance(given, NUMBERS) else given.sign()
    def _settings(self): return (self.loc, self.scale)
    def _call(self, x): return self.loc + self.scale * x
    def _inverse(self, y): return (y - self.loc) / self.scale
    def log_abs_det_jacobian(self, x, y):
        count, shape = self._event_dim, x.shape
        one = isinstance(self.scale, NUMBERS)
        stretch = torch.full_like(x, math.log(abs(self.scale))) if one else torch.abs(self.scale).log()
        if count:
            shape, stretch = shape[:-count], stretch.view(stretch.shape[:-count] + (-1,)).sum(-1)
        return stretch.expand(shape)
    def forward_shape(self, shape):
        own = [value.shape for value in self._settings() if isinstance(value, torch.Tensor)]
        return torch.broadcast_shapes(shape, *own)
    inverse_shape = forward_shape
class SoftmaxTransform(Transform):
    domain, codomain = constraints.real_vector, constraints.simplex
    def _call(self, x):
        heights = (x - x.max(-1, True)[0]).exp()
        return heights / heights.sum(-1, True)
    def _inverse(self, y): return y.log()
_PLAIN = (Transform,)
identity_transform = ComposeTransform([])
"""

TRANSFORMED = """
class TransformedDistribution(Distribution):
    arg_constraints = {}
    has_rsample = same_as("base_dist.has_rsample")
    def __init__(self, base_distribution, transforms, validate_args=None):
        self.transforms = [transforms] if isinstance(transforms, Transform) else transforms
        if not isinstance(self.transforms, list):
            raise ValueError(f"transforms must be a Transform or list, but was {transforms}")
        if [each for each in self.transforms if not isinstance(each, Transform)]:
            raise ValueError("transforms must be a Transform or a list of Transforms")
        whole, base, own = ComposeTransform(self.transforms), base_distribution, len(base_distribution.event_shape)
        shape, ins, outs = base._extended_shape(), whole.domain.event_dim, whole.codomain.event_dim
        if ins > len(shape):
            raise ValueError(
                f"base_distribution needs to have shape with size at least {ins}, but got {shape}.")
        made = whole.forward_shape(shape)
        needed = whole.inverse_shape(made)
        if needed != shape:
            base = base.expand(needed[:len(needed) - own])
        self.base_dist = Independent(base, ins - own) if ins > own else base
        kept = len(made) - outs - max(0, own - ins)
        super().__init__(made[:kept], made[kept:], validate_args=validate_args)
    def expand(self, batch_shape, _instance=None):
        new = super().expand(batch_shape)
        shape = ComposeTransform(self.transforms).inverse_shape(new._extended_shape())
        new.base_dist = self.base_dist.expand(shape[:len(shape) - len(self.base_dist.event_shape)])
        return new
    @property
    def support(self):
        end = self.transforms[-1].codomain if self.transforms else self.base_dist.support
        more = len(self._event_shape) - end.event_dim if self.transforms else 0
        return constraints.independent(end, more) if more > 0 else end
    @torch.no_grad()
    def sample(self, sample_shape=torch.Size()): return self._through(self.base_dist.sample(sample_shape))
    def rsample(self, sample_shape=torch.Size()): return self._through(self.base_dist.rsample(sample_shape))
    def _through(self, x): return reduce(lambda value, transform: transform(value), self.transforms, x)
    def _way_back(self, y):
        for transform in self.transforms[::-1]:
            x = transform.inv(y)
            yield transform, x, y
            y = x
    def log_prob(self, value):
        x, dim, total = self._checked(value), len(self._event_shape), 0.0
        for transform, x, y in self._way_back(x):
            dim -= transform.codomain.event_dim
            total = total - sum_beyond(transform.log_abs_det_jacobian(x, y), dim)
            dim += transform.domain.event_dim
        return total + sum_beyond(self.base_dist.log_prob(x), dim - len(self.base_dist.event_shape))
    def _rising(self, share):
        sign = product_of_signs(self.transforms)
        return share if isinstance(sign, int) and sign == 1 else sign * (share - 0.5) + 0.5
    def cdf(self, value):
        x = reduce(lambda value, transform: transform.inv(value), self.transforms[::-1], value)
        if self._validate_args:
            self.base_dist._validate_sample(x)
        return self._rising(self.base_dist.cdf(x))
    def icdf(self, value): return self._through(self.base_dist.icdf(self._rising(value)))

class LogNormal(TransformedDistribution):
    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.positive
    has_rsample = True
    loc, scale = same_as("base_dist.loc"), same_as("base_dist.scale")
    def __init__(self, loc, scale, validate_args=None):
        super().__init__(Normal(loc, scale, validate_args=validate_args), ExpTransform(), validate_args=validate_args)
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
    scale = same_as("base_dist.scale")
    def __init__(self, scale, validate_args=None):
        super().__init__(Normal(0, scale, validate_args=False), AbsTransform(), validate_args=validate_args)
    @property
    def mean(self): return self.scale * math.sqrt(2 / math.pi)
    @property
    def mode(self): return torch.zeros_like(self.scale)
    @property
    def variance(self): return self.scale.pow(2) * (1 - 2 / math.pi)
    def log_prob(self, value):
        x = self._checked(value)
        return torch.where(x >= 0, self.base_dist.log_prob(x) + math.log(2), -inf)
    def cdf(self, value): return 2 * self.base_dist.cdf(self._checked(value)) - 1
    def icdf(self, prob): return self.base_dist.icdf((prob + 1) / 2)
    def entropy(self): return self.base_dist.entropy() - math.log(2)

EULER = 0.57721566490153286060

class Gumbel(TransformedDistribution):
    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    mode = same_as("loc")
    def __init__(self, loc, scale, validate_args=None):
        self.loc, self.scale = broadcast_all(loc, scale)
        kind, given = torch.finfo(self.loc.dtype), (loc, scale)
        ends = [kind.tiny, 1 - kind.eps]
        if not all(isinstance(value, NUMBERS) for value in given):
            ends = [torch.full_like(self.loc, end) for end in ends]
        logarithm, turned = ExpTransform().inv, AffineTransform(loc=0, scale=-torch.ones_like(self.scale))
        moved = AffineTransform(loc=loc, scale=-self.scale)
        base = Uniform(*ends, validate_args=validate_args)
        super().__init__(base, [logarithm, turned, ExpTransform().inv, moved], validate_args=validate_args)
    @property
    def mean(self): return self.loc + self.scale * EULER
    @property
    def stddev(self): return (math.pi / math.sqrt(6)) * self.scale
    @property
    def variance(self): return self.stddev.pow(2)
    def log_prob(self, value):
        below = (self.loc - self._checked(value)) / self.scale
        return (below - below.exp()) - self.scale.log()
    def entropy(self): return self.scale.log() + (1 + EULER)

class RelaxedOneHotCategorical(TransformedDistribution):
    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.simplex
    has_rsample = True
    temperature, logits, probs = (same_as("base_dist." + name) for name in ("temperature", "logits", "probs"))
    def __init__(self, temperature, probs=None, logits=None, validate_args=None):
        base = ExpRelaxedCategorical(temperature, probs, logits, validate_args=validate_args)
        super().__init__(base, ExpTransform(), validate_args=validate_args)
"""
