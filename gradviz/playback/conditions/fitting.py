"""Where a condition holds in a track, and why."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from gradviz.playback.conditions.condition import MEASURED, Condition, Subject, Term
from gradviz.playback.numbers import figures
from gradviz.playback.track import Ranks, Track
from gradviz.playback.words import label, labels, number_text, op_word
from gradviz.recording import Known, Node, Summary

Flags = np.ndarray[Any, np.dtype[np.bool_]]

_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    ">": operator.gt, "<": operator.lt, ">=": operator.ge, "<=": operator.le, "=": operator.eq, "!=": operator.ne,
}  # fmt: skip


class Fitting:
    """One condition on one track.

    Attributes:
        is_measured: whether the numbers are needed, not only the nodes.

    Args:
        until: the last position whose numbers may be told; None for all of them.
    """

    def __init__(self, track: Track, condition: Condition, until: int | None = None) -> None:
        self._track = track
        self._passes = {t.subject for t in condition if t.subject in (Subject.FORWARD, Subject.BACKWARD)}
        self._measured = [term for term in condition if term.subject in MEASURED]
        self._plain = [term for term in condition if term.subject in _OF_NODE]
        self._condition = condition
        self._until = until if self._measured else None
        self.is_measured = bool(self._measured)

    @cached_property
    def nodes(self) -> frozenset[int]:
        """Ids of the nodes of the picture that fit as far as a node alone can tell."""
        nodes = self._track.recording.nodes
        found = list(self._track.forward)
        for term in self._plain:
            test = _node_test(self._track, term)
            found = [node for node in found if test(nodes[node])]
        for term in self._condition:
            if term.subject is Subject.TIME:
                assert isinstance(term.wanted, int)
                found = found[max(term.wanted - 1, 0) : term.wanted] if term.wanted else []
        return frozenset(found)

    def positions(self, low: int, high: int) -> Ranks:
        """The positions low..high (from 1, both counted in) at which the condition holds, ascending."""
        track = self._track
        if self._passes == {Subject.FORWARD}:
            high = min(high, track.turn)
        elif self._passes == {Subject.BACKWARD}:
            low = max(low, track.turn + 1)
        elif self._passes:
            return np.zeros(0, dtype=np.int64)
        last = track.length if self._until is None else min(self._until, track.length)
        here = self._of_nodes(max(low, 1), min(high, last))
        if len(here) and self._measured:
            track.measures.cover(here)
            for term in self._measured:
                here = here[_holds(track, term, here)]
        return here

    def _of_nodes(self, low: int, high: int) -> Ranks:
        if high < low:
            return np.zeros(0, dtype=np.int64)
        if len(self.nodes) == len(self._track.forward):
            return np.arange(low, high + 1, dtype=np.int64)
        turn, forward, steps = self._track.turn, self._track.forward, self._track.steps
        ahead = [p for p in range(low, min(high, turn) + 1) if forward[p - 1] in self.nodes]
        back = [p for p in range(max(low, turn + 1), high + 1) if steps[p - turn - 1].node in self.nodes]
        return np.array(ahead + back, dtype=np.int64)

    def holds(self, position: int) -> bool:
        """Whether the condition holds at one position."""
        return bool(len(self.positions(position, position)))

    def found(self) -> tuple[int, ...]:
        """Ids of the nodes for which the condition holds at some position, ascending."""
        if not self._measured and not self._passes:
            return tuple(sorted(self.nodes))
        nodes = {self._track.node_at(position) for position in self.positions(1, self._track.length).tolist()}
        return tuple(sorted(node for node in nodes if node is not None))

    def reason(self, position: int) -> str:
        """Why the condition holds at a position where it does: "norm of ∂L/∂y = 1.2e4 > 1e3"."""
        if self._measured:
            self._track.measures.cover(np.array([position]))
        known = [_reason(self._track, term, position) for term in self._condition]
        return " and ".join(dict.fromkeys(known))


def where(track: Track, position: int) -> str:
    """The node of a position in words: "node h2 (mul), line 7"."""
    number = track.node_at(position)
    if number is None:
        return "the start"
    node, name = track.recording.nodes[number], label(track.recording, number)
    op = "" if name == op_word(node) else f" ({op_word(node)})"
    return f"node {name}{op}" + ("" if node.line is None else f", line {node.line}")


def _node_test(track: Track, term: Term) -> Callable[[Node], bool]:
    compare, wanted = _COMPARE[term.sign], term.wanted
    if term.subject is Subject.NAME:
        names = labels(track.recording)
        is_equal = term.sign == "="
        return lambda node: (wanted in (node.name, names[node.id])) is is_equal
    if term.subject is Subject.LINE:
        return lambda node: node.line is not None and bool(compare(node.line, wanted))
    value = _OF_NODE[term.subject]
    return lambda node: bool(compare(value(node), wanted))


_OF_NODE: dict[Subject, Callable[[Node], Any]] = {
    Subject.OP: op_word,
    Subject.SHAPE: lambda node: tuple(node.shape),
    Subject.NODE: lambda node: node.id,
    Subject.NAME: lambda node: node.name,
    Subject.LINE: lambda node: node.line,
}


def _holds(track: Track, term: Term, here: Ranks) -> Flags:
    """Whether a term holds at some positions; a comparison with nan never does."""
    measures, is_back = track.measures, here > track.turn
    if term.subject is Subject.NAN:
        return measures.has_nan[here]
    if term.subject is Subject.INF:
        return measures.has_inf[here]
    if term.subject is Subject.OUT_NORM:
        sizes = (measures.out_high if term.sign in (">", ">=") else measures.out_low)[here]
    else:
        sizes = measures.norms[here]
        is_back = is_back if term.subject is Subject.NORM else ~is_back
    flags: Flags = _COMPARE[term.sign](sizes, term.wanted) & is_back & ~np.isnan(sizes)
    return flags


def _reason(track: Track, term: Term, position: int) -> str:
    measures, step = track.measures, track.step_at(position)
    if term.subject in (Subject.NAN, Subject.INF):
        return f"{'NaN' if term.subject is Subject.NAN else 'infinity'} in {_odd_one(track, term.subject, position)}"
    if term.subject in (Subject.NORM, Subject.VALUE_NORM):
        what = "what comes in" if term.subject is Subject.NORM else "the value"
        return f"norm of {what} = {number_text(float(measures.norms[position]))} {term.sign} {term.shown}"
    if term.subject is Subject.OUT_NORM and step is not None:
        size = float((measures.out_high if term.sign in (">", ">=") else measures.out_low)[position])
        return f"norm of what goes out = {number_text(size)} {term.sign} {term.shown}"
    return term.text


def _odd_one(track: Track, subject: Subject, position: int) -> str:
    """Which of what flows at a position has NaN or infinity in it."""
    step = track.step_at(position)
    if step is None:
        return "the value"
    call = track.call
    if call is None:
        return "what goes out"
    if _is_odd(call.incoming(step), subject):
        return "what comes in"
    for slot, source in enumerate(track.recording.nodes[step.node].inputs):
        if _is_odd(call.outgoing(step, slot), subject):
            return f"what goes out to {label(track.recording, source)}"
    return "what goes out"


def _is_odd(array: Known, subject: Subject) -> bool:
    if array is None:
        return False
    known = array if isinstance(array, Summary) else figures(array)
    return bool(known.nan if subject is Subject.NAN else known.inf)
