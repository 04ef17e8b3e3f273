"""Vector class w/ operator overloading, ABCs, and functools.total_ordering"""

from __future__ import annotations
import math, operator
from abc import ABC, abstractmethod
from functools import total_ordering, singledispatch, cached_property, lru_cache
import torch


@total_ordering
class Vec:
    __slots__ = ("xs",)

    def __init__(self, *xs: float):
        self.xs = tuple(map(float, xs))

    def __iter__(self):
        return iter(self.xs)

    def __len__(self):
        return len(self.xs)

    def __getitem__(self, i):
        return Vec(*self.xs[i]) if isinstance(i, slice) else self.xs[i]

    def __add__(self, o):
        return Vec(*map(operator.add, self, o)) if isinstance(o, Vec) else NotImplemented

    def __sub__(self, o):
        return self + -o

    def __neg__(self):
        return Vec(*(-x for x in self))

    def __mul__(self, k):
        return Vec(*(x * k for x in self)) if isinstance(k, (int, float)) else NotImplemented

    __rmul__ = __mul__

    def __matmul__(self, o):
        return math.fsum(a * b for a, b in zip(self, o))

    def __abs__(self):
        return math.hypot(*self)

    def __eq__(self, o):
        return isinstance(o, Vec) and self.xs == o.xs

    def __lt__(self, o):
        return abs(self) < abs(o)

    def __hash__(self):
        return hash(self.xs)

    def __bool__(self):
        return any(self.xs)

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(f'{x:g}' for x in self)})"

    def __format__(self, spec):
        return "<" + ", ".join(format(x, spec) for x in self) + ">"

    def __contains__(self, x):
        return x in self.xs

    def __call__(self, f):
        return Vec(*map(f, self))

    def __round__(self, n=None):
        return Vec(*(round(x, n) for x in self))


a, b = Vec(1, 2, 3), Vec(4, 5, 6)
print(a + b, a - b, 2 * a, a @ b, abs(b), a < b, a >= b, sorted([b, a]), max(a, b))
print(f"{a:.2f}", f"{a!r:>20}", a[1:], a[-1], 2.0 in a, bool(Vec(0, 0)), len({a, Vec(1, 2, 3)}), round(b * 0.333, 1))
print(a(math.sqrt), list(reversed(a)), [*a, *b], dict(zip("xyz", a)), sum(a), torch.tensor(list(a)))
for bad in (
    lambda: a + 1,
    lambda: a * "x",
    lambda: a @ 3,
    lambda: a < 3,
    lambda: a.z,
    lambda: setattr(a, "q", 1),
    lambda: a["k"],
    lambda: Vec("q"),
):
    try:
        print(bad())
    except Exception as e:
        print(f"{type(e).__name__}: {e}")


class Shape(ABC):
    @abstractmethod
    def area(self) -> float: ...
    @cached_property
    def label(self):
        print("computing")
        return f"{type(self).__name__}:{self.area():.3f}"


class Circle(Shape):
    def __init__(self, r):
        self.r = r

    def area(self):
        return math.pi * self.r**2


try:
    Shape()
except TypeError as e:
    print(e)
c = Circle(2)
print(c.label, c.label)


@singledispatch
def describe(x):
    return f"object {x!r}"


@describe.register
def _(x: int):
    return f"int {x}"


@describe.register(list)
def _(x):
    return f"list of {len(x)}"


@describe.register
def _(x: torch.Tensor):
    return f"tensor {tuple(x.shape)}"


print(describe(3), describe([1]), describe("s"), describe(torch.zeros(2, 3)), describe(True))


@lru_cache(maxsize=None)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


print(fib(30), fib.cache_info())
