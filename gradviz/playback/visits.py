"""The way through selections, as a browser keeps it: back, forward, and a new visit ends what was ahead."""

from __future__ import annotations

from collections.abc import Container

_MOST = 200


class Visits:
    """Nodes visited, by id."""

    def __init__(self) -> None:
        self._nodes: list[int] = []
        self._at = -1

    def clear(self) -> None:
        """Forget all."""
        self._nodes, self._at = [], -1

    def visit(self, node: int) -> None:
        """A node was selected; the same one again is no new visit."""
        if self._at >= 0 and self._nodes[self._at] == node:
            return
        self._nodes = [*self._nodes[: self._at + 1], node][-_MOST:]
        self._at = len(self._nodes) - 1

    def back(self, present: Container[int]) -> int | None:
        """Go to the visit before that is still present; None where there is none."""
        return self._go(range(self._at - 1, -1, -1), present)

    def forward(self, present: Container[int]) -> int | None:
        """Go to the visit after that is still present; None where there is none."""
        return self._go(range(self._at + 1, len(self._nodes)), present)

    def _go(self, places: range, present: Container[int]) -> int | None:
        for place in places:
            if self._nodes[place] in present:
                self._at = place
                return self._nodes[place]
        return None
