"""Functions with `yield`: their statements become Python generators, so a body stops and goes on by itself.

Only the statements that hold a `yield` are compiled here; all others are the closures of `statements`. A `yield`
may stand alone, be assigned, or be returned; deeper inside an expression it is refused.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

from gradviz.errors import Cancelled, GradvizError, ScriptError
from gradviz.script.assignment import target
from gradviz.script.exceptions import handled, handlers_of
from gradviz.script.expressions import expression, not_read
from gradviz.script.failures import CAUGHT, converted, located
from gradviz.script.levels import Level
from gradviz.script.loops import target_names
from gradviz.script.machine import Frame
from gradviz.script.producer import Producer, Steps
from gradviz.script.scope import NEW_SCOPES, Scope
from gradviz.script.signals import BREAK, CONTINUE, Signal, truth
from gradviz.script.statements import entry, statement

StepCode = Callable[[Frame], Steps]


def has_yield(node: ast.AST) -> bool:
    """Whether a `yield` of this function stands in the node."""
    pending = [node]
    while pending:
        part = pending.pop()
        if isinstance(part, ast.Yield | ast.YieldFrom):
            return True
        if not isinstance(part, NEW_SCOPES) or part is node:
            pending.extend(ast.iter_child_nodes(part))
    return False


def producer_body(node: ast.FunctionDef, qualname: str, scope: Scope) -> Callable[[Frame], Producer]:
    """The body of a function with `yield`.

    Raises:
        ScriptError: a `yield` inside a larger expression.
    """
    code = _block(node.body, scope)

    def steps(frame: Frame) -> Steps:
        signal = yield from code(frame)
        return None if signal is None else signal.value

    return lambda frame: Producer(qualname, frame.machine, steps(frame))


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


def _plain(node: ast.stmt, scope: Scope) -> StepCode:
    code = statement(node, scope)

    def run(frame: Frame) -> Steps:
        return code(frame)
        yield

    return run


def _statement(node: ast.stmt, scope: Scope) -> StepCode:
    if not has_yield(node) or isinstance(node, NEW_SCOPES):
        return _plain(node, scope)
    build = STATEMENTS.get(type(node))
    if build is None:
        raise not_read(_first_yield(node))
    scope.line = line = node.lineno
    code = build(node, scope)

    def run(frame: Frame) -> Steps:
        try:
            frame.machine.at(line)
            return (yield from code(frame))
        except GradvizError as error:
            raise located(error, node) from None
        except CAUGHT as error:
            raise converted(error, node) from None

    return run


def _first_yield(node: ast.AST) -> ast.AST:
    return next(part for part in ast.walk(node) if isinstance(part, ast.Yield | ast.YieldFrom))


def _value(node: ast.expr | None, scope: Scope) -> StepCode:
    """An expression that is a `yield`, or has none."""
    if isinstance(node, ast.Yield):
        return _yield(node, scope)
    if isinstance(node, ast.YieldFrom):
        return _yield_from(node, scope)
    if node is not None and has_yield(node):
        raise not_read(_first_yield(node))
    code = None if node is None else expression(node, scope)

    def run(frame: Frame) -> Steps:
        return None if code is None else code(frame)
        yield

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
        return (yield from frame.machine.each(source) if not isinstance(source, Producer) else _all_of(source))

    return run


def _all_of(source: Producer) -> Steps:
    """Its values; its own result is the value of `yield from`."""
    sent = None
    while True:
        try:
            item = source.send(sent)
        except StopIteration as end:
            return end.value
        sent = yield item


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


def _rounds(rounds: Callable[[Frame], Iterator[Any]], node: ast.For | ast.While, scope: Scope) -> StepCode:
    """The body of a loop, once for every round."""
    name = target_names(node.target) if isinstance(node, ast.For) else "while"
    body, otherwise = _block(node.body, scope), _block(node.orelse, scope)

    def run(frame: Frame) -> Steps:
        machine = frame.machine
        outer = machine.level
        for number, item in enumerate(rounds(frame)):
            machine.go_to(Level(outer, name, number, item))
            machine.at(machine.line)
            signal = yield from body(frame)
            machine.go_to(outer)
            if signal is BREAK:
                return None
            if signal is not None and signal is not CONTINUE:
                return signal
        return (yield from otherwise(frame))

    return run


def _for(node: ast.For, scope: Scope) -> StepCode:
    if has_yield(node.iter):
        raise not_read(_first_yield(node.iter))
    source, assign = expression(node.iter, scope), target(node.target, scope)

    def rounds(frame: Frame) -> Iterator[Any]:
        for item in source(frame):
            assign(frame, item)
            yield item

    return _rounds(rounds, node, scope)


def _while(node: ast.While, scope: Scope) -> StepCode:
    if has_yield(node.test):
        raise not_read(_first_yield(node.test))
    test = expression(node.test, scope)

    def rounds(frame: Frame) -> Iterator[None]:
        while truth(test(frame), node.test):
            yield

    return _rounds(rounds, node, scope)


def _with(node: ast.With, scope: Scope) -> StepCode:
    items = [
        (expression(item.context_expr, scope), target(item.optional_vars, scope) if item.optional_vars else None, item)
        for item in node.items
    ]
    body = _block(node.body, scope)

    def run(frame: Frame, level: int = 0) -> Steps:
        if level == len(items):
            return (yield from body(frame))
        code, assign, item = items[level]
        enter, leave = entry(frame, code(frame), item.context_expr)
        token, given = enter()
        if assign is not None:
            assign(frame, given)
        try:
            signal = yield from run(frame, level + 1)
        except GradvizError as error:
            if leave(token, error):
                return None
            raise
        except GeneratorExit:
            leave(token, None)
            raise
        leave(token, None)
        return signal

    return run


def _try(node: ast.Try, scope: Scope) -> StepCode:
    body, otherwise, final = (_block(part, scope) for part in (node.body, node.orelse, node.finalbody))
    handlers = handlers_of(node, scope, lambda nodes: _block(nodes, scope))

    def attempt(frame: Frame) -> Steps:
        try:
            signal = yield from body(frame)
        except (Cancelled, ScriptError):
            raise
        except GradvizError as error:
            found = handled(frame, error, handlers)
            if found is None:
                raise
            handler, leave = found
            try:
                return (yield from handler(frame))
            finally:
                leave()
        return signal if signal is not None else (yield from otherwise(frame))

    def run(frame: Frame) -> Steps:
        try:
            signal = yield from attempt(frame)
        except (Cancelled, ScriptError):
            raise
        except (GradvizError, GeneratorExit):
            last = yield from final(frame)
            if last is not None:
                return last
            raise
        last = yield from final(frame)
        return signal if last is None else last

    return run


STATEMENTS: dict[type[ast.stmt], Callable[[Any, Scope], StepCode]] = {
    ast.Expr: _expression,
    ast.Assign: _assign,
    ast.Return: _return,
    ast.If: _if,
    ast.For: _for,
    ast.While: _while,
    ast.With: _with,
    ast.Try: _try,
}
