"""The recorder of PyTorch, which knows nothing of the table of fields, writes what the table says."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch")

from gradviz.document.fields import DOCUMENT
from tests.capture.test_cuts import captured
from tests.formats.test_fields import document_in, hold_against_table

pytestmark = pytest.mark.torch

SCRIPT = """\
y = (x * w).sum()
a, b = x.unbind()
h = x.detach() * w
x.register_hook(lambda g: g * 2)
z = (x.exp() * a + h).sum() + y + b
x.data.mul_(2)
z.backward(retain_graph=True)
torch.autograd.grad(z, [x])
"""


def test_what_is_recorded_now_is_what_the_table_says(tmp_path: Path) -> None:
    captured(SCRIPT, tmp_path)
    (file,) = tmp_path.rglob("*.gradviz")
    document = document_in(file.read_bytes())

    assert document["backward"][1]["kind"] == "grad"
    assert document["cuts"]
    hold_against_table(DOCUMENT, [document], "document")
