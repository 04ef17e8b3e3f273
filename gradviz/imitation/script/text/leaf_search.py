"""Where a script makes its leaves: the assignments of tensors made from numbers in the text."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace

from gradviz.imitation.script.text.aliases import TorchNames
from gradviz.imitation.script.text.leaf_values import Values
from gradviz.imitation.script.text.literals import folded
from gradviz.imitation.script.text.located import Located
from gradviz.imitation.script.text.making import Making, making_of


@dataclass(frozen=True)
class LeafSpec:
    """One assignment of a tensor made from numbers in the text.

    Attributes:
        name: the variable.
        line: line of the expression that makes it, from 1.
        column: its first column, from 1, in characters.
        end_line: line of its last character.
        end_column: column just past it, from 1.
        kind: "literal" where the numbers stand in the text, "call" for torch.randn and the like.
        function: what makes it, in PyTorch's spelling, e.g. "tensor" or "randn".
        shape: e.g. (3, 2); () for a single number.
        dtype: as PyTorch names it, without "torch.", e.g. "float32".
        requires_grad: as it stands after later lines such as `x.requires_grad_()`.
        values: a number or nested lists, or None where they differ from run to run or are too many.
    """

    name: str
    line: int
    column: int
    end_line: int
    end_column: int
    kind: str
    function: str
    shape: tuple[int, ...]
    dtype: str
    requires_grad: bool
    values: Values | None

    @property
    def is_random(self) -> bool:
        """Whether its values differ from run to run."""
        return self.values is None and self.function in ("rand", "randn", "randint", "randperm", "empty")


@dataclass(frozen=True)
class Found:
    """A leaf with the pieces of the tree that make it.

    Attributes:
        statement: the assignment.
        switches: later `x.requires_grad = True` (the value) and `x.requires_grad_()` (the call), in order.
        switch_statements: the statements of the switches.
    """

    spec: LeafSpec
    making: Making
    statement: ast.stmt
    switches: tuple[ast.expr, ...] = ()
    switch_statements: tuple[ast.stmt, ...] = ()


def search(script: Located, names: TorchNames) -> list[Found]:
    """All leaves in the order of the text, outside functions and classes."""
    leaves: list[Found] = []
    latest: dict[str, int] = {}
    for statement in _statements(script.tree):
        for target, value in _assigned(statement):
            latest.pop(target.id, None)
            making = making_of(value, names) if value is not None else None
            if making is not None:
                latest[target.id] = len(leaves)
                leaves.append(Found(_spec(target.id, making, script), making, statement))
        name, switch, wanted = _switch(statement, names)
        if switch is not None and name in latest:
            leaves[latest[name]] = _switched(leaves[latest[name]], statement, switch, wanted)
    return leaves


def _statements(tree: ast.Module) -> Iterator[ast.stmt]:
    """The statements in the order of the text, also inside if, for, while, with and try."""
    waiting: list[ast.stmt] = list(reversed(tree.body))
    while waiting:
        statement = waiting.pop()
        yield statement
        if isinstance(statement, (ast.If, ast.For, ast.While, ast.With, ast.Try)):
            inner = [
                part for part in ast.iter_child_nodes(statement) if isinstance(part, (ast.stmt, ast.ExceptHandler))
            ]
            flat = [s for part in inner for s in (part.body if isinstance(part, ast.ExceptHandler) else [part])]
            waiting.extend(reversed(flat))


def _assigned(statement: ast.stmt) -> list[tuple[ast.Name, ast.expr | None]]:
    """The variables that a statement binds; with the expression where it is theirs alone."""
    if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
        return [(statement.target, statement.value)]
    if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
        return [(statement.target, None)]
    if not isinstance(statement, ast.Assign):
        return []
    pairs: list[tuple[ast.Name, ast.expr | None]] = []
    for target in statement.targets:
        pairs.extend(_paired(target, statement.value))
    return pairs


def _paired(target: ast.expr, value: ast.expr) -> list[tuple[ast.Name, ast.expr | None]]:
    if isinstance(target, ast.Name):
        return [(target, value)]
    if not isinstance(target, (ast.Tuple, ast.List)):
        return []
    both = isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts)
    values: list[ast.expr | None] = list(value.elts) if both else [None] * len(target.elts)  # type: ignore[attr-defined]
    return [(t, v) for t, v in zip(target.elts, values, strict=True) if isinstance(t, ast.Name)]


def _spec(name: str, making: Making, script: Located) -> LeafSpec:
    start, end = script.span(making.expression)
    line, column = script.line_of(start)
    end_line, end_column = script.line_of(end)
    kind = "literal" if making.is_literal else "call"
    return LeafSpec(
        name, line, column, end_line, end_column, kind, making.function,
        making.shape, making.dtype, making.requires_grad, making.values,
    )  # fmt: skip


def _switch(statement: ast.stmt, names: TorchNames) -> tuple[str, ast.expr | None, bool]:
    """The leaf, the deciding expression and the outcome of `x.requires_grad = True` or `x.requires_grad_()`."""
    match statement:
        case ast.Assign(targets=[ast.Attribute(value=ast.Name(id=name), attr="requires_grad")], value=value):
            wanted = folded(value, names)
            return (name, value, wanted) if isinstance(wanted, bool) else ("", None, False)
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="requires_grad_")) as call):
            wanted = folded(call.args[0], names) if call.args else not call.keywords
            return (name, call, wanted) if isinstance(wanted, bool) else ("", None, False)
    return "", None, False


def _switched(found: Found, statement: ast.stmt, switch: ast.expr, wanted: bool) -> Found:
    return replace(
        found,
        spec=replace(found.spec, requires_grad=wanted),
        switches=(*found.switches, switch),
        switch_statements=(*found.switch_statements, statement),
    )
