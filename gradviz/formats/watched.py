"""Work on a file that somebody waits for: how far it is, and whether it is still wanted."""

from __future__ import annotations

from typing import Protocol

from gradviz.errors import Cancelled


class Watch(Protocol):
    """Who waits for a file. Calling it says whether nobody wants it any more."""

    def __call__(self) -> bool: ...

    def tell(self, share: float, /) -> None:
        """Hear which share is done, 0..1."""


class Nobody:
    """Waits until the end, and asks nothing."""

    def __call__(self) -> bool:
        return False

    def tell(self, share: float, /) -> None:
        """Hear nothing."""


class Part:
    """A watch over one part of the work.

    Args:
        whole: who waits for all of it.
        start, end: the shares of all of it that are done before this part, and after it.
    """

    def __init__(self, whole: Watch, start: float, end: float) -> None:
        self._whole, self._start, self._end = whole, start, end

    def __call__(self) -> bool:
        return self._whole()

    def tell(self, share: float, /) -> None:
        """Hear which share of this part is done."""
        self._whole.tell(self._start + (self._end - self._start) * share)


def go_on(watch: Watch, share: float) -> None:
    """Say how far it is.

    Raises:
        Cancelled: nobody wants it any more.
    """
    if watch():
        raise Cancelled("Stopped.")
    watch.tell(share)
