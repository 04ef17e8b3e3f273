"""A run is a process: anything ends, in one sentence, and nothing is left of it."""

from __future__ import annotations

import gc
import os
import select
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from gradviz.errors import Cancelled, GradvizError, LimitError
from gradviz.run.host import Backend, Host
from gradviz.run.job import Job, Limits
from tests.run.conftest import toy

SHORT = Limits(seconds=0.3, megabytes=300)
linux = pytest.mark.skipif(sys.platform != "linux", reason="asks Linux about processes")


def children() -> dict[int, str]:
    """The state of every child of this process, by its process id."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[1]) == os.getpid():
                found[int(entry.name)] = fields[0]
    return found


# ---- what comes back ----


def test_a_script_prints_and_leaves_a_recording(host: Host) -> None:
    said: list[str] = []

    run = host.run(Job("print('a', 1)\nprint('b')", "mine.py"), on_output=said.append)

    assert "".join(said) == "a 1\nb\n"
    assert run.error is None
    assert run.exit_code == 0
    assert run.recording.nodes[0].name == "x"
    assert run.recording.values[0].tolist() == [1.0, 2.0]
    assert run.recording.source.name == "mine.py"


def test_output_arrives_before_the_end(host: Host) -> None:
    heard = threading.Event()
    text = "print('first')\nwhile True: pass"

    with pytest.raises(Cancelled):
        host.run(Job(text), on_output=lambda _: heard.set(), cancelled=heard.is_set)

    assert heard.is_set()


def test_a_line_without_an_end_arrives_too(host: Host) -> None:
    said: list[str] = []
    text = "print('first', end='')\nwhile True: pass"

    with pytest.raises(Cancelled):
        host.run(Job(text), on_output=said.append, cancelled=lambda: bool(said))

    assert said == ["first"]


def test_what_was_printed_before_a_hanging_call_arrives(host: Host) -> None:
    said: list[str] = []
    text = "import re\nprint('a')\nprint('b')\nre.match('(a+)+$', 'a' * 40 + 'b')"

    with pytest.raises(LimitError):
        host.run(Job(text, limits=SHORT), on_output=said.append)

    assert "".join(said) == "a\nb\n"


def test_many_lines_arrive_whole_in_few_messages(host: Host) -> None:
    said: list[str] = []

    host.run(Job("for i in range(20_000): print(i)"), on_output=said.append)

    assert "".join(said) == "".join(f"{i}\n" for i in range(20_000))
    assert len(said) < 5_000


def test_asides_and_progress_come_apart_from_the_output(host: Host) -> None:
    said: list[str] = []
    aside: list[str] = []
    shares: list[float] = []
    text = "import sys\nemit.progress(0.5)\nprint('out')\nprint('beside', file=sys.stderr)"

    host.run(Job(text), on_output=said.append, on_aside=aside.append, on_progress=shares.append)

    assert ("".join(said), "".join(aside), shares) == ("out\n", "beside\n", [0.5])


def test_any_text_can_be_printed(host: Host) -> None:
    said: list[str] = []

    host.run(Job("print('∂ \\0 \\ud800', end='')"), on_output=said.append)

    assert said == ["∂ \0 \ud800"]


def test_input_meets_the_end_of_the_file(host: Host) -> None:
    assert host.run(Job("input()")).error.message.startswith("EOFError")


def test_an_exit_code_comes_back(host: Host) -> None:
    assert host.run(Job("raise SystemExit(3)")).exit_code == 3


def test_a_run_that_only_prints_sends_no_recording(host: Host) -> None:
    run = host.run(Job("1 / 0", wants_recording=False))

    assert run.error.message == "ZeroDivisionError: division by zero"
    with pytest.raises(GradvizError, match="no recording"):
        _ = run.recording


def test_each_run_has_a_process_of_its_own(host: Host) -> None:
    host.run(Job("import math\nmath.pi = 3"))

    said: list[str] = []
    host.run(Job("import math\nprint(math.pi)"), on_output=said.append)

    assert said == ["3.141592653589793\n"]


def test_runs_may_go_on_side_by_side(host: Host) -> None:
    said: dict[int, str] = {}

    def work(number: int) -> None:
        host.run(Job(f"print({number})"), on_output=lambda text: said.update({number: text}))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert said == {number: f"{number}\n" for number in range(4)}


# ---- questions afterwards ----


def test_another_seed_is_answered_after_the_run(host: Host) -> None:
    run = host.run(Job("pass"))

    seeded = run.with_seed(0, np.array([3.0, 4.0], np.float32))

    assert seeded.sweeps[-1].outputs == (0,)
    assert seeded.sweeps[-1].steps[0].incoming.tolist() == [3.0, 4.0]
    assert run.recording.sweeps == ()


def test_a_seed_that_does_not_fit_is_one_sentence_and_the_next_is_answered(host: Host) -> None:
    run = host.run(Job("pass"))

    with pytest.raises(GradvizError, match=r"the seed has shape \[3\]"):
        run.with_seed(0, np.zeros(3, np.float32))
    with pytest.raises(GradvizError, match="no sweep"):
        run.with_seed(7, np.zeros(2, np.float32))

    assert len(run.with_seed(0, np.zeros(2, np.float32)).sweeps) == 1


def test_other_questions_are_answered_by_name(host: Host) -> None:
    run = host.run(Job("a = [1, 2.5]"))

    assert run.ask("state", "a") == [1, 2.5]
    with pytest.raises(GradvizError, match="cannot answer"):
        run.ask("weather")
    with pytest.raises(GradvizError, match="KeyError"):
        run.ask("state", "b")


def test_a_closed_run_keeps_its_recording_and_answers_no_more(host: Host) -> None:
    run = host.run(Job("pass"))
    run.close()

    assert not run.is_alive
    assert len(run.recording.nodes) == 1
    with pytest.raises(GradvizError, match="has ended"):
        run.with_seed(0, np.zeros(2, np.float32))


# ---- everything ends ----

ENDLESS = {
    "a loop": "while True: pass",
    "a loop that catches all": "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
    "a regular expression": "import re\nre.match('(a+)+$', 'a' * 40 + 'b')",
    "an iterator": "import itertools\nsum(itertools.count())",
    "a number": "10 ** 10 ** 8",
    "waiting": "import time\ntime.sleep(1000)",
    "a product of matrices": "import numpy\na = numpy.ones((6000, 6000))\nwhile True: a = a @ a",
    "steps of a deep graph": "x = None\nfor i in range(10**6): x = (x,)\nwhile True: x = (x,)[0]",
}


@pytest.mark.parametrize("text", ENDLESS.values(), ids=ENDLESS.keys())
def test_what_does_not_end_is_ended_by_the_time_limit(host: Host, text: str) -> None:
    limits = Limits(seconds=0.3, megabytes=2000)
    try:
        message = host.run(Job(text, limits=limits)).error.message
    except LimitError as error:
        message = error.message

    assert message == "the script ran longer than 0.3 seconds and was ended"


@pytest.mark.parametrize("text", [ENDLESS["a loop"], ENDLESS["a regular expression"]])
def test_what_does_not_end_is_ended_by_stop(host: Host, text: str) -> None:
    said: list[str] = []

    with pytest.raises(Cancelled):
        host.run(Job(f"print('on')\n{text}"), on_output=said.append, cancelled=lambda: bool(said))


def test_a_stopped_script_may_hand_back_what_was_recorded(host: Host) -> None:
    run = host.run(Job("while True: pass", limits=SHORT))

    assert len(run.recording.nodes) == 1
    assert run.recording.problem.message == "the script ran longer than 0.3 seconds and was ended"


def test_a_backend_that_lets_the_stop_through_is_a_limit_error(host: Host) -> None:
    with pytest.raises(LimitError, match=r"longer than 0\.3 seconds"):
        host.run(Job("gives_up = True\nwhile True: pass", limits=SHORT))


@pytest.mark.skipif(sys.platform == "win32", reason="tested where the system limits memory")
@pytest.mark.parametrize(
    "text",
    [
        "import itertools\nlist(itertools.count())",
        "import numpy\nnumpy.ones(10**11)",
        "a = 'x'\nwhile True: a += a",
        "bytearray(10**12)",
    ],
)
def test_what_needs_too_much_memory_is_ended_by_the_limit(host: Host, text: str) -> None:
    with pytest.raises(LimitError, match="more than the 300 MB of memory"):
        host.run(Job(text, limits=Limits(seconds=20, megabytes=300)))


def test_endless_printing_ends(host: Host) -> None:
    limits = Limits(seconds=20, output_characters=10_000)
    said: list[str] = []

    error = host.run(Job("while True: print('again')", limits=limits), on_output=said.append).error

    assert error.message == "the script printed more than 10,000 characters"
    assert 9_000 < len("".join(said)) <= 10_000


@linux
def test_a_crash_is_one_sentence() -> None:
    with Host(toy(walls=frozenset()), keeps_spare=False) as host:
        with pytest.raises(GradvizError, match="segmentation fault"):
            host.run(Job("import ctypes\nctypes.string_at(0)"))
        assert host.run(Job("pass")).error is None


@linux
def test_a_kill_from_outside_is_one_sentence(host: Host) -> None:
    said: list[str] = []

    def kill(text: str) -> None:
        said.append(text)
        os.kill(int(text), signal.SIGKILL)

    with pytest.raises(GradvizError, match="killed"):
        host.run(Job("import os\nprint(os.getpid())\nwhile True: pass"), on_output=kill)

    assert said


def test_a_child_that_leaves_without_a_word_is_one_sentence(host: Host) -> None:
    with pytest.raises(GradvizError, match="exit code 7"):
        host.run(Job("import os\nos._exit(7)"))


def test_an_error_of_the_backend_is_one_sentence() -> None:
    with (
        Host(toy("run_nothing"), keeps_spare=False) as host,
        pytest.raises(GradvizError, match="ZeroDivisionError: the backend is broken"),
    ):
        host.run(Job("pass"))


def test_a_backend_that_cannot_be_imported_is_one_sentence() -> None:
    with (
        Host(Backend("gradviz.run.nowhere:run_job"), keeps_spare=False) as host,
        pytest.raises(GradvizError, match="could not start: ModuleNotFoundError"),
    ):
        host.run(Job("pass"))


def test_an_interpreter_that_is_not_there_is_one_sentence() -> None:
    with (
        Host(Backend("a:b", python="/nowhere/python"), keeps_spare=False) as host,
        pytest.raises(GradvizError, match="could not be started"),
    ):
        host.run(Job("pass"))


def test_an_interpreter_that_says_nothing_sensible_is_one_sentence() -> None:
    with (
        Host(Backend("a:b", python="/bin/echo"), keeps_spare=False) as host,
        pytest.raises(GradvizError, match=r"before it was ready|cannot read"),
    ):
        host.run(Job("pass"))


@linux
def test_a_script_that_writes_into_the_pipe_is_one_sentence(host: Host) -> None:
    text = "import os\nfor number in range(3, 20):\n    try: os.write(number, b'x' * 100)\n    except OSError: pass"

    with pytest.raises(GradvizError):
        host.run(Job(text, limits=SHORT))

    assert host.run(Job("pass")).error is None


def test_a_recording_that_breaks_the_rules_is_one_sentence(host: Host) -> None:
    text = "from gradviz.recording import Node, Recording\nrecording = Recording((Node(0, 'mul', (0,)),), (None,))"
    run = host.run(Job(text))

    with pytest.raises(GradvizError, match="no recording"):
        _ = run.recording


# ---- nothing is left ----


@linux
def test_no_process_is_left_by_any_end() -> None:
    before = children().keys()
    with Host(toy()) as host:
        kept = host.run(Job("pass"))
        let_go = host.run(Job("pass"))
        for text in ("while True: pass", "import os\nos._exit(1)", "1 / 0"):
            with suppress(GradvizError):
                host.run(Job(text, limits=SHORT))
        assert kept.is_alive
        del let_go
        gc.collect()
        alive = {pid: state for pid, state in children().items() if pid not in before}
        assert "Z" not in alive.values()
        assert len(alive) <= 2  # the run that is held, and the spare
    assert not kept.is_alive
    assert children().keys() == before


@linux
@pytest.mark.parametrize("text", ["import time; time.sleep(1000)", ENDLESS["a regular expression"].replace("\n", ";")])
def test_a_child_ends_with_its_host_however_that_ends(text: str) -> None:
    program = (
        "import sys; sys.path[:0] = {path!r}\n"
        "from gradviz.run.host import Backend, Host\n"
        "from gradviz.run.job import Job\n"
        "from tests.run.conftest import toy\n"
        "def say(text): print(text, flush=True)\n"
        "Host(toy()).run(Job('import os; print(os.getpid()); {text}'), on_output=say)\n"
    ).format(path=[str(Path(__file__).resolve().parents[2]), *sys.path], text=text.replace("'", '"'))
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as outer:
        child = os.pidfd_open(int(outer.stdout.readline()))
        outer.kill()
    ended = select.poll()
    ended.register(child, select.POLLIN)

    assert ended.poll(5000)
    os.close(child)


@linux
def test_a_spare_that_died_is_replaced() -> None:
    with Host(toy()) as host:
        before = children().keys()
        host.warm()
        until = time.monotonic() + 5
        while not (fresh := children().keys() - before) and time.monotonic() < until:
            select.select([], [], [], 0.01)
        for pid in fresh:
            os.kill(pid, signal.SIGKILL)

        assert host.run(Job("pass")).error is None


@linux
def test_a_run_that_nobody_waits_for_leaves_its_child_to_the_next() -> None:
    with Host(toy(), keeps_spare=False) as host:
        before = children().keys()
        with pytest.raises(Cancelled):
            host.run(Job("pass"), cancelled=lambda: True)
        host.warm()
        host.run(Job("pass")).close()

        assert children().keys() == before


def test_a_host_that_is_closed_runs_nothing() -> None:
    host = Host(toy(), keeps_spare=False)
    host.close()
    host.close()

    with pytest.raises(GradvizError, match="being closed"):
        host.run(Job("pass"))


def test_the_host_loads_neither_numpy_nor_the_engine() -> None:
    program = (
        "import sys, gradviz.run.host\n"
        "print([name for name in sys.modules if name in ('numpy', 'gradviz.engine', 'gradviz.recording')])"
    )
    root = str(Path(__file__).resolve().parents[2])
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=root).stdout

    assert said == "[]\n"


def test_a_script_that_sleeps_hands_back_what_it_has_recorded() -> None:
    text = "import time, torch\nx = torch.ones(2, requires_grad=True)\nx.sum().backward()\ntime.sleep(60)\n"
    with Host(keeps_spare=False) as host:
        run = host.run(Job(text, limits=Limits(seconds=0.5)))

    assert run.problem is not None
    assert (run.problem.line, len(run.recording.sweeps)) == (4, 1)


def test_a_backward_that_imports_is_asked_after_the_run_too() -> None:
    text = """import torch
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x * 2
    @staticmethod
    def backward(ctx, g):
        import torch.nn.functional as F
        return F.relu(g) * 2
Twice.apply(torch.ones(1, requires_grad=True)).sum().backward()
"""
    with Host(keeps_spare=False) as host:
        run = host.run(Job(text))
        assert run.ask("jacobian", 1) == {"0": [[2.0]]}
