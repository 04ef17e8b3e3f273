"""What the cells of the table say, and what a text typed into one means. Knows no Qt."""

from __future__ import annotations

import math
from enum import IntEnum
from typing import Any

import numpy as np

from gradviz.errors import GradvizError
from gradviz.playback.numbers import figures
from gradviz.playback.words import number_text, shape_text, short_value
from gradviz.recording import Array, Known, Summary
from gradviz.source.leaf_changes import LeafChange
from gradviz.source.leaves import LeafSpec
from gradviz.source.values import Values, flatten, number_source, parse_shape, parse_values, values_text
from gradviz.ui.variables.held import UNKNOWN, Held

MAX_INLINE = 12
"""Up to so many numbers are edited in the cell; more open the grid."""

_MAX_SHOWN = 40
_MAX_NUMBERS = 22
"""Characters of a parameter's numbers; where they need more, its norm says more."""


class Column(IntEnum):
    """The columns, from the left."""

    NAME = 0
    SHAPE = 1
    VALUE = 2
    DTYPE = 3
    GRAD = 4


HEADINGS = ("name", "shape", "value", "dtype", "grad")


def shown(leaf: LeafSpec, column: int, held: Held = UNKNOWN) -> str:
    """The text of a cell, given what the variable holds."""
    if column == Column.GRAD:
        return gradient_text(leaf, held)
    if column == Column.VALUE:
        return value_text(leaf, held.value)
    if column == Column.SHAPE:
        return shape_text(leaf.shape if held.value is None else held.value.shape)
    return leaf.name if column == Column.NAME else leaf.dtype


def value_text(leaf: LeafSpec, value: Known = None) -> str:
    """The numbers in short, or what makes them where they are not known before the run."""
    if value is not None:
        return recorded_text(value) if leaf.is_recorded else array_text(value)
    if leaf.is_recorded:
        return "not kept"
    if leaf.values is None:
        return f"random, {leaf.function}" if leaf.is_random else f"{leaf.function}, {math.prod(leaf.shape):,} values"
    return short_text(leaf.values)


def gradient_text(leaf: LeafSpec, held: Held) -> str:
    """The gradient in short; "none" for a constant, "—" where none has come in, "cut" where none can."""
    if not leaf.requires_grad:
        return "none"
    if held.gradient is not None:
        return recorded_text(held.gradient) if leaf.is_recorded else array_text(held.gradient)
    return "cut" if "cut at" in held.no_gradient else "—"


def recorded_text(array: Known) -> str:
    """Of a parameter its few numbers, else its norm."""
    text = short_value(array, _MAX_NUMBERS)
    return f"norm {number_text(figures(array).norm)}" if "…" in text and isinstance(array, np.ndarray) else text


def array_text(array: Array | Summary) -> str:
    """The first numbers of an array."""
    if isinstance(array, Summary):
        return recorded_text(array)
    return short_text(array.tolist() if array.size <= _MAX_SHOWN else _head(array))


def short_text(values: Values) -> str:
    """The first numbers, four significant digits each."""
    numbers = flatten(values)
    if len(numbers) > _MAX_SHOWN:
        return "  ".join(_short(n) for n in numbers[:_MAX_SHOWN]) + " …"
    return values_text(values, _short)


def _head(gradient: Array) -> list[Any]:
    return list(gradient.reshape(-1)[: _MAX_SHOWN + 1].tolist())


def _short(number: float) -> str:
    if isinstance(number, bool):
        return str(number)
    return str(number) if isinstance(number, int | complex) else number_text(number)


def typed(leaf: LeafSpec, column: int) -> str:
    """The text that editing a cell starts with: exact, and read back by `change_of` as the same."""
    if column != Column.VALUE:
        return shown(leaf, column)
    return "" if leaf.values is None else values_text(leaf.values, _exact)


def _exact(number: float) -> str:
    return str(number) if not math.isfinite(number) else number_source(number).removesuffix(".")


def change_of(leaf: LeafSpec, column: int, text: str) -> LeafChange | None:
    """What a text typed into a cell asks for; None where it changes nothing.

    Raises:
        GradvizError: the text is no such thing; one sentence.
    """
    if text.strip() == typed(leaf, column):
        return None
    if column == Column.NAME:
        return LeafChange(new_name=_name(text.strip()), line=leaf.line)
    if column == Column.SHAPE:
        shape = parse_shape(text)
        return None if shape == leaf.shape else LeafChange(shape=shape, line=leaf.line)
    if column == Column.VALUE:
        return LeafChange(values=parse_values(text), line=leaf.line)
    return LeafChange(dtype=text, line=leaf.line)


def _name(text: str) -> str:
    if not text.isidentifier():
        raise GradvizError(f"'{text[:30]}' is not a variable name.", hint="Use letters, digits and _, no digit first.")
    return text


def sentence_of(error: GradvizError) -> str:
    """The error as one line under the table."""
    where = f"Character {error.column}: " if error.column is not None else ""
    return f"{where}{error.message} {error.hint}".strip()
