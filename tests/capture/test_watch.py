"""A training is watched, and only its bad step is written."""

from __future__ import annotations

import json
import sys
import types
import zipfile
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from gradviz.capture import Watch  # noqa: E402
from gradviz.capture.watch import condition  # noqa: E402
from gradviz.formats import load  # noqa: E402
from gradviz.playback.health.births import births  # noqa: E402
from gradviz.playback.track import Track  # noqa: E402
from gradviz.trace.births import VALUE, first_of  # noqa: E402
from tests.playback.health.test_births import planted  # noqa: E402

pytestmark = pytest.mark.torch


def document_of(path: str | Path) -> Any:
    with zipfile.ZipFile(path) as file:
        return json.loads(file.read("recording.json"))


def train(net: Any, steps: int, bad: int) -> None:
    """A training in which one batch makes the logarithm of a negative number."""
    for step in range(steps):
        x = torch.ones(4, 3)
        inside = net(x)
        positive = inside * inside + 1
        if step == bad:
            positive = positive - 1000
        loss = torch.log(positive).mean()
        net.zero_grad()
        loss.backward()


def test_a_nan_at_step_37_leaves_exactly_one_file_that_marks_where_it_was_born(tmp_path: Path) -> None:
    net = torch.nn.Linear(3, 1)
    with Watch(when="nan", path=tmp_path / "bad.gradviz") as watch:
        train(net, 60, 37)

    assert [each.name for each in tmp_path.iterdir()] == ["bad.gradviz"]
    assert watch.written == [str(tmp_path / "bad.gradviz")]
    document = document_of(tmp_path / "bad.gradviz")
    assert document["nodes"][document["problem"]["node"]]["op"] == "log"
    assert "forward pass" in document["problem"]["message"]
    assert [sweep["number"] for sweep in document["backward"]] == [38]
    assert torch.nn.Module.__call__.__name__ != "_call_module"


def test_a_nan_that_is_born_on_the_way_back_is_found_there(tmp_path: Path) -> None:
    with Watch(path=tmp_path / "bad.gradviz"):
        x = torch.zeros(2, requires_grad=True)
        (torch.sqrt(x) * x).sum().backward()

    document = document_of(tmp_path / "bad.gradviz")
    assert document["nodes"][document["problem"]["node"]]["op"] == "sqrt"
    assert "way back" in document["problem"]["message"]


def attention(x: Any, w: Any) -> Any:
    """Causal attention, whose mask is of -inf."""
    scores = (x @ w) @ x.mT
    mask = torch.triu(torch.ones(4, 4, dtype=torch.bool), diagonal=1)
    return torch.softmax(scores.masked_fill(mask, float("-inf")), -1) @ x


MASKS = {
    "masked_fill": attention,
    "an added mask": lambda x, w: torch.softmax(
        (x @ w) @ x.mT + torch.triu(torch.full((4, 4), float("-inf")), diagonal=1), -1
    ),
    "where": lambda x, w: torch.softmax(torch.where(torch.ones(4, 4).tril().bool(), (x @ w) @ x.mT, float("-inf")), -1),
}


@pytest.mark.parametrize("masked", MASKS)
def test_a_mask_of_minus_infinity_is_not_where_nan_was_born(tmp_path: Path, masked: str) -> None:
    x, w = torch.eye(4), torch.zeros(4, 4, requires_grad=True)
    with Watch(path=tmp_path / "bad.gradviz"):
        mixed = MASKS[masked](x, w)
        (torch.sqrt(mixed - mixed) * mixed).sum().backward()

    document = document_of(tmp_path / "bad.gradviz")
    assert document["nodes"][document["problem"]["node"]]["op"] == "sqrt"
    assert "way back" in document["problem"]["message"]
    assert agree(tmp_path / "bad.gradviz") == "sqrt"


def agree(path: Path) -> str:
    """The op at which the window finds the first birth; the banner of the file names the same node."""
    recording = load(path)
    first = first_of(births(Track(recording, 0)))
    assert recording.problem is not None
    assert (first.node, first.part) == (recording.problem.node, first.part)
    assert ("way back" in recording.problem.message) == (first.part != VALUE)
    return recording.nodes[first.node].op


@pytest.mark.parametrize("seed", range(40))
def test_the_banner_and_the_window_find_the_same_birth(tmp_path: Path, seed: int) -> None:
    text, kind = planted(seed)
    with Watch(path=tmp_path / "bad.gradviz") as watch:
        exec(text, {"__name__": "planted"})

    assert watch.written, kind
    agree(tmp_path / "bad.gradviz")


def test_with_summaries_alone_the_birth_is_found_all_the_same(tmp_path: Path) -> None:
    net = torch.nn.Linear(3, 1)
    with Watch(path=tmp_path / "bad.gradviz", summary_above=1) as watch:
        net.weight.data.fill_(0.3)
        x = torch.ones(20, 3)
        torch.log(net(x) - 1000).mean().backward()

    assert watch.written
    assert agree(tmp_path / "bad.gradviz") == "log"


def test_a_parameter_that_was_spoilt_before_is_said_to_be_so(tmp_path: Path) -> None:
    w = torch.ones(3, requires_grad=True)
    with torch.no_grad():
        w[1] = float("nan")
    with Watch(path=tmp_path / "bad.gradviz"):
        (w * 2).sum().backward()

    problem = document_of(tmp_path / "bad.gradviz")["problem"]
    assert problem["message"] == "NaN is in w when the step begins."


def test_a_training_without_a_bad_step_leaves_nothing(tmp_path: Path) -> None:
    with Watch(path=tmp_path / "bad.gradviz") as watch:
        train(torch.nn.Linear(3, 1), 10, -1)

    assert watch.steps == 10
    assert list(tmp_path.iterdir()) == []


def test_a_step_by_its_number(tmp_path: Path) -> None:
    with Watch(when="step 3", path=tmp_path / "at{step}.gradviz"):
        train(torch.nn.Linear(3, 1), 10, -1)

    assert [each.name for each in tmp_path.iterdir()] == ["at3.gradviz"]
    assert document_of(tmp_path / "at3.gradviz")["backward"][0]["number"] == 4


def test_a_norm_and_several_files(tmp_path: Path) -> None:
    w = torch.ones(2, requires_grad=True)
    with Watch(when="norm > 10", keep=2, path=tmp_path / "large.gradviz") as watch:
        for scale in (1.0, 100.0, 1.0, 200.0, 300.0):
            (w * scale).sum().backward()

    assert [Path(each).name for each in watch.written] == ["large.gradviz", "large-2.gradviz"]
    assert [document_of(each)["backward"][0]["number"] for each in watch.written] == [2, 4]


@pytest.mark.parametrize("options", [{}, {"summary_above": 1}])
def test_a_norm_that_is_nan_is_more_than_any_bound(tmp_path: Path, options: Any) -> None:
    w = torch.ones(100, requires_grad=True)
    with Watch(when="norm > 1e30", path=tmp_path / "large.gradviz", **options) as watch:
        for scale in (1.0, float("nan")):
            (w * scale).sum().backward()

    assert [document_of(each)["backward"][0]["number"] for each in watch.written] == [2]


def test_a_function_of_ones_own(tmp_path: Path) -> None:
    with Watch(when=lambda made: len(made.steps) > 2, path=tmp_path / "deep.gradviz") as watch:
        x = torch.ones(2, requires_grad=True)
        x.sum().backward()
        (x * 2).sum().backward()

    assert len(watch.written) == 1


@pytest.mark.parametrize("text", ["inf", "norm", "norm > much", "step", ""])
def test_what_cannot_be_watched_for_is_said(text: str) -> None:
    with pytest.raises(ValueError, match=r'give "nan", "norm > 100", "step 37"'):
        condition(text)


def test_the_callback_of_a_trainer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Stands in for Lightning, which calls these by name; with it installed the class below is its own.
    pytorch = types.ModuleType("lightning.pytorch")
    pytorch.Callback = object  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "lightning", types.ModuleType("lightning"))
    monkeypatch.setitem(sys.modules, "lightning.pytorch", pytorch)
    watch = Watch(path=tmp_path / "bad.gradviz")
    callback = watch.for_lightning()

    callback.on_train_start(None, None)
    train(torch.nn.Linear(3, 1), 5, 2)
    callback.on_train_end(None, None)

    assert len(watch.written) == 1


def test_the_callback_of_transformers(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    watch = Watch(path=tmp_path / "bad.gradviz")
    callback = watch.for_transformers()

    callback.on_train_begin(None, None, None, model=None)
    train(torch.nn.Linear(3, 1), 5, 2)
    callback.on_train_end(None, None, None)

    assert len(watch.written) == 1
