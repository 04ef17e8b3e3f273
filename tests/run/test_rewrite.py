"""A rewritten script computes what it computed before; its names, levels, lines and columns are told."""

from __future__ import annotations

import ast
import re

import pytest

from gradviz.run.rewrite import rewrite
from tests.run.scripts import output_of, run, scopes_in

PROGRAMS = {
    "augmented attributes": """
class A:
    total = 1
    def __init__(self): self._hidden = [1]; self.deep = self
a = A()
a.total += 2; a._hidden += [2]; a.deep.deep.total *= 5; a.deep._hidden[0] -= 3
def make():
    print("made once")
    return a
make().total -= 1
print(a.total, a._hidden, A.total)
""",
    "targets of every kind": """
class A: pass
a, rest = A(), []
a.x, (a.y, *a.z) = 1, (2, 3, 4)
for a.i in range(3): pass
with open_it(5) as a.w: pass
[a.q] = [7]
first = a.v = 9
a.t: int = 4
del a.i
print(vars(a), first)
""",
    "names with two underscores": """
class A:
    def __init__(self): self.__x = 1; self.__y__ = 2 if False else 3
    def __own(self): return self.__x
    def get(self): return self.__own() + self.__x
    class _B:
        def __init__(self): self.__x = 5
print(A().get(), vars(A._B()), [n for n in vars(A()) if n != "__y__"])
""",
    "match": """
class P:
    __match_args__ = ("x", "y")
    def __init__(self, x, y): self.x, self.y = x, y
def tell(v):
    match v:
        case 0 | 1: return "small"
        case [a, *rest] if rest: return f"{a} and {rest}"
        case {"k": k, **more}: return k, more
        case P(0, y=y): return "axis", y
        case P(x, y): return x, y
        case str() as s: return s
        case None: return "none"
        case _: return "else"
print([tell(v) for v in (1, [1, 2, 3], {"k": 1, "z": 2}, P(0, 4), P(3, 4), "text", None, 2.5)])
""",
    "generators": """
def count(n):
    "doc"
    got = []
    try:
        for i in range(n):
            got.append((yield i))
        x = yield from inner()
        got.append(x)
    finally:
        print("end", got)
    return "done"
def inner():
    yield 10
    return 5
g = count(2)
print(next(g), g.send("a"), g.send("b"), count.__doc__)
try: next(g)
except StopIteration as e: print(e.value)
h = count(3); next(h); h.close()
print(list(i * i for i in count(1)))
""",
    "async": """
class Box:
    async def __aenter__(self): return 1
    async def __aexit__(self, *e): return False
async def numbers():
    for i in range(2): yield i
async def main():
    async with Box() as b:
        out = [b]
    async for n in numbers(): out.append(n)
    return out + [n async for n in numbers()]
c = main()
try: c.send(None)
except StopIteration as e: print(e.value)
""",
    "scopes": """
total = 0
def outer():
    count = 0
    def inner():
        nonlocal count
        global total
        count += 1; total += 10
        return count
    inner(); inner()
    return count
print(outer(), total, [(lambda k: k * n)(2) for n in range(3) if (m := n) >= 0], m)
""",
    "loops": """
for i in range(5):
    if i == 1: continue
    if i == 3: break
else: print("never")
n = 0
while n < 3:
    n += 1
    if n == 2: continue
else: print("else", n)
while True:
    n += 1
    if n > 5: break
else: print("never")
print(i, n, [x for x in range(3)], {k: v for k, v in zip("ab", (1, 2))})
""",
    "errors": """
def f():
    try:
        return 1 / 0
    except ZeroDivisionError as e:
        raise ValueError("v") from e
    finally:
        print("finally")
try: f()
except (KeyError, ValueError) as e: print(type(e.__cause__).__name__, e.__suppress_context__)
try:
    try: raise ExceptionGroup("g", [ValueError(1), TypeError(2)])
    except* ValueError as g: print(g.exceptions)
except* TypeError: print("rest")
try: assert 1 == 2, "no"
except AssertionError as e: print(e)
else: print("never")
""",
    "classes": """
import functools, abc
class Meta(type):
    made = []
    def __new__(mcs, name, bases, names, **more):
        cls = super().__new__(mcs, name, bases, names)
        mcs.made.append((name, more))
        return cls
    def __call__(cls, *given):
        print("call", cls.__name__)
        return super().__call__(*given)
class A(metaclass=Meta, flag=1):
    registry = {}
    def __init_subclass__(cls, **k): A.registry[cls.__name__] = cls
    def __init__(self, x=0): self._x = x
    @property
    def x(self): return self._x
    @x.setter
    def x(self, value): self._x = value
    @staticmethod
    def s(): return "s"
    @classmethod
    def c(cls): return cls.__name__
    @functools.cached_property
    def slow(self): print("slow"); return 3
    def __getattr__(self, name): return f"no {name}"
    def __eq__(self, other): return isinstance(other, A) and self.x == other.x
    def __hash__(self): return hash(self.x)
class B(A):
    __slots__ = ()
    def __init__(self): super().__init__(2)
b = B(); b.x += 5
print(b.x, b.s(), B.c(), b.slow, b.slow, b.nothing, A.registry, Meta.made, b == A(7), len({b, A(7)}))
print(type(b), type(B) is Meta, type(Meta), isinstance(B, type), issubclass(B, A), B.__mro__[:2], type(3), type(type))
Made = type("Made", (A,), {"n": 1, "__len__": lambda self: 4})
print(Made.n, len(Made()), Made.__name__, Made.__module__)
class Shape(abc.ABC):
    @abc.abstractmethod
    def area(self): ...
try: Shape()
except TypeError as e: print("abstract")
class Desc:
    def __set_name__(self, owner, name): self.name = "_" + name
    def __get__(self, o, k): return getattr(o, self.name, None)
    def __set__(self, o, v): setattr(o, self.name, v)
class D: d = Desc()
d = D(); d.d = 4; print(d.d, vars(d))
""",
    "attributes by text": """
class A:
    def __init__(self): self.a = 1; self._b = 2
a = A()
setattr(a, "c", 3); delattr(a, "a")
print(getattr(a, "c"), getattr(a, "zz", 0), hasattr(a, "_b"), hasattr(a, "a"), vars(a), a.__dict__ == {"_b": 2, "c": 3})
a.__dict__["d"] = 5; a.__dict__.update(e=6); vars(a).pop("c")
print(a.d, a.e, hasattr(a, "c"), a.__class__.__name__, a.__class__ is A, "d" in dir(a))
import operator
print(operator.attrgetter("d", "e")(a), operator.methodcaller("upper")("x"), "{0.d:>3} {x[0]}".format(a, x=[1]), "{:.2f}".format(2))
class D(dict):
    __getattr__ = dict.__getitem__
    __setattr__ = dict.__setitem__
d = D(x=1); d.y = 2; print(d.x, d, d.y)
class L:
    def __getattribute__(self, name):
        return object.__getattribute__(self, name) if name != "q" else "seen"
    def __setattr__(self, name, value): object.__setattr__(self, name, value * 2)
o = L(); o.n = 4; print(o.n, o.q, o.__dict__)
globals()["made"] = 7; print(made, "made" in globals(), sorted(locals())[0][:1])
def f(x, y=2): z = 3; return locals()
print(f(1), f.__name__, f.__defaults__, f.__annotations__)
""",
    "library": """
import dataclasses, enum, collections, typing, functools, copy, itertools, random
from dataclasses import dataclass, field
@dataclass(order=True)
class C:
    x: int = 1
    data: list = field(default_factory=list)
    def __post_init__(self): self.x += 1
c = C(3); print(c, dataclasses.asdict(c), dataclasses.replace(c, x=9), C(1) < C(2), copy.deepcopy(c) == c, copy.copy(c))
@dataclass(frozen=True, slots=True)
class Z: a: int; b: float = 0.5
try: Z(1).a = 3
except dataclasses.FrozenInstanceError as e: print("frozen", e)
class Colour(enum.Enum):
    RED = enum.auto(); BLUE = "b"
    @property
    def low(self): return self.name.lower()
print(list(Colour), Colour("b"), Colour["RED"].low, Colour.RED.value, enum.Enum("E", "a b").b, repr(enum.IntEnum("I", ["q"]).q))
class Flag(enum.Flag): A = 1; B = 2
print(Flag.A | Flag.B, Flag(3), isinstance(Colour.RED, enum.Enum))
class N(typing.NamedTuple):
    x: int
    y: int = 2
P = collections.namedtuple("P", "a b", defaults=[4])
print(N(1), N(1)._replace(y=5), P(1)._asdict(), P._fields)
@functools.singledispatch
def tell(v): return "any"
@tell.register
def _(v: int): return "int"
@tell.register(str)
def _(v): return "str"
print(tell(1), tell("a"), tell(2.5))
@functools.wraps(tell)
def wrapped(*a): return tell(*a)
print(wrapped.__name__, wrapped.__wrapped__ is tell, functools.reduce(lambda a, b: a * b, [1, 2, 3]))
T = typing.TypeVar("T")
class G(typing.Generic[T]):
    def get(self) -> typing.Optional[T]: ...
print(G[int].__origin__ is G, G.get.__annotations__["return"], list(itertools.islice(itertools.count(), 2)))
class Pr(typing.Protocol):
    def go(self) -> int: ...
@typing.runtime_checkable
class Pr2(typing.Protocol):
    def go(self) -> int: ...
class Goes:
    def go(self): return 1
print(isinstance(Goes(), Pr2))
""",
}

OPEN_IT = """
import contextlib
@contextlib.contextmanager
def open_it(value): yield value
"""


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_a_script_prints_what_python_prints(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = OPEN_IT + program
    names = {"__name__": "__main__"}
    import sys
    import types

    main = types.ModuleType("__main__")
    vars(main).update(names)
    before, sys.modules["__main__"] = sys.modules["__main__"], main
    try:
        exec(compile(text, "plain", "exec", dont_inherit=True), vars(main))
    finally:
        sys.modules["__main__"] = before
    expected = capsys.readouterr().out

    assert output_of(text) == expected


def test_a_variable_gives_its_tensor_its_name() -> None:
    text = """import torch
x = torch.ones(2)
a, (b, *c) = torch.ones(1), (torch.ones(1), torch.ones(1))
ws = [torch.ones(1), torch.ones(1)]
y: object = x
y += x
def f(v):
    inner = v * 2
    return inner
z = f(x)
(w := x * 3)
class Net:
    def __init__(self): self.weight = torch.ones(2)
n = Net()
n.bias = torch.ones(1)
for passed in [x]: pass
"""
    assert run(text).names == [
        ("x", True), ("a", True), ("b", True), ("c[0]", True), ("ws[0]", True), ("ws[1]", True), ("y", True),
        ("y", True), ("inner", False), ("z", True), ("w", True), ("weight", False), ("n.weight", True), ("bias", False),
    ]  # fmt: skip


SCOPES = {
    "def f(v): torch.mark()\nf(1)\nf(2)": [("f",), ("f #2",)],
    "class A:\n    def m(self): torch.mark()\nA().m()": [("A.m",)],
    "def f():\n    def g(): torch.mark()\n    g()\nf()": [("f", "f.g")],
    "f = lambda: torch.mark()\nf()\ntorch.mark()": [("<lambda>",), ()],
    "for i in range(2): torch.mark()\ntorch.mark()": [("i = 0",), ("i = 1",), ()],
    "for name, v in [('a', 1), ('b', 2)]: torch.mark()": [("name = a",), ("name = b",)],
    "for v, _ in [([], 1)]: torch.mark()": [("v, _ [0]",)],
    "n = 0\nwhile n < 2:\n    n += 1\n    torch.mark()": [("while [0]",), ("while [1]",)],
    "for i in range(2): torch.mark()\nfor i in range(2): torch.mark()": [
        ("i = 0",), ("i = 1",), ("i = 0 #2",), ("i = 1 #2",),
    ],
    "for i in range(3): break\ntorch.mark()": [()],
    "def f():\n    for i in range(3): return torch.mark()\nf()\ntorch.mark()": [("f", "i = 0"), ()],
    "try:\n    for i in range(3): raise ValueError\nexcept ValueError: torch.mark()": [()],
    "try:\n    (lambda: 1 / 0)()\nexcept ZeroDivisionError: torch.mark()": [()],
    "for v in map(lambda w: torch.mark(), [1, 2]): torch.mark()": [
        ("<lambda>",), ("v [0]",), ("<lambda> #2",), ("v [1]",),
    ],
    "def g():\n    for i in range(2):\n        yield\n        torch.mark()\nfor _ in g(): torch.mark()": [
        ("_ [0]",), ("g", "i = 0"), ("_ [1]",), ("g", "i = 1"),
    ],
    "def g():\n    torch.mark()\n    yield 1\nfor v in g(): torch.mark()\ntorch.mark()": [("g",), ("v = 1",), ()],
    "def g():\n    yield 1\n    yield 2\nfor i in range(2):\n    next(g())\n    torch.mark()": [("i = 0",), ("i = 1",)],
    "i = 0\nwhile torch.mark() or i < 1: i += 1": [(), ()],
}  # fmt: skip


@pytest.mark.parametrize("text", SCOPES)
def test_scopes_are_calls_and_rounds_outermost_first(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert scopes_in(text, monkeypatch) == SCOPES[text]


def test_the_forward_of_a_module_is_no_level_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    from gradviz.run.levels import Trace

    trace = Trace(path_of=lambda root, module: "inner")
    module = object()
    trace.label(module, "net")
    outer = trace.enter_module(module)
    inside = trace.level
    trace.enter_method("Net.forward", module)

    assert trace.level is inside
    assert inside.text == "net"
    trace.leave(outer)
    assert trace.level is outer


def test_lines_and_columns_of_what_is_put_in_are_those_of_the_script() -> None:
    text = "class A:\n    def f(self, é):\n        for i in é: self._x.y += é.data\n"
    tree = rewrite(ast.parse(text)).tree

    places = {(node.lineno, node.col_offset) for node in ast.walk(tree) if hasattr(node, "lineno")}
    original = {(node.lineno, node.col_offset) for node in ast.walk(ast.parse(text)) if hasattr(node, "lineno")}
    assert places <= original


def test_what_is_put_in_is_seen_by_nobody() -> None:
    text = """
def f(a):
    i = 0
    while i < 1: i += 1
    try: 1 / 0
    except Exception: pass
    g = lambda: a
    return locals(), vars(), dir()
while True: break
print(*f(1)[:2], f(1)[2], [name for name in globals() if name[0] == " "])
"""
    names = "{'a': 1, 'i': 1, 'g': <function f.<locals>.<lambda>>}"

    found = re.sub(r" at 0x\w+", "", output_of(text))
    assert found == f"{names} {names} ['a', 'g', 'i'] []\n"


def test_a_long_sum_is_rewritten() -> None:
    assert output_of(f"print({' + '.join(['1'] * 2_500)})") == "2500\n"
