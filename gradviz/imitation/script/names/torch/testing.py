"""`torch.testing.assert_close`: values of all kinds compared within tolerances, with PyTorch's account of a mismatch.

Source of the words and their order: torch/testing/_comparison.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from gradviz.imitation.engine.dtypes import FLOATING
from gradviz.imitation.engine.tensor import Tensor
from gradviz.errors import TorchError
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.library.making import with_machine
from gradviz.imitation.script.torch_values import DTypeName, Size
from gradviz.imitation.script.values import Namespace

TOLERANCES = {"bfloat16": (1.6e-2, 1e-5), "float16": (1e-3, 1e-5), "float32": (1.3e-6, 1e-5), "float64": (1e-7, 1e-7)}
"""(rtol, atol) by dtype; whole numbers must be equal."""


class Bounds(NamedTuple):
    """How much may differ, as the caller gave it."""

    rtol: float | None
    atol: float | None
    equal_nan: bool
    check_dtype: bool

    def of(self, *dtypes: Any) -> tuple[float, float]:
        """(rtol, atol) for numbers of these dtypes."""
        if self.rtol is not None and self.atol is not None:
            return self.rtol, self.atol
        found = [TOLERANCES.get(np.dtype(dtype).name, (0.0, 0.0)) for dtype in dtypes]
        return max(rtol for rtol, _ in found), max(atol for _, atol in found)


class Mismatch(Exception):
    """What differs, in PyTorch's words, and in which item."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text
        self.item: list[Any] = []

    def whole(self) -> str:
        """The message."""
        place = "".join(f"[{part!r}]" for part in self.item)
        return f"{self.text}\n\nThe failure occurred for item {place}" if place else self.text


def assert_close(
    machine: Machine,
    actual: Any,
    expected: Any,
    *,
    allow_subclasses: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_device: bool = True,
    check_dtype: bool = True,
    check_layout: bool = True,
    check_stride: bool = False,
    msg: Any = None,
) -> None:
    """`torch.testing.assert_close`."""
    if (rtol is None) != (atol is None):
        missing = "rtol" if rtol is None else "atol"
        raise TorchError(
            f"Both 'rtol' and 'atol' must be either specified or omitted, but got no {missing}.", kind="ValueError"
        )
    try:
        _compare(machine, actual, expected, Bounds(rtol, atol, equal_nan, check_dtype))
    except Mismatch as found:
        text = found.whole()
        shown = text if msg is None else msg if isinstance(msg, str) else machine.call(msg, (text,), {})
        raise TorchError(shown, kind="AssertionError") from None


def _compare(machine: Machine, actual: Any, expected: Any, bounds: Bounds) -> None:
    both = (actual, expected)
    if all(x is None for x in both):
        return
    if all(isinstance(x, bool) for x in both):
        if actual is not expected:
            raise Mismatch(f"Booleans mismatch: {actual} is not {expected}")
    elif all(isinstance(x, int | float) and not isinstance(x, bool) for x in both):
        _compare_numbers(actual, expected, bounds)
    elif all(isinstance(x, Tensor) for x in both) or all(isinstance(x, np.ndarray) for x in both):
        _compare_tensors(actual, expected, bounds)
    elif all(isinstance(x, dict) for x in both):
        _compare_keys(actual, expected)
        for key in sorted(actual, key=str):
            _inside(machine, key, actual[key], expected[key], bounds)
    elif all(isinstance(x, list | tuple) for x in both):
        if len(actual) != len(expected):
            raise Mismatch(f"The length of the sequences mismatch: {len(actual)} != {len(expected)}")
        for number, (a, b) in enumerate(zip(actual, expected, strict=True)):
            _inside(machine, number, a, b, bounds)
    else:
        kinds = [repr(machine.builtins["type"].make.run(machine, x)) for x in both]
        raise TorchError(
            f"No comparison pair was able to handle inputs of type {kinds[0]} and {kinds[1]}.", kind="TypeError"
        )


def _inside(machine: Machine, key: Any, actual: Any, expected: Any, bounds: Bounds) -> None:
    try:
        _compare(machine, actual, expected, bounds)
    except Mismatch as found:
        found.item.insert(0, key)
        raise


def _compare_keys(actual: dict[Any, Any], expected: dict[Any, Any]) -> None:
    missing, more = sorted(expected.keys() - actual.keys()), sorted(actual.keys() - expected.keys())
    if missing or more:
        rows = ["The keys of the mappings do not match:"]
        rows += [f"Missing keys in the actual mapping: {missing}"] * bool(missing)
        rows += [f"Additional keys in the actual mapping: {more}"] * bool(more)
        raise Mismatch("\n".join(rows))


def _compare_numbers(actual: float, expected: float, bounds: Bounds) -> None:
    if bounds.check_dtype and type(actual) is not type(expected):
        raise Mismatch(f"The (d)types do not match: {type(actual)} != {type(expected)}.")
    rtol, atol = bounds.of(np.asarray(actual).dtype, np.asarray(expected).dtype)
    if not np.isclose(actual, expected, rtol, atol, equal_nan=bounds.equal_nan):
        _refuse_scalars(actual, expected, rtol, atol)


def _refuse_scalars(actual: Any, expected: Any, rtol: float, atol: float) -> None:
    is_equal = not rtol and not atol
    far = abs(actual - expected)
    relative = float("inf") if expected == 0 else abs(far / expected)
    raise Mismatch(
        f"Scalars are not {'equal' if is_equal else 'close'}!\n\nExpected {expected} but got {actual}.\n"
        f"Absolute difference: {far}{_up_to(atol, is_equal)}\nRelative difference: {relative}{_up_to(rtol, is_equal)}"
    )


def _up_to(bound: float, is_equal: bool) -> str:
    return "" if is_equal else f" (up to {bound} allowed)"


def _compare_tensors(actual: Any, expected: Any, bounds: Bounds) -> None:
    if actual.shape != expected.shape:
        raise Mismatch(_attribute("shape", Size(actual.shape), Size(expected.shape)))
    if bounds.check_dtype and actual.dtype != expected.dtype:
        raise Mismatch(_attribute("dtype", DTypeName(actual.dtype), DTypeName(expected.dtype)))
    rtol, atol = bounds.of(actual.dtype, expected.dtype)
    floats = [x.dtype for x in (actual, expected) if x.dtype.kind in FLOATING]
    kind = np.result_type(*floats) if floats else np.dtype(np.int64)
    a, b = (np.asarray(x.data if isinstance(x, Tensor) else x).astype(kind) for x in (actual, expected))
    with np.errstate(all="ignore"):
        close = np.isclose(a, b, rtol, atol, equal_nan=bounds.equal_nan)
        if close.all():
            return
        if a.ndim == 0:
            _refuse_scalars(a.item(), b.item(), rtol, atol)
        far = np.abs(a - b)
        relative = far / np.abs(b) if kind.kind in FLOATING else far.astype(np.float32) / np.abs(b).astype(np.float32)
    far[close], relative[close] = 0, 0
    is_equal = not rtol and not atol
    count = int(close.size - close.sum())
    raise Mismatch(
        f"Tensor-likes are not {'equal' if is_equal else 'close'}!\n\n"
        f"Mismatched elements: {count} / {close.size} ({count / close.size:.1%})\n"
        f"Greatest absolute difference: {_largest(far)}{_up_to(atol, is_equal)}\n"
        f"Greatest relative difference: {_largest(relative)}{_up_to(rtol, is_equal)}"
    )


def _largest(x: Any) -> str:
    at = int(np.argmax(x))  # a NaN counts as the largest
    place: Sequence[int] = [int(i) for i in np.unravel_index(at, x.shape)]
    return f"{x.flat[at].item()} at index {tuple(place)}"


def _attribute(name: str, actual: Any, expected: Any) -> str:
    return f"The values for attribute {name!r} do not match: {actual} != {expected}."


def namespace(_: Machine) -> Namespace:
    """`torch.testing`."""
    return Namespace("torch.testing", with_machine({"assert_close": assert_close}))
