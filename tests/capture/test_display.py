"""What is shown of a recording, and what a test leaves where its gradients are wrong."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import types
import zipfile
from contextlib import nullcontext
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import gradviz

torch = pytest.importorskip("torch")

from gradviz.capture import display  # noqa: E402
from gradviz.player.packing import unpack  # noqa: E402

pytestmark = pytest.mark.torch


class Texts(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.rows = 0
        self.feed(html)

    def handle_starttag(self, tag: str, attributes: Any) -> None:
        self.rows += tag == "tr"

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    found: list[str] = []
    monkeypatch.setattr(display, "open_window", found.append)
    monkeypatch.setattr(display.importlib.util, "find_spec", lambda name: name)
    return found


def test_gradviz_has_the_recorder_and_what_goes_with_it() -> None:
    with gradviz.capture() as recording:
        (torch.ones(2, requires_grad=True) * 2).sum().backward()

    assert len(recording.sweeps) == 1
    assert gradviz.Watch is gradviz.capture.Watch
    assert callable(gradviz.show)
    with pytest.raises(AttributeError, match="nothing_of_that_name"):
        _ = gradviz.nothing_of_that_name


def test_a_loss_opens_in_the_window_with_its_gradients_and_leaves_grad_alone(opened: list[str]) -> None:
    w = torch.ones(3, requires_grad=True)
    loss = (w * w).sum()

    shown = gradviz.show(loss)

    assert w.grad is None
    assert opened == [shown.path]
    with zipfile.ZipFile(shown.path) as file:
        document = json.loads(file.read("recording.json"))
    assert [node["op"] for node in document["nodes"]] == ["leaf", "mul", "sum"]
    assert document["backward"][0]["kind"] == "grad"
    loss.backward()
    assert w.grad is not None


def test_a_recording_and_a_file_open(opened: list[str], tmp_path: Path) -> None:
    with gradviz.capture() as recording:
        (torch.ones(2, requires_grad=True) * 2).sum().backward()
    recording.save(tmp_path / "run.gradviz")

    gradviz.show(recording)
    gradviz.show(tmp_path / "run.gradviz")

    assert opened[1] == str(tmp_path / "run.gradviz")


def test_what_cannot_be_shown_is_said(opened: list[str], tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="requires_grad=True"):
        gradviz.show(torch.ones(2))
    with pytest.raises(TypeError, match="give a tensor"):
        gradviz.show(3)
    with pytest.raises(FileNotFoundError, match="no file"):
        gradviz.show(tmp_path / "none.gradviz")


def test_the_window_is_a_process_of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    started: list[Any] = []
    monkeypatch.setattr(subprocess, "Popen", lambda command, **options: started.append((command, options)))

    display.open_window(str(tmp_path / "run.gradviz"))

    ((command, options),) = started
    assert command == [sys.executable, "-m", "gradviz", str(tmp_path / "run.gradviz")]
    assert options["stdin"] == subprocess.DEVNULL


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    shell = types.ModuleType("IPython")
    shell.get_ipython = lambda: types.SimpleNamespace(kernel=object())  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", shell)


def page_in(html: str) -> str:
    """The page inside the frame that a cell shows."""
    (page,) = Frames(html).pages
    return page


def data_in(page: str) -> Any:
    """The data of a page."""
    (packed,) = re.findall(r'id="recording">([^<]*)</script>', page)
    return unpack(packed)


class Frames(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.pages: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attributes: Any) -> None:
        given = dict(attributes)
        if tag == "iframe":
            assert given["sandbox"] == "allow-scripts"
            self.pages.append(given["srcdoc"])


def test_in_a_notebook_there_is_a_page_and_no_window(notebook: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(display, "open_window", lambda path: pytest.fail("opened a window"))
    w = torch.ones(3, requires_grad=True)

    shown = gradviz.show((w * 2).sum())

    data = data_in(page_in(shown._repr_html_()))
    assert [page["about"][0][1]["op"] for page in data["sweeps"][0]["pages"]] == ["leaf", "mul", "sum"]
    assert "in the notebook" in repr(shown)


def test_a_file_is_a_page_in_a_notebook_too(notebook: None, tmp_path: Path) -> None:
    with gradviz.capture() as recording:
        (torch.ones(2, requires_grad=True) * 2).sum().backward()
    recording.save(tmp_path / "run.gradviz")

    shown = gradviz.show(tmp_path / "run.gradviz")

    assert len(data_in(page_in(shown._repr_html_()))["sweeps"]) == 1


def test_what_a_page_cannot_hold_is_said_above_the_table(notebook: None) -> None:
    with gradviz.capture() as recording:
        torch.ones(2)

    html = gradviz.show(recording)._repr_html_()

    assert "there is no graph to draw" in html
    assert "0 backward calls" in html


def test_without_the_rest_of_gradviz_a_notebook_has_a_table(
    notebook: None, opened: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(display.importlib.util, "find_spec", lambda name: None)
    w = torch.ones(3, requires_grad=True)

    shown = gradviz.show((w * float("nan")).sum())

    assert opened == []
    found = Texts(shown._repr_html_())
    assert found.texts[0] == "Install gradviz-desktop in this Python to step through it here."
    assert found.rows == 1 + 3
    assert "3 NaN" in found.texts
    assert any("grad 1" in text for text in found.texts)


def test_names_in_a_table_are_text() -> None:
    with gradviz.capture() as recording:
        x = torch.ones(2, requires_grad=True)
        y = x * 2
        y.sum().backward()
    recording.problem = {"message": "<script>", "hint": "", "line": None, "column": None, "file": None}

    assert "<script>" not in recording._repr_html_()


def test_gradients_that_are_right_leave_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    x = torch.randn(3, requires_grad=True)

    gradviz.assert_gradients_close(lambda x: x**3, None, x)
    gradviz.assert_gradients_close(lambda x: x**3, lambda x: x * x * x, x, rtol=1e-5, atol=1e-5)
    gradviz.assert_gradients_close(lambda x: (x**2).sum(), [2 * x.detach()], x)

    assert list(tmp_path.iterdir()) == []
    assert x.grad is None


def test_a_seed_is_the_v_of_both_sides(tmp_path: Path) -> None:
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    v = torch.tensor([1.0, -10.0, 100.0])
    path = tmp_path / "run.gradviz"

    gradviz.assert_gradients_close(lambda x: x**3, None, x, seed=v, rtol=1e-3, path=path)
    gradviz.assert_gradients_close(lambda x: x**3, lambda x: x * x * x, x, seed=v, path=path)
    gradviz.assert_gradients_close(lambda x: x**3, [v * 3 * x.detach() ** 2], x, seed=v, path=path)
    with pytest.raises(AssertionError, match="input 0"):  # what ones would give
        gradviz.assert_gradients_close(lambda x: x**3, [3 * x.detach() ** 2], x, seed=v, path=path)
    with pytest.raises(AssertionError, match="input 0"):
        gradviz.assert_gradients_close(lambda x: x**3, [v * 3 * x.detach() ** 2], x, path=path)

    assert path.exists()


@pytest.mark.parametrize(("seed", "is_wrong"), [([1.0, 0.0, 0.0], False), ([0.0, 1.0, 0.0], True), (None, True)])
def test_a_seed_looks_at_a_part_of_the_output_alone(tmp_path: Path, seed: Any, is_wrong: bool) -> None:
    def half_right(x: Any) -> Any:
        return torch.cat((x[:1] ** 2, x[1:].detach() ** 2 + 0 * x[1:]))  # the first element alone has its gradient

    v = None if seed is None else torch.tensor(seed)
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    with pytest.raises(AssertionError) if is_wrong else nullcontext():
        gradviz.assert_gradients_close(half_right, None, x, seed=v, path=tmp_path / "run.gradviz")


def test_a_wrong_gradient_leaves_a_recording_named_after_the_test(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 3

    with pytest.raises(AssertionError, match=r"input 0 is not what it should be(.|\n)*gradviz .*named_after_the_test"):
        gradviz.assert_gradients_close(Wrong.apply, None, torch.randn(3, requires_grad=True))

    (file,) = tmp_path.iterdir()
    with zipfile.ZipFile(file) as opened_file:
        document = json.loads(opened_file.read("recording.json"))
    assert "Wrong" in [node["op"] for node in document["nodes"]]


def test_gradients_are_asked_of_inputs_that_take_one() -> None:
    with pytest.raises(ValueError, match="requires_grad=True"):
        gradviz.assert_gradients_close(torch.sin, None, torch.ones(2))
    with pytest.raises(ValueError, match="1 inputs take a gradient, but 2"):
        gradviz.assert_gradients_close(torch.sin, [torch.ones(2)] * 2, torch.ones(2, requires_grad=True))
