"""The groups of a picture: which nodes a function, a module or a round of a loop made, as a tree.

A group is one stretch of the evaluation order in which all ops share the first texts of their scopes. Since
stretches do not overlap, folding any of them to one box leaves a graph without cycles. Knows no Qt, no layout.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gradviz.playback.track import Ranks, Track
from gradviz.playback.words import visible

Key = tuple[str, ...]
"""What a group is called from run to run: its scope, with a number where the same scope comes back."""

OUTSIDE = -1
"""The group of what is in no group, and the parent of the outermost groups."""

RUN = "…"
"""The last text in the key of a group of alike neighbours."""

INSIDE = " › "
"""Between the titles of two groups that hold the same nodes."""

LEAST_OPS, LEAST_MEMBERS = 2, 3
"""A group has so many ops or so many nodes: a frame around less says nothing. A module of PyTorch is one op with a
parameter already."""


@dataclass(frozen=True)
class Group:
    """One group.

    Attributes:
        key: its identity; what is folded is remembered by it.
        title: what it is called.
        parent: number of the group around it, or `OUTSIDE`.
        count: how many alike groups it holds and nothing else (see `alike`), one level down or two; else 1.
    """

    key: Key
    title: str
    parent: int
    count: int = 1

    @property
    def is_run(self) -> bool:
        """Whether it was made of alike neighbours only, and is no scope of its own."""
        return self.key[-1] == RUN


def from_to(first: str, last: str) -> str:
    """ "t = 0 … t = 11 › cell": what two titles have in common at their ends is said once."""
    one, other = first.split(INSIDE), last.split(INSIDE)
    end = []
    while min(len(one), len(other)) > 1 and one[-1] == other[-1]:
        end.append(one.pop())
        other.pop()
    return INSIDE.join((f"{INSIDE.join(one)} … {INSIDE.join(other)}", *reversed(end)))


@dataclass(frozen=True, eq=False)
class Groups:
    """The tree of groups of a track; parents have smaller numbers than their children.

    Attributes:
        groups: all groups by number.
        home: number of the innermost group of each node of `track.forward`, or `OUTSIDE`; shape (n,).
    """

    groups: tuple[Group, ...]
    home: Ranks

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """The groups directly inside each group."""
        inside: list[list[int]] = [[] for _ in self.groups]
        for number, group in enumerate(self.groups):
            if group.parent != OUTSIDE:
                inside[group.parent].append(number)
        return tuple(tuple(numbers) for numbers in inside)

    @cached_property
    def roots(self) -> tuple[int, ...]:
        """The groups in no group."""
        return tuple(number for number, group in enumerate(self.groups) if group.parent == OUTSIDE)

    @cached_property
    def number_of(self) -> dict[Key, int]:
        """The number of each group by its key."""
        return {group.key: number for number, group in enumerate(self.groups)}

    @cached_property
    def depth(self) -> tuple[int, ...]:
        """How many groups are around each group."""
        depths: list[int] = []
        for group in self.groups:
            depths.append(0 if group.parent == OUTSIDE else depths[group.parent] + 1)
        return tuple(depths)

    @cached_property
    def own(self) -> tuple[tuple[int, ...], ...]:
        """Indices of the nodes directly in each group, ascending."""
        return tuple(map(tuple, _gathered(self.home.tolist(), len(self.groups))))

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """How many nodes are in each group, those of the groups inside it counted in."""
        sizes = [len(own) for own in self.own]
        for number in range(len(self.groups) - 1, -1, -1):
            parent = self.groups[number].parent
            if parent != OUTSIDE:
                sizes[parent] += sizes[number]
        return tuple(sizes)

    def members(self, number: int) -> list[int]:
        """Indices of all nodes in a group, ascending."""
        found = [index for inner in self.within(number) for index in self.own[inner]]
        return sorted(found)

    def within(self, number: int) -> Iterator[int]:
        """A group and all groups inside it, outer ones first."""
        pending = [number]
        while pending:
            inner = pending.pop()
            yield inner
            pending.extend(reversed(self.children[inner]))

    def around(self, number: int) -> Iterator[int]:
        """A group and all groups around it, inner ones first; nothing for `OUTSIDE`."""
        while number != OUTSIDE:
            yield number
            number = self.groups[number].parent


def _gathered(homes: Iterable[int], count: int) -> list[list[int]]:
    own: list[list[int]] = [[] for _ in range(count)]
    for index, home in enumerate(homes):
        if home != OUTSIDE:
            own[home].append(index)
    return own


NONE = Groups((), np.zeros(0, dtype=np.int64))


def groups_of(track: Track) -> Groups:
    """The groups of what a track draws; alike neighbours are not put together yet (see `alike`)."""
    scopes = [track.recording.nodes[node].scope for node in track.forward]
    if not any(scopes):
        return Groups((), np.full(len(track.forward), OUTSIDE, dtype=np.int64))
    draft = _Draft()
    is_op = [not track.recording.nodes[node].is_leaf for node in track.forward]
    homes = [draft.enter(scope) if op else OUTSIDE for scope, op in zip(scopes, is_op, strict=True)]
    _place_leaves(track, draft, scopes, is_op, homes)
    nodes = [track.recording.nodes[node] for node in track.forward]
    modules = {home for node, home in zip(nodes, homes, strict=True) if node.origin is not None and node.origin.module}
    return _pruned(draft, homes, is_op, modules)


class _Draft:
    """Groups while they are found, in evaluation order."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.keys: list[Key] = []
        self.parents: list[int] = []
        self._open: list[int] = []
        self._seen: dict[Key, int] = {}

    def enter(self, scope: Sequence[str]) -> int:
        """The innermost group of an op with that scope; the groups that it has left are closed for good."""
        shared = 0
        while shared < min(len(scope), len(self._open)) and self.texts[self._open[shared]] == scope[shared]:
            shared += 1
        del self._open[shared:]
        for text in scope[shared:]:
            self._begin(text)
        return self._open[-1] if self._open else OUTSIDE

    def _begin(self, text: str) -> None:
        parent = self._open[-1] if self._open else OUTSIDE
        plain = (*(self.keys[parent] if parent != OUTSIDE else ()), text)
        self._seen[plain] = again = self._seen.get(plain, 0) + 1
        # A generator, or a file without numbers, can come back to a scope: that is another stretch.
        self.keys.append(plain if again == 1 else (*plain[:-1], f"{text} ({again})"))
        self.texts.append(text)
        self.parents.append(parent)
        self._open.append(len(self.texts) - 1)

    def chain(self, group: int) -> list[int]:
        """The groups around a group and itself, outermost first."""
        found = []
        while group != OUTSIDE:
            found.append(group)
            group = self.parents[group]
        return found[::-1]


def _place_leaves(
    track: Track, draft: _Draft, scopes: Sequence[Sequence[str]], is_op: Sequence[bool], homes: list[int]
) -> None:
    """A leaf stays where it was made when that is around all its uses, else it goes to where it is used.

    So the parameters of a module are in its group, wherever they were made, and what a function was given is not.
    """
    chains: dict[int, list[int]] = {}
    for group in set(homes):
        chains[group] = draft.chain(group)
    shared: dict[int, list[int]] = {}
    for source, consumer in zip(track.edge_sources.tolist(), track.edge_consumers.tolist(), strict=True):
        if not is_op[source]:
            chain = chains[homes[consumer]]
            shared[source] = chain if source not in shared else common(shared[source], chain)
    for leaf, chain in shared.items():
        scope = scopes[leaf]
        is_around = list(scope) == [draft.texts[group] for group in chain[: len(scope)]]
        kept = chain[: len(scope)] if is_around else chain
        homes[leaf] = kept[-1] if kept else OUTSIDE


def common(one: list[int], other: list[int]) -> list[int]:
    """What two chains of groups begin with."""
    length = 0
    while length < min(len(one), len(other)) and one[length] == other[length]:
        length += 1
    return one[:length]


def _pruned(draft: _Draft, homes: list[int], is_op: list[bool], modules: set[int]) -> Groups:
    """Without the groups that would say nothing: of hardly a node, of everything, or with one group in it only."""
    count = len(draft.texts)
    sizes, ops = [0] * count, [0] * count
    for home, op in zip(homes, is_op, strict=True):
        if home != OUTSIDE:
            sizes[home] += 1
            ops[home] += op
    for group in range(count - 1, -1, -1):
        if draft.parents[group] != OUTSIDE:
            sizes[draft.parents[group]] += sizes[group]
            ops[draft.parents[group]] += ops[group]
    least = [LEAST_OPS if g in modules else LEAST_MEMBERS for g in range(count)]
    is_large = [ops[g] >= LEAST_OPS or sizes[g] >= least[g] for g in range(count)]
    is_kept = [large and size < len(homes) for large, size in zip(is_large, sizes, strict=True)]
    return _renumbered(draft, homes, is_kept, sizes)


def _renumbered(draft: _Draft, homes: list[int], is_kept: list[bool], sizes: list[int]) -> Groups:
    kept: list[Group] = []
    to: list[int] = []
    filled: list[int] = []
    for number, (key, parent) in enumerate(zip(draft.keys, draft.parents, strict=True)):
        outer = OUTSIDE if parent == OUTSIDE else to[parent]
        if not is_kept[number]:
            to.append(outer)
            continue
        title = _title(draft, number)
        if outer != OUTSIDE and filled[outer] == sizes[number]:
            # The same nodes in both: one frame with both names.
            kept[outer] = Group(kept[outer].key, f"{kept[outer].title}{INSIDE}{title}", kept[outer].parent)
            to.append(outer)
            continue
        to.append(len(kept))
        kept.append(Group(key, title, outer))
        filled.append(sizes[number])
    home = np.array([OUTSIDE if h == OUTSIDE else to[h] for h in homes], dtype=np.int64)
    return Groups(tuple(kept), home)


def _title(draft: _Draft, number: int) -> str:
    """The last text of the key; a path from a place in a container says of which; a call of an object is its class."""
    text, parent = visible(draft.keys[number][-1].replace(".__call__", "")), draft.parents[number]
    if not text[:1].isdigit():
        return text
    while parent != OUTSIDE and draft.texts[parent][:1].isdigit():  # the path has these places already
        parent = draft.parents[parent]
    return text if parent == OUTSIDE else f"{visible(draft.texts[parent])}.{text}"
