"""The layered layout against Graphviz dot itself: time, crossings of the routes, length of the edges.

dot is measured bare: pygraphviz laying out the same boxes with the same gaps, its own splines as they come, without
the time to build its input or to read its answer. Every ratio is ours over dot's, geometric mean over the graph
kinds; crossings count 10 more on both sides, so that none against one is not an infinite ratio.
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

from gradviz.layout.graph import graph_of
from gradviz.layout.layers import lay_out_layers
from gradviz.layout.place import NODE_GAP, RANK_GAP
from gradviz.layout.plan import Floats, Layout, Request
from tests.benchmarks.crossings import crossings_of, length_of
from tests.benchmarks.graphs import KINDS, request_for, request_of_kind

SEEDS = (11, 12, 13)
EASY = 10
"""Crossings added on both sides of a ratio."""


class Measured(NamedTuple):
    """One engine on one graph."""

    seconds: float
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
            ours, dots = _measured(lay_out_layers, request), _measured_dot(request)
            pairs.append((request, ours, dots))
        yield from _rows(f"{kind}: ", pairs[-len(seeds) :])
    yield from _rows("all kinds: ", pairs)


def _rows(prefix: str, pairs: list[tuple[Request, Measured, Measured]]) -> Iterator[dict[str, Any]]:
    request = pairs[0][0]
    for what, unit, extra in (("seconds", "s", 0), ("crossings", "crossings", EASY), ("length", "scene units", 0)):
        ours = [getattr(pair[1], what) for pair in pairs]
        dots = [getattr(pair[2], what) for pair in pairs]
        ratios = [(a + extra) / (b + extra) for a, b in zip(ours, dots, strict=True)]
        name = {"seconds": "time"}.get(what, what)
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


def _measured(engine: Callable[[Request], Layout], request: Request) -> Measured:
    layouts: list[Layout] = []
    # Twice, and the quicker one counts: other programs only ever add time.
    seconds = min(_seconds(lambda: layouts.append(engine(request))) for _ in range(2))
    return Measured(seconds, crossings_of(layouts[0]), length_of(layouts[0]))


def _measured_dot(request: Request) -> Measured:
    answers = [_dot_input(request) for _ in range(2)]
    seconds = min(_seconds(partial(answer.layout, "dot")) for answer in answers)
    layout = replace(lay_out_layers(request), curves=tuple(_splines(answers[0], request)), engine="dot")
    return Measured(seconds, crossings_of(layout), length_of(layout))


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
