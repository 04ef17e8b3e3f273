"""Predict, then reveal: what one step of a backward pass asks, and what is said of an answer.

A question is about one gradient that a step sends out, or about the `.grad` that it leaves where that is a sum. Knows
recordings and tracks. Knows no Qt, and nothing of who has answered what.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from gradviz.ops.table import TABLE
from gradviz.playback import flow
from gradviz.playback.formula.lines import lines
from gradviz.playback.formula.text import plain
from gradviz.playback.numbers import in_words
from gradviz.playback.rules import Rules, rule_of
from gradviz.playback.track import Track
from gradviz.playback.words import label, shape_text
from gradviz.recording import Array, Recording, Step, Summary

MOST_NUMBERS = 12
"""A gradient of more numbers is not asked for: nobody types it."""
TOLERANCE = 0.01
"""How far an answer may be off, as a share of the number: 0.39 is taken for 0.3932."""
_OF_LARGEST = 2e-3
"""The same as a share of the largest number: 0 is taken for what is next to nothing beside the others."""


Floats = np.ndarray[Any, np.dtype[np.float64]]
Flags = np.ndarray[Any, np.dtype[np.bool_]]


_MOST_STEPS, _MOST_QUESTIONS = 10_000, 200
"""Looked through and asked at a time: more is looked for when these are answered."""


class Question(NamedTuple):
    """One gradient that is asked for.

    Attributes:
        position: where its step runs; until it is answered, the one before is shown.
        node: the node whose step it is.
        slot: the input that the gradient goes out to; None where `.grad` of the node itself is asked for.
        target: the node that it goes to: that input, or the node itself.
        gradient: the answer.
        words: the question.
    """

    position: int
    node: int
    slot: int | None
    target: int
    gradient: Array
    words: str


def way_of(track: Track, question: Question) -> flow.Way:
    """Along what the gradient that is asked for goes, and the boxes at both ends; of `.grad` the leaf alone."""
    if question.slot is None:
        return flow.Way((), (question.target,))
    inputs = track.recording.nodes[question.node].inputs
    edges = [(question.node, slot) for slot, source in enumerate(inputs) if source == question.target]
    return flow.Way(tuple(edges), (question.node, question.target))


class Verdict(NamedTuple):
    """Whether an answer is right, and one sentence that helps where it is not."""

    is_right: bool
    words: str


def questions(track: Track, only: Sequence[str] = (), after: int = 0) -> tuple[Question, ...]:
    """What can be asked in one backward call, in the order of its steps; of a long call the first part.

    Args:
        only: labels of the nodes whose steps are asked about; all of them where it is empty.
        after: the position after which the steps are.
    """
    found: list[Question] = []
    start = max(after - track.turn, 0)
    for position, step in enumerate(track.steps[start : start + _MOST_STEPS], track.turn + 1 + start):
        if len(found) >= _MOST_QUESTIONS:
            break
        if only and label(track.recording, step.node) not in only:
            continue
        found += (
            _of_leaf(track, position, step)
            if track.recording.nodes[step.node].is_leaf
            else _of_op(track, position, step)
        )
    return tuple(found)


def _of_op(track: Track, position: int, step: Step) -> list[Question]:
    """One for every input that a gradient goes out to; two equal ones to the same input are one."""
    recording = track.recording
    asked: list[Question] = []
    came = _comes_in(track, position, step)
    for slot, source in enumerate(recording.nodes[step.node].inputs[: len(step.outgoing)]):
        gradient = step.outgoing[slot]
        if gradient is None or not _can_be_typed(gradient):
            continue
        same = next(
            (q for q in asked if q.target == source and np.array_equal(q.gradient, gradient, equal_nan=True)), None
        )
        if same is None:
            edges = recording.nodes[step.node].inputs.count(source)
            each = f", along each of its {edges} edges" if edges > 1 else ""
            words = f"{came} What goes out to {label(recording, source)}{each}?"
            asked.append(Question(position, step.node, slot, source, gradient, words))
    return asked


def _of_leaf(track: Track, position: int, step: Step) -> list[Question]:
    """`.grad` where it is more than what one step sent: several terms meet, or something was there before."""
    call = track.call
    entry = None if call is None else call.accumulation_of.get(step.node)
    if entry is None or entry.after is None or not _can_be_typed(entry.after):
        return []
    name, before = label(track.recording, step.node), entry.before
    if before is None and len(flow.terms(track, position, step.node)) < 2:
        return []
    was = "was None" if before is None else f"was {in_words(before)}"
    words = f"{_comes_in(track, position, step)} {name}.grad {was}. What is it now?"
    return [Question(position, step.node, None, step.node, entry.after, words)]


def _can_be_typed(gradient: Array) -> bool:
    return 0 < gradient.size <= MOST_NUMBERS and gradient.dtype.kind in "fiu"


def _comes_in(track: Track, position: int, step: Step) -> str:
    """What has arrived at a node before its step; terms that meet there are not summed yet."""
    name = label(track.recording, step.node)
    arriving = flow.terms(track, position, step.node)
    if len(arriving) < 2:
        came = arriving[0].gradient if arriving else step.incoming
        return f"What comes in at {name} was not kept." if came is None else f"{in_words(came)} comes in at {name}."
    *first, last = (in_words(term.gradient) for term in arriving)
    return f"{', '.join(first)} and {last} come in at {name}."


def hint(track: Track, question: Question, rules: Rules | None = None) -> str:
    """The rule without its numbers: "∂L/∂x = ∂L/∂y · 2x"."""
    recording, node = track.recording, track.recording.nodes[question.node]
    if question.slot is None:
        return f"All that comes in at {label(recording, node.id)} is added up, and added to what .grad was."
    op = rule_of(node, TABLE if rules is None else rules)
    found = () if op is None else lines(recording, node, op, None, ())
    rule = next((plain(line.letters) for line in found if line.slot == question.slot), "")
    if rule:
        return f"The rule: {rule}"
    return f"What comes in is multiplied by the derivative of {label(recording, node.id)}."


# ---- answers -----------------------------------------------------------------------------------------------------


def judge(track: Track, question: Question, answer: Array) -> Verdict:
    """Whether the numbers are those of the gradient, in whichever brackets; else what may be wrong with them."""
    truth = _floats(question.gradient)
    if answer.size != truth.size:
        return Verdict(False, _count_words(track, question, answer))
    given = np.asarray(answer, dtype=np.float64).reshape(truth.shape)
    right = _is_near(given, truth)
    if right.all():
        return Verdict(True, f"Right: {in_words(question.gradient)}.")
    return Verdict(False, _mistake(track, question, given, truth, right))


def _floats(array: Array) -> Floats:
    return np.asarray(array, dtype=np.float64)


def _is_near(given: Floats, truth: Floats) -> Flags:
    """Element by element; shape as both. NaN is NaN, and an infinity is the one of its sign."""
    sound = truth[np.isfinite(truth)]
    slack = _OF_LARGEST * float(np.abs(sound).max()) if sound.size > 1 else 0.0
    with np.errstate(invalid="ignore"):
        near = np.abs(given - truth) <= np.maximum(TOLERANCE * np.abs(truth), slack)
    same: Flags = (given == truth) | (np.isnan(given) & np.isnan(truth))
    return np.where(np.isfinite(truth), near, same)


def _count_words(track: Track, question: Question, answer: Array) -> str:
    name, shape = label(track.recording, question.target), question.gradient.shape
    size = question.gradient.size
    needs = "one number" if size == 1 else f"{size} numbers"
    of_shape = f", of shape {shape_text(shape)}" if len(shape) > 1 else ""
    return f"A gradient has the shape of its tensor: {name} has {needs}{of_shape}, and the answer has {answer.size}."


def _mistake(track: Track, question: Question, given: Floats, truth: Floats, right: Flags) -> str:
    """The likeliest reason for a wrong answer of the right size."""
    for guess, words in _guesses(track, question, truth):
        if (
            guess is not None
            and guess.size == given.size
            and _is_near(given, _floats(guess).reshape(given.shape)).all()
        ):
            return words
    if right.any():
        count = int(right.sum())
        at = ", ".join(map(str, np.argwhere(~right)[0].tolist()))
        return f"{count} of {right.size} numbers {'is' if count == 1 else 'are'} right; look again at [{at}]."
    factor = _factor(given, truth)
    if factor:
        return f"{'The' if truth.size == 1 else 'Every'} number is {factor}."
    return "Not yet."


def _guesses(track: Track, question: Question, truth: Floats) -> list[tuple[Array | None, str]]:
    """What people answer instead, each with what to say then."""
    step = track.step_at(question.position)
    node = track.recording.nodes[question.node]
    incoming = None if step is None else step.incoming
    name, target = label(track.recording, node.id), label(track.recording, question.target)
    if question.slot is None:
        entry = None if track.call is None else track.call.accumulation_of.get(node.id)
        before = None if entry is None else entry.before
        terms = [term.gradient for term in flow.terms(track, question.position, node.id)]
        alone = f"That is one of the {len(terms)} terms; all of them are added up."
        kept = f"That is what comes in now; it is added to what {name}.grad was."
        return [
            (-truth, "The sign is the wrong way round."),
            (incoming if before is not None else None, kept),
            *((None if isinstance(term, Summary) else term, alone) for term in terms if len(terms) > 1),
            (before, f"That is what {name}.grad was; what comes in is added to it."),
        ]
    sent = () if step is None else step.outgoing
    others = [
        (gradient, f"That is what goes out to {label(track.recording, node.inputs[slot])}; asked is {target}.")
        for slot, gradient in enumerate(sent[: len(node.inputs)])
        if slot != question.slot and gradient is not None
    ]
    turned = truth.T if truth.ndim == 2 else None
    return [
        (-truth, "The sign is the wrong way round."),
        (turned, "The numbers are right, but transposed."),
        (_local(incoming, truth), f"That is the derivative of {name} alone; multiply it by what comes in."),
        (incoming, f"That is what comes in at {name}; multiply it by the derivative of {name}."),
        *others,
        (_value(track.recording, node.id), f"That is the value of {name}, not a gradient."),
        (_value(track.recording, question.target), f"That is the value of {target}, not a gradient."),
    ]


def _local(incoming: Array | None, truth: Floats) -> Floats | None:
    """The derivative alone, where each number of the gradient is one product; None where it is not known."""
    if incoming is None or (incoming.size != 1 and incoming.shape != truth.shape):
        return None
    came = _floats(incoming) if incoming.shape == truth.shape else _floats(incoming).reshape(())
    with np.errstate(all="ignore"):
        local: Floats = truth / came
    return local if np.isfinite(local).all() else None


def _value(recording: Recording, node: int) -> Array | None:
    value = recording.value(node)
    return None if isinstance(value, Summary) else value


def _factor(given: Floats, truth: Floats) -> str:
    """ "2 times too large", where every number is; else ""."""
    if not (np.isfinite(given).all() and np.isfinite(truth).all()) or not truth.all() or not given.all():
        return ""
    ratios = (given / truth).ravel()
    first = float(ratios[0])
    if first <= 0 or not np.allclose(ratios, first, rtol=2 * TOLERANCE):
        return ""
    whole, size = (first, "large") if first > 1 else (1 / first, "small")
    times = round(whole)
    return f"{times} times too {size}" if abs(whole - times) <= 2 * TOLERANCE * times and 2 <= times <= 1000 else ""
