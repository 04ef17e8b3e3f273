"""Arrays as JSON has them, and back: nested lists of exactly the shape, in the shortest text.

A float32 or float16 number is written with the fewest digits that read back to the same number: 0.1, not
0.10000000149011612. JSON has no infinities, so these are the strings "NaN", "Infinity" and "-Infinity".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any

import numpy as np

from gradviz.errors import FormatError
from gradviz.recording import Array

NOT_FINITE = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}

STORED_AS: dict[str, np.dtype[Any]] = {
    **{
        name: np.dtype(name)
        for name in (
            *("float64", "float32", "float16", "bool"),
            *("int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8"),
        )
    },
    # numpy has no bfloat16; every bfloat16 is a float32.
    "bfloat16": np.dtype(np.float32),
}
"""The numpy dtype that holds the numbers of a dtype of PyTorch."""

MAX_ELEMENTS = 2**40
"""Of one array. Beyond any memory, so a shape that claims more is a mistake or a trap."""

_KINDS: dict[str, frozenset[type]] = {"b": frozenset({bool}), "i": frozenset({int}), "u": frozenset({int})}
_FLOATS = frozenset({float, int})
_SMALL = 32  # below it the calls of numpy cost more than one loop in Python
_EXACT = 2048  # up to here every whole number is a float16 and a float32 of its own
_TENS = np.array([10.0**k for k in range(23)])  # the powers of ten that a float64 holds exactly
QUICK_FROM, _QUICK_TO = 1e-12, 1e22  # there nine digits need no other power of ten than these


def to_json(array: Any) -> Any:
    """The array as nested lists, a number for shape (), null for None."""
    return None if array is None else nested(shortened([array])[0])


def nested(array: Any) -> Any:
    """An array of `shortened` as nested lists; names stand for numbers that are not finite."""
    if array.dtype.kind != "f":
        return array.tolist()
    if array.ndim == 0:
        return named(float(array))
    if np.isfinite(array).all():
        return array.tolist()
    members = np.empty(array.size, dtype=object)
    members[:] = [named(number) for number in array.ravel().tolist()]
    return members.reshape(array.shape).tolist()


def named(number: float) -> float | str:
    """The number, or the name of one that is not finite."""
    if number - number == 0:
        return number
    return "NaN" if number != number else "Infinity" if number > 0 else "-Infinity"


def _shortest_of_one(number: Any) -> float:
    short, exact = float(str(number)), float(number)
    # Reading rounds twice, first to float64; where that could go astray the exact number is kept.
    return short if number.dtype.type(short) == number else exact


def is_narrow(array: Any) -> bool:
    """Whether float64 holds shorter texts of its numbers: float32 and float16."""
    return bool(array.dtype.kind == "f" and array.dtype.itemsize < 8)


def shortened(arrays: Sequence[Any]) -> list[Any]:
    """The arrays; instead of narrow ones, the float64 numbers whose text is the shortest that reads back to them.

    Many are worked out together: for a small array, the calls of numpy take longer than its numbers.
    """
    out = list(arrays)
    for dtype in {array.dtype for array in arrays if is_narrow(array)}:
        at = [i for i, array in enumerate(arrays) if array.dtype == dtype]
        short = _shortest(np.concatenate([arrays[i].ravel() for i in at]))
        start = 0
        for i in at:
            end = start + arrays[i].size
            out[i] = short[start:end].reshape(arrays[i].shape)
            start = end
    return out


def _shortest(flat: Any) -> Any:
    if flat.size < _SMALL:
        return np.array([_shortest_of_one(number) for number in flat], dtype=np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        return _shortest_of_many(flat, flat.astype(np.float64))


def _shortest_of_many(flat: Any, exact: Any) -> Any:
    size, result = np.abs(exact), exact.copy()
    is_long = np.isfinite(exact) & ((exact != np.rint(exact)) | (size > _EXACT))
    is_middling = (size > QUICK_FROM) & (size < _QUICK_TO)
    rest = np.flatnonzero(is_long & is_middling)
    for digits in range(3 if flat.dtype == np.float16 else 6, 10):
        short = _rounded(exact[rest], digits)
        fits = short.astype(flat.dtype) == flat[rest]
        result[rest[fits]] = short[fits]
        rest = rest[~fits]
    slow = np.concatenate([rest, np.flatnonzero(is_long & ~is_middling)])
    result[slow] = [_shortest_of_one(number) for number in flat[slow]]
    return result


def _rounded(numbers: Any, digits: int) -> Any:
    """The float64 nearest to each number rounded to so many digits, for numbers of the quick range.

    n / 10**k and n * 10**k are the nearest float64 to the decimal as long as n and 10**k are exact.
    """
    # log10 may be one off beside a power of ten; then another count of digits, or the slow way, finds the number.
    places = digits - 1 - np.floor(np.log10(np.abs(numbers))).astype(np.int64)
    tens = _TENS[np.abs(places)]
    return np.where(places >= 0, np.rint(numbers * tens) / tens, np.rint(numbers / tens) * tens)


def from_json(value: Any, dtype: str, shape: tuple[int, ...], where: Callable[[], str]) -> Array | None:
    """The array that `to_json` wrote; None for null.

    Args:
        value: what JSON gave.
        dtype: one of `STORED_AS`.
        shape: of the array.
        where: gives the place in the file, for the error.

    Raises:
        FormatError: not nested lists of that shape, or an element that the dtype cannot hold.
    """
    if value is None:
        return None
    stored = STORED_AS[dtype]
    flat = _flat(value, shape, where) if shape else [value]
    kinds = set(map(type, flat))
    read = _floats if stored.kind == "f" else _whole
    numbers = read(flat, kinds, stored, dtype, where)
    return numbers.reshape(shape) if shape else numbers[0]  # type: ignore[no-any-return]


def _flat(value: Any, shape: tuple[int, ...], where: Callable[[], str]) -> list[Any]:
    level = [value]
    for size in shape:
        for row in level:
            if type(row) is not list or len(row) != size:
                found = f"a list of {len(row)}" if type(row) is list else said(row)
                raise FormatError(
                    f"{where()} is not of shape {list(shape)}: it has {found} where a list of {size} belongs."
                )
        level = list(chain.from_iterable(level))
    return level


def _floats(flat: list[Any], kinds: set[type], stored: np.dtype[Any], dtype: str, where: Callable[[], str]) -> Any:
    if kinds <= _FLOATS:
        return _finite(flat, stored, dtype, where)
    for value in flat:
        if type(value) not in _FLOATS and (type(value) is not str or value not in NOT_FINITE):
            raise FormatError(f"{where()} holds {said(value)}, which is no {dtype} number.")
    numbers = _finite([0.0 if type(value) is str else value for value in flat], stored, dtype, where)
    for at, value in enumerate(flat):
        if type(value) is str:
            numbers[at] = NOT_FINITE[value]
    return numbers


def _finite(flat: list[Any], stored: np.dtype[Any], dtype: str, where: Callable[[], str]) -> Any:
    try:
        with np.errstate(over="ignore"):
            numbers = np.array(flat, dtype=stored)
        fits = bool(np.isfinite(numbers).all())
    except OverflowError:  # a whole number of more than 308 digits
        fits = False
    if not fits:
        raise FormatError(f"{where()} holds a number that is too large for {dtype}.")
    return numbers


def _whole(flat: list[Any], kinds: set[type], stored: np.dtype[Any], dtype: str, where: Callable[[], str]) -> Any:
    allowed = _KINDS[stored.kind]
    if not kinds <= allowed:
        wrong = next(x for x in flat if type(x) not in allowed)
        raise FormatError(f"{where()} holds {said(wrong)}, which is no {dtype} number.")
    try:
        return np.array(flat, dtype=stored)
    except OverflowError:
        raise FormatError(f"{where()} holds a number that is too large for {dtype}.") from None


def said(value: Any) -> str:
    """A short wording of a value out of place."""
    if value is None:
        return "null"
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
