"""How PyTorch's library cuts the inner axis of a product of matrices where it is long.

Few rows times rows are dot products by registers. All else is done in blocks, whose sums are added one after the other;
where there is enough to multiply, two threads have a half of the inner axis each. Found by probing, as all of
`products`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradviz.imitation.engine.kernels.registers import LANES

BLOCK = 384
"""Numbers of the inner axis that are multiplied before the sums are put away."""
SHARED = 194_000
"""Multiplications from which on there are two threads."""
AREA = 32
"""So many results per number of the inner axis, and the threads share out the results instead of that axis."""
ROWS, PER_ROW = 15, 24
"""Fewer rows, and at least so many numbers in each for every row there is: dot products."""

Product = Callable[[Any, Any], Any]


def is_by_registers(m: int, k: int, n: int) -> bool:
    """Whether rows times rows (m x k times k x n) are dot products by registers."""
    few = m < 4 or m * k * n < SHARED or k % 256 == 0
    return m < ROWS and k >= PER_ROW * m and few


def by_registers(a: Any, b: Any, chains: Product) -> Any:
    """Each lane of a register a chain; of the lanes every fourth one after the other, the four sums in pairs."""
    lanes = [chains(a[:, lane::LANES], b[lane::LANES]) for lane in range(LANES)]
    first, second, third, fourth = (
        ((x + lanes[i + 4]) + lanes[i + 8]) + lanes[i + 12] for i, x in enumerate(lanes[:4])
    )
    return (first + second) + (third + fourth)


def parts(m: int, k: int, n: int) -> list[list[int]]:
    """The sizes of the blocks, of which the first of each thread starts anew."""
    if k <= BLOCK:
        return [[k]]
    if k <= 2 * BLOCK:
        return [_halves(k)]
    if m * k * n < SHARED:
        return [parts_in_order(k)]
    if m * n > AREA * k:
        return [_in_blocks(k)]
    return [
        [size] if size % 2 else _halves(size) if BLOCK < size <= 2 * BLOCK else _in_blocks(size) for size in _halves(k)
    ]


def parts_in_order(k: int) -> list[int]:
    """The sizes of the blocks of one thread: whole ones, and two halves of what would be less than two."""
    if k <= BLOCK:
        return [k]
    whole = (k - 1) // BLOCK - 1
    return [BLOCK] * whole + _halves(k - whole * BLOCK)


def _halves(size: int) -> list[int]:
    return [size - size // 2, size // 2]


def _in_blocks(size: int) -> list[int]:
    return [min(BLOCK, size - at) for at in range(0, size, BLOCK)]


def by_blocks(a: Any, b: Any, chains: Product, start: Any = None) -> Any:
    """The product in the blocks of `parts`, the first of which is added to `start`."""
    at, total = 0, None
    for sizes in parts(a.shape[0], a.shape[1], b.shape[1]):
        thread = start if total is None else None
        for size in sizes:
            block = chains(a[:, at : at + size], b[at : at + size])
            if thread is not None:
                block += thread  # in memory that is at hand: an array more would be a pass over memory more
            thread = block
            at += size
        if total is not None:
            thread += total
        total = thread
    return total
