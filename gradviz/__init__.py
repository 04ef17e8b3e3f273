"""gradviz: step through what backward() really does.

`gradviz.capture()` records real PyTorch, `gradviz.show()` shows what was recorded, `gradviz.Watch` waits for the step
of a training where something goes wrong, and `gradviz.assert_gradients_close` is for tests. They are loaded when they
are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gradviz.capture.display import show
    from gradviz.capture.recorder import Recorder as capture  # noqa: N813 # the name that it is called by
    from gradviz.capture.testing import assert_gradients_close
    from gradviz.capture.watch import Watch

__version__ = "0.1.0"

__all__ = ["Watch", "__version__", "assert_gradients_close", "capture", "show"]


if not TYPE_CHECKING:  # a type checker knows the names above, and no others

    def __getattr__(name: str) -> object:
        if name in __all__:
            import gradviz.capture

            return gradviz.capture if name == "capture" else getattr(gradviz.capture, name)
        raise AttributeError(f"module 'gradviz' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__} - {"TYPE_CHECKING", "annotations"})
