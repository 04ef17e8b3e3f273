"""How long work says how far it is and asks whether it is still wanted: one function, called now and then."""

from __future__ import annotations

from collections.abc import Callable

from gradviz.errors import Cancelled

Pulse = Callable[[float], None]
"""Told the share done, 0..1; raises Cancelled to stop the work."""


def pulse_of(cancelled: Callable[[], bool], progress: Callable[[float], None]) -> Pulse:
    """A pulse from the two functions that a caller of a layout gives."""

    def pulse(share: float) -> None:
        if cancelled():
            raise Cancelled("The layout was cancelled.")
        progress(share)

    return pulse


def part_of(pulse: Pulse, start: float, end: float) -> Pulse:
    """A pulse for a part of the work: its 0..1 is start..end of the whole."""
    return lambda share: pulse(start + (end - start) * share)
