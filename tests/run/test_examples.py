"""`doctest` in scripts: as Python's own, behind the gate."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.run.scripts import output_of, run

SCRIPT = '''"""
>>> 1 + 1
3
"""
import doctest

def f(x):
    """
    >>> f(1)
    2
    >>> f("a")  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    TypeError: other words
    >>> y = f(2)
    >>> for i in range(2): y + i
    3
    4
    >>> print([y] * 30)  # doctest: +ELLIPSIS, +NORMALIZE_WHITESPACE
    [3, 3,   ... 3]
    >>> 0  # doctest: +SKIP
    5
    """
    return x + 1

class Stack:
    """
    >>> Stack().pop()
    Traceback (most recent call last):
        ...
    IndexError: pop from empty list
    """
    def pop(self):
        """
        >>> print("a"); None
        b
        """
        return [].pop()

'''


@pytest.mark.parametrize("flags", ["", "verbose=True", "optionflags=doctest.FAIL_FAST", "report=False"])
def test_what_is_printed_is_what_python_prints(flags: str, tmp_path: Path) -> None:
    if sys.version_info >= (3, 13):
        pytest.skip("words of Python 3.11 and 3.12")
    text = f"{SCRIPT}print(doctest.testmod({flags}))\ndoctest.run_docstring_examples(f, globals())\n"
    (tmp_path / "t.py").write_text(text, encoding="utf-8")
    done = subprocess.run([sys.executable, "t.py"], cwd=tmp_path, capture_output=True, text=True, check=True)

    printed = done.stdout.replace(f"{tmp_path}{os.sep}", "")
    lines = printed.splitlines()
    if "verbose" in flags:  # classes and functions without examples are counted too
        assert "ok" in lines

    assert output_of(text).splitlines() == lines


def test_functions_that_do_not_exist_yet_are_not_tested() -> None:
    text = 'import doctest\nprint(doctest.testmod())\ndef f():\n    """\n    >>> 1\n    2\n    """\n'

    assert output_of(text) == "TestResults(failed=0, attempted=0)\n"


def test_each_docstring_has_variables_of_its_own() -> None:
    text = 'import doctest\nx = 1\ndef f():\n    """\n    >>> x = 5\n    >>> x\n    5\n    """\ndoctest.testmod()\nprint(x)\n'

    assert output_of(text) == "1\n"


def test_examples_run_behind_the_gate() -> None:
    text = 'import doctest\ndef f():\n    """\n    >>> (lambda: 0).__globals__\n    """\ndoctest.testmod()\n'
    ran = run(text)

    assert "__globals__" in ran.message
    assert ran.place[0] == 4


def test_no_text_made_while_the_script_runs_becomes_code() -> None:
    ran = run('import doctest\ndef f(): "old"\nf.__doc__ = ">>> 1\\n2"\ndoctest.run_docstring_examples(f, {})\n')
    other = run('import doctest\nclass A: pass\na = A()\na.__doc__ = ">>> 1"\ndoctest.run_docstring_examples(a, {})\n')

    assert ran.output == ""
    assert "no other text" in other.message


def test_an_import_that_is_never_used_stops_no_script() -> None:
    assert output_of("import threading, gzip as g\nprint(1)") == "1\n"
    assert run("import gzip as g\ng.open('a')").message == "the module 'gzip' is beyond the built-in engine"
    assert run("import gzip\ngzip.open('a')").place == (1, 8)
    assert run("from gzip import open").message == "the module 'gzip' is beyond the built-in engine"
    assert run("import no_such_module").message == "the module 'no_such_module' is beyond the built-in engine"
