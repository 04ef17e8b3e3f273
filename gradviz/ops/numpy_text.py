"""Ops as lines of numpy: what a row computes, and what it sends back, written down for a script that has numpy alone.

A rule or a forward that is made of operators and numpy's functions writes an expression, fed symbols. One that is not,
because it loops or works in place, is called, and its own source is the function that the script defines: without what
it does for tensors and symbols, which no script has.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from gradviz.ops import functions
from gradviz.ops.op import Op, Refusal
from gradviz.ops.symbols import VOCABULARY, CodeSymbol, Lost, Parameter, text_of

LONGEST = 160
"""Characters of an expression; a longer one is a function that is called."""
_PRIMITIVES = {"abs": "abs", "where": "where", "expand": "broadcast_to", "permute": "transpose"} | {
    name: name for name in "exp log sin cos sinh cosh sqrt tanh".split()
}
"""Words of the vocabulary that are functions of numpy by another or the same name."""


class Unwritten(Exception):
    """What no line of numpy can hold."""


@contextmanager
def _of_any_file() -> Iterator[None]:
    """Rules are run to be written, and a file from elsewhere may give an op params and shapes that it never has."""
    try:
        yield
    except Exception:
        raise Unwritten from None


@dataclass
class Script:
    """The lines of one script, and the functions that they call.

    Attributes:
        definitions: the source of each function, in the order in which they are needed.
    """

    definitions: dict[str, str] = field(default_factory=dict)

    def value(self, op: Op, names: Sequence[str], arrays: Sequence[Any], params: Mapping[str, Any]) -> str:
        """The expression of what an op computes.

        Args:
            names: what the script calls the inputs.
            arrays: the inputs.

        Raises:
            Unwritten: it cannot be written.
        """
        with _of_any_file():
            given = {f"i{number}": name for number, name in enumerate(names)}
            letters = [CodeSymbol(np.asarray(x)[()], ast.Name(f"i{n}")) for n, x in enumerate(arrays)]
            return self._written(op.forward, letters, params, given)

    def gradient(
        self, op: Op, slot: int, g: tuple[str, Any], y: tuple[str, Any], inputs: Sequence[tuple[str, Any]],
        params: Mapping[str, Any],
    ) -> str:  # fmt: skip
        """The expression of what an op sends to one of its inputs, of that input's shape.

        Args:
            g, y, inputs: what the script calls each, and the array.

        Raises:
            Unwritten: it cannot be written.
        """
        rule = op.vjp[0 if op.is_variadic else slot]
        if rule is None or isinstance(rule, Refusal):
            raise Unwritten
        with _of_any_file():
            everything = [g, y, *inputs]
            given = {f"i{number}": name for number, (name, _) in enumerate(everything)}
            letters = [CodeSymbol(np.asarray(x)[()], ast.Name(f"i{n}")) for n, (_, x) in enumerate(everything)]
            more = {"slot": slot} if op.is_variadic else {}
            text = self._written(rule, letters, {**params, **more}, given)
            with np.errstate(all="ignore"):
                sent = rule(*[np.asarray(x)[()] for _, x in everything], **params, **more)
            shape = np.shape(inputs[slot][1])
            if np.shape(sent) == shape:
                return text
            return f"{self._called(functions.summed_to)}({text}, {shape})"

    # ---- expressions ---------------------------------------------------------------------------------------------

    def _written(
        self, function: Callable[..., Any], letters: Sequence[Any], params: Mapping[str, Any], names: Mapping[str, str]
    ) -> str:
        literals: dict[str, ast.expr] = {key: ast.Name(name) for key, name in names.items()}
        given = {name: self._parameter(name, value, literals) for name, value in params.items()}
        try:
            with np.errstate(all="ignore"):
                text = self._numpy(text_of(function(*letters, **given)), literals)
            if len(text) <= LONGEST:
                return text
        except (Lost, Unwritten, AttributeError, TypeError, ValueError, LookupError):
            pass  # it does what no expression says, and is called
        tree = ast.Call(ast.Name(self._called(function)), [each.tree for each in letters],
                        [ast.keyword(name, _literal(value)) for name, value in given.items()])  # fmt: skip
        return self._numpy(ast.unparse(ast.fix_missing_locations(tree)), literals)

    def _parameter(self, name: str, value: Any, literals: dict[str, ast.expr]) -> Any:
        """A param as a rule takes it; arrays, which stand in the script as numbers, get a letter."""
        if isinstance(value, np.ndarray):
            if value.dtype.kind not in "bif" or value.size > 1000:
                raise Unwritten
            letter = f"p_{name}_{len(literals)}"
            kind = f", dtype=np.{'bool_' if value.dtype.kind == 'b' else value.dtype}"
            literals[letter] = ast.parse(f"np.array({value.tolist()!r}{kind})", mode="eval").body
            return CodeSymbol(value, ast.Name(letter))
        if isinstance(value, list | tuple):
            parts = [self._parameter(name, each, literals) for each in value]
            return Parameter(parts, _literal(parts))
        if value is None or value is ... or isinstance(value, bool | int | float | str | slice):
            return value
        raise Unwritten

    def _numpy(self, text: str, literals: Mapping[str, ast.expr]) -> str:
        tree = _Speller(self, literals).visit(ast.parse(text, mode="eval").body)
        return ast.unparse(ast.fix_missing_locations(tree))

    # ---- functions -----------------------------------------------------------------------------------------------

    def _called(self, function: Callable[..., Any]) -> str:
        """The name of a function that the script defines, with all that it calls."""
        function = inspect.unwrap(function)
        name = name_of(function)
        if name not in self.definitions:
            for needed, text in _defined(function).items():
                self.definitions.setdefault(needed, text)
        return name


def name_of(function: Callable[..., Any]) -> str:
    """What scripts call a function: its own name, and where it has none its place in the catalogue."""
    if function.__name__ == "<lambda>":
        module = function.__module__.rpartition(".")[2]
        return f"{module}_{function.__code__.co_firstlineno}_{_column(function)}"
    return function.__name__


@cache
def _defined(function: Callable[..., Any]) -> dict[str, str]:
    """The definitions of a function and of all that it calls, by name, what is needed first."""
    tree, needs = source_of(function)
    found: dict[str, str] = {}
    for needed in needs:
        if needed is not function:
            found |= _defined(needed)
    tree.name = name_of(function)
    found[tree.name] = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
    return found


def _literal(value: Any) -> ast.expr:
    tree: ast.expr | None = getattr(value, "tree", None)
    if tree is not None:
        return tree
    if isinstance(value, slice):
        return ast.Call(ast.Name("slice"), [_literal(each) for each in (value.start, value.stop, value.step)], [])
    if isinstance(value, list | tuple):
        return ast.Tuple([_literal(each) for each in value], ast.Load())
    return ast.Constant(value)


def _spelled(value: Any) -> ast.expr:
    """A constant, or a tuple of them, as numpy has it."""
    if isinstance(value, tuple):
        return ast.Tuple([_spelled(each) for each in value], ast.Load())
    if isinstance(value, float) and not math.isfinite(value):
        return ast.parse("np.nan" if math.isnan(value) else f"{'-' * (value < 0)}np.inf", mode="eval").body
    return ast.Constant(value)


class _Speller(ast.NodeTransformer):
    """An expression of symbols as one of numpy."""

    def __init__(self, script: Script, literals: Mapping[str, ast.expr]) -> None:
        self._script = script
        self._literals = literals

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._literals.get(node.id, node)

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        return _spelled(node.value)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        if not isinstance(node.func, ast.Name):
            node.keywords = _told(node.keywords, {"keepdims": False, "dtype": None})  # reduce goes along axis 0
            return self.generic_visit(node)  # type: ignore[return-value] # a call stays a call
        name = node.func.id
        args = [self.visit(each) for each in node.args]
        keywords = [ast.keyword(each.arg, self.visit(each.value)) for each in node.keywords]
        if name == "T":
            axes = args[1:] or [ast.Constant(-1), ast.Constant(-2)]
            return ast.Call(ast.Attribute(args[0], "swapaxes"), axes, [])
        if name == "reshape":
            return ast.Call(ast.Attribute(args[0], "reshape"), args[1:], keywords)
        if name == "sum":
            renamed = [ast.keyword(axis, each) for axis, each in zip(("axis", "keepdims"), args[1:], strict=False)]
            renamed += [ast.keyword("keepdims" if each.arg == "keepdim" else "axis", each.value) for each in keywords]
            return ast.Call(ast.Attribute(args[0], "sum"), [], _told(renamed, {"axis": None, "keepdims": False}))
        if name == "slice":
            return ast.Call(ast.Name("slice"), args, keywords)
        if name in self._script.definitions:
            return ast.Call(node.func, args, keywords)
        if name in _PRIMITIVES:
            return ast.Call(_of_numpy(_PRIMITIVES[name]), args, keywords)
        if name in VOCABULARY:
            return ast.Call(ast.Name(self._script._called(VOCABULARY[name].function)), args, keywords)
        if hasattr(np, name):
            return ast.Call(_of_numpy(name), args, keywords)
        raise Unwritten


def _told(keywords: list[ast.keyword], defaults: Mapping[str | None, Any]) -> list[ast.keyword]:
    """The options that are not at numpy's defaults."""
    return [
        each
        for each in keywords
        if not (
            isinstance(each.value, ast.Constant) and each.arg in defaults and each.value.value is defaults[each.arg]
        )
    ]


def _of_numpy(name: str) -> ast.expr:
    return ast.Attribute(ast.Name("np"), name)


# ---- the source of a function ------------------------------------------------------------------------------------

_FALSE = frozenset(("is_written", "is_tensor"))


@cache
def _module_of(file: str) -> ast.Module:
    return ast.parse(Path(file).read_text(encoding="utf-8"))


def _column(function: Callable[..., Any]) -> int:
    """The column where the body of a lambda begins."""
    return next(each[2] or 0 for each in function.__code__.co_positions() if each[0] and each[2] and each[3] != each[2])


@cache
def _parsed(function: Callable[..., Any]) -> ast.FunctionDef:
    """The tree of a function of the catalogue; a lambda as a function that returns its body."""
    if not inspect.isfunction(function):
        raise Unwritten
    line = function.__code__.co_firstlineno
    for node in ast.walk(_module_of(function.__code__.co_filename)):
        if isinstance(node, ast.FunctionDef) and node.name == function.__name__:
            first = min([node.lineno, *[each.lineno for each in node.decorator_list]])
            if first == line:
                return node
        if isinstance(node, ast.Lambda) and function.__name__ == "<lambda>" and node.lineno == line:
            places = {(each[0], each[2]) for each in function.__code__.co_positions()}
            if (node.body.lineno, node.body.col_offset) in places:
                made = ast.parse("def function(): return None").body[0]
                assert isinstance(made, ast.FunctionDef)
                made.args, made.body = node.args, [ast.Return(node.body)]
                return ast.fix_missing_locations(made)
    raise Unwritten


def source_of(function: Callable[..., Any]) -> tuple[ast.FunctionDef, list[Callable[..., Any]]]:
    """The source of a function of the catalogue as a script has it, and the functions that it calls.

    Raises:
        Unwritten: it is made of more than arrays, numbers and functions.
    """
    tree = _copied(_parsed(function))
    for part in ast.walk(tree):
        if isinstance(part, ast.FunctionDef):
            part.decorator_list, part.returns = [], None
        elif isinstance(part, ast.arg):
            part.annotation = None
    reader = _Plain(function)
    return reader.visit(tree), reader.needs


def _copied(tree: ast.FunctionDef) -> ast.FunctionDef:
    copy = ast.parse(ast.unparse(tree)).body[0]
    assert isinstance(copy, ast.FunctionDef)
    return copy


class _Plain(ast.NodeTransformer):
    """A function without its ways for tensors and symbols, and without the modules that it takes names from."""

    def __init__(self, function: Callable[..., Any]) -> None:
        cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        self._globals: Mapping[str, Any] = function.__globals__ | {name: cell.cell_contents for name, cell in cells}
        tree = _parsed(function)
        self._locals = {each.arg for each in ast.walk(tree) if isinstance(each, ast.arg)} | {
            each.id for each in ast.walk(tree) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
        }
        self.needs: list[Callable[..., Any]] = []

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        body: list[ast.stmt] = []
        for statement in node.body:
            body += _listed(self.visit(statement))
            if body and isinstance(body[-1], ast.Return):
                break  # what follows is for tensors
        node.body, node.args = body, self.visit(node.args)
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        open_parts = [each for each in node.values if self._truth(each) is None]
        parts = [self.visit(each) for each in open_parts]
        return parts[0] if len(parts) == 1 else ast.BoolOp(node.op, parts)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt | None:
        if node.value is None:
            return None
        return ast.Assign([node.target], self.visit(node.value), lineno=0)

    def visit_If(self, node: ast.If) -> Any:
        test = self._truth(node.test)
        if test is None:
            return self.generic_visit(node)
        kept = node.body if test else node.orelse
        return [each for statement in kept for each in _listed(self.visit(statement))]

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        test = self._truth(node.test)
        if test is None:
            return self.generic_visit(node)  # type: ignore[return-value] # a choice stays a choice
        chosen: ast.expr = self.visit(node.body if test else node.orelse)
        return chosen

    def _truth(self, test: ast.expr) -> bool | None:
        """Whether a test is settled where there are arrays alone."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            inner = self._truth(test.operand)
            return None if inner is None else not inner
        if isinstance(test, ast.BoolOp):
            parts = [self._truth(each) for each in test.values]
            settled = isinstance(test.op, ast.Or)
            if settled in parts:
                return settled
            return (not settled) if all(each is (not settled) for each in parts) else None
        if isinstance(test, ast.Call):
            called = test.func
            name = (
                called.id if isinstance(called, ast.Name) else called.attr if isinstance(called, ast.Attribute) else ""
            )
            if name in _FALSE:
                return False
            if name == "isinstance" and isinstance(test.args[1], ast.Name) and test.args[1].id in ("Traced", "Tensor"):
                return False
        return None

    def visit_Call(self, node: ast.Call) -> ast.expr:
        name = _function_name(node)
        if self._truth(node) is not None:
            return ast.Constant(self._truth(node))
        if name == "plain":
            return self.visit(node.args[0])  # type: ignore[no-any-return] # what is plain already
        if name == "through":
            row = self._known(node.args[0])
            if not isinstance(row, Op):
                raise Unwritten
            node = ast.Call(self._name(row.forward), node.args[1:], node.keywords)
            return ast.Call(node.func, [self.visit(each) for each in node.args], [self.visit(k) for k in node.keywords])
        return self.generic_visit(node)  # type: ignore[return-value] # a call stays a call

    def _known(self, node: ast.expr) -> Any:
        """What a name, or a part of what it names, is in the catalogue."""
        if isinstance(node, ast.Name):
            return self._globals.get(node.id)
        if isinstance(node, ast.Subscript):
            owner = self._known(node.value)
            if isinstance(node.slice, ast.Constant):
                return owner[node.slice.value]
            rows = list(owner.values()) if isinstance(owner, dict) else []
            alike = len({getattr(row, "forward", None) for row in rows}) == 1
            return rows[0] if alike else None  # whichever it is, it computes the same way
        if isinstance(node, ast.Attribute):
            return getattr(self._known(node.value), node.attr, None)
        return None

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if isinstance(node.value, ast.Name) and node.value.id not in self._locals:
            owner = self._globals.get(node.value.id)
            if owner is np or owner is math:
                return node
            if inspect.ismodule(owner) or isinstance(owner, Op):
                return self._name(getattr(owner, node.attr, None))
        return self.generic_visit(node)  # type: ignore[return-value] # an attribute stays one

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if (
            node.id in self._locals
            or isinstance(node.ctx, ast.Store)
            or hasattr(builtins, node.id)
            or node.id in ("np", "math")
        ):
            return node
        if node.id not in self._globals:
            raise Unwritten
        return self._name(self._globals[node.id])

    def _name(self, value: Any) -> ast.expr:
        path = _path_in_numpy(value)
        if path:
            return ast.parse(path, mode="eval").body
        own = inspect.unwrap(value) if callable(value) else None
        if inspect.isfunction(own):
            self.needs.append(own)
            return ast.Name(name_of(own))
        owner = getattr(value, "__self__", None)
        if isinstance(owner, np.ufunc):  # np.add.reduce under a name of its own
            return ast.Attribute(_of_numpy(owner.__name__), value.__name__)
        if isinstance(value, bool | int | float | str | tuple) and not isinstance(value, type):
            return _spelled(value)
        raise Unwritten


def _function_name(node: ast.Call) -> str:
    called = node.func
    return called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""


def _path_in_numpy(value: Any) -> str:
    """Where a function of numpy's is found, e.g. "np.linalg.svd"; "" for any other."""
    if not callable(value) or not str(getattr(value, "__module__", "")).startswith("numpy"):
        return ""
    name = getattr(value, "__name__", "")
    for owner, path in ((np, "np"), (np.linalg, "np.linalg"), (np.lib.stride_tricks, "np.lib.stride_tricks")):
        if getattr(owner, name, None) is value:
            return f"{path}.{name}"
    return ""


def _listed(given: Any) -> list[Any]:
    return given if isinstance(given, list) else [] if given is None else [given]
