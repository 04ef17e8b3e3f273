"""The functions of the families that are about numbers, by name: of `torch`, of a tensor, of `functional`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradviz.engine.functions import (
    activation,
    bits,
    counting,
    differences,
    distances,
    elementary,
    histograms,
    lengths,
    losses,
    losses_by_number,
    losses_classes,
    ordering,
    paired,
    running,
    searching,
    special,
    statistics,
)

FUNCTIONS: dict[str, Callable[..., Any]] = {}
METHODS: dict[str, Callable[..., Any]] = {}
NEURAL: dict[str, Callable[..., Any]] = {}
for _family in (
    elementary, paired, activation, statistics, losses, losses_by_number, losses_classes, distances, ordering, running,
    lengths, counting, histograms, searching, differences, bits, special,
):  # fmt: skip
    FUNCTIONS |= _family.FUNCTIONS
    METHODS |= getattr(_family, "METHODS", _family.FUNCTIONS)
    NEURAL |= getattr(_family, "NEURAL", {})
