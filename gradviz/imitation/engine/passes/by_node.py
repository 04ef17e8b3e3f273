"""The backward pass node by node, exactly as PyTorch's engine goes: for passes that somebody's code looks into.

Hooks, custom Functions, create_graph, chosen inputs and anomaly mode need the true order: which nodes wait for
which, what is ready next, that a leaf accumulates as soon as its last term is in, and that a node whose consumers
sent nothing still runs. All other passes take the plain loop of `backward`, which is several times as fast and gives
the same.

Source: torch/csrc/autograd/engine.cpp, `compute_dependencies`, `evaluate_function`, `call_function`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gradviz.imitation.engine.dtypes import HALVES
from gradviz.imitation.engine.generic import to
from gradviz.imitation.engine.hooks.on_nodes import (
    as_tensor,
    changed_by,
    run_accumulated,
    run_node_hooks,
    run_tensor_hooks,
)
from gradviz.imitation.engine.memory.refused_writes import REPEATED
from gradviz.imitation.engine.memory.repeating_views import of_last
from gradviz.imitation.engine.memory.retained import keeper_of
from gradviz.imitation.engine.nodes import (
    accumulator,
    edges,
    head,
    inside,
    is_again,
    output_number,
    results,
    views_between,
)
from gradviz.imitation.engine.passes.accumulate import add_to_grad, retain
from gradviz.imitation.engine.passes.backward import PULSE, check_kept, check_until, full_name, outgoing
from gradviz.imitation.engine.passes.memories import note_shown, writes
from gradviz.imitation.engine.passes.node_rules import by_function, by_rules, is_half, of_halves
from gradviz.imitation.engine.passes.other_memory import fitted, gathers, is_moved, of_same_sizes
from gradviz.imitation.engine.passes.outgoing_tensors import outgoing_tensors
from gradviz.imitation.engine.passes.ready_queue import FIRST, ReadyQueue
from gradviz.imitation.engine.passes.steps import (
    LISTED,
    Sent,
    asked,
    note_leaf,
    of_node,
    output_count,
    refuse_nan,
    to_all,
    to_node,
    where_looked_at,
    write_down,
)
from gradviz.imitation.engine.passes.sweep_record import SweepRecord
from gradviz.imitation.engine.tensor import Tape, Tensor
from gradviz.imitation.engine.warn import warn
from gradviz.errors import TorchError


class NodePass:
    """One pass.

    Attributes:
        wanted: positions that gradients are asked for; None for all leaves.
        given: the seeds as the user gave them: under create_graph they are part of the graph.
        accumulates: whether gradients go into `.grad`; else they are only found.
        found: the gradient by position asked for.
    """

    def __init__(
        self,
        tape: Tape,
        record: SweepRecord,
        wanted: Sequence[int] | None = None,
        *,
        given: Sequence[Any] = (),
        accumulates: bool,
    ) -> None:
        self.tape = tape
        self.entries = tape.entries
        self.record = record
        self.wanted = wanted
        self.given = given
        self.accumulates = accumulates
        self.found: dict[int, Any] = {}
        self._waits: dict[int, int] = {}
        self._came: dict[int, list[Any]] = {}
        self._shares: dict[int, dict[int, Any]] = {}
        self._leaf_keys: dict[tuple[int, int], int] = {}
        self._oldest: dict[tuple[int, int], int] = {}
        self._captures: dict[int, list[int]] = {}
        self._runs: set[int] | None = None
        self._inner: set[int] = set()
        self._ready = ReadyQueue()

    def run(self) -> None:
        """Go through the graph; fills the record.

        Raises:
            TorchError: as PyTorch does, in its words; or what a hook raises.
        """
        roots = [self._place(i) for i in self.record.outputs]
        self._count([key for key, _ in roots])
        if self.wanted is not None:
            self._choose(self.wanted)
        self.tape.passes.append(self)
        try:
            for (key, number), position, given in zip(roots, self.record.outputs, self._seeds(), strict=True):
                seed = self._fitted(given, position, 0)
                if not self._send(key, number, position, seed) and len(roots) == 1:  # PyTorch looks at an only root
                    self._only_look(key, number, seed)
            self._go()
        finally:
            self.tape.passes.pop()

    def _go(self) -> None:
        while self._ready:
            key = self._ready.pop()
            if not key & PULSE:
                self.tape.pulse()
            if self.entries[key].op is None:
                self._accumulate(key)
            elif self.tape.trace is None:
                self._visit(key)
            else:
                self._visit_traced(key)

    def given_as(self, g: Any) -> Tensor | None:
        """The tensor that the user gave as a seed, where a gradient is just that; else None."""
        found = (v for seed, v in zip(self.record.seeds, self.given, strict=False) if seed is g or v is g)
        return next((v for v in found if isinstance(v, Tensor) and v.dtype is g.dtype), None)

    def _seeds(self) -> Sequence[Any]:
        if not self.record.create_graph:
            return self.record.seeds
        pairs = zip(self.record.seeds, self.given or [None] * len(self.record.seeds), strict=True)
        return [to(v, seed.dtype) if isinstance(v, Tensor) else self.tape.tensor(seed) for seed, v in pairs]

    # ---- what waits for what ----

    def _place(self, position: int) -> tuple[int, int]:
        """The node of an entry (as the position of its head; of a leaf, of its first use met) and the output."""
        entry = self.entries[position]
        op = entry.op
        if op is None:
            leaf = accumulator(entry)
            self._oldest[leaf] = min(position, self._oldest.get(leaf, position))
            return self._leaf_keys.setdefault(leaf, position), 0
        is_head = not op.output and not is_again(entry)
        return (position, 0) if is_head else (head(entry).index, output_number(entry))

    def _edges(self, key: int) -> list[tuple[int, int]]:
        """(slot, position) of the inputs that take a gradient."""
        return [(slot, j) for slot, j in enumerate(edges(self.entries[key])) if self.entries[j].requires_grad]

    def _count(self, roots: list[int]) -> None:
        """Count for every node how many edges lead to it from nodes that are reached."""
        waits, lowest = self._waits, self._lowest()
        pending = []
        for key in roots:
            if key not in waits:
                waits[key] = 0
                pending.append(key)
            waits[key] += 1
        while pending:
            for _, j in self._edges(pending.pop()):
                key, _ = self._place(j)
                if key not in waits:
                    waits[key] = 0
                    if key >= lowest:
                        pending.append(key)
                waits[key] += 1

    def _lowest(self) -> int:
        """No node before this position leads to what is wanted. A leaf that was changed has older positions."""
        if self.wanted is None:
            return 0
        entries = [self.entries[i] for i in self.wanted]
        is_changed = any(x.op is None and x.extra is not None and x.extra.storage is not None for x in entries)
        return 0 if is_changed else min((self._place(i)[0] for i in self.wanted), default=0)

    def _choose(self, wanted: Sequence[int]) -> None:
        """Only nodes on a path to what is wanted run; those that are wanted themselves may only be looked at."""
        runs: set[int] = set()
        for position in wanted:
            key, _ = self._place(position)
            if self.accumulates:
                runs.add(key)
            else:
                self._captures.setdefault(key, []).append(position)
        for key in sorted(key for key in self._waits if self.entries[key].op is not None):
            if key not in runs and any(self._is_reached(self._place(j)[0], runs) for _, j in self._edges(key)):
                runs.add(key)
        self._runs = runs

    def _is_sent(self, position: int) -> bool:
        """Whether the pass needs the gradient of an entry."""
        runs, takes = self._runs, self.entries[position].requires_grad
        return takes and (runs is None or self._is_reached(self._place(position)[0], runs))

    def _is_reached(self, key: int, runs: set[int]) -> bool:
        return key in runs or key in self._captures

    def refuse_captured(self, tensors: Sequence[Tensor]) -> None:
        """Raise for a leaf whose gradient this pass only finds: PyTorch cannot say whether its node takes part."""
        keys = (self._leaf_keys.get(accumulator(x)) for x in tensors if x.op is None)
        if not self.accumulates and any(key in self._captures for key in keys):
            raise TorchError(
                "A leaf node was passed to _will_engine_execute_node but we are currently running autograd.grad(). "
                "This is currently not supported."
            )

    def will_visit(self, tensor: Tensor) -> bool:
        """Whether the node that made a tensor (of a leaf, that accumulates its gradient) takes part in the pass."""
        top = head(tensor)
        key = self._leaf_keys.get(accumulator(tensor)) if top.op is None else top.index
        if len(self.record.outputs) == 1 and key == self._place(self.record.outputs[0])[0]:
            return False  # PyTorch counts the nodes that an edge leads to, and none leads to an only root
        return key is not None and key in self._waits and (self._runs is None or self._is_reached(key, self._runs))

    def _send(self, key: int, number: int, position: int, g: Any, slot: int = 0, sender: Tensor | None = None) -> bool:
        """Add a gradient to what came to an output of a node; returns whether the node takes part in the pass."""
        self._waits[key] -= 1
        takes_part = self._runs is None or self._is_reached(key, self._runs)
        if takes_part:
            g = self._fitted(g, position, slot, sender)
            entry = self.entries[key]
            came = self._came.get(key)
            if came is None:
                came = self._came[key] = [None] * output_count(entry)
            if g is not None:
                came[number] = g if came[number] is None else came[number] + g
                if entry.op is None or is_again(self.entries[position]):
                    shares = self._shares.setdefault(key, {})
                    shares[position] = g if position not in shares else shares[position] + g
            if not self._waits[key]:
                self._ready.push(FIRST if entry.op is None or entry.op.refuses else key, key)
        return takes_part

    # ---- one node ----

    def _only_look(self, key: int, number: int, g: Any) -> None:
        """The hooks of the tensors that a node made, where the node itself does not run."""
        entry = self.entries[key]
        made = results(entry) if entry.op is not None else [head(entry)]
        raw = [None] * output_count(entry)
        raw[number] = g
        self._looked_at(made, [output_number(x) for x in made], raw)

    def _visit_traced(self, key: int) -> None:
        """In anomaly mode: where a node fails, say where it was made."""
        assert self.tape.trace is not None
        name = full_name(self.entries[key])
        try:
            self._visit(key)
        except TorchError:
            warn(f"Error detected in {name}. {self.tape.trace(key)}")
            raise

    def _visit(self, key: int) -> None:
        entry = self.entries[key]
        raw = self._came.pop(key)
        made = results(entry)
        numbers = [output_number(x) for x in made]
        came = self._looked_at(made, numbers, raw)
        runs = self._runs is None or key in self._runs
        for position in self._captures.get(key, ()):
            self.found[position] = (raw if runs else came)[self._place(position)[1]]
        if not runs:
            return
        hooks = entry.extra.node_hooks if entry.extra is not None else None
        if hooks is not None and hooks.before:
            came = of_node(entry, self._through(hooks.before, to_node(entry, came), entry))
        sent, steps = self.sends(entry, made, numbers, came)
        if entry.extra is not None and entry.extra.is_repeating and self._is_sent(entry.inputs[0]):
            raise TorchError(REPEATED, hint="clone() what expand() gave before it is changed.")
        if hooks is not None and hooks.after:
            sent = self._asked_for(key, sent, came[0])
            changed = self._through(hooks.after, sent, entry, tuple(as_tensor(g, entry) for g in to_node(entry, came)))
            if any(a is not b for a, b in zip(changed, sent, strict=True)):
                sent = tuple(changed)
                steps = [(at, g, (None,) * len(self.entries[at].inputs)) for at, g, _ in steps]
                if steps and inside(entry) is None:
                    steps[-1] = (*steps[-1][:2], asked(sent, [self.entries[j] for j in entry.inputs]))
        if not self.record.retain_graph:
            self._free(steps)
        steps = where_looked_at(steps, self._shares.pop(key, {}), self.entries)
        if self.tape.finds_nan:
            refuse_nan(entry, sent)
        taking = [False] * len(sent)
        for slot, j in self._edges(key):
            target, number = self._place(j)
            taking[slot] = self._send(target, number, j, sent[slot], slot, entry)
        write_down(self.record, self.tape, steps, taking, self._inner)

    def _asked_for(self, key: int, sent: Sent, g: Any) -> Sent:
        """What hooks see of what a node sends: PyTorch's own nodes make nothing that the pass does not need."""
        entry, op, runs = self.entries[key], self.entries[key].op, self._runs
        if op is not None and op.name in LISTED and g is not None and not self.record.create_graph:
            return to_all(entry, g, sent)
        if runs is None or op is None or op.joint is not None:
            return sent
        needed = {slot for slot, j in self._edges(key) if self._is_reached(self._place(j)[0], runs)}
        return tuple(g if slot in needed else None for slot, g in enumerate(sent))

    def _looked_at(self, made: list[Tensor], numbers: list[int], raw: list[Any]) -> list[Any]:
        """What came, after the hooks of the tensors; those that retain their gradient get it."""
        if not any(x.extra is not None and (x.extra.hooks or x.extra.keeper) for x in made):
            return raw
        came = list(raw)
        changed = self._hooked(made, [raw[number] for number in numbers])
        for x, number, g in zip(made, numbers, changed, strict=True):
            came[number] = g
            if (tensor := keeper_of(x)) is not None and g is not None:
                self.record.accumulated.append((x.index, *retain(tensor, g)))
        return came

    def _hooked(self, made: list[Tensor], came: list[Any]) -> list[Any]:
        """Gradients after the hooks of the tensors."""
        return self._after(came, made, lambda shown: run_tensor_hooks(made, shown))

    def _through(self, table: dict[int, Any], values: Sent, like: Tensor, *context: Sent) -> list[Any]:
        """Gradients after the hooks of the node."""
        return self._after(values, [like] * len(values), lambda x: run_node_hooks(table, tuple(x), *context))

    def _after(self, values: Sequence[Any], like: list[Tensor], run: Callable[[list[Any]], Sequence[Any]]) -> list[Any]:
        """Gradients after `run` called hooks with them as tensors: what a hook gave, or what it changed in place."""
        given = [self.given_as(g) for g in values]  # a seed is shown as the very tensor that was given
        shown = [as_tensor(g if seed is None else seed, x) for g, seed, x in zip(values, given, like, strict=True)]
        note_shown(shown, like, self.record)
        found = zip(values, changed_by(run, shown), strict=True)
        return [self._own(new) if is_new else g for g, (new, is_new) in found]

    def _own(self, g: Tensor | None) -> Any:
        return g if g is None or self.record.create_graph else g.data

    def sends(
        self, entry: Tensor, made: list[Tensor], numbers: list[int], came: list[Any]
    ) -> tuple[Sent, list[tuple[int, Any, Sent]]]:
        """One gradient per input, and the steps (position, incoming, outgoing) to write down."""
        op = entry.op
        assert op is not None
        sources = [self.entries[j] for j in entry.inputs]
        part = inside(entry)
        if part is not None:
            return self._through_part(entry, part, came[0])
        if op.joint is not None:  # it looks at what it saved when its code asks for it
            return by_function(entry, made, numbers, came, sources, by_tensors=self.record.create_graph)
        if HALVES and not self.record.create_graph and is_half(made, sources):
            return of_halves(op, made, numbers, came, sources)
        return by_rules(op, made, numbers, came, sources, by_tensors=self.record.create_graph)

    def _through_part(self, entry: Tensor, part: Tensor, g: Any) -> tuple[Sent, list[tuple[int, Any, Sent]]]:
        """The gradients of a change through a view: what goes to the base, whole, and what goes to the other inputs.

        The change runs inside the node of the base; it and the views on the way are steps of the picture, no nodes.
        """
        sources = [self.entries[j] for j in entry.inputs]
        send: Callable[..., Sent] = outgoing_tensors if self.record.create_graph else outgoing
        if g is None:
            return (None,) * len(edges(entry)), []
        assert entry.op is not None
        check_kept(entry.op, entry, sources)
        rest, of_part = send(entry.op, g, entry, sources)
        sent, steps = self.sends(part, [part], [0], [of_part])
        back = of_last(part, sent[0])
        steps = [*steps, (entry.index, g, (rest, of_part))]
        for view in views_between(part, entry.inputs[0]) or ():
            if back is not None:
                with of_same_sizes():
                    (out,) = send(view.op, back, view, [self.entries[j] for j in view.inputs])
                steps.insert(0, (view.index, back, (out,)))
                back = out
        whole = rest if back is None else back if rest is None else rest + back
        self._inner.update(at for at, _, _ in steps[:-1])
        return (whole, *sent[1:]), steps

    def _fitted(self, g: Any, position: int, slot: int, entry: Tensor | None = None) -> Any:
        """A gradient as the node that it goes to knows it, where a tensor looks into other memory since."""
        x = self.entries[position]
        if x.op is None:  # its AccumulateGrad is that of its first use
            x = self.entries[self._oldest[accumulator(x)]]
        if g is None or not (is_moved(x) or is_again(x) or gathers(x)):
            return g
        return fitted(g, x, slot, "" if entry is None else full_name(entry))

    def _free(self, steps: list[tuple[int, Any, Sent]]) -> None:
        self.tape.freed.update(at for at, _, _ in steps)
        check_until(self.tape, (at for at, _, _ in steps))

    # ---- leaves ----

    def _accumulate(self, key: int) -> None:
        """The gradient of a leaf, after its hooks: into `.grad`, or found."""
        (raw,), leaf = self._came.pop(key), head(self.entries[key])
        (g,) = self._hooked([leaf], [raw])
        if not self.accumulates:
            self.found |= dict.fromkeys(self._captures[key], g)
            note_leaf(self.record, self._shares.get(key, {}), g, raw)
            return
        hooks = leaf.extra.node_hooks if leaf.extra is not None else None
        if hooks is not None and hooks.before:
            (g,) = self._through(hooks.before, (g,), leaf)
        if g is not None and leaf.requires_grad:  # it may have been turned off since
            before, after = add_to_grad(leaf, g, self.record.seeds, self.given, writes(self.record, self.tape, key))
            self.record.accumulated.append((max(self._shares[key]), before, after))
        note_leaf(self.record, self._shares.get(key, {}), g, raw)
        if hooks is not None:
            run_accumulated(hooks.accumulated, leaf)
            run_node_hooks(hooks.after, (), (as_tensor(g, leaf),))
