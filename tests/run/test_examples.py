"""`doctest` in scripts is Python's own, and finds the script's text."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.run.scripts import output_of

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
