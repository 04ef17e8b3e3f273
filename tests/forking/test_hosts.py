"""What is forked is ended, and said, as what is started."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from gradviz.run.job import Job, Limits
from tests.forking.hosts import quick_host

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="children are forked on Linux only")


def test_each_run_has_a_process_of_its_own_and_none_is_left() -> None:
    with quick_host() as host:
        runs = [host.run(Job("print(1)")) for _ in range(2)]
        pids = [run._child.pid for run in runs]
        assert pids[0] != pids[1]
        assert [run.recording.output for run in runs] == ["1\n", "1\n"]
        stopped = host.run(Job("while True: pass", limits=Limits(0.2))).recording.problem
        assert stopped is not None
        assert "longer than 0.2 seconds" in stopped.message

    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_all_walls_stand_around_it() -> None:
    with quick_host() as host:
        run = host.run(Job("x = 1"))
        lines = Path(f"/proc/{run._child.pid}/status").read_text(encoding="ascii").splitlines()
        status = dict(line.split(":\t", 1) for line in lines if ":\t" in line)

    assert (status["NoNewPrivs"], status["Seccomp"]) == ("1", "2")
