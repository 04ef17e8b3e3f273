"""What just happened and what comes next, in plain words: for the eye under the transport and for a screen reader.

Knows no Qt.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gradviz.playback import flow
from gradviz.playback.formula.arithmetic import adds_up
from gradviz.playback.numbers import in_words
from gradviz.playback.track import Track
from gradviz.playback.words import counted, label, op_word
from gradviz.recording import CONSTANT, LEAF, Array, Known, Node, Step, Summary

COUNT_WORDS = {2: "twice", 3: "three times", 4: "four times"}
NAMES_LIMIT = 3
SUM_CHECK_LIMIT = 10_000
"""Elements up to which the terms are added up again to compare them with what was recorded."""
MESSAGE_LIMIT = 160
"""Characters of an error that the script caught, and that is said nowhere else."""


def sentence(track: Track, position: int) -> tuple[str, str]:
    """The two sentences of a position: what happened at it, and what the next one will do ("" at the end)."""
    return said_now(track, position), said_next(track, position)


def said_now(track: Track, position: int) -> str:
    """What happened at a position."""
    step = track.step_at(position)
    if step is not None:
        return _step_done(track, position, step)
    node = track.node_at(position)
    if node is None:
        return _start(track)
    return _computed(track, track.recording.nodes[node])


def said_next(track: Track, position: int) -> str:
    """What the step after a position will do; how it ended at the last."""
    if position >= track.length:
        return _end(track)
    step = track.step_at(position + 1)
    if step is not None:
        return f"Next: {_step_to_come(track, position + 1, step)}"
    node = track.recording.nodes[track.forward[position]]
    name = label(track.recording, node.id)
    if node.is_leaf:
        return f"Next: {name} comes in as a {'constant' if node.op == CONSTANT else 'leaf'}."
    return f"Next: {_from_inputs(track, node, name)}."


def _start(track: Track) -> str:
    if not track.length:
        return "There is nothing to step through yet."
    forward = counted(len(track.forward), "forward step")
    if track.call is None:
        return f"Nothing has run yet: {forward}."
    return f"Nothing has run yet: {forward}, then {len(track.steps)} backward."


# ---- forward -----------------------------------------------------------------------------------------------------


def _computed(track: Track, node: Node) -> str:
    name, value = label(track.recording, node.id), track.recording.value(node.id)
    known = "" if value is None else f": {in_words(value)}"
    if node.op == LEAF:
        return f"{name} is a leaf that takes a gradient{known}."
    if node.op == CONSTANT:
        return f"{name} is a constant{known}." if name != in_words(value) else f"{name} is a constant."
    return f"{_from_inputs(track, node, name)}{known}."


def _from_inputs(track: Track, node: Node, name: str) -> str:
    names = [label(track.recording, source) for source in node.inputs]
    if not names:
        return f"{op_word(node)} makes {name}"
    made = f"{op_word(node)} of {_listed(names)}"
    return made if name == op_word(node) else f"{made} gives {name}"


def _listed(names: Sequence[str]) -> str:
    """ "", "a", "a and b", "a, b and c", "a, b and 7 more"."""
    if not names:
        return ""
    if len(names) > NAMES_LIMIT + 1:
        names = (*names[: NAMES_LIMIT - 1], f"{len(names) - NAMES_LIMIT + 1} more")
    return " and ".join(part for part in (", ".join(names[:-1]), names[-1]) if part)


# ---- backward ----------------------------------------------------------------------------------------------------


def _step_done(track: Track, position: int, step: Step) -> str:
    node = track.recording.nodes[step.node]
    name = label(track.recording, node.id)
    arriving = flow.terms(track, position, node.id)
    if node.is_leaf:
        return _accumulated(track, step, name, arriving)
    sent = _sent(track, step)
    came = _came(name, _incoming(track, step), arriving)
    does = f"sends {sent}" if sent else "sends nothing on"
    return f"{came}it {does}." if came else f"{name} {does}."


def _incoming(track: Track, step: Step) -> Known:
    return None if track.call is None else track.call.incoming(step)


def _came(name: str, incoming: Known, arriving: Sequence[flow.Term]) -> str:
    """How the gradient came in, where that is more than one term from a consumer; ends in "; "."""
    seeds = [term for term in arriving if term.consumer is None]
    if seeds and len(arriving) == 1:
        return f"v = {in_words(incoming)} comes in at {name}; "
    if len(arriving) > 1:
        return f"{name} adds {_sum_words(arriving, incoming)}; "
    return ""


def _sum_words(arriving: Sequence[flow.Term], total: Known) -> str:
    """The terms of a sum and what they make: an equation only where the numbers that are shown make it true."""
    if len(arriving) > NAMES_LIMIT + 1:
        return f"{len(arriving)} terms to {in_words(total)}"
    terms = [term.gradient for term in arriving]
    words, is_sum = [in_words(term) for term in terms], _adds_up(terms, total)
    if is_sum is False:
        return f"{_listed(words)}, which something, such as a hook, changes to {in_words(total)}"
    is_spelled = is_sum and not any("norm" in word for word in words)
    return f"{' + '.join(words)} = {in_words(total)}" if is_spelled else f"{_listed(words)}, together {in_words(total)}"


def _adds_up(terms: Sequence[Known], total: Known) -> bool | None:
    """Whether terms give a total: in the numbers shown, not at all (False), or nobody knows (None)."""
    arrays = [term for term in (*terms, total) if term is not None and not isinstance(term, Summary)]
    shapes = {array.shape for array in arrays}
    if len(arrays) <= len(terms) or len(shapes) != 1 or arrays[0].size > SUM_CHECK_LIMIT:
        return None
    return adds_up(arrays[:-1], arrays[-1])


def _sent(track: Track, step: Step) -> str:
    """ "[3, 5] to a and [1, 4] to b"; equal gradients to the same input are said once."""
    groups: list[tuple[Array | Summary, list[int]]] = []
    for slot, source in enumerate(track.recording.nodes[step.node].inputs):
        gradient = None if track.call is None else track.call.outgoing(step, slot)
        if gradient is None:
            continue
        if groups and groups[-1][1][0] == source and _is_same(groups[-1][0], gradient):
            groups[-1][1].append(source)
        else:
            groups.append((gradient, [source]))
    parts = [f"{in_words(gradient)} to {label(track.recording, ids[0])}{_times(len(ids))}" for gradient, ids in groups]
    return _listed(parts) if len(parts) <= NAMES_LIMIT else f"a gradient to each of {len(parts)} inputs"


def _is_same(a: Array | Summary, b: Array | Summary) -> bool:
    if isinstance(a, Summary) or isinstance(b, Summary):
        return False
    return np.array_equal(a, b, equal_nan=a.dtype.kind in "fc")


def _times(count: int) -> str:
    return "" if count < 2 else f" {COUNT_WORDS.get(count, f'{count} times')}"


def _accumulated(track: Track, step: Step, name: str, arriving: Sequence[flow.Term]) -> str:
    call = track.call
    entry = call.accumulation_of.get(step.node) if call is not None else None
    incoming = _incoming(track, step)
    total = _sum_words(arriving, incoming) if len(arriving) > 1 else in_words(incoming)
    if entry is None or call is None:
        return f"{name} receives {total}; {name}.grad stays as it was."
    before, after = call.before(entry), call.after(entry)
    was = "None" if before is None else in_words(before)
    return f"{name} receives {total}; {name}.grad was {was} and is now {in_words(after)}."


def _step_to_come(track: Track, position: int, step: Step) -> str:
    node = track.recording.nodes[step.node]
    name = label(track.recording, node.id)
    arriving = flow.terms(track, position, node.id)
    if node.is_leaf:
        return _accumulation_to_come(track, step, name, len(arriving))
    if any(term.consumer is None for term in arriving):
        begins = "backward begins: " if position == track.turn + 1 else ""
        return f"{begins}v = {in_words(arriving[0].gradient)} comes in at {name}."
    takers = _takers(track, node)
    repeated = next((source for source in takers if takers.count(source) > 1), None)
    if repeated is not None:
        return _repeated_use(name, label(track.recording, repeated), takers.count(repeated))
    first = f"{name} adds {len(arriving)} terms and" if len(arriving) > 1 else name
    return (
        f"{first} passes on to {_listed([label(track.recording, source) for source in takers])}."
        if takers
        else (f"{first} has nobody to pass on to.")
    )


def _takers(track: Track, node: Node) -> list[int]:
    return [source for source in node.inputs if track.recording.nodes[source].requires_grad]


def _repeated_use(name: str, source: str, count: int) -> str:
    both = "both" if count == 2 else f"all {count}"
    return f"{name} uses {source}{_times(count)}; {both} terms meet at {source}."


_TO_COME = {
    "first": ("what came in becomes {0}.grad.", "the {1} terms meet at {0} and become {0}.grad."),
    "again": ("what came in is added to {0}.grad.", "the {1} terms meet at {0} and are added to {0}.grad."),
    "apart": ("the gradient ends at {0}; {0}.grad stays.", "the {1} terms meet at {0}; {0}.grad stays."),
}


def _accumulation_to_come(track: Track, step: Step, name: str, count: int) -> str:
    call = track.call
    entry = call.accumulation_of.get(step.node) if call is not None else None
    kind = "apart" if entry is None or call is None else "first" if call.before(entry) is None else "again"
    return _TO_COME[kind][count > 1].format(name, count)


def _end_of_forward(track: Track) -> str:
    problem = track.recording.failure
    if problem is None:
        return "The end: no backward() is called on this."
    return f"The end: stopped at {problem.place}." if problem.place else "The end: the script stopped here."


def _shortened(message: str) -> str:
    line = message.strip().partition("\n")[0]
    return line if len(line) <= MESSAGE_LIMIT else f"{line[:MESSAGE_LIMIT]}…"


def _end(track: Track) -> str:
    if track.call is None:
        return _end_of_forward(track) if track.length else ""
    nodes, problem, broken = track.recording.nodes, track.recording.failure, track.call.error
    failed = problem.node if problem is not None else None
    failed = broken.node if broken is not None else failed
    why = "see the error." if problem is not None or broken is None else _shortened(broken.message)
    if failed is not None and flow.is_failed(track, failed):
        return f"The backward pass stopped at {label(track.recording, failed)}: {why}"
    if broken is not None:
        return f"The backward pass stopped here: {why}"
    missed = [i for i in track.forward if nodes[i].op == LEAF and i not in track.call.step_of]
    if not missed:
        return "The backward pass is done."
    names = _listed([label(track.recording, node) for node in missed])
    return f"The backward pass is done. Not reached: {names}."
