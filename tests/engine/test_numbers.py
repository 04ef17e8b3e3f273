"""Passes over many numbers or small arrays: the same digits and the same steps as the loop for all entries gives."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from gradviz.imitation.engine.autograd import backward
from gradviz.imitation.engine.functions import FUNCTIONS as F
from gradviz.imitation.engine.kernels.nearest import one_minus_square, one_minus_square_of_each
from gradviz.imitation.engine.passes import backward as passes
from gradviz.imitation.engine.tensor import Tape, Tensor
from gradviz.errors import TorchError
from gradviz.imitation.freeze import freeze

Step = tuple[str, int, int]


def program(length: int, leaves: int, seed: int) -> list[Step]:
    """Ops on one of the last values, and on a leaf or any value."""
    choose = random.Random(seed)
    names = ("tanh", "mul", "add", "tanh", "mul", "sub", "div", "exp", "neg", "relu", "twice", "square", "one_minus")
    places = range(leaves, leaves + length)
    return [
        (choose.choice(names), place - 1 - choose.randrange(3), choose.randrange(choose.choice((leaves, place))))
        for place in places
    ]


def computed(name: str, a: Tensor, b: Tensor) -> Any:
    """One step of a program; values stay near 1 where they would grow."""
    if name in ("tanh", "neg", "relu"):
        return F[name](a)
    if name == "exp":
        return F["tanh"](F["exp"](F["tanh"](a)))
    if name == "div":
        return a / (b * b + 1.0)
    made = {"mul": lambda: a * b, "add": lambda: a + b, "sub": lambda: a - b, "twice": lambda: 2 * a}
    made |= {"square": lambda: F["pow"](F["tanh"](a), 2), "one_minus": lambda: 1 - F["tanh"](a)}
    return made[name]()


def numbers(tape: Tape, dtype: str) -> list[Tensor]:
    return [tape.tensor(np.dtype(dtype).type(0.3 * k - 0.5), requires_grad=k != 2) for k in range(7)]


def numbers_behind_vectors(tape: Tape, dtype: str) -> list[Tensor]:
    x, made = tape.tensor(np.linspace(-1, 1, 6).astype(dtype), requires_grad=True), numbers(tape, dtype)[:5]
    return [*made, F["sum"](x * made[0]), F["mean"](F["tanh"](x) * made[2])]


def vectors(tape: Tape, dtype: str) -> list[Tensor]:
    grid = np.linspace(-1, 1, 40).reshape(5, 8).astype(dtype)
    return [*(tape.tensor(row, requires_grad=k != 2) for k, row in enumerate(grid)), *numbers(tape, dtype)[:2]]


def matrices(tape: Tape, dtype: str) -> list[Tensor]:
    grid = np.linspace(-1, 1, 60).reshape(5, 4, 3).astype(dtype)
    made = [tape.tensor(x, requires_grad=k != 2) for k, x in enumerate(grid)]
    return [*made, tape.tensor(grid[0][:1].copy(), requires_grad=True), F["t"](tape.tensor(grid[1].T.copy()))]


LEAVES = (numbers, numbers_behind_vectors, vectors, matrices)


def run(steps: list[Step], leaves: Any, dtype: str, seeds: int = 1) -> tuple[Tape, Any]:
    """The tape and the recording of a program over a few leaves and a constant, with a backward pass."""
    tape = Tape()
    with tape.recording():
        values = leaves(tape, dtype)
        for name, a, b in steps:
            values.append(computed(name, values[a], values[b]))
        outputs = [*values[1 - seeds :], F["sum"](values[-1])][-seeds:]
        backward(outputs, [tape.tensor(np.full(y.shape, 0.7, dtype)[()]) for y in outputs])
    return tape, freeze(tape)


def as_bits(x: Any) -> Any:
    """Dtype, layout and bytes of every gradient."""
    if isinstance(x, tuple | list):
        return [as_bits(item) for item in x]
    return (x.dtype, x.shape, x.strides, x.tobytes()) if isinstance(x, np.ndarray | np.generic) else x


def told(tape: Tape, recording: Any) -> list[Any]:
    (sweep,) = recording.sweeps
    steps = [(step.node, as_bits(step.incoming), as_bits(step.outgoing)) for step in sweep.steps]
    grads = [as_bits(x.grad.data) for x in tape.entries if x.op is None and x.grad is not None]
    return [steps, [(a.node, as_bits(a.after)) for a in sweep.accumulated], grads, sorted(tape.freed)]


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("leaves", LEAVES, ids=lambda leaves: leaves.__name__)
@pytest.mark.parametrize("seed", range(4))
def test_pass_over_many_is_told_as_the_loop_for_all_entries_tells_it(
    dtype: str, leaves: Any, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = program(150, 7, seed)

    tape, recording = run(steps, leaves, dtype, 1 + seed % 2)
    monkeypatch.setattr(passes, "numbers_below", lambda *_: None)
    monkeypatch.setattr(passes, "slopes", lambda *_: {})
    plain = run(steps, leaves, dtype, 1 + seed % 2)

    assert told(tape, recording) == told(*plain)


def test_pass_over_many_numbers_goes_its_own_way() -> None:
    tape = Tape()
    x = y = tape.tensor(np.float64(0.5), requires_grad=True)
    for _ in range(100):
        y = y * x
    backward([y], [None])

    assert tape.sweeps[0].numbers is not None
    assert len(tape.sweeps[0].order) == 100
    assert tape.sweeps[0].numbers is None


def test_numbers_of_two_dtypes_meet_in_the_wider_one_and_part_again() -> None:
    tape = Tape()
    narrow, wide = tape.tensor(np.float32(0.1), requires_grad=True), tape.tensor(np.float64(0.3), requires_grad=True)
    y = narrow * wide
    for _ in range(100):
        y = y + wide
    backward([y], [None])

    assert (narrow.grad.data, narrow.grad.dtype) == (np.float32(0.3), np.float32)
    assert wide.grad.data == 100 + np.float64(np.float32(0.1))


def test_second_pass_over_freed_numbers_is_refused() -> None:
    tape = Tape()
    x = y = tape.tensor(np.float64(0.5), requires_grad=True)
    for _ in range(100):
        y = y * x
    backward([y], [None])

    with pytest.raises(TorchError, match="backward through the graph a second time"):
        backward([y], [None])


def test_infinite_numbers_are_no_error() -> None:
    tape = Tape()
    x = y = tape.tensor(np.float64(1e200), requires_grad=True)
    with tape.recording():
        for _ in range(50):
            y = y * x
        backward([y / y], [None])

    assert np.isnan(x.grad.data)


@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_one_minus_square_of_many_numbers_has_the_digits_of_each(dtype: str) -> None:
    y = np.concatenate(([0, 1, -1, 2, np.inf, np.nan, 1e-320], np.tanh(np.linspace(-9, 9, 500)))).astype(dtype)

    with np.errstate(all="ignore"):
        one_by_one = np.array([one_minus_square(x) for x in y])

    np.testing.assert_array_equal(one_minus_square_of_each(y).view(f"u{y.itemsize}"), one_by_one.view(f"u{y.itemsize}"))


def test_leaf_made_before_the_run_gets_a_number_of_numpy() -> None:
    tape = Tape()
    w = tape.tensor(np.float64(0.5), requires_grad=True)
    y = F["sum"](tape.tensor(np.zeros(3), requires_grad=True))
    for _ in range(100):
        y = y + w
    backward([y], [None])

    assert (type(w.grad.data), w.grad.data) == (np.float64, 100)
