"""`torch.utils`: what feeds training with data."""

from typing import Any

from gradviz.engine.errors import Beyond
from gradviz.engine.utils import data

__all__ = ["data"]


def __getattr__(name: str) -> Any:
    raise Beyond(f"torch.utils.{name}")
