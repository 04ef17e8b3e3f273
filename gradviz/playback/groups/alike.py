"""Neighbouring groups of the same structure put together: the twelve layers of a transformer as one group of twelve.

The same structure means the same ops with the same shapes, wired in the same way, inside as well as to what comes
in. Numbers may differ, so it is only said where the eye can check it: the group says how many it stands for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from gradviz.playback.groups.groups import OUTSIDE, RUN, Group, Groups, from_to
from gradviz.playback.track import Track

LEAST_ALIKE = 3
"""Two of a kind are seen at a glance."""
MOST_ALIKE = 16
"""Of a longer run the first and the last stand by themselves, and the rest are one stack."""
FIRST, LAST = 2, 1
"""So many of them. They show how one follows the other, what goes into the run and what comes out."""


def with_alike(groups: Groups, track: Track) -> Groups:
    """The groups with every run of at least `LEAST_ALIKE` alike neighbours inside a group of its own.

    Where the group around them holds nothing else, that is the group: it is only counted. In a long run, all but the
    first and the last are put together once more.
    """
    runs = list(_runs(groups, track, _structures(groups, track)))
    counts = {groups.groups[run[0]].parent: len(run) for run in runs if _fills(groups, run)}
    # What each group is put together with, the outer run first.
    together: dict[int, list[list[int]]] = {}
    for run in runs:
        around = [] if groups.groups[run[0]].parent in counts else [run]
        middle = run[FIRST : len(run) - LAST] if len(run) > MOST_ALIKE else []
        inner = [*around, middle]
        together |= dict.fromkeys(run, around) | dict.fromkeys(middle, inner)
    made: list[Group] = []
    to: list[int] = []
    # By the first group of what is put together, the group that it is in.
    families: dict[int, int] = {}
    for number, group in enumerate(groups.groups):
        outer = OUTSIDE if group.parent == OUTSIDE else to[group.parent]
        for alike in together.get(number, ()):
            if alike[0] not in families:
                families[alike[0]] = len(made)
                made.append(_family([groups.groups[one] for one in alike], outer))
            outer = families[alike[0]]
        to.append(len(made))
        made.append(Group(group.key, group.title, outer, counts.get(number, 1)))
    table = np.array([*to, OUTSIDE], dtype=np.int64)
    return Groups(tuple(made), table[groups.home])


def _fills(groups: Groups, run: list[int]) -> bool:
    """Whether a run is all that its parent holds."""
    parent = groups.groups[run[0]].parent
    return parent != OUTSIDE and groups.sizes[parent] == sum(groups.sizes[number] for number in run)


def _family(alike: list[Group], parent: int) -> Group:
    first, last = alike[0], alike[-1]
    # Named by its first: it stays the same group when a layer is added.
    return Group((*first.key, RUN), from_to(first.title, last.title), parent, len(alike))


def _structures(groups: Groups, track: Track) -> list[int]:
    """A number for each group; those of the same structure have the same."""
    known: dict[tuple[object, ...], int] = {}
    sources: list[list[int]] = [[] for _ in track.forward]
    for source, consumer in zip(track.edge_sources.tolist(), track.edge_consumers.tolist(), strict=True):
        sources[consumer].append(source)
    numbers = []
    for number in range(len(groups.groups)):
        members = groups.members(number)
        structure = _structure(members, sources, track)
        numbers.append(known.setdefault(structure, len(known)))
    return numbers


def _structure(members: list[int], sources: list[list[int]], track: Track) -> tuple[object, ...]:
    """Ops, shapes and wiring of a group; what comes from outside is numbered in the order of its first use."""
    nodes = track.recording.nodes
    place = {index: position for position, index in enumerate(members)}
    outside: dict[int, int] = {}
    rows: list[object] = []
    for index in members:
        node = nodes[track.forward[index]]
        inputs = tuple(
            place[source] if source in place else -1 - outside.setdefault(source, len(outside))
            for source in sources[index]
        )
        rows.append((node.op, node.shape, inputs))
    return tuple(rows)


def _runs(groups: Groups, track: Track, structures: list[int]) -> Iterator[list[int]]:
    """Alike groups next to each other: of one parent, with no op of the parent itself between them."""
    is_op = [not track.recording.nodes[node].is_leaf for node in track.forward]
    starts = [next((i for i in groups.members(g) if is_op[i]), 0) for g in range(len(groups.groups))]
    loose: dict[int, list[int]] = {}
    for index, home in enumerate(groups.home.tolist()):
        if is_op[index]:
            loose.setdefault(home, []).append(index)
    for parent, siblings in ((OUTSIDE, groups.roots), *enumerate(groups.children)):
        events = [(starts[g], structures[g], g) for g in siblings] + [
            (i, OUTSIDE, OUTSIDE) for i in loose.get(parent, ())
        ]
        yield from _repeated(sorted(events))


def _repeated(events: Iterable[tuple[int, int, int]]) -> Iterator[list[int]]:
    run: list[int] = []
    before = OUTSIDE
    for _, structure, number in (*events, (0, OUTSIDE, OUTSIDE)):
        if structure == before and structure != OUTSIDE:
            run.append(number)
            continue
        if len(run) >= LEAST_ALIKE:
            yield run
        run, before = ([number] if structure != OUTSIDE else []), structure
