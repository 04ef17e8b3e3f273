"""`torch.nn.functional.scaled_dot_product_attention`, in the one node or the many that PyTorch records."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.imitation.engine.dtypes import FLOAT32, c_name
from gradviz.imitation.engine.functions.arguments import need
from gradviz.imitation.engine.functions.linalg.matmul import matmul
from gradviz.imitation.engine.functions.numbers.arithmetic import add
from gradviz.imitation.engine.functions.numbers.conversion import to
from gradviz.imitation.engine.functions.shapes.shaping import transpose
from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.tensor import Tensor, apply, constant, unary
from gradviz.errors import ScriptError, TorchError


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
    dropout: Callable[[Tensor, float], Tensor] | None = None,
) -> Tensor:
    """Attention; `dropout` drops weights, where the caller can draw random numbers.

    Raises:
        TorchError: dtypes or shapes that do not fit.
    """
    if enable_gqa:
        raise ScriptError("enable_gqa=True is not supported", hint="Repeat the heads with repeat_interleave.")
    q, k, v = need("query", query), need("key", key, "key", 2), need("value", value, "value", 3)
    _check(q, k, v, attn_mask)
    size = abs(scale) if scale is not None else 1.0 / math.sqrt(q.shape[-1]) if q.shape[-1] else math.inf
    if _is_one_node(q, k, v, attn_mask, dropout_p):
        mask = None if attn_mask is None else _added(attn_mask, q).data
        factor = size if scale is None else scale
        return apply(OPS["scaled_dot_product_attention"], (q, k, v), mask=mask, is_causal=bool(is_causal), scale=factor)
    if is_causal and attn_mask is not None:
        raise TorchError(
            "_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True",
            hint="Give one of the two.",
        )
    dtype, root = q.dtype, math.sqrt(size)
    if dtype.itemsize == 2:
        q, k, v = (to(x, FLOAT32) for x in (q, k, v))
    scaled = apply(OPS["mul_number"], (q,), other=-root if scale is not None and scale < 0 else root)
    scores = matmul(scaled, apply(OPS["mul_number"], (transpose(k, -2, -1),), other=root))
    if is_causal:
        seen = np.tri(q.shape[-2], k.shape[-2], dtype=np.bool_)
        attn_mask = constant(seen, q.tape)
    if attn_mask is not None:
        scores = add(scores, _added(attn_mask, q))
    weights = unary(OPS["safe_softmax"], scores)
    if dropout_p > 0.0 and dropout is not None:
        weights = dropout(weights, dropout_p)
    return to(matmul(weights, v), dtype)


def _check(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> None:
    if not q.dtype == k.dtype == v.dtype:
        names = [c_name(x.dtype) for x in (q, k, v)]
        raise TorchError(
            f"Expected query, key, and value to have the same dtype, but got query.dtype: {names[0]} key.dtype: "
            f"{names[1]} and value.dtype: {names[2]} instead."
        )
    if min(q.ndim, k.ndim, v.ndim) < 2:
        raise TorchError(
            f"Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: {q.ndim} key.dim: "
            f"{k.ndim} and value.dim: {v.ndim} instead."
        )
    if mask is not None and mask.dtype.kind != "b" and mask.dtype != q.dtype:
        names = [c_name(x.dtype) for x in (mask, q)]
        raise TorchError(
            "Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: "
            f"{names[0]} and  query.dtype: {names[1]} instead."
        )


def _added(mask: Tensor, q: Tensor) -> Tensor:
    """A mask to add: −∞ where one of bool is False."""
    if mask.dtype.kind != "b":
        return mask
    zero, low = q.dtype.type(0), q.dtype.type(-np.inf)
    return constant(np.asarray(np.where(mask.data, zero, low)), q.tape)


def _is_one_node(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, dropout_p: float) -> bool:
    """Whether PyTorch's kernel for the CPU takes these inputs."""
    if dropout_p > 0.0 or not q.ndim == k.ndim == v.ndim == 4:
        return False
    if not q.shape[:2] == k.shape[:2] == v.shape[:2] or not q.shape[-1] == k.shape[-1] == v.shape[-1]:
        return False
    if k.shape[2] != v.shape[2] or 0 in (q.shape[2], k.shape[2]):
        return False
    if any(x.shape[-1] > 1 and x.data.strides[-1] != x.dtype.itemsize for x in (q, k, v)):
        return False
    return mask is None or (not mask.requires_grad and _mask_fits(mask.shape, (*q.shape[:3], k.shape[2])))


def _mask_fits(shape: tuple[int, ...], full: tuple[int, ...]) -> bool:
    if len(shape) not in (2, 4):
        return False
    return all(n in (1, m) for n, m in zip(reversed(shape), reversed(full), strict=False))


FUNCTIONS: dict[str, Callable[..., Any]] = {}
METHODS: dict[str, Callable[..., Any]] = {}
NEURAL: dict[str, Callable[..., Any]] = {"scaled_dot_product_attention": scaled_dot_product_attention}
