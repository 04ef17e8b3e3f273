import torch, torch.nn as nn
from collections import UserDict, UserList, OrderedDict, abc, Counter
import copy, json
class Cfg(dict):
    __getattr__ = dict.get
    __setattr__ = dict.__setitem__
    __delattr__ = dict.__delitem__
    def __repr__(self): return f"Cfg({super().__repr__()})"
class Deep(dict):
    def __getattr__(self, k):
        try: v = self[k]
        except KeyError: raise AttributeError(f"no setting {k!r}") from None
        return Deep(v) if isinstance(v, dict) else v
c = Cfg(lr=0.1, opt="sgd"); c.epochs = 3; del c.opt; print(c, c.lr, c.nope, c["epochs"], json.dumps(c), {**c}, Cfg(**c) == c, len(c), "lr" in c, c | {"z": 1}, type(c | {}), copy.deepcopy(c), isinstance(c, dict), [*c.items()])
d = Deep({"model": {"dim": 4, "act": {"name": "relu"}}}); print(d.model.act.name, d.model)
try: d.optim
except AttributeError as e: print(e, e.__cause__, e.__suppress_context__)
class History(list):
    def append(self, v):
        if not isinstance(v, (int, float)): raise TypeError(f"need a number, got {type(v).__name__}")
        super().append(float(v))
    @property
    def best(self): return min(self)
    def __getitem__(self, i):
        r = super().__getitem__(i)
        return History(r) if isinstance(i, slice) else r
    def __iadd__(self, o):
        for v in o: self.append(v)
        return self
h = History(); h.append(3); h += [1, 2]; print(h, h.best, type(h[:2]), h[-1], sorted(h), h + [1], type(h + [1]), h == [3.0, 1.0, 2.0], sum(h), list(map(int, h)), h.index(1.0), [*reversed(h)])
try: h.append("x")
except TypeError as e: print(e)
class Celsius(float):
    def __new__(cls, v): return super().__new__(cls, round(v, 1))
    def __str__(self): return f"{float(self):.1f}°C"
    def __repr__(self): return f"Celsius({float(self)})"
    @property
    def f(self): return self * 9 / 5 + 32
    def __add__(self, o): return Celsius(float(self) + o)
t = Celsius(36.66); print(t, repr(t), t.f, t + 1, type(t + 1), t * 2, type(t * 2), t > 30, f"{t}", f"{t:.3f}", "%s %.2f" % (t, t), [t], max(t, Celsius(40)), int(t), round(t), hash(t) == hash(36.7), sum([t, t]), -t, abs(t), {t: 1})
class Name(str):
    def __new__(cls, s): o = super().__new__(cls, s.strip().title()); o.raw = s; return o
    def shout(self): return self.upper() + "!"
n = Name("  ada lovelace "); print(n, repr(n), n.raw, n.shout(), n.split(), n + "x", type(n + "x"), len(n), n[0], n == "Ada Lovelace", {n: 1}["Ada Lovelace"], f"{n:>15}|", "love" in n.lower(), ",".join([n, n]), n.encode()[:3], sorted([n, Name("zed")]), n.startswith("Ada"))
class Even(int):
    def __new__(cls, v):
        if v % 2: raise ValueError(f"{v} is odd")
        return super().__new__(cls, v)
    def __add__(self, o): return type(self)(int(self) + int(o))
e = Even(4); print(e, e + 2, type(e + 2), e * 3, e / 3, e == 4, [10, 20, 30, 40, 50][e], range(e), bin(e), isinstance(e, int), torch.ones(e).shape, torch.zeros(2) + e)
try: e + 1
except ValueError as x: print(x)
class Point(tuple):
    __slots__ = ()
    def __new__(cls, x, y): return super().__new__(cls, (x, y))
    x = property(lambda s: s[0]); y = property(lambda s: s[1])
    def __add__(self, o): return Point(self.x + o.x, self.y + o.y)
    def __repr__(self): return f"Point(x={self.x}, y={self.y})"
p = Point(1, 2); a, b = p; print(p, p.x, a, b, p + Point(3, 4), p == (1, 2), len(p), p[1], hash(p) == hash((1, 2)), max(p), {p: "v"}[(1, 2)], p < (2, 0), [*p], tuple(p), p * 2, torch.tensor(p))
class Lower(UserDict):
    def __setitem__(self, k, v): super().__setitem__(k.lower(), v)
    def __getitem__(self, k): return super().__getitem__(k.lower())
u = Lower(A=1); u["B"] = 2; u.update({"C": 3}); print(u, u["a"], u.get("b"), list(u), len(u), "c" in u, u.data, dict(u), u.pop("C"), u.items())
class Uniq(UserList):
    def append(self, v):
        if v not in self.data: super().append(v)
ul = Uniq([1]); ul.append(1); ul.append(2); print(ul, ul.data, len(ul), ul[0], ul + [3], list(ul))
class LRU(OrderedDict):
    def __init__(self, cap): super().__init__(); self.cap = cap
    def __setitem__(self, k, v):
        super().__setitem__(k, v); self.move_to_end(k)
        if len(self) > self.cap: print("evict", self.popitem(last=False))
l = LRU(2); l["a"] = 1; l["b"] = 2; l["a"] = 3; l["c"] = 4; print(l, list(l.items()))
class Seq(abc.Sequence):
    def __init__(self, *v): self.v = v
    def __getitem__(self, i): return self.v[i]
    def __len__(self): return len(self.v)
s = Seq(3, 1, 2); print(list(s), 1 in s, s.index(2), s.count(3), list(reversed(s)), isinstance(s, abc.Sequence), isinstance(s, abc.Iterable), s[1:], sorted(s), max(s))
class Map(abc.Mapping):
    def __init__(self, **k): self.k = k
    def __getitem__(self, n): return self.k[n]
    def __iter__(self): return iter(self.k)
    def __len__(self): return len(self.k)
mp = Map(a=1, b=2); print(dict(mp), mp.get("z", 0), list(mp.items()), "a" in mp, mp == {"a": 1, "b": 2}, list(mp.values()), {**mp}, mp.keys())
class It(abc.Iterator):
    def __init__(self, n): self.n = n
    def __next__(self):
        if self.n <= 0: raise StopIteration
        self.n -= 1; return self.n
print(list(It(3)), sum(It(4)), isinstance(It(1), abc.Iterable), next(It(2)))
try: abc.Sequence()
except TypeError as x: print(x)
class MyT(torch.Tensor): pass
class Net(nn.Module):
    def __init__(self, cfg): super().__init__(); self.cfg = cfg; self.l = nn.Linear(cfg.dim, 1)
    def __getattr__(self, name):
        try: return super().__getattr__(name)
        except AttributeError: return f"<{name}?>"
    def extra_repr(self): return f"dim={self.cfg.dim}"
torch.manual_seed(0); net = Net(Cfg(dim=2)); print(net, net.foo, net.l.bias, sum(1 for _ in net.parameters()))
class C2(Counter):
    def top(self, n=1): return [k for k, _ in self.most_common(n)]
print(C2("banana").top(2), C2("aab") + C2("b"), C2("ab")["z"])
