"""The generator draws what PyTorch draws; data/random.json holds what PyTorch 2.13 drew."""

from __future__ import annotations

import hashlib
import json
import math
import timeit
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradviz.imitation.engine.random.generator import DEFAULT_SEED, Generator
from gradviz.imitation.engine.random.normal import fused
from gradviz.errors import TorchError

RECORDED = json.loads((Path(__file__).parents[1] / "data" / "random.json").read_text(encoding="utf-8"))


def grid(kind: str, sizes: tuple[int, ...]) -> Any:
    count = math.prod(sizes)
    return (np.arange(count) / max(count - 1, 1)).astype(kind).reshape(sizes)[()]


def affine(generator: Generator, sizes: tuple[int, ...], bias: bool, kind: str) -> Any:
    """The parameters of a new nn.Linear or nn.Conv: Kaiming-uniform weight, then uniform bias."""
    fan_in = math.prod(sizes[1:])
    # Written as nn.init computes it: 1 / sqrt(fan_in) for short would differ in the last digit.
    gain = math.sqrt(2.0 / (1 + math.sqrt(5) ** 2))
    bound = math.sqrt(3.0) * (gain / math.sqrt(fan_in))
    parts = [generator.uniform(sizes, -bound, bound, kind)]
    if bias:
        parts.append(generator.uniform((sizes[0],), -1 / math.sqrt(fan_in), 1 / math.sqrt(fan_in), kind))
    return np.concatenate([np.ravel(part) for part in parts])


SPECIAL: dict[str, Callable[..., Any]] = {
    "normal_of_tensors": lambda g, sizes, kind: g.normal_like(-grid(kind, sizes), grid(kind, sizes)),
    "normal_of_a_mean": lambda g, sizes, std, kind: g.normal_like(grid(kind, sizes), std),
    "normal_of_a_std": lambda g, sizes, mean, kind: g.normal_like(mean, grid(kind, sizes)),
    "bernoulli": lambda g, sizes, kind: g.bernoulli(grid(kind, sizes)),
    "affine_parameters": affine,
}


def draw(generator: Generator, name: str, given: list[Any]) -> Any:
    return SPECIAL[name](generator, *given) if name in SPECIAL else getattr(generator, name)(*given)


@pytest.mark.parametrize("sequence", RECORDED["sequences"], ids=lambda sequence: str(sequence["seed"]))
def test_calls_in_a_row_draw_what_pytorch_draws(sequence):
    generator = Generator(sequence["seed"])

    for name, given, expected in sequence["calls"]:
        drawn = draw(generator, name, given)

        exact = np.array(expected, drawn.dtype)
        if drawn.dtype == np.float64 and name.startswith(("randn", "normal", "exponential")):
            # Their log, sin and cos are the C library's, which may round the last digit either way.
            np.testing.assert_allclose(drawn.ravel(), exact, rtol=1e-14, atol=1e-15, err_msg=name)
        else:
            np.testing.assert_array_equal(drawn.ravel(), exact, err_msg=f"{name}{given}", strict=True)


@pytest.mark.parametrize("call", RECORDED["long"], ids=lambda call: f"{call[0]}-{call[1][-1]}")
def test_many_numbers_at_once_are_the_same_bytes_as_in_pytorch(call):
    name, given, digest = call

    drawn = draw(Generator(2130), name, given)

    assert digest == hashlib.sha256(drawn.tobytes()).hexdigest()


def test_a_float16_that_would_round_up_to_one_becomes_zero():
    drawn, fine = Generator(3).rand((20_000,), "float16"), Generator(3).rand((20_000,))

    reaches_one = fine.astype(np.float16) == 1
    assert reaches_one.any()
    assert (drawn[reaches_one] == 0).all()
    assert drawn.max() < 1


@pytest.mark.parametrize("sequence", RECORDED["sequences"][:8], ids=lambda sequence: str(sequence["seed"]))
def test_the_initial_seed_is_the_seed_as_64_bits(sequence):
    assert Generator(sequence["seed"]).initial_seed == sequence["initial_seed"]


def test_a_state_set_again_draws_the_same_numbers():
    source = Generator(5)
    source.randn((3,))  # leaves one normal number over
    state = source.get_state()
    drawn = source.randn((5,)), source.rand((700,))

    other = Generator(1)
    other.set_state(state)

    assert (state.dtype, state.size) == (np.uint8, 5056)
    np.testing.assert_array_equal(other.randn((5,)), drawn[0])
    np.testing.assert_array_equal(other.rand((700,)), drawn[1])


def test_every_method_is_recorded():
    drawn = {call[0] for sequence in RECORDED["sequences"] for call in sequence["calls"]}
    methods = {name for name in vars(Generator) if not name.startswith("_")} - {"manual_seed", "normal_like"}
    methods -= {"get_state", "set_state"}
    methods -= {"bits"}  # the seed that a DataLoader draws; its permutations are recorded in the corpus
    methods -= {"log_normal"}  # in tests/programs
    methods -= {"below"}  # what randint and random_ draw; the latter's are recorded in the corpus

    assert methods <= drawn
    assert set(SPECIAL) <= drawn


@pytest.mark.parametrize("call", RECORDED["refused"], ids=lambda call: f"{call[0]}{call[1]}")
def test_what_pytorch_refuses_is_refused_in_its_words(call):
    name, given, (kind, message) = call

    with pytest.raises(TorchError) as error:
        draw(Generator(0), name, given)

    assert [error.value.kind, error.value.message] == [kind, message]


def test_shapes_and_dtypes_are_those_asked_for():
    generator = Generator(0)

    assert generator.rand((2, 3)).shape == (2, 3)
    assert isinstance(generator.randn(()), np.float32)
    assert generator.randn((20,), "float16").dtype == np.float16
    assert generator.randint(0, 5, (4,), "int32").dtype == np.int32


def test_a_dtype_that_is_not_floating_point_is_refused():
    with pytest.raises(TorchError, match="not implemented for 'Long'"):
        Generator(0).rand((2,), "int64")


def test_a_negative_standard_deviation_in_a_tensor_is_refused():
    with pytest.raises(TorchError, match="all elements of std >= 0"):
        Generator(0).normal_like(0.0, np.array([1.0, -1.0]))


def test_a_probability_above_one_is_refused():
    with pytest.raises(TorchError, match="p_in <= 1"):
        Generator(0).bernoulli(np.array([0.5, 1.5]))


def test_a_new_generator_has_pytorchs_default_seed():
    assert Generator().initial_seed == DEFAULT_SEED
    assert Generator().rand(()) == Generator(67280421310721).rand(())


def test_seeding_anew_forgets_the_kept_normal_number():
    generator = Generator(3)
    generator.randn((1,))

    generator.manual_seed(3)

    np.testing.assert_array_equal(generator.randn((4,)), Generator(3).randn((4,)))


def test_two_generators_do_not_disturb_each_other_or_numpy():
    np.random.seed(0)
    before = np.random.get_state()[1].copy()
    first, second = Generator(5), Generator(5)
    first.rand((100,))

    assert second.rand(()) == Generator(5).rand(())
    assert (np.random.get_state()[1] == before).all()


def test_fused_multiply_add_of_float64_rounds_once():
    tiny = 2.0**-30

    # (1 + t)(1 - t) - 1 = -t^2, which two roundings lose.
    assert fused(1 + tiny, 1 - tiny, -1.0, np.dtype(np.float64)) == -(tiny**2)


def test_fused_multiply_add_near_the_end_of_the_range_stays_finite():
    assert fused(0.5, 1.7e308, 1.0, np.dtype(np.float64)) == 0.85e308


def test_a_hundred_thousand_normal_numbers_take_less_than_a_tenth_of_a_second():
    generator = Generator(0)

    assert min(timeit.repeat(lambda: generator.randn((100_000,)), number=1, repeat=3)) < 0.1
