"""The dot process: answers, time limit, crash, cancellation, end; and the layouter that falls back to layers."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from itertools import chain, repeat

import numpy as np
import pytest

from gradviz.errors import Cancelled, LayoutError
from gradviz.layout import layouter as layouter_module
from gradviz.layout.dot.dot import lay_out_dot
from gradviz.layout.dot.process import COMMAND, DotProcess, TooSlow
from gradviz.layout.dot.wire import layout_in, layout_message, read, request_in, request_message, write
from gradviz.layout.dot.worker import serve
from gradviz.layout.layouter import COST, MEDIUM, SMALL, Layouter, cost_of
from gradviz.layout.plan import Layout, Request
from tests.benchmarks.graphs import request_of_kind
from tests.layout.plans import check_layout, request_from_pairs

READY = (
    "import sys, numpy as np\n"
    "from gradviz.layout.dot.wire import read, write\n"
    "write(sys.stdout.buffer, {'ready': np.array(True)})\n"
)
SLOW = READY + "while read(sys.stdin.buffer): pass\n"
CRASHING = READY + "read(sys.stdin.buffer)\n"
TALKING = READY + "read(sys.stdin.buffer); sys.stdout.buffer.write(b'x' * 64); sys.stdout.buffer.flush()\n"
REFUSING = READY + "while read(sys.stdin.buffer): write(sys.stdout.buffer, {'error': np.array('dot says no')})\n"
MISREAD = (
    READY
    + "while read(sys.stdin.buffer):\n"
    + "  write(sys.stdout.buffer, {'centres': np.zeros((1, 2)), 'counts': np.zeros(0)})\n"
)
SILENT = "import sys; sys.stdin.buffer.read()"

Start = Callable[..., DotProcess]


@pytest.fixture
def start() -> Iterator[Start]:
    """Makes dot processes, from a script or the real one, and ends them after the test."""
    made: list[DotProcess] = []

    def begin(script: str = "") -> DotProcess:
        made.append(DotProcess((sys.executable, "-c", script) if script else COMMAND))
        return made[-1]

    yield begin
    for process in made:
        process.close()


@pytest.fixture
def middling() -> Request:
    """More nodes than dot may lay out in this process, and few enough for its own."""
    request = request_of_kind("residual", SMALL + 20, seed=1)
    assert SMALL < len(request.nodes) < MEDIUM
    return request


def same(first: Layout, second: Layout) -> bool:
    curves = zip(first.curves, second.curves, strict=True)
    return np.array_equal(first.centres, second.centres) and all(np.array_equal(a, b) for a, b in curves)


def test_the_process_gives_the_layout_that_dot_gives_here(start: Start, middling: Request) -> None:
    process = start()

    layout = process.lay_out(middling, 30.0)

    assert same(layout, lay_out_dot(middling))
    assert layout.bounds == lay_out_dot(middling).bounds


def test_the_process_lasts(start: Start, middling: Request) -> None:
    process = start()
    process.lay_out(middling, 30.0)
    pid = process.pid

    process.prepare()
    process.lay_out(middling, 30.0)

    assert process.pid == pid


def test_a_dot_that_takes_too_long_is_ended(start: Start, middling: Request) -> None:
    process = start(SLOW)

    with pytest.raises(TooSlow, match=r"longer than 0\.05 s"):
        process.lay_out(middling, 0.05)

    assert process.pid is None


def test_the_limit_does_not_count_the_start(start: Start, middling: Request, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = chain([0.0], repeat(20.0))
    monkeypatch.setattr("gradviz.layout.dot.process.time.monotonic", lambda: next(clock))

    with pytest.raises(LayoutError, match="dot says no"):
        start(REFUSING).lay_out(middling, 5.0)


@pytest.mark.parametrize("script", [CRASHING, "pass", TALKING])
def test_a_process_that_ends_or_talks_nonsense_is_a_layout_error(start: Start, middling: Request, script: str) -> None:
    process = start(script)

    with pytest.raises(LayoutError, match="has ended"):
        process.lay_out(middling, 30.0)


def test_an_answer_to_another_question_is_a_layout_error(start: Start, middling: Request) -> None:
    with pytest.raises(LayoutError, match="something else"):
        start(MISREAD).lay_out(middling, 30.0)


def test_a_killed_process_is_replaced(start: Start, middling: Request) -> None:
    process = start()
    process.lay_out(middling, 30.0)
    killed = process.pid
    assert killed is not None
    os.kill(killed, getattr(signal, "SIGKILL", signal.SIGTERM))

    with pytest.raises(LayoutError):
        process.lay_out(middling, 30.0)
    layout = process.lay_out(middling, 30.0)

    assert len(layout.curves) == len(middling.edges)
    assert process.pid != killed


def test_a_program_that_is_not_there_is_a_layout_error(middling: Request) -> None:
    with pytest.raises(LayoutError, match="cannot start"):
        DotProcess(("no such program",)).lay_out(middling, 1.0)


def test_cancelling_ends_a_dot_that_works(start: Start, middling: Request) -> None:
    process = start(SLOW)
    looks = iter([False, False, False, True])

    with pytest.raises(Cancelled):
        process.lay_out(middling, 60.0, lambda: next(looks))

    assert process.pid is None


def test_cancelling_ends_the_wait_for_another_thread(start: Start, middling: Request) -> None:
    process = start(SLOW)
    working, stop = threading.Event(), threading.Event()

    def first_cancelled() -> bool:
        working.set()
        return stop.is_set()

    def first() -> None:
        with pytest.raises(Cancelled):
            process.lay_out(middling, 60.0, first_cancelled)

    thread = threading.Thread(target=first)
    thread.start()
    assert working.wait(30.0)

    with pytest.raises(Cancelled):
        process.lay_out(middling, 60.0, lambda: True)

    stop.set()
    thread.join(30.0)
    assert not thread.is_alive()


def test_closing_twice_is_fine_and_the_process_starts_again(start: Start, middling: Request) -> None:
    process = start(REFUSING)
    process.prepare()
    assert process.pid is not None

    process.close()
    process.close()

    assert process.pid is None
    with pytest.raises(LayoutError, match="dot says no"):
        process.lay_out(middling, 30.0)


def test_the_worker_ends_when_its_input_ends(middling: Request) -> None:
    question = io.BytesIO()
    write(question, request_message(middling, 30.0))

    ended = subprocess.run(COMMAND, input=question.getvalue(), capture_output=True, timeout=600, check=True)

    answers = io.BytesIO(ended.stdout)
    assert list(read(answers) or ()) == ["ready"]
    assert same(layout_in(read(answers) or {}, middling), lay_out_dot(middling))
    assert (read(answers), ended.stderr) == (None, b"")


def test_the_worker_ends_itself_when_dot_overruns_and_nobody_is_left_to_end_it() -> None:
    hard = io.BytesIO()
    write(hard, request_message(request_of_kind("scattered", 20_000, seed=1), -1.5))

    ended = subprocess.run(COMMAND, input=hard.getvalue(), capture_output=True, timeout=600, check=False)

    assert ended.returncode != 0


def test_the_worker_answers_an_error_with_its_sentence() -> None:
    broken = Request(np.array([1]), np.array([(90.0, 40.0)]), np.array([(1, 2, 0)]))
    question, answers = io.BytesIO(), io.BytesIO()
    write(question, request_message(broken, 30.0))
    question.seek(0)

    serve(question, answers)

    answers.seek(0)
    read(answers)
    with pytest.raises(LayoutError, match="node 2"):
        layout_in(read(answers) or {}, broken)


def test_a_request_and_a_layout_survive_the_wire() -> None:
    request = request_from_pairs(3, [(0, 1), (0, 1), (1, 2)], direction="right")
    layout = lay_out_dot(request)
    pipe = io.BytesIO()
    write(pipe, request_message(request, 2.5))
    write(pipe, layout_message(layout))
    pipe.seek(0)

    asked, limit_s = request_in(read(pipe) or {})
    answered = layout_in(read(pipe) or {}, request)

    assert (limit_s, asked.direction) == (2.5, "right")
    assert np.array_equal(asked.edges, request.edges)
    assert same(answered, layout)
    assert (answered.bounds, answered.engine) == (layout.bounds, "dot")


def test_a_layout_without_edges_survives_the_wire() -> None:
    request = request_from_pairs(2, [])

    assert layout_in(layout_message(lay_out_dot(request)), request).curves == ()


@pytest.fixture
def layouter_with(start: Start) -> Iterator[Callable[..., Layouter]]:
    made: list[Layouter] = []

    def begin(script: str = "", limit_s: float = 30.0) -> Layouter:
        made.append(Layouter(start(script), limit_s))
        return made[-1]

    yield begin
    for layouter in made:
        layouter.close()


def test_a_small_graph_is_laid_out_by_dot_without_a_process(start: Start) -> None:
    process = start(SLOW)
    told: list[float] = []

    layout = Layouter(process).lay_out(
        request_from_pairs(5, [(0, 1), (0, 1), (1, 3), (2, 3), (3, 4)]), progress=told.append
    )

    assert (layout.engine, process.pid, told) == ("dot", None, [1.0])


def test_a_middling_graph_is_laid_out_by_dot_in_its_process(
    layouter_with: Callable[..., Layouter], middling: Request
) -> None:
    layouter = layouter_with()
    layouter.prepare()

    layout = layouter.lay_out(middling)

    assert layout.engine == "dot"
    check_layout(layout, middling)


@pytest.mark.parametrize("script", [SLOW, CRASHING, "pass", REFUSING])
def test_layers_take_over_where_dot_is_slow_or_fails(
    layouter_with: Callable[..., Layouter], middling: Request, script: str
) -> None:
    layout = layouter_with(script, 0.05 if script == SLOW else 30.0).lay_out(middling)

    assert layout.engine == "layers"
    check_layout(layout, middling)


def test_layers_take_over_where_the_process_cannot_start(middling: Request) -> None:
    layouter = Layouter(DotProcess(("no such program",)))
    layouter.prepare()

    assert layouter.lay_out(middling).engine == "layers"


def test_what_was_too_slow_once_is_not_tried_again_but_easier_graphs_are(start: Start, middling: Request) -> None:
    process = start(SLOW)
    layouter = Layouter(process, 0.05)
    layouter.lay_out(middling)
    process.close()

    again = layouter.lay_out(middling)
    easier = layouter.lay_out(request_from_pairs(2, [(0, 1)]))

    assert (again.engine, process.pid, easier.engine) == ("layers", None, "dot")


def test_a_large_graph_goes_to_layers_at_once(start: Start) -> None:
    process = start(SLOW)

    layout = Layouter(process).lay_out(request_of_kind("residual", MEDIUM + 100, seed=1))

    assert (layout.engine, process.pid) == ("layers", None)


def test_a_graph_of_long_edges_goes_to_layers_at_once(start: Start) -> None:
    process = start(SLOW)
    links = [(node, node + 1) for node in range(1, 299)]
    request = request_from_pairs(300, links + [(0, node) for node in range(2, 300)])

    layout = Layouter(process).lay_out(request)

    assert cost_of(request) > COST
    assert (layout.engine, process.pid) == ("layers", None)


def test_the_cost_counts_nodes_and_the_rows_that_long_edges_cross() -> None:
    links = [(node, node + 1) for node in range(29)]

    assert cost_of(request_from_pairs(30, links)) == 30
    assert cost_of(request_from_pairs(30, [*links, (0, 12)])) == 30
    assert cost_of(request_from_pairs(30, [*links, (0, 29)])) == 30 + 29
    assert cost_of(request_from_pairs(3, [(0, 2), (1, 2)] * 5)) == 3 + 4


def test_without_pygraphviz_everything_goes_to_layers(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    process = start(SLOW)
    monkeypatch.setattr(layouter_module, "has_dot", lambda: False)
    layouter = Layouter(process)
    layouter.prepare()

    layout = layouter.lay_out(request_from_pairs(2, [(0, 1)]))

    assert (layout.engine, process.pid) == ("layers", None)


def test_without_pygraphviz_dot_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gradviz.layout.dot.dot.has_dot", lambda: False)

    with pytest.raises(LayoutError, match="install pygraphviz"):
        lay_out_dot(request_from_pairs(2, [(0, 1)]))


def test_an_error_inside_graphviz_is_a_layout_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise OSError("no such library")

    monkeypatch.setattr("networkx.nx_agraph.to_agraph", broken)

    with pytest.raises(LayoutError, match="no such library"):
        lay_out_dot(request_from_pairs(2, [(0, 1)]))


def test_a_cycle_is_told_and_not_hidden_by_the_fallback() -> None:
    with pytest.raises(LayoutError, match="cycle"):
        Layouter().lay_out(request_from_pairs(2, [(0, 1), (1, 0)]))


def test_importing_the_layout_room_loads_neither_qt_nor_networkx() -> None:
    script = (
        "import sys, gradviz.layout.layouter, gradviz.layout.graph\n"
        "print(sorted({'networkx', 'pygraphviz', 'PySide6'} & set(sys.modules)))\n"
    )

    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert ended.stdout == "[]\n"
