"""What those functions of PyTorch that are written in Python say of an argument of another type, as it was recorded."""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gradviz.imitation.engine.tensor import Tensor
from gradviz.errors import TorchError
from gradviz.imitation.script.arguments.reading import UNREAD
from gradviz.imitation.script.torch_values import is_dtype
from gradviz.imitation.script.values import type_name

# Read when this is imported: a script's mistake must open no file.
_ROWS = Path(__file__).with_name("other_types.txt").read_text(encoding="utf-8").splitlines()
_KINDS: dict[type, str] = {kind: kind.__name__ for kind in (str, type(None), float, int, bool, dict)}
_STRANGE = "dict"
"""What is of no type of the table is told as a dict is, which no function takes."""


class Told(NamedTuple):
    """One function.

    Attributes:
        parameters: their names, in order.
        required: those without a default.
        texts: kind of the exception and text ("{}" for the name of the type), by parameter and type.
    """

    parameters: tuple[str, ...]
    required: frozenset[str]
    texts: dict[tuple[str, str], tuple[str, str]]


@functools.cache
def _rows() -> dict[str, str]:
    return {name: rest for name, _, rest in (row.partition("\t") for row in _ROWS)}


@functools.cache
def _told(name: str) -> Told:
    parameters, *entries = _rows()[name].split("\t")
    texts: dict[tuple[str, str], tuple[str, str]] = {}
    for entry in entries:
        parameter, kind, text, types = entry.split("|")
        texts |= {(parameter, found): (kind, text) for found in types.split(",")}
    names = parameters.split()
    required = frozenset(name for name in names if not name.endswith("="))
    return Told(tuple(name.rstrip("=") for name in names), required, texts)


def is_told(name: str) -> bool:
    """Whether a function is in the table, e.g. `torch.nn.functional.relu6`."""
    return name in _rows()


def has_parameter(name: str, parameter: str) -> bool:
    """Whether a function of the table has a parameter."""
    return is_told(name) and parameter in _told(name).parameters


def wrong_type(name: str, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> TorchError | None:
    """The error of the first argument that is of a type which the function refuses; None where there is none.

    Nor is there one where Python would not begin the call: its words are the function's own.
    """
    told = _told(name)
    given = dict(zip(told.parameters, arguments, strict=False)) | keywords
    if len(arguments) > len(told.parameters) or not told.required <= given.keys() <= set(told.parameters):
        return None
    for parameter in told.parameters:
        if parameter not in given:
            continue
        error = _wrong_item(told, parameter, given[parameter])
        if error is not None:
            return error
        found = told.texts.get((parameter, _kind(given[parameter])))
        if found is not None and not (is_dtype(given[parameter]) and found[1].endswith(DTYPE)):
            kind, text = found
            spelled = type_name(given[parameter])
            return TorchError(
                text.replace("{}", spelled.rpartition(".")[2] if "object" in text else spelled), kind=kind
            )
    return None


SIZES = "must be tuple of ints, not {}"
DTYPE = "must be torch.dtype, not {}"
NUMBER = "must be Number, not {}"
INT = "must be int, not {}"
FLOAT = "must be float, not {}"


def _wrong_item(told: Told, parameter: str, value: Any) -> TorchError | None:
    """The error of sizes with something else among them, and of a number that is a tensor of several."""
    kind, text = told.texts.get((parameter, _STRANGE), ("", ""))
    if isinstance(value, Tensor) and (value.ndim or value.requires_grad) and text.endswith(NUMBER):
        return TorchError(text.format("Tensor"), kind=kind)
    if isinstance(value, Tensor) and (value.ndim or value.requires_grad) and text.endswith(FLOAT):
        return TorchError(text.format("Tensor"), kind=kind)
    is_whole = isinstance(value, Tensor) and not value.ndim and value.dtype.kind in "iu" and not value.requires_grad
    if isinstance(value, Tensor) and text.endswith(INT) and not is_whole:
        return TorchError(text.format("Tensor"), kind=kind)
    told_of = (told.texts.get((parameter, other), ("", "")) for other in ("str", "float"))
    kind, text = next(((kind, text) for kind, text in told_of if text.endswith(SIZES)), ("", ""))
    if not text:
        return None
    if isinstance(value, Tensor) and (value.data.size != 1 or value.dtype.kind not in "iu"):
        return TorchError(text.format("Tensor"), kind=kind)
    for place, item in enumerate(value if isinstance(value, list | tuple) else ()):
        if _is_no_length(item) or (not place and isinstance(item, bool)):
            found = f"must be tuple of ints, but found element of type {type_name(item)} at pos {place}"
            if place:  # PyTorch knows a list of sizes by the first
                text = _POSITION.sub("", text)
                found = f'{UNREAD} {place + 1} with error "type must be tuple of ints,but got {type_name(item)}"'
            return TorchError(text.replace(SIZES, found), kind=kind)
    return None


def _is_no_length(item: Any) -> bool:
    return not isinstance(item, int | np.integer | Tensor) or (isinstance(item, Tensor) and item.data.size != 1)


_POSITION = re.compile(r" \(position \d+\)")


def _kind(value: Any) -> str:
    if isinstance(value, Tensor):
        return "Tensor"
    if isinstance(value, list | tuple):
        return "list" if isinstance(value, list) else "tuple"
    if isinstance(value, np.ndarray | np.generic):
        return "numpy.ndarray" if isinstance(value, np.ndarray) else "a number of numpy"
    return _KINDS.get(type(value), _STRANGE)
