"""The backward pass: one reverse loop over the tape that records every step.

Order: PyTorch runs the ready node that was made last; the creation order reversed is that order. The sum at a
node used several times is formed in the same order, last consumer first. Broadcasting is undone here, once.

Knows tensors and rules. Knows no script, no Qt.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from gradviz.imitation.engine.dtypes import FLOATING, class_of, result_dtype, type_name
from gradviz.imitation.engine.memory.sharing import Kept, late_writes
from gradviz.imitation.engine.nodes import head, output_number, results
from gradviz.imitation.engine.op import Op
from gradviz.imitation.engine.passes.accumulators import is_known
from gradviz.imitation.engine.passes.scalars import numbers_below
from gradviz.imitation.engine.passes.slopes import slopes
from gradviz.imitation.engine.passes.sweep_record import SweepRecord
from gradviz.imitation.engine.shapes import unbroadcast
from gradviz.imitation.engine.tensor import UNEVEN, Tape, Tensor
from gradviz.imitation.engine.tensor_extra import Extra
from gradviz.errors import TorchError

TWICE = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already "
    "been freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). "
    "Specify retain_graph=True if you need to backward through the graph a second time or if you need to access "
    "saved tensors after calling backward."
)
ONCE_MORE = (
    "The first backward let go of the graph: compute the output anew, detach() what a loop carries on, or give the "
    "first backward retain_graph=True."
)
INPLACE = (
    "one of the variables needed for gradient computation has been modified by an inplace operation: "
    "[{type} {shape}]{made_by} is at version {now}; expected version {expected} "
    "instead. Hint: {hint}"
)
ENABLE_ANOMALY = (
    "enable anomaly detection to find the operation that failed to compute its gradient, with "
    "torch.autograd.set_detect_anomaly(True, check_nan=False)."
)
SHOWN_ABOVE = (
    "the backtrace further above shows the operation that failed to compute its gradient. The variable in question was "
    "changed in there or anywhere later. Good luck!"
)


DETACHED = (
    "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_().This is not supported, please "
    "use out-of-place `.detach()` instead"
)

PULSE = 4095
"""After so many positions a long pass asks whether it shall go on; all bits set."""

Gradients = list[Any] | defaultdict[int, Any]
"""dL/d(entry) by position; None where none came."""


def sweep(tape: Tape, record: SweepRecord) -> Gradients:
    """Run the plain reverse loop from the record's outputs; fills its lists and `leaves`.

    For passes that nobody's code looks into (see `by_node`): no hooks, no custom Functions, no create_graph.

    Returns:
        dL/d(entry) by position; None where no gradient came, for every position of the tape.

    Raises:
        TorchError: saved tensors that were freed, or modified in place.
    """
    gradients = _room(tape)
    _start(record, gradients)
    if type(gradients) is not list:
        _run(tape, record, gradients, _reached(tape.entries, record.outputs), {})
        return gradients
    top = max(record.outputs)
    numbers = numbers_below(tape, record.outputs, gradients)
    if numbers is not None:
        _run(tape, record, gradients, range(top, numbers.last, -1), {})
        record.come_next(numbers)
        numbers.run(tape, record.leaves, _sent_by)
        top = numbers.first - 1
    known = slopes(tape.entries, range(tape.checked_until + 1, top + 1))
    _run(tape, record, gradients, range(top, -1, -1), known)
    return gradients


def _run(
    tape: Tape, record: SweepRecord, gradients: Gradients, positions: Iterable[int], known: dict[int, Any]
) -> None:
    """The loop over entries of all kinds; `known`: by position what some gradients are to be multiplied with."""
    entries = tape.entries
    leaves, pulse, checked_until = record.leaves, tape.pulse, tape.checked_until
    order, all_sources, came, all_sent = record.columns
    sent: tuple[Any, ...]
    for i in positions:
        if not i & PULSE:
            pulse()
        g = gradients[i]
        if g is None:
            continue
        entry = entries[i]
        op = entry.op
        if op is None:
            leaves[i] = g
            continue
        inputs = entry.inputs
        if i <= checked_until:
            check_kept(op, entry, [entries[j] for j in inputs])
        # Nearly all nodes of a large graph are plain ops of one or two inputs. For them the same is written out,
        # since a call, or a loop over two, costs as much as a product of two numbers.
        count = op.plain_inputs
        if count == 1:
            (j,) = inputs
            slope = known.get(i)
            out = op.rule(g, entry.data, entries[j].data) if slope is None else g * slope
            sent = (out,)
            before = gradients[j]
            gradients[j] = out if before is None else before + out
        elif count == 2:
            j, k = inputs
            x, other = entries[j], entries[k]
            if x.requires_grad and other.requires_grad and entry.params is not UNEVEN:
                sent = out, second = op.both(g, entry.data, x.data, other.data)
                before = gradients[j]
                gradients[j] = out if before is None else before + out
                before = gradients[k]
                gradients[k] = second if before is None else before + second
            else:
                sent = _of_two(op, g, entry, x, other)
                _send(sent, inputs, gradients)
        else:
            sent = outgoing(op, g, entry, [entries[j] for j in inputs])
            _send(sent, inputs, gradients)
        order.append(i)
        all_sources.append(inputs)
        came.append(g)
        all_sent.append(sent)


def _sent_by(op: Op, g: Any, entry: Tensor) -> tuple[Any, ...]:
    """The outgoing gradients of any entry."""
    entries = entry.tape.entries
    sources = [entries[j] for j in entry.inputs]
    return _of_two(op, g, entry, *sources) if op.plain_inputs == 2 else outgoing(op, g, entry, sources)


def _send(sent: tuple[Any, ...], inputs: tuple[int, ...], gradients: Gradients) -> None:
    """Add what a node sends to what has come to its inputs."""
    for j, out in zip(inputs, sent, strict=True):
        if out is not None:
            before = gradients[j]
            gradients[j] = out if before is None else before + out


def _of_two(op: Op, g: Any, entry: Tensor, x: Tensor, other: Tensor) -> tuple[Any, Any]:
    """The outgoing gradients of a plain op of two inputs that differ: one takes none, or they were made to fit."""
    y, a, b = entry.data, x.data, other.data
    is_uneven = entry.params is UNEVEN
    # A result in place keeps its dtype, which may be narrower than what the two would have had together.
    if is_uneven and a.dtype is not b.dtype and op.promotes and y.dtype == result_dtype(a, b):
        a, b = _promoted(a, y), _promoted(b, y)
    first = op.rule(g, y, a, b) if x.requires_grad else None
    second = op.second(g, y, a, b) if other.requires_grad else None
    return (fit(first, x.data), fit(second, other.data)) if is_uneven else (first, second)


def _room(tape: Tape) -> Gradients:
    """Where the gradients of a pass are put.

    A list is fastest, but on the tape of a long training nearly all of it would be made and thrown away for nothing.
    """
    size = len(tape.entries)
    is_late = bool(tape.sweeps) and size > 1000 and size - max(tape.sweeps[-1].outputs) < size // 8
    return defaultdict(_nothing) if is_late else [None] * size


def _reached(entries: list[Tensor], outputs: Sequence[int]) -> list[int]:
    """The positions of what the outputs depend on, last first: late on a long tape they are few."""
    found = set(outputs)
    pending = list(found)
    while pending:
        new = [j for j in entries[pending.pop()].inputs if j not in found]
        found.update(new)
        pending += new
    return sorted(found, reverse=True)


_nothing = type(None)
"""Called without arguments it gives None, faster than a function of ours would."""


def check_kept(op: Op, entry: Tensor, sources: list[Tensor]) -> None:
    """Raise if what a node saved was modified in place or freed."""
    tape = entry.tape
    if _is_freed(op, entry) and _kept_something(op, sources):
        raise TorchError(TWICE, hint=ONCE_MORE)
    if tape.is_watched:
        check_saved(op, entry, sources)


def _is_freed(op: Op, entry: Tensor) -> bool:
    """Whether a pass has freed the node that made an entry, perhaps on its way from another result of the call."""
    freed = entry.tape.freed
    return entry.index in freed or (op.output != "" and any(x.index in freed for x in results(head(entry))))


def _kept_something(op: Op, sources: list[Tensor]) -> bool:
    """Whether a node cannot run again once freed; a change through a view cannot, whatever it keeps."""
    return op.node == "CopySlices" or op.keeps_something([x.requires_grad for x in sources])


def _promoted(x: Any, y: Any) -> Any:
    """An input in the dtype that the op computed in, where that is a floating one."""
    return x.astype(y.dtype) if y.dtype.kind in FLOATING and x.dtype.kind in FLOATING and x.dtype is not y.dtype else x


def fit(out: Any, x: Any) -> Any:
    """A rule's result in the shape and dtype of its input: broadcasting undone, promotion undone."""
    if out is None:
        return None
    if out.shape != x.shape:
        out = unbroadcast(out, x.shape)
    return out if out.dtype is x.dtype else out.astype(x.dtype)


def outgoing(op: Op, g: Any, entry: Tensor, sources: list[Tensor]) -> tuple[Any, ...]:
    """One outgoing gradient per input, for any number of inputs and params."""
    if entry.params is UNEVEN and op.plain_inputs == 2:
        return _of_two(op, g, entry, *sources)
    arguments, params = [entry.data, *[x.data for x in sources]], entry.params
    return tuple(
        [
            fit(rule(g, *arguments, **params), x.data) if x.requires_grad else None
            for x, rule in zip(sources, rules_of(op, len(sources)), strict=True)
        ]
    )


def rules_of(op: Op, count: int) -> Sequence[Any]:
    """One rule per input, for `count` inputs; raises for a node that refuses, be there anything to send or not."""
    if op.refuses and op.joint is None:
        op.rule()
    if op.is_variadic:
        return [partial(op.rule, slot=slot) for slot in range(count)]
    return op.vjp


def _start(record: SweepRecord, gradients: Gradients) -> None:
    """Put the seeds in place."""
    for output, seed in zip(record.outputs, record.seeds, strict=True):
        gradients[output] = seed if gradients[output] is None else gradients[output] + seed


def check_saved(op: Op, entry: Tensor, sources: list[Tensor]) -> None:
    """Raise if something that the op saved was changed in place since; what went through hooks may have been."""
    needs = [x.requires_grad for x in sources]
    hooked = entry.tape.packed.get(entry.index, {})
    # An op in place keeps the value that it replaced.
    first = 1 if entry.extra is not None and entry.extra.is_in_place else 0
    for slot, x in enumerate(sources[first:], first):
        if x.extra is None:
            continue
        owner, is_changed = x if x.extra.owner is None else x.extra.owner, _is_modified(x.extra)
        if not is_changed and (x.op is None or owner.op is not None):
            continue
        name = op.input_name(slot)
        if op.keeps(name, needs) and name not in hooked:
            raise _modified(x, owner) if is_changed else TorchError(DETACHED, hint="Write x = x.detach().")
    for each in entry.tape.beside.get(entry.index, ()):
        if each.counter.version != each.version and each.name not in hooked:
            raise modified(each.tensor, each.tensor, each.counter.version, each.version)
    kept = hooked.get("y")
    if isinstance(kept, Kept) and kept.counter.version != kept.version:
        raise modified(kept.result, entry, kept.counter.version, kept.version)
    counted = None if entry.extra is None else entry.extra.counted
    if counted is not None and counted[0].version != counted[1] and op.keeps("y", needs) and "y" not in hooked:
        raise modified(entry, entry, counted[0].version, counted[1])
    if op.saves_output is not None and output_number(entry) != op.saves_output:
        return
    is_changed = entry.extra is not None and (_is_modified(entry.extra) or entry.extra.is_outdated)
    if is_changed and op.keeps("y", needs) and "y" not in hooked:
        raise _modified(entry, entry)


def _is_modified(extra: Extra) -> bool:
    """Whether a change that counts came to what a stand-in stands for, be it after one that does not count."""
    if extra.modified or extra.owner is None:
        return extra.modified
    counter = extra.apart or extra.storage
    return counter is not None and counter.version != extra.saved_version


def _modified(x: Tensor, made: Tensor) -> TorchError:
    counter = x.more.apart or x.more.storage
    return modified(made, made, counter.version if counter is not None else 1, x.more.saved_version)


def modified(x: Tensor, made: Tensor, now: int, expected: int) -> TorchError:
    """PyTorch's message for a saved tensor that was modified in place; `made` is the tensor as it is now.

    Raises:
        TorchError: a view that PyTorch can name no node of any more, for the message.
    """
    from gradviz.imitation.engine.memory.views import refuse_behind

    refuse_behind(made)
    before = late_writes(x)
    made_by = named_in_errors(full_name(made))
    if made.op is not None and (made.op.is_view or _is_seen_through_view(made)):
        made_by = "AsStrided"  # a view whose memory changed gets another history in PyTorch, from its base
    return TorchError(
        INPLACE.format(
            type=class_of(type_name(x.dtype)),
            shape=list(x.shape),
            made_by=f", which is output {output_number(made)} of {made_by}," if made.op is not None else "",
            now=before + now,
            expected=before + expected,
            hint=ENABLE_ANOMALY if x.tape.trace is None else SHOWN_ABOVE,
        ),
        hint="Use an out-of-place form (y = y + 1 instead of y += 1), clone() first, or let optimizers step after it.",
    )


def _is_seen_through_view(made: Tensor) -> bool:
    """Whether the view is there still through which memory was changed: its node is what PyTorch names."""
    if made.extra is None or made.extra.counted is None:
        return False
    view = made.extra.counted[2]()
    return view is not None and is_known(view)


def node_name(tensor: Tensor) -> str:
    """PyTorch's name of the backward node that made a tensor, e.g. "MulBackward0"."""
    op = tensor.op
    if op is None:
        return "AccumulateGrad"
    if isinstance(op.node, str):
        return op.node
    entries = tensor.tape.entries
    return op.node(tensor.params, [entries[i].shape for i in tensor.inputs])


OWN = ("AccumulateGrad", "CopyBackwards", "CopySlices", "Error", "NotImplemented")
"""Nodes that are not made out of an op's derivative."""


def named_in_errors(name: str) -> str:
    """A node by its name without Backward, as errors have it: AddBackward0 is Add, SqueezeBackward1 Squeeze1."""
    return re.sub(r"Backward(0$|(?=\d)|$)", "", name)


def full_name(tensor: Tensor) -> str:
    """What `grad_fn.name()` gives."""
    name = node_name(tensor)
    return f"torch::autograd::{name}" if name in OWN else name


def free(tape: Tape, record: SweepRecord) -> None:
    """Mark the saved tensors of the nodes that ran as freed."""
    tape.freed.update(record.ran())
    check_until(tape, record.outputs)


def check_until(tape: Tape, freed: Iterable[int]) -> None:
    """Let passes to come look at all up to the last that was freed, and at the other results of its call."""
    last = max(freed, default=-1)
    if last > tape.checked_until:
        entry = tape.entries[last]
        is_one_of_several = entry.op is not None and entry.op.output != ""
        tape.checked_until = results(head(entry))[-1].index if is_one_of_several else last
