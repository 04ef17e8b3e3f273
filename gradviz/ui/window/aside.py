"""Work that takes a while, in another thread, while the window keeps painting and waits for it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEventLoop, QMetaObject, Qt, QThreadPool
from PySide6.QtGui import QGuiApplication


def do_aside(work: Callable[[], None]) -> None:
    """Do the work in another thread and return when it is done; until then the window paints, and takes no input.

    Raises:
        BaseException: what the work raised.
    """
    loop, failures = QEventLoop(), list[BaseException]()

    def run() -> None:
        try:
            work()
        except BaseException as error:  # raised again where the work was asked for
            failures.append(error)
        QMetaObject.invokeMethod(loop, "quit", Qt.ConnectionType.QueuedConnection)

    QGuiApplication.setOverrideCursor(Qt.CursorShape.BusyCursor)
    try:
        QThreadPool.globalInstance().start(run)
        loop.exec(QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents)
    finally:
        QGuiApplication.restoreOverrideCursor()
    if failures:
        raise failures[0]
