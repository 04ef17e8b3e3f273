"""The one door of every backward pass, under whichever name it is called: autograd's engine object.

`Tensor.backward`, `torch.autograd.backward` and `grad`, `autograd.functional` and a reentrant checkpoint all call
`Variable._execution_engine.run_backward`, so one object in its place sees them all, also under names that were
imported before. All else (DDP's `queue_callback`, ...) passes through.
"""

from __future__ import annotations

from typing import Any, Callable

import torch


class EngineDoor:
    """Stands in for the engine, and calls `run(engine, args, kwargs)` for its `run_backward`."""

    def __init__(self, run: Callable[[Any, Any, Any], Any]) -> None:
        self._run = run
        self._engine = torch.autograd.Variable._execution_engine
        torch.autograd.Variable._execution_engine = self

    def run_backward(self, *args: Any, **kwargs: Any) -> Any:
        """A backward pass."""
        return self._run(self._engine, args, kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    def close(self) -> None:
        """Put the engine back, unless somebody has put another in front."""
        if torch.autograd.Variable._execution_engine is self:
            torch.autograd.Variable._execution_engine = self._engine
