"""The syntax tree of a text that may be anything."""

from __future__ import annotations

import ast
import warnings


def tree_of(text: str) -> ast.Module | None:
    """The syntax tree of a text; None where it is no Python, or nested too deeply to be read."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "\d" in the user's string is no concern of ours
            return ast.parse(text, "")  # with a name, Python would look for the file to quote a bad line
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
