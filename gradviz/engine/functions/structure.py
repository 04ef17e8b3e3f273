"""The functions of the families that are about structure, by name: of `torch`, of a tensor, of `functional`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradviz.engine.functions import (
    adaptive_pooling,
    alignment,
    attention,
    bags,
    columns,
    convolution,
    einsum,
    factors,
    interpolation,
    joining,
    lengths,
    lu,
    matrix_equations,
    moving,
    norms,
    padding,
    placing,
    pooling,
    power_pooling,
    products,
    removed,
    resampling,
    sampling,
    spectra,
    unpooling,
    written,
)

FUNCTIONS: dict[str, Callable[..., Any]] = {}
METHODS: dict[str, Callable[..., Any]] = {}
NEURAL: dict[str, Callable[..., Any]] = {}
for _family in (
    matrix_equations,
    moving,
    joining,
    padding,
    placing,
    bags,
    resampling,
    interpolation,
    convolution,
    columns,
    pooling,
    adaptive_pooling,
    power_pooling,
    unpooling,
    norms,
    products,
    factors,
    einsum,
    attention,
    spectra,
    lu,
    removed,
    written,
    sampling,
    alignment,
):
    FUNCTIONS |= _family.FUNCTIONS
    METHODS |= _family.METHODS
    NEURAL |= _family.NEURAL

LINALG: dict[str, Callable[..., Any]] = (
    products.LINALG | factors.LINALG | lengths.LINALG | spectra.LINALG | lu.LINALG | matrix_equations.LINALG
)
"""The functions of `torch.linalg`."""
