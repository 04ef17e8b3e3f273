"""Backward nodes: which tensors of the tape share one, as `unbind` and `split` make them.

An entry of the tape is one tensor. PyTorch has one node for all results of an op: its outputs are numbered, and an
edge says which of them it comes from. The results of one call stand together on the tape, so the number of a
result, which is among its params, leads to the first of them.

A custom Function has an entry of its own, followed by one for each result where there are several.
"""

from __future__ import annotations

from typing import Any

from gradviz.imitation.engine.tensor import Tensor


def output_number(tensor: Tensor) -> int:
    """Which output of its backward node a tensor is, as `Tensor.output_nr`; 0 where it is the only one."""
    op = tensor.op
    return 0 if op is None or not op.output else int(tensor.params[op.output])


def head(tensor: Tensor) -> Tensor:
    """The entry that stands for the backward node of a tensor: all results of one call have the same.

    Of a leaf it is the tensor that the user holds: all its uses share one AccumulateGrad.
    """
    op = tensor.op
    if op is None:
        owner = tensor.extra.owner if tensor.extra is not None else None
        return tensor if owner is None or owner.op is not None else owner
    if is_again(tensor):
        return head(tensor.tape.entries[tensor.extra.node])  # type: ignore[union-attr, index]
    if not op.output:
        return tensor
    entries = tensor.tape.entries
    if op.joint is not None:
        return entries[tensor.inputs[0]]
    first = entries[max(tensor.index - output_number(tensor), 0)]
    if _is_sibling(first, tensor) and not output_number(first):
        return first
    # Results that nobody wanted may be missing, or all others, where an op was applied by itself.
    while tensor.index and _is_sibling(before := entries[tensor.index - 1], tensor):
        if output_number(before) >= output_number(tensor):
            break
        tensor = before
    return tensor


def accumulator(entry: Tensor) -> tuple[int, int]:
    """What tells the AccumulateGrad that an entry of a leaf leads to from others: the leaf, and which one of it."""
    leaf = head(entry)
    marks = () if leaf.extra is None else leaf.extra.forgotten
    return id(leaf), len(marks) if entry.index < 0 else sum(entry.index >= mark for mark in marks)


def result(entry: Tensor, number: int) -> Tensor | None:
    """The tensor that is output `number` of the node that an entry stands for; None where there is none."""
    if entry.op is not None and (entry.op.output or entry.op.joint is not None):
        last = entry.index + number + 2
        found = [x for x in entry.tape.entries[entry.index : last] if head(x) is entry and output_number(x) == number]
        return found[-1] if found else None
    return None if number else entry


def is_again(entry: Tensor) -> bool:
    """Whether an entry shows what its node had made before, which looks into changed or other memory by now."""
    return entry.extra is not None and entry.extra.node is not None


def array_of_node(tensor: Tensor) -> Any:
    """The array that the node of a tensor knows: its gradients have that shape and dtype, whatever `.data` is now."""
    if tensor.extra is not None and tensor.extra.node is not None:
        tensor = tensor.tape.entries[tensor.extra.node]
    leaf = head(tensor)
    if leaf.op is None and leaf.extra is not None and leaf.extra.gathers is not None:
        return leaf.extra.gathers
    return tensor.data if tensor.extra is None or tensor.extra.first is None else tensor.extra.first


def _is_sibling(other: Tensor, tensor: Tensor) -> bool:
    return other.op is tensor.op and other.inputs == tensor.inputs


def inside(entry: Tensor) -> Tensor | None:
    """The entry of a change through a view, which PyTorch has inside the CopySlices of its base; else None.

    Of `view.mul_(2)` it is the product. A part that was assigned, `x[0] = y`, is an input like others.
    """
    op = entry.op
    if op is None or op.node != "CopySlices" or (entry.extra is not None and entry.extra.is_assigned):
        return None
    entries = entry.tape.entries
    base, at = entry.inputs
    part = entries[at]
    if part.op is None or part.extra is None or not part.extra.is_in_place:
        return None
    return part if not part.inputs or views_between(part, base) is not None else None


def views_between(part: Tensor, base: int) -> list[Tensor] | None:
    """The views by which a change came from the entry at `base`, the last one first; None where it did not.

    There are none where the base took no gradient before the change: its views are in no graph.
    """
    entries, found = part.tape.entries, []
    at = part.inputs[0]
    while at > base and (op := entries[at].op) is not None and op.is_view:
        found.append(entries[at])
        (at,) = entries[at].inputs
    return found if at == base or not (entries[at].requires_grad or entries[base].requires_grad) else None


def edges(entry: Tensor) -> tuple[int, ...]:
    """Positions of the inputs of a node, as PyTorch's `next_functions` has them."""
    part = inside(entry)
    return entry.inputs if part is None else (entry.inputs[0], *part.inputs[1:])


def results(first: Tensor) -> list[Tensor]:
    """The entries of a node's outputs in order (of a custom Function those that take a gradient), given its head."""
    op = first.op
    if op is None or not (op.output or op.pieces):
        return [first]
    entries, at = first.tape.entries, first.index
    if op.pieces:
        at += 1
    found: list[Tensor] = []
    while at < len(entries):
        entry = entries[at]
        if entry.op is None or not entry.op.output or is_again(entry) or head(entry) is not first:
            break
        found.append(entry)
        at += 1
    return found
