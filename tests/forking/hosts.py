"""Hosts whose children are forked from one process that has loaded the engine: a run takes 20 ms instead of 200, one
with PyTorch 0.3 s instead of 1.3.

From there on a child is as any other: a process for one run, behind all walls, spoken to in frames. How children
are started for real is what tests/run/test_host.py is about; where there is no Linux, they are here too.
"""

from __future__ import annotations

import json
import os
import select
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from signal import SIGKILL
from typing import Any

from gradviz.run import pytorch
from gradviz.run.host import BUILTIN, Child, Host, _places
from gradviz.run.interpreters import surroundings


@contextmanager
def quick_host() -> Iterator[Host]:
    """A host of the built-in engine, for tests of what runs leave."""
    with quick_hosts() as made, made() as host:
        yield host


@contextmanager
def quick_hosts() -> Iterator[type[Host]]:
    """A class of such hosts, which share the process that their children are forked from."""
    if sys.platform != "linux":
        yield Host
        return
    roots, library = _places()
    config = {"paths": roots, "library": library, "entry": BUILTIN.entry, "warm": BUILTIN.warm}
    config |= {"confined": True, "walls": None}
    loads = ["gradviz.run.child", BUILTIN.entry.partition(":")[0], *BUILTIN.warm]
    with forked({"config": config, "loads": loads}, ["-I", "-S", "-X", "utf8"], {}) as made:

        class QuickHost(Host):
            def __init__(self, *, keeps_spare: bool = False) -> None:
                super().__init__(keeps_spare=False, start=made)

        yield QuickHost


@contextmanager
def quick_torch() -> Iterator[type[Child]]:
    """A class of children that run scripts with PyTorch, forked from a process that has loaded it."""
    if sys.platform != "linux":
        yield Child
        return
    what = {"config": {}, "loads": ["torch", "gradviz.capture.recorder"], "script": str(pytorch.CHILD)}
    with forked(what, [], surroundings()) as made:
        yield made


@contextmanager
def forked(what: dict[str, Any], options: Sequence[str], environment: Mapping[str, str]) -> Iterator[type[Child]]:
    """A class of children that are forked from one process, which is told what to load and what they are."""
    program = [sys.executable, *options, str(Path(__file__).with_name("template.py")), json.dumps(what)]
    one_thread = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    line, theirs = socket.socketpair()
    template = subprocess.Popen(program, stdin=theirs, env={**environment, **one_thread}, cwd="/")
    theirs.close()
    asking = threading.Lock()

    class ForkedChild(Child):
        def _start(self, _command: Sequence[str], **options: Any) -> Any:
            with asking:
                return Forked(line, Path(options["cwd"]), hears_errors=options["stderr"] == subprocess.PIPE)

    try:
        yield ForkedChild
    finally:
        line.close()
        assert template.wait(10) == 0


class Forked:
    """Of a process that is not this one's own child, what `Child` asks of `subprocess.Popen`."""

    def __init__(self, line: socket.socket, folder: Path, *, hears_errors: bool) -> None:
        source, stdin = os.pipe()
        stdout, sink = os.pipe()
        self._told, telling = os.pipe()
        theirs = [telling, source, sink]
        self.stderr = None
        if hears_errors:
            errors, aside = os.pipe()
            self.stderr = os.fdopen(errors, "rb")
            theirs.append(aside)
        socket.send_fds(line, [os.fsencode(folder)], theirs)
        for pipe in theirs:
            os.close(pipe)
        self.pid = int(line.recv(20))
        self.stdin, self.stdout = os.fdopen(stdin, "wb"), os.fdopen(stdout, "rb")
        self.returncode: int | None = None

    def kill(self) -> None:
        """End it at once."""
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, SIGKILL)

    def poll(self) -> int | None:
        """Its exit code, or None where it lives."""
        with suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Its exit code.

        Raises:
            subprocess.TimeoutExpired: it lives longer than that.
        """
        if self.returncode is None:
            if not select.select([self._told], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired("a forked child", timeout or 0)
            self.returncode = int(os.read(self._told, 20) or b"-9")
            os.close(self._told)
        return self.returncode
