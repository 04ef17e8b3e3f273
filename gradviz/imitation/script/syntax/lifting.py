"""A `yield` inside a larger expression, lifted out: what is evaluated before it is kept in names of its own.

`f(a, (yield b))` becomes `0 = f; 1 = a; 2 = yield b; 0(1, 2)`; `and`, `or`, `if` and chains of comparisons become
`if` statements, so that what Python would skip is skipped. The names begin with a space: no script can spell them.
"""

from __future__ import annotations

import ast
from typing import Any, TypeVar

from gradviz.imitation.script.syntax.scope import NEW_SCOPES

COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)

Node = TypeVar("Node", bound=ast.AST)


def has_yield(node: ast.AST) -> bool:
    """Whether a `yield` of this function stands in the node."""
    pending = [node]
    while pending:
        part = pending.pop()
        if isinstance(part, ast.Yield | ast.YieldFrom):
            return True
        if isinstance(part, COMPREHENSIONS):
            pending.append(part.generators[0].iter)  # evaluated before its own scope begins
        elif not isinstance(part, NEW_SCOPES):
            pending.extend(ast.iter_child_nodes(part))
    return False


def is_plain_yield(node: ast.AST | None) -> bool:
    """Whether it is a `yield` of an expression that has none."""
    return isinstance(node, ast.Yield | ast.YieldFrom) and not (node.value is not None and has_yield(node.value))


def lifted_value(node: ast.expr) -> tuple[list[ast.stmt], ast.expr]:
    """Statements to run first, and an expression without a `yield`."""
    lift = Lift(node)
    return lift.before, lift.expression(node)


def lifted(node: ast.stmt) -> list[ast.stmt] | None:
    """Statements that do the same, each `yield` in them assigned to a name; None for a kind that cannot be lifted."""
    lift = Lift(node)
    if isinstance(node, ast.AugAssign):
        return lift.augmented(node)
    if isinstance(node, ast.Assert):
        return lift.asserted(node)
    if isinstance(node, ast.Assign):
        value = lift.expression(node.value)
        if any(map(has_yield, node.targets)):
            value = lift.keep(value)
        targets = [lift.parts(part) for part in node.targets]
        return [*lift.before, lift.at(ast.Assign(targets, value))]
    if isinstance(node, ast.AnnAssign) and node.value is not None:
        return [*lift.before, lift.at(ast.Assign([node.target], lift.expression(node.value)))]
    if isinstance(node, ast.Expr | ast.Return | ast.Raise | ast.Delete):
        simple = lift.parts(node)
        return [*lift.before, simple]
    return None


class Lift:
    """One statement being taken apart.

    Attributes:
        before: the statements that come first, in order.
    """

    def __init__(self, node: ast.AST) -> None:
        self._node = node
        self.before: list[ast.stmt] = []

    def at(self, node: Node) -> Node:
        """The new node with the place of the old statement."""
        return ast.fix_missing_locations(ast.copy_location(node, self._node))

    def keep(self, value: ast.expr) -> ast.expr:
        """Evaluate now, use later."""
        if isinstance(value, ast.Constant) or (isinstance(value, ast.Name) and value.id[:1] == " "):
            return value
        name = f" {value.lineno}:{value.col_offset}:{len(self.before)}"
        self._assign(name, value)
        return ast.copy_location(ast.Name(name, ast.Load()), value)

    def _assign(self, name: str, value: ast.expr) -> None:
        self.before.append(self.at(ast.Assign([ast.Name(name, ast.Store())], value)))

    def expression(self, node: ast.expr) -> ast.expr:
        """The expression without its yields, which are added to what comes before."""
        if not has_yield(node):
            return node
        if isinstance(node, ast.Yield | ast.YieldFrom):
            inner: Any = None if node.value is None else self.expression(node.value)
            return self.keep(ast.copy_location(type(node)(inner), node))
        if isinstance(node, ast.BoolOp):
            return self._chosen(node, [node.values[0]], node.values[1:], isinstance(node.op, ast.And))
        if isinstance(node, ast.IfExp):
            return self._conditional(node)
        if isinstance(node, ast.Compare) and len(node.ops) > 1:
            return self._chain(node)
        if isinstance(node, COMPREHENSIONS):
            return self._comprehension(node)
        return self.parts(node)

    def _comprehension(self, node: Any) -> ast.expr:
        """Of a comprehension only what it first goes through is evaluated here, and may have a `yield`."""
        first, *rest = node.generators
        fields = dict(ast.iter_fields(node)) | {"generators": [self.parts(first), *rest]}
        return self.at(type(node)(**fields))  # type: ignore[no-any-return]

    def parts(self, node: Node) -> Node:
        """The node with its parts, in the order of evaluation, up to the last `yield` kept."""
        places = list(_places(node))
        yields = [number for number, (_, _, part) in enumerate(places) if has_yield(part)]
        fields = {name: list(value) if isinstance(value, list) else value for name, value in ast.iter_fields(node)}
        for field, index, part in places[: yields[-1] + 1] if yields else ():
            new = self._part(part)
            if index is None:
                fields[field] = new
            else:
                fields[field][index] = new
        return ast.copy_location(type(node)(**fields), node)

    def _part(self, part: Any) -> Any:
        if isinstance(part, ast.keyword | ast.Starred):
            fields = dict(ast.iter_fields(part)) | {"value": self.keep(self.expression(part.value))}
            return ast.copy_location(type(part)(**fields), part)
        if isinstance(getattr(part, "ctx", None), ast.Store | ast.Del):
            return self.parts(part)
        return self.keep(self.expression(part))

    def _nested(self, node: ast.expr, name: str) -> list[ast.stmt]:
        """Statements that evaluate an expression into a name."""
        inner = Lift(node)
        value = inner.expression(node)
        inner._assign(name, value)
        return inner.before

    def _fresh(self, node: ast.expr) -> str:
        return f" {node.lineno}:{node.col_offset}:{len(self.before)}:if"

    def _named(self, name: str, node: ast.expr) -> ast.expr:
        return ast.copy_location(ast.Name(name, ast.Load()), node)

    def _chosen(self, node: ast.expr, now: list[ast.expr], rest: list[ast.expr], is_and: bool) -> ast.expr:
        name = self._fresh(node)
        body: list[ast.stmt] = []
        for part in reversed(rest):
            test = self._named(name, node)
            wanted = test if is_and else ast.copy_location(ast.UnaryOp(ast.Not(), test), node)
            body = [self.at(ast.If(wanted, [*self._nested(part, name), *body], []))]
        self.before += [*self._nested(now[0], name), *body]
        return self._named(name, node)

    def _conditional(self, node: ast.IfExp) -> ast.expr:
        name, test = self._fresh(node), self.expression(node.test)
        choice = ast.If(test, self._nested(node.body, name), self._nested(node.orelse, name))
        self.before.append(self.at(choice))
        return self._named(name, node)

    def _chain(self, node: ast.Compare) -> ast.expr:
        """`a < b < c` as `a < b and b < c`, where b is evaluated once."""
        name = self._fresh(node)
        left = self.keep(self.expression(node.left))
        body: list[ast.stmt] = self.before
        for op, right in zip(node.ops, node.comparators, strict=True):
            inner = Lift(node)
            kept = inner.keep(inner.expression(right))
            inner._assign(name, ast.copy_location(ast.Compare(left, [op], [kept]), node))
            choice = self.at(ast.If(self._named(name, node), [], []))
            body += [*inner.before, choice]
            body, left = choice.body, kept
        body.append(self.at(ast.Pass()))
        return self._named(name, node)

    def augmented(self, node: ast.AugAssign) -> list[ast.stmt]:
        """`x += (yield)`: the old value is read before the `yield`."""
        place: Any = node.target
        if isinstance(place, ast.Subscript):
            owner, index = self.keep(self.expression(place.value)), self.keep(self.expression(place.slice))
            load: ast.expr = ast.Subscript(owner, index, ast.Load())
            store: ast.expr = ast.Subscript(owner, index, ast.Store())
        elif isinstance(place, ast.Attribute):
            owner = self.keep(self.expression(place.value))
            load, store = ast.Attribute(owner, place.attr, ast.Load()), ast.Attribute(owner, place.attr, ast.Store())
        else:
            load, store = ast.Name(place.id, ast.Load()), place
        old: Any = self.keep(ast.copy_location(load, place))
        value = self.expression(node.value)
        change = ast.AugAssign(ast.Name(old.id, ast.Store()), node.op, value)
        return [*self.before, self.at(change), self.at(ast.Assign([store], old))]

    def asserted(self, node: ast.Assert) -> list[ast.stmt]:
        """`assert (yield), (yield)`: the message only where it fails."""
        test = self.expression(node.test)
        if node.msg is None or not has_yield(node.msg):
            return [*self.before, self.at(ast.Assert(test, node.msg))]
        inner = Lift(node)
        message = inner.expression(node.msg)
        failed = [*inner.before, inner.at(ast.Assert(ast.Constant(False), message))]
        return [*self.before, self.at(ast.If(ast.UnaryOp(ast.Not(), test), failed, []))]


def _places(node: ast.AST) -> list[tuple[str, int | None, Any]]:
    """(field, place in it, part) of the expressions in a node, in the order of evaluation."""
    if isinstance(node, ast.Dict):
        pairs = enumerate(zip(node.keys, node.values, strict=True))
        each = [(("keys", i, key), ("values", i, value)) for i, (key, value) in pairs]
        return [place for pair in each for place in pair if place[2] is not None]
    if isinstance(node, ast.NamedExpr):
        return [("value", None, node.value)]
    if isinstance(node, ast.comprehension):
        return [("iter", None, node.iter)]
    found: list[tuple[str, int | None, Any]] = []
    for field, value in ast.iter_fields(node):
        if isinstance(value, ast.expr):
            found.append((field, None, value))
        elif isinstance(value, list):
            found += [(field, i, part) for i, part in enumerate(value) if isinstance(part, ast.expr | ast.keyword)]
    return found
