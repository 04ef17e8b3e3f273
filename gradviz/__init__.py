"""gradviz: step through what backward() really does.

`gradviz.capture()` records real PyTorch; it and what goes with it are loaded when they are first used.
"""

from __future__ import annotations

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    if name == "capture":
        import gradviz.capture

        return gradviz.capture
    raise AttributeError(f"module 'gradviz' has no attribute '{name}'")
