"""Losses whose rules are no op of their own, and distances."""

from __future__ import annotations

from typing import Any

from gradviz.imitation.engine.create_graph.reduction import norm_rule
from gradviz.imitation.engine.rules.calling import call
from gradviz.imitation.engine.rules.linalg.distances import dist_other_rule, dist_rule
from gradviz.imitation.engine.rules.losses.elementwise import beside, logits_rule, shared, weighted


def _logits_target(
    g: Any, y: Any, x: Any, target: Any, weight: Any, pos_weight: Any, reduction: str
) -> Any:  # fmt: skip
    if pos_weight is None:
        slope = -x * g
    else:
        first = call("logsigmoid", -x)
        slope = (first - call("logsigmoid", x) * beside(x, pos_weight)) * g
    return shared(weighted(slope, weight), target, reduction)


def _dist(g: Any, y: Any, x: Any, other: Any, p: float) -> Any:
    return dist_rule(g, y, x, other, p) if p == 0 else norm_rule(g, x - other, p, y, None, True)


def _dist_other(g: Any, y: Any, x: Any, other: Any, p: float) -> Any:
    return dist_other_rule(g, y, x, other, p) if p == 0 else -norm_rule(g, x - other, p, y, None, True)


RULES: dict[str, Any] = {
    "binary_cross_entropy_with_logits": (logits_rule, _logits_target),
    "dist": (_dist, _dist_other),
}
