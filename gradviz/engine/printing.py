"""Tensors as PyTorch prints them: `tensor([1.0000, 2.5000], grad_fn=<MulBackward0>)`.

A function of an array, its dtype and the print options; nothing here knows a graph. The text is that of PyTorch 2.13.

The numbers of one tensor share one width. Floats are written in one of three ways, which their finite numbers other
than 0 decide: with an exponent (where they are too large, too small or too far apart), as whole numbers with a bare
point (`2.`), or with a fixed precision. The same numbers set the width, so a `nan` may stick out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from gradviz.engine.dtypes import BOOL, FLOAT32, INT64, DType
from gradviz.ops.op import Array

_LARGEST_PLAIN = 1e8
_SMALLEST_PLAIN = 1e-4
_LARGEST_PLAIN_RATIO = 1000.0


@dataclass(frozen=True, slots=True)
class PrintOptions:
    """What `torch.set_printoptions` sets.

    Attributes:
        precision: digits after the point.
        threshold: tensors of more elements than this are summarised with "..."; `inf` never summarises.
        edgeitems: elements shown at either end of a summarised axis.
        linewidth: characters per line.
        sci_mode: an exponent always or never; None lets the numbers decide.
    """

    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: float = 80
    sci_mode: bool | None = None


DEFAULT_OPTIONS = PrintOptions()

_PROFILES = {
    "default": DEFAULT_OPTIONS,
    "short": PrintOptions(precision=2, edgeitems=2),
    "full": PrintOptions(threshold=math.inf),
}


def change_options(
    options: PrintOptions,
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: float | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> PrintOptions:
    """The options after `torch.set_printoptions(...)`; None keeps what was.

    `sci_mode` is PyTorch's exception: every call sets it, so a call that does not name it sets it back to None.

    Raises:
        ValueError: a precision or a number of edge items that is no whole number of 0 or more.
    """
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    for name in ("precision", "edgeitems"):
        value = given[name]
        if value is not None and (not isinstance(value, int) or value < 0):
            raise ValueError(f"set_printoptions: {name} must be a whole number of 0 or more, but is {value}")
    start = options if profile is None else _PROFILES.get(profile, options)
    named: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    return replace(start, sci_mode=sci_mode, **named)


def format_tensor(
    array: Array,
    dtype: DType,
    *,
    requires_grad: bool = False,
    grad_fn_name: str | None = None,
    prefix: str = "tensor",
    default_dtype: DType = FLOAT32,
    options: PrintOptions = DEFAULT_OPTIONS,
) -> str:
    """What `repr` gives for a tensor.

    Args:
        array: its values.
        requires_grad: shown where there is no `grad_fn_name`.
        grad_fn_name: e.g. "MulBackward0", or None for a leaf.
        prefix: the word before the bracket; a subclass of Tensor has its own name there.
        default_dtype: the floating point dtype that goes without saying.
    """
    values = np.asarray(array)
    indent = len(prefix) + 1  # the opening bracket indents all further lines
    suffixes = []
    if values.size == 0 and values.ndim != 1:
        suffixes.append(f"size={values.shape}")  # [] alone would not tell (0, 3) from (0,)
    if dtype is not default_dtype and (values.size == 0 or dtype not in (INT64, BOOL)):
        suffixes.append(f"dtype={dtype}")
    if grad_fn_name is not None:
        suffixes.append(f"grad_fn=<{grad_fn_name}>")
    elif requires_grad:
        suffixes.append("requires_grad=True")
    return _join_suffixes(f"{prefix}({_format_values(values, indent, options)}", suffixes, indent, options.linewidth)


def _join_suffixes(text: str, suffixes: Sequence[str], indent: int, linewidth: float) -> str:
    used = len(text) - text.rfind("\n") + 1  # PyTorch counts a text of one line two characters longer than it is
    for suffix in suffixes:
        if used + len(suffix) + 2 > linewidth:
            text += ",\n" + " " * indent + suffix
            used = indent + len(suffix)
        else:
            text += ", " + suffix
            used += len(suffix) + 2
    return text + ")"


def _format_values(values: npt.NDArray[Any], indent: int, options: PrintOptions) -> str:
    if values.size == 0:
        return "[]"
    edge = options.edgeitems
    is_summarised = values.size > options.threshold
    is_cut = [is_summarised and length > 2 * edge for length in values.shape]
    if any(is_cut):
        kept = [
            np.r_[:edge, length - edge : length] if cut else np.arange(length)
            for length, cut in zip(values.shape, is_cut, strict=True)
        ]
        values = values[np.ix_(*kept)]
    texts, width = _format_numbers(values, options)
    # From the last axis outwards: the texts are grouped along it, each group becomes one text.
    for axis in reversed(range(values.ndim)):
        margin = indent + axis
        is_last = axis == values.ndim - 1
        between = "," + "\n" * (values.ndim - 1 - axis) + " " * (margin + 1)
        per_line = max(1, math.floor((options.linewidth - margin) / (width + 2)))
        length = values.shape[axis]
        groups = [texts[start : start + length] for start in range(0, len(texts), length)]
        if is_cut[axis]:
            dots = " ..." if is_last else "..."
            groups = [[*group[:edge], dots, *group[edge:]] for group in groups]
        if is_last:
            texts = [f"[{_break_lines(group, per_line, margin + 1)}]" for group in groups]
        else:
            texts = [f"[{between.join(group)}]" for group in groups]
    return texts[0]


def _break_lines(texts: Sequence[str], per_line: int, margin: int) -> str:
    lines = [", ".join(texts[start : start + per_line]) for start in range(0, len(texts), per_line)]
    return (",\n" + " " * margin).join(lines)


def _format_numbers(values: npt.NDArray[Any], options: PrintOptions) -> tuple[list[str], int]:
    """The texts of all numbers in row-major order, and the width of a column."""
    if values.dtype.kind != "f":
        texts = [str(value) for value in values.ravel().tolist()]
        width = max(map(len, texts))
    else:
        numbers = values.ravel().tolist()
        deciding = [number for number in numbers if number and math.isfinite(number)]
        write = _choose_format(deciding, options)
        texts = [write(number) for number in numbers]
        width = max((len(write(number)) for number in deciding), default=1)
    return [text.rjust(width) for text in texts], width


def _choose_format(deciding: Sequence[float], options: PrintOptions) -> Callable[[float], str]:
    """How one float is written beside the others."""
    magnitudes = [abs(number) for number in deciding] or [1.0]
    smallest, largest = min(magnitudes), max(magnitudes)
    is_scientific = options.sci_mode
    if is_scientific is None:
        is_scientific = (
            largest / smallest > _LARGEST_PLAIN_RATIO or largest > _LARGEST_PLAIN or smallest < _SMALLEST_PLAIN
        )
    if is_scientific and deciding:
        return f"%.{options.precision}e".__mod__
    if all(map(float.is_integer, deciding)):
        return _format_whole
    return f"%.{options.precision}f".__mod__


def _format_whole(number: float) -> str:
    return f"{number:.0f}." if math.isfinite(number) else f"{number:.0f}"
