"""A tensor as PyTorch's C++ writes it into a message: in lines of 80 columns, with its kind and sizes at the end."""

from __future__ import annotations

import math
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from gradviz.imitation.engine.dtypes import class_of, type_name

LINE = 80
WIDE = 11
"""Columns of a number with an exponent of two digits."""


class _Form(NamedTuple):
    """How the numbers of a matrix are written: a format, its columns, and what all are divided by."""

    text: str
    width: int
    scale: float = 1.0


def stream_text(data: Any) -> str:
    """The numbers of an array, and `[ torch.FloatTensor{2,3} ]`."""
    numbers = np.asarray(data)
    name = class_of(type_name(numbers.dtype))
    sizes = ",".join(map(str, numbers.shape))
    return f"{_numbers(numbers.astype(np.float64))}[ {name}{{{sizes}}} ]"


def _numbers(x: Any) -> str:
    if not x.size:
        return ""
    if not x.ndim:
        return f"{float(x):g}\n"
    if x.ndim == 1:
        form = _form(x)
        return _scale(form) + "".join(f"{_number(v, form)}\n" for v in x)
    if x.ndim == 2:
        return _matrix(x, "")
    # The first axis runs fastest.
    places = (at[::-1] for at in product(*map(range, x.shape[-3::-1])))
    return "\n".join(f"({''.join(f'{i + 1},' for i in at)}.,.) = \n{_matrix(x[at], ' ')}" for at in places)


def _matrix(x: Any, indent: str) -> str:
    form = _form(x)
    count = (LINE - len(indent)) // (form.width + 1)
    scale = f"{_scale(form)}{indent}" if form.scale != 1 else ""
    between = f"\n{indent}{' ' if scale else ''}"
    blocks = []
    for first in range(0, x.shape[1], count):
        part = x[:, first : first + count]
        head = f"Columns {first + 1} to {first + part.shape[1]}{indent}" if count < x.shape[1] else ""
        rows = between.join(" ".join(_number(v, form) for v in row) for row in part)
        blocks.append(f"{head}{scale}{rows}\n")
    return "\n".join(blocks)


def _number(value: float, form: _Form) -> str:
    return (form.text % (value / form.scale)).rjust(form.width)


def _scale(form: _Form) -> str:
    return f"{form.scale:g} *\n" if form.scale != 1 else ""


def _form(x: Any) -> _Form:
    """Whole numbers without a point; the others with four digits behind it, or with an exponent where they differ."""
    finite = np.abs(x[np.isfinite(x)])
    least, most = (_digits(finite.min()), _digits(finite.max())) if finite.size else (1, 1)
    if (finite == np.ceil(finite)).all():
        return _Form("%.4e", WIDE) if most > 9 else _Form("%g", most + 1)
    if most - least > 4:
        return _Form("%.4e", WIDE + (max(abs(most), abs(least)) > 99))
    if most > 5 or most < 0:
        return _Form("%.4f", 7, 10.0 ** (most - 1))
    return _Form("%.4f", most + 6 if most else 7)


def _digits(number: float) -> int:
    """How many digits stand before the point; fewer than none where zeros stand behind it."""
    return math.floor(math.log10(number)) + 1 if number else 1
