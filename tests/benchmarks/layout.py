"""The layered layout against Graphviz dot itself: time, crossings of the routes, length of the edges.

Ours is from the request to the finished layout. dot is bare: Graphviz alone, laying out a graph that it has already, the
same boxes with the same gaps; neither the input is built nor the answer read. Crossings and lengths are those of its own
splines as they come. Every ratio is ours over dot's, geometric mean over the graph kinds, one for each seed; crossings
count 10 more on both sides, so that none against one is not an infinite ratio.

With frames every ratio is the processor time with them over that without, of the same boxes. Growth is the exponent of the
time from 1,000 to 10,000 boxes, of a loop's groups from 3,300 to 33,000 rounds. "Unfold all" is all that a worker does
from the click to the picture: groups, sizes, layout and scene, in a process of its own, whose processor time and peak of
memory are told.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import networkx as nx
import numpy as np
from pygraphviz import graphviz

from gradviz.layout.graph import graph_of
from gradviz.layout.layered.layers import lay_out_layers
from gradviz.layout.layered.place import NODE_GAP, RANK_GAP
from gradviz.layout.plan import Floats, Request
from gradviz.playback.groups.stretches import all_groups_of
from gradviz.playback.track import Track
from tests.benchmarks.crossings import crossings_of, length_of
from tests.benchmarks.figures import Row, busy, clocked, in_turns, peak_megabytes, row
from tests.benchmarks.graphs import FRAMED, KINDS, request_for, request_of_kind, without_frames
from tests.playback.scoped import Line, recording

ROOT = Path(__file__).resolve().parents[2]
SEEDS = (11, 12, 13)
FRAMED_AIM, GROWTH_AIM, GROUPING_AIM = 2.0, 1.2, 1.1
UNFOLD_SECONDS, UNFOLD_MEGABYTES = 5.0, 1_024.0
SECONDS = 3.0
"""What 10,000 boxes may take, and a chain of 50,000."""
EASY = 10
"""Crossings added on both sides of a ratio."""


class Kind(NamedTuple):
    """A figure of a layout: its unit, what is added on both sides, and the most that it may be as a multiple of dot's."""

    unit: str
    extra: float
    aim: float


FIGURES = {"time": Kind("s", 0, 0.5), "crossings": Kind("crossings", EASY, 1.5), "length": Kind("scene units", 0, 1.4)}


class Measured(NamedTuple):
    """One engine on one graph: seconds, crossings, and the length of all edges."""

    time: float
    crossings: float
    length: float


def cases(smoke: bool) -> Iterator[Row]:
    """Rows of figures; with `smoke` only small graphs of one seed."""
    seeds = SEEDS[:1] if smoke else SEEDS
    lay_out_layers(request_of_kind("local", 50, seed=1))
    for count in (100,) if smoke else (100, 1_000):
        yield from _against_dot(count, seeds)
    for kind in KINDS:
        request = request_of_kind(kind, 300 if smoke else 10_000, SEEDS[0])
        yield _told(f"{kind}: time", partial(lay_out_layers, request), len(request.nodes), smoke=smoke)
    length = 2_000 if smoke else 50_000
    chain = request_for((length, [(node, node + 1) for node in range(length - 1)]))
    yield _told("chain: time", partial(lay_out_layers, chain), length, smoke=smoke)
    sizes = (100, 300) if smoke else (1_000, 10_000)
    for kind in FRAMED:
        yield from _framed(kind, sizes)
    yield _grouping(*((100, 300) if smoke else (3_300, 33_000)))
    yield from _unfolding(300 if smoke else 10_000)


def _told(case: str, work: Callable[[], object], n: int, *, smoke: bool) -> Row:
    return row("layout", case, [clocked(work) for _ in range(1 if smoke else 3)], "s", n, aim=SECONDS)


def _framed(kind: str, sizes: tuple[int, int]) -> Iterator[Row]:
    """With frames against without, and how both grow."""
    boxes, found = [], []
    for count in sizes:
        request = FRAMED[kind](count)
        plain = without_frames(request)
        sides = {
            name: partial(busy, partial(lay_out_layers, each)) for name, each in (("ours", request), ("plain", plain))
        }
        times = in_turns(sides, 5)
        boxes.append(len(request.nodes))
        found.append(times)
        case = f"{kind} in frames: time"
        yield row(
            "layout",
            case,
            times["ours"],
            "s",
            boxes[-1],
            theirs=times["plain"],
            against="without frames",
            aim=FRAMED_AIM,
        )
    for what, side in (("", "plain"), (" in frames", "ours")):
        yield _growth(f"{kind}{what}: growth", boxes[0], boxes[1], found[0][side], found[1][side], GROWTH_AIM)


def _growth(case: str, few: int, many: int, first: Sequence[float], last: Sequence[float], aim: float) -> Row:
    """The exponent with which times grow from one size to another."""
    pairs = zip(first, last, strict=True)
    exponents = [math.log(late / early) / math.log(many / few) for early, late in pairs]
    return row("layout", case, exponents, "exponent", many, aim=aim)


def _grouping(few: int, many: int) -> Row:
    """How the time to find the groups of a loop grows."""
    sides = {name: partial(_grouping_seconds, n) for name, n in (("few", few), ("many", many))}
    times = in_turns(sides, 3)
    return _growth("groups of a loop: growth", few, many, times["few"], times["many"], GROUPING_AIM)


def _grouping_seconds(rounds: int) -> float:
    track = _loop(3 * rounds)  # a new one: a track keeps its groups
    return busy(partial(all_groups_of, track))


def _loop(count: int) -> Track:
    """A recording of a loop over (y * w + b) * y of so many ops."""
    lines: list[Line] = [(name, "leaf", (), ()) for name in ("w", "b", "y")]
    y = "y"
    for number in range(count // 3):
        scope = (f"t = {number}",)
        lines += [(f"p{number}", "mul", (y, "w"), scope), (f"s{number}", "add", (f"p{number}", "b"), scope)]
        lines.append((f"y{number}", "mul", (f"s{number}", "y"), scope))
        y = f"y{number}"
    return Track(recording(lines), 0)


def _unfolding(count: int) -> Iterator[Row]:
    code = f"from tests.benchmarks.layout import unfold; unfold({count})"
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
    )  # fmt: skip
    told = json.loads(ended.stdout)
    for what, unit, aim in (("time", "s", UNFOLD_SECONDS), ("memory", "MB", UNFOLD_MEGABYTES)):
        yield row("layout", f"unfold all of a loop: {what}", [told[what]], unit, told["boxes"], aim=aim)


def unfold(count: int) -> None:
    """Open all groups of a loop of so many ops, as the window does, and print time and memory; in a process alone."""
    import time

    from PySide6.QtWidgets import QApplication

    from gradviz.playback.groups.folding import OPEN
    from gradviz.ui.app.rooms import Rooms
    from gradviz.ui.session.foldings import Sight
    from gradviz.ui.session.picture import Maker

    _ = QApplication([])  # fonts need one
    track, rooms = _loop(count), Rooms()
    start = time.process_time()
    sight = Sight(OPEN, frozenset(all_groups_of(track).number_of))
    maker = Maker(rooms.measure, rooms.lay_out, track, "down", sight, None, prepare=rooms.prepare)
    picture = maker.make(lambda: False, lambda _: None)
    seconds = time.process_time() - start
    rooms.close()
    sys.stdout.write(json.dumps({"time": seconds, "memory": peak_megabytes(), "boxes": len(picture.drawn.forward)}))


def _against_dot(count: int, seeds: tuple[int, ...]) -> Iterator[Row]:
    """One row for each kind, and one for all: each seed gives one ratio."""
    found: dict[str, list[tuple[Measured, Measured]]] = {}
    for kind in KINDS:
        requests = [request_of_kind(kind, count, seed) for seed in seeds]
        found[kind] = [(_measured(request), _measured_dot(request)) for request in requests]
        yield from _rows(kind, count, [found[kind]])
    yield from _rows("all kinds", count, list(found.values()))


def _rows(prefix: str, count: int, kinds: list[list[tuple[Measured, Measured]]]) -> Iterator[Row]:
    """Ratios and values of each seed, geometric means over the kinds; an aim where they are of all."""
    for what, figure in FIGURES.items():
        sides = [
            [
                math.exp(fmean(math.log(getattr(pair[side], what) + figure.extra) for pair in of_seed))
                for of_seed in zip(*kinds, strict=True)
            ]
            for side in (0, 1)
        ]
        is_judged = len(kinds) > 1 and (what != "time" or count >= 1_000)  # smaller graphs are given to dot
        aim, case = figure.aim if is_judged else None, f"{prefix}: {what}"
        yield row("layout", case, sides[0], figure.unit, count, theirs=sides[1], against="bare dot", aim=aim)


def _quickest(count: int, work: Callable[[], object]) -> float:
    """The shortest of several runs, more of them where they are short: other programs only ever add time."""
    return min(clocked(work) for _ in range(2 if count > 500 else 7))


def _measured(request: Request) -> Measured:
    seconds = _quickest(len(request.nodes), partial(lay_out_layers, request))
    layout = lay_out_layers(request)
    return Measured(seconds, crossings_of(layout), length_of(layout))


def _measured_dot(request: Request) -> Measured:
    answer = _dot_input(request)
    seconds = _quickest(len(request.nodes), partial(_lay_out_bare, answer))
    answer.layout("dot")
    layout = replace(lay_out_layers(request), curves=tuple(_splines(answer, request)), engine="dot")
    return Measured(seconds, crossings_of(layout), length_of(layout))


def _lay_out_bare(graph: Any) -> None:
    """Graphviz alone: what it found is not even written back."""
    context = graphviz.gvContextWithBuiltins()
    graphviz.gvLayout(context, graph.handle, b"dot")
    graphviz.gvFreeLayout(context, graph.handle)
    graphviz.gvFreeContext(context)


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
    for number, (source, consumer) in enumerate(ends):
        places = answer.get_edge(source, consumer, number).attr["pos"].replace(",", " ").split()
        yield np.array(places, dtype=np.float64).reshape(-1, 2) * (1.0, -1.0)
