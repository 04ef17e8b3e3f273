"""`torch.distributed`: not there."""

from __future__ import annotations

from gradviz.engine.errors import Beyond


def is_available() -> bool:
    """False: scripts run in one process."""
    return False


def is_initialized() -> bool:
    """False: scripts run in one process."""
    return False


def __getattr__(name: str) -> object:
    raise Beyond(f"torch.distributed.{name}") if name[:1] != "_" else AttributeError(name)


__all__ = ["is_available", "is_initialized"]
