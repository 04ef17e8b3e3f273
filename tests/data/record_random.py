"""Record random.json: what PyTorch 2.13 draws from a seed. Needs torch; the tests do not.

Run it from the root of the repository: `python tests/data/record_random.py`, on x86 with AVX2.
A call is recorded as [name, arguments, result]; names and arguments are those of `Generator` in
gradviz.imitation.engine.random.generator.
"""

from __future__ import annotations

import hashlib
import json
import random
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

Call = list[Any]
choose = random.Random(2130)

FLOATS = ("float32", "float32", "float32", "float64", "float16")
BOUNDS = ((0.0, 1.0), (-1.0, 1.0), (-0.3, 0.7), (-1 / 3, 1 / 3), (5.0, 9.0), (0.1, 0.1))
MOMENTS = ((0.0, 1.0), (0.0, 0.02), (0.1, 1.7), (5.0, 2.0), (-3.25, 0.0))
RANGES = ((0, 2), (-5, 7), (0, 10), (0, 2**28 - 1), (0, 2**28), (-(2**62), 2**62), (-(2**63), 2**63 - 1))


def shape() -> tuple[int, ...]:
    """Shapes on either side of 16 elements, where PyTorch changes its ways, and at multiples of 16."""
    some = ((), (1,), (3,), (15,), (16,), (17,), (32,), (2, 3), (4, 5), (5, 13), (2, 3, 8), (0,))
    return choose.choice(some)


def dtype(name: str) -> torch.dtype:
    return getattr(torch, name)


def grid(kind: str, sizes: tuple[int, ...]) -> torch.Tensor:
    """Numbers from 0 to 1, as a test makes them for itself."""
    count = int(torch.tensor(sizes).prod())
    return (torch.arange(count, dtype=torch.float64) / max(count - 1, 1)).to(dtype(kind)).reshape(sizes)


def affine(weight_shape: tuple[int, ...], bias: bool, kind: str) -> torch.Tensor:
    outputs, inputs, *kernel = weight_shape
    module: torch.nn.Module = (
        torch.nn.Conv2d(inputs, outputs, tuple(kernel), bias=bias, dtype=dtype(kind))
        if kernel
        else torch.nn.Linear(inputs, outputs, bias=bias, dtype=dtype(kind))
    )
    return torch.cat([parameter.detach().ravel() for parameter in module.parameters()])


DRAW: dict[str, Callable[..., torch.Tensor]] = {
    "rand": lambda sizes, kind: torch.rand(sizes, dtype=dtype(kind)),
    "randn": lambda sizes, kind: torch.randn(sizes, dtype=dtype(kind)),
    "uniform": lambda sizes, low, high, kind: torch.empty(sizes, dtype=dtype(kind)).uniform_(low, high),
    "normal": lambda sizes, mean, std, kind: torch.normal(mean, std, sizes, dtype=dtype(kind)),
    "normal_of_tensors": lambda sizes, kind: torch.normal(-grid(kind, sizes), grid(kind, sizes)),
    "normal_of_a_mean": lambda sizes, std, kind: torch.normal(grid(kind, sizes), std),
    "normal_of_a_std": lambda sizes, mean, kind: torch.normal(mean, grid(kind, sizes)),
    "randint": lambda low, high, sizes, kind: torch.randint(low, high, sizes, dtype=dtype(kind)),
    "randperm": lambda n: torch.randperm(n),
    "bernoulli": lambda sizes, kind: torch.bernoulli(grid(kind, sizes)),
    "bernoulli_mask": lambda sizes, p, kind: torch.empty(sizes, dtype=dtype(kind)).bernoulli_(p),
    "dropout_mask": lambda sizes, p, kind: torch.nn.functional.dropout(torch.ones(sizes, dtype=dtype(kind)), p),
    "exponential": lambda sizes, rate, kind: torch.empty(sizes, dtype=dtype(kind)).exponential_(rate),
    "affine_parameters": affine,
}


def arguments(name: str) -> list[Any]:
    """Random arguments for a method."""
    sizes, kind = shape(), choose.choice(FLOATS)
    table: dict[str, Callable[[], list[Any]]] = {
        "uniform": lambda: [sizes, *choose.choice(BOUNDS), kind],
        "normal": lambda: [sizes, *choose.choice(MOMENTS), kind],
        "normal_of_a_mean": lambda: [sizes, choose.choice((0.0, 0.3, 2.0)), kind],
        "normal_of_a_std": lambda: [sizes, choose.choice((0.0, 0.3, 2.0)), kind],
        "randint": lambda: choose.choice(
            ([*choose.choice(RANGES), sizes, "int64"], [-5, 7, sizes, choose.choice(("int32", "int8", "float32"))])
        ),
        "randperm": lambda: [choose.choice((0, 1, 2, 10, 50))],
        "bernoulli_mask": lambda: [sizes, choose.choice((0.0, 0.2, 0.5, 1.0)), kind],
        "dropout_mask": lambda: [sizes, choose.choice((0.0, 0.1, 0.3, 0.5, 1.0)), kind],
        "exponential": lambda: [sizes, choose.choice((0.5, 1.0, 2.5)), kind],
        "affine_parameters": lambda: [
            choose.choice(((1, 1), (3, 2), (4, 10), (2, 3, 3, 3), (4, 1, 2, 1))),
            choose.random() < 0.7,
            choose.choice(("float32", "float64")),
        ],
    }
    return table.get(name, lambda: [sizes, kind])()


def sequence(seed: int) -> dict[str, Any]:
    """Four calls in a row: each must leave the generator where PyTorch leaves it."""
    torch.manual_seed(seed)
    calls: list[Call] = []
    for name in choose.choices(list(DRAW), k=4):
        given = arguments(name)
        calls.append([name, given, DRAW[name](*given).ravel().tolist()])
    return {"seed": seed, "initial_seed": torch.initial_seed(), "calls": calls}


def long_draws() -> list[Call]:
    """Many numbers at once, for what happens once in thousands: [name, arguments, SHA-256 of the bytes]."""
    some: list[tuple[str, list[Any]]] = [
        ("randn", [(100_003,), "float32"]),
        ("rand", [(50_000,), "float16"]),
        ("uniform", [(50_000,), -1 / 3, 1 / 3, "float32"]),
        ("uniform", [(50_000,), -1 / 3, 1 / 3, "float64"]),
        ("exponential", [(200_000,), 2.5, "float16"]),
        ("dropout_mask", [(50_000,), 0.3, "float32"]),
        ("randperm", [20_000]),
    ]
    return [[name, given, digest(name, given)] for name, given in some]


def digest(name: str, given: list[Any]) -> str:
    torch.manual_seed(2130)
    return hashlib.sha256(DRAW[name](*given).numpy().tobytes()).hexdigest()


def refused() -> list[Call]:
    """Calls that PyTorch refuses, as [name, arguments, [exception, message]]."""
    some: list[tuple[str, list[Any]]] = [
        ("normal", [(2,), 0.0, -1.0, "float32"]),
        ("uniform", [(2,), 1.0, 0.5, "float32"]),
        ("uniform", [(2,), -3e38, 3e38, "float32"]),
        ("uniform", [(2,), -1e39, 0.0, "float32"]),
        ("uniform", [(2,), -1.5e308, 1.5e308, "float64"]),
        ("randint", [5, 5, (2,), "int64"]),
        ("randint", [0, 2**63, (2,), "int64"]),
        ("randint", [0, 300, (2,), "uint8"]),
        ("randint", [-1, 3, (2,), "uint8"]),
        ("randint", [-200, 3, (2,), "int8"]),
        ("randint", [0, 2**15 + 1, (2,), "int16"]),
        ("randint", [0, 2**31 + 1, (2,), "int32"]),
        ("randint", [0, 3, (2,), "bool"]),
        ("randperm", [-1]),
        ("bernoulli_mask", [(2,), 2.0, "float32"]),
        ("dropout_mask", [(2,), 1.5, "float32"]),
        ("exponential", [(2,), 0.0, "float32"]),
        ("manual_seed", [2**64]),
        ("manual_seed", [-(2**63) - 1]),
    ]
    return [[name, given, error_of(name, given)] for name, given in some]


def error_of(name: str, given: list[Any]) -> list[str]:
    try:
        torch.manual_seed(given[0]) if name == "manual_seed" else DRAW[name](*given)
    except (RuntimeError, ValueError) as error:
        return [type(error).__name__, str(error).splitlines()[0]]
    raise AssertionError(f"{name}{given} is not refused")


def main() -> None:
    warnings.simplefilter("ignore")
    seeds = [0, 1, 42, -1, -(2**63), 2**64 - 1, 2**40 + 7, *(choose.randrange(2**32) for _ in range(133))]
    tables = {"sequences": [sequence(seed) for seed in seeds], "long": long_draws(), "refused": refused()}
    lines = [
        f'"{name}": [\n' + ",\n".join(json.dumps(entry, allow_nan=False) for entry in entries) + "\n]"
        for name, entries in tables.items()
    ]
    text = f'{{"torch": "{torch.__version__}",\n' + ",\n".join(lines) + "}\n"
    Path(__file__).with_name("random.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
