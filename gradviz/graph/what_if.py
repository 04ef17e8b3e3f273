"""What if a number had been another: a recording with some numbers changed, and all that follows computed again.

A what-if is data, a row of changes, and applying it to a recording gives another recording; whoever reads recordings
sees no difference. The script does not run again: the same operations are fed other numbers, by the forward functions
and the rules of the table. Where those do not give what was recorded when they are fed what was recorded (random
draws, a write in place, a hook), or there are none (a custom Function), a node keeps the numbers of the run.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gradviz.changes import Applied, Broken, Kept, WhatIf, array_at
from gradviz.errors import Cancelled, GradvizError, Unanswered
from gradviz.graph.answer import answering
from gradviz.graph.compare import TOLERANCE, TOLERANCES, no_forward
from gradviz.graph.node import NodeFunction, described, row_of, stand_in
from gradviz.graph.replay import MOST_NUMBERS
from gradviz.recording import Accumulation, Array, Node, Recording, Step, Sweep

HOOKED = "a hook of the script changed what comes in, and hooks are not run again"
OTHER_VALUE = "our forward does not give what the run computed here (a write in place, or a random draw)"
OTHER_GRADIENT = "our rule does not give what the run sent from here (a hook, or another rule)"
NO_RULE = "it has no rule here, as a custom Function has none"
Ask = Callable[[str, Any], Any]
"""Asks a run a question by its name."""

NOT_KEPT = "its numbers were not kept"
TOO_LARGE = "its shape is too large to be computed with here"
OTHER_SHAPE = "with these numbers its result has another shape"
OF_GRADIENTS = "what create_graph built of these gradients keeps the numbers of the run"


class Recalculation:
    """Applies what-ifs to one recording.

    Args:
        recording: of any origin.
        ask: asks the run itself, where it is still there: the backward of a custom Function runs in its process.

    What it has found out about a node, whether our functions give what the run gave, it keeps for the next one.
    """

    def __init__(self, recording: Recording, ask: Ask | None = None) -> None:
        self.recording, self._ask = recording, ask
        self._values: dict[int, str] = {}
        self._rules: dict[tuple[int, int], str] = {}
        self._known_by_run: dict[tuple[int, int], bool] = {}
        self._functions: dict[int, NodeFunction | None] = {}

    def apply(self, what_if: WhatIf, cancelled: Callable[[], bool] = lambda: False) -> Applied:
        """The recording with other numbers.

        Args:
            what_if: what is other than in the run.
            cancelled: asked now and then; True ends it.

        Raises:
            Cancelled: `cancelled` said so.
            GradvizError: a spot that is not in the recording, or a number that its dtype cannot hold.
        """
        recording = self.recording
        if not what_if:
            return Applied(recording)
        for change in what_if.changes:
            array_at(recording, change.spot)
        with np.errstate(all="ignore"):
            one = _Application(self, what_if, cancelled)
            one.compute_values()
            one.compute_sweeps()
        broken = one.first_broken()
        kept = tuple(Kept(node, why) for node, why in sorted(one.kept.items()))
        return Applied(one.recording(), kept, broken)

    # ---- what can be computed -----------------------------------------------------------------------------------

    def why_not_value(self, id: int) -> str:
        """Why a node's value cannot be computed again; "" where it can."""
        if id not in self._values:
            self._values[id] = self._find_why_not_value(self.recording.nodes[id])
        return self._values[id]

    def _find_why_not_value(self, node: Node) -> str:
        if self._function_of(node) is None:
            return NO_RULE
        reason = no_forward(self.recording, node)
        value = self.recording.values[node.id]
        if reason or value is None:
            return reason or NOT_KEPT
        again = self.forward(node, self.recording.values)
        return "" if again is not None and _are_close(again, value, node.dtype) else OTHER_VALUE

    def forward(self, node: Node, values: Sequence[Array | None]) -> Any:
        """The value of a node by our forward; None where that fails, or the shape is another."""
        function, value = self._function_of(node), self.recording.values[node.id]
        if function is None or value is None:
            return None
        try:
            y = np.asarray(function.forward([values[source] for source in node.inputs]))
        except Unanswered:
            return None
        return y.astype(value.dtype)[()] if y.shape == value.shape else None

    def why_not_sent(self, sweep: int, step: Step) -> str:
        """Why what a step sends cannot be computed again; "" where it can."""
        key = sweep, step.node
        if key not in self._rules:
            self._rules[key] = self._find_why_not_sent(step)
        return self._rules[key]

    def _find_why_not_sent(self, step: Step) -> str:
        node = self.recording.nodes[step.node]
        if self._function_of(node) is None:
            return NO_RULE
        if step.incoming is None:
            return NOT_KEPT
        if any(math.prod(self.recording.nodes[id].shape) > MOST_NUMBERS for id in (node.id, *node.inputs)):
            return TOO_LARGE
        again = self.sent(node, step.incoming, self.recording.values)
        if again is None:
            return OTHER_GRADIENT
        pairs = [(ours, theirs) for ours, theirs in zip(again, step.outgoing, strict=True) if theirs is not None]
        fits = all(ours is not None and _are_close(ours, theirs, node.dtype) for ours, theirs in pairs)
        return "" if fits else OTHER_GRADIENT

    def sent(self, node: Node, g: Array, values: Sequence[Array | None]) -> tuple[Any, ...] | None:
        """What a node sends to its inputs by our rules; None where they cannot be fed."""
        function = self._function_of(node)
        if function is None:
            return None
        nodes = self.recording.nodes
        arrays = [self._known(source, values) for source in (*node.inputs, node.id)]
        try:
            return function.vjp(g, arrays[-1], arrays[:-1], [nodes[source].requires_grad for source in node.inputs])
        except Unanswered:
            return None

    def asked(self, sweep: int, step: Step, g: Array) -> tuple[Array | None, ...] | None:
        """What the script's own backward sends from a custom Function, asked of the run; None where that cannot tell.

        It must give what it gave in the run when it is asked for the same.
        """
        key = sweep, step.node
        if key not in self._known_by_run:
            again = None if step.incoming is None else self._sent_by_run(step, step.incoming)
            pairs = zip(again or (), step.outgoing, strict=False)
            self._known_by_run[key] = again is not None and all(
                was is None or (now is not None and _are_close(now, was, was.dtype.name)) for now, was in pairs
            )
        return self._sent_by_run(step, g) if self._known_by_run[key] else None

    def _sent_by_run(self, step: Step, g: Array) -> tuple[Array | None, ...] | None:
        if self._ask is None:
            return None
        try:
            with answering("the run does not say what its backward sends"):
                found = self._ask("sent", {"node": step.node, "v": np.ravel(g).tolist()})
                pairs = zip(found, step.outgoing, strict=True)
                return tuple(
                    [
                        None if out is None or was is None else np.array(out, was.dtype).reshape(was.shape)[()]
                        for out, was in pairs
                    ]
                )
        except GradvizError:
            return None

    def _known(self, id: int, values: Sequence[Array | None]) -> Any:
        """A value; NaN where it was not kept, so that it shows where a rule reads more than its shape."""
        value = values[id]
        return stand_in(self.recording.nodes[id], np.nan) if value is None else value

    def _function_of(self, node: Node) -> NodeFunction | None:
        """A node as a function; None where it has no row, or params that no op has."""
        if node.id not in self._functions:
            op = row_of(node)
            try:
                self._functions[node.id] = None if op is None else NodeFunction(node, op)
            except Unanswered:
                self._functions[node.id] = None
        return self._functions[node.id]


class _Application:
    """One what-if while it is applied."""

    def __init__(self, by: Recalculation, what_if: WhatIf, cancelled: Callable[[], bool]) -> None:
        self._by, self._old, self._cancelled = by, by.recording, cancelled
        self._what_if = what_if
        self.values = list(by.recording.values)
        self.sweeps = list(by.recording.sweeps)
        self.gradients = dict(by.recording.gradients)
        self.kept: dict[int, str] = {}
        self._changed: set[int] = set()
        self._grads: dict[int | str, tuple[Array, Array]] = {}

    def recording(self) -> Recording:
        """What has come out."""
        return replace(self._old, values=tuple(self.values), sweeps=tuple(self.sweeps), gradients=self.gradients)

    def _go_on(self) -> None:
        if self._cancelled():
            raise Cancelled("Stopped.")

    # ---- forward ------------------------------------------------------------------------------------------------

    def compute_values(self) -> None:
        """Put the changed leaves in place, and compute what depends on them."""
        for (id, element, sweep, _), number in self._what_if.changes:
            if sweep is None:
                self._set_value(id, _with_number(self._value(id), element, number, self._old.nodes[id]))
        if not self._changed:
            return
        for node in self._old.nodes[min(self._changed) + 1 :]:
            if node.inputs and not self._changed.isdisjoint(node.inputs):
                self._go_on()
                self._compute_value(node)

    def _value(self, id: int) -> Array:
        value = self.values[id]
        assert value is not None
        return value

    def _set_value(self, id: int, value: Array) -> None:
        self.values[id] = value
        recorded = self._old.values[id]
        if recorded is not None and not np.array_equal(value, recorded, equal_nan=value.dtype.kind in "fc"):
            self._changed.add(id)

    def _compute_value(self, node: Node) -> None:
        reason = self._by.why_not_value(node.id)
        value = None if reason else self._by.forward(node, self.values)
        if value is None:
            self.kept[node.id] = reason or OTHER_SHAPE
        else:
            self._set_value(node.id, value)

    # ---- backward -----------------------------------------------------------------------------------------------

    def compute_sweeps(self) -> None:
        """Every backward call in which a number has changed, and what they add up in `.grad`."""
        for index, call in enumerate(self._old.sweeps):
            edits: dict[tuple[int, int | None], list[tuple[int, float]]] = {}
            for (id, element, sweep, slot), number in self._what_if.changes:
                if sweep == index:
                    edits.setdefault((id, slot), []).append((element, number))
            is_touched = any(step.node in self._changed for step in call.steps) or any(
                not self._changed.isdisjoint(self._old.nodes[step.node].inputs) for step in call.steps
            )
            if edits or is_touched:
                if edits and call.create_graph and call.outputs:
                    self.kept.setdefault(call.outputs[0], OF_GRADIENTS)
                self.sweeps[index] = _Repeat(self, index, edits).run()
            self._accumulate(index)
        for name, final in self._old.gradients.items():
            known = self._grads.get(name)
            if known is not None and final is not None and _same(known[0], final):
                self.gradients[name] = known[1]

    def _accumulate(self, index: int) -> None:
        """What one call did to `.grad`, with other numbers."""
        old, new = self._old.sweeps[index], self.sweeps[index]
        entries = tuple([self._accumulated(entry, old, new) for entry in old.accumulated])
        if any(one is not other for one, other in zip(entries, old.accumulated, strict=True)):
            self.sweeps[index] = replace(new, accumulated=entries)

    def _accumulated(self, entry: Accumulation, old: Sweep, new: Sweep) -> Accumulation:
        """A change of `.grad`; it begins with what the call before left, if it did so in the run."""
        before, after = entry.before, entry.after
        keys = entry.node, self._old.nodes[entry.node].name or entry.node
        known = self._grads.get(keys[0]) or self._grads.get(keys[1])
        if known is not None and before is not None and _same(known[0], before):
            before = known[1]
        came, comes = _incoming(old, entry.node), _incoming(new, entry.node)
        if after is not None and came is not None and comes is not None:
            after = _added(entry, came, before, comes)
        if entry.after is not None and after is not None:
            self._grads |= dict.fromkeys(keys, (entry.after, after))
        is_same = before is entry.before and after is entry.after
        return entry if is_same else Accumulation(entry.node, before, after)

    def has_changed(self, id: int) -> bool:
        """Whether a node has another value than in the run."""
        return id in self._changed

    def keep(self, id: int, why: str) -> None:
        """Say that a node keeps numbers of the run."""
        self.kept.setdefault(id, why)

    # ---- what is broken -----------------------------------------------------------------------------------------

    def first_broken(self) -> Broken | None:
        """The first NaN or infinity that the run did not have."""
        for id in sorted(self._changed):
            if _is_broken(self.values[id], self._old.values[id]):
                return Broken(id, None)
        for index, (new, old) in enumerate(zip(self.sweeps, self._old.sweeps, strict=True)):
            if new is not old:
                for now, was in zip(new.steps, old.steps, strict=True):
                    if _is_broken(now.incoming, was.incoming):
                        return Broken(now.node, index)
        return None


class _Repeat:
    """One backward call run again: in the order of the run, and only where something is other than in the run."""

    def __init__(
        self, of: _Application, index: int, edits: dict[tuple[int, int | None], list[tuple[int, float]]]
    ) -> None:
        self._of, self._index, self._edits = of, index, edits
        self._by = of._by
        self._call: Sweep = of._old.sweeps[index]
        self._nodes = of._old.nodes
        self._terms: dict[int, list[tuple[Array | None, Array | None]]] = {}
        for output, seed in zip(self._call.outputs, self._call.seeds, strict=True):
            self._terms.setdefault(output, []).append((seed, seed))

    def run(self) -> Sweep:
        """The call with its new numbers."""
        steps = []
        for step in self._call.steps:
            self._of._go_on()
            made = self._step(step)
            steps.append(made)
            sources = self._nodes[step.node].inputs
            # What an op sends that stands for one of a call that was not kept goes to nobody here.
            for slot, (source, was, now) in enumerate(zip(sources, step.outgoing, made.outgoing, strict=False)):
                if was is not None or (step.node, slot) in self._call.summaries.outgoing:
                    self._terms.setdefault(source, []).append((was, now))
        edited = {node for node, slot in self._edits if slot is None}
        return replace(self._call, steps=tuple(steps), hooked=self._call.hooked | edited)

    def _step(self, step: Step) -> Step:
        g = self._edited(step.node, None, self._came(step))
        sent = tuple([self._edited(step.node, slot, out) for slot, out in enumerate(self._sent(step, g))])
        is_same = g is step.incoming and all(one is other for one, other in zip(sent, step.outgoing, strict=True))
        return step if is_same else Step(step.node, g, sent)

    def _came(self, step: Step) -> Array | None:
        """What comes in: the sum of what was sent, where that is other than in the run."""
        terms = self._terms.get(step.node, [])
        if step.incoming is None or all(was is now for was, now in terms):
            if step.incoming is None and any(was is not now for was, now in terms):
                self._of.keep(step.node, NOT_KEPT)
            return step.incoming
        was, now = _sum([was for was, _ in terms]), _sum([now for _, now in terms])
        if was is None or now is None:
            self._of.keep(step.node, NOT_KEPT)
            return step.incoming
        dtype = self._nodes[step.node].dtype
        if step.node in self._call.hooked or not _are_close(was, step.incoming, dtype):
            self._of.keep(step.node, HOOKED)
            return step.incoming
        return np.asarray(now).astype(step.incoming.dtype)[()]

    def _sent(self, step: Step, g: Array | None) -> tuple[Array | None, ...]:
        """What goes out: by our rules, where something they read is other than in the run."""
        node = self._nodes[step.node]
        has_changed = any(map(self._of.has_changed, (node.id, *node.inputs)))
        if not step.outgoing or g is None or (g is step.incoming and not has_changed):
            return step.outgoing
        why = self._by.why_not_sent(self._index, step)
        found = None if why else self._by.sent(node, g, self._of.values)
        if why == NO_RULE and not has_changed:  # what it has saved is of the run
            found = self._by.asked(self._index, step, g)
        if found is None:
            self._of.keep(node.id, why or OTHER_GRADIENT)
            return step.outgoing
        return tuple(
            [
                None if was is None else was if now is None else np.asarray(now).astype(was.dtype)[()]
                for was, now in zip(step.outgoing, found, strict=True)
            ]
        )

    def _edited(self, id: int, slot: int | None, g: Array | None) -> Array | None:
        edits = self._edits.get((id, slot))
        if edits is None or g is None:
            return g
        for element, number in edits:
            g = _with_number(g, element, number, self._nodes[id])
        return g


# ---- numbers ----------------------------------------------------------------------------------------------------


def _with_number(array: Array, element: int, number: float, node: Node) -> Array:
    """A copy with another number at one place.

    Raises:
        GradvizError: the dtype cannot hold it.
    """
    if array.dtype.kind in "iub" and not (np.isfinite(number) and float(number).is_integer()):
        raise GradvizError(f"{described(node)} holds whole numbers ({node.dtype}), and {number:g} is none")
    changed = np.array(array)
    try:
        changed.reshape(-1)[element] = number
    except (OverflowError, ValueError) as error:
        raise GradvizError(f"{number:g} does not fit into {described(node)}, which is {node.dtype}") from error
    return changed[()]


def _sum(terms: Sequence[Array | None]) -> Any:
    """The sum in the order given, as the reverse loop forms it; None where a term is not known."""
    total: Any = None
    for term in terms:
        if term is None:
            return None
        total = term if total is None else total + term
    return total


def _added(entry: Accumulation, came: Array, before: Array | None, comes: Array) -> Array | None:
    """`.grad` after a call: what came in, added to what was there or alone, whichever it was in the run."""
    after = entry.after
    assert after is not None
    if came is comes and before is entry.before:
        return after
    if entry.before is not None and before is not None and _are_close(entry.before + came, after, after.dtype.name):  # type: ignore[operator]
        return np.asarray(before + comes).astype(after.dtype)[()]  # type: ignore[operator]
    return comes if _are_close(came, after, after.dtype.name) else after


def _incoming(call: Sweep, id: int) -> Array | None:
    order = call.step_of.get(id)
    return None if order is None else call.steps[order].incoming


def _same(one: Array, other: Array) -> bool:
    return one is other or (one.shape == other.shape and np.array_equal(one, other, equal_nan=one.dtype.kind in "fc"))


def _are_close(ours: Any, theirs: Array, dtype: str) -> bool:
    """Whether two arrays are the same but for rounding; NaN to NaN."""
    a, b = np.asarray(ours), np.asarray(theirs)
    if a.shape != b.shape:
        return False
    if np.array_equal(a, b, equal_nan=a.dtype.kind in "fc" and b.dtype.kind in "fc"):
        return True
    if a.dtype.kind not in "fiu" or b.dtype.kind not in "fiu":
        return False
    a, b = a.astype(np.float64), b.astype(np.float64)
    scale = float(np.max(np.abs(b[np.isfinite(b)]), initial=0.0))
    tolerance = TOLERANCES.get(dtype, TOLERANCE)
    return bool(np.allclose(a, b, rtol=tolerance, atol=tolerance * scale, equal_nan=True))


def _is_broken(now: Array | None, was: Array | None) -> bool:
    if now is None or now is was or now.dtype.kind not in "fc":
        return False
    return not np.isfinite(now).all() and (was is None or bool(np.isfinite(was).all()))
