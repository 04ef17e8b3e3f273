"""The only timer of playback. It ticks the player, and moves the phase of the animation towards a position.

The position is one integer that the player owns; slider, keys and timer all write it through the player.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QElapsedTimer, QObject, Qt, QTimer, Signal

from gradviz.playback.player import Player

FRAME_MS = 16
HAND_MS, TERM_MS = 320, 260
"""Length of the animation of one step made by hand, and how much longer it is for each further term of a sum; in ms."""
_LONGEST_MS = 1200
_SHARE = 0.6  # of the time between two ticks; the rest is for reading
_SHORTEST_MS = 90  # a shorter animation is only flicker


def playing_ms(interval_ms: float) -> float:
    """How long a step is animated, in ms, where steps follow each other at an interval; 0 where there is no time."""
    length = min(_LONGEST_MS, _SHARE * interval_ms)
    return length if length >= _SHORTEST_MS else 0.0


class Clock(QObject):
    """Player and timer.

    Attributes:
        player: the owner of the position.
        phase: 0..1 on the way to the player's position; 1 is at rest.
        reduced_motion: whether steps are shown without animation.
        terms_at: how many gradients are added up at a position: each is given time to be seen coming in.

    Signals:
        moved: the position, the phase, or whether it plays has changed.
    """

    moved = Signal()

    def __init__(self, *, reduced_motion: bool = False) -> None:
        super().__init__()
        self.phase = 1.0
        self.reduced_motion = reduced_motion
        self.terms_at: Callable[[int], int] = lambda _: 1
        self._shown = 0
        self._waited_ms = 0.0
        self.player = Player(self._player_changed)
        self._elapsed = QElapsedTimer()
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(FRAME_MS)
        self._timer.timeout.connect(self._frame)

    @property
    def is_running(self) -> bool:
        """Whether the timer runs: while playing, or on the way to a position."""
        return self._timer.isActive()

    def load(self, length: int, position: int) -> None:
        """Take a new track at a position of it, at rest."""
        self._shown = min(max(position, 0), length)
        self.phase = 1.0
        self.player.load(length, position)

    def advance(self, elapsed_ms: float) -> None:
        """Let so much time pass."""
        was = self.phase
        if self.phase < 1.0:
            self.phase = min(1.0, self.phase + elapsed_ms / self._duration_ms())
        if self.player.is_playing:
            self._waited_ms += elapsed_ms
            steps = int(self._waited_ms * self.player.speed / 1000)
            if steps:
                self._waited_ms -= steps * 1000 / self.player.speed
                self.player.tick(steps)
                return
        if self.phase != was:
            self.moved.emit()
        self._run_or_rest()

    def stop(self) -> None:
        """Come to rest at once, for closing."""
        self.player.is_playing = False
        self.phase = 1.0
        self._timer.stop()

    def _frame(self) -> None:
        self.advance(float(self._elapsed.restart()))

    def _player_changed(self) -> None:
        position = self.player.position
        if position != self._shown:
            one_on = position == self.player.after(self._shown)
            self._shown = position
            self.phase = 0.0 if one_on and self._is_animated() else 1.0
        if not self.player.is_playing:
            self._waited_ms = 0.0
        self.moved.emit()
        self._run_or_rest()

    def _is_animated(self) -> bool:
        return not self.reduced_motion and self._duration_ms() >= _SHORTEST_MS

    def _duration_ms(self) -> float:
        if not self.player.is_playing:
            return min(HAND_MS + TERM_MS * max(self.terms_at(self.player.position) - 1, 0), _LONGEST_MS)
        return min(_LONGEST_MS, _SHARE * self.player.interval_ms)

    def _run_or_rest(self) -> None:
        wanted = self.player.is_playing or self.phase < 1.0
        if wanted and not self._timer.isActive():
            self._elapsed.restart()
            self._timer.start()
        elif not wanted:
            self._timer.stop()
