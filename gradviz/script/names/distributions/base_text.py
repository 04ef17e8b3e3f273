"""What all distributions share, for the machine to read: constraints, shapes, what is refused.

What is said when a parameter or a value is refused, and which is looked at first, is PyTorch's.
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
        each = self.base_constraint.check(value)
        kept = each.dim() - self.reinterpreted_batch_ndims
        if kept < 0:
            raise ValueError(
                f"Expected value.dim() >= {self.event_dim} but got {value.dim()}")
        return _all_beyond(each, kept)
    def __repr__(self):
        return f"IndependentConstraint({self.base_constraint!r}, {self.reinterpreted_batch_ndims})"

def _all_beyond(each, kept): return each.reshape(each.shape[:kept] + (-1,)).all(-1)
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
    lambda x: (x == x.tril()).flatten(-2).all(-1) & (x.diagonal(dim1=-2, dim2=-1) > 0).all(-1), 2)
positive_definite = _Rule("PositiveDefinite()", _is_positive_definite, 2)
def multinomial(count):
    return _Rule("Multinomial()", lambda x: (x >= 0).all(-1) & (x.sum(-1) <= count), 1, True)
"""

BASE = """
import copy, math, operator, warnings
from functools import reduce
inf, nan = math.inf, math.nan
NUMBERS = (bool, int, float)

def same_as(path): return property(operator.attrgetter(path))

class lazy_property:
    def __init__(self, make): self.make = make
    def __get__(self, holder, kind=None):
        if holder is None:
            return self
        with torch.enable_grad():
            setattr(holder, self.make.__name__, self.make(holder))
        return holder.__dict__[self.make.__name__]

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
def sum_beyond(each, count): return each.reshape(each.shape[:each.dim() - count] + (-1,)).sum(-1) if count else each
def do_not_broadcast(one, other): return any(i != j and 1 not in (i, j) for i, j in zip(one[::-1], other[::-1]))
def described(tensor): return f"({type(tensor).__name__} of shape {tuple(tensor.shape)})"
def in_front_of(batch_shape, values, expand):
    wide = values.reshape(values.shape[:1] + (1,) * len(batch_shape) + values.shape[1:])
    return wide.expand(values.shape[:1] + batch_shape + values.shape[1:]) if expand else wide
def clamp_probs(probs):
    least = torch.finfo(probs.dtype).eps
    return probs.clamp(least, 1 - least)
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
        if value not in (True, False):
            raise ValueError
        Distribution._validate_args = value

    def __init__(self, batch_shape=torch.Size(), event_shape=torch.Size(), validate_args=None):
        self._batch_shape, self._event_shape = torch.Size(batch_shape), torch.Size(event_shape)
        if validate_args is not None:
            self._validate_args = validate_args
        rules = self._rules() if self._validate_args else {}
        for name in [name for name in rules if not constraints.is_dependent(rules[name]) and self._has_made(name)]:
            self._refuse_outside(rules[name], name, getattr(self, name))

    def _has_made(self, name):
        return name in self.__dict__ or not isinstance(getattr(type(self), name), lazy_property)

    def _refuse_outside(self, rule, name, held):
        if not rule.check(held).all():
            raise ValueError(
                f"Expected parameter {name} {described(held)} of distribution {self!r} to satisfy the constraint "
                f"{rule!r}, but found invalid values:\\n{held}")

    def _rules(self):
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
    def _spread(self, sample_shape, *tensors):
        shape = self._extended_shape(sample_shape)
        return [tensor.expand(shape) for tensor in tensors]

    def _checked(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return value
    def _validate_sample(self, value):
        if not isinstance(value, torch.Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        shape, wanted = value.size(), self._batch_shape + self._event_shape
        if shape[len(shape) - len(self._event_shape):] != self._event_shape:
            raise ValueError(
                f"The right-most size of value must match event_shape: {shape} vs {self._event_shape}.")
        if do_not_broadcast(shape, wanted):
            raise ValueError(
                f"Value is not broadcastable with batch_shape+event_shape: {shape} vs {wanted}.")
        try:
            allowed = self.support
        except NotImplementedError:
            warnings.warn(
                f"{self.__class__} does not define `support` to enable sample validation. Please initialize the "
                "distribution with `validate_args=False` to turn off validation.")
        else:
            if not allowed.check(value).all():
                raise ValueError(
                    f"Expected value argument {described(value)} to be within the support ({allowed!r}) "
                    f"of the distribution {self!r}, but found invalid values:\\n{value}")

    def __repr__(self):
        shown = {k: self.__dict__[k] for k in self.arg_constraints if k in self.__dict__}
        inside = ", ".join(f"{k}: {v if v.numel() == 1 else v.size()}" for k, v in shown.items())
        return self.__class__.__name__ + "(" + inside + ")"

class ExponentialFamily(Distribution): pass
"""
