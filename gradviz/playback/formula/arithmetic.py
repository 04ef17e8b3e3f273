"""Whether a line of arithmetic is true as it is printed: with the numbers that stand there, in their few digits.

A recorded gradient need not be what the rule gives: a hook may have changed it, or a saved tensor was changed through
`.data`. And a true equation may read as a false one where rounding has cancelled: 0.1 = 1000 − 1000. What does not hold
is not printed as an equation. Knows no Qt.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gradviz.errors import Unanswered
from gradviz.graph.answer import answering
from gradviz.graph.node import NodeFunction
from gradviz.ops.fitting import sum_to
from gradviz.ops.symbols import VOCABULARY
from gradviz.playback.formula.formula import parsed
from gradviz.playback.words import number_text
from gradviz.recording import Array, Node, Recording, Sweep

if TYPE_CHECKING:
    from gradviz.ops.op import Op

Numbers = np.ndarray[Any, np.dtype[np.float64]]

EQUALS = " = "
FROM = " from "
"""Between a number and terms that give it, but not in the digits that are shown."""
NOT = " went out, not "
"""Between a number and terms that do not give it."""

MOST_NUMBERS = 400_000
"""Elements of the values and gradients at a node up to which its rule is run to see whether it gave what went out."""
MOST_OFF = 0.01
"""Share of a number by which two sides may differ at most, whatever their digits say."""


def as_shown(array: Array) -> Numbers:
    """The numbers that are read where an array is shown."""
    numbers = np.asarray(array, dtype=np.float64)
    shown = [float(number_text(number)) for number in numbers.ravel().tolist()]
    return np.array(shown, dtype=np.float64).reshape(numbers.shape)


def half_digit(shown: Numbers) -> Numbers:
    """How far a number may be from what is shown of it: half a unit in its fourth digit, of large ones a half."""
    size = np.abs(np.where(np.isfinite(shown), shown, 0.0))
    with np.errstate(divide="ignore"):
        digit = 10.0 ** (np.floor(np.log10(np.where(size == 0, 1.0, size))) - 3)
    return np.where(size == 0, 0.0, 0.5 * np.where(size < 1e6, np.minimum(digit, 1.0), digit))


def are_equal(left: Numbers, right: Numbers, slack: Any) -> bool:
    """Whether two sides are the same number within a slack, and by no more than a hundredth; NaN is NaN."""
    with np.errstate(all="ignore"):
        most = MOST_OFF * np.maximum(np.abs(left), np.abs(right))
        near = np.abs(left - right) <= np.minimum(slack, most) * (1 + 1e-9)
    return bool((near | (left == right) | (np.isnan(left) & np.isnan(right))).all())


# ---- a formula ---------------------------------------------------------------------------------------------------


def formula_holds(formula: str, numbers: Mapping[str, Any], result: Array, axes: tuple[int, ...]) -> bool | None:
    """Whether a formula gives a result with all numbers as they are shown; None where it cannot be computed.

    Args:
        numbers: what each name of the formula is: arrays, and parameters.
        result: what stands on the left.
        axes: over which the formula is summed.
    """
    names = {name: as_shown(each) if _is_array(each) else each for name, each in numbers.items()}
    left = as_shown(result)
    right = _side(formula, names, left.shape, axes)
    if right is None:
        return None
    slack = half_digit(left)
    for name, shown in names.items():
        if isinstance(shown, np.ndarray):
            for sign in (1, -1):
                moved = _side(formula, names | {name: shown + sign * half_digit(shown)}, left.shape, axes)
                with np.errstate(invalid="ignore"):
                    slack = slack + (0 if moved is None else np.nan_to_num(np.abs(moved - right)))
    return are_equal(left, right, slack)


def _is_array(given: object) -> bool:
    return isinstance(given, np.ndarray | np.generic) and np.asarray(given).dtype.kind in "fiub"


def _side(formula: str, names: Mapping[str, Any], shape: tuple[int, ...], axes: tuple[int, ...]) -> Numbers | None:
    """What a formula gives; of one that ends in words, as "g / n, copied to all n elements", what stands before."""
    tree = parsed(formula)
    if tree is None:
        tree = parsed(formula.partition(", ")[0])
    if tree is None:
        return None
    try:
        with answering("the formula has no value"):
            found = np.asarray(_value(tree, names), dtype=np.float64)
            if axes:
                found = np.sum(found, axis=axes)
            return found.reshape(shape) if found.size == max(int(np.prod(shape)), 1) else np.broadcast_to(found, shape)
    except Unanswered:
        return None


_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: np.divide,
    ast.Pow: np.power,
    ast.FloorDiv: np.floor_divide,
    ast.MatMult: np.matmul,
    ast.BitAnd: np.logical_and,
    ast.BitOr: np.logical_or,
}
_COMPARED: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_CALLED: dict[str, Callable[..., Any]] = {
    **{name: getattr(np, name) for name in "square tan outer maximum minimum floor trunc".split()},
    "softplus": lambda x: np.logaddexp(0, x),
}
"""What formulas call besides the vocabulary of the ops."""


def _value(tree: ast.expr, names: Mapping[str, Any]) -> Any:
    """The value of an expression of the table of rules, which is no script's.

    Raises:
        LookupError: it has a name or a sign that is not known here.
    """
    match tree:
        case ast.Constant(value=bool() | int() | float() as number):
            return number
        case ast.Name(id="pi"):
            return np.pi
        case ast.Name(id=name):
            return names[name]
        case ast.BinOp(left=left, op=sign, right=right):
            return _BINARY[type(sign)](_value(left, names), _value(right, names))
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return np.negative(_value(inner, names))
        case ast.UnaryOp(op=ast.Not() | ast.Invert(), operand=inner):
            return np.logical_not(_value(inner, names))
        case ast.BoolOp(op=sign, values=parts):
            join = np.logical_and if isinstance(sign, ast.And) else np.logical_or
            return join.reduce(np.broadcast_arrays(*(_value(part, names) for part in parts)))
        case ast.Compare(left=first, ops=signs, comparators=rest):
            sides = [_value(side, names) for side in (first, *rest)]
            pairs = zip(signs, sides[:-1], sides[1:], strict=True)
            return np.logical_and.reduce(np.broadcast_arrays(*(_COMPARED[type(s)](a, b) for s, a, b in pairs)))
        case ast.IfExp(test=test, body=body, orelse=otherwise):
            return np.where(_value(test, names), _value(body, names), _value(otherwise, names))
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
            function = _CALLED[name] if name in _CALLED else VOCABULARY[name].function
            return function(*(_value(each, names) for each in arguments))
    raise LookupError(ast.dump(tree))


# ---- a rule ------------------------------------------------------------------------------------------------------


def rule_gave(
    recording: Recording, node: Node, op: Op, slot: int, incoming: Array, sent: Array, call: Sweep | None
) -> bool | None:
    """Whether what went out to an input is what the op's rule gives for what came in; None where that is not known.

    Nearly, since PyTorch may add in another order or precision.
    """
    shapes = [recording.nodes[source].shape for source in node.inputs]
    if incoming.size + sum(int(np.prod(shape)) for shape in shapes) > MOST_NUMBERS:
        return None
    try:
        function = NodeFunction(node, op)
        made = function.rule(slot, incoming, *function.values_read(recording, call))
        with answering("the rule gives no such array"):
            return None if made is None else _is_nearly(sum_to(np.asarray(made), sent.shape), sent, node.dtype)
    except Unanswered:
        return None


def _is_nearly(made: Array, sent: Array, dtype: str) -> bool:
    loose = 2e-2 if dtype in ("float16", "bfloat16") else 1e-3
    finite = np.abs(np.nan_to_num(np.asarray(sent), posinf=0.0, neginf=0.0))
    size = float(np.max(finite, initial=0.0)) if sent.shape else 0.0
    return bool(np.allclose(made, sent, rtol=loose, atol=loose * size * 1e-2 + 1e-6, equal_nan=True))


# ---- a sum -------------------------------------------------------------------------------------------------------


def sign_before(total: float, terms: Sequence[tuple[float, ...]], factor: float = 1.0, *, is_all: bool = True) -> str:
    """What stands between a number and the sum of products that it is said to be: see `EQUALS`, `FROM` and `NOT`.

    Args:
        terms: the factors of each product.
        factor: of the whole sum.
        is_all: whether no term is left out.
    """
    if not is_all:
        return EQUALS
    with np.errstate(all="ignore"):
        exact, size = _sum(terms, factor)
        if np.isfinite(exact) and not abs(exact - total) <= 1e-3 * size + 1e-6:  # another precision is no change
            return NOT
        shown = [tuple(float(number_text(number)) for number in term) for term in terms]
        least = [tuple(abs(number) - float(half_digit(np.array(number))) for number in term) for term in shown]
        right, reach = _sum(shown, factor)
        slack = float(half_digit(as_shown(np.array(total)))) + reach - _sum(least, factor)[1]
        return EQUALS if are_equal(as_shown(np.array(total)), np.array(right), slack) else FROM


def _sum(terms: Sequence[tuple[float, ...]], factor: float) -> tuple[float, float]:
    """The sum of products, and the sum of their sizes."""
    products = [float(np.prod(term)) for term in terms]
    return factor * sum(products), abs(factor) * sum(map(abs, products))


def adds_up(terms: Sequence[Array], total: Array) -> bool | None:
    """Whether terms give a total in the digits shown; None where they do, but not in those digits."""
    exact = np.sum([np.asarray(term, dtype=np.float64) for term in terms], axis=0)
    sides = [as_shown(term) for term in terms]
    with np.errstate(all="ignore"):
        is_sum = np.allclose(exact, np.asarray(total, dtype=np.float64), rtol=1e-3, atol=1e-6, equal_nan=True)
        left, slack = as_shown(total), sum(map(half_digit, sides)) + half_digit(as_shown(total))
        is_shown = are_equal(left, np.sum(sides, axis=0), slack)
    return True if is_shown and is_sum else None if is_sum else False
