# functional programming corner
from functools import *
from itertools import *
import operator as op
import inspect, time, types, typing, copy, sys
from typing import Callable
import torch

def compose(*fs): return reduce(lambda f, g: lambda *a, **k: f(g(*a, **k)), fs)
def curry(f):
    n = len(inspect.signature(f).parameters)
    def inner(*a): return f(*a) if len(a) >= n else lambda *b: inner(*a, *b)
    return inner
print(compose(str, abs, min)([3, -7]), curry(lambda a, b, c: a + b + c)(1)(2)(3), partial(pow, exp=2)(5), partial(int, base=2)("101"))
p = partial(print, "p", sep="-"); p(1, 2); print(p.func is print, p.args, p.keywords)

class memoize:
    def __init__(self, f): update_wrapper(self, f); self.f, self.cache, self.calls = f, {}, 0
    def __call__(self, *a):
        self.calls += 1
        if a not in self.cache: self.cache[a] = self.f(*a)
        return self.cache[a]
    def __get__(self, obj, owner=None): return self if obj is None else types.MethodType(self, obj)
    def __repr__(self): return f"<memoize {self.f.__name__}>"

@memoize
def fib(n):
    "fibonacci"
    return n if n < 2 else fib(n - 1) + fib(n - 2)
print(fib(30), fib.calls, fib, fib.__name__, fib.__doc__, fib.__wrapped__(1))

def retry(times: int = 3, exceptions: tuple = (Exception,)):
    def deco(f):
        @wraps(f)
        def inner(*a, **k):
            for attempt in range(1, times + 1):
                try: return f(*a, **k)
                except exceptions as e:
                    print(f"attempt {attempt}/{times} failed: {e!r}")
                    if attempt == times: raise
        return inner
    return deco
state = count()
@retry(times=3, exceptions=(ValueError,))
def flaky():
    """Sometimes works."""
    n = next(state)
    if n < 2: raise ValueError(n)
    return f"ok {n}"
print(flaky(), flaky.__name__, flaky.__doc__, flaky.__wrapped__ is not None)

def validate(**rules):
    def deco(f):
        sig = inspect.signature(f)
        @wraps(f)
        def inner(*a, **k):
            bound = sig.bind(*a, **k); bound.apply_defaults()
            for name, rule in rules.items():
                if not rule(bound.arguments[name]): raise ValueError(f"bad {name}: {bound.arguments[name]!r}")
            return f(*a, **k)
        return inner
    return deco
@validate(lr=lambda v: 0 < v < 1)
def step(w, lr=0.1): return w - lr
print(step(1.0), step(1.0, lr=0.5))
try: step(1.0, 3)
except ValueError as e: print(e)
try: step()
except TypeError as e: print(e)
print(inspect.signature(step), inspect.signature(compose), [p.name for p in inspect.signature(retry).parameters.values()], step.__annotations__, retry.__annotations__)

print(list(chain([1], (2, 3), "ab")), list(chain.from_iterable([[1], [2]])), list(combinations("abc", 2)), list(permutations([1, 2, 3], 2))[:3], list(product("ab", repeat=2)), list(combinations_with_replacement([1, 2], 2)))
print(list(takewhile(lambda v: v < 3, count(1))), list(dropwhile(lambda v: v < 3, range(5))), list(filterfalse(lambda v: v % 2, range(5))), list(compress("abcd", [1, 0, 1, 0])), list(islice(count(10, 5), 2, 6, 2)), list(accumulate([3, 1, 2], max)), list(accumulate([1, 2], initial=10)), list(repeat(7, 2)), list(starmap(op.mul, [(2, 3)])), [list(g) for k, g in groupby([1, 1, 2, 3, 3], key=lambda v: v)], list(pairwise("abc")), list(zip_longest([1, 2], "a", fillvalue=None)))
a, b = tee(map(lambda v: v * v, range(3))); print(list(a), sum(b), next(cycle([5])))
print(sorted([("b", 2), ("a", 2), ("c", 1)], key=op.itemgetter(1, 0)), max({"x": 3, "y": 9}.items(), key=op.itemgetter(1)), list(map(op.attrgetter("shape"), [torch.ones(1, 2)])), op.methodcaller("split", ",")("a,b"), op.add(1, 2), op.contains([1], 1), op.not_(0), op.truth([]), op.index(3), op.xor(1, 3), op.getitem([5, 6], 1), op.neg(2), op.concat([1], [2]), op.countOf([1, 1], 1))

def pipeline(data, *stages):
    for s in stages: data = s(data)
    return data
evens = partial(filter, lambda v: v % 2 == 0); squares = partial(map, lambda v: v * v)
print(list(pipeline(range(10), evens, squares)), pipeline([1, 2, 3], torch.tensor, torch.Tensor.float, torch.mean, float))

def countdown(n):
    while n:
        got = yield n
        n = got if got is not None else n - 1
c = countdown(3); print(next(c), c.send(10), next(c), list(islice(c, 2)), inspect.isgenerator(c), inspect.isgeneratorfunction(countdown) if hasattr(inspect, "isgeneratorfunction") else True)
def flatten(x):
    for i in x:
        if isinstance(i, (list, tuple)): yield from flatten(i)
        else: yield i
print(list(flatten([1, [2, (3, [4])], 5])), dict(enumerate("ab", 1)), {v: k for k, v in dict(a=1).items()}, {*"aab"} == {"a", "b"}, [*range(2), *"xy"], {**{"a": 1}, "a": 2}, (*[1], 2))
add = lambda x, /, y=2, *args, z, **kw: (x, y, args, z, kw)
print(add(1, z=3), add(1, 2, 3, z=4, q=5), add.__defaults__, add.__kwdefaults__, add.__name__, inspect.signature(add))
for call in (lambda: add(1), lambda: add(x=1, z=2), lambda: add(), lambda: (lambda: 1)(1), lambda: (lambda a, b: 1)(1), lambda: (lambda *, k: 1)(2), lambda: print(1, foo=2), lambda: sorted([1], lambda v: v), lambda: reduce(op.add, []), lambda: next(iter(())), lambda: partial(1), lambda: int(x=1), lambda: list(1, 2), lambda: range(), lambda: enumerate(), lambda: isinstance(1), lambda: map(abs), lambda: zip([1], strict=1), lambda: max(), lambda: sum(1), lambda: dict(1), lambda: str(1, 2), lambda: "".split(1), lambda: [].sort(lambda v: v), lambda: "a".replace("a"), lambda: {}.update(1), lambda: divmod(1), lambda: round(), lambda: input, lambda: open):
    try: print(call())
    except Exception as e: print(type(e).__name__, e)
counter = 0
def outer():
    n = 0
    def inc():
        nonlocal n; global counter
        n += 1; counter += n
        return n
    return inc
i = outer(); print(i(), i(), counter, [f() for f in [lambda k=k: k for k in range(3)]], [f() for f in [lambda: k for k in range(3)]])
class Lazy:
    @cached_property
    def v(self): print("computed"); return 42
    @singledispatchmethod
    def show(self, x): return "any"
    @show.register
    def _(self, x: int): return "int"
    go = partialmethod(show, 1)
z = Lazy(); print(z.v, z.v, z.show("a"), z.show(1), z.go(), vars(z))
print((lambda *a, **k: (a, k))(*[1, 2], *(3,), **{"a": 1}, b=2), (y := 5) + y, [y := y + v for v in range(3)], y)
x = 5
def shadow():
    print(x)
    x = 6
shadow()
