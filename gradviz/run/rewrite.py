"""A script is rewritten a little, so that the recorder hears where it is and what its variables are called.

What is put in are calls of functions under names that begin with a space, which no script can spell; `execute` puts
them among the builtins. What the script computes stays the same:

    y = v                   ->  y = v; name(y, "y")
    self.w = v              ->  self.w = attribute(v, self, "w")
    for x in items: ...     ->  for x in rounds(items, "x"): ...
    def f(): ...            ->  def f(): level = enter("f"); try: ... finally: leave(level)
    except Exception: ...   ->  except never caught: raise; except Exception: ...

Line numbers and columns stay those of the script.
"""

from __future__ import annotations
import __future__

import ast
from collections.abc import Iterable, Sequence
from itertools import count
from typing import NamedTuple, TypeVar

NEVER_CAUGHT = " never caught"
KEPT = " kept"
"""A dict in which the script's own level keeps what a function keeps in a variable that no script can spell."""

FUTURE = "__future__"

_NUMBERS = count(1)
_NAMES_HERE = ("locals", "vars", "dir")

Function = ast.FunctionDef | ast.AsyncFunctionDef
Node = TypeVar("Node", bound=ast.AST)


class Rewritten(NamedTuple):
    """A script as it is compiled.

    Attributes:
        tree: with the calls put in.
        features: what it takes from `__future__`, which the compiler must be told when it compiles parts of it.
    """

    tree: ast.Module
    features: tuple[str, ...]


def rewrite(tree: ast.Module, *, in_cells: bool = False) -> Rewritten:
    """Rewrite a script's tree, in place.

    Args:
        tree: of the script.
        in_cells: it is a notebook, of which each cell may begin with what it takes from `__future__`.
    """
    rewriter = _Rewriter(any(isinstance(node, ast.Lambda) for node in ast.walk(tree)), in_cells)
    tree.body = rewriter.module_body(tree.body)
    return Rewritten(tree, tuple(rewriter.features))


# ---- the rewriter ----


class _Scope:
    """A function, class or module being rewritten.

    Attributes:
        kind: "module", "class", "function", "generator" or "async".
        path: the names of classes and functions around, for the names of levels.
        class_name: the innermost class around, for names with two underscores.
        outside: names that the scope declares `global` or `nonlocal`.
    """

    def __init__(self, kind: str, path: tuple[str, ...] = (), class_name: str = "") -> None:
        self.kind = kind
        self.path = path
        self.class_name = class_name
        self.outside: set[str] = set()


class _Rewriter(ast.NodeTransformer):
    """Puts the calls in. Statements give lists of statements."""

    def __init__(self, has_lambda: bool, in_cells: bool) -> None:
        self.scope = _Scope("module")
        self.has_lambda = has_lambda
        self.in_cells = in_cells
        self.features: list[str] = []

    def module_body(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """The statements of the whole script."""
        return self._statements(body)

    def _statements(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        done: list[ast.stmt] = []
        for statement in body:
            made = self.visit(statement)
            done += made if isinstance(made, list) else [made]
        return done

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Go into all fields; blocks of statements may grow."""
        for field in node._fields:
            value = getattr(node, field, None)
            if isinstance(value, ast.AST):
                setattr(node, field, self.visit(value))
            elif isinstance(value, list) and value:
                if isinstance(value[0], ast.stmt):
                    value[:] = self._statements(value)
                else:
                    value[:] = [self.visit(item) if isinstance(item, ast.AST) else item for item in value]
        return node

    # ---- assignments ----

    def visit_Assign(self, node: ast.Assign) -> list[ast.stmt]:
        """`y = v`, `x.a = v`, `a, b = v`."""
        targets = list(node.targets)
        node.value = self.visit(node.value)
        node.targets = [self.visit(target) for target in targets]
        if len(targets) == 1:
            node.value = self._attribute(targets[0], node.value)
        return [node, *self._tell(targets, node.value, node)]

    def visit_AnnAssign(self, node: ast.AnnAssign) -> list[ast.stmt]:
        """The same with an annotation."""
        node.annotation = self.visit(node.annotation)
        if node.value is None:
            return [node]
        node.value = self._attribute(node.target, self.visit(node.value))
        return [node, *self._tell([node.target], node.value, node)]

    def visit_AugAssign(self, node: ast.AugAssign) -> list[ast.stmt]:
        """`y += v`, `x.a += v`."""
        self.generic_visit(node)
        told = self._tell([node.target], node.value, node)
        if isinstance(node.target, ast.Attribute) and isinstance(node.target.value, ast.Name):
            owner = _at(ast.Name(node.target.value.id, ast.Load()), node)
            name = _at(ast.Constant(self._mangled(node.target.attr)), node)
            told.append(_at(ast.Expr(_call(" changed attribute", [owner, name], node)), node))
        return [node, *told]

    def _attribute(self, target: ast.expr, value: ast.expr) -> ast.expr:
        """The value, called by the attribute of a variable that it is assigned to."""
        if not (isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name)) or _is_no_tensor(value):
            return value
        owner = _at(ast.Name(target.value.id, ast.Load()), target)
        name = _at(ast.Constant(self._mangled(target.attr)), target)
        return _call(" attribute", [value, owner, name], target)

    def _mangled(self, name: str) -> str:
        """As Python's compiler mangles a name like `__x` inside a class."""
        owner = self.scope.class_name.lstrip("_")
        if name[:2] != "__" or name[-2:] == "__" or not owner:
            return name
        return f"_{owner}{name}"

    def visit_NamedExpr(self, node: ast.NamedExpr) -> ast.expr:
        """`(y := v)`."""
        node.value = self.visit(node.value)
        if _is_no_tensor(node.value) or not self._names_here(node.target.id):
            return node
        told = _at(ast.Constant(node.target.id), node)
        return _call(" named", [node, told, _at(ast.Constant(self.scope.kind == "module"), node)], node)

    def _tell(self, targets: Iterable[ast.expr], value: ast.expr, node: ast.stmt) -> list[ast.stmt]:
        """Calls that give what the targets hold now their names."""
        if _is_no_tensor(value):
            return []
        call = " name" if self.scope.kind == "module" else " local name"
        return [
            _at(
                ast.Expr(_call(call, [_at(ast.Name(name, ast.Load()), node), _at(ast.Constant(name), node)], node)),
                node,
            )
            for name in _plain_names(targets)
            if self._names_here(name)
        ]

    def _names_here(self, name: str) -> bool:
        return name not in self.scope.outside and self.scope.kind != "class"

    def visit_Global(self, node: ast.Global) -> ast.stmt:
        """What is declared so belongs to another scope, which names it."""
        self.scope.outside.update(node.names)
        return node

    def visit_Nonlocal(self, node: ast.Nonlocal) -> ast.stmt:
        """The same."""
        self.scope.outside.update(node.names)
        return node

    def visit_With(self, node: ast.With | ast.AsyncWith) -> ast.stmt:
        """`with a as y:`."""
        targets = [item.optional_vars for item in node.items if item.optional_vars is not None]
        told = self._tell(targets, node.items[0].context_expr, node)
        self.generic_visit(node)
        node.body[:0] = told
        return node

    visit_AsyncWith = visit_With  # noqa: N815

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.stmt:
        """`from __future__ import a` counts for the whole text; any other import stays."""
        if node.module != FUTURE or node.level:
            return node
        known = [alias.name for alias in node.names if alias.name in __future__.all_feature_names]
        self.features += known
        return _at(ast.Pass(), node) if self.in_cells and len(known) == len(node.names) else node

    # ---- functions and classes ----

    def visit_FunctionDef(self, node: Function) -> ast.stmt:
        """A call of it is a level."""
        outer = self.scope
        node.decorator_list = [self.visit(each) for each in node.decorator_list]
        self.visit(node.args)
        node.returns = None if node.returns is None else self.visit(node.returns)
        for parameter in getattr(node, "type_params", ()):
            self.visit(parameter)
        is_generator = _has_yield(node.body)
        kind = "async" if isinstance(node, ast.AsyncFunctionDef) else "generator" if is_generator else "function"
        self.scope = _Scope(kind, (*outer.path, node.name), outer.class_name)
        self.scope.outside = _declared(node.body)
        body = self._statements(node.body)
        node.body = body if kind == "async" or _is_trivial(body) else self._with_level(node, body)
        self.scope = outer
        return node

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815

    def _with_level(self, node: Function, body: list[ast.stmt]) -> list[ast.stmt]:
        first = [body.pop(0)] if _is_docstring(body[0]) else []
        place = body[0]
        path = _at(ast.Constant(".".join(self.scope.path)), place)
        given = [*node.args.posonlyargs, *node.args.args]
        if self.scope.kind == "generator":
            enter, leave = _call(" enter generator", [path], place), " leave generator"
        elif node.name == "forward" and given:
            owner = _at(ast.Name(given[0].arg, ast.Load()), place)
            enter, leave = _call(" enter method", [path, owner], place), " leave"
        else:
            enter, leave = _call(" enter", [path], place), " leave"
        begin = _at(ast.Assign([_at(ast.Name(" level", ast.Store()), place)], enter), place)
        # the end of a function that is left by an exception has the line of its last statement
        last = body[-1]
        end = _at(ast.Expr(_call(leave, [_at(ast.Name(" level", ast.Load()), last)], last)), last)
        return [*first, begin, _at(ast.Try(body, [], [], [end]), place)]

    def visit_Yield(self, node: ast.Yield) -> ast.expr:
        """While a generator waits, the run is where its caller is."""
        value: ast.expr = _at(ast.Constant(None), node) if node.value is None else self.visit(node.value)
        return self._waiting(ast.Yield, value, node)

    def visit_YieldFrom(self, node: ast.YieldFrom) -> ast.expr:
        """The same, for all that another generator gives."""
        return self._waiting(ast.YieldFrom, self.visit(node.value), node)

    def _waiting(self, kind: type[ast.Yield | ast.YieldFrom], value: ast.expr, node: ast.expr) -> ast.expr:
        if self.scope.kind != "generator":
            return _at(kind(value), node)
        pause = _call(" pause", [_at(ast.Name(" level", ast.Load()), node), value], node)
        return _call(" resume", [_at(ast.Name(" level", ast.Load()), node), _at(kind(pause), node)], node)

    def visit_Lambda(self, node: ast.Lambda) -> ast.expr:
        """A call of it is a level too."""
        self.visit(node.args)
        outer = self.scope
        has_yield = _has_yield([node.body])
        self.scope = _Scope("async" if has_yield else "function", (*outer.path, "<lambda>"), outer.class_name)
        node.body = self.visit(node.body)
        if not has_yield and not isinstance(node.body, ast.Constant | ast.Name):
            path = _at(ast.Constant(".".join(self.scope.path)), node)
            node.body = _call(" leave lambda", [_call(" enter", [path], node), node.body], node.body)
        self.scope = outer
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.stmt:
        """Its body names nothing."""
        outer = self.scope
        node.decorator_list = [self.visit(each) for each in node.decorator_list]
        node.bases = [self.visit(each) for each in node.bases]
        for keyword in node.keywords:
            keyword.value = self.visit(keyword.value)
        for parameter in getattr(node, "type_params", ()):
            self.visit(parameter)
        self.scope = _Scope("class", (*outer.path, node.name), node.name)
        node.body = self._statements(node.body)
        self.scope = outer
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """`locals()` in a function has none of the variables that are put in."""
        self.generic_visit(node)
        is_asked = isinstance(node.func, ast.Name) and node.func.id in _NAMES_HERE and not node.args
        if not is_asked or self.scope.kind in ("module", "class"):
            return node
        return _call(" spelled", [node], node)

    def _kept(self, what: str) -> str:
        """A fresh name of ours."""
        return f" {what} {next(_NUMBERS)}"

    def _place(self, name: str, context: ast.expr_context, node: ast.AST) -> ast.expr:
        """Where something is kept under a name of ours: a variable of the function, or an item of `KEPT`."""
        if self.scope.kind != "module":
            return _at(ast.Name(name, context), node)
        kept = _at(ast.Name(KEPT, ast.Load()), node)
        return _at(ast.Subscript(kept, _at(ast.Constant(name), node), context), node)

    # ---- loops ----

    def visit_For(self, node: ast.For) -> ast.stmt:
        """Each round is a level."""
        name = target_names(node.target)
        node.target = self.visit(node.target)
        items: ast.expr = self.visit(node.iter)
        if self.scope.kind not in ("async", "class"):
            items = _call(" rounds", [items, _at(ast.Constant(name), items)], items)
        node.iter = items
        node.body = self._statements(node.body)
        node.orelse = self._statements(node.orelse)
        return node

    def visit_While(self, node: ast.While) -> list[ast.stmt] | ast.stmt:
        """Each round is a level; its test is computed outside."""
        test: ast.expr = self.visit(node.test)
        if self.scope.kind in ("async", "class"):
            node.test = test
            node.body = self._statements(node.body)
            node.orelse = self._statements(node.orelse)
            return node
        loop = self._kept("loop")

        def kept() -> ast.expr:
            return self._place(loop, ast.Load(), node)

        begin = _at(ast.Assign([self._place(loop, ast.Store(), node)], _call(" begin while", [], node)), node)
        node.test = _call(" next round", [kept(), _call(" between rounds", [kept()], node), test], test)
        node.body = self._statements(node.body)
        node.orelse = self._statements(node.orelse)
        end = _at(ast.Expr(_call(" end while", [kept()], node)), node)
        return [begin, _at(ast.Try([node], [], [], [end]), node)]

    # ---- errors ----

    def visit_Try(self, node: ast.Try) -> list[ast.stmt] | ast.stmt:
        """What ends the run passes every handler; the others go on at the level of the `try`."""
        handlers = node.handlers
        self.generic_visit(node)
        if not handlers:
            return node
        before: list[ast.stmt] = []
        if self.has_lambda and self.scope.kind != "class":
            here = self._kept("here")
            before = [_at(ast.Assign([self._place(here, ast.Store(), node)], _call(" here", [], node)), node)]
            for handler in handlers:
                back = _call(" leave", [self._place(here, ast.Load(), handler)], handler)
                handler.body.insert(0, _at(ast.Expr(back), handler))
        if any(_is_wide(handler.type) for handler in handlers):
            first = handlers[0]
            never = _at(ast.Name(NEVER_CAUGHT, ast.Load()), first)
            node.handlers = [_at(ast.ExceptHandler(never, None, [_at(ast.Raise(), first)]), first), *handlers]
        return [*before, node]


def _is_wide(kind: ast.expr | None) -> bool:
    """Whether a handler could catch what must end the run; of a plain well-known name it is known that it does not."""
    return (
        not isinstance(kind, ast.Name)
        or kind.id in _BASES_OF_BEYOND
        or not kind.id.endswith(("Error", "Warning", "StopIteration"))
    )


_BASES_OF_BEYOND = frozenset({"AttributeError", "Exception", "NotImplementedError", "RuntimeError"})
"""What is an error to `hasattr` must not be one to a script's `except`: PyTorch has what lies beyond the engine, and a
script that went on without it would print something else."""


def _plain_names(targets: Iterable[ast.expr]) -> list[str]:
    """The variables among the targets of an assignment."""
    found: list[str] = []
    pending = list(targets)[::-1]
    while pending:
        target = pending.pop()
        if isinstance(target, ast.Name):
            found.append(target.id)
        elif isinstance(target, ast.Tuple | ast.List):
            pending += target.elts[::-1]
        elif isinstance(target, ast.Starred):
            pending.append(target.value)
    return found


def target_names(target: ast.expr) -> str:
    """What a loop assigns to, e.g. "i, x, y" for `i, (x, y)`."""
    return ", ".join(_plain_names([target])) or ast.unparse(target)


def _is_no_tensor(value: ast.expr) -> bool:
    """Whether it is plain from the text that a value is no tensor, nor holds one."""
    return isinstance(value, ast.Constant | ast.JoinedStr | ast.Lambda | ast.SetComp)


def _has_yield(body: Sequence[ast.AST]) -> bool:
    """Whether a function with this body is a generator; functions inside it do not count."""
    pending = list(body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Yield | ast.YieldFrom):
            return True
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            pending += [*node.decorator_list, *getattr(node, "bases", ())]
            if not isinstance(node, ast.ClassDef):
                pending += [*node.args.defaults, *(each for each in node.args.kw_defaults if each is not None)]
        elif isinstance(node, ast.Lambda):
            pending += [*node.args.defaults, *(each for each in node.args.kw_defaults if each is not None)]
        else:
            pending += ast.iter_child_nodes(node)
    return False


def _declared(body: Sequence[ast.AST]) -> set[str]:
    """The names that a function declares `global` or `nonlocal`."""
    found: set[str] = set()
    pending = list(body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Global | ast.Nonlocal):
            found.update(node.names)
        elif isinstance(node, ast.stmt) and not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            pending += ast.iter_child_nodes(node)
        elif isinstance(node, ast.ExceptHandler | ast.match_case):
            pending += node.body
    return found


def _is_docstring(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def _is_trivial(body: list[ast.stmt]) -> bool:
    """Whether nothing is computed in it."""
    return all(
        isinstance(each, ast.Pass)
        or (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))
        or (isinstance(each, ast.Return) and (each.value is None or isinstance(each.value, ast.Constant | ast.Name)))
        for each in body
    )


def _at(node: Node, place: ast.AST) -> Node:
    return ast.copy_location(node, place)


def _call(function: str, arguments: list[ast.expr], place: ast.AST) -> ast.expr:
    return _at(ast.Call(_at(ast.Name(function, ast.Load()), place), arguments, []), place)
