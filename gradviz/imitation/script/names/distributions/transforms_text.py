"""Transforms of vectors, matrices and several parts, and which transform leads to a constraint.

Sources: torch/distributions/transforms.py and constraint_registry.py.
"""

from __future__ import annotations

MORE_TRANSFORMS = """
TOO_FEW = "Too few dimensions on input"
def _need_dims(count, needed):
    if count < needed:
        raise ValueError(TOO_FEW)
def _one_beside(values): return F.pad(values[..., :-1], [1, 0], value=1)
def _below(count, diag):
    places = torch.arange(count)
    return places < places.view(-1, 1) + (diag + 1)
def tril_matrix_to_vec(mat, diag=0):
    count = mat.shape[-1]
    if diag < -count or diag >= count:
        raise ValueError(f"diag ({diag}) provided is outside [{-count}, {count - 1}].")
    return mat[..., _below(count, diag)]
def vec_to_tril_matrix(vec, diag=0):
    twice = 1 + 2 * diag
    count = (-twice + (twice ** 2 + 8 * vec.shape[-1] + 4 * abs(diag) * (diag + 1)) ** 0.5) / 2
    if round(count) - count > torch.finfo(vec.dtype).eps:
        raise ValueError(
            f"The size of last dimension is {vec.shape[-1]} which cannot be expressed as "
            "the lower triangular part of a square D x D matrix.")
    matrix = vec.new_zeros(vec.shape[:-1] + torch.Size((round(count), round(count))))
    matrix[..., _below(round(count), diag)] = vec
    return matrix

class IndependentTransform(Transform):
    bijective, sign = same_as("base_transform.bijective"), same_as("base_transform.sign")
    def __init__(self, base_transform, reinterpreted_batch_ndims, cache_size=0):
        super().__init__(cache_size=cache_size)
        self.base_transform = base_transform.with_cache(cache_size)
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
    @property
    def domain(self): return constraints.independent(self.base_transform.domain, self.reinterpreted_batch_ndims)
    @property
    def codomain(self): return constraints.independent(self.base_transform.codomain, self.reinterpreted_batch_ndims)
    def _call(self, x):
        _need_dims(x.dim(), self.domain.event_dim)
        return self.base_transform(x)
    def _inverse(self, y):
        _need_dims(y.dim(), self.codomain.event_dim)
        return self.base_transform.inv(y)
    def log_abs_det_jacobian(self, x, y):
        return sum_beyond(self.base_transform.log_abs_det_jacobian(x, y), self.reinterpreted_batch_ndims)
    def __repr__(self):
        return f"{self.__class__.__name__}({self.base_transform!r}, {self.reinterpreted_batch_ndims})"
    def forward_shape(self, shape): return self.base_transform.forward_shape(shape)
    def inverse_shape(self, shape): return self.base_transform.inverse_shape(shape)

class ReshapeTransform(Transform):
    bijective = True
    def __init__(self, in_shape, out_shape, cache_size=0):
        self.in_shape, self.out_shape = torch.Size(in_shape), torch.Size(out_shape)
        if self.in_shape.numel() != self.out_shape.numel():
            raise ValueError("in_shape, out_shape have different numbers of elements")
        super().__init__(cache_size=cache_size)
    @property
    def domain(self): return constraints.independent(constraints.real, len(self.in_shape))
    @property
    def codomain(self): return constraints.independent(constraints.real, len(self.out_shape))
    def _call(self, x): return x.reshape(x.shape[:x.dim() - len(self.in_shape)] + self.out_shape)
    def _inverse(self, y): return y.reshape(y.shape[:y.dim() - len(self.out_shape)] + self.in_shape)
    def log_abs_det_jacobian(self, x, y): return x.new_zeros(x.shape[:x.dim() - len(self.in_shape)])
    def forward_shape(self, shape): return self._turned_shape(shape, self.in_shape, self.out_shape)
    def inverse_shape(self, shape): return self._turned_shape(shape, self.out_shape, self.in_shape)
    def _turned_shape(self, shape, old, new):
        _need_dims(len(shape), len(old))
        kept = len(shape) - len(old)
        if shape[kept:] != old:
            raise ValueError(f"Shape mismatch: expected {shape[kept:]} but got {old}")
        return shape[:kept] + new

class _OneOfAKind(Transform):
    def __eq__(self, other): return isinstance(other, type(self))
    def __hash__(self): return id(self)

class StickBreakingTransform(_OneOfAKind):
    domain, codomain, bijective = constraints.real_vector, constraints.simplex, True
    def _left(self, like, count): return count - like.new_ones(like.shape[-1]).cumsum(-1)
    def _call(self, x):
        left = self._left(x, x.shape[-1] + 1)
        share = _inside(x.dtype, torch.sigmoid(x - left.log()))
        rest = (1 - share).cumprod(-1)
        return F.pad(share, [0, 1], value=1) * F.pad(rest, [1, 0], value=1)
    def _inverse(self, y):
        most = y[..., :-1]
        left, rest = self._left(most, y.shape[-1]), 1 - most.cumsum(-1)
        return most.log() - torch.clamp(rest, min=torch.finfo(y.dtype).tiny).log() + left.log()
    def log_abs_det_jacobian(self, x, y):
        x = x - self._left(x, x.shape[-1] + 1).log()
        return (-x + F.logsigmoid(x) + y[..., :-1].log()).sum(-1)
    def forward_shape(self, shape): return self._longer(shape, 1)
    def inverse_shape(self, shape): return self._longer(shape, -1)
    def _longer(self, shape, by):
        _need_dims(len(shape), 1)
        return shape[:-1] + (shape[-1] + by,)

class LowerCholeskyTransform(_OneOfAKind):
    domain, codomain = constraints.independent(constraints.real, 2), constraints.lower_cholesky
    def _call(self, x): return x.tril(-1) + x.diagonal(dim1=-2, dim2=-1).exp().diag_embed()
    def _inverse(self, y): return y.tril(-1) + y.diagonal(dim1=-2, dim2=-1).log().diag_embed()

class PositiveDefiniteTransform(_OneOfAKind):
    domain, codomain = constraints.independent(constraints.real, 2), constraints.positive_definite
    def _call(self, x):
        lower = LowerCholeskyTransform()(x)
        return lower @ lower.mT
    def _inverse(self, y): return LowerCholeskyTransform().inv(torch.linalg.cholesky(y))

class CorrCholeskyTransform(Transform):
    domain, codomain, bijective = constraints.real_vector, constraints.corr_cholesky, True
    def _call(self, x):
        x = torch.tanh(x)
        least = torch.finfo(x.dtype).eps
        lower = vec_to_tril_matrix(x.clamp(min=-1 + least, max=1 - least), diag=-1)
        rest = (1 - lower**2).sqrt().cumprod(-1)
        return (lower + torch.eye(lower.shape[-1], dtype=lower.dtype)) * _one_beside(rest)
    def _inverse(self, y):
        rest = _one_beside(1 - torch.cumsum(y * y, dim=-1))
        share = tril_matrix_to_vec(y, diag=-1) / tril_matrix_to_vec(rest, diag=-1).sqrt()
        return (share.log1p() - share.neg().log1p()) / 2
    def log_abs_det_jacobian(self, x, y):
        rest = tril_matrix_to_vec(1 - (y * y).cumsum(dim=-1), diag=-2)
        return 0.5 * rest.log().sum(-1) + -2 * (x + F.softplus(-2 * x) - math.log(2.0)).sum(dim=-1)
    def forward_shape(self, shape):
        _need_dims(len(shape), 1)
        count = round((0.25 + 2 * shape[-1]) ** 0.5 + 0.5)
        if count * (count - 1) // 2 != shape[-1]:
            raise ValueError("Input is not a flattened lower-diagonal number")
        return shape[:-1] + (count, count)
    def inverse_shape(self, shape):
        _need_dims(len(shape), 2)
        if shape[-2] != shape[-1]:
            raise ValueError("Input is not square")
        return shape[:-2] + (shape[-1] * (shape[-1] - 1) // 2,)

class _PartsTransform(Transform):
    def __init__(self, tseq, dim, cache_size):
        if not all(isinstance(each, Transform) for each in tseq):
            raise AssertionError("All elements of tseq must be Transform instances")
        super().__init__(cache_size=cache_size)
        self.transforms, self.dim = [each.with_cache(cache_size) if cache_size else each for each in tseq], dim
    @property
    def bijective(self): return all(each.bijective for each in self.transforms)
    def _parts(self, value, name="tensor"):
        if not -value.dim() <= self.dim < value.dim():
            raise AssertionError(f"dim {self.dim} out of range for {name} with {value.dim()} dimensions")
        own, needed = "x" if name == "tensor" else name, self._needed()
        if value.size(self.dim) != needed[1]:
            raise AssertionError(f"{own}.size({self.dim}) = {value.size(self.dim)} must equal {needed[0]} {needed[1]}")
        return zip(self.transforms, self._cut(value))
    def _call(self, x): return self.joined([each(part) for each, part in self._parts(x)], dim=self.dim)
    def _inverse(self, y): return self.joined([each.inv(part) for each, part in self._parts(y)], dim=self.dim)
    def _slopes(self, x, y):
        pairs = zip(self._parts(x, "x"), self._parts(y, "y"))
        return [each.log_abs_det_jacobian(before, after) for (each, before), (_, after) in pairs]

class CatTransform(_PartsTransform):
    joined = torch.cat
    def __init__(self, tseq, dim=0, lengths=None, cache_size=0):
        super().__init__(tseq, dim, cache_size)
        self.lengths = [1] * len(self.transforms) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.transforms):
            raise AssertionError(f"lengths ({len(self.lengths)}) must match transforms ({len(self.transforms)})")
    @property
    def event_dim(self): return max(each.event_dim for each in self.transforms)
    @property
    def length(self): return sum(self.lengths)
    def _needed(self): return "length", self.length
    def _cut(self, value):
        starts = [sum(self.lengths[:at]) for at in range(len(self.lengths))]
        return [value.narrow(self.dim, start, length) for start, length in zip(starts, self.lengths)]
    @property
    def domain(self): return constraints.cat([each.domain for each in self.transforms], self.dim, self.lengths)
    @property
    def codomain(self): return constraints.cat([each.codomain for each in self.transforms], self.dim, self.lengths)
    def log_abs_det_jacobian(self, x, y):
        slopes = [sum_beyond(slope, self.event_dim - each.event_dim)
                  for each, slope in zip(self.transforms, self._slopes(x, y))]
        dim = (self.dim - x.dim() if self.dim >= 0 else self.dim) + self.event_dim
        return torch.cat(slopes, dim=dim) if dim < 0 else sum(slopes)

class StackTransform(_PartsTransform):
    joined = torch.stack
    def __init__(self, tseq, dim=0, cache_size=0): super().__init__(tseq, dim, cache_size)
    def _needed(self): return "len(transforms)", len(self.transforms)
    def _cut(self, value): return [value.select(self.dim, at) for at in range(value.size(self.dim))]
    @property
    def domain(self): return constraints.stack([each.domain for each in self.transforms], self.dim)
    @property
    def codomain(self): return constraints.stack([each.codomain for each in self.transforms], self.dim)
    def log_abs_det_jacobian(self, x, y): return torch.stack(self._slopes(x, y), dim=self.dim)

class CumulativeDistributionTransform(Transform):
    bijective, codomain, sign = True, constraints.unit_interval, 1
    domain = same_as("distribution.support")
    def __init__(self, distribution, cache_size=0):
        super().__init__(cache_size=cache_size)
        self.distribution = distribution
    def _call(self, x): return self.distribution.cdf(x)
    def _inverse(self, y): return self.distribution.icdf(y)
    def log_abs_det_jacobian(self, x, y): return self.distribution.log_prob(x)

class ConstraintRegistry:
    def __init__(self): self._registry = {}
    def register(self, constraint, factory=None):
        if factory is None:
            return lambda factory: self.register(constraint, factory)
        kind = type(constraint) if isinstance(constraint, constraints.Constraint) else constraint
        if not isinstance(kind, type) or not issubclass(kind, constraints.Constraint):
            raise TypeError(
                f"Expected constraint to be either a Constraint subclass or instance, but got {constraint}")
        self._registry[kind] = factory
        return factory
    def __call__(self, constraint):
        if type(constraint) not in self._registry:
            raise NotImplementedError(f"Cannot transform {type(constraint).__name__} constraints")
        return self._registry[type(constraint)](constraint)

biject_to, transform_to = ConstraintRegistry(), ConstraintRegistry()

def _to_interval(constraint):
    low, high = constraint.lower_bound, constraint.upper_bound
    if isinstance(low, NUMBERS) and low == 0 and isinstance(high, NUMBERS) and high == 1:
        return SigmoidTransform()
    return ComposeTransform([SigmoidTransform(), AffineTransform(low, high - low)])
def _above(constraint): return ComposeTransform([ExpTransform(), AffineTransform(constraint.lower_bound, 1)])

for _way in (biject_to, transform_to):
    def _independent(constraint, way=_way):
        return IndependentTransform(way(constraint.base_constraint), constraint.reinterpreted_batch_ndims)
    def _cat(constraint, way=_way):
        return CatTransform([way(each) for each in constraint.cseq], constraint.dim, constraint.lengths)
    def _stack(constraint, way=_way): return StackTransform([way(each) for each in constraint.cseq], constraint.dim)
    for _kind, _factory in (
        (constraints.real, lambda constraint: identity_transform), (constraints.independent, _independent),
        (constraints.greater_than, _above), (constraints.greater_than_eq, _above),
        (constraints.less_than, lambda constraint: ComposeTransform(
            [ExpTransform(), AffineTransform(constraint.upper_bound, -1)])),
        (constraints.interval, _to_interval), (constraints.half_open_interval, _to_interval),
        (constraints.corr_cholesky, lambda constraint: CorrCholeskyTransform()),
        (constraints.cat, _cat), (constraints.stack, _stack),
    ):
        _way.register(_kind, _factory)
biject_to.register(constraints.simplex, lambda constraint: StickBreakingTransform())
for _kind, _made in (
    (constraints.simplex, SoftmaxTransform), (constraints.lower_cholesky, LowerCholeskyTransform),
    (constraints.positive_definite, PositiveDefiniteTransform),
    (constraints.positive_semidefinite, PositiveDefiniteTransform),
):
    transform_to.register(_kind, lambda constraint, made=_made: made())
"""
