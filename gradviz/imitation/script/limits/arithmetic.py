"""Arithmetic of plain values with an end: what would be huge is refused before it is reckoned."""

from __future__ import annotations

from collections import deque
from fractions import Fraction
from typing import Any

from gradviz.imitation.engine.creation import MAX_ELEMENTS
from gradviz.errors import LimitError, TorchError

MAX_BITS = 1_000_000
MAX_TERMS = 50_000
"""Bits of the numerator and of the denominator of a fraction."""


GROWING = (str, list, tuple, bytes, deque, bytearray)


def limited_power(x: Any, y: Any) -> Any:
    """x ** y for plain values, refused where the result would be huge."""
    if isinstance(x, int) and isinstance(y, int) and y > 0 and abs(x) > 1 and x.bit_length() * y > MAX_BITS:
        raise LimitError(f"{x} ** {y} has more than {MAX_BITS:,} bits", hint="Use a float or a smaller exponent.")
    if isinstance(x, Fraction) and isinstance(y, int) and (
        max(x.numerator.bit_length(), x.denominator.bit_length()) * abs(y) > MAX_TERMS
    ):  # fmt: skip
        raise LimitError("the terms of this fraction are too long", hint="Use a float.")
    return x**y


def limited_shift(x: Any, y: Any) -> Any:
    """x << y, refused where the result would be huge."""
    if isinstance(x, int) and isinstance(y, int) and y > MAX_BITS:
        raise LimitError(f"a shift by {y} bits is more than {MAX_BITS:,}", hint="Use a smaller number.")
    return x << y


def limited_product(x: Any, y: Any) -> Any:
    """x * y for plain values; repeated text and lists within the limit."""
    for sequence, count in ((x, y), (y, x)):
        if isinstance(sequence, GROWING) and isinstance(count, int):
            if len(sequence) * count > MAX_ELEMENTS // 5:
                raise LimitError(
                    f"a sequence of {len(sequence) * count:,} items is too long", hint="Use a smaller one."
                )
            return sequence * count
    if isinstance(x, int) and isinstance(y, int) and x.bit_length() + y.bit_length() > MAX_BITS:
        raise LimitError(f"the product has more than {MAX_BITS:,} bits", hint="Use floats.")
    return x * y


def limited_sum(x: Any, y: Any) -> Any:
    """x + y; joined text and lists within the limit."""
    if isinstance(x, GROWING) and isinstance(y, GROWING) and len(x) + len(y) > MAX_ELEMENTS // 5:
        raise LimitError("the result is too long", hint="Use a shorter text or list.")
    return x + y


def moderate(result: Any) -> Any:
    """A result as it is; a fraction whose terms have grown beyond what is reckoned in a moment is refused."""
    if type(result) is Fraction and max(result.numerator.bit_length(), result.denominator.bit_length()) > MAX_TERMS:
        raise LimitError("the terms of this fraction are too long", hint="Use a float, or limit_denominator().")
    return result


def remainder_or_text(x: Any, y: Any) -> Any:
    """x % y; for text the formatting with %."""
    if isinstance(x, str):
        from gradviz.imitation.script.showing.formatting import percent

        return percent(x, y)
    if isinstance(x, bytes):
        raise TorchError("'%' on bytes is not supported", kind="TypeError", hint="Format a text and encode it.")
    return x % y
