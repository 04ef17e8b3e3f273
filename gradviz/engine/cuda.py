"""`torch.cuda`, and what else asks for devices that are not there."""

from __future__ import annotations

from gradviz.engine.known import missing_of


def is_available() -> bool:
    """False: there is but the CPU."""
    return False


def device_count() -> int:
    """0: there is but the CPU."""
    return 0


def manual_seed(seed: int) -> None:
    """Nothing: no device draws numbers."""


def manual_seed_all(seed: int) -> None:
    """Nothing: no device draws numbers."""


def synchronize(device: object = None) -> None:
    """Nothing: there is no device to wait for."""


def empty_cache() -> None:
    """Nothing: no device has a cache."""


__getattr__ = missing_of("torch.cuda")

__all__ = ["device_count", "empty_cache", "is_available", "manual_seed", "manual_seed_all", "synchronize"]
