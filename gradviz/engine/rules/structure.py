"""The families that are about structure: moving, indexing, linear algebra, convolution, pooling, normalisation."""

from __future__ import annotations

from typing import Any

from gradviz.engine.rules import (
    alignment,
    attention,
    bags,
    columns,
    convolution,
    convolution_again,
    factors,
    lu,
    moving,
    moving_again,
    norms,
    norms_again,
    overwriting,
    placing,
    pooling,
    products,
    recurrent,
    resampling,
    sampling,
    spectra,
    triangles,
    written,
)

_FAMILIES: tuple[Any, ...] = (
    moving,
    moving_again,
    placing,
    bags,
    resampling,
    convolution,
    convolution_again,
    columns,
    pooling,
    norms,
    norms_again,
    overwriting,
    products,
    factors,
    attention,
    recurrent,
    spectra,
    lu,
    triangles,
    written,
    sampling,
    alignment,
)

TABLE = tuple(op for family in _FAMILIES for op in family.TABLE)
NAMES: dict[str, Any] = {}
"""Functions that their formulas use, besides those of all families."""
OF_PARAMS: dict[str, Any] = {}
"""By op: what names of its formula stand for, worked out of (inputs, params)."""
for _family in _FAMILIES:
    NAMES |= _family.NAMES
    OF_PARAMS |= _family.OF_PARAMS
