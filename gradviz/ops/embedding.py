"""Embeddings: rows of a table, looked up by their number."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.ops import functions as r
from gradviz.ops.op import Op, example, names
from gradviz.ops.symbols import Traced, said


def add_rows(g: Any, index: Any, count: int) -> Any:
    """Rows g [n, d] added up at their numbers, index [n]: an array [count, d]."""
    out = np.zeros((count, g.shape[1]), g.dtype)
    if index.size:
        order = np.argsort(index, kind="stable")
        ordered = index[order]
        starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
        out[ordered[starts]] = np.add.reduceat(g[order], starts, axis=0)
    return out


def _rule(g: Any, y: Any, weight: Any, index: Any, padding_idx: int) -> Any:
    shape, rows = r.plain(weight).shape, np.asarray(r.plain(index))
    is_padding = (rows == padding_idx)[..., None]
    if is_padding.any():
        g = r.where(np.broadcast_to(is_padding, r.plain(g).shape), 0.0, g)
    if isinstance(g, Traced):
        return r.put(g, shape, (rows,))
    return add_rows(g.reshape((-1, shape[1])), rows.reshape(-1), shape[0])


WORDS = [[0.5, -1.5], [2.0, 3.0], [0.25, -0.75]]
EMBEDDING = Op(
    "embedding", lambda weight, index, padding_idx: weight[index], (_rule, None), ("weight", "index"),
    (said("added_rows", "zeros with {0} added at the rows looked up", _rule), None), "y = weight[index]",
    (example(WORDS, np.array([[0, 2], [2, 1]]), padding_idx=-1), example(WORDS, np.array([0, 1, 0]), padding_idx=2)),
    names("index"), note="A row that was looked up twice gets both gradients; the row padding_idx gets none.",
    sign="E[i]", kind="pick",
)  # fmt: skip
TABLE = (EMBEDDING,)
"""The rows of this family."""
