"""Comprehensions and generator expressions: loops in a frame of their own."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from types import GeneratorType
from typing import Any
from weakref import WeakKeyDictionary

from gradviz.imitation.script.errors.failures import Code, guarded
from gradviz.imitation.script.machine import Frame
from gradviz.imitation.script.syntax.assignment import loop_target
from gradviz.imitation.script.syntax.forms import expression, not_read
from gradviz.imitation.script.syntax.functions import home
from gradviz.imitation.script.syntax.scope import Scope

DEEPEST = 5_000
"""Generator expressions over one another: where Python runs out of room among them it takes hours to give them up."""

_depths: WeakKeyDictionary[Any, int] = WeakKeyDictionary()


class Rounds(Frame):
    """The frame of a comprehension."""

    __slots__ = ()


def comprehension(node: Any, scope: Scope, build: Callable[[Iterator[Any]], Any]) -> Code:
    inner = scope.inner()
    levels = []
    for number, generator in enumerate(node.generators):
        if generator.is_async:
            raise not_read(node)
        source = expression(generator.iter, scope if number == 0 else inner)
        levels.append(
            (loop_target(generator.target, inner), source, [expression(test, inner) for test in generator.ifs])
        )
    codes = [expression(part, inner) for part in _parts(node)]

    def walk(frame: Frame, items: Any, level: int) -> Iterator[None]:
        assign, _, tests = levels[level]
        for item in items:
            frame.machine.at(frame.machine.line)
            assign(frame, item)
            if all(test(frame) for test in tests):
                if level + 1 == len(levels):
                    yield None
                else:
                    yield from walk(frame, levels[level + 1][1](frame), level + 1)

    def run(outer: Frame) -> Any:
        frame = Rounds(outer.machine, home(outer), outer.function)
        frame.first = outer.first
        first = iter(levels[0][1](outer))  # at once, as Python does it, even where the rest waits
        depth = _depths.get(first, 0) + 1 if isinstance(first, GeneratorType) else 1
        if depth > DEEPEST:
            raise RecursionError
        rounds = ([code(frame) for code in codes] for _ in walk(frame, first, 0))
        result = build(rounds)
        if isinstance(result, GeneratorType):
            _depths[result] = depth
        return result

    return guarded(run, node)


def _parts(node: Any) -> list[ast.expr]:
    return [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]


def list_comprehension(node: ast.ListComp, scope: Scope) -> Code:
    return comprehension(node, scope, lambda rounds: [parts[0] for parts in rounds])


def set_comprehension(node: ast.SetComp, scope: Scope) -> Code:
    return comprehension(node, scope, lambda rounds: {parts[0] for parts in rounds})


def generator(node: ast.GeneratorExp, scope: Scope) -> Code:
    def build(rounds: Iterator[Any]) -> Iterator[Any]:
        made: Any = (parts[0] for parts in rounds)
        made.__name__, made.__qualname__ = "<genexpr>", qualname
        return iter(made)

    qualname = f"{scope.qualname}<genexpr>"
    return comprehension(node, scope, build)


def dict_comprehension(node: ast.DictComp, scope: Scope) -> Code:
    return comprehension(node, scope, dict)


COMPREHENSIONS: dict[type[ast.expr], Callable[[Any, Scope], Code]] = {
    ast.ListComp: list_comprehension,
    ast.SetComp: set_comprehension,
    ast.GeneratorExp: generator,
    ast.DictComp: dict_comprehension,
}
