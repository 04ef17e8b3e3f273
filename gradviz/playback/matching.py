"""Which box of a new picture is which of the old one, after the script has changed. Knows no Qt, no layout.

A box is known by what it is (op, name, scope, the text of its line; a folded group by its key) and by what it
is wired to. First come boxes with the same ancestors and the same descendants, then with one of the two, so that all
above and all below an inserted line is found; then neighbours of what is found; last what is alike by itself.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import cached_property

import numpy as np

from gradviz.playback.groups.folded import FoldedTrack
from gradviz.playback.track import Ranks, Track

NOWHERE = -1
"""The old box of a box that is new."""

_NAME, _TEXT, _SHAPE = 4, 2, 1
"""How much it counts, beside each neighbour in common, that name, line or shape are the same."""
_ROUNDS = 3
_HUB = 64
"""What is used more often than this says little about any one of its uses."""


def matched(old: Track, new: Track, *, loosely: bool = False) -> Ranks:
    """Index in `old.forward` of each box of `new.forward`, or `NOWHERE`; shape (n,). No old box is taken twice.

    Args:
        loosely: match in the end what has the same op, name and scope, whatever the text of its line.
    """
    match = _Match(_Boxes(old), _Boxes(new))
    numbers: dict[Hashable, int] = {}
    before, after = match.old.kinds(numbers), match.new.kinds(numbers)
    for by in (_whole, _below, _above):
        match.alike(by(match.old, before, numbers), by(match.new, after, numbers))
    match.spread()
    match.in_order(before, after)
    match.spread()
    if loosely:
        before, after = (boxes.kinds(numbers, with_text=False) for boxes in (match.old, match.new))
        for by in (_below, _above):
            match.alike(by(match.old, before, numbers), by(match.new, after, numbers))
        match.in_order(before, after)
        match.spread()
    return np.array(match.of_new, dtype=np.int64)


class _Boxes:
    """The boxes of a picture, with what is known of each and what it is wired to."""

    def __init__(self, track: Track) -> None:
        self.track = track
        self.count = len(track.forward)
        source = track.recording.source
        self._lines = [] if source is None else source.text.splitlines()
        group = track.group_of if isinstance(track, FoldedTrack) else lambda _: None
        self._groups = [group(box) for box in track.forward]

    @cached_property
    def ops(self) -> list[Hashable]:
        """What each box does: an op, or to stand for the group of some key."""
        groups = self.track.groups.groups if isinstance(self.track, FoldedTrack) else ()
        nodes = self.track.recording.nodes
        pairs = zip(self.track.forward, self._groups, strict=True)
        return [nodes[box].op if number is None else groups[number].key for box, number in pairs]

    @cached_property
    def details(self) -> list[tuple[Hashable, Hashable, Hashable]]:
        """Name, text of the line, and shape of each box; of a group nothing but its key."""
        return [self._detail(box, number) for box, number in zip(self.track.forward, self._groups, strict=True)]

    def _detail(self, box: int, number: int | None) -> tuple[Hashable, Hashable, Hashable]:
        if number is not None:
            return None, None, None
        node = self.track.recording.nodes[box]
        # A number alone says nothing: lines move when others come and go.
        text = None if node.line is None or node.line > len(self._lines) else self._lines[node.line - 1].strip()
        return node.name, text, node.shape

    def kinds(self, numbers: dict[Hashable, int], *, with_text: bool = True) -> list[int]:
        """A number for each box; those of one op, name, line (`with_text`) and scope have the same."""
        nodes = self.track.recording.nodes
        pairs = zip(self.track.forward, self._groups, strict=True)
        scopes = [() if number is not None else nodes[box].scope for box, number in pairs]
        # Not the shape: other data through the same script is the same picture.
        named = [detail[: 2 if with_text else 1] for detail in self.details]
        return [_number(key, numbers) for key in zip(self.ops, named, scopes, strict=True)]

    @cached_property
    def order(self) -> list[int]:
        """The boxes, each after all that it is made from."""
        order: list[int] = np.argsort(self.track.forward_ranks, kind="stable").tolist()
        return order

    @cached_property
    def above(self) -> list[list[tuple[int, int]]]:
        """For each box (slot, box) of its inputs."""
        return self._wired()[0]

    @cached_property
    def below(self) -> list[list[tuple[int, int]]]:
        """For each box (slot there, box) of its uses."""
        return self._wired()[1]

    def _wired(self) -> tuple[list[list[tuple[int, int]]], list[list[tuple[int, int]]]]:
        above: list[list[tuple[int, int]]] = [[] for _ in range(self.count)]
        below: list[list[tuple[int, int]]] = [[] for _ in range(self.count)]
        sources, consumers = self.track.edge_sources.tolist(), self.track.edge_consumers.tolist()
        for source, consumer, (_, slot) in zip(sources, consumers, self.track.edges, strict=True):
            above[consumer].append((slot, source))
            below[source].append((slot, consumer))
        self.__dict__.update(above=above, below=below)
        return above, below


def _number(key: Hashable, numbers: dict[Hashable, int]) -> int:
    return numbers.setdefault(key, len(numbers))


def _traced(
    order: Iterable[int], links: Sequence[list[tuple[int, int]]], kinds: list[int], numbers: dict[Hashable, int]
) -> list[int]:
    """A number for each box; those with the same kind and the same past along the links have the same."""
    traced = [0] * len(kinds)
    for box in order:
        past = tuple(sorted((slot, traced[other]) for slot, other in links[box]))
        traced[box] = _number((kinds[box], past), numbers)
    return traced


def _above(boxes: _Boxes, kinds: list[int], numbers: dict[Hashable, int]) -> list[int]:
    return _traced(boxes.order, boxes.above, kinds, numbers)


def _below(boxes: _Boxes, kinds: list[int], numbers: dict[Hashable, int]) -> list[int]:
    return _traced(reversed(boxes.order), boxes.below, kinds, numbers)


def _whole(boxes: _Boxes, kinds: list[int], numbers: dict[Hashable, int]) -> list[int]:
    both = zip(_above(boxes, kinds, numbers), _below(boxes, kinds, numbers), strict=True)
    return [_number(("whole", *pair), numbers) for pair in both]


class _Match:
    """A matching while it is found."""

    def __init__(self, old: _Boxes, new: _Boxes) -> None:
        self.old, self.new = old, new
        self.of_new = [NOWHERE] * new.count
        self._of_old = [NOWHERE] * old.count

    def _take(self, old: int, new: int) -> None:
        self.of_new[new], self._of_old[old] = old, new

    def _free(self, keys: list[int], boxes: _Boxes, taken: list[int]) -> dict[int, list[int]]:
        found: dict[int, list[int]] = defaultdict(list)
        for box in boxes.order:
            if taken[box] == NOWHERE:
                found[keys[box]].append(box)
        return found

    def alike(self, before: list[int], after: list[int]) -> None:
        """Match boxes with the same number, where there are as many of them in both pictures."""
        free = self._free(before, self.old, self._of_old)
        for key, boxes in self._free(after, self.new, self.of_new).items():
            if len(free.get(key, ())) == len(boxes):
                self._take_all(free[key], boxes)

    def in_order(self, before: list[int], after: list[int]) -> None:
        """Match boxes with the same number in their order, however many there are."""
        free = self._free(before, self.old, self._of_old)
        for key, boxes in self._free(after, self.new, self.of_new).items():
            self._take_all(free.get(key, []), boxes)

    def _take_all(self, old: list[int], new: list[int]) -> None:
        for pair in zip(old, new, strict=False):
            self._take(*pair)

    def spread(self) -> None:
        """Match what stands at the same slots of boxes that are matched already, downwards and upwards in turn."""
        for turn in range(2 * _ROUNDS):
            free = [box for box in self.new.order if self.of_new[box] == NOWHERE]
            before = len(free)
            for box in reversed(free) if turn % 2 else free:
                found = self._nearest(box)
                if found != NOWHERE:
                    self._take(found, box)
            if turn % 2 and before == sum(match == NOWHERE for match in self.of_new):
                return

    def _nearest(self, box: int) -> int:
        """The old box of the same op with the most neighbours in common, then with the most of the rest."""
        votes: dict[int, int] = defaultdict(int)
        for other in self._candidates(box):
            votes[other] += _NAME + 1
        if not votes:
            return NOWHERE
        mine = self.new.details[box]
        for other in votes:
            same = [a == b for a, b in zip(mine, self.old.details[other], strict=True)]
            votes[other] += _NAME * same[0] + _TEXT * same[1] + _SHAPE * same[2]
        return max(votes, key=lambda other: (votes[other], -other))

    def _candidates(self, box: int) -> Iterator[int]:
        sides = ((self.new.above[box], self.old.below), (self.new.below[box], self.old.above))
        for links, back in sides:
            for slot, neighbour in links:
                was = self.of_new[neighbour]
                if was == NOWHERE or len(back[was]) > _HUB:
                    continue
                for old_slot, other in back[was]:
                    if old_slot == slot and self._of_old[other] == NOWHERE and self.old.ops[other] == self.new.ops[box]:
                        yield other
