"""Annotations: kept unread, and what the names of `typing` are worth while a script runs."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from gradviz.errors import GradvizError
from gradviz.imitation.script.syntax.forms import expression
from gradviz.imitation.script.syntax.scope import Scope
from gradviz.imitation.script.values import Class

if TYPE_CHECKING:
    from gradviz.imitation.script.machine import Frame, Machine

PROTOCOL = " protocol"
"""Under this name a class derived from Protocol keeps what it asks for."""

HINTS = " hints"
"""Under this name the body of a class collects its annotations; no script can spell it."""


class Hint:
    """A type as it is written, such as `Optional[int]`, which only a type checker reads.

    Attributes:
        text: as it prints.
        origin: the class that `list[int]` makes objects of, or None.
        kinds: the types of a union, each once; of any other none.
        inside: what stands in its brackets.
    """

    __slots__ = ("inside", "kinds", "origin", "text")
    shown_as = "_GenericAlias"

    def __init__(
        self, text: str, origin: Any = None, kinds: tuple[Any, ...] = (), inside: tuple[Any, ...] = ()
    ) -> None:
        self.text = text
        self.origin = origin
        self.kinds = kinds
        self.inside = inside

    def of(self, inside: Any) -> Any:
        """`Optional[int]`."""
        parts = inside if isinstance(inside, tuple) else (inside,)
        if self.text in UNIONS:
            return _union((*parts, None) if self.text == UNIONS[1] else parts)
        show = _forward if self.text.startswith("typing.") and self.text not in OF_VALUES else shown
        return Hint(f"{self.text}[{', '.join(map(show, parts))}]"[:1000], self.origin, inside=parts)

    def __repr__(self) -> str:
        return self.text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Hint) and other.text == self.text

    def __hash__(self) -> int:
        return hash(self.text)


UNIONS = ("typing.Union", "typing.Optional")
OF_VALUES = ("typing.Literal", "typing.Annotated")
"""What stands in their brackets is no type."""


def _union(parts: tuple[Any, ...]) -> Any:
    """A union without unions in it, and each type once, as `typing` makes it."""
    flat = [kind for part in parts for kind in (part.kinds if isinstance(part, Hint | Union) else ()) or (part,)]
    kinds = tuple({_forward(kind): kind for kind in flat}.values())
    if len(kinds) == 1:
        return kinds[0]
    if len(kinds) == 2 and None in kinds:
        return Hint(f"typing.Optional[{next(_forward(kind) for kind in kinds if kind is not None)}]", None, kinds)
    named = ", ".join("NoneType" if kind is None else _forward(kind) for kind in kinds)
    return Hint(f"typing.Union[{named}]"[:1000], None, kinds)


def _forward(kind: Any) -> str:
    """A type in the brackets of one of `typing`, where a text is the name of a class to come."""
    if isinstance(kind, list):
        return f"[{', '.join(map(_forward, kind))}]"
    return f"ForwardRef({kind!r})" if isinstance(kind, str) else shown(kind)


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
    if (
        not all(kind is None or isinstance(kind, Class | Hint | Union) for kind in (left, right))
        or left is right is None
    ):
        return NotImplemented
    parts = [part for kind in (left, right) for part in (kind.kinds if isinstance(kind, Union) else (kind,))]
    # Each once: a union with itself is itself.
    return Union(tuple({id(part): part for part in parts}.values()))


def as_hint(kind: Any) -> ast.expr:
    """A type that a function was given, as the annotation it stands for."""
    return ast.fix_missing_locations(ast.Constant(kind, GIVEN))


GIVEN = "given"
"""The kind of an annotation that no text of the script stands for."""


def stays_text(machine: Machine, node: ast.expr) -> bool:
    """Whether an annotation is kept as the text it is, as the script asks for it from the future."""
    return machine.state.get("annotations are text", False) and getattr(node, "kind", None) != GIVEN


def read_hints(frame: Frame, hints: dict[str, ast.expr], is_text: bool) -> dict[str, Any]:
    """`__annotations__`: the values where they are known, else the text."""
    return {name: ast.unparse(node) if is_text else _value(frame, node) for name, node in hints.items()}


def _value(frame: Frame, node: ast.expr) -> Any:
    try:
        return expression(node, Scope())(frame)
    except GradvizError:
        return ast.unparse(node)
