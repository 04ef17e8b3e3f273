"""The command line: what each command prints, its exit codes, and one line on stderr for every mistake."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gradviz import __version__
from gradviz.cli import COMMANDS, main
from gradviz.formats import load
from gradviz.run.reference import names_page, ops_page
from gradviz.shipped import shipped

SQUARE = "import torch\nx = torch.tensor(3., requires_grad=True)\ny = x ** 2\ny.backward()\nprint(x.grad)\n"
Captured = pytest.CaptureFixture[str]


@pytest.fixture
def square(tmp_path: Path) -> Path:
    file = tmp_path / "square.py"
    file.write_text(SQUARE, encoding="utf-8")
    return file


def notebook(file: Path, *cells: str) -> Path:
    """A notebook of code cells, each after a markdown cell."""
    found = [
        cell
        for code in cells
        for cell in (
            {"cell_type": "markdown", "source": ["# text"]},
            {"cell_type": "code", "source": code.splitlines(keepends=True), "outputs": []},
        )
    ]
    file.write_text(json.dumps({"cells": found, "nbformat": 4}), encoding="utf-8")
    return file


def called(capsys: Captured, *arguments: str | Path) -> tuple[int, str, str]:
    """Exit code, stdout and stderr."""
    code = main([str(argument) for argument in arguments])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


# ---- run ----


def test_run_prints_what_pytorch_prints(capsys: Captured, square: Path) -> None:
    assert called(capsys, "run", square) == (0, "tensor(6.)\n", "")


def test_run_of_a_script_with_an_error_prints_what_came_before(capsys: Captured, tmp_path: Path) -> None:
    file = tmp_path / "bad.py"
    file.write_text("print('before')\nprint(1 / 0)\n", encoding="utf-8")

    code, out, err = called(capsys, "run", file)

    assert (code, out) == (2, "before\n")
    assert err.startswith(f"{file}:2:7: ZeroDivisionError: division by zero")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("ends", "code"), [("sys.exit(3)", 3), ("sys.exit()", 0), ("exit(True)", 1), ("raise SystemExit(-1)", 255)]
)
def test_run_ends_with_the_code_that_the_script_ended_itself_with(
    capsys: Captured, tmp_path: Path, ends: str, code: int
) -> None:
    file = tmp_path / "ends.py"
    file.write_text(f"import sys\nprint('before')\n{ends}\nprint('never')\n", encoding="utf-8")

    assert called(capsys, "run", file) == (code, "before\n", "")


def test_run_ends_with_1_and_the_words_that_the_script_ended_itself_with(capsys: Captured, tmp_path: Path) -> None:
    file = tmp_path / "ends.py"
    file.write_text("import sys\nsys.exit('loss is nan')\n", encoding="utf-8")

    assert called(capsys, "run", file) == (1, "", "loss is nan\n")


def test_run_takes_text_with_a_byte_order_mark_and_windows_lines(capsys: Captured, tmp_path: Path) -> None:
    file = tmp_path / "windows.py"
    file.write_bytes(b"\xef\xbb\xbfx = 1\r\nprint(x)\r\n")

    assert called(capsys, "run", file) == (0, "1\n", "")


def test_run_shows_a_recording_that_was_saved(capsys: Captured, square: Path, tmp_path: Path) -> None:
    called(capsys, "export", square, tmp_path / "out.json")

    assert called(capsys, "run", tmp_path / "out.json") == (0, "tensor(6.)\n", "")


@pytest.mark.parametrize("example", sorted(shipped("examples").glob("*.py")), ids=lambda file: file.stem)
def test_every_shipped_example_runs(capsys: Captured, example: Path) -> None:
    code, out, err = called(capsys, "run", example)

    assert out
    if code:  # the lesson about the missing v ends in PyTorch's own error
        assert "grad can be implicitly created only for scalar outputs" in err
    else:
        assert all(": UserWarning: " in line for line in err.splitlines())


# ---- notebooks ----


def test_notebook_runs_its_cells_in_order_and_shows_the_last_value_of_each(capsys: Captured, tmp_path: Path) -> None:
    file = notebook(
        tmp_path / "n.ipynb",
        "%matplotlib inline\n!pip install torch\nimport torch\nx = torch.tensor(2., requires_grad=True)\nx",
        "y = x * x",
        "y.backward()\nx.grad",
        "x.grad;",
        "print('end')\nNone",
    )

    code, out, err = called(capsys, "run", file)

    assert (code, err) == (0, "")
    assert out == "tensor(2., requires_grad=True)\ntensor(4.)\nend\n"


def test_cell_magics_are_skipped_with_their_cell_unless_it_is_python(capsys: Captured, tmp_path: Path) -> None:
    file = notebook(
        tmp_path / "n.ipynb",
        "%%bash\nrm -rf nothing",
        "%%time\nprint('timed')",
        "if True:\n    %timeit 1\nprint?\nprint('done')",
    )

    assert called(capsys, "run", file) == (0, "timed\ndone\n", "")


def test_error_in_a_notebook_names_the_cell_and_its_line(capsys: Captured, tmp_path: Path) -> None:
    file = notebook(tmp_path / "n.ipynb", "a = 1", "b = 2\nc = a / 0")

    code, _, err = called(capsys, "run", file)

    assert code == 2
    assert err.startswith(f"{file} cell 2:2:5: ZeroDivisionError")


# ---- export ----


def test_export_writes_the_json_of_the_contract(capsys: Captured, square: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"

    assert called(capsys, "export", square, out) == (0, "", "")

    written = json.loads(out.read_text(encoding="utf-8"))
    assert (written["format"], written["version"]) == ("gradviz", 1)
    assert written["gradients"] == {"x": 6.0}
    assert [node["op"] for node in written["nodes"]] == ["leaf", "pow"]


def test_export_writes_several_files_at_once(capsys: Captured, square: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "a.json", tmp_path / "b.JSON"

    assert called(capsys, "export", square, first, second)[0] == 0

    assert first.read_bytes() == second.read_bytes()


def test_export_of_a_picture_frames_what_a_function_made(tmp_path: Path) -> None:
    script = tmp_path / "cell.py"
    script.write_text(
        "import torch\nx = torch.tensor(1.0, requires_grad=True)\n"
        "def cell(x):\n    return (x * x).sin() + x\ncell(x).backward()\n"
    )

    # in a process of its own: a picture makes an application, of which a process has one; none needs what is asked for
    asked = os.environ | {"QT_QPA_PLATFORM": "nothing"}
    command = [sys.executable, "-m", "gradviz", "export", "--no-legend", str(script), str(tmp_path / "cell.svg")]
    subprocess.run([*command, str(tmp_path / "cell.PDF")], check=True, timeout=600, env=asked)

    assert ">cell</text>" in (tmp_path / "cell.svg").read_text(encoding="utf-8")
    assert "gradient, width = size" not in (tmp_path / "cell.svg").read_text(encoding="utf-8")
    assert (tmp_path / "cell.PDF").read_bytes().startswith(b"%PDF-")


def test_export_of_an_export_is_the_same_file(capsys: Captured, square: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "a.json", tmp_path / "b.json"

    called(capsys, "export", square, first)
    called(capsys, "export", first, second)

    assert first.read_bytes() == second.read_bytes()


def test_export_that_fails_leaves_the_old_file(capsys: Captured, tmp_path: Path) -> None:
    script, out = tmp_path / "bad.py", tmp_path / "out.json"
    script.write_text("1 / 0\n", encoding="utf-8")
    out.write_text("old", encoding="utf-8")

    code, _, err = called(capsys, "export", script, out)

    assert (code, out.read_text(encoding="utf-8")) == (2, "old")
    assert err.startswith(f"{script}:1:1: ZeroDivisionError")
    assert [file.name for file in tmp_path.iterdir() if file.suffix == ".part"] == []


@pytest.mark.parametrize("out", ["gone/out.json", "folder.json"])
def test_export_to_a_place_that_cannot_be_written_is_one_line(
    capsys: Captured, square: Path, tmp_path: Path, out: str
) -> None:
    (tmp_path / "folder.json").mkdir()

    code, _, err = called(capsys, "export", square, tmp_path / out)

    assert code == 2
    assert "cannot be written" in err
    assert err.count("\n") == 1


def test_export_of_a_step_that_there_is_not_says_how_many_there_are(
    qapp: object, capsys: Captured, square: Path, tmp_path: Path
) -> None:
    code, _, err = called(capsys, "export", square, tmp_path / "a.svg", "--step", "99")

    assert code == 2
    assert "there is no step 99" in err
    assert not (tmp_path / "a.svg").exists()


def test_where_memory_binds_it_says_so_and_its_advice_works(capsys: Captured, tmp_path: Path) -> None:
    script, out = tmp_path / "loop.py", tmp_path / "run.gradviz"
    text = (
        "import torch\nx = torch.ones(250_000, requires_grad=True)\nfor i in range(12):\n    (x * i).sum().backward()\n"
    )
    script.write_text(text, encoding="utf-8")

    _, _, error = called(capsys, "export", script, out, "--megabytes", "20")

    assert error.startswith("gradviz: Kept 3 of 12 backward calls: the first, the last and every 8th. ")
    assert error.endswith("More do not fit into 20 MB. --megabytes N gives them more room.\n")
    assert called(capsys, "export", script, out, "--megabytes", "200")[2] == ""


def test_export_of_a_long_loop_says_what_it_kept_and_keeps_the_call_asked_for(capsys: Captured, tmp_path: Path) -> None:
    script, out = tmp_path / "loop.py", tmp_path / "run.json"
    text = "import torch\nx = torch.ones(1, requires_grad=True)\nfor i in range(90):\n    (x * i).backward()\n"
    script.write_text(text, encoding="utf-8")

    code, _, error = called(capsys, "export", script, out, "--keep", "10", "--sweep", "77")

    assert (code, error) == (
        0, ("gradviz: Kept 8 of 90 backward calls: the first, the last and every 16th. No more than 10 were asked for. "
        "--keep N keeps up to N.\n"),
    )  # fmt: skip
    numbers = [call["number"] for call in json.loads(out.read_text(encoding="utf-8"))["backward"]]
    assert numbers == [1, 17, 33, 49, 65, 77, 81, 90]

    code, _, error = called(capsys, "export", out, tmp_path / "run.svg", "--sweep", "78")
    assert (code, error.splitlines()[-1]) == (
        2, ("backward call 78 is not in the file. Kept 8 of 90 backward calls: the first, the last and every 16th. "
        "No more than 10 were asked for."),
    )  # fmt: skip


def test_export_of_a_script_without_a_graph_says_so(capsys: Captured, tmp_path: Path) -> None:
    script = tmp_path / "plain.py"
    script.write_text("print(1)\n", encoding="utf-8")

    code, _, err = called(capsys, "export", script, tmp_path / "a.png")

    assert code == 2
    assert "there is no graph to draw" in err


FAILS = "import torch\nx = torch.ones(2, requires_grad=True)\ny = x * x\ny.backward()\n"


@pytest.mark.parametrize("suffix", [".json", ".html", ".md"])
def test_export_of_a_script_that_fails_writes_what_ran_and_ends_with_2(
    capsys: Captured, tmp_path: Path, suffix: str
) -> None:
    script, out = tmp_path / "fails.py", tmp_path / f"out{suffix}"
    script.write_text(FAILS, encoding="utf-8")

    code, printed, err = called(capsys, "export", script, out)

    assert (code, printed) == (2, "")
    assert err.startswith(f"{script}:4:1: RuntimeError: grad can be implicitly created only for scalar outputs")
    assert err.count("\n") == 1
    assert out.stat().st_size > 0
    if suffix == ".json":
        written = json.loads(out.read_text(encoding="utf-8"))
        assert [node["op"] for node in written["nodes"]] == ["leaf", "mul"]
        assert written["problem"]["line"] == 4


def picture(folder: Path, script: Path, *arguments: str) -> bytes:
    """The picture that the command writes, in a process of its own, since an application is made; no display."""
    out = folder / arguments[0]
    command = [sys.executable, "-m", "gradviz", "export", str(script), str(out), *arguments[1:]]
    subprocess.run(command, check=True, timeout=600, env=os.environ | {"QT_QPA_PLATFORM": "nothing"})
    return out.read_bytes()


def test_export_of_a_script_that_fails_draws_what_ran(tmp_path: Path) -> None:
    script = tmp_path / "fails.py"
    script.write_text(FAILS, encoding="utf-8")

    with pytest.raises(subprocess.CalledProcessError) as caught:
        picture(tmp_path, script, "a.svg")

    assert caught.value.returncode == 2
    assert ">error here</text>" in (tmp_path / "a.svg").read_text(encoding="utf-8")


def test_export_takes_the_options_of_the_dialog(square: Path, tmp_path: Path) -> None:
    size = slice(16, 24)  # width and height in the header of a PNG
    large = picture(tmp_path, square, "a.png", "--theme", "dark", "--step", "1", "--scale", "3")
    small = picture(tmp_path, square, "b.png", "--theme", "dark", "--step", "1", "--width", "500", "--no-legend")
    pages = picture(tmp_path, square, "c.pdf", "--every-step", "--no-sizes")

    assert int.from_bytes(large[size][:4]) > 1000
    assert int.from_bytes(small[size][:4]) in (500, 501)
    assert pages.count(b"/Type /Page\n") == 3


def test_export_of_a_film_gives_the_same_bytes_twice(square: Path, tmp_path: Path) -> None:
    first = picture(tmp_path, square, "a.apng", "--pace", "0.3", "--rate", "10", "--width", "300")

    assert first == picture(tmp_path, square, "b.apng", "--pace", "0.3", "--rate", "10", "--width", "300")
    assert first.count(b"fcTL") > 8


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("a.svg", "--scale", "2"), "--scale is for .png, .gif, .apng, .mp4, not for .svg"),
        (("a.png", "b.pdf", "--every-step"), "--every-step is for .pdf, not for .png"),
        (("a.png", "--scale", "2", "--width", "9"), "--scale and --width both say how large it is. Give one of them."),
        (("a.gif", "--rate", "60"), "--rate 60 is too much: a film has at most 50 images per second"),
        (("a.png", "--pace", "1"), "--pace is for .gif, .apng, .mp4, not for .png"),
    ],
)
def test_export_refuses_options_that_mean_nothing_there(
    capsys: Captured, square: Path, tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    given = [str(tmp_path / one) if one[0].isalpha() and "." in one else one for one in arguments]

    code, _, err = called(capsys, "export", square, *given)

    assert (code, err) == (2, f"{words}\n")
    assert [file.name for file in tmp_path.iterdir()] == ["square.py"]


# ---- steps ----


def test_steps_are_a_table_with_the_rules_numbers(capsys: Captured, square: Path) -> None:
    code, out, err = called(capsys, "steps", square)

    assert (code, err) == (0, "")
    heading, gap, columns, *rows = out.splitlines()
    assert heading == "backward call 1, line 4: v = 1 at y"
    assert gap == ""
    assert columns.split() == ["step", "node", "comes", "in", "rule", "goes", "out"]
    assert "6 to x" in rows[0]
    assert "6 = 1 · 2 · 3" in rows[1]
    assert "x.grad = 6" in rows[2]


def test_steps_of_a_recording_and_of_one_call_of_several(capsys: Captured, tmp_path: Path) -> None:
    script, saved = tmp_path / "two.py", tmp_path / "two.json"
    text = "import torch\nx = torch.ones(2, requires_grad=True)\nfor v in (1., 2.):\n    (x * v).sum().backward()\n"
    script.write_text(text, encoding="utf-8")
    called(capsys, "export", script, saved)

    assert called(capsys, "steps", "--sweep", "1", saved)[1].startswith("backward call 1, line 4")
    assert called(capsys, "steps", saved)[1].startswith("backward call 2, line 4")
    assert "there is no backward call 3" in called(capsys, "steps", "--sweep", "3", saved)[2]


def test_steps_of_a_script_without_backward_are_one_line_on_stderr(capsys: Captured, tmp_path: Path) -> None:
    script = tmp_path / "plain.py"
    script.write_text("print(1)\n", encoding="utf-8")

    code, out, err = called(capsys, "steps", script)

    assert (code, out) == (2, "")
    assert "there are no steps: the script calls no backward()" in err


# ---- check and examples ----


def test_check_passes_where_every_rule_agrees(capsys: Captured, square: Path) -> None:
    code, out, err = called(capsys, "check", square)

    assert (code, err) == (0, "")
    assert "pow" in out


WRONG = """import torch
class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * 3 * x
x = torch.tensor([1., 2.], requires_grad=True)
Wrong.apply(x).sum().backward()
"""


def test_check_fails_with_1_where_a_backward_of_ones_own_is_wrong(capsys: Captured, tmp_path: Path) -> None:
    script = tmp_path / "wrong.py"
    script.write_text(WRONG, encoding="utf-8")

    code, out, _ = called(capsys, "check", script)

    assert code == 1
    assert "Wrong" in out
    assert out.endswith("2 rules compared with central differences: 1 agrees, 1 fails.\n")


def test_examples_are_listed_with_their_paths_and_titles(capsys: Captured) -> None:
    code, out, err = called(capsys, "examples")

    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert len(lines) == len(list(shipped("examples").glob("*.py")))
    for line in lines:
        path, _, title = line.partition("  ")
        assert Path(path).is_file()
        assert title


# ---- mistakes ----


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run"], "the following arguments are required: file"),
        (["run", "a.py", "b.py"], "unrecognized arguments: b.py"),
        (["export", "a.py"], "the following arguments are required: out"),
        (["run", "--frobnicate", "a.py"], "unrecognized arguments: --frobnicate"),
        (["export", "a.py", "b.json", "--step", "x"], "invalid int value: 'x'"),
    ],
)
def test_wrong_arguments_are_one_line_and_exit_2(capsys: Captured, arguments: list[str], words: str) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)

    err = capsys.readouterr().err
    assert ended.value.code == 2
    assert words in err
    assert err.startswith("gradviz")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("rnu", "unknown command 'rnu'; did you mean 'run'?"),
        ("exprot", "unknown command 'exprot'; did you mean 'export'?"),
        ("frobnicate", "unknown command 'frobnicate'; see gradviz --help"),
        ("gone.py", "gone.py: there is no such file"),
        ("--frobnicate", "unknown option '--frobnicate'; see gradviz --help"),
    ],
)
def test_unknown_command_or_file_is_one_line_and_exit_2(capsys: Captured, given: str, words: str) -> None:
    code, out, err = called(capsys, given)

    assert (code, out) == (2, "")
    assert words in err
    assert err.count("\n") == 1


def test_script_of_50_megabytes_is_refused_at_once(capsys: Captured, tmp_path: Path) -> None:
    file = tmp_path / "large.py"
    with file.open("wb") as handle:
        handle.truncate(50_000_000)

    code, _, err = called(capsys, "run", file)

    assert code == 2
    assert "has 50 MB; gradviz reads scripts up to 2 MB" in err


def test_file_that_may_not_be_read_is_named(capsys: Captured, square: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "read_bytes", refuse)

    code, _, err = called(capsys, "run", square)

    assert code == 2
    assert "'square.py' cannot be read: Permission denied" in err


def test_stopped_by_ctrl_c_is_exit_130(capsys: Captured, square: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("gradviz.run.host.Host.run", interrupt)

    assert called(capsys, "run", square)[0] == 130


# ---- as a process of its own ----


def process(
    *arguments: str | Path, code: str = "import gradviz.__main__", **options: object
) -> subprocess.CompletedProcess[str]:
    """`python -m gradviz ...`."""
    return subprocess.run(  # type: ignore[call-overload, no-any-return]
        [sys.executable, "-m", "gradviz", *map(str, arguments)], text=True, timeout=600, encoding="utf-8",
        **{"capture_output": True, **options},
    )  # fmt: skip


def test_reference_lists_names_and_ops(capsys: Captured) -> None:
    code, out, err = called(capsys, "reference")

    assert (code, err) == (0, "")
    assert out == f"{names_page()}\n{ops_page()}"


def test_help_names_every_command(capsys: Captured) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--help"])

    said = capsys.readouterr()
    assert (ended.value.code, said.err) == (0, "")
    assert all(f"gradviz {command}" in said.out for command in COMMANDS)
    assert "gradviz [FILE]" in said.out


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command_is_its_own(capsys: Captured, command: str) -> None:
    with pytest.raises(SystemExit):
        main([command, "--help"])

    said = capsys.readouterr().out
    assert said.startswith(f"usage: gradviz {command} [-h]")
    assert "gradviz [FILE]" not in said


def test_several_words_that_are_no_command_get_a_hint(capsys: Captured) -> None:
    assert called(capsys, "exprot", "a.py", "a.png")[2] == "gradviz: unknown command 'exprot'; did you mean 'export'?\n"
    assert "the window opens one file" in called(capsys, __file__, __file__)[2]


def test_version_loads_neither_qt_nor_numpy() -> None:
    code = (
        "import sys\nfrom gradviz.cli import main\ntry:\n    main(['--version'])\nexcept SystemExit as e:\n"
        "    assert e.code == 0\nprint([m for m in sys.modules if m.split('.')[0] in ('numpy', 'PySide6', 'networkx')])"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=600)

    assert done.stdout == f"gradviz {__version__}\n[]\n"


def test_run_loads_no_qt(square: Path) -> None:
    code = (
        f"import sys\nfrom gradviz.cli import main\nmain(['run', {str(square)!r}])\n"
        "print([m for m in sys.modules if m.split('.')[0] in ('PySide6', 'networkx', 'pyqtgraph')])"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=600)

    assert done.stdout == "tensor(6.)\n[]\n"


def test_error_in_a_process_is_one_line_and_exit_2(tmp_path: Path) -> None:
    file = tmp_path / "bad.py"
    file.write_text("import torch\ntorch.ones(2).backward()\n", encoding="utf-8")

    done = process("run", file)

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"{file}:2:1: RuntimeError: element 0 of tensors does not require grad")
    assert done.stderr.count("\n") == 1


@pytest.mark.skipif(sys.platform == "win32", reason="a closed pipe is another error there")
@pytest.mark.parametrize("lines", [1, 20_000])
def test_closed_output_pipe_ends_quietly(tmp_path: Path, lines: int) -> None:
    file = tmp_path / "long.py"
    file.write_text(f"for i in range({lines}): print('a line of text', i)\n", encoding="utf-8")
    reading, writing = os.pipe()
    os.close(reading)

    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}

    done = process("run", file, capture_output=False, stdout=writing, stderr=subprocess.PIPE, env=buffered)

    os.close(writing)
    assert (done.returncode, done.stderr) == (0, "")


def test_characters_that_the_terminal_lacks_are_escaped(tmp_path: Path) -> None:
    file = tmp_path / "odd.py"
    file.write_text("print('é \\ud800 ∂')\n", encoding="utf-8")

    done = process("run", file, env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})

    assert (done.returncode, done.stdout, done.stderr) == (0, "\\xe9 \\ud800 \\u2202\n", "")


def test_an_error_in_a_module_beside_the_script_is_one_line_with_its_place(tmp_path: Path, capsys: Captured) -> None:
    (tmp_path / "part.py").write_text("def broken(x):\n    return x / 0\n", encoding="utf-8")
    file = tmp_path / "main.py"
    file.write_text("import part\nprint('before')\npart.broken(1)\n", encoding="utf-8")

    assert main(["run", str(file)]) == 2
    printed = capsys.readouterr()
    assert printed.out == "before\n"
    assert printed.err.startswith(f"{file}: part.py:2:12: ZeroDivisionError: division by zero.")
    assert printed.err.count("\n") == 1


def test_a_graph_made_in_a_module_beside_the_script_is_exported_with_its_file(tmp_path: Path) -> None:
    (tmp_path / "part.py").write_text("def square(x):\n    y = x * x\n    return y\n", encoding="utf-8")
    file, out = tmp_path / "main.py", tmp_path / "out.json"
    file.write_text(
        "import torch\nfrom part import square\nx = torch.ones(2, requires_grad=True)\nsquare(x).sum().backward()\n",
        encoding="utf-8",
    )

    assert main(["export", str(file), str(out)]) == 0
    recording = load(out)
    assert [each.name for each in recording.sources] == ["part.py"]
    (made,) = [node for node in recording.nodes if node.name == "y"]
    assert (made.line, made.origin.file, made.origin.line) == (None, 0, 2)
