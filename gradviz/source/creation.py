"""One expression that makes a tensor from numbers in the text: `torch.tensor([1., 2.], requires_grad=True)`.

Reads the call, also inside `Variable(...)`, and what is chained to it, such as `.reshape(3, 2)`, `.double()` and
`.requires_grad_()`. Changes nothing.
"""

from __future__ import annotations

import ast
import math
from dataclasses import dataclass, replace
from typing import Any

from gradviz.errors import GradvizError
from gradviz.source.constants import constant_of
from gradviz.source.torch_names import TorchNames
from gradviz.source.values import MAKERS, Values, fill_shape, flatten, shape_of, size_of

FLOATS = ("float32", "float64")
DTYPES = (*FLOATS, "int64", "int32", "int16", "int8", "uint8", "bool")
"""The dtypes that a leaf can be given, the usual ones first."""

RANDOM = {"rand": "float32", "randn": "float32", "empty": "float32", "randint": "int64", "randperm": "int64"}
"""Functions whose values differ from run to run, with the dtype of what they make."""

MAX_SHOWN = 10_000
"""The values of a call such as torch.zeros are worked out up to this many elements."""

_ALIASES = {"float": "float32", "double": "float64", "long": "int64", "int": "int32"}
_CLASSES = {
    "Tensor": "float32",
    "FloatTensor": "float32",
    "DoubleTensor": "float64",
    "LongTensor": "int64",
    "IntTensor": "int32",
}
_WRAPPERS = {"torch.autograd.Variable": False, "torch.nn.Parameter": True, "torch.nn.parameter.Parameter": True}
"""What may stand around the making, and whether its result requires a gradient by itself."""

_CHAINED = {"reshape", "view", "to", "type", "requires_grad_", "bool", *_ALIASES}
_KEYWORDS = {
    "ones": ("size",),
    "zeros": ("size",),
    "full": ("size", "fill_value"),
    "eye": ("n", "m"),
    "arange": ("start", "end", "step"),
    "linspace": ("start", "end", "steps"),
}


@dataclass(frozen=True)
class Creation:
    """What an expression makes, and which of its parts says so.

    Attributes:
        expression: all of it.
        call: the innermost call, e.g. `torch.randn(2)`.
        function: its name in torch, e.g. "randn".
        values: the numbers, or None where they differ from run to run or are too many.
        dtype_part: the expression that names the dtype (`torch.float64`), or None.
        cast_call: the call of `.double()` and the like that decides the dtype, or None.
        grad_part: the expression (`True`) or the call (`x.requires_grad_()`) that decides requires_grad, or None.
        keyword_call: the call that takes a new `requires_grad=`.
        core: what makes the numbers, with casts and reshapes, without wrappers and `.requires_grad_()` around it.
        core_requires_grad: whether the core by itself requires a gradient.
    """

    expression: ast.expr
    call: ast.Call
    function: str
    shape: tuple[int, ...]
    dtype: str
    values: Values | None
    requires_grad: bool
    dtype_part: ast.expr | None
    cast_call: ast.Call | None
    grad_part: ast.expr | None
    keyword_call: ast.Call
    core: ast.expr
    core_requires_grad: bool

    @property
    def is_literal(self) -> bool:
        """Whether the numbers themselves stand in the text."""
        return self.function == "tensor" or self.is_class

    @property
    def is_plain(self) -> bool:
        """Whether nothing is chained to the call but `.requires_grad_()`."""
        return self.core is self.call

    @property
    def is_class(self) -> bool:
        """Whether it is made by a class such as torch.Tensor, which takes no keywords."""
        return self.function in _CLASSES


def read_creation(expression: ast.expr, names: TorchNames) -> Creation | None:
    """Read an expression, or None where it is not a leaf made from numbers in the text."""
    around: list[tuple[str, ast.Call]] = []
    node = expression
    while isinstance(node, ast.Call):
        name, inner = _outermost(node, names)
        if inner is None:
            break
        around.append((name, node))
        node = inner
    made = _call_read(expression, node, names) if isinstance(node, ast.Call) else None
    for name, call in reversed(around):
        if made is None:
            return None
        made = _wrapped(made, call, _WRAPPERS[name], names) if name in _WRAPPERS else _chained(made, name, call, names)
    return made


def _outermost(call: ast.Call, names: TorchNames) -> tuple[str, ast.expr | None]:
    """A wrapper or a chained method, and what it is applied to."""
    called = names.resolve(call.func)
    if called in _WRAPPERS and call.args:
        return called, call.args[0]
    if not called and isinstance(call.func, ast.Attribute) and call.func.attr in _CHAINED:
        return call.func.attr, call.func.value
    return "", None


def _call_read(expression: ast.expr, call: ast.Call, names: TorchNames) -> Creation | None:
    """Read the innermost call."""
    called = names.resolve(call.func)
    function = called.removeprefix("torch.")
    if not called.startswith("torch.") or any(isinstance(arg, ast.Starred) for arg in call.args):
        return None
    keywords = {word.arg: word.value for word in call.keywords if word.arg}
    arguments = [constant_of(arg, names) for arg in call.args]
    known = {word: constant_of(part, names) for word, part in keywords.items()}
    dtype_part, grad_part = keywords.get("dtype"), keywords.get("requires_grad")
    dtype = _dtype_named(dtype_part, names) if dtype_part else ""
    if dtype is None or None in arguments or (grad_part and not isinstance(known["requires_grad"], bool)):
        return None
    try:
        made = _values_made(function, arguments, known)
    except (GradvizError, TypeError, ValueError, ArithmeticError, IndexError):
        return None
    if made is None:
        return None
    shape, values, natural = made
    dtype, requires_grad = dtype or natural, bool(known.get("requires_grad"))
    return Creation(
        expression, call, function, shape, dtype, _cast(values, dtype), requires_grad,
        dtype_part, None, grad_part, call, call, requires_grad,
    )  # fmt: skip


def _values_made(
    function: str, arguments: list[Any], keywords: dict[str, Any]
) -> tuple[tuple[int, ...], Values | None, str] | None:
    """Shape, values and natural dtype of a call, or None where it is not understood."""
    if function == "tensor" or function in _CLASSES:
        values = arguments[0] if arguments else keywords.get("data")
        if values is None or isinstance(values, str) or (function in _CLASSES and not isinstance(values, list)):
            return None
        return shape_of(values), values, _CLASSES.get(function) or natural_dtype(values)
    if function in RANDOM:
        sizes = arguments[:1] if function == "randperm" else arguments[-1:] if function == "randint" else arguments
        return size_of([keywords["size"]] if "size" in keywords else sizes), None, RANDOM[function]
    if function not in MAKERS:
        return None
    given = [*arguments, *(keywords[word] for word in _KEYWORDS[function] if word in keywords)]
    if function in ("ones", "zeros", "full"):  # of nested lists, zeros(0, 3) would lose its rows of three
        shape = size_of(given[:1] if function == "full" else given)
        values = MAKERS[function](*given) if math.prod(shape) <= MAX_SHOWN else None
        return shape, values, natural_dtype(given[1]) if function == "full" else "float32"
    values = MAKERS[function](*given)
    shape = shape_of(values)
    natural = natural_dtype(values) if function == "arange" else "float32"
    return shape, values if math.prod(shape) <= MAX_SHOWN else None, natural


def natural_dtype(values: Values) -> str:
    """The dtype that torch.tensor gives these numbers by itself."""
    numbers = flatten(values)
    if not numbers or any(isinstance(n, float) for n in numbers):
        return "float32"
    return "bool" if all(isinstance(n, bool) for n in numbers) else "int64"


def _dtype_named(node: ast.expr, names: TorchNames) -> str | None:
    """The dtype that `torch.float64` or `torch.double` names, or None."""
    name = names.resolve(node).removeprefix("torch.")
    name = _ALIASES.get(name, name)
    return name if name in DTYPES else None


def _cast(values: Values | None, dtype: str) -> Values | None:
    """The numbers as the dtype holds them: whole for int64, True or False for bool."""
    if values is None or not flatten(values):
        return values
    kind = float if dtype in FLOATS else bool if dtype == "bool" else int
    try:
        return fill_shape([kind(n) for n in flatten(values)], shape_of(values))
    except (ValueError, OverflowError):
        return values


def _wrapped(made: Creation, call: ast.Call, default: bool, names: TorchNames) -> Creation | None:
    keywords = {word.arg: word.value for word in call.keywords}
    part = call.args[1] if len(call.args) > 1 else keywords.get("requires_grad")
    wanted = constant_of(part, names) if part else default
    if not isinstance(wanted, bool):
        return None
    return replace(made, requires_grad=wanted, grad_part=part, keyword_call=call)


def _chained(made: Creation, method: str, call: ast.Call, names: TorchNames) -> Creation | None:
    arguments = [constant_of(arg, names) for arg in call.args]
    if method == "requires_grad_":
        wanted = arguments[0] if arguments else True
        return replace(made, requires_grad=wanted, grad_part=call) if isinstance(wanted, bool) else None
    if made.requires_grad:
        return None  # the result of an op is no leaf
    made = replace(made, core=call, core_requires_grad=False)
    if method in ("reshape", "view"):
        return _with_shape(made, arguments)
    if method == "to" and len(arguments) == 1 and isinstance(arguments[0], str):
        return made  # a device
    if method in ("to", "type"):
        dtype = _dtype_named(call.args[0], names) if len(call.args) == 1 and not call.keywords else None
    else:
        dtype = _ALIASES.get(method, method)
    return None if dtype is None else replace(made, dtype=dtype, values=_cast(made.values, dtype), cast_call=call)


def _with_shape(made: Creation, arguments: list[Any]) -> Creation | None:
    sizes = arguments[0] if len(arguments) == 1 and isinstance(arguments[0], list) else arguments
    count = math.prod(made.shape)
    if not all(isinstance(n, int) and n >= -1 for n in sizes) or sizes.count(-1) > 1:
        return None
    rest = math.prod(n for n in sizes if n != -1)
    shape = tuple(n if n != -1 else count // max(rest, 1) for n in sizes)
    if math.prod(shape) != count:
        return None
    return replace(made, shape=shape, values=None if made.values is None else fill_shape(made.values, shape))
