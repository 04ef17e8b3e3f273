"""Record printing.json: what PyTorch 2.13 prints for arrays of every kind. Needs torch; the tests do not.

Run it from the root of the repository: `python tests/data/record_printing.py`.
"""

from __future__ import annotations

import json
import random
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch

Case = dict[str, Any]
INTS = ("int64", "int32", "int16", "int8", "uint8", "bool")
FLOATS = ("float32", "float32", "float32", "float64", "float16", "bfloat16", "complex64", "complex128")
SPECIAL = (float("nan"), float("inf"), float("-inf"), 0.0, -0.0)
EDGES = (1e-4, 9.9999e-5, 1e8, 1e8 + 8, 1.0, 0.001, 1000.0, 1001.0, 0.99995, 9.99995, 99999.99995, 0.5, 1.5, 2.5)
TIES = (0.00005, 0.00015, 0.12345, 0.00025, 1.00005, 2.00015, 10.00025, 0.12355)
NAMES = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}

choose = random.Random(2130)
numbers = np.random.default_rng(2130)


def floats(count: int) -> np.ndarray:
    """Random float64 numbers out of one of many families of magnitudes."""
    normal = numbers.standard_normal(count)
    families: tuple[Callable[[], Any], ...] = (
        lambda: normal,
        lambda: normal * 10.0 ** choose.uniform(-12, 12),
        lambda: normal * 10.0 ** numbers.uniform(-6, 6, count),
        lambda: np.round(normal * 10 ** choose.randrange(10)),
        lambda: np.round(normal * 4) / 4,
        lambda: np.where(numbers.random(count) < 0.5, normal, choose.choice(SPECIAL)),
        lambda: numbers.choice((*SPECIAL, 1.0, 2.5), count),
        lambda: numbers.choice(SPECIAL, count),
        lambda: numbers.choice(EDGES, count),
        lambda: numbers.choice(TIES, count) * choose.choice((1, -1, 1000)),
        lambda: normal * 10.0 ** choose.choice((-300, 300, -40, -45, 37)),
    )
    return np.asarray(choose.choice(families)())


def array(dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    """A random array; bfloat16 is carried by float32."""
    count = int(np.prod(shape))
    with np.errstate(all="ignore"):
        if dtype == "bool":
            return (numbers.random(count) < 0.5).reshape(shape)
        if dtype in INTS:
            info = np.iinfo(dtype)
            bound = 10 ** choose.randrange(1, 18)
            return numbers.integers(max(info.min, -bound), min(info.max, bound), count).astype(dtype).reshape(shape)
        if dtype.startswith("complex"):
            parts = np.empty(count, dtype)
            # Not real + 1j * imaginary, which would turn an infinite part into NaN.
            parts.real, parts.imag = floats(count), floats(count)
            return parts.reshape(shape)
        if dtype == "bfloat16":
            return torch.tensor(floats(count)).bfloat16().float().numpy().reshape(shape)
        return floats(count).astype(dtype).reshape(shape)


def shape() -> tuple[int, ...]:
    """A random shape, small enough to read."""
    return choose.choice(
        (
            (),
            (choose.choice((1, 2, 3, 5, 8)),),
            (choose.choice((1, 2, 3, 5, 8)),),
            (choose.choice((13, 30)),),
            (choose.randrange(1, 7), choose.randrange(1, 10)),
            tuple(choose.randrange(1, 4) for _ in range(choose.randrange(3, 5))),
            tuple(choose.choice((0, 1, 2)) for _ in range(choose.randrange(1, 4))),
        )
    )


def options() -> Case:
    """Random arguments of set_printoptions; None stands for "not given"."""
    if choose.random() < 0.6:
        return {}
    given: Case = {
        "precision": choose.choice((None, None, 0, 1, 2, 8)),
        "threshold": choose.choice((None, 0, 3, 10)),
        "edgeitems": choose.choice((None, None, 0, 1, 2)),
        "linewidth": choose.choice((None, None, 20, 40, 81, 120)),
        "profile": choose.choice((None, None, "default", "short", "full")),
        "sci_mode": choose.choice((None, None, True, False)),
    }
    return {name: value for name, value in given.items() if value is not None}


def listed(values: np.ndarray) -> Any:
    """Nested lists for JSON: not-finite numbers by name, complex arrays as two lists, real and imaginary."""
    if values.dtype.kind == "c":
        return [listed(values.real), listed(values.imag)]
    if values.ndim == 0:
        return NAMES.get(str(values.item()), values.item())
    return [listed(np.asarray(part)) for part in values]


def tensor(values: np.ndarray, dtype: str) -> torch.Tensor:
    made = torch.tensor(values)
    return made.bfloat16() if dtype == "bfloat16" else made


def random_case() -> Case:
    dtype = choose.choice(INTS if choose.random() < 0.25 else FLOATS)
    values = array(dtype, shape())
    given = options()
    case: Case = {"dtype": dtype, "shape": list(values.shape), "data": listed(values), "options": given}
    made = tensor(values, dtype)
    kind = choose.randrange(6) if dtype in FLOATS else 0
    if kind == 1:
        case["requires_grad"] = True
        made.requires_grad_()
    if kind == 2:
        case |= {"requires_grad": True, "grad_fn": "CloneBackward0"}
        made = made.requires_grad_().clone()
    if kind == 3:
        case |= {"requires_grad": True, "is_parameter": True}
        made = torch.nn.Parameter(made)
    return case | {"text": printed(made, given)}


def large_cases() -> Iterator[Case]:
    """Arrays whose numbers a test makes for itself: ((i * 7919) % 10007 - 5000) / divisor."""
    for sizes in ((1000,), (1001,), (2000,), (40, 40), (7, 150), (6, 200), (3, 500), (12, 12, 12), (2, 3, 4, 60)):
        for dtype, divisor in (("float32", 1), ("float32", 1000), ("float64", 7), ("int64", 1)):
            counted = (np.arange(int(np.prod(sizes))) * 7919 % 10007 - 5000).reshape(sizes)
            values = counted.astype(dtype) / np.dtype(dtype).type(divisor) if divisor > 1 else counted.astype(dtype)
            text = printed(torch.tensor(values), {})
            yield {"dtype": dtype, "shape": list(sizes), "divisor": divisor, "options": {}, "text": text}


def format_cases() -> Iterator[Case]:
    """What f-strings give, or the error they end in."""
    some: tuple[tuple[str, Any], ...] = (
        ("float32", 0.1),
        ("float32", float("nan")),
        ("float64", 1e300),
        ("float16", 0.3),
        ("int64", 12),
        ("bool", True),
        ("complex64", 1 + 2j),
        ("float32", [1.0, 2.5]),
        ("int64", [3]),
    )
    for dtype, value in some:
        values = np.array(value, dtype)
        for spec in ("", ".4f", "d", "10.2e", ">12", ".1%", "q"):
            for is_parameter in (False, True) if dtype.startswith("float") else (False,):
                case: Case = {"dtype": dtype, "shape": list(values.shape), "data": listed(values), "spec": spec}
                if is_parameter:
                    case |= {"is_parameter": True, "requires_grad": True}
                yield case | formatted(values, spec, is_parameter)


def formatted(values: np.ndarray, spec: str, is_parameter: bool) -> Case:
    made = torch.nn.Parameter(torch.tensor(values)) if is_parameter else torch.tensor(values)
    try:
        return {"text": format(made, spec)}
    except (TypeError, ValueError) as error:
        return {"error": [type(error).__name__, str(error)]}


def printed(made: torch.Tensor, given: Case) -> str:
    torch.set_printoptions(profile="default")
    torch.set_printoptions(**given)
    text = repr(made)
    torch.set_printoptions(profile="default")
    return text


def main() -> None:
    warnings.simplefilter("ignore")
    tables = {
        "printed": [random_case() for _ in range(600)],
        "large": list(large_cases()),
        "formatted": list(format_cases()),
    }
    lines = [
        f'"{name}": [\n' + ",\n".join(json.dumps(case, allow_nan=False) for case in cases) + "\n]"
        for name, cases in tables.items()
    ]
    text = f'{{"torch": "{torch.__version__}",\n' + ",\n".join(lines) + "}\n"
    Path(__file__).with_name("printing.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
