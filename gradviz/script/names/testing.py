"""`torch.testing`: `assert_close`, with PyTorch's report of what differs."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.engine.tensor import Tensor
from gradviz.errors import TorchError
from gradviz.script.machine import Machine
from gradviz.script.names.library.making import with_machine
from gradviz.script.torch_values import DTypeName, Size
from gradviz.script.values import Namespace, type_name

TOLERANCES = {"float16": (1e-3, 1e-5), "float32": (1.3e-6, 1e-5), "float64": (1e-7, 1e-7)}
"""(rtol, atol) by dtype; all others must be equal."""


def _tolerances(*kinds: Any) -> tuple[float, float]:
    found = [TOLERANCES.get(str(kind), (0.0, 0.0)) for kind in kinds]
    return max(r for r, _ in found), max(a for _, a in found)


def _close(
    machine: Machine, actual: Any, expected: Any, *, allow_subclasses: bool = True, rtol: float | None = None,
    atol: float | None = None, equal_nan: bool = False, check_device: bool = True, check_dtype: bool = True,
    check_layout: bool = True, check_stride: bool = False, msg: Any = None,
) -> None:  # fmt: skip
    """`torch.testing.assert_close`."""
    if (rtol is None) != (atol is None):
        given, missing = ("rtol", "atol") if atol is None else ("atol", "rtol")
        value = rtol if atol is None else atol
        text = f"rtol and atol must both be specified or both be unspecified, but got no {missing} and {given}={value}."
        raise TorchError(text, kind="ValueError")
    chosen = None if rtol is None or atol is None else (rtol, atol)
    for place, problem in _problems(actual, expected, chosen, equal_nan, check_dtype, ""):
        text = problem + (f"\n\nThe failure occurred for item {place}" if place else "")
        if msg is not None:
            text = msg if isinstance(msg, str) else machine.call(msg, (text,), {})
        raise TorchError(text, kind="AssertionError")


def _problems(actual: Any, expected: Any, chosen: Any, equal_nan: bool, check_dtype: bool, place: str) -> Any:
    """The places that differ, with what is said of each."""
    inside = (chosen, equal_nan, check_dtype)
    if isinstance(actual, Tensor | np.ndarray) and isinstance(expected, Tensor | np.ndarray):
        problem = _of_tensors(_array(actual), _array(expected), *inside)
    elif isinstance(actual, list | tuple) and isinstance(expected, list | tuple):
        if len(actual) != len(expected):
            yield place, f"The length of the sequences mismatch: {len(actual)} != {len(expected)}"
        for number, pair in enumerate(zip(actual, expected, strict=False)):
            yield from _problems(*pair, *inside, f"{place}[{number}]")
        return
    elif isinstance(actual, dict) and isinstance(expected, dict):
        if actual.keys() != expected.keys():
            only, lacking = sorted(actual.keys() - expected.keys()), sorted(expected.keys() - actual.keys())
            told = (
                "The keys of the mappings do not match:",
                f"Missing keys in the actual mapping: {lacking}",
                f"Additional keys in the actual mapping: {only}",
            )
            yield place, "\n".join(told)
        for key in actual:
            yield from _problems(actual[key], expected[key], *inside, f"{place}[{key!r}]")
        return
    elif isinstance(actual, int | float) and isinstance(expected, int | float):
        problem = _of_numbers(actual, expected, chosen, equal_nan)
    else:
        kinds = f"{type_name(actual)} and {type_name(expected)}"
        text = f"No comparison pair was able to handle inputs of type {kinds}."
        raise TorchError(text, kind="TypeError")
    if problem:
        yield place, problem


def _array(value: Any) -> np.ndarray:
    return np.asarray(value.data if isinstance(value, Tensor) else value)


def _of_tensors(a: np.ndarray, b: np.ndarray, chosen: Any, equal_nan: bool, check_dtype: bool) -> str:
    if a.shape != b.shape:
        return f"The values for attribute 'shape' do not match: {Size(a.shape)} != {Size(b.shape)}."
    if check_dtype and a.dtype != b.dtype:
        return f"The values for attribute 'dtype' do not match: {DTypeName(a.dtype)} != {DTypeName(b.dtype)}."
    rtol, atol = chosen or _tolerances(a.dtype, b.dtype)
    common = np.promote_types(a.dtype, b.dtype)
    a, b = a.astype(common), b.astype(common)
    matches = np.isclose(a, b, rtol, atol, equal_nan)
    if matches.all():
        return ""
    wide = common if common.kind == "f" else np.dtype(np.int64)
    with np.errstate(all="ignore"):
        apart = np.abs(a.astype(wide) - b.astype(wide))
        relative = apart / np.abs(b.astype(wide))
    apart, relative = (np.where(matches, 0, x).astype(x.dtype) for x in (apart, relative))
    count, every = int((~matches).sum()), matches.size
    is_exact = rtol == atol == 0
    lines = [f"Tensor-likes are not {'equal' if is_exact else 'close'}!", ""]
    lines.append(f"Mismatched elements: {count} / {every} ({count / every:.1%})")
    for name, values, allowed in (("absolute", apart, atol), ("relative", relative, rtol)):
        place = int(np.argmax(values))
        index = tuple(int(i) for i in np.unravel_index(place, values.shape))
        limit = "" if is_exact else f" (up to {allowed} allowed)"
        lines.append(f"Greatest {name} difference: {values.reshape(-1)[place].item()} at index {index}{limit}")
    return "\n".join(lines)


def _of_numbers(a: float, b: float, chosen: Any, equal_nan: bool) -> str:
    rtol, atol = chosen or _tolerances(*("float64" if isinstance(x, float) else "int64" for x in (a, b)))
    if bool(np.isclose(a, b, rtol, atol, equal_nan)):
        return ""
    is_exact = rtol == atol == 0
    apart = abs(a - b)
    relative = apart / abs(b) if b else float("inf")
    limits = ("", "") if is_exact else (f" (up to {atol} allowed)", f" (up to {rtol} allowed)")
    return (
        f"Scalars are not {'equal' if is_exact else 'close'}!\n\nExpected {b} but got {a}.\n"
        f"Absolute difference: {apart}{limits[0]}\nRelative difference: {relative}{limits[1]}"
    )


def namespace(machine: Machine) -> Namespace:
    """The names."""
    return Namespace("torch.testing", with_machine({"assert_close": _close}))
