"""The layered layout against Graphviz dot itself: time, crossings of the routes, length of the edges.

The time is from the request to the finished layout on both sides, dot's as the app calls it. "bare time" is ours
against pygraphviz alone laying out the same boxes with the same gaps, without the time to build its input and to
read its answer; crossings and lengths are those of its own splines as they come. Every ratio is ours over dot's,
geometric mean over the graph kinds; crossings count 10 more on both sides, so that none against one is not an
infinite ratio.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import networkx as nx
import numpy as np

from gradviz.layout.dot.dot import lay_out_dot
from gradviz.layout.graph import graph_of
from gradviz.layout.layered.layers import lay_out_layers
from gradviz.layout.layered.place import NODE_GAP, RANK_GAP
from gradviz.layout.plan import Floats, Request
from tests.benchmarks.crossings import crossings_of, length_of
from tests.benchmarks.graphs import KINDS, request_for, request_of_kind

SEEDS = (11, 12, 13)
EASY = 10
"""Crossings added on both sides of a ratio."""


FIGURES = (("seconds", "s", 0), ("bare", "s", 0), ("crossings", "crossings", EASY), ("length", "scene units", 0))
"""Field of a measurement, its unit, and what is added on both sides."""


class Measured(NamedTuple):
    """One engine on one graph: its whole time, and that of the engine alone."""

    seconds: float
    bare: float
    crossings: int
    length: float


def cases(smoke: bool) -> Iterator[dict[str, Any]]:
    """Rows of figures; with `smoke` only small graphs of one seed."""
    seeds = SEEDS[:1] if smoke else SEEDS
    lay_out_layers(request_of_kind("local", 50, seed=1))
    for count in (100,) if smoke else (100, 1_000):
        yield from _against_dot(count, seeds)
    for kind in KINDS:
        request = request_of_kind(kind, 300 if smoke else 10_000, SEEDS[0])
        yield _row(f"{kind}: time", None, "s", _seconds(partial(lay_out_layers, request)), request)
    length = 2_000 if smoke else 50_000
    chain = request_for((length, [(node, node + 1) for node in range(length - 1)]))
    yield _row("chain: time", None, "s", _seconds(partial(lay_out_layers, chain)), chain)


def _against_dot(count: int, seeds: tuple[int, ...]) -> Iterator[dict[str, Any]]:
    pairs = []
    for kind in KINDS:
        for seed in seeds:
            request = request_of_kind(kind, count, seed)
            ours, dots = _measured(request), _measured_dot(request)
            pairs.append((request, ours, dots))
        yield from _rows(f"{kind}: ", pairs[-len(seeds) :])
    yield from _rows("all kinds: ", pairs)


def _rows(prefix: str, pairs: list[tuple[Request, Measured, Measured]]) -> Iterator[dict[str, Any]]:
    request = pairs[0][0]
    for what, unit, extra in FIGURES:
        ours = [getattr(pair[1], what) for pair in pairs]
        dots = [getattr(pair[2], what) for pair in pairs]
        ratios = [(a + extra) / (b + extra) for a, b in zip(ours, dots, strict=True)]
        name = {"seconds": "time", "bare": "bare time"}.get(what, what)
        yield _row(prefix + name, float(np.exp(np.log(ratios).mean())), unit, float(np.mean(ours)), request)


def _row(case: str, ratio: float | None, unit: str, value: float, request: Request) -> dict[str, Any]:
    return {
        "bench": "layout",
        "case": case,
        "against": "dot" if ratio is not None else None,
        "ratio": None if ratio is None else round(ratio, 3),
        "unit": unit,
        "value": round(value, 4),
        "n": len(request.nodes),
    }


def _seconds(work: Callable[[], object]) -> float:
    gc.collect()
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _quickest(count: int, work: Callable[[], object]) -> float:
    """The shortest of several runs, more of them where they are short: other programs only ever add time."""
    return min(_seconds(work) for _ in range(2 if count > 500 else 7))


def _measured(request: Request) -> Measured:
    seconds = _quickest(len(request.nodes), partial(lay_out_layers, request))
    layout = lay_out_layers(request)
    return Measured(seconds, seconds, crossings_of(layout), length_of(layout))


def _measured_dot(request: Request) -> Measured:
    count = len(request.nodes)
    answer = _dot_input(request)
    bare = _quickest(count, partial(answer.layout, "dot"))
    layout = replace(lay_out_layers(request), curves=tuple(_splines(answer, request)), engine="dot")
    whole = _quickest(count, partial(lay_out_dot, request))
    return Measured(whole, bare, crossings_of(layout), length_of(layout))


def _dot_input(request: Request) -> Any:
    graph = graph_of(request)
    inches = 1 / 72
    node = {"shape": "box", "fixedsize": "true", "label": ""}
    for index, (width, height) in enumerate(request.sizes.tolist()):
        graph.nodes[index].update(width=width * inches, height=height * inches)
    spacing = {"nodesep": NODE_GAP * inches, "ranksep": RANK_GAP * inches}
    graph.graph.update(graph=spacing, node=node, edge={"arrowhead": "none"})
    return nx.nx_agraph.to_agraph(graph)


def _splines(answer: Any, request: Request) -> Iterator[Floats]:
    ends = np.searchsorted(request.nodes, request.edges[:, :2]).tolist()
    for row, (source, consumer) in enumerate(ends):
        numbers = answer.get_edge(source, consumer, row).attr["pos"].replace(",", " ").split()
        yield np.array(numbers, dtype=np.float64).reshape(-1, 2) * (1.0, -1.0)
