"""Which of the backward nodes that are ready runs next.

PyTorch keeps them in a C++ `std::priority_queue` by sequence number: the node made last runs first, and before all
others those with the highest number there is: every AccumulateGrad, and nodes that only refuse. Nodes of equal number
come out in an order that only the heap's own moves explain, so these are the moves of libstdc++ (`push_heap` and
`__adjust_heap`).
"""

from __future__ import annotations

FIRST = 2**64 - 1
"""The sequence number of AccumulateGrad and of the nodes that refuse."""


class ReadyQueue:
    """Pairs (sequence number, node) that come out largest number first."""

    __slots__ = ("_heap",)

    def __init__(self) -> None:
        self._heap: list[tuple[int, int]] = []

    def __bool__(self) -> bool:
        return bool(self._heap)

    def push(self, number: int, node: int) -> None:
        """Add a node."""
        heap = self._heap
        heap.append((number, node))
        self._raise(len(heap) - 1, heap[-1])

    def _raise(self, hole: int, item: tuple[int, int]) -> None:
        """Let an item rise from a hole to its place."""
        heap = self._heap
        while hole > 0:
            parent = (hole - 1) // 2
            if heap[parent][0] >= item[0]:
                break
            heap[hole] = heap[parent]
            hole = parent
        heap[hole] = item

    def pop(self) -> int:
        """Take the next node out."""
        heap = self._heap
        item = heap.pop()
        if not heap:
            return item[1]
        (_, node), size, hole = heap[0], len(heap), 0
        # The hole sinks to the bottom along the larger children, the right one where they are equal.
        while hole < (size - 1) // 2:
            child = 2 * hole + 2
            if heap[child][0] < heap[child - 1][0]:
                child -= 1
            heap[hole] = heap[child]
            hole = child
        if size % 2 == 0 and hole == (size - 2) // 2:
            heap[hole] = heap[2 * hole + 1]
            hole = 2 * hole + 1
        self._raise(hole, item)
        return node
