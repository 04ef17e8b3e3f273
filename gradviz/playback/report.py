"""All that can be said of one node at one position, as frozen values: what the inspector shows and reads out.

A report costs as much as the node has edges and elements, however large the graph is. Knows no Qt.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gradviz.ops.table import TABLE
from gradviz.playback import flow
from gradviz.playback.formula.arithmetic import adds_up
from gradviz.playback.formula.formula import gradient_of
from gradviz.playback.formula.jacobian import jacobian_words
from gradviz.playback.formula.lines import Line, Saved, called, equation_of, formula_for, lines, saved
from gradviz.playback.health.examine import examine
from gradviz.playback.health.finding import Finding
from gradviz.playback.health.saved import stop_text
from gradviz.playback.names import in_words_of, input_names, output_name
from gradviz.playback.numbers import in_words, summed_up
from gradviz.playback.rules import Rules, rule_of
from gradviz.playback.sentence import SUM_CHECK_LIMIT, sentence
from gradviz.playback.track import Track
from gradviz.playback.words import label, op_word, visible
from gradviz.recording import CONSTANT, LEAF, OUTPUT, Accumulation, Array, Known, Node, Step, Summary

if TYPE_CHECKING:
    from gradviz.ops.op import Op

__all__ = [
    "FREED",
    "OWN_RULE",
    "READ",
    "Gradient",
    "Incoming",
    "Input",
    "NodeReport",
    "Place",
    "Rule",
    "node_report",
    "sentence",
    "without_sum",
]

NOT_COMPUTED = "Not computed yet at this point of the forward pass."
NOT_HELD = "The recording does not hold this value."
UNREACHED = "Not reached: this backward pass never comes here. That is not the same as a gradient of 0."
STOPPED_HERE = "The backward pass came here and stopped: see the error of the run."
FREED = "freed"
READ = "backward read"
"""What stands beside the numbers that a step read in the place of those that its node saved."""
NO_BACKWARD = "No backward pass: the script calls no backward() here."
UNKNOWN_RULE = "The rule of {op} is not in the table of ops: what it gave back is shown as it was recorded."
OWN_RULE = "The rule of {op} is the script's own backward."
SEVERAL = "This op has {} outputs: what comes in at each of them stands there."
ONE_OF_SEVERAL = "One of the outputs of the op before it: what came in here is what goes on to that op."
PUT_TOGETHER = "What goes out is put together from what came in at each of its outputs."
NOT_THE_RULE = "What went out to {to} is not what the rule gives: something, such as a hook, changed it."
CHANGED_LATER = "not what was there and what came in: something, such as a hook, changed it"
EARLIER = "With what went to {name} as it was before it was changed."
HOOKED = "This is not the sum of the terms above: something, such as a hook, changed it."
NOT_KEPT = "not kept: {name} is not a leaf. {name}.retain_grad() would keep it."

REMARKS = {
    LEAF: "A leaf: no op made it. Backward adds what comes in here to {name}.grad.",
    CONSTANT: "A constant: it takes no gradient, so nothing flows back to it.",
}


@dataclass(frozen=True, eq=False)
class Place:
    """Where a node stands.

    Attributes:
        title: its label.
        op: "leaf", "constant", or the op's name.
        line: line of the source that made it, or None.
        scope: enclosing functions, modules or loops.
        is_output: whether this backward pass starts from it.
        stage: "forward" or "backward": the pass that the progress counts in.
        progress: "step 2 of 4", "forward 3 of 5", or "not reached".
        is_now: whether the position is at this very node.
        remark: what a leaf or a constant is; "" for most ops.
        file: name of the file that `line` is of, where that is not the main source; else "".
        torch: what PyTorch calls it, where a run of PyTorch was recorded; else "".
    """

    node: int
    title: str
    op: str
    line: int | None
    scope: tuple[str, ...]
    is_output: bool
    stage: str
    progress: str
    is_now: bool
    remark: str
    file: str = ""
    torch: str = ""


class Input(NamedTuple):
    """One input of the op.

    Attributes:
        name: what the rule calls it: as the script does, else "in".
        source: id of its node.
        label: its label.
        value: its value or the summary of that, or None where it is not recorded.
    """

    name: str
    source: int
    label: str
    value: Known


@dataclass(frozen=True, eq=False)
class Incoming:
    """dL/dy of a node.

    Attributes:
        gradient: the whole sum, of the node's shape; None while it is not known.
        terms: all that is added up, in the order in which it arrives.
        so_far: the sum of the terms that have arrived, where some have and some have not.
        note: why there is no gradient (yet), or what is odd about it; else "".
    """

    gradient: Array | None
    terms: tuple[flow.Term, ...]
    so_far: Array | None
    note: str


@dataclass(frozen=True, eq=False)
class Rule:
    """The local rule.

    Attributes:
        equation: what the op computes, "y = a · b"; "" where the op has no rule here.
        lines: dL/d(input) for each input that takes a gradient.
        describe_jacobian: gives `jacobian`, without its numbers where `is_spelled` is False; only asked where the
            Jacobian is not drawn.
        remark: what is odd about the numbers of this step: values that were changed after they were saved, or that
            something else went out than the rule gives.
        note: what happens at kinks and ties.
        unknown: says that there is no rule here; else "".
    """

    equation: str
    lines: tuple[Line, ...]
    describe_jacobian: Callable[..., str]
    note: str
    unknown: str
    remark: str = ""

    @cached_property
    def jacobian(self) -> str:
        """What the Jacobian looks like, in one or two sentences."""
        return self.describe_jacobian()


@dataclass(frozen=True, eq=False)
class Gradient:
    """What happens to `.grad`.

    Attributes:
        name: e.g. "x.grad".
        takes_part: whether this backward pass adds to it.
        has_run: whether the accumulation is done at the position; `after` is None before.
        before, after: `.grad` or its summary, None where there is none.
        note: in a few words.
    """

    name: str
    takes_part: bool
    has_run: bool
    before: Known
    after: Known
    note: str


@dataclass(frozen=True, eq=False)
class NodeReport:
    """One node at one position.

    Attributes:
        name: what the result is called in the rule: as the script calls it, else "out".
        value: the result of the forward pass; None while not computed or not recorded (`value_note` says which).
        dtype: of the value, as PyTorch names it.
        incoming: None for what can take no gradient.
        rule: None for leaves and constants.
        inputs: by slot; parallel to `outgoing`.
        saved_note: until when the saved tensors are kept.
        saved_stop: that a second backward would stop here, once what it saved is freed; else "".
        gradient: None where `.grad` plays no part.
        params: name and text of what the op was given besides tensors.
        health: what went wrong here, or would; empty at a healthy node.
    """

    place: Place
    name: str
    value: Array | None
    value_note: str
    dtype: str
    incoming: Incoming | None
    rule: Rule | None
    inputs: tuple[Input, ...]
    outgoing: tuple[flow.Outgoing, ...]
    saved: tuple[Saved, ...]
    saved_note: str
    gradient: Gradient | None
    params: tuple[tuple[str, str], ...]
    health: tuple[Finding, ...] = ()
    saved_stop: str = ""


def node_report(track: Track, position: int, node: int, rules: Rules | None = None) -> NodeReport:
    """What is known of a node at a position.

    Args:
        position: 0..track.length.
        node: an id of the recording.
        rules: the table to look in; that of all ops where None.
    """
    known = TABLE if rules is None else rules
    entry = track.recording.nodes[node]
    op = rule_of(entry, known)
    unknown = OWN_RULE if entry.op[:1].isupper() else UNKNOWN_RULE
    value, value_note = _value(track, position, node)
    return NodeReport(
        place=_place(track, position, entry),
        name=output_name(track.recording, entry),
        value=value,
        value_note=value_note,
        dtype=entry.dtype,
        incoming=_incoming(track, position, entry) if entry.requires_grad else None,
        rule=None if entry.is_leaf or entry.op == OUTPUT else _rule(track, position, entry, op, unknown),
        inputs=_inputs(track, entry),
        outgoing=flow.outgoing(track, position, node),
        saved=() if op is None or value is None else _saved(track, position, entry, op),
        saved_note=_saved_note(track, position, node),
        gradient=_gradient(track, position, entry),
        params=tuple((name, _parameter_text(given)) for name, given in entry.params.items()),
        health=examine(track, position, node, rules),
        saved_stop=stop_text(track, position, node, known),
    )


def without_sum(report: NodeReport) -> NodeReport:
    """The report without what is asked for: the sum of what has arrived, the numbers of J, and its health."""
    incoming, rule = report.incoming, report.rule
    if incoming is None or incoming.gradient is not None:
        return report
    hidden = None if rule is None else replace(rule, describe_jacobian=lambda: rule.describe_jacobian(is_spelled=False))
    return replace(report, incoming=replace(incoming, so_far=None), rule=hidden, health=())


def _place(track: Track, position: int, node: Node) -> Place:
    order, index = flow.step_number(track, node.id), track.index_of.get(node.id)
    stage = "backward" if position > track.turn else "forward"
    if stage == "backward":
        never = "not reached" if node.requires_grad else "no gradient"
        never = "stopped here" if flow.is_failed(track, node.id) else never
        progress = never if order is None else f"step {order} of {len(track.steps)}"
    else:
        progress = "" if index is None else f"forward {index + 1} of {track.turn}"
    return Place(
        node=node.id,
        title=label(track.recording, node.id),
        op=op_word(node),
        line=_line(node),
        scope=tuple(map(visible, node.scope)),
        is_output=track.call is not None and node.id in track.call.outputs,
        stage=stage,
        progress=progress,
        is_now=track.node_at(position) == node.id,
        remark=_remark(track, node),
        file=_file(track, node),
        torch=_torch_words(node),
    )


def _line(node: Node) -> int | None:
    return node.line if node.origin is None or node.origin.file is None else node.origin.line


def _file(track: Track, node: Node) -> str:
    file = None if node.origin is None else node.origin.file
    return "" if file is None else track.recording.sources[file].name


def _torch_words(node: Node) -> str:
    """PyTorch's names of the node, as for a search: "AddmmBackward0, in place"."""
    if node.origin is None:
        return ""
    parts = (node.origin.aten, node.origin.backward_node, "in place" if node.origin.in_place else "")
    return ", ".join(part for part in parts if part)


def _remark(track: Track, node: Node) -> str:
    if node.op == OUTPUT:
        return ONE_OF_SEVERAL
    if node.origin is not None and node.origin.outputs:
        return SEVERAL.format(node.origin.outputs)
    return REMARKS.get(node.op, "").format(name=label(track.recording, node.id))


def _value(track: Track, position: int, node: int) -> tuple[Array | None, str]:
    if not flow.is_computed(track, position, node):
        return None, NOT_COMPUTED
    value, entry = track.recording.value(node), track.recording.nodes[node]
    if isinstance(value, Summary):
        return None, f"{_capitalized(summed_up(value))}."
    if value is None and entry.origin is not None and entry.origin.outputs:
        return None, "It has no value of its own: each of its outputs has one."
    return value, NOT_HELD if value is None else ""


def _capitalized(text: str) -> str:
    return text[:1].upper() + text[1:]


def _inputs(track: Track, node: Node) -> tuple[Input, ...]:
    return tuple(
        Input(name, source, label(track.recording, source), track.recording.value(source))
        for name, source in zip(input_names(track.recording, node), node.inputs, strict=True)
    )


def _incoming(track: Track, position: int, node: Node) -> Incoming:
    step = flow.step_of(track, node.id)
    if step is None:
        why = STOPPED_HERE if flow.is_failed(track, node.id) else UNREACHED
        return Incoming(None, (), None, why if track.call is not None else NO_BACKWARD)
    arriving = flow.terms(track, position, node.id)
    if flow.has_run(track, position, node.id):
        came = None if track.call is None else track.call.incoming(step)
        if isinstance(came, Summary):
            is_hooked = track.call is not None and node.id in track.call.hooked
            return Incoming(None, arriving, None, f"{_capitalized(summed_up(came))}.{f' {HOOKED}' * is_hooked}")
        return Incoming(came, arriving, None, _sum_note(track, node, came, arriving))
    order = flow.step_number(track, node.id)
    arrived = sum(term.has_arrived for term in arriving)
    note = f"Comes in at step {order} of the backward pass."
    if arrived == len(arriving) == 1:
        note = f"It has arrived, and goes on at step {order}."
    elif arrived == len(arriving) > 1:
        all_of_them = "Both" if arrived == 2 else f"All {arrived}"
        note = f"{all_of_them} terms have arrived; their sum goes on at step {order}."
    elif arrived:
        note = f"{arrived} of {len(arriving)} terms have arrived; the sum is complete at step {order}."
    return Incoming(None, arriving, flow.partial_sum(arriving), note)


def _sum_note(track: Track, node: Node, incoming: Array | None, arriving: tuple[flow.Term, ...]) -> str:
    if incoming is None and node.origin is not None and node.origin.outputs:
        return SEVERAL.format(node.origin.outputs)
    if incoming is None:
        return "Reached, but no gradient was recorded."
    if track.call is not None and node.id in track.call.hooked:
        return _why_no_sum(track, node)
    total = flow.partial_sum(arriving)
    if total is None or incoming.size > SUM_CHECK_LIMIT or total.shape != incoming.shape:
        return ""
    if np.array_equal(total, incoming):
        return ""
    # Loose, since a backend may add in another order or precision; a hook changes far more than that.
    return "" if np.allclose(total, incoming, rtol=1e-3, atol=1e-6, equal_nan=True) else _why_no_sum(track, node)


def _why_no_sum(track: Track, node: Node) -> str:
    """A hook; or gradients went to what a leaf was before it was changed, which is all one step to PyTorch."""
    call = track.call
    if call is None or node.op != LEAF or not node.name:
        return HOOKED
    same = [each.id for each in track.recording.nodes if each.op == LEAF and each.name == node.name]
    is_earlier = any(id != node.id and id not in call.step_of and track.sent_to(id) for id in same)
    return EARLIER.format(name=label(track.recording, node.id)) if is_earlier else HOOKED


def _rule(track: Track, position: int, node: Node, op: Op | None, unknown: str) -> Rule:
    if node.origin is not None and node.origin.outputs:
        return Rule("", (), lambda **_: "", "", PUT_TOGETHER)
    has_run = flow.has_run(track, position, node.id)
    words = partial(jacobian_words, track.recording, node, op, track.call if has_run else None)
    takers = [slot for slot, source in enumerate(node.inputs) if track.recording.nodes[source].requires_grad]
    if op is None or (takers and not any(formula_for(op, slot) for slot in takers)):
        return Rule("", (), words, "", unknown.format(op=op_word(node)) if takers else "")
    step = flow.step_of(track, node.id) if flow.has_run(track, position, node.id) else None
    incoming, sent = (None, ()) if step is None else (step.incoming, step.outgoing)
    recording = track.recording
    note = in_words_of(op.note, called(recording, node, op))
    made = lines(recording, node, op, incoming, sent, track.call)
    remark = _remark_on_numbers(track, node, made) if step is not None else ""
    return Rule(equation_of(recording, node, op), made, words, note, "", remark)


def _remark_on_numbers(track: Track, node: Node, made: Sequence[Line]) -> str:
    """What is odd about the numbers of a step that has run; "" where nothing is."""
    call, recording, said = track.call, track.recording, []
    for source in dict.fromkeys((*node.inputs, node.id)) if call is not None else ():
        read = None if call is None else call.read.get((node.id, source))
        if read is None:
            continue
        where = "" if read.line is None else f" at line {read.line}"
        was, now = recording.value(source), read.value
        numbers = "" if was is None or now is None else f": backward read {in_words(now)}, not {in_words(was)}"
        if numbers and in_words(now) == in_words(was):
            numbers = ", and backward read what it was changed to"
        said.append(f"{label(recording, source)} was changed{where}, after {op_word(node)} saved it{numbers}.")
    changed = [label(recording, node.inputs[line.slot]) for line in made if line.is_changed]
    if changed:
        names = " and ".join(dict.fromkeys(changed[:3])) if len(changed) < 4 else f"{len(changed)} inputs"
        said.append(NOT_THE_RULE.format(to=names))
    return " ".join(said)


def _saved(track: Track, position: int, node: Node, op: Op) -> tuple[Saved, ...]:
    return saved(track.recording, node, op, track.call if flow.has_run(track, position, node.id) else None)


def _saved_note(track: Track, position: int, node: int) -> str:
    if track.call is None:
        return "kept for a backward pass"
    if flow.step_number(track, node) is None:
        return "kept: never reached"
    if track.call.retain_graph:
        return "kept: retain_graph"
    # PyTorch lets go node by node, as soon as a node's backward has run.
    if not flow.has_run(track, position, node):
        return f"freed at step {flow.step_number(track, node)}"
    return "freed at this step" if track.node_at(position) == node else FREED


def _gradient(track: Track, position: int, node: Node) -> Gradient | None:
    title = label(track.recording, node.id)
    name = f"{title}.grad"
    call = track.call
    if call is None or not node.requires_grad:
        return None
    entry, ran = call.accumulation_of.get(node.id), flow.has_run(track, position, node.id)
    if entry is not None:
        before = call.before(entry)
        note = _gradient_note(title, before) if ran else "nothing has been added yet"
        if ran and not _is_accumulated(entry, call.steps[call.step_of[node.id]] if node.id in call.step_of else None):
            note = CHANGED_LATER
        return Gradient(name, True, ran, before, call.after(entry) if ran else None, note)
    if not node.is_leaf:
        is_asked_for = node.name and ran and call.accumulated
        return Gradient(name, False, False, None, None, NOT_KEPT.format(name=title)) if is_asked_for else None
    if node.id not in call.step_of:
        return Gradient(name, False, False, None, None, "stays as it was: not reached")
    return Gradient(name, False, False, None, None, "stays as it was: this call does not accumulate")


def _is_accumulated(entry: Accumulation, step: Step | None) -> bool:
    """Whether `.grad` is what it was and what came in, as far as all three are known."""
    came, before, after = None if step is None else step.incoming, entry.before, entry.after
    if came is None or after is None or came.shape != after.shape or after.size > SUM_CHECK_LIMIT:
        return True
    terms = [came] if before is None else [before, came]
    return any(term.shape != after.shape for term in terms) or adds_up(terms, after) is not False


def _gradient_note(title: str, before: Known) -> str:
    return f"= {gradient_of(title)}, since it was None" if before is None else f"= before + {gradient_of(title)}"


def _parameter_text(given: object) -> str:
    if isinstance(given, np.ndarray | np.generic):
        return in_words(given)
    text = str(given)
    return text if len(text) <= 60 else f"{text[:59]}…"
