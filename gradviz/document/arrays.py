"""Arrays as JSON has them, and back: nested lists of exactly the shape, in the shortest text.

A float32 or float16 number is written with the fewest digits that read back to the same number: 0.1, not
0.10000000149011612. orjson finds those of float32 and float64 by itself. JSON has no infinities, so these are the
strings "NaN", "Infinity" and "-Infinity".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from gradviz.errors import FormatError
from gradviz.recording import Array, shape_text

NOT_FINITE = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}

STORED_AS: dict[str, np.dtype[Any]] = {
    **{
        name: np.dtype(name)
        for name in (
            *("float64", "float32", "float16", "bool"),
            *("int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8"),
        )
    },
    "complex64": np.dtype(np.complex64),
    "complex128": np.dtype(np.complex128),
    # numpy has no bfloat16 and no float8; each of their numbers is a float32.
    **dict.fromkeys(
        (
            *("bfloat16", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu"),
            *("qint8", "quint8", "qint32"),
        ),
        np.dtype(np.float32),
    ),
    "complex32": np.dtype(np.complex64),
}
"""The numpy dtype that holds the numbers of a dtype of PyTorch."""

_PARTS = {"real", "imag"}
_KINDS: dict[str, frozenset[type]] = {"b": frozenset({bool}), "i": frozenset({int}), "u": frozenset({int})}
_FLOATS = frozenset({float, int})
_TOGETHER = 1000
"""Arrays that are looked at together: for a small one, a call of numpy takes longer than its numbers."""


# ---- to JSON ----


def to_json(array: Array) -> Any:
    """The array as nested lists, a number for shape (); names stand for numbers that are not finite."""
    if array.dtype.kind == "c":
        return {"real": to_json(array.real), "imag": to_json(array.imag)}
    if array.dtype.kind != "f":
        return array.tolist()
    if array.ndim == 0:
        return _number(array)
    members = np.empty(array.size, dtype=object)
    members[:] = [_number(number) for number in array.ravel()]
    return members.reshape(array.shape).tolist()


def _number(number: Any) -> float | str:
    """A float64 whose text is the shortest for the number, or the name of one that is not finite."""
    if not np.isfinite(number):
        return named(float(number))
    short = float(str(number))
    return short if number.dtype.type(short) == number else float(number)


def named(number: float) -> float | str:
    """The number, or the name of one that is not finite."""
    if number - number == 0:
        return number
    return "NaN" if number != number else "Infinity" if number > 0 else "-Infinity"


def spelled_out(arrays: Iterable[Array | None]) -> dict[int, Any]:
    """By `id`, those arrays as JSON that orjson would not write as they are.

    These are the ones with NaN or infinities, those of float16, and complex ones.
    """
    several = {id(a): a for a in arrays if a is not None}.values()
    floats = [array for array in several if array.dtype.kind == "f"]
    found: dict[int, Any] = {id(array): to_json(array) for array in several if array.dtype.kind == "c"}
    for start in range(0, len(floats), _TOGETHER):
        batch = floats[start : start + _TOGETHER]
        if not _all_plain(batch):
            found |= {id(array): to_json(array) for array in batch if not _all_plain([array])}
    return found


def _all_plain(arrays: list[Array]) -> bool:
    if 2 in [array.itemsize for array in arrays]:
        return False
    numbers = [array for array in arrays if isinstance(array, np.generic)]
    if not np.isfinite(np.array(numbers, dtype=np.float64)).all():
        return False
    several = [array for array in arrays if not isinstance(array, np.generic)]
    if sum([array.size for array in several]) > 100 * len(several):
        return all(np.isfinite(array).all() for array in several)
    return not several or bool(np.isfinite(np.concatenate(several, axis=None)).all())


# ---- from JSON ----


def from_json(value: Any, dtype: str, shape: tuple[int, ...], where: str) -> Array | None:
    """The array of one JSON value; None for null.

    Args:
        value: what JSON gave; an array that stands in its place already is only compared with what it should be.
        dtype: one of `STORED_AS`.
        shape: of the array.
        where: its place in the file, for the error.

    Raises:
        FormatError: not nested lists of that shape, or an element that the dtype cannot hold.
    """
    return all_from_json([value], [(dtype, shape)], lambda _: where)[0]


def all_from_json(
    values: Sequence[Any], kinds: Sequence[tuple[str, tuple[int, ...]]], where: Callable[[int], str]
) -> list[Array | None]:
    """The arrays of many JSON values, those of one dtype and shape read together; None for null.

    Args:
        values: what JSON gave.
        kinds: dtype and shape of each.
        where: the place in the file of the value at an index, for the error.

    Raises:
        FormatError: as `from_json`, for the first of them that is wrong.
    """
    groups: dict[tuple[str, tuple[int, ...]], list[int]] = {}
    found: list[Array | None] = [None] * len(values)
    for index, (value, kind) in enumerate(zip(values, kinds, strict=True)):
        if isinstance(value, np.ndarray):
            found[index] = _fitting(value, *kind, partial(where, index))
        elif value is not None:
            groups.setdefault(kind, []).append(index)
    for (dtype, shape), indices in groups.items():
        group = [values[index] for index in indices]
        try:
            read = _read(group, dtype, shape, str)
        except FormatError:
            read = [_read([values[index]], dtype, shape, partial(where, index))[0] for index in indices]
        for index, array in zip(indices, read, strict=True):
            found[index] = array
    return found


def _fitting(array: np.ndarray[Any, Any], dtype: str, shape: tuple[int, ...], where: Callable[[], str]) -> Array:
    """An array that was read already, if it is what belongs here."""
    if array.shape != shape:
        raise FormatError(
            f"{where()} is an array of shape {shape_text(array.shape)}, but {shape_text(shape)} belongs here."
        )
    stored = STORED_AS[dtype]
    if array.dtype != stored and not (array.dtype.kind == stored.kind and stored.kind in "fc"):
        raise FormatError(f"{where()} is an array of {array.dtype.name}, which holds no {dtype} numbers.")
    return array if shape else np.asarray(array)[()]


def _read_complex(values: list[Any], dtype: str, shape: tuple[int, ...], where: Callable[[], str]) -> list[Array]:
    parts = []
    for key in ("real", "imag"):
        for value in values:
            if type(value) is not dict or value.keys() != _PARTS:
                raise FormatError(f'{where()} is {said(value)}, not an object with "real" and "imag".')
        half = "float64" if STORED_AS[dtype].itemsize == 16 else "float32"
        parts.append(_read([value[key] for value in values], half, shape, where))
    return [_joined(real, imag, STORED_AS[dtype]) for real, imag in zip(*parts, strict=True)]


def _joined(real: Array, imag: Array, stored: np.dtype[Any]) -> Array:
    array = np.empty(real.shape, stored)
    array.real, array.imag = real, imag  # a product with 1j would make NaN of infinity
    return array[()]


def _read(values: list[Any], dtype: str, shape: tuple[int, ...], where: Callable[[], str]) -> list[Array]:
    """Arrays of one dtype and shape."""
    stored = STORED_AS[dtype]
    if stored.kind == "c":
        return _read_complex(values, dtype, shape, where)
    flat = _flat(values, shape, where)
    kinds = set(map(type, flat))
    read = _floats if stored.kind == "f" else _whole
    numbers = read(flat, kinds, stored, dtype, where)
    return list(numbers.reshape(len(values), *shape) if shape else numbers)


def _flat(values: list[Any], shape: tuple[int, ...], where: Callable[[], str]) -> list[Any]:
    """The numbers in nested lists, row by row."""
    level = values
    for size in shape:
        for row in level:
            if type(row) is not list or len(row) != size:
                found = f"a list of {len(row)}" if type(row) is list else said(row)
                raise FormatError(
                    f"{where()} is not of shape {shape_text(shape)}: it has {found} where a list of {size} belongs."
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
        wide = np.array(flat, dtype=np.float64)
    except OverflowError:  # a whole number of more than 308 digits
        wide = np.array([np.inf])
    with np.errstate(over="ignore"):
        numbers = wide.astype(stored, copy=False)
    if not np.isfinite(numbers).all():
        raise FormatError(f"{where()} holds a number that is too large for {dtype}.")
    if stored == np.float32:
        _settle_ties(wide, numbers)
    return numbers


def _settle_ties(wide: Any, numbers: Any) -> None:
    """Let numbers that lie half-way between two of float32 be the one whose shortest text was read.

    Reading rounds twice, first to float64: 7.038531e-26 is then as far from either neighbour and goes to the wrong one.
    """
    for at in np.flatnonzero(wide.view(np.int64) & 0x1FFF_FFFF == 0x1000_0000).tolist():
        for neighbour in (np.nextafter(numbers[at], np.float32(way)) for way in (-np.inf, np.inf)):
            if float(str(neighbour)) == wide[at]:
                numbers[at] = neighbour


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
