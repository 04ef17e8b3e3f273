"""What differs between two recordings of one graph: a run and a what-if, two seeds, two runs, two ranks.

Boxes are paired first: those of one recording with themselves, those of another by what they are and what they are
wired to. Where the graphs differ, what can be paired is compared, and the rest is counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from gradviz.playback.matching import NOWHERE, matched
from gradviz.playback.track import Track
from gradviz.playback.words import label, number_text, place_text, short_value
from gradviz.recording import Array, Known, Recording, Summary

ROUNDING = {"float64": 1e-12, "float32": 2e-6, "float16": 2e-3, "bfloat16": 2e-2}
"""By dtype, of the largest number: what two engines may differ by without any difference worth a mark."""


class Beside(NamedTuple):
    """One of several recordings, or backward calls, that are shown on one layout.

    Attributes:
        name: "Rank 1", "This run", "other.json", "y.backward(v)".
        recording: what is drawn.
        sweep: the backward call, where it is of that one alone; None for the one that is chosen.
    """

    name: str
    recording: Recording
    sweep: int | None = None

    def track(self, chosen: int | None) -> Track:
        """What is drawn of it, while backward call `chosen` is looked at; its last where it has fewer."""
        count = len(self.recording.sweeps)
        sweep = chosen if self.sweep is None else self.sweep
        return Track(self.recording, None if sweep is None or not count else min(sweep, count - 1))


def place_of(beside: Sequence[Beside], recording: Recording, sweep: int | None) -> int | None:
    """Which of several a recording with a chosen backward call is, or None."""
    places = [at for at, each in enumerate(beside) if each.recording is recording and each.sweep in (None, sweep)]
    return places[0] if places else None


class Pair(NamedTuple):
    """What is at one place in both recordings, where it differs; None where there is nothing.

    `word` says what to call the other: "was", or "there".
    """

    was: Known
    now: Known
    word: str = "was"


class Difference:
    """One track against another.

    Args:
        old: what is compared with.
        new: what is drawn.
        word: before what `old` has: "was" of a run, "there" of another recording.
    """

    def __init__(self, old: Track, new: Track, word: str = "was") -> None:
        self.old, self.new, self.word = old, new, word
        self._is_same_graph = old.recording.nodes is new.recording.nodes
        both = (old.recording.engine, new.recording.engine)
        self._is_exact = self._is_same_graph and both == (None, None)

    @cached_property
    def node_of(self) -> Mapping[int, int]:
        """The node of `old` for each node of `new` that has one."""
        if self._is_same_graph:
            return {node: node for node in self.new.forward}
        pairs = enumerate(matched(self.old, self.new, loosely=True).tolist())
        return {self.new.forward[at]: self.old.forward[was] for at, was in pairs if was != NOWHERE}

    @cached_property
    def unpaired(self) -> tuple[int, int]:
        """How many nodes only `old` has, and how many only `new`."""
        return len(self.old.forward) - len(self.node_of), len(self.new.forward) - len(self.node_of)

    @cached_property
    def values(self) -> Mapping[int, Pair]:
        """The values that differ, by the node of `new`."""
        found = {}
        for node, before in self.node_of.items():
            pair = self._pair(self.old.recording.value(before), self.new.recording.value(node))
            if self._differs(pair, node):
                found[node] = pair
        return found

    @cached_property
    def gradients(self) -> Mapping[int, Pair]:
        """What comes in, where it differs, by the node of `new`; a gradient on one side alone differs too."""
        found = {}
        for node, before in self.node_of.items():
            pair = self._pair(_incoming(self.old, before), _incoming(self.new, node))
            if self._differs(pair, node):
                found[node] = pair
        return found

    @cached_property
    def grads(self) -> Mapping[int, Pair]:
        """`.grad` after the call, where it differs, by the node of `new`."""
        found = {}
        for node, before in self.node_of.items():
            pair = self._pair(_grad(self.old, before), _grad(self.new, node))
            if self._differs(pair, node):
                found[node] = pair
        return found

    @cached_property
    def edges(self) -> Mapping[tuple[int, int], Pair]:
        """What goes out, where it differs, by (consumer, slot) of `new`."""
        found = {}
        for node, before in self.node_of.items():
            slots = len(self.new.recording.nodes[node].inputs)
            if slots != len(self.old.recording.nodes[before].inputs):
                continue
            for slot in range(slots):
                pair = self._pair(_outgoing(self.old, before, slot), _outgoing(self.new, node, slot))
                if self._differs(pair, node):
                    found[node, slot] = pair
        return found

    @cached_property
    def nodes(self) -> frozenset[int]:
        """All nodes of `new` at which anything differs."""
        return frozenset((*self.values, *self.gradients, *self.grads))

    def find_all(self) -> Difference:
        """Compare all now, which takes a while in a large graph; returns itself."""
        _ = self.values, self.gradients, self.grads, self.edges
        return self

    @property
    def first(self) -> int | None:
        """The node of `new` at which something differs first: a value, else a gradient on its way back; or None."""
        if self.values:
            return min(self.values)
        call = self.new.call
        order = {} if call is None else call.step_of
        return min(self.gradients, key=lambda node: order.get(node, len(order)), default=min(self.grads, default=None))

    def sentence(self, other: str) -> str:
        """How much differs, and where first.

        Args:
            other: what it is compared with.
        """
        only_there, only_here = self.unpaired
        paired = len(self.node_of)
        if not paired:
            return f"No node of {other} could be paired with one of these: there is nothing to compare."
        flows = sum(
            _incoming(self.new, node) is not None or _incoming(self.old, before) is not None
            for node, before in self.node_of.items()
        )
        told = [
            f"{len(found):,} of {count:,} {what}"
            for found, count, what in ((self.values, paired, "values"), (self.gradients, flows, "gradients"))
            if found
        ]
        verb = "differ" if len(self.values) + len(self.gradients) > 1 else "differs"
        said = f"{' and '.join(told)} {verb} from {other}" if told else f"All numbers are those of {other}"
        first = self.first
        if told and first is not None:
            said += f", first at {label(self.new.recording, first)}{self._at_first(first)}"
        lone = [f"{count:,} {where}" for count, where in ((only_here, "here"), (only_there, "there")) if count]
        return f"{said}. Without a counterpart: {' and '.join(lone)} of the nodes." if lone else f"{said}."

    def _at_first(self, node: int) -> str:
        pair = self.values.get(node) or self.gradients.get(node)
        if pair is None:
            return ""
        return f" ({short_value(pair.now, 16) or 'none'} here, {short_value(pair.was, 16) or 'none'} there)"

    def _pair(self, was: Known, now: Known) -> Pair:
        return Pair(was, now, self.word)

    def _differs(self, pair: Pair, node: int) -> bool:
        tolerance = 0.0 if self._is_exact else ROUNDING.get(self.new.recording.nodes[node].dtype, 0.0)
        return differs(pair.was, pair.now, tolerance)


def differs(one: Known, other: Known, tolerance: float = 0.0) -> bool:
    """Whether two values or gradients are not the same, NaN to NaN.

    Args:
        tolerance: of the largest number, which is no difference.
    """
    if one is other:
        return False
    if one is None or other is None:
        return True
    if isinstance(one, Summary) or isinstance(other, Summary):
        return _norm(one) != _norm(other) if isinstance(one, Summary) and isinstance(other, Summary) else False
    a, b = np.asarray(one), np.asarray(other)
    if a.shape != b.shape:
        return True
    can_be_nan = a.dtype.kind in "fc" and b.dtype.kind in "fc"
    if np.array_equal(a, b, equal_nan=can_be_nan):
        return False
    if not tolerance or not can_be_nan:
        return True
    finite = np.isfinite(a) & np.isfinite(b)
    if not np.array_equal(a[~finite], b[~finite], equal_nan=True):
        return True
    if not finite.any():
        return False
    a, b = a[finite].astype(np.float64), b[finite].astype(np.float64)
    return bool(np.max(np.abs(a - b)) > tolerance * max(float(np.max(np.abs(a))), float(np.max(np.abs(b)))))


def changed_elements(was: Known, now: Known) -> np.ndarray[Any, np.dtype[np.bool_]] | None:
    """Which numbers of an array differ, flat; None where they cannot be compared one by one."""
    if was is None or now is None or isinstance(was, Summary) or isinstance(now, Summary) or was.shape != now.shape:
        return None
    a, b = np.ravel(was), np.ravel(now)
    same = a == b
    if a.dtype.kind in "fc" and b.dtype.kind in "fc":
        same |= np.isnan(a) & np.isnan(b)
    return ~np.asarray(same)


def pair_text(pair: Pair, limit: int) -> str:
    """What is in the other, in about `limit` characters: "was [1, 2]"; of a large array the first that differs."""
    was = short_value(pair.was, limit) or "none"
    changed = changed_elements(pair.was, pair.now) if "…" in was else None
    if changed is None or not changed.any() or pair.was is None or isinstance(pair.was, Summary):
        return f"{pair.word} {was}"
    at, more = int(np.argmax(changed)), int(changed.sum()) - 1
    number = number_text(np.ravel(pair.was)[at])
    return f"{place_text(np.shape(pair.was), at)} {pair.word} {number}{f', {more:,} more' if more else ''}"


def _norm(summary: Summary) -> tuple[object, ...]:
    return summary.norm, summary.min, summary.max


def _incoming(track: Track, node: int) -> Known:
    call = track.call
    order = None if call is None else call.step_of.get(node)
    return None if call is None or order is None else call.incoming(call.steps[order])


def _outgoing(track: Track, node: int, slot: int) -> Known:
    call = track.call
    order = None if call is None else call.step_of.get(node)
    return None if call is None or order is None else call.outgoing(call.steps[order], slot)


def _grad(track: Track, node: int) -> Array | Known:
    call = track.call
    entry = None if call is None else call.accumulation_of.get(node)
    return None if call is None or entry is None else call.after(entry)
