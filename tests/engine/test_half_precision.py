"""Numbers of 16 bits: what is kept of them, and that every table about them names what there is."""

from __future__ import annotations

import numpy as np
import pytest

from gradviz.imitation.engine.dtypes import DTYPES, HALVES, dtype_named, limits_of, result_dtype
from gradviz.imitation.engine.functions import FUNCTIONS, METHODS, NEURAL
from gradviz.imitation.engine.functions.autocast import LOWER, SINGLE
from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.half.kernels import KERNELS
from gradviz.imitation.engine.half.rules import FUSED
from gradviz.imitation.engine.recorded.replay import sweep_of
from gradviz.formats import json_file
from gradviz.recording import Recording
from gradviz.imitation.script.run import run

SCRIPT = """
import torch
x = torch.tensor([[1.5, 2.7], [0.1, -3.0]], dtype=torch.bfloat16, requires_grad=True)
w = torch.full((2, 2), 0.3).bfloat16().requires_grad_()
y = (torch.nn.functional.gelu(x @ w) * 0.1).sum() + x.float().sin().sum()
y.backward()
"""


@pytest.fixture(scope="module")
def recording() -> Recording:
    return run(SCRIPT).recording


def test_a_recording_has_bfloat16_as_float32_under_its_name(recording: Recording) -> None:
    kept = [(node.dtype, value.dtype.name) for node, value in zip(recording.nodes, recording.values, strict=True)]

    assert ("bfloat16", "float32") in kept
    assert ("float32", "float32") in kept
    assert all(name == "float32" for _, name in kept)
    assert {g.dtype.name for g in recording.gradients.values() if g is not None} == {"float32"}


def test_every_value_and_gradient_of_a_bfloat16_node_is_one(recording: Recording) -> None:
    halves = {node.id for node in recording.nodes if node.dtype == "bfloat16"}
    arrays = [recording.values[i] for i in halves]
    arrays += [step.incoming for step in recording.sweeps[0].steps if step.node in halves]

    assert arrays
    for array in arrays:
        assert not np.any(np.atleast_1d(array).astype(np.float32).view(np.uint32) & 0xFFFF)


def test_a_file_of_bfloat16_loads_again(recording: Recording) -> None:
    content = json_file.write(recording)

    assert json_file.write(json_file.read(content)) == content


def test_another_seed_is_sent_back_with_the_same_rounding(recording: Recording) -> None:
    first = recording.sweeps[0]
    again = sweep_of(recording, first.outputs[0], np.float32(1))

    assert [step.node for step in again.steps] == [step.node for step in first.steps]
    assert all(np.array_equal(a.incoming, b.incoming) for a, b in zip(again.steps, first.steps, strict=True))


def test_a_loaded_recording_may_be_the_first_that_has_float16(monkeypatch: pytest.MonkeyPatch) -> None:
    made = run(SCRIPT.replace("bfloat16()", "half()").replace("bfloat16", "float16")).recording
    first = made.sweeps[0]
    loaded = json_file.read(json_file.write(made))
    kept = HALVES.copy()
    monkeypatch.delitem(DTYPES, "float16")
    HALVES.clear()
    try:
        again = sweep_of(loaded, first.outputs[0], np.float32(1))
    finally:
        HALVES[:] = kept

    assert all(np.array_equal(a.incoming, b.incoming) for a, b in zip(again.steps, first.steps, strict=True))


@pytest.mark.parametrize(
    ("other", "expected"),
    [("bfloat16", "bfloat16"), ("float16", "float32"), ("float32", "float32"), ("float64", "float64"),
     ("int64", "bfloat16"), ("bool", "bfloat16")],
)  # fmt: skip
def test_bfloat16_beside_another_dtype(other: str, expected: str) -> None:
    x, y = np.zeros(2, DTYPES["bfloat16"]), np.zeros(2, dtype_named(other))

    assert result_dtype(x, y).name == result_dtype(y, x).name == expected


def test_the_limits_of_bfloat16() -> None:
    assert float(limits_of(DTYPES["bfloat16"]).eps) == 2**-7


def test_kernels_and_rules_are_of_ops_that_there_are() -> None:
    assert set(KERNELS) - set(OPS) == set()
    assert set(FUSED) - set(OPS) == set()


def test_autocast_names_functions_that_there_are() -> None:
    assert (LOWER | SINGLE) - set(FUNCTIONS) - set(METHODS) - set(NEURAL) == set()
    assert not LOWER & SINGLE


def test_a_parameter_is_cast_once_in_an_autocast_region_and_anew_in_the_next() -> None:
    text = """
import torch
w, x = torch.ones(2, 2, requires_grad=True), torch.ones(1, 2)
for _ in range(2):
    with torch.autocast("cpu"):
        y = torch.mm(x, w) + torch.mm(x, w)
    y.sum().backward()
"""
    found = run(text).recording

    assert [node.op for node in found.nodes].count("to") == 2
    assert found.gradients["w"] is not None
    assert found.gradients["w"].tolist() == [[4.0, 4.0], [4.0, 4.0]]
