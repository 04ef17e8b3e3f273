"""Whether ops are recorded: no_grad, enable_grad, set_grad_enabled, each a context and a decorator."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Generator
from types import TracebackType
from typing import Any, TypeVar

from gradviz.engine.saved import keeps
from gradviz.engine.state import INFERENCE, state
from gradviz.engine.tensor import Tensor

F = TypeVar("F", bound=Callable[..., Any])


class GradMode:
    """A context in which ops are recorded, or not."""

    wanted = True

    def __init__(self) -> None:
        self._before: list[bool] = []

    def __enter__(self) -> None:
        self._before.append(state.grad_enabled)
        state.grad_enabled = self.wanted

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        state.grad_enabled = self._before.pop()

    def __call__(self, function: F) -> F:
        """The function, run in this mode; a class or generator function too."""
        if inspect.isgeneratorfunction(function):

            @functools.wraps(function)
            def generate(*args: Any, **kwargs: Any) -> Generator[Any, None, Any]:
                made = function(*args, **kwargs)
                while True:
                    with self:
                        try:
                            item = next(made)
                        except StopIteration as end:
                            return end.value
                    yield item

            return generate  # type: ignore[return-value]

        @functools.wraps(function)
        def run(*args: Any, **kwargs: Any) -> Any:
            with self:
                return function(*args, **kwargs)

        return run  # type: ignore[return-value]


class _Bare(type):
    """Lets a mode decorate without being called: `@torch.no_grad`."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        """A mode, or a function decorated with one."""
        if len(args) == 1 and callable(args[0]):
            return super().__call__()(args[0])
        return super().__call__(*args, **kwargs)


class no_grad(GradMode, metaclass=_Bare):  # noqa: N801 (PyTorch's name)
    """Ops inside are not recorded."""

    wanted = False


class inference_mode(GradMode, metaclass=_Bare):  # noqa: N801 (PyTorch's name)
    """Ops inside are not recorded, and no op that is recorded later takes up what was made inside."""

    def __init__(self, mode: bool = True) -> None:
        super().__init__()
        self.mode = mode
        self.wanted = not mode and state.grad_enabled
        self._marks: list[int] = []

    def __enter__(self) -> None:
        super().__enter__()
        self._marks.append(state.unrecorded)
        state.unrecorded = INFERENCE if self.mode else -1
        if self.mode:
            _refuse_from_now_on()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        super().__exit__(kind, error, trace)
        state.unrecorded = self._marks.pop()


def _refuse_from_now_on() -> None:
    """Let every entry be looked at that is made from now on: before, no tensor was made in inference mode."""
    if isinstance(state.on_entry, _Refusal):
        return
    state.on_entry = _Refusal(state.on_entry)


class _Refusal:
    """Refuses an entry whose backward step would need a tensor made in inference mode."""

    def __init__(self, listen: Callable[[Tensor], object] | None) -> None:
        self._listen = listen

    def __call__(self, made: Tensor) -> None:
        """Look at an entry before whoever records hears of it.

        Raises:
            RuntimeError: as PyTorch has it.
        """
        op = made.op
        assert op is not None
        for slot, x in enumerate(made.inputs):
            if x.index == INFERENCE and op.joint is None and keeps(made, op.input_name(slot)):
                raise RuntimeError(
                    "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference "
                    "mode in computation tracked by autograd. To work around this, you can make a clone to get a "
                    "normal tensor and use it in autograd, or use `torch.no_grad()` instead of "
                    "`torch.inference_mode()`."
                )
        if self._listen is not None:
            self._listen(made)


class enable_grad(GradMode, metaclass=_Bare):  # noqa: N801 (PyTorch's name)
    """Ops inside are recorded, also inside `no_grad`."""


class set_grad_enabled(GradMode):  # noqa: N801 (PyTorch's name)
    """Turn recording on or off: at once as a call, for a while as a context."""

    def __init__(self, mode: bool) -> None:
        super().__init__()
        self.wanted = bool(mode)
        self._before.append(state.grad_enabled)
        state.grad_enabled = self.wanted

    def __enter__(self) -> None:
        state.grad_enabled = self.wanted


class detect_anomaly(GradMode):  # noqa: N801 (PyTorch's name)
    """A NaN in a backward pass inside is an error that names the node."""

    def __init__(self, check_nan: bool = True) -> None:
        super().__init__()
        self.wanted = check_nan

    def __enter__(self) -> None:
        self._before.append(state.detects_anomaly)
        state.detects_anomaly = self.wanted

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        state.detects_anomaly = self._before.pop()


class set_detect_anomaly(detect_anomaly):  # noqa: N801 (PyTorch's name)
    """Turn anomaly detection on or off: at once as a call, for a while as a context."""

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        super().__init__()
        self.wanted = mode and check_nan
        self._before.append(state.detects_anomaly)
        state.detects_anomaly = self.wanted

    def __enter__(self) -> None:
        state.detects_anomaly = self.wanted


def is_grad_enabled() -> bool:
    """Whether ops are recorded now."""
    return state.grad_enabled
