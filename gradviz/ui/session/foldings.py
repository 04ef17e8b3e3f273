"""What is folded in one document, kept from run to run. Knows no Qt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the window stands before there is anything to fold
    from gradviz.playback.groups.folding import Folding
    from gradviz.playback.groups.groups import Groups, Key
    from gradviz.playback.track import Track


@dataclass(frozen=True)
class Sight:
    """How tracks are seen at one moment; a worker thread may ask it while the next one is made.

    Attributes:
        by_hand: what the user has folded and opened, or None.
        known: the groups that there were then; None for those of the track that is seen first.
        found: the groups of the track they were found for last, which takes a while.
    """

    by_hand: Folding | None = None
    known: frozenset[Key] | None = frozenset()
    found: tuple[Track, Groups] | None = None

    def drawn(self, track: Track) -> Track:
        """The track seen through the present folding; the track itself where it has neither groups nor plumbing."""
        from gradviz.playback.groups.folded import FoldedTrack
        from gradviz.playback.groups.folding import Folding, carried
        from gradviz.playback.groups.opening import first_folding
        from gradviz.playback.groups.plumbing import has_plumbing

        groups = self._groups_of(track)
        if not groups.groups and not has_plumbing(track):
            return track
        known = frozenset(groups.number_of) if self.known is None else self.known
        if self.by_hand is None or not known.issuperset(groups.number_of):
            fresh = first_folding(track, groups)
        else:
            fresh = Folding()
        folding = fresh if self.by_hand is None else carried(self.by_hand, known, groups, fresh)
        return FoldedTrack.of(track, groups, folding)

    def _groups_of(self, track: Track) -> Groups:
        if self.found is not None and self.found[0] is track:
            return self.found[1]
        from gradviz.playback.groups.stretches import all_groups_of

        return all_groups_of(track)


class Foldings:
    """What is folded.

    Attributes:
        sight: how tracks are seen now.

    Args:
        by_hand: what was folded and opened by hand before, when the document was open last; None for nothing.
    """

    def __init__(self, by_hand: Folding | None = None) -> None:
        self.sight = Sight() if by_hand is None else Sight(by_hand, None)

    def take(self, folding: Folding) -> None:
        """The user has folded or opened something."""
        found = self.sight.found
        known = self.sight.known if found is None else frozenset(found[1].number_of)
        self.sight = Sight(folding, known, found)

    def keep(self, track: Track, drawn: Track) -> None:
        """Keep the groups of a track that is shown now."""
        from gradviz.playback.groups.folded import FoldedTrack

        if isinstance(drawn, FoldedTrack):
            known = frozenset(drawn.groups.number_of) if self.sight.known is None else self.sight.known
            self.sight = Sight(self.sight.by_hand, known, (track, drawn.groups))
