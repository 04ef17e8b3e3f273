from abc import ABC, abstractmethod
from contextlib import contextmanager
from functools import wraps, partial, reduce, lru_cache
import itertools, operator, time, math, json, textwrap, string
from datetime import datetime, timedelta
from enum import Enum, auto
from typing import NamedTuple

class Shape(ABC):
    registry = {}
    def __init_subclass__(cls, **kw):
        super().__init_subclass__(**kw)
        Shape.registry[cls.__name__] = cls
    @abstractmethod
    def area(self): ...
    @property
    def name(self): return type(self).__name__.lower()
    def __lt__(self, other): return self.area() < other.area()
    def __repr__(self): return f"{type(self).__name__}(area={self.area():.2f})"

class Sq(Shape):
    def __init__(self, s): self.s = s
    def area(self): return self.s ** 2
class Circle(Shape):
    def __init__(self, r): self._r = r
    @property
    def r(self): return self._r
    @r.setter
    def r(self, v):
        if v < 0: raise ValueError("negative radius: %r" % v)
        self._r = v
    def area(self): return math.pi * self.r ** 2
print(sorted([Circle(1), Sq(1.5), Sq(3)]), max(Sq(1), Circle(2)), Shape.registry.keys())
try: Shape()
except TypeError as e: print(e)
c = Circle(2)
try: c.r = -1
except ValueError as e: print(repr(e), e.args)
def retry(times=3, exceptions=(Exception,)):
    def deco(f):
        @wraps(f)
        def inner(*a, **k):
            for i in range(times):
                try: return f(*a, **k)
                except exceptions as e: print(f"try {i}: {e!r}")
            raise RuntimeError(f"{f.__name__} failed after {times} tries") from e if False else None
        return inner
    return deco
state = {"n": 0}
@retry(times=2, exceptions=(ValueError, KeyError))
def flaky(x):
    """Doc of flaky."""
    state["n"] += 1
    if state["n"] < 3: raise ValueError("no luck")
    return x * 2
try: print(flaky(4))
except RuntimeError as e: print("RuntimeError", e)
print(flaky(5), flaky.__name__, flaky.__doc__)
@contextmanager
def tag(name):
    print(f"<{name}>")
    try: yield name.upper()
    except ZeroDivisionError as e: print("swallowed", e)
    finally: print(f"</{name}>")
with tag("a") as A, tag("b"):
    print(A); 1 / 0
class Timer:
    def __enter__(self): self.t = 0; return self
    def __exit__(self, et, ev, tb): print("exit", et.__name__ if et else None, ev); return True
with Timer() as t: raise KeyError("k")
def gen(n):
    try:
        for i in range(n):
            got = yield i
            if got: print("got", got)
    finally: print("closed")
g = gen(3); print(next(g), g.send("hi")); g.close()
def flat(xs):
    for x in xs:
        if isinstance(x, (list, tuple)): yield from flat(x)
        else: yield x
print(list(flat([1, [2, (3, [4])], 5])))
print(list(itertools.accumulate([1,2,3,4], operator.mul)), list(itertools.product("ab", [1,2])), list(itertools.chain.from_iterable([[1],[2,3]])))
for k, grp in itertools.groupby(sorted(["apple","bob","cat","alice"], key=lambda s:(s[0], -len(s))), key=lambda s: s[0]): print(k, list(grp))
print(reduce(lambda a,b: a*b, range(1,6)), list(map(partial(pow, 2), range(5))), [*filter(None, [0,1,"",2])])
@lru_cache(maxsize=None)
def fib(n): return n if n < 2 else fib(n-1) + fib(n-2)
print(fib(50), fib.cache_info())
class Color(Enum):
    RED = 1
    GREEN = auto()
    def __str__(self): return self.name.title()
print(Color.RED, repr(Color.GREEN), list(Color), Color(2), Color["RED"].value)
class P(NamedTuple):
    x: int
    y: float = 2.5
p = P(1); print(p, p._replace(x=3), p._asdict(), *p)
d = datetime(2024, 2, 28, 13, 5, 9) + timedelta(days=2, hours=3)
print(d, d.isoformat(), f"{d:%Y/%m/%d %H:%M}", d.strftime("%b %d %j"), d - datetime(2024,1,1))
print(json.dumps({"a": [1, 2.5, None, True], "b": {"c": "é"}}, indent=2, sort_keys=True, ensure_ascii=False))
print(textwrap.dedent("""
    hi
      there"""), textwrap.fill("lorem ipsum dolor sit amet " * 3, 30))
match (1, [2, 3], {"k": "v"}):
    case (int(a), [b, *rest], {"k": str(v)}) if a < b: print("m", a, b, rest, v)
    case _: print("none")
if (n := len("walrus")) > 3: print(f"{n=} {n*2=:>5} {'x'!r:^7}|")
a, *b, (c_, d_) = 1, 2, 3, (4, 5); print(a, b, c_, d_)
def counter():
    cnt = 0
    def inc():
        nonlocal cnt; cnt += 1; return cnt
    return inc
i = counter(); i(); print(i(), (lambda *a, k=1, **kw: (a, k, kw))(1, 2, z=3))
print("%5.2f|%-8s|%+d|%x|%e|%g|%%|%c|%05d|%r" % (3.14159, "ab", 5, 255, 12345.678, 1e-7, "z", 42, "q"))
print("{:>8}|{:^8}|{:<8}|{:08.3f}|{:,}|{:_}|{:b}|{:#x}|{:.2%}|{:+}".format("r", "c", "l", 3.14159, 1234567, 1234567, 10, 255, 0.1234, 3))
print("{0} {1} {0} {name!r} {d[k]} {o.real}".format("a", "b", name="n", d={"k": 1}, o=3))
w = 10; print(f"{3.14159:{w}.{3}f}|{'s':*^{w}}|{1e10:g}|{1e16}|{0.1+0.2}|{1/3:.3}|{10**20}|{float('nan')}|{-0.0}")
print({3,1,2} | {5}, {1,2} & {2}, frozenset([1]), set(), {1:2} | {3:4}, dict(a=1), {"x": {"y": (1,)}}, (), (1,), [[]], None, ...)
print(0b1010 ^ 0x0f, ~5, 5 >> 1, 1 << 10, 7 // -2, -7 % 3, divmod(-7, 3), 2 ** -1, 3 + 4j, abs(3+4j), (1+2j) * 1j, round(2.5), round(-1.567, 2))
print(b"ab\x00\xff", bytes([65, 66]), "é".encode(), b"abc".decode(), "abc"[::-1], "a,b,,c".split(","), " x ".strip(), "ab".center(6, "*"), "7".zfill(3), "Hello World".swapcase(), "x".join("abc"), "abc".find("z"), "a-b".partition("-"), "aXbX".replace("X", "", 1), "ß".upper(), ord("a"), chr(20013), "tEsT".title(), "x\ty".expandtabs(4), "abc".isalpha(), "abc".startswith(("x", "a")))
print(type(1), type("a"), type(None), type(Shape), int, Sq, print, len, abs)
print(string.ascii_lowercase[:5], [i for i in range(10) if i % 2 if i > 3], {i: i**2 for i in range(3)}, {i % 2 for i in range(5)}, sum(x for x in range(5)))
