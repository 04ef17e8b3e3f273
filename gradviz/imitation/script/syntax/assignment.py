"""Targets of an assignment: names, attributes, items, and tuples of them."""

from __future__ import annotations

import ast
from collections.abc import Callable
from itertools import islice
from typing import Any

from gradviz.imitation.engine.tensor import Tensor
from gradviz.errors import GradvizError, TorchError
from gradviz.imitation.script import assigned_attributes
from gradviz.imitation.script.errors.failures import CAUGHT, converted, located
from gradviz.imitation.script.machine import Frame
from gradviz.imitation.script.silent import Silent
from gradviz.imitation.script.subscripts import set_item
from gradviz.imitation.script.syntax.forms import expression, not_read
from gradviz.imitation.script.syntax.scope import Scope
from gradviz.imitation.script.values import Instance, can_be_iterated, type_name

Assign = Callable[[Frame, Any], None]


def target(node: ast.expr, scope: Scope) -> Assign:
    """Code that puts a value into a target.

    Raises:
        ScriptError: a target that gradviz does not read.
    """
    build = TARGETS.get(type(node))
    if build is None:
        raise not_read(node)
    return build(node, scope)


def loop_target(node: ast.expr, scope: Scope) -> Assign:
    """The target of a loop: what passes through it is not named after it, for it was something else before."""
    names, scope.names_tensors = scope.names_tensors, False
    try:
        return target(node, scope)
    finally:
        scope.names_tensors = names


NAMED_ITEMS = 200
"""How many tensors of a list are named after it, as `ws[0]`."""


def name_tensors(machine: Any, value: Any, key: str, *, is_global: bool) -> None:
    """Call a tensor or object by the variable it is assigned to, and the tensors of a list by their places in it."""
    if type(value) is Tensor:
        machine.name(value, key, is_global=is_global)
    elif type(value) in (list, tuple) and len(value) <= NAMED_ITEMS:
        for number, item in enumerate(value):
            if type(item) is Tensor:
                machine.name(item, f"{key}[{number}]", is_global=False)
    elif isinstance(value, Instance):
        value.label = value.label or key
        for label, item in value.attributes.items():
            if type(item) is Tensor and item.extra is not None and item.extra.label == label:
                machine.rename(item, f"{key}.{label}")


def _name(node: ast.Name, scope: Scope) -> Assign:
    key, is_module = node.id, scope.is_module
    home = scope.declared.get(key)

    def assign(frame: Frame, value: Any) -> None:
        name_tensors(frame.machine, value, key, is_global=is_module)
        frame.vars[key] = value

    def assign_unnamed(frame: Frame, value: Any) -> None:
        frame.vars[key] = value

    def assign_outside(frame: Frame, value: Any) -> None:
        declared_in(frame, key, home == "global").vars[key] = value

    if home is not None:
        return assign_outside
    # A name that begins with a space is one of ours, not the script's, and so are those of our own texts.
    is_ours = key[:1] == " " or getattr(node, "lineno", 0) < 0
    return assign if scope.names_tensors and not is_ours else assign_unnamed


def declared_in(frame: Frame, key: str, is_global: bool) -> Frame:
    """The frame that a `global` or `nonlocal` name belongs to."""
    place = frame.outer
    assert place is not None
    while place.outer is not None and (is_global or key not in place.vars):
        place = place.outer
    return place


def _attribute(node: ast.Attribute, scope: Scope) -> Assign:
    owner, key = expression(node.value, scope), node.attr

    def assign(frame: Frame, value: Any) -> None:
        try:
            receiver = owner(frame)
            assigned_attributes.put(frame.machine, receiver, key, value)
            if isinstance(receiver, Instance):
                name_tensors(frame.machine, value, key, is_global=False)
        except GradvizError as error:
            raise located(error, node) from None

    return assign


def _item(node: ast.Subscript, scope: Scope) -> Assign:
    owner, index = expression(node.value, scope), expression(node.slice, scope)

    def assign(frame: Frame, value: Any) -> None:
        try:
            set_item(owner(frame), index(frame), value)
        except GradvizError as error:
            raise located(error, node) from None
        except CAUGHT as error:
            raise converted(error, node) from None

    return assign


def _sequence(node: ast.Tuple | ast.List, scope: Scope) -> Assign:
    starred = [i for i, item in enumerate(node.elts) if isinstance(item, ast.Starred)]
    parts = [target(item.value if isinstance(item, ast.Starred) else item, scope) for item in node.elts]
    at = starred[0] if starred else None

    def assign(frame: Frame, value: Any) -> None:
        try:
            values = _unpacked(frame, value, len(parts), at is not None)
        except GradvizError as error:
            raise located(error, node) from None
        except CAUGHT as error:
            raise converted(error, node) from None
        for part, item in zip(parts, _split(values, len(parts), at, node), strict=True):
            part(frame, item)

    return assign


def _unpacked(frame: Frame, value: Any, count: int, has_star: bool) -> list[Any]:
    """The items; one more than is needed is enough to know that there are too many."""
    if isinstance(value, list | tuple):
        return list(value)
    if isinstance(value, Silent):
        return [value] * count
    if not can_be_iterated(value):
        raise TorchError(f"cannot unpack non-iterable {type_name(value)} object", kind="TypeError")
    return frame.machine.listed(value) if has_star else list(islice(iter(value), count + 1))


def _split(values: list[Any], count: int, at: int | None, node: ast.AST) -> list[Any]:
    needed = count if at is None else count - 1
    if len(values) < needed:
        least = "at least " if at is not None else ""
        text = f"not enough values to unpack (expected {least}{needed}, got {len(values)})"
        raise located(TorchError(text, kind="ValueError"), node)
    if at is None:
        if len(values) > needed:
            raise located(TorchError(f"too many values to unpack (expected {needed})", kind="ValueError"), node)
        return values
    end = len(values) - (count - at - 1)
    return [*values[:at], values[at:end], *values[end:]]


TARGETS: dict[type[ast.expr], Callable[[Any, Scope], Assign]] = {
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Subscript: _item,
    ast.Tuple: _sequence,
    ast.List: _sequence,
}
