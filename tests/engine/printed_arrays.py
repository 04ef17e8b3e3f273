"""Random arrays of every dtype and magnitude, and the print options to print them with."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np

INTS = ("int64", "int32", "int16", "int8", "uint8", "bool")
FLOATS = ("float32", "float32", "float32", "float64")
SPECIAL = (math.nan, math.inf, -math.inf, 0.0, -0.0)
EDGES = (1e-4, 9.9999e-5, 1e8, 1e8 + 8, 1.0, 0.001, 1000.0, 1001.0, 0.99995, 9.99995, 99999.99995, 0.5, 1.5, 2.5)
TIES = (0.00005, 0.00015, 0.12345, 0.00025, 1.00005, 2.00015, 10.00025, 0.12355)
SHAPES = ((), (1,), (2,), (5,), (8,), (30,), (3, 4), (6, 6), (2, 3, 2), (1, 3, 2, 2), (0,), (0, 3), (2, 0), (7, 40))
LARGE = ((1001,), (40, 30), (2, 700), (11, 10, 10), (3, 8, 50), (1000,))
OPTIONS: tuple[dict[str, Any], ...] = (
    {}, {}, {}, {"precision": 2}, {"precision": 8}, {"precision": 0}, {"sci_mode": True}, {"sci_mode": False},
    {"linewidth": 40}, {"linewidth": 120}, {"profile": "short"}, {"profile": "full"}, {"threshold": 5, "edgeitems": 2},
    {"edgeitems": 1, "threshold": 0},
)  # fmt: skip
SUFFIXES: tuple[dict[str, Any], ...] = ({}, {}, {"requires_grad": True}, {"grad_fn": True})


def _floats(chooser: random.Random, count: int) -> Any:
    numbers = np.random.RandomState(chooser.randrange(2**32))
    normal = numbers.standard_normal(count)
    families = (
        lambda: normal,
        lambda: normal * 10.0 ** chooser.uniform(-12, 12),
        lambda: normal * 10.0 ** numbers.uniform(-6, 6, count),
        lambda: np.round(normal * 10 ** chooser.randrange(10)),
        lambda: np.round(normal * 4) / 4,
        lambda: np.where(numbers.uniform(size=count) < 0.5, normal, chooser.choice(SPECIAL)),
        lambda: numbers.choice((*SPECIAL, 1.0, 2.5), count),
        lambda: numbers.choice(SPECIAL, count),
        lambda: numbers.choice(EDGES, count),
        lambda: numbers.choice(TIES, count) * chooser.choice((1, -1, 1000)),
        lambda: normal * 10.0 ** chooser.choice((-300, 300, -40, -45, 37)),
    )
    return chooser.choice(families)()


def _array(chooser: random.Random, dtype: str, shape: tuple[int, ...]) -> Any:
    count = math.prod(shape)
    if dtype in FLOATS:
        with np.errstate(all="ignore"):
            return _floats(chooser, count).astype(dtype).reshape(shape)
    bound = 10 ** chooser.randrange(1, 18)
    least, most = (0, 1) if dtype == "bool" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    numbers = [chooser.randint(max(least, -bound), min(most, bound)) for _ in range(count)]
    return np.array(numbers, dtype).reshape(shape)


def printed_array(seed: int) -> tuple[Any, dict[str, Any], dict[str, Any]]:
    """An array, print options, and what gives the tensor a suffix; all of it chosen by a seed."""
    chooser = random.Random(seed)
    is_float = chooser.random() < 0.7
    shape = chooser.choice(LARGE if chooser.random() < 0.15 else SHAPES)
    array = _array(chooser, chooser.choice(FLOATS if is_float else INTS), shape)
    return array, chooser.choice(OPTIONS), chooser.choice(SUFFIXES) if is_float else {}


def text_by_torch(torch: Any, array: Any, options: dict[str, Any], suffixes: dict[str, Any]) -> str:
    """What PyTorch prints."""
    tensor = torch.from_numpy(np.array(array))
    if suffixes:
        tensor.requires_grad_()
    if "grad_fn" in suffixes:
        tensor = tensor.view(tensor.shape)  # no arithmetic, so the numbers stay
    torch.set_printoptions(profile="default")
    torch.set_printoptions(**options)
    try:
        return repr(tensor)
    finally:
        torch.set_printoptions(profile="default")
