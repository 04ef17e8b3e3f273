"""Annotations: kept unread, and what the names of `typing` are worth while a script runs."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from gradviz.errors import GradvizError
from gradviz.script.scope import Scope

if TYPE_CHECKING:
    from gradviz.script.machine import Frame

PROTOCOL = " protocol"
"""Under this name a class derived from Protocol keeps what it asks for."""

HINTS = " hints"
"""Under this name the body of a class collects its annotations; no script can spell it."""


class Hint:
    """A type as it is written, such as `Optional[int]`, which only a type checker reads.

    Attributes:
        text: as it prints.
        origin: the class that `list[int]` makes objects of, or None.
    """

    __slots__ = ("origin", "text")
    shown_as = "_GenericAlias"

    def __init__(self, text: str, origin: Any = None) -> None:
        self.text = text
        self.origin = origin

    def of(self, inside: Any) -> Hint:
        """`Optional[int]`."""
        parts = inside if isinstance(inside, tuple) else (inside,)
        return Hint(f"{self.text}[{', '.join(map(shown, parts))}]"[:1000], self.origin)

    def __repr__(self) -> str:
        return self.text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Hint) and other.text == self.text

    def __hash__(self) -> int:
        return hash(self.text)


class Union:
    """`int | None`, or a union of `typing`: what `isinstance` takes for any of them."""

    __slots__ = ("kinds",)
    shown_as = "UnionType"

    def __init__(self, kinds: tuple[Any, ...]) -> None:
        self.kinds = kinds

    def __repr__(self) -> str:
        return " | ".join(map(shown, self.kinds))


def shown(kind: Any) -> str:
    """A type as it stands in the text of another."""
    from gradviz.script.values import Class

    if kind is None:
        return "None"
    if kind is Ellipsis:
        return "..."
    if isinstance(kind, Class):
        return f"{kind.module}.{kind.name}" if kind.module else kind.name
    if isinstance(kind, list):
        return f"[{', '.join(map(shown, kind))}]"
    return repr(kind)


def united(left: Any, right: Any) -> Any:
    """`left | right` where both are types; NotImplemented for anything else."""
    from gradviz.script.values import Class

    if (
        not all(kind is None or isinstance(kind, Class | Hint | Union) for kind in (left, right))
        or left is right is None
    ):
        return NotImplemented
    parts = [part for kind in (left, right) for part in (kind.kinds if isinstance(kind, Union) else (kind,))]
    # Each once: a union with itself is itself.
    return Union(tuple({id(part): part for part in parts}.values()))


def read_hints(frame: Frame, hints: dict[str, ast.expr], is_text: bool) -> dict[str, Any]:
    """`__annotations__`: the values where they are known, else the text."""
    return {name: ast.unparse(node) if is_text else _value(frame, node) for name, node in hints.items()}


def _value(frame: Frame, node: ast.expr) -> Any:
    from gradviz.script.expressions import expression

    try:
        return expression(node, Scope())(frame)
    except GradvizError:
        return ast.unparse(node)
