"""Pictures made larger or smaller by weighing neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.engine import generic as F  # noqa: N812 - the name rules are read with
from gradviz.engine.rules.entry import Op, case

HALF = np.array([[1.0, 0.0], [0.75, 0.25], [0.25, 0.75], [0.0, 1.0]])


def weighed(x: Any, matrices: tuple[Any, ...]) -> Any:
    """Each of the last axes of x times its matrix (new size, old size)."""
    if isinstance(x, F.Tensor):
        return F.apply(F.OPS["upsample_linear"], (x,), matrices=matrices)
    for number, matrix in enumerate(matrices):
        axis = x.ndim - len(matrices) + number
        x = np.moveaxis(np.moveaxis(x, axis, -1) @ matrix.T.astype(x.dtype), -1, axis)
    return x


def turned(matrices: tuple[Any, ...]) -> tuple[Any, ...]:
    """Each matrix transposed."""
    return tuple(matrix.T for matrix in matrices)


def _node(params: dict[str, Any], _shapes: Any) -> str:
    return "UpsampleLinear1DBackward0" if len(params["matrices"]) == 1 else "UpsampleBilinear2DBackward0"


TABLE = (
    Op("upsample_linear", "up", weighed, (lambda g, y, x, matrices: weighed(g, turned(matrices)),), ("x",),
       ("weighed(g, turned(matrices))",), "y = weighted means of x",
       (case([[[[1.0, 2.0], [3.0, 5.0]]]], matrices=(HALF, HALF)), case([[[1.0, 2.0]]], matrices=(HALF,))), _node),
)  # fmt: skip

NAMES: dict[str, Any] = {"weighed": weighed, "turned": turned}
OF_PARAMS: dict[str, Any] = {}
