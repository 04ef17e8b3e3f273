"""Expressions, each turned once into a Python closure over a frame; running a script then walks no tree.

The table at the end is the allow-list: a kind of expression that is not in it is refused with a sentence.
"""

from __future__ import annotations

import ast
from typing import Any

from gradviz.imitation.engine.tensor import Tensor
from gradviz.errors import GradvizError, TorchError
from gradviz.imitation.script import attributes
from gradviz.imitation.script.errors.failures import CAUGHT, Code, converted, guarded, located, suggestion
from gradviz.imitation.script.errors.hints import on_none
from gradviz.imitation.script.limits.sizes import LARGE
from gradviz.imitation.script.machine import Frame
from gradviz.imitation.script.operators import BINARY, COMPARE, UNARY
from gradviz.imitation.script.showing.formatting import CONVERSIONS, formatted
from gradviz.imitation.script.subscripts import get_item
from gradviz.imitation.script.syntax.assignment import target
from gradviz.imitation.script.syntax.calls import compile_call, mapping_pairs
from gradviz.imitation.script.syntax.comprehensions import COMPREHENSIONS, Rounds
from gradviz.imitation.script.syntax.forms import EXPRESSIONS, expression, items_of
from gradviz.imitation.script.syntax.functions import compile_lambda
from gradviz.imitation.script.syntax.scope import Scope
from gradviz.imitation.script.syntax.signals import truth
from gradviz.imitation.script.values import Instance, Object, type_name


def constant(node: ast.Constant, scope: Scope) -> Code:
    value = node.value
    return lambda _frame: value


def name(node: ast.Name, scope: Scope) -> Code:
    key = node.id
    if scope.is_local(key):

        def local(frame: Frame) -> Any:
            try:
                return frame.vars[key]
            except KeyError:
                raise unbound(frame, node) from None

        return local

    def load(frame: Frame) -> Any:
        place_: Frame | None = frame
        while place_ is not None:
            if key in place_.vars:
                return place_.vars[key]
            place_ = place_.outer
        try:
            return frame.machine.builtins[key]
        except KeyError:
            if scope.is_free(key):
                raise located(TorchError(FREE.format(key), kind="NameError"), node) from None
            raise _unknown(frame, node) from None

    return load


FREE = "cannot access free variable '{}' where it is not associated with a value in enclosing scope"


def unbound(frame: Frame, node: ast.Name) -> GradvizError:
    """The error for a name that has no value here."""
    if frame.outer is None:
        return _unknown(frame, node)
    return located(
        TorchError(
            f"cannot access local variable '{node.id}' where it is not associated with a value",
            kind="UnboundLocalError",
        ),
        node,
    )


def _unknown(frame: Frame, node: ast.Name) -> GradvizError:
    known = {name for name in frame.machine.builtins if name[0] not in " _" or node.id.startswith("_")}
    place_: Frame | None = frame
    while place_ is not None:
        known |= set(place_.vars)
        place_ = place_.outer
    torch = frame.machine.modules.get("torch")
    hint = suggestion(node.id, known)
    owner = frame.vars.get("self")
    if isinstance(owner, Instance) and (node.id in owner.attributes or owner.cls.has(node.id)):
        hint = f"Did you mean 'self.{node.id}'?"
    if torch is not None and node.id in torch.members:
        hint = f"Did you mean 'torch.{node.id}'?"
    hint = hint or f"Give {node.id} a value in a line before this one, or look at its spelling."
    return located(TorchError(f"name '{node.id}' is not defined", kind="NameError", hint=hint), node)


def binary(node: ast.BinOp, scope: Scope) -> Code:
    left, right, operate = expression(node.left, scope), expression(node.right, scope), BINARY[type(node.op)]

    def run(frame: Frame) -> Any:
        x = left(frame)
        y = right(frame)
        try:
            result = operate(x, y)
            if type(result) is Tensor and result.data.size > LARGE:
                frame.machine.spend(result.data.size // 1000)
            return result
        except GradvizError as error:
            raise located(error, node) from None
        except CAUGHT as error:
            raise converted(error, node) from None

    return run


def unary(node: ast.UnaryOp, scope: Scope) -> Code:
    operand, operate = expression(node.operand, scope), UNARY[type(node.op)]
    if isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        value = operand(None)
        if isinstance(value, int | float):
            return lambda _frame: -value
    return guarded(lambda frame: operate(operand(frame)), node)


def boolean(node: ast.BoolOp, scope: Scope) -> Code:
    parts = [expression(value, scope) for value in node.values]
    *before, last = parts  # of the last one nobody asks whether it is true
    stop_at = isinstance(node.op, ast.Or)

    def run(frame: Frame) -> Any:
        for part in before:
            value = part(frame)
            if bool(value) is stop_at:
                return value
        return last(frame)

    return guarded(run, node)


def compare(node: ast.Compare, scope: Scope) -> Code:
    first = expression(node.left, scope)
    rest = [(COMPARE[type(op)], expression(value, scope)) for op, value in zip(node.ops, node.comparators, strict=True)]
    if len(rest) == 1:
        operate, second = rest[0]
        return guarded(lambda frame: operate(first(frame), second(frame)), node)
    *before_last, (compare_last, second) = rest

    def run(frame: Frame) -> Any:
        x = first(frame)
        for operate, code in before_last:
            y = code(frame)
            result = operate(x, y)
            if not result:
                return result
            x = y
        return compare_last(x, second(frame))

    return guarded(run, node)


def conditional(node: ast.IfExp, scope: Scope) -> Code:
    test, then, other = (expression(part, scope) for part in (node.test, node.body, node.orelse))
    return lambda frame: then(frame) if truth(test(frame), node.test) else other(frame)


def attribute(node: ast.Attribute, scope: Scope) -> Code:
    value, key = expression(node.value, scope), node.attr

    def run(frame: Frame) -> Any:
        owner = value(frame)
        try:
            return attributes.get(frame.machine, owner, key)
        except GradvizError as error:
            if owner is None and not error.hint:
                error.hint = on_none(node.value)
            raise located(error, node) from None
        except CAUGHT as error:
            raise converted(error, node) from None

    return run


def subscript(node: ast.Subscript, scope: Scope) -> Code:
    value, index = expression(node.value, scope), expression(node.slice, scope)
    return guarded(lambda frame: get_item(value(frame), index(frame)), node)


def slice_(node: ast.Slice, scope: Scope) -> Code:
    parts = [None if part is None else expression(part, scope) for part in (node.lower, node.upper, node.step)]
    return lambda frame: slice(*(None if part is None else part(frame) for part in parts))


def list_(node: ast.List, scope: Scope) -> Code:
    return items_of(node.elts, scope)


def tuple_(node: ast.Tuple, scope: Scope) -> Code:
    items = items_of(node.elts, scope)
    return lambda frame: tuple(items(frame))


def set_(node: ast.Set, scope: Scope) -> Code:
    items = items_of(node.elts, scope)
    return guarded(lambda frame: set(items(frame)), node)


def dict_(node: ast.Dict, scope: Scope) -> Code:
    pairs = [
        (None if key is None else expression(key, scope), expression(value, scope))
        for key, value in zip(node.keys, node.values, strict=True)
    ]

    def run(frame: Frame) -> dict[Any, Any]:
        out: dict[Any, Any] = {}
        for key, value in pairs:
            if key is None:
                given = value(frame)
                if not isinstance(given, dict | Instance) or (type(given) is Object and not given.cls.has("keys")):
                    raise TorchError(f"'{type_name(given)}' object is not a mapping", kind="TypeError")
                out.update(given if isinstance(given, dict) else mapping_pairs(frame.machine, given))
            else:
                at = key(frame)  # before the value, as Python does
                out[at] = value(frame)
        return out

    return guarded(run, node)


def lambda_(node: ast.Lambda, scope: Scope) -> Code:
    return compile_lambda(node, scope)


def joined(node: ast.JoinedStr, scope: Scope) -> Code:
    parts = [expression(value, scope) for value in node.values]
    return lambda frame: "".join(part(frame) for part in parts)


def formatted_value(node: ast.FormattedValue, scope: Scope) -> Code:
    value = expression(node.value, scope)
    spec = None if node.format_spec is None else expression(node.format_spec, scope)
    convert = CONVERSIONS.get(chr(node.conversion)) if node.conversion > 0 else None

    def run(frame: Frame) -> str:
        x = value(frame)
        return formatted(x if convert is None else convert(x), "" if spec is None else spec(frame))

    return guarded(run, node)


def walrus(node: ast.NamedExpr, scope: Scope) -> Code:
    value, assign = expression(node.value, scope), target(node.target, scope.surrounding or scope)

    def run(frame: Frame) -> Any:
        result = value(frame)
        home = frame
        while isinstance(home, Rounds) and home.outer is not None:
            home = home.outer  # a comprehension binds in what surrounds it
        assign(home, result)
        return result

    return run


EXPRESSIONS.update(
    {
        ast.Constant: constant,
        ast.Name: name,
        ast.BinOp: binary,
        ast.UnaryOp: unary,
        ast.BoolOp: boolean,
        ast.Compare: compare,
        ast.IfExp: conditional,
        ast.Call: compile_call,
        ast.Attribute: attribute,
        ast.Subscript: subscript,
        ast.Slice: slice_,
        ast.List: list_,
        ast.Tuple: tuple_,
        ast.Set: set_,
        ast.Dict: dict_,
        ast.Lambda: lambda_,
        ast.JoinedStr: joined,
        ast.FormattedValue: formatted_value,
        ast.NamedExpr: walrus,
        **COMPREHENSIONS,
    }
)
