"""The derivatives of pools, paddings and windows as ops of their own, for derivatives of derivatives (create_graph).

PyTorch has a node for each. Their first input v is the gradient that came in the first time; what is sent on from it
is the op itself. Those that look at their input x for its shape alone have an edge to it all the same.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradviz.imitation.engine.rules.calling import call, gradient, names_of_gradients, zeros
from gradviz.imitation.engine.rules.entry import Op, case
from gradviz.imitation.engine.rules.pictures import pooling
from gradviz.imitation.engine.rules.places.placing import padding_rows
from gradviz.imitation.engine.rules.shapes import moving
from gradviz.imitation.engine.rules.shapes.moving import gone_back, origins
from gradviz.imitation.engine.rules.shapes.shaping import shape
from gradviz.imitation.engine.shapes import view_shape


def _node(of: Op) -> Any:
    """PyTorch's name of the node, of that of the op: PadBackward0 becomes PadBackwardBackward0."""

    def named(name: str) -> str:
        return f"{name.removesuffix('0')}Backward0"

    return named(of.node) if isinstance(of.node, str) else lambda params, shapes: named(of.node(params, shapes[-1:]))


def _read(dims: int) -> Any:
    """The numbers of g at the places of the largest, window by window."""

    def rule(g: Any, y: Any, v: Any, x: Any, index: Any) -> Any:
        planes = index.shape[:-dims]
        places = np.asarray(index) % math.prod(shape(x)[-dims:])
        flat_size = (*planes, math.prod(index.shape[-dims:]))
        flat = call("view", g, size=(*planes, math.prod(shape(g)[-dims:])))
        found = call("gather", flat, dim=len(planes), index=places.reshape(flat_size))
        return call("view", found, size=index.shape)

    return rule


def _itself(name: str) -> Any:
    return lambda g, y, v, x, **params: call(name, g, **params)


def _beside_x(of: Op, rule: Any) -> Op:
    """An entry with the inputs v and x."""
    x, params = of.example[0]["inputs"][0], of.example[0]["params"]
    y = of.forward(x, **params)
    v = np.cos(np.arange(y.size) * 1.3).reshape(y.shape)
    return Op(f"{of.name}_backward", f"{of.symbol}′", lambda v, x, **p: gradient(of.name, 0, v, None, x, **p),
              (rule, lambda g, y, v, x, **p: zeros(x)), ("v", "x"), ("to_v(g)", "0 * x"),
              f"y = the gradient of {of.name}", (case(v, x, **params),), _node(of), note=_NOTE)  # fmt: skip


def _of_size(of: Op) -> Op:
    """An entry with v alone, and the size of x."""
    x, params = of.example[0]["inputs"][0], of.example[0]["params"]
    y = of.forward(x, **params)
    v = np.cos(np.arange(y.size) * 1.3).reshape(y.shape)

    def forward(v: Any, input_size: Any, **p: Any) -> Any:
        return gone_back(v, input_size, origins(of.forward, input_size, p))

    def rule(g: Any, y: Any, v: Any, input_size: Any, **p: Any) -> Any:
        return call(of.name, g, **p)

    return Op(f"{of.name}_backward", f"{of.symbol}′", forward, (rule,), ("v",), ("to_v(g)",),
              f"y = the gradient of {of.name}", (case(v, input_size=x.shape, **params),), _node(of), note=_NOTE)  # fmt: skip


def _looked_up(v: Any, input_size: Any, **p: Any) -> Any:
    return gradient("embedding", 0, v, None, np.zeros(input_size, v.dtype), **p)


def _rows_of(g: Any, y: Any, v: Any, input_size: Any, index: Any, padding_idx: Any, by_frequency: bool) -> Any:
    """The rows of g, and zeros for padding. How often a row was looked up is left out here, as in PyTorch."""
    rows = call("index_select", g, dim=0, index=np.asarray(index).reshape(-1))
    if padding_idx is not None:
        rows = call("masked_fill", rows, index=padding_rows(index, padding_idx, shape(v)).reshape(shape(rows)), value=0)
    view_shape((*np.shape(index), -1), math.prod(shape(rows)))  # which PyTorch refuses where there are no places
    return call("view", rows, size=shape(v))


_NOTE = "What goes back through the op, as a function of its own: v is the gradient that came in the first time."
_OPS = {op.name: op for op in (*pooling.TABLE, *moving.TABLE)}
LARGEST = {name: int(name[-2]) for name in _OPS if "max_pool" in name}
MEANS = ("avg_pool2d", "avg_pool3d", "adaptive_avg_pool2d", "adaptive_avg_pool3d", "reflection_pad", "replication_pad")
BY_SIZE = ("diagonal", "unfold", "upsample_nearest")

TABLE = (
    *(_beside_x(_OPS[name], _read(dims)) for name, dims in LARGEST.items()),
    *(_beside_x(_OPS[name], _itself(name)) for name in MEANS),
    *(_of_size(_OPS[name]) for name in BY_SIZE),
    Op("embedding_backward", "E[i]′", _looked_up, (_rows_of,), ("v",), ("to_v(g)",), "y = zeros with v added to its rows",
       (case([[0.5, 1.0], [-0.3, 2.0]], input_size=(3, 2), index=np.array([0, 2]), padding_idx=None, by_frequency=False),
        case([[0.5, 1.0], [-0.3, 2.0]], input_size=(3, 2), index=np.array([0, 2]), padding_idx=0, by_frequency=False)),
       "EmbeddingDenseBackwardBackward0", note=_NOTE),
)  # fmt: skip


NAMES: dict[str, Any] = {}
OF_PARAMS: dict[str, Any] = {op.name: names_of_gradients(op) for op in TABLE}
