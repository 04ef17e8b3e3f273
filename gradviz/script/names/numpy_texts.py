"""`numpy.char` and `numpy.strings`: functions over arrays of texts that make none much longer."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.script.names.numpy_calls import wrapped
from gradviz.script.values import Namespace

IN_BOTH = (
    "add", "capitalize", "count", "endswith", "equal", "find", "greater", "greater_equal", "index", "isalnum",
    "isalpha", "isdecimal", "isdigit", "islower", "isnumeric", "isspace", "istitle", "isupper", "less", "less_equal",
    "lower", "lstrip", "not_equal", "partition", "rfind", "rindex", "rstrip", "startswith", "str_len", "strip",
    "swapcase", "title", "upper",
)  # fmt: skip


def members() -> dict[str, Any]:
    """The names."""
    return {
        short: Namespace(f"numpy.{short}", {name: wrapped(name, getattr(module, name)) for name in IN_BOTH})
        for short, module in (("char", np.char), ("strings", np.strings))
    }
