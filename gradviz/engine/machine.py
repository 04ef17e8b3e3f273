"""What scripts ask and set about how they are run: compilation, threads, autocast. Nothing of it changes a number."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ContextDecorator
from typing import Any

from gradviz.engine.creation import set_default_dtype
from gradviz.engine.dtypes import DTYPES
from gradviz.engine.errors import Beyond
from gradviz.engine.tensor import Tensor


def compile(model: Callable[..., Any] | None = None, **_: Any) -> Any:
    """The function or module itself: there is nothing to compile it to, and it computes the same.

    Without one, as in `@torch.compile(mode="default")`, a decorator that leaves what it decorates as it is.
    """
    return (lambda function: function) if model is None else model


class autocast(ContextDecorator):  # noqa: N801 (PyTorch's name)
    """A region of lower precision, which must be switched off: `torch.autocast("cpu", enabled=False)`."""

    def __init__(self, device_type: str = "cpu", dtype: Any = None, enabled: bool = True, **_: Any) -> None:
        if enabled:
            raise Beyond("torch.autocast")

    def __enter__(self) -> autocast:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing was changed."""


def is_autocast_enabled(device_type: str | None = None) -> bool:
    """False: there is but full precision."""
    return False


def get_num_threads() -> int:
    """1: numbers are computed one after the other, as far as anybody can see."""
    return 1


def are_deterministic_algorithms_enabled() -> bool:
    """False, as where nobody asked for them; they always are deterministic."""
    return False


def typename(obj: Any) -> str:
    """The type of a value with its module, e.g. "torch.FloatTensor"."""
    if isinstance(obj, Tensor):
        return str(obj.type())
    module = getattr(obj, "__module__", "") or getattr(type(obj), "__module__", "")
    name = getattr(obj, "__qualname__", "") or type(obj).__qualname__
    return name if module in ("", "builtins") else f"{module}.{name}"


def set_default_tensor_type(t: Any) -> None:
    """Let tensors of Python's floats have the dtype of a type of tensors, e.g. `torch.DoubleTensor`.

    Raises:
        TypeError: it is none of floats.
    """
    name = t if isinstance(t, str) else f"{t.__module__}.{t.__name__}"
    for dtype in DTYPES.values():
        if name == f"torch.{dtype.type_name}Tensor" and dtype.is_floating_point:
            set_default_dtype(dtype)
            return
    raise TypeError("only floating-point types are supported as the default type")


__all__ = [
    "are_deterministic_algorithms_enabled", "autocast", "compile", "get_num_threads", "is_autocast_enabled",
    "set_default_tensor_type", "typename",
]  # fmt: skip
