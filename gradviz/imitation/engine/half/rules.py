"""Gradients of numbers of 16 bits that one kernel of PyTorch computes in float32 and rounds once.

All other rules are fed tensors, and round after each op; see `node_rules`. Norms keep the mean and 1 over the deviation
in the dtype of their weights, so here both are rounded, as they are where nothing is weighted.

Source: aten/src/ATen/native/cpu/layer_norm_kernel.cpp, group_norm_kernel.cpp, batch_norm_kernel.cpp, Activation.cpp.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from gradviz.imitation.engine.dtypes import FLOAT32, HALVES, DType
from gradviz.imitation.engine.half.rounding import rounded, single
from gradviz.imitation.engine.op import Op
from gradviz.imitation.engine.passes.backward import rules_of
from gradviz.imitation.engine.rules.layers.norms import LAYOUTS, Parts, gathered, weighted
from gradviz.imitation.engine.shapes import unbroadcast

Fused = Callable[[Op, Sequence[bool], Any, Any, Sequence[Any], Mapping[str, Any]], Sequence[Any]]
"""fused(op, needs, g, y, inputs, params) -> one gradient per input in float32, None where none is wanted."""


def sent(
    op: Op, needs: Sequence[bool], g: Any, y: Any, xs: Sequence[Any], params: Mapping[str, Any]
) -> tuple[Any, ...]:
    """The gradients of an op of `FUSED`, in the shape and dtype of its inputs."""
    found = FUSED[op.name](op, needs, single(g), y, xs, params)
    return tuple(
        None if out is None else rounded(unbroadcast(out, x.shape) if out.shape != x.shape else out, x.dtype)
        for out, x in zip(found, xs, strict=True)
    )


def _by_rules(
    op: Op, needs: Sequence[bool], g: Any, y: Any, xs: Sequence[Any], params: Mapping[str, Any]
) -> Sequence[Any]:
    """By the rules of the table, fed float32."""
    wide = [single(x) for x in xs]
    rules = zip(needs, rules_of(op, len(xs)), strict=True)
    return [rule(g, single(y), *wide, **params) if needed and rule else None for needed, rule in rules]


def _log_sigmoid(
    _op: Op, _needs: Sequence[bool], g: Any, _y: Any, xs: Sequence[Any], _params: Mapping[str, Any]
) -> Sequence[Any]:
    """PyTorch keeps e^−|x|, rounded."""
    (x,) = xs
    kept = single(rounded(np.exp(-np.abs(single(x))), x.dtype))
    below = single(x) < 0
    one = FLOAT32.type(1)
    return [(below.astype(FLOAT32) - np.where(below, one, -one) * (kept / (one + kept))) * g]


def _norm(op: Op, needs: Sequence[bool], g: Any, y: Any, xs: Sequence[Any], params: Mapping[str, Any]) -> Sequence[Any]:
    if "running_mean" in params:
        return _by_rules(op, needs, g, y, xs, params)
    parts, scale = moments(op.name, xs, params)
    x, w, *_ = (*map(single, xs), None)
    z = weighted(g, x, w, parts)
    to_x = (z - parts.mean(z) - parts.h * parts.mean(z * parts.h)) * scale
    found = [to_x.reshape(x.shape)]
    if w is not None:
        add = partial(_by_rows, xs[0].dtype) if op.name == "layer_norm" else gathered
        found += [add(z, w, parts.weight_shape) for z in (g * parts.h.reshape(x.shape), g)]
    return [out if needed else None for out, needed in zip(found, needs, strict=True)]


def _by_rows(dtype: DType, z: Any, w: Any, _weight_shape: Any) -> Any:
    """The sum of rows, each of two threads one after the other, rounded at each."""
    rows = z.reshape(-1, *w.shape)
    half = -(-len(rows) // 2)
    found = np.zeros(w.shape, FLOAT32)
    for part in (rows[:half], rows[half:]):
        added = np.zeros(w.shape, FLOAT32)
        for row in part:
            added = single(rounded(added + row, dtype))
        found += added
    return found


def moments(name: str, xs: Sequence[Any], params: Mapping[str, Any]) -> tuple[Parts, Any]:
    """The parts of a norm, with x normalised by its rounded mean and scale; and that scale, 1 over the deviation."""
    kind: DType = xs[1].dtype if len(xs) > 1 else xs[0].dtype
    x = single(xs[0])
    parts = Parts(LAYOUTS[name.removesuffix("_plain")], x, dict(params))
    together = x.reshape(parts.size)
    mean = parts.mean(together)
    if kind in HALVES and name.startswith("batch") and x.ndim == 2:  # channels side by side have a kernel of their own
        variance = parts.mean((together - mean) ** 2)
        parts.s = np.sqrt(single(rounded(variance, kind)) + FLOAT32.type(params["eps"]))
    scale = 1 / parts.s
    if kind in HALVES:
        mean, scale = single(rounded(mean, kind)), single(rounded(scale, kind))
    parts.h = (together - mean) * scale
    return parts, scale


NORMS = ("batch_norm", "group_norm", "layer_norm")
FUSED: dict[str, Fused] = {
    "silu": _by_rules, "mish": _by_rules, "hardsigmoid": _by_rules, "logsigmoid": _log_sigmoid,
    **{f"{name}{end}": _norm for name in NORMS for end in ("", "_plain")},
}  # fmt: skip
"""By the op's name."""
