"""How a family of recorded expressions is written down."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

Given = tuple[Any, ...]
"""One nested list of numbers per input."""
Shapes = Sequence[tuple[int, ...]]


class Family(NamedTuple):
    """The expressions of a family.

    Attributes:
        one: elementwise functions of a.
        short: those of which PyTorch treats NaN and −0 otherwise in long arrays; special numbers in float32 only.
        two: elementwise functions of a and b.
        grid: functions of a matrix.
        shaped: functions of inputs of given shapes.
        given: functions of given numbers: kinks, ties, indices.
    """

    one: Sequence[str] = ()
    short: Sequence[str] = ()
    two: Sequence[str] = ()
    grid: Sequence[str] = ()
    shaped: Sequence[tuple[str, Sequence[Shapes]]] = ()
    given: Sequence[tuple[str, Given]] = ()
