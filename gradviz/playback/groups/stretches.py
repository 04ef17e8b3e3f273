"""Where too much stands side by side, it is cut into stretches of the evaluation order: groups that nobody wrote.

A loop of a thousand rounds, or a script of a thousand lines, would open as a picture that shows nothing. A stretch
says what it goes from and to: rounds, lines, or the ops by their number. Knows no Qt.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from math import isqrt
from typing import NamedTuple

import numpy as np

from gradviz.collection import no_collection
from gradviz.playback.groups.alike import with_alike
from gradviz.playback.groups.groups import OUTSIDE, RUN, Group, Groups, Key, common, from_to, groups_of
from gradviz.playback.track import Track
from gradviz.recording import Node

MOST_BESIDE = 150
"""Ops and groups that may stand side by side in one group."""
MOST_STRETCHES = 36
"""Stretches that a group is cut into at most; long ones are cut again."""

STRETCH = "⋯"
"""How the last text in the key of a stretch begins."""


class _Item(NamedTuple):
    """An op, or a group: by its first op (an index in `track.forward`) and its number, `OUTSIDE` for an op."""

    start: int
    group: int


def all_groups_of(track: Track) -> Groups:
    """The groups of a track as they are shown: alike neighbours put together, and stretches where needed."""
    with no_collection():
        return with_stretches(with_alike(groups_of(track), track), track)


def with_stretches(groups: Groups, track: Track) -> Groups:
    """The groups, with stretches wherever more than `MOST_BESIDE` ops and groups stand side by side."""
    if len(track.forward) <= MOST_BESIDE:
        return groups
    items = _items(groups, track)
    if max(map(len, items.values()), default=0) <= MOST_BESIDE:
        return groups
    cut = _Cut(groups, track)
    for parent, beside in items.items():
        cut.split(parent, beside)
    return cut.groups()


def _is_op(track: Track) -> list[bool]:
    return [not track.recording.nodes[node].is_leaf for node in track.forward]


def _items(groups: Groups, track: Track) -> dict[int, list[_Item]]:
    """What stands side by side in each group and outside all of them, in evaluation order."""
    is_op, home = _is_op(track), groups.home.tolist()
    found: dict[int, list[_Item]] = defaultdict(list)
    for index, group in enumerate(home):
        if is_op[index]:
            found[group].append(_Item(index, OUTSIDE))
    for number, start in enumerate(_starts(groups, is_op)):
        found[groups.groups[number].parent].append(_Item(start, number))
    return {parent: sorted(beside) for parent, beside in found.items()}


def _starts(groups: Groups, is_op: Sequence[bool]) -> list[int]:
    """The first op in each group."""
    starts = [len(is_op)] * len(groups.groups)
    for index, group in enumerate(groups.home.tolist()):
        if is_op[index] and group != OUTSIDE:
            starts[group] = min(starts[group], index)
    for number in range(len(starts) - 1, -1, -1):
        parent = groups.groups[number].parent
        if parent != OUTSIDE:
            starts[parent] = min(starts[parent], starts[number])
    return starts


class _Cut:
    """Groups while they are cut; new ones stand at the end until they are numbered again."""

    def __init__(self, groups: Groups, track: Track) -> None:
        self._track, self._is_op = track, _is_op(track)
        self._made = list(groups.groups)
        self._home = groups.home.tolist()
        self._starts = _starts(groups, self._is_op)
        self._was_cut: set[int] = set()
        # The how manieth op each node is.
        self._places = np.cumsum(self._is_op).tolist()

    def split(self, parent: int, items: Sequence[_Item]) -> None:
        """Cut what stands side by side in a group, and what is in the stretches again."""
        pending = [(parent, items)]
        while pending:
            around, beside = pending.pop()
            if len(beside) <= MOST_BESIDE:
                continue
            self._was_cut.add(around)
            count = min(MOST_STRETCHES, isqrt(len(beside)))
            bounds = np.linspace(0, len(beside), count + 1).astype(np.int64).tolist()
            for number, (first, last) in enumerate(pairwise(bounds)):
                pending.append((self._begin(around, number, beside[first:last]), beside[first:last]))

    def _begin(self, parent: int, number: int, items: Sequence[_Item]) -> int:
        key: Key = () if parent == OUTSIDE else self._made[parent].key
        made = len(self._made)
        self._made.append(Group((*key, f"{STRETCH}{number}"), self._title(key, items), parent))
        self._starts.append(items[0].start)
        for start, group in items:
            if group == OUTSIDE:
                self._home[start] = made
            else:
                self._made[group] = replace(self._made[group], parent=made)
        return made

    def _title(self, key: Key, items: Sequence[_Item]) -> str:
        depth = sum(not text.startswith((RUN, STRETCH)) for text in key)
        first, last = self._text(items[0], depth), self._text(items[-1], depth)
        if first and last and first != last:
            return from_to(first, last)
        lines = [self._node(item).line or 0 for item in items]
        if lines[0] and all(one < other for one, other in pairwise(lines)):
            return f"lines {lines[0]}–{lines[-1]}"
        return f"ops {self._places[items[0].start]:,}–{self._places[items[-1].start]:,}"

    def _node(self, item: _Item) -> Node:
        return self._track.recording.nodes[self._track.forward[item.start]]

    def _text(self, item: _Item, depth: int) -> str:
        """What an item is called: a group by its title, an op by the round or function that it alone is in."""
        if item.group != OUTSIDE:
            return self._made[item.group].title
        scope = self._node(item).scope
        return scope[depth] if len(scope) > depth else ""

    def groups(self) -> Groups:
        """All groups, numbered again so that parents come before their children."""
        chains = [self._chain(number) for number in range(len(self._made))]
        self._move_leaves(chains)
        depths = [len(chain) for chain in chains]
        order = sorted(range(len(self._made)), key=lambda number: (self._starts[number], depths[number]))
        to = {number: place for place, number in enumerate(order)}
        to[OUTSIDE] = OUTSIDE
        made = [replace(self._made[number], parent=to[self._made[number].parent]) for number in order]
        return Groups(tuple(made), np.array([to[home] for home in self._home], dtype=np.int64))

    def _chain(self, group: int) -> list[int]:
        """The groups around a group and itself, outermost first."""
        found = []
        while group != OUTSIDE:
            found.append(group)
            group = self._made[group].parent
        return found[::-1]

    def _move_leaves(self, chains: list[list[int]]) -> None:
        """A leaf of a group that was cut goes into the stretch that alone uses it."""
        shared: dict[int, list[int]] = {}
        ends = zip(self._track.edge_sources.tolist(), self._track.edge_consumers.tolist(), strict=True)
        for source, consumer in ends:
            if self._is_op[source] or self._home[source] not in self._was_cut:
                continue
            home = self._home[consumer]
            chain = [] if home == OUTSIDE else chains[home]
            shared[source] = common(shared.get(source, chain), chain)
        for leaf, chain in shared.items():
            around = self._home[leaf]
            if chain and (around == OUTSIDE or around in chain):
                self._home[leaf] = chain[-1]
