"""`torch.backends`: switches of libraries that are not there; setting them changes nothing."""

from __future__ import annotations

from gradviz.engine.known import missing_of


class Backend:
    """The switches of one library; a script may set any."""

    deterministic = False
    benchmark = False
    enabled = False
    allow_tf32 = False

    def is_available(self) -> bool:
        """False: the library is not there."""
        return False

    def is_built(self) -> bool:
        """False: the library is not there."""
        return False

    def current_accelerator(self) -> None:
        """None: there is but the CPU."""


cudnn, mps, cuda, mkldnn = Backend(), Backend(), Backend(), Backend()

__getattr__ = missing_of("torch.backends")

__all__ = ["cuda", "cudnn", "mkldnn", "mps"]
