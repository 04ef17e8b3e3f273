"""Ops that put the numbers of one input elsewhere, leave some out, repeat some, or fill up with a constant.

One rule serves them all: the forward, run on the positions 1, 2, 3, ... in the place of the numbers, tells where
each number of y came from, and the gradient goes back that way.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradviz.imitation.engine import generic as F
from gradviz.imitation.engine.rules.entry import Case, Op, case, saves
from gradviz.imitation.engine.rules.shapes.shaping import shape

GRID = [[1.0, -2.0, 3.5], [0.5, 4.0, -1.0]]
SQUARE = [[1.0, -2.0, 3.5], [0.5, 4.0, -1.0], [2.5, 0.3, -0.7]]
IMAGE = [[[[1.0, -2.0, 3.5], [0.5, 4.0, -1.0], [2.5, 0.3, -0.7]]]]

Forward = Callable[..., Any]


def origins(forward: Forward, size: tuple[int, ...], params: dict[str, Any]) -> Any:
    """For each number of y, its position in x laid out flat; −1 where y holds a constant."""
    positions = np.arange(1, math.prod(size) + 1).reshape(size)
    if "value" in params:
        params = params | {"value": 0}
    return np.asarray(forward(positions, **params)) - 1


def gone_back(g: Any, size: tuple[int, ...], places: Any) -> Any:
    """Each number of g added to zeros of a shape at its place in flat order; those at −1 are dropped."""
    flat, kept = places.reshape(-1), np.asarray(g).reshape(-1)
    if flat.size and flat.min() < 0:
        flat, kept = flat[flat >= 0], kept[flat >= 0]
    n = math.prod(size)
    if flat.size <= n:
        out = np.zeros(n, kept.dtype)
        if not np.any(np.bincount(flat, minlength=n) > 1):
            out[flat] = kept  # exact, and −0 stays −0
            return out.reshape(size)[()]
    out = np.zeros(n, kept.dtype)
    np.add.at(out, flat, kept)  # one after the other, as PyTorch's kernels do
    return out.reshape(size)[()]


def fetched(x: Any, places: Any) -> Any:
    """The numbers of x at places in flat order; 0 at −1."""
    found = F.take(F.reshape(x, (math.prod(shape(x)),)), (np.maximum(places, 0),))
    return F.zero_where(places < 0, found) if places.size and places.min() < 0 else found


def move_back(g: Any, size: tuple[int, ...], places: Any, of: str = "") -> Any:
    """`gone_back`, as a node of its own where g is a tensor, named after the op whose rule it is."""
    if isinstance(g, F.Tensor):
        return F.apply(F.OPS["move_back"], (g,), size=size, places=places, of=of)
    return gone_back(g, size, places)


_BACK_NODES = {
    "diagonal": "DiagonalBackwardBackward0", "flip": "FlipBackward0", "roll": "RollBackward0", "rot90": "Rot90Backward0",
    "split": "CatBackward0", "split_with_sizes": "CatBackward0", "tril": "TrilBackward0", "triu": "TriuBackward0",
    "unfold": "UnfoldBackwardBackward0",
}  # fmt: skip
"""What PyTorch's rules undo an op with; for others there is no single op."""


def _back_node(params: dict[str, Any], _shapes: Any) -> str:
    return _BACK_NODES.get(params["of"], "MoveBackward0")


def moves(
    name: str, symbol: str, forward: Forward, equation: str, example: tuple[Case, ...], node: Any, note: str = "",
    *, is_view: bool = False, keeps: str = "", output: str = "",
) -> Op:  # fmt: skip
    """An entry whose only rule is that of this module."""

    def rule(g: Any, y: Any, x: Any, **params: Any) -> Any:
        if forward is _piece and isinstance(g, np.ndarray) and g.size:  # which needs no list of places
            out = np.zeros(shape(x), g.dtype)
            _piece(out, **params)[...] = g
            return out
        return move_back(g, shape(x), origins(forward, shape(x), params), name)

    return Op(name, symbol, forward, (rule,), ("x",), ("back(g)",), equation, example, node, keeps_integers=True,
              saves=saves(keeps), is_view=is_view, note=note, output=output)  # fmt: skip


def repeat_back(g: Any, size: tuple[int, ...], sizes: Sequence[int]) -> Any:
    """The sum over the copies: first one after the other over the axes that x has not, then over all others at once."""
    added = len(sizes) - len(size)
    for _ in range(added):
        g = F.sum(g, 0)
    apart = [n for axis in zip(sizes[added:], size, strict=True) for n in axis]
    copies = tuple(2 * i for i, n in enumerate(sizes[added:]) if n != 1)
    return F.reshape(F.sum(g.reshape(apart), copies) if copies else g, size)


def _repeat_rule(g: Any, y: Any, x: Any, sizes: Sequence[int]) -> Any:
    if isinstance(g, F.Tensor):
        return move_back(g, shape(x), origins(np.tile, shape(x), {"reps": sizes}))
    return repeat_back(g, shape(x), sizes)[()]


def back_name(forward: Forward) -> Callable[[Sequence[Any], dict[str, Any]], dict[str, Any]]:
    """What `back` stands for in the formula of an entry of this module."""
    return lambda xs, p: {"back": lambda g: gone_back(g, xs[0].shape, origins(forward, xs[0].shape, dict(p)))}


# ---- forwards ----


def _windows(x: Any, dimension: int, size: int, step: int) -> Any:
    if x.ndim == 0:
        return np.asarray(x).reshape(1)[:size]
    seen = np.lib.stride_tricks.sliding_window_view(x, size, dimension, writeable=True)
    return seen[(*[slice(None)] * dimension, slice(None, None, step))]


def diag_embedded(x: Any, offset: int, dim1: int, dim2: int) -> Any:
    """Zeros with the last axis of x on the diagonal of the two named axes of the result."""
    n = x.shape[-1] + abs(offset)
    out = np.zeros((*x.shape[:-1], n, n), x.dtype)
    at = np.arange(x.shape[-1])
    out[..., at + max(-offset, 0), at + max(offset, 0)] = x
    return np.moveaxis(out, (-2, -1), (dim1, dim2))


def padded(x: Any, widths: tuple[tuple[int, int], ...], value: Any, mode: str) -> Any:
    """x with (before, after) added on each axis; a negative width cuts off."""
    cut = tuple(slice(max(-a, 0), n - max(-b, 0)) for (a, b), n in zip(widths, x.shape, strict=True))
    added = [(max(a, 0), max(b, 0)) for a, b in widths]
    if mode == "constant":
        return np.pad(x[cut], added, constant_values=x.dtype.type(value))
    return np.pad(x[cut], added, mode={"reflect": "reflect", "replicate": "edge"}[mode])  # type: ignore[call-overload]


def _pad_node(kind: str) -> Callable[[dict[str, Any], Any], str]:
    return lambda params, shapes: f"{kind}Pad{_spatial(params['widths'])}DBackward0"


def _spatial(widths: tuple[tuple[int, int], ...]) -> int:
    """How many axes are padded: all but the batch and the channels."""
    return max(1, len(widths) - next((i for i, pair in enumerate(widths) if pair != (0, 0)), len(widths)))


def nearest(x: Any, rows: tuple[Any, ...], exact: bool) -> Any:
    """x at the given places of each of its last axes. `exact` tells the two of PyTorch's ways to round apart."""
    return np.ascontiguousarray(x[(..., *np.ix_(*rows))])


def _upsample_node(params: dict[str, Any], _shapes: Any) -> str:
    return f"UpsampleNearest{'Exact' if params['exact'] else ''}{len(params['rows'])}DBackward0"


def _piece(x: Any, dim: int, start: int, end: int, output: int = 0) -> Any:
    return x[(*[slice(None)] * dim, slice(start, end))]


COPIES = "A number that y holds several times gets the sum of their gradients."

TABLE = (
    Op("repeat", "↔", lambda x, sizes: np.tile(x, sizes), (_repeat_rule,), ("x",), ("back(g)",), "y = x repeated",
       (case(GRID, sizes=(2, 1, 2)),), "RepeatBackward0", note=COPIES, keeps_integers=True),
    moves("flip", "flip", lambda x, dims: np.flip(x, dims).copy(), "y = x backwards", (case(GRID, dims=(0, 1)),),
          "FlipBackward0"),
    moves("roll", "roll", lambda x, shifts, dims: np.asarray(np.roll(x, shifts, dims), order="C"), "y = x moved on, around the end",
          (case(GRID, shifts=(1,), dims=(1,)), case(GRID, shifts=2, dims=None)), "RollBackward0"),
    moves("rot90", "rot", lambda x, k, dims: np.copy(np.rot90(x, k, dims), "K"), "y = x turned by 90°",
          (case(GRID, k=1, dims=(0, 1)),), "Rot90Backward0"),
    moves("tril", "◣", lambda x, diagonal: np.tril(x, diagonal), "y = x, 0 above the diagonal",
          (case(SQUARE, diagonal=0),), "TrilBackward0"),
    moves("triu", "◥", lambda x, diagonal: np.triu(x, diagonal), "y = x, 0 below the diagonal",
          (case(SQUARE, diagonal=1),), "TriuBackward0"),
    moves("diagonal", "diag", lambda x, offset, dim1, dim2: np.diagonal(x, offset, dim1, dim2),
          "y = the diagonal of x", (case(GRID, offset=0, dim1=0, dim2=1),), "DiagonalBackward0", is_view=True),
    moves("diagonal_copy", "diag", lambda x, offset: np.diagonal(x, offset).copy(), "y = the diagonal of x",
          (case(GRID, offset=1),), "DiagonalBackward0_copy"),
    moves("diag_embed", "diag", diag_embedded, "y = 0 with x on the diagonal",
          (case([1.0, 2.0], offset=1, dim1=0, dim2=1), case(GRID, offset=0, dim1=0, dim2=2)), "DiagEmbedBackward0"),
    moves("unfold", "win", _windows, "y = windows of x", (case([1.0, 2.0, 3.0, 4.0], dimension=0, size=2, step=1),),
          "UnfoldBackward0", COPIES, is_view=True),
    moves("split", "x[a:b]", _piece, "y = a part of x", (case(GRID, dim=1, start=1, end=3, output=1),), "SplitBackward0",
          is_view=True, output="output"),
    moves("unsafe_split", "x[a:b]", _piece, "y = a part of x", (case(GRID, dim=1, start=1, end=3, output=1),),
          "UnsafeSplitBackward0", output="output"),
    moves("unsafe_split_with_sizes", "x[a:b]", _piece, "y = a part of x",
          (case(GRID, dim=1, start=1, end=3, output=1),), "UnsafeSplitWithSizesBackward0", output="output"),
    moves("pack_padded_sequence", "pack", lambda x, index: np.asarray(x)[index],
          "y = the examples of each step, one step below the other",
          (case(GRID, index=(np.array([0, 0, 1]), np.array([0, 1, 0]))),), "PackPaddedSequenceBackward0"),
    moves("split_with_sizes", "x[a:b]", _piece, "y = a part of x", (case(GRID, dim=1, start=1, end=3, output=1),),
          "SplitWithSizesBackward0", is_view=True, output="output"),
    moves("constant_pad_nd", "pad", lambda x, widths, value: padded(x, widths, value, "constant"),
          "y = x with a border of one number", (case(GRID, widths=((0, 1), (2, -1)), value=1.5),),
          "ConstantPadNdBackward0"),
    moves("reflection_pad", "pad", lambda x, widths: padded(x, widths, 0, "reflect"), "y = x reflected at its border",
          (case(GRID, widths=((0, 0), (1, 2))),), _pad_node("Reflection"), COPIES, keeps="x"),
    moves("replication_pad", "pad", lambda x, widths: padded(x, widths, 0, "replicate"),
          "y = x with its border repeated", (case(GRID, widths=((0, 0), (1, 2))),), _pad_node("Replication"), COPIES,
          keeps="x"),
    moves("upsample_nearest", "up", nearest, "y = x, each number several times",
          (case(IMAGE, rows=(np.array([0, 0, 1, 2]), np.array([0, 1, 1, 2])), exact=False),), _upsample_node, COPIES),
    Op("move_back", "back", lambda x, size, places, of: gone_back(x, size, places),
       (lambda g, y, x, size, places, of: fetched(g, places),), ("x",),
       ("fetched(g, places)",), "y = zeros with x added at places", (case([1.0, 2.0, 3.0], size=(2, 2),
       places=np.array([3, 0, 3]), of="flip"),), _back_node),
)  # fmt: skip

NAMES: dict[str, Any] = {"fetched": fetched}
OF_PARAMS = {op.name: back_name(op.forward) for op in TABLE if op.name != "move_back"}
