"""A seed v made from what was chosen or typed, and in words what it asks of the Jacobian. Knows no Qt."""

from __future__ import annotations

from itertools import cycle, islice
from math import prod
from typing import Any

import numpy as np

from gradviz.errors import GradvizError
from gradviz.playback.words import counted, place_text, shape_text
from gradviz.recording import Array

_MAX_TERMS = 4


def one_hot(shape: tuple[int, ...], at: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """Zeros of `shape` with a 1 at `at`."""
    seed = np.zeros(shape, dtype)
    seed[at] = 1
    return seed


def typed_seed(text: str, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """The typed numbers as an array of `shape`.

    Raises:
        GradvizError: it is no list of numbers, or has another shape and another count.
    """
    if not text.strip():
        of_shape = f", of shape {shape_text(shape)}" if shape else ""
        raise GradvizError(f"Type {_numbers(prod(shape))} for v{of_shape}.")
    values = _parsed(text)
    if values.shape != shape and values.size == prod(shape) and (values.ndim <= 1 or not shape):
        values = values.reshape(shape)  # a plain row of numbers serves any shape of as many elements
    if values.shape != shape:
        raise GradvizError(
            f"v needs shape {shape_text(shape)}, {_numbers(prod(shape))}; "
            f"this has shape {shape_text(values.shape)}, {_numbers(values.size)}."
        )
    return values.astype(dtype)


def example(shape: tuple[int, ...]) -> str:
    """What may be typed for a v of `shape`: "3 numbers, such as 1 0 0.5"."""
    count = prod(shape)
    shown = " ".join(islice(cycle(("1", "0", "0.5")), min(count, _MAX_TERMS))) if count > 1 else "0.5"
    return f"{_numbers(count)}, such as {shown}{' …' if count > _MAX_TERMS else ''}"


def _parsed(text: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    from gradviz.source.values import parse_values

    return np.asarray(parse_values(text), dtype=np.float64)


def _numbers(count: int) -> str:
    return counted(count, "number")


def question(seed: Array, name: str) -> str:
    """What v asks, in one sentence: which rows of J = d(name)/dx it picks or mixes."""
    if seed.shape == ():
        return _scalar_question(float(seed), name)
    flat = np.asarray(seed).ravel()
    hot = np.flatnonzero(flat)
    if hot.size == 0:
        return "v is all zeros: every gradient will be 0."
    if hot.size == 1:
        at = f"{name}{place_text(seed.shape, int(hot[0]))}"
        row = f"row {int(hot[0]) + 1} of J"
        weight = float(flat[hot[0]])
        if weight == 1:
            return f"v picks {row}: the gradient of {at} alone."
        return f"v picks {row} and scales it by {weight:g}: {weight:g} times the gradient of {at}."
    if hot.size == flat.size and bool((flat == flat[0]).all()):
        scale = "" if flat[0] == 1 else f"{float(flat[0]):g} times "
        return f"v adds up all {flat.size} rows of J: {scale}the gradient of the sum of {name}."
    return f"v mixes {hot.size} of the {flat.size} rows of J: the gradient of {_mixture(flat, hot, seed.shape, name)}."


def _scalar_question(weight: float, name: str) -> str:
    if weight == 1:
        return f"{name} is a single number: v = 1 asks for its gradient as it is."
    return f"{name} is a single number: v scales its gradient by {weight:g}; it selects nothing."


def _mixture(flat: Any, hot: Any, shape: tuple[int, ...], name: str) -> str:
    """The weighted sum, e.g. "2·y[0] − 0.5·y[2]", cut after a few terms."""
    text = ""
    for index in hot[:_MAX_TERMS].tolist():
        weight = float(flat[index])
        sign = ("−" if weight < 0 else "") if not text else (" − " if weight < 0 else " + ")
        factor = "" if abs(weight) == 1 else f"{abs(weight):g}·"
        text += f"{sign}{factor}{name}{place_text(shape, index)}"
    return f"{text} + …" if hot.size > _MAX_TERMS else text
