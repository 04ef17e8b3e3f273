"""Names that a script uses and nobody defines, and numbers for them: what a person would write above the first use."""

from __future__ import annotations

import ast
import builtins
import re
import symtable
from collections.abc import Iterator

_MODULES = frozenset("torch np numpy nn F optim plt pd sns os sys math random jax jnp tf torchvision sklearn".split())
"""What is not there since it was not imported: no numbers help."""
_NOT_DEFINED = re.compile(r"NameError: name '(\w+)' is not defined")


def missing_name(message: str) -> str:
    """The name that the message of an error says is not defined; "" where it says no such thing."""
    found = _NOT_DEFINED.match(message)
    return "" if found is None else found[1]


def missing_names(text: str) -> tuple[str, ...]:
    """The names of a script that nothing defines and that a tensor can be, in the order of their first use.

    None for a script that does not parse, or imports names that it does not tell.
    """
    try:
        tree, table = ast.parse(text), symtable.symtable(text, "script", "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    if any(isinstance(node, ast.ImportFrom) and any(each.name == "*" for each in node.names) for node in tree.body):
        return ()
    scopes = list(_scopes(table))
    made = {each.get_name() for each in table.get_symbols() if each.is_assigned() or each.is_imported()}
    made |= {each.get_name() for scope in scopes for each in scope.get_symbols() if each.is_declared_global()}
    used = {each.get_name() for scope in scopes for each in scope.get_symbols() if _is_outer(each, scope is table)}
    free = used - made - _MODULES - set(dir(builtins)) - {"__name__", "__file__"}
    called = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    uses = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id in free - called]
    uses.sort(key=lambda node: (node.lineno, node.col_offset))
    return tuple(dict.fromkeys(node.id for node in uses))


def first_use(tree: ast.Module, name: str) -> ast.stmt | None:
    """The first statement at the outermost level in which a name is read; None where it is read nowhere."""
    for statement in tree.body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load):
                return statement
    return None


def _scopes(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    """A table and all below it."""
    waiting = [table]
    while waiting:
        scope = waiting.pop()
        waiting += scope.get_children()
        yield scope


def _is_outer(symbol: symtable.Symbol, is_outermost: bool) -> bool:
    """Whether a symbol is read in a scope and belongs to the outermost one."""
    return symbol.is_referenced() and (is_outermost or symbol.is_global())
