from __future__ import annotations
import math, random, textwrap
import torch
class Expr:
    """symbolic expressions with autograd check"""
    def __add__(self, o): return Op("+", self, wrap(o))
    def __radd__(self, o): return Op("+", wrap(o), self)
    def __sub__(self, o): return Op("-", self, wrap(o))
    def __mul__(self, o): return Op("*", self, wrap(o))
    def __rmul__(self, o): return Op("*", wrap(o), self)
    def __truediv__(self, o): return Op("/", self, wrap(o))
    def __pow__(self, o): return Op("**", self, wrap(o))
    def __neg__(self): return Const(-1) * self
class Const(Expr):
    def __init__(self, v): self.v = v
    def __str__(self): return f"{self.v:g}"
    def diff(self, x): return Const(0)
    def ev(self, env): return self.v
class Var(Expr):
    __match_args__ = ("name",)
    def __init__(self, name): self.name = name
    def __str__(self): return self.name
    def diff(self, x): return Const(1 if x == self.name else 0)
    def ev(self, env):
        try: return env[self.name]
        except KeyError: raise NameError(f"variable {self.name!r} has no value; known: {sorted(env)}") from None
class Op(Expr):
    __match_args__ = "op", "l", "r"
    PREC = {"+": 1, "-": 1, "*": 2, "/": 2, "**": 3}
    def __init__(self, op, l, r): self.op, self.l, self.r = op, l, r
    def __str__(self):
        p = lambda e: f"({e})" if isinstance(e, Op) and self.PREC[e.op] < self.PREC[self.op] else str(e)
        return f"{p(self.l)} {self.op} {p(self.r)}"
    def diff(self, x):
        match self:
            case Op("+" | "-" as o, l, r): return simp(Op(o, l.diff(x), r.diff(x)))
            case Op("*", l, r): return simp(l.diff(x) * r + l * r.diff(x))
            case Op("/", l, r): return simp((l.diff(x) * r - l * r.diff(x)) / r ** 2)
            case Op("**", l, Const() as n): return simp(n * l ** (n.v - 1) * l.diff(x))
            case _: raise NotImplementedError(f"d/d{x} {self}")
    def ev(self, env):
        a, b = self.l.ev(env), self.r.ev(env)
        return {"+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b, "/": lambda: a / b, "**": lambda: a ** b}[self.op]()
def wrap(v): return v if isinstance(v, Expr) else Const(v)
def simp(e):
    if not isinstance(e, Op): return e
    l, r = simp(e.l), simp(e.r)
    match e.op, l, r:
        case _, Const(), Const(): return Const(Op(e.op, l, r).ev({}))
        case "+", Const() as c, o if c.v == 0: return o
        case "+" | "-", o, Const() as c if c.v == 0: return o
        case "*", Const() as c, o if c.v in (0, 1): return Const(0) if c.v == 0 else o
        case "*", o, Const() as c if c.v in (0, 1): return Const(0) if c.v == 0 else o
        case "**", o, Const() as c if c.v == 1: return o
    return Op(e.op, l, r)
x, y = Var("x"), Var("y")
for e in (x ** 2 + 3 * x * y - y, (x + 1) * (x - 2) / y, -x ** 3 + 2, x / (x + y), 2 * x):
    env = {"x": 1.5, "y": -2.0}
    t = {k: torch.tensor(v, dtype=torch.float64, requires_grad=True) for k, v in env.items()}
    e.ev(t).backward()
    for v in "xy":
        d = e.diff(v); got = d.ev(env); want = t[v].grad.item() if t[v].grad is not None else 0.0
        print(f"d/d{v} [{e}] = {d} -> {got:.4f} {'ok' if math.isclose(got, want, abs_tol=1e-9) else f'WRONG {want}'}")
for bad in (lambda: (x + y).ev({"x": 1}), lambda: (x ** y).diff("x"), lambda: (x / 0).ev({"x": 1}), lambda: x + "a", lambda: x @ y, lambda: str(x + "a"), lambda: Var(), lambda: x < y, lambda: 1 - x):
    try: print(bad())
    except Exception as err: print(f"{type(err).__name__}: {err}")
print(textwrap.shorten(Expr.__doc__, 20), random.Random(0).choice("xyz"), [c.__name__ for c in Expr.__subclasses__()])
