"""Scaled dot product attention as one node, as PyTorch's own kernel for the CPU is, and the softmax beside it."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.imitation.engine.kernels.attending import Way, attend, attend_backward
from gradviz.imitation.engine.kernels.softmax import softmax
from gradviz.imitation.engine.rules.asked_once import asked_once
from gradviz.imitation.engine.rules.backward_ops.once import gradient_node
from gradviz.imitation.engine.rules.entry import Op, case, saves
from gradviz.imitation.engine.rules.layers.softmax import softmax_rule

Q = np.array([[[[1.0, -2.0], [0.5, 0.3], [0.1, 0.7]]]])
K = np.array([[[[0.4, 0.2], [-1.0, 0.5], [0.3, 1.1]]]])
V = np.array([[[[0.6, -0.1], [2.0, 0.3], [-0.4, 1.2]]]])
MASK = np.array([[0.0, -1.0, 0.5], [0.0, 0.2, -np.inf], [1.0, 0.0, 0.0]])


def safe_softmax(x: Any) -> Any:
    """Softmax along the last axis, with zeros for a row of −∞ in the place of NaN."""
    y = softmax(x, -1)
    is_hidden = np.isneginf(x).all(axis=-1, keepdims=True)
    return np.where(is_hidden, x.dtype.type(0), y) if is_hidden.any() else y


def weights_of(q: Any, k: Any, mask: Any, is_causal: bool, scale: float) -> Any:
    """How much each row of q looks at each row of k: rows that sum to 1."""
    scores = np.matmul(q, np.swapaxes(k, -1, -2)) * q.dtype.type(scale)
    if is_causal:
        scores = np.where(np.tri(*scores.shape[-2:], dtype=np.bool_), scores, scores.dtype.type(-np.inf))
    if mask is not None:
        scores = scores + np.asarray(mask, scores.dtype)
    return safe_softmax(scores)


def _attended(q: Any, k: Any, v: Any, mask: Any, is_causal: bool, scale: float) -> Any:
    return attend(q, k, v, Way(mask, is_causal, scale))[0]


@asked_once
def _sent(g: Any, y: Any, q: Any, k: Any, v: Any, mask: Any, is_causal: bool, scale: float) -> tuple[Any, Any, Any]:
    """dL/dq, dL/dk and dL/dv."""
    way = Way(mask, is_causal, scale)
    return attend_backward(g, q, k, v, y, attend(q, k, v, way)[1], way)


def score_gradient(g: Any, weights: Any, v: Any) -> Any:
    """The gradient of the scores before softmax."""
    along = np.matmul(g, np.swapaxes(v, -1, -2))
    return weights * (along - (along * weights).sum(-1, keepdims=True))


BACK = gradient_node(
    "attention_back", "attn", "NotImplemented", ("g", "q", "k", "v", "y"),
    "aten::_scaled_dot_product_flash_attention_for_cpu_backward",
    "Write attention out with matmul and softmax; that has a second derivative.", "output",
)  # fmt: skip


def _rule(slot: int) -> Any:
    def rule(g: Any, y: Any, q: Any, k: Any, v: Any, mask: Any, is_causal: bool, scale: float) -> Any:
        return _sent(g, y, q, k, v, mask, is_causal, scale)[slot]

    return rule


def _softmax_rule(g: Any, y: Any, x: Any) -> Any:
    return softmax_rule(g, y, x, -1)


TABLE = (
    Op("scaled_dot_product_attention", "attn", _attended, (_rule(0), _rule(1), _rule(2)), ("q", "k", "v"),
       ("scale * (slope(g) @ k)", "scale * (T(slope(g)) @ q)", "T(weights) @ g"), "y = softmax(scale · q kᵀ + mask) v",
       (case(Q, K, V, mask=None, is_causal=False, scale=0.7), case(Q, K, V, mask=None, is_causal=True, scale=0.7),
        case(Q, K, V, mask=MASK, is_causal=False, scale=0.5)),
       "ScaledDotProductFlashAttentionForCpuBackward0", saves("q k v y"),
       note="PyTorch has no second derivative of this node."),
    Op("safe_softmax", "softmax", safe_softmax, (_softmax_rule,), ("x",), ("y * (g - sum(g * y, -1, True))",),
       "y = eˣ / Σ eˣ along the last axis", (case([[1.0, -2.0, 0.5], [0.5, 1.0, -1.0]]),), "SafeSoftmaxBackward0",
       saves("y"), note="A row of −∞ gives zeros, and no gradient."),
)  # fmt: skip


def _of_attention(xs: Any, params: dict[str, Any]) -> dict[str, Any]:
    weights = weights_of(xs[0], xs[1], **params)
    return {"weights": weights, "slope": lambda g: score_gradient(g, weights, xs[2])}


NAMES: dict[str, Any] = {}
OF_PARAMS: dict[str, Any] = {"scaled_dot_product_attention": _of_attention}
