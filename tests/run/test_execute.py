"""A run leaves its output, its variables, its warnings, and why it ended, with the place in the script."""

from __future__ import annotations

import builtins
import sys
from pathlib import Path

import numpy as np
import pytest

from gradviz.errors import LimitError
from gradviz.run.imports import ENGINE
from gradviz.run.job import Stopped
from tests.run import small_torch
from tests.run.scripts import output_of, run

HEAD = "import torch\nx = torch.tensor([1., 2.])\n"

PROBLEMS = {
    "y = 2 * x.summ()": (1, 9, "AttributeError: 'Tensor' object has no attribute 'summ'"),
    "y = x * w": (1, 9, "NameError: name 'w' is not defined"),
    "[1, 2][5]": (1, 1, "IndexError: list index out of range"),
    "{'a': 1}['zzz']": (1, 1, "KeyError: 'zzz'"),
    "y = 1 + 1 / 0": (1, 9, "ZeroDivisionError: division by zero"),
    "(1)(2)": (1, 1, "TypeError: 'int' object is not callable"),
    "def f(a, b): pass\nf(1)": (2, 1, "TypeError: f() missing 1 required positional argument: 'b'"),
    "class A:\n    def __init__(self, a): pass\nA()": (3, 1, "TypeError: A.__init__() missing 1 required positional argument: 'a'"),
    "class A: pass\nA().foo": (2, 1, "AttributeError: 'A' object has no attribute 'foo'"),
    "class A: pass\nA()._foo": (2, 1, "AttributeError: 'A' object has no attribute '_foo'"),
    "class A: pass\nA().data": (2, 1, "AttributeError: 'A' object has no attribute 'data'"),
    "(1).there = 2": (1, 1, "AttributeError: 'int' object has no attribute 'there'"),
    "def f():\n    print(v)\n    v = 1\nf()": (2, 11, "UnboundLocalError: cannot access local variable 'v' where it is not associated with a value"),
    "a, b = [1, 2, 3]": (1, 1, "ValueError: too many values to unpack (expected 2)"),
    "for i in 5: pass": (1, 10, "TypeError: 'int' object is not iterable"),
    "del y": (1, 5, "NameError: name 'y' is not defined"),
    "raise ValueError('bad')": (1, 1, "ValueError: bad"),
    "class E(Exception): pass\nraise E('own')": (2, 1, "E: own"),
    "raise": (1, 1, "RuntimeError: No active exception to reraise"),
    "assert 1 > 2": (1, 8, "AssertionError"),
    "def f():\n    return g()\ndef g():\n    return 1 / 0\nf()": (4, 12, "ZeroDivisionError: division by zero"),
    "try:\n    1/0\nfinally:\n    print(1)": (2, 5, "ZeroDivisionError: division by zero"),
    "try:\n    1/0\nexcept ZeroDivisionError:\n    raise ValueError('new')": (4, 5, "ValueError: new"),
    "try:\n    1/0\nexcept ZeroDivisionError:\n    raise": (2, 5, "ZeroDivisionError: division by zero"),
    "[v.nope for v in [x]]": (1, 2, "AttributeError: 'Tensor' object has no attribute 'nope'"),
    "é = 'ü' + wrong": (1, 11, "NameError: name 'wrong' is not defined"),
    "while True:\n    z = 1\n    1 / 0": (3, 5, "ZeroDivisionError: division by zero"),
    "def g():\n    yield 1\n    1 / 0\nlist(g())": (3, 5, "ZeroDivisionError: division by zero"),
    "sorted([3, 1], key=lambda v: v / 0)": (1, 30, "ZeroDivisionError: division by zero"),
    "def f(): return f()\nf()": (1, 10, "RecursionError: maximum recursion depth exceeded"),
    "class E(Exception):\n    def __str__(self): return 1 / 0\nraise E": (3, 1, "E: <ZeroDivisionError in its __str__>"),
    "f(": (1, 2, "SyntaxError: '(' was never closed"),
    "if x > 1\n    pass": (1, 9, "SyntaxError: expected ':'"),
    "return 5": (1, 1, "SyntaxError: 'return' outside function"),
    "x = = 2": (1, 5, "SyntaxError: invalid syntax"),
    "import pandas": (1, 1, "the module 'pandas' is beyond the built-in engine"),
    "from torch import nothing": (1, 1, "ImportError: cannot import name 'nothing' from 'torch'"),
    "open('f.txt')": (1, 1, "FileNotFoundError: [Errno 2] No such file or directory: 'f.txt'"),
    "f = eval\nf('1 / 0')": (2, 1, "ZeroDivisionError: division by zero"),
    "int('a')": (1, 1, "ValueError: invalid literal for int() with base 10: 'a'"),
    "x.sum(1, 2, 3)": (1, 1, "TypeError: Tensor.sum() takes 1 positional argument but 4 were given"),
    "raise MemoryError": (1, 1, "there is not enough memory for this"),
}  # fmt: skip


@pytest.mark.parametrize("text", PROBLEMS)
def test_an_error_is_told_in_pythons_words_at_its_place(text: str) -> None:
    line, column, message = PROBLEMS[text]

    ran = run(HEAD + text)

    assert ran.message.startswith(message)
    assert ran.place == (line + 2, column)


def test_what_ran_before_an_error_stays() -> None:
    ran = run("x = 1\nprint('one', end='')\nprint(' two')\ny = x / 0\nprint('three')")

    assert ran.output == "one two\n"
    assert ran.result.variables["x"] == 1
    assert "y" not in ran.result.variables


@pytest.mark.parametrize(
    ("end", "code"),
    [("sys.exit()", 0), ("sys.exit(3)", 3), ("exit()", 0), ("raise SystemExit(2)", 2), ("sys.exit('why')", 1)],
)
def test_a_script_ends_itself_with_a_code(end: str, code: int) -> None:
    ran = run(f"import sys\nprint(1)\n{end}\nprint(2)")

    assert (ran.message, ran.output, ran.result.exit_code) == ("", "1\n", code)
    assert [each.message for each in ran.result.warnings] == (["why"] if code == 1 else [])


def test_a_wish_to_stop_passes_every_handler_of_the_script(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop() -> None:
        raise Stopped(LimitError("the time is over"))

    monkeypatch.setattr(small_torch, "on_mark", stop)

    ran = run(
        "import torch\nwhile True:\n    try: torch.mark()\n    except: print('caught')\n    except BaseException: pass"
    )
    other = run("import torch\nwhile True:\n    try: torch.mark()\n    except BaseException: print('caught')")

    assert ran.message.startswith("SyntaxError")
    assert (other.message, other.output, other.place) == ("the time is over", "", (3, 10))


def test_warnings_are_kept_with_line_and_place_in_the_output() -> None:
    text = """import torch, warnings
print("one")
for i in range(3): torch.warn("a")
warnings.warn("b", FutureWarning)
def old(): warnings.warn("c", stacklevel=2)
old()
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    warnings.warn("never")
with warnings.catch_warnings(record=True) as kept:
    warnings.warn("d")
print(len(kept), kept[0].category.__name__)
"""
    warned = run(text).result.warnings

    assert [(each.message, each.category, each.line, each.at) for each in warned] == [
        ("a", "UserWarning", 3, 4), ("b", "FutureWarning", 4, 4), ("c", "UserWarning", 6, 4),
    ]  # fmt: skip
    assert output_of(text) == "one\n1 UserWarning\n"


def test_a_warning_can_be_made_an_error() -> None:
    text = "import warnings\nwarnings.simplefilter('error')\ntry: warnings.warn('a')\nexcept UserWarning as e: print(e)"

    assert output_of(text) == "a\n"


def test_numpy_and_the_compiler_warn_too() -> None:
    warned = run("import numpy as np\nx = 1\ny = x is 1\nnp.array([1.0]) / 0").result.warnings

    assert [(each.category, each.line) for each in warned] == [("SyntaxWarning", 3), ("RuntimeWarning", 4)]


def test_the_error_stream_is_told_line_by_line() -> None:
    ran = run(
        "import sys\nprint('a', file=sys.stderr)\nsys.stderr.write('b')\nprint('c', file=sys.stdout)\nprint(file=sys.stderr)"
    )

    assert ran.output == "c\n"
    assert [(each.message, each.category) for each in ran.result.warnings] == [("a", "stderr"), ("b", "stderr")]


def test_a_figure_that_is_not_drawn_is_told() -> None:
    text = """
import matplotlib.pyplot as plt, numpy as np
fig, ax = plt.subplots(); ax.plot([1], [2]); ax.set_title("t"); plt.show()
fig, axes = plt.subplots(2, 2)
for a in axes.flat: a.imshow(np.zeros((2, 2)))
fig.suptitle("x"); plt.rcParams["figure.dpi"] = 100
from tqdm import tqdm, trange
bar = tqdm(range(2))
for i in bar: bar.set_postfix(loss=1)
print(len(fig.axes), [i for i in trange(2)], list(plt.plot([1])))
import seaborn as sns
sns.set_theme()
"""
    ran = run(text)

    assert ran.message == ""
    assert ran.output == "4 [0, 1] []\n"
    assert {each.message for each in ran.result.warnings} == {
        "matplotlib: the figure of plot() is skipped", "matplotlib: the figure of imshow() is skipped",
    }  # fmt: skip


def test_a_pasted_session_runs_and_what_was_done_is_said() -> None:
    ran = run(">>> x = 3\n>>> x + 1\n4\n>>> print(np.zeros(x).sum())\n0.0\n")

    assert ran.output == "0.0\n"
    assert ran.result.remarks == [
        "The run left out the prompts and the output shown between them; the text keeps them.", "Added: import numpy as np.",
    ]  # fmt: skip


def test_a_missing_import_is_supplied_and_said() -> None:
    ran = run("y = torch.ones(2)\nprint(y, math.pi > 3)")

    assert ran.output == "tensor([1.0, 1.0]) True\n"
    assert ran.result.remarks == ["Added: import torch; import math."]


def test_a_script_finds_its_name_its_words_and_its_docstring() -> None:
    text = (
        '"""doc"""\nimport sys\nprint(__name__, __file__, __doc__, sys.argv)\nif __name__ == "__main__": print("main")'
    )

    assert output_of(text, argv=["t.py", "--n", "3"]) == "__main__ t.py doc ['t.py', '--n', '3']\nmain\n"


def test_arguments_are_read_from_the_command_line() -> None:
    text = """
import argparse
p = argparse.ArgumentParser(description="d", formatter_class=argparse.ArgumentDefaultsHelpFormatter)
p.add_argument("--n", type=int, default=1, help="how many")
g = p.add_mutually_exclusive_group()
g.add_argument("--fast", action="store_true")
g.add_argument("--slow", action=argparse.BooleanOptionalAction, default=False)
p.add_argument("rest", nargs="*")
a = p.parse_args()
print(a, vars(a), a.n, p.parse_args([]).fast)
a.more = 2
print(a.more, "--n N" in p.format_help())
"""
    assert output_of(text, argv=["t.py", "--n", "3", "q"]).split("\n")[:2] == [
        "Namespace(n=3, fast=False, slow=False, rest=['q']) {'n': 3, 'fast': False, 'slow': False, 'rest': ['q']} 3 False",
        "2 True",
    ]
    wrong = run(text, argv=["t.py", "--n", "x"])
    assert wrong.result.exit_code == 2
    assert "invalid int value: 'x'" in wrong.result.warnings[-1].message


def test_the_random_numbers_of_a_seed_are_the_same_again() -> None:
    text = "import random, numpy as np\nprint(random.random(), np.random.rand())"

    assert output_of(text, seed=3) == output_of(text, seed=3)
    assert output_of(text, seed=3) != output_of(text, seed=4)


def test_output_can_be_redirected_inside_the_script() -> None:
    text = "import io, contextlib\nb = io.StringIO()\nwith contextlib.redirect_stdout(b):\n    print('in')\nprint('out', repr(b.getvalue()))"

    assert output_of(text) == "out 'in\\n'\n"


def test_a_traceback_is_text_through_lines_of_the_script() -> None:
    text = "import traceback\ndef f():\n    return 1 / 0\ntry: f()\nexcept ZeroDivisionError: print(traceback.format_exc())"

    lines = [line.strip() for line in output_of(text).split("\n") if "^" not in line]
    assert lines[:5] == [
        "Traceback (most recent call last):", 'File "t.py", line 4, in <module>', "try: f()",
        'File "t.py", line 3, in f', "return 1 / 0",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "output"),
    [
        ("import logging\nlogging.basicConfig(level=logging.INFO)\nlogging.info('n %d', 3)\nlogging.debug('no')", ""),
        ("import datetime\nprint(datetime.datetime.strptime('2020', '%Y').year)", "2020\n"),
        ("import re\nprint(re.sub(r'\\d', lambda m: m.group() * 2, 'a1'))", "a11\n"),
        ("import json\nprint(json.dumps({'a': [1]}), json.loads('[2]'))", '{"a": [1]} [2]\n'),
        ("import os\nprint(os.path.join('a', 'b'), os.path.exists('/'))", "a/b True\n"),
        ("import pickle\nclass A:\n    n = 3\nprint(pickle.loads(pickle.dumps(A())).n)", "3\n"),
        ("namespace = {}\nexec('x = eval(\"1 + 1\")', namespace)\nprint(namespace['x'], compile('1', '', 'eval').co_name)", "2 <module>\n"),
        ("class A:\n    def __del__(self): print('gone')\na = A()\ndel a", "gone\n"),
        ("import threading\nt = threading.Thread(target=lambda: print('in it'))\nt.start()", "in it\n"),
        ("import asyncio\nasync def f(): return 3\nprint(asyncio.run(f()))", "3\n"),
        ("import builtins, unittest.mock as m\nwith m.patch('builtins.input', lambda *_: 'yes'): print(input('?'))", "yes\n"),
        ("import torch\ntorch.Tensor.twice = lambda self: 2\nprint(torch.ones(1).twice())\ndel torch.Tensor.twice", "2\n"),
        ("from pathlib import Path\nprint(Path('a') / 'b.txt', Path('a/b.txt').stem, Path('x').exists())", "a/b.txt b False\n"),
        ("import collections, typing\nprint(typing.get_origin(typing.List[int]), typing.get_args(typing.Dict[str, int]))", "<class 'list'> (<class 'str'>, <class 'int'>)\n"),
        ("import pprint\npprint.pprint({'b': 1, 'a': [2]})", "{'a': [2], 'b': 1}\n"),
        ("import pprint\npprint.pp({'b': 1, 'a': [2]})", "{'b': 1, 'a': [2]}\n"),
        ("import timeit\nprint(timeit.timeit(lambda: None, number=3) >= 0)", "True\n"),
        ("import decimal\ndecimal.getcontext().prec = 5\nprint(decimal.Decimal(1) / 3)\ndecimal.getcontext().prec = 28", "0.33333\n"),
        ("from math import *\nprint(sqrt(4), floor(2.5))", "2.0 2\n"),
        ("import numpy.linalg\nprint(numpy.linalg.norm([3., 4.]), numpy.random.default_rng(0).integers(1))", "5.0 0\n"),
        ("import inspect\ndef f(a, b=1): pass\nprint(inspect.signature(f), inspect.isfunction(f))", "(a, b=1) True\n"),
        ("from __future__ import annotations\ndef f(x: Unknown) -> None: pass\nprint(f.__annotations__)", "{'x': 'Unknown', 'return': 'None'}\n"),
        ("import torch.nn as nn\nfrom torch import nn as n2\nimport torch.nn\nprint(nn is n2 is torch.nn, nn.__name__)", "True torch.nn\n"),
        ("try:\n    from torch import missing\nexcept ImportError as e: print(type(e).__name__)", "ImportError\n"),
        ("import numpy as np\nprint(np.sum(np.arange(4).reshape(2, 2) @ np.eye(2)), np.linalg.inv(np.eye(1)))", "6.0 [[1.]]\n"),
        ("print(*map(str, [1]), sep='-', end='!\\n')", "1!\n"),
        ("print(input) if False else print(isinstance(3, int | str))", "True\n"),
    ],
)  # fmt: skip
def test_the_library_works_as_pythons_own(text: str, output: str) -> None:
    assert output_of(text) == output


def test_a_run_leaves_the_process_as_it_was() -> None:
    before = (sys.modules["__main__"], sys.getrecursionlimit(), np.geterr(), sys.stdout)

    run("import sys, numpy as np\nsys.setrecursionlimit(5000)\nnp.seterr(all='ignore')\nprint(1)")

    assert (sys.modules["__main__"], sys.getrecursionlimit(), np.geterr(), sys.stdout) == before


def test_a_run_leaves_the_builtins_as_they_were() -> None:
    before = {name: value for name, value in vars(builtins).items() if name[0] != " "}

    run("# %% cell 1\n1\n# %% cell 2\nimport builtins\nbuiltins.more = _\nbuiltins.print = 5\n", kind="notebook")

    assert {name: value for name, value in vars(builtins).items() if name[0] != " "} == before


def test_a_second_run_knows_nothing_of_the_first() -> None:
    run("import sys\nx = 5\nsys.argv.append('z')\nimport torch\ntorch.ones(1)")

    assert run("print('x' in globals())\nimport sys\nprint(sys.argv)").output == "False\n['t.py']\n"


@pytest.mark.parametrize("text", ["", "\n\n", "# only a remark", "pass"])
def test_a_script_without_anything_in_it_runs(text: str) -> None:
    assert (run(text).message, run(text).output) == ("", "")


def test_a_text_that_is_no_script_ends_in_a_sentence() -> None:
    assert run("a\0b").message == "this is not a text file: it contains a zero byte"
    assert run("(" * 5_000 + ")" * 5_000).message.startswith(("SyntaxError", "the script is nested too deeply"))
    assert run("x = " + "-" * 50_000 + "1").message == "the script is nested too deeply"


def test_numpy_says_nothing_of_the_arithmetic_of_the_engine() -> None:
    text = """import torch, warnings, numpy as np
x = torch.zeros(2)
torch.log(x); x / x
warnings.simplefilter("error")
torch.log(x)
with warnings.catch_warnings():
    warnings.simplefilter("error")
    print(torch.log(x) / 0)
try: np.array([0.0]) / 0
except RuntimeWarning as e: print(e)
"""
    ran = run(text, engine=ENGINE)

    assert ran.output == "tensor([-inf, -inf])\ninvalid value encountered in divide\n"
    assert ran.result.warnings == []


@pytest.mark.parametrize(
    ("text", "output"),
    [
        ("from torch.optim.lr_scheduler import _LRScheduler, LRScheduler\nprint(issubclass(_LRScheduler, LRScheduler))", "True\n"),
        ("import torch\nprint(torch.nn.init._calculate_fan_in_and_fan_out(torch.ones(2, 3)))", "(3, 2)\n"),
        ("import torch\nprint(torch.zeros_like(torch.ones(1), memory_format=torch.preserve_format))", "tensor([0.])\n"),
    ],
)  # fmt: skip
def test_names_that_scripts_copy_from_the_sources_of_pytorch_are_there(text: str, output: str) -> None:
    assert run(text, engine=ENGINE).output == output


@pytest.mark.parametrize("kind", ["Exception", "RuntimeError", "AttributeError", "(ValueError, RuntimeError)", ""])
def test_no_except_of_a_script_hides_what_is_beyond_the_engine(kind: str) -> None:
    ran = run(f"import torch\ntry:\n    torch.export\nexcept {kind}:\n    print('went on')", engine=ENGINE)

    assert ran.output == ""
    assert ran.message == "torch.export is beyond the built-in engine"


@pytest.mark.parametrize("text", ["torch.export", "from torch import export", "from torch.nn import Transformers"])
def test_what_is_beyond_the_engine_says_how_the_script_can_be_run(text: str) -> None:
    problem = run(f"import torch\n{text}", engine=ENGINE).result.problem

    assert problem is not None
    if "Transformers" in text:
        assert problem.message == "ImportError: cannot import name 'Transformers' from 'torch.nn' (unknown location)"
    else:
        assert (problem.message, problem.line, problem.hint) == (
            "torch.export is beyond the built-in engine", 2, "Run it with PyTorch.",
        )  # fmt: skip


def test_hasattr_answers_no_for_what_is_beyond_the_engine() -> None:
    assert run("import torch\nprint(hasattr(torch, 'export'))", engine=ENGINE).output == "False\n"


def test_an_absent_module_can_be_asked_for() -> None:
    text = "try:\n    import pandas\nexcept ImportError:\n    pandas = None\nprint(pandas)"

    assert run(text).output == "None\n"


# ---- modules beside the script ----

PART = """
import torch
weight = torch.ones(2)
class Net:
    def __init__(self):
        self.bias = torch.ones(2)
def half(x):
    return x / 2
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a module, a package and a script that imports them."""
    (tmp_path / "part.py").write_text(PART, encoding="utf-8")
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "__init__.py").write_text("from .inner import broken", encoding="utf-8")
    (tmp_path / "more" / "inner.py").write_text("def broken(x):\n    é = x\n    return é / 0\n", encoding="utf-8")
    return tmp_path


def test_a_module_beside_the_script_is_imported_and_its_tensors_get_names(folder: Path) -> None:
    ran = run("import part\nnet = part.Net()\nprint(part.half(4), part.__name__)", folder=str(folder))

    assert (ran.message, ran.output) == ("", "2.0 part\n")
    assert ran.names == [("weight", True), ("bias", False), ("net.bias", True)]


def test_an_error_in_a_module_beside_the_script_is_told_with_its_file(folder: Path) -> None:
    problem = run("import more\nmore.broken(1)", folder=str(folder)).result.problem

    assert problem is not None
    assert (problem.message, problem.file) == ("ZeroDivisionError: division by zero", "more/inner.py")
    assert (problem.line, problem.column) == (3, 12)


def test_a_module_beside_the_script_that_is_no_python_is_told_with_its_file(folder: Path) -> None:
    (folder / "wrong.py").write_text("x = 1\nif x\n", encoding="utf-8")
    problem = run("import wrong", folder=str(folder)).result.problem

    assert problem is not None
    assert (problem.message, problem.file, problem.line) == ("SyntaxError: expected ':'", "wrong.py", 2)


def test_a_module_of_ones_own_goes_before_a_silent_one(folder: Path) -> None:
    (folder / "graphviz.py").write_text("x = 'mine'", encoding="utf-8")

    assert run("import graphviz\nprint(graphviz.x)", folder=str(folder)).output == "mine\n"


def test_what_is_registered_for_the_end_is_called_at_it() -> None:
    text = "import atexit, sys\natexit.register(print, 'first')\n@atexit.register\ndef last(): print('last')\nprint('script')"

    assert run(text).output == "script\nlast\nfirst\n"
    assert run(f"{text}\nsys.exit(3)").output == "script\nlast\nfirst\n"
    ran = run("import atexit\natexit.register(lambda: 1 / 0)\nraise SystemExit")
    assert (ran.message, ran.result.warnings[0].message) == (
        "",
        "ignored by Python: ZeroDivisionError: division by zero",
    )


def test_the_next_run_reads_a_module_beside_the_script_anew(folder: Path) -> None:
    before = run("import part\nprint(part.half(4))", folder=str(folder)).output
    (folder / "part.py").write_text("def half(x): return 'changed'", encoding="utf-8")

    assert (before, run("import part\nprint(part.half(4))", folder=str(folder)).output) == ("2.0\n", "changed\n")
    assert "part" not in sys.modules


def test_a_library_inside_the_scripts_folder_stays_as_it_is(folder: Path) -> None:
    inside = folder / "env" / "lib"
    inside.mkdir(parents=True)
    (inside / "outside.py").write_text("import sys\nhere = type(__loader__).__name__", encoding="utf-8")
    sys.path.append(str(inside))
    try:
        assert run("import outside\nprint(outside.here)", folder=str(folder)).output == "SourceFileLoader\n"
    finally:
        sys.path.remove(str(inside))
        del sys.modules["outside"]
