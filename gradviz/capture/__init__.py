"""The recorder for real PyTorch: what forward and backward really did, as a `.gradviz` file.

    with gradviz.capture() as recording:
        loss = model(x).sum()
        loss.backward()
    recording.save("run.gradviz")

Called, this package is `Recorder`, whose arguments it takes. It needs PyTorch and the standard library, nothing else,
and PyTorch not before something is recorded; it also runs in an interpreter where gradviz is not installed
(`gradviz.capture.child`).
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from gradviz.capture.display import Shown, show

if TYPE_CHECKING:
    from gradviz.capture.recorder import Recorder
    from gradviz.capture.testing import assert_gradients_close
    from gradviz.capture.watch import Watch

    capture = Recorder

__all__ = ["Recorder", "Shown", "Watch", "assert_gradients_close", "capture", "show"]

_PLACES = {"Recorder": "recorder", "capture": "recorder", "Watch": "watch", "assert_gradients_close": "testing"}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'gradviz.capture' has no attribute '{name}'")
    try:
        module = importlib.import_module(f"gradviz.capture.{_PLACES[name]}")
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise ModuleNotFoundError(
            "gradviz.capture records PyTorch, which is not installed here: install it with `pip install torch`.",
            name="torch",
        ) from None
    return getattr(module, "Recorder" if name == "capture" else name)


class _Callable(ModuleType):
    """`gradviz.capture` is this package as well as the function that people call."""

    def __call__(self, *args: Any, **kwargs: Any) -> Recorder:
        made: Recorder = __getattr__("Recorder")(*args, **kwargs)
        return made

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *__all__})

    @property
    def __signature__(self) -> Any:
        """That of the recorder, for those who ask what a call takes."""
        from inspect import signature

        return signature(__getattr__("Recorder"))


sys.modules[__name__].__class__ = _Callable
