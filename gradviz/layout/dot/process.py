"""The dot process, from without: started when first needed, asked one thing at a time, ended when it is too slow."""

from __future__ import annotations

import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from gradviz.errors import Cancelled, LayoutError
from gradviz.layout.dot.wire import Message, layout_in, read, request_message, write
from gradviz.layout.plan import Layout, Request

START_S = 30.0
"""Seconds that the process may take to get ready; it imports networkx and Graphviz, on a cold disk perhaps."""
LOOK_EVERY_S = 0.02
"""How often `cancelled` is asked while the process works."""

# The package is found where ours is, and nothing is ever imported from the folder that the user works in (-P).
_BOOT = "import sys; sys.path.append(sys.argv[1]); from gradviz.layout.dot.worker import main; main()"
COMMAND = (sys.executable, "-P", "-c", _BOOT, str(Path(__file__).parents[2]))


class TooSlow(LayoutError):
    """dot took longer than it may."""


class _Child:
    """One run of the program, with a thread that reads what it answers."""

    def __init__(self, command: Sequence[str]) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
        self._answers: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, name="dot answers", daemon=True)
        self._reader.start()
        self.is_ready = False

    @property
    def pid(self) -> int:
        return self._process.pid

    def send(self, message: Message) -> None:
        assert self._process.stdin is not None
        try:
            write(self._process.stdin, message)
        except OSError as error:
            raise LayoutError("The dot process has ended.") from error

    def answer(self, limit_s: float, cancelled: Callable[[], bool]) -> Message:
        """The next message.

        Raises:
            Cancelled: `cancelled` said so.
            TooSlow: it took too long.
            LayoutError: the process has ended.
        """
        end = time.monotonic() + limit_s
        while True:
            if cancelled():
                raise Cancelled("The layout was cancelled.")
            with suppress(queue.Empty):
                message = self._answers.get(timeout=LOOK_EVERY_S)
                if message is None:
                    raise LayoutError("The dot process has ended.")
                return message
            if time.monotonic() > end:
                raise TooSlow(f"Graphviz dot took longer than {limit_s:g} s.")

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        self._reader.join()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            # Closing flushes what the process never read.
            with suppress(OSError):
                pipe.close()

    def _read(self) -> None:
        assert self._process.stdout is not None
        with suppress(LayoutError, OSError):
            while (message := read(self._process.stdout)) is not None:
                self._answers.put(message)
        self._answers.put(None)


class DotProcess:
    """A lasting process that runs dot; it is replaced when it crashed or had to be killed. Safe to share by threads.

    Args:
        command: the program and its arguments; it speaks as `worker` does.
    """

    def __init__(self, command: Sequence[str] = COMMAND) -> None:
        self._command = tuple(command)
        self._child: _Child | None = None
        self._turn = threading.Lock()

    @property
    def pid(self) -> int | None:
        """Id of the running process, or None."""
        child = self._child
        return None if child is None else child.pid

    def prepare(self) -> None:
        """Start the process, without waiting for it to be ready, unless it is running."""
        if self._turn.acquire(blocking=False):
            try:
                self._started()
            finally:
                self._turn.release()

    def lay_out(self, request: Request, limit_s: float, cancelled: Callable[[], bool] = lambda: False) -> Layout:
        """Lay out a request with dot in the process. The limit counts from when the process is ready.

        Raises:
            Cancelled: `cancelled` said so.
            TooSlow: it took longer than `limit_s` seconds.
            LayoutError: dot failed, or the process cannot start.
        """
        while not self._turn.acquire(timeout=LOOK_EVERY_S):
            if cancelled():
                raise Cancelled("The layout was cancelled.")
        try:
            return layout_in(self._ask(request, limit_s, cancelled), request)
        finally:
            self._turn.release()

    def close(self) -> None:
        """End the process. It starts again when it is needed."""
        with self._turn:
            self._end()

    def _ask(self, request: Request, limit_s: float, cancelled: Callable[[], bool]) -> Message:
        child = self._started()
        try:
            if not child.is_ready:
                child.answer(START_S, cancelled)
                child.is_ready = True
            child.send(request_message(request, limit_s))
            return child.answer(limit_s, cancelled)
        except (LayoutError, Cancelled):
            # It is gone, or it works on something that nobody waits for.
            self._end()
            raise

    def _started(self) -> _Child:
        if self._child is None:
            try:
                self._child = _Child(self._command)
            except OSError as error:
                raise LayoutError(f"The dot process cannot start: {error}.") from error
        return self._child

    def _end(self) -> None:
        if self._child is not None:
            self._child.end()
            self._child = None
