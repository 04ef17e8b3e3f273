"""Memory that several tensors look at: which they are, and which of them a change of it concerns."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from gradviz.imitation.engine.tensor import Tensor


class Storage:
    """Memory that several tensors look at.

    Attributes:
        version: how often it was changed in place; changes through `.data` do not count.
        late: of a gradient, what says how often the pass wrote to it before; see `late_writes`.
        memory: all its numbers in a row, once somebody asked for them; see `resizing`.
        has_left_unnoticed: whether a stand-in was left for a change that does not count, so that one that does is still
            to be noticed by what saved the tensor before.
        is_kept: whether a node has saved a tensor of it beside its inputs, as it saves places; see `Beside`.
        is_lent: whether an array outside looks into it too, so that it must be written where it is.
    """

    __slots__ = (
        "_limit",
        "_members",
        "_present",
        "has_left_unnoticed",
        "is_kept",
        "is_lent",
        "late",
        "memory",
        "version",
    )

    def __init__(self, version: int = 0, late: Callable[[], int] | None = None) -> None:
        self.version, self.late = version, late
        self.has_left_unnoticed = False
        self.is_kept = False
        self.is_lent = False
        self.memory: Any = None
        self._members: list[weakref.ref[Tensor]] = []
        self._present: list[weakref.ref[Tensor]] = []
        self._limit = 8

    def add(self, tensor: Tensor) -> None:
        """Let one more tensor look at this memory."""
        if len(self._members) >= self._limit:
            self._members = [ref for ref in self._members if ref() is not None]
            self._present = [ref for ref in self._present if ref() is not None]
            # To look at all of them each time would take longer and longer.
            self._limit = max(8, 2 * len(self._members))
        self._members.append(weakref.ref(tensor))
        self._present.append(weakref.ref(tensor))
        tensor.more.storage = self

    def remove(self, tensor: Tensor) -> None:
        """Let a tensor look at this memory no longer."""
        self._members = [ref for ref in self._members if ref() is not tensor]
        self._present = [ref for ref in self._present if ref() is not tensor]

    def leave(self) -> None:
        """After a change: what left the tape with it needs no look at the next one, until it comes back.

        A long loop makes many views of a weight, and changes the weight in each round.
        """
        stay = []
        for ref in self._present:
            tensor = ref()
            if tensor is None:
                continue
            if tensor.index < 0 and tensor.op is not None and tensor.more.is_outdated:
                tensor.more.has_left = True
            else:
                stay.append(ref)
        self._present = stay

    def come_back(self, tensor: Tensor) -> None:
        """Let changes look at a tensor again, where they did not."""
        if tensor.more.has_left:
            tensor.more.has_left = False
            self._present.append(weakref.ref(tensor))

    def present(self) -> list[Tensor]:
        """The tensors that a change has to look at."""
        return [tensor for ref in self._present if (tensor := ref()) is not None]

    def is_shared(self, tensor: Tensor) -> bool:
        """Whether anything else looks at the memory of a tensor; the youngest are asked first, which live longest."""
        return self.is_lent or any(
            other is not None and other is not tensor for other in (ref() for ref in reversed(self._members))
        )

    def live(self) -> list[Tensor]:
        """The tensors that still exist."""
        return [tensor for ref in self._members if (tensor := ref()) is not None]


class Kept(NamedTuple):
    """A result that a node has saved, where the tensor itself looks into other memory by now.

    Attributes:
        counter: what counts the changes of the tensor, in whatever memory.
        version: of the counter when the node saved it.
    """

    result: Tensor
    counter: Storage
    version: int

    def read(self) -> Tensor:
        """As what a pack hook gave for a saved tensor is read."""
        return self.result


class Beside(NamedTuple):
    """A tensor that a node has saved beside its inputs: places, a mask, weights, to which no gradient flows.

    Attributes:
        name: PyTorch's name of it.
        counter: what counts the changes of the tensor.
        version: of the counter when the node saved it.
    """

    name: str
    tensor: Tensor
    counter: Storage
    version: int


def own_copy(x: Any) -> Any:
    """A copy of an array in memory of its own, in which a number that x shows several times stands once, too."""
    if not isinstance(x, np.ndarray) or 0 not in x.strides or not x.size:
        return np.array(x)
    once = x[tuple(slice(0, None if step else 1) for step in x.strides)].copy()
    steps = tuple(step if before else 0 for step, before in zip(once.strides, x.strides, strict=True))
    out: Any = np.ndarray(x.shape, x.dtype, once, 0, steps)
    out.flags.writeable = False
    return out


class _Seen:
    """Memory that an array looks into, which it keeps alive."""

    def __init__(self, x: Any, steps: tuple[int, ...], begin: int) -> None:
        self.__array_interface__ = {**x.__array_interface__, "data": (address(x) + begin, False), "strides": steps}
        self.base = x


def address(x: Any) -> int:
    """Where an array begins."""
    return x.__array_interface__["data"][0]  # type: ignore[no-any-return]


def unlocked(x: Any) -> Any:
    """An array over the same memory as one that numpy lets nobody write to, since it repeats numbers."""
    return seen(x, x.strides)


def seen(x: Any, steps: tuple[int, ...], begin: int = 0) -> Any:
    """An array over the memory of another, of its shape, which may be written.

    Args:
        steps: its strides.
        begin: how many bytes further it begins.
    """
    return np.asarray(_Seen(x, steps, begin)).view(x.dtype)  # bfloat16 has no name there


def addresses(x: Any) -> Any:
    """Where each number of an array lies, in bytes, in the shape of the array."""
    at = np.full(x.shape, address(x), np.int64)
    for axis, (size, stride) in enumerate(zip(x.shape, x.strides, strict=True)):
        at += (np.arange(size) * stride).reshape(-1, *(1,) * (x.ndim - axis - 1))
    return at


def read_in_turn(source: Any, targets: Any) -> Any:
    """The numbers of a source of which each is written, before the next is read, to a place of the same memory.

    Args:
        source: an array, of which the first numbers are read.
        targets: where each of them is written, in bytes.
    """
    written: dict[int, Any] = {}
    found = np.array(source.reshape(-1)[: targets.size])
    for number, (place, target) in enumerate(
        zip(addresses(source).reshape(-1).tolist(), targets.tolist(), strict=False)
    ):
        found[number] = written[target] = written.get(place, found[number])
    return found


def late_writes(tensor: Tensor) -> int:
    """How often a pass wrote to a gradient before anybody had it: found out where it is told, as that takes long."""
    if tensor.extra is None:
        return 0
    counter = tensor.extra.apart or tensor.extra.storage
    late = tensor.extra.late if counter is None else counter.late
    return 0 if late is None else late()
