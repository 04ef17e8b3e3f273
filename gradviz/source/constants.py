"""Numbers and lists of numbers written in a script, worked out without running it.

Knows literals, their arithmetic (`-1.`, `1 / 3`, `[0.] * 4`), `float("inf")`, `math.inf` and `torch.pi`.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable
from typing import Any

from gradviz.source.torch_names import TorchNames
from gradviz.source.values import MAX_ELEMENTS

_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {ast.UAdd: operator.pos, ast.USub: operator.neg}
_NAMED = {
    f"{module}.{name}": value
    for module in ("math", "torch", "numpy")
    for name, value in {"pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan}.items()
}
_MAX_WHOLE = 2**63


def constant_of(node: ast.expr, names: TorchNames) -> Any:
    """The number, bool, string or nested list that an expression is, or None where it is anything else."""
    known: dict[ast.AST, Any] = {}
    # Reversed breadth-first order visits the parts of a node before the node, without recursion.
    for part in reversed(list(ast.walk(node))):
        if isinstance(part, ast.expr):
            known[part] = _value(part, known, names)
    return known[node]


def _value(node: ast.expr, known: dict[ast.AST, Any], names: TorchNames) -> Any:
    match node:
        case ast.Constant(value=bool() | int() | float() | str() as value):
            return value
        case ast.List(elts=items) | ast.Tuple(elts=items):
            values = [known[item] for item in items]
            return None if any(value is None or isinstance(value, str) for value in values) else values
        case ast.UnaryOp(op=sign, operand=inner) if type(sign) in _UNARY and _is_number(known[inner]):
            return _UNARY[type(sign)](known[inner])
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _BINARY:
            return _combined(_BINARY[type(sign)], known[left], known[right])
        case ast.Call(func=ast.Name(id="float"), args=[inner], keywords=[]):
            return _float(known[inner])
        case ast.Attribute():
            return _NAMED.get(names.resolve(node))
    return None


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float))


def _float(value: Any) -> float | None:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return None


def _combined(combine: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    if _is_number(left) and _is_number(right):
        try:
            result = combine(left, right)
        except ArithmeticError:
            return None
        return result if isinstance(result, float) or abs(result) < _MAX_WHOLE else None
    if isinstance(left, list) and isinstance(right, int) and combine is operator.mul:
        return left * right if len(left) * right <= MAX_ELEMENTS else None
    return None
