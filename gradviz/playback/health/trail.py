"""What becomes of a NaN or an infinity: which nodes it goes on to, where it ends, and where it came from.

Said of one node at one position, in sentences. Each costs no more than the nodes it went through, up to a limit.
Knows no Qt.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from gradviz.playback import flow
from gradviz.playback.health.births import COMES_IN, SLOPE, Birth, births_at, has, origin_of_leaf
from gradviz.playback.health.finding import Finding
from gradviz.playback.rules import Rules
from gradviz.playback.track import NEVER, Track
from gradviz.playback.words import label, number_text, op_word
from gradviz.recording import CONSTANT, LEAF, Node
from gradviz.trace.births import GRAD, INCOMING, INF, NAN, OUTGOING, VALUE

MOST_NODES = 2_000
"""Nodes that a trail is followed through."""
_NAMES = 3
"""Nodes that are named in a sentence."""


class Spread(NamedTuple):
    """Where one goes on to.

    Attributes:
        passed: ids of the nodes that have it from there, in the order in which it came.
        ended: ids of those it comes to and goes no further, though they compute or send something.
    """

    passed: tuple[int, ...] = ()
    ended: tuple[int, ...] = ()


def nan_findings(track: Track, position: int, node: int, rules: Rules | None = None) -> tuple[Finding, ...]:
    """What is said of NaN and infinity at a node, as far as they have come at a position."""
    if node not in track.index_of:
        return ()
    computed, reached = track.index_of[node] + 1, int(track.backward_ranks[track.index_of[node]])
    found: list[Finding] = []
    if computed <= position:
        found += _of_value(track, position, node, computed, rules)
    if reached <= position and reached != NEVER:
        found += _of_gradient(track, position, node, reached, rules)
    return tuple(found)


def born_text(track: Track, birth: Birth) -> str:
    """The sentence of a birth: "NaN is born here, in the gradient of x at [1]: 0 × inf. …"."""
    node = track.recording.nodes[birth.node]
    at = f" at {list(birth.index)}" if birth.index else ""
    more = f", and at {birth.count - 1:,} more {'place' if birth.count == 2 else 'places'}" if birth.count > 1 else ""
    where = _where_born(track, node, birth)
    if birth.enters:
        how = f": {birth.how}" if birth.how else ""
        return f"{_capital(birth.kind)} comes from a value into{where[len(', in') :]}{at}{more}{how}.{_operands(birth)}"
    if birth.before is not None:
        where = f"{_name(track, node.id)} when this call begins"
        return f"{_capital(birth.kind)} is in {where}{at}{more}{_since(track, birth)}"
    if birth.part == VALUE and node.is_leaf:
        return f"{_capital(birth.kind)} is in {_name(track, node.id)} from the start{at}{more}."
    how = f": {birth.how}" if birth.how else ""
    return f"{_capital(birth.kind)} is born here{where}{at}{more}{how}.{_operands(birth)}"


def _since(track: Track, birth: Birth) -> str:
    """Since which backward call a leaf has it."""
    recording = track.recording
    assert birth.before is not None
    origin = origin_of_leaf(recording, birth)
    if origin is None:
        return (
            f"; in call {recording.number(birth.before)} it and its gradient were finite, so it was written after that."
        )
    return f": it comes from call {recording.number(origin)}, whose gradient or value of it has NaN or infinity."


def _where_born(track: Track, node: Node, birth: Birth) -> str:
    if birth.part == OUTGOING and birth.slot is not None:
        return f", in the gradient of {_name(track, node.inputs[birth.slot])}"
    if birth.part == GRAD:
        return f", in {_name(track, node.id)}.grad"
    return ", in what comes in" if birth.part == INCOMING else ""


def _operands(birth: Birth) -> str:
    """The two factors at birth, in words; "" where they are not known."""
    known = {operand.name: operand.number for operand in birth.operands}
    if birth.part != OUTGOING or SLOPE not in known:
        return ""
    at = f" at index {list(birth.index)}" if birth.index else ""
    given = [f"{name} = {number_text(number)}" for name, number in known.items() if name not in (COMES_IN, SLOPE)]
    named = [text for text in given if not text.startswith(("in", "("))] or given
    where = f", where {' and '.join(named[:2])}" if named else ""
    comes, slope = number_text(known[COMES_IN]), number_text(known[SLOPE])
    return f" Incoming {comes} times local slope {slope}{at}{where}."


def _name(track: Track, node: int) -> str:
    return label(track.recording, node)


def _capital(kind: str) -> str:
    return kind[:1].upper() + kind[1:]


# ---- where it goes on to --------------------------------------------------------------------------------------------


def spread(track: Track, birth: Birth, position: int) -> Spread:
    """Where one that was born has gone on to at a position, in the same pass."""
    if birth.part == VALUE:
        return _forward(track, birth, position)
    return Spread() if birth.part == GRAD else _backward(track, birth, position)


def _forward(track: Track, birth: Birth, position: int) -> Spread:
    recording, index_of = track.recording, track.index_of
    passed: dict[int, None] = {}
    ended: dict[int, None] = {}
    waiting = [birth.node]
    while waiting and len(passed) < MOST_NODES:
        for user, _ in recording.consumers[waiting.pop(0)]:
            index = index_of.get(user)
            if user in passed or user in ended or index is None or index >= position:
                continue
            value = recording.value(user)
            if value is None or has(value, birth.kind):
                passed[user] = None
                waiting.append(user)
            elif birth.kind != INF or not has(value, NAN):
                ended[user] = None
    return Spread(tuple(passed), tuple(ended))


def _backward(track: Track, birth: Birth, position: int) -> Spread:
    call = track.call
    passed: dict[int, None] = {}
    ended: dict[int, None] = {}
    waiting = [birth.node]
    only = birth.slot
    while waiting and call is not None and len(passed) < MOST_NODES:
        number = waiting.pop(0)
        step = flow.step_of(track, number)
        if step is None or not flow.has_run(track, position, number):
            continue
        goes_on = False
        for slot, source in enumerate(track.recording.nodes[number].inputs[: len(step.outgoing)]):
            if (only is not None and slot != only) or not has(call.outgoing(step, slot), birth.kind):
                goes_on |= has(call.outgoing(step, slot), NAN)
                continue
            goes_on = True
            if source not in passed and flow.has_run(track, position, source):
                passed[source] = None
                waiting.append(source)
        if not goes_on and number != birth.node and not track.recording.nodes[number].is_leaf:
            passed.pop(number, None)
            ended[number] = None
        only = None
    return Spread(tuple(passed), tuple(ended))


def _spread_text(track: Track, birth: Birth, position: int) -> str:
    went = spread(track, birth, position)
    nodes = track.recording.nodes
    leaves = [node for node in went.passed if nodes[node].op == LEAF] if birth.part != VALUE else []
    others = [node for node in went.passed if node not in leaves]
    said = [f"goes on to {_named(track, others)}"] if others else []
    said += [f"reaches {_named(track, leaves, '.grad')}"] if leaves else []
    said += [f"ends at {_named(track, went.ended)}"] if went.ended else []
    return f" It {', '.join(said[:-1])}{' and ' * (len(said) > 1)}{said[-1]}." if said else ""


def _named(track: Track, nodes: Sequence[int], ending: str = "") -> str:
    names = list(dict.fromkeys(f"{_name(track, node)}{ending}" for node in nodes))
    shown = names[:_NAMES]
    if len(names) > _NAMES:
        return f"{', '.join(shown)} and {len(nodes) - _NAMES:,} more"
    return " and ".join(part for part in (", ".join(shown[:-1]), shown[-1]) if part)


# ---- where it came from ---------------------------------------------------------------------------------------------


def _of_value(track: Track, position: int, node: int, computed: int, rules: Rules | None) -> Iterable[Finding]:
    entry = track.recording.nodes[node]
    if not _is_odd_near(track, entry):
        return
    born = {birth.kind: birth for birth in births_at(track, computed, rules)}
    for kind in (NAN, INF):
        if kind in born:
            text = born_text(track, born[kind])
            is_wrong = not born[kind].is_handed_on
            yield Finding(text + _spread_text(track, born[kind], position), None, is_wrong=is_wrong)
        elif has(track.recording.value(node), kind):
            origin = origin_in_values(track, node, kind, rules)
            if origin is not None and origin.node != node:
                yield Finding(f"{_capital(kind)} in the value comes from {_born_at(track, origin)}.", origin.node)
        else:
            yield from _ended_in_value(track, entry, kind, rules)


def _is_odd_near(track: Track, node: Node) -> bool:
    """Whether NaN or infinity is in a value or in one that it was computed from; each is measured but once."""
    indices = [track.index_of[each] for each in (node.id, *node.inputs) if each in track.index_of]
    positions = np.array(indices, dtype=np.int64) + 1
    track.measures.cover(positions)
    return bool((track.measures.has_nan[positions] | track.measures.has_inf[positions]).any())


def _ended_in_value(track: Track, node: Node, kind: str, rules: Rules | None) -> Iterable[Finding]:
    if kind == INF and has(track.recording.value(node.id), NAN):
        return
    for source in node.inputs:
        if track.recording.nodes[source].op != CONSTANT and has(track.recording.value(source), kind):
            origin = origin_in_values(track, source, kind, rules)
            if origin is not None:
                yield Finding(
                    f"{_capital(kind)} in {_name(track, source)} ends here: {op_word(node)} takes none of it.",
                    origin.node,
                )
                return


def _of_gradient(track: Track, position: int, node: int, reached: int, rules: Rules | None) -> Iterable[Finding]:
    call, step = track.call, flow.step_of(track, node)
    assert call is not None
    assert step is not None
    track.measures.cover(np.array([reached]))
    if not track.measures.has_nan[reached] and not track.measures.has_inf[reached]:
        return
    born = births_at(track, reached, rules)
    for kind in (NAN, INF):
        mine = [birth for birth in born if birth.kind == kind]
        sent = [slot for slot in range(len(step.outgoing)) if has(call.outgoing(step, slot), kind)]
        for birth in mine[:1]:
            more = "" if birth.enters else _spread_text(track, birth, position)
            yield Finding(born_text(track, birth) + more, None, is_wrong=not birth.enters)
        if mine or not has(call.incoming(step), kind):
            continue
        origin = origin_in_gradients(track, node, kind, rules)
        if origin is None:
            continue
        was = f"{_capital(kind)} in the gradient comes from {_born_at(track, origin)}."
        is_over = not sent and not track.recording.nodes[node].is_leaf and any(g is not None for g in step.outgoing)
        if is_over and not any(has(call.outgoing(step, slot), NAN) for slot in range(len(step.outgoing))):
            was += f" It ends here: {op_word(track.recording.nodes[node])} sends none of it on."
        yield Finding(was, origin.node)


def _born_at(track: Track, birth: Birth) -> str:
    node = track.recording.nodes[birth.node]
    name = _name(track, birth.node)
    line = (
        "" if node.line is None or (node.origin is not None and node.origin.file is not None) else f", line {node.line}"
    )
    how = f" ({birth.how})" if birth.how else ""
    came = origin_of_leaf(track.recording, birth) if birth.before is not None else None
    since = "" if came is None else f", which has it from call {track.recording.number(came)}"
    return f"{name}{line}{how}{since}"


def origin_in_values(track: Track, node: int, kind: str, rules: Rules | None = None) -> Birth | None:
    """The birth of what a node has in its value; None where it cannot be found, or the script wrote it."""
    seen, waiting = {node}, [node]
    while waiting and len(seen) < MOST_NODES:
        number = waiting.pop(0)
        index = track.index_of.get(number)
        for birth in () if index is None else births_at(track, index + 1, rules):
            if birth.kind == kind and birth.part == VALUE:
                return birth
        for source in track.recording.nodes[number].inputs:
            if source not in seen and has(track.recording.value(source), kind):
                seen.add(source)
                waiting.append(source)
    return None


def origin_in_gradients(track: Track, node: int, kind: str, rules: Rules | None = None) -> Birth | None:
    """The birth of what comes into a node in the backward pass; None where it cannot be found."""
    seen, waiting = {node}, [node]
    while waiting and len(seen) < MOST_NODES:
        number = waiting.pop(0)
        rank = int(track.backward_ranks[track.index_of[number]]) if number in track.index_of else NEVER
        for birth in () if rank == NEVER else births_at(track, rank, rules):
            is_before = birth.part == INCOMING or (birth.part == OUTGOING and number != node)
            if birth.kind == kind and is_before:
                return birth
        for sent in track.sent_to(number):
            if sent.consumer not in seen and has(sent.gradient, kind):
                seen.add(sent.consumer)
                waiting.append(sent.consumer)
    return None
