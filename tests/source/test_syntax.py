"""What is no Python is said in one sentence with its place."""

from __future__ import annotations

import pytest

from gradviz.errors import LimitError, ScriptError
from gradviz.source.syntax import MAX_CHARACTERS, column_in_characters, parse_script


@pytest.mark.parametrize(
    ("text", "message", "place", "words"),
    [
        ("x = 1\nif x\n    y", "SyntaxError: expected ':'", (2, 5), "colon"),
        ("x = (1,\ny = 2", "SyntaxError: '(' was never closed", (1, 5), "Close this bracket"),
        ("if x:\ny", "IndentationError: expected an indented block", (2, 1), "Indent the lines"),
        ("x = 1\n>>> y", "SyntaxError: invalid syntax", (2, 1), "prompt"),
        ("%matplotlib inline", "SyntaxError: invalid syntax", (1, 1), "notebook's command"),
        ("lambda = 0.1", "SyntaxError: invalid syntax", (1, 8), "'lambda' is a word of Python's own"),
        ("i++", "SyntaxError: invalid syntax", (1, 4), "i += 1"),
        ("print 'a'", "SyntaxError: Missing parentheses", (1, 1), "Python 2"),
        ("é = “a”", "SyntaxError: invalid character", (1, 5), "Type it anew"),
    ],
)
def test_what_is_no_python_is_told_with_its_place(text, message, place, words):
    with pytest.raises(ScriptError) as raised:
        parse_script(text)

    assert raised.value.message.startswith(message)
    assert (raised.value.line, raised.value.column) == place
    assert words in raised.value.hint


@pytest.mark.parametrize(
    "text",
    ["x = " + "-" * 200_000 + "1", "x = 1\ny = " + "(" * 5_000, "a\0b", "x" * (MAX_CHARACTERS + 1)],
    ids=["signs", "brackets", "zero byte", "too long"],
)
def test_what_no_parser_follows_is_one_sentence(text):
    with pytest.raises(ScriptError) as raised:
        parse_script(text)

    assert raised.value.hint


def test_nesting_that_is_too_deep_names_the_longest_line():
    with pytest.raises(LimitError) as raised:
        parse_script("x = 1\ny = " + "not " * 100_000 + "x")

    assert raised.value.line == 2


def test_columns_count_characters():
    assert column_in_characters("é = x", 1, 5) == 5
    assert column_in_characters("e = x", 1, 4) == 5
    assert column_in_characters("x", 7, 2) == 3
