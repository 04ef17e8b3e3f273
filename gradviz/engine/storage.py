"""`x.storage()`: the numbers of the memory that a tensor looks into, one after the other, as old code reads them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from gradviz.engine.creation import construct
from gradviz.engine.dtypes import DType, dtype_of
from gradviz.engine.state import warn, warn_once
from gradviz.engine.tensor import Tensor, current, memory_of
from gradviz.ops.in_place import flat_index


class TypedStorage:
    """The numbers of a memory as they are when somebody looks."""

    __module__ = "torch.storage"

    def __init__(self, x: Tensor) -> None:
        self._tensor = x

    def _array(self) -> Any:
        current(self._tensor)  # so that what a numpy array of the script changed is seen
        return np.ravel(memory_of(self._tensor).entry.array)

    def tolist(self) -> list[Any]:
        """The numbers as a list."""
        found: list[Any] = self._array().tolist()
        return found

    def size(self) -> int:
        """How many numbers there are."""
        return int(self._array().size)

    __len__ = size

    @property
    def dtype(self) -> DType:
        """The dtype of the numbers."""
        return dtype_of(self._array().dtype)

    def nbytes(self) -> int:
        """How many bytes they take."""
        return int(self._array().nbytes)

    def data_ptr(self) -> int:
        """A number that is the same for tensors that look into the same memory."""
        return id(memory_of(self._tensor))

    def __getitem__(self, index: int) -> Any:
        if isinstance(index, slice):
            raise RuntimeError("slices are only supported in UntypedStorage.__getitem__")
        return self.tolist()[index]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tolist())

    def __repr__(self) -> str:
        lines = "".join(f" {number}\n" for number in self.tolist())
        return f"{lines}[torch.storage.TypedStorage(dtype={self.dtype}, device=cpu) of size {self.size()}]"


class UntypedStorage(TypedStorage):
    """The same memory as bytes; of these only the number and the place can be asked for."""

    __module__ = "torch.storage"

    def size(self) -> int:
        """How many bytes there are."""
        return self.nbytes()

    __len__ = size


def storage(self: Tensor) -> TypedStorage:
    """The numbers of the memory that the tensor looks into, those of its base for a view."""
    warn_once(
        "TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the only storage class."
        " This should only matter to you if you are using storages directly.  To access UntypedStorage directly, use "
        "tensor.untyped_storage() instead of tensor.storage()"
    )
    return TypedStorage(self)


def storage_offset(self: Tensor) -> int:
    """Where in its memory the first number of the tensor stands."""
    if self.extra is None or not self.extra.path or self.extra.memory is None:
        return 0
    index = np.ravel(flat_index(self.extra.memory.entry.array.shape, self.extra.path))
    return int(index[0]) if index.size else 0


def data_ptr(self: Tensor) -> int:
    """A number that tells memories apart, and inside of one where the tensor begins."""
    return id(memory_of(self)) + storage_offset(self) * int(current(self).array.itemsize)


def new(self: Tensor, *args: Any) -> Tensor:
    """Another tensor of this dtype: of the sizes given, or with the numbers of a list."""
    found: Tensor = construct(*args, dtype=dtype_of(current(self).array.dtype))
    return found


def _volatile(self: Tensor) -> bool:
    warn("volatile was removed (Variable.volatile is always False)")
    return False


METHODS: dict[str, Any] = {
    "storage": storage, "untyped_storage": lambda self: UntypedStorage(self), "storage_offset": storage_offset,
    "data_ptr": data_ptr, "new": new, "volatile": property(_volatile),
}  # fmt: skip
"""What tensors have of it."""
