"""Arrays of objects: what numpy asks of each item goes through the script's own operators, and stays within limits."""

from __future__ import annotations

import ast
from collections.abc import Callable
from fractions import Fraction
from operator import index
from typing import Any

import numpy as np

from gradviz.errors import TorchError
from gradviz.imitation.script.operators import BINARY, UNARY
from gradviz.imitation.script.tensors.grad_nodes import NOTHING
from gradviz.imitation.script.values import Object, type_name

OPERATORS: dict[str, type[ast.operator]] = {
    "add": ast.Add, "sub": ast.Sub, "mul": ast.Mult, "truediv": ast.Div, "floordiv": ast.FloorDiv, "mod": ast.Mod,
    "matmul": ast.MatMult, "pow": ast.Pow, "and": ast.BitAnd, "or": ast.BitOr, "xor": ast.BitXor,
    "lshift": ast.LShift, "rshift": ast.RShift,
}  # fmt: skip
SIGNS: dict[str, type[ast.unaryop]] = {"neg": ast.USub, "pos": ast.UAdd, "invert": ast.Invert}
METHODS = frozenset((
    "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctanh", "cos", "cosh", "sin", "sinh", "tan", "tanh", "exp",
    "exp2", "expm1", "log", "log10", "log1p", "log2", "sqrt", "cbrt", "fabs", "rint", "conjugate", "deg2rad",
    "rad2deg", "degrees", "radians", "arctan2", "hypot",
))  # fmt: skip
"""Functions of numpy that are a method of the same name of each object."""


def _install() -> None:
    """Let numpy, which knows only Python's protocols, ask an object of the script for its operators and methods."""

    def binary(operate: Callable[[Any, Any], Any]) -> tuple[Callable[..., Any], Callable[..., Any]]:
        # pow() has a third argument
        return (lambda self, other, *_: operate(self, other)), (lambda self, other, *_: operate(other, self))

    def unary(operate: Callable[[Any], Any]) -> Callable[[Any], Any]:
        return lambda self: operate(self)  # noqa: PLW0108 - a function of Python's is bound to the object, others not

    for name, kind in OPERATORS.items():
        plain, turned = binary(BINARY[kind])
        setattr(Object, f"__{name}__", plain)
        setattr(Object, f"__r{name}__", turned)
    for name, sign in SIGNS.items():
        setattr(Object, f"__{name}__", unary(UNARY[sign]))
    Object.__getattr__ = _method  # type: ignore[attr-defined]


def _method(self: Object, name: str) -> Any:
    from gradviz.imitation.script import attributes

    if name not in METHODS:
        raise AttributeError(name)
    try:
        found = attributes.get(self.machine, self, name)
    except TorchError as error:
        raise AttributeError(name) from error
    return lambda *given: self.machine.call(found, given, {})


# ---- numpy's functions over them ----

LEFT_TO_METHODS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("sum", "prod", "mean"), ("axis", "dtype", "out")),
    **dict.fromkeys(("std", "var"), ("axis", "dtype", "out", "ddof")),
    **dict.fromkeys(("max", "min", "any", "all"), ("axis", "out")),
}
"""What numpy leaves to a method of the same name where what it is given is no array, and what it tells it."""
LEFT_TO_ATTRIBUTES = ("shape", "ndim", "size")


def by_own_method(name: str, value: Object, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """What an object's own method makes of one of numpy's functions, or NOTHING where numpy computes itself."""
    from gradviz.imitation.script import attributes

    name = {"amax": "max", "amin": "min"}.get(name, name)
    if name not in LEFT_TO_METHODS and (name not in LEFT_TO_ATTRIBUTES or arguments or keywords):
        return NOTHING
    try:
        own = attributes.get(value.machine, value, name)
    except TorchError as error:
        if error.kind != "AttributeError":
            raise
        return NOTHING
    if name in LEFT_TO_ATTRIBUTES:
        return own
    order = LEFT_TO_METHODS[name]
    told = {key: 0 if key == "ddof" else None for key in order} | dict(zip(order, arguments, strict=False)) | keywords
    if name in ("sum", "prod") and told["dtype"] is None:
        del told["dtype"]
    return value.machine.call(own, (), told)


ELEMENTWISE: dict[Any, Any] = {
    function: np.frompyfunc(BINARY[kind], 2, 1, **({} if start is None else {"identity": start}))
    for function, kind, start in (
        (np.add, ast.Add, 0), (np.subtract, ast.Sub, None), (np.multiply, ast.Mult, 1), (np.divide, ast.Div, None),
        (np.floor_divide, ast.FloorDiv, None), (np.remainder, ast.Mod, None), (np.power, ast.Pow, None),
        (np.left_shift, ast.LShift, None), (np.right_shift, ast.RShift, None),
    )
}  # fmt: skip
"""What can make numbers and texts without end is asked of the script's operators, which know their limits."""

REDUCED = {"sum": np.add, "prod": np.multiply}
ACCUMULATED = {"cumsum": np.add, "cumprod": np.multiply}
MOVING = frozenset((
    "array", "asarray", "asanyarray", "ascontiguousarray", "asfortranarray", "copy", "reshape", "ravel", "flatten",
    "transpose", "swapaxes", "moveaxis", "rollaxis", "squeeze", "expand_dims", "stack", "vstack", "hstack",
    "dstack", "concatenate", "concat", "column_stack", "row_stack", "append", "insert", "delete", "where", "take",
    "repeat", "tile", "roll", "flip", "fliplr", "flipud", "rot90", "split", "array_split", "hsplit", "vsplit",
    "full", "full_like", "empty", "empty_like", "zeros", "zeros_like", "ones", "ones_like", "broadcast_to",
    "broadcast_arrays", "atleast_1d", "atleast_2d", "atleast_3d", "tolist", "item", "fill", "put", "copyto",
    "choose", "compress", "extract", "select", "diagonal", "diag", "shape", "ndim", "size", "iscomplexobj",
    "isrealobj", "isin", "argwhere", "nonzero", "count_nonzero", "flatnonzero", "any", "all", "unique", "sort",
    "argsort", "argmax", "argmin", "max", "min", "amax", "amin", "array_equal", "shuffle", "permutation", "choice",
    "meshgrid", "maximum", "minimum", "equal", "not_equal", "less", "less_equal", "greater", "greater_equal",
    "resize", "unstack", "permute_dims", "matrix_transpose", "astype",
))  # fmt: skip
"""Functions that move the items about or compare them, and make nothing new of them."""
BITS = 64
LONGEST = 1_000
"""Characters of a text among other texts."""


def has_objects(values: Any) -> bool:
    """Whether an array of objects is among the values."""
    return any(
        isinstance(value, Mixed) or (isinstance(value, np.ndarray) and value.dtype.hasobject) or type(value) is Object
        for value in values
    )


class Mixed(list[Any]):
    """A list of which numpy makes an array of objects."""


def chosen(name: str, function: Callable[..., Any], receiver: tuple[Any, ...], given: tuple[Any, ...]) -> Any:
    """What does the work of one of numpy's functions where some of the arrays hold objects.

    Raises:
        TorchError: what it would make of these items could grow without end.
    """
    if function in ELEMENTWISE:
        return ELEMENTWISE[function]
    if name in REDUCED or name in ACCUMULATED:
        return _folded(name, receiver)
    if any(map(_is_text_dtype, given)):
        _admit(name, (*receiver, *given), _is_short)
    elif name not in MOVING:
        _admit(name, (*receiver, *given), _is_small)
    return function


def _is_text_dtype(value: Any) -> bool:
    """Whether numpy would make texts, all as long as the longest."""
    return (isinstance(value, type) and issubclass(value, np.character)) or (
        isinstance(value, np.dtype) and value.kind in "SU"
    )


def _folded(name: str, receiver: tuple[Any, ...]) -> Callable[..., Any]:
    def run(*arguments: Any, **keywords: Any) -> Any:
        array = np.asarray(receiver[0] if receiver else arguments[0])
        rest = arguments if receiver else arguments[1:]
        options = dict(zip(("axis", "dtype", "out"), rest, strict=False)) | keywords
        if name in REDUCED:
            return ELEMENTWISE[REDUCED[name]].reduce(array, **{"axis": None, **options, "dtype": object})
        if options.get("axis") is None:
            array, options["axis"] = array.ravel(), 0
        return ELEMENTWISE[ACCUMULATED[name]].accumulate(array, **{**options, "dtype": object})

    return run


def _admit(name: str, values: tuple[Any, ...], is_small: Callable[[Any], bool]) -> None:
    for item in (item for value in values for item in _items(value)):
        if not is_small(item):
            raise TorchError(
                f"{name} of an array with a {type_name(item)} in it is not supported", kind="TypeError",
                hint="Use numbers, or a list and a loop.",
            )  # fmt: skip


def _is_small(item: Any) -> bool:
    if isinstance(item, int):
        return index(item).bit_length() <= BITS
    if isinstance(item, Fraction):
        return max(item.numerator.bit_length(), item.denominator.bit_length()) <= BITS
    return item is None or isinstance(item, float | complex | np.generic | Object)


def _is_short(item: Any) -> bool:
    return len(item) <= LONGEST if isinstance(item, str | bytes) else _is_small(item)


def renamed(text: str, values: Any) -> str:
    """An error of numpy's with the name of the script's class."""
    found = next((item for value in values for item in _items(value) if type(item) is Object), None)
    if found is None:
        return text
    return text.replace("'Object'", f"'{found.cls.name}'").replace("type Object ", f"type {found.cls.name} ")


def _items(value: Any) -> list[Any]:
    """The objects in an array or list of them, or an object that is an operand itself."""
    if isinstance(value, Mixed) or (isinstance(value, np.ndarray) and value.dtype.hasobject):
        items: list[Any] = np.asarray(value).ravel().tolist()
        return items
    return [value] if type(value) is Object else []


_install()
