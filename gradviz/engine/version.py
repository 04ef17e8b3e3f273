"""`torch.version`: which PyTorch the engine follows, and what it was not built with."""

from __future__ import annotations

__version__ = "2.13.0+cpu"
cuda: str | None = None
hip: str | None = None
xpu: str | None = None
debug = False

__all__ = ["cuda", "debug", "hip", "xpu"]
