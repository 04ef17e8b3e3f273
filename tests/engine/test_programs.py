"""Random small programs: against central differences, against recorded steps of PyTorch, and against a live one."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gradviz.imitation.engine.tensor import Tape
from tests.engine.expressions import array, same
from tests.engine.programs import Program, forward, random_program, run

RECORDED = json.loads((Path(__file__).parents[1] / "data" / "ops.json").read_text(encoding="utf-8"))["programs"]
ULPS = 2000
"""A program of twelve lines loses up to three digits; a wrong rule loses all."""


def total(program: Program, leaves: dict[str, Any]) -> float:
    """The number whose gradient all passes together accumulate."""
    tape = Tape()
    with tape.recording():
        tensors = forward(program, tape, leaves)
    return sum(float(np.sum(tensors[name].data * (1.0 if v is None else v))) for name, v in program.passes)


def one_sided(program: Program, name: str, place: tuple[int, ...], step: float) -> tuple[float, float]:
    here, ends = total(program, program.leaves), []
    for sign in (1, -1):
        moved = np.array(program.leaves[name])
        moved[place] += sign * step
        ends.append(sign * (total(program, program.leaves | {name: moved[()]}) - here) / step)
    return ends[0], ends[1]


def moved_apart(program: Program, tensors: dict[str, Any], choose: Random) -> Program:
    """The program with every leaf and every line's result moved a little on its own, so that it lies on no kink."""

    def noise(name: str) -> Any:
        shape = tensors[name].shape
        return np.array([choose.uniform(-1e-5, 1e-5) for _ in range(int(np.prod(shape)))]).reshape(shape)[()]

    leaves = {name: x + noise(name) for name, x in program.leaves.items()}
    lines = []
    for line in program.lines:
        name, text = line.split(" = ", 1)
        leaves[f"moved_{name}"] = noise(name)
        lines.append(f"{name} = ({text}) + moved_{name}")
    return Program(leaves, lines, program.passes)


def lies_between(found: float, ends: tuple[float, float]) -> bool:
    tolerance = 1e-3 * (1 + abs(found))
    return min(ends) - tolerance <= found <= max(ends) + tolerance


def is_a_slope(found: float, program: Program, tensors: dict[str, Any], name: str, place: tuple[int, ...]) -> bool:
    """Whether that number may be called the derivative: at a kink any value between the two sides is right.

    Several kinks at one place may undo each other on both sides, while PyTorch takes each by itself:
    then the slopes count that are found where they are moved apart.
    """
    if lies_between(found, one_sided(program, name, place, 1e-5)):
        return True
    choose, slopes = Random(0), []
    for _ in range(60):
        slopes += one_sided(moved_apart(program, tensors, choose), name, place, 1e-8)
        if lies_between(found, (min(slopes), max(slopes))):
            return True
    return False


@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(st.randoms(use_true_random=False))
def test_gradients_of_random_programs_agree_with_central_differences(choose):
    program = random_program(choose, length=8)

    tensors, _ = run(program)

    for number, name in enumerate(program.leaves):
        if number == 2:
            assert tensors[name].grad is None
            continue
        g = tensors[name].grad
        for place in np.ndindex(program.leaves[name].shape):
            found = 0.0 if g is None else float(g.data[place])
            assert is_a_slope(found, program, tensors, name, place), (program, name, place)


def test_two_kinks_at_one_place_may_undo_each_other_and_a_wrong_slope_is_none_there():
    leaves = {"t0": np.array([0.5, 1.5, 0.7]), "t1": np.array(0.5)}
    program = Program(leaves, ["t2 = clamp(t0, t1, t1 + 1)"], [("t2", np.ones(3))])

    tensors, _ = run(program)

    found = float(tensors["t1"].grad.data)
    assert found == 0
    assert not lies_between(found, one_sided(program, "t1", (), 1e-5))
    assert is_a_slope(found, program, tensors, "t1", ())
    for wrong in (-0.1, 2.1):
        assert not is_a_slope(wrong, program, tensors, "t1", ())


@pytest.mark.parametrize("number", range(len(RECORDED)))
def test_steps_of_backward_are_those_of_pytorch_in_its_order(number):
    recorded = RECORDED[number]
    program = Program(
        {name: array(*x) for name, x in recorded["leaves"].items()},
        recorded["lines"],
        [(name, None if v is None else array(*v)) for name, v in recorded["passes"]],
    )

    _, steps = run(program)

    assert [name for name, _ in steps] == [name for name, _ in recorded["steps"]]
    dtype = next(iter(recorded["leaves"].values()))[0]
    for (name, ours), (_, theirs) in zip(steps, recorded["steps"], strict=True):
        assert same(ours, array(*theirs), dtype, scale=1, ulps=ULPS, zero_signs=False), name


@pytest.mark.torch
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("part", range(20))
def test_live_pytorch_gives_the_same_values_gradients_and_steps(part):
    pytest.importorskip("torch")
    from tests.engine import with_torch

    for seed in range(1000 + 15 * part, 1015 + 15 * part):
        dtype = "f4" if seed % 3 == 0 else "f8"
        program = random_program(Random(seed), dtype)

        tensors, steps = run(program)
        theirs, their_steps = with_torch.run(program.leaves, program.lines, program.passes)

        assert [name for name, _ in steps] == [name for name, _ in their_steps], program
        for (_, ours), (_, other) in zip(steps, their_steps, strict=True):
            assert same(ours, other, dtype, scale=1, ulps=ULPS, zero_signs=False), program
        for name, tensor in tensors.items():
            assert same(tensor.data, theirs[name].detach().numpy()[()], dtype, 1, ULPS, False), (program, name)
            if theirs[name].is_leaf:
                assert (tensor.grad is None) == (theirs[name].grad is None), program
                if tensor.grad is not None:
                    grad = theirs[name].grad.numpy()[()]
                    assert same(tensor.grad.data, grad, dtype, 1, ULPS, False), (program, name)
