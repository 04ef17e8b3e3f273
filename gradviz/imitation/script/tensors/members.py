"""The attributes and methods a script reaches on a tensor: this list and no more."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable
from typing import Any

from gradviz.imitation.engine import autograd, inference
from gradviz.imitation.engine.dtypes import (
    FLOATING,
    DType,
    c_name,
    category,
    check_fits,
    check_word,
    number_dtype,
    result_dtype,
)
from gradviz.imitation.engine.dtypes import type_name as kind_name
from gradviz.imitation.engine.functions import FUNCTIONS as F
from gradviz.imitation.engine.functions import METHODS
from gradviz.imitation.engine.functions.arguments import int_dim, must_have_dims, refuse_bool
from gradviz.imitation.engine.functions.numbers.arithmetic import is_one
from gradviz.imitation.engine.functions.numbers.comparison import clamp_kernel
from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.inference import is_inference
from gradviz.imitation.engine.memory import storage
from gradviz.imitation.engine.memory.leaving import leave_graph
from gradviz.imitation.engine.memory.refused_writes import refuse_overlap, refuse_repeated, refuse_result, refuse_shapes
from gradviz.imitation.engine.memory.views import is_view, root
from gradviz.imitation.engine.nodes import output_number
from gradviz.imitation.engine.passes.backward import node_name
from gradviz.imitation.engine.protocol import takes_gradient
from gradviz.imitation.engine.shape_errors import refuse_bools
from gradviz.imitation.engine.tensor import Tensor, record, wrap
from gradviz.imitation.engine.warn import warn
from gradviz.errors import TorchError
from gradviz.imitation.script import subscripts
from gradviz.imitation.script.arguments.checking import reader_of
from gradviz.imitation.script.arguments.reading import refusal
from gradviz.imitation.script.arrays.operands import refuse_grad
from gradviz.imitation.script.names.autograd.calls import run_sweep, tensor_backward
from gradviz.imitation.script.names.torch import drawn
from gradviz.imitation.script.tensors import kinds as tensor_kinds
from gradviz.imitation.script.tensors.grad_nodes import (
    Edge,
    grad_fn,
    hooks_of,
    register_hook,
    register_post_accumulate_grad_hook,
)
from gradviz.imitation.script.tensors.in_place import TENSOR_IN_PLACE, in_place
from gradviz.imitation.script.torch_values import CPU, Device, DTypeName, Size
from gradviz.imitation.script.values import Native, type_name

# ---- autograd ----


def requires_grad_(self: Tensor, requires_grad: bool = True) -> Tensor:
    if not isinstance(requires_grad, bool):
        raise TorchError(
            f"requires_grad_(): argument 'requires_grad' (position 1) must be bool, not {type_name(requires_grad)}",
            kind="TypeError",
        )
    if self.tape.transformed:
        raise TorchError(REQUIRES_TRANSFORMED)
    autograd.set_requires_grad(self, requires_grad, by_method=True)
    return self


REQUIRES_TRANSFORMED = (
    "You are attempting to call Tensor.requires_grad_() (or perhaps using torch.autograd.functional.* APIs) inside of "
    "a function being transformed by a functorch transform. This is unsupported, please attempt to use the functorch "
    "transforms (e.g. grad, vjp, jacrev, jacfwd, hessian) or call requires_grad_() outside of a function being "
    "transformed instead."
)


def retain_grad(self: Tensor) -> None:
    autograd.retain_grad(self)


# ---- shape, dtype, numbers ----


def size(self: Tensor, dim: int | None = None) -> Any:
    if dim is None:
        return Size(self.shape)
    must_have_dims(self, dim)
    return self.shape[int_dim("size", dim, self.ndim)]


def tolist(self: Tensor) -> Any:
    if self.tape.batched:
        raise TorchError(
            "Cannot access data pointer of Tensor that doesn't have storage",
            hint="With is_grads_batched=True a hook sees all gradients at once; look at their shapes only.",
        )
    return self.data.tolist()


def numpy_array(self: Tensor, *, force: bool = False) -> Any:
    if not force:
        refuse_grad(self)
    if self.dtype.name == "bfloat16":
        raise TorchError(
            "Got unsupported ScalarType BFloat16", kind="TypeError", hint="numpy has no bfloat16: write x.float()."
        )
    return storage.lend(self)


def same(self: Tensor, *_: Any, **__: Any) -> Tensor:
    return self


# ---- in place ----


def _in_place(name: str) -> Callable[..., Tensor]:
    def run(self: Tensor, other: Any) -> Tensor:
        return storage.change(self, OPS[name], other if isinstance(other, Tensor) else wrap(other, self, OPS[name]))

    return run


def _scaled_in_place(name: str) -> Callable[..., Tensor]:
    def run(self: Tensor, other: Any, *, alpha: float = 1) -> Tensor:
        if name == "sub":
            storage.refuse_leaf(self, by=[other] if isinstance(other, Tensor) else ())
            refuse_bools(self, other)
        beside = _tensor(other, self)
        if is_one(alpha):
            return storage.change(self, OPS[name], beside)
        return in_place(_fitting(F[name]), pointwise=True)(self, beside, alpha=alpha)

    return run


def _fitting(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """What refuses a dtype that does not fit the tensor before it looks at its numbers."""

    def run(self: Tensor, other: Any, *alpha: Any, **options: Any) -> Tensor:
        refuse_result(self, self.shape, result_dtype(self.data, _tensor(other, self).data))
        return function(self, other, *alpha, **options)

    return run


add_, sub_ = _scaled_in_place("add"), _scaled_in_place("sub")


def subtract_(self: Tensor, other: Any, *alpha: Any, **options: Any) -> Tensor:
    """`sub_`, which beside a number takes `alpha` by place too."""
    if len(alpha) != 1 or options or isinstance(other, Tensor):
        return sub_(self, other, *alpha, **options)
    storage.refuse_leaf(self)
    refuse_bools(self, other)
    return in_place(_fitting(F["subtract"]), pointwise=True)(self, other, *alpha)


def _tensor(value: Any, like: Tensor) -> Tensor:
    return value if isinstance(value, Tensor) else wrap(value, like)


def _unary_in_place(name: str) -> Callable[..., Tensor]:
    whole = in_place(METHODS[name])
    return lambda self: storage.change(self, OPS[name]) if self.dtype.kind in FLOATING else whole(self)


def clamp_(self: Tensor, min: Any = None, max: Any = None) -> Tensor:
    if min is None and max is None:
        raise TorchError("torch.clamp: At least one of 'min' or 'max' must not be None")
    storage.refuse_leaf(self, by=[bound for bound in (min, max) if isinstance(bound, Tensor)])
    refuse_shapes(self, *(bound for bound in (min, max) if isinstance(bound, Tensor)))
    given = [b for b in (min, max) if b is not None and not isinstance(b, Tensor)]
    kinds = [self.dtype, *(number_dtype(b, self.dtype, self.tape.float_dtype) for b in given)]
    kind = builtins.max(kinds, key=category)
    if category(kind) > category(self.dtype):
        raise TorchError(
            f"result type {kind_name(kind)} can't be cast to the desired output type {c_name(self.dtype)}",
            hint="Convert the tensor first, or write it out of place.",
        )
    if isinstance(min, Tensor) or isinstance(max, Tensor):
        return in_place(METHODS["clamp"], pointwise=True)(self, min, max)
    if kind.kind == "b":
        refuse_bool(self, clamp_kernel(min, max))
    return storage.change(self, OPS["clamp"], min=min, max=max)


def fill_(self: Tensor, value: Any) -> Tensor:
    if not isinstance(value, Tensor):
        check_word(value)
        check_fits(value, self.dtype)
        return storage.change(self, OPS["fill_number"], value=value)
    if value.ndim:
        raise TorchError(f"fill_ only supports 0-dimension value tensor but got tensor with {value.ndim} dimensions.")
    return storage.change(self, OPS["fill"], value)


def zero_(self: Tensor) -> Tensor:
    return storage.change(self, OPS["zero"])


def copy_(self: Tensor, src: Tensor, non_blocking: bool = False) -> Tensor:
    src = src if isinstance(src, Tensor) else wrap(src, self)
    storage.refuse_leaf(self, by=(src,))
    if src is not self:
        refuse_repeated(self)
    refuse_overlap(self, src)
    refuse_shapes(self, src)
    value = OPS["copy"].forward(self.data, src.data)
    return storage.become(self, record(OPS["copy"], (self, src), {}, value), fills=src is self)


DETACH_VIEW = (
    "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) for training, "
    "and gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and hence detach_() cannot be "
    "called on these gradients. To fix this error, please refer to the Optimizer.zero_grad() function in "
    "torch/optim/optimizer.py as the solution."
)


def detach_(self: Tensor) -> Tensor:
    if inference.is_on(self.tape) and not inference.is_inference(self):
        return self  # nobody looks at the graph there
    if is_view(self):
        raise TorchError(DETACH_VIEW)
    return leave_graph(self)


def unflatten(self: Tensor, dim: Any, sizes: Any) -> Tensor:
    """The method, which PyTorch has in Python before its reader of arguments."""
    if not sizes:
        raise TorchError("unflatten: sizes must be non-empty")
    said = refusal("TensorBase.unflatten", (dim, sizes), {})
    if said:
        raise TorchError(said, kind="TypeError")
    return F["unflatten"](self, dim, sizes)  # type: ignore[no-any-return]


SPECIAL = "radd rsub rmul truediv rtruediv floordiv mod rpow matmul neg abs bool int float index iter"
"""Operators that a script may call by their special names, besides those that are PyTorch functions too."""


def _table(table: dict[str, Any]) -> Iterable[tuple[str, Callable[..., Any]]]:
    return table.items()


def _method(name: str, run: Callable[..., Any], *, needs_machine: bool = False) -> Native:
    method = Native(name, run, needs_machine=needs_machine, is_method=True)
    method.reader = reader_of("Tensor", name)
    return method


TENSOR_METHODS: dict[str, Native] = {
    **{name: _method(name, function) for name, function in (METHODS | TENSOR_IN_PLACE).items()},
    **{name: _method(name, run, needs_machine=True) for name, run in _table({
        "backward": tensor_backward, "register_hook": register_hook,
        "register_post_accumulate_grad_hook": register_post_accumulate_grad_hook,
    })},
    **{name: _method(name, run) for name, run in _table({
        "requires_grad_": requires_grad_, "retain_grad": retain_grad, "size": size, "tolist": tolist,
        "numpy": numpy_array, "cpu": same, "unflatten": unflatten,
        "add_": add_, "sub_": sub_, "subtract_": subtract_, "mul_": _in_place("mul"), "div_": _in_place("div"),
        "neg_": _unary_in_place("neg"), "exp_": _unary_in_place("exp"), "sqrt_": _unary_in_place("sqrt"),
        "relu_": _unary_in_place("relu"), "sigmoid_": _unary_in_place("sigmoid"), "tanh_": _unary_in_place("tanh"),
        "sin_": _unary_in_place("sin"), "cos_": _unary_in_place("cos"), "abs_": _unary_in_place("abs"),
        "clamp_": clamp_, "fill_": fill_, "zero_": zero_, "copy_": copy_, "detach_": detach_,
        "is_inference": is_inference, "_is_view": is_view, "dim": lambda self: self.ndim,
        "ndimension": lambda self: self.ndim, "numel": lambda self: self.data.size,
        "nelement": lambda self: self.data.size,
        "view_as": lambda self, other: METHODS["view"](self, *other.shape),
        "reshape_as": lambda self, other: METHODS["reshape"](self, *other.shape),
        "__len__": len, "__add__": F["add"], "__mul__": F["mul"], "__sub__": F["sub"],
        "__pow__": F["pow"], "__repr__": repr, "__str__": str, "__getitem__": subscripts.get_item,
        "__setitem__": subscripts.set_item,
        **{f"__{name}__": METHODS[name] for name in ("eq", "ne", "lt", "le", "gt", "ge")},
        **{f"__{name}__": getattr(Tensor, f"__{name}__") for name in SPECIAL.split()},
    })},
    **{name: _method(name, run) for name, run in tensor_kinds.METHODS.items()},
    **{name: _method(name, run, needs_machine=True) for name, run in tensor_kinds.MADE_METHODS.items()},
    **{name: _method(name, run, needs_machine=True) for name, run in drawn.METHODS.items()},
}  # fmt: skip


# ---- attributes ----


def retains_grad(tensor: Tensor) -> bool:
    """Whether it keeps its gradient although it is no leaf."""
    return tensor.extra is not None and tensor.extra.retains_grad


GRAD_OF_NON_LEAF = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be "
    "populated during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf Tensor, "
    "use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure you access the "
    "leaf Tensor instead. See github.com/pytorch/pytorch/pull/30531 for more information."
)


def grad(tensor: Tensor) -> Tensor | None:
    """The accumulated gradient."""
    value = tensor.grad
    if value is None and tensor.op is not None and tensor.requires_grad and not retains_grad(tensor):
        warn(GRAD_OF_NON_LEAF)
    return value


REVERSED = (
    "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will throw an "
    "error in a future release. Consider `x.mT` to transpose batches of matrices or "
    "`x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor."
)


def reversed_dims(tensor: Tensor) -> Tensor:
    """`x.T`."""
    if tensor.ndim == 0:
        warn("Tensor.T is deprecated on 0-D tensors. This function is the identity in these cases.", once=True)
    elif tensor.ndim != 2:
        warn(REVERSED, once=True)
    return METHODS["permute"](tensor, tuple(reversed(range(tensor.ndim))))  # type: ignore[no-any-return]


def matrix_transposed(tensor: Tensor) -> Tensor:
    """`tensor.mT`.

    Raises:
        TorchError: it has one dim.
    """
    if tensor.ndim == 1:
        raise TorchError("tensor.mT is only supported on matrices or batches of matrices. Got 1-D tensor.")
    if tensor.ndim == 0:
        warn("Tensor.mT is deprecated on 0-D tensors. This function is the identity in these cases.", once=True)
        return tensor
    return METHODS["transpose"](tensor, -2, -1)  # type: ignore[no-any-return]


def _volatile(tensor: Tensor) -> bool:
    warn("volatile was removed (Variable.volatile is always False)")
    return False


TENSOR_ATTRIBUTES: dict[str, Callable[[Tensor], Any]] = {
    "shape": lambda x: Size(x.shape),
    "dtype": lambda x: DTypeName(x.dtype),
    "device": lambda x: CPU,
    "ndim": lambda x: x.ndim,
    "grad": grad,
    "grad_fn": grad_fn,
    "requires_grad": takes_gradient,
    "is_leaf": lambda x: grad_fn(x) is None,
    "_backward_hooks": hooks_of,
    "data": lambda x: storage.alias(x, tracked=False),
    "T": reversed_dims,
    "mT": matrix_transposed,
    "retains_grad": retains_grad,
    **tensor_kinds.ATTRIBUTES,
    "name": lambda x: None,
    "_version": inference.version_of,
    "output_nr": output_number,
    "volatile": _volatile,
    "_base": lambda x: root(x) if is_view(x) else None,
    "grad_dtype": lambda x: DTypeName(x.dtype),
}


__all__ = [
    "CPU",
    "TENSOR_ATTRIBUTES",
    "TENSOR_METHODS",
    "DType",
    "Device",
    "Edge",
    "node_name",
    "run_sweep",
]
