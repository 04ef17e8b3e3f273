"""gradviz: step through what backward() really does.

`gradviz.capture()` records real PyTorch. It and what goes with it (`show`, `Watch`, `assert_gradients_close`) are
loaded when they are first used.
"""

from __future__ import annotations

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    if name in ("capture", "show", "Watch", "assert_gradients_close"):
        import gradviz.capture

        return gradviz.capture if name == "capture" else getattr(gradviz.capture, name)
    raise AttributeError(f"module 'gradviz' has no attribute '{name}'")
