"""Gradients that are views of a seed that the user gave: through `x.t()` the seed of the result comes as its transpose.

PyTorch copies no numbers for them, so that a change of one is a change of the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradviz.imitation.engine.memory import storage
from gradviz.imitation.engine.memory.resizing import memory_of, offset_of
from gradviz.imitation.engine.memory.sharing import address, own_copy
from gradviz.imitation.engine.tensor import Tensor, constant


def view_of_seed(g: Any, seeds: Sequence[Any], given: Sequence[Any]) -> Tensor | None:
    """The gradient as a tensor that looks into the memory of a given seed; None where it lies elsewhere.

    Args:
        g: what came.
        seeds: the arrays that the pass began with.
        given: what the user gave for each.
    """
    if not isinstance(g, np.ndarray) or not g.size or g.base is None:
        return None
    for seed, v in zip(seeds, given, strict=False):
        if isinstance(v, Tensor) and g is not seed and v.dtype is g.dtype and np.may_share_memory(g, seed):
            return _view(g, seed, v)
    return None


def _view(g: Any, seed: Any, v: Tensor) -> Tensor | None:
    if np.may_share_memory(seed, v.data):
        v.data = own_copy(v.data)  # the array also stands in the record of the sweep
    if v.data.strides != seed.strides:
        return None
    start = offset_of(v) + (address(g) - address(seed)) // g.itemsize
    seen = np.lib.stride_tricks.as_strided(memory_of(v)[start:], g.shape, g.strides)
    out = storage.share(v, constant(seen, v.tape))
    out.more.base = None
    return out
