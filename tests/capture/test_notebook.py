"""A notebook of Jupyter, run by a real kernel: what stands below its cells.

Skipped where Jupyter or a Chromium is not on the machine.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest

import gradviz
from tests.player.browser import browsing, found

pytest.importorskip("torch")
pytest.importorskip("ipykernel")
nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")

pytestmark = pytest.mark.torch

CELLS = (
    """
import gradviz, torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
x = torch.randn(3, 4)""",
    """
def loss_of(model, x):
    return model(x).square().mean()""",
    """
with gradviz.capture() as recording:
    loss = loss_of(model, x)
    loss.backward()
gradviz.show(recording)""",
    "gradviz.show(loss_of(model, x))",
    "print([p.grad.norm().item() for p in model.parameters()])",
)


def executed(folder: Path) -> list[Any]:
    """The outputs of each cell, by a kernel of Jupyter that runs in a folder."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text.strip()) for text in CELLS])
    resources = {"metadata": {"path": str(folder)}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what Jupyter says of itself
        nbclient.NotebookClient(notebook, timeout=240, kernel_name="python3", resources=resources).execute()
    return [cell.outputs for cell in notebook.cells]


def test_show_is_a_page_that_steps_in_the_cell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(gradviz.__file__).parent.parent))

    _, _, (recorded,), (computed,), (printed,) = executed(tmp_path)

    assert list(tmp_path.iterdir()) == []
    assert printed["text"].count(",") == 3
    assert all("<iframe" in output["data"]["text/html"] for output in (recorded, computed))
    program = found()
    if program is None:
        pytest.skip("needs a Chromium")
    for output, name, said in (
        (recorded, "In [3]", "mean of pow gives loss"),
        (computed, "In [4]", "mean of pow"),
    ):
        file = tmp_path / f"{name}.html"
        html = output["data"]["text/html"]
        file.write_text(f"<!doctype html><html data-opened='1'><body>{html}</body></html>", encoding="utf-8")
        with browsing(program) as tab:
            tab.open(file)
            page = tab.frame()
            assert page.texts("#name") == [name]
            assert page.texts("#said b")[0].startswith(said)
            assert page.run("document.getElementById('link').hidden")
            before = page.run("document.querySelectorAll('.box.known').length")
            page.run("document.getElementById('last').click()")
            assert page.run("document.querySelectorAll('.box.known').length") > before
            assert tab.errors == page.errors == []
