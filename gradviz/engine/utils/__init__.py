"""`torch.utils`: what feeds training with data."""

from gradviz.engine.known import missing_of
from gradviz.engine.utils import data

__all__ = ["data"]


__getattr__ = missing_of("torch.utils")
