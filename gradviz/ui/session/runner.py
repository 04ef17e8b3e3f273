"""Work off the GUI thread, of which only the latest request counts.

A generation number goes with every request: an answer to an older one is dropped, so a slow run can never
overwrite the picture of a newer text.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, QThreadPool, QTimer, Signal

from gradviz.errors import Cancelled

_FINEST = 0.01
"""A smaller step of progress is not worth an event."""


class Going:
    """One request under way, as the work sees it: calling it says whether it is cancelled.

    Attributes:
        say: passes on a text that the work has made so far.
    """

    def __init__(
        self, is_cancelled: Callable[[], bool], told: Callable[[float], None], said: Callable[[str], None]
    ) -> None:
        self._is_cancelled, self._told, self.say = is_cancelled, told, said
        self._share = 0.0

    def __call__(self) -> bool:
        return self._is_cancelled()

    def tell(self, share: float) -> None:
        """Say which share of the work is done, 0..1."""
        if share >= self._share + _FINEST:
            self._share = share
            self._told(share)


Work = Callable[[Going], object]
"""What is run in a worker thread; it asks `going()` now and then whether it is still wanted."""

SLOW_MS = 300
_STACK_BYTES = 64 << 20  # a script may nest deeper than a worker's small default stack (512 KB on macOS) allows
_CLOSE_WAIT_MS = 2000


class Latest(QObject):
    """Runs work in a worker thread and hands back the answer to the latest request only.

    Attributes:
        is_busy: whether the latest request has not been answered yet.
        is_slow: whether the latest request has been under way for a while.

    Signals:
        answered: what the work returned.
        failed: the exception that ended it; `Cancelled` after `stop`.
        slow_changed: True once a request has been under way for a while, False when it has ended.
        progressed: the share of the latest request that is done, 0..1, where its work tells it.
        said: a text that the work of the latest request has passed on.
    """

    answered = Signal(object)
    failed = Signal(object)
    slow_changed = Signal(bool)
    progressed = Signal(float)
    said = Signal(str)
    _ended = Signal(int, object, object)
    _told = Signal(int, float)
    _said = Signal(int, str)

    def __init__(self, slow_ms: int = SLOW_MS) -> None:
        super().__init__()
        self._generation = 0
        self.is_busy = False
        self.is_slow = False
        self._pool = QThreadPool(self)
        self._pool.setStackSize(_STACK_BYTES)
        self._slow = QTimer(self, singleShot=True, interval=slow_ms)
        self._slow.timeout.connect(self._became_slow)
        self._ended.connect(self._take, Qt.ConnectionType.QueuedConnection)
        self._told.connect(self._hear, Qt.ConnectionType.QueuedConnection)
        self._said.connect(self._pass_on, Qt.ConnectionType.QueuedConnection)

    def ask(self, work: Work) -> None:
        """Start the work; what was asked before is cancelled, and its answer will be dropped."""
        self._generation += 1
        self.is_busy = True
        self._slow.start()
        generation = self._generation
        self._pool.start(lambda: self._run(generation, work))

    def stop(self) -> None:
        """End the latest request now, whether or not its thread notices."""
        if self.is_busy:
            self._generation += 1
            self._rest()
            self.failed.emit(Cancelled("Stopped."))

    def drop(self) -> None:
        """Forget the latest request in silence: its answer is no longer wanted."""
        self._generation += 1
        self._rest()

    def close(self) -> None:
        """Drop what is under way and wait a little for its thread."""
        self.drop()
        self._pool.waitForDone(_CLOSE_WAIT_MS)

    def _run(self, generation: int, work: Work) -> None:
        """In the worker thread."""
        answer: object = None
        error: BaseException | None = None
        try:
            going = Going(
                lambda: generation != self._generation,
                lambda share: self._told.emit(generation, share),
                lambda text: self._said.emit(generation, text),
            )
            answer = work(going)
        except BaseException as caught:  # handed to the GUI thread, which decides what it is
            error = caught
        if generation == self._generation:
            self._ended.emit(generation, answer, error)

    def _hear(self, generation: int, share: float) -> None:
        if generation == self._generation and self.is_busy:
            self.progressed.emit(share)

    def _pass_on(self, generation: int, text: str) -> None:
        if generation == self._generation and self.is_busy:
            self.said.emit(text)

    def _take(self, generation: int, answer: object, error: object) -> None:
        if generation != self._generation:
            return
        self._rest()
        if error is not None:
            self.failed.emit(error)
        else:
            self.answered.emit(answer)

    def _rest(self) -> None:
        self.is_busy = False
        self._slow.stop()
        if self.is_slow:
            self.is_slow = False
            self.slow_changed.emit(False)

    def _became_slow(self) -> None:
        self.is_slow = True
        self.slow_changed.emit(True)
