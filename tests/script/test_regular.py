"""Regular expressions: Python's, within bounds."""

from __future__ import annotations

import pytest

from gradviz.errors import LimitError
from gradviz.imitation.script.run import run


@pytest.mark.parametrize(
    "pattern", ["(a+)+b", "(a|aa)*b", "(?:a*)*b", "((a?)+)+b", "(a|b|ab)*c"]
)  # fmt: skip
def test_a_pattern_that_could_take_for_ever_is_refused_on_a_long_text(pattern: str) -> None:
    error = run(f"import re\nre.search({pattern!r}, 'a' * 40)", seed=0).error

    assert isinstance(error, LimitError)
    assert "may take very long" in error.message


def test_alternatives_and_parts_that_end_where_they_must_cost_no_more_than_one_look() -> None:
    text = r"""
import re
words = re.findall(r"[a-z]+(?:'[a-z]+)?|\d+(?:\.\d+)?|[^\w\s]", "it's 3.5, or not. " * 300)
print(len(words), words[:5], len(re.findall(r"(?:a|b)+c", "abc, x " * 200)))
"""

    assert run(text, seed=0).recording.output == "1800 [\"it's\", '3.5', ',', 'or', 'not'] 200\n"


def test_many_repeats_are_allowed_on_a_short_text_only() -> None:
    text = "import re\nprint(re.search(r'(.+) (.+) (.+)', {}).groups())"

    assert run(text.format("'a b c'"), seed=0).recording.output == "('a', 'b', 'c')\n"
    assert isinstance(run(text.format("'a b ' * 1000"), seed=0).error, LimitError)


def test_a_match_gives_nothing_but_what_is_listed() -> None:
    error = run("import re\nre.match('a', 'a').__class__.__base__.__subclasses__.__globals__", seed=0).error

    assert error is not None
