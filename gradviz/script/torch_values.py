"""Small values of torch that a script can hold and print: sizes, dtypes, devices, backward nodes, handles."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from gradviz.engine.backward import node_name
from gradviz.engine.dtypes import DType
from gradviz.engine.tensor import Tensor


class Size(tuple[int, ...]):
    """`torch.Size`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"torch.Size({list(self)})"

    def numel(self) -> int:
        """Number of elements."""
        total = 1
        for n in self:
            total *= n
        return total


@dataclass(frozen=True)
class DTypeName:
    """`torch.float32` and the like."""

    shown_as: ClassVar[str] = "dtype"
    dtype: DType

    def __repr__(self) -> str:
        return f"torch.{self.dtype.name}"

    def __hash__(self) -> int:
        return hash(self.dtype)


@dataclass(frozen=True)
class Device:
    """`torch.device`; tensors live on the CPU only here."""

    shown_as: ClassVar[str] = "device"
    type: str = "cpu"
    index: int | None = None

    def __repr__(self) -> str:
        return (
            f"device(type='{self.type}')" if self.index is None else f"device(type='{self.type}', index={self.index})"
        )

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"


CPU = Device()


class GradNode:
    """`tensor.grad_fn`: a backward node. Two look-ups of the same node are equal."""

    __slots__ = ("tensor",)

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor

    @property
    def node_name(self) -> str:
        """E.g. "MulBackward0"."""
        return node_name(self.tensor)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GradNode) and other.tensor is self.tensor

    def __hash__(self) -> int:
        return id(self.tensor)

    def __repr__(self) -> str:
        kind = "torch.autograd.function." if self.tensor.op is not None and self.tensor.op.joint is not None else ""
        return f"<{kind}{self.node_name} object at 0x{id(self.tensor) & 0xFFFFFFFFFFFF:012x}>"

    @property
    def next_functions(self) -> tuple[Edge, ...]:
        """(node, number of its output) for every input; (None, 0) where no gradient flows."""
        entries = self.tensor.tape.entries
        sources = [entries[i] for i in self.tensor.inputs]
        return tuple(Edge((GradNode(_live(x)) if x.requires_grad else None, 0)) for x in sources)


class Edge(tuple[Any, ...]):
    """One entry of `next_functions`."""

    __slots__ = ()


def _live(x: Tensor) -> Tensor:
    """The tensor itself where a stand-in has its place: all uses of a leaf share one AccumulateGrad."""
    return x.extra.owner if x.op is None and x.extra is not None and x.extra.owner is not None else x


class Handle:
    """What `register_hook` returns."""

    shown_as = "RemovableHandle"
    __slots__ = ("remove",)

    def __init__(self, remove: Callable[[], Any]) -> None:
        self.remove = remove

    def __repr__(self) -> str:
        return "<torch.utils.hooks.RemovableHandle object>"


class Returned(NamedTuple):
    """A named result such as `torch.return_types.max`."""

    values: Tensor
    indices: Tensor


class Scoped:
    """What `with torch.no_grad():` enters; also a decorator.

    Attributes:
        enter: called at the start; what it returns is handed to `leave`.
        gives: whether `as` names what `enter` returned, and not this object.
    """

    __slots__ = ("enter", "gives", "leave", "name")

    def __init__(
        self, name: str, enter: Callable[[], Any], leave: Callable[[Any], None], *, gives: bool = False
    ) -> None:
        self.gives = gives
        self.name = name
        self.enter = enter
        self.leave = leave
