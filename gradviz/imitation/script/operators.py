"""Operators over everything a script can hold: numbers and text, tensors, arrays, objects with special methods."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from fractions import Fraction
from itertools import islice
from typing import Any

import numpy as np

from gradviz.imitation.engine.creation import MAX_ELEMENTS
from gradviz.imitation.engine.functions import FUNCTIONS as F
from gradviz.imitation.engine.functions.numbers.bits import invert
from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.hooks.on_saved_tensors import refused_saving
from gradviz.imitation.engine.memory import storage
from gradviz.imitation.engine.memory.views import lost_history
from gradviz.imitation.engine.op import Op
from gradviz.imitation.engine.shape_errors import refuse_bools
from gradviz.imitation.engine.tensor import Tensor, constant, wrap
from gradviz.errors import LimitError, TorchError
from gradviz.imitation.script.arrays import operands as array_operands
from gradviz.imitation.script.classes.extended import as_builtin
from gradviz.imitation.script.errors.overheard import told
from gradviz.imitation.script.hinting import united
from gradviz.imitation.script.limits.arithmetic import (
    limited_power,
    limited_product,
    limited_shift,
    limited_sum,
    moderate,
    remainder_or_text,
)
from gradviz.imitation.script.limits.sizes import pair_fits
from gradviz.imitation.script.tensors.in_place import TENSOR_IN_PLACE
from gradviz.imitation.script.values import Bound, Instance, Object, asked_in_order, type_name

Operator = Callable[[Any, Any], Any]
NUMBERS = (int, float, bool)


def tensor_of(value: Any, like: Tensor, symbol: str, x: Any, y: Any) -> Any:
    """An operand next to a tensor: a tensor or number as it is, an array as a tensor.

    Raises:
        TorchError: neither.
    """
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Tensor | int | float):
        return value
    if isinstance(value, np.ndarray):
        return constant(value, like.tape)
    if isinstance(value, complex):
        raise TorchError("complex tensors are not supported", kind="TypeError", hint="Use real numbers.")
    raise unsupported(symbol, x, y)


UNSUPPORTED = "unsupported operand type(s) for "


def unsupported(symbol: str, x: Any, y: Any) -> TorchError:
    """Python's error for operands that do not go together."""
    if symbol == "+" and isinstance(x, str | list | tuple) and not isinstance(y, np.ndarray):
        kind = next(base.__name__ for base in (str, list, tuple) if isinstance(x, base))
        return TorchError(f'can only concatenate {kind} (not "{type_name(y)}") to {kind}', kind="TypeError")
    if symbol == "*" and (isinstance(x, str | list | tuple | bytes) or isinstance(y, str | list | tuple | bytes)):
        other = y if isinstance(x, str | list | tuple | bytes) else x
        return TorchError(f"can't multiply sequence by non-int of type '{type_name(other)}'", kind="TypeError")
    if symbol == "+" and isinstance(x, np.ndarray):
        return TorchError(array_operands.CONCATENATION, kind="TypeError")
    return TorchError(f"{UNSUPPORTED}{symbol}: '{type_name(x)}' and '{type_name(y)}'", kind="TypeError")


EXACT = frozenset((int, float))
QUICK: dict[str, Operator] = {"+": operator.add, "-": operator.sub, "/": operator.truediv}
"""What may be done with two numbers without a look at the size of the result."""


def _two_sided(symbol: str, name: str, plain: Operator, tensor: Operator) -> Operator:
    left, right = f"__{name}__", f"__r{name}__"
    is_product = symbol == "@"
    quick = QUICK.get(symbol)

    def run(x: Any, y: Any) -> Any:
        # Numbers and tensors first: they are nearly all there is.
        a_kind, b_kind = type(x), type(y)
        if a_kind is Tensor:
            if b_kind is Tensor:
                if is_product or x.data.shape != y.data.shape:
                    pair_fits(symbol, x, y)
                try:
                    return tensor(x, y)
                except TorchError as error:
                    raise lost_history((x, y)) or refused_saving(name, (x, y)) or error from None
            if b_kind in EXACT and not is_product:
                return tensor(x, y)
        elif a_kind in EXACT:
            if b_kind is Tensor and not is_product:
                return tensor(x, y)
            if quick is not None and b_kind in EXACT:
                return quick(x, y)
        return slow(x, y)

    def beside_tensor(x: Any, y: Any) -> Any:
        if isinstance(y, Instance) and (found := y.special(right, x)) is not NotImplemented:
            return found
        if isinstance(x, Instance) and (found := x.special(left, y)) is not NotImplemented:
            return found
        x, y = (as_builtin(value) if isinstance(value, Instance) else value for value in (x, y))
        if isinstance(x, np.ndarray) or isinstance(y, np.ndarray):
            return array_operands.operated(symbol, plain, x, y)
        if is_product and type(x) is not type(y):
            raise unsupported(symbol, x, y)
        if symbol == "** or pow()":
            x, y = _without_fractions(x, y)
        like = x if type(x) is Tensor else y
        if symbol == "*" and isinstance(x if like is y else y, list | tuple | str | bytes):
            return BINARY[ast.Mult](*(INDEX(value) if value is like else value for value in (x, y)))
        a, b = tensor_of(x, like, symbol, x, y), tensor_of(y, like, symbol, x, y)
        if type(a) is Tensor and type(b) is Tensor:
            pair_fits(symbol, a, b)
        return tensor(a, b)

    def slow(x: Any, y: Any) -> Any:
        if symbol == "%" and isinstance(x, str):
            return remainder_or_text(x, y)
        if type(x) is Tensor or type(y) is Tensor:
            return beside_tensor(x, y)
        if isinstance(x, Instance) or isinstance(y, Instance):
            return _special(symbol, plain, left, right, x, y)
        if isinstance(x, np.ndarray) or isinstance(y, np.ndarray):
            return array_operands.of_arrays(symbol, plain, run, x, y)
        if symbol == "|" and (kinds := united(x, y)) is not NotImplemented:
            return kinds
        try:
            if isinstance(x, np.generic) or isinstance(y, np.generic):
                return told(plain, x, y)
            return moderate(plain(x, y))
        except TypeError as error:
            raise in_script_words(error, x, y) from None

    return run


def in_script_words(error: TypeError, *values: Any) -> TorchError:
    """Python's error for operands, with the names that the script knows their types by."""
    text = str(error)
    for value in values:
        for quote in ("'", '"'):
            text = text.replace(f"{quote}{type(value).__name__}{quote}", f"{quote}{type_name(value)}{quote}")
    return TorchError(text, kind="TypeError")


def _without_fractions(x: Any, y: Any) -> tuple[Any, Any]:
    """Base and exponent as a Fraction gives itself to what it does not know."""
    if isinstance(y, Fraction):
        y = y.numerator if y.denominator == 1 else float(y)
    return float(x) if isinstance(x, Fraction) else x, y


ARRAYS = np.ndarray | np.generic


def _special(symbol: str, plain: Operator, left: str, right: str, x: Any, y: Any) -> Any:
    arrays = np.ndarray if symbol == "@" else ARRAYS  # a single number of numpy has no product of matrices
    is_of_array = isinstance(x, arrays) and type(y) is Object and not array_operands.gives_way(x, y)
    for asked, name, other in asked_in_order(left, right, x, y, is_of_array):
        if (result := asked.special(name, other)) is not NotImplemented:
            return result
    a, b = (as_builtin(value) if isinstance(value, Instance) else value for value in (x, y))
    if is_of_array or (type(a) is Object and isinstance(y, arrays)):
        return array_operands.of_arrays(symbol, plain, BY_SYMBOL[symbol], a, b)
    if a is x and b is y:
        count = _repeats(x, y) if symbol == "*" else NotImplemented
        if count is NotImplemented:
            raise unsupported(symbol, x, y)
        a, b = (value if isinstance(value, SEQUENCES) else count for value in (x, y))
    return BY_SYMBOL[symbol](a, b)


SEQUENCES = (str, list, tuple, bytes, bytearray)


def _repeats(x: Any, y: Any) -> Any:
    """How often an object of the script says that a sequence is to be repeated, or NotImplemented."""
    if isinstance(x, SEQUENCES) == isinstance(y, SEQUENCES):
        return NotImplemented
    return (y if isinstance(x, SEQUENCES) else x).special("__index__")


def _tensor_times(x: Any, y: Any) -> Any:
    return x * y


def _tensor_minus(x: Any, y: Any) -> Any:
    return F["sub"](x, y) if isinstance(x, Tensor) else F["rsub"](y, x)


def _tensor_over(x: Any, y: Any) -> Any:
    return F["div"](x, y) if isinstance(x, Tensor) else F["mul"](F["reciprocal"](y), x)


INDEX: Callable[[Any], int] = operator.index
"""Of a tensor too, which has its special methods from elsewhere."""
BINARY: dict[type[ast.operator], Operator] = {
    ast.Add: _two_sided("+", "add", limited_sum, operator.add),
    ast.Sub: _two_sided("-", "sub", operator.sub, _tensor_minus),
    ast.Mult: _two_sided("*", "mul", limited_product, _tensor_times),
    ast.Div: _two_sided("/", "truediv", operator.truediv, _tensor_over),
    ast.FloorDiv: _two_sided("//", "floordiv", operator.floordiv, F["floor_divide"]),
    ast.Mod: _two_sided("%", "mod", remainder_or_text, F["remainder"]),
    ast.Pow: _two_sided("** or pow()", "pow", limited_power, F["pow"]),
    ast.MatMult: _two_sided("@", "matmul", operator.matmul, F["matmul"]),
    ast.BitAnd: _two_sided("&", "and", operator.and_, F["bitwise_and"]),
    ast.BitOr: _two_sided("|", "or", operator.or_, F["bitwise_or"]),
    ast.BitXor: _two_sided("^", "xor", operator.xor, F["bitwise_xor"]),
    ast.LShift: _two_sided("<<", "lshift", limited_shift, F["bitwise_left_shift"]),
    ast.RShift: _two_sided(">>", "rshift", operator.rshift, F["bitwise_right_shift"]),
}

BY_SYMBOL: dict[str, Operator] = {}
for _kind, _symbol in zip(BINARY, "+ - * / // % ** @ & | ^ << >>".split(), strict=True):  # noqa: SIM905 - read as a row
    BY_SYMBOL["** or pow()" if _symbol == "**" else _symbol] = BINARY[_kind]

IN_PLACE: dict[type[ast.operator], Op] = {
    ast.Add: OPS["add"],
    ast.Sub: OPS["sub"],
    ast.Mult: OPS["mul"],
    ast.Div: OPS["div"],
    ast.Pow: OPS["pow"],
}
WRITTEN_OVER = {
    ast.FloorDiv: "floor_divide_", ast.Mod: "remainder_", ast.BitAnd: "bitwise_and_", ast.BitOr: "bitwise_or_",
    ast.BitXor: "bitwise_xor_", ast.LShift: "bitwise_left_shift_", ast.RShift: "bitwise_right_shift_",
}  # fmt: skip
"""The methods that stand for the other operators in place."""
IN_PLACE_SYMBOLS = {
    ast.Add: "+=", ast.Sub: "-=", ast.Mult: "*=", ast.Div: "/=", ast.Pow: "**=", ast.FloorDiv: "//=", ast.Mod: "%=",
    ast.BitAnd: "&=", ast.BitOr: "|=", ast.BitXor: "^=", ast.LShift: "<<=", ast.RShift: ">>=",
}  # fmt: skip
IN_PLACE_NAMES = {ast.Add: "iadd", ast.Sub: "isub", ast.Mult: "imul", ast.Div: "itruediv", ast.Pow: "ipow",
                  ast.MatMult: "imatmul", ast.FloorDiv: "ifloordiv", ast.Mod: "imod", ast.BitOr: "ior",
                  ast.BitAnd: "iand", ast.BitXor: "ixor", ast.LShift: "ilshift", ast.RShift: "irshift"}  # fmt: skip


def in_place(kind: type[ast.operator], x: Any, y: Any) -> Any:
    """`x += y` and the like: tensors and lists change in place, objects by their special method."""
    if type(x) is Tensor and kind in IN_PLACE_SYMBOLS and not isinstance(y, np.ndarray):
        symbol = IN_PLACE_SYMBOLS[kind]
        other = tensor_of(y, x, symbol, x, y)
        if kind in WRITTEN_OVER or (kind is ast.Pow and not isinstance(y, Tensor)):
            return TENSOR_IN_PLACE[WRITTEN_OVER.get(kind, "pow_")](x, other)
        pair_fits(symbol, x, other)
        if kind is ast.Sub:
            storage.refuse_leaf(x, by=[other] if isinstance(other, Tensor) else ())
            refuse_bools(x, other)
        return storage.change(x, IN_PLACE[kind], other if isinstance(other, Tensor) else wrap(other, x, IN_PLACE[kind]))
    if isinstance(x, Instance) and kind in IN_PLACE_NAMES:
        result = x.special(f"__{IN_PLACE_NAMES[kind]}__", y)
        if result is not NotImplemented:
            return result
    if kind is ast.Add and isinstance(x, list):
        if not isinstance(y, list | tuple | str | range | dict | set):
            y = list(islice(iter(y), MAX_ELEMENTS // 5 + 1))
        if (type(y) is range and len(y) > MAX_ELEMENTS) or len(x) + len(y) > MAX_ELEMENTS // 5:
            raise LimitError("the list is too long", hint="Use a shorter one.")
        x += y
        return x
    if isinstance(x, np.ndarray) and isinstance(y, bool | int | float | np.generic | np.ndarray | Object):
        return _array_in_place(kind, x, y)
    try:
        return BINARY[kind](x, y)
    except TorchError as error:
        if error.kind == "TypeError" and error.message.startswith(UNSUPPORTED):
            head, colon, rest = error.message.partition(": ")
            head = head.removesuffix(" or pow()")
            raise TorchError(f"{head}={colon}{rest}", kind="TypeError", hint=error.hint) from None
        raise


def _array_in_place(kind: type[ast.operator], x: Any, y: Any) -> Any:
    """The array keeps its memory, which tensors may look into."""
    result = BINARY[kind](x, y)
    if not isinstance(result, np.ndarray | np.generic) and not x.dtype.hasobject:
        return result  # of an object that numpy gives way to
    array_operands.refuse_in_place(kind, x, np.asarray(result))
    x[...] = result
    return x


def _one_sided(symbol: str, name: str, plain: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def run(x: Any) -> Any:
        if not isinstance(x, Instance):
            return plain(x)
        result = x.special(f"__{name}__")
        if result is NotImplemented:
            raise TorchError(f"bad operand type for unary {symbol}: '{x.cls.name}'", kind="TypeError")
        return result

    return run


def _inverted(x: Any) -> Any:
    if type(x) is Tensor:
        return invert(x)
    return told(operator.invert, x) if isinstance(x, bool) else ~x


UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: _one_sided("-", "neg", lambda x: F["neg"](x) if type(x) is Tensor else -x),
    ast.UAdd: _one_sided("+", "pos", lambda x: x if isinstance(x, Tensor) else +x),
    ast.Not: operator.not_,
    ast.Invert: _one_sided("~", "invert", _inverted),
}


TURNED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}
"""What a comparison is from the other side."""


def _is_parameter(x: Tensor) -> bool:
    return x.extra is not None and x.extra.is_parameter


def _compared(symbol: str, name: str, plain: Operator) -> Operator:
    function, turned = F[name], F[TURNED.get(name, name)]

    def run(x: Any, y: Any) -> Any:
        if type(x) is Tensor or type(y) is Tensor:
            if type(x) is type(y) is Tensor and _is_parameter(y) and not _is_parameter(x):
                return turned(y, x)  # Python asks the object of the derived class first
            like = x if type(x) is Tensor else y
            other = y if like is x else x
            if isinstance(other, np.ndarray):
                return array_operands.compared(symbol, function, x, y)
            if not isinstance(other, Tensor | int | float | np.generic | np.ndarray):
                if name in ("eq", "ne"):
                    return name == "ne"
                raise TorchError(
                    f"'{symbol}' not supported between instances of '{type_name(x)}' and '{type_name(y)}'",
                    kind="TypeError",
                )
            pair = tensor_of(x, like, symbol, x, y), tensor_of(y, like, symbol, x, y)
            pair_fits(symbol, *pair)
            return function(*pair)
        if isinstance(x, np.ndarray) or isinstance(y, np.ndarray):
            pair_fits(symbol, x, y)
            if array_operands.holds_objects(x) or array_operands.holds_objects(y):
                return array_operands.compared_objects(name, run, x, y)
        try:
            return plain(x, y)
        except TypeError:
            raise TorchError(
                f"'{symbol}' not supported between instances of '{type_name(x)}' and '{type_name(y)}'", kind="TypeError"
            ) from None

    return run


def _contains(x: Any, y: Any) -> bool:
    if isinstance(y, Tensor):
        if not isinstance(x, Tensor | int | float | complex | np.generic):
            text = f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a <class '{type_name(x)}'>."
            raise TorchError(text)
        return bool(np.any(COMPARE[ast.Eq](x, y).data))
    if isinstance(y, range) and isinstance(x, float):
        return x.is_integer() and int(x) in y  # Python itself would go through all of it
    if type(y) is Object and not any(y.cls.has(name) for name in ("__contains__", "__iter__", "__getitem__")):
        raise TorchError(f"argument of type '{y.cls.name}' is not iterable", kind="TypeError")
    if not isinstance(y, list | tuple | np.ndarray):
        return x in y
    equal = COMPARE[ast.Eq]
    if isinstance(y, np.ndarray):
        return bool(np.any(equal(y, x)))
    return any(item is x or bool(equal(item, x)) for item in y)


COMPARE: dict[type[ast.cmpop], Operator] = {
    ast.Eq: _compared("==", "eq", operator.eq),
    ast.NotEq: _compared("!=", "ne", operator.ne),
    ast.Lt: _compared("<", "lt", operator.lt),
    ast.LtE: _compared("<=", "le", operator.le),
    ast.Gt: _compared(">", "gt", operator.gt),
    ast.GtE: _compared(">=", "ge", operator.ge),
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: _contains,
    ast.NotIn: lambda x, y: not _contains(x, y),
}

__all__ = ["BINARY", "COMPARE", "IN_PLACE", "UNARY", "Bound", "in_place", "tensor_of", "unsupported"]
