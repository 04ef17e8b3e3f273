class Stack(list):
    """LIFO"""
    push = list.append
    @property
    def top(self):
        return self[-1] if self else None
    def __repr__(self): return f"Stack({super().__repr__()})"

class Meta(type):
    def __new__(m, name, bases, d):
        d = {k.upper() if not k.startswith("__") else k: v for k, v in d.items()}
        return super().__new__(m, name, bases, d)
    def __len__(cls): return 3
    def __iter__(cls): return iter("abc")
    def __contains__(cls, x): return x in "abc"
    def __getattr__(cls, name): return f"<{name}?>"
    def __instancecheck__(cls, o): return isinstance(o, int)
    @property
    def shout(cls): return cls.__name__.upper()

class K(metaclass=Meta):
    value = 1
    def hello(self): return "hi"

class Typed:
    def __init__(self, kind, default=None): self.kind, self.default = kind, default
    def __set_name__(self, owner, name): self.name = "_" + name
    def __get__(self, obj, owner=None):
        if obj is None: return self
        return getattr(obj, self.name, self.default)
    def __set__(self, obj, v):
        if not isinstance(v, self.kind): raise TypeError(f"{self.name[1:]} must be {self.kind.__name__}, not {type(v).__name__}")
        setattr(obj, self.name, v)
    def __delete__(self, obj): delattr(obj, self.name)

class Layer:
    units = Typed(int, 1)
    rate = Typed((float), 0.5)
    def __init__(self, units): self.units = units
    def __getattribute__(self, name):
        if name == "secret": raise AttributeError("hidden")
        return super().__getattribute__(name)
    def __setattr__(self, name, value):
        log.append(name); object.__setattr__(self, name, value)
    def __delattr__(self, name):
        log.append("del " + name); super().__delattr__(name)

class Singleton:
    _it = None
    def __new__(cls, *a, **k):
        if cls._it is None: cls._it = super().__new__(cls)
        return cls._it
    def __init__(self, v=0): self.v = v

class Base:
    registry = []
    def __init_subclass__(cls, tag=None, **k): super().__init_subclass__(**k); cls.registry.append((cls.__name__, tag))
    def who(self): return "Base"
class L(Base, tag="l"):
    def who(self): return "L>" + super().who()
class R(Base):
    def who(self): return "R>" + super().who()
class D(L, R, tag="d"):
    def who(self): return "D>" + super().who()

log = []
s = Stack([1, 2]); s.push(3); print(s, s.top, s[0], len(s), s + [4], type(s + [4]).__name__, isinstance(s, list), s == [1, 2, 3], sorted(s, reverse=True), s.pop(), Stack().top)
print(K.VALUE, K().HELLO(), len(K), list(K), "a" in K, K.anything, isinstance(3, K), K.shout, type(K), K)
try: K().value
except AttributeError as e: print(e)
l = Layer(5); print(l.units, l.rate, vars(l), log, Layer.units.kind)
for f in (lambda: setattr(l, "units", "x"), lambda: l.secret, lambda: l.nothing, lambda: delattr(l, "nothing"), lambda: Layer("a"), lambda: Layer()):
    try: print(f())
    except Exception as e: print(type(e).__name__, e)
del l.units; print(l.units, log)
print(Singleton(1) is Singleton(2), Singleton(3).v, D().who(), [c.__name__ for c in D.__mro__], Base.registry, D.__bases__, issubclass(D, (int, Base)))
try:
    class Z(L, Base, R): pass
    class Y(Base, L): pass
except TypeError as e: print(e)
class Temp:
    def __init__(self, c): self._c = c
    @property
    def f(self): return self._c * 9 / 5 + 32
    @f.setter
    def f(self, v): self._c = (v - 32) * 5 / 9
    @f.deleter
    def f(self): print("deleted"); self._c = 0
    @classmethod
    def boiling(cls): return cls(100)
    @staticmethod
    def valid(c): return c > -273.15
    def __eq__(self, o): return isinstance(o, Temp) and self._c == o._c
t = Temp.boiling(); print(t.f, Temp.valid(-300), t.valid(1)); t.f = 32; print(t._c, t == Temp(0), t != Temp(1)); del t.f
try: {t: 1}
except TypeError as e: print(e)
class Money:
    __slots__ = ("amount",)
    __match_args__ = ("amount",)
    def __init__(self, a): self.amount = a
    def __add__(self, o): return Money(self.amount + (o.amount if isinstance(o, Money) else o))
    __radd__ = __add__
    def __str__(self): return f"${self.amount:,.2f}"
    def __lt__(self, o): return self.amount < o.amount
m = sum([Money(1.5), Money(2)]); print(m, max(Money(1), Money(3)), [str(x) for x in sorted([Money(3), Money(1)])])
match m:
    case Money(3.5): print("three fifty")
class Countdown:
    def __init__(self, n): self.n = n
    def __iter__(self): return self
    def __next__(self):
        if self.n <= 0: raise StopIteration
        self.n -= 1; return self.n + 1
    def __length_hint__(self): return self.n
print(list(Countdown(3)), sum(Countdown(4)), [*zip(Countdown(2), "ab")], dict(enumerate(Countdown(2))), 2 in Countdown(3), max(Countdown(5)), tuple(map(str, Countdown(2))), ", ".join(map(str, Countdown(3))))
a, *b = Countdown(3); print(a, b, next(Countdown(0), "done"))
class Proxy:
    def __init__(self, t): object.__setattr__(self, "_t", t)
    def __getattr__(self, n): print("get", n); return getattr(self._t, n)
    def __setattr__(self, n, v): print("set", n, v); setattr(self._t, n, v)
    def __call__(self, *a, **k): return "called", a, k
    def __dir__(self): return ["x"]
p = Proxy(Temp(5)); print(p.f); p.f = 50; print(p._c, p(1, b=2), dir(p), callable(p), callable(3), hasattr(p, "zz"))
print(type("Dyn", (Base,), {"x": 1, "f": lambda self: self.x})().f(), Base.registry[-1], type(Dyn := type("Dyn2", (), {})), Dyn.__name__, type(3)(4), type([])("ab"))
print(object().__class__, Base.who(None), Base().who.__name__, Base.who.__qualname__, D.who.__module__, D.__doc__, Stack.__doc__, D.__dict__["who"] is D.who)
print(Countdown(2) < Countdown(3))
