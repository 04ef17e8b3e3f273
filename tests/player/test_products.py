"""The product at a node as the page draws it."""

from __future__ import annotations

from typing import Any

from gradviz.errors import GradvizError
from gradviz.playback.track import Track
from gradviz.player.products import NOT_KNOWN, product_of
from gradviz.recording import Recording
from gradviz.shipped import shipped
from tests.recorded import Ran, run
from tests.samples import weighted_sum

LARGE = "import torch\nx = torch.arange(20., requires_grad=True)\ny = x.sin()\ny.sum().backward()\n"


def own_function() -> Ran:
    """The run of lesson 13."""
    (file,) = shipped("examples").glob("13_*.py")
    return run(file.read_text(encoding="utf-8"), file.name)


def product(recording: Recording, op: str, **given: Any) -> dict[str, Any] | None:
    (node,) = (node.id for node in recording.nodes if node.op == op)
    return product_of(Track(recording, 0), node, **given)


def test_each_column_of_the_jacobian_with_v_makes_what_goes_out() -> None:
    found = product_of(Track(weighted_sum(), 0), 1)

    assert found is not None
    assert found["v"] == ["3", "5"]
    assert [factor["rows"] for factor in found["factors"]] == [[["-1", "0"], ["0", "2"]]] * 2
    assert [factor["sent"] for factor in found["factors"]] == [["-3", "10"]] * 2
    assert found["factors"][0]["size"] == "2 × 2"


def test_leaf_has_no_product() -> None:
    assert product_of(Track(weighted_sum(), 0), 0) is None


def test_product_of_plain_numbers_is_told_by_the_rule_alone() -> None:
    recording = run("import torch\nx = torch.tensor(3., requires_grad=True)\ny = x * x\ny.backward()\n").recording

    assert product(recording, "mul") is None


def test_run_is_asked_for_the_jacobian_of_a_function_of_its_own() -> None:
    ran = own_function()

    found = product(ran.recording, "Products", ask=ran.ask)

    assert found is not None
    assert found["factors"][0]["rows"] == [["2", "0"], ["2", "1"], ["0", "4"]]
    assert found["factors"][0]["sent"] == ["4", "5"]


def test_without_a_run_it_is_said_why_there_is_no_jacobian() -> None:
    found = product(own_function().recording, "Products")

    assert found is not None
    assert found["factors"] == []
    assert found["note"] == NOT_KNOWN.format(op="Products")


def test_what_the_run_refuses_is_the_note() -> None:
    def refuse(what: str, value: Any) -> Any:
        raise GradvizError("the process of this run has ended")

    found = product(own_function().recording, "Products", ask=refuse)

    assert found is not None
    assert found["note"] == "The process of this run has ended."


def test_large_jacobian_is_said_and_not_drawn() -> None:
    found = product(run(LARGE).recording, "sin")

    assert found is not None
    assert found["v"] == found["factors"][0]["rows"] == found["factors"][0]["sent"] == []
    assert found["factors"][0]["size"] == "20 × 20"
    assert found["factors"][0]["words"] == "Diagonal"
