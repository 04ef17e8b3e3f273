"""What one backward pass did, as it ran."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gradviz.imitation.engine.passes.scalars import NumberPass


@dataclass(eq=False)
class SweepRecord:
    """What one pass did, as it ran; `recording` freezes it.

    Attributes:
        outputs: positions it started from, with their `seeds`.
        numbers: the steps at a run of single numbers, until somebody reads them; see `scalars`. `above`: how
            many steps ran before them.
        leaves: positions of the leaves reached, with the gradient that came in.
        accumulated: (position, .grad before, .grad after).
        wanted: for `autograd.grad`, the positions differentiated with respect to.
        steps: of a pass that went node by node, all positions in the order in which they ran, leaves too; else empty.
        number: of the pass in its run, from 1, and `line`, of the script, where they are known.
        start: position after the last output of the passes before.
    """

    outputs: tuple[int, ...]
    seeds: tuple[Any, ...]
    retain_graph: bool
    create_graph: bool
    numbers: NumberPass | None = None
    above: int = 0
    leaves: dict[int, Any] = field(default_factory=dict)
    accumulated: list[tuple[int, Any, Any]] = field(default_factory=list)
    wanted: tuple[int, ...] = ()
    steps: list[int] = field(default_factory=list)
    number: int = 0
    line: int | None = None
    start: int = 0
    _order: list[int] = field(default_factory=list)
    _sources: list[tuple[int, ...]] = field(default_factory=list)
    _incoming: list[Any] = field(default_factory=list)
    _outgoing: list[tuple[Any, ...]] = field(default_factory=list)

    @property
    def order(self) -> list[int]:
        """Positions of the interior nodes in the order in which they ran.

        `sources`, `incoming` and `outgoing` go with it. Four lists, since a tuple per node is slower to make than all.
        """
        return self._spelled_out()._order

    @property
    def sources(self) -> list[tuple[int, ...]]:
        """Positions of the inputs of each interior node."""
        return self._spelled_out()._sources

    @property
    def incoming(self) -> list[Any]:
        """dL/dy of each interior node."""
        return self._spelled_out()._incoming

    @property
    def outgoing(self) -> list[tuple[Any, ...]]:
        """One dL/dx per input of each interior node, None where none flows."""
        return self._spelled_out()._outgoing

    @property
    def columns(self) -> tuple[list[int], list[tuple[int, ...]], list[Any], list[tuple[Any, ...]]]:
        """The four lists as they are, for the loop that adds to them."""
        return self._order, self._sources, self._incoming, self._outgoing

    def come_next(self, numbers: NumberPass) -> None:
        """Let the steps of a run of numbers follow those that are in the lists."""
        self.numbers, self.above = numbers, len(self._order)

    def ran(self) -> list[int]:
        """What `order` has, in any order, without spelling the steps out."""
        return self._order if self.numbers is None else self._order + self.numbers.order

    def _spelled_out(self) -> SweepRecord:
        """Itself, with all steps in the lists."""
        if (run := self.numbers) is not None:
            self.numbers, at = None, self.above
            self._order[at:at], self._sources[at:at] = run.order, run.sources
            self._incoming[at:at], self._outgoing[at:at] = run.incoming(), run.outgoing()
        return self

    @property
    def nodes(self) -> Iterable[tuple[int, tuple[int, ...], Any, tuple[Any, ...]]]:
        """Of each interior node that ran its position, those of its inputs, the incoming gradient, the outgoing."""
        return zip(self.order, self.sources, self.incoming, self.outgoing, strict=True)
