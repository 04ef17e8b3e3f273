"""What differs between two recordings of one graph: a run and a what-if, two seeds, two runs, two ranks.

Boxes are paired first: those of one recording with themselves, those of another by what they are and what they are
wired to. Where the graphs differ, what can be paired is compared, and the rest is counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from gradviz.playback.matching import NOWHERE, matched
from gradviz.playback.track import Track
from gradviz.recording import Array, Known, Summary

ROUNDING = {"float64": 1e-12, "float32": 2e-6, "float16": 2e-3, "bfloat16": 2e-2}
"""By dtype, of the largest number: what two engines may differ by without any difference worth a mark."""


class Pair(NamedTuple):
    """What is at one place in both recordings, where it differs; None where there is nothing."""

    was: Known
    now: Known


class Difference:
    """One track against another.

    Args:
        old: what is compared with.
        new: what is drawn.
    """

    def __init__(self, old: Track, new: Track) -> None:
        self.old, self.new = old, new
        self._is_same_graph = old.recording.nodes is new.recording.nodes
        both = (old.recording.engine, new.recording.engine)
        self._is_exact = self._is_same_graph and both == (None, None)

    @cached_property
    def node_of(self) -> Mapping[int, int]:
        """The node of `old` for each node of `new` that has one."""
        if self._is_same_graph:
            return {node: node for node in self.new.forward}
        pairs = enumerate(matched(self.old, self.new).tolist())
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
            pair = Pair(self.old.recording.value(before), self.new.recording.value(node))
            if self._differs(pair, node):
                found[node] = pair
        return found

    @cached_property
    def gradients(self) -> Mapping[int, Pair]:
        """What comes in, where it differs, by the node of `new`; a gradient on one side alone differs too."""
        found = {}
        for node, before in self.node_of.items():
            pair = Pair(_incoming(self.old, before), _incoming(self.new, node))
            if self._differs(pair, node):
                found[node] = pair
        return found

    @cached_property
    def grads(self) -> Mapping[int, Pair]:
        """`.grad` after the call, where it differs, by the node of `new`."""
        found = {}
        for node, before in self.node_of.items():
            pair = Pair(_grad(self.old, before), _grad(self.new, node))
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
                pair = Pair(_outgoing(self.old, before, slot), _outgoing(self.new, node, slot))
                if self._differs(pair, node):
                    found[node, slot] = pair
        return found

    @cached_property
    def nodes(self) -> frozenset[int]:
        """All nodes of `new` at which anything differs."""
        return frozenset((*self.values, *self.gradients, *self.grads))

    def _differs(self, pair: Pair, node: int) -> bool:
        tolerance = 0.0 if self._is_exact else ROUNDING.get(self.new.recording.nodes[node].dtype, 0.0)
        return differs(*pair, tolerance)


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
