"""Shapes: the same numbers in another order or arrangement."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.imitation.engine.dtypes import DType, type_name
from gradviz.imitation.engine.functions.arguments import all_tensors, dims_of, ints, is_standard, must_have_dims, need
from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.indexing.reading import view as view_op
from gradviz.imitation.engine.inference import INFERENCE, is_inference
from gradviz.imitation.engine.kind_names import kind_name
from gradviz.imitation.engine.memory import storage
from gradviz.imitation.engine.printing.messages import stream_text
from gradviz.imitation.engine.rules.shapes.shaping import NOTHING
from gradviz.imitation.engine.shapes import broadcasts, expand_error, numel, one_dim, view_shape
from gradviz.imitation.engine.tensor import Tensor, apply, constant, record
from gradviz.imitation.engine.warn import warn
from gradviz.errors import TorchError


def view(self: Tensor, *shape: Any) -> Tensor:
    size = view_shape(ints(shape), self.data.size)
    _refuse_spread(self, size)
    return view_op("view", self, size=size)


def _refuse_spread(x: Tensor, size: tuple[int, ...]) -> None:
    if not _is_viewable(x, size):
        raise TorchError(
            "view size is not compatible with input tensor's size and stride (at least one dimension spans across two "
            "contiguous subspaces). Use .reshape(...) instead."
        )


def reinterpreted(self: Tensor, dtype: DType) -> Tensor:
    """`view(dtype)`: the same memory read as numbers of another dtype, which no gradient passes."""
    own, wide = self.data.dtype.itemsize, dtype.itemsize
    if own != wide:
        kinds = f"view {type_name(self.data.dtype)} as {type_name(dtype)}"
        last, step = (self.shape[-1], np.asarray(self.data).strides[-1] // own) if self.ndim else (0, 1)
        for fault in (
            not self.ndim and "self.dim() cannot be 0",
            last * own % wide and f"self.size(-1) must be divisible by {wide // own}",
            self.data.size and step != 1 and "self.stride(-1) must be 1",
        ):
            if fault:
                got = f", but got {step if 'stride' in fault else last}" if self.ndim else ""
                raise TorchError(f"{fault} to {kinds} (different element sizes){got}")
    if not isinstance(self.data, np.ndarray):
        self.data = np.array(self.data)
    out = storage.share(self, constant(self.data.view(dtype), self.tape))
    out.more.base = None
    return out


def reshape(input: Tensor, *shape: Any) -> Tensor:
    return _reshaped(need("reshape", input), view_shape(ints(shape), input.data.size), "reshape")


def _reshaped(x: Tensor, size: tuple[int, ...], name: str = "view") -> Tensor:
    """A view where the memory allows one, else a copy, as PyTorch records it."""
    if is_contiguous(x):
        return view_op(name, x, size=size)
    if _is_viewable(x, size):
        return view_op("reshape_alias", x, size=size)
    return unsafe_view(contiguous(x), size)


def is_contiguous(x: Tensor) -> bool:
    return not isinstance(x.data, np.ndarray) or x.data.flags.c_contiguous


def _is_viewable(x: Tensor, size: tuple[int, ...]) -> bool:
    return x.data.size < 2 or is_contiguous(x) or np.may_share_memory(x.data, x.data.reshape(size))


def contiguous(input: Tensor, *, memory_format: Any = None) -> Tensor:
    """A copy in standard layout, or the tensor itself where it has that."""
    is_standard(memory_format)
    if is_contiguous(input):
        return input
    return record(OPS["clone"], (input,), {}, np.ascontiguousarray(input.data))


def unsafe_view(input: Tensor, size: tuple[int, ...]) -> Tensor:
    """A view of a fresh result that nothing else can see; of a tensor of inference mode it is one too."""
    _refuse_spread(input, size)
    out = apply(OPS["unsafe_view"], (input,), size=size)
    if is_inference(input):
        out.index = INFERENCE
    return out


def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    x = need("flatten", input)
    if x.ndim == 0:
        one_dim(start_dim, 0), one_dim(end_dim, 0)
        return reshape(x, 1)
    start, end = one_dim(start_dim, x.ndim), one_dim(end_dim, x.ndim)
    if start > end:
        raise TorchError("flatten() has invalid args: start_dim cannot come after end_dim")
    if start == end:
        return x
    return _reshaped(x, (*x.shape[:start], numel(x.shape[start : end + 1]), *x.shape[end + 1 :]))


def ravel(input: Tensor) -> Tensor:
    return view(contiguous(need("ravel", input)), -1)


def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    x = need("transpose", input)
    return view_op("transpose", x, dim0=one_dim(dim0, x.ndim), dim1=one_dim(dim1, x.ndim))


def t(input: Tensor) -> Tensor:
    x = need("t", input)
    if x.ndim > 2:
        raise TorchError(f"t() expects a tensor with <= 2 dimensions, but self is {x.ndim}D")
    return view_op("t", x)


def permute(input: Tensor, *dims: Any) -> Tensor:
    x = need("permute", input)
    order = ints(dims)
    if len(order) != x.ndim:
        raise TorchError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired "
            f"ordering of dimensions i.e. input.dim() = {x.ndim} is not equal to len(dims) = {len(order)}"
        )
    order = tuple(one_dim(d, x.ndim) for d in order)
    if len(set(order)) != len(order):
        raise TorchError("permute(): duplicate dims are not allowed.")
    return view_op("permute", x, dims=order)


def squeeze(input: Tensor, dim: Any = None, *more: Any) -> Tensor:
    x = need("squeeze", input)
    return view_op("squeeze", x, dim=dims_to_squeeze(x, dim, *more))


def dims_to_squeeze(x: Tensor, dim: Any, *more: Any) -> Any:
    """None for all that have one element, a dim, or several; of an empty list none at all."""
    dim = (dim, *more) if more else dim
    if dim is None or not isinstance(dim, list | tuple):
        return None if dim is None else one_dim(ints((dim,))[0], x.ndim)
    return dims_of(dim, x) if dim else ()


def unsqueeze(input: Tensor, dim: int) -> Tensor:
    x = need("unsqueeze", input)
    return view_op("unsqueeze", x, dim=one_dim(dim, x.ndim + 1))


def expand(self: Tensor, *sizes: Any) -> Tensor:
    size = ints(sizes)
    added = len(size) - self.ndim
    if added < 0:
        raise expand_error(self.shape, size, type_name(self.dtype))
    if -1 in size[:added]:
        text = "The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension"
        raise TorchError(f"{text} {size.index(-1)}")
    size = tuple(self.shape[i - added] if n == -1 and i >= added else n for i, n in enumerate(size))
    if not broadcasts(self.shape, size):
        raise expand_error(self.shape, size, type_name(self.dtype))
    return view_op("expand", self, size=size)


def expand_as(self: Tensor, other: Tensor) -> Tensor:
    return expand(self, *other.shape)


def _list(function: str, tensors: Any) -> tuple[Tensor, ...]:
    if not isinstance(tensors, list | tuple):
        raise TorchError(
            f"{function}(): argument 'tensors' (position 1) must be tuple of Tensors, not {kind_name(tensors)}",
            kind="TypeError",
        )
    if not tensors and function == "stack":
        raise TorchError("stack expects a non-empty TensorList")
    if not tensors:
        raise TorchError(f"torch.{function}(): expected a non-empty list of Tensors", kind="ValueError")
    return tuple(need(function, x, "tensors") for x in tensors)


def cat(tensors: Any, dim: int = 0) -> Tensor:
    xs = _list("cat", tensors)
    for number, x in enumerate(xs):
        if x.ndim == 0:
            raise TorchError(f"zero-dimensional tensor (at position {number}) cannot be concatenated")
    first = next((x for x in xs if x.shape != NOTHING), None)
    if first is None:  # PyTorch looks at no dim then
        return apply(OPS["cat"], xs, dim=0)
    axis = one_dim(dim, first.ndim)
    for number, x in enumerate(xs):
        if x.shape == NOTHING:
            continue
        if x.ndim != first.ndim:
            raise TorchError(f"Tensors must have same number of dimensions: got {first.ndim} and {x.ndim}")
        for i, (n, m) in enumerate(zip(first.shape, x.shape, strict=True)):
            if i != axis and n != m:
                raise TorchError(
                    f"Sizes of tensors must match except in dimension {axis}. Expected size {n} but got size {m} for "
                    f"tensor number {number} in the list."
                )
    return apply(OPS["cat"], xs, dim=axis)


def stack(tensors: Any, dim: int = 0) -> Tensor:
    xs = _list("stack", tensors)
    axis = one_dim(dim, xs[0].ndim + 1)
    for number, x in enumerate(xs):
        if x.shape != xs[0].shape:
            raise TorchError(
                f"stack expects each tensor to be equal size, but got {list(xs[0].shape)} at entry 0 and "
                f"{list(x.shape)} at entry {number}"
            )
    return apply(OPS["stack"], xs, dim=axis)


NO_INDEXING = "torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument."


def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Tensor, ...]:
    given = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], list | tuple) else tensors
    xs = all_tensors(given)
    if not xs:
        raise TorchError("meshgrid expects a non-empty TensorList")
    if indexing is None:
        warn(NO_INDEXING, once=True)
    elif indexing not in ("ij", "xy"):
        raise TorchError(f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}')
    if any(x.dtype != xs[0].dtype for x in xs):
        raise TorchError("meshgrid expects all tensors to have the same dtype")
    for x in xs:
        if x.ndim > 1:
            raise TorchError(
                f"torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {stream_text(x.data)}"
            )
    swap = indexing == "xy" and len(xs) > 1
    if swap:
        xs[0], xs[1] = xs[1], xs[0]
    shape = tuple(x.data.size for x in xs)
    grids = [expand(view(x, *(-1 if i == j else 1 for j in range(len(xs)))), *shape) for i, x in enumerate(xs)]
    if swap:
        grids[0], grids[1] = grids[1], grids[0]
    return tuple(grids)


def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    x = need("unbind", input)
    axis = one_dim(dim, x.ndim)
    must_have_dims(x, axis)
    return tuple(view_op("unbind", x, dim=axis, index=i) for i in range(x.shape[axis]))
