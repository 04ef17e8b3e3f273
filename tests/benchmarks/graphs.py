"""Graphs of the shapes that backward passes have, for timing and for comparing layouts.

Node ids are shuffled, so that no layout profits from the order in which the nodes were made.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from gradviz.layout.plan import NO_FRAME, Request

Pairs = list[tuple[int, int]]
Graph = tuple[int, Pairs]
"""Number of nodes, and the edges (source, consumer)."""


class Tape:
    """Nodes and edges in the order in which they are made."""

    def __init__(self) -> None:
        self.count = 0
        self.edges: Pairs = []

    def new(self, *inputs: int) -> int:
        """Add a node with these inputs; returns it."""
        self.edges.extend((source, self.count) for source in inputs)
        self.count += 1
        return self.count - 1


def local(count: int, rng: random.Random) -> Graph:
    """A layered graph whose nodes take inputs near their own place, some from two or three layers up."""
    width = max(4, int(math.sqrt(count) * 0.8))
    layers: list[list[int]] = []
    edges: set[tuple[int, int]] = set()
    made = 0
    while made < count:
        size = min(count - made, max(2, int(width * rng.uniform(0.6, 1.4))))
        layers.append(list(range(made, made + size)))
        made += size
    for depth in range(1, len(layers)):
        for place, node in enumerate(layers[depth]):
            for _ in range(rng.choice((1, 1, 2, 2))):
                back = rng.choice((2, 3)) if rng.random() < 0.15 else 1
                sources = layers[max(0, depth - back)]
                centre = place / len(layers[depth]) * len(sources) + rng.gauss(0, 0.08 * len(sources) + 0.5)
                edges.add((sources[min(len(sources) - 1, max(0, int(centre)))], node))
    return count, sorted(edges)


def scalar_mlp(count: int, rng: random.Random) -> Graph:
    """A multilayer perceptron written with single numbers: a product per weight, a chain of sums, a tanh."""
    width = 2
    while _perceptron(width + 1).count <= count * 1.08:
        width += 1
    tape = _perceptron(width)
    return tape.count, tape.edges


def _perceptron(width: int) -> Tape:
    tape = Tape()
    values = [tape.new() for _ in range(3)]
    for size in (width, width, 1):
        outputs = []
        for _ in range(size):
            total = tape.new()
            for value in values:
                total = tape.new(total, tape.new(tape.new(), value))
            outputs.append(tape.new(total))
        values = outputs
    return tape


def residual(count: int, rng: random.Random) -> Graph:
    """Blocks of convolution, normalisation and relu with parameters, around each a shortcut."""
    tape = Tape()
    x = tape.new()
    while tape.count < count:
        y = tape.new(tape.new(x, tape.new()), tape.new(), tape.new())
        y = tape.new(tape.new(tape.new(y), tape.new()), tape.new(), tape.new())
        shortcut = x
        if tape.count % 4 == 0:
            shortcut = tape.new(tape.new(x, tape.new()), tape.new(), tape.new())
        x = tape.new(tape.new(y, shortcut))
    return tape.count, tape.edges


def skipping_chain(count: int, rng: random.Random) -> Graph:
    """A chain in which every fourth node is used again 2 to 20 steps later."""
    edges = {(node, node + 1) for node in range(count - 1)}
    for _ in range(count // 4):
        node = rng.randrange(0, count - 3)
        edges.add((node, min(count - 1, node + rng.randint(2, 20))))
    return count, sorted(edges)


def scattered(count: int, rng: random.Random) -> Graph:
    """A graph without locality: one or two inputs from anywhere among the last 200 nodes."""
    window = 200 if count > 400 else max(8, count // 5)
    edges: set[tuple[int, int]] = set()
    for node in range(window // 4, count):
        for _ in range(rng.choice((1, 2, 2))):
            edges.add((rng.randrange(max(0, node - window), node), node))
    return count, sorted(edges)


class Scopes(Tape):
    """A tape that knows which frame each node was made in."""

    def __init__(self) -> None:
        super().__init__()
        self.framed: list[int] = []
        self.parents: list[int] = []
        self._open: list[int] = [NO_FRAME]

    def new(self, *inputs: int) -> int:
        self.framed.append(self._open[-1])
        return super().new(*inputs)

    def begin(self) -> None:
        """A frame begins, in the one that is open."""
        self.parents.append(self._open[-1])
        self._open.append(len(self.parents) - 1)

    def end(self) -> None:
        """It ends."""
        self._open.pop()

    def request(self) -> Request:
        """Everything in its frames."""
        request = request_for((self.count, self.edges))
        # The ids of the request are shuffled.
        names = list(range(self.count))
        random.Random(0).shuffle(names)
        framed = np.full(self.count, NO_FRAME)
        framed[names] = self.framed
        return replace(request, framed=framed, frame_parents=np.array(self.parents, dtype=np.int64))


def looped(count: int) -> Request:
    """A loop over tanh(y * w + b): the rounds are frames, and each of them reads the same two leaves."""
    tape = Scopes()
    w, b, y = tape.new(), tape.new(), tape.new()
    while tape.count < count:
        tape.begin()
        y = tape.new(tape.new(tape.new(y, w), b))
        tape.end()
    return tape.request()


def gated(count: int) -> Request:
    """A recurrent net with gates: a frame for each step, one in it for the cell, and five leaves that all steps read."""
    tape = Scopes()
    w, u, b, h, c = (tape.new() for _ in range(5))
    while tape.count < count:
        tape.begin()
        x = tape.new()
        tape.begin()
        gates = tape.new(tape.new(tape.new(w, x), tape.new(u, h)), b)
        i, f, g, o = (tape.new(tape.new(gates)) for _ in range(4))
        c = tape.new(tape.new(f, c), tape.new(i, g))
        h = tape.new(o, tape.new(c))
        tape.end()
        tape.end()
    return tape.request()


def neurons(count: int) -> Request:
    """A scalar network: layers are frames, neurons frames in them, and each step of a sum one in its neuron."""
    width = 2
    while _neurons(width + 1).count <= count * 1.05:
        width += 1
    return _neurons(width).request()


def _neurons(width: int) -> Scopes:
    tape = Scopes()
    values = [tape.new() for _ in range(3)]
    for size in (width, width, 1):
        tape.begin()
        outputs = []
        for _ in range(size):
            tape.begin()
            total = tape.new()
            for value in values:
                tape.begin()
                total = tape.new(total, tape.new(tape.new(), value))
                tape.end()
            outputs.append(tape.new(total))
            tape.end()
        tape.end()
        values = outputs
    return tape


def blocks(count: int) -> Request:
    """A residual net: a frame for each block, and in it one for each of three layers with their parameters."""
    tape = Scopes()
    x = tape.new()
    while tape.count < count:
        tape.begin()
        y = x
        for _ in range(3):
            tape.begin()
            y = tape.new(tape.new(y, tape.new(tape.new())), tape.new())
            tape.end()
        x = tape.new(tape.new(y, x))
        tape.end()
    return tape.request()


FRAMED: dict[str, Callable[[int], Request]] = {"looped": looped, "gated": gated, "neurons": neurons, "blocks": blocks}
"""Requests with frames, of about so many boxes."""


def without_frames(request: Request) -> Request:
    """The same boxes and edges."""
    return replace(request, framed=request.framed[:0], frame_parents=request.frame_parents[:0])


KINDS: dict[str, Callable[[int, random.Random], Graph]] = {
    "local": local,
    "scalar_mlp": scalar_mlp,
    "residual": residual,
    "skipping_chain": skipping_chain,
    "scattered": scattered,
}


def request_for(graph: Graph, seed: int = 0, box: tuple[float, float] = (90.0, 40.0)) -> Request:
    """A request for a graph with shuffled ids and boxes of one size, in scene units."""
    count, pairs = graph
    names = list(range(count))
    random.Random(seed).shuffle(names)
    edges = [(names[source], names[consumer]) for source, consumer in pairs]
    edges.sort(key=lambda edge: (edge[1], edge[0]))
    slots: dict[int, int] = {}
    rows = []
    for source, consumer in edges:
        slots[consumer] = slots.get(consumer, -1) + 1
        rows.append((source, consumer, slots[consumer]))
    sizes = np.tile(np.array(box), (count, 1))
    return Request(np.arange(count), sizes, np.array(rows, dtype=np.int64).reshape(-1, 3))


def request_of_kind(kind: str, count: int, seed: int) -> Request:
    """A request for a graph of one of `KINDS` with about `count` nodes."""
    return request_for(KINDS[kind](count, random.Random(seed)), seed)
