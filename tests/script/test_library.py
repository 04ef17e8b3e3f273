"""The library of scripts where it cannot be what Python's own is: the clock, the error stream, files, imports."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradviz.errors import ScriptError
from gradviz.imitation.script.run import run


def test_nothing_waits_and_clocks_run_on() -> None:
    result = run("import time\nt = time.time()\ntime.sleep(1000)\nprint(0 <= time.time() - t < 100)", seed=0)

    assert result.recording.output == "True\n"


SAID = """
import sys, logging, traceback
print('out')
print('one', file=sys.stderr)
sys.stderr.write('two\\n')
logging.basicConfig(level=logging.INFO, format='%(levelname)s %(message)s')
logging.info('three %d', 3)
try: 1 / 0
except ZeroDivisionError: traceback.print_exc()
print('end')
"""


def test_error_stream_is_told_with_the_warnings_and_not_in_the_output() -> None:
    recording = run(SAID, seed=0).recording

    assert recording.output == "out\nend\n"
    told = [(warned.message, warned.category, warned.line) for warned in recording.warnings]
    assert told[:3] == [("one", "stderr", 4), ("two", "stderr", 5), ("INFO three 3", "stderr", 7)]
    assert told[-1][0] == "ZeroDivisionError: division by zero"


def test_missing_modules_are_caught_as_in_python() -> None:
    text = "try:\n    import tensorflow\nexcept ImportError as e:\n    print(e)\nprint('on')"

    assert run(text, seed=0).recording.output == "No module named 'tensorflow'\non\n"


@pytest.mark.parametrize("module", ["torchvision", "pandas", "sklearn"])
def test_module_that_is_not_here_is_told_with_what_to_do(module: str) -> None:
    error = run(f"import {module}", seed=0).error

    assert error is not None
    assert error.message == f"'import {module}' is not supported"
    assert len(error.hint) > 20


@pytest.mark.parametrize("use", ["import socket\nsocket.socket()", "from marshal import dump\ndump(1)",
                                 "import concurrent.futures as f\nf.ThreadPoolExecutor"])  # fmt: skip
def test_module_of_pythons_library_that_is_not_here_is_refused_where_it_is_used(use: str) -> None:
    lines = ["try:", "print('imported')", *use.splitlines()]
    done = run("\n    ".join(lines) + "\nexcept Exception:\n    pass", seed=0)

    assert done.recording.output == "imported\n"
    assert isinstance(done.error, ScriptError)
    assert done.error.message.endswith("is not supported by gradviz")
    assert len(done.error.hint) > 20


def test_environment_and_folders_are_the_scripts_own() -> None:
    text = """
import os
from pathlib import Path
os.environ['A'] = '1'
os.makedirs('out', exist_ok=True)
print(os.environ.get('A'), os.environ.get('HOME'), os.path.exists('out'), os.listdir('.'), Path('a') / 'b.txt')
"""

    assert run(text, seed=0).recording.output == "1 None True ['out'] a/b.txt\n"


def test_real_folders_are_not_seen() -> None:
    text = """
import glob, os
from pathlib import Path
print(os.listdir('/'), glob.glob('/etc/*'), list(os.walk('/etc')), os.path.exists('/etc'), Path('/usr').is_dir())
os.makedirs('/etc/mine')
print(os.listdir('/etc'), list(Path('/').glob('**/*')))
"""

    assert run(text, seed=0).recording.output == (
        "[] [] [] False False\n['mine'] [PosixPath('/etc'), PosixPath('/etc/mine')]\n"
    )


def test_arguments_that_a_script_requires_end_it_as_python_does() -> None:
    text = """
import argparse
p = argparse.ArgumentParser()
p.add_argument('path')
try: p.parse_args()
except SystemExit as e: print('code', e.code)
"""
    recording = run(text, seed=0).recording

    assert recording.output == "code 2\n"
    assert recording.warnings[-1].message == "script.py: error: the following arguments are required: path"


def test_progress_bars_are_silent() -> None:
    text = """
from tqdm import tqdm, trange
from tqdm.auto import tqdm as auto
bar = tqdm([1, 2], desc='x')
for i in bar: bar.set_postfix(loss=i)
with tqdm(total=3) as one: one.update(1)
print(list(trange(2)), list(auto([1])), len(bar), i, one.n)
"""

    assert run(text, seed=0).recording.output == "[0, 1] [1] 2 2 1\n"


SAVED = """
import torch, os
w = torch.tensor([1., 2.], requires_grad=True)
torch.save({'w': w}, 'model.pt')
w.data.zero_()
print(torch.load('model.pt')['w'], os.path.exists('model.pt'), os.path.exists('other.pt'))
f = torch.compile(lambda x: x * 2)
print(f(w))
"""


def test_what_is_saved_stays_in_memory_and_that_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    recording = run(SAVED, seed=0).recording

    assert recording.output.splitlines()[0] == "tensor([1., 2.], requires_grad=True) True False"
    assert [warned.message for warned in recording.warnings] == [
        "'model.pt' is not written: it stays in memory, where torch.load finds it",
        "torch.compile changes nothing: the function runs as it is written",
    ]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("call", "told"),
    [
        ("nn.Embedding(3, 2, sparse=True)", "the gradient of an embedding with sparse=True is a dense tensor here"),
        (
            "nn.Linear(2, 2).to('meta')",
            "the device 'meta' takes no values away: the module keeps them, and stays on the CPU",
        ),
    ],
)
def test_what_a_module_is_not_here_is_told(call: str, told: str) -> None:
    done = run(f"from torch import nn\nnn.Embedding(3, 2)\n{call}", seed=0)

    assert done.error is None
    assert [(each.line, each.message) for each in done.recording.warnings] == [(3, told)]


def test_the_size_of_what_is_saved_is_not_made_up() -> None:
    error = run("import torch, os\ntorch.save([1], 'model.pt')\nos.path.getsize('model.pt')", seed=0).error

    assert error is not None
    assert str(error).startswith("the size of 'model.pt' is not known to gradviz")


@pytest.mark.parametrize(
    "call", ["torch.hub.load('a', 'b')", "torch.onnx.export(1)", "torch.distributed.init_process_group('gloo')"]
)
def test_what_needs_the_system_ends_in_one_sentence(call: str) -> None:
    error = run(f"import torch\n{call}", seed=0).error

    assert error is not None
    assert "is not supported by gradviz" in error.message
