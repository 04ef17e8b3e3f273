"""A script's text as a syntax tree, and one sentence for what is no Python."""

from __future__ import annotations

import ast
import re
import warnings

from gradviz.errors import LimitError, ScriptError

MAX_CHARACTERS = 2_000_000
"""Longer scripts are refused."""

BY_LINE: tuple[tuple[str, str], ...] = (
    (
        r"^\s*(?:[%!?]|pip3? install |conda install )|^[^\"'#]*\?$",
        "This is a notebook's command, not Python: leave the line out, or open the .ipynb itself.",
    ),
    (r"^\s*(?:>>>|\.\.\.|In ?\[\d*\]:)", "Leave out the prompt and the lines that show what was printed."),
    (r"^\s*else if\b", "Python writes elif."),
    (r"\w(?:\+\+|--)\s*$", "Python has no ++: write i += 1."),
    (
        r"^\s*(class|def|lambda|for|if|in|is|not|and|or|from|import|pass|with|as|try|del|global|return|yield)\s*=[^=]",
        "'{0}' is a word of Python's own: choose another name.",
    ),
)
"""What to do about a line that is no Python, by what stands in it; groups stand where the braces are."""

BY_MESSAGE: tuple[tuple[str, str], ...] = (
    (r"outside function", "Put it into a function, or remove it."),
    (r"was never closed", "Close this bracket."),
    (r"unmatched|does not match opening", "Each bracket closes the last one of its kind that is open."),
    (r"expected ':'", "Put a colon at the end of the line."),
    (r"expected an indented block", "Indent the lines that belong to it."),
    (r"unexpected indent", "Let the line begin where the line before it begins."),
    (r"unindent does not match", "Indent the line as far as another line of the block."),
    (r"inconsistent use of tabs", "Indent with blanks alone."),
    (r"cannot assign to", "The name stands on the left of =, its value on the right; == compares."),
    (r"Maybe you meant '=='", "= gives a name a value; == compares."),
    (r"Missing parentheses in call to 'print'", "Write print(...): this is Python 2."),
    (r"unterminated", "End the text with the quotes that it begins with."),
    (r"f-string: expecting '\}'", "Close the brace inside the text."),
    (r"forgot a comma", "Put a comma or an operator between the two."),
    (
        r"invalid (?:non-printable )?character",
        "Type it anew: documents have other quotes, signs and blanks than Python.",
    ),
    (r"positional argument follows keyword argument", "Put arguments with names behind those without."),
    (r"invalid decimal literal|leading zeros", "A name does not begin with a digit, nor a number with 0."),
    (r"expected 'except' or 'finally'", "A try needs an except behind its block."),
    (r"", "Look at this place and the line before it: a bracket, comma, colon or quote may be missing."),
)
"""The same by Python's own words; the last pattern fits everything."""


def parse_script(text: str) -> ast.Module:
    """The syntax tree of a script. What only Python's compiler sees, such as `return` at the top, is not looked for.

    Raises:
        ScriptError: it is no Python, with the place.
        LimitError: it is too long, or nested too deeply.
    """
    check_size(text)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the compiler warns again
            return ast.parse(text, "")  # with a name, Python would look for the file to quote a bad line
    except SyntaxError as error:
        raise syntax_problem(error) from None
    except (RecursionError, MemoryError):
        raise too_deep(text) from None
    except ValueError as error:
        raise ScriptError(f"this is not a Python script: {error}", hint="Open a .py or .ipynb file.") from None


def check_size(text: str) -> None:
    """Refuse a text that cannot be a script.

    Raises:
        ScriptError: it holds a zero byte.
        LimitError: it is too long.
    """
    if len(text) > MAX_CHARACTERS:
        raise LimitError(
            f"the script has {len(text):,} characters; gradviz reads up to {MAX_CHARACTERS:,}",
            hint="Paste only the part to look at.",
        )
    if "\0" in text:
        raise ScriptError("this is not a text file: it contains a zero byte", hint="Open a .py or .ipynb file.")


def syntax_problem(error: SyntaxError) -> ScriptError:
    """The sentence for what Python's parser or compiler refuses."""
    hint = next(
        (hint.format(*found.groups()) for pattern, hint in BY_LINE if (found := re.search(pattern, error.text or ""))),
        "",
    )
    hint = hint or next(hint for pattern, hint in BY_MESSAGE if re.search(pattern, error.msg))
    column = error.offset if error.offset is not None and error.offset > 0 else None
    return ScriptError(f"{type(error).__name__}: {error.msg}", hint=hint, line=error.lineno, column=column)


def too_deep(text: str) -> LimitError:
    """The error for code that nests deeper than Python follows. It does not say where: the longest line is named."""
    lines = text.split("\n")
    longest = max(range(len(lines)), key=lambda number: len(lines[number]))
    return LimitError(
        "the script is nested too deeply", hint="Split long expressions into several lines.", line=longest + 1, column=1
    )


def column_in_characters(text: str, line: int, column_bytes: int) -> int:
    """The column, from 1, of a place that Python's trees and frames give in UTF-8 bytes from 0."""
    lines = re.split(r"\r\n|\r|\n", text)
    if not 1 <= line <= len(lines) or lines[line - 1].isascii():
        return column_bytes + 1
    return len(lines[line - 1].encode()[:column_bytes].decode(errors="ignore")) + 1
