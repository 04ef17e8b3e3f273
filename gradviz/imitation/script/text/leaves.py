"""The leaves of a script as a table: find them in the text, and write a change of one back into the text.

Only the call that makes the leaf is touched; comments, spacing and other arguments stay as they were typed.
Knows text alone: nothing runs.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable
from dataclasses import dataclass

from gradviz.errors import GradvizError
from gradviz.imitation.script.text import leaf_edits
from gradviz.imitation.script.text.aliases import TorchNames, torch_names
from gradviz.imitation.script.text.leaf_search import Found, LeafSpec, search
from gradviz.imitation.script.text.leaf_values import Values, parse_shape, parse_values, reshaped, shape_of, source_of
from gradviz.imitation.script.text.located import Change, Located, changed, locate
from gradviz.imitation.script.text.making import DTYPES, natural_dtype
from gradviz.imitation.script.text.rename import rename

__all__ = [
    "DTYPES", "LeafChange", "LeafSpec", "Values", "add", "apply", "find", "parse_shape", "parse_values", "remove",
    "rename", "reshaped", "rewrite",
]  # fmt: skip


@dataclass(frozen=True)
class LeafChange:
    """What to change about one leaf; None leaves it as it is.

    Attributes:
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


def find(text: str) -> tuple[LeafSpec, ...]:
    """All leaves made from numbers in the text, in its order. Lines that do not parse are passed over."""
    script = locate(text)
    return tuple(found.spec for found in search(script, torch_names(script)))


def apply(text: str, name: str, change: LeafChange) -> str:
    """The text after a change in the table of leaves.

    Raises:
        GradvizError: one sentence why it cannot be made.
    """
    if change.added:
        return add(text, name, values=change.values, requires_grad=bool(change.requires_grad))
    if change.removed:
        return remove(text, name, line=change.line)
    return rewrite(
        text, name, values=change.values, shape=change.shape, dtype=change.dtype,
        requires_grad=change.requires_grad, new_name=change.new_name, line=change.line,
    )  # fmt: skip


def rewrite(
    text: str,
    name: str,
    *,
    values: Values | None = None,
    shape: tuple[int, ...] | None = None,
    dtype: str | None = None,
    requires_grad: bool | None = None,
    new_name: str | None = None,
    line: int | None = None,
) -> str:
    """Write a change of one leaf into the text.

    Args:
        values: new numbers, of any shape. The dtype stays, unless it follows from the numbers alone.
        shape: new shape; the numbers are poured into it, filled up with 0.
        dtype: one of `DTYPES`.
        new_name: another name for the variable, here and at all its uses.
        line: line of the leaf where several have the name; without it the first.

    Raises:
        GradvizError: one sentence why it cannot be made.
    """
    index = _index(text, name, line)
    if shape is not None:
        text = _with_shape(text, index, shape)
    if values is not None:
        text = _with_values(text, index, values)
    if requires_grad is False:  # first, since only then may the dtype be made whole
        text = _with_requires_grad(text, index, False)
    if dtype is not None:
        text = _with_dtype(text, index, dtype)
    if requires_grad:
        text = _with_requires_grad(text, index, True)
    return text if new_name is None else rename(text, name, new_name)


def _index(text: str, name: str, line: int | None) -> int:
    places = [i for i, spec in enumerate(find(text)) if spec.name == name and line in (None, spec.line)]
    if not places:
        where = "" if line is None else f" on line {line}"
        raise GradvizError(f"There is no tensor '{name}' made from numbers{where}.", hint="Edit the script itself.")
    return places[0]


def _opened(text: str, index: int) -> tuple[Located, TorchNames, Found]:
    script = locate(text)
    names = torch_names(script)
    return script, names, search(script, names)[index]


def _same(a: Values | None, b: Values | None) -> bool:
    """Equal in number and kind; nan equals nan, and -0. does not equal 0."""
    return repr(a) == repr(b)


def _checked(
    text: str, index: int, attempts: list[Callable[[], list[Change]]], is_done: Callable[[LeafSpec], bool]
) -> str:
    """The first attempt after which the text reads as wanted. An odd spelling, such as extra brackets, may fail it."""
    for attempt in attempts:
        result = changed(text, attempt())
        script = locate(result)
        leaves = search(script, torch_names(script))
        if index < len(leaves) and is_done(leaves[index].spec) and len(script.skipped) == len(locate(text).skipped):
            return result
    spec = find(text)[index]
    raise GradvizError(
        f"'{spec.name}' is written in a way that cannot be changed from here.", hint=f"Edit line {spec.line}."
    )


def _with_values(text: str, index: int, values: Values) -> str:
    script, names, found = _opened(text, index)
    wanted = leaf_edits.fitting(found, values)
    if _same(wanted, found.spec.values):
        return text
    attempts = [
        lambda: leaf_edits.set_values(script, names, found, wanted),
        lambda: leaf_edits.rebuild(script, names, found, wanted, found.spec.dtype),
    ]
    shape = shape_of(wanted)
    return _checked(text, index, attempts, lambda spec: _same(spec.values, wanted) and spec.shape == shape)


def _with_shape(text: str, index: int, shape: tuple[int, ...]) -> str:
    script, names, found = _opened(text, index)
    if shape == found.spec.shape:
        return text
    attempts = [lambda: leaf_edits.set_shape(script, names, found, shape)]
    values = found.spec.values
    if values is not None:
        attempts.append(lambda: leaf_edits.rebuild(script, names, found, reshaped(values, shape), found.spec.dtype))
    return _checked(text, index, attempts, lambda spec: spec.shape == shape and spec.dtype == found.spec.dtype)


def _with_dtype(text: str, index: int, dtype: str) -> str:
    if dtype not in DTYPES:
        raise GradvizError(
            f"'{dtype}' is not a dtype that a leaf can have.", hint=f"Choose one of {', '.join(DTYPES)}."
        )
    script, names, found = _opened(text, index)
    if dtype == found.spec.dtype:
        return text
    values = found.spec.values
    attempts = [lambda: leaf_edits.set_dtype(script, names, found, dtype)]
    if values is not None:
        attempts.append(lambda: leaf_edits.rebuild(script, names, found, values, dtype))
    return _checked(text, index, attempts, lambda spec: spec.dtype == dtype)


def _with_requires_grad(text: str, index: int, wanted: bool) -> str:
    script, _, found = _opened(text, index)
    if wanted == found.spec.requires_grad:
        return text
    attempts = [lambda: leaf_edits.set_requires_grad(script, found, wanted)]
    end = script.span(found.making.expression)[1]
    attempts.append(lambda: [Change(end, end, f".requires_grad_({'' if wanted else 'False'})")])
    return _checked(text, index, attempts, lambda spec: spec.requires_grad is wanted)


def add(text: str, name: str, *, values: Values | None = None, requires_grad: bool = True) -> str:
    """The text with one more leaf after the last one, under a free name near `name`."""
    script = locate(text)
    names = torch_names(script)
    numbers: Values = [1.0, 2.0, 3.0] if values is None else values
    function, imports = names.spell("tensor", script)
    suffix = ", requires_grad=True" if requires_grad and natural_dtype(numbers) == "float32" else ""
    line = f"{_free_name(script, name)} = {function}({source_of(numbers)}{suffix})"
    place = _place_for_new(script, search(script, names))
    if place and text[place - 1] not in "\r\n":
        line = f"{script.newline}{line}"
    new = f"{line}{script.newline}"
    joined = [Change(c.start, c.end, c.new + new) if c.start == place else c for c in imports]
    return changed(text, joined if joined != imports else [*imports, Change(place, place, new)])


def _free_name(script: Located, wanted: str) -> str:
    used = {node.id for node in ast.walk(script.tree) if isinstance(node, ast.Name)}
    candidates = itertools.chain([wanted], (f"{wanted}{n}" for n in itertools.count(2)))
    return next(name for name in candidates if name not in used)


def _place_for_new(script: Located, leaves: list[Found]) -> int:
    """The index after the line of the last leaf at the outermost level, else of the last import."""
    body = script.tree.body
    made = [found.statement for found in leaves if found.statement in body]
    imports = [node for node in body if isinstance(node, (ast.Import, ast.ImportFrom))]
    after = (made or imports)[-1:]
    if not after:
        return torch_names(script).first_line
    return script.after_line(script.span(after[0])[1])


def remove(text: str, name: str, *, line: int | None = None) -> str:
    """The text without the lines that make the leaf.

    Raises:
        GradvizError: the variable is used, or its line does more than make it.
    """
    script, _, found = _opened(text, _index(text, name, line))
    own = (found.statement, *found.switch_statements)
    inside = {id(node) for statement in own for node in ast.walk(statement)}
    uses = [n for n in ast.walk(script.tree) if isinstance(n, ast.Name) and n.id == name and id(n) not in inside]
    if uses:
        raise GradvizError(f"'{name}' is used on line {uses[0].lineno}.", hint="Take it out there first.")
    result = changed(text, [_whole_lines(script, statement, name) for statement in own])
    if len(find(result)) != len(find(text)) - 1 or len(locate(result).skipped) != len(script.skipped):
        raise GradvizError(f"'{name}' does not stand on a line of its own.", hint=f"Edit line {found.spec.line}.")
    return result


def _whole_lines(script: Located, statement: ast.stmt, name: str) -> Change:
    start, end = script.span(statement)
    first = script.offset(statement.lineno, 0)
    past = script.after_line(end)
    rest = script.text[end:past]
    if script.text[first:start].strip() or (rest.strip() and not rest.lstrip().startswith("#")):
        raise GradvizError(f"'{name}' does not stand on a line of its own.", hint=f"Edit line {statement.lineno}.")
    return Change(first, past, "")
