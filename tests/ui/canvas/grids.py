"""Recordings with places, for tests of what is drawn: nodes in rows, each with inputs from the row above."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from gradviz.layout.plan import Floats, Layout
from gradviz.playback.track import Track
from gradviz.recording import Accumulation, Array, Node, Recording, Step, Sweep
from gradviz.ui.canvas.scene.measure import box_sizes

F = np.float32
GAP_X, GAP_Y = 40.0, 70.0


def placed(track: Track, columns: int) -> Layout:
    """The nodes of a track in rows of `columns`, edges as single cubics."""
    sizes = box_sizes(track)
    count = len(track.forward)
    rows, places = np.divmod(np.arange(count), columns)
    pitch = np.array([sizes[:, 0].max() + GAP_X, sizes[:, 1].max() + GAP_Y])
    centres = np.column_stack([places, rows]) * pitch
    nodes = track.recording.nodes
    edges = [(nodes[consumer].inputs[slot], consumer, slot) for consumer, slot in track.edges]
    rows_of_edges = np.array(edges, dtype=np.int64).reshape(-1, 3)
    half = sizes / 2
    bounds = (*(centres - half).min(axis=0).tolist(), *(centres + half).max(axis=0).tolist())
    curves = tuple(_curve(track, centres, sizes, *edge) for edge in edges)
    return Layout(np.array(track.forward), centres, sizes, rows_of_edges, curves, bounds, "layers")


def _curve(track: Track, centres: Floats, sizes: Floats, source: int, consumer: int, slot: int) -> Floats:
    one, other = track.index_of[source], track.index_of[consumer]
    start = centres[one] + (0.0, sizes[one, 1] / 2)
    end = centres[other] + (slot * 30.0 - 15.0, -sizes[other, 1] / 2)
    bend = np.array([0.0, max(20.0, (end[1] - start[1]) / 2)])
    return np.array([start, start + bend, end - bend, end])


def grid_recording(count: int, columns: int) -> Recording:
    """`count` numbers: a row of leaves, then sums and products of the row above; one sweep over all sums."""
    rng = np.random.default_rng(1)
    nodes = [Node(i, "leaf", name=f"x{i}", requires_grad=True, line=i + 1) for i in range(columns)]
    values: list[Array] = [F(v) for v in rng.uniform(-1, 1, columns)]
    for i in range(columns, count):
        first = i - columns
        row = first // columns * columns
        second = min(max(first + int(rng.integers(-1, 2)), row), row + columns - 1)
        op = "add" if abs(values[first] + values[second]) < 1 else "mul"  # keeps the numbers finite
        nodes.append(Node(i, op, (first, second), requires_grad=True, line=i + 1))
        values.append(F(values[first] + values[second] if op == "add" else values[first] * values[second]))
    outputs = tuple(range(max(columns, count - columns), count))
    incoming: list[Array | None] = [None] * count
    for output in outputs:
        incoming[output] = F(1)
    steps = [_step(node, values, incoming) for node in reversed(nodes) if incoming[node.id] is not None]
    grads = tuple(Accumulation(i, None, incoming[i]) for i in range(columns) if incoming[i] is not None)
    seeds = tuple(F(1) for _ in outputs)
    return Recording(tuple(nodes), tuple(values), (Sweep(outputs, seeds, tuple(steps), grads),))


def _step(node: Node, values: list[Array], incoming: list[Array | None]) -> Step:
    g = incoming[node.id]
    if node.is_leaf:
        return Step(node.id, g)
    a, b = node.inputs
    out = (g, g) if node.op == "add" else (F(g * values[b]), F(g * values[a]))
    for source, gradient in zip(node.inputs, out, strict=True):
        before = incoming[source]
        incoming[source] = gradient if before is None else F(before + gradient)
    return Step(node.id, g, out)


def grid(count: int, columns: int | None = None) -> tuple[Track, Layout]:
    """A track of `count` nodes and its places, as wide as a screen by default."""
    columns = columns or max(2, round(math.sqrt(count * 1.1)))
    track = Track(grid_recording(count, columns), 0)
    return track, placed(track, columns)


def drawn_out(layout: Layout, factor: float) -> Layout:
    """The same places further apart: long edges."""
    left, top, right, bottom = (side * factor for side in layout.bounds)
    curves = tuple(curve * factor for curve in layout.curves)
    return replace(layout, centres=layout.centres * factor, curves=curves, bounds=(left, top, right, bottom))
