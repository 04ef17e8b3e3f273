"""The step of Muon: the mean of the gradients with all its singular values brought near 1.

It works in bfloat16: numbers of float32 whose lower 16 bits are 0. Sums are made in float32 and rounded once.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradviz.imitation.engine.kernels.reductions import length
from gradviz.errors import TorchError
from gradviz.imitation.script.names.optim.arithmetic import fused, lerp, scaled


def brief(x: Any) -> Any:
    """float32 rounded to bfloat16, to even where two are equally near; NaN stays."""
    x = np.ascontiguousarray(x, np.float32)
    bits = x.view(np.uint32)
    odd = (bits >> np.uint32(16)) & np.uint32(1)
    rounded = (bits + np.uint32(0x7FFF) + odd) & np.uint32(0xFFFF0000)
    return np.where(np.isnan(x), x, rounded.view(np.float32))


def levelled(matrix: Any, coefficients: tuple[float, float, float], steps: int, eps: float) -> Any:
    """A matrix with the same singular vectors and all singular values near 1, by `steps` of Newton and Schulz.

    Raises:
        TorchError: too many steps, or not three coefficients.
    """
    if steps >= 100:
        raise TorchError("Number of steps must be less than 100 for computational efficiency", kind="ValueError")
    if len(coefficients) != 3:
        raise TorchError("Coefficients must be a tuple of exactly 3 values", kind="ValueError")
    a, b, c = (np.float32(each) for each in coefficients)
    is_tall = matrix.shape[0] > matrix.shape[1]
    x = brief(matrix)
    size = brief(length(x, None, False))
    x = brief((x.T if is_tall else x) / np.maximum(size, brief(np.float32(eps))))
    for _ in range(steps):
        gram = brief(x @ x.T)
        x = brief(a * x + brief(b * gram + c * (gram @ gram)) @ x)
    return x.T if is_tall else x


def stretch(adjust_lr_fn: str | None, shape: tuple[int, ...]) -> float:
    """What the learning rate is multiplied with for a matrix of that shape."""
    rows, columns = shape
    if adjust_lr_fn == "match_rms_adamw":
        return 0.2 * math.sqrt(max(rows, columns))
    return math.sqrt(max(1, rows / columns))


def muon(options: dict[str, Any], state: dict[str, Any], p: Any, g: Any) -> Any:
    mean = state["momentum_buffer"] = lerp(state.get("momentum_buffer", np.zeros_like(g)), g, 1 - options["momentum"])
    update = lerp(g, mean, options["momentum"]) if options["nesterov"] else mean
    update = levelled(update, options["ns_coefficients"], options["ns_steps"], options["eps"])
    p = scaled(p, 1 - options["lr"] * options["weight_decay"])
    return fused(p, update.astype(p.dtype), -options["lr"] * stretch(options["adjust_lr_fn"], p.shape))
