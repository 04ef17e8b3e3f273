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

def _rule(name, holds, event_dim=0, is_discrete=False):
    body = {"check": lambda self, value: holds(value), "event_dim": event_dim, "is_discrete": is_discrete}
    return type("_" + name, (Constraint,), body)()

class _Dependent(Constraint):
    def check(self, x): raise ValueError("Cannot determine validity of dependent constraint")

class _IndependentConstraint(Constraint):
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

class MixtureSameFamilyConstraint(Constraint):
    def __init__(self, base_constraint):
        self.base_constraint = base_constraint
        self.is_discrete, self.event_dim = base_constraint.is_discrete, base_constraint.event_dim
    def check(self, value):
        each = self.base_constraint.check(value.unsqueeze(-1 - self.event_dim))
        return _all_beyond(each, value.dim() - self.event_dim)
    def __repr__(self): return f"MixtureSameFamilyConstraint({self.base_constraint!r})"

def _all_beyond(each, kept): return each.reshape(each.shape[:kept] + (-1,)).all(-1)
def is_dependent(constraint): return isinstance(constraint, _Dependent)
class _Bounded(Constraint):
    def __init__(self, *bounds, **named):
        for name, bound in zip(self.bounds, bounds):
            setattr(self, name, bound)
        for name in named:
            setattr(self, name, named[name])
    def __repr__(self):
        return type(self).__name__[1:] + "(" + ", ".join(f"{k}={getattr(self, k)}" for k in self.bounds) + ")"
class _GreaterThan(_Bounded):
    bounds = ("lower_bound",)
    def check(self, value): return self.lower_bound < value
class _GreaterThanEq(_Bounded):
    bounds = ("lower_bound",)
    def check(self, value): return self.lower_bound <= value
class _LessThan(_Bounded):
    bounds = ("upper_bound",)
    def check(self, value): return value < self.upper_bound
class _Interval(_Bounded):
    bounds = ("lower_bound", "upper_bound")
    def check(self, value): return (self.lower_bound <= value) & (value <= self.upper_bound)
class _HalfOpenInterval(_Bounded):
    bounds = ("lower_bound", "upper_bound")
    def check(self, value): return (self.lower_bound <= value) & (value < self.upper_bound)
class _IntegerInterval(_Interval):
    is_discrete = True
    def check(self, value): return (value % 1 == 0) & super().check(value)
class _IntegerGreaterThan(_Bounded):
    is_discrete = True
    bounds = ("lower_bound",)
    def check(self, value): return (value % 1 == 0) & (value >= self.lower_bound)

class _Parts(Constraint):
    def __init__(self, cseq, dim=0):
        if not all(isinstance(each, Constraint) for each in cseq):
            raise AssertionError("All elements of cseq must be Constraint instances")
        self.cseq, self.dim = list(cseq), dim
    @property
    def is_discrete(self): return any(each.is_discrete for each in self.cseq)
    @property
    def event_dim(self): return max(each.event_dim for each in self.cseq)
    def check(self, value):
        if not -value.dim() <= self.dim < value.dim():
            raise AssertionError(f"dim {self.dim} out of range for value with {value.dim()} dimensions")
        return self.joined([each.check(part) for each, part in zip(self.cseq, self.parts_of(value))], self.dim)
class _Cat(_Parts):
    joined = torch.cat
    def __init__(self, cseq, dim=0, lengths=None):
        super().__init__(cseq, dim)
        self.lengths = [1] * len(self.cseq) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.cseq):
            raise AssertionError(f"lengths ({len(self.lengths)}) must match cseq ({len(self.cseq)})")
    def parts_of(self, value):
        starts = [sum(self.lengths[:at]) for at in range(len(self.lengths))]
        return [value.narrow(self.dim, start, length) for start, length in zip(starts, self.lengths)]
class _Stack(_Parts):
    joined = torch.stack
    @property
    def event_dim(self):
        most = super().event_dim
        return most + 1 if self.dim + most < 0 else most
    def parts_of(self, value): return [value.select(self.dim, at) for at in range(value.size(self.dim))]

def _is_lower(x): return (x == x.tril()).flatten(-2).all(-1)
def _is_lower_cholesky(x): return _is_lower(x) & (x.diagonal(dim1=-2, dim2=-1) > 0).all(-1)
def _has_unit_rows(x):
    apart = (torch.linalg.norm(x.detach(), dim=-1) - 1.0).abs()
    return apart.le(torch.finfo(x.dtype).eps * x.size(-1) * 10).all(dim=-1)
def _is_symmetric(x):
    if x.shape[-2] != x.shape[-1]:
        return _is_square(x)
    return torch.isclose(x, x.mT, atol=1e-6).all(-2).all(-1)
def _is_square(x): return torch.full(size=x.shape[:-2], fill_value=x.shape[-2] == x.shape[-1], dtype=torch.bool)
def _is_positive_semidefinite(x):
    same = _is_symmetric(x)
    return torch.linalg.eigvalsh(x).ge(0).all(-1) if same.all() else same
def _is_positive_definite(x):
    same = _is_symmetric(x)
    return torch.linalg.cholesky_ex(x).info.eq(0) if same.all() else same

dependent = _Dependent()
real = _rule("Real", lambda x: x == x)
boolean = _rule("Boolean", lambda x: (x == 0) | (x == 1), 0, True)
independent, greater_than, greater_than_eq, less_than = _IndependentConstraint, _GreaterThan, _GreaterThanEq, _LessThan
interval, half_open_interval, integer_interval = _Interval, _HalfOpenInterval, _IntegerInterval
cat, stack = _Cat, _Stack
positive = greater_than(0.0)
nonnegative = greater_than_eq(0.0)
unit_interval = interval(0.0, 1.0)
nonnegative_integer, positive_integer = _IntegerGreaterThan(0), _IntegerGreaterThan(1)
real_vector = independent(real, 1)
simplex = _rule("Simplex", lambda x: torch.all(x >= 0, dim=-1) & ((x.sum(-1) - 1).abs() < 1e-6), 1)
one_hot = _rule("OneHot", lambda x: ((x == 0) | (x == 1)).all(-1) & x.sum(-1).eq(1), 1, True)
lower_triangular = _rule("LowerTriangular", _is_lower, 2)
lower_cholesky = _rule("LowerCholesky", _is_lower_cholesky, 2)
corr_cholesky = _rule("CorrCholesky", lambda x: _is_lower_cholesky(x) & _has_unit_rows(x), 2)
square, symmetric = _rule("Square", _is_square, 2), _rule("Symmetric", _is_symmetric, 2)
positive_semidefinite = _rule("PositiveSemidefinite", _is_positive_semidefinite, 2)
positive_definite = _rule("PositiveDefinite", _is_positive_definite, 2)
def multinomial(count):
    return _rule("Multinomial", lambda x: (x >= 0).all(-1) & (x.sum(-1) <= count), 1, True)
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
        for name in [name for name in new.__dict__ if name not in self.arg_constraints]:
            if isinstance(getattr(type(self), name, None), lazy_property):
                delattr(new, name)
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
