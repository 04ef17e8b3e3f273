"""What the seed laboratory asks of one output and what it finds, as plain arrays. Knows no Qt.

J is never needed for any of the products: it is built beside them, one pass a row, to show what they are products with.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gradviz.errors import GradvizError
from gradviz.playback.words import place_text
from gradviz.recording import Array, Recording
from gradviz.ui.seed.pairs import Pair, paired

if TYPE_CHECKING:  # brings the engine
    from gradviz.graph.derivatives import Asked

MOST, SAMPLED = 12, 8
"""Rows and columns up to which a Jacobian is shown whole; and how many, evenly spread, of a larger one."""
QUICK = 0.15
"""Seconds that an answer may take while a number is dragged; what takes longer is asked for when it is let go."""
LONG = 20_000
"""Nodes from which on the process that has run the script is asked first: it has the graph already."""
MOST_PAIRED = 2_000
"""Nodes of a first graph up to which the second is shown beside it."""
SLOW = 4.0
"""Seconds that the rows of J may take without being asked for."""
EXACT = 1e-12
"""The difference of two float64 numbers, relative to their terms, that is rounding."""

DIFFERENT = 1e-3
"""The error of central differences, relative to the largest of them, that is no rounding any more."""

Matrix = np.ndarray[Any, np.dtype[np.float64]]


class Wish(NamedTuple):
    """What is asked.

    Attributes:
        v: of the shape of the output.
        leaf: id of the leaf that J, u and the second derivatives are of; None where it is not known which there are.
        u: of the shape of the leaf.
        is_second: whether second derivatives are asked for in place of J.
        is_paired: whether the second graph is asked for, in place of anything else.
        is_quick: whether only what takes no longer than a pass is asked for, since a number is being dragged.
        wants_rows: whether the rows of J are to be built however long it takes.
    """

    v: Array
    leaf: int | None
    u: Array | None
    is_second: bool = False
    is_paired: bool = False
    is_quick: bool = False
    wants_rows: bool = False


@dataclass
class Findings:
    """What was found; what could not be is None, and `problems` says why, one sentence for each reason.

    Attributes:
        gradients: v·J of each leaf.
        rows, columns: of the matrix that is shown, J or H: which of the numbers, in C order.
        matrix: what is shown of it; NaN rows stand where `known` is False.
        known: for each of `rows`, whether it has been built.
        forward: J·u, or H·u where second derivatives were asked for.
        forward_difference: the same by central differences.
        backward_difference: v·J of the leaf by central differences, for `columns`.
        pairs: the second graph beside the first, where that was asked for.
        counts: see `counted`.
        seconds: what it took.
    """

    wish: Wish
    gradients: Mapping[int, Array] = field(default_factory=dict)
    rows: tuple[int, ...] = ()
    columns: tuple[int, ...] = ()
    matrix: Matrix | None = None
    known: tuple[bool, ...] = ()
    forward: Array | None = None
    forward_difference: Array | None = None
    backward_difference: Matrix | None = None
    problems: tuple[str, ...] = ()
    pairs: tuple[Pair, ...] = ()
    counts: tuple[int, int, int] = (0, 0, 0)
    seconds: float = 0.0

    @property
    def gradient(self) -> Array | None:
        """v·J of the leaf."""
        return None if self.wish.leaf is None else self.gradients.get(self.wish.leaf)

    @property
    def identity(self) -> tuple[float, float] | None:
        """v·(J·u) and (v·J)·u."""
        g, u = self.gradient, self.wish.u
        if self.forward is None or g is None or u is None or self.wish.is_second:
            return None
        return product(self.wish.v, self.forward), product(g, u)

    @property
    def is_same(self) -> bool:
        """Whether both differ by no more than rounding."""
        g, u = self.gradient, self.wish.u
        both = self.identity
        if both is None or g is None or u is None or self.forward is None:
            return False
        if both[0] == both[1]:
            return True
        with np.errstate(all="ignore"):
            pairs = (g, u), (self.wish.v, self.forward)
            size = sum(float(np.sum(np.abs(np.multiply(one, other)))) for one, other in pairs)
            size += float(np.linalg.norm(np.ravel(self.wish.v)) * np.linalg.norm(np.ravel(u)))
        rounding = max(EXACT, 64 * float(np.finfo(np.asarray(g).dtype).eps))
        return abs(both[0] - both[1]) <= rounding * max(size, np.finfo(np.float64).tiny)


def disagreement(found: Findings) -> bool:
    """Whether differences say something else than the passes where both are finite: at a kink, or by a wrong rule."""
    pairs: list[tuple[Any, Any]] = [(found.forward, found.forward_difference)]
    if found.gradient is not None and found.backward_difference is not None and not found.wish.is_second:
        pairs.append((np.ravel(found.gradient)[list(found.columns)], found.backward_difference))
    for exact, rough in pairs:
        if exact is not None and rough is not None:
            a, b = (np.asarray(each, np.float64) for each in (exact, rough))
            finite = np.isfinite(a) & np.isfinite(b)
            size = float(np.max(np.abs(np.where(finite, b, 0)), initial=1.0))
            if np.any(np.abs(np.where(finite, a - b, 0)) > DIFFERENT * size):
                return True
    return False


def without_noise(differences: Any) -> Any:
    """Central differences to the digits that they can have: nothing is below 1e-9 of the largest, or of 1."""
    array = np.asarray(differences, np.float64)
    size = float(np.max(np.abs(array[np.isfinite(array)]), initial=1.0))
    power = 10.0 ** math.floor(math.log10(size))
    return (np.round(array / power, 9) * power)[()]


def product(a: Any, b: Any) -> float:
    """The sum of the products of two arrays of one shape, in float64."""
    with np.errstate(all="ignore"):
        return float(np.sum(np.multiply(np.asarray(a, np.float64), np.asarray(b, np.float64))))


def spread(count: int) -> tuple[int, ...]:
    """Numbers below `count`: all, or where they are many, some evenly spread from the first to the last."""
    if count <= MOST:
        return tuple(range(count))
    return tuple(np.linspace(0, count - 1, SAMPLED).round().astype(int).tolist())


class Experiment:
    """One output of a recording, and what is already known of it. Used by one thread at a time.

    Attributes:
        output: id of the node of which v is the weight.
    """

    def __init__(self, recording: Recording, output: int, ask_run: Callable[[str, Any], Any] | None) -> None:
        self._recording, self.output, self._ask_run = recording, output, ask_run
        self._asked: Asked | None = None
        self._rows: dict[int, dict[int, Matrix]] = {}
        self._pass_seconds = 0.0
        self._counts: tuple[int, int, int] | None = None

    def asked(self) -> Asked:
        """Who answers: the rules at hand, or where one is missing, the run of the script.

        Raises:
            GradvizError: neither can.
        """
        if self._asked is None:
            from gradviz.graph.derivatives import AskedDerivatives, Derivatives  # late: it brings the engine

            refusal: GradvizError | None = None
            is_long = len(self._recording.nodes) > LONG and self._ask_run is not None
            if not is_long:
                try:
                    self._asked = Derivatives(self._recording, self.output)
                except GradvizError as error:
                    refusal = error
            if self._asked is None and self._ask_run is not None:
                with suppress(GradvizError):
                    self._asked = AskedDerivatives(self._recording, self.output, self._ask_run)
            if self._asked is None:
                if refusal is not None:
                    raise refusal
                self._asked = Derivatives(self._recording, self.output)
        return self._asked

    def find(self, wish: Wish, is_unwanted: Callable[[], bool] = lambda: False) -> Findings:
        """Find all that is asked for; what cannot be found is left out, with the reason.

        Raises:
            GradvizError: not even v·J can be told.
        """
        began = time.monotonic()
        try:
            asked = self.asked()
            found = Findings(wish, asked.send_back(wish.v))
        except GradvizError:
            if self._asked is None or self._ask_run is None:
                raise
            from gradviz.graph.derivatives import AskedDerivatives  # late: it brings the engine

            ask_run, self._ask_run = self._ask_run, None
            asked = self._asked = AskedDerivatives(self._recording, self.output, ask_run)
            found = Findings(wish, asked.send_back(wish.v))
        self._pass_seconds = time.monotonic() - began
        if self._counts is None:
            self._counts = counted(self._recording, self.output)
        found.counts = self._counts
        problems: list[str] = []

        def attempt(work: Callable[[], Any]) -> Any:
            if is_unwanted():
                return None
            try:
                return work()
            except GradvizError as error:
                problems.append(sentence(error))
                return None

        leaf, u = wish.leaf, wish.u
        if wish.is_paired and self._counts[1] > MOST_PAIRED:
            problems.append(f"The second graph is shown for up to {MOST_PAIRED:,} nodes; here are {self._counts[1]:,}.")
        elif wish.is_paired:
            graph = attempt(lambda: asked.second_graph(wish.v))
            found.pairs = () if graph is None else tuple(paired(self._recording, self.output, graph))
        elif leaf is not None and leaf in found.gradients and u is not None:
            v = wish.v
            width = math.prod(self._recording.nodes[leaf].shape)
            found.columns = spread(width)
            if wish.is_second:
                found.rows = found.columns
                found.forward = attempt(lambda: asked.bend(v, leaf, u))
                if not wish.is_quick:
                    found.forward_difference = attempt(lambda: without_noise(asked.bend_difference(v, leaf, u)))
                    self._bend_rows(found, asked, attempt, leaf)
            else:
                found.rows = spread(math.prod(self._recording.nodes[self.output].shape))
                found.forward = attempt(lambda: asked.push_forward(leaf, u))
                if not wish.is_quick:
                    found.forward_difference = attempt(lambda: without_noise(asked.difference(leaf, u)))
                    if found.forward_difference is not None:
                        found.backward_difference = attempt(lambda: without_noise(asked.slopes(v, leaf, found.columns)))
                self._collect_rows(found, asked, is_unwanted, attempt, leaf)
        found.problems = tuple(dict.fromkeys(problems))
        found.seconds = time.monotonic() - began
        return found

    def _collect_rows(
        self, found: Findings, asked: Asked, is_unwanted: Callable[[], bool], attempt: Any, leaf: int
    ) -> None:
        known = self._rows.setdefault(leaf, {})
        missing = [row for row in found.rows if row not in known]
        if found.wish.wants_rows or self._pass_seconds * len(missing) <= (QUICK if found.wish.is_quick else SLOW):
            for row in missing:
                made = None if is_unwanted() else attempt(lambda row=row: asked.rows(leaf, [row]))
                if made is None:
                    break
                known[row] = np.asarray(made, np.float64).reshape(-1)
        found.known = tuple([row in known for row in found.rows])
        empty = np.full(len(found.columns), np.nan)
        lines = [known[row][list(found.columns)] if row in known else empty for row in found.rows]
        found.matrix = np.stack(lines) if lines else None

    def _bend_rows(self, found: Findings, asked: Asked, attempt: Any, leaf: int) -> None:
        """The rows of H: H is symmetric, so its rows are H·u for each one-hot u."""
        shape = self._recording.nodes[leaf].shape
        lines: list[Matrix] = []
        for row in found.rows:
            u = np.zeros(shape)
            u.reshape(-1)[row] = 1
            made = attempt(lambda u=u: asked.bend(found.wish.v, leaf, u[()]))
            if made is None:
                return
            lines.append(np.asarray(made, np.float64).reshape(-1)[list(found.columns)])
        found.matrix = np.stack(lines) if lines else None
        found.known = (True,) * len(lines)


def sentence(error: GradvizError) -> str:
    """An error as a sentence of its own."""
    text = GradvizError(error.headline, hint=error.hint).one_line()  # its line of the script says nothing here
    return f"{text[:1].upper()}{text[1:]}"


def counted(recording: Recording, output: int) -> tuple[int, int, int]:
    """How many numbers one pass sends along the edges, through how many nodes, and how many the Jacobians of these
    nodes would have."""
    nodes = recording.nodes
    sent, steps, whole = 0, 0, 0
    reached, waiting = {output}, [output]
    while waiting:
        node = nodes[waiting.pop()]
        if node.is_leaf:
            continue
        steps += 1
        for source in node.inputs:
            if nodes[source].requires_grad:
                size = math.prod(nodes[source].shape)
                sent += size
                whole += size * math.prod(node.shape)
                if source not in reached:
                    reached.add(source)
                    waiting.append(source)
    return sent, steps, whole


def places(shape: Sequence[int], name: str, numbers: Sequence[int]) -> list[str]:
    """What elements are called: "f[0]", "W[1, 2]"; a single number by its name."""
    return [f"{name}{place_text(tuple(shape), number)}" for number in numbers]
