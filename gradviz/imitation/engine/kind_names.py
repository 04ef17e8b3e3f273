"""The names of types as messages give them."""

from __future__ import annotations

from functools import cache
from types import FunctionType
from typing import Any


def kind_name(value: Any) -> str:
    """The type of a value as Python's and PyTorch's own C code name it: with its module where it is written in C.

    A type of ours that stands for another says which, as `shown_as`, and `shown_in` where that is PyTorch's C code.
    """
    shown = getattr(value, "shown_as", None)
    if not isinstance(shown, str):
        kind: Any = type(value)
        return _name(kind)
    return f"torch.{shown}" if getattr(value, "shown_in", "") == "torch" else shown


def short_name(value: Any) -> str:
    """`type(value).__name__`."""
    return kind_name(value).rpartition(".")[2]


@cache
def _name(kind: Any) -> str:
    is_in_c = not any(isinstance(member, FunctionType) for member in vars(kind).values())
    is_open = kind.__module__ != "builtins" and not kind.__module__.startswith("gradviz")
    return f"{kind.__module__}.{kind.__name__}" if is_in_c and is_open else kind.__name__
