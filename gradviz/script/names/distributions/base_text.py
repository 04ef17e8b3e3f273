"""What all distributions share, for the machine to read: constraints, shapes, what is refused.

Sources: torch/distributions/distribution.py, constraints.py and utils.py, for what is said and in which order.
"""

from __future__ import annotations

CONSTRAINTS = """
class Constraint:
    is_discrete = False
    event_dim = 0
    def check(self, value): raise NotImplementedError
    def __repr__(self): return self.__class__.__name__[1:] + "()"

class _Rule(Constraint):
    def __init__(self, text, holds, event_dim=0, is_discrete=False):
        self.text, self.holds, self.event_dim, self.is_discrete = text, holds, event_dim, is_discrete
    def check(self, value): return self.holds(value)
    def __repr__(self): return self.text() if callable(self.text) else self.text

class _Dependent(Constraint):
    def check(self, x): raise ValueError("Cannot determine validity of dependent constraint")

class _Independent(Constraint):
    def __init__(self, base_constraint, reinterpreted_batch_ndims):
        self.base_constraint, self.reinterpreted_batch_ndims = base_constraint, reinterpreted_batch_ndims
        self.is_discrete = base_constraint.is_discrete
        self.event_dim = base_constraint.event_dim + reinterpreted_batch_ndims
    def check(self, value):
        result = self.base_constraint.check(value)
        n = self.reinterpreted_batch_ndims
        if result.dim() < n:
            raise ValueError(
                f"Expected value.dim() >= {self.event_dim} but got {value.dim()}")
        return result.reshape(result.shape[:result.dim() - n] + (-1,)).all(-1)
    def __repr__(self):
        return f"IndependentConstraint({self.base_constraint!r}, {self.reinterpreted_batch_ndims})"

def is_dependent(constraint): return isinstance(constraint, _Dependent)
def independent(constraint, n): return _Independent(constraint, n)
def greater_than(low): return _Rule(lambda: f"GreaterThan(lower_bound={low})", lambda x: low < x)
def greater_than_eq(low): return _Rule(lambda: f"GreaterThanEq(lower_bound={low})", lambda x: low <= x)
def less_than(high): return _Rule(lambda: f"LessThan(upper_bound={high})", lambda x: x < high)
def interval(low, high):
    return _Rule(lambda: f"Interval(lower_bound={low}, upper_bound={high})", lambda x: (low <= x) & (x <= high))
def half_open_interval(low, high):
    return _Rule(lambda: f"HalfOpenInterval(lower_bound={low}, upper_bound={high})", lambda x: (low <= x) & (x < high))
def integer_interval(low, high):
    return _Rule(lambda: f"IntegerInterval(lower_bound={low}, upper_bound={high})",
                 lambda x: (x % 1 == 0) & (low <= x) & (x <= high), 0, True)
def _integers_from(low):
    return _Rule(f"IntegerGreaterThan(lower_bound={low})", lambda x: (x % 1 == 0) & (x >= low), 0, True)
def _is_positive_definite(x):
    same = torch.isclose(x, x.mT, atol=1e-6).all(-2).all(-1)
    return torch.linalg.cholesky_ex(x).info.eq(0) if same.all() else same

dependent = _Dependent()
real = _Rule("Real()", lambda x: x == x)
boolean = _Rule("Boolean()", lambda x: (x == 0) | (x == 1), 0, True)
positive = greater_than(0.0)
nonnegative = greater_than_eq(0.0)
unit_interval = interval(0.0, 1.0)
nonnegative_integer, positive_integer = _integers_from(0), _integers_from(1)
real_vector = independent(real, 1)
simplex = _Rule("Simplex()", lambda x: torch.all(x >= 0, dim=-1) & ((x.sum(-1) - 1).abs() < 1e-6), 1)
one_hot = _Rule("OneHot()", lambda x: ((x == 0) | (x == 1)).all(-1) & x.sum(-1).eq(1), 1, True)
lower_cholesky = _Rule("LowerCholesky()",
    lambda x: (x.tril() == x).flatten(-2).min(-1)[0] & (x.diagonal(dim1=-2, dim2=-1) > 0).min(-1)[0], 2)
positive_definite = _Rule("PositiveDefinite()", _is_positive_definite, 2)
def multinomial(count):
    return _Rule("Multinomial()", lambda x: (x >= 0).all(-1) & (x.sum(-1) <= count), 1, True)
"""

BASE = """
import copy, math, warnings
from functools import reduce
inf, nan = math.inf, math.nan
NUMBERS = (bool, int, float)

class lazy_property:
    def __init__(self, make): self.make = make
    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        with torch.enable_grad():
            value = self.make(instance)
        setattr(instance, self.make.__name__, value)
        return value

def broadcast_all(*values):
    if not all(isinstance(v, (torch.Tensor, *NUMBERS)) for v in values):
        raise ValueError(
            "Input arguments must all be instances of Number, torch.Tensor or objects implementing __torch_function__.")
    dtype = next((v.dtype for v in values if isinstance(v, torch.Tensor)), torch.get_default_dtype())
    tensors = [v if isinstance(v, torch.Tensor) else torch.tensor(v, dtype=dtype) for v in values]
    return torch.broadcast_tensors(*tensors)

def batch_of(tensor, *given):
    return torch.Size() if all(isinstance(v, NUMBERS) for v in given) else tensor.size()

def standard_normal(shape, like): return torch.normal(like.new_zeros(shape), like.new_ones(shape))
def sum_rightmost(value, n): return value.reshape(value.shape[:value.dim() - n] + (-1,)).sum(-1) if n else value
def clamp_probs(probs):
    eps = torch.finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)
def probs_to_logits(probs, is_binary=False):
    clamped = clamp_probs(probs)
    return torch.log(clamped) - torch.log1p(-clamped) if is_binary else torch.log(clamped)
def logits_to_probs(logits, is_binary=False):
    return torch.sigmoid(logits) if is_binary else F.softmax(logits, dim=-1)

class Distribution:
    has_rsample = False
    has_enumerate_support = False
    _validate_args = True

    @staticmethod
    def set_default_validate_args(value):
        if value not in [True, False]:
            raise ValueError
        Distribution._validate_args = value

    def __init__(self, batch_shape=torch.Size(), event_shape=torch.Size(), validate_args=None):
        self._batch_shape, self._event_shape = torch.Size(batch_shape), torch.Size(event_shape)
        if validate_args is not None:
            self._validate_args = validate_args
        if not self._validate_args:
            return
        for name, constraint in self._known_constraints().items():
            if constraints.is_dependent(constraint):
                continue
            if name not in self.__dict__ and isinstance(getattr(type(self), name), lazy_property):
                continue
            value = getattr(self, name)
            if not constraint.check(value).all():
                raise ValueError(
                    f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of distribution "
                    f"{self!r} to satisfy the constraint {constraint!r}, but found invalid values:\\n{value}")

    def _known_constraints(self):
        try:
            return self.arg_constraints
        except NotImplementedError:
            warnings.warn(
                f"{self.__class__} does not define `arg_constraints`. Please set `arg_constraints = {{}}` or "
                "initialize the distribution with `validate_args=False` to turn off validation.")
            return {}

    def expand(self, batch_shape, _instance=None):
        new, batch_shape = copy.copy(self), torch.Size(batch_shape)
        for name, value in self._held().items():
            setattr(new, name, value.expand(batch_shape + value.shape[len(self._batch_shape):]))
        new._batch_shape = batch_shape
        return new
    def _held(self):
        return {k: v for k, v in self.__dict__.items() if k in self.arg_constraints or k == "_param"}

    @property
    def batch_shape(self): return self._batch_shape
    @property
    def event_shape(self): return self._event_shape
    @property
    def arg_constraints(self): raise NotImplementedError
    @property
    def support(self): raise NotImplementedError
    @property
    def mean(self): raise NotImplementedError
    @property
    def mode(self): raise NotImplementedError(f"{self.__class__} does not implement mode")
    @property
    def variance(self): raise NotImplementedError
    @property
    def stddev(self): return self.variance.sqrt()
    def sample(self, sample_shape=torch.Size()):
        with torch.no_grad():
            return self.rsample(sample_shape)
    def rsample(self, sample_shape=torch.Size()): raise NotImplementedError
    def sample_n(self, n):
        warnings.warn("sample_n(n) will be deprecated. Use .sample((n,)) instead", UserWarning)
        return self.sample(torch.Size((n,)))
    def log_prob(self, value): raise NotImplementedError
    def cdf(self, value): raise NotImplementedError
    def icdf(self, value): raise NotImplementedError
    def enumerate_support(self, expand=True): raise NotImplementedError
    def entropy(self): raise NotImplementedError
    def perplexity(self): return torch.exp(self.entropy())
    def _extended_shape(self, sample_shape=torch.Size()):
        return torch.Size(sample_shape) + self._batch_shape + self._event_shape

    def _check(self, value):
        if self._validate_args:
            self._validate_sample(value)
    def _validate_sample(self, value):
        if not isinstance(value, torch.Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        start = len(value.size()) - len(self._event_shape)
        if value.size()[start:] != self._event_shape:
            raise ValueError(
                f"The right-most size of value must match event_shape: {value.size()} vs {self._event_shape}.")
        wanted = self._batch_shape + self._event_shape
        for i, j in zip(reversed(value.size()), reversed(wanted)):
            if i != 1 and j != 1 and i != j:
                raise ValueError(
                    f"Value is not broadcastable with batch_shape+event_shape: {value.size()} vs {wanted}.")
        try:
            support = self.support
        except NotImplementedError:
            warnings.warn(
                f"{self.__class__} does not define `support` to enable sample validation. Please initialize the "
                "distribution with `validate_args=False` to turn off validation.")
            return
        if not support.check(value).all():
            raise ValueError(
                f"Expected value argument ({type(value).__name__} of shape {tuple(value.shape)}) to be within the "
                f"support ({support!r}) of the distribution {self!r}, but found invalid values:\\n{value}")

    def __repr__(self):
        shown = {k: self.__dict__[k] for k in self.arg_constraints if k in self.__dict__}
        inside = ", ".join(f"{k}: {v if v.numel() == 1 else v.size()}" for k, v in shown.items())
        return self.__class__.__name__ + "(" + inside + ")"

class ExponentialFamily(Distribution): pass
"""
