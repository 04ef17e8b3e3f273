"""One table of draws, each as the engine's generator makes it and as PyTorch does, and sequences of them."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from gradviz.engine.random import Generator

Given = tuple[Any, ...]

FLOATS = ("float32", "float32", "float64")
SHAPES = ((), (1,), (3,), (15,), (16,), (17,), (32,), (2, 3), (4, 5), (5, 13), (2, 3, 8), (0,))
RANGES = ((0, 2), (-5, 7), (0, 2**28 - 1), (0, 2**28), (-(2**62), 2**62), (-(2**63), 2**63 - 1))


class Draw(NamedTuple):
    """`ours(generator, *given)` gives an array, `theirs(torch, *given)` a tensor; `choose(random)` gives `given`."""

    ours: Callable[..., Any]
    theirs: Callable[..., Any]
    choose: Callable[[random.Random], Given]


def grid(shape: Any, dtype: str) -> Any:
    """Numbers from 0 to 1 in a row."""
    count = math.prod(shape)
    return (np.arange(count) / max(count - 1, 1)).astype(dtype).reshape(shape)[()]


def weights(shape: Any, dtype: str) -> Any:
    """Positive numbers that differ, for multinomial."""
    return (1 + np.arange(math.prod(shape)) % 7).astype(dtype).reshape(shape)


def _tensor(torch: Any, array: Any) -> Any:
    return torch.from_numpy(np.asarray(array))


def _dtype(torch: Any, name: str) -> Any:
    return getattr(torch, name)


def _linear(g: Generator, outputs: int, inputs: int) -> Any:
    bound = 1 / math.sqrt(inputs)
    return np.concatenate([np.ravel(g.uniform(shape, -bound, bound)) for shape in ((outputs, inputs), (outputs,))])


def _their_linear(torch: Any, outputs: int, inputs: int) -> Any:
    layer = torch.nn.Linear(inputs, outputs)
    return torch.cat([layer.weight.detach().ravel(), layer.bias.detach()])


def _plain(r: random.Random) -> Given:
    return r.choice(SHAPES), r.choice(FLOATS)


DRAWS: dict[str, Draw] = {
    "rand": Draw(
        lambda g, shape, dtype: g.rand(shape, np.dtype(dtype)),
        lambda t, shape, dtype: t.rand(shape, dtype=_dtype(t, dtype)),
        _plain,
    ),
    "randn": Draw(
        lambda g, shape, dtype: g.randn(shape, np.dtype(dtype)),
        lambda t, shape, dtype: t.randn(shape, dtype=_dtype(t, dtype)),
        _plain,
    ),
    "uniform": Draw(
        lambda g, shape, dtype, low, high: g.uniform(shape, low, high, np.dtype(dtype)),
        lambda t, shape, dtype, low, high: t.empty(shape, dtype=_dtype(t, dtype)).uniform_(low, high),
        lambda r: (*_plain(r), *r.choice(((-1.0, 1.0), (-0.3, 0.7), (-1 / 3, 1 / 3), (5.0, 9.0), (0.1, 0.1)))),
    ),
    "normal": Draw(
        lambda g, shape, dtype, mean, std: g.normal(shape, mean, std, np.dtype(dtype)),
        lambda t, shape, dtype, mean, std: t.normal(mean, std, shape, dtype=_dtype(t, dtype)),
        lambda r: (*_plain(r), *r.choice(((0.0, 0.02), (0.1, 1.7), (5.0, 2.0), (-3.25, 0.0)))),
    ),
    "normal of arrays": Draw(
        lambda g, shape, dtype: g.normal_of(-grid(shape, dtype), grid(shape, dtype)),
        lambda t, shape, dtype: t.normal(_tensor(t, -grid(shape, dtype)), _tensor(t, grid(shape, dtype))),
        _plain,
    ),
    "normal of an array of means": Draw(
        lambda g, shape, dtype: g.normal_of(grid(shape, dtype), 0.3),
        lambda t, shape, dtype: t.normal(_tensor(t, grid(shape, dtype)), 0.3),
        _plain,
    ),
    "normal of an array of deviations": Draw(
        lambda g, shape, dtype: g.normal_of(0.3, grid(shape, dtype)),
        lambda t, shape, dtype: t.normal(0.3, _tensor(t, grid(shape, dtype))),
        _plain,
    ),
    "randint": Draw(
        lambda g, shape, dtype, low, high: g.randint(low, high, shape, np.dtype(dtype)),
        lambda t, shape, dtype, low, high: t.randint(low, high, shape, dtype=_dtype(t, dtype)),
        lambda r: r.choice((
            (r.choice(SHAPES), "int64", *r.choice(RANGES)),
            (r.choice(SHAPES), r.choice(("int32", "int8", "float32", "int64")), -5, 7),
        )),
    ),
    "random_": Draw(
        lambda g, shape, dtype: g.random(shape, np.dtype(dtype)),
        lambda t, shape, dtype: t.zeros(shape, dtype=_dtype(t, dtype)).random_(),
        lambda r: (r.choice(SHAPES), r.choice(("int64", "int32", "uint8", "bool", "float32", "float64"))),
    ),
    "randperm": Draw(
        lambda g, n: g.randperm(n), lambda t, n: t.randperm(n), lambda r: (r.choice((0, 1, 2, 10, 50)),)
    ),
    "bernoulli": Draw(
        lambda g, shape, dtype: g.bernoulli(grid(shape, dtype)),
        lambda t, shape, dtype: t.bernoulli(_tensor(t, grid(shape, dtype))),
        _plain,
    ),
    "bernoulli_": Draw(
        lambda g, shape, dtype, p: g.bernoulli_mask(shape, p, np.dtype(dtype)),
        lambda t, shape, dtype, p: t.empty(shape, dtype=_dtype(t, dtype)).bernoulli_(p),
        lambda r: (*_plain(r), r.choice((0.0, 0.2, 0.5, 1.0))),
    ),
    "dropout": Draw(
        lambda g, shape, dtype, p: g.dropout_mask(shape, p, np.dtype(dtype)),
        lambda t, shape, dtype, p: t.nn.functional.dropout(t.ones(shape, dtype=_dtype(t, dtype)), p),
        lambda r: (*_plain(r), r.choice((0.0, 0.1, 0.3, 0.5, 1.0))),
    ),
    "exponential": Draw(
        lambda g, shape, dtype, rate: g.exponential(shape, rate, np.dtype(dtype)),
        lambda t, shape, dtype, rate: t.empty(shape, dtype=_dtype(t, dtype)).exponential_(rate),
        lambda r: (*_plain(r), r.choice((0.5, 1.0, 2.5))),
    ),
    "multinomial": Draw(
        lambda g, shape, dtype, count, replacement: g.multinomial(weights(shape, dtype), count, replacement),
        lambda t, shape, dtype, count, replacement: t.multinomial(
            _tensor(t, weights(shape, dtype)), count, replacement
        ),
        lambda r: (r.choice(((5,), (3, 6), (1, 40))), r.choice(FLOATS), r.randint(1, 5), r.choice((True, False))),
    ),
    "parameters of nn.Linear": Draw(
        _linear, _their_linear, lambda r: (r.randint(1, 9), r.randint(1, 9))
    ),
}  # fmt: skip

LONG: list[tuple[str, Given]] = [
    ("rand", ((50_000,), "float32")),
    ("rand", ((50_000,), "float64")),
    ("randn", ((100_003,), "float32")),
    ("randn", ((20_001,), "float64")),
    ("uniform", ((50_000,), "float32", -1 / 3, 1 / 3)),
    ("uniform", ((50_000,), "float64", -1 / 3, 1 / 3)),
    ("exponential", ((50_000,), "float32", 2.5)),
    ("dropout", ((50_000,), "float32", 0.3)),
    ("bernoulli", ((50_000,), "float32")),
    ("randperm", (20_000,)),
]
"""Many numbers at once, for what happens once in thousands."""


def calls_in_a_row(seed: int, count: int = 4) -> list[tuple[str, Given]]:
    """Some calls, chosen by a seed; each must leave a generator where PyTorch's is left."""
    chooser = random.Random(seed)
    return [(name, DRAWS[name].choose(chooser)) for name in chooser.choices(list(DRAWS), k=count)]
