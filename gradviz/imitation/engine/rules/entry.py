"""How the families write their entries."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.imitation.engine.op import Op

Case = dict[str, Any]


def case(*inputs: Any, **params: Any) -> Case:
    """Inputs (nested lists of numbers, taken as float64; arrays as they are) and params to test an entry on."""
    arrays = tuple(x if isinstance(x, np.ndarray) else np.asarray(x, dtype=np.float64) for x in inputs)
    return {"inputs": arrays, "params": params}


def saves(text: str) -> frozenset[str]:
    """Names out of the inputs, and y, that the backward node keeps."""
    return frozenset(text.split())


def by_dim(name: str) -> Any:
    """PyTorch numbers the overloads: NameBackward0 over everything, NameBackward1 by dim."""
    return lambda p, _shapes: f"{name}Backward{0 if p.get('dim') is None and not p.get('keepdim') else 1}"


__all__ = ["Case", "Op", "by_dim", "case", "saves"]
