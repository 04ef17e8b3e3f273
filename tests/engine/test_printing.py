"""Tensors print as PyTorch prints them; data/printing.json holds what PyTorch 2.13 printed."""

from __future__ import annotations

import json
import timeit
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradviz.imitation.engine.printing import numbers as printing_numbers
from gradviz.imitation.engine.printing.tensors import (
    DEFAULT,
    PrintOptions,
    dtype_text,
    format_tensor,
    size_text,
    tensor_text,
    with_options,
)
from gradviz.errors import TorchError

Case = dict[str, Any]

RECORDED = json.loads((Path(__file__).parents[1] / "data" / "printing.json").read_text(encoding="utf-8"))


def values(case: Case) -> np.ndarray:
    dtype = case["dtype"].replace("bfloat16", "float32")
    if not dtype.startswith("complex"):
        return np.array(floats(case["data"]), dtype).reshape(case["shape"])
    real, imaginary = case["data"]
    data = np.empty(case["shape"], dtype)
    data.real = np.array(floats(real)).reshape(case["shape"])
    data.imag = np.array(floats(imaginary)).reshape(case["shape"])
    return data


def floats(listed: Any) -> Any:
    if isinstance(listed, list):
        return [floats(part) for part in listed]
    return float(listed) if isinstance(listed, str) else listed


def attributes(case: Case) -> Case:
    given = {name: case[name] for name in ("requires_grad", "grad_fn", "is_parameter") if name in case}
    if case["dtype"] == "bfloat16":
        given["dtype"] = "bfloat16"
    return given


@pytest.mark.parametrize("part", range(20))
def test_every_recorded_tensor_prints_as_in_pytorch(part):
    for case in RECORDED["printed"][part::20]:
        options = with_options(**case["options"])

        assert case["text"] == tensor_text(values(case), options=options, **attributes(case)), case


@pytest.mark.parametrize("case", RECORDED["large"], ids=lambda case: f"{case['dtype']}-{case['shape']}")
def test_a_large_tensor_is_summarised_as_in_pytorch(case):
    counted = (np.arange(int(np.prod(case["shape"]))) * 7919 % 10007 - 5000).reshape(case["shape"])
    data = counted.astype(case["dtype"])
    if case["divisor"] > 1:
        data = data / data.dtype.type(case["divisor"])

    assert case["text"] == tensor_text(data)


@pytest.mark.parametrize("spec", ["", ".4f", "d", "10.2e", ">12", ".1%", "q"])
def test_format_specs_give_the_text_or_the_error_of_pytorch(spec):
    for case in RECORDED["formatted"]:
        if case["spec"] != spec:
            continue
        if "text" in case:
            assert case["text"] == format_tensor(values(case), spec, **attributes(case)), case
        else:
            with pytest.raises(TorchError) as error:
                format_tensor(values(case), spec, **attributes(case))
            assert case["error"] == [error.value.kind, error.value.message]


def test_the_recording_covers_every_dtype_and_every_kind_of_tensor():
    printed = RECORDED["printed"]

    assert len(printed) >= 600
    assert len({case["dtype"] for case in printed}) == 12
    assert any("grad_fn" in case and ",\n       grad_fn" in case["text"] for case in printed)
    assert any(0 in case["shape"] and len(case["shape"]) > 1 for case in printed)
    assert any(case["shape"] == [] for case in printed)
    assert any(len(case["shape"]) == 4 for case in printed)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (np.float32(2), "tensor(2.)"),
        (np.float32(0.1), "tensor(0.1000)"),
        (np.array([1, 1e-5], "f"), "tensor([1.0000e+00, 1.0000e-05])"),
        (np.array([1.5, 1500]), "tensor([   1.5000, 1500.0000], dtype=torch.float64)"),
        (np.array([1.5, 1500.5]), "tensor([1.5000e+00, 1.5005e+03], dtype=torch.float64)"),
        (np.array([1e-4, 0.0]), "tensor([0.0001, 0.0000], dtype=torch.float64)"),
        (np.array([1, np.nan, -np.inf], "f"), "tensor([1., nan, -inf])"),
        (np.array([1, 2]), "tensor([1, 2])"),
        (np.array([True, False]), "tensor([ True, False])"),
        (np.zeros((0, 3), "f"), "tensor([], size=(0, 3))"),
        (np.zeros(0, "i8"), "tensor([], dtype=torch.int64)"),
        (np.ones((2, 1)), "tensor([[1.],\n        [1.]], dtype=torch.float64)"),
        (np.arange(1001), "tensor([   0,    1,    2,  ...,  998,  999, 1000])"),
    ],
)
def test_well_known_texts(data, text):
    assert text == tensor_text(data)


def test_the_full_profile_never_summarises():
    assert "..." not in tensor_text(np.zeros(5000, "f"), options=with_options(profile="full"))


def test_a_bfloat16_tensor_is_carried_by_float32():
    assert tensor_text(np.float32(0.5), dtype="bfloat16") == "tensor(0.5000, dtype=torch.bfloat16)"


def test_a_parameter_says_so_on_a_line_of_its_own():
    text = tensor_text(np.ones(2, "f"), requires_grad=True, is_parameter=True)

    assert text == "Parameter containing:\ntensor([1., 1.], requires_grad=True)"


def test_the_default_float_dtype_is_not_shown():
    assert tensor_text(np.float64(1), default_dtype="float64") == "tensor(1.)"
    assert tensor_text(np.float32(1), default_dtype="float64") == "tensor(1., dtype=torch.float32)"


def test_a_subclass_prints_its_own_name_and_indents_by_it():
    text = tensor_text(np.zeros((2, 1), "f"), prefix="Weights")

    assert text == "Weights([[0.],\n         [0.]])"


def test_sizes_and_dtypes_print_as_in_pytorch():
    assert size_text((2, 3)) == "torch.Size([2, 3])"
    assert size_text(()) == "torch.Size([])"
    assert dtype_text("bfloat16") == "torch.bfloat16"
    assert dtype_text(np.dtype(np.float32)) == "torch.float32"


def test_every_call_of_set_printoptions_resets_sci_mode():
    scientific = with_options(sci_mode=True, precision=2)

    assert with_options(scientific, linewidth=100) == PrintOptions(precision=2, linewidth=100)


def test_a_profile_is_the_start_and_other_options_win():
    assert with_options(profile="short", precision=6) == PrintOptions(precision=6, edgeitems=2)
    assert with_options(PrintOptions(precision=7), profile="default") == DEFAULT


@pytest.mark.parametrize("given", [{"precision": -1}, {"edgeitems": -1}, {"precision": 1.5}, {"linewidth": np.inf}])
def test_options_that_nothing_can_be_printed_with_are_refused_by_name(given):
    (name,) = given

    with pytest.raises(TorchError, match=f"^set_printoptions: {name} must be"):
        with_options(**given)


def test_only_the_shown_elements_of_a_large_tensor_are_formatted(monkeypatch):
    seen: list[int] = []
    original = printing_numbers.number_texts
    monkeypatch.setattr(
        "gradviz.imitation.engine.printing.tensors.number_texts",
        lambda data, options: seen.append(data.size) or original(data, options),
    )

    tensor_text(np.zeros((1000, 1000), "f"))

    assert seen == [36]


def test_a_three_element_print_is_fast():
    data = np.array([1.0, 2.5, 3.0], "f")

    fastest = min(timeit.repeat(lambda: tensor_text(data), number=50, repeat=5)) / 50

    assert fastest < 0.5e-3
