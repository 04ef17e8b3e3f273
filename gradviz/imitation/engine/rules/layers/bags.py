"""Rows of a table, summed, averaged or maximised bag by bag."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.imitation.engine import generic as F
from gradviz.imitation.engine.rules.entry import Op, case, saves
from gradviz.imitation.engine.rules.shapes.shaping import shape

WEIGHT = [[1.0, -2.0], [0.5, 4.0], [2.5, 0.3]]
INDEX, BAG = np.array([0, 2, 2, 1]), np.array([0, 0, 1, 1])


def bagged(weight: Any, index: Any, bag: Any, share: Any, count: int) -> Any:
    """Each row, by its share, added to its bag."""
    return _summed(weight[index], bag, share, count)


def _summed(rows: Any, bag: Any, share: Any, count: int) -> Any:
    """Rows added by bags and then divided; a row without a share is not looked at."""
    out, parts, kept = np.zeros((count, rows.shape[1]), rows.dtype), np.ones(count, rows.dtype), share != 0
    np.add.at(out, bag[kept], rows[kept])
    parts[bag[kept]] = np.round(1 / share[kept])
    return out / parts[:, None]


def bag_rule(g: Any, y: Any, weight: Any, index: Any, bag: Any, share: Any, count: int) -> Any:
    """dL/dweight: to each row its share of what its bag got."""
    return F.scatter(F.take(g, (bag,)) * _constant(_column(share, weight), g), shape(weight), (index,))


def _column(share: Any, like: Any) -> Any:
    return share.astype(F.plain(like).dtype)[:, None]


def _weighted(weight: Any, p: Any, index: Any, bag: Any, share: Any, count: int) -> Any:
    return _summed(weight[index] * p[:, None], bag, share, count)


def _weighted_rule(g: Any, y: Any, weight: Any, p: Any, index: Any, bag: Any, share: Any, count: int) -> Any:
    scale = F.reshape(p, (*shape(p), 1)) * _constant(_column(share, weight), g)
    return F.scatter(F.take(g, (bag,)) * scale, shape(weight), (index,))


def _p_rule(g: Any, y: Any, weight: Any, p: Any, index: Any, bag: Any, share: Any, count: int) -> Any:
    products = F.take(g, (bag,)) * F.take(weight, (index,))
    return F.sum(products, 1) * _constant(share.astype(F.plain(weight).dtype), g)


def _constant(numbers: Any, like: Any) -> Any:
    return F.constant(numbers, like.tape) if isinstance(like, F.Tensor) else numbers


def _largest(weight: Any, rows: Any) -> Any:
    columns = np.arange(weight.shape[1])
    return np.where(rows < 0, weight.dtype.type(0), weight[np.maximum(rows, 0), columns])


def largest_rule(g: Any, y: Any, weight: Any, rows: Any) -> Any:
    """dL/dweight: to the row that was largest."""
    columns = np.broadcast_to(np.arange(rows.shape[1]), rows.shape)
    return F.scatter(F.zero_where(rows < 0, g), shape(weight), (np.maximum(rows, 0), columns))


_SHARE = np.array([0.5, 0.5, 1.0, 0.0])
_OF_BAG = "take(g, (bag,)) * share[:, None]"

TABLE = (
    Op("embedding_bag", "E[i]", bagged, (bag_rule,), ("weight",),
       (f"scatter({_OF_BAG}, shape(weight), (index,))",), "y = rows of the weight, added by bags",
       (case(WEIGHT, index=INDEX, bag=BAG, share=_SHARE, count=2),), "EmbeddingBagBackward0", saves("index"), absent=1,
       note="The row of padding_idx counts for nothing and gets no gradient."),
    Op("embedding_bag_weighted", "E[i]", _weighted, (_weighted_rule, _p_rule), ("weight", "p"),
       (f"scatter({_OF_BAG} * p[:, None], shape(weight), (index,))",
        "sum(take(g, (bag,)) * take(weight, (index,)), 1) * share"), "y = rows of the weight times p, added by bags",
       (case(WEIGHT, [0.5, 2.0, -1.0, 3.0], index=INDEX, bag=BAG, share=_SHARE, count=2),), "EmbeddingBagBackward0",
       saves("weight p index")),
    Op("embedding_bag_max", "E[i]", _largest, (largest_rule,), ("weight",),
       ("scatter(where(rows < 0, 0, g), shape(weight), (where(rows < 0, 0, rows), columns))",),
       "y = the largest of the rows of each bag", (case(WEIGHT, rows=np.array([[2, 0], [2, 1]])),),
       "EmbeddingBagBackward0", saves("index"), absent=1,
       note="Of several equal numbers of a bag the first gets the gradient; an empty bag gives 0."),
)  # fmt: skip

NAMES: dict[str, Any] = {}
OF_PARAMS: dict[str, Any] = {
    "embedding_bag_max": lambda _, p: {"columns": np.broadcast_to(np.arange(p["rows"].shape[1]), p["rows"].shape)},
}
