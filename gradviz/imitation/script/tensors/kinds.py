"""What a tensor says of its kind and its memory, and tensors made after its kind: `x.to(...)`, `x.new_zeros(...)`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradviz.imitation.engine import creation
from gradviz.imitation.engine.dtypes import DTYPES, FLOAT64, FLOATING, DType, type_name
from gradviz.imitation.engine.functions import METHODS as FUNCTIONS
from gradviz.imitation.engine.functions.arguments import ints
from gradviz.imitation.engine.functions.numbers.conversion import to
from gradviz.imitation.engine.functions.shapes.shaping import is_contiguous, reinterpreted
from gradviz.imitation.engine.memory import storage
from gradviz.imitation.engine.memory.resizing import memory_of, offset_of
from gradviz.imitation.engine.memory.sharing import address
from gradviz.imitation.engine.memory.steps import laid_out
from gradviz.imitation.engine.tensor import Tensor
from gradviz.imitation.engine.warn import warn
from gradviz.errors import TorchError
from gradviz.imitation.script.names.torch.devices import makers, refuse, require
from gradviz.imitation.script.tensors.nested import as_lists
from gradviz.imitation.script.torch_values import STRIDED, Device, DTypeName, Memory, is_dtype
from gradviz.imitation.script.values import Class

_NAMED = {
    "BFloat16": "bfloat16",
    "Float": "float32",
    "Double": "float64",
    "Half": "float16",
    "Long": "int64",
    "Int": "int32",
}
_NAMED |= {"BFloat16": "bfloat16", "Short": "int16", "Char": "int8", "Byte": "uint8", "Bool": "bool"}


def named_type(given: Any) -> DType | None:
    """The dtype of `torch.DoubleTensor` or "torch.DoubleTensor", or None."""
    name = given.name if isinstance(given, Class) else given if isinstance(given, str) else ""
    kind = _NAMED.get(name.removeprefix("torch.").removesuffix("Tensor")) if name.endswith("Tensor") else None
    return None if kind is None else DTYPES[kind]


def convert(self: Tensor, *args: Any, dtype: Any = None, device: Any = None, copy: bool = False, **_: Any) -> Tensor:
    """`tensor.to(...)`: a dtype, a device (there is only one here) or another tensor."""
    require(device)
    for arg in args:
        if isinstance(arg, str | Device):
            require(arg)
        elif type(arg) is int:
            refuse_index(arg)
        elif isinstance(arg, float) or arg is True or arg is False:
            dtype = DTypeName(DTYPES["bool"] if isinstance(arg, bool) else FLOAT64)
        elif isinstance(arg, DTypeName | Class):
            dtype = arg
        elif isinstance(arg, Tensor):
            dtype = DTypeName(arg.dtype)
    found = self if dtype is None else to(self, _dtype(dtype))
    return FUNCTIONS["clone"](found) if copy and found is self else found


def refuse_index(index: int) -> None:
    """Raise for the number of a device: there is the processor only."""
    if index < 0:
        raise TorchError("Device index must not be negative")
    raise TorchError(
        "Cannot access accelerator device when none is available.", hint='There is one device here: write "cpu".'
    )


def _dtype(given: Any) -> DType:
    if is_dtype(given):
        return given.dtype  # type: ignore[no-any-return]
    raise TorchError(f"dtype must be torch.dtype, not {type(given).__name__}", kind="TypeError")


def _cast(name: str) -> Callable[..., Tensor]:
    return lambda self, **_: to(self, DTYPES[name])


def type_(self: Tensor, dtype: Any = None, non_blocking: bool = False) -> Any:
    """`x.type()`, the name of its kind, and `x.type(dtype)`."""
    if dtype is None:
        return f"torch.{type_name(self.dtype)}Tensor"
    named = named_type(dtype)
    if named is None and isinstance(dtype, str):
        raise TorchError(f"invalid type: '{dtype}'", kind="ValueError", hint="Use e.g. torch.float32.")
    if named is None and not isinstance(dtype, DTypeName | Class):
        raise TorchError("dtype must be a type, str, or dtype object", kind="TypeError")
    return to(self, _dtype(dtype) if named is None else named)


def view(self: Tensor, *size: Any, dtype: Any = None) -> Tensor:
    """Another shape, or the same memory as numbers of another dtype."""
    kind = size[0] if size and isinstance(size[0], DTypeName) else dtype
    return FUNCTIONS["view"](self, *size) if kind is None else reinterpreted(self, _dtype(kind))


# ---- tensors of the same kind ----


def new_tensor(machine: Any, self: Tensor, data: Any, *, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    kind = self.dtype if dtype is None else _dtype(dtype)
    return machine.made(creation.from_data(machine.tape, as_lists(data), kind, requires_grad))  # type: ignore[no-any-return]


def new_full(
    machine: Any,
    self: Tensor,
    size: Any,
    fill_value: Any,
    *,
    dtype: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    value = fill_value.data.item() if isinstance(fill_value, Tensor) else fill_value
    kind = self.dtype if dtype is None else _dtype(dtype)
    return machine.made(creation.full(machine.tape, ints((size,)), value, kind, requires_grad))  # type: ignore[no-any-return]


def _new(value: int) -> Callable[..., Tensor]:
    def run(machine: Any, self: Tensor, *size: Any, **options: Any) -> Tensor:
        sizes = size[0] if len(size) == 1 and isinstance(size[0], list | tuple) else size
        return new_full(machine, self, options.pop("size", sizes), value, **options)

    return run


# ---- memory ----


def strides(x: Tensor) -> tuple[int, ...]:
    """How far it is from one element to the next along each dim, in elements."""
    return tuple(step // x.dtype.itemsize for step in laid_out(x).strides)


def dim_order(self: Tensor) -> tuple[int, ...]:
    """The axes in the order of memory: those with the farthest neighbours first, behind what is one for all."""
    steps = strides(self)
    return tuple(sorted(range(self.ndim), key=lambda dim: -steps[dim] or -math.inf))


def stride(self: Tensor, dim: int | None = None) -> Any:
    return strides(self) if dim is None else strides(self)[dim]


def storage_offset(self: Tensor) -> int:
    return offset_of(self)


def data_ptr(self: Tensor) -> int:
    """Where the memory begins; the same for tensors that share it, and 0 where nothing is shown of any."""
    if not self.data.size:
        return 0
    if not isinstance(self.data, np.ndarray):
        self.data = np.array(self.data)
    return address(self.data)


def is_set_to(self: Tensor, tensor: Tensor) -> bool:
    """Whether both are the same numbers of the same memory, in the same shape."""
    return data_ptr(self) == data_ptr(tensor) and self.shape == tensor.shape and strides(self) == strides(tensor)


def untyped_storage(self: Tensor) -> Memory:
    """The memory that the tensor looks into, with all that it does not show of it."""
    start = data_ptr(self) - storage_offset(self) * self.dtype.itemsize
    return Memory(start, memory_of(self).nbytes)


def typed_storage(machine: Any, self: Tensor) -> Any:
    """`x.storage()`, whose class is made when a script first asks."""
    from gradviz.imitation.script.names.torch import storages

    return storages.storage(machine, self)


def adjoint(input: Tensor) -> Tensor:
    """The transpose of matrices; a number is its own."""
    if input.ndim == 1:
        raise TorchError("tensor.adjoint() is only supported on matrices or batches of matrices. Got 1-D tensor.")
    return FUNCTIONS["transpose"](input, -2, -1) if input.ndim else input


def _matrices_adjoint(self: Tensor) -> Tensor:
    """`x.mH`."""
    if not self.ndim:
        warn("Tensor.mH is deprecated on 0-D tensors. Consider using x.conj().", once=True)
        return self
    return FUNCTIONS["transpose"](self, -2, -1)  # type: ignore[no-any-return]


def _itself(self: Tensor) -> Tensor:
    """The complex conjugate of a real tensor."""
    return self


def _is_nonzero(self: Tensor) -> bool:
    if self.data.size != 1:
        many = "no values" if not self.data.size else "more than one value"
        raise TorchError(f"Boolean value of Tensor with {many} is ambiguous")
    return bool(np.asarray(self.data).reshape(()))


METHODS: dict[str, Callable[..., Any]] = {
    "to": convert, "view": view, "type": type_, "type_as": lambda self, other: to(self, other.dtype),
    "float": _cast("float32"),
    "bfloat16": _cast("bfloat16"),
    "double": _cast("float64"), "half": _cast("float16"), "long": _cast("int64"), "int": _cast("int32"),
    "short": _cast("int16"), "char": _cast("int8"), "byte": _cast("uint8"), "bool": _cast("bool"), "cuda": refuse,
    "stride": stride, "storage_offset": storage_offset,
    "data_ptr": data_ptr, "untyped_storage": untyped_storage, "element_size": lambda self: self.dtype.itemsize,
    "is_floating_point": lambda self: self.dtype.kind in FLOATING, "is_complex": lambda self: False,
    "is_signed": lambda self: self.dtype.kind in "ifV", "get_device": lambda self: -1,
    "is_contiguous": lambda self, **_: is_contiguous(self),
    **dict.fromkeys(("is_shared", "is_pinned", "is_distributed"), lambda self: False), "is_set_to": is_set_to,
    "share_memory_": lambda self: self, "pin_memory": lambda self: self,
    "adjoint": adjoint, "conj": _itself, "conj_physical": _itself,
    "resolve_conj": _itself, "resolve_neg": _itself, "is_conj": lambda self: False, "is_neg": lambda self: False,
    "is_nonzero": _is_nonzero, "dim_order": dim_order, "is_same_size": lambda self, other: self.shape == other.shape,
}  # fmt: skip


def strided(shape: Sequence[int], steps: Sequence[int], dtype: Any) -> Any:
    """An array of a shape whose neighbours along each axis lie so many elements apart."""
    reach = sum((n - 1) * step for n, step in zip(shape, steps, strict=True)) + 1 if all(shape) else 0
    memory = np.zeros(creation.check_size((reach,)), dtype)
    return np.lib.stride_tricks.as_strided(memory, shape, [step * memory.itemsize for step in steps])


def new_empty_strided(
    machine: Any, self: Tensor, size: Any, stride: Any, *, dtype: Any = None, requires_grad: bool = False, **_: Any
) -> Tensor:
    empty = strided(ints((size,)), ints((stride,)), self.dtype if dtype is None else _dtype(dtype))
    return machine.tensor(empty, requires_grad=requires_grad)  # type: ignore[no-any-return]


def new(machine: Any, self: Tensor, *data: Any, **_: Any) -> Tensor:
    """The old `x.new(2, 3)` and `x.new([1, 2])`: a tensor of the same kind."""
    return machine.call(machine.modules["torch"].members[f"{type_name(self.dtype)}Tensor"], data, {})  # type: ignore[no-any-return]


def _called(machine: Any, self: Tensor, function: Any, name: str, *columns: Any) -> Tensor:
    """The numbers of self, each the answer of a function of the script."""
    if self.requires_grad:
        raise TorchError(f"Can't call {name}() on Variable that requires grad. Use var.detach().{name}() instead.")
    rows = zip(*(np.asarray(column).reshape(-1).tolist() for column in columns), strict=True)
    found = [machine.call(function, row, {}) for row in rows]
    numbers = [x.data.item() if isinstance(x, Tensor) else x for x in found]
    storage.write(self, np.asarray(numbers, self.dtype).reshape(self.shape))
    return self


def apply_(machine: Any, self: Tensor, callable: Any) -> Tensor:
    """Each number through a function of the script."""
    return _called(machine, self, callable, "apply_", self.data)


def map_(machine: Any, self: Tensor, tensor: Tensor, callable: Any) -> Tensor:
    """Each number, with that of another tensor, through a function of the script."""
    return _called(machine, self, callable, "map_", self.data, np.broadcast_to(tensor.data, self.shape))


MADE_METHODS: dict[str, Callable[..., Any]] = {
    "new": new, "storage": typed_storage, "apply_": apply_, "map_": map_,
    **makers({
        "new_tensor": new_tensor, "new_full": new_full, "new_zeros": _new(0), "new_ones": _new(1),
        "new_empty": _new(0), "new_empty_strided": new_empty_strided,
    }),
}  # fmt: skip
"""Those that are given the machine, for what they make knows its line."""


def _adjoint(x: Tensor) -> Any:
    if x.ndim not in (0, 2):
        raise TorchError(
            f"tensor.H is only supported on matrices (2-D tensors). Got {x.ndim}-D tensor. For batches of matrices, "
            "consider using tensor.mH"
        )
    if not x.ndim:
        warn("Tensor.H is deprecated on 0-D tensors. Consider using x.conj().", once=True)
        return x
    return FUNCTIONS["transpose"](x, 0, 1)


def _imaginary(_: Tensor) -> Any:
    raise TorchError("imag is not implemented for tensors with non-complex dtypes.")


ATTRIBUTES: dict[str, Callable[[Tensor], Any]] = {
    "is_cuda": lambda x: False, "is_cpu": lambda x: True, "is_sparse": lambda x: False, "is_mps": lambda x: False,
    **dict.fromkeys(
        ("is_meta", "is_sparse_csr", "is_nested", "is_mkldnn", "is_xla", "is_vulkan", "is_ipu", "is_xpu", "is_mtia",
         "is_maia"), lambda x: False,
    ),
    "is_quantized": lambda x: False, "layout": lambda x: STRIDED,
    "itemsize": lambda x: x.dtype.itemsize, "nbytes": lambda x: x.data.size * x.dtype.itemsize,
    "real": lambda x: x, "imag": _imaginary, "H": _adjoint,
    "mH": _matrices_adjoint, "output_nr": lambda x: 0,
}  # fmt: skip
