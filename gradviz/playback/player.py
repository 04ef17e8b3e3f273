"""The player: one integer, and how it moves. The only writer of the position; the timer only ticks."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence


class Player:
    """Where we are in a track of `length` steps, and whether we are moving.

    Attributes:
        length: the last position.
        position: steps done, 0..length inclusive.
        speed: steps per second while playing.
        is_playing: whether `tick` moves.
        loop: whether playing starts again at the end.
        jump: steps that the last tick made; 0 where the last move was none.
        is_halted: whether playing ended at a breakpoint and nothing has moved since.
        stops: the positions that a step leads to, ascending, with 0 and the end; empty for all of them.
        limit: a position that no move goes beyond until it is lifted, or None.
        held: called where a move would have gone beyond the limit.
        find_stop: the first position in low + 1 .. high at which playing stops, or None; asked before each tick.
    """

    SPEEDS = (0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 100.0, 300.0, 1000.0, 3000.0)

    def __init__(self, changed: Callable[[], None] = lambda: None) -> None:
        self.length = 0
        self.position = 0
        self.speed = 1.0
        self.is_playing = False
        self.loop = False
        self.is_halted = False
        self.jump = 0
        self.stops: Sequence[int] = ()
        self.limit: int | None = None
        self.held: Callable[[], None] = lambda: None
        self.find_stop: Callable[[int, int], int | None] = lambda _low, _high: None
        self._changed = changed

    def load(self, length: int, position: int = 0) -> None:
        """Take a new track, at a position of it, paused; it has no limit."""
        self.length, self.limit = length, None
        self.position = min(max(position, 0), length)
        self.is_playing = self.is_halted = False
        self.jump = 0
        self._changed()

    @property
    def end(self) -> int:
        """The last position that a move may lead to."""
        return self.length if self.limit is None else min(self.limit, self.length)

    def go(self, position: int) -> None:
        """Move to a position, clamped to the track and its limit. A move by hand pauses."""
        self.jump = 0
        self._set(position, playing=False)
        if min(position, self.length) > self.end:
            self.held()

    def step(self, by: int = 1) -> None:
        """Move by so many steps; pauses."""
        self.go(self.after(self.position, by))

    def after(self, position: int, by: int = 1) -> int:
        """Where so many steps lead from a position; beyond the track where there are not so many."""
        if not self.stops:
            return position + by
        place = bisect_right(self.stops, position) - 1 + by if by > 0 else bisect_left(self.stops, position) + by
        return self.stops[max(place, 0)] if place < len(self.stops) else self.length + 1

    def first(self) -> None:
        """Go to the beginning."""
        self.go(0)

    def last(self) -> None:
        """Go to the end."""
        self.go(self.length)

    def toggle(self) -> None:
        """Play or pause; playing at the end starts from the beginning."""
        if self.is_playing:
            self._set(self.position, playing=False)
        elif self.end < self.length and self.position >= self.end:
            self.held()
        elif self.length:
            self._set(0 if self.position >= self.length else self.position, playing=True)

    def tick(self, steps: int = 1) -> None:
        """Advance while playing; pause at a breakpoint, and at the end unless `loop` is set."""
        if not self.is_playing:
            return
        target = self.after(self.position, steps)
        self.jump = steps
        stop = self.find_stop(self.position, min(target, self.end))
        if stop is not None:
            self.halt(stop)
        elif target > self.end and self.end < self.length:
            self._set(self.end, playing=False)
            self.held()
        elif target > self.length and self.loop:
            self._set(0, playing=True)
        else:
            self._set(target, playing=target < self.end or (self.loop and self.limit is None))

    def halt(self, position: int) -> None:
        """Stop at a breakpoint."""
        was, self.is_halted = self.is_halted, True
        here = (self.position, self.is_playing)
        self.position, self.is_playing = min(max(position, 0), self.end), False
        if here != (self.position, False) or not was:
            self._changed()

    @property
    def interval_ms(self) -> int:
        """Milliseconds between ticks at the present speed; never shorter than a frame."""
        return max(16, round(1000 / self.speed))

    @property
    def is_skipping(self) -> bool:
        """Whether it plays faster than pictures can be shown: only some of the steps are seen."""
        return self.is_playing and self.jump > 1

    def set_speed(self, speed: float) -> None:
        """Steps per second; any number above 0."""
        if speed != self.speed:
            self.speed = speed
            self._changed()

    def _set(self, position: int, *, playing: bool) -> None:
        position = min(max(position, 0), self.end)
        if (position, playing, False) != (self.position, self.is_playing, self.is_halted):
            self.position, self.is_playing, self.is_halted = position, playing, False
            self._changed()
