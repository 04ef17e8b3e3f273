"""Backends for tests of the process alone, without the engine."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.errors import GradvizError
from gradviz.recording import Node, Problem, Recording, Source, Step, Sweep
from gradviz.run.job import Emit, Job, Outcome, Stopped


def run_exec(job: Job, emit: Emit) -> Outcome:
    """Run the text with the real builtins; its variable `recording`, where it sets one, is what it leaves."""
    names: dict[str, Any] = {"__name__": "__main__", "emit": emit}
    problem = None
    try:
        exec(compile(job.text, job.name, "exec"), names)
    except Stopped as stopped:
        if names.get("gives_up"):
            raise
        problem = Problem(stopped.error.message, stopped.error.hint)
    except SystemExit as end:
        return Outcome(Recording(), exit_code=end.code if isinstance(end.code, int) else 0)
    except GradvizError:
        raise
    except MemoryError:
        raise
    except Exception as error:
        problem = Problem(f"{type(error).__name__}: {error}", line=1)
    source = Source(job.kind, job.name, job.text)
    nodes = (Node(0, "leaf", (), {}, (2,), name="x", requires_grad=True),)
    recording = names.get("recording") or Recording(
        nodes, (np.array([1.0, 2.0], np.float32),), source=source, problem=problem
    )
    return Outcome(recording, 0, with_seed, {"length": len, "state": lambda name: names[name]})


def with_seed(output: int, seed: Any) -> Sweep:
    """One sweep that hands the seed to its node."""
    if seed.shape != (2,):
        raise GradvizError(f"the seed has shape {list(seed.shape)}")
    return Sweep((output,), (seed,), (Step(output, seed),))


def run_nothing(job: Job, emit: Emit) -> Outcome:
    """Raise what no backend should."""
    raise ZeroDivisionError("the backend is broken")
