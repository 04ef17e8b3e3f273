"""Tuples, lists and dicts of tensors, taken apart and put together again (PyTorch's "pytrees")."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

Build = Callable[[Iterator[Any]], Any]


class Tree:
    """What something is made of.

    Attributes:
        leaves: all that is no tuple, list or dict, in order.
        text: its structure as PyTorch writes it in messages, e.g. "(*, *)".
    """

    def __init__(self, value: Any) -> None:
        self.leaves: list[Any] = []
        self._value = value
        self._build, self.text = self._take_apart(value)

    def _take_apart(self, value: Any) -> tuple[Build, str]:
        if isinstance(value, dict):
            parts = [self._take_apart(item) for item in value.values()]
            inside = ", ".join(f"{key!r}: {text}" for key, (_, text) in zip(value, parts, strict=True))
            keys = list(value)
            return (
                lambda found: dict(zip(keys, [build(found) for build, _ in parts], strict=True)),
                f"{{{inside}}}",
            )
        if isinstance(value, tuple | list):
            parts = [self._take_apart(item) for item in value]
            inside = ", ".join(text for _, text in parts)
            kind = tuple if isinstance(value, tuple) else list
            text = f"[{inside}]" if kind is list else f"({inside}{',' if len(parts) == 1 else ''})"
            return (lambda found: kind([build(found) for build, _ in parts])), text
        self.leaves.append(value)
        return next, "*"

    def spec(self) -> str:
        """Its structure as `TreeSpec` shows it."""
        return _spec(self._value, 0)

    def rebuilt(self, leaves: Sequence[Any]) -> Any:
        """The same structure of other leaves."""
        return self._build(iter(leaves))


def _spec(value: Any, indent: int) -> str:
    if not isinstance(value, dict | tuple | list):
        return "*"
    kind = next(kind for kind in (dict, tuple, list) if isinstance(value, kind))
    context = list(value) if kind is dict else None
    inner = indent + 2
    parts = [_spec(item, inner) for item in (value.values() if isinstance(value, dict) else value)]
    listed = f",\n{' ' * inner}".join(parts)
    return f"TreeSpec({kind.__name__}, {context}, [{listed}])"
