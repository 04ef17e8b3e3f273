"""Pictures made larger or smaller by weighing neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.imitation.engine import generic as F
from gradviz.imitation.engine.kernels.even_windows import Windows, averaged
from gradviz.imitation.engine.kernels.resampling import Taps, resampled, whole_along
from gradviz.imitation.engine.rules.entry import Op, case

HALF = np.array([[1.0, 0.0], [0.75, 0.25], [0.25, 0.75], [0.0, 1.0]])


def weighed(x: Any, matrices: tuple[Any, ...], mode: str = "linear") -> Any:
    """Each of the last axes of x times its matrix (new size, old size), which may be given by `Taps` or `Windows`."""
    if isinstance(x, F.Tensor):
        return F.apply(F.OPS["upsample"], (x,), matrices=matrices, mode=mode)
    if isinstance(matrices[0], Taps):
        return resampled(x, matrices, mode)
    if isinstance(matrices[0], Windows):
        return averaged(x, matrices)
    for number, matrix in enumerate(reversed(matrices)):
        x = _weighed_along(x, x.ndim - 1 - number, matrix)
    return x


def _weighed_along(x: Any, axis: int, matrix: Any) -> Any:
    """One axis of x times its matrix. What has no weight has no say: a product of matrices would make 0 · inf of it."""
    if x.dtype == np.uint8:
        return whole_along(x, axis, matrix)
    width = max(1, int((matrix != 0).sum(1).max(initial=0)))
    places = np.argsort(matrix == 0, axis=1, kind="stable")[:, :width]
    weights = np.take_along_axis(matrix, places, 1).astype(x.dtype)
    room = (-1, *(1,) * (x.ndim - 1 - axis))
    total: Any = 0
    for place, weight in zip(places.T, weights.T, strict=True):
        part = np.take(x, place, axis) * weight.reshape(room)
        total = total + np.where((weight == 0).reshape(room), x.dtype.type(0), part)
    return total


def turned(matrices: tuple[Any, ...]) -> tuple[Any, ...]:
    """Each matrix transposed."""
    return tuple(matrix.T for matrix in matrices)


_NODES = {
    "linear": "UpsampleLinear1D", "bilinear": "UpsampleBilinear2D", "trilinear": "UpsampleTrilinear3D",
    "bicubic": "UpsampleBicubic2D", "bilinear_aa": "UpsampleBilinear2DAa", "bicubic_aa": "UpsampleBicubic2DAa",
    "lanczos_aa": "UpsampleLanczos2DAa", "adaptive_avg_pool2d": "AdaptiveAvgPool2D",
    "adaptive_avg_pool3d": "AdaptiveAvgPool3D",
}  # fmt: skip


def _node(params: dict[str, Any], _shapes: Any) -> str:
    back = params["mode"].removesuffix("_back")
    return _NODES[back] + ("BackwardBackward0" if back != params["mode"] else "Backward0")


def other_way(mode: str) -> str:
    """The mode of the adjoint, which PyTorch names after it; there and back again is the mode itself."""
    return mode.removesuffix("_back") if mode.endswith("_back") else f"{mode}_back"


def _back(g: Any, y: Any, x: Any, matrices: tuple[Any, ...], mode: str) -> Any:
    return weighed(g, turned(matrices), other_way(mode))


TABLE = (
    Op("upsample", "up", weighed, (_back,), ("x",), ("weighed(g, turned(matrices))",), "y = weighted means of x",
       (case([[[[1.0, 2.0], [3.0, 5.0]]]], matrices=(HALF, HALF), mode="bilinear"),
        case([[[1.0, 2.0]]], matrices=(HALF,), mode="linear")), _node),
)  # fmt: skip

NAMES: dict[str, Any] = {"weighed": weighed, "turned": turned}
OF_PARAMS: dict[str, Any] = {}
