"""The generator draws what PyTorch draws; data/engine_random.json holds what PyTorch 2.13 drew."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradviz.engine.random import DEFAULT_SEED, Generator, multiply_add
from tests.engine.random_draws import DRAWS, LONG, calls_in_a_row

RECORDED = json.loads((Path(__file__).parents[1] / "data" / "engine_random.json").read_text(encoding="utf-8"))
FROM_LIBM = ("randn", "normal", "exponential")
"""In float64 their log, sin and cos are the C library's, which may round the last digit either way."""


def assert_drawn(drawn: Any, expected: Any, name: str) -> None:
    exact = np.asarray(expected, drawn.dtype).ravel()
    if drawn.dtype == np.float64 and name.startswith(FROM_LIBM):
        np.testing.assert_allclose(drawn.ravel(), exact, rtol=1e-14, atol=1e-15, err_msg=name)
    else:
        np.testing.assert_array_equal(drawn.ravel(), exact, err_msg=name)


@pytest.mark.parametrize("sequence", RECORDED["sequences"], ids=lambda sequence: str(sequence["seed"]))
def test_calls_in_a_row_draw_what_pytorch_drew(sequence):
    generator = Generator().manual_seed(sequence["seed"])

    assert generator.initial_seed() == sequence["initial_seed"]
    for name, given_arguments, expected in sequence["calls"]:
        assert_drawn(DRAWS[name].ours(generator, *given_arguments), expected, name)


def test_every_kind_of_draw_is_recorded():
    assert {call[0] for sequence in RECORDED["sequences"] for call in sequence["calls"]} == set(DRAWS)


@pytest.mark.parametrize("call", RECORDED["long"], ids=lambda call: f"{call[0]}-{call[1][-1]}")
def test_many_numbers_at_once_are_the_same_bytes_as_in_pytorch(call):
    name, given_arguments, digest = call

    drawn = DRAWS[name].ours(Generator().manual_seed(2130), *given_arguments)

    assert hashlib.sha256(drawn.tobytes()).hexdigest() == digest


@pytest.mark.torch
@settings(max_examples=60, deadline=None)
@given(st.integers(-(2**63), 2**64 - 1))
def test_a_live_pytorch_draws_the_same_and_ends_in_the_same_state(seed):
    torch = pytest.importorskip("torch")
    generator = Generator().manual_seed(seed)
    torch.manual_seed(seed)

    for name, arguments in calls_in_a_row(seed, count=6):
        expected = DRAWS[name].theirs(torch, *arguments)
        assert_drawn(DRAWS[name].ours(generator, *arguments), expected.numpy(), name)
    generator_state = generator.get_state()
    their_state = torch.get_rng_state().numpy()
    size_of_words = 24 + 8 * 624
    np.testing.assert_array_equal(generator_state[:size_of_words], their_state[:size_of_words])


@pytest.mark.torch
@pytest.mark.parametrize("call", LONG, ids=lambda call: f"{call[0]}-{call[1][-1]}")
def test_a_live_pytorch_draws_the_same_many_numbers(call):
    torch = pytest.importorskip("torch")
    name, arguments = call
    torch.manual_seed(77)

    expected = DRAWS[name].theirs(torch, *arguments).numpy()

    assert_drawn(DRAWS[name].ours(Generator().manual_seed(77), *arguments), expected, name)


@pytest.mark.torch
def test_a_state_of_a_live_pytorch_goes_on_as_pytorch_does():
    torch = pytest.importorskip("torch")
    torch.manual_seed(3)
    torch.randn(5)  # one normal number is left

    generator = Generator()
    generator.set_state(torch.get_rng_state().numpy())

    assert_drawn(generator.randn((7,)), torch.randn(7).numpy(), "randn of few float32")
    assert_drawn(generator.rand((7,)), torch.rand(7).numpy(), "rand")


def test_a_generator_that_nobody_seeded_draws_as_seeded_with_pytorchs_default():
    np.testing.assert_array_equal(Generator().rand((5,)), Generator().manual_seed(DEFAULT_SEED).rand((5,)))


def test_a_state_set_again_draws_the_same_numbers():
    source = Generator().manual_seed(5)
    source.randn((3,))
    state = source.get_state()
    drawn = source.randn((5,)), source.rand((700,))

    other = Generator()
    other.set_state(state)

    assert (state.dtype, state.size) == (np.uint8, 5056)
    np.testing.assert_array_equal(other.randn((5,)), drawn[0])
    np.testing.assert_array_equal(other.rand((700,)), drawn[1])


def test_shapes_and_dtypes_are_those_asked_for():
    generator = Generator()

    assert generator.rand((2, 3)).shape == (2, 3)
    assert isinstance(generator.randn(()), np.float32)
    assert generator.randn((20,), np.dtype(np.float64)).dtype == np.float64
    assert generator.randint(0, 5, (4,), np.dtype(np.int32)).dtype == np.int32


def test_a_weight_of_zero_is_never_drawn():
    drawn = Generator().multinomial(np.array([0.0, 1.0, 0.0, 2.0]), 500, replacement=True)

    assert set(drawn.tolist()) == {1, 3}


def test_multiply_add_rounds_once():
    a, b, c = 1 + 2.0**-30, 1 - 2.0**-30, -1.0  # a * b is 1 - 2**-60, which float64 rounds to 1

    assert multiply_add(a, b, c, np.dtype(np.float64)) == -(2.0**-60)


REFUSED: dict[str, tuple[Any, type[Exception], str]] = {
    "negative deviation": (lambda g: g.normal((2,), 0.0, -1.0), RuntimeError, r"normal expects std >= 0\.0"),
    "negative deviations": (
        lambda g: g.normal_of(0.0, np.array([1.0, -1.0])), RuntimeError, r"expects all elements of std >= 0\.0"
    ),
    "normal of ints": (lambda g: g.randn((2,), np.dtype(int)), NotImplementedError, "\"normal_kernel_cpu\" .* 'Long'"),
    "uniform of ints": (lambda g: g.rand((2,), np.dtype(int)), NotImplementedError, "\"check_uniform_bounds\""),
    "bounds in disorder": (lambda g: g.uniform((2,), 3, 1), RuntimeError, r"a \[from, to\) range, but found from=3"),
    "no integer": (lambda g: g.randint(5, 5, (2,)), RuntimeError, "less than 'to', but got from=5 >= to=5"),
    "integers beyond the dtype": (
        lambda g: g.randint(0, 300, (2,), np.dtype(np.uint8)), RuntimeError, "from 0 to 299 is out of bounds for uint8"
    ),
    "negative length": (lambda g: g.randperm(-1), RuntimeError, "negative dimension -1"),
    "probability above 1": (lambda g: g.bernoulli(np.array([1.5])), RuntimeError, r"every p to be in \[0, 1\]"),
    "dropout above 1": (lambda g: g.dropout_mask((2,), 1.5), ValueError, "has to be between 0 and 1, but got 1.5"),
    "rate of 0": (lambda g: g.exponential((2,), 0.0), RuntimeError, r"expects lambda > 0\.0, but found lambda=0"),
    "negative weight": (lambda g: g.multinomial(np.array([-1.0, 2.0]), 1), RuntimeError, "element < 0"),
    "weights of 0": (lambda g: g.multinomial(np.zeros(2), 1), RuntimeError, r"sum of probabilities <= 0"),
    "too many draws": (lambda g: g.multinomial(np.ones(2), 3), RuntimeError, r"prob_dist\.size\(-1\)"),
    "integer weights": (lambda g: g.multinomial(np.array([1, 2]), 1), RuntimeError, "got: Long"),
    "seed of 65 bits": (lambda g: g.manual_seed(2**64), ValueError, "Overflow when unpacking long long"),
    "seed that is a float": (lambda g: g.manual_seed(1.5), RuntimeError, "expected a long, but got float"),
    "state of wrong size": (lambda g: g.set_state(np.zeros(3, np.uint8)), RuntimeError, "size to be 3"),
    "state of wrong dtype": (lambda g: g.set_state(np.zeros(5056)), TypeError, r"must be a torch\.ByteTensor"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_pytorch_refuses_is_refused_in_its_words(name):
    call, kind, message = REFUSED[name]

    with pytest.raises(kind, match=message):
        call(Generator())
