"""Children that say whatever a test has them say: no process, only its pipes and a thread that writes into them."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, Final

from gradviz.run.host import Child
from gradviz.run.protocol import read_frame

HEARS: Final = b"the host speaks"
"""In the place of a frame: wait for one of the host's."""


class Forger:
    """Of a process, what `Child` asks of `subprocess.Popen`: it says some bytes and stays alive until it is killed."""

    pid = 2**22 + 1  # beyond what Linux numbers processes with

    def __init__(self, says: Iterable[bytes], *, hears_errors: bool) -> None:
        source, stdin = os.pipe()
        stdout, self._sink = os.pipe()
        self._source = os.fdopen(source, "rb")
        self.stderr: BinaryIO | None
        self.stdin, self.stdout, self.stderr = os.fdopen(stdin, "wb"), os.fdopen(stdout, "rb"), None
        if hears_errors:
            self.stderr = Path(os.devnull).open("rb")  # noqa: SIM115 - closed by who hears it
        self._killed = threading.Event()
        threading.Thread(target=self._say, args=(says,), daemon=True).start()

    def _say(self, says: Iterable[bytes]) -> None:
        with suppress(OSError):
            for each in says:
                if each is HEARS:
                    read_frame(self._source)
                    continue
                rest = memoryview(each)
                while rest:
                    rest = rest[os.write(self._sink, rest) :]
        self._killed.wait()
        os.close(self._sink)
        self._source.close()

    def kill(self) -> None:
        """End it."""
        self._killed.set()

    def poll(self) -> int | None:
        """As of a process."""
        return -9 if self._killed.is_set() else None

    def wait(self, timeout: float | None = None) -> int:
        """As of a process."""
        if not self._killed.wait(timeout):
            raise subprocess.TimeoutExpired("a forger", timeout or 0)
        return -9


def forging(says: Iterable[bytes]) -> Callable[..., Child]:
    """Starts children that say that."""

    class Forged(Child):
        def _start(self, _command: Sequence[str], **options: Any) -> Any:
            return Forger(says, hears_errors=options["stderr"] == subprocess.PIPE)

    return Forged
