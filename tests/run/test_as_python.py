"""`gradviz run --python PY FILE` against `PY FILE`: what is printed, what is said beside it, and the exit code."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gradviz import cli
from gradviz.run import pytorch
from gradviz.run.host import Child
from gradviz.run.interpreters import Interpreter
from tests.forking.hosts import quick_torch

pytest.importorskip("torch")
pytestmark = [pytest.mark.torch, pytest.mark.skipif(os.name != "posix", reason="bytes and signals of POSIX")]

THREAD = """\
import threading, time
go = threading.Event()
def work():
    go.wait()
    print("from the thread", flush=True)
thread = threading.Thread(target=work)
thread.start()
print("the script is over", flush=True)
go.set()
"""

SCRIPTS = {
    "reconfigure": "import sys\nsys.stdout.reconfigure(encoding='latin-1', line_buffering=True)\nprint('é')\n",
    "reconfigure errors": "import sys\nsys.stderr.reconfigure(errors='replace')\nprint('\\ud800', file=sys.stderr)\n",
    "bytes": "import sys\nsys.stdout.buffer.write(b'\\xff\\x00\\xe2\\x82')\nsys.stdout.buffer.flush()\nprint('\\u20ac')\n",
    "detach": "import sys, io\nsys.stdout = io.TextIOWrapper(sys.stdout.detach(), 'utf-16-le')\nprint('é')\n",
    "facts of the streams": "import sys\nfor s in (sys.stdout, sys.stderr):\n"
    "    print(type(s), s.name, s.mode, s.encoding, s.errors, s.fileno(), s.isatty(), s.newlines, s.writable())\n",
    "redirected": "import sys, io\nsys.stderr = sys.stdout\nimport warnings\nwarnings.warn('careful')\n",
    "print to a file descriptor": "import os\nprint('a', flush=True)\nos.write(1, b'b\\n')\nos.write(2, b'c\\n')\n",
    "a process prints": "import subprocess, sys\nprint(1, flush=True)\nsubprocess.run(['sh', '-c', 'echo 2; echo 3 >&2'])\n",
    "atexit": "import atexit\natexit.register(print, 'last')\natexit.register(print, 'first')\nprint('script')\n",
    "atexit that fails": "import atexit\n@atexit.register\ndef end(): print('end')\natexit.register(print, 1, 2)\n",
    "a thread that ends later": THREAD,
    "a thread that fails": "import threading\nthreading.excepthook = lambda told: print('hook', told.exc_value)\n"
    "t = threading.Thread(target=lambda: 1 / 0)\nt.start()\nt.join()\n",
    "a name that says goodbye": "class A:\n    def __del__(self): print('gone')\na = A()\nprint('end')\n",
    "excepthook": "import sys\nsys.excepthook = lambda kind, value, trace: print('hook', kind.__name__, value,"
    " trace.tb_lineno, trace.tb_frame.f_code.co_name)\n1 / 0\n",
    "excepthook that exits": "import sys\ndef hook(*_):\n    print('h')\n    sys.exit(7)\nsys.excepthook = hook\n1 / 0\n",
    "exit code": "import sys\nsys.exit(3)\n",
    "exit code below 0": "import sys\nsys.exit(-1)\n",
    "exit code beyond a byte": "import sys\nsys.exit(256 + 7)\n",
    "exit code beyond all": "import sys\nsys.exit(2**70)\n",
    "exit with words": "import sys\nsys.exit('no data: \\x1b[1m')\n",
    "exit with a tuple": "raise SystemExit(1, 2)\n",
    "exit with nothing": "raise SystemExit\n",
    "exit in a function of atexit's": "import atexit, sys\natexit.register(print, 'bye')\nsys.exit(4)\n",
    "an error": "print('before')\n1 / 0\n",
    "a syntax error": "print('before'\n",
    "os._exit": "import os\nprint('a', flush=True)\nos._exit(3)\n",
    "killed": "import os, signal\nprint('a', flush=True)\nos.kill(os.getpid(), signal.SIGKILL)\n",
    "closerange": "import os\nos.closerange(3, 65536)\nprint('still here')\nfile = open(__file__)\nprint(file.fileno())\n",
    "closed one by one": "import os\nfor number in range(3, 256):\n    try: os.close(number)\n    except OSError: pass\n"
    "print('still here')\n",
    "numbers of files": "import os\nprint(os.open(os.devnull, os.O_RDONLY))\n",
    "a fork": "import os\npid = os.fork()\nif pid:\n    os.waitpid(pid, 0)\nprint('parent' if pid else 'child', flush=True)\n",
    "where": "import os, sys\nprint(os.getcwd(), sys.path[0], sys.argv, __file__, __name__)\nopen('made.txt', 'w').close()\n",
    "main": "import sys\nprint(sorted(set(dir()) - {'__loader__'}), sys.modules['__main__'].__dict__ is globals(), __builtins__)\n",
    "stdin": "import sys\nprint(sys.stdin.fileno(), sys.stdin.encoding, repr(sys.stdin.read()))\n",
    "a traceback": "import traceback\ntry:\n    1 / 0\nexcept ZeroDivisionError:\n    traceback.print_exc()\n",
    "a warning": "import warnings\ndef f():\n    warnings.warn('careful', stacklevel=2)\nf()\n",
    "future": "from __future__ import annotations\ndef f(x: nothing): pass\nprint(f.__annotations__)\n",
    "torch": "import torch\nx = torch.ones(2, requires_grad=True)\n(x * x).sum().backward()\nprint(x.grad)\n",
}
OURS = re.compile(rb"^(?:the script's process ended|[^\n]*net\.py:).*\n?", re.M)
"""A line of gradviz's own, and the traceback in the place of which it stands."""
TRACEBACK = re.compile(
    rb'(?:^Traceback \(most recent call last\):\n(?:  .*\n)+|^  File ".*", line \d+\n(?:    .*\n)+)\w+(?:Error|Interrupt).*\n'
    rb"\Z",
    re.M,
)
SAY_ERRORS = frozenset(["an error", "a syntax error", "os._exit", "killed", "excepthook", "excepthook that exits"])


@pytest.fixture(scope="module")
def quick() -> Iterator[type[Child]]:
    with quick_torch() as made:
        yield made


@pytest.fixture(autouse=True)
def children_are_forked(quick: type[Child], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pytorch, "Child", quick)
    monkeypatch.setattr(pytorch, "usable", lambda path: Interpreter(path, "3.11.9", "2.13.0"))


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_does_what_it_does_under_python(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    folder = tmp_path / "scripts"
    folder.mkdir()
    (folder / "net.py").write_text(SCRIPTS[name], encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    plain = subprocess.run(
        [sys.executable, "scripts/net.py"], capture_output=True, stdin=subprocess.DEVNULL, check=False
    )

    code = cli.main(["run", "--python", sys.executable, "scripts/net.py"])

    printed, beside = capfdbinary.readouterr()
    assert printed == plain.stdout
    if name in SAY_ERRORS:
        assert OURS.sub(b"", beside) == TRACEBACK.sub(b"", plain.stderr)
    else:
        assert beside == plain.stderr
    assert code == (plain.returncode if plain.returncode >= 0 else 128 - plain.returncode)


def test_where_an_error_is_said_there_is_one_line_of_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    (tmp_path / "net.py").write_text("print(1)\nraise ValueError('\\x1b[31mno')\n")
    monkeypatch.chdir(tmp_path)

    assert cli.main(["run", "--python", sys.executable, "net.py"]) == 1

    assert capfdbinary.readouterr() == (b"1\n", b"net.py:2:1: ValueError: \\x1b[31mno\n")


CELLS = """\
# %% cell 1
print(1)
3
# %% cell 2
from __future__ import annotations
def f(x: nothing): pass
# %% cell 3
def g(x: nothing): pass
print(g.__annotations__)
g.__name__
# %% cell 4
print(
"""


def test_cells_are_read_one_by_one_and_what_one_takes_from_the_future_stays() -> None:
    ran = pytorch.run_with_pytorch(pytorch.Script(CELLS, "net.ipynb", "notebook"), Path(sys.executable))

    assert ran.recording.output == "1\n3\n{'x': 'nothing'}\n'g'\n"
    assert ran.recording.problem is not None
    assert ran.recording.problem.message.startswith("SyntaxError")
    assert ran.recording.problem.line == 12
