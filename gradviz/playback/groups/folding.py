"""Which groups are folded, as a frozen value that outlives a run: groups go by their keys. Knows no Qt."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

from gradviz.playback.groups.groups import OUTSIDE, Groups, Key

SMALL = 60
"""Up to so many nodes a picture opens unfolded: fitted to the window, its boxes still show their signs."""
LARGE = 150
"""Of a larger one no more boxes are shown at first."""
MOST_EDGES = 500
"""Nor is it opened so far that the lines would hide the boxes,"""
MOST_ABREAST = 8
"""or that so many boxes side by side would be too small to read."""
MOST_TRIED = 12
"""Groups of one level that are tried singly."""
ENOUGH = 16
"""A picture that opens folded is opened further until it shows so many boxes."""
FEW = 5
"""Up to so many boxes say so little that it is opened up to `LARGE`, otherwise up to `SMALL`."""


@dataclass(frozen=True)
class Folding:
    """What is folded to one box, and what alone is shown.

    Attributes:
        folded: keys of the folded groups; a group inside a folded one keeps its own state for later.
        focus: the group that alone is shown, with its neighbours, or None.
        has_plumbing: whether plumbing has boxes of its own (see `plumbing`); None for what a recording begins with:
            in a small one.
    """

    folded: frozenset[Key] = frozenset()
    focus: Key | None = None
    has_plumbing: bool | None = None


class Crowd(NamedTuple):
    """What makes a picture hard to read.

    Attributes:
        edges: how many there are.
        abreast: how many boxes that have an input would stand in one row.
    """

    edges: int = 0
    abreast: int = 0


OPEN = Folding()
"""Nothing is folded."""


def all_folded(groups: Groups) -> Folding:
    """Every group folded: what opens then opens one level."""
    return Folding(frozenset(group.key for group in groups.groups))


def opening(
    groups: Groups, crowd: Callable[[Folding], Crowd] = lambda _: Crowd(), layers: frozenset[int] = frozenset()
) -> Folding:
    """How a picture is first shown: unfolded where it is small, else with some `ENOUGH` to `SMALL` boxes, if it can be.

    Args:
        groups: of the nodes that can have a box of their own.
        crowd: how crowded a picture would be.
        layers: numbers of groups that stay folded.
    """
    inside = sum(groups.sizes[number] - 1 for number in layers)
    if len(groups.home) - inside <= SMALL:
        return Folding(frozenset(groups.groups[number].key for number in layers))
    folding = all_folded(groups)
    shown, level = int((groups.home == OUTSIDE).sum()) + len(groups.roots), [*groups.roots]
    while level and shown < ENOUGH:
        opened: list[int] = []
        level = [number for number in level if number not in layers]
        for some in _portions(groups, level, _room(shown) - shown):
            if opened and some[0] in opened:
                break  # the level is open as a whole
            wider = replace(folding, folded=folding.folded - {groups.groups[number].key for number in some})
            gain = sum(_gain(groups, number) for number in some)
            if shown < ENOUGH and shown + gain <= _room(shown) and not _is_crowded(crowd(wider)):
                folding, shown = wider, shown + gain
                opened += some
        level = [child for number in opened for child in groups.children[number]]
    return folding


def _is_crowded(crowd: Crowd) -> bool:
    return crowd.edges > MOST_EDGES or crowd.abreast > MOST_ABREAST


def _room(shown: int) -> int:
    """How many boxes may be shown at first where so many are shown with less opened."""
    return LARGE if shown <= FEW else SMALL


def _portions(groups: Groups, level: list[int], room: int) -> list[list[int]]:
    """What to try to open of one level: all of it, so that neighbours look alike, then the largest groups singly.

    A stack of many alike groups stays one box with their number: those beside it are as good as all.
    """
    level = [number for number in level if not _is_stack(groups, number)]
    if not level:
        return []
    whole = [level] if sum(_gain(groups, number) for number in level) <= room else []
    unlike = [number for number in level if _is_unlike(groups, number)]
    return [*whole, *([number] for number in sorted(unlike, key=lambda n: -groups.sizes[n])[:MOST_TRIED])]


def _is_stack(groups: Groups, number: int) -> bool:
    """Whether a group is what remains of a long run of alike groups beside the first and the last of it."""
    group = groups.groups[number]
    return group.is_run and group.parent != OUTSIDE and groups.groups[group.parent].count > group.count


def _is_unlike(groups: Groups, number: int) -> bool:
    """Whether a group has no alike neighbours: of those, none is opened without the others."""
    parent = groups.groups[number].parent
    return parent == OUTSIDE or groups.groups[parent].count == 1


def _gain(groups: Groups, number: int) -> int:
    """How many boxes more there are when a group is opened."""
    return len(groups.own[number]) + len(groups.children[number]) - 1


def toggled(folding: Folding, groups: Groups, number: int) -> Folding:
    """A group folded where it was open, opened where it was folded."""
    return replace(folding, folded=folding.folded ^ {groups.groups[number].key})


def unfolded(folding: Folding, groups: Groups, number: int) -> Folding:
    """A group and all around it open."""
    return replace(folding, folded=folding.folded - {groups.groups[n].key for n in groups.around(number)})


def showing(folding: Folding, groups: Groups, index: int) -> Folding:
    """The node of that index in sight: the groups around it open, and no focus elsewhere."""
    home = int(groups.home[index])
    opened = unfolded(folding, groups, home)
    focus = groups.number_of.get(folding.focus) if folding.focus is not None else None
    return opened if focus is None or focus in groups.around(home) else replace(opened, focus=None)


def focused(folding: Folding, groups: Groups, number: int) -> Folding:
    """Only a group, open, and its neighbours."""
    return replace(unfolded(folding, groups, number), focus=groups.groups[number].key)


def unfocused(folding: Folding) -> Folding:
    """Everything again."""
    return replace(folding, focus=None)


def carried(old: Folding, known: frozenset[Key], groups: Groups, fresh: Folding) -> Folding:
    """The folding for another run of the script: groups known before keep their state, others are as in `fresh`."""
    keys = frozenset(groups.number_of)
    focus = old.focus if old.focus in keys else None
    return Folding((old.folded & known) | (fresh.folded & (keys - known)), focus, old.has_plumbing)


def shown_as(folding: Folding, groups: Groups) -> list[int]:
    """For each group the outermost folded group around it or itself, or `OUTSIDE` where it is open to the eye."""
    shown: list[int] = []
    for number, group in enumerate(groups.groups):
        outer = OUTSIDE if group.parent == OUTSIDE else shown[group.parent]
        shown.append(outer if outer != OUTSIDE else number if group.key in folding.folded else OUTSIDE)
    return shown


def open_groups(folding: Folding, groups: Groups) -> Iterable[int]:
    """The groups that are open to the eye, outer ones first."""
    return (number for number, outer in enumerate(shown_as(folding, groups)) if outer == OUTSIDE)
