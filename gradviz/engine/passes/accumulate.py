"""What becomes of `.grad`: of a leaf, and of a tensor that retains its gradient."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradviz.engine.generic import OPS
from gradviz.engine.memory import storage
from gradviz.engine.memory.refused_writes import refuse_shapes
from gradviz.engine.passes.seed_views import view_of_seed
from gradviz.engine.tensor import Tensor, apply, constant, record
from gradviz.engine.warn import warn

LAYOUT = (
    "grad and param do not obey the gradient layout contract. This is not an error, but may impair performance.\n"
    "grad.sizes() = {}, strides() = {}\nparam.sizes() = {}, strides() = {}"
)


def add_to_grad(leaf: Tensor, g: Any, seeds: Sequence[Any] = (), given: Sequence[Any] = ()) -> tuple[Any, Any]:
    """Add to `.grad`: the very same tensor object gets the sum; returns it before and after, as arrays.

    Args:
        leaf: what it is a gradient of.
        g: the gradient.
        seeds: what the pass began with, and `given`, what the user gave for it, which `.grad` may look into.
    """
    more = leaf.more
    if more.grad is None:
        seen = view_of_seed(g, seeds, given)
        if seen is not None and seen.shape == leaf.shape and _lies_as(seen.data, leaf.data):
            more.grad = seen
            return None, np.array(seen.data)
        if g.shape != leaf.shape and not isinstance(g, Tensor):
            g = _spread(g, leaf)
        more.grad = (
            _copied(g, leaf) if isinstance(g, Tensor) else constant(_apart(laid_out(g, leaf.data), given), leaf.tape)
        )
        more.grad.more.shared_grad = True
        return None, more.grad.data
    grad = more.grad
    before = grad.data
    if isinstance(g, Tensor):
        more.grad = grad + g
        return before, more.grad.data
    if g.shape != before.shape:  # after `.data =` with another shape
        refuse_shapes(grad, constant(g, leaf.tape))
    if before.size and before.shape != leaf.shape and before.ndim <= leaf.ndim and not _lies_as(before, leaf.data):
        warn(LAYOUT.format(*_sizes(before), *_sizes(leaf.data)), once=True)
    if g.dtype is not before.dtype:  # after `.data =` with another dtype
        g = g.astype(before.dtype)
    if grad.extra is not None and grad.extra.storage is not None and len(grad.extra.storage.live()) > 1:
        before = np.array(before)
        storage.write(grad, before + g)
        return before, np.array(grad.data)
    if grad.index >= 0:
        storage.leave_stand_in(grad, counts=True, keep_value=False)
    grad.data = before + g
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
    value = np.array(np.broadcast_to(g.data, leaf.shape))[()]
    if not g.requires_grad:
        return constant(value, g.tape)
    return record(OPS["copy"], (constant(np.zeros_like(value), g.tape), g), {}, value)


def _spread(g: Any, leaf: Tensor) -> Any:
    """A first gradient of other sizes than its leaf has by now: PyTorch takes it as it is, or copies it into those.

    Raises:
        TorchError: it does not fit there.
    """
    if _lies_as(g, leaf.data):
        return g
    refuse_shapes(leaf, constant(g, leaf.tape))
    return np.array(np.broadcast_to(g, leaf.shape))


def _lies_as(g: Any, like: Any) -> bool:
    """Whether PyTorch takes a gradient to lie in memory as its leaf does: it compares the steps of the first dims."""
    given, own = ([step // x.itemsize for step in x.strides] for x in (g, like))
    own += [None] * g.ndim
    return all(step == of_leaf if n != 1 else step for n, step, of_leaf in zip(g.shape, given, own, strict=False))


def _sizes(x: Any) -> tuple[list[int], list[int]]:
    return list(x.shape), [step // x.itemsize for step in x.strides]


def laid_out(g: Any, like: Any) -> Any:
    """A gradient in memory as its leaf is, in which order its sums are formed: PyTorch's contract for `.grad`."""
    if not isinstance(g, np.ndarray) or g.flags.c_contiguous:
        return g
    is_spread = any(n > 1 and not step for x in (g, like) for n, step in zip(x.shape, x.strides, strict=True))
    return np.ascontiguousarray(g) if like.flags.c_contiguous or is_spread else g


def retain(tensor: Tensor, g: Any) -> tuple[Any, Any]:
    """Add to the `.grad` of a tensor that retains its gradient; returns it before and after, as arrays."""
    more = tensor.more
    mine = (apply(OPS["clone"], (g,)) if g.requires_grad else g) if isinstance(g, Tensor) else constant(g, tensor.tape)
    mine.more.shared_grad = True
    before = None if more.grad is None else more.grad.data
    more.grad = mine if more.grad is None else more.grad + mine
    return before, more.grad.data
