"""The one op that only steps of recurrent networks have: the gates of a step, taken apart."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.ops import functions as r
from gradviz.ops.op import Op, example
from gradviz.ops.symbols import Traced, said


def _part(x: Any, start: int, end: int) -> Any:
    return x[..., start:end]


def _part_rule(g: Any, y: Any, x: Any, start: int, end: int) -> Any:
    if isinstance(g, Traced):
        return r.put(g, r.plain(x).shape, (..., slice(start, end)))
    sent = np.zeros(x.shape, g.dtype)
    sent[..., start:end] = g
    return sent


UNSAFE_SPLIT = Op(
    "unsafe_split", _part, (_part_rule,), form=(said("put_part", "{0} at the part, 0 elsewhere", _part_rule),), equation="y = a part of x",
    examples=(example([[0.5, -1.5, 2.0], [3.0, 0.25, -0.75]], start=1, end=3),), sign="x[:]", kind="pick",
)  # fmt: skip
"""A part that is no view: nothing may be written to it in place, so nobody need keep count."""
TABLE = (UNSAFE_SPLIT,)
"""The rows of this family."""
