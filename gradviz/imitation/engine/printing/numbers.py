"""The numbers of one tensor as texts of one width, chosen together: PyTorch's rules for floats, ints and complex.

A tensor of floats is written in one of three ways, decided by its finite numbers that are not 0:
scientific (too large, too small or too far apart), whole numbers with a bare point (`2.`), or a fixed precision.
Those numbers also set the width, so a `nan` or a `-0.` may stick out; PyTorch prints it that way.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.imitation.engine.dtypes import FLOATING
from gradviz.imitation.engine.printing.options import PrintOptions

Texts = tuple[list[str], int]
"""The texts in row-major order, and the width of a column (without the comma)."""

_LARGEST_PLAIN = 1.0e8
_SMALLEST_PLAIN = 1.0e-4
_WIDEST_PLAIN_RATIO = 1000.0


def number_texts(data: np.ndarray[Any, Any], options: PrintOptions) -> Texts:
    """The texts of all elements of `data` (any shape and dtype), padded on the left to one width."""
    if data.dtype.kind in FLOATING:
        return _float_texts(data.ravel().tolist(), options)
    if data.dtype.kind == "c":
        return _complex_texts(data.ravel(), options)
    return _padded([str(value) for value in data.ravel().tolist()])


def _padded(texts: list[str]) -> Texts:
    width = max(map(len, texts), default=1)
    return [text.rjust(width) for text in texts], width


def _float_texts(values: list[float], options: PrintOptions) -> Texts:
    # x - x is 0 for a finite x and NaN for any other.
    deciding = [value for value in values if value and value - value == 0.0]
    if not deciding:
        return [_whole_text(value) for value in values], 1
    if _is_scientific(deciding, options):
        write = f"%.{options.precision}e".__mod__
    elif all(map(float.is_integer, deciding)):
        write = _whole_text
    else:
        write = f"%.{options.precision}f".__mod__
    width = max(map(len, map(write, deciding)))
    return [write(value).rjust(width) for value in values], width


def _whole_text(value: float) -> str:
    return f"{value:.0f}." if value - value == 0.0 else f"{value:.0f}"


def _is_scientific(deciding: list[float], options: PrintOptions) -> bool:
    if options.sci_mode is not None:
        return options.sci_mode
    sizes = [*map(abs, deciding)]
    smallest, largest = min(sizes), max(sizes)
    return largest / smallest > _WIDEST_PLAIN_RATIO or largest > _LARGEST_PLAIN or smallest < _SMALLEST_PLAIN


def _complex_texts(values: np.ndarray[Any, Any], options: PrintOptions) -> Texts:
    # Real and imaginary parts are two columns, each with a notation of its own.
    reals, real_width = _float_texts(values.real.tolist(), options)
    imaginaries, imaginary_width = _float_texts(values.imag.tolist(), options)
    texts = [real + _imaginary_text(imaginary) for real, imaginary in zip(reals, imaginaries, strict=True)]
    return texts, real_width + imaginary_width + 1


def _imaginary_text(padded: str) -> str:
    text = padded.lstrip()
    return f"{text}j" if text.startswith("-") else f"+{text}j"
