"""Which names are local, found before the code runs, as Python does."""

from __future__ import annotations

import ast
from collections.abc import Iterable

NEW_SCOPES = (ast.FunctionDef, ast.Lambda, ast.ClassDef, ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)


class Scope:
    """Where a piece of code stands while it is compiled.

    Attributes:
        line: line of the statement being compiled.
        names_tensors: whether a tensor is named after the target it is assigned to.
        is_module: whether assignments go to the module's variables.
        declared: "global" or "nonlocal" by name.
        outer: that of the function around it, or None.
        surrounding: for a comprehension, the scope that `:=` in it binds in.
        qualname: prefix of the names of functions defined here, e.g. "Net." or "f.<locals>.".
    """

    def __init__(
        self,
        local: Iterable[str] = (),
        *,
        is_module: bool = False,
        qualname: str = "",
        declared: dict[str, str] | None = None,
    ) -> None:
        self._local = frozenset(local)
        self.declared = declared or {}
        self.is_module = is_module
        self.qualname = qualname
        self.line = 0
        self.surrounding: Scope | None = None
        self.names_tensors = True
        self.outer: Scope | None = None

    def is_local(self, name: str) -> bool:
        """Whether the name belongs to this scope alone, so that its frame need not be left to find it."""
        return name in self._local and not self.is_module

    def inner(self) -> Scope:
        """The scope of a comprehension: its targets are its own, all else is looked up outwards."""
        scope = Scope(qualname=self.qualname)
        scope.surrounding = self.surrounding or self
        scope.line = self.line
        scope.outer = self
        return scope

    def is_free(self, name: str) -> bool:
        """Whether the name is a variable of a function around this one."""
        place = self.outer
        while place is not None:
            if place.is_local(name):
                return True
            place = place.outer
        return False


def local_names(body: list[ast.stmt], arguments: Iterable[str] = ()) -> tuple[set[str], set[str], set[str]]:
    """Names that a function's body binds, and those it declares global and nonlocal."""
    bound, global_names, nonlocal_names = set(arguments), set[str](), set[str]()
    pending: list[ast.AST] = list(body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Global):
            global_names.update(node.names)
        elif isinstance(node, ast.Nonlocal):
            nonlocal_names.update(node.names)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
            bound.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            bound.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            bound.update((alias.asname or alias.name.split(".")[0]) for alias in node.names)
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            bound.add(node.name)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            bound.add(node.rest)
        if isinstance(node, NEW_SCOPES):
            # Their insides bind nothing here, but for a walrus, which is rare enough to be looked up outwards.
            continue
        pending.extend(ast.iter_child_nodes(node))
    return bound - global_names - nonlocal_names, global_names, nonlocal_names
