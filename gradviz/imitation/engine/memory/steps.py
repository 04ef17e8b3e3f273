"""How far apart the numbers of a tensor lie along each dim, also where numpy does not mind: along dims of one element,
and where there are no elements.

PyTorch shows these steps in `stride()`, and compares them where what is read and what is written may overlap. Arrays of
views have the steps of PyTorch's views; what an op made afresh, and numpy calls contiguous, lies in rows.
Source: TensorUtils.cpp (computeStride), ExpandUtils.cpp (inferExpandGeometry), TensorShape.cpp.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gradviz.imitation.engine.memory.sharing import address, seen

if TYPE_CHECKING:
    from gradviz.imitation.engine.tensor import Tensor

Steps = tuple[int, ...]
"""In bytes, one for each dim."""


def laid_out(x: Tensor) -> Any:
    """The array of a tensor, with PyTorch's steps."""
    if not isinstance(x.data, np.ndarray):
        x.data = np.array(x.data)
    array = x.data
    if _is_plain(array) or (x.extra is not None and x.extra.has_steps) or not array.flags.c_contiguous:
        return array
    return with_steps(array, in_rows(array.shape, array.itemsize))


def seen_through(name: str, array: Any, value: Any, params: dict[str, Any]) -> Any:
    """What numpy gives for a view, with PyTorch's steps.

    Args:
        name: of the op of the view.
        array: what is looked into, with PyTorch's steps.
        value: what numpy gave.
    """
    if _is_plain(value):
        return value
    find = STEPS.get(name)
    steps = value.strides if find is None else find(array, value.shape, params)
    if value.size:
        return with_steps(value, steps)
    first = params.get("start", params.get("index", 0))
    begin = first * array.strides[params["dim"]] if first else 0  # numpy forgets where nothing begins
    return with_steps(value, steps, address(array) + begin - address(value))


def with_steps(array: Any, steps: Steps, begin: int = 0) -> Any:
    """An array over the same memory with other steps along dims of one element, or where it has no elements.

    Args:
        begin: how many bytes further one of no elements begins.
    """
    if array.strides == steps and not begin:
        return array
    out = seen(array, steps, begin)
    out.flags.writeable = array.flags.writeable
    return out


def like_before(array: Any, before: Any) -> Any:
    """An array of other numbers, with the steps of the one whose place it takes, where both lie in the same order."""
    each = zip(array.shape, array.strides, before.strides, strict=True)
    return with_steps(array, before.strides) if all(n == 1 or a == b for n, a, b in each) else array


def _is_plain(array: Any) -> bool:
    """Whether numpy minds each of its steps."""
    return array.size > 0 and 1 not in array.shape


def in_rows(shape: Sequence[int], step: int) -> Steps:
    """The steps of rows without gaps, whose numbers are a step apart; a dim of no elements counts as one of one."""
    found = []
    for n in reversed(shape):
        found.append(step)
        step *= max(n, 1)
    return tuple(reversed(found))


def _unsqueezed(array: Any, shape: tuple[int, ...], params: dict[str, Any]) -> Steps:
    dim = params["dim"] % len(shape)
    steps = array.strides
    return (*steps[:dim], array.shape[dim] * steps[dim] if dim < array.ndim else array.itemsize, *steps[dim:])


def _expanded(array: Any, shape: tuple[int, ...], _params: dict[str, Any]) -> Steps:
    if not array.ndim:
        return (0,) * len(shape)
    front = len(shape) - array.ndim
    found = [0 if own == 1 != n else step
             for own, n, step in zip(array.shape, shape[front:], array.strides, strict=True)]  # fmt: skip
    for n, after in zip(reversed(shape[:front]), reversed(shape[1 : front + 1]), strict=True):
        found.insert(0, after * found[0] if n == 1 else 0)
    return tuple(found)


def _reshaped(array: Any, shape: tuple[int, ...], _params: dict[str, Any]) -> Steps:
    if not array.size:
        return array.strides if array.shape == shape else in_rows(shape, array.itemsize)
    left = [*shape]
    found: list[int] = []
    for count, step in _runs(array):
        reached = 1
        while left and (reached < count or left[-1] == 1):
            found.append(reached * step)
            reached *= left.pop()
    found += [array.itemsize] * len(left)
    return tuple(reversed(found))


def _runs(array: Any) -> list[tuple[int, int]]:
    """The numbers in pieces, each with one step from number to number: how many, and the step; the last first."""
    runs: list[tuple[int, int]] = []
    for n, step in zip(reversed(array.shape), reversed(array.strides), strict=True):
        if runs and (n == 1 or step == runs[-1][0] * runs[-1][1]):
            runs[-1] = (runs[-1][0] * n, runs[-1][1])
        else:
            runs.append((n, step))
    return runs


def _sliced(array: Any, _shape: tuple[int, ...], params: dict[str, Any]) -> Steps:
    dim = params["dim"]
    return tuple(step * params["step"] if i == dim else step for i, step in enumerate(array.strides))


STEPS: dict[str, Callable[[Any, tuple[int, ...], dict[str, Any]], Steps]] = {
    **dict.fromkeys(("view", "reshape", "reshape_alias"), _reshaped),
    **dict.fromkeys(("unsqueeze", "unsqueeze_"), _unsqueezed),
    "expand": _expanded, "slice": _sliced,
}  # fmt: skip
"""By the name of the op; numpy keeps the steps of the others as PyTorch does."""
