import torch, time, copy, random, itertools, functools, collections, operator, inspect, warnings
from typing import *
from abc import ABC, abstractmethod
T = TypeVar("T")
class Stage(ABC, Generic[T]):
    _n: ClassVar[int] = 0
    def __init_subclass__(cls, **kw): super().__init_subclass__(**kw); Stage._n += 1
    @abstractmethod
    def run(self, x: T) -> T: ...
    def __rshift__(self, other: "Stage") -> "Pipe": return Pipe(self, other)
    def __call__(self, x): return self.run(x)
    def __repr__(self): return f"{type(self).__name__}()"
class Pipe(Stage):
    def __init__(self, *st): self.st = list(itertools.chain.from_iterable(s.st if isinstance(s, Pipe) else [s] for s in st))
    def run(self, x): return functools.reduce(lambda acc, s: s(acc), self.st, x)
    def __repr__(self): return " >> ".join(map(repr, self.st))
    def __iter__(self): yield from self.st
    def __len__(self): return len(self.st)
class Scale(Stage[torch.Tensor]):
    def __init__(self, k: float = 2.0): self.k = k
    def run(self, x): return x * self.k
class Shift(Stage):
    def run(self, x): return x + 1
class Log(Stage):
    seen: List[str] = []
    def run(self, x): self.seen.append(f"{tuple(x.shape)}:{x.sum().item():.1f}"); return x
p = Scale() >> Log() >> Shift() >> Scale(0.5)
x = torch.arange(3., requires_grad=True); y = p(x); y.sum().backward()
print(p, len(p), y, x.grad, Log.seen, Stage._n, [*map(type, p)])
try: Stage()
except TypeError as e: print(e)
def timed(label: str = "t", *, digits: int = 1):
    def deco(fn: Callable[..., T]) -> Callable[..., T]:
        @functools.wraps(fn)
        def inner(*a, **k):
            inner.calls += 1
            t0 = time.perf_counter(); r = fn(*a, **k); dt = time.perf_counter() - t0
            print(f"[{label}] {fn.__qualname__}({', '.join([*map(repr, a), *(f'{q}={v!r}' for q, v in k.items())])}) -> {r!r} in {dt:.{digits}f}s")
            return r
        inner.calls = 0
        return inner
    return deco
@timed("fast")
def area(w: int, h: int = 2, /, *rest: int, unit: str = "cm", **opts) -> str:
    """Area.

    More text."""
    return f"{w * h + sum(rest)}{unit}{sorted(opts)}"
area(3); area(3, 4, 5, unit="m", z=1, a=2); print(area.calls, area.__name__, area.__doc__, area.__wrapped__.__annotations__)
sig = inspect.signature(area.__wrapped__); print(sig, list(sig.parameters), sig.parameters["unit"].default, inspect.getdoc(area), inspect.isfunction(area), inspect.isclass(Pipe))
def memo(f):
    cache = {}
    def g(*a):
        if a not in cache: cache[a] = f(*a)
        return cache[a]
    g.cache = cache
    return g
@memo
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
print(fib(50), len(fib.cache))
def counter():
    n = 0
    def inc(by=1):
        nonlocal n
        n += by
        return n
    def get(): return n
    return inc, get
inc, get = counter(); inc(); inc(5); print(get(), [f(2) for f in [lambda v, i=i: v * i for i in range(3)]], [f(2) for f in [lambda v: v * i for i in range(3)]])
total = 0
def add_global(*xs):
    global total
    for v in xs: total += v
add_global(1, 2, 3); print(total)
def gen():
    received = []
    try:
        while True:
            v = yield len(received)
            if v is None: break
            received.append(v)
    finally: print("closing with", received)
    return sum(received)
g = gen(); next(g); print(g.send(4), g.send(5))
try: next(g)
except StopIteration as s: print("returned", s.value)
def flatten(o):
    match o:
        case [] | (): return
        case [x, *xs]: yield from flatten(x); yield from flatten(xs)
        case {"k": v, **rest}: yield ("k", v, rest)
        case str() | bytes() as s: yield s.upper()
        case int(n) if n > 5: yield n * 100
        case bool() | None: yield "none-or-bool"
        case float(): yield round(o, 1)
        case complex(real=r, imag=0): yield r
        case Scale(k=k): yield f"scale {k}"
        case _: yield o
print(list(flatten([1, [2, [7, "a"]], (True, None), {"k": 1, "z": 2}, 2.55, 3 + 0j, Scale(9), {1}])))
*a, (b, *c), d = 1, 2, ("x", "y", "z"), 4; print(a, b, c, d); (e := 5); print([y := 1, y ** 2, e], (lambda *a, k=1, **kw: (a, k, kw))(1, 2, k=3, z=4), {**{"a": 1}, "b": 2} | {"a": 0}, [*range(3), *"ab"], {*[1, 2], 2})
if (n := len("hello")) > 3: print(f"{n=}")
print({k: v for k, v in zip("abc", itertools.count(1)) if v % 2}, {len(w) for w in "a bb cc".split()}, [(i, j) for i in range(3) for j in range(i)], [[r * c for c in range(3)] for r in range(2)], sum(x * x for x in range(4)), any(v > 2 for v in [1, 3]), max((len(w), w) for w in ["a", "bb"]))
while total: total -= 2
else: print("done", total)
warnings.warn("careful", DeprecationWarning); warnings.warn("plain")
with warnings.catch_warnings(record=True) as w:
    warnings.simplefilter("always"); warnings.warn("inside", RuntimeWarning); print(len(w), w[0].category.__name__, w[0].message)
q = collections.deque(maxlen=2); [q.append(i) for i in range(4)]; print(q, list(map(operator.itemgetter(1), [(1, 2), (3, 4)])), functools.reduce(operator.mul, range(1, 6)))
print(isinstance(p, Stage), issubclass(Scale, Stage), Stage.__abstractmethods__, Scale.__mro__[1].__name__, hasattr(p, "st"), getattr(p, "nope", "dflt"), callable(p), vars(Scale(3)), type(p).__name__, p.__class__.__bases__)
