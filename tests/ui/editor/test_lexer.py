"""Python text line by line: coloured pieces, indentation, comment signs."""

from __future__ import annotations

import pytest

from gradviz.ui.editor.lexer import IN_DOUBLE, PLAIN, commented, indent_after, spans, units


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("for i in x:  # why", [("for", "keyword"), ("in", "keyword"), ("# why", "comment")]),
        ("x1 = 2. + .5e-3*0x1F", [("2.", "number"), (".5e-3", "number"), ("0x1F", "number")]),
        ("s = f'a # b' + \"c\"", [("f'a # b'", "string"), ('"c"', "string")]),
        (r"'it\'s'", [(r"'it\'s'", "string")]),
        ("'open", [("'open", "string")]),
        ("π = True", [("True", "keyword")]),
        ("matching = forward", []),
        ("f(x)", [("(", "bracket"), (")", "bracket")]),
    ],
)
def test_line_is_read_as_python_reads_it(line, expected):
    pieces, state = spans(line, PLAIN)

    assert [(line[p.start : p.end], p.role) for p in pieces] == expected
    assert state == PLAIN


def test_string_of_three_quotes_goes_on_until_its_end():
    first, state = spans('x = """one # not a comment', PLAIN)
    second, after = spans('two""" + 3', state)

    assert [p.role for p in first] == ["string"]
    assert state == IN_DOUBLE
    assert [p.role for p in second] == ["string", "number"]
    assert after == PLAIN


@pytest.mark.parametrize(
    ("line", "indent"),
    [
        ("x = 1", ""),
        ("for i in x:", "    "),
        ("    if a:  # b", "        "),
        ("y = f(", "    "),
        ("    return x", ""),
        ("    x = 1  # like so:", "    "),
        ("passes = 1", ""),
    ],
)
def test_next_line_is_indented_as_python_needs(line, indent):
    assert indent_after(line) == indent


def test_comment_sign_stands_at_the_least_indentation_and_comes_off_again():
    lines = ["    if a:", "", "        b"]

    assert commented(lines) == ["    # if a:", "", "    #     b"]
    assert commented(commented(lines)) == lines


def test_letters_beyond_the_first_plane_count_double_for_qt():
    assert units("a𝛼b", 1) == 1
    assert units("a𝛼b", 2) == 3
