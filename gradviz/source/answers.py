"""A gradient as somebody types it: the numbers of `values`, and fractions and products of two numbers besides."""

from __future__ import annotations

import re

import numpy as np

from gradviz.recording import Array
from gradviz.source.values import parse_values

_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_TERM = re.compile(rf"(?<![\w.)])({_NUMBER})\s*([/*·])\s*({_NUMBER})(?![\w.])")


def read_answer(text: str) -> Array:
    """The numbers of an answer as float64: "3", "[3, 4]", "3 4", "1/3", "[[1, 2], [3, 4]]", "tensor([1.])".

    Raises:
        GradvizError: it cannot be read as numbers.
    """
    plain = text.strip().replace("−", "-").replace("∞", "inf").removeprefix("=")
    while (found := _TERM.search(plain)) is not None:
        plain = plain[: found.start()] + _worked_out(*found.groups()) + plain[found.end() :]
    return np.array(parse_values(plain), dtype=np.float64)


def _worked_out(left: str, sign: str, right: str) -> str:
    a, b = np.float64(left), np.float64(right)
    with np.errstate(all="ignore"):
        return repr(float(a / b if sign == "/" else a * b))
