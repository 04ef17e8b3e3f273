"""The layered layout against Graphviz dot itself: time, crossings of the routes, length of the edges.

The time is from the request to the finished layout on both sides, dot's as the app calls it. "bare time" is ours
against pygraphviz alone laying out the same boxes with the same gaps, without the time to build its input and to
read its answer; crossings and lengths are those of its own splines as they come. Every ratio is ours over dot's,
geometric mean over the graph kinds; crossings count 10 more on both sides, so that none against one is not an
infinite ratio.

With frames every ratio is the processor time with them over that without, of the same boxes. Growth is the exponent of the time
from 1,000 to 10,000 boxes, of a loop's groups from 3,300 to 33,000 rounds. "Unfold all" is all that a worker does from
the click to the picture: groups, sizes, layout and scene, in a process of its own, whose processor time and peak of
memory are told.
"""

from __future__ import annotations

import gc
import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import networkx as nx
import numpy as np

from gradviz.layout.dot.dot import lay_out_dot
from gradviz.layout.graph import graph_of
from gradviz.layout.layered.layers import lay_out_layers
from gradviz.layout.layered.place import NODE_GAP, RANK_GAP
from gradviz.layout.plan import Floats, Request
from gradviz.playback.groups.stretches import all_groups_of
from gradviz.playback.track import Track
from tests.benchmarks.crossings import crossings_of, length_of
from tests.benchmarks.graphs import FRAMED, KINDS, request_for, request_of_kind, without_frames
from tests.playback.scoped import Line, recording

ROOT = Path(__file__).resolve().parents[2]
SEEDS = (11, 12, 13)
FRAMED_AIM, GROWTH_AIM, GROUPING_AIM = 2.0, 1.2, 1.1
UNFOLD_SECONDS, UNFOLD_MEGABYTES = 5.0, 1_024.0
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
    sizes = (100, 300) if smoke else (1_000, 10_000)
    for kind in FRAMED:
        yield from _framed(kind, sizes)
    yield _grouping(*((100, 300) if smoke else (3_300, 33_000)))
    yield from _unfolding(300 if smoke else 10_000)


def _framed(kind: str, sizes: tuple[int, int]) -> Iterator[dict[str, Any]]:
    """With frames against without, and how both grow."""
    boxes, times = [], []
    for count in sizes:
        request = FRAMED[kind](count)
        plain = without_frames(request)
        pairs = [[_busy_seconds(partial(lay_out_layers, each)) for each in (plain, request)] for _ in range(5)]
        least, framed = (min(column) for column in zip(*pairs, strict=True))
        boxes.append(len(request.nodes))
        times.append((least, framed))
        row = _row(f"{kind} in frames: time", framed / least, "s", framed, request)
        yield {**row, "against": "without frames", "aim": FRAMED_AIM}
    for what, first, last in zip(("", " in frames"), *times, strict=True):
        exponent = math.log(last / first) / math.log(boxes[1] / boxes[0])
        yield {"bench": "layout", "case": f"{kind}{what}: growth", "against": None, "ratio": None, "aim": GROWTH_AIM,
               "unit": "exponent", "value": round(exponent, 3), "n": boxes[1]}  # fmt: skip


def _grouping(few: int, many: int) -> dict[str, Any]:
    """How the time to find the groups of a loop grows."""
    times = []
    for rounds in (few, many):
        track = _loop(3 * rounds)
        times.append(min(_busy_seconds(partial(all_groups_of, track)) for _ in range(3)))
    exponent = math.log(times[1] / times[0]) / math.log(many / few)
    return {"bench": "layout", "case": "groups of a loop: growth", "against": None, "ratio": None, "aim": GROUPING_AIM,
            "unit": "exponent", "value": round(exponent, 3), "n": many}  # fmt: skip


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


def _unfolding(count: int) -> Iterator[dict[str, Any]]:
    code = f"from tests.benchmarks.layout import unfold; unfold({count})"
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
    )  # fmt: skip
    told = json.loads(ended.stdout)
    for what, unit, aim in (("time", "s", UNFOLD_SECONDS), ("memory", "MB", UNFOLD_MEGABYTES)):
        yield {"bench": "layout", "case": f"unfold all of a loop: {what}", "against": None, "ratio": None, "aim": aim,
               "unit": unit, "value": round(told[what], 3), "n": told["boxes"]}  # fmt: skip


def unfold(count: int) -> None:
    """Open all groups of a loop of so many ops, as the window does, and print time and memory; in a process alone."""
    import resource

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
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    rooms.close()
    sys.stdout.write(json.dumps({"time": seconds, "memory": memory, "boxes": len(picture.drawn.forward)}))


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


def _busy_seconds(work: Callable[[], object]) -> float:
    gc.collect()
    start = time.process_time()
    work()
    return time.process_time() - start


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
