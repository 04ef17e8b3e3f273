"""Linear maps and their adjoints as pairs of rows, and maps that act along each spatial dim by a matrix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.ops import functions as r
from gradviz.ops.op import Op, example, names
from gradviz.ops.symbols import said


def linear_pair(
    name: str, forward: Callable[..., Any], adjoint: Callable[..., Any], phrase: str, equation: str, there: Any,
    back: Any, params: tuple[dict[str, Any], ...], node: str = "", saves: str = "",
    is_piecewise: bool = False, **facts: Any,
) -> tuple[Op, Op]:  # fmt: skip
    """Two rows of a linear map and its adjoint, each the other one's rule.

    Args:
        phrase: how people read what the map sends back; {0} is what comes in.
        there: an array to test the map on, and `back`, one to test the adjoint on.
        params: what both take.
        saves: what PyTorch's node of the map keeps.
        is_piecewise, facts: see `Op`; of the map's row.
    """
    rows: list[Op] = []

    def rule(g: Any, y: Any, x: Any, **given: Any) -> Any:
        return r.through(rows[1], g, **given)

    def rule_back(g: Any, y: Any, x: Any, **given: Any) -> Any:
        return r.through(rows[0], g, **given)

    rows.append(
        Op(name, forward, (rule,), ("x",), (said(f"{name}_sent_back", phrase, rule),), equation, tuple(example(there, **each) for each in params),
           names(saves), node, is_piecewise=is_piecewise, **facts)
    )  # fmt: skip
    rows.append(
        Op(f"{name}_back", adjoint, (rule_back,), ("v",), (), f"y = the gradient of {name} for v",
           tuple(example(back, **each) for each in params), node=(node or rows[0].node_name).replace("0", "Backward0"))
    )  # fmt: skip
    return rows[0], rows[1]


def resample(x: Any, matrices: list[Any]) -> Any:
    """Apply one matrix [out, size] along each spatial dim."""
    for i, matrix in enumerate(matrices):
        axis = x.ndim - len(matrices) + i
        moved = np.tensordot(x, matrix.astype(x.dtype), (axis, 1))  # the new axis comes last
        x = np.moveaxis(moved, -1, axis)
    return np.ascontiguousarray(x)
