"""The steps of one backward pass as rows of words: what comes in at each node, its rule, and what goes out.

The words are the inspector's own, at the moment when the step has run.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from gradviz.playback.formula.text import plain
from gradviz.playback.numbers import in_words
from gradviz.playback.report import HOOKED, OWN_RULE, NodeReport, node_report
from gradviz.playback.rules import Rules
from gradviz.playback.track import Track
from gradviz.playback.words import label
from gradviz.recording import Known


class StepRow(NamedTuple):
    """One step; what has several lines has one for each input.

    Attributes:
        number: from 1, in the order in which the steps ran.
        node: its label, and its op where that says more.
        comes_in: ∂L/∂y of the node, and the terms that it is the sum of, where there are several.
        rule: for each input its rule with letters, and below it with numbers, where these are few enough.
        goes_out: a gradient for each input that gets one, or what becomes of `.grad`.
    """

    number: int
    node: str
    comes_in: tuple[str, ...]
    rule: tuple[str, ...]
    goes_out: tuple[str, ...]


def step_rows(track: Track, rules: Rules | None = None) -> Iterator[StepRow]:
    """A row for each step of the track's backward pass.

    Args:
        rules: the table of rules; that of all ops where None.
    """
    for number, step in enumerate(track.steps, 1):
        report = node_report(track, track.turn + number, step.node, rules)
        place = report.place
        title = place.title if place.title == place.op else f"{place.title} ({place.op})"
        yield StepRow(number, title, _comes_in(report), _rule(report), _goes_out(report))


def _comes_in(report: NodeReport) -> tuple[str, ...]:
    came = report.incoming
    if came is None:
        return ()
    total = came.note if came.gradient is None and came.note else _text(came.gradient)
    odd = (came.note,) if came.note == HOOKED else ()
    if len(came.terms) < 2:
        return (total, *odd)
    return (total, *odd, *(f"  {_text(term.gradient)} from {term.label}" for term in came.terms))


def _rule(report: NodeReport) -> tuple[str, ...]:
    rule = report.rule
    if rule is None:
        return () if report.gradient is None else (f"{report.gradient.name} {report.gradient.note}",)
    if not rule.lines:
        is_own = rule.unknown == OWN_RULE.format(op=report.place.op)
        return ("the script's own backward" if is_own else "not in the table of ops",) if rule.unknown else ()
    found: list[str] = []
    for line in rule.lines:
        found.append(plain(line.letters))
        if line.numbers:
            found.append(f"  {plain(line.numbers)}")
    return (*found, rule.remark) if rule.remark else tuple(found)


def _goes_out(report: NodeReport) -> tuple[str, ...]:
    if report.gradient is not None and report.gradient.takes_part:
        return (f"{report.gradient.name} = {_text(report.gradient.after)}",)
    return tuple(f"{_text(out.gradient)} to {out.label}" for out in report.outgoing if out.gradient is not None)


def _text(array: Known) -> str:
    return "?" if array is None else in_words(array)


def heading(track: Track) -> str:
    """Which backward call it is, where it was called, and its v."""
    call = track.call
    if call is None or track.sweep is None:
        return "No backward pass."
    which = f"backward call {track.recording.number(track.sweep)}"
    file = "" if call.file is None else f" of {track.recording.sources[call.file].name}"
    where = "" if call.line is None else f", line {call.line}{file}"
    seeds = [f"v = {in_words(call.seed(at))} at {label(track.recording, node)}" for at, node in enumerate(call.outputs)]
    return f"{which}{where}: {', '.join(seeds)}"
