"""What becomes of a call that writes into `out=` where that shares memory with what the call reads.

Each kernel of PyTorch looks at other things, and in another order: some refuse it before the target takes the shape of
the result, some after, some read what they have written already.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.imitation.engine.dtypes import FLOATING, INT64, DType
from gradviz.imitation.engine.memory import storage
from gradviz.imitation.engine.memory.refused_writes import refuse_overlap, refuse_repeated
from gradviz.imitation.engine.tensor import Tensor
from gradviz.errors import TorchError

FACTORIES = frozenset(
    (
        "zeros",
        "ones",
        "full",
        "eye",
        "empty",
        "rand",
        "randn",
        "randint",
        "randperm",
        "arange",
        "linspace",
        "logspace",
        "range",
    )
)
SPREAD = frozenset(("arange", "linspace", "logspace", "range"))
"""Those that ask for a number of elements only, in whatever shape."""
FIRST_WRITES = {"sum": 0, "nansum": 0, "nanmean": 0, "mean": 0, "prod": 1, "amax": -math.inf, "amin": math.inf}
"""What totals write before they read anything; of integers the least or the largest there is."""
SPREADS = ("std", "std_mean", "var", "var_mean")
"""Those that read what is left of an input that is sized anew as their target: one number each."""
TOTALS = frozenset((*FIRST_WRITES, "argmax", "argmin"))
"""Those that write over what they read without a word."""
PRODUCTS = frozenset(("mm", "matmul", "bmm", "mv"))
"""So do these."""
JOINING = frozenset(("cat", "stack"))
COPIED_FIRST = frozenset(("addmm", "addmv"))
"""Those that copy their first input into the target before they begin."""
_SIZED_FIRST = """
    all any bucketize column_stack cross cumprod cumsum dot dstack histc hstack inner isin isneginf isposinf
    logsumexp multinomial nanquantile nonzero norm quantile rand randint randn searchsorted signbit std var vstack
"""
AFTER = frozenset((*JOINING, *SPREAD, *COPIED_FIRST, *_SIZED_FIRST.split()))
"""Those that give the target its shape before they look at its memory."""
EVEN_WHOLE = frozenset((*JOINING, "index_select"))
"""Those that do not write over the very same elements in the same order either."""


def refuse_before(name: str, target: Tensor, inputs: list[Tensor]) -> None:
    """Raise for memory that a function looks at before anything else."""
    if name not in AFTER | TOTALS | PRODUCTS | FACTORIES:
        _refuse(name, target, inputs)


def refuse_after(name: str, target: Tensor, inputs: list[Tensor]) -> None:
    """Raise for memory that a function looks at once the target has the shape of the result."""
    if name == "stack":
        _refuse_grown(target, inputs)
    if name in COPIED_FIRST:
        for x in inputs[:1]:
            if x.shape == target.shape:  # what is expanded first is not looked at
                refuse_overlap(target, x)
    elif name in AFTER:
        _refuse(name, target, inputs)
    elif name == "matmul" and not all(x.ndim for x in inputs):  # a vector that became the product, a number
        raise TorchError(f"1D tensors expected, but got {inputs[0].ndim}D and {inputs[1].ndim}D tensors")


def _refuse(name: str, target: Tensor, inputs: list[Tensor]) -> None:
    refuse_repeated(target)
    for x in inputs:
        if name != "cat" or x.shape != (0,):  # which is left out, of whatever sizes the others are
            refuse_overlap(target, x, even_whole=name in EVEN_WHOLE)


def _refuse_grown(target: Tensor, inputs: list[Tensor]) -> None:
    """Raise for a tensor that is stacked into itself: it has one dim more than the others then."""
    others = [x for x in inputs if x is not target]
    if len(others) == len(inputs) or not others or target.ndim == 1:
        return
    if inputs[0] is target:
        sizes = f"got {list(target.shape)} at entry 0 and {list(others[0].shape)} at entry 1"
        raise TorchError(f"stack expects each tensor to be equal size, but {sizes}")
    raise TorchError(f"Tensors must have same number of dimensions: got {target.ndim - 1} and {target.ndim}")


def _least(bound: float, dtype: DType) -> Any:
    """A number, or in the place of an infinite one the last that a dtype has."""
    if math.isfinite(bound) or dtype.kind in FLOATING:
        return bound
    if dtype.kind == "b":
        return bound > 0
    info = np.iinfo(dtype)
    return info.max if bound > 0 else info.min


def read_again(
    name: str, target: Tensor, result: Tensor, inputs: list[Tensor], run: Callable[[], Tensor], *, is_resized: bool
) -> Any:
    """The numbers to write, where a function reads what it has written; the target has the shape of the result.

    Args:
        is_resized: whether it had another shape before.
        run: calls the function on what its inputs are by now.
    """
    is_same = any(x is target for x in inputs)
    if not is_same and not any(np.may_share_memory(x.data, target.data) for x in inputs):
        return result.data
    if name in SPREADS and is_same and is_resized:
        return np.full(result.shape, np.nan, result.dtype)
    if name == "amin" and result.dtype == INT64:  # whose kernel writes last
        return result.data
    is_by_vector = name in PRODUCTS and result.ndim == 2 and 1 in result.shape  # which begins with zeros
    if is_by_vector or name in FIRST_WRITES:
        first = np.full(result.shape, _least(FIRST_WRITES.get(name, 0), result.dtype), result.dtype)
        if is_same:
            return first
        storage.write(target, first)
        storage.count_changes(target, -1)
    return run().data if is_by_vector or name in TOTALS else result.data
