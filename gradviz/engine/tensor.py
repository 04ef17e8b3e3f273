"""Tensor: an array that remembers which op made it.

A tensor that an op makes is itself the entry of the graph: op, inputs and params stand in it, and there is no node
object beside it. The array of an entry never changes. An op in place (`x += 1`, `x[0] = 5`) makes a new entry, and the
tensor that the script holds moves on to it: `current(x)` is the entry that x stands for now. So what was recorded
keeps its values, whatever happens later.

Tensors that look into the same memory (a view and its base, `x.data`, `x.detach()`) share a `Memory`: a write through
one of them gives the memory a new entry, and the others look again through their path of view ops when next used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache, partial
from itertools import count
from typing import TYPE_CHECKING, Any
from weakref import ref

import numpy as np

from gradviz.engine.dtypes import DType, Size, dtype_of
from gradviz.engine.state import state
from gradviz.ops.op import Array, Op, Path
from gradviz.ops.shape import ALIAS
from gradviz.ops.symbols import Traced

EVEN: dict[str, Any] = {}
"""The params of a plain op whose inputs all take gradients of the result's shape and dtype: nothing is to be fitted."""
UNEVEN: dict[str, Any] = {}
"""The params of a plain op whose gradients must be summed or cast to fit its inputs."""

number_next: Callable[[], int] = count().__next__
"""Numbers entries in the order in which they are made."""


def _nothing() -> None:
    """What a weak reference gives whose object is gone."""


class Memory:
    """What several tensors look into.

    Attributes:
        entry: the entry of the whole memory now.
        version: how often it was written to, as PyTorch counts.
        writes: how often it was written to, those through `.data` included, which PyTorch does not count.
        owner: the tensor that the memory was made with; held weakly, since it holds the memory: a circle of the two would
            keep arrays and gradients until Python's collector comes. Whatever else looks into the memory keeps it.
        twin: for numbers that got a graph of their own after they were detached, the memory that has the same numbers
            without it, how to get to them there, and whether writes are counted there.
        twin_of_it: the other way round, that memory of their own, as long as there is one.
        mirrors: the memories of tensors whose `.data` was set to a tensor of this one; each has this one for a twin.
        live: the numpy array of the script that is this memory too, or None: a write to it counts as one to the memory
            as soon as somebody looks.
        place: where it was last written to in a way that PyTorch does not count; for the recorder.
    """

    __slots__ = (
        "__weakref__", "_changed", "_owner", "live", "mirrors", "place", "twin", "twin_of_it", "version", "writes",
    )  # fmt: skip

    def __init__(self, owner: Tensor) -> None:
        self._owner = ref(owner)
        self._changed: Tensor | None = None
        self.version = 0
        self.writes = 0
        self.twin: tuple[Memory, Path, bool] | None = None
        self.twin_of_it: Callable[[], Memory | None] = _nothing
        self.mirrors: tuple[Callable[[], Memory | None], ...] = ()
        self.live: np.ndarray[Any, np.dtype[Any]] | None = None
        self.place: object = None

    @property
    def owner(self) -> Tensor:
        owner = self._owner()
        assert owner is not None, "what looks into a memory keeps its owner"
        return owner

    @property
    def entry(self) -> Tensor:
        return self.owner if self._changed is None else self._changed

    @entry.setter
    def entry(self, made: Tensor) -> None:
        self._changed = made


class Extra:
    """What only few tensors have.

    Attributes:
        current: the entry that a tensor moved on to, or None while it is its own.
        memory: what it looks into, once it was viewed or written to, and `path`, how.
        base: the tensor that the memory was made with, where it is another.
        seen: the `writes` of the memory that `current` knows of.
        version: that of the memory when the entry was made, and `born`, its `writes` then.
        is_detached: whether it looks into its memory without a graph (`detach()`, `.data`, views under no_grad).
        detached: for a tensor that `detach()` or `.data` gave, and views of it, that tensor.
        counts_writes: whether writes through it are counted; not through `.data`.
        owner: for an entry that a leaf moved on to, the leaf.
        overwrote: for an entry that an op in place made, the memory it was written to: of its first input it keeps a copy.
        grad: the gradient of a leaf, or of a tensor that retains it.
        retains_grad: whether it keeps its gradient although it is no leaf.
        hooks: functions of the gradient that comes in, by their number.
        node_hooks: functions registered at `grad_fn`, and `late_hooks`, those after accumulation.
        name: the variable that it was assigned to.
        is_named: whether that is a variable of the script itself, not of a function.
        place: where it was made; for the recorder.
        node: its `grad_fn`, once somebody asked for it.
        refusal: why it must not be written to in place while gradients are recorded, or "".
    """

    # Set in the class, so that making one of these costs nothing but what is set in it.
    current: Tensor | None = None
    memory: Memory | None = None
    base: Tensor | None = None
    path: Path = ()
    seen = 0
    version = 0
    born = 0
    is_detached = False
    detached: Tensor | None = None
    counts_writes = True
    owner: Tensor | None = None
    overwrote: Memory | None = None
    grad: Tensor | None = None
    retains_grad = False
    hooks: dict[int, Callable[[Tensor], Tensor | None]] | None = None
    node_hooks: dict[int, tuple[bool, Callable[..., Any]]] | None = None
    late_hooks: dict[int, Callable[[Tensor], object]] | None = None
    name: str | None = None
    is_named = False
    place: object = None
    node: object = None
    refusal = ""


class TensorType(type):
    """Makes `torch.Tensor(2, 3)` and `torch.Tensor([1, 2])` work, while the engine makes tensors without a call."""

    construct: Callable[..., Tensor]

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        """A tensor of default dtype: of the sizes given, or with the numbers of a list."""
        if cls is Tensor:
            return TensorType.construct(*args, **kwargs)
        return super().__call__(*args, **kwargs)


class Tensor(Traced, metaclass=TensorType):
    """An n-dimensional array with a gradient; see the module.

    Attributes:
        array: the numbers of the entry; a numpy scalar for shape (). The present ones are `current(x).array`.
        tracked: whether a gradient can flow into the entry.
        op: what made it; None for leaves and constants.
        inputs: the entries that it was made from.
        params: what the op was given besides tensors.
        index: the number of the entry in order of making; below 0 for what no recorded op made.
        incoming: during a backward pass, the sum of what has come in so far.
        extra: what only few tensors have, or None.
        form: what stands for its shape and dtype, see `form_of`; None until somebody asked.
    """

    __module__ = "torch"
    __slots__ = (
        "__dict__", "__weakref__", "array", "extra", "form", "incoming", "index", "inputs", "op", "params", "tracked",
    )  # fmt: skip

    array: Any
    tracked: bool
    op: Op | None
    inputs: tuple[Tensor, ...]
    params: Mapping[str, Any]
    index: int
    incoming: Any
    extra: Extra | None
    form: object

    if TYPE_CHECKING:  # bound by `methods`, once the functions of all families exist

        def __getattr__(self, name: str) -> Any: ...
        def __add__(self, other: Any) -> Tensor: ...
        def __radd__(self, other: Any) -> Tensor: ...
        def __sub__(self, other: Any) -> Tensor: ...
        def __rsub__(self, other: Any) -> Tensor: ...
        def __mul__(self, other: Any) -> Tensor: ...
        def __rmul__(self, other: Any) -> Tensor: ...
        def __truediv__(self, other: Any) -> Tensor: ...
        def __rtruediv__(self, other: Any) -> Tensor: ...
        def __pow__(self, other: Any) -> Tensor: ...
        def __matmul__(self, other: Any) -> Tensor: ...
        def __neg__(self) -> Tensor: ...
        def __getitem__(self, index: Any) -> Tensor: ...
        def reshape(self, *shape: Any) -> Tensor: ...
        def view_as(self, other: Tensor) -> Tensor: ...
        def detach(self) -> Tensor: ...
        def clone(self) -> Tensor: ...
        def numel(self) -> int: ...
        def is_floating_point(self) -> bool: ...
        def __setitem__(self, index: Any, value: Any) -> None: ...
        def __lt__(self, other: Any) -> Tensor: ...
        def __gt__(self, other: Any) -> Tensor: ...
        def __le__(self, other: Any) -> Tensor: ...
        def __ge__(self, other: Any) -> Tensor: ...
        def __bool__(self) -> bool: ...
        def __float__(self) -> float: ...
        def __int__(self) -> int: ...
        def __len__(self) -> int: ...
        def __iter__(self) -> Iterator[Tensor]: ...

    # ---- what it is ------------------------------------------------------------------------------------------------

    @property
    def requires_grad(self) -> bool:
        """Whether a gradient can flow into it."""
        return current(self).tracked

    @property
    def is_leaf(self) -> bool:
        """Whether no recorded op made it."""
        entry = current(self)
        return entry.op is None or not entry.tracked

    def _through(self, op: Op, given: tuple[Tensor, ...], params: Mapping[str, Any]) -> Tensor:
        """An op that a rule sends its gradient through, recorded in the second graph."""
        raise NotImplementedError  # bound by `apply`, which stands above this module

    def _constant(self, array: Array) -> Tensor:
        """Numbers as a tensor that no gradient flows into: what rules put beside this one."""
        return constant(array)

    @property
    def shape(self) -> Size:
        """The sizes of its dims."""
        return Size(current(self).array.shape)

    @property
    def ndim(self) -> int:
        """How many dims it has."""
        return int(current(self).array.ndim)

    @property
    def dtype(self) -> DType:
        """The dtype, e.g. torch.float32."""
        return dtype_of(current(self).array.dtype)

    @property
    def _version(self) -> int:
        """How often it was changed in place; `x.data` counts for itself."""
        extra = self.extra
        if extra is None or extra.memory is None:
            return 0
        return extra.memory.version if extra.counts_writes else extra.memory.writes - extra.born

    __hash__ = object.__hash__  # `==` compares numbers; without a hash, sets of tensors could not be


blank: Callable[[], Tensor] = partial(object.__new__, Tensor)
"""A tensor with nothing set."""


def constant(array: Array) -> Tensor:
    """A tensor of these numbers that no gradient flows into."""
    made = blank()
    made.array = array
    made.tracked = False
    made.op = None
    made.inputs = ()
    made.params = EVEN
    made.index = state.unrecorded
    made.incoming = None
    made.extra = None
    made.form = None
    return made


def entry(op: Op, inputs: tuple[Tensor, ...], params: Mapping[str, Any], array: Array) -> Tensor:
    """A tensor that an op made and a gradient can flow into; whoever records hears of it."""
    made = blank()
    made.array = array
    made.tracked = True
    made.op = op
    made.inputs = inputs
    made.params = params
    made.index = number_next()
    made.incoming = None
    made.extra = None
    made.form = None
    if state.on_entry is not None:
        state.on_entry(made)
    return made


_forms: dict[object, object] = {}


def form_of(x: Tensor) -> object:
    """One object for each shape and dtype: an op of two tensors tells by `is` whether they are alike.

    To ask two arrays for their shapes and dtypes costs half as much as their product.
    """
    array = x.array
    form: object = (array.shape, array.dtype) if isinstance(array, np.ndarray) else type(array)
    x.form = form = _forms.setdefault(form, form)
    return form


def extra_of(x: Tensor) -> Extra:
    """What only few tensors have, made where x has none yet."""
    if x.extra is None:
        x.extra = Extra()
    return x.extra


def name_of(x: Tensor) -> tuple[str | None, bool]:
    """The variable that a tensor was assigned to, and whether that is one of the script itself."""
    extra = x.extra
    if extra is not None and extra.name is not None:
        return extra.name, extra.is_named
    return state.names.get(id(x), (None, False))


def current(x: Tensor) -> Tensor:
    """The entry that a tensor stands for now: itself, unless it or the memory it looks into was changed in place."""
    extra = x.extra
    if extra is None:
        return x
    memory = extra.memory
    if memory is not None:
        if memory.live is not None:
            read_live(memory)
        if extra.seen != memory.writes:
            extra.current = _look_again(memory, extra)
            extra.seen = memory.writes
    return x if extra.current is None else extra.current


def read_live(memory: Memory) -> None:
    """Take over what the script has written to the array that it shares with a memory."""
    old, live = memory.entry, memory.live
    assert live is not None
    if np.array_equal(live, old.array, equal_nan=live.dtype.kind == "f"):
        return
    made = state_after(old, live.copy()[()])
    memory.writes += 1
    memory.entry = made
    belong(made, memory, ())


def state_after(old: Tensor, array: Array) -> Tensor:
    """The entry of a memory after a write that is not recorded: gradients go on as if the numbers were the same."""
    if old.tracked and old.op is not None:
        return entry(CHANGED, (old,), EVEN, array)
    made = constant(array)
    made.tracked = old.tracked
    made.index = old.index
    if old.op is None:
        extra_of(made).owner = owner_of(old)
    return made


CHANGED = replace(ALIAS)
"""The same numbers for the graph, which were changed while gradients were not recorded; it has no node of its own."""


def behind_changes(x: Tensor) -> Tensor:
    """The entry whose node a tensor has: that which made it, also where its numbers were changed unrecorded since."""
    while x.op is CHANGED:
        (x,) = x.inputs
    return x


@cache
def as_strided(op: Op) -> Op:
    """A view op that is taken again after a change in place; PyTorch's node has another name then."""
    return replace(op, node="AsStridedBackward0")


def _look_again(memory: Memory, extra: Extra) -> Tensor:
    """What a tensor shows of a memory that was written to."""
    found = memory.entry
    for op, params in extra.path:
        array = op.forward(found.array, **params)
        is_tracked = found.tracked and not extra.is_detached
        found = entry(as_strided(op), (found,), params, array) if is_tracked else constant(array)
        if not is_tracked:
            found.index = min(memory.entry.index, -1)
        belong(found, memory, extra.path)
    if extra.is_detached and found.tracked:
        found = constant(found.array)
        belong(found, memory, extra.path)
    return found


def belong(x: Tensor, memory: Memory, path: Path) -> None:
    """Note what memory an entry shows, and at which version."""
    extra = extra_of(x)
    extra.memory, extra.path, extra.version = memory, path, memory.version
    extra.seen = extra.born = memory.writes
    if (owner := memory.owner) is not x:
        extra.base = owner


def memory_of(x: Tensor) -> Memory:
    """The memory that a tensor looks into, made where it has none yet."""
    extra = extra_of(x)
    if extra.memory is None:
        extra.memory = Memory(x)
        if extra.current is not None:
            extra.memory.entry = extra.current
            belong(extra.current, extra.memory, ())
    return extra.memory


def owner_of(x: Tensor) -> Tensor:
    """The tensor that the script holds, for an entry that a leaf moved on to."""
    return x if x.extra is None or x.extra.owner is None else x.extra.owner
