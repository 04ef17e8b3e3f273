"""One meaning: a lesson has the same recording whether the built-in engine ran it or PyTorch.

What differs is stated here: PyTorch has one `unbind` node with an output node for each part, where the built-in engine
has a node per part; and the last digits.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from gradviz.capture.ops import MANY  # noqa: E402
from gradviz.recording import Recording  # noqa: E402
from gradviz.run.host import Host  # noqa: E402
from gradviz.run.job import Job  # noqa: E402
from gradviz.shipped import shipped  # noqa: E402
from tests.capture.capturing import captured  # noqa: E402
from tests.forking.hosts import quick_host  # noqa: E402

pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("ignore")]
LESSONS = sorted(Path(str(shipped("examples"))).glob("*.py"))
CLOSE = {"rtol": 2e-5, "atol": 2e-6}


@pytest.fixture(scope="module")
def host() -> Iterator[Host]:
    with quick_host() as made:
        yield made


class Pairs:
    """Nodes of the built-in recording and of PyTorch's that are the same, from the outputs on down."""

    def __init__(self, own: Recording, theirs: Recording) -> None:
        self.own, self.theirs = own, theirs
        self.of: dict[int, int] = {}

    def add(self, a: int, b: int) -> None:
        waiting = [(a, b)]
        while waiting:
            a, b = waiting.pop()
            if a in self.of:
                assert self.of[a] == b
                continue
            self.of[a] = b
            mine, other = self.own.nodes[a], self.theirs.nodes[b]
            value, their_value = self.own.values[a], self.theirs.values[b]
            assert (mine.name, mine.line, mine.scope) == (other.name, other.line, other.scope)
            assert (mine.shape, mine.dtype) == (other.shape, other.dtype)
            assert (value is None) == (their_value is None)
            if value is not None:
                np.testing.assert_allclose(their_value, value, **CLOSE)
            if other.op == "output":
                other = self.theirs.nodes[other.inputs[0]]
                assert mine.op in MANY
                assert other.op == mine.op
            else:
                assert mine.op == other.op
                assert dict(mine.params) == dict(other.params)
            assert len(mine.inputs) == len(other.inputs)
            waiting += zip(mine.inputs, other.inputs, strict=True)


@pytest.mark.parametrize("file", LESSONS, ids=lambda file: file.stem)
def test_a_lesson_has_the_same_recording_from_both_engines(file: Path, host: Host, tmp_path: Path) -> None:
    run = host.run(Job(file.read_text(encoding="utf-8"), file.name))
    own = run.recording
    theirs, printed = captured(file, tmp_path)
    pairs = Pairs(own, theirs)

    assert own.output == printed
    assert (own.problem is None) == (theirs.problem is None)
    for name, gradient in own.gradients.items():
        if gradient is not None:
            np.testing.assert_allclose(np.asarray(theirs.gradients[name]), gradient, rtol=2e-6, atol=5e-6)
    done = [sweep for sweep in theirs.sweeps if sweep.steps and not failed(sweep)]
    mine = [sweep for sweep in own.sweeps if sweep.steps and not failed(sweep)]
    assert len(done) == len(mine)
    for sweep, other in zip(mine, done, strict=True):
        for a, b in zip(sweep.outputs, other.outputs, strict=True):
            pairs.add(a, b)
        compare(pairs, sweep, other)
    compare_cuts(pairs, own, theirs)
    if not own.sweeps:
        assert [node.op for node in own.nodes] == [node.op for node in theirs.nodes]


def compare_cuts(pairs: Pairs, own: Recording, theirs: Recording) -> None:
    """Where numbers left the graph and came back in as a constant; PyTorch's has the masks of where() too."""

    found = {(cut.how, cut.line, cut.result) for cut in theirs.cuts}
    assert found >= {(cut.how, cut.line, pairs.of[cut.result]) for cut in own.cuts if cut.result in pairs.of}


def failed(sweep: Any) -> bool:
    return bool(getattr(sweep, "error", None))


def compare(pairs: Pairs, sweep: Any, other: Any) -> None:
    """The steps and accumulations of one pass."""
    nodes = pairs.theirs.nodes
    order = [pairs.of[step.node] for step in sweep.steps]
    theirs = [step.node for step in other.steps if nodes[step.node].op not in MANY]
    if any(node.op in MANY for node in nodes):
        assert sorted(order) == sorted(theirs)
    else:
        assert order == theirs
    read = {(pairs.of[node], pairs.of[of]): (found.value, found.line) for (node, of), found in sweep.read.items()}
    assert read == {at: (found.value, found.line) for at, found in other.read.items()}
    for step in sweep.steps:
        match = other.steps[other.step_of[pairs.of[step.node]]]
        np.testing.assert_allclose(match.incoming, step.incoming, **CLOSE)
        if nodes[match.node].op == "output":
            continue
        assert len(step.outgoing) == len(match.outgoing)
        for g, h in zip(step.outgoing, match.outgoing, strict=True):
            assert (g is None) == (h is None)
            if g is not None:
                np.testing.assert_allclose(h, g, **CLOSE)
    assert sweep.printed == other.printed
    assert {pairs.of[node]: count for node, count in sweep.prints.items()} == dict(other.prints)
    assert {pairs.of[each.node] for each in sweep.accumulated} == {each.node for each in other.accumulated}
    for entry in sweep.accumulated:
        match = other.accumulation_of[pairs.of[entry.node]]
        np.testing.assert_allclose(match.after, entry.after, **CLOSE)


def test_the_lessons_are_there() -> None:
    assert len(LESSONS) == 39
    assert sys.version_info >= (3, 11)
