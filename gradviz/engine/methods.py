"""What tensors can do: the functions of all families, bound to the class as methods and operators.

The class stands below the families, which make tensors, so it gets its methods here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from gradviz.engine import creation, display, gradients, graph, sampling, storage, views
from gradviz.engine.apply import alias, apply, cut
from gradviz.engine.devices import CPU, check_device
from gradviz.engine.dtypes import DTYPES, DType, Size, dtype_of, type_name_of
from gradviz.engine.errors import Beyond
from gradviz.engine.functions import (
    activation,
    convolution,
    decomposition,
    indexing,
    linalg,
    norm,
    pooling,
    reduction,
    shape,
)
from gradviz.engine.functions import elementwise as e
from gradviz.engine.known import NAMES, MissingInTensor
from gradviz.engine.operands import array_of, as_operand, tensor_given
from gradviz.engine.state import INFERENCE, state, warn_once
from gradviz.engine.tensor import Tensor, constant, current, memory_of
from gradviz.ops.in_place import COPY, FILL, FILL_NUMBER, ZERO
from gradviz.ops.op import Array
from gradviz.ops.promotion import result_dtype

FUNCTIONS: dict[str, Callable[..., Any]] = {
    name: getattr(e, name)
    for name in """
    abs acos acosh add addcdiv addcmul allclose asin asinh atan atan2 atanh bitwise_and bitwise_not bitwise_or bitwise_xor ceil clamp clamp_max clamp_min clone cos cosh
    digamma div eq equal erf erfc exp expm1 floor floor_divide fmod ge gt isclose
    isfinite isinf isnan le lerp lgamma log log10 log1p log2 logaddexp logical_and logical_not logical_or
    logical_xor lt maximum minimum mul nan_to_num ne neg polygamma pow reciprocal remainder round rsqrt
    sigmoid sign sin sinh sqrt square sub tan tanh trunc where
    """.split()
}
"""What is a function of torch and a method of tensors alike."""

SECOND_NAMES = {
    "absolute": "abs", "arccos": "acos", "arcsin": "asin", "arctan": "atan", "arctan2": "atan2", "clip": "clamp",
    "divide": "div", "greater": "gt", "greater_equal": "ge", "less": "lt", "less_equal": "le", "multiply": "mul",
    "negative": "neg", "not_equal": "ne", "subtract": "sub", "true_divide": "div", "sgn": "sign", "fix": "trunc",
}  # fmt: skip
"""PyTorch's second names for functions."""

IN_PLACE = """
    abs add addcdiv addcmul ceil clamp clamp_max clamp_min cos div erf exp floor fmod lerp log logical_not mul
    neg pow reciprocal remainder round rsqrt sigmoid sign sin sqrt square sub tan tanh trunc bitwise_and
    bitwise_or
""".split()
"""What is also done in place, under the name with an underscore."""

FAMILIES = (shape, indexing, reduction, linalg, decomposition, activation)
"""The families that name what they export themselves."""
NAMESPACE: dict[str, Callable[..., Any]] = {}
"""What is a function of torch but no method of tensors."""
for _family in FAMILIES:
    FUNCTIONS |= _family.FUNCTIONS
    NAMESPACE |= _family.NAMESPACE
    SECOND_NAMES |= getattr(_family, "SECOND_NAMES", {})
    IN_PLACE += getattr(_family, "IN_PLACE", "").split()


for _layers in (convolution, norm, pooling):
    NAMESPACE |= _layers.NAMESPACE


def bind_methods() -> None:
    """Give the class its methods and operators."""
    for name, function in FUNCTIONS.items():
        setattr(Tensor, name, function)
    for second, name in SECOND_NAMES.items():
        setattr(Tensor, second, FUNCTIONS[name])
    for name in IN_PLACE:
        setattr(Tensor, f"{name}_", views.in_place(FUNCTIONS[name], f"{name}_"))
    for name, method in OPERATORS.items():
        setattr(Tensor, name, method)
    for table in (
        METHODS,
        creation.METHODS,
        sampling.METHODS,
        storage.METHODS,
        display.METHODS,
        shape.METHODS,
        indexing.METHODS,
    ):
        for name, made in table.items():
            setattr(Tensor, name, made)
    for name in NAMES["torch.Tensor"]:
        if not hasattr(Tensor, name):
            setattr(Tensor, name, MissingInTensor(name))


# ---- operators --------------------------------------------------------------------------------------------------


def _not_taken(other: object) -> Any:
    """What Python takes for a request to ask the other side; complex numbers are beyond the engine."""
    if isinstance(other, complex):
        raise Beyond("a complex tensor")
    return NotImplemented


def _other(function: Callable[[Any, Any], Any]) -> Callable[[Tensor, Any], Any]:
    """An operator that leaves what is no number to the other side."""

    def operator(self: Tensor, other: Any) -> Any:
        if not isinstance(other, Tensor | float | int | np.generic | np.ndarray):
            return _not_taken(other)
        return function(self, other)

    return operator


def _reflected(function: Callable[[Any, Any], Any], *, takes_arrays: bool = False) -> Callable[[Tensor, Any], Any]:
    """An operator of a number and a tensor. A numpy array on the left is refused, as PyTorch's are, but for x / tensor."""

    def operator(self: Tensor, other: Any) -> Any:
        if not isinstance(other, Tensor | float | int | np.generic) and not (
            takes_arrays and type(other) is np.ndarray
        ):
            return _not_taken(other)
        return function(other if isinstance(other, Tensor) else as_operand(other, self), self)

    return operator


def _from_left(function: Callable[[Any, Any], Any]) -> Callable[[Tensor, Any], Any]:
    """An operator that does not take numpy arrays: of a number and a tensor that may be exchanged, or a comparison."""

    def operator(self: Tensor, other: Any) -> Any:
        return NotImplemented if other.__class__ is np.ndarray else function(self, other)

    return operator


def _changed(function: Callable[[Tensor, Any], Tensor]) -> Callable[[Tensor, Any], Tensor]:
    """An operator in place: x += 1."""

    def operator(self: Tensor, other: Any) -> Tensor:
        if other.__class__ is np.ndarray:
            return NotImplemented  # type: ignore[no-any-return] # Python then asks the other side
        views.refuse_overlap(self)
        views.refuse_mixture(self, (other,))
        views.refuse_write(self)
        return views.write(self, function(self, other))

    return operator


OPERATORS: dict[str, Any] = {
    "__add__": e._add, "__radd__": _from_left(e._add), "__sub__": _other(e.sub), "__rsub__": _reflected(e.subtract_from),
    "__mul__": e._mul, "__rmul__": _from_left(e._mul), "__truediv__": _other(e.div), "__rtruediv__": _reflected(e.divide_number, takes_arrays=True),
    "__floordiv__": _other(e.floor_divide), "__rfloordiv__": _reflected(e.floor_divide),
    "__mod__": _other(e.remainder), "__rmod__": _reflected(e.remainder),
    "__pow__": _other(e.pow), "__rpow__": _from_left(lambda self, other: e.pow(other, self)), "__neg__": e.neg,
    "__pos__": lambda self: self, "__abs__": e.abs, "__invert__": e.bitwise_not,
    "__and__": _other(e.bitwise_and), "__or__": _other(e.bitwise_or), "__xor__": _other(e.bitwise_xor),
    "__rand__": _other(e.bitwise_and), "__ror__": _other(e.bitwise_or), "__rxor__": _other(e.bitwise_xor),
    "__matmul__": linalg.times, "__rmatmul__": _from_left(lambda self, other: linalg.times(other, self)),
    "__lshift__": _other(e.shift_left), "__rshift__": _other(e.shift_right),
    "__eq__": e.eq, "__ne__": e.ne, "__lt__": _from_left(e.lt),
    "__le__": _from_left(e.le), "__gt__": _from_left(e.gt), "__ge__": _from_left(e.ge),
    "__iadd__": _changed(e.add), "__isub__": _changed(e.sub), "__imul__": _changed(e.mul),
    "__itruediv__": _changed(e.div), "__ifloordiv__": _changed(e.floor_divide), "__ipow__": _changed(e.pow),
    "__imod__": _changed(e.remainder), "__iand__": _changed(e.bitwise_and), "__ior__": _changed(e.bitwise_or),
    "__ixor__": _changed(e.bitwise_xor),
    "__ilshift__": _changed(e.shift_left), "__irshift__": _changed(e.shift_right),
}  # fmt: skip


# ---- what it holds -----------------------------------------------------------------------------------------------


NO_ITEM = (
    "vmap: It looks like you're calling .item() on a Tensor. We don't support vmap over calling .item() on a Tensor, "
    "please try to rewrite what you're doing with other operations. If error is occurring somewhere inside PyTorch "
    "internals, please file a bug report."
)
NO_BRANCH = (
    "vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow. We don't support that "
    "yet, please file an issue at https://github.com/pytorch/pytorch/issues ."
)


def item(self: Tensor) -> float | int | bool:
    """The one number of a tensor of one element, as Python's own.

    Raises:
        RuntimeError: it has more or none.
    """
    array = current(self).array
    if state.mapped:
        raise RuntimeError(NO_ITEM)
    if array.size != 1:
        raise RuntimeError(f"a Tensor with {array.size} elements cannot be converted to Scalar")
    found: float | int | bool = array.item()
    cut(None, self, "item()")
    return found


def tolist(self: Tensor) -> Any:
    """The numbers as nested lists."""
    cut(None, self, "tolist()")
    return current(self).array.tolist()


def to_numpy(self: Tensor, *, force: bool = False) -> Any:
    """A numpy array that looks into the memory of this tensor.

    Raises:
        RuntimeError: it requires grad.
    """
    now = current(self)
    if now.tracked and state.grad_enabled and not force:
        raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
    cut(None, self, "numpy()")
    return _shared_array(self, now.array)


def _shared_array(x: Tensor, array: Array) -> Any:
    """An array that the script may write to, and that sees what is written to the tensor."""
    memory = memory_of(x)
    assert x.extra is not None
    if memory.live is None:
        memory.live = np.array(memory.entry.array)
    found = memory.live
    for op, params in x.extra.path:
        found = op.forward(found, **params)
    return np.asarray(found)


def to_array(self: Tensor, dtype: Any = None, copy: bool | None = None) -> Any:
    """What numpy takes of a tensor: `np.array(x)`."""
    array = np.asarray(to_numpy(self))
    return array if dtype is None else array.astype(dtype)


def wrap_array(self: Tensor, array: Any, context: Any = None, return_scalar: bool = False) -> Tensor:
    """What a function of numpy gave for a tensor, as a tensor: `np.sqrt(x)`."""
    found = np.asarray(array)
    return constant((found.astype(np.uint8) if found.dtype == bool else found)[()])


def size(self: Tensor, dim: int | None = None) -> Any:
    """The sizes of all dims, or of one."""
    shape = Size(current(self).array.shape)
    return shape if dim is None else shape[_dim_within(dim, len(shape))]


def _dim_within(dim: int, ndim: int) -> int:
    limit = max(ndim, 1)
    if not -limit <= dim < limit:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-limit}, {limit - 1}], but got {dim})")
    return dim


def numel(self: Tensor) -> int:
    """How many elements it has."""
    return int(current(self).array.size)


def stride(self: Tensor, dim: int | None = None) -> Any:
    """How many elements of memory lie between neighbours, for each dim or for one."""
    array = current(self).array
    found = tuple([step // array.itemsize for step in array.strides])
    return found if dim is None else found[_dim_within(dim, len(found))]


def to_bool(self: Tensor) -> bool:
    """The truth of its one element.

    Raises:
        RuntimeError: it has more or none.
    """
    array = current(self).array
    if state.mapped:
        raise RuntimeError(NO_BRANCH)
    if array.size > 1:
        raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
    if array.size == 0:
        raise RuntimeError("Boolean value of Tensor with no values is ambiguous")
    return bool(array)


def length(self: Tensor) -> int:
    """The size of its first dim."""
    shape = current(self).array.shape
    if not shape:
        raise TypeError("len() of a 0-d tensor")
    return int(shape[0])


ONE_NUMBER = "only one element tensors can be converted to Python scalars"
CONVERTED = (
    "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\nConsider using "
    "tensor.detach() first."
)


def to_float(self: Tensor) -> float:
    """Its one element as a float.

    Raises:
        ValueError: it has more or none.
    """
    now = current(self)
    if now.array.size != 1:
        raise ValueError(ONE_NUMBER)
    if now.tracked:
        warn_once(CONVERTED)
    return float(item(self))


def to_int(self: Tensor) -> int:
    """Its one element as a whole number.

    Raises:
        ValueError: it has more or none.
    """
    if current(self).array.size != 1:
        raise ValueError(ONE_NUMBER)
    return int(item(self))


def to_index(self: Tensor) -> int:
    """Its one whole number, where Python wants an index."""
    array = current(self).array
    if array.size != 1 or array.dtype.kind == "f":
        raise TypeError("only integer tensors of a single element can be converted to an index")
    return int(array.item())


# ---- conversions ------------------------------------------------------------------------------------------------


def to(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """The tensor in another dtype, or a copy of it; the only device is the CPU.

    Raises:
        AssertionError, RuntimeError, Beyond: another device.
        TypeError: neither a dtype nor a device nor a tensor.
    """
    wanted = None
    for given in (*args, *[kwargs.get(name) for name in ("device", "dtype", "tensor", "other")]):
        if isinstance(given, DType):
            wanted = given
        elif isinstance(given, Tensor):
            wanted = given.dtype
        elif isinstance(given, list | tuple | dict | float):
            raise TypeError(f"to() received an invalid combination of arguments - got ({type_name_of(given)})")
        elif not isinstance(given, bool):
            check_device(given)
    made = self if wanted is None else e.convert(self, wanted)
    return e.clone(made) if kwargs.get("copy") and made is self else made


def type_of(self: Tensor, dtype: Any = None) -> Any:
    """The name of its kind, e.g. "torch.FloatTensor"; with a dtype, the tensor in that."""
    if dtype is None:
        return f"torch.{dtype_of(current(self).array.dtype).type_name}Tensor"
    if isinstance(dtype, DType):
        return e.convert(self, dtype)
    if not isinstance(dtype, str | type):
        raise TypeError("dtype must be a type, str, or dtype object")
    name = dtype if isinstance(dtype, str) else f"{dtype.__module__}.{dtype.__name__}".removeprefix("builtins.")
    for each in DTYPES.values():
        if name == f"torch.{each.type_name}Tensor":
            return e.convert(self, each)
    raise ValueError(f"invalid type: '{name}'")


def _converter(name: str) -> Callable[[Tensor], Tensor]:
    dtype = DTYPES[name]

    def function(self: Tensor) -> Tensor:
        return e.convert(self, dtype)

    function.__doc__ = f"The tensor as {name}."
    return function


def cuda(self: Tensor, *_: object, **__: object) -> Tensor:
    """Refused: the only device is the CPU.

    Raises:
        AssertionError: always, as by a PyTorch that was built for the CPU.
    """
    check_device("cuda")
    return self


def same(self: Tensor, *_: object, **__: object) -> Tensor:
    """The tensor itself: there is but one device, and memory has but one order."""
    return self


def detach(self: Tensor) -> Tensor:
    """The same memory, without the graph."""
    return _detached(self, "detach()")


def _detached(x: Tensor, how: str, *, counts_writes: bool = True) -> Tensor:
    made = alias(x, counts_writes=counts_writes)
    cut(made, x, how)
    return made


DETACH_VIEW = (
    "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) for training, and "
    "gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and hence detach_() cannot be called on "
    "these gradients. To fix this error, please refer to the Optimizer.zero_grad() function in "
    "torch/optim/optimizer.py as the solution."
)


def detach_(self: Tensor) -> Tensor:
    """Take the tensor out of the graph.

    Raises:
        RuntimeError: it is a view.
    """
    if self.extra is not None and self.extra.path and not self.extra.is_detached:
        raise RuntimeError(DETACH_VIEW)
    now = current(self)
    if now.tracked:
        views.set_data(self, constant(now.array))
        current(self).tracked = False
        current(self).op = None
        current(self).inputs = ()
        if state.on_cut is not None:
            state.on_cut(current(self), (now,), "detach_()")
    return self


def requires_grad_(self: Tensor, requires_grad: bool = True) -> Tensor:
    """Let a gradient flow into the tensor, or no longer."""
    views.set_requires_grad(self, requires_grad)
    return self


def copy_(self: Tensor, src: Any, non_blocking: bool = False) -> Tensor:
    """Take the numbers of another tensor, broadcast to the shape and dtype of this one."""
    source = src if isinstance(src, Tensor) else as_operand(src, self)
    views.refuse_overlap(self)
    views.refuse_mixture(self, (source,))
    shape = current(self).array.shape
    if not current(source).tracked or not state.grad_enabled:
        array = np.broadcast_to(current(source).array, shape)
        return views.write(self, constant(np.array(array, dtype=current(self).array.dtype)[()]))
    if current(source).array.shape != shape:
        source = source.expand(shape)
    if self.extra is not None and self.extra.path:
        return views.write(self, e.convert(e.clone(source), self.dtype))
    views.refuse_write(self)
    return views.write(self, apply(COPY, (self, source)))


def zero_(self: Tensor) -> Tensor:
    """Fill with zeros."""
    if current(self).tracked and state.grad_enabled:
        views.refuse_write(self)
        return views.write(self, apply(ZERO, (self,)))
    return views.write(self, constant(np.zeros_like(current(self).array)[()]))


def fill_(self: Tensor, value: Any) -> Tensor:
    """Fill with a number."""
    if isinstance(value, Tensor) and current(value).tracked and state.grad_enabled:
        return views.write(self, apply(FILL, (self, value)))
    number = array_of(value)
    if current(self).tracked and state.grad_enabled:
        views.refuse_write(self)
        return views.write(self, apply(FILL_NUMBER, (self,), value=number))
    return views.write(self, constant(np.full_like(current(self).array, number)[()]))


def format(self: Tensor, spec: str) -> str:
    """As Python formats the number of a tensor of no dims; else as `str`."""
    if not current(self).array.ndim:
        return item(self).__format__(spec)
    return object.__format__(self, spec)


def iterate(self: Tensor) -> Iterator[Tensor]:
    """The rows, one after the other."""
    if not current(self).array.ndim:
        raise TypeError("iteration over a 0-d tensor")
    return iter(self.unbind(0))


def result_type(tensor1: Any, tensor2: Any) -> DType:
    """The dtype that an op of two tensors or numbers gives."""
    return dtype_of(result_dtype(array_of(tensor1), array_of(tensor2), default=state.dtype))


def is_tensor(obj: object) -> bool:
    """Whether it is a tensor."""
    return isinstance(obj, Tensor)


def resize_(self: Tensor, *sizes: Any) -> Tensor:
    """Change the shape in place: the first numbers are kept, new ones are 0 (in PyTorch whatever memory holds).

    Raises:
        RuntimeError: it requires grad.
        Beyond: other tensors may look into its memory.
    """
    now = current(self)
    if now.tracked:
        raise RuntimeError("cannot resize variables that require grad")
    if self.extra is not None and self.extra.memory is not None:
        raise Beyond("resize_ of a tensor that was viewed or changed in place")
    wanted = creation.shape_given("resize_", sizes, {})
    array = np.zeros(wanted, now.array.dtype)
    count = min(array.size, now.array.size)
    array.reshape(-1)[:count] = np.ravel(now.array)[:count]
    views.replace(self, array[()])
    return self


def ignore(*_: object, **__: object) -> None:
    """A setting that changes nothing here."""


def _set_data(self: Tensor, other: Tensor) -> None:
    views.set_data(self, tensor_given("data", other))


def _not_writable(name: str) -> Any:
    def refuse(self: Tensor, value: object) -> None:
        raise AttributeError(f"attribute '{name}' of 'torch._C.TensorBase' objects is not writable")

    return refuse


METHODS: dict[str, Any] = {
    "item": item, "tolist": tolist, "numpy": to_numpy, "__array__": to_array,
    "__array_wrap__": wrap_array, "__array_priority__": 1000, "size": size, "stride": stride, "numel": numel,
    "nelement": numel, "dim": lambda self: self.ndim, "ndimension": lambda self: self.ndim, "__bool__": to_bool,
    "__len__": length, "__float__": to_float, "__int__": to_int,
    "__index__": to_index, "__format__": format, "__iter__": iterate, "__contains__": lambda self, x: bool((self == x).any()),
    "where": lambda self, condition, other: e.where(condition, self, other),
    "to": to, "type": type_of, "type_as": lambda self, other: e.convert(self, other.dtype),
    "float": _converter("float32"), "double": _converter("float64"), "long": _converter("int64"),
    "int": _converter("int32"), "short": _converter("int16"), "bool": _converter("bool"), "byte": _converter("uint8"),
    "cpu": same, "cuda": cuda, "get_device": lambda self: -1, "is_cpu": True, "is_meta": False,
    "detach": detach, "detach_": detach_, "requires_grad_": requires_grad_, "copy_": copy_, "resize_": resize_, "zero_": zero_, "fill_": fill_,
    "backward": gradients.tensor_backward, "retain_grad": gradients.retain_grad, "register_hook": gradients.register_hook,
    "register_post_accumulate_grad_hook": gradients.register_post_accumulate_grad_hook,
    "is_floating_point": lambda self: current(self).array.dtype.kind == "f", "is_complex": lambda self: False,
    "element_size": lambda self: int(current(self).array.itemsize),
    "requires_grad": property(lambda self: current(self).tracked, views.set_requires_grad),
    "grad": property(gradients.get_grad, gradients.set_grad, lambda self: gradients.set_grad(self, None)),
    "data": property(lambda self: _detached(self, ".data", counts_writes=False), _set_data),
    "is_inference": lambda self: current(self).index == INFERENCE,
    "grad_fn": property(graph.grad_fn, _not_writable("grad_fn")),
    "is_leaf": vars(Tensor)["is_leaf"].setter(_not_writable("is_leaf")), "device": property(lambda self: CPU), "is_cuda": False, "is_sparse": False,
    "retains_grad": property(lambda self: self.extra is not None and self.extra.retains_grad),
    "nbytes": property(lambda self: current(self).array.nbytes), "itemsize": property(lambda self: current(self).array.itemsize),
    "output_nr": property(lambda self: current(self).params.get("output", 0)),
    "_backward_hooks": property(lambda self: None if self.extra is None else _hooks_of(current(self))),
    "name": property(lambda self: None), "layout": "torch.strided", "is_nested": False, "is_quantized": False,
    "_base": property(lambda self: self.extra.memory.owner if self.extra is not None and self.extra.path else None),
    "_is_view": lambda self: self.extra is not None and bool(self.extra.path),
    "__deepcopy__": lambda self, memo: _deep_copy(self, memo), "__hash__": Tensor.__hash__,
}  # fmt: skip


def _hooks_of(entry: Tensor) -> dict[int, Any] | None:
    return None if entry.extra is None else entry.extra.hooks


def _deep_copy(self: Tensor, memo: dict[int, Any]) -> Tensor:
    """A copy of a leaf with memory of its own.

    Raises:
        RuntimeError: it is no leaf.
    """
    now = current(self)
    if now.op is not None:
        raise RuntimeError(
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.  "
            "If you were attempting to deepcopy a module, this may be because of a torch.nn.utils.weight_norm usage, "
            "see https://github.com/pytorch/pytorch/pull/103001"
        )
    made: Tensor = object.__new__(type(self))
    fresh = constant(now.array.copy())
    for slot in ("array", "extra", "form", "incoming", "index", "inputs", "op", "params"):
        setattr(made, slot, getattr(fresh, slot))
    made.tracked = now.tracked
    if hasattr(self, "__dict__"):
        made.__dict__.update(self.__dict__)
    memo[id(self)] = made
    if self.extra is not None and self.extra.grad is not None:
        gradients.set_grad(made, _deep_copy(self.extra.grad, memo))
    return made


bind_methods()

__all__ = ["FUNCTIONS", "IN_PLACE", "METHODS", "OPERATORS", "SECOND_NAMES", "bind_methods", "math"]
