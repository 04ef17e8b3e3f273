"""The functions of all families by name: of `torch`, of a tensor, of `torch.nn.functional`, of `torch.linalg`."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

_FAMILIES = {
    "numbers": "elementary paired activation bits special",
    "reducing": "statistics order running counting histograms searching differences",
    "shapes": "moving splitting joining",
    "places": "placing scattering written",
    "linalg": "products factors equations einsum spectra lu lengths distances removed",
    "losses": "elementwise by_number classes alignment",
    "layers": "norms attention bags direct",
    "pictures": "padding convolution columns pooling adaptive_pooling power_pooling unpooling pixels interpolation "
    "sampling",
}
"""By folder: its modules that name their functions."""

FUNCTIONS: dict[str, Callable[..., Any]] = {}
METHODS: dict[str, Callable[..., Any]] = {}
NEURAL: dict[str, Callable[..., Any]] = {}
LINALG: dict[str, Callable[..., Any]] = {}
for _folder, _names in _FAMILIES.items():
    for _family in (import_module(f"gradviz.imitation.engine.functions.{_folder}.{name}") for name in _names.split()):
        FUNCTIONS |= _family.FUNCTIONS
        METHODS |= getattr(_family, "METHODS", _family.FUNCTIONS)
        NEURAL |= getattr(_family, "NEURAL", {})
        LINALG |= getattr(_family, "LINALG", {})
