"""Prompts of a shell or notebook in a pasted text (`>>>`, `In [3]:`), and the output shown between them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import pairwise

from gradviz.trace.syntax import tree_of

_SHELL_PROMPT = re.compile(r"[^\S\n]*(?:>>>|\.\.\.)(?: |$)")
_NOTEBOOK_PROMPT = re.compile(r"[^\S\n]*(?:(?:In ?)?\[[\d*]+\]|In ?\[ \]):(?: |$)")
_CONTINUATION = re.compile(r"[^\S\n]*\.{3,}:(?: |$)")
_OUTPUT = re.compile(r"[^\S\n]*Out ?\[\d+\]:")
_PROMPTS = (_SHELL_PROMPT, _NOTEBOOK_PROMPT, _CONTINUATION)

_SHOWN_CALLS = frozenset({"tensor", "array", "Parameter", "device"})
"""What the text of a shown value looks like: `tensor([1., 2.])`."""

_SHOWN = (
    ast.Constant, ast.UnaryOp, ast.unaryop, ast.Tuple, ast.List, ast.Dict, ast.Set, ast.Name, ast.expr_context,
    ast.keyword, ast.Attribute, ast.Call, ast.BinOp, ast.operator, ast.Expr,
)  # fmt: skip


def without_prompts(text: str) -> str:
    """Take off the prompts of a shell or notebook (`>>>`, `...`, `In [3]:`), and the output shown between them.

    Lines keep their numbers: what is taken off leaves an empty line. A text without prompts, or one that is Python as
    it stands, is returned as it is.
    """
    lines = text.split("\n")
    if not any(_is_prompted(line) for line in lines) or _is_meant(text):
        return text
    for block in _blocks(lines):
        _clean(lines, block)
    return "\n".join(lines)


def without_prompt(line: str) -> str:
    """One line without the prompt that it begins with, if it does."""
    prompt = next((prompt for prompt in _PROMPTS if prompt.match(line)), None)
    return line if prompt is None else prompt.sub("", line, count=1)


def _is_meant(text: str) -> bool:
    """Whether the text is Python as it stands. `In [3]: x = 1` is too, an annotation, but nobody means that."""
    tree = tree_of(text)
    return tree is not None and not any(
        isinstance(node, ast.AnnAssign)
        and isinstance(node.target, ast.Subscript)
        and isinstance(node.target.value, ast.Name)
        and node.target.value.id == "In"
        for node in ast.walk(tree)
    )


def _is_prompted(line: str) -> bool:
    return any(prompt.match(line) for prompt in _PROMPTS)


def _blocks(lines: list[str]) -> Iterator[range]:
    """The line indices of each prompt with what follows it, up to the next prompt that starts a statement."""
    starts = [
        at for at, line in enumerate(lines)
        if line.lstrip().startswith(">>>") or _NOTEBOOK_PROMPT.match(line)
    ]  # fmt: skip
    yield from (range(start, end) for start, end in pairwise([*starts, len(lines)]))


def _clean(lines: list[str], block: range) -> None:
    """Replace the lines of one block by their code, and its output by empty lines."""
    is_shell = _SHELL_PROMPT.match(lines[block.start]) is not None
    is_alone = not is_shell and not _NOTEBOOK_PROMPT.sub("", lines[block.start], count=1).strip()
    follows_prompt = is_in_output = False
    rest: list[int] = []
    for at in block:
        line = lines[at]
        if _is_prompted(line):
            lines[at] = without_prompt(line)
            follows_prompt, is_in_output = is_shell, False
        elif _OUTPUT.match(line) or is_in_output:
            lines[at], is_in_output = "", True
        elif follows_prompt and line.strip():
            lines[at] = ""  # what a shell prints stands right below, as far as the next empty line
        else:
            follows_prompt = False
            rest.append(at)
    if is_alone:
        _keep_code(lines, rest)
    elif not _is_code(_dedented(lines, rest)):
        _keep(lines, rest, 0)
    elif not is_shell and not _parses("\n".join(lines[block.start : block.stop])):
        for at, code in zip(rest, _dedented(lines, rest).split("\n"), strict=True):
            lines[at] = code


def _keep_code(lines: list[str], places: list[int]) -> None:
    """Empty the tensors shown at the end of a notebook's cell; other output there cannot be told from a mistake."""
    count = len(places)
    while count and _is_shown(lines[places[count - 1]]):
        count -= 1
    _keep(lines, places, count)


def _keep(lines: list[str], places: list[int], count: int) -> None:
    for at in places[count:]:
        lines[at] = ""


def _dedented(lines: list[str], places: list[int]) -> str:
    """The lines without the indentation of the first one that says anything, as below `In [3]: `."""
    first = next((lines[at] for at in places if lines[at].strip()), "")
    indent = first[: len(first) - len(first.lstrip())]
    return "\n".join(lines[at].removeprefix(indent) for at in places)


def _is_code(text: str) -> bool:
    """Whether unprompted lines are statements, not the output of those above."""
    tree = tree_of(text)
    return tree is not None and any(not _shows_value(statement) for statement in tree.body)


def _is_shown(line: str) -> bool:
    """Whether a line that ends a cell is the text of a shown tensor, or empty."""
    tree = tree_of(line)
    return tree is not None and all(
        _shows_value(statement) and isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
        for statement in tree.body
    )


def _shows_value(statement: ast.stmt) -> bool:
    """Whether a statement could be printed text: `tensor([1., 2.])`, `3.5`, `loss: 0.25`."""
    if isinstance(statement, ast.AnnAssign):
        return statement.value is None and isinstance(statement.annotation, ast.Constant | ast.UnaryOp)
    return isinstance(statement, ast.Expr) and all(
        isinstance(node, _SHOWN)
        and (not isinstance(node, ast.Call) or (isinstance(node.func, ast.Name) and node.func.id in _SHOWN_CALLS))
        for node in ast.walk(statement)
    )


def _parses(text: str) -> bool:
    return tree_of(text) is not None
