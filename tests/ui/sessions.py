"""Sessions for tests: a script reader and a layout that answer when they are told to, from recordings made by hand."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from gradviz.errors import GradvizError
from gradviz.layout.plan import Floats, Layout
from gradviz.playback.track import Track
from gradviz.recording import Array, Problem, Recording, Source, Step, Sweep
from gradviz.ui.session.clock import Clock
from gradviz.ui.session.session import Session
from tests.samples import weighted_sum


class FakeRun:
    """What a run leaves behind."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.seconds = 0.001

    def with_seed(self, output: int, seed: Array) -> Recording:
        sweep = Sweep((output,), (seed,), (Step(output, seed, ()),))
        return replace(self.recording, sweeps=(*self.recording.sweeps, sweep))

    def ask(self, what: str, value: object = None) -> object:
        raise GradvizError(f"this run knows nothing of {what}")


class Reader:
    """Reads any text as `weighted_sum`.

    "bad" ends in an error, "slow" waits for `release`, "empty" makes no tensor, "broken" is an error before any, and
    "loud" says what it prints as it prints.
    """

    def __init__(self) -> None:
        self.release = threading.Event()
        self.texts: list[str] = []

    def __call__(
        self,
        text: str,
        name: str,
        cancelled: Callable[[], bool],
        kind: str = "script",
        *,
        on_output: Callable[[str], None] = lambda _text: None,
        on_progress: Callable[[float], None] = lambda _share: None,
        folder: Path | None = None,
    ) -> FakeRun:
        self.texts.append(text)
        if "loud" in text:
            on_output("first\n")
            on_output("second\n")
        if "slow" in text:
            self.release.wait(10)
        recording = replace(weighted_sum(), source=Source("script", name, text), output=f"ran {text}\n")
        if "two calls" in text:
            recording = replace(recording, sweeps=recording.sweeps * 2)
        if "bad" in text or "broken" in text:
            recording = replace(recording, problem=Problem("name 'bad' is not defined.", "Define it.", 3, 1))
        if "empty" in text or "broken" in text:
            recording = Recording(output="nothing\n", problem=recording.problem)
        return FakeRun(recording)


def lay_out(track: Track, sizes: Floats, direction: str, cancelled: Callable[[], bool]) -> Layout:
    """Every box below the other."""
    count = len(track.forward)
    centres = np.stack([np.zeros(count), np.arange(count) * 100.0], axis=1)
    if direction == "right":
        centres = centres[:, ::-1]
    row = {node: index for index, node in enumerate(track.forward)}
    nodes = track.recording.nodes
    edges = [(nodes[c].inputs[slot], c, slot) for c, slot in track.edges]
    ends = [(centres[row[a]], centres[row[b]]) for a, b, _ in edges]
    curves = tuple(np.linspace(a, b, 4) for a, b in ends)
    bounds = (-200.0, -100.0, 200.0, count * 100.0)
    ids = np.array(track.forward, dtype=np.int64)
    return Layout(ids, centres, sizes, np.array(edges, dtype=np.int64).reshape(-1, 3), curves, bounds, "rows")


def measure(track: Track) -> Floats:
    """One size for every box."""
    return np.tile([160.0, 60.0], (len(track.forward), 1))


def new_session(reader: Reader | None = None) -> Session:
    """A session over the reader; steps are shown without animation."""
    return Session(Clock(reduced_motion=True), interpret=reader or Reader(), lay_out=lay_out, measure=measure)
