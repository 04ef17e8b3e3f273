"""One expression that makes a tensor from numbers in the text: `torch.tensor([1., 2.], requires_grad=True)`.

Reads the call (also inside `Variable(...)`) and what is chained to it, such as `.reshape(3, 2)`, `.double()` and
`.requires_grad_()`. Changes nothing.
"""

from __future__ import annotations

import ast
import math
from dataclasses import dataclass, replace
from typing import Any

from gradviz.errors import GradvizError
from gradviz.imitation.script.text.aliases import TorchNames
from gradviz.imitation.script.text.leaf_values import MAKERS, Values, flat, reshaped, shape_of
from gradviz.imitation.script.text.literals import folded

FLOATS = ("float32", "float64", "float16", "bfloat16")
DTYPES = (*FLOATS, "int64", "int32", "int16", "int8", "uint8", "bool")
"""The dtypes that a leaf can be given, the usual ones first."""

MAX_SHOWN = 10_000
"""The values of a call such as torch.zeros are worked out up to this many elements."""

_ALIASES = {"float": "float32", "double": "float64", "half": "float16", "long": "int64", "int": "int32"}
_CONSTRUCTORS = {
    "Tensor": "float32",
    "FloatTensor": "float32",
    "DoubleTensor": "float64",
    "HalfTensor": "float16",
    "LongTensor": "int64",
    "IntTensor": "int32",
}
_RANDOM = {"rand": "float32", "randn": "float32", "empty": "float32", "randint": "int64", "randperm": "int64"}
_WRAPPERS = {"torch.autograd.Variable": False, "torch.nn.Parameter": True, "torch.nn.parameter.Parameter": True}
_CAST_METHODS = {*_ALIASES, "bool", "bfloat16"}
_CHAINED = {"reshape", "view", "to", "type", "requires_grad_", *_CAST_METHODS}


@dataclass(frozen=True)
class Making:
    """What an expression makes, and which of its parts says so.

    Attributes:
        expression: all of it.
        call: the call of the maker, e.g. `torch.randn(2)`.
        function: its name in torch, e.g. "randn".
        values: the numbers, or None where they differ from run to run or are too many.
        dtype_part: the expression that names the dtype (`torch.float64`), or None.
        cast_call: the call of `.double()` and the like that decides the dtype, or None.
        grad_part: the expression (`True`) or the call (`x.requires_grad_()`) that decides requires_grad, or None.
        keyword_call: the call that takes a new `requires_grad=`.
        core: what makes the numbers, with its casts and reshapes; without wrappers and `.requires_grad_()` around it.
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
        return self.function == "tensor" or self.function in _CONSTRUCTORS

    @property
    def is_plain(self) -> bool:
        """Whether nothing is chained to the call but `.requires_grad_()`."""
        return self.core is self.call

    @property
    def is_constructor(self) -> bool:
        """Whether it is made by a class such as torch.Tensor, which takes no keywords."""
        return self.function in _CONSTRUCTORS


def making_of(expression: ast.expr, names: TorchNames) -> Making | None:
    """Read an expression, or None where it is not a leaf made from numbers in the text."""
    chain: list[tuple[str, ast.Call]] = []
    node = expression
    while isinstance(node, ast.Call):
        step, inner = _peeled(node, names)
        if inner is None:
            break
        chain.append((step, node))
        node = inner
    made = _made(expression, node, names) if isinstance(node, ast.Call) else None
    for step, call in reversed(chain):
        if made is None:
            return None
        made = _wrapped(made, call, _WRAPPERS[step], names) if "." in step else _chained(made, step, call, names)
    return made


def _peeled(call: ast.Call, names: TorchNames) -> tuple[str, ast.expr | None]:
    """A wrapper or a chained method, and what it is applied to."""
    called = names.resolve(call.func)
    if called in _WRAPPERS and call.args:
        return called, call.args[0]
    if not called and isinstance(call.func, ast.Attribute) and call.func.attr in _CHAINED:
        return call.func.attr, call.func.value
    return "", None


def _made(expression: ast.expr, call: ast.Call, names: TorchNames) -> Making | None:
    called = names.resolve(call.func)
    function = called.removeprefix("torch.")
    if not called.startswith("torch.") or any(isinstance(arg, ast.Starred) for arg in call.args):
        return None
    keywords = {word.arg: word.value for word in call.keywords if word.arg}
    arguments = [folded(arg, names) for arg in call.args]
    known = {word: folded(part, names) for word, part in keywords.items()}
    dtype_part, grad_part = keywords.get("dtype"), keywords.get("requires_grad")
    dtype = dtype_named(dtype_part, names) if dtype_part else ""
    if dtype is None or None in arguments or (grad_part and not isinstance(known["requires_grad"], bool)):
        return None
    numbers = _numbers(function, arguments, known)
    if numbers is None:
        return None
    shape, values, natural = numbers
    dtype, requires_grad = dtype or natural, bool(known.get("requires_grad"))
    return Making(
        expression, call, function, shape, dtype, _cast(values, dtype), requires_grad,
        dtype_part, None, grad_part, call, call, requires_grad,
    )  # fmt: skip


def _numbers(
    function: str, arguments: list[Any], keywords: dict[str, Any]
) -> tuple[tuple[int, ...], Values | None, str] | None:
    """Shape, values and natural dtype of a call, or None where it is not understood."""
    try:
        if function == "tensor" or function in _CONSTRUCTORS:
            return _literal(function, arguments, keywords)
        if function in _RANDOM:
            size = _size(_random_size(function, arguments, keywords))
            return size, None, _RANDOM[function]
        if function in MAKERS:
            return _worked_out(function, arguments, keywords)
    except (GradvizError, TypeError, ValueError, ArithmeticError, IndexError):
        return None
    return None


def _literal(
    function: str, arguments: list[Any], keywords: dict[str, Any]
) -> tuple[tuple[int, ...], Values | None, str] | None:
    values = arguments[0] if arguments else keywords.get("data")
    if values is None or isinstance(values, str) or (function in _CONSTRUCTORS and not isinstance(values, list)):
        return None
    return shape_of(values), values, _CONSTRUCTORS.get(function) or natural_dtype(values)


def _random_size(function: str, arguments: list[Any], keywords: dict[str, Any]) -> list[Any]:
    if function == "randperm":
        return arguments[:1]
    if "size" in keywords:
        return [keywords["size"]]
    if function == "randint":
        return [arguments[-1]]
    return arguments


def _size(arguments: list[Any]) -> tuple[int, ...]:
    sizes = arguments[0] if len(arguments) == 1 and isinstance(arguments[0], list) else arguments
    if any(isinstance(n, bool) or not isinstance(n, int) or n < 0 for n in sizes):
        raise ValueError("a size is a whole number")
    return tuple(sizes)


def _worked_out(
    function: str, arguments: list[Any], keywords: dict[str, Any]
) -> tuple[tuple[int, ...], Values | None, str] | None:
    positional = [*arguments, *(keywords[word] for word in _ORDER[function] if word in keywords)]
    if function in ("ones", "zeros", "full"):
        shape = _size(positional[:1] if function == "full" else positional)
        values = MAKERS[function](*positional) if math.prod(shape) <= MAX_SHOWN else None
        return shape, values, natural_dtype(positional[1]) if function == "full" else "float32"
    values = MAKERS[function](*positional)
    natural = natural_dtype(values) if function == "arange" else "float32"
    return shape_of(values), values if math.prod(shape_of(values)) <= MAX_SHOWN else None, natural


_ORDER = {
    "ones": ("size",),
    "zeros": ("size",),
    "full": ("size", "fill_value"),
    "eye": ("n", "m"),
    "arange": ("start", "end", "step"),
    "linspace": ("start", "end", "steps"),
}


def natural_dtype(values: Values) -> str:
    """The dtype that torch.tensor gives these numbers by itself."""
    numbers = flat(values)
    if not numbers or any(isinstance(n, float) for n in numbers):
        return "float32"
    return "bool" if all(isinstance(n, bool) for n in numbers) else "int64"


def dtype_named(node: ast.expr, names: TorchNames) -> str | None:
    """The dtype that `torch.float64` or `torch.double` names, or None."""
    name = names.resolve(node).removeprefix("torch.")
    name = _ALIASES.get(name, name)
    return name if name in DTYPES else None


def _cast(values: Values | None, dtype: str) -> Values | None:
    """The numbers as the dtype holds them: whole for int64, True or False for bool."""
    if values is None:
        return None
    kind = float if dtype in FLOATS else bool if dtype == "bool" else int
    try:
        return reshaped([kind(n) for n in flat(values)], shape_of(values)) if flat(values) else values
    except (ValueError, OverflowError):
        return values


def _wrapped(made: Making, call: ast.Call, default: bool, names: TorchNames) -> Making | None:
    keywords = {word.arg: word.value for word in call.keywords}
    part = call.args[1] if len(call.args) > 1 else keywords.get("requires_grad")
    wanted = folded(part, names) if part else default
    if not isinstance(wanted, bool):
        return None
    return replace(made, requires_grad=wanted, grad_part=part, keyword_call=call)


def _chained(made: Making, method: str, call: ast.Call, names: TorchNames) -> Making | None:
    arguments = [folded(arg, names) for arg in call.args]
    if method == "requires_grad_":
        wanted = arguments[0] if arguments else True
        return replace(made, requires_grad=wanted, grad_part=call) if isinstance(wanted, bool) else None
    if made.requires_grad:
        return None  # the result of an op is no leaf
    made = replace(made, core=call, core_requires_grad=False)
    if method in ("reshape", "view"):
        return _poured(made, arguments)
    if method == "to" and len(arguments) == 1 and isinstance(arguments[0], str):
        return made  # a device
    if method in ("to", "type"):
        dtype = dtype_named(call.args[0], names) if len(call.args) == 1 and not call.keywords else None
    else:
        dtype = _ALIASES.get(method, method)
    if dtype is None:
        return None
    return replace(made, dtype=dtype, values=_cast(made.values, dtype), cast_call=call)


def _poured(made: Making, arguments: list[Any]) -> Making | None:
    sizes = arguments[0] if len(arguments) == 1 and isinstance(arguments[0], list) else arguments
    count = math.prod(made.shape)
    if not all(isinstance(n, int) and n >= -1 for n in sizes) or sizes.count(-1) > 1:
        return None
    rest = math.prod(n for n in sizes if n != -1)
    shape = tuple(n if n != -1 else count // max(rest, 1) for n in sizes)
    if math.prod(shape) != count:
        return None
    values = None if made.values is None else reshaped(made.values, shape)
    return replace(made, shape=shape, values=values)
