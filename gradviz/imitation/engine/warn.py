"""What PyTorch warns of while it goes on: said to whoever runs the script."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Listener = Callable[[str, str, bool | str], None]


class Once(str):
    """The name of a place inside PyTorch that warns once a run, whatever it says and whoever hears it."""

    __slots__ = ()


_LISTENER: ContextVar[Listener | None] = ContextVar("_LISTENER", default=None)
_MODULE: ContextVar[str] = ContextVar("_MODULE", default="")


def warn(message: str, category: str = "UserWarning", *, once: bool | str = False) -> None:
    """Say a warning in PyTorch's words, without the "Triggered internally at ..." of its own source.

    Args:
        category: the class of the warning in Python, e.g. "FutureWarning".
        once: given from one place inside PyTorch, so that Python shows it once a run and not once a line;
            or the name of that place, where several give the same warning; or a Once.
    """
    listener = _LISTENER.get()
    if listener is not None:
        listener(message, category, once)


@contextmanager
def called_by_module(name: str) -> Iterator[None]:
    """Warnings come from one place inside PyTorch, the module's class, and not from the line of the script."""
    token = _MODULE.set(name)
    try:
        yield
    finally:
        _MODULE.reset(token)


def warn_here(message: str) -> None:
    """A warning at the line of the script, or at PyTorch's own where a module called."""
    warn(message, once=_MODULE.get())


def warn_of_number(requires_grad: bool) -> None:
    """Say once that a tensor of the graph was made a plain number."""
    if requires_grad:
        warn(
            "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\n"
            "Consider using tensor.detach() first.",
            once=True,
        )


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Give all warnings of this thread to `listener(message, category, once)`, which may raise."""
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)
