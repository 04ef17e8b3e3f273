"""Small values of torch that a script can hold and print: sizes, dtypes, devices, backward nodes, handles."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, SupportsIndex, overload

from gradviz.imitation.engine.dtypes import DTYPES, DType
from gradviz.imitation.engine.tensor import Tensor
from gradviz.imitation.script.classes.values import Class


class Size(tuple[int, ...]):
    """`torch.Size`."""

    shown_as, shown_in = "Size", "torch"
    __slots__ = ()

    def __repr__(self) -> str:
        return f"torch.Size({list(self)})"

    @classmethod
    def of(cls, items: Iterable[Any] = ()) -> Size:
        """The sizes that a script wrote down.

        Raises:
            TypeError: one of them is no whole number.
        """
        read = []
        for place, item in enumerate(items):
            size = int(item.data) if isinstance(item, Tensor) and item.data.dtype.kind == "i" else item
            if not isinstance(size, int):
                raise TypeError(f"torch.Size() takes an iterable of 'int' (item {place} is '{type(item).__name__}')")
            read.append(int(size))
        return cls(read)

    @overload
    def __getitem__(self, place: SupportsIndex) -> int: ...
    @overload
    def __getitem__(self, place: slice) -> Size: ...
    def __getitem__(self, place: SupportsIndex | slice) -> int | Size:
        found = tuple.__getitem__(self, place)
        return Size(found) if isinstance(found, tuple) else found

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, tuple):
            raise TypeError(f"can only concatenate tuple (not {type(other).__name__}) to torch.Size")
        return Size.of(tuple.__add__(self, other))

    def __radd__(self, other: Any) -> Any:
        return Size.of(other) + self if isinstance(other, tuple) else NotImplemented

    def __mul__(self, times: SupportsIndex) -> Size:
        if not hasattr(times, "__index__"):
            raise TypeError(f"can't multiply sequence by non-int of type '{type(times).__name__}'")
        return Size(tuple.__mul__(self, times))

    __rmul__ = __mul__

    def numel(self) -> int:
        """Number of elements."""
        total = 1
        for n in self:
            total *= n
        return total


@dataclass(frozen=True, eq=False)
class DTypeName:
    """`torch.float32` and the like."""

    shown_as: ClassVar[str] = "dtype"
    shown_in: ClassVar[str] = "torch"
    known: ClassVar[dict[str, DTypeName]] = {}
    dtype: DType

    def __new__(cls, of: DType | str) -> DTypeName:
        """Always the same of one name: scripts ask `x.dtype is torch.float32`."""
        name = of if isinstance(of, str) else of.name
        return cls.known.setdefault(name, super().__new__(cls))

    def __repr__(self) -> str:
        return f"torch.{self.dtype.name}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DTypeName) and self.dtype == other.dtype

    def __hash__(self) -> int:
        return hash(self.dtype)


class LateDTypeName(DTypeName):
    """One whose dtype is loaded when somebody asks for it."""

    def __init__(self, of: DType | str) -> None:
        object.__setattr__(self, "_name" if isinstance(of, str) else "dtype", of)

    def __getattr__(self, name: str) -> Any:
        if name != "dtype":
            raise AttributeError(name)
        object.__setattr__(self, "dtype", DTYPES[self._name])
        return self.dtype


def is_dtype(value: Any) -> bool:
    """Whether it can stand where PyTorch wants a dtype: Python's own float, int and bool can."""
    return isinstance(value, DTypeName) or (isinstance(value, Class) and hasattr(value, "dtype"))


class Uninitialized:
    """A parameter of a lazy module that has not been called yet.

    Attributes:
        is_parameter: whether it is no buffer.
        dtype: what it was cast to since, or None.
        held_in: lists of optimizers that it stands in.
    """

    shown_as = "UninitializedParameter"
    shown_in = "torch.nn.parameter"
    is_parameter = True
    grad = None

    def __init__(self) -> None:
        self.dtype: DType | None = None
        self.held_in: list[list[Any]] = []

    def becomes(self, tensor: Any) -> None:
        """Optimizers have the tensor in its place."""
        for held in self.held_in:
            held[:] = [tensor if x is self else x for x in held]

    def __repr__(self) -> str:
        return f"<{self.shown_as}>"


class UninitializedBuffer(Uninitialized):
    """A buffer of such a module."""

    shown_as = "UninitializedBuffer"
    is_parameter = False


class Layout:
    """`torch.strided`."""

    shown_as = "layout"
    shown_in = "torch"

    def __repr__(self) -> str:
        return "torch.strided"


STRIDED = Layout()


@dataclass(frozen=True)
class Device:
    """`torch.device`; tensors live on the CPU only here."""

    shown_as: ClassVar[str] = "device"
    shown_in: ClassVar[str] = "torch"
    type: str = "cpu"
    index: int | None = None

    def __repr__(self) -> str:
        return (
            f"device(type='{self.type}')" if self.index is None else f"device(type='{self.type}', index={self.index})"
        )

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"


CPU = Device()


class Handle:
    """What `register_hook` returns; also a context manager that removes the hook at its end."""

    shown_as = "RemovableHandle"
    shown_in = "torch.utils.hooks"
    __slots__ = ("_remove", "id")
    count = itertools.count()

    def __init__(self, remove: Callable[[], Any]) -> None:
        self._remove = remove
        self.id = next(self.count)

    def remove(self) -> None:
        """Take the hook away; a second time nothing happens."""
        self._remove()

    @classmethod
    def number_from_zero(cls) -> None:
        """A new script numbers its handles anew, as a new process does."""
        Handle.count = itertools.count()

    @classmethod
    def count_one(cls) -> None:
        """Pass over the number of a hook that PyTorch registers itself."""
        next(Handle.count)

    def enter(self) -> Handle:
        """`with x.register_hook(...):`"""
        return self

    def leave(self, _: Any) -> None:
        """Remove the hook."""
        self.remove()

    def __repr__(self) -> str:
        return f"<{self.shown_in}.{self.shown_as} object at 0x{id(self) & 0xFFFFFFFFFFFF:012x}>"


class MultiHandle(Handle):
    """What `register_multi_grad_hook` returns."""

    shown_as = "_MultiHandle"
    shown_in = "torch.autograd.graph"
    __slots__ = ()


class Memory:
    """What `tensor.untyped_storage()` gives: where a tensor's memory begins, and how many bytes it has."""

    shown_as = "UntypedStorage"
    shown_in = "torch.storage"
    __slots__ = ("count", "start")

    def __init__(self, start: int, count: int) -> None:
        self.start = start
        self.count = count

    def __len__(self) -> int:
        return self.count

    def __repr__(self) -> str:
        return f"[torch.storage.UntypedStorage(device=cpu) of size {self.count}]"


class Scoped:
    """What `with torch.no_grad():` enters; also a decorator.

    Attributes:
        enter: called at the start; what it returns is handed to `leave`.
        gives: what `as` names: what `enter` returned, this object, or None.
        module: where its class stands in PyTorch.
        decorated: what it makes of a function, where that is not the function run inside it.
        tokens: what `enter` gave where a script called `__enter__` itself, innermost last.
    """

    __slots__ = ("decorated", "enter", "gives", "leave", "module", "name", "tokens")

    def __init__(
        self,
        name: str,
        enter: Callable[[], Any],
        leave: Callable[[Any], None],
        *,
        gives: Literal["result", "itself", "nothing"] = "nothing",
        decorated: Callable[[Any], Any] | None = None,
        module: str = "torch.autograd.grad_mode",
    ) -> None:
        self.module = module
        self.gives = gives
        self.decorated = decorated
        self.name = name
        self.enter = enter
        self.leave = leave
        self.tokens: list[Any] = []

    @property
    def shown_as(self) -> str:
        """The name of its class, which messages give."""
        return self.name

    def given(self, result: Any) -> Any:
        """What `as` names, once `enter` returned a result."""
        return {"result": result, "itself": self}.get(self.gives)

    def __repr__(self) -> str:
        return f"<{self.module}.{self.name} object at 0x{id(self) & 0xFFFFFFFFFFFF:012x}>"
