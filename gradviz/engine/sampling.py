"""Tensors of random numbers: `torch.rand`, `torch.randint`, `x.normal_()`, and the generator they draw from.

What is drawn carries no gradient. All functions take `generator=`; without it they draw from `default_generator`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Self

import numpy as np

from gradviz.engine import random
from gradviz.engine.creation import (
    Options,
    check_options,
    dtype_given,
    finish,
    lengths_given,
    number_given,
    shape_given,
    whole_given,
)
from gradviz.engine.devices import check_device
from gradviz.engine.dtypes import INT64
from gradviz.engine.known import missing_in
from gradviz.engine.operands import tensor_given, wrong_argument
from gradviz.engine.state import state
from gradviz.engine.tensor import Tensor, constant, current
from gradviz.engine.views import refuse_write, write


class Generator(random.Generator):
    """`torch.Generator`: a stream of random numbers of one's own; see `random.Generator`."""

    __module__ = "torch._C"

    def __init__(self, device: object = "cpu") -> None:
        check_device(device)
        super().__init__()

    def __getattr__(self, name: str) -> Any:
        raise missing_in("torch.Generator", self, name)

    def get_state(self) -> Tensor:
        """The state, as a tensor of 5056 bytes."""
        return constant(super().get_state())

    def set_state(self, new_state: Tensor) -> Self:
        """Go back to a state that `get_state` gave.

        Raises:
            TypeError, RuntimeError: it is not one.
        """
        super().set_state(current(tensor_given("set_state", new_state, "new_state")).array)
        return self


default_generator = Generator()
"""What every draw comes from that names no generator of its own."""


def manual_seed(seed: Any) -> Generator:
    """`torch.manual_seed`: start the default generator anew.

    Raises:
        ValueError: the seed does not fit into 64 bits.
    """
    return default_generator.manual_seed(int(seed))


def initial_seed() -> int:
    """`torch.initial_seed`: the seed that the default generator began with."""
    return default_generator.initial_seed()


def get_rng_state() -> Tensor:
    """`torch.get_rng_state`: the state of the default generator, as a tensor of bytes."""
    return default_generator.get_state()


def set_rng_state(new_state: Tensor) -> None:
    """`torch.set_rng_state`: put the default generator back to a state that `get_rng_state` gave."""
    default_generator.set_state(new_state)


@contextmanager
def fork_rng(devices: object = None, enabled: bool = True) -> Iterator[None]:
    """`torch.random.fork_rng`: what is drawn inside leaves the default generator as it was before."""
    before = default_generator.get_state()
    try:
        yield
    finally:
        if enabled:
            default_generator.set_state(before)


def generator_given(function: str, generator: Any) -> random.Generator:
    """The generator to draw from.

    Raises:
        TypeError: the argument is no generator.
    """
    if generator is None:
        return default_generator
    if not isinstance(generator, random.Generator):
        raise TypeError(wrong_argument(function, "generator", 1, generator, "torch.Generator"))
    return generator


# ---- of a shape ---------------------------------------------------------------------------------------------------


def rand(*size: Any, generator: Any = None, **options: Any) -> Tensor:
    """`torch.rand(2, 3)`: uniform in [0, 1)."""
    check_options("rand", options)
    dtype = dtype_given("rand", options.get("dtype"), state.dtype)
    return finish(generator_given("rand", generator).rand(shape_given("rand", size, options), dtype), options)


def randn(*size: Any, generator: Any = None, **options: Any) -> Tensor:
    """`torch.randn(2, 3)`: normal with mean 0 and standard deviation 1."""
    check_options("randn", options)
    dtype = dtype_given("randn", options.get("dtype"), state.dtype)
    return finish(generator_given("randn", generator).randn(shape_given("randn", size, options), dtype), options)


def randint(*args: Any, generator: Any = None, **options: Any) -> Tensor:
    """`torch.randint(low, high, size)`, `torch.randint(high, size)`: whole numbers in [low, high).

    Raises:
        RuntimeError: there is no number in that range, or the dtype does not hold them all.
    """
    named = dict(options)
    *bounds, size = args if "size" not in named else (*args, named.pop("size"))
    if not isinstance(size, list | tuple):
        raise TypeError(wrong_argument("randint", "size", len(args), size, "tuple of ints"))
    limits: dict[str, Any] = {name: named.pop(name) for name in ("low", "high") if name in named}
    low, high = _bounds("randint", bounds, limits)
    check_options("randint", named)
    dtype = dtype_given("randint", named.get("dtype"), INT64.numpy)
    shape = lengths_given("randint", size)
    return finish(generator_given("randint", generator).randint(low, high, shape, dtype), named)


def _bounds(function: str, bounds: list[Any], limits: Mapping[str, Any]) -> tuple[int, int]:
    """The two bounds out of `(high)`, `(low, high)` and their names."""
    if len(bounds) == 2:
        limits = {"low": bounds[0], "high": bounds[1]}
    elif bounds:
        limits = {**limits, "low" if "high" in limits else "high": bounds[0]}
    if "high" not in limits:
        raise TypeError(f'{function}() missing 1 required positional arguments: "high"')
    return (
        whole_given(function, "low", 1, limits.get("low", 0)),
        whole_given(function, "high", 1 + (len(bounds) == 2), limits["high"]),
    )


def randperm(n: int, *, generator: Any = None, **options: Any) -> Tensor:
    """`torch.randperm(n)`: 0 .. n - 1 in random order."""
    check_options("randperm", options)
    dtype = dtype_given("randperm", options.get("dtype"), INT64.numpy)
    count = whole_given("randperm", "n", 1, n)
    return finish(generator_given("randperm", generator).randperm(count, dtype), options)


def normal(mean: Any = 0.0, std: Any = 1.0, size: Any = None, *, generator: Any = None, **options: Any) -> Tensor:
    """`torch.normal(mean, std, size)` of two numbers, or of tensors for one or both of them.

    Raises:
        RuntimeError: a negative standard deviation.
        TypeError: two numbers without a size.
    """
    check_options("normal", options)
    source = generator_given("normal", generator)
    if isinstance(mean, Tensor) or isinstance(std, Tensor):
        means, deviations = (current(x).array if isinstance(x, Tensor) else x for x in (mean, std))
        try:
            return finish(source.normal_of(means, deviations), options)
        except ValueError:
            (mean + std)  # raises PyTorch's text on shapes that do not broadcast
            raise
    if size is None:
        raise TypeError('normal() missing 1 required positional arguments: "size"')
    dtype = dtype_given("normal", options.get("dtype"), state.dtype)
    center, spread = number_given("normal", "mean", 1, mean), number_given("normal", "std", 2, std)
    return finish(source.normal(lengths_given("normal", size), center, spread, dtype), options)


# ---- like another tensor, or by its probabilities -----------------------------------------------------------------


def rand_like(input: Tensor, *, generator: Any = None, **options: Any) -> Tensor:
    """Uniform in [0, 1), in the shape and dtype of a tensor."""
    shape, named = _like("rand_like", input, options)
    return rand(shape, generator=generator, **named)


def randn_like(input: Tensor, *, generator: Any = None, **options: Any) -> Tensor:
    """Normal with mean 0 and standard deviation 1, in the shape and dtype of a tensor."""
    shape, named = _like("randn_like", input, options)
    return randn(shape, generator=generator, **named)


def _like(function: str, input: Tensor, options: Options) -> tuple[tuple[int, ...], dict[str, Any]]:
    x = tensor_given(function, input)
    return tuple(x.shape), {"dtype": x.dtype, **options}


def bernoulli(input: Tensor, p: float | None = None, *, generator: Any = None) -> Tensor:
    """`torch.bernoulli`: 1 with the probability that each element gives (or p for all), else 0.

    Raises:
        RuntimeError: a probability outside [0, 1].
    """
    array = current(tensor_given("bernoulli", input)).array
    source = generator_given("bernoulli", generator)
    return constant(source.bernoulli(array) if p is None else source.bernoulli_mask(array.shape, p, array.dtype))


def multinomial(input: Tensor, num_samples: int, replacement: bool = False, *, generator: Any = None) -> Tensor:
    """`torch.multinomial`: indices drawn with the weights of each row.

    Raises:
        RuntimeError: weights below 0, rows of zeros, or more indices than there are weights.
    """
    array = current(tensor_given("multinomial", input)).array
    count = whole_given("multinomial", "num_samples", 2, num_samples)
    return constant(generator_given("multinomial", generator).multinomial(array, count, replacement))


# ---- in place ------------------------------------------------------------------------------------------------------


def uniform_(self: Tensor, *bounds: float, generator: Any = None, **named: float) -> Tensor:
    """`x.uniform_(from=0, to=1)`: fill with numbers uniform in [from, to)."""
    low, high = (*bounds, *(named.get("from", 0.0), named.get("to", 1.0))[len(bounds) :])
    shape, dtype = _to_fill(self)
    return write(self, constant(generator_given("uniform_", generator).uniform(shape, low, high, dtype)))


def normal_(self: Tensor, mean: float = 0.0, std: float = 1.0, *, generator: Any = None) -> Tensor:
    """`x.normal_(mean, std)`: fill with normal numbers."""
    shape, dtype = _to_fill(self)
    return write(self, constant(generator_given("normal_", generator).normal(shape, mean, std, dtype)))


def exponential_(self: Tensor, lambd: float = 1.0, *, generator: Any = None) -> Tensor:
    """`x.exponential_(lambd)`: fill with exponential numbers of mean 1 / lambd."""
    shape, dtype = _to_fill(self)
    return write(self, constant(generator_given("exponential_", generator).exponential(shape, lambd, dtype)))


def random_(self: Tensor, *bounds: int, generator: Any = None, **named: int) -> Tensor:
    """`x.random_(from, to)`: fill with whole numbers in [from, to), or all that the dtype holds."""
    shape, dtype = _to_fill(self)
    source = generator_given("random_", generator)
    if not bounds and not named:
        return write(self, constant(source.random(shape, dtype)))
    low, high = _bounds("random_", list(bounds), {_ENDS[name]: value for name, value in named.items()})
    return write(self, constant(source.randint(low, high, shape, dtype)))


_ENDS = {"from": "low", "to": "high"}


def _to_fill(x: Tensor) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """The shape and dtype of a tensor that shall be filled; drawing begins once it may be."""
    refuse_write(x)
    array = current(x).array
    return array.shape, array.dtype


METHODS: dict[str, Any] = {
    "bernoulli": bernoulli, "multinomial": multinomial, "uniform_": uniform_, "normal_": normal_,
    "exponential_": exponential_, "random_": random_,
}  # fmt: skip
"""What tensors have of these functions."""

__all__ = [
    "Generator", "bernoulli", "default_generator", "fork_rng", "get_rng_state", "initial_seed", "manual_seed",
    "multinomial", "normal", "rand", "rand_like", "randint", "randn", "randn_like", "randperm",
    "set_rng_state",
]  # fmt: skip
