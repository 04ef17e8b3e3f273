"""Write a change in the table of leaves back into the text of the script.

Only the call that makes the leaf is touched; comments, spacing and other arguments stay as they were typed.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable
from dataclasses import dataclass

from gradviz.errors import GradvizError
from gradviz.source import leaf_edits
from gradviz.source.creation import DTYPES, natural_dtype
from gradviz.source.edits import Edit, ParsedText, apply_edits, parse_text
from gradviz.source.leaves import FoundLeaf, LeafSpec, find_leaves, read_leaves
from gradviz.source.missing_names import first_use, missing_names
from gradviz.source.rename import rename_variable
from gradviz.source.values import Values, fill_shape, shape_of, values_source


@dataclass(frozen=True)
class LeafChange:
    """What to change about one leaf; None leaves it as it is.

    Attributes:
        values: new numbers, of any shape. The dtype stays, unless it follows from the numbers alone.
        shape: new shape; the numbers are arranged in it, filled up with 0.
        dtype: one of `DTYPES`.
        new_name: another name for the variable, here and at all its uses.
        line: line of the leaf, which tells two assignments of one name apart; None for the first.
        added: a new leaf with these values is wanted.
        removed: the leaf is to go.
    """

    values: Values | None = None
    shape: tuple[int, ...] | None = None
    dtype: str | None = None
    requires_grad: bool | None = None
    new_name: str | None = None
    line: int | None = None
    added: bool = False
    removed: bool = False


def change_leaf(text: str, name: str, change: LeafChange) -> str:
    """The text after a change of the leaf called `name`.

    Raises:
        GradvizError: one sentence why it cannot be made.
    """
    if change.added:
        values = [1.0, 2.0, 3.0] if change.values is None else change.values
        return _added(text, name, values, requires_grad=bool(change.requires_grad))
    index = _index(text, name, change.line)
    if change.removed:
        return _removed(text, index)
    if change.shape is not None:
        text = _with_shape(text, index, change.shape)
    if change.values is not None:
        text = _with_values(text, index, change.values)
    if change.requires_grad is False:  # first, since only then may the dtype be made whole
        text = _with_requires_grad(text, index, False)
    if change.dtype is not None:
        text = _with_dtype(text, index, change.dtype)
    if change.requires_grad:
        text = _with_requires_grad(text, index, True)
    return text if change.new_name is None else rename_variable(text, name, change.new_name)


def _index(text: str, name: str, line: int | None) -> int:
    """Which of the leaves is meant."""
    found = [i for i, spec in enumerate(find_leaves(text)) if spec.name == name and line in (None, spec.line)]
    if not found:
        where = "" if line is None else f" on line {line}"
        raise GradvizError(f"There is no tensor '{name}' made from numbers{where}.", hint="Edit the script itself.")
    return found[0]


def _checked(
    text: str, index: int, attempts: list[Callable[[], list[Edit]]], is_done: Callable[[LeafSpec], bool]
) -> str:
    """The first attempt after which the text reads as wanted. An odd spelling, such as extra brackets, may fail it."""
    before = read_leaves(text)
    for attempt in attempts:
        result = apply_edits(text, attempt())
        after = read_leaves(result)
        does_parse = len(after.script.skipped) == len(before.script.skipped)
        if does_parse and index < len(after.leaves) and is_done(after.leaves[index].spec):
            return result
    spec = before.leaves[index].spec
    raise GradvizError(
        f"'{spec.name}' is written in a way that cannot be changed from here.", hint=f"Edit line {spec.line}."
    )


def _same(a: Values | None, b: Values | None) -> bool:
    """Equal in number and kind; nan equals nan, and -0. does not equal 0."""
    return repr(a) == repr(b)


def _with_values(text: str, index: int, values: Values) -> str:
    table = read_leaves(text)
    found = table.leaves[index]
    wanted = leaf_edits.values_in_dtype(found, values)
    if _same(wanted, found.spec.values):
        return text
    attempts = [
        lambda: leaf_edits.set_values(table.script, table.names, found, wanted),
        lambda: leaf_edits.rebuild(table.script, table.names, found, wanted, found.spec.dtype),
    ]
    shape = shape_of(wanted)
    return _checked(text, index, attempts, lambda spec: _same(spec.values, wanted) and spec.shape == shape)


def _with_shape(text: str, index: int, shape: tuple[int, ...]) -> str:
    table = read_leaves(text)
    found = table.leaves[index]
    if shape == found.spec.shape:
        return text
    values, dtype = found.spec.values, found.spec.dtype
    attempts = [lambda: leaf_edits.set_shape(table.script, table.names, found, shape)]
    if values is not None:
        arranged = fill_shape(values, shape)
        attempts.append(lambda: leaf_edits.rebuild(table.script, table.names, found, arranged, dtype))
    return _checked(text, index, attempts, lambda spec: spec.shape == shape and spec.dtype == dtype)


def _with_dtype(text: str, index: int, dtype: str) -> str:
    if dtype not in DTYPES:
        raise GradvizError(
            f"'{dtype}' is not a dtype that a leaf can have.", hint=f"Choose one of {', '.join(DTYPES)}."
        )
    table = read_leaves(text)
    found = table.leaves[index]
    if dtype == found.spec.dtype:
        return text
    values = found.spec.values
    attempts = [lambda: leaf_edits.set_dtype(table.script, table.names, found, dtype)]
    if values is not None:
        attempts.append(lambda: leaf_edits.rebuild(table.script, table.names, found, values, dtype))
    return _checked(text, index, attempts, lambda spec: spec.dtype == dtype)


def _with_requires_grad(text: str, index: int, wanted: bool) -> str:
    table = read_leaves(text)
    found = table.leaves[index]
    if wanted == found.spec.requires_grad:
        return text
    end = table.script.end(found.creation.expression)
    attempts = [
        lambda: leaf_edits.set_requires_grad(table.script, found, wanted),
        lambda: [Edit(end, end, f".requires_grad_({'' if wanted else 'False'})")],
    ]
    return _checked(text, index, attempts, lambda spec: spec.requires_grad is wanted)


def _added(text: str, name: str, values: Values, *, requires_grad: bool) -> str:
    """The text with one more leaf after the last one, under a free name near `name`."""
    table = read_leaves(text)
    script = table.script
    function, imports = table.names.spell("tensor", script)
    suffix = ", requires_grad=True" if requires_grad and natural_dtype(values) == "float32" else ""
    line = f"{_free_name(script, name)} = {function}({values_source(values)}{suffix})"
    place = _place_for_new(script, table.leaves, table.names.first_line, name)
    before = script.prompt(script.line_and_column(place - 1)[0]) if place else ""
    if ">>>" in before:  # what has no prompt there is taken for output
        line = f"{before}{line}"
    if place and text[place - 1] not in "\r\n":
        line = f"{script.newline}{line}"
    new = f"{line}{script.newline}"
    joined = [Edit(edit.start, edit.end, edit.new + new) if edit.start == place else edit for edit in imports]
    return apply_edits(text, joined if joined != imports else [*imports, Edit(place, place, new)])


def _free_name(script: ParsedText, wanted: str) -> str:
    if wanted in missing_names(script.text):
        return wanted
    used = {node.id for node in ast.walk(script.tree) if isinstance(node, ast.Name)}
    candidates = itertools.chain([wanted], (f"{wanted}{n}" for n in itertools.count(2)))
    return next(name for name in candidates if name not in used)


def _place_for_new(script: ParsedText, leaves: list[FoundLeaf], first_line: int, name: str) -> int:
    """The index after the line of the last leaf at the outermost level, else of the last import.

    Where the name is used before that, only what stands before counts.
    """
    use = first_use(script.tree, name)
    body = [node for node in script.tree.body if use is None or node.lineno < use.lineno]
    made = [found.statement for found in leaves if found.statement in body]
    imports = [node for node in body if isinstance(node, (ast.Import, ast.ImportFrom))]
    after = (made or imports)[-1:]
    return script.after_line(script.end(after[0])) if after else first_line


def _removed(text: str, index: int) -> str:
    """The text without the lines that make the leaf; refused where it is used, or its line does more."""
    table = read_leaves(text)
    script, found = table.script, table.leaves[index]
    name = found.spec.name
    own = (found.statement, *found.switch_statements)
    inside = {id(node) for statement in own for node in ast.walk(statement)}
    uses = [n for n in ast.walk(script.tree) if isinstance(n, ast.Name) and n.id == name and id(n) not in inside]
    if uses:
        raise GradvizError(f"'{name}' is used on line {uses[0].lineno}.", hint="Take it out there first.")
    result = apply_edits(text, [_whole_lines(script, statement, name) for statement in own])
    is_gone = len(find_leaves(result)) == len(table.leaves) - 1
    if not is_gone or len(parse_text(result).skipped) != len(script.skipped):
        raise _shares_line(name, found.spec.line)
    return result


def _whole_lines(script: ParsedText, statement: ast.stmt, name: str) -> Edit:
    start, end = script.span(statement)
    first, past = script.index_of(statement.lineno, 0), script.after_line(end)
    rest = script.text[end:past]
    if script.text[first:start].strip() or (rest.strip() and not rest.lstrip().startswith("#")):
        raise _shares_line(name, statement.lineno)
    return Edit(script.start_of(statement.lineno), past, "")


def _shares_line(name: str, line: int) -> GradvizError:
    return GradvizError(f"'{name}' does not stand on a line of its own.", hint=f"Edit line {line}.")
