"""Gradients beside tensors that look into memory of another shape or dtype than when their node was made.

After `x.data = value` a node that saved x sees the new memory, and a node that only knows the sizes of x knows those of
before; so does the engine, which checks each gradient against what the node that made x said of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import combinations
from typing import Any

from gradviz.imitation.engine.generic import to
from gradviz.imitation.engine.nodes import array_of_node, head
from gradviz.imitation.engine.op import Op
from gradviz.imitation.engine.passes.backward import fit, node_name, rules_of
from gradviz.imitation.engine.rules.shapes.shaping import fit as summed
from gradviz.imitation.engine.shape_errors import invalid_gradient, mismatch
from gradviz.imitation.engine.shapes import broadcasts
from gradviz.imitation.engine.tensor import Tensor, constant
from gradviz.errors import TorchError

Sent = tuple[Any, ...]

EXCHANGED = "The memory was exchanged by .data = with another shape."


def is_moved(x: Tensor) -> bool:
    """Whether a tensor that a node has saved looks into other memory since."""
    return x.extra is not None and x.extra.first is not None


def is_elsewhere(x: Tensor) -> bool:
    """Whether the node that made a tensor knows other sizes or another dtype of it than it has."""
    made = array_of_node(x)
    return is_moved(x) or made.shape != x.shape or made.dtype is not x.dtype


def gathers(x: Tensor) -> bool:
    """Whether it is a leaf whose AccumulateGrad knows other sizes."""
    leaf = head(x) if x.op is None else x
    return leaf.extra is not None and leaf.extra.gathers is not None


def as_known(op: Op, sources: Sequence[Tensor]) -> list[Tensor]:
    """The inputs of a node as it knows them: what it has not saved stays in the memory that it was made with."""
    needs = [x.requires_grad for x in sources]
    return [
        _as_first(x) if is_moved(x) and not op.keeps(op.input_name(slot), needs) else x
        for slot, x in enumerate(sources)
    ]


def _as_first(x: Tensor) -> Tensor:
    first = constant(x.more.first, x.tape)
    first.requires_grad = x.requires_grad
    return first


def outgoing_of_moved(op: Op, g: Any, entry: Tensor, sources: Sequence[Tensor]) -> Sent:
    """What a node sends to inputs `as_known`; not fitted to those that look into other memory by now."""
    needs = [x.requires_grad for x in sources]
    known = [x.data for x in sources]
    sent = [
        rule(g, entry.data, *known, **entry.params) if needed else None
        for needed, rule in zip(needs, rules_of(op, len(sources)), strict=True)
    ]
    return tuple(out if is_elsewhere(x) else fit(out, x.data) for out, x in zip(sent, sources, strict=True))


@contextmanager
def of_moved(g: Any, entry: Tensor, sources: Sequence[Tensor]) -> Iterator[None]:
    """Raise PyTorch's kind of error where the sizes of what was saved do not fit the gradient any more.

    Args:
        g: the gradient.
        entry: stands for the node.
        sources: its inputs, `as_known`.
    """
    try:
        yield
    except ValueError:
        for a, b in combinations((g, *sources), 2):
            if found := mismatch(a.shape, b.shape):
                raise found from None
        raise TorchError(
            f"{node_name(entry)} cannot be computed: the shapes that it has saved do not fit its gradient any more",
            hint=EXCHANGED,
        ) from None


@contextmanager
def of_same_sizes() -> Iterator[None]:
    """Raise PyTorch's kind of error where a gradient does not fit a view that looks into other memory by now."""
    try:
        yield
    except ValueError:
        told = "CopySlices cannot be computed: the view that was changed has other sizes by now"
        raise TorchError(told, hint=EXCHANGED) from None


def fitted(g: Any, x: Tensor, slot: int, name: str = "") -> Any:
    """A gradient in the shape and dtype that the node of x knows.

    Args:
        g: an array, or a tensor.
        x: the input of the node `name` at a slot, or the output of a pass, where `name` is "".

    Raises:
        TorchError: the shape does not fit.
    """
    made = array_of_node(x)
    if g.shape != made.shape:
        if not broadcasts(made.shape, g.shape):
            raise invalid_gradient(name, slot, g.shape, made.shape, EXCHANGED)
        g = summed(g, made.shape)
    if isinstance(g, Tensor):
        return to(g, made.dtype)
    return g if g.dtype is made.dtype else g.astype(made.dtype)
