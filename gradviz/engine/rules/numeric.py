"""The families that are about numbers: functions of one, two or three of them, statistics, order, losses."""

from __future__ import annotations

from typing import Any

from gradviz.engine.rules import (
    activation,
    activation_again,
    classes,
    distances,
    elementary,
    gamma,
    kept_results,
    lengths,
    losses,
    losses_again,
    order,
    paired,
    running,
    special,
    statistics,
)

_FAMILIES: tuple[Any, ...] = (
    elementary, paired, activation, kept_results, statistics, losses, classes, distances, losses_again, activation_again,
    order, running, lengths, special, gamma,
)  # fmt: skip

TABLE = tuple(op for family in _FAMILIES for op in family.TABLE)
NAMES: dict[str, Any] = {}
"""Functions that their formulas use, besides those of all families."""
OF_PARAMS: dict[str, Any] = {}
"""By op: what names of its formula stand for, worked out of (inputs, params)."""
for _family in _FAMILIES:
    NAMES |= _family.NAMES
    OF_PARAMS |= getattr(_family, "OF_PARAMS", {})
