"""The first NaN of a whole run, over all of its backward calls, or else the first infinity. Knows no Qt."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from gradviz.playback.health.births import Birth, births
from gradviz.playback.track import Track
from gradviz.recording import Recording
from gradviz.trace.births import NAN, first_of


class First(NamedTuple):
    """Where it is.

    Attributes:
        sweep: index of the backward call; None of a run without one.
        birth: in the track of that call.
        words: "NaN first in call 6, line 51", or as much of it as is known.
    """

    sweep: int | None
    birth: Birth
    words: str


def first_birth(recording: Recording, calls: int, cancelled: Callable[[], bool] = lambda: False) -> First | None:
    """The first NaN, or else the first infinity, of the first so many backward calls; None where all is finite.

    What the loss was computed from counts before what was computed beside it.
    """
    aside: First | None = None
    infinite: First | None = None
    for sweep in range(calls) if calls else (None,):
        if cancelled():
            return None
        track = Track(recording, sweep)
        found = births(track, cancelled)
        if not found:
            continue
        outputs = track.forward if sweep is None else recording.ancestors(recording.sweeps[sweep].outputs)
        within = frozenset(outputs)
        first: Birth | None = first_of(birth for birth in found if birth.node in within)
        if first is not None and first.kind == NAN:
            return _first(track, first)
        if first is not None and infinite is None:
            infinite = _first(track, first)
        beside: Birth | None = first_of(found)
        if beside is not None and (aside is None or (beside.kind == NAN and aside.birth.kind != NAN)):
            aside = _first(track, beside)
    return infinite or aside


def _first(track: Track, birth: Birth) -> First:
    return First(track.sweep, birth, ", ".join(_parts(track, birth)))


def _parts(track: Track, birth: Birth) -> Iterator[str]:
    recording, node = track.recording, track.recording.nodes[birth.node]
    kind = birth.kind[:1].upper() + birth.kind[1:]
    has_calls = len(recording.sweeps) > 1 or recording.thinned is not None
    call = f"call {recording.number(track.sweep)}" if track.sweep is not None and has_calls else ""
    file = None if node.origin is None else node.origin.file
    where = "" if node.line is None else f"line {node.line}"
    if where and file is not None:
        where = f"{recording.sources[file].name} {where}"
    yield f"{kind} first in {call or where or 'this run'}"
    if call and where:
        yield where
