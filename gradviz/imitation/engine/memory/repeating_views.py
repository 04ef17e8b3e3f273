"""Changes in place of what shows numbers several times, as `unfold` does: PyTorch changes such a number several times.

Its loop goes from place to place and reads what it has written before, so that `x.unfold(0, 3, 1).mul_(2)` doubles a
number for each window that it lies in. Backward it writes the gradient of each window over that of the one before.

Source: aten/src/ATen/TensorIterator.cpp; torch/csrc/autograd/functions/tensor.cpp, `CopySlices`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.imitation.engine.generic import kept_where
from gradviz.imitation.engine.memory.layouts import loop_order
from gradviz.imitation.engine.memory.refused_writes import is_repeated
from gradviz.imitation.engine.tensor_class import Tensor, constant


def change_again(tensor: Tensor, out: Tensor, run: Callable[[Tensor], Tensor]) -> Tensor:
    """Let the result of an elementwise change be what it is where the tensor shows numbers several times.

    Args:
        tensor: what is changed; its numbers are still the old ones.
        out: what the op makes of them, each looked at once.
        run: the op, of other numbers in the place of the tensor's.
    """
    found = _visits(tensor.data)
    if found is None:
        return out
    at, turn = found
    memory = np.empty(int(at.max()) + 1, tensor.dtype)
    memory[at] = tensor.data
    value = out.data
    with tensor.tape.grad_mode(False):
        for now in range(int(turn.max()) + 1):
            tensor.tape.pulse()
            if now:
                value = run(constant(memory[at], tensor.tape)).data
            here = turn == now
            memory[at[here]] = value[here]
    out.data = memory[at]
    if out.requires_grad:
        out.more.last = _last(at, turn)
        out.tape.by_node = True
    return out


def of_last(part: Tensor, g: Any) -> Any:
    """The gradient of what a change through a view read, where a place counts only as it was shown last."""
    last = None if part.extra is None else part.extra.last
    return g if g is None or last is None else kept_where(last, g)


def _visits(x: Any) -> tuple[Any, Any] | None:
    """The place in memory of each number (by the steps of x), and how often a loop was there before; None if never."""
    if not isinstance(x, np.ndarray) or x.flags.c_contiguous or is_repeated(x) or _is_apart(x):
        return None
    order = loop_order(x.shape, [x.strides])
    at = sum(
        np.arange(x.shape[dim]).reshape(-1, *(1,) * rest) * (x.strides[dim] // x.itemsize)
        for rest, dim in zip(reversed(range(x.ndim)), order, strict=True)
    )
    flat = np.asarray(at).reshape(-1)
    by_place = np.argsort(flat, kind="stable")
    sorted_ = flat[by_place]
    first = np.concatenate(([True], sorted_[1:] != sorted_[:-1]))
    if first.all():
        return None
    turn = np.empty_like(flat)
    turn[by_place] = np.arange(flat.size) - np.maximum.accumulate(np.where(first, np.arange(flat.size), 0))
    back = np.argsort(order)
    return np.transpose(at, back), np.transpose(turn.reshape(np.shape(at)), back)


def _is_apart(x: Any) -> bool:
    """Whether the steps alone tell that no two numbers lie at one place."""
    reach = x.itemsize
    for step, n in sorted(zip(x.strides, x.shape, strict=True)):
        if n > 1 and step < reach:
            return False
        reach += (n - 1) * step
    return True


def _last(at: Any, turn: Any) -> Any:
    """Which of the numbers are the last at their place."""
    most = np.zeros(int(at.max()) + 1, turn.dtype)
    np.maximum.at(most, at, turn)
    return turn == most[at]
