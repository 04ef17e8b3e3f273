"""Console-y script: menus, records, parsing, simple bank + tensors; typical intro-Python style"""
import torch, random, string, datetime, math
from collections import namedtuple

class InsufficientFunds(Exception):
    def __init__(self, need, have):
        self.need, self.have = need, have
        super().__init__("need %.2f, have %.2f" % (need, have))

class Account:
    interest = 0.02
    __count = 0
    def __init__(self, owner, balance=0):
        self.owner = owner
        self.__balance = balance
        Account.__count += 1
        self._log = []
    @property
    def balance(self): return self.__balance
    @balance.setter
    def balance(self, v):
        if v < 0: raise ValueError("balance cannot be negative: {}".format(v))
        self.__balance = v
    def deposit(self, amt):
        self.balance += amt; self._log.append(("deposit", amt)); return self
    def withdraw(self, amt):
        if amt > self.balance: raise InsufficientFunds(amt, self.balance)
        self.balance -= amt; self._log.append(("withdraw", amt)); return self
    @classmethod
    def count(cls): return cls.__count
    def __str__(self): return f"{self.owner}: {self.balance:>10.2f}"
    def __len__(self): return len(self._log)
    def __bool__(self): return True

class Savings(Account):
    def __init__(self, *args, rate=None, **kwargs):
        super().__init__(*args, **kwargs)
        self.rate = rate or self.interest
    def add_interest(self): return self.deposit(self.balance * self.rate)
    def __str__(self): return super().__str__() + f" @ {self.rate:.1%}"

acc = Account("Ann", 100); sav = Savings("Bob", balance=200, rate=.05)
print(acc, sav, sep="\n"); print(acc.deposit(50).withdraw(30), len(acc), sav.add_interest(), Account.count(), Savings.count())
for f in (lambda: acc.withdraw(1e6), lambda: setattr(acc, "balance", -5), lambda: acc.__balance, lambda: acc._Account__balance, lambda: Account(), lambda: acc.deposit("x"), lambda: acc.foo(), lambda: Savings("C", rate=1, bal=2)):
    try: print(f())
    except Exception as e: print(type(e).__name__ + ":", e, getattr(e, "need", ""))
print(vars(acc), acc.__dict__.keys(), isinstance(sav, Account), type(sav).__bases__[0].__name__, hasattr(acc, "owner"), Account.interest, sav.interest)
Savings.interest = 0.03; print(Account.interest, Savings.interest, sav.interest); sav.interest = 0.5; print(Savings.interest, sav.interest)
grades = {"Alice": [90, 85, 77], "Bob": [60, 70, 80], "Çelik": [100]}
print(f"{'Name':<10}|{'Avg':>7}|{'Max':>5}"); print("-" * 24)
for name, gs in sorted(grades.items(), key=lambda kv: -sum(kv[1]) / len(kv[1])): print(f"{name:<10}|{sum(gs) / len(gs):7.2f}|{max(gs):5d}")
def letter(g):
    if g >= 90: return "A"
    elif g >= 80: return "B"
    return "F"
print({n: [letter(g) for g in gs] for n, gs in grades.items()}, [n for n in grades if any(g > 85 for g in grades[n])])
t = torch.tensor([sum(g) / len(g) for g in grades.values()]); print(t, t.mean(), t.std(), (t - t.mean()) / t.std(), t.topk(2), t.softmax(0))
inv = {}
for k, v in [("a", 1), ("b", 2), ("a", 3)]: inv.setdefault(k, []).append(v)
print(inv, inv.pop("b"), inv, list(inv.values()), "a" in inv, inv.get("z"), {**inv, "q": 0}, dict.fromkeys("xy", 0), inv | {"n": 1}, len(inv), inv == {"a": [1, 3]}); inv.update(z=1); inv.clear(); print(inv, bool(inv))
l = [5, 3, 8]; l.sort(); l.insert(1, 9); l.extend([1, 1]); l.remove(9); print(l, l.index(8), l.count(1), l[-1], l[1:], sorted(l, reverse=True), l.copy() is l, l + [0], [0] * 3, del_(l) if False else l.pop(0)); l.reverse(); print(l); del l[0:2]; print(l); l[1:1] = [7, 7]; print(l, l.append(1), [x for x in l if x != 7])
s = {1, 2} | {3}; print(s, s & {2, 5}, s - {1}, s ^ {1, 9}, s <= {1, 2, 3, 4}, s.add(7), s.discard(99), len(s), frozenset(s) == s, {1, 2}.isdisjoint({3}), sorted(s.union([10])), s.issuperset({1}))
tup = (1, "a", [2]); tup[2].append(3); print(tup, tup.count(1), tup.index("a"), tup + (4,), tup * 2, len(tup), (1,) < (1, 2), tuple("ab"))
try: tup[0] = 2
except TypeError as e: print(e)
for i, (a, b) in enumerate(zip("abc", range(3, 6)), start=1): print(i, a, b, end="; ")
print()
for n in range(2, 20):
    for d in range(2, int(math.sqrt(n)) + 1):
        if n % d == 0: break
    else: print(n, end=" ")
print()
print("".join(chr(ord("a") + i) for i in range(5)), "".join(random.Random(0).choice(string.ascii_letters) for _ in range(5)), int("101", 2), "%04d" % 42, "abc" "def", 'a' if 0 else 'b', "x" * 0 == "", None or "d", 5 and 0, not [], 10 > 5 > 1, round(3.14159, 2), abs(-3), pow(2, 8), divmod(17, 5), min(3, 1, 2), sum([1.5, 2.5]), bin(5), list("hi"), "b" in "abc", all([]), any([]))
def f(a, b=[], *c, d=1, **e): b.append(a); return a, b, c, d, e
print(f(1), f(2), f(3, [], 4, 5, d=6, z=7)); print(f.__defaults__, f.__name__, (lambda x=5: x)())
x = 10
def outer():
    x = 20
    def inner():
        nonlocal x; x += 1; return x
    return inner(), x
print(outer(), x, globals()["x"], "x" in locals(), [i for i in range(3)], "i" in dir())
Point = namedtuple("Point", ["x", "y"], defaults=[0]); p = Point(3); print(p, p._replace(y=4), p.x + p.y, Point._fields, p == (3, 0), Point(**{"x": 1, "y": 2}), *p)
d1 = datetime.date(2024, 2, 29); print(d1 + datetime.timedelta(days=366), d1.strftime("%d %B %Y"), (datetime.date(2024, 12, 25) - d1).days, d1.isocalendar()[1], datetime.datetime(2024, 1, 1, 12) > datetime.datetime(2023, 1, 1))
raise InsufficientFunds(10, 5)
