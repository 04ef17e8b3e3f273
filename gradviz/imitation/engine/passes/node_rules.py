"""What the rules of one node send, for each of its results and together, fed tensors or arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gradviz.imitation.engine.dtypes import HALVES
from gradviz.imitation.engine.half.rules import FUSED
from gradviz.imitation.engine.half.rules import sent as half_sent
from gradviz.imitation.engine.hooks.on_nodes import as_tensor
from gradviz.imitation.engine.hooks.on_saved_tensors import restored
from gradviz.imitation.engine.op import Op
from gradviz.imitation.engine.passes.backward import check_kept, outgoing
from gradviz.imitation.engine.passes.other_memory import as_known, is_elsewhere, of_moved, outgoing_of_moved
from gradviz.imitation.engine.passes.outgoing_tensors import outgoing_of_results, outgoing_tensors
from gradviz.imitation.engine.passes.steps import Sent, asked, steps_of_joint, steps_of_results
from gradviz.imitation.engine.tensor import Tensor, constant

Steps = list[tuple[int, Any, Sent]]
"""Of each entry its position, the incoming gradient, and the outgoing ones."""


def by_rules(
    op: Op, made: list[Tensor], numbers: list[int], came: list[Any], sources: list[Tensor], *, by_tensors: bool
) -> tuple[Sent, Steps]:
    """One gradient per input, and the steps to write down.

    Args:
        op: of the node.
        made: the results of the node, the first first.
        numbers: which output of PyTorch's node each is.
        came: one gradient per output, or None; tensors where the rules are fed tensors.
        sources: the inputs.
        by_tensors: whether all that is sent is made of new tensors.
    """
    for x in made:
        check_kept(op, x, sources)
    if by_tensors and any(g is not None for g in came):
        together = outgoing_of_results(came, made, as_known(op, sources))
        if together is not None:
            return together, steps_of_results(made, [came[number] for number in numbers], together, sources)
    total: Sent = (None,) * len(sources)
    steps = []
    for x, g in zip(made, [came[number] for number in numbers], strict=True):
        if g is None:
            continue
        send: Callable[..., Sent] = outgoing_tensors if by_tensors else outgoing
        assert x.op is not None
        made_of = (x, sources) if x.index not in x.tape.packed else restored(x, sources)
        if any(map(is_elsewhere, sources)):
            send = outgoing_of_moved if send is outgoing else send
            made_of = made_of[0], as_known(op, made_of[1])
            with of_moved(g, *made_of):
                sent = send(x.op, g, *made_of)
        else:
            sent = send(x.op, g, *made_of)
        total = tuple(a if b is None else b if a is None else a + b for a, b in zip(total, sent, strict=True))
        steps.append((x.index, g, sent))
    return total, steps[::-1]


def by_function(
    entry: Tensor,
    made: list[Tensor],
    numbers: list[int],
    came: list[Any],
    sources: list[Tensor],
    *,
    by_tensors: bool,
) -> tuple[Sent, Steps]:
    """The gradients of a custom Function, whose code runs even where nothing came; the rest as in `by_rules`."""
    op = entry.op
    assert op is not None
    assert op.joint is not None
    returned = op.joint(tuple(as_tensor(g, entry) for g in came), tuple(x.requires_grad for x in sources))
    sent = returned if by_tensors else _arrays(returned)
    if all(g is None for g in came) and all(g is None for g in sent):
        return sent, []
    return sent, steps_of_joint(entry, made, [came[number] for number in numbers], asked(sent, sources))


def is_half(made: Sequence[Tensor], sources: Sequence[Tensor]) -> bool:
    """Whether a node has to do with numbers of 16 bits."""
    return any(x.data.dtype in HALVES for x in (*made, *sources))


def of_halves(
    op: Op, made: list[Tensor], numbers: list[int], came: list[Any], sources: list[Tensor]
) -> tuple[Sent, Steps]:
    """The same of numbers of 16 bits: the rules are fed tensors, so that each op they call rounds as PyTorch's does."""
    entry, tape = made[0], made[0].tape
    if op.name in FUSED and came[0] is not None and entry.index not in tape.packed:
        check_kept(op, entry, sources)
        needs = [x.requires_grad for x in sources]
        found = half_sent(op, needs, came[0], entry.data, [x.data for x in sources], entry.params)
        return found, [(entry.index, came[0], found)]
    tensors = [None if g is None else constant(g, tape) for g in came]
    sent, steps = by_rules(op, made, numbers, tensors, sources, by_tensors=True)
    return _arrays(sent), [(at, g.data, _arrays(out)) for at, g, out in steps]


def _arrays(sent: Sent) -> Sent:
    return tuple(None if g is None else g.data for g in sent)
