"""Functions with `yield`: their statements become Python generators, so a body stops and goes on by itself.

Only the statements that hold a `yield` are compiled here; all others are the closures of `statements`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from gradviz.errors import GradvizError
from gradviz.imitation.script.errors.failures import CAUGHT, converted, located
from gradviz.imitation.script.levels import Level
from gradviz.imitation.script.machine import Frame
from gradviz.imitation.script.producer import Producer, Steps
from gradviz.imitation.script.syntax import compound
from gradviz.imitation.script.syntax.assignment import target
from gradviz.imitation.script.syntax.forms import expression, not_read, statement
from gradviz.imitation.script.syntax.lifting import has_yield, is_plain_yield, lifted, lifted_value
from gradviz.imitation.script.syntax.loops import target_names
from gradviz.imitation.script.syntax.scope import NEW_SCOPES, Scope
from gradviz.imitation.script.syntax.signals import BREAK, CONTINUE, Signal, truth
from gradviz.imitation.script.syntax.steps import Parts, StepCode, unstopped


def producer_body(node: ast.FunctionDef, qualname: str, scope: Scope) -> Callable[[Frame], Producer]:
    """The body of a function with `yield`.

    Raises:
        ScriptError: a `yield` inside a larger expression.
    """
    code = _block(node.body, scope)

    def steps(frame: Frame) -> Steps:
        try:
            signal = yield from code(frame)
        except GradvizError:
            if frame.machine.modules:
                raise
            return None  # the run was let go, and one that it left open has nothing to end with
        return None if signal is None else signal.value

    return lambda frame: Producer(qualname, frame, steps(frame))


# ---- statements that hold a yield ----


def _block(body: list[ast.stmt], scope: Scope) -> StepCode:
    codes = [_statement(node, scope) for node in body]

    def run(frame: Frame) -> Steps:
        for code in codes:
            signal = yield from code(frame)
            if signal is not None:
                return signal
        return None

    return run


def _statement(node: ast.stmt, scope: Scope) -> StepCode:
    if not has_yield(node) or isinstance(node, NEW_SCOPES):
        return unstopped(statement(node, scope))
    code = _compiled(node, scope)
    line = node.lineno

    def run(frame: Frame) -> Steps:
        try:
            frame.machine.at(line)
            return (yield from code(frame))
        except GradvizError as error:
            raise located(error, node) from None
        except CAUGHT as error:
            raise converted(error, node) from None

    return run


def _compiled(node: ast.stmt, scope: Scope) -> StepCode:
    scope.line = node.lineno
    build = STATEMENTS.get(type(node))
    if build is not None and (not isinstance(node, SIMPLE) or _stops_once(node)):
        return build(node, scope)
    parts = lifted(node)
    if parts is None:
        raise not_read(next(part for part in ast.walk(node) if isinstance(part, ast.Yield | ast.YieldFrom)))
    return _block(parts, scope)


def _stops_once(node: ast.Expr | ast.Assign | ast.Return) -> bool:
    targets = node.targets if isinstance(node, ast.Assign) else []
    return is_plain_yield(node.value) and not any(map(has_yield, targets))


def _value(node: ast.expr | None, scope: Scope) -> StepCode:
    """An expression, wherever its yields stand."""
    if node is None:
        return unstopped(lambda _frame: None)
    if isinstance(node, ast.Yield | ast.YieldFrom) and is_plain_yield(node):
        return _yield(node, scope) if isinstance(node, ast.Yield) else _yield_from(node, scope)
    if not has_yield(node):
        return unstopped(expression(node, scope))
    before, simple = lifted_value(node)
    first, last = _block(before, scope), expression(simple, scope)

    def run(frame: Frame) -> Steps:
        yield from first(frame)
        return last(frame)

    return run


def _yield(node: ast.Yield, scope: Scope) -> StepCode:
    value = _value(node.value, scope)

    def run(frame: Frame) -> Steps:
        given = yield from value(frame)
        return (yield given)

    return run


def _yield_from(node: ast.YieldFrom, scope: Scope) -> StepCode:
    value = _value(node.value, scope)

    def run(frame: Frame) -> Steps:
        source = yield from value(frame)
        return (yield from source if isinstance(source, Producer) else frame.machine.each(source))

    return run


def _expression(node: ast.Expr, scope: Scope) -> StepCode:
    value = _value(node.value, scope)

    def run(frame: Frame) -> Steps:
        yield from value(frame)

    return run


def _assign(node: ast.Assign, scope: Scope) -> StepCode:
    value, targets = _value(node.value, scope), [target(part, scope) for part in node.targets]

    def run(frame: Frame) -> Steps:
        result = yield from value(frame)
        for assign in targets:
            assign(frame, result)

    return run


def _return(node: ast.Return, scope: Scope) -> StepCode:
    value = _value(node.value, scope)

    def run(frame: Frame) -> Steps:
        return Signal((yield from value(frame)))

    return run


def _if(node: ast.If, scope: Scope) -> StepCode:
    test, body, otherwise = _value(node.test, scope), _block(node.body, scope), _block(node.orelse, scope)

    def run(frame: Frame) -> Steps:
        chosen = body if truth((yield from test(frame)), node.test) else otherwise
        return (yield from chosen(frame))

    return run


def _loop(
    node: ast.For | ast.While, scope: Scope, items: StepCode, next_item: Callable[[Frame, Any], Steps]
) -> StepCode:
    """A loop: `items` is worked out once, and `next_item` gives (item,) for each round, or () at the end."""
    name = target_names(node.target) if isinstance(node, ast.For) else "while"
    body, otherwise = _block(node.body, scope), _block(node.orelse, scope)

    def run(frame: Frame) -> Steps:
        machine = frame.machine
        outer = machine.level
        source, number = (yield from items(frame)), 0
        while found := (yield from next_item(frame, source)):
            machine.go_to(Level(outer, name, number, found[0]))
            machine.at(machine.line)
            signal = yield from body(frame)
            machine.go_to(outer)
            if signal is BREAK:
                return None
            if signal is not None and signal is not CONTINUE:
                return signal
            number += 1
        return (yield from otherwise(frame))

    return run


def _for(node: ast.For, scope: Scope) -> StepCode:
    source, assign = _value(node.iter, scope), target(node.target, scope)

    def items(frame: Frame) -> Steps:
        return iter((yield from source(frame)))

    def next_item(frame: Frame, source: Any) -> Steps:
        for item in source:
            assign(frame, item)
            return (item,)
        return ()
        yield

    return _loop(node, scope, items, next_item)


def _while(node: ast.While, scope: Scope) -> StepCode:
    test = _value(node.test, scope)

    def next_item(frame: Frame, _: Any) -> Steps:
        return (None,) if truth((yield from test(frame)), node.test) else ()

    return _loop(node, scope, unstopped(lambda _frame: None), next_item)


def _compound(build: Callable[[Any, Scope, Parts], StepCode]) -> Callable[[Any, Scope], StepCode]:
    return lambda node, scope: build(
        node, scope, Parts(lambda body: _block(body, scope), lambda value: _value(value, scope))
    )


SIMPLE = (ast.Expr, ast.Assign, ast.Return)
"""Statements built here where all that stops in them is their whole value."""

STATEMENTS: dict[type[ast.stmt], Callable[[Any, Scope], StepCode]] = {
    ast.Expr: _expression,
    ast.Assign: _assign,
    ast.Return: _return,
    ast.If: _if,
    ast.For: _for,
    ast.While: _while,
    ast.With: _compound(compound.with_),
    ast.Try: _compound(compound.try_),
    ast.TryStar: _compound(compound.try_star),
    ast.Match: _compound(compound.match),
}
