"""Arrays whose sums are recorded: of many sizes and layouts in memory, the same numbers at every run."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class Layout(NamedTuple):
    """An array and the axes it is summed over.

    Attributes:
        shape: as it lies in memory.
        order: of its axes, for a transposed view.
        step: 2 for every second number of the last axis.
        axes: that are summed.
    """

    shape: tuple[int, ...]
    order: tuple[int, ...]
    step: int
    axes: tuple[int, ...]


_WHOLE = (2, 3, 4, 5, 7, 8, 9, 15, 16, 31, 32, 33, 40, 63, 100, 128, 513, 1000, 5000, 20000)

LAYOUTS = (
    *(Layout((n,), (0,), step, (0,)) for n in _WHOLE for step in (1, 2)),
    *(Layout((n, m), (0, 1), 1, axes) for n in (3, 16, 40, 300) for m in (2, 3, 4, 6, 9, 33, 70)
      for axes in ((0,), (1,), (0, 1))),
    *(Layout((40, 9), (1, 0), 1, axes) for axes in ((0,), (1,), (0, 1))),
    *(Layout((5, 17, 6), order, 1, axes) for order in ((0, 1, 2), (2, 0, 1), (1, 2, 0))
      for axes in ((0,), (1,), (2,), (0, 2), (0, 1), (1, 2))),
    *(Layout((4, 3, 5, 12), (0, 1, 2, 3), 2, axes) for axes in ((0, 2, 3), (1,), (3,), (0,), (1, 3))),
    Layout((1, 12, 1), (0, 1, 2), 1, (1,)), Layout((1, 12, 1), (0, 1, 2), 1, (0,)), Layout((6, 1), (0, 1), 1, (0,)),
)  # fmt: skip


def array(layout: Layout, dtype: str) -> Any:
    """Numbers between −8 and 8 that need all their digits."""
    count = int(np.prod(layout.shape))
    numbers = (np.arange(count, dtype=np.int64) * 7919 + 13) % 10007
    x = ((numbers - 5003) / 617).astype(dtype).reshape(layout.shape).transpose(layout.order)
    return x[..., :: layout.step]
