"""Runs that are over: what their scripts left is a recording, and nobody is there to be asked."""

from __future__ import annotations

from dataclasses import dataclass

from gradviz.errors import GradvizError
from gradviz.recording import Array, Recording


@dataclass(frozen=True)
class EndedRun:
    """A recording as a run: of a script whose process has ended, or from a file.

    Attributes:
        recording: what was recorded.
        seconds: how long the script ran.
    """

    recording: Recording
    seconds: float = 0.0

    def with_seed(self, output: int, seed: Array) -> Recording:
        """The recording with one more sweep: v·J of a node, by the rules of gradviz's own engine.

        Raises:
            GradvizError: the seed does not fit, or a node on the way has no rule or no value.
        """
        from gradviz.graph.replay import add_sweep  # late: it brings the engine

        return add_sweep(self.recording, output, seed)

    def ask(self, _what: str, _value: object = None, /) -> object:
        """The answer to another question about the run.

        Raises:
            GradvizError: always, for no process of the script is there.
        """
        raise GradvizError("the script of this recording is not running, and only a running one could tell")
