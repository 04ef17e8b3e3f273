"""Find nodes by what people know of them: name, op, shape, line, number, or how large a gradient is. Knows no Qt."""

from __future__ import annotations

from gradviz.playback.conditions.condition import is_condition, parse
from gradviz.playback.conditions.fitting import Fitting
from gradviz.playback.track import Track
from gradviz.playback.words import label, op_word, shape_text


def find(track: Track, text: str, until: int | None = None) -> tuple[int, ...]:
    """The nodes of the picture that fit, best first.

    A condition ("norm > 1e3", "nan", "line 6", ":6", "#3", "(3, 2)"), or else a part of a name, an op or a shape. A
    name that is equal comes before one that only contains the text.

    Args:
        until: the last position whose numbers may be told; None for all of them.

    Raises:
        ConditionError: a comparison that cannot be read.
    """
    wanted = text.strip()
    if not wanted:
        return ()
    if is_condition(wanted):
        return Fitting(track, parse(wanted), until).found()
    ranked = ((_rank(track, node, wanted.lower()), node) for node in track.forward)
    return tuple(node for rank, node in sorted((r, n) for r, n in ranked if r is not None))


def is_measured(track: Track, text: str) -> bool:
    """Whether the numbers of the whole track are needed to find it.

    Raises:
        ConditionError: as `find`.
    """
    return is_condition(text.strip()) and Fitting(track, parse(text.strip())).is_measured


def _rank(track: Track, node: int, wanted: str) -> int | None:
    """0 for an equal name, 1 for an equal op, 2 for a part of either or of the shape, None for no match."""
    here = track.recording.nodes[node]
    name = label(track.recording, node).lower()
    if wanted in (name, (here.name or "").lower()):
        return 0
    if wanted == op_word(here):
        return 1
    shape = shape_text(here.shape)
    said = (name, op_word(here).lower(), shape, shape.replace("×", "x"), str(list(here.shape)))
    return 2 if any(wanted in each for each in said) else None
