"""All families of entries, put together."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from gradviz.imitation.engine.op import Op

_FAMILIES = {
    "numbers": "elementwise elementary paired activation kept_results special gamma drawn_gamma",
    "reducing": "reduction statistics order running",
    "shapes": "shaping moving",
    "places": "placing overwriting written",
    "linalg": "matmul products factors equations lu spectra lengths distances",
    "losses": "elementwise classes alignment",
    "layers": "softmax norms attention recurrent bags",
    "pictures": "convolution columns pixels pooling interpolation sampling",
    "backward_ops": "activation convolution losses moving norms",
}
"""By folder: its modules that have entries."""

TABLE: tuple[Op, ...] = ()
NAMES: dict[str, Any] = {}
"""Functions that the formulas of a family use, besides those of all families."""
OF_PARAMS: dict[str, Any] = {}
"""By op: what names of its formula stand for, worked out of (inputs, params)."""
for _folder, _names in _FAMILIES.items():
    for _family in (import_module(f"gradviz.imitation.engine.rules.{_folder}.{name}") for name in _names.split()):
        TABLE += _family.TABLE
        NAMES |= getattr(_family, "NAMES", {})
        OF_PARAMS |= getattr(_family, "OF_PARAMS", {})
