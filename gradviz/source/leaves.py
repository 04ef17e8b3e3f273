"""The leaves of a script: the assignments of tensors made from numbers in the text."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace

from gradviz.source.constants import constant_of
from gradviz.source.creation import RANDOM, Creation, read_creation
from gradviz.source.edits import ParsedText, parse_text
from gradviz.source.torch_names import TorchNames, read_torch_names
from gradviz.source.values import Values


@dataclass(frozen=True)
class LeafSpec:
    """One assignment of a tensor made from numbers in the text.

    Attributes:
        name: the variable.
        line: line of the expression that makes it, from 1.
        column: its first column, from 1, in characters.
        end_line: line of its last character.
        end_column: column just past it, from 1.
        kind: "literal" where the numbers stand in the text, "call" for torch.randn and the like; "recorded" for a
            parameter of a recording, which stands nowhere in the text (its lines are 0).
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
    def is_recorded(self) -> bool:
        """Whether no line of the text makes it, so that it cannot be edited there."""
        return self.kind == "recorded"

    @property
    def is_random(self) -> bool:
        """Whether its values differ from run to run."""
        return self.values is None and self.function in RANDOM


@dataclass(frozen=True)
class FoundLeaf:
    """A leaf with the pieces of the tree that make it.

    Attributes:
        statement: the assignment.
        switches: later `x.requires_grad = True` (the value) and `x.requires_grad_()` (the call), in order.
        switch_statements: the statements of the switches.
    """

    spec: LeafSpec
    creation: Creation
    statement: ast.stmt
    switches: tuple[ast.expr, ...] = ()
    switch_statements: tuple[ast.stmt, ...] = ()


@dataclass(frozen=True)
class LeafTable:
    """A script, what its imported names mean, and its leaves in the order of the text."""

    script: ParsedText
    names: TorchNames
    leaves: list[FoundLeaf]


def find_leaves(text: str) -> tuple[LeafSpec, ...]:
    """All leaves made from numbers in the text, in its order. Lines that do not parse are passed over."""
    return tuple(found.spec for found in read_leaves(text).leaves)


def read_leaves(text: str) -> LeafTable:
    """All leaves with their places in the tree, outside functions and classes."""
    script = parse_text(text)
    names = read_torch_names(script)
    leaves: list[FoundLeaf] = []
    latest: dict[str, int] = {}
    for statement in _statements(script.tree):
        for target, value in _assigned(statement):
            latest.pop(target.id, None)
            creation = read_creation(value, names) if value is not None else None
            if creation is not None:
                latest[target.id] = len(leaves)
                leaves.append(FoundLeaf(_spec(target.id, creation, script), creation, statement))
        name, switch, wanted = _switch(statement, names)
        if switch is not None and name in latest:
            leaves[latest[name]] = _switched(leaves[latest[name]], statement, switch, wanted)
    return LeafTable(script, names, leaves)


def _statements(tree: ast.Module) -> Iterator[ast.stmt]:
    """The statements in the order of the text, also inside if, for, while, with and try."""
    waiting: list[ast.stmt] = list(reversed(tree.body))
    while waiting:
        statement = waiting.pop()
        yield statement
        if isinstance(statement, (ast.If, ast.For, ast.While, ast.With, ast.Try)):
            inner: list[ast.stmt] = []
            for part in ast.iter_child_nodes(statement):
                if isinstance(part, ast.ExceptHandler):
                    inner += part.body
                elif isinstance(part, ast.stmt):
                    inner.append(part)
            waiting.extend(reversed(inner))


def _assigned(statement: ast.stmt) -> list[tuple[ast.Name, ast.expr | None]]:
    """The variables that a statement binds; with the expression where it is theirs alone."""
    match statement:
        case ast.AnnAssign(target=ast.Name() as target, value=value):
            return [(target, value)]
        case ast.AugAssign(target=ast.Name() as target):
            return [(target, None)]
        case ast.Assign(targets=targets, value=value):
            return [pair for target in targets for pair in _paired(target, value)]
    return []


def _paired(target: ast.expr, value: ast.expr) -> list[tuple[ast.Name, ast.expr | None]]:
    if isinstance(target, ast.Name):
        return [(target, value)]
    if not isinstance(target, (ast.Tuple, ast.List)):
        return []
    values: list[ast.expr | None] = [None] * len(target.elts)
    if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts):
        values = list(value.elts)
    return [(t, v) for t, v in zip(target.elts, values, strict=True) if isinstance(t, ast.Name)]


def _spec(name: str, made: Creation, script: ParsedText) -> LeafSpec:
    start, end = script.span(made.expression)
    kind = "literal" if made.is_literal else "call"
    return LeafSpec(
        name, *script.line_and_column(start), *script.line_and_column(end), kind, made.function,
        made.shape, made.dtype, made.requires_grad, made.values,
    )  # fmt: skip


def _switch(statement: ast.stmt, names: TorchNames) -> tuple[str, ast.expr | None, bool]:
    """The leaf, the deciding expression and the outcome of `x.requires_grad = True` or `x.requires_grad_()`."""
    wanted: object = None
    decides: ast.expr | None = None
    match statement:
        case ast.Assign(targets=[ast.Attribute(value=ast.Name(id=name), attr="requires_grad")], value=decides):
            wanted = constant_of(decides, names)
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="requires_grad_")) as decides):
            given = [*decides.args, *(word.value for word in decides.keywords)]
            wanted = constant_of(given[0], names) if given else True
    return (name, decides, wanted) if isinstance(wanted, bool) else ("", None, False)


def _switched(found: FoundLeaf, statement: ast.stmt, switch: ast.expr, wanted: bool) -> FoundLeaf:
    return replace(
        found,
        spec=replace(found.spec, requires_grad=wanted),
        switches=(*found.switches, switch),
        switch_statements=(*found.switch_statements, statement),
    )
