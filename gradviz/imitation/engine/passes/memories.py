"""Which gradients of a pass are views in PyTorch, and how often the memory of each was written to (`_version`).

PyTorch adds what comes to a node into what came before, where nobody else holds that, and some formulas write into what
they have made. Here sums are new arrays, so this is found out once somebody asks, from what the pass wrote down.

Source: torch/csrc/autograd/input_buffer.cpp, functions/accumulate_grad.h, FunctionsManual.cpp.
"""

from __future__ import annotations

import weakref
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from gradviz.imitation.engine.memory.refused_writes import is_dense, lies_as
from gradviz.imitation.engine.nodes import accumulator, head, is_again
from gradviz.imitation.engine.passes.steps import array_of
from gradviz.imitation.engine.passes.sweep_record import SweepRecord
from gradviz.imitation.engine.tensor import UNEVEN, Tape, Tensor

WRITTEN = {
    **dict.fromkeys(("cummax", "cummin", "sort", "mode", "topk", "kthvalue", "trace"), 2),
    **dict.fromkeys(("max_dim", "min_dim", "median_dim", "nanmedian_dim"), 2),
    **dict.fromkeys(("max", "min", "median", "nanmedian", "maximum", "minimum"), 1),
    "binary_cross_entropy_with_logits": 1,
    **dict.fromkeys(("index", "gather", "index_select", "take", "masked_select", "as_strided"), 1),
}
"""How often the formulas of these ops write into the gradient that they make; others never."""
WRITTEN_ALONE = {"binary_cross_entropy_with_logits": 2}
"""How often besides where no graph is made of the pass."""
COPYING = ("flip", "rot90")
"""Ops whose rule turns an array by its steps, where PyTorch copies it."""
SPREADING = ("expand", "where", "addcmul", "addcdiv", "lerp")
"""Ops besides those of two inputs that fit to each other what they are given."""
TURNING = ("view", "reshape", "flatten", "unflatten", "squeeze", "unsqueeze", "t", "transpose", "permute", "movedim")
"""Ops whose formula gives a view of what comes, of which numpy knows nothing where it is one number or none."""
VIEWING = ("as_strided", "trace")
"""Ops whose formula gives a view of what it has made."""
MAKING_VIEWS = frozenset(("sum", *SPREADING, *TURNING, *VIEWING))
"""Ops whose formulas can give views; others do where their arrays are views of numpy's."""


class _Memory:
    """A piece of memory: how often it was written to, how many gradients at work lie in it, whether others hold it."""

    __slots__ = ("holders", "is_outside", "version")

    def __init__(self, version: int = 0, *, is_outside: bool = False) -> None:
        self.version, self.holders, self.is_outside = version, 0, is_outside


class _Gradient:
    """A tensor of PyTorch's: its memory, who holds it, its numbers (None for a sum), whether it is a view."""

    __slots__ = ("array", "holders", "is_view", "memory")

    def __init__(self, memory: _Memory, array: Any = None, *, is_view: bool = False) -> None:
        self.memory, self.array, self.is_view, self.holders = memory, array, is_view, 0

    def hold(self, count: int) -> None:
        self.holders += count
        self.memory.holders += count

    def is_own(self) -> bool:
        """Whether PyTorch may write into it; what a view looks into, holds the memory too."""
        is_alone = self.holders == self.memory.holders == 1 and not self.memory.is_outside and not self.is_view
        return is_alone and (self.array is None or not self.array.size or is_dense(np.asarray(self.array)))


class _Replay:
    """A pass once more, for its memories alone.

    Attributes:
        told: of each gradient that came to a place, by `place_of`.
    """

    def __init__(self, record: SweepRecord, tape: Tape) -> None:
        self.record, self.tape = record, tape
        self.told: dict[Any, Told] = {}
        self._came: dict[Any, _Gradient] = {}
        self._wanted = {place_of(tape, i) for i in record.wanted}
        self._nodes = list(self._of_one_node_each())
        edges = (j for _, sources, _, sent in self._nodes
                 for j, out in zip(sources, sent, strict=True) if out is not None)  # fmt: skip
        self._waits = Counter(place_of(tape, j) for j in (*record.outputs, *edges) if tape.entries[j].op is None)
        for output, seed in zip(record.outputs, record.seeds, strict=True):
            self._arrive(output, _Gradient(_Memory(is_outside=True), seed))
        for position, sources, g, sent in self._nodes:
            self._visit(position, sources, array_of(g), [None if out is None else array_of(out) for out in sent])
        for place, last in self._came.items():  # of nodes that were asked for and did not run
            self.told.setdefault(place, Told(last.memory.version, last.is_view))

    def of(self, position: int) -> Told:
        """What is to be told of the gradient for an entry."""
        return self.told.get(place_of(self.tape, position), Told())

    def _of_one_node_each(self) -> Iterator[tuple[int, tuple[int, ...], Any, tuple[Any, ...]]]:
        """The steps of the record without those of other results of a node that has run: it sends for all at once."""
        before = -1
        for position, sources, g, sent in self.record.nodes:
            entry = self.tape.entries[position]
            first = head(entry).index
            if not (first == before and entry.op is not None and entry.op.output):
                yield position, sources, g, sent
            before = first

    def _visit(self, position: int, sources: tuple[int, ...], g: Any, sent: list[Any]) -> None:
        place = place_of(self.tape, position)
        came = self._came.pop(place, None)
        if came is None:
            came = _Gradient(_Memory(), g)
            came.hold(1)
        self.told[place] = Told(came.memory.version, came.is_view)
        if place in self._wanted:
            came.memory.is_outside = True
        made = self._made(position, g, came, sent)
        came.hold(-1)
        for j, out in zip(sources, made, strict=True):
            if out is not None:
                self._arrive(j, out)

    def _made(self, position: int, g: Any, came: _Gradient, sent: list[Any]) -> list[_Gradient | None]:
        """What a node sends, each held once."""
        entry = self.tape.entries[position]
        name = "" if entry.op is None else entry.op.name
        kept = {id(_whole(self.tape.entries[j].data)) for j in (position, *entry.inputs)}
        written = WRITTEN.get(name, 0) + (0 if self.record.create_graph else WRITTEN_ALONE.get(name, 0))
        memories = {} if name in COPYING else {id(_whole(g)): came.memory}
        same = {id(g): came}
        found: list[_Gradient | None] = []
        for j, out in zip(entry.inputs, sent, strict=True):
            if out is None:
                found.append(None)
                continue
            if id(out) not in same:
                whole = id(_whole(out))
                is_view = whole in memories or name in VIEWING or _is_spread(out, g, entry)
                if entry.params is UNEVEN or name in SPREADING:
                    is_view = is_view or self.tape.entries[j].ndim < entry.ndim
                memory = memories.setdefault(whole, _Memory(written, is_outside=whole in kept))
                same[id(out)] = _Gradient(memory, out, is_view=is_view)
            same[id(out)].hold(1)
            found.append(same[id(out)])
        return found

    def _arrive(self, position: int, new: _Gradient) -> None:
        place = place_of(self.tape, position)
        if not new.holders:
            new.hold(1)
        old = self._came.get(place)
        self._came[place] = new if old is None else self._sum(old, new)
        if place in self._waits:
            self._waits[place] -= 1
            if not self._waits[place]:
                self._finish(place, position, self._came.pop(place))

    def _sum(self, old: _Gradient, new: _Gradient) -> _Gradient:
        new.hold(-1)
        if old.is_own() and not self.record.create_graph:
            old.memory.version += 1
            return old
        old.hold(-1)
        total = _Gradient(_Memory())
        total.hold(1)
        return total

    def _finish(self, place: Any, position: int, g: _Gradient) -> None:
        """A leaf has all that comes to it: the first `.grad` is that very gradient where nobody else has it."""
        version = g.memory.version
        if not self.record.wanted:
            leaf = head(self.tape.entries[position])
            takes = g.holders == 1 and (not g.memory.is_outside or g.is_view)
            if not takes or not _fits(g.array, leaf.data):
                version = 1  # a copy, which is written
        self.told[place] = Told(version, g.is_view)
        g.hold(-1)
        g.memory.is_outside = True


def place_of(tape: Tape, position: int) -> Any:
    """What gradients that go to one place have in common: the node of an entry, or the AccumulateGrad of a leaf."""
    entry = tape.entries[position]
    if entry.op is None:
        return accumulator(entry)
    return head(entry).index if is_again(entry) else position


class Told(NamedTuple):
    """Of a gradient how often it was written to, and whether it is a view."""

    version: int = 0
    is_view: bool = False


class Views:
    """Which gradients of a pass are views: found out at once for all, when first asked."""

    def __init__(self, record: SweepRecord, tape: Tape) -> None:
        self._record, self._tape = record, tape

    def has(self, position: int) -> bool:
        """Whether the gradient for an entry is one."""
        return self._replay is not None and self._replay.of(position).is_view

    @cached_property
    def _replay(self) -> _Replay | None:
        return _Replay(self._record, self._tape) if _may_make_views(self._record, self._tape) else None


def _may_make_views(record: SweepRecord, tape: Tape) -> bool:
    """Whether a step of the pass makes a view; those at a run of single numbers make none, and are not spelled out."""
    order, _, _, outgoing = record.columns
    for position, sent in zip(order, outgoing, strict=True):
        entry = tape.entries[position]
        if entry.params is UNEVEN or (entry.op is not None and entry.op.name in MAKING_VIEWS):
            return True
        if any(out is not None and array_of(out).base is not None for out in sent):
            return True
    return False


def note_shown(shown: Sequence[Tensor | None], like: Sequence[Tensor], record: SweepRecord) -> None:
    """Note of gradients that hooks see which pass they are from, and what they are gradients of."""
    for g, x in zip(shown, like, strict=True):
        if g is not None and g.op is None and g.extra is None and x.index >= 0:
            g.more.late = writes(record, x.tape, x.index)


def writes(record: SweepRecord, tape: Tape, position: int) -> Callable[[], int]:
    """What says how often the gradient for an entry was written to; 0 once the pass is dropped."""
    return partial(_version_in, weakref.ref(record), tape, position)


def _version_in(kept: Callable[[], SweepRecord | None], tape: Tape, position: int) -> int:
    record = kept()
    return 0 if record is None else _Replay(record, tape).of(position).version


def _whole(x: Any) -> Any:
    """The array in whose memory another lies; numbers by themselves are in none but their own."""
    while isinstance(getattr(x, "base", None), np.ndarray):
        x = x.base
    return x


def _fits(g: Any, leaf: Any) -> bool:
    """Whether it lies as its leaf does; what runs backwards here, is a result of its own in PyTorch."""
    if g is None or min(np.asarray(g).strides, default=0) < 0:
        return True
    return lies_as(np.asarray(g), np.asarray(leaf))


def _is_spread(out: Any, g: Any, entry: Tensor) -> bool:
    """Whether it shows one number in many places, as what `sum` sends, or what may be one number in other dims."""
    if not isinstance(out, np.ndarray) or entry.op is None:
        return False
    if out.size < 2 and out is not g and entry.op.name in ("sum", *TURNING):
        return True
    return out.base is not None and any(not step and n > 1 for n, step in zip(out.shape, out.strides, strict=True))
