"""Operators called by their special names, and classes that make their objects with __new__."""
import enum

import numpy as np
import torch

print((2.0).__pow__(3), (2).__add__(3.0), (7).__rsub__(10), (2).__truediv__(4), (-2).__abs__(), (3).__eq__("a"))
print("a".__add__("b"), "abc".__contains__("b"), "ab".__mul__(2), (2.5).__format__(".2f"), (5).__str__(), [1].__repr__())
print([1, 2].__add__([3]), (1, 2).__getitem__(1), {"a": 1}.__contains__("b"), [3, 1].__reversed__().__next__())
x = [1, 2]
x.__setitem__(0, 9)
x.__iadd__((4, 5))
print(x, int.__add__(1, 2), float.__mul__(2.0, 3), str.__len__("abc"), list.__len__(x))
a = np.array([1, 2])
print(a.__add__(1), a.__rsub__(3), a.__len__(), a.__getitem__(0), np.float64(2).__pow__(3), np.array(3).__float__())
print(torch.ones(2).__add__(1), hasattr(3, "__len__"), hasattr(print, "__call__"), (lambda v: v + 1).__call__(2))


class Dual:
    """The tangent goes along by the numbers' own special methods."""

    def __init__(self, value, tangent):
        self.value, self.tangent = value, tangent

    def __pow__(self, n):
        return Dual(self.value.__pow__(n), self.tangent * n * self.value.__pow__(n - 1))

    def __repr__(self):
        return f"{self.value} + {self.tangent}e"


print(Dual(3.0, 1.0) ** 2, Dual(np.float64(2), 1) ** 3)


class Registry:
    """One for all."""

    _one = None

    def __new__(cls):
        if cls._one is None:
            cls._one = object.__new__(cls)
        return cls._one


class Pair(tuple):
    def __new__(cls, first, second):
        return tuple.__new__(cls, (first, second))

    def __add__(self, other):
        return Pair(*(p + q for p, q in zip(self, other)))


class Metres(float):
    def __new__(cls, value, unit="m"):
        made = float.__new__(cls, value)
        made.unit = unit
        return made

    def __add__(self, other):
        return Metres(float.__add__(self, other), self.unit)


class Loud(list):
    def append(self, item):
        list.append(self, item * 2)
        return self

    def __getitem__(self, i):
        return list.__getitem__(self, i) + 100


class Unit(enum.Enum):
    KILO = ("k", 1e3)
    MILLI = ("m", 1e-3)

    def __new__(cls, sign, factor):
        made = object.__new__(cls)
        made._value_ = sign
        made.factor = factor
        return made


print(Registry() is Registry(), Pair(1, 2) + Pair(3, 4), type(Pair(1, 2)).__name__)
print(Metres(2.5) + 1, (Metres(1, "km") + 1).unit, Loud([1]).append(2), Loud([1, 2])[0], sum(Loud([1, 2])))
print(Unit.KILO.value, Unit("m").factor, Unit.MILLI, bool.__mro__, object.__str__(5))
print(Pair(1, 2).__ne__(Pair(1, 2)), Dual(1, 1).__eq__(2), Registry().__repr__()[:15])
try:
    "a".__add__(1)
except TypeError as error:
    print(error)
int.__add__("a", 1)
x = torch.tensor([1., 2., 3.], requires_grad=True); i = torch.tensor([1, 2, 3]); b = torch.tensor([True, False, True]); s = torch.tensor(2.5)
m = torch.ones(2, 2)
for name, args in [('__add__', (1,)), ('__radd__', (1,)), ('__sub__', (1,)), ('__rsub__', (1,)), ('__mul__', (2,)), ('__rmul__', (2,)), ('__truediv__', (2,)), ('__rtruediv__', (2,)), ('__div__', (2,)), ('__rdiv__', (2,)), ('__floordiv__', (2,)), ('__rfloordiv__', (2,)), ('__mod__', (2,)), ('__rmod__', (2,)), ('__pow__', (2,)), ('__rpow__', (2,)), ('__matmul__', (x,)), ('__rmatmul__', (x,)), ('__neg__', ()), ('__pos__', ()), ('__abs__', ()), ('__eq__', (1,)), ('__ne__', (1,)), ('__lt__', (2,)), ('__le__', (2,)), ('__gt__', (2,)), ('__ge__', (2,)), ('__len__', ()), ('__getitem__', (0,)), ('__contains__', (2.,)), ('__bool__', ()), ('__iter__', ()), ('__reversed__', ()), ('__hash__', ()), ('__repr__', ()), ('__str__', ()), ('__format__', ('',)), ('__str__', ()), ('__str__', ()), ('__nonzero__', ())]:
    try:
        r = getattr(x, name)(*args)
        print(name, r if name not in ('__hash__', '__iter__', '__str__', '__str__') else type(r).__name__)
    except Exception as e: print(name, type(e).__name__, e)
for name, args in [('__and__', (1,)), ('__rand__', (1,)), ('__or__', (4,)), ('__ror__', (1,)), ('__xor__', (3,)), ('__rxor__', (1,)), ('__invert__', ()), ('__lshift__', (1,)), ('__rlshift__', (1,)), ('__rshift__', (1,)), ('__rrshift__', (1,)), ('__index__', ())]:
    try: print(name, getattr(i, name)(*args))
    except Exception as e: print(name, type(e).__name__, e)
for name, args in [('__float__', ()), ('__int__', ()), ('__long__', ()), ('__bool__', ()), ('__round__', ()), ('__format__', ('.1f',)), ('__index__', ()), ('__str__', ()), ('__format__', ('>8',)), ('__len__', ()), ('__trunc__', ()), ('__floor__', ())]:
    try: print(name, getattr(s, name)(*args))
    except Exception as e: print(name, type(e).__name__, e)
for name, arg in [('__iadd__', 1), ('__isub__', .5), ('__imul__', 2), ('__itruediv__', 2), ('__idiv__', 2), ('__ifloordiv__', 2), ('__imod__', 2), ('__ipow__', 2), ('__iand__', 1), ('__ior__', 1), ('__ixor__', 1), ('__ilshift__', 1), ('__irshift__', 1)]:
    for t in (torch.tensor([1., 2.]), torch.tensor([4, 5])):
        try: r = getattr(t, name)(arg); print(name, r, r is t)
        except Exception as e: print(name, type(e).__name__, e)
m.__setitem__((0, 0), 5.); print(m)
print(torch.Tensor.__add__(m, 1), torch.Tensor.__mul__(m, m), torch.Tensor.__getitem__(m, 0))
