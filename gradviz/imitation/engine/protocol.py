"""Tensors in plain Python: printing, formatting, truth, length, iteration, comparison and the other operators."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from gradviz.imitation.engine import functions as fn
from gradviz.imitation.engine.autograd import backward
from gradviz.imitation.engine.functions.numbers.conversion import item, truth
from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.indexing.reading import get, set
from gradviz.imitation.engine.memory.views import renew
from gradviz.imitation.engine.nicknames import call_part
from gradviz.imitation.engine.passes.backward import node_name
from gradviz.imitation.engine.printing.options import DEFAULT
from gradviz.imitation.engine.printing.tensors import format_tensor, tensor_text
from gradviz.imitation.engine.tensor import Tensor, apply, constant
from gradviz.imitation.engine.warn import warn_of_number
from gradviz.errors import TorchError


def keywords(tensor: Tensor) -> dict[str, Any]:
    """What the printed form shows besides the numbers."""
    return {
        "requires_grad": tensor.requires_grad and tensor.op is None and takes_gradient(tensor),
        "grad_fn": _made_by(tensor) if takes_gradient(tensor) else None,
        "tangent": None if tensor.tape.dual is None else tensor.tape.dual.tangent_now(tensor),
        "options": tensor.tape.print_options or DEFAULT,
        "default_dtype": tensor.tape.float_dtype.name,
        "is_parameter": tensor.extra is not None and tensor.extra.is_parameter,
    }


def takes_gradient(tensor: Tensor) -> bool:
    """Whether it does so for the script, and not only for its forward derivative."""
    dual = tensor.tape.dual
    return tensor.requires_grad and (dual is None or dual.takes_gradient(tensor))


def _made_by(tensor: Tensor) -> str | None:
    """The name of its backward node; "Invalid" where PyTorch does not know it any more."""
    try:
        renew(tensor)
    except TorchError:
        return "Invalid"
    return None if tensor.op is None else node_name(tensor)


def text(tensor: Tensor) -> str:
    """`repr(tensor)`."""
    if tensor.tape.shown is not None:
        return tensor.tape.shown(tensor)
    return tensor_text(tensor.data, **keywords(tensor))


def text_of(tensor: Tensor, data: Any, *, takes_gradient: bool) -> str:
    """`repr(tensor)` with other numbers, and as one that takes a gradient or none."""
    hidden: dict[str, Any] = {} if takes_gradient else {"requires_grad": False, "grad_fn": None}
    return tensor_text(data, **keywords(tensor) | hidden)


def formatted(tensor: Tensor, spec: str) -> str:
    """`format(tensor, spec)`."""
    if tensor.tape.shown is not None and tensor.ndim:
        return tensor.tape.shown(tensor)
    if tensor.tape.mapped:
        return format(item(tensor), spec)
    return format_tensor(tensor.data, spec, **keywords(tensor))


def length(tensor: Tensor) -> int:
    """`len(tensor)`."""
    if tensor.ndim == 0:
        raise TorchError("len() of a 0-d tensor", kind="TypeError")
    return tensor.shape[0]


NAMED = 200
"""Parts that are called by their place when a tensor is gone through."""


def iterate(tensor: Tensor) -> Iterator[Tensor]:
    """`iter(tensor)`: its slices along the first dim."""
    if tensor.ndim == 0:
        raise TorchError("iteration over a 0-d tensor", kind="TypeError")
    parts = fn.FUNCTIONS["unbind"](tensor)
    for place, part in enumerate(parts[:NAMED]):
        call_part(part, tensor, place)
    return iter(parts)


def number(tensor: Tensor, kind: type) -> Any:
    """`float(tensor)` or `int(tensor)`."""
    if tensor.data.size != 1:
        raise TorchError(
            "only one element tensors can be converted to Python scalars",
            kind="ValueError",
            hint="Reduce it first, e.g. with .sum() or .mean(), or take one element.",
        )
    return kind(fn.METHODS["item"](tensor))


def as_float(tensor: Tensor) -> float:
    """`float(tensor)`, which leaves the graph behind."""
    warn_of_number(tensor.requires_grad)
    return float(number(tensor, float))


def index_number(tensor: Tensor) -> int:
    """A tensor as a list index."""
    if tensor.data.size != 1 or tensor.dtype.kind not in "iub":
        raise TorchError("only integer tensors of a single element can be converted to an index", kind="TypeError")
    return int(tensor.data.item())


F = fn.FUNCTIONS


def _after(name: str) -> Callable[[Tensor, Any], Tensor]:
    """x − y or x / y; in rules of the table a number has a node of its own, as in PyTorch's C++."""
    function, by_number = F[name], OPS[f"{name}_number"]

    def operator(x: Tensor, other: Any) -> Tensor:
        if x.tape.in_rule and isinstance(other, int | float):
            return apply(by_number, (x,), other=other)
        return function(x, other)  # type: ignore[no-any-return]

    return operator


def _before(name: str, function: Callable[[Tensor, Any], Tensor]) -> Callable[[Tensor, Any], Tensor]:
    """y − x or y / x; in rules of the table the number is a tensor filled with it, as in PyTorch's C++."""

    def operator(x: Tensor, other: Any) -> Tensor:
        if x.tape.in_rule and isinstance(other, int | float):
            return F[name](constant(np.full_like(x.data, other), x.tape), x)  # type: ignore[no-any-return]
        return function(x, other)

    return operator


SPECIAL: dict[str, Any] = {
    "__repr__": text,
    "__format__": formatted,
    "__bool__": truth,
    "__len__": length,
    "__iter__": iterate,
    "__float__": as_float,
    "__int__": lambda x: number(x, int),
    "__index__": index_number,
    "__getitem__": get,
    "__setitem__": set,
    "__rsub__": _before("sub", F["rsub"]),
    "__pow__": F["pow"],
    "__rpow__": lambda x, base: F["pow"](base, x),
    "__rtruediv__": _before("div", lambda x, other: F["mul"](F["reciprocal"](x), other)),
    "__truediv__": _after("div"),
    "__sub__": _after("sub"),
    "__neg__": F["neg"],
    "__matmul__": F["matmul"],
    "__abs__": F["abs"],
    "__floordiv__": F["floor_divide"],
    "__mod__": F["remainder"],
    "__lt__": F["lt"],
    "__le__": F["le"],
    "__gt__": F["gt"],
    "__ge__": F["ge"],
    "__and__": F["bitwise_and"],
    "__or__": F["bitwise_or"],
    "__xor__": F["bitwise_xor"],
    "__invert__": F["logical_not"],
    "backward": lambda x, gradient=None, retain_graph=None, create_graph=False: backward(
        [x], [gradient], retain_graph=retain_graph, create_graph=create_graph
    ),
}
"""Python's special methods of a tensor. `==` stays identity in Python, so that tensors can be members of sets and
dicts; the script reader spells it `eq`."""


def bind() -> None:
    """Give Tensor its special methods."""
    for name, function in SPECIAL.items():
        setattr(Tensor, name, function)
    Tensor.__array_ufunc__ = None  # type: ignore[attr-defined] # numpy leaves `array * tensor` to the tensor


bind()
