"""The recorder for real PyTorch: what forward and backward really did, as a `.gradviz` file.

    with gradviz.capture() as recording:
        loss = model(x).sum()
        loss.backward()
    recording.save("run.gradviz")

This folder needs PyTorch and the standard library, nothing else; it also runs in an interpreter where gradviz is not
installed (`gradviz.capture.child`).
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

try:
    import torch as _torch  # noqa: F401
except ModuleNotFoundError as _error:
    if _error.name != "torch":
        raise
    raise ModuleNotFoundError(
        "gradviz.capture records PyTorch, which is not installed here: install it with `pip install torch`.",
        name="torch",
    ) from None

from gradviz.capture.display import show
from gradviz.capture.recorder import Recorder
from gradviz.capture.testing import assert_gradients_close
from gradviz.capture.watch import Watch

capture = Recorder

__all__ = ["Recorder", "Watch", "assert_gradients_close", "capture", "show"]


class _Callable(ModuleType):
    """`gradviz.capture` is this package as well as the function that people call."""

    def __call__(self, *args: Any, **kwargs: Any) -> Recorder:
        return Recorder(*args, **kwargs)


sys.modules[__name__].__class__ = _Callable
