"""The backward pass: one reverse loop over the tape that records every step.

Order: PyTorch runs the ready node that was made last; the creation order reversed is that order. The sum at a
node used several times is formed in the same order, last consumer first. Broadcasting is undone here, once.

Knows tensors and rules. Knows no script, no Qt.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from gradviz.engine.dtypes import type_name
from gradviz.engine.generic import OPS
from gradviz.engine.op import Op
from gradviz.engine.rules.shape import fit
from gradviz.engine.shapes import unbroadcast
from gradviz.engine.tensor import UNEVEN, Tape, Tensor, apply, constant
from gradviz.errors import TorchError

TWICE = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already "
    "been freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). "
    "Specify retain_graph=True if you need to backward through the graph a second time or if you need to access "
    "saved tensors after calling backward."
)
INPLACE = (
    "one of the variables needed for gradient computation has been modified by an inplace operation: "
    "[torch.{type}Tensor {shape}]{made_by} is at version {now}; expected version {expected} "
    "instead. Hint: enable anomaly detection to find the operation that failed to compute its gradient, with "
    "torch.autograd.set_detect_anomaly(True, check_nan=False)."
)


Gradients = list[Any] | defaultdict[int, Any]
"""dL/d(entry) by position; None where none came."""


@dataclass(eq=False)
class SweepRecord:
    """What one pass did, as it ran; `recording` freezes it.

    Attributes:
        outputs: positions it started from, with their `seeds`.
        order: positions of the interior nodes in the order in which they ran; `sources` (positions of the inputs),
            `incoming` and `outgoing` go with it.
        leaves: positions of the leaves reached, with the gradient that came in.
        accumulated: (position, .grad before, .grad after).
        wanted: for `autograd.grad`, the positions differentiated with respect to.
    """

    outputs: tuple[int, ...]
    seeds: tuple[Any, ...]
    retain_graph: bool
    create_graph: bool
    order: list[int] = field(default_factory=list)
    sources: list[tuple[int, ...]] = field(default_factory=list)
    incoming: list[Any] = field(default_factory=list)
    outgoing: list[tuple[Any, ...]] = field(default_factory=list)
    leaves: dict[int, Any] = field(default_factory=dict)
    accumulated: list[tuple[int, Any, Any]] = field(default_factory=list)
    wanted: tuple[int, ...] = ()


def sweep(tape: Tape, record: SweepRecord, wanted: Sequence[int] | None = None) -> Gradients:
    """Run the reverse loop from the record's outputs; fills `order`, `incoming`, `outgoing` and `leaves`.

    Args:
        tape: what was recorded.
        record: where to start, and where to write down what happens.
        wanted: positions to differentiate with respect to; only what lies on a path to them runs. None for all.

    Returns:
        dL/d(entry) by position (None where no gradient came, for every position of the tape): arrays, or tensors
        where create_graph.

    Raises:
        TorchError: saved tensors are freed or were modified in place.
    """
    entries = tape.entries
    last = max(record.outputs)
    gradients = _room(tape)
    pending = _start(tape, record, gradients)
    leaves, add_order, add_sent = record.leaves, record.order.append, record.outgoing.append
    reaches = None if wanted is None else _reaching(entries, record.outputs, wanted)
    is_plain = not (record.create_graph or tape.is_watched or wanted is not None)
    freed_until = tape.freed_until
    for i in range(last, -1, -1):
        g = gradients[i]
        if g is None:
            if pending:
                continue
            break
        entry = entries[i]
        op = entry.op
        if op is None:
            continue
        pending -= 1
        inputs = entry.inputs
        if not is_plain or i <= freed_until or not op.plain_inputs:
            sent = _sent(tape, record, entry, gradients, reaches)
            if sent is not None:
                add_order(i)
                add_sent(sent)
                for j, out in zip(inputs, sent, strict=True):
                    if out is None:
                        continue
                    if gradients[j] is None:
                        if entries[j].op is None:
                            leaves[j] = out
                        else:
                            pending += 1
                    gradients[j] = out if gradients[j] is None else gradients[j] + out
            continue
        # Nearly all nodes of a large graph are plain ops of one or two inputs. For them the same is written out,
        # since a call, or a loop over two, costs as much as a product of two numbers.
        j = inputs[0]
        x = entries[j]
        if op.plain_inputs == 1:
            out = op.rule(g, entry.data, x.data)
            add_sent((out,))
        else:
            k = inputs[1]
            other = entries[k]
            if op.both is not None and x.requires_grad and other.requires_grad:
                sent = op.both(g, entry.data, x.data, other.data)
            else:
                sent = (
                    op.vjp[0](g, entry.data, x.data, other.data) if x.requires_grad else None,  # type: ignore[misc]
                    op.vjp[1](g, entry.data, x.data, other.data) if other.requires_grad else None,  # type: ignore[misc]
                )
            if entry.params is UNEVEN:
                sent = _fitted(sent[0], x.data), _fitted(sent[1], other.data)
            out, second = sent
            add_sent(sent)
        add_order(i)
        if out is not None:
            before = gradients[j]
            if before is not None:
                gradients[j] = before + out
            else:
                gradients[j] = out
                if x.op is None:
                    leaves[j] = out
                else:
                    pending += 1
        if op.plain_inputs == 2 and second is not None:
            before = gradients[k]
            if before is not None:
                gradients[k] = before + second
            else:
                gradients[k] = second
                if other.op is None:
                    leaves[k] = second
                else:
                    pending += 1
    record.incoming = [gradients[i] for i in record.order]
    record.sources = [entries[i].inputs for i in record.order]
    for j in leaves:
        leaves[j] = gradients[j]
    return gradients


def _room(tape: Tape) -> Gradients:
    """Where the gradients of a pass are put.

    A list is fastest, but on the tape of a long training nearly all of it would be made and thrown away for nothing.
    """
    size = len(tape.entries)
    is_late = bool(tape.sweeps) and size > 1000 and size - max(tape.sweeps[-1].outputs) < size // 8
    return defaultdict(_nothing) if is_late else [None] * size


_nothing = type(None)
"""Called without arguments it gives None, faster than a function of ours would."""


def _sent(
    tape: Tape, record: SweepRecord, entry: Tensor, gradients: Gradients, reaches: bytearray | None
) -> tuple[Any, ...] | None:
    """One outgoing gradient per input of any node; None where it lies on no path to what is wanted."""
    i, inputs, op = entry.index, entry.inputs, entry.op
    assert op is not None
    if tape.is_watched:
        gradients[i] = _arrive(entry, gradients[i])
    if reaches is not None and not any(reaches[j] for j in inputs):
        return None
    sources = [tape.entries[j] for j in inputs]
    if tape.is_watched:
        check_saved(op, entry, sources)
    if i in tape.freed and op.keeps_something([x.requires_grad for x in sources]):
        raise TorchError(TWICE, hint="Give the first backward retain_graph=True.")
    sent = (_send_tensors if record.create_graph else _send)(op, gradients[i], entry, sources)
    if reaches is None:
        return sent
    return tuple([out if reaches[j] else None for j, out in zip(inputs, sent, strict=True)])


def _reaching(entries: list[Tensor], outputs: Sequence[int], wanted: Sequence[int]) -> bytearray:
    """Which of the positions that the outputs depend on depend on a wanted one, or are one."""
    reaches = bytearray(max(outputs) + 1)
    for i in wanted:
        if i < len(reaches):
            reaches[i] = 1
    for i in reversed(_ops_before(entries, outputs, min(wanted, default=0))):
        if any(reaches[j] for j in entries[i].inputs):
            reaches[i] = 1
    return reaches


def _ops_before(entries: list[Tensor], outputs: Sequence[int], lowest: int) -> list[int]:
    """Positions from `lowest` on of the ops that the outputs depend on, themselves included, descending.

    Stops at the first of them: a tape of many passes is not walked anew by each.
    """
    seen = set(outputs)
    pending = sum(entries[i].op is not None for i in seen)
    found = []
    for i in range(max(outputs), lowest - 1, -1):
        if not pending:
            break
        if i not in seen or entries[i].op is None:
            continue
        pending -= 1
        found.append(i)
        new = {*entries[i].inputs} - seen
        seen |= new
        pending += sum(entries[j].op is not None for j in new)
    return found


def _fitted(out: Any, x: Any) -> Any:
    """A rule's result in the shape and dtype of its input: broadcasting undone, promotion undone."""
    if out is None:
        return None
    out = unbroadcast(out, x.shape)
    return out if out.dtype is x.dtype else out.astype(x.dtype)


def _send(op: Op, g: Any, entry: Tensor, sources: list[Tensor]) -> tuple[Any, ...]:
    """One outgoing gradient per input, for any number of inputs and params."""
    if op.joint is not None:
        sent = op.joint(constant(g, entry.tape), tuple(x.requires_grad for x in sources))
        return tuple(out if out is None else out.data for out in sent)
    arguments = [x.data for x in sources]
    return tuple(
        _fitted(rule(g, entry.data, *arguments, **entry.params), x.data) if x.requires_grad else None
        for x, rule in zip(sources, rules_of(op, len(sources)), strict=True)
    )


def _send_tensors(op: Op, g: Tensor, entry: Tensor, sources: list[Tensor]) -> tuple[Tensor | None, ...]:
    """The same rules fed tensors: the outgoing gradients are new nodes, which can be differentiated again."""
    if op.joint is not None:
        return op.joint(g, tuple(x.requires_grad for x in sources))
    sent: list[Tensor | None] = []
    for x, rule in zip(sources, rules_of(op, len(sources)), strict=True):
        out = rule(g, entry, *sources, **entry.params) if x.requires_grad else None
        if out is not None:
            out = fit(out, x.shape)
            out = out if out.dtype is x.dtype else apply(OPS["to"], (out,), dtype=x.dtype.name)
        sent.append(out)
    return tuple(sent)


def rules_of(op: Op, count: int) -> Sequence[Any]:
    """One rule per input, for `count` inputs."""
    if op.is_variadic:
        return [partial(op.rule, slot=slot) for slot in range(count)]
    return op.vjp


def _start(tape: Tape, record: SweepRecord, gradients: Gradients) -> int:
    """Put the seeds in place; returns how many interior nodes have a gradient to pass on."""
    for output, seed in zip(record.outputs, record.seeds, strict=True):
        v = tape.tensor(seed) if record.create_graph else seed
        gradients[output] = v if gradients[output] is None else gradients[output] + v
    interior = {output for output in record.outputs if tape.entries[output].op is not None}
    for output in record.outputs:
        if output not in interior:
            record.leaves[output] = gradients[output]
    return len(interior)


def _arrive(entry: Tensor, g: Any) -> Any:
    """The incoming gradient after the tensor's own hooks; then a tensor that retains its gradient gets it."""
    extra = entry.extra
    if extra is None:
        return g
    g = run_hooks(entry, g)
    if extra.retains_grad:
        mine = g if isinstance(g, Tensor) else constant(g, entry.tape)
        mine.more.shared_grad = True
        extra.grad = mine if extra.grad is None else extra.grad + mine
    return g


def run_hooks(tensor: Tensor, g: Any) -> Any:
    """The gradient after a tensor's hooks, each of which sees what the one before returned."""
    for hook in list((tensor.more.hooks or {}).values()):
        result = hook(g if isinstance(g, Tensor) else constant(g, tensor.tape))
        if result is not None:
            _check_hook(hook, result, g)
            g = result if isinstance(g, Tensor) else result.data
    return g


def _check_hook(hook: Any, result: Any, g: Any) -> None:
    if not isinstance(result, Tensor):
        raise TorchError(f"expected Variable, but hook returned '{type(result).__name__}'", kind="TypeError")
    name = getattr(hook, "__name__", type(hook).__name__)
    if result.dtype != g.dtype:
        was, got = (f"torch.{type_name(x.dtype)}Tensor" for x in (g, result))
        raise TorchError(f"hook '{name}' has changed the type of value (was {was} got {got})")
    if result.shape != g.shape:
        raise TorchError(f"hook '{name}' has changed the size of value")


def check_saved(op: Op, entry: Tensor, sources: list[Tensor]) -> None:
    """Raise if something that the op saved was changed in place since."""
    needs = [x.requires_grad for x in sources]
    if entry.extra is not None and (entry.extra.modified or entry.extra.is_outdated) and op.keeps("y", needs):
        raise _modified(entry, entry)
    # An op in place keeps the value that it replaced.
    first = 1 if entry.extra is not None and entry.extra.is_in_place else 0
    for slot, x in enumerate(sources[first:], first):
        if x.extra is not None and x.extra.modified and op.keeps(op.input_name(slot), needs):
            raise _modified(x, x if x.extra.owner is None else x.extra.owner)


def _modified(x: Tensor, made: Tensor) -> TorchError:
    storage = x.more.storage
    return modified(x, made, storage.version if storage is not None else 1, x.more.saved_version)


def modified(x: Tensor, made: Tensor, now: int, expected: int) -> TorchError:
    """PyTorch's message for a saved tensor that was modified in place; `made` is the tensor as it is now."""
    made_by = node_name(made).removesuffix("Backward0").replace("Backward", "")
    made_by = "torch::autograd::CopySlices" if made_by == "CopySlices" else made_by
    return TorchError(
        INPLACE.format(
            type=type_name(x.dtype),
            shape=list(x.shape),
            made_by=f", which is output 0 of {made_by}," if made.op is not None else "",
            now=now,
            expected=expected,
        ),
        hint="Use an out-of-place form (y = y + 1 instead of y += 1), or clone() first.",
    )


def node_name(tensor: Tensor) -> str:
    """PyTorch's name of the backward node that made a tensor, e.g. "MulBackward0"."""
    op = tensor.op
    if op is None:
        return "AccumulateGrad"
    if isinstance(op.node, str):
        return op.node
    entries = tensor.tape.entries
    return op.node(tensor.params, [entries[i].shape for i in tensor.inputs])


def free(tape: Tape, record: SweepRecord) -> None:
    """Mark the saved tensors of the nodes that ran as freed."""
    tape.freed.update(record.order)
    tape.freed_until = max(tape.freed_until, record.order[0] if record.order else -1)
