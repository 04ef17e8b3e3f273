"""The reference says what scripts find, and nothing else."""

from __future__ import annotations

import pytest

from gradviz.ops.table import TABLE
from gradviz.run.reference import names_page, ops_page, sections
from tests.recorded import run

FOUND = {section.title: section.names for section in sections()}
SAMPLE = (*("torch", "torch.nn", "torch.nn.functional", "torch.optim", "torch.autograd.functional", "torch.linalg"),)


@pytest.mark.parametrize("path", SAMPLE)
def test_every_name_of_a_module_can_be_read_by_a_script(path):
    names = [name for name in FOUND[path] if not name.startswith("__")]
    lines = [f"import {path} as module", *(f"module.{name}" for name in names)]

    recording = run("\n".join(lines)).recording

    assert names
    assert recording.problem is None


def test_every_attribute_of_a_tensor_can_be_read_by_a_script():
    names = [*FOUND["Tensor: attributes"], *FOUND["Tensor: methods"]]
    text = "import torch\nx = torch.ones(2, 2, requires_grad=True)\n" + "\n".join(f"x.{name}" for name in names)

    assert {"grad", "shape"} <= set(FOUND["Tensor: attributes"])
    assert {"backward", "add_"} <= set(FOUND["Tensor: methods"])
    assert run(text).recording.problem is None


def test_no_field_of_the_engine_is_among_the_attributes_of_a_tensor():
    assert not {"array", "incoming", "params", "tracked"} & set(FOUND["Tensor: attributes"])


def test_no_page_names_what_a_module_imported_for_itself():
    assert "annotations" not in FOUND["torch.nn.init"]
    assert "Any" not in FOUND["torch.optim.lr_scheduler"]


def test_pages_have_every_section_and_every_op():
    names, ops = names_page(), ops_page()

    assert all(f"\n## {title} (" in names for title, found in FOUND.items() if found)
    assert all(f"\n### {row.name}\n" in ops for row in TABLE.rows())
