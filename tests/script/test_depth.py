"""Depth: recursion and nesting end as they do in Python, or run."""

# ruff: noqa: E501 - tables read better in rows

from __future__ import annotations

import pytest

from gradviz.errors import LimitError, TorchError
from gradviz.imitation.script.machine import Limits
from gradviz.imitation.script.run import run
from tests.script.limited import HEAD, ended


def test_endless_recursion_is_pythons_own_error() -> None:
    error = ended("def f(n):\n    return 1 + f(n + 1)\nf(0)")

    assert isinstance(error, TorchError)
    assert error.headline == "RecursionError: maximum recursion depth exceeded"
    assert (error.line, error.column) == (5, 16)


RECURSIONS = {
    "repr": "class A:\n    def __repr__(self): return repr(self)\nprint(A())",
    "str in a list": "class A:\n    def __str__(self): return str([self])\n    __repr__ = __str__\nprint(A())",
    "getattr": "class A:\n    def __getattr__(self, n): return getattr(self, n + 'x')\nA().b",
    "equality": "class A:\n    def __eq__(self, o): return self == o\nA() == A()",
    "bool": "class A:\n    def __bool__(self): return not self\nbool(A())",
    "iteration": "class A:\n    def __iter__(self): return iter(self)\nlist(A())",
    "addition": "class A:\n    def __add__(self, o): return self + o\nA() + 1",
    "sorting": "def f(x): return sorted([2, 1], key=lambda y: f(y))\nf(1)",
    "two functions": "def f(): return g()\ndef g(): return f()\nf()",
    "call": "class A:\n    def __call__(self): return self()\nA()()",
    "property": "class A:\n    @property\n    def p(self): return self.p\nA().p",
    "construction": "class A:\n    def __init__(self): A()\nA()",
    "forward": "class M(torch.nn.Module):\n    def forward(self, x): return self(x)\nM()(1)",
    "format": "class A:\n    def __format__(self, s): return f'{self}'\nf'{A()}'",
    "context": "class A:\n    def __enter__(self):\n        with self: pass\n    def __exit__(self, *a): pass\nwith A(): pass",
    "hash": "class A:\n    def __hash__(self): return hash(self)\n{A(): 1}",
    "map": "def f(x): return list(map(f, [x]))\nf(1)",
    "comprehension": "def f(x): return [f(y) for y in [x]]\nf(1)",
}  # fmt: skip


@pytest.mark.parametrize("code", RECURSIONS.values(), ids=RECURSIONS.keys())
def test_recursion_by_any_path_is_an_error_and_no_crash(code: str) -> None:
    error = ended(code, Limits())

    assert isinstance(error, TorchError)
    assert error.headline == "RecursionError: maximum recursion depth exceeded"


def test_recursion_as_deep_as_in_python_runs() -> None:
    result = run("def f(n): return 0 if n == 0 else 1 + f(n - 1)\nprint(f(950))")

    assert result.recording.output == "950\n"


DEEP = {
    "brackets": "x = " + "(" * 5000 + "1" + ")" * 5000,
    "lists": "x = " + "[" * 5000 + "]" * 5000,
    "signs": "x = " + "-" * 100_000 + "1",
    "terms": "x = " + "+".join("1" for _ in range(50_000)),
    "attributes": "x = 1\nx = x" + ".real" * 50_000,
    "nots": "x = " + "not " * 50_000 + "1",
    "conditions": "x = 1" + " if 1 else 2" * 20_000,
    "powers": "x = " + "2**" * 20_000 + "1",
    "lambdas": "f = " + "lambda: " * 20_000 + "1",
    "calls": "f = abs\nx = " + "f(" * 5000 + "1" + ")" * 5000,
    "blocks": "\n".join(" " * i + "if 1:" for i in range(90)) + "\n" + " " * 90 + "pass",
    "f-strings": "x = " + "f'{" * 50 + "1" + "}'" * 50,
}


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP.keys())
def test_deeply_nested_text_runs_or_says_so(text: str) -> None:
    result = run(text)

    if result.error is not None:
        assert result.error.line is not None
        assert any(word in result.error.message for word in ("nested too deeply", "SyntaxError", "IndentationError"))


def test_long_expressions_run() -> None:
    result = run("x = " + "+".join("1" for _ in range(8_000)) + "\nprint(x)")

    assert result.recording.output == "8000\n"


DEEP_VALUES = {
    "list printed": "x = []\nfor i in range(100_000): x = [x]\nprint(x)",
    "tuple hashed": "x = ()\nfor i in range(300_000): x = (x,)\nprint(hash(x) != 0)",
    "tuples compared": "x = y = ()\nfor i in range(100_000): x, y = (x,), (y,)\nprint(x == y)",
    "iterators in iterators": "x = iter([1])\nfor i in range(100_000): x = itertools.chain(x)\nprint(list(x))",
    "maps in maps": "x = iter([1])\nfor i in range(20_000): x = map(abs, x)\nprint(list(x))",
    "generators in generators": "x = iter([1])\nfor i in range(100_000): x = (v for v in x)\nprint(list(x))",
    "a list in itself": "x = []\nx.append(x)\nprint(x)",
    "a dict in itself": "d = {}\nd[1] = d\nprint(d)",
    "a tensor of deep lists": "x = 1.\nfor i in range(1000): x = [x]\ntorch.tensor(x)",
    "an array of deep lists": "x = 1.\nfor i in range(1000): x = [x]\nnp.array(x)",
    "partials in partials": "f = abs\nfor i in range(50_000): f = functools.partial(f)\nprint(f(-1))",
    "decorated again and again": "f = abs\nfor i in range(50_000): f = torch.no_grad()(f)\nprint(f(-1))",
}


@pytest.mark.parametrize("code", DEEP_VALUES.values(), ids=DEEP_VALUES.keys())
def test_deeply_nested_values_do_not_crash(code: str) -> None:
    result = run(HEAD + code, seed=0)

    assert result.error is None or isinstance(result.error, TorchError | LimitError)


@pytest.mark.parametrize("call", ["state_dict()", "load_state_dict({})", "apply(print)", "train()"])
def test_a_module_inside_itself_is_too_deep(call: str):
    error = ended(f"import torch.nn as nn\nm = nn.Linear(2, 1)\nm.me = m\nm.{call}")

    assert error.message == "maximum recursion depth exceeded"
