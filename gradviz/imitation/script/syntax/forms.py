"""The code of any piece of syntax, by the allow-list of its forms.

The modules of the forms fill the tables, and each builds on all others by what stands here. A kind that is in no table
is refused with a sentence. A statement returns None, or a signal; see `signals`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gradviz.errors import GradvizError, ScriptError
from gradviz.imitation.script.errors.failures import CAUGHT, Code, converted, located
from gradviz.imitation.script.syntax.scope import Scope
from gradviz.imitation.script.syntax.signals import Signal
from gradviz.imitation.script.values import place, refuse_single

if TYPE_CHECKING:
    from gradviz.imitation.script.machine import Frame

EXPRESSIONS: dict[type[ast.expr], Callable[[Any, Scope], Code]] = {}
STATEMENTS: dict[type[ast.stmt], Callable[[Any, Scope], Code]] = {}


def expression(node: ast.expr, scope: Scope) -> Code:
    """The code of an expression.

    Raises:
        ScriptError: a kind of expression that gradviz does not read.
    """
    build = EXPRESSIONS.get(type(node))
    if build is None:
        raise not_read(node)
    code = build(node, scope)
    if node.lineno != scope.line and not isinstance(node, ast.Constant | ast.Name):
        return _on_line(code, node.lineno)
    return code


def not_read(node: ast.AST) -> ScriptError:
    """The one sentence for syntax outside the allow-list."""
    words = NOT_READ.get(type(node), f"'{type(node).__name__}' syntax")
    line, column = place(node)
    return ScriptError(f"{words} is not supported", hint="Write it with plain statements.", line=line, column=column)


NOT_READ: dict[type[ast.AST], str] = {
    ast.keyword: "a metaclass",
    ast.Yield: "'yield' (a generator function)",
    ast.YieldFrom: "'yield from'",
    ast.Await: "'await'",
    ast.AsyncFunctionDef: "'async def'",
    ast.AsyncFor: "'async for'",
    ast.AsyncWith: "'async with'",
}


def _on_line(code: Code, line: int) -> Code:
    """A part of a statement that stands on a line of its own: what it records belongs to that line."""

    def run(frame: Frame) -> Any:
        machine = frame.machine
        before = machine.line
        if before == line:
            return code(frame)
        machine.mark(line)
        result = code(frame)
        machine.mark(before)
        return result

    return run


def items_of(nodes: list[ast.expr], scope: Scope) -> Callable[[Frame], list[Any]]:
    """The code of expressions in a row, some of them behind a star."""
    parts = [
        (isinstance(node, ast.Starred), expression(node.value if isinstance(node, ast.Starred) else node, scope))
        for node in nodes
    ]
    if not any(starred for starred, _ in parts):
        plain = [code for _, code in parts]
        return lambda frame: [code(frame) for code in plain]

    def run(frame: Frame) -> list[Any]:
        out: list[Any] = []
        for starred, code in parts:
            if starred:
                value = code(frame)
                refuse_single(value, "Value after * must be an iterable")
                out.extend(frame.machine.listed(value))
            else:
                out.append(code(frame))
        return out

    return run


def block(body: list[ast.stmt], scope: Scope) -> Code:
    """The code of statements in order."""
    codes = [statement(node, scope) for node in body]
    if len(codes) == 1:
        return codes[0]

    def run(frame: Frame) -> Signal | None:
        for code in codes:
            signal: Signal | None = code(frame)
            if signal is not None:
                return signal
        return None

    return run


def statement(node: ast.stmt, scope: Scope) -> Code:
    """The code of one statement.

    Raises:
        ScriptError: a kind of statement that gradviz does not read.
    """
    build = STATEMENTS.get(type(node))
    if build is None:
        raise not_read(node)
    scope.line = line = node.lineno
    code = build(node, scope)

    def run(frame: Frame) -> Signal | None:
        try:
            frame.machine.at(line)
            return code(frame)  # type: ignore[no-any-return]
        except GradvizError as error:
            raise located(error, node) from None
        except CAUGHT as error:
            raise converted(error, node) from None

    return run
