"""Which tensors are kept in full, where not all are: those that a filter names."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any, Callable, Union

from gradviz.capture.forward import Event, Leaf

Filter = Union[str, Callable[[str], bool]]


class Named:
    """What a filter names.

    Args:
        text: patterns with commas between, as "layers.0.*, loss, softmax"; each is held against the variable or the
            parameter, the op, the module's full path, and the path with the op ("net.fc.addmm"). Or a function, which
            gets these names one after the other and says whether one is meant.
    """

    def __init__(self, text: Filter) -> None:
        self._patterns = [] if callable(text) else [each.strip() for each in text.split(",") if each.strip()]
        self._ask = text if callable(text) else None
        self._known: dict[str, bool] = {}

    def _is_named(self, name: str | None) -> bool:
        if not name:
            return False
        found = self._known.get(name)
        if found is None:
            matches = (
                self._ask(name) if self._ask is not None else any(fnmatchcase(name, each) for each in self._patterns)
            )
            found = self._known[name] = bool(matches)
        return found

    def wants_event(self, event: Event, names: Any = None) -> bool:
        """Whether what an op makes is kept in full."""
        op = event.op.plain if event.op is not None else event.node
        path = None if event.level is None else event.level.module
        if self._is_named(op) or self._is_named(path) or (path and self._is_named(f"{path}.{op}")):
            return True
        named = names if isinstance(names, tuple) else ()
        return any(self._is_named(each) for each in (*named, *(output.name for output in event.made)))

    def wants_leaf(self, name: str | None) -> bool:
        """Whether a leaf is kept in full."""
        return self._is_named(name)

    def wants(self, where: Any) -> bool:
        """Whether the gradients at a leaf or an event are."""
        return self._is_named(where.name) if where.__class__ is Leaf else self.wants_event(where)
