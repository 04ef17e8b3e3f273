"""Rename a variable of a script everywhere, where that is certainly safe."""

from __future__ import annotations

import ast
import builtins
import keyword
from collections.abc import Iterator

from gradviz.errors import GradvizError
from gradviz.source.edits import Edit, ParsedText, apply_edits, parse_text

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, ast.comprehension)


def rename_variable(text: str, old: str, new: str) -> str:
    """The text with the variable `old` called `new`.

    Raises:
        GradvizError: `new` is no free name, or a use of `old` cannot be renamed safely.
    """
    script = parse_text(text)
    _check_name(script, new)
    if old == new:
        return text
    if script.skipped:
        raise GradvizError(f"Line {script.skipped[0]} does not parse.", hint=f"Mend it before renaming '{old}'.")
    _check_scopes(script, old)
    uses = [node for node in ast.walk(script.tree) if isinstance(node, ast.Name) and node.id == old]
    result = apply_edits(text, {Edit(*script.span(node), new) for node in uses})
    if any(script.written(node) != old for node in uses) or not _is_renamed(script, result, old, new):
        raise GradvizError(f"'{old}' is used inside an f-string.", hint="Rename it there by hand first.")
    return result


def _check_name(script: ParsedText, new: str) -> None:
    if not new.isidentifier() or keyword.iskeyword(new):
        raise GradvizError(f"'{new[:40]}' is not a variable name.", hint="Use letters, digits and _, no digit first.")
    if hasattr(builtins, new):
        raise GradvizError(f"'{new}' is a name of Python itself.", hint="Choose another one.")
    if new in _other_names(script.tree):
        raise GradvizError(f"'{new}' is already used in the script.", hint="Choose another name.")


def _other_names(tree: ast.Module) -> set[str]:
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return used | {name for name, _ in _bound_elsewhere(tree)}


def _bound_elsewhere(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Names bound by anything but an assignment, with their lines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            yield node.arg, node.lineno
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name, node.lineno
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                yield (alias.asname or alias.name).split(".")[0], node.lineno
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            for name in node.names:
                yield name, node.lineno
        elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
            yield node.name, node.lineno


def _check_scopes(script: ParsedText, old: str) -> None:
    """Refuse where a function, a lambda or a comprehension has a variable of the same name."""
    lines = [line for name, line in _bound_elsewhere(script.tree) if name == old]
    for scope in ast.walk(script.tree):
        if isinstance(scope, _SCOPES):
            lines.extend(
                node.lineno
                for node in ast.walk(scope)
                if isinstance(node, ast.Name) and node.id == old and not isinstance(node.ctx, ast.Load)
            )
    if lines:
        raise GradvizError(f"'{old}' is another variable on line {min(lines)}.", hint="Rename it by hand.")


def _is_renamed(script: ParsedText, result: str, old: str, new: str) -> bool:
    """Whether the new text means the old one with the name exchanged: its tree is the same but for that name."""
    wanted, got = ast.dump(script.tree), ast.dump(parse_text(result).tree)
    return wanted.replace(f"Name(id={old!r},", f"Name(id={new!r},") == got
