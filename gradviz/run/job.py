"""What a run is asked to do, what it says meanwhile, and what it leaves.

The host (`gradviz.run.host`) sends a `Job` to a child process; there a backend, a function

    run_job(job: Job, emit: Emit) -> Outcome

runs it. A backend knows nothing of pipes and processes, and the host knows nothing of backends.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from gradviz.errors import GradvizError

if TYPE_CHECKING:  # numpy takes longer to load than all the rest of a host that only prints
    from gradviz.recording import Array, Recording, Sweep


@dataclass(frozen=True)
class Limits:
    """How far a script may go; a learner's script stays far below.

    Attributes:
        seconds: of time by the clock, or None for no limit. The child is ended from outside.
        megabytes: of memory (2**20 bytes) besides what Python, numpy and the engine take. Set by the system where it
            can; the script sees a `MemoryError`.
        output_characters: printed.
        nodes: of the graph; for the backend to watch.
    """

    seconds: float | None = 60.0
    megabytes: int = 4_000
    output_characters: int = 10_000_000
    nodes: int = 1_000_000


@dataclass(frozen=True)
class Keep:
    """How much of a long run is kept: of many backward calls the first and the last are, and as many between as fit.

    Attributes:
        sweeps: backward calls.
        nodes: of their graphs.
        megabytes: of the values and gradients.
        pinned: numbers of calls, from 1, to keep besides.
    """

    sweeps: int = 200
    nodes: int = 500_000
    megabytes: int = 1_000
    pinned: frozenset[int] = frozenset()

    @classmethod
    def at_most(cls, sweeps: int) -> Keep:
        """Of a chosen number of calls, with as much room for each as is usual."""
        share = max(1.0, sweeps / cls.sweeps)
        return cls(sweeps, int(cls.nodes * share), int(cls.megabytes * share))


@dataclass(frozen=True)
class Job:
    """One script to run.

    Attributes:
        text: the source.
        name: its file name, for messages.
        kind: "script" or "notebook".
        limits: how far it may go.
        keep: how much of it is kept.
        seed: of the random numbers where the script sets none; None for a new one each time.
        echo_last: show the value of a bare last expression, as the window does.
        wants_recording: whether anybody will look at the recording; `gradviz run` only prints.
        folder: of the script, whose modules and files it may read; "" where it has none.
        scratch: a folder of its own, which goes with the run; given by the host.
        options: whatever else a backend understands; plain JSON values.
    """

    text: str
    name: str = "script.py"
    kind: str = "script"
    limits: Limits = field(default_factory=Limits)
    keep: Keep = field(default_factory=Keep)
    seed: int | None = None
    echo_last: bool = False
    wants_recording: bool = True
    folder: str = ""
    scratch: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)


class Emit(Protocol):
    """What a backend says while it runs. Nothing here raises for the sake of the other side."""

    def output(self, text: str) -> None:
        """Pass on what the script printed, in any portions; `sys.stdout` of the child does this by itself.

        Raises:
            LimitError: more was printed than the job allows.
        """

    def aside(self, text: str) -> None:
        """Pass on what is said beside the output: warnings, what goes to `sys.stderr`."""

    def progress(self, share: float) -> None:
        """Say which share of the work is done, 0..1; may be called as often as one likes."""


class Stopped(BaseException):
    """Raised wherever the script stands when its time is over; no `except Exception` of a script catches it.

    A backend may catch it and return what was recorded so far, with `error` as the recording's problem. It is given
    about half a second for that, then the process is ended.

    Attributes:
        error: the sentence for the user, a LimitError or Cancelled.
    """

    def __init__(self, error: GradvizError) -> None:
        super().__init__(error.message)
        self.error = error


@dataclass(frozen=True)
class Outcome:
    """What a backend leaves.

    Attributes:
        recording: of the run; `problem` in it says why it ended early.
        exit_code: what the script ended itself with, by `sys.exit(3)`.
        with_seed: given a node's id and v of that node's shape, one more sweep (v·J, `.grad` left alone); None where
            the backend cannot. It raises a GradvizError where the seed does not fit.
        answers: further questions by name, e.g. "check"; each takes and gives plain JSON values.
    """

    recording: Recording
    exit_code: int = 0
    with_seed: Callable[[int, Array], Sweep] | None = None
    answers: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)


RunJob = Callable[[Job, Emit], Outcome]
"""A backend."""
