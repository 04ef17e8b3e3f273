"""Arrays as numbers in running text, and the few figures that sum up a large one. Knows no Qt."""

from __future__ import annotations

import math
import re
import weakref
from typing import Any, NamedTuple

import numpy as np

from gradviz.playback.words import not_finite_text, number_text, shape_text, short_value
from gradviz.recording import Array, Known, Summary

_SPOKEN_WITH_A_VOWEL = re.compile(r"8|1[18]\b")


class Figures(NamedTuple):
    """What is said of an array besides its elements.

    Attributes:
        shape: e.g. (3, 2).
        dtype: e.g. "float32".
        low, high: least and greatest finite element (of a complex array: of its magnitude), or None without one.
        norm: the 2-norm of all elements; nan or inf where an element is.
        nan, inf: how many elements are not a number, and how many are infinite.
    """

    shape: tuple[int, ...]
    dtype: str
    low: float | None
    high: float | None
    norm: float
    nan: int
    inf: int

    @property
    def kind(self) -> str:
        """Shape and dtype: "3×2 float32"."""
        return f"{shape_text(self.shape)} {self.dtype}"

    @property
    def spread(self) -> str:
        """The range and the norm: "min -6 · max 20 · norm 20.88"; "" for a single finite number."""
        if not self.shape and not self.nan and not self.inf:
            return ""
        parts = []
        if self.low is not None and self.high is not None and self.shape:
            parts = [f"min {number_text(self.low)}", f"max {number_text(self.high)}", f"norm {number_text(self.norm)}"]
        if self.nan:
            parts.append(f"{self.nan} NaN")
        if self.inf:
            parts.append(f"{self.inf} infinite")
        return " · ".join(parts)


_AT_ONCE = 1 << 14
"""Numbers that are squared at once: they stay in the processor's cache."""
_LARGE = 4096
"""From so many numbers on what a file holds is summed up once."""
_FIGURES: dict[tuple[int, str], Figures] = {}


def figures(array: Array, dtype: str = "") -> Figures:
    """Sum up an array of any shape; `dtype` overrides numpy's name for it (bfloat16 is kept as float32)."""
    if array.size < _LARGE or not isinstance(array, np.ndarray) or array.flags.writeable:
        return _figures(array, dtype)
    key = (id(array), dtype)
    found = _FIGURES.get(key)
    if found is None:
        found = _FIGURES[key] = _figures(array, dtype)
        weakref.finalize(array, _FIGURES.pop, key, None)  # the number of an array may be that of a later one
    return found


def _figures(array: Array, dtype: str) -> Figures:
    name, shape = dtype or str(array.dtype), tuple(array.shape)
    flat = np.abs(array).ravel() if array.dtype.kind == "c" else np.ravel(array)
    if flat.dtype.kind != "f":
        flat = flat.astype(np.float64)
    low, high, nan, inf = None, None, 0, 0
    if flat.size:
        low, high = float(flat.min()), float(flat.max())
        if not (math.isfinite(low) and math.isfinite(high)):
            finite = flat[np.isfinite(flat)]
            nan = int(np.count_nonzero(np.isnan(flat)))
            inf = int(flat.size - finite.size - nan)
            low, high = (float(finite.min()), float(finite.max())) if finite.size else (None, None)
    norm = math.nan if nan else math.inf if inf else _norm(flat, max(abs(low or 0.0), abs(high or 0.0)))
    return Figures(shape, name, low, high, norm, nan, inf)


def _norm(flat: np.ndarray[Any, np.dtype[Any]], largest: float) -> float:
    """The 2-norm of finite numbers, without the overflow of squares: those of float64 are divided by the largest."""
    scale = largest if flat.dtype.itemsize > 4 else 1.0
    if not largest:
        return 0.0
    total = 0.0
    for start in range(0, flat.size, _AT_ONCE):
        part = np.divide(flat[start : start + _AT_ONCE], scale, dtype=np.float64)
        # Not a dot product: on a busy machine its threads cost more than they bring.
        total += float(np.add.reduce(np.square(part, out=part)))
    return scale * math.sqrt(total)


def in_words(array: Known, limit: int = 36) -> str:
    """An array as a sentence shows it: "3", "[-6, 20]"; its shape and norm where that is longer than `limit`."""
    if array is None:
        return "nothing"
    if isinstance(array, Summary):
        if array.nan or array.inf:
            return _shape_and_norm(array.shape, f" with {short_value(array)}")
        return _shape_and_norm(array.shape, "" if array.norm is None else f" of norm {number_text(array.norm)}")
    if array.size * 2 <= limit:
        text = _nested(array.tolist())
        if len(text) <= limit:
            return text
    bad = not_finite_text(array)
    return _shape_and_norm(array.shape, f" with {bad}" if bad else f" of norm {number_text(figures(array).norm)}")


def _shape_and_norm(shape: tuple[int, ...], norm: str) -> str:
    if not shape:
        return f"a number{norm}"
    if len(shape) == 1:
        return f"{shape[0]} numbers{norm}"
    sizes = shape_text(shape)
    return f"{'an' if _SPOKEN_WITH_A_VOWEL.match(sizes) else 'a'} {sizes} array{norm}"


REASONS = {
    "size": "too large to keep",
    "memory": "not kept, since the memory for it was used up",
    "filter": "not kept, since the filter leaves it out",
    "unseen": "not seen: another thread made it, or it was made before the recording began",
    "sparse": "not kept, since it is sparse",
    "file": "left out of the file of text, which would have been too large",
}
"""Why the numbers of a summary are not there."""


def summed_up(summary: Summary) -> str:
    """All that is known of what was not kept: "norm 3.2, from -1 to 4, too large to keep"."""
    parts = []
    if summary.norm is not None:
        parts.append(f"norm {number_text(summary.norm)}")
    if summary.min is not None and summary.max is not None:
        parts.append(f"from {number_text(summary.min)} to {number_text(summary.max)}")
    parts += [f"{count:,} {what}" for count, what in ((summary.nan, "NaN"), (summary.inf, "infinite")) if count]
    parts.append(REASONS.get(summary.reason, f"not kept ({summary.reason})"))
    text = ", ".join(parts)
    return f"{text}; among its numbers are {', '.join(map(number_text, summary.sample))}" if summary.sample else text


def literal(array: Array, limit: int) -> str | None:
    """The elements in brackets with typographic signs, or None where that needs more than `limit` characters."""
    if array.size * 2 > limit:
        return None
    text = _nested(array.tolist()).replace("-", "−")
    return text if len(text) <= limit else None


def _nested(value: Any) -> str:
    # As deep as the array has axes, and only for arrays of a few elements.
    if isinstance(value, list):
        return f"[{', '.join(map(_nested, value))}]"
    return number_text(value)


def rounded(number: float | complex, digits: int) -> str:
    """A number to so many significant digits, without a needless zero or sign in its exponent: 0.13, -6, 1e-5."""
    if isinstance(number, bool | complex):
        return str(number)
    if not math.isfinite(number):
        return f"{number:.0f}"
    text = f"{number:.{digits}g}"
    mantissa, mark, exponent = text.partition("e")
    if mark and abs(int(exponent)) < 6 and float(text).is_integer():
        return f"{float(text):.0f}"
    return f"{mantissa}e{int(exponent)}" if mark else text


class Column(NamedTuple):
    """Numbers written alike: each text times 10 to the power `exponent` is the number."""

    texts: list[str]
    exponent: int


def written_alike(array: Array, digits: int = 3) -> Column:
    """The elements (in C order): each as `number_text` writes it everywhere, while there is room for that.

    With fewer than 3 `digits` the largest has so many significant ones and the others as many decimals. Very small
    and very large arrays then share a power of ten, and what would be shown as 0 without being 0 is "≈0".
    """
    numbers = array.ravel().tolist()
    if array.dtype.kind != "f":
        return Column([str(number) for number in numbers], 0)
    if digits > 2:
        return Column([number_text(number) for number in numbers], 0)
    largest = max((abs(n) for n in numbers if math.isfinite(n)), default=0.0)
    magnitude = math.floor(math.log10(largest)) if largest else 0
    exponent = 0 if -2 <= magnitude <= 4 else magnitude
    decimals = max(0, digits - 1 - (magnitude - exponent))
    return Column([_with_decimals(n, exponent, decimals) for n in numbers], exponent)


def _with_decimals(number: float, exponent: int, decimals: int) -> str:
    if not math.isfinite(number):
        return f"{number:.0f}"
    # Divided in two steps, since 10 to the power of -320 is not a float of full precision.
    half = exponent // 2
    number += 0.0
    text = f"{number / 10.0**half / 10.0 ** (exponent - half):.{decimals}f}"
    return "≈0" if number and not float(text) else text
