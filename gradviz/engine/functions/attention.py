"""Attention (Vaswani and others, 2017), made of matrix products and a softmax, so that all of it can be looked at."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradviz.engine.apply import apply
from gradviz.engine.dtypes import dtype_of
from gradviz.engine.functions import elementwise as e
from gradviz.engine.functions.activation import dropout
from gradviz.engine.functions.linalg import linear, matmul
from gradviz.engine.operands import broadcast_text, tensor_given
from gradviz.engine.tensor import Tensor, constant, current
from gradviz.ops.activation import SOFTMAX

WORDS = {"float32": "float", "float64": "double", "int64": "long int", "int32": "int", "bool": "bool"}


def _word(x: Tensor) -> str:
    name = dtype_of(current(x).array.dtype).name
    return WORDS.get(name, name)


def _softmax_of_seen(scores: Tensor, seen: Any) -> Tensor:
    """Softmax along the last dim over what is seen; a row that sees nothing is 0.

    Args:
        seen: bool, broadcasts to scores.
    """
    shape = current(scores).array.shape
    hidden = ~np.broadcast_to(seen, shape)
    is_blind = hidden.all(-1, keepdims=True)
    # A row of minus infinity has no softmax; it is computed as if it saw everything, and then set to 0.
    masked = scores.masked_fill(constant(hidden & ~is_blind), -math.inf)
    weights = apply(SOFTMAX, (masked,), dim=len(shape) - 1)
    return weights.masked_fill(constant(is_blind), 0.0) if is_blind.any() else weights


def _broadcasts(shape: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
    try:
        return np.broadcast_shapes(shape, wanted) == wanted
    except ValueError:
        return False


def attention_weights(
    query: Tensor, key: Tensor, attn_mask: Tensor | None, is_causal: bool, scale: float | None
) -> Tensor:
    """softmax(scale · query keyᵀ + mask): how much each query looks at each key, rows that sum to 1."""
    factor = 1 / math.sqrt(current(query).array.shape[-1]) if scale is None else float(scale)
    scores = e.mul(matmul(query, key.transpose(-2, -1)), factor)
    shape = current(scores).array.shape
    seen = np.tri(*shape[-2:], dtype=np.bool_) if is_causal else np.ones((1, 1), bool)
    if attn_mask is not None:
        mask = current(attn_mask).array
        if not _broadcasts(mask.shape, shape):
            raise RuntimeError(broadcast_text(shape, mask.shape))
        if mask.dtype == bool:
            seen = seen & mask
        else:
            scores = e.add(scores, attn_mask)
            seen = seen & ~np.isneginf(mask)
    return apply(SOFTMAX, (scores,), dim=len(shape) - 1) if seen.all() else _softmax_of_seen(scores, seen)


def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = None, dropout_p: float = 0.0,
    is_causal: bool = False, scale: float | None = None,
) -> Tensor:  # fmt: skip
    """softmax(query keyᵀ / √d + mask) value.

    Args:
        query: [..., queries, d]; key: [..., keys, d]; value: [..., keys, out].
        attn_mask: bool, True where a query may look; or floats that are added to the scores.
        dropout_p: the probability that a weight is dropped; for training only.
        is_causal: whether each query sees only the keys up to its own position.
        scale: what scores are multiplied with instead of 1 / √d.

    Raises:
        RuntimeError: shapes or dtypes that do not fit.
    """
    tensors = [
        tensor_given("scaled_dot_product_attention", x, name, i + 1)
        for i, (name, x) in enumerate((("query", query), ("key", key), ("value", value)))
    ]
    dims = [current(x).array.ndim for x in tensors]
    if min(dims) < 2:
        raise RuntimeError(
            f"Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: {dims[0]} key.dim: "
            f"{dims[1]} and value.dim: {dims[2]} instead."
        )
    words = [_word(x) for x in tensors]
    if len(set(words)) > 1:
        raise RuntimeError(
            f"Expected query, key, and value to have the same dtype, but got query.dtype: {words[0]} key.dtype: "
            f"{words[1]} and value.dtype: {words[2]} instead."
        )
    if attn_mask is not None and current(attn_mask).array.dtype.kind not in "bf":
        raise RuntimeError(
            "Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: "
            f"{_word(attn_mask)} and  query.dtype: {words[0]} instead."
        )
    weights = attention_weights(query, key, attn_mask, is_causal, scale)
    if dropout_p:
        weights = dropout(weights, dropout_p)
    return matmul(weights, value)


def _projected(x: tuple[Tensor, Tensor, Tensor], weight: Tensor, bias: Tensor | None) -> tuple[Tensor, Tensor, Tensor]:
    """Query, key and value times the three blocks of one weight [3 d, d]."""
    query, key, value = x
    if query is key and key is value:
        q, k, v = linear(query, weight, bias).chunk(3, -1)
        return q, k, v
    biases = (None, None, None) if bias is None else bias.chunk(3)
    q, k, v = (linear(each, w, b) for each, w, b in zip(x, weight.chunk(3), biases, strict=True))
    return q, k, v


def attend_in_heads(
    query: Tensor, key: Tensor, value: Tensor, num_heads: int, weight: Tensor, bias: Tensor | None,
    dropout_p: float, key_padding_mask: Tensor | None, attn_mask: Tensor | None, is_causal: bool,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """Attention in several heads, each with its own projections.

    Args:
        query, key, value: [length, batch, d].
        weight, bias: of the projections of all three, [3 d, d] and [3 d].
        attn_mask: True (or −∞) where a query must not look: [queries, keys] or [batch · heads, queries, keys].
        key_padding_mask: [batch, keys], True where a key is padding.

    Returns:
        The values of all heads side by side, shaped as query, and the weights [batch, heads, queries, keys].
    """
    length, batch, d = current(query).array.shape
    q, k, v = (
        _in_heads(each, batch, num_heads, d // num_heads) for each in _projected((query, key, value), weight, bias)
    )
    mask = _merged(attn_mask, key_padding_mask, batch, num_heads, current(q).array.dtype)
    weights = attention_weights(q, k, mask, is_causal and mask is None, None)
    used = dropout(weights, dropout_p) if dropout_p else weights
    joined: Tensor = matmul(used, v).permute(2, 0, 1, 3).reshape((length, batch, d))
    return joined, used


def _in_heads(x: Tensor, batch: int, heads: int, head: int) -> Tensor:
    """[length, batch, d] as [batch, heads, length, head]."""
    length = current(x).array.shape[0]
    found: Tensor = x.reshape((length, batch, heads, head)).permute(1, 2, 0, 3)
    return found


def _merged(
    attn_mask: Tensor | None, padding: Tensor | None, batch: int, heads: int, dtype: np.dtype[Any]
) -> Tensor | None:
    """Both masks as one that is added to scores [batch, heads, queries, keys]; None where there is none."""
    if attn_mask is not None and padding is None and current(attn_mask).array.dtype.kind == "f":
        return attn_mask if current(attn_mask).array.ndim == 2 else attn_mask.unflatten(0, (batch, heads))
    total: Any = None
    for mask, is_padding in ((attn_mask, False), (padding, True)):
        if mask is None:
            continue
        array = current(mask).array
        if array.dtype == bool:
            array = np.where(array, -math.inf, 0.0)
        if is_padding:
            array = array[:, None, None, :]
        elif array.ndim == 3:
            array = array.reshape((batch, heads, *array.shape[1:]))
        total = array if total is None else total + array
    return None if total is None else constant(np.asarray(total).astype(dtype))
