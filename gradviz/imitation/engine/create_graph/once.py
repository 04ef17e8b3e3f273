"""Gradients that PyTorch cannot differentiate again: each is one node, with the edges that PyTorch gives it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from gradviz.imitation.engine.create_graph.steps import transposed
from gradviz.imitation.engine.op import Op
from gradviz.imitation.engine.rules.backward_ops.once import gradient_node
from gradviz.imitation.engine.rules.calling import call, gradient
from gradviz.imitation.engine.rules.layers.attention import BACK
from gradviz.imitation.engine.tensor import record

WRITE_OUT = "Write it out with other functions; they have a second derivative."


def _refusing(name: str, node: str, inputs: str, kernel: str) -> Op:
    return gradient_node(f"{name}_back", f"{name}′", node, tuple(inputs.split()), kernel, WRITE_OUT)


def _unknown(name: str) -> Any:
    op = _refusing(name, "NotImplemented", "g x", f"aten::{name}_backward")

    def rule(g: Any, y: Any, x: Any, **params: Any) -> Any:
        return record(op, (g, x), {}, gradient(name, 0, g.data, y.data, x.data, **params))

    return rule


def _attention(needs: Any, g: Any, y: Any, *xs: Any, **params: Any) -> tuple[Any, ...]:
    arrays = (g.data, y.data, *(x.data for x in xs))
    sent = (gradient("scaled_dot_product_attention", slot, *arrays, **params) for slot in range(3))
    made = tuple(record(BACK, (g, *xs, y), {"output": slot}, found) for slot, found in enumerate(sent))
    return tuple(found if wanted else None for found, wanted in zip(made, needs, strict=True))


CDIST = _refusing("cdist", "CdistBackwardBackward0", "g a b y", "_cdist_backward")
PDIST = _refusing("pdist", "PdistBackwardBackward0", "g x y", "_pdist_backward")


def _cdist(g: Any, y: Any, a: Any, b: Any, p: float) -> Any:
    return record(CDIST, (g, a, b, y), {}, gradient("cdist", 0, g.data, y.data, a.data, b.data, p=p))


def _cdist_other(g: Any, y: Any, a: Any, b: Any, p: float) -> Any:
    turned_y = call("clone", transposed(y))
    turned_g = call("clone", transposed(g))
    return record(CDIST, (turned_g, b, a, turned_y), {}, gradient("cdist", 1, g.data, y.data, a.data, b.data, p=p))


def _pdist(g: Any, y: Any, x: Any, p: float) -> Any:
    return record(PDIST, (g, x, y), {}, gradient("pdist", 0, g.data, y.data, x.data, p=p))


def _bag(name: str) -> Any:
    op = _refusing(name, "EmbeddingBagBackwardBackward0", "g", "_embedding_bag_backward")
    op = replace(op, absent=1)

    def rule(g: Any, y: Any, weight: Any, **params: Any) -> Any:
        return record(op, (g,), {}, gradient(name, 0, g.data, y.data, weight.data, **params))

    return rule


BAG = _refusing("bag_weighted", "EmbeddingBagBackwardBackward0", "g p", "_embedding_bag_backward")
WEIGHTS = _refusing(
    "bag_weights", "NotImplemented", "g weight", "aten::_embedding_bag_per_sample_weights_backward"
)  # fmt: skip


def _bag_weighted(g: Any, y: Any, weight: Any, p: Any, **params: Any) -> Any:
    found = gradient("embedding_bag_weighted", 0, g.data, y.data, weight.data, p.data, **params)
    return record(BAG, (g, p), {}, found)


def _bag_weights(g: Any, y: Any, weight: Any, p: Any, **params: Any) -> Any:
    found = gradient("embedding_bag_weighted", 1, g.data, y.data, weight.data, p.data, **params)
    return record(WEIGHTS, (g, weight), {}, found)


RULES: dict[str, Any] = {
    "embedding_bag_weighted": (_bag_weighted, _bag_weights),
    **{name: (_unknown(name),) for name in ("hardsigmoid", "multi_margin_loss", "multilabel_margin_loss")},
    **{name: (_bag(name),) for name in ("embedding_bag", "embedding_bag_max")},
    "cdist": (_cdist, _cdist_other),
    "pdist": (_pdist,),
}
AT_ONCE: dict[str, Any] = {"scaled_dot_product_attention": _attention}
