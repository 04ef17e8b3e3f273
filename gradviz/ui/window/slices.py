"""Work that belongs to the thread of the window, done bit by bit, so that the window goes on between."""

from __future__ import annotations

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal

from gradviz.errors import GradvizError
from gradviz.export.work import Work

_SLICE_MS = 12
"""How long it works at a time; one bit of work may take longer."""


class Slices(QObject):
    """Does one work at a time.

    Signals:
        progressed: payload: the share that is done, 0..1.
        finished: payload: the bytes that the work returned.
        failed: payload: the GradvizError that ended it. After `cancel` nothing is told.
    """

    progressed = Signal(float)
    finished = Signal(bytes)
    failed = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._work: Work | None = None
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._go_on)

    @property
    def is_busy(self) -> bool:
        """Whether a work is under way."""
        return self._work is not None

    def start(self, work: Work) -> None:
        """Begin a work; the one before is given up."""
        self.cancel()
        self._work = work
        self._timer.start()

    def cancel(self) -> None:
        """Give the work up."""
        work, self._work = self._work, None
        self._timer.stop()
        if work is not None:
            work.close()

    def _go_on(self) -> None:
        work, since, share = self._work, QElapsedTimer(), 0.0
        assert work is not None
        since.start()
        try:
            while since.elapsed() < _SLICE_MS:
                share = next(work)
        except StopIteration as end:
            self.cancel()
            self.finished.emit(end.value)
        except GradvizError as error:
            self.cancel()
            self.failed.emit(error)
        except BaseException:
            self.cancel()
            raise
        else:
            self.progressed.emit(share)
