"""How much of its output a script had printed at a position of one backward call. Knows no Qt."""

from __future__ import annotations

from gradviz.playback.track import Track


def printed_by(track: Track, position: int) -> int | None:
    """How many characters had been printed; None where that is not known, or the script is at its end.

    What was printed at a step, by a hook or a custom backward, is there once that step has run. What was printed
    between two calls came after the first of them, so it is there once that one is done.
    """
    call, sweeps = track.call, track.recording.sweeps
    if call is None or track.sweep is None or call.printed is None:
        return None
    if position < track.length:
        ran = position - track.turn
        return max([call.printed, *(count for node, count in call.prints.items() if call.step_of.get(node, ran) < ran)])
    return next((sweep.printed for sweep in sweeps[track.sweep + 1 :] if sweep.inside is None), None)
