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

from gradviz.engine.tensor import Tape
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


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
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
            up, down = one_sided(program, name, place, 1e-5)
            found = 0.0 if g is None else float(g.data[place])
            tolerance = 1e-3 * (1 + abs(found))
            # At a kink any value between the two sides is right.
            assert min(up, down) - tolerance <= found <= max(up, down) + tolerance, (program, name, place)


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
