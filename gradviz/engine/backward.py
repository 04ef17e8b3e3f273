"""The backward pass: the one reverse loop, for backward(), grad(), create_graph, hooks and custom Functions alike.

Entries are numbered in the order in which they were made, so running them from the last to the first runs every entry
after all its consumers: by then all that comes in has been summed in `incoming`. Each entry's rules turn what comes in,
dL/dy, into what goes out, one dL/dx for each input. At a leaf what comes in is added to `.grad`.

The sum at an entry that is used several times is formed last consumer first, which is PyTorch's order too.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Any

import numpy as np

from gradviz.engine.apply import apply
from gradviz.engine.dtypes import dtype_of
from gradviz.engine.op import Op, names
from gradviz.engine.ops.rules import zeros_like
from gradviz.engine.state import state
from gradviz.engine.sweep import Accumulated, Gradient, Sweep
from gradviz.engine.tensor import EVEN, Tensor, constant, current, extra_of, owner_of
from gradviz.engine.tensor import entry as entry_of
from gradviz.engine.views import ALIAS, CAST, COPY, PIECE, kept_array, replace, was_written

TWICE = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already "
    "been freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). "
    "Specify retain_graph=True if you need to backward through the graph a second time or if you need to access "
    "saved tensors after calling backward."
)
CHANGED = (
    "one of the variables needed for gradient computation has been modified by an inplace operation: "
    "[torch.{type}Tensor {shape}]{made_by} is at version {now}; expected version {expected} instead. Hint: {hint}"
)
ENABLE_ANOMALY = (
    "enable anomaly detection to find the operation that failed to compute its gradient, with "
    "torch.autograd.set_detect_anomaly(True, check_nan=False)."
)
SHOWN_ABOVE = (
    "the backtrace further above shows the operation that failed to compute its gradient. The variable in question was "
    "changed in there or anywhere later. Good luck!"
)

PIECEWISE = names(
    """
    abs adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool2d
    adaptive_max_pool3d avg_pool1d avg_pool2d avg_pool3d copysign hardshrink hardsigmoid hardtanh leaky_relu max_pool1d
    max_pool2d max_pool3d nll_loss nll_loss2d prelu relu rrelu softshrink threshold
    """
)
"""Ops that are straight between their kinks. The second derivative of these is 0, and not the error that there is no
way from the first one back to the input."""
KINKED_NORMS = (1, math.inf, -math.inf)
"""The orders of norms of which the same holds."""

FREED: Any = type("Freed", (), {"__repr__": lambda _: "freed"})()
"""Stands in `incoming` of an entry whose saved values a pass has let go of."""


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
        aside = _put_aside(sweep.outputs) if state.passes else []
        state.passes += 1
        try:
            for output, seed in zip(sweep.outputs, sweep.seeds, strict=True):
                self.send(output, seed)
            self._loop(self._order())
            for leaf in self.leaves:
                if leaf.incoming is not None:
                    self.accumulate(leaf)
        except BaseException as error:
            sweep.error = error
            _clear(sweep.outputs)
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
                    y, a, b = entry.array, x.array, other.array
                    out = op.first(g, y, a, b)
                    second = op.second(g, y, a, b)
                    steps.append((entry, g, (out, second)))
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
                    steps.append((entry, g, (out,)))
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
            g = self._before(entry, g)
        if self.asked is not None and entry in self.asked:
            self.found[entry] = g
            assert self.wanted is not None
            if self.wanted.isdisjoint(entry.inputs):
                self.sweep.steps.append((entry, g, ()))
                return
        self._check_kept(entry)
        sent = self.outgoing(entry, op, g)
        if state.detects_anomaly:
            _check_finite(entry, sent)
        if entry.extra is not None and entry.extra.node_hooks:
            sent = self._after(entry, sent, g)
        self.sweep.steps.append((entry, g, sent))
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
        params = entry.params
        y: Any
        inputs: list[Any] = []
        if self.sweep.create_graph:
            y = as_recorded(entry)
            inputs = [as_recorded(x) for x in entry.inputs]
        else:
            y = entry.array if entry.extra is None else kept_array(entry)
            for x in entry.inputs:
                inputs.append(x.array if x.extra is None else kept_array(x))
        found: list[Gradient | None] = []
        for x, rule in zip(entry.inputs, op.rules(len(inputs)), strict=False):
            out = None
            if rule is not None and x.tracked and (wanted is None or x in wanted):
                out = rule(g, y, *inputs, **params)
                if out is not None:
                    out = fit(out, x.array)
            found.append(out)
        if self.sweep.create_graph and (op.name in PIECEWISE or params.get("p") in KINKED_NORMS):
            found[0] = apply(PIECE, (found[0], inputs[0])) if isinstance(found[0], Tensor) else found[0]
        return tuple(found)

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
            if _keeps_something(x):
                raise RuntimeError(TWICE)
            x.incoming = g
            self.pending += 1
        else:
            x.incoming = before + g

    # ---- leaves ------------------------------------------------------------------------------------------------

    def accumulate(self, entry: Tensor) -> None:
        """A leaf's step: add what has come in to `.grad`, with the leaf's hooks around it."""
        g, entry.incoming = entry.incoming, None
        leaf = owner_of(entry)
        if leaf.extra is not None:
            g = self._before(leaf, g)
        self.sweep.steps.append((entry, g, ()))
        if self.asked is not None:
            self.found[entry] = g
            return
        self._add_to_grad(leaf, g, entry)
        if leaf.extra is not None and leaf.extra.late_hooks:
            for hook in tuple(leaf.extra.late_hooks.values()):
                hook(leaf)

    def _add_to_grad(self, x: Tensor, g: Gradient, entry: Tensor) -> None:
        extra = extra_of(x)
        before = None
        if extra.grad is None:
            extra.grad = _tensor(g)
            if extra.grad is g and g.tracked:
                extra.grad = apply(COPY, (zeros_like(g), g))
        else:
            before = current(extra.grad).array
            if self.sweep.create_graph:
                extra.grad = extra.grad + g
            else:
                _add_in_place(extra.grad, g)
        self.sweep.accumulated.append(Accumulated(entry, before, current(extra.grad).array))

    # ---- hooks -------------------------------------------------------------------------------------------------

    def _before(self, entry: Tensor, g: Gradient) -> Gradient:
        """What comes in, after the tensor's hooks and the node's pre-hooks; kept where the tensor retains it."""
        extra = entry.extra
        if extra is None:
            return g
        if extra.hooks:
            for hook in tuple(extra.hooks.values()):
                g = self._hooked(hook, g, entry)
        if extra.retains_grad and self.asked is None:
            kept = extra_of(owner_of(entry))
            before = None if kept.grad is None else current(kept.grad).array
            kept.grad = g.clone() if isinstance(g, Tensor) else constant(g)
            self.sweep.accumulated.append(Accumulated(entry, before, current(kept.grad).array))
        if extra.node_hooks:
            for is_early, node_hook in tuple(extra.node_hooks.values()):
                if is_early:
                    given = node_hook((_tensor(g),))
                    g = g if given is None else self._back(given[0] if isinstance(given, tuple) else given, g)
        return g

    def _hooked(self, hook: Callable[[Tensor], Tensor | None], g: Gradient, entry: Tensor) -> Gradient:
        handed = _tensor(g)
        given = hook(handed)
        if handed.extra is not None and handed.extra.memory is not None and handed.extra.memory.version:
            self._share_change(g, current(handed).array)
            g = current(handed) if isinstance(g, Tensor) else current(handed).array
        if given is None:
            return g
        if not isinstance(given, Tensor):
            raise TypeError(f"expected Variable, but hook returned '{type(given).__name__}'")
        now, was = current(given).array, g.array if isinstance(g, Tensor) else g
        if now.shape != was.shape:
            raise RuntimeError(f"hook '{getattr(hook, '__name__', 'hook')}' has changed the size of value")
        if now.dtype != was.dtype:
            types = [f"torch.{dtype_of(each.dtype).type_name}Tensor" for each in (was, now)]
            raise RuntimeError(
                f"hook '{getattr(hook, '__name__', 'hook')}' has changed the type of value (was {types[0]} got "
                f"{types[1]})"
            )
        return self._back(given, g)

    def _share_change(self, g: Gradient, now: Any) -> None:
        """A hook changed its gradient in place: whoever was sent the same numbers gets the changed ones too."""
        old = g.array if isinstance(g, Tensor) else g
        for x in {x for entry, _, _ in self.sweep.steps for x in entry.inputs}:
            came = x.incoming
            if came is None or came is FREED:
                continue
            array = came.array if isinstance(came, Tensor) else came
            if array is old:
                x.incoming = constant(now) if isinstance(came, Tensor) else now
            elif isinstance(array, np.ndarray) and isinstance(old, np.ndarray) and np.shares_memory(array, old):
                raise RuntimeError(
                    "a hook changed its gradient in place, and a part of it is still on its way to another tensor; "
                    "return the changed gradient from the hook instead: return grad * 2"
                )

    def _after(self, entry: Tensor, sent: tuple[Gradient | None, ...], g: Gradient) -> tuple[Gradient | None, ...]:
        assert entry.extra is not None
        for is_early, hook in tuple((entry.extra.node_hooks or {}).values()):
            if is_early:
                continue
            given = hook(tuple([None if out is None else _tensor(out) for out in sent]), (_tensor(g),))
            if given is not None:
                found = tuple([None if out is None else self._back(out, g) for out in given])
                for out, was in zip(found, sent, strict=False):
                    if out is not None and was is not None and out.shape != was.shape:
                        raise RuntimeError(f"hook '{getattr(hook, '__name__', 'hook')}' has changed the size of value")
                sent = found
        return sent

    @staticmethod
    def _back(given: Tensor, like: Gradient) -> Gradient:
        return given if isinstance(like, Tensor) else current(given).array

    # ---- what must hold -----------------------------------------------------------------------------------------

    def _check_kept(self, entry: Tensor) -> None:
        """Raise if something that an entry saved was changed in place since."""
        op = entry.op
        assert op is not None
        if not self.is_checked:
            return
        for slot, x in enumerate(entry.inputs):
            extra = x.extra
            if extra is None or extra.memory is None or extra.memory.version == extra.version:
                continue  # as `was_written`, which is a call too many here
            if keeps(entry, op.input_name(slot)):
                if slot == 0 and entry.extra is not None and entry.extra.overwrote is extra.memory:
                    continue
                raise RuntimeError(changed_text(x))
        if entry.extra is not None and "y" in op.saves and was_written(entry):
            raise RuntimeError(changed_text(entry))

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
            return islice(reversed(tape), len(tape) - bisect_right(tape, top, key=_index), None)
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


def _index(entry: Tensor) -> int:
    return entry.index


def _put_aside(outputs: Iterable[Tensor]) -> list[tuple[Tensor, Gradient]]:
    """What is under way in the graph of a pass that begins inside another one, in a hook: it must not be mixed."""
    found = []
    for x in _entries_and_leaves(outputs):
        if x.incoming is not None and x.incoming is not FREED:
            found.append((x, x.incoming))
            x.incoming = None
    return found


def _clear(outputs: Iterable[Tensor]) -> None:
    """Put away what is under way in a graph."""
    for x in _entries_and_leaves(outputs):
        if x.incoming is not FREED:
            x.incoming = None


def _entries_and_leaves(outputs: Iterable[Tensor]) -> set[Tensor]:
    order = reached_from(outputs)
    return {*order, *(x for entry in order for x in entry.inputs), *outputs}


def reached_from(outputs: Iterable[Tensor]) -> list[Tensor]:
    """The entries that outputs were computed from, themselves included, last first."""
    found = {x for x in outputs if x.op is not None}
    waiting = list(found)
    while waiting:
        for x in waiting.pop().inputs:
            if x.op is not None and x not in found:
                found.add(x)
                waiting.append(x)
    return sorted(found, key=_index, reverse=True)


def leading_to(outputs: Iterable[Tensor], inputs: Iterable[Tensor]) -> set[Tensor]:
    """The entries between inputs and outputs: those that some path leads on to an input, the inputs included."""
    wanted = set(inputs)
    for each in reversed(reached_from(outputs)):
        for x in each.inputs:
            if x in wanted:
                wanted.add(each)
                break
    return wanted


def as_recorded(entry: Tensor) -> Tensor:
    """An entry as a tensor that rules can compute with: it stays what it was, whatever it moved on to since."""
    extra = entry.extra
    if extra is None or (extra.current is None and (extra.memory is None or extra.born == extra.memory.writes)):
        return entry
    return entry_of(ALIAS, (entry,), EVEN, kept_array(entry)) if entry.tracked else constant(kept_array(entry))


def fit(out: Gradient, x: Any) -> Gradient:
    """What a rule gives, in the shape and dtype of the input: broadcasting undone, promotion undone."""
    array = out if out.__class__ is np.ndarray or not isinstance(out, Tensor) else out.array
    if array.shape != x.shape:
        out = sum_to(out, x.shape)
    if array.dtype is not x.dtype and array.dtype != x.dtype:
        out = apply_cast(out, x.dtype) if isinstance(out, Tensor) else out.astype(x.dtype)
    return out


def apply_cast(x: Tensor, dtype: np.dtype[Any]) -> Tensor:
    """A tensor in another dtype, as an entry of the graph."""
    return apply(CAST, (x,), dtype=dtype.name)


def sum_to(g: Gradient, shape: tuple[int, ...]) -> Gradient:
    """Sum a gradient over the axes that broadcasting added or stretched.

    Args:
        g: dL/dy of a broadcast operand; any shape that `shape` broadcasts to.
        shape: the operand's own shape, e.g. (3, 1).

    Returns:
        dL/dx, exactly of shape `shape`.

    Source: the adjoint of broadcasting is summation.
    """
    given = g.array.shape if isinstance(g, Tensor) else g.shape
    lead = len(given) - len(shape)
    axes = tuple(range(lead))
    if given[lead:] != shape:
        axes += tuple([i + lead for i, n in enumerate(shape) if n == 1 and given[i + lead] != 1])
    if isinstance(g, Tensor):
        g = g.sum(axes) if axes else g
        return g.reshape(shape)
    out = np.add.reduce(g, axes) if axes else g
    return out.reshape(shape)[()] if out.shape != shape else out


def keeps(entry: Tensor, name: str) -> bool:
    """Whether PyTorch's node keeps a value for its backward step.

    What only one input's gradient reads is kept only if that gradient is wanted: x * w with a constant w keeps w alone.
    """
    op = entry.op
    assert op is not None
    if name not in op.saves:
        return op.is_variadic and op.inputs[0] in op.saves
    if name == "y" or op.is_variadic:
        return True
    readers = [slot for slot, formula in enumerate(op.formula) if name in _words(formula)]
    return len(readers) != 1 or entry.inputs[readers[0]].tracked


def _words(formula: str) -> set[str]:
    return set("".join(c if c.isalnum() or c == "_" else " " for c in formula).split())


def _keeps_something(entry: Tensor) -> bool:
    op = entry.op
    assert op is not None
    if op.joint is not None:
        return bool(op.saves)
    return any(keeps(entry, name) for name in op.saves)


def changed_text(x: Tensor) -> str:
    """PyTorch's text for a saved value that was changed in place."""
    extra = x.extra
    assert extra is not None
    assert extra.memory is not None
    # A view that was changed is looked up again when it is next used, and its node is another then.
    name = (
        "AsStrided"
        if extra.path
        else ""
        if x.op is None
        else x.op.node_name.rpartition("Backward")[0] or x.op.node_name
    )
    by = f", which is output 0 of {name}," if name and x.tracked else ""
    hint = SHOWN_ABOVE if state.detects_anomaly else ENABLE_ANOMALY
    return CHANGED.format(
        type=dtype_of(x.array.dtype).type_name, shape=list(x.array.shape), made_by=by,
        now=extra.memory.version, expected=extra.version, hint=hint,
    )  # fmt: skip


def _check_finite(entry: Tensor, sent: Sequence[Gradient | None]) -> None:
    assert entry.op is not None
    for slot, g in enumerate(sent):
        if g is not None and np.isnan(g.array if isinstance(g, Tensor) else g).any():
            raise RuntimeError(f"Function '{entry.op.node_name}' returned nan values in its {slot}th output.")


def _tensor(g: Gradient) -> Tensor:
    return constant(g) if g.__class__ is np.ndarray or not isinstance(g, Tensor) else g


def _add_in_place(grad: Tensor, g: Gradient) -> None:
    """`.grad += g`, by which a script that holds the gradient sees it grow."""
    replace(grad, current(grad).array + (g.array if isinstance(g, Tensor) else g))
