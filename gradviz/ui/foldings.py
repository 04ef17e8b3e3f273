"""What is folded in one document, kept from run to run. Knows no Qt."""

from __future__ import annotations

from gradviz.playback.alike import with_alike
from gradviz.playback.folded import FoldedTrack
from gradviz.playback.folding import Folding, carried, opening
from gradviz.playback.groups import Groups, Key, groups_of
from gradviz.playback.track import Track


class Foldings:
    """Turns a track into what is drawn of it."""

    def __init__(self) -> None:
        self._by_hand: Folding | None = None
        self._known: frozenset[Key] = frozenset()
        self._found: tuple[Track, Groups] | None = None

    def take(self, folding: Folding) -> None:
        """The user has folded or opened something."""
        self._by_hand = folding
        if self._found is not None:
            self._known = frozenset(self._found[1].number_of)

    def drawn(self, track: Track) -> Track:
        """The track seen through the present folding; the track itself where it has no groups."""
        groups = self._groups_of(track)
        if not groups.groups:
            return track
        if self._by_hand is None or not self._known.issuperset(groups.number_of):
            fresh = opening(groups, lambda folding: len(FoldedTrack.of(track, groups, folding).edges))
        else:
            fresh = Folding()
        folding = fresh if self._by_hand is None else carried(self._by_hand, self._known, groups, fresh)
        return FoldedTrack.of(track, groups, folding)

    def _groups_of(self, track: Track) -> Groups:
        if self._found is None or self._found[0] is not track:
            self._found = (track, with_alike(groups_of(track), track))
        return self._found[1]
