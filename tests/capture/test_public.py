"""What people call in their own code: its types, its help, and what it says where something is missing."""

from __future__ import annotations

import doctest
import importlib
import inspect
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import gradviz
from gradviz.shipped import shipped

PUBLIC = ("Watch", "assert_gradients_close", "capture", "show")
ROOT = Path(gradviz.__file__).resolve().parent.parent

GOOD = """
    import gradviz
    from gradviz import Watch, assert_gradients_close, capture, show

    with gradviz.capture(keep=20, megabytes=500, summary_above=10_000, filter="net.*, loss", path="a.gradviz") as made:
        pass
    made.save("run.gradviz")
    shown = gradviz.show("run.gradviz")
    gradviz.show(made)
    path: str | None = shown.path
    with capture() as recording:
        calls: int = recording.calls
    with Watch("norm > 100", keep=2, path="bad{step}.gradviz", megabytes=100) as watch:
        pass
    written: list[str] = watch.written
    with gradviz.Watch(lambda made: len(made.steps) > 3, filter=lambda name: name == "w"):
        pass
    assert_gradients_close(abs, None, 3.0, rtol=1e-3)
    show(recording)
"""
BAD = (
    "gradviz.capture(kep=3)",
    'gradviz.capture(keep="many")',
    "gradviz.Watch(when=3)",
    "gradviz.Watch(megabyte=3)",
    "gradviz.assert_gradients_close(3, None)",
    "gradviz.Recorder()",
)
CONFIG = """
[mypy]
strict = True
disallow_any_generics = False
[mypy-torch.*,lightning.*,pytorch_lightning.*,transformers.*]
ignore_missing_imports = True
follow_imports = skip
[mypy-gradviz.*]
follow_imports = silent
"""


def said_by_mypy(folder: Path, text: str) -> str:
    pytest.importorskip("mypy")
    (folder / "user.py").write_text(textwrap.dedent(text), encoding="utf-8")
    (folder / "mypy.ini").write_text(CONFIG, encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--config-file",
        "mypy.ini",
        "--cache-dir",
        str(folder / "cache"),
        "user.py",
    ]
    environment = {"MYPYPATH": str(ROOT), "PATH": "/usr/bin:/bin"}
    made = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    return made.stdout + made.stderr


def test_a_type_checker_accepts_what_people_write_and_sees_their_mistakes(tmp_path: Path) -> None:
    mistakes = "\n    ".join(BAD)
    said = said_by_mypy(tmp_path, f"{GOOD}    {mistakes}\n    reveal_type(gradviz.capture())\n")

    lines = textwrap.dedent(f"{GOOD}    {mistakes}").splitlines()
    first = next(number for number, line in enumerate(lines, 1) if line == BAD[0])
    wrong = {int(line.split(":")[1]) for line in said.splitlines() if ": error:" in line}
    assert wrong == set(range(first, first + len(BAD))), said
    assert 'Revealed type is "gradviz.capture.recorder.Recorder"' in said


def test_completion_finds_what_is_public() -> None:
    assert set(PUBLIC) <= set(dir(gradviz))
    assert "annotations" not in dir(gradviz)
    assert {"Recorder", *PUBLIC} <= set(dir(gradviz.capture))


@pytest.mark.torch
@pytest.mark.parametrize("name", PUBLIC)
def test_what_is_public_says_what_it_takes(name: str) -> None:
    pytest.importorskip("torch")
    taken = inspect.signature(getattr(gradviz, name)).parameters
    kinds = {parameter.kind for parameter in taken.values()}

    assert taken
    assert inspect.Parameter.VAR_KEYWORD not in kinds
    assert all(parameter.annotation is not inspect.Parameter.empty for parameter in taken.values())


@pytest.mark.torch
@pytest.mark.parametrize("name", PUBLIC)
def test_the_help_of_what_is_public_is_whole(name: str) -> None:
    pytest.importorskip("torch")
    made = gradviz.capture.Recorder if name == "capture" else getattr(gradviz, name)
    told = inspect.getdoc(made) or ""

    for part in ("Args:", "Raises:", "Example:"):
        assert part in told
    for parameter in inspect.signature(made).parameters:
        assert parameter in told


@pytest.mark.torch
@pytest.mark.parametrize("module", ["recorder", "watch", "testing", "display"])
def test_the_examples_run(module: str) -> None:
    torch = pytest.importorskip("torch")
    room = importlib.import_module(f"gradviz.capture.{module}")

    assert doctest.testmod(room, extraglobs={"torch": torch}).failed == 0


def code_of(page: str) -> str:
    """The programs of a page, one after the other."""
    lines = page.splitlines()
    return textwrap.dedent("\n".join(line for line in lines if line.startswith("    ")))


@pytest.mark.torch
def test_the_programs_of_the_help_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    shown: list[object] = []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(gradviz.capture, "show", shown.append)
    callbacks: list[object] = []
    model = torch.nn.Linear(3, 1)
    x, y = torch.rand(4, 3), torch.rand(4, 1)
    names = {
        "torch": torch, "model": model, "criterion": torch.nn.MSELoss(), "x": x, "y": y,
        "loader": [(x, y), (x, y * float("nan"))], "optimizer": torch.optim.SGD(model.parameters()),
        "Trainer": lambda *_, callbacks: None, "arguments": None, "my_function": torch.sin,
        "reference": lambda x: torch.cos(x - torch.pi / 2),
    }  # fmt: skip
    monkeypatch.setattr(gradviz.Watch, "for_lightning", lambda watch: callbacks.append(watch))
    monkeypatch.setattr(gradviz.Watch, "for_transformers", lambda watch: callbacks.append(watch))

    exec(code_of(shipped("help").joinpath("14_in_your_own_code.md").read_text(encoding="utf-8")), names)
    names["test_the_gradient_of_my_function"]()

    assert Path("run.gradviz").exists()
    assert Path("bad.gradviz").exists()
    assert len(shown) == 1
    assert len(callbacks) == 2


def python(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", textwrap.dedent(code), *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)


WITHOUT_TORCH = "import sys; sys.modules['torch'] = None\n"


def test_a_file_is_shown_without_pytorch(tmp_path: Path) -> None:
    path = tmp_path / "run.gradviz"
    path.write_bytes(b"")
    code = """
        import gradviz
        from gradviz.capture import display
        display.open_window = print
        gradviz.show(sys.argv[1])
        try:
            gradviz.show(3)
        except TypeError as error:
            print(error)
    """
    made = python(WITHOUT_TORCH + textwrap.dedent(code), str(path))

    assert made.stderr == ""
    assert made.stdout.splitlines()[0] == str(path)
    assert "give a tensor, what gradviz.capture() gave, or the path of a file" in made.stdout


@pytest.mark.parametrize("name", ["capture()", "Watch()", "assert_gradients_close"])
def test_what_needs_pytorch_says_so(name: str) -> None:
    made = python(f"{WITHOUT_TORCH}import gradviz\ngradviz.{name}")

    said = made.stderr.strip().splitlines()[-1]
    assert said.startswith("ModuleNotFoundError: gradviz.capture records PyTorch, which is not installed here")


@pytest.mark.torch
@pytest.mark.parametrize("call", ["capture(keep=0)", "capture(megabytes=0)", "Watch(keep=0)", "Watch(megabytes=-1)"])
def test_a_call_that_could_keep_nothing_is_refused_and_nothing_else_is_said(call: str) -> None:
    pytest.importorskip("torch")
    made = python(f"import gradviz\ntry: gradviz.{call}\nexcept ValueError as error: print(error)")

    assert made.stderr == ""
    assert "give" in made.stdout
