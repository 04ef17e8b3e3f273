"""The recorder for real PyTorch: what forward and backward really did, as a `.gradviz` file.

    with gradviz.capture() as recording:
        loss = model(x).sum()
        loss.backward()
    recording.save("run.gradviz")

This folder needs PyTorch and the standard library, nothing else; it also loads as a package of its own, in an
interpreter where gradviz is not installed.
"""

from __future__ import annotations

try:
    import torch as _torch  # noqa: F401
except ModuleNotFoundError as _error:
    if _error.name != "torch":
        raise
    raise ModuleNotFoundError(
        "gradviz.capture records PyTorch, which is not installed here: install it with `pip install torch`.",
        name="torch",
    ) from None

from .recorder import Recorder

capture = Recorder

__all__ = ["Recorder", "capture"]
