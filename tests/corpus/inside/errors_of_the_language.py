# Errors a beginner meets, one by one
import torch
import numpy as np
import math


def attempt(label):
    def deco(f):
        try:
            r = f()
        except Exception as e:
            print(f"[{label}] {type(e).__name__}: {e}")
        else:
            print(f"[{label}] ok -> {r!r}")
        return f
    return deco


class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def norm(self):
        return math.hypot(self.x, self.y)


p = Point(3, 4)

@attempt("attr")
def _(): return p.nrom()

@attempt("missing arg")
def _(): return Point(1)

@attempt("too many")
def _(): return Point(1, 2, 3)

@attempt("unexpected kw")
def _(): return Point(1, 2, z=3)

@attempt("twice")
def _(): return Point(1, x=3)

@attempt("not callable")
def _(): return p()

@attempt("not subscriptable")
def _(): return p[0]

@attempt("no len")
def _(): return len(p)

@attempt("not iterable")
def _():
    a, b = p

@attempt("unpack many")
def _():
    a, b = 1, 2, 3

@attempt("unpack few")
def _():
    a, b, c = [1, 2]

@attempt("unpack star")
def _():
    a, *b, c = [1]

@attempt("str + int")
def _(): return "a" + 1

@attempt("int + str")
def _(): return 1 + "a"

@attempt("list + tuple")
def _(): return [1] + (2,)

@attempt("compare")
def _(): return p < p

@attempt("int of text")
def _(): return int("3.5")

@attempt("float of text")
def _(): return float("abc")

@attempt("int of list")
def _(): return int([1])

@attempt("list index")
def _(): return [1, 2][5]

@attempt("list str index")
def _(): return [1, 2]["a"]

@attempt("tuple assign")
def _():
    t = (1, 2)
    t[0] = 5

@attempt("str assign")
def _():
    t = "abc"
    t[0] = "x"

@attempt("dict key")
def _(): return {"a": 1}["b"]

@attempt("unhashable")
def _(): return {[1]: 2}

@attempt("unbound")
def _():
    if False:
        zz = 1
    return zz

@attempt("free")
def _():
    def g(): return later
    r = g()
    later = 1
    return r

@attempt("name")
def _(): return pint(3)

@attempt("name2")
def _(): return Pont(1, 2)

@attempt("module attr")

@attempt("math domain")
def _(): return math.sqrt(-1)

@attempt("overflow")
def _(): return math.exp(1000)

@attempt("zero")
def _(): return 1 / 0

@attempt("modulo zero")
def _(): return 5 % 0, 

@attempt("float modulo")
def _(): return 5.0 // 0.0

@attempt("range float")
def _(): return range(2.5)

@attempt("join ints")
def _(): return ",".join([1, 2])

@attempt("next")
def _(): return next(iter([]))

@attempt("super")
def _():
    class A(Point):
        def __init__(self): super().__init__()
    return A()

@attempt("abstract")
def _():
    from abc import ABC, abstractmethod
    class B(ABC):
        @abstractmethod
        def f(self): ...
        @abstractmethod
        def g(self): ...
    return B()

@attempt("import")
def _():
    from math import sqrt

@attempt("import2")
def _():
    import maths

@attempt("format")
def _(): return "{:d}".format(1.5)

@attempt("format2")
def _(): return f"{p:>10}"

@attempt("format3")
def _(): return "{} {}".format(1)

@attempt("percent")
def _(): return "%d %d" % (1,)

@attempt("percent2")
def _(): return "%d" % "a"

@attempt("tensor format")
def _(): return f"{torch.tensor([1., 2.]):.2f}"

@attempt("tensor bool")
def _(): return bool(torch.tensor([1, 2]))

@attempt("tensor item")
def _(): return torch.tensor([1., 2.]).item()

@attempt("np bool")
def _():
    if np.array([1, 2]) > 0: pass

@attempt("np shapes")
def _(): return np.ones((2, 3)) @ np.ones((2, 3))

@attempt("np reshape")
def _(): return np.arange(6).reshape(4, 2)

@attempt("np concat")
def _(): return np.concatenate([np.ones(2), np.ones((2, 2))])

@attempt("np attr")
def _(): return np.array([1]).foo

@attempt("np name")
def _(): return np.sqr(3)

@attempt("np index")
def _(): return np.zeros((2, 2))[2, 0]

@attempt("np int cast")
def _(): return np.array(["a"]).astype(float)

@attempt("np ragged")
def _(): return np.array([[1, 2], [3]])

@attempt("read only prop")
def _():
    class A:
        @property
        def v(self): return 1
    A().v = 2

@attempt("sort mixed")
def _(): return sorted([1, "a", None])

@attempt("max empty")
def _(): return max([])

@attempt("sum str")
def _(): return sum(["a", "b"])

@attempt("arg count method")
def _(): return p.norm(1, 2)

@attempt("kwonly")
def _():
    def f(a, *, b, c): return a
    return f(1)

@attempt("posonly")
def _():
    def f(a, /, b): return a
    return f(a=1, b=2)

@attempt("many missing")
def _():
    def f(a, b, c, d=1): return a
    return f()

@attempt("generator")
def _():
    def g():
        yield 1
        raise StopIteration("x")
    return list(g())

@attempt("list remove")
def _(): return [1, 2].remove(3)

@attempt("index")
def _(): return [1, 2].index(3)

@attempt("str index")
def _(): return "abc".index("z")

@attempt("dict changed")
def _():
    d = {1: 1}
    for k in d: d[k + 1] = 1

@attempt("pop")
def _(): return {}.pop("a")

@attempt("popempty")
def _(): return [].pop()

@attempt("meta")
def _():
    class A(metaclass=int): pass

@attempt("mro")
def _():
    class A: pass
    class B(A, int): pass
    class C(object, A): pass

raise RuntimeError("the end") from ValueError("the cause")
