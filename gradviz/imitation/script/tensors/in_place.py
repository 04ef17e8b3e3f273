"""Methods that end in an underscore and follow one pattern: the function, whose result takes the tensor's place."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from gradviz.imitation.engine.dtypes import BOOL, DType, c_name, type_name
from gradviz.imitation.engine.functions import METHODS, NEURAL
from gradviz.imitation.engine.functions.places.written import TOO_FEW, refuse_kinds, refuse_mask
from gradviz.imitation.engine.functions.shapes import turning
from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.hooks.on_saved_tensors import keep
from gradviz.imitation.engine.memory import storage
from gradviz.imitation.engine.memory.refused_writes import (
    is_repeated,
    refuse_overlap,
    refuse_repeated,
    refuse_result,
    refuse_shapes,
)
from gradviz.imitation.engine.memory.repeating_views import change_again
from gradviz.imitation.engine.memory.sharing import addresses, read_in_turn
from gradviz.imitation.engine.rules.places.overwriting import COMPARISONS
from gradviz.imitation.engine.shape_errors import mismatch
from gradviz.imitation.engine.shapes import broadcasts, expand_error
from gradviz.imitation.engine.tensor import Tensor, apply, constant, record
from gradviz.imitation.engine.warn import warn
from gradviz.errors import TorchError

NAMES = (
    "log1p", "log2", "log10", "exp2", "expm1", "sinh", "cosh", "asin", "acos", "atan", "asinh", "acosh", "atanh",
    "erf", "erfc", "rsqrt", "sinc", "deg2rad", "rad2deg", "frac", "sign", "sgn", "floor", "ceil", "trunc", "fix",
    "round", "logit", "nan_to_num", "arcsin", "arccos", "arctan", "arcsinh", "arccosh", "arctanh", "log", "tan",
    "reciprocal", "square", "floor_divide", "rsub",
    "fmod", "remainder", "atan2", "arctan2", "hypot", "copysign", "lerp", "addcmul", "addcdiv", "clamp_min",
    "clamp_max", "clip", "xlogy", "heaviside", "true_divide", "divide", "multiply",
    "masked_fill", "scatter", "scatter_add", "index_add", "index_fill", "index_copy", "index_put", "tril", "triu",
    "put", "scatter_reduce", "index_reduce",
    "addmm", "baddbmm", "addbmm", "addmv", "addr", "pow", "float_power", "cumsum", "cumprod", "negative", "absolute",
    "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not", "logical_xor",
    "erfinv", "lgamma", "digamma", "i0", "ldexp", "nextafter", "mvlgamma", "polygamma", "gcd", "lcm",
    "bitwise_left_shift", "bitwise_right_shift", "renorm", "igamma", "igammac",
)  # fmt: skip
POINTWISE = frozenset((
    "floor_divide", "fmod", "remainder", "atan2", "arctan2", "hypot", "copysign", "addcmul", "addcdiv", "clamp_min",
    "clamp_max", "clip", "xlogy", "heaviside", "true_divide", "divide", "multiply", "pow", "bitwise_and",
    "bitwise_or", "bitwise_xor", "ldexp", "nextafter", "gcd", "lcm", "bitwise_left_shift", "bitwise_right_shift",
))  # fmt: skip
NEURAL_NAMES = ("leaky_relu", "elu", "selu", "celu", "hardtanh", "relu", "threshold")


def in_place(
    function: Callable[..., Tensor],
    *,
    fills: bool = False,
    pointwise: bool = False,
    runs: bool = False,
    moves: bool = False,
    refuse: Callable[[Tensor, tuple[int, ...], DType], None] = refuse_result,
) -> Callable[..., Tensor]:
    """`x.f_(...)` for `f(x, ...)`.

    Args:
        function: what is done out of place.
        fills: whether one number is written to many places, as to those of a mask.
        pointwise: whether all tensors are read number by number beside each other.
        runs: whether a number of the result depends on several of the tensor.
        moves: whether numbers go to other places, so that not even the tensor itself may be read.
        refuse: raises for a result of a shape or dtype that does not fit.

    Raises:
        TorchError: a leaf that requires grad, or a result of another shape or a dtype that does not fit.
    """

    def run(self: Tensor, *arguments: Any, **options: Any) -> Tensor:
        others = [other for other in arguments if isinstance(other, Tensor)]
        storage.refuse_leaf(self, by=others)
        if not fills:
            refuse_repeated(self)
            for other in others:
                refuse_overlap(self, other, even_whole=moves)
        if pointwise:
            refuse_shapes(self, *others)
        out = function(self, *arguments, **options)
        refuse(self, out.shape, out.dtype)
        if not (moves or runs):
            out = change_again(self, out, lambda x: function(x, *(x if a is self else a for a in arguments), **options))
        return storage.become(self, out, fills=fills)

    return run


PRODUCTS = frozenset(("addmm", "addmv", "baddbmm"))
RUNNING = frozenset(("cumsum", "cumprod", "renorm", "put"))
MOVING = frozenset(("index_copy", "index_reduce", "scatter", "scatter_add", "scatter_reduce"))


def _index_filled(self: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    if is_repeated(self.data):
        warn(storage.EXPANDED.format(name="index_fill_", shown="[mask] = scalar"))
    return in_place(METHODS["index_fill"], fills=True)(self, dim, index, value)


def _put(self: Tensor, *arguments: Any, **options: Any) -> Tensor:
    if is_repeated(self.data):
        warn(storage.EXPANDED.format(name="index_put_", shown="[indices] = tensor"))
        return in_place(METHODS["index_put"], fills=True)(self, *arguments, **options)
    return in_place(METHODS["index_put"], moves=True)(self, *arguments, **options)


def _product(name: str) -> Callable[..., Tensor]:
    """`x.addmm_(a, b)` and the like, which look at sizes first and may read the memory that they write."""

    def run(self: Tensor, *arguments: Any, **options: Any) -> Tensor:
        storage.refuse_leaf(self, by=[other for other in arguments if isinstance(other, Tensor)])
        try:
            out = METHODS[name](self, *arguments, **options)
        except TorchError as error:
            if "expand" not in error.message or name == "baddbmm":
                raise
            out = METHODS[name](constant(self.dtype.type(0), self.tape), *arguments, **options)
        if out.shape != self.shape:
            sizes = f"input tensor size {list(self.shape)} and output tensor size {list(out.shape)}"
            raise TorchError(f"Bad in-place call: {sizes} should match")
        refuse_repeated(self)
        refuse_result(self, out.shape, out.dtype)
        return storage.become(self, out)

    return run


def _outer_added(self: Tensor, vec1: Tensor, vec2: Tensor, **options: Any) -> Tensor:
    """`x.addr_(...)`, which asks for the sizes of the product."""
    storage.refuse_leaf(self, by=(vec1, vec2))
    if vec1.ndim == vec2.ndim == 1:
        if self.ndim != 2:
            raise TorchError(f"2D tensor expected, got {self.ndim}D tensor for input")
        if self.shape != (*vec1.shape, *vec2.shape):
            sizes = [list(x.shape) for x in (self, vec1, vec2)]
            raise TorchError("size mismatch, input: {}, v1: {}, v2: {}".format(*sizes))
    return in_place(METHODS["addr"])(self, vec1, vec2, **options)


def _slabs_added(self: Tensor, *arguments: Any, **options: Any) -> Tensor:
    """`x.index_add_(...)`, which looks at sizes first, then at memory, and at the places last."""
    others = [other for other in arguments if isinstance(other, Tensor)]
    storage.refuse_leaf(self, by=others)
    try:
        out = METHODS["index_add"](self, *arguments, **options)
    except TorchError as error:
        if "out of" not in error.message:
            raise
        out = error
    refuse_repeated(self)
    for other in others:
        refuse_overlap(self, other, even_whole=True)
    if isinstance(out, TorchError):
        raise out
    return storage.become(self, out)


def _of_name(name: str) -> Callable[..., Tensor]:
    function = METHODS[name]
    if name in PRODUCTS:
        return _product(name)
    if name == "index_add":
        return _slabs_added
    if name == "addr":
        return _outer_added
    if name in ("tril", "triu"):
        return in_place(function, fills=True)
    refuse = _in_own_words(name) if name in OWN_WORDS else refuse_result
    return in_place(function, pointwise=name in POINTWISE, runs=name in RUNNING, moves=name in MOVING, refuse=refuse)


def _in_own_words(name: str) -> Callable[[Tensor, tuple[int, ...], DType], None]:
    """`refuse_result` for a function that says something else of a dtype that does not fit."""
    kind, text = OWN_WORDS[name]

    def refuse(tensor: Tensor, shape: tuple[int, ...], dtype: DType) -> None:
        try:
            refuse_result(tensor, shape, dtype)
            fits = name != "float_power" or dtype == tensor.dtype
        except TorchError:
            fits = False
        if not fits:
            target = c_name(tensor.dtype) if name in BY_C_NAME else type_name(tensor.dtype)
            raise TorchError(text.format(type_name(dtype), target), kind=kind, hint="Convert the tensor first.")

    return refuse


BY_C_NAME = ("clamp_min", "clamp_max")
OWN_WORDS = {
    **dict.fromkeys(BY_C_NAME, ("RuntimeError", "result type {0} can't be cast to the desired output type {1}")),
    "cumsum": ("NotImplementedError", "\"cumsum_out_cpu\" not implemented for '{1}'"),
    "cumprod": ("NotImplementedError", "\"cumprod_out_cpu\" not implemented for '{1}'"),
    "float_power": (
        "RuntimeError",
        "the base given to float_power_ has dtype {1} but the operation's result requires dtype {0}",
    ),
}


def _masked(self: Tensor, mask: Tensor, value: Any) -> Tensor:
    if is_repeated(self.data):
        warn(storage.EXPANDED.format(name="masked_fill_", shown="[mask] = scalar"))
    if isinstance(mask, Tensor):
        storage.refuse_leaf(self, by=[value] if isinstance(value, Tensor) else ())
        if mask.dtype.kind == "b" and (found := mismatch(self.shape, mask.shape)):
            raise found
    return in_place(METHODS["masked_fill"], fills=True)(self, mask, value)


def _scattered(self: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    storage.refuse_leaf(self, by=[source])
    refuse_repeated(self)
    refuse_kinds(self, source)
    if not broadcasts(mask.shape, self.shape):
        raise expand_error(mask.shape, self.shape, type_name(mask.dtype))
    refuse_mask(mask)
    wide = np.broadcast_to(mask.data, self.shape)
    value = np.array(self.data, order="C")
    at = np.flatnonzero(wide)[: source.data.size]
    value.reshape(-1)[at] = _scattered_numbers(self.data, at, source.data)
    if at.size < np.count_nonzero(wide):
        storage.write(storage.alias(self, tracked=False), value)  # PyTorch has written those before it sees that
        raise TorchError(TOO_FEW)
    out = keep(record(OPS["masked_scatter"], (self, source), {"index": wide}, value[()]), mask=mask)
    return storage.become(self, out)


def _scattered_numbers(x: Any, at: Any, source: Any) -> Any:
    """The numbers that come to the places of x: PyTorch writes one by one, be it into what it reads."""
    if isinstance(source, np.ndarray) and source.flags.c_contiguous and np.may_share_memory(x, source):
        return read_in_turn(source, addresses(x).reshape(-1)[at])
    return source.reshape(-1)[: at.size]


def _compared(name: str) -> Callable[[Tensor, Any], Tensor]:
    """`x.eq_(y)` and the like: 1 where it holds, else 0, in the dtype of x."""

    def run(self: Tensor, other: Any) -> Tensor:
        storage.refuse_leaf(self)
        if isinstance(other, Tensor):
            refuse_shapes(self, other)
        METHODS[name](self, other)  # raises where the two do not fit
        if isinstance(other, Tensor):
            refuse_overlap(self, other)
            return storage.become(self, apply(OPS[f"{name}_tensor_"], (self, other)))
        return storage.become(self, apply(OPS[f"{name}_number_"], (self,), other=other))

    return run


def _unnoticed(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """A change of which PyTorch's autograd knows nothing: leaves may be changed too, and the node stays."""

    def run(self: Tensor, *arguments: Any, **options: Any) -> Tensor:
        refuse_shapes(self, *(x for x in arguments if isinstance(x, Tensor)))
        out = function(self, *arguments, **options)
        refuse_result(self, out.shape, BOOL)
        storage.write(self, out.data)
        return self

    return run


OTHER_NAMES = {
    "greater": "gt", "greater_equal": "ge", "less": "lt", "less_equal": "le", "not_equal": "ne",
}  # fmt: skip
TENSOR_IN_PLACE: dict[str, Callable[..., Tensor]] = (
    {f"{name}_": _of_name(name) for name in NAMES if name in METHODS}
    | {f"{name}_": _compared(OTHER_NAMES.get(name, name)) for name in (*COMPARISONS, *OTHER_NAMES)}
    | {f"{name}_": _unnoticed(METHODS[name]) for name in ("logical_not", "logical_and", "logical_or", "logical_xor")}
    | turning.METHODS
    | {"index_fill_": _index_filled, "index_put_": _put, "masked_fill_": _masked, "masked_scatter_": _scattered}
)
"""By name, with the underscore."""
NEURAL_IN_PLACE: dict[str, Callable[..., Tensor]] = {
    f"{name}_": partial(NEURAL[name], inplace=True) for name in NEURAL_NAMES
}
"""Those of `torch.nn.functional`."""
_OF_TORCH = """
    abs acos acosh addmv arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan atanh ceil clamp clamp_max
    clamp_min clip cos cosh deg2rad detach erf erfc exp exp2 expm1 fill fix floor frac gcd i0 index_put lcm ldexp log
    log10 log1p log2 logit nan_to_num neg negative rad2deg reciprocal relu round rsqrt sigmoid sin sinc sinh sqrt
    square tan tanh trunc xlogy zero
"""
OF_TORCH = frozenset(_OF_TORCH.split())
"""Those that `torch` has as functions too, without the underscore."""
