"""The language of scripts is Python: each text prints here what Python itself prints for it."""

# ruff: noqa: E501 - tables read better in rows

from __future__ import annotations

import decimal
import io
import os
import sys
import types
import warnings
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from gradviz.imitation.script.run import run

TEXTS = sorted((Path(__file__).parent / "language").glob("*.txt"))


def by_python(text: str) -> list[str]:
    """The lines that Python prints."""
    printed = io.StringIO()
    own = decimal.localcontext(decimal.DefaultContext)  # a run before this one may have asked for other digits
    with own, redirect_stdout(printed), warnings.catch_warnings(), pytest.MonkeyPatch.context() as patch:
        warnings.simplefilter("ignore")
        patch.setattr(sys, "argv", ["script.py"])
        main = types.ModuleType("__main__")
        patch.setitem(sys.modules, "__main__", main)
        exec(compile(text, "text", "exec", dont_inherit=True), main.__dict__)
    return printed.getvalue().splitlines()


@pytest.mark.parametrize("file", TEXTS, ids=lambda file: file.stem)
def test_script_prints_what_python_prints(file: Path) -> None:
    text = file.read_text(encoding="utf-8")

    result = run(text, seed=0)

    assert result.error is None
    assert result.recording.output.splitlines() == by_python(text)


SNIPPETS = {
    "default evaluated once": "def f(a=[]):\n    a.append(1)\n    return a\nf(); f()\nprint(f())",
    "default evaluated at def": "n = 1\ndef f(a=n): return a\nn = 2\nprint(f())",
    "late binding of closures": "fs = [lambda: i for i in range(3)]\nprint([f() for f in fs])",
    "global": "x = 1\ndef f():\n    global x\n    x = 2\nf()\nprint(x)",
    "global made inside": "def f():\n    global made\n    made = 3\nf()\nprint(made)",
    "nonlocal through two": "def f():\n    v = 1\n    def g():\n        def h():\n            nonlocal v\n            v += 1\n        h()\n    g()\n    return v\nprint(f())",
    "class body is no scope for methods": "v = 1\nclass A:\n    v = 2\n    def m(self): return v\nprint(A().m(), A.v)",
    "class body sees itself": "class A:\n    a = 1\n    b = a + 1\nprint(A.b)",
    "comprehension keeps its names": "i = 9\n[i for i in range(3)]\nprint(i)",
    "comprehension in a class": "n = 1\nclass A:\n    n = 2\n    l = [n for _ in [0]]\n    m = [i for i in [n]]\nprint(A.l, A.m)",
    "walrus binds outside": "print([(y := i) for i in range(3)], y)",
    "walrus in a function": "def f():\n    if any((hit := v) > 1 for v in [1, 2, 3]): return hit\nprint(f())",
    "walrus with global": "def f():\n    global w\n    [w := v for v in [1, 2]]\nf()\nprint(w)",
    "augmented target evaluated once": "n = []\ndef at():\n    n.append(1)\n    return 0\nl = [1]\nl[at()] += 1\nprint(l, n)",
    "augmented attribute evaluated once": "class A: v = 1\nn = []\ndef a():\n    n.append(1)\n    return x\nx = A()\na().v += 2\nprint(x.v, A.v, n)",
    "key before value": "s = []\ndef n(v):\n    s.append(v)\n    return v\n{n(1): n(2)}\nprint(s)",
    "chained comparison evaluates once": "s = []\ndef n(v):\n    s.append(v)\n    return v\nprint(1 < n(2) < 3, s)",
    "chained comparison stops": "s = []\ndef n(v):\n    s.append(v)\n    return v\nprint(3 < n(2) < n(9), s)",
    "and returns a value": "print(1 and 2, 0 and 2, 1 or 2, '' or 0)",
    "break in a nested loop": "for i in range(3):\n    for j in range(3):\n        if j: break\n    else: print('no')\n    print(i, j)",
    "return inside loops": "def f():\n    for i in range(3):\n        while True:\n            return i\nprint(f())",
    "continue in try": "for i in range(3):\n    try:\n        if i == 1: continue\n        print(i)\n    finally: print('f')",
    "finally overrules": "def f():\n    try: return 1\n    finally: return 2\nprint(f())",
    "except name is gone": "try: 1/0\nexcept ZeroDivisionError as e: pass\ntry: e\nexcept NameError: print('gone')",
    "raise from": "try:\n    try: 1/0\n    except ZeroDivisionError as e: raise KeyError('k') from e\nexcept KeyError as k: print(k)",
    "re-raise inside a function": "def f(): raise\ntry:\n    try: 1/0\n    except ZeroDivisionError: f()\nexcept ZeroDivisionError as e: print(e)",
    "exceptions by base": "for e in (KeyError('a'), IndexError('b'), ValueError('c')):\n    try: raise e\n    except LookupError as l: print('lookup', l)\n    except Exception as o: print('other', o)",
    "with leaves on return": "class C:\n    def __enter__(self): return 1\n    def __exit__(self, *a): print('left')\ndef f():\n    with C() as c: return c\nprint(f())",
    "with leaves on break": "class C:\n    def __enter__(self): pass\n    def __exit__(self, *a): print('left')\nfor i in range(2):\n    with C(): break\nprint(i)",
    "unpacking in for": "for i, (a, *b) in enumerate([(1, 2, 3), (4,)]): print(i, a, b)",
    "star arguments": "def f(*a, **k): return a, k\nprint(f(*[1], 2, *(3,), x=1, **{'y': 2}))",
    "keyword only": "def f(a, *, b=2): return a, b\nprint(f(1, b=3), f(a=4))",
    "positional only and keywords": "def f(a, /, **k): return a, k\nprint(f(1, a=2))",
    "method from class": "class A:\n    def m(self, v): return v\nprint(A.m(A(), 5), list(map(A().m, [1, 2])))",
    "bound method kept": "class A:\n    def __init__(self): self.n = 0\n    def inc(self): self.n += 1\na = A()\nf = a.inc\nf(); f()\nprint(a.n)",
    "class attribute shadowed": "class A: n = 1\na, b = A(), A()\na.n = 5\nprint(a.n, b.n, A.n)",
    "attribute set on class": "class A: pass\nA.n = 3\nprint(A().n)",
    "function as attribute": "class A: pass\na = A()\na.f = lambda v: v + 1\nprint(a.f(1))",
    "static, class and property": "class A:\n    @staticmethod\n    def s(v): return v\n    @classmethod\n    def c(cls): return cls.__name__\n    @property\n    def p(self): return 'p'\nclass B(A): pass\nprint(B.s(1), B().c(), B().p)",
    "setter": "class A:\n    _v = 0\n    @property\n    def v(self): return self._v\n    @v.setter\n    def v(self, n): self._v = n * 2\na = A()\na.v = 4\na.v += 1\nprint(a.v)",
    "setattr of one's own": "class A:\n    def __setattr__(self, k, v): super().__setattr__(k, v + 1)\na = A()\na.v = 1\nprint(a.v)",
    "super with arguments": "class A:\n    def f(self): return 'a'\nclass B(A):\n    def f(self): return super(B, self).f() + 'b'\nprint(B().f())",
    "diamond": "class A:\n    def f(self): return 'A'\nclass B(A):\n    def f(self): return 'B' + super().f()\nclass C(A):\n    def f(self): return 'C' + super().f()\nclass D(B, C): pass\nprint(D().f())",
    "reflected operators": "class A:\n    def __radd__(self, o): return 'r', o\n    def __rsub__(self, o): return 's', o\nprint(1 + A(), 2 - A())",
    "not implemented falls back": "class A:\n    def __add__(self, o): return NotImplemented\nclass B:\n    def __radd__(self, o): return 'B'\nprint(A() + B())",
    "in place falls back": "class A:\n    def __add__(self, o): return 'add'\na = A()\na += 1\nprint(a)",
    "sum of objects": "class A:\n    def __init__(self, v): self.v = v\n    def __add__(self, o): return A(self.v + o.v)\n    def __radd__(self, o): return self\nprint(sum([A(1), A(2), A(3)]).v)",
    "order by lt": "class A:\n    def __init__(self, v): self.v = v\n    def __lt__(self, o): return self.v < o.v\n    def __repr__(self): return str(self.v)\nprint(sorted([A(3), A(1)]), min(A(2), A(1)), A(1) > A(0))",
    "equality and hash": "class A:\n    def __eq__(self, o): return True\n    def __hash__(self): return 1\nprint(len({A(), A()}), A() in [5], A() != 3)",
    "truth by len": "class A:\n    def __len__(self): return 0\nprint(bool(A()), not A(), 'x' if A() else 'y')",
    "f-string with =": "v = 2\nprint(f'{v=} {v + 1 = } {v=:>4} {v!r:>3}')",
    "f-string nested spec": "w, p = 8, 2\nprint(f'{3.14159:{w}.{p}f}|{\"a\":{\"*\"}^{w}}')",
    "format by keys": "print('{a[k]} {b[0]} {c.real}'.format(a={'k': 1}, b=[2], c=3))",
    "format automatic in spec": "print('{:>{}}|{:{}.{}f}'.format('a', 4, 1.234, 7, 1))",
    "percent with text that has large numbers": "print('year 123456: %d' % 5)",
    "print nothing": "print()\nprint(end='a')\nprint('b', end='')\nprint(None, sep='')",
    "delete": "d = {1: 2, 3: 4}\nl = [1, 2, 3]\ndel d[1], l[0]\nprint(d, l)",
    "multiple targets": "a = b, c = 1, 2\nprint(a, b, c)",
    "swap": "a, b = 1, 2\na, b = b, a\nprint(a, b)",
    "slices": "l = list(range(10))\nl[2:5] = ['x']\nl[::3] = [0, 0, 0]\nprint(l, l[-3:], l[::-2])",
    "implicit line joining": "x = (1 +\n     2 +\n     3)\nprint(x, [1,\n 2])",
    "semicolons": "a = 1; b = 2; print(a, b)",
    "conditional import": "try:\n    import math\nexcept ImportError:\n    math = None\nprint(math.pi > 3)",
    "types compare": "print(type(1) == int, type([]) is list, type('a') == type('b'), type(None) == type(None), type(print) == type(len))",
    "isinstance of a tuple": "print(isinstance(1.0, (int, float)), isinstance([], (tuple, dict)), isinstance(True, int))",
}  # fmt: skip


@pytest.mark.parametrize("text", SNIPPETS.values(), ids=SNIPPETS.keys())
def test_snippet_prints_what_python_prints(text: str) -> None:
    result = run(text, seed=0)

    assert result.error is None
    assert result.recording.output.splitlines() == by_python(text)


def test_annotations_are_not_evaluated() -> None:
    assert run("def f(a: nope, b: 'x' = 1) -> missing: return b\nx: int = f(0)\nprint(x)").recording.output == "1\n"


def test_environment_starts_empty_and_stays_inside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADVIZ_TEST", "secret")

    result = run("import os, sys\nos.environ['A'] = 'b'\nprint(os.environ, os.getenv('GRADVIZ_TEST'), sys.argv)")

    assert result.recording.output == "{'A': 'b'} None ['script.py']\n"
    assert "A" not in os.environ


PLOTS = """
import matplotlib.pyplot as plt
import matplotlib
from mpl_toolkits.mplot3d import Axes3D
matplotlib.use('Agg')
plt.rcParams['figure.figsize'] = (4, 3)
plt.style.use('ggplot')
print('before')
fig, (ax1, ax2) = plt.subplots(1, 2, figsize=(8, 3))
ax1.plot([1, 2], [3, 4], label='a')[0].set_color('red')
ax2[0, 1].set_title('x')
with plt.ioff():
    plt.show()
for ax in fig.axes: print('axes')
plt.rcParams.update({'a': 1})
plt.show()
print('after')
"""


def test_plotting_is_skipped_and_named_once() -> None:
    result = run(PLOTS)

    assert result.error is None
    assert result.recording.output == "before\naxes\naxes\nafter\n"
    notes = [each.message for each in result.recording.warnings]
    assert len(notes) == len(set(notes)) > 0
    assert all(note.startswith("matplotlib: the figure of ") for note in notes)


def test_function_under_no_grad_keeps_its_name_and_text() -> None:
    lines = ["import torch", "@torch.no_grad()", "def f(x):", "    'text'", "    return x"]

    result = run("\n".join([*lines, "print(f.__name__, f.__qualname__, f.__doc__, f.__module__, f.__wrapped__(1))"]))

    assert result.recording.output == "f f text __main__ 1\n"


FIGURES = {
    "plt.subplots(2, 3)[0]": 6, "plt.subplots()[0]": 1, "plt.figure()": 0, "plt.subplots(1, 2, squeeze=False)[0]": 2,
    "plt.figure(); [fig.add_subplot(2, 2, k + 1) for k in range(4)]": 4, "plt.figure(); fig.subplots(2, 2)": 4,
    "plt.figure(); fig.add_axes([0, 0, 1, 1])": 1,
    "plt.subplots()[0]; fig.colorbar(None)": 2, "plt.subplots()[0]; fig.colorbar(None, cax=fig.axes[0])": 1,
}  # fmt: skip
"""What makes a figure, and how many axes it then has in matplotlib."""


@pytest.mark.parametrize("made", FIGURES)
def test_figure_has_as_many_axes_as_matplotlibs(made: str) -> None:
    result = run(f"import matplotlib.pyplot as plt\nfig = {made}\nprint(sum(1 for _ in fig.axes), len(fig.get_axes()))")

    assert result.recording.output == f"{FIGURES[made]} {FIGURES[made]}\n"


MEASURED = ["np.linspace(*plt.xlim(), 3)", "float(plt.gca().get_ylim()[0] * 2)", "[1, 2][plt.xlim()[0]]"]


@pytest.mark.parametrize("text", MEASURED)
def test_number_that_only_a_figure_has_is_refused_in_a_sentence(text: str) -> None:
    result = run(f"import numpy as np\nimport matplotlib.pyplot as plt\n{text}")

    assert result.error is not None
    assert "measures in a figure is not known, as gradviz draws no figures" in str(result.error)


EXITS = ["exit()", "quit(0)", "import sys\nsys.exit()", "raise SystemExit", "def f():\n    exit(3)\nf()"]


@pytest.mark.parametrize("text", EXITS)
def test_script_that_ends_itself_ends_silently(text: str) -> None:
    result = run(f"print('before')\n{text}\nprint('never')", seed=0)

    assert result.error is None
    assert result.recording.output == "before\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [("raise SystemExit('no data')", "no data"), ("import sys\nsys.exit(2.5)", "2.5"), ("exit((1, 2))", "(1, 2)")],
)
def test_exit_with_a_message_says_it_on_the_error_stream(text: str, said: str) -> None:
    result = run(f"{text}\nprint('never')", seed=0)

    assert result.error is None
    assert result.exit_code == 1
    assert [(each.category, each.message) for each in result.recording.warnings] == [("stderr", said)]
    assert result.recording.output == ""


def test_recursion_goes_deeper_where_the_script_asks_for_it() -> None:
    deep = "def f(n): return 0 if n == 0 else 1 + f(n - 1)\n"

    assert run(f"import sys\nsys.setrecursionlimit(6000)\n{deep}print(f(5000))", seed=0).recording.output == "5000\n"
    assert run(f"{deep}print(f(5000))", seed=0).error is not None


def test_a_generator_left_in_the_midst_ends_with_the_script() -> None:
    done = run(
        "def f():\n    try:\n        yield 1\n    finally:\n        print('left')\ng = f()\nnext(g)\nprint('end')"
    )

    assert done.error is None
    assert done.recording.output == "end\nleft\n"
