"""`for` and `while`. Each round is a level of its own."""

from __future__ import annotations

import ast
from typing import Any

from gradviz.errors import GradvizError
from gradviz.imitation.script.errors.failures import CAUGHT, Code, converted, guarded, located
from gradviz.imitation.script.levels import Level
from gradviz.imitation.script.machine import Frame
from gradviz.imitation.script.syntax.assignment import loop_target
from gradviz.imitation.script.syntax.forms import block, expression
from gradviz.imitation.script.syntax.scope import Scope
from gradviz.imitation.script.syntax.signals import BREAK, CONTINUE, Signal, truth


def compile_for(node: ast.For, scope: Scope) -> Code:
    """The code of a `for` loop."""
    source, assign = expression(node.iter, scope), loop_target(node.target, scope)
    body, otherwise = block(node.body, scope), block(node.orelse, scope) if node.orelse else None
    name = target_names(node.target)

    def run(frame: Frame) -> Signal | None:
        machine = frame.machine
        try:
            items = iter(source(frame))
        except TypeError as error:
            raise converted(TypeError(str(error)), node.iter) from None
        except GradvizError as error:
            raise located(error, node.iter) from None
        outer, number = machine.level, 0
        try:
            for item in _each(items, node):
                machine.go_to(Level(outer, name, number, item))
                machine.at(machine.line)
                assign(frame, item)
                signal: Signal | None = body(frame)
                if signal is not None and signal is not CONTINUE:
                    if signal is BREAK:
                        return None
                    return signal
                machine.go_to(outer)  # the next item is computed outside the round
                number += 1
        finally:
            machine.go_to(outer)
        return otherwise(frame) if otherwise is not None else None

    return run


def _each(items: Any, node: ast.For) -> Any:
    while True:
        try:
            item = next(items)
        except StopIteration:
            return
        except GradvizError as error:
            raise located(error, node.iter) from None
        except CAUGHT as error:
            raise converted(error, node.iter) from None
        yield item


def compile_while(node: ast.While, scope: Scope) -> Code:
    """The code of a `while` loop."""
    test, body = guarded(expression(node.test, scope), node.test), block(node.body, scope)
    otherwise = block(node.orelse, scope) if node.orelse else None

    def run(frame: Frame) -> Signal | None:
        machine = frame.machine
        outer, number = machine.level, 0
        try:
            while truth(test(frame), node.test):
                machine.go_to(Level(outer, "while", number))
                machine.at(machine.line)
                signal: Signal | None = body(frame)
                if signal is not None and signal is not CONTINUE:
                    if signal is BREAK:
                        return None
                    return signal
                machine.go_to(outer)
                number += 1
        finally:
            machine.go_to(outer)
        return otherwise(frame) if otherwise is not None else None

    return run


def target_names(target: ast.expr) -> str:
    """What a loop assigns to, e.g. "i, x, y" for `i, (x, y)`."""
    names = [part for part in ast.walk(target) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)]
    names.sort(key=lambda part: (part.lineno, part.col_offset))
    return ", ".join(part.id for part in names) or ast.unparse(target)
