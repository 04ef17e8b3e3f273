"""Recordings too large for text: the largest arrays become summaries, and what is written opens again."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradviz.cli import main
from gradviz.formats import gradviz_file, json_file, load, summaries
from gradviz.formats.summaries import OF_A_FILE, left_out, shortened, summary_of
from gradviz.playback.numbers import summed_up
from gradviz.recording import Recording, Summary, check
from tests.formats.recordings import plain, recordings
from tests.recorded import run

LAYERS = """\
import torch
torch.manual_seed(0)
x = torch.randn(60, 50)
w = torch.randn(50, 40, requires_grad=True)
v = torch.randn(40, 2, requires_grad=True)
h = torch.tanh(x @ w)
loss = (h @ v).sum()
loss.backward()
"""
ALL = 10**9


@pytest.fixture(scope="module")
def layers() -> Recording:
    return run(LAYERS).recording


def kept(recording: Recording) -> set[str]:
    """The names of nodes whose values are there as numbers."""
    pairs = zip(recording.nodes, recording.values, strict=True)
    return {node.name for node, value in pairs if value is not None and node.name is not None}


def test_below_the_bound_nothing_changes(layers: Recording) -> None:
    assert shortened(layers, ALL) is layers
    assert left_out(layers, ALL).sentences() == ""
    assert json_file.write(layers, ALL) == json_file.write(layers)


@pytest.mark.parametrize("most", [150_000, 100_000, 60_000, 30_000, 10_000])
def test_the_text_stays_within_its_bound_and_opens_again(layers: Recording, most: int) -> None:
    structure = len(json_file.write(shortened(layers, 0)))
    text = json_file.write(layers, most)

    assert len(text) < most * 1.05 + structure < len(json_file.write(layers))
    assert plain(json_file.read(text)) == plain(check(shortened(layers, most)))


def test_the_largest_give_way_first_and_final_gradients_last(layers: Recording) -> None:
    some, most = shortened(layers, 150_000), shortened(layers, 30_000)

    assert kept(layers) - kept(some) <= {"x", "h", "w"} != set()
    assert "v" in kept(some)
    assert kept(most) == {"loss"}
    assert most.gradients["w"] is not None
    assert most.gradients["v"] is not None
    assert {each.dtype for each in most.sweeps[0].summaries.after.values()} == {"float32"}
    assert shortened(layers, 10_000).gradients["w"] is None
    assert shortened(layers, 10_000).gradients["v"] is not None


def test_what_is_left_out_is_summed_up_with_its_reason(layers: Recording) -> None:
    recording = json_file.read(json_file.write(layers, 10_000))
    w = next(node.id for node in recording.nodes if node.name == "w")
    numbers = layers.values[w]
    assert numbers is not None

    summary = recording.summaries[w]

    assert (summary.shape, summary.dtype, summary.reason) == ((50, 40), "float32", OF_A_FILE)
    assert summary.norm == pytest.approx(float(np.linalg.norm(numbers)))
    assert (summary.min, summary.max) == (float(numbers.min()), float(numbers.max()))
    assert (summary.nan, summary.inf, summary.sample[0]) == (0, 0, float(numbers[0, 0]))
    assert "left out of the file of text" in summed_up(summary)
    assert recording.gradient_summaries["w"].shape == (50, 40)


@given(recordings())
def test_any_recording_keeps_the_rules_with_every_array_summed_up(recording: Recording) -> None:
    short = check(shortened(recording, 0, least=0))

    assert plain(json_file.read(json_file.write(short))) == plain(short)
    assert plain(gradviz_file.read(gradviz_file.write(short))) == plain(short)
    assert all(value is None or not value.size for value in short.values)


@given(st.lists(st.floats(width=32), min_size=1, max_size=40))
def test_extremes_are_those_of_the_finite_numbers(numbers: list[float]) -> None:
    finite = [number for number in numbers if math.isfinite(number)]

    summary = summary_of(np.array(numbers, np.float32), "float32", "file")

    assert (summary.min, summary.max) == ((min(finite), max(finite)) if finite else (None, None))
    assert summary.nan == sum(math.isnan(number) for number in numbers)
    assert summary.inf == sum(math.isinf(number) for number in numbers)


@pytest.mark.parametrize(
    ("array", "expected"),
    [
        (np.array([3.0, -4.0]), Summary((2,), "float64", "file", 5.0, -4.0, 3.0, 0, 0, (3.0, -4.0))),
        (np.array([3e200, -4e200]), Summary((2,), "float64", "file", 5e200, -4e200, 3e200, 0, 0, (3e200, -4e200))),
        (np.array([np.inf, 1.0]), Summary((2,), "float64", "file", math.inf, 1.0, 1.0, 0, 1, (math.inf, 1.0))),
        (np.array([3 - 4j]), Summary((1,), "complex128", "file", 5.0, -4.0, 3.0, 0, 0, (3.0, -4.0))),
        (np.array([True, False]), Summary((2,), "bool", "file", 1.0, 0.0, 1.0, 0, 0, (1.0, 0.0))),
        (np.array([[2], [2]]), Summary((2, 1), "int64", "file", math.sqrt(8), 2.0, 2.0, 0, 0, (2.0, 2.0))),
        (np.zeros((0, 3)), Summary((0, 3), "float64", "file", 0.0, None, None, 0, 0)),
    ],
)
def test_summary_of_an_array(array: np.ndarray, expected: Summary) -> None:
    found = summary_of(array, array.dtype.name, "file")

    assert found.norm == pytest.approx(expected.norm)
    assert found._replace(norm=expected.norm) == expected


def test_the_command_line_says_what_is_left_out_and_names_the_form_that_keeps_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(summaries, "MOST_TEXT", 30_000)
    (tmp_path / "layers.py").write_text(LAYERS)

    outs = [str(tmp_path / name) for name in ("layers.json", "layers.gradviz")]
    assert main(["export", str(tmp_path / "layers.py"), *outs]) == 0

    (said,) = capsys.readouterr().err.splitlines()
    assert said.startswith(f"gradviz: {outs[0]}: Whole, it would have 0.")
    assert said.endswith("A .gradviz file keeps them all.")
    assert load(tmp_path / "layers.json").summaries
    assert not load(tmp_path / "layers.gradviz").summaries
    assert json.loads((tmp_path / "layers.json").read_text())["gradients"]["w"] is not None
