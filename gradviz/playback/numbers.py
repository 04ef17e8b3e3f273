"""Arrays as numbers in running text, and the few figures that sum up a large one. Knows no Qt."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from gradviz.playback.words import number_text, shape_text
from gradviz.recording import Array


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
        """Shape and dtype: "[3, 2] float32"."""
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


def figures(array: Array, dtype: str = "") -> Figures:
    """Sum up an array of any shape; `dtype` overrides numpy's name for it (bfloat16 is kept as float32)."""
    name = dtype or str(array.dtype)
    flat = np.abs(array).ravel() if array.dtype.kind == "c" else np.ravel(array)
    if flat.dtype.kind != "f":
        flat = flat.astype(np.float64)
    finite = flat[np.isfinite(flat)]
    nan = int(np.count_nonzero(np.isnan(flat)))
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (None, None)
    # float64, since the squares of float16 and float32 numbers overflow long before the numbers do.
    norm = float(np.linalg.norm(flat.astype(np.float64)))
    return Figures(tuple(array.shape), name, low, high, norm, nan, int(flat.size - finite.size - nan))


def in_words(array: Array | None, limit: int = 36) -> str:
    """An array as a sentence shows it: "3", "[-6, 20]"; its shape and norm where that is longer than `limit`."""
    if array is None:
        return "nothing"
    if array.size * 2 <= limit:
        text = _nested(array.tolist())
        if len(text) <= limit:
            return text
    return f"a {' × '.join(map(str, array.shape))} array of norm {number_text(figures(array).norm)}"


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


def same_width(array: Array, digits: int = 3) -> list[str]:
    """The elements (in C order) to about so many significant digits, with the same number of decimals.

    Numbers of very different size keep their own exponents instead, since fixed decimals would show 0.00.
    """
    numbers = array.ravel().tolist()
    if array.dtype.kind != "f":
        return [str(number) for number in numbers]
    sizes = [abs(n) for n in numbers if math.isfinite(n) and n]
    largest, least = max(sizes, default=1.0), min(sizes, default=1.0)
    if largest >= 10 ** (digits + 2) or least < largest * 10.0**-digits or largest < 10.0**-digits:
        return [rounded(n, digits) for n in numbers]
    decimals = max(0, digits - 1 - math.floor(math.log10(largest)))
    decimals = decimals if digits < 3 else max(decimals, 2)
    if all(math.isfinite(n) and n.is_integer() for n in numbers) and digits < 3:
        decimals = 0
    return [f"{n:.{decimals}f}" if math.isfinite(n) else f"{n:.0f}" for n in numbers]
