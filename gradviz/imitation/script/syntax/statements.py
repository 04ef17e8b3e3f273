"""Statements, each turned once into a closure over a frame.

A statement returns None, or a signal; see `signals`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from gradviz.errors import GradvizError
from gradviz.imitation.script import assigned_attributes, attributes
from gradviz.imitation.script.errors.exceptions import compile_raise
from gradviz.imitation.script.errors.failures import CAUGHT, Code, WithValue, converted, guarded, located
from gradviz.imitation.script.hinting import HINTS
from gradviz.imitation.script.machine import Frame
from gradviz.imitation.script.operators import in_place
from gradviz.imitation.script.subscripts import del_item, get_item, set_item
from gradviz.imitation.script.syntax import compound
from gradviz.imitation.script.syntax.assignment import Assign, target
from gradviz.imitation.script.syntax.classes import compile_class
from gradviz.imitation.script.syntax.expressions import unbound
from gradviz.imitation.script.syntax.forms import STATEMENTS, block, expression, not_read
from gradviz.imitation.script.syntax.functions import ClassFrame, compile_def
from gradviz.imitation.script.syntax.imports import compile_from, compile_import
from gradviz.imitation.script.syntax.loops import compile_for, compile_while
from gradviz.imitation.script.syntax.scope import Scope
from gradviz.imitation.script.syntax.signals import BREAK, CONTINUE, Signal, truth
from gradviz.imitation.script.syntax.steps import Parts, StepCode, run_through, unstopped


def _expression(node: ast.Expr, scope: Scope) -> Code:
    code = expression(node.value, scope)

    def run(frame: Frame) -> None:
        code(frame)

    return run


def _assign(node: ast.Assign, scope: Scope) -> Code:
    value = expression(node.value, scope)
    targets = [target(part, scope) for part in node.targets]
    if len(targets) == 1:
        return _one_assign(value, targets[0])

    def run(frame: Frame) -> None:
        result = value(frame)
        for assign in targets:
            assign(frame, result)

    return run


def _one_assign(value: Code, assign: Assign) -> Code:
    def run(frame: Frame) -> None:
        assign(frame, value(frame))

    return run


def _annotated(node: ast.AnnAssign, scope: Scope) -> Code:
    assign = None if node.value is None else _one_assign(expression(node.value, scope), target(node.target, scope))

    def run(frame: Frame) -> None:
        if isinstance(frame, ClassFrame) and isinstance(node.target, ast.Name):
            frame.vars.setdefault(HINTS, {})[node.target.id] = node.annotation
        if assign is not None:
            assign(frame)

    return run


def _augmented(node: ast.AugAssign, scope: Scope) -> Code:
    value, kind = expression(node.value, scope), type(node.op)
    load, store = _place(node.target, scope)

    def run(frame: Frame) -> None:
        try:
            where, old = load(frame)
            store(frame, where, in_place(kind, old, value(frame)))
        except GradvizError as error:
            raise located(error, node) from None
        except CAUGHT as error:
            raise converted(error, node) from None

    return run


def _place(node: ast.expr, scope: Scope) -> tuple[Callable[[Frame], Any], Callable[[Frame, Any, Any], None]]:
    """How to read a target, and to write it back, evaluating its parts once."""
    if isinstance(node, ast.Attribute):
        owner, key = expression(node.value, scope), node.attr

        def load(frame: Frame) -> Any:
            x = owner(frame)
            return x, attributes.get(frame.machine, x, key)

        return load, lambda frame, x, value: assigned_attributes.put(frame.machine, x, key, value)
    if isinstance(node, ast.Subscript):
        base, index = expression(node.value, scope), expression(node.slice, scope)

        def load_item(frame: Frame) -> Any:
            x, i = base(frame), index(frame)
            return (x, i), get_item(x, i)

        return load_item, lambda frame, where, value: set_item(where[0], where[1], value)
    assert isinstance(node, ast.Name)
    read = expression(ast.copy_location(ast.Name(node.id, ast.Load()), node), scope)
    assign = target(node, scope)
    return lambda frame: (None, read(frame)), lambda frame, _where, value: assign(frame, value)


def _if(node: ast.If, scope: Scope) -> Code:
    test, body = expression(node.test, scope), block(node.body, scope)
    otherwise = block(node.orelse, scope) if node.orelse else None

    def run(frame: Frame) -> Signal | None:
        if truth(test(frame), node.test):
            return body(frame)  # type: ignore[no-any-return]
        return otherwise(frame) if otherwise is not None else None

    return run


def _return(node: ast.Return, scope: Scope) -> Code:
    if node.value is None:
        return lambda _frame: Signal()
    value = expression(node.value, scope)
    return lambda frame: Signal(value(frame))


ASSERTED = "This is the script's own check: what stands behind assert is false."


def _assert(node: ast.Assert, scope: Scope) -> Code:
    test = expression(node.test, scope)
    message = expression(node.msg, scope) if node.msg is not None else None

    def run(frame: Frame) -> None:
        if not truth(test(frame), node.test):
            given = () if message is None else (message(frame),)
            raise located(
                WithValue("".join(map(str, given)), "AssertionError", given, ASSERTED), node.test if given else node
            )

    return run


def _delete(node: ast.Delete, scope: Scope) -> Code:
    codes = [_delete_one(part, scope) for part in node.targets]

    def run(frame: Frame) -> None:
        for code in codes:
            code(frame)

    return run


def _delete_one(node: ast.expr, scope: Scope) -> Code:
    if isinstance(node, ast.Name):
        key = node.id

        def run(frame: Frame) -> None:
            if frame.vars.pop(key, frame) is frame:
                raise unbound(frame, node)

        return run
    if isinstance(node, ast.Subscript):
        owner, index = expression(node.value, scope), expression(node.slice, scope)
        return guarded(lambda frame: del_item(owner(frame), index(frame)), node)
    if isinstance(node, ast.Attribute):
        value, name = expression(node.value, scope), node.attr
        return guarded(lambda frame: assigned_attributes.remove(frame.machine, value(frame), name), node)
    raise not_read(node)


def _compound(build: Callable[[Any, Scope, Parts], StepCode]) -> Callable[[Any, Scope], Code]:
    """A statement that a function with `yield` has too, here without one."""

    def compiled(node: Any, scope: Scope) -> Code:
        parts = Parts(
            lambda body: unstopped(block(body, scope)), lambda value: unstopped(expression(value, scope))
        )  # fmt: skip
        return run_through(build(node, scope, parts))

    return compiled


def _make_def(node: ast.FunctionDef, scope: Scope) -> Code:
    return _one_assign(compile_def(node, scope), target(ast.Name(node.name, ast.Store()), scope))


def _make_class(node: ast.ClassDef, scope: Scope) -> Code:
    return _one_assign(guarded(compile_class(node, scope), node), target(ast.Name(node.name, ast.Store()), scope))


def _nothing(node: ast.stmt, scope: Scope) -> Code:
    return lambda _frame: None


STATEMENTS.update(
    {
        ast.Expr: _expression,
        ast.Assign: _assign,
        ast.AnnAssign: _annotated,
        ast.AugAssign: _augmented,
        ast.For: compile_for,
        ast.While: compile_while,
        ast.If: _if,
        ast.Return: _return,
        ast.Assert: _assert,
        ast.Delete: _delete,
        ast.With: _compound(compound.with_),
        ast.Match: _compound(compound.match),
        ast.FunctionDef: _make_def,
        ast.ClassDef: _make_class,
        ast.Import: compile_import,
        ast.ImportFrom: compile_from,
        ast.Raise: compile_raise,
        ast.Try: _compound(compound.try_),
        ast.TryStar: _compound(compound.try_star),
        ast.Pass: _nothing,
        ast.Global: _nothing,
        ast.Nonlocal: _nothing,
        ast.Break: lambda node, scope: lambda _frame: BREAK,
        ast.Continue: lambda node, scope: lambda _frame: CONTINUE,
    }
)
