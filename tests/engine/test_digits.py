"""Results in float32 are PyTorch's to the last digit; data/digits.json holds what PyTorch 2.13 gave."""

from __future__ import annotations

import json
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradviz.imitation.engine.autograd import backward
from gradviz.imitation.engine.creation import linspace
from gradviz.imitation.engine.kernels import registers
from gradviz.imitation.engine.kernels.vector_log import vector_log1p
from gradviz.imitation.engine.tensor import Tape
from tests.data.digit_cases import EXACT, NEAR, NEAR_IN_FLOAT64, numbers, seeded
from tests.engine.expressions import evaluate

RECORDED = json.loads((Path(__file__).parents[1] / "data" / "digits.json").read_text(encoding="utf-8"))


def mark(x: Any) -> str:
    return blake2b(np.ascontiguousarray(x).tobytes(), digest_size=8).hexdigest()


@pytest.mark.parametrize("expression", dict.fromkeys(expression for expression, _ in EXACT))
def test_value_and_gradients_are_those_of_pytorch_to_the_last_digit(expression: str):
    wrong = []
    for (each, shapes), recorded in zip(EXACT, RECORDED["exact"], strict=True):
        if each != expression:
            continue
        tape = Tape()
        with tape.recording():
            names = zip("abc", shapes, strict=False)
            given = {n: tape.tensor(numbers(s, i), requires_grad=True) for i, (n, s) in enumerate(names)}
            y = evaluate(expression, given)
            backward([y], [tape.tensor(seeded(y.shape)[()])])
        if [mark(y.data), *(mark(x.grad.data) for x in given.values())] != recorded:
            wrong.append(shapes)

    assert not wrong


@pytest.mark.parametrize(("expression", "recorded"), list(zip(NEAR, RECORDED["near"], strict=True)))
def test_nineteen_of_twenty_results_of_a_smooth_function_are_those_of_pytorch(expression: str, recorded: str):
    tape = Tape()
    with tape.recording():
        y = evaluate(expression, {"a": tape.tensor(numbers((500,), 7))}).data

    assert np.mean(y == np.frombuffer(bytes.fromhex(recorded), np.float32)) > 0.94


@pytest.mark.parametrize(("case", "recorded"), list(zip(NEAR_IN_FLOAT64, RECORDED["double"], strict=True)))
def test_nine_of_ten_results_in_float64_are_those_of_pytorch(case: tuple[str, tuple[int, ...]], recorded: str):
    expression, shape = case
    tape = Tape()
    with tape.recording():
        y = evaluate(expression, {"a": tape.tensor(numbers(shape, 7).astype(np.float64))}).data

    assert np.mean(y.ravel() == np.frombuffer(bytes.fromhex(recorded))) > 0.9


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_exponential_of_registers_takes_any_number(dtype: Any):
    x = np.array([-np.inf, -1e30, -800, -104.5, -90, -0.0, 0.0, 88.7, 709.7, 800, np.inf, np.nan], dtype)
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(registers.polynomial_exp(x), np.exp(x.astype(np.float64)).astype(dtype), rtol=3e-7)


def test_the_logarithm_of_registers_loses_the_last_digit_of_the_smallest_normal_numbers_as_pytorchs_does():
    x = np.array([0x00800001, 0x00800002, 0x00FFFFFF, 0x01000001], np.uint32).view(np.float32)

    assert vector_log1p(x).view(np.uint32).tolist() == [0x00800000, 0x00800002, 0x01000000, 0x01000001]


def test_linspace_rounds_each_number_once():
    tape = Tape()
    with tape.recording():
        found = [mark(linspace(tape, *ends, None, False).data) for ends in ((-1, 1, 7), (0, 3, 50), (0.1, 0.7, 33))]

    assert found == RECORDED["linspace"]
