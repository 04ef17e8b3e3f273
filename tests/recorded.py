"""Scripts run in this process by the built-in backend, for tests that need what a real run leaves."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from typing import Any

from gradviz.engine.state import state
from gradviz.recording import Array, Recording
from gradviz.run.builtin import run_job
from gradviz.run.job import Job, Outcome


class Silent:
    """Nobody listens to what the run says."""

    def output(self, text: str) -> None:
        """Nobody reads it; the recording has it."""

    def aside(self, text: str) -> None:
        """Nobody reads it."""

    def progress(self, share: float) -> None:
        """Nobody waits."""


@dataclass(frozen=True)
class Ran:
    """A run, as a session takes one."""

    outcome: Outcome
    seconds: float = 0.001

    @property
    def recording(self) -> Recording:
        """What it left."""
        return self.outcome.recording

    def with_seed(self, output: int, seed: Array) -> Recording:
        """One more sweep: v·J of a node."""
        assert self.outcome.with_seed is not None
        made = self.outcome.with_seed(output, seed)
        return replace(self.recording, sweeps=(*self.recording.sweeps, made))

    def ask(self, what: str, value: Any = None) -> Any:
        """The answer to a question about the run, by name."""
        return self.outcome.answers[what](value)


ONE_AT_A_TIME = threading.Lock()
"""A process has one engine; the window has one process a run."""


def run(text: str, name: str = "script.py", kind: str = "script", *, seed: int | None = 0) -> Ran:
    """Run a script; its error, where it ends in one, is in the recording. What it sets for its process ends with it."""
    with ONE_AT_A_TIME:
        before = state.dtype, state.grad_enabled, state.detects_anomaly
        try:
            return Ran(run_job(Job(text, name, kind, seed=seed), Silent()))
        finally:
            state.dtype, state.grad_enabled, state.detects_anomaly = before
