"""Attempts to get out of the lists end in one sentence, and open, load and execute nothing."""

# ruff: noqa: SIM905 - tables of names read better as words

from __future__ import annotations

import importlib
import json
import pkgutil
import re
import subprocess
import sys

import pytest

from gradviz.errors import ScriptError, TorchError
from gradviz.imitation.script import names
from gradviz.imitation.script.run import run
from tests.script.attacks import ATTACKS, SETUP, problem


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS.keys())
def test_attack_ends_in_one_sentence(attack: str) -> None:
    error = problem(f"{SETUP}\nprint({attack})")

    assert isinstance(error, TorchError | ScriptError)
    assert error.line == (2 if attack.startswith("sys._") else SETUP.count("\n") + 2)  # the import is refused
    assert "gradviz itself failed" not in error.message


@pytest.mark.parametrize(
    "base", ["bool", "print", "f", "torch", "x", "1", "torch.Tensor", "np.ndarray", "type(f)", "range", "slice"]
)
def test_class_derives_only_from_classes_of_scripts(base: str) -> None:
    assert problem(f"{SETUP}\nclass B({base}): pass").kind == "TypeError"


def test_a_flag_of_an_array_in_other_letters_is_refused() -> None:
    error = problem("import numpy as np\nnp.zeros(3).flags['WRI\u0239EABLE'] = False")  # ends numpy itself

    assert error.kind == "UnicodeEncodeError"


def test_member_of_an_enum_that_new_does_not_make_is_refused() -> None:
    error = problem("import enum\nclass A(enum.Enum):\n    a = 1\n    def __new__(cls, a): pass")

    assert error.message == "'NoneType' object has no attribute '_value_'"


def test_what_a_script_sets_in_a_module_ends_with_its_run() -> None:
    modules = "torch nn F math np random copy json".split()
    head = "import torch, math, random, copy, json, numpy as np\nfrom torch import nn\nF = nn.functional\n"
    name = "relu Linear pi sum random deepcopy dumps abs tensor".split()
    run(f"{head}for m in ({', '.join(modules)}):\n  for n in {name}: setattr(m, n, 5)", seed=0)

    after = run(f"{head}print([n for m in ({', '.join(modules)}) for n in {name} if getattr(m, n, 0) == 5])", seed=0)

    assert after.recording.output == "[]\n"


def test_star_import_brings_no_hidden_names() -> None:
    result = run("from torch import *\nfrom math import *\nprint(sqrt(4), __version__)", seed=0)

    assert result.error is not None
    assert "name '__version__' is not defined" in result.error.message


def test_a_script_that_uses_the_system_is_refused_at_its_import() -> None:
    error = problem("x = 1\nimport os as o\no.system('ls')")

    assert (error.line, error.column) == (2, 8)
    assert error.message == "'import os' is not supported for os.system"


def test_hooks_of_user_classes_run_in_the_script_only() -> None:
    result = run(
        """
class Odd:
    def __eq__(self, other): return True
    def __hash__(self): return 7
    def __iter__(self): return iter([1, 2])
    def __call__(self, *a): return a
    def __getattr__(self, name): return name
    def __len__(self): return 2
    def __bool__(self): return True
o = Odd()
print(o == 1, hash(o), list(o), o(3), o.anything, len(o), sorted([o, o], key=lambda v: 0) == [o, o], o in [1])
print(o.__globals__, o.__code__)
""",
        seed=0,
    )

    assert result.error is None
    assert result.recording.output == "True 7 [1, 2] (3,) anything 2 True True\n__globals__ __code__\n"


def test_decorator_and_default_see_no_more_than_the_script() -> None:
    assert problem("@(lambda f: f.__globals__)\ndef g(): pass").kind == "AttributeError"
    assert problem("def g(a=print.run): pass").kind == "AttributeError"
    assert problem("try:\n    1/0\nexcept Exception as e:\n    e.__traceback__.tb_frame").kind == "AttributeError"


AUDIT = """
import json, sys
sources = json.load(sys.stdin)
from gradviz.imitation.script.run import run
for source in sources:
    run(source, seed=0)
seen, on = [], False
def hook(event, arguments):
    if on:
        seen.append([event, arguments[0] if event == "compile" else str(arguments)[:100]])
sys.addaudithook(hook)
for source in ["x = 1", *sources]:
    on = True
    run(source, seed=0)
    on = False
json.dump(seen, sys.stdout, default=lambda text: text.decode())
"""
FORBIDDEN = tuple(
    """
open exec import os. socket subprocess shutil tempfile ctypes pickle marshal builtins.input builtins.breakpoint code.
sys._getframe sys.set sys.add webbrowser urllib mmap glob cpython.run
""".split()
)


def library_texts() -> set[str]:
    """What gradviz itself wrote in the language of scripts."""
    modules = [
        importlib.import_module(found.name) for found in pkgutil.walk_packages(names.__path__, names.__name__ + ".")
    ]
    return {value for module in modules for value in vars(module).values() if isinstance(value, str)}


def test_runs_open_load_and_execute_nothing() -> None:
    sources = [f"{SETUP}\nprint({attack})" for attack in ATTACKS.values()]

    done = subprocess.run(
        [sys.executable, "-c", AUDIT],
        input=json.dumps(sources),
        capture_output=True,
        text=True,
        check=True,
        timeout=600,
    )

    events = json.loads(done.stdout)
    assert [event for event in events if event[0].startswith(FORBIDDEN)] == []
    compiled = [text for event, text in events if event == "compile"]
    ours = {*compiled[: compiled.index(sources[0])], *library_texts()}
    # The text of a script is parsed, and checked by Python's compiler; nothing else of it is, but for the sizes that
    # numpy finds in the name of a dtype: it reads them as the literals they are.
    assert ours.isdisjoint(sources)
    rest = set(compiled) - ours - set(sources)
    assert {*compiled} >= {*sources}
    assert all(re.fullmatch(r"[\d(), ]+", text) for text in rest), rest
