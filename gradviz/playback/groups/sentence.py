"""What a step over a folded group did and what comes next, in plain words. Knows no Qt."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from gradviz.playback.groups.bundles import HIDDEN
from gradviz.playback.groups.folded import FoldedTrack
from gradviz.playback.groups.report import Flow, GroupReport
from gradviz.playback.numbers import in_words
from gradviz.playback.sentence import said_next, said_now, sentence
from gradviz.playback.track import Track

NAMES_LIMIT = 3


def folded_sentence(track: Track, position: int) -> tuple[str, str]:
    """The two sentences of a position, where a folded group that is stepped over is one step.

    Args:
        track: a plain one has the sentences of its nodes.
    """
    if not isinstance(track, FoldedTrack):
        return sentence(track, position)
    group = _group_at(track, position)
    now = said_now(track.base, position) if group is None else _now(track.reports.at(position, group))
    place = bisect_right(track.stops, position)
    if place == len(track.stops):
        return now, said_next(track.base, position)
    stop = track.stops[place]
    to_come = _group_at(track, stop)
    if to_come is None:
        return now, said_next(track.base, stop - 1)
    return now, _next(track.reports.at(stop, to_come), stop - position)


def _group_at(track: FoldedTrack, position: int) -> int | None:
    index = track.box_at(position)
    return None if index == HIDDEN else track.group_of(track.forward[index])


def _now(report: GroupReport) -> str:
    if report.done < report.total:
        return f"{report.title} has done {report.done:,} of its {report.total:,} {report.stage} steps."
    if report.stage == "forward":
        made = _listed([f"{flow.label} = {in_words(flow.value)}" for flow in report.outputs if flow.value is not None])
        return f"{report.title} has run forward{f': {made}' if made else ''}."
    came = _listed([in_words(flow.gradient) for flow in report.outputs if flow.gradient is not None])
    sent = _sent(report.inputs)
    kept = [leaf.label for leaf in report.leaves if leaf.gradient is not None]
    if kept and not sent:
        return f"{report.title} has run backward: it took in {came or 'nothing'}, which gave {_listed(kept)} gradients."
    return f"{report.title} has run backward: it took in {came or 'nothing'} and sent out {sent or 'nothing'}."


def _sent(inputs: Sequence[Flow]) -> str:
    return _listed([f"{in_words(flow.gradient)} to {flow.label}" for flow in inputs if flow.gradient is not None])


def _next(report: GroupReport, steps: int) -> str:
    return f"Next: {report.title}, {steps} {report.stage} {'step' if steps == 1 else 'steps'} at once."


def _listed(names: Sequence[str]) -> str:
    if len(names) > NAMES_LIMIT:
        return f"{', '.join(names[: NAMES_LIMIT - 1])} and {len(names) - NAMES_LIMIT + 1} more"
    return " and ".join(part for part in (", ".join(names[:-1]), names[-1]) if part) if names else ""
