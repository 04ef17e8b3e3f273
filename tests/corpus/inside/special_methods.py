class Vector:
    __match_args__ = ("x", "y")
    def __init__(self, x, y): self.x, self.y = x, y
    def __matmul__(self, o): return self.x * o.x + self.y * o.y
    def __truediv__(self, k): return Vector(self.x / k, self.y / k)
    def __rtruediv__(self, k): return Vector(k / self.x, k / self.y)
    def __floordiv__(self, k): return Vector(self.x // k, self.y // k)
    def __mod__(self, k): return Vector(self.x % k, self.y % k)
    def __pow__(self, k): return Vector(self.x ** k, self.y ** k)
    def __neg__(self): return Vector(-self.x, -self.y)
    def __pos__(self): return self
    def __abs__(self): return (self.x ** 2 + self.y ** 2) ** .5
    def __invert__(self): return Vector(self.y, self.x)
    def __lshift__(self, k): return ("<<", k)
    def __and__(self, o): return "and"
    def __or__(self, o): return "or"
    def __xor__(self, o): return "xor"
    def __int__(self): return int(self.x)
    def __float__(self): return float(self.x)
    def __index__(self): return int(self.x)
    def __round__(self, n=None): return Vector(round(self.x, n), round(self.y, n))
    def __iter__(self): return iter((self.x, self.y))
    def __repr__(self): return f"V({self.x!r}, {self.y!r})"
    def __getattr__(self, name):
        if name == "xy": return (self.x, self.y)
        raise AttributeError(f"no {name}")
    def __setattr__(self, k, v):
        if k not in "xy": raise AttributeError(f"cannot set {k}")
        super().__setattr__(k, v)
    def __copy__(self): return Vector(self.x, self.y)
    def __getstate__(self): return {}
    def __class_getitem__(cls, k): return f"Vector[{k}]"
    def __sizeof__(self): return 1
    def __missing__(self, k): return k
v = Vector(3, 4)
print(v @ v, v / 2, 12 / v, v // 2, v % 2, v ** 2, -v, +v, abs(v), ~v, v << 1, v & v, v | v, v ^ v, int(v), float(v), [0, 1, 2, 9][v], round(Vector(1.234, 2.345), 1), list(v), v.xy, [*v], Vector["k"], hex(v), bin(Vector(5, 0)))
try: v.zz
except AttributeError as e: print(e)
try: v.q = 1
except AttributeError as e: print(e)
match v:
    case Vector(0, y): print("zero", y)
    case Vector(x=3, y=yy) if yy > 3: print("three", yy)
def kind(o):
    match o:
        case None: return "none"
        case True | False: return "bool"
        case int(n) if n < 0: return f"neg {n}"
        case int() | float(): return "num"
        case str() as s: return f"str {s}"
        case []: return "empty"
        case [x]: return f"one {x}"
        case [x, y, *_] as l: return f"many {len(l)}"
        case {"type": t, **rest}: return f"map {t} {rest}"
        case _: return "other"
print([kind(o) for o in (None, True, -3, 2.5, "a", [], [1], (1, 2, 3), {"type": "x", "z": 1}, {1: 2}, {1})])
class Desc:
    def __set_name__(self, owner, name): self.name = "_" + name
    def __get__(self, obj, owner=None): return self if obj is None else getattr(obj, self.name, "unset")
    def __set__(self, obj, val):
        if val < 0: raise ValueError(f"{self.name[1:]} must be >= 0")
        setattr(obj, self.name, val)
class Account:
    balance = Desc(); count = 0; _inst = None
    def __new__(cls, *a):
        if cls._inst is None: cls._inst = super().__new__(cls)
        return cls._inst
    def __init__(self, b): self.balance = b; Account.count += 1
    def __del__(self): pass
    @staticmethod
    def fee(x): return x * .1
    @classmethod
    def make(cls, b): return cls(b)
    def __eq__(self, o): return isinstance(o, Account) and self.balance == o.balance
a = Account(5); b = Account.make(7); print(a is b, a.balance, Account.count, a.fee(10), Account.fee(20), a == b, a.__dict__, Account.__name__, a.__class__.__name__)
try: a.balance = -1
except ValueError as e: print(e)
try: hash(a)
except TypeError as e: print(e)
class A:
    def hi(self): return "A"
class B(A):
    def hi(self): return "B" + super().hi()
class C(A):
    def hi(self): return "C" + super().hi()
class D(B, C):
    def hi(self): return "D" + super().hi()
print(D().hi(), [k.__name__ for k in D.__mro__], issubclass(D, A), isinstance(D(), (int, C)), D.__bases__, D.hi.__qualname__, A.hi is D.__mro__[3].hi)
def deco(cls): cls.tag = cls.__name__.lower(); return cls
@deco
class Tagged: pass
print(Tagged.tag, Tagged().__module__, Tagged.__qualname__, vars(Tagged()), callable(Tagged), repr(Tagged), Tagged.__doc__)
def outer():
    """Outer doc."""
    x = "enclosing"
    def inner(): nonlocal x; x += "!"; return x
    inner(); return x, inner
r, f = outer(); print(r, f(), f.__name__, outer.__doc__, f.__qualname__, outer.__name__, (lambda: 0).__name__)
def args(a, b=2, /, c=3, *rest, d, e=5, **kw): return (a, b, c, rest, d, e, kw)
print(args(1, d=4), args(1, 2, 3, 4, 5, d=6, z=7), args(*[1, 2], **{"d": 0, "q": 9}))
try: args(1)
except TypeError as e: print(e)
try: args(a=1, d=2)
except TypeError as e: print(e)
x = 10
def shadow():
    try: print(x); 
    except UnboundLocalError as e: print(e)
    x = 5
shadow()
def gen():
    r = yield 1
    print("got", r)
    try: yield 2
    except ValueError as e: print("caught", e); yield 99
    return "done"
g = gen(); print(next(g), g.send("hello"), g.throw(ValueError("boom")))
try: next(g)
except StopIteration as e: print("stop", e.value)
def sub(): r = yield from gen2(); print("sub got", r)
def gen2(): yield 1; yield 2; return "ret"
print(list(sub()), sum(i * i for i in range(5)), dict(zip("ab", [1, 2])), {**{"a": 1}, "b": 2}, [*range(3), *"ab"], (lambda *a: a)(*[1], *[2]))
import contextlib, io
with contextlib.suppress(ZeroDivisionError): 1 / 0
with contextlib.redirect_stdout(io.StringIO()) as buf: print("captured")
print(repr(buf.getvalue())); 
with contextlib.ExitStack() as st: st.callback(print, "bye"); print("hi")
class Res:
    def __init__(s, n): s.n = n
    def __enter__(s): print("open", s.n); return s
    def __exit__(s, *a): print("close", s.n)
with Res(1) as p, Res(2) as q: print(p.n + q.n)
print(*sorted({"b": 1, "a": 2}.items(), key=lambda kv: -kv[1]), sep="|", end="\n--\n")
for i, c in enumerate("abc", start=1): print(i, c, end=" ")
else: print("done")
n = 0
while True:
    n += 1
    if n == 2: continue
    if n > 3: break
print(n, [y for x in [[1, 2], [3]] for y in x], {k: v for k, v in zip("ab", range(2))}, {len(w) for w in ["a", "bb"]}, any(x > 1 for x in [1, 2]), all([]), "yes" if n else "no", not n, n and "x", n or "y", 1 < 2 < 3, 1 if False else 2, [1, 2, 3][::-1], "abcdef"[1:-1:2], (1,) * 3, [0] * 3, [[0] * 2 for _ in range(2)], 7 // 2, -7 // 2, 7 % -3, 2 ** 10, 0xff, 0o17, 0b11, 1_000, 1e3, .5, 3j, "a" "b", r"\n", b"x", f"{1!r}{'a'!s}{'é'!a}", """t""", None is None, ... is Ellipsis)
del n
print(n)
