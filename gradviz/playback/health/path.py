"""How a gradient shrinks or grows on its way from what backward started from to a node, factor by factor.

Of several ways the one is gone along which most came: at each node back to the consumer that sent the largest term.
The factors are of norms: what goes out of a node over what came in, and where other terms were added, the sum over
the term. Their product is the norm at the node over that of the seed. Knows no Qt.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from gradviz.playback import flow
from gradviz.playback.health.finding import Finding
from gradviz.playback.measures import Measures, measured
from gradviz.playback.track import Track
from gradviz.playback.words import label, number_text

VANISHING, EXPLODING = 1e-4, 1e4
"""Products beyond which the inspector speaks of them."""


class Factor(NamedTuple):
    """One node of the way.

    Attributes:
        node: its id.
        came, sent: norms of what comes in and of what goes out along the way.
        added: the sum at the next node over this term: 1 where it is the only one.
    """

    node: int
    came: float
    sent: float
    added: float

    @property
    def ratio(self) -> float:
        """What goes out over what came in; nan where that is 0 over 0."""
        return self.sent / self.came if self.came else math.nan


@dataclass(frozen=True)
class Path:
    """The way to a node.

    Attributes:
        node: id of the node it leads to.
        factors: of the nodes before it, from the output on.
        seed, norm: norms of the gradient where backward started and at the node.
    """

    node: int
    factors: tuple[Factor, ...]
    seed: float
    norm: float

    @property
    def product(self) -> float:
        """The norm at the node over that at the output: the product of all factors."""
        return self.norm / self.seed if self.seed else math.nan

    @property
    def steepest(self) -> Factor | None:
        """The node that shrinks it most, or where it grows, that makes it grow most."""
        known = [factor for factor in self.factors if math.isfinite(factor.ratio)]
        pick = min if self.product < 1 else max
        return pick(known, key=lambda factor: factor.ratio, default=None)


def path_to(track: Track, node: int) -> Path | None:
    """The way along which most of the gradient came to a node; None where none came, or it is not finite."""
    call = track.call
    if call is None or node not in call.step_of:
        return None
    numbers: list[int] = [node]
    sent: list[float] = []
    while (best := _best(track, numbers[-1])) is not None:
        numbers.append(best[0])
        sent.append(best[1])
    came = _came(track, numbers)
    if not all(map(math.isfinite, came)):
        return None
    factors = [
        Factor(number, came[at + 1], sent[at], came[at] / sent[at] if sent[at] else math.nan)
        for at, number in enumerate(numbers[1:])
    ]
    return Path(node, tuple(reversed(factors)), came[-1], came[0])


_BEST: WeakKeyDictionary[Measures, dict[int, tuple[int, float] | None]] = WeakKeyDictionary()
"""By the measures of a track what `_best` has found: the ways to the nodes of a deep graph have most in common."""


def _best(track: Track, node: int) -> tuple[int, float] | None:
    """The consumer that sent a node its largest term, and the norm of that; None where backward started."""
    known = _BEST.setdefault(track.measures, {})
    if node not in known:
        terms = track.sent_to(node)
        norms = measured([term.gradient for term in terms])[0]
        best = int(np.nanargmax(norms)) if np.isfinite(norms).any() else 0
        known[node] = (terms[best].consumer, float(norms[best])) if terms else None
    return known[node]


def _came(track: Track, numbers: list[int]) -> list[float]:
    """The norm of what comes into each of some nodes, all of which are reached."""
    positions = np.array([track.turn + (flow.step_number(track, number) or 0) for number in numbers])
    track.measures.cover(positions)
    found: list[float] = track.measures.norms[positions].tolist()
    return found


def path_text(track: Track, path: Path) -> str:
    """How the norm changes along a path: "norm 1 at loss, 2e-6 at W: × 2e-6 over 12 nodes, of which 4 tanh make …"."""
    name, start = label(track.recording, path.node), label(track.recording, path.factors[0].node)
    change = f"norm {number_text(path.seed)} at {start}, {number_text(path.norm)} at {name}"
    count = len(path.factors)
    text = f"{change}: × {number_text(path.product)} over {count:,} {'node' if count == 1 else 'nodes'}"
    share = _by_op(track, path)
    return text if share is None or count == 1 else f"{text}, of which {share}"


def _by_op(track: Track, path: Path) -> str | None:
    """The ops of one name that change the gradient most, all together: "8 sigmoid make × 3e-6"."""
    products: dict[str, float] = {}
    counts: dict[str, int] = {}
    for factor in path.factors:
        if math.isfinite(factor.ratio) and factor.ratio > 0:
            op = track.recording.nodes[factor.node].op
            products[op] = products.get(op, 1.0) * factor.ratio
            counts[op] = counts.get(op, 0) + 1
    if not products:
        return None
    op = (min if path.product < 1 else max)(products, key=lambda name: products[name])
    return f"{counts[op]:,} {op} {'makes' if counts[op] == 1 else 'make'} × {number_text(products[op])}"


def path_findings(track: Track, position: int, node: int) -> tuple[Finding, ...]:
    """That the gradient has vanished or exploded on its way to a node, and where most."""
    number = flow.step_number(track, node)
    if number is None or not flow.has_run(track, position, node):
        return ()
    first = track.turn + 1
    track.measures.cover(np.array([first, track.turn + number]))
    seed, norm = track.measures.norms[[first, track.turn + number]].tolist()
    if not seed > 0 or not math.isfinite(norm) or VANISHING <= norm / seed <= EXPLODING or not norm:
        return ()
    path = path_to(track, node)
    if path is None or not path.factors or VANISHING <= path.product <= EXPLODING:
        return ()
    word = "vanishes" if path.product < 1 else "explodes"
    steepest = path.steepest
    return (Finding(f"The gradient {word} on its way here: {path_text(track, path)}.", steepest and steepest.node),)
