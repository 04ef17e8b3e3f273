"""What becomes of `.grad`: of a leaf, and of a tensor that retains its gradient."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.memory import storage
from gradviz.imitation.engine.memory.refused_writes import is_dense, lies_as, refuse_shapes
from gradviz.imitation.engine.passes.seed_views import view_of_seed
from gradviz.imitation.engine.tensor import Tensor, apply, constant, record
from gradviz.imitation.engine.warn import Once, warn

LAYOUT = (
    "grad and param do not obey the gradient layout contract. This is not an error, but may impair performance.\n"
    "grad.sizes() = {}, strides() = {}\nparam.sizes() = {}, strides() = {}"
)
NEW_SUM, SAME_SUM = Once("sum of gradients"), Once("gradient added to")


def add_to_grad(
    leaf: Tensor,
    g: Any,
    seeds: Sequence[Any] = (),
    given: Sequence[Any] = (),
    late: Callable[[], int] | None = None,
) -> tuple[Any, Any]:
    """Add to `.grad`: the very same tensor object gets the sum; returns it before and after, as arrays.

    Args:
        leaf: what it is a gradient of.
        g: the gradient.
        seeds: what the pass began with, and `given`, what the user gave for it, which `.grad` may look into.
        late: what says how often the pass wrote to the gradient; see `memories`.
    """
    more = leaf.more
    if more.grad is None:
        seen = view_of_seed(g, seeds, given)
        if seen is not None and seen.shape == leaf.shape and lies_as(seen.data, leaf.data):
            more.grad = seen
            return None, np.array(seen.data)
        more.grad = (
            _copied(g, leaf) if isinstance(g, Tensor) else constant(_apart(_laid_out(g, leaf), given), leaf.tape)
        )
        more.grad.more.shared_grad, more.grad.more.late = True, late
        return None, more.grad.data
    grad = more.grad
    before = grad.data
    if isinstance(g, Tensor):
        more.grad = grad + g
        _check_layout(more.grad.data, leaf.data, NEW_SUM)
        return before, more.grad.data
    if g.shape != before.shape:  # after `.data =` with another shape
        refuse_shapes(grad, constant(g, leaf.tape))
    _check_layout(before, leaf.data, SAME_SUM)
    if g.dtype is not before.dtype:  # after `.data =` with another dtype
        g = g.astype(before.dtype)
    if grad.extra is not None and grad.extra.storage is not None and len(grad.extra.storage.live()) > 1:
        before = np.array(before)
        storage.write(grad, before + g)
        return before, np.array(grad.data)
    if grad.index >= 0:
        storage.leave_stand_in(grad, counts=True, keep_value=False)
    grad.data = _as_before(before + g, before)
    storage.count_changes(grad)
    grad.more.shared_grad = True
    return before, more.grad.data


def _apart(g: Any, given: Sequence[Any]) -> Any:
    """A gradient in memory of its own, where it lies in that of a tensor that the pass was given."""
    is_seed = any(isinstance(v, Tensor) and np.may_share_memory(g, v.data) for v in given)
    return np.array(g) if is_seed else g


def _copied(g: Tensor, leaf: Tensor) -> Tensor:
    """A gradient that is part of a graph is copied into new memory of its leaf's sizes, as PyTorch records it.

    Raises:
        TorchError: it does not fit there.
    """
    refuse_shapes(leaf, g)
    value = _copy(g.data, leaf.data)[()]
    if not g.requires_grad:
        return constant(value, g.tape)
    return record(OPS["copy"], (constant(np.zeros_like(value), g.tape), g), {}, value)


def _laid_out(g: Any, leaf: Tensor) -> Any:
    """A first gradient in memory as its leaf is, in which order its sums are formed: PyTorch's contract for `.grad`.

    One of other sizes than its leaf has by now PyTorch takes as it is, or copies it into those.

    Raises:
        TorchError: it does not fit there.
    """
    if lies_as(g, leaf.data):
        return g
    if g.shape != leaf.shape and is_dense(leaf.data):
        refuse_shapes(leaf, constant(g, leaf.tape))
    return _copy(g, leaf.data)


def _copy(g: Any, like: Any) -> Any:
    """A copy of a gradient in memory as its leaf is, or in rows where that has gaps or repeats numbers."""
    if not is_dense(like):
        return np.array(g, order="C")
    out = np.empty_like(like, g.dtype)
    out[...] = g
    return out


def _as_before(total: Any, before: Any) -> Any:
    """The sum in memory as the gradient was before."""
    if total.strides == before.strides or total.shape != before.shape:
        return total
    return _copy(total, before)


def _check_layout(grad: Any, leaf: Any, place: Once) -> None:
    if not lies_as(grad, leaf):
        warn(LAYOUT.format(*_sizes(grad), *_sizes(leaf)), once=place)


def _sizes(x: Any) -> tuple[list[int], list[int]]:
    return list(x.shape), [step // x.itemsize for step in x.strides]


def retain(tensor: Tensor, g: Any) -> tuple[Any, Any]:
    """Add to the `.grad` of a tensor that retains its gradient; returns it before and after, as arrays."""
    more = tensor.more
    # A hook further on may change in place what goes on from here.
    mine = apply(OPS["clone"], (g,)) if isinstance(g, Tensor) else constant(g, tensor.tape)
    mine.more.shared_grad = True
    before = None if more.grad is None else more.grad.data
    more.grad = mine if more.grad is None else more.grad + mine
    return before, more.grad.data
