"""The patterns of `match`, each turned once into a closure that tells whether a value fits and binds its names."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Callable
from typing import Any

from gradviz.errors import GradvizError, TorchError
from gradviz.imitation.script import attributes
from gradviz.imitation.script.errors.failures import guarded, located
from gradviz.imitation.script.machine import Frame
from gradviz.imitation.script.operators import COMPARE
from gradviz.imitation.script.syntax.assignment import target
from gradviz.imitation.script.syntax.forms import expression
from gradviz.imitation.script.syntax.scope import Scope
from gradviz.imitation.script.values import Class

Fits = Callable[[Frame, Any, dict[str, Any]], bool]
"""Whether a value fits; the names that the pattern binds are put into the dictionary."""

SEQUENCES = (list, tuple, range, deque)


def pattern(node: ast.pattern, scope: Scope) -> Callable[[Frame, Any], bool]:
    """The code of one `case`; names are bound only where the whole of it fits."""
    fits = _pattern(node, scope)
    assigns = {name: target(ast.Name(name, ast.Store()), scope) for name in captured(node)}

    def matches(frame: Frame, value: Any) -> bool:
        bound: dict[str, Any] = {}
        try:
            if not fits(frame, value, bound):
                return False
        except GradvizError as error:
            raise located(error, node) from None
        for name, found in bound.items():
            assigns[name](frame, found)
        return True

    return matches


def captured(node: ast.AST) -> list[str]:
    """The names that a pattern binds."""
    names = [getattr(part, "rest" if isinstance(part, ast.MatchMapping) else "name", None) for part in ast.walk(node)
             if isinstance(part, ast.MatchAs | ast.MatchStar | ast.MatchMapping)]  # fmt: skip
    return [name for name in names if name]


def _pattern(node: ast.pattern, scope: Scope) -> Fits:
    return PATTERNS[type(node)](node, scope)


def _value(node: ast.MatchValue, scope: Scope) -> Fits:
    code, equal = guarded(expression(node.value, scope), node), COMPARE[ast.Eq]
    return lambda frame, value, bound: bool(equal(value, code(frame)))


def _singleton(node: ast.MatchSingleton, scope: Scope) -> Fits:
    return lambda frame, value, bound: value is node.value


def _as(node: ast.MatchAs, scope: Scope) -> Fits:
    inner = None if node.pattern is None else _pattern(node.pattern, scope)

    def fits(frame: Frame, value: Any, bound: dict[str, Any]) -> bool:
        if inner is not None and not inner(frame, value, bound):
            return False
        if node.name is not None:
            bound[node.name] = value
        return True

    return fits


def _or(node: ast.MatchOr, scope: Scope) -> Fits:
    choices = [_pattern(part, scope) for part in node.patterns]
    return lambda frame, value, bound: any(fits(frame, value, bound) for fits in choices)


def _sequence(node: ast.MatchSequence, scope: Scope) -> Fits:
    stars = [place for place, part in enumerate(node.patterns) if isinstance(part, ast.MatchStar)]
    parts = [_star(part) if isinstance(part, ast.MatchStar) else _pattern(part, scope) for part in node.patterns]
    least = len(parts) - len(stars)

    def fits(frame: Frame, value: Any, bound: dict[str, Any]) -> bool:
        if not isinstance(value, SEQUENCES) or len(value) < least or (not stars and len(value) != least):
            return False
        items: list[Any] = list(value)
        if stars:
            start, end = stars[0], len(items) - (least - stars[0])
            items[start:end] = [items[start:end]]
        return all(part(frame, item, bound) for part, item in zip(parts, items, strict=True))

    return fits


def _star(node: ast.MatchStar) -> Fits:
    def fits(frame: Frame, value: Any, bound: dict[str, Any]) -> bool:
        if node.name is not None:
            bound[node.name] = value
        return True

    return fits


def _mapping(node: ast.MatchMapping, scope: Scope) -> Fits:
    keys = [expression(key, scope) for key in node.keys]
    parts = [_pattern(part, scope) for part in node.patterns]

    def fits(frame: Frame, value: Any, bound: dict[str, Any]) -> bool:
        if not isinstance(value, dict):
            return False
        wanted = [key(frame) for key in keys]
        if any(key not in value for key in wanted):
            return False
        if not all(part(frame, value[key], bound) for part, key in zip(parts, wanted, strict=True)):
            return False
        if node.rest is not None:
            bound[node.rest] = {key: item for key, item in value.items() if key not in wanted}
        return True

    return fits


ITSELF = frozenset(("bool", "bytearray", "bytes", "dict", "float", "frozenset", "int", "list", "set", "str", "tuple"))
"""Classes whose one positional pattern is the value itself."""


def _class(node: ast.MatchClass, scope: Scope) -> Fits:
    from gradviz.imitation.script.names.python.belonging import isinstance_

    kind = expression(node.cls, scope)
    positional = [_pattern(part, scope) for part in node.patterns]
    named = [(name, _pattern(part, scope)) for name, part in zip(node.kwd_attrs, node.kwd_patterns, strict=True)]

    def fits(frame: Frame, value: Any, bound: dict[str, Any]) -> bool:
        cls = kind(frame)
        if not isinstance(cls, Class):
            raise TorchError("called match pattern must be a class", kind="TypeError")
        if not isinstance_(frame.machine, value, cls):
            return False
        if positional and cls.name in ITSELF and cls.python:
            return positional[0](frame, value, bound)
        pairs = [*zip(_places(cls, len(positional)), positional, strict=True), *named]
        return all(_attribute(frame, value, name, part, bound) for name, part in pairs)

    return fits


def _places(cls: Class, count: int) -> list[str]:
    names = list(cls.find("__match_args__") or ())
    if len(names) < count:
        plural = "s" if len(names) != 1 else ""
        raise TorchError(
            f"{cls.name}() accepts {len(names)} positional sub-pattern{plural} ({count} given)", kind="TypeError"
        )
    return names[:count]


def _attribute(frame: Frame, value: Any, name: str, part: Fits, bound: dict[str, Any]) -> bool:
    try:
        found = attributes.get(frame.machine, value, name)
    except TorchError as error:
        if error.kind != "AttributeError":
            raise
        return False
    return part(frame, found, bound)


PATTERNS: dict[type[ast.pattern], Callable[[Any, Scope], Fits]] = {
    ast.MatchValue: _value,
    ast.MatchSingleton: _singleton,
    ast.MatchAs: _as,
    ast.MatchOr: _or,
    ast.MatchSequence: _sequence,
    ast.MatchMapping: _mapping,
    ast.MatchClass: _class,
}
