"""`numpy.char` and `numpy.strings`: functions over arrays of texts, which stay short."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.errors import LimitError
from gradviz.imitation.script.names.numpy.calls import LONGEST_TEXT, wrapped
from gradviz.imitation.script.values import Namespace

IN_BOTH = (
    "add", "capitalize", "count", "endswith", "equal", "find", "greater", "greater_equal", "index", "isalnum",
    "isalpha", "isdecimal", "isdigit", "islower", "isnumeric", "isspace", "istitle", "isupper", "less", "less_equal",
    "lower", "lstrip", "not_equal", "partition", "rfind", "rindex", "rstrip", "startswith", "str_len", "strip",
    "swapcase", "title", "upper",
)  # fmt: skip


WIDENING = ("center", "ljust", "rjust", "zfill", "expandtabs", "multiply")
"""Those whose second argument says how long the texts become, or how often they are repeated."""


def _short(function: Callable[..., Any]) -> Callable[..., Any]:
    def run(a: Any, width: Any = 8, *more: Any) -> Any:
        if np.max(width, initial=0) > LONGEST_TEXT:
            raise LimitError(f"texts of {np.max(width):,} characters are too long", hint="Use shorter ones.")
        return function(a, width, *more)

    return run


def _replaced(function: Callable[..., Any]) -> Callable[..., Any]:
    def run(a: Any, old: Any, new: Any, count: int = -1) -> Any:
        lengths = [np.max(np.strings.str_len(each), initial=0) for each in (a, new)]
        if lengths[0] * lengths[1] > LONGEST_TEXT:
            raise LimitError("the texts would be too long", hint="Replace by shorter ones.")
        return function(a, old, new, count)

    return run


def members() -> dict[str, Any]:
    """The names."""
    return {
        short: Namespace(f"numpy.{short}", {
            **{name: wrapped(name, getattr(module, name)) for name in IN_BOTH},
            **{name: wrapped(name, _short(getattr(module, name))) for name in WIDENING},
            "replace": wrapped("replace", _replaced(module.replace)),
        })
        for short, module in (("char", np.char), ("strings", np.strings))
    }  # fmt: skip
