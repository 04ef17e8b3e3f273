"""Attempts to get out of a script, against the gate alone: each ends in one sentence, and nothing is opened or run."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.run.attacks import EXPRESSIONS, SETUP, STATEMENTS
from tests.run.scripts import run

LINES = SETUP.count("\n")


def test_the_setup_itself_runs() -> None:
    assert run(SETUP).message == ""


@pytest.mark.parametrize("attack", EXPRESSIONS.values(), ids=EXPRESSIONS.keys())
def test_an_expression_ends_in_one_sentence_at_its_line(attack: str) -> None:
    ran = run(f"{SETUP}print('got', {attack})")

    assert ran.message
    assert "\n" not in ran.message
    assert ran.place[0] == LINES + 1
    assert ran.output == ""


@pytest.mark.parametrize("attack", STATEMENTS.values(), ids=STATEMENTS.keys())
def test_statements_end_in_one_sentence_at_one_of_their_lines(attack: str) -> None:
    ran = run(f"{SETUP}{attack}\n")

    assert ran.message
    assert "\n" not in ran.message
    assert ran.place[0] is not None
    assert ran.place[0] > LINES
    assert ran.output == ""


AUDIT = """
import json, sys
sys.path.insert(0, ".")
from tests.run.scripts import run
scripts = json.load(sys.stdin)
run(scripts[0])  # imports what is imported late
seen, on = [], False
def hook(event, arguments):
    if on and event.startswith(FORBIDDEN):
        seen.append([event, repr(arguments)[:200]])
FORBIDDEN = ("open", "os.", "socket", "subprocess", "shutil", "tempfile", "ctypes", "pickle", "marshal", "glob",
             "builtins.input", "builtins.breakpoint", "sys._getframe.", "webbrowser", "urllib", "mmap", "code.")
sys.addaudithook(hook)
for script in scripts:
    on = True
    run(script)
    on = False
json.dump(seen, sys.stdout)
"""


def test_nothing_is_opened_started_or_mapped() -> None:
    scripts = [SETUP, *(f"{SETUP}print({attack})" for attack in EXPRESSIONS.values())]
    scripts += [f"{SETUP}{attack}\n" for attack in STATEMENTS.values()]

    done = subprocess.run(
        [sys.executable, "-c", AUDIT],
        input=json.dumps(scripts),
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )

    assert done.returncode == 0, done.stderr[-2000:]
    assert json.loads(done.stdout) == []


def test_a_module_that_a_script_asks_for_by_name_is_told_as_beyond_the_engine() -> None:
    for name in "subprocess socket ctypes importlib gradviz pickle multiprocessing threading signal shelve ast".split():
        ran = run(f"import {name}\n{name}.name")

        assert ran.message == f"the module '{name}' is beyond the built-in engine"
        assert ran.place == (1, 8)


def test_an_absent_module_can_be_asked_for() -> None:
    text = "try:\n    import pandas\nexcept ImportError:\n    pandas = None\nprint(pandas)"

    assert run(text).output == "None\n"


def test_methods_of_a_script_hear_only_of_names_that_it_may_define() -> None:
    text = """
class Odd:
    def __eq__(self, other): return True
    def __hash__(self): return 7
    def __getattr__(self, name): return name
    def __iter__(self): return iter([1, 2])
o = Odd()
print(o == 1, hash(o), o.anything, list(o), o._hidden, getattr(o, "__globals__", "no"), hasattr(o, "__code__"))
"""

    assert run(text).output == "True 7 anything [1, 2] _hidden no False\n"
