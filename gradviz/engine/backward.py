"""The backward pass: the one reverse loop, for backward(), grad(), create_graph, hooks and custom Functions alike.

Entries are numbered in the order in which they were made, so running them from the last to the first runs every entry
after all its consumers: by then all that comes in has been summed in `incoming`. Each entry's rules turn what comes in,
dL/dy, into what goes out, one dL/dx for each input. At a leaf what comes in is added to `.grad`.

The sum at an entry that is used several times is formed last consumer first, which is PyTorch's order too.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

from gradviz.engine.apply import apply
from gradviz.engine.hooks import as_tensor, is_same, run_node_hooks, run_pre_hooks, run_tensor_hooks
from gradviz.engine.reach import clear, index_of, leading_to, put_aside, reached_from
from gradviz.engine.saved import FREED, TWICE, check_finite, check_kept, keeps, keeps_something
from gradviz.engine.state import state
from gradviz.engine.sweep import Sweep
from gradviz.engine.tensor import EVEN, Tensor, constant, current, extra_of, owner_of
from gradviz.engine.tensor import entry as entry_of
from gradviz.engine.views import kept_array, replace
from gradviz.ops.elementwise import PIECE
from gradviz.ops.fitting import Gradient, fit
from gradviz.ops.functions import zeros_like
from gradviz.ops.in_place import COPY
from gradviz.ops.op import Op
from gradviz.ops.shape import ALIAS

KINKED_NORMS = (1, math.inf, -math.inf)
"""The orders of norms that are straight between their kinks; see `Op.is_piecewise`."""


class Pass:
    """One run of the reverse loop.

    Attributes:
        sweep: the record of it.
        asked: for `autograd.grad`, the entries whose gradients were asked for; None for `backward()`.
        wanted: for `autograd.grad`, the entries from which some path leads on to one of those.
        found: what came in at the entries asked for.
        leaves: the leaves that gradients came to, in the order of their first one.
        after: what stands in `incoming` of an entry that has run.
        pending: how many entries wait for their turn with something that came in.
        is_checked: whether saved values that were changed are refused.
        last_uses: for passes in which leaves have hooks, the leaves that have all that will come in after an entry.
    """

    def __init__(self, sweep: Sweep, asked: set[Tensor] | None = None) -> None:
        self.sweep = sweep
        self.asked = asked
        self.wanted = None if asked is None else leading_to(sweep.outputs, asked)
        self.found: dict[Tensor, Gradient] = {}
        self.leaves: list[Tensor] = []
        self.after = None if sweep.retain_graph else FREED
        self.pending = 0
        self.is_checked = True
        self.last_uses: dict[Tensor, list[Tensor]] = {}

    def run(self) -> None:
        """Send the seeds back to the leaves.

        Raises:
            RuntimeError: saved values that were freed or changed, and whatever a rule, a hook or a custom Function
                raises. What was under way is put away, so that the next pass begins clean.
        """
        sweep = self.sweep
        enabled, state.grad_enabled = state.grad_enabled, sweep.create_graph
        aside = put_aside(sweep.outputs) if state.passes else []
        state.passes += 1
        try:
            for output, seed in zip(sweep.outputs, sweep.seeds, strict=True):
                if self.wanted is None or output in self.wanted:  # the loop comes to no other one, and clears none
                    self.send(output, seed)
            self._loop(self._order())
            for leaf in self.leaves:
                if leaf.incoming is not None:
                    self.accumulate(leaf)
        except BaseException as error:
            sweep.error = error
            clear(sweep.outputs)
            raise
        finally:
            state.passes -= 1
            state.grad_enabled = enabled
            for x, incoming in aside:
                x.incoming = incoming

    def run_freed(self) -> None:
        """Run a pass over a graph that may have been freed or changed: entries keep what was recorded all the same."""
        self.is_checked = False
        freed = [x for x in reached_from(self.sweep.outputs) if x.incoming is FREED]
        for x in freed:
            x.incoming = None
        try:
            self.run()
        finally:
            for x in freed:
                x.incoming = FREED

    def _loop(self, order: Iterable[Tensor]) -> None:
        steps, leaves, after, wanted, asked = self.sweep.steps, self.leaves, self.after, self.wanted, self.asked
        is_watched = bool(self.last_uses) or state.detects_anomaly or self.sweep.create_graph
        pending = 0  # as self.pending, which counts what is sent by `send`; a local one costs half as much
        for entry in order:
            g = entry.incoming
            if g is None or g is FREED:
                if not pending + self.pending:
                    break
                continue
            entry.incoming = after
            pending -= 1
            op: Any = entry.op  # what is in the order has one
            # Nearly all entries of a large graph are plain ops of one or two inputs, all of which take a gradient. For
            # them the rules are called here, since a call more costs as much as a product of two numbers.
            inputs = entry.inputs
            if (
                entry.params is EVEN and op.plain and entry.extra is None and not is_watched
                and (wanted is None or (entry not in asked and wanted.issuperset(inputs)))  # type: ignore[operator]
            ):  # fmt: skip
                if op.plain == 2:
                    x, other = inputs
                    if (x.extra is not None and x.extra.memory is not None) or (
                        other.extra is not None and other.extra.memory is not None
                    ):
                        self._run_entry(entry, op, g)
                        continue
                    if op.passes:
                        out = second = g
                    else:
                        y, a, b = entry.array, x.array, other.array
                        out = op.first(g, y, a, b)
                        second = op.second(g, y, a, b)
                    steps.append((entry, g, out, second))
                    before = other.incoming
                    if before is None:
                        other.incoming = second
                        if other.op is None:
                            leaves.append(other)
                        else:
                            pending += 1
                    elif before is FREED:
                        self.send(other, second)
                    else:
                        other.incoming = before + second
                else:
                    (x,) = inputs
                    if x.extra is not None and x.extra.memory is not None:
                        self._run_entry(entry, op, g)
                        continue
                    out = op.first(g, entry.array, x.array)
                    steps.append((entry, g, out))
                before = x.incoming
                if before is None:
                    x.incoming = out
                    if x.op is None:
                        leaves.append(x)
                    else:
                        pending += 1
                elif before is FREED:
                    self.send(x, out)
                else:
                    x.incoming = before + out
            else:
                self._run_entry(entry, op, g)

    def _run_entry(self, entry: Tensor, op: Op, g: Gradient) -> None:
        """One entry of any kind."""
        self.sweep.at = entry
        if entry.extra is not None:
            g = self._before(entry, g, entry)
        if self.asked is not None and entry in self.asked:
            self.found[entry] = g
            assert self.wanted is not None
            if self.wanted.isdisjoint(entry.inputs):
                self.sweep.steps.append((entry, g))
                return
        if self.is_checked:
            check_kept(entry)
        sent = self.outgoing(entry, op, g)
        if state.detects_anomaly:
            check_finite(entry, sent)
        if entry.extra is not None and entry.extra.node_hooks:
            sent = run_node_hooks(entry, sent, g)
        self.sweep.steps.append((entry, g, *sent))
        for x, gradient in zip(entry.inputs, sent, strict=True):
            if gradient is not None:
                self.send(x, gradient)
        if self.last_uses:
            for leaf in self.last_uses.get(entry, ()):
                if leaf.incoming is not None:
                    self.accumulate(leaf)

    def outgoing(self, entry: Tensor, op: Op, g: Gradient) -> tuple[Gradient | None, ...]:
        """What goes out of an entry: one gradient per input, of that input's shape and dtype, or None."""
        wanted = self.wanted
        if op.joint is not None:
            given = zip(entry.inputs, op.joint(entry, g), strict=True)
            return tuple([out if x.tracked and (wanted is None or x in wanted) else None for x, out in given])
        params, create_graph = entry.params, self.sweep.create_graph
        y: Any
        self._note_read(entry, op)
        if create_graph:
            y, inputs = as_recorded(entry), [as_recorded(x) for x in entry.inputs]
        else:
            y = entry.array if entry.extra is None else kept_array(entry)
            inputs = [x.array if x.extra is None else kept_array(x) for x in entry.inputs]
        found: list[Gradient | None] = []
        for x, rule in zip(entry.inputs, op.rules(len(inputs)), strict=False):
            out = None
            if rule is not None and x.tracked and (wanted is None or x in wanted):
                out = rule(g, y, *inputs, **params)
                if out is not None:
                    out = fit(out, x.array)
            found.append(out)
        if create_graph and (op.is_piecewise or params.get("p") in KINKED_NORMS):
            found[0] = apply(PIECE, (found[0], inputs[0])) if isinstance(found[0], Tensor) else found[0]
        return tuple(found)

    def _note_read(self, entry: Tensor, op: Op) -> None:
        """Take note of what the rules of an entry read in the place of recorded numbers: see `kept_array`."""
        for slot, x in enumerate((*entry.inputs, entry)):
            if x.extra is None or x.extra.memory is None:
                continue
            array = kept_array(x)
            if array is not x.array and keeps(entry, "y" if x is entry else op.input_name(slot)):
                self.sweep.read.append((entry, x, array))

    def send(self, x: Tensor, g: Gradient) -> None:
        """Add what an entry sends to what has come in at one of its inputs."""
        before = x.incoming
        if before is None:
            x.incoming = g
            if x.op is None:
                self.leaves.append(x)
            else:
                self.pending += 1
        elif before is FREED:
            if keeps_something(x):
                raise RuntimeError(TWICE)
            x.incoming = g
            self.pending += 1
        else:
            x.incoming = before + g

    # ---- leaves ------------------------------------------------------------------------------------------------

    def accumulate(self, entry: Tensor) -> None:
        """A leaf's step: add what has come in to `.grad`, with the leaf's hooks around it."""
        g, entry.incoming = entry.incoming, None
        self.sweep.at = entry
        leaf = entry if entry.extra is None else owner_of(entry)
        if leaf.extra is not None:
            g = self._before(leaf, g, entry)
        self.sweep.steps.append((entry, g))
        if self.asked is not None:
            self.found[entry] = g
            return
        self.add_to_grad(leaf, g, entry)
        if leaf.extra is not None and leaf.extra.late_hooks:
            at = len(self.sweep.accumulated) - 1
            for hook in tuple(leaf.extra.late_hooks.values()):
                hook(leaf)
            grad = leaf.extra.grad  # what the hooks left: none, where one has made the optimizer's step
            after = None if grad is None else current(grad).array
            self.sweep.accumulated[at] = (*self.sweep.accumulated[at][:2], after)

    def add_to_grad(self, x: Tensor, g: Gradient, entry: Tensor) -> None:
        """Add what has come in at an entry to the `.grad` of its tensor."""
        extra = extra_of(x)
        before, after = None, g
        if extra.grad is None:
            extra.grad = made = as_tensor(g)
            if made is g:
                if g.tracked:
                    extra.grad = apply(COPY, (zeros_like(g), g))
                after = current(extra.grad).array
        else:
            before = current(extra.grad).array
            if self.sweep.create_graph:
                extra.grad = extra.grad + g
            else:
                _add_in_place(extra.grad, g)
            after = current(extra.grad).array
        self.sweep.accumulated.append((entry, before, after))

    def _before(self, entry: Tensor, g: Gradient, at: Tensor) -> Gradient:
        """What comes in, after the tensor's hooks and the node's pre-hooks; kept where the tensor retains it.

        Args:
            at: the entry of the step, which is an older state of a leaf where that was changed since.
        """
        extra, came = entry.extra, g
        assert extra is not None
        if extra.hooks:
            g = run_tensor_hooks(entry, g, self.sweep)
        if extra.retains_grad and self.asked is None:
            kept = extra_of(owner_of(entry))
            if kept.grad is None:
                before, kept.grad = None, g.clone() if isinstance(g, Tensor) else constant(g)
            else:
                before, kept.grad = current(kept.grad).array, kept.grad + as_tensor(g)
            self.sweep.accumulated.append((entry, before, current(kept.grad).array))
        g = run_pre_hooks(entry, g) if extra.node_hooks else g
        if g is not came and not is_same(g, came):
            self.sweep.hooked.add(at)
        return g

    # ---- in which order ------------------------------------------------------------------------------------------

    def _order(self) -> Iterable[Tensor]:
        """The entries to look at, last first."""
        tape = state.tape
        if self.wanted is not None:
            return [entry for entry in reached_from(self.sweep.outputs) if entry in self.wanted]
        if tape is not None and not state.has_leaf_hooks:
            top = max([output.index for output in self.sweep.outputs])
            if tape and tape[-1].index <= top:
                return reversed(tape)
            return islice(reversed(tape), len(tape) - bisect_right(tape, top, key=index_of), None)
        order = reached_from(self.sweep.outputs)
        if state.has_leaf_hooks:
            self._note_last_uses(order)
        return order

    def _note_last_uses(self, order: Sequence[Tensor]) -> None:
        last: dict[Tensor, Tensor] = {}
        for entry in order:
            for x in entry.inputs:
                if x.op is None and x.tracked:
                    last[x] = entry
        for leaf, entry in last.items():
            self.last_uses.setdefault(entry, []).append(leaf)


def as_recorded(entry: Tensor) -> Tensor:
    """An entry as a tensor that rules can compute with: it stays what it was, whatever it moved on to since."""
    extra = entry.extra
    if extra is None or (extra.current is None and (extra.memory is None or extra.born == extra.memory.writes)):
        return entry
    return entry_of(ALIAS, (entry,), EVEN, kept_array(entry)) if entry.tracked else constant(kept_array(entry))


def _add_in_place(grad: Tensor, g: Gradient) -> None:
    """`.grad += g`, by which a script that holds the gradient sees it grow."""
    replace(grad, current(grad).array + (g.array if isinstance(g, Tensor) else g))
