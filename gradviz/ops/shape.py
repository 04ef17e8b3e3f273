"""Other shapes, other orders, parts put together and taken apart: ops that move numbers and change none.

The rule of such an op moves the gradient back; where it repeats a number, the gradients of the copies add up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradviz.ops import functions as r
from gradviz.ops.op import Example, Op, example, names
from gradviz.ops.promotion import cast, joined_dtype
from gradviz.ops.symbols import said, word

GRID = [[1.0, -2.0, 3.5], [0.5, 4.0, -1.0]]
SQUARE = [[1.0, -2.0, 3.5], [0.5, 4.0, -1.0], [2.5, 0.3, -0.7]]
COPIES = "A number that y holds several times gets the sum of the gradients of its copies."


# ---- forwards and rules ------------------------------------------------------------------------------------------


def _back_to_shape(g: Any, y: Any, x: Any, **params: Any) -> Any:
    return r.reshape(g, r.plain(x).shape)


def _squeezed(x: Any, dim: int | tuple[int, ...] | None) -> Any:
    if dim is None:
        return x.squeeze()
    dims = (dim,) if isinstance(dim, int) else dim
    return x.squeeze(tuple([i for i in dims if x.ndim and x.shape[i] == 1]))


def _swapped(x: Any, dim0: int, dim1: int) -> Any:
    return x.swapaxes(dim0, dim1) if x.ndim else x


@word("{0} summed over the copies")
def sum_to(g: Any, shape: tuple[int, ...]) -> Any:
    """Sum over the axes along which something of a shape was repeated."""
    given = r.plain(g).shape
    lead = len(given) - len(shape)
    axes = (*range(lead), *[i + lead for i, n in enumerate(shape) if n == 1 and given[i + lead] != 1])
    return r.reshape(r.total(g, axes) if axes else g, shape)


def _repeat_rule(g: Any, y: Any, x: Any, repeats: tuple[int, ...]) -> Any:
    shape = r.plain(x).shape
    sizes = (*(1,) * (len(repeats) - len(shape)), *shape)
    apart = [n for pair in zip(repeats, sizes, strict=True) for n in pair]
    return r.reshape(r.total(r.reshape(g, apart), tuple(range(0, len(apart), 2))), shape)


at = r.at


def _alike(arrays: Sequence[Any]) -> Sequence[Any]:
    dtype = joined_dtype(arrays)
    return [cast(x, dtype) for x in arrays]


NOTHING = (0,)
"""The shape of a tensor of no elements, which may stand among any others in cat."""


@word("the part of {0} that came from {1}")
def part_of(g: Any, x: Any, *xs: Any, dim: int, slot: int) -> Any:
    """What an input of a concatenation gets."""
    return _cat_rule(g, g, *xs, dim=dim, slot=slot)


@word("the part of {0} that came from {1}")
def layer_of(g: Any, x: Any, dim: int, slot: int) -> Any:
    """What an input of a stack gets."""
    return r.take(g, at(dim, slot))


def _cat(*xs: Any, dim: int) -> Any:
    given = _alike(xs)
    return np.concatenate([x for x in given if x.shape != NOTHING] or given, axis=dim)


def _cat_rule(g: Any, y: Any, *xs: Any, dim: int, slot: int) -> Any:
    shapes = [r.plain(x).shape for x in xs]
    if shapes[slot] == NOTHING != r.plain(y).shape:
        return r.zeros_like(xs[slot])
    start = sum([shape[dim] for shape in shapes[:slot] if shape != NOTHING])
    return r.take(g, at(dim, slice(start, start + shapes[slot][dim])))


def _stack(*xs: Any, dim: int) -> Any:
    given = _alike(xs)
    if not dim and isinstance(given[0], np.generic):
        return np.array(given)
    return np.stack(given, axis=dim)


def selected(x: Any, dim: int, index: int) -> Any:
    """The numbers at one index of a dim; a view also of a single number."""
    return np.asarray(x)[(*at(dim, index), ...)]


def _select_rule(g: Any, y: Any, x: Any, dim: int, index: int) -> Any:
    return r.put(g, r.plain(x).shape, at(dim, index))


def _part(x: Any, dim: int, start: int, end: int, step: int = 1, index: int = 0) -> Any:
    return x[at(dim, slice(start, end, step))]


def _part_rule(g: Any, y: Any, x: Any, dim: int, start: int, end: int, step: int = 1, index: int = 0) -> Any:
    return r.put(g, r.plain(x).shape, at(dim, slice(start, end, step)))


def _permute_rule(g: Any, y: Any, x: Any, dims: tuple[int, ...]) -> Any:
    return r.permute(g, tuple([dims.index(i) for i in range(len(dims))]))


def flip_of(x: Any, dims: tuple[int, ...]) -> Any:
    """x backwards along dims."""
    return r.through(FLIP, x, dims=dims)


def _roll(x: Any, shifts: tuple[int, ...], dims: tuple[int, ...] | None) -> Any:
    return np.roll(x, shifts if dims is not None else shifts[0], dims)


def _roll_rule(g: Any, y: Any, x: Any, shifts: tuple[int, ...], dims: tuple[int, ...] | None) -> Any:
    back = tuple([-shift for shift in shifts])
    return r.through(ROLL, g, shifts=back, dims=dims)


def _diagonal_index(shape: tuple[int, ...], offset: int, dim1: int, dim2: int) -> tuple[Any, ...]:
    """The index arrays of a diagonal, in the shape of the diagonal."""
    positions = np.diagonal(np.arange(int(np.prod(shape))).reshape(shape), offset, dim1, dim2)
    return np.unravel_index(positions, shape)


def _diagonal_rule(g: Any, y: Any, x: Any, offset: int, dim1: int, dim2: int) -> Any:
    shape = r.plain(x).shape
    return r.put(g, shape, _diagonal_index(shape, offset, dim1, dim2))


def _diag_embed(x: Any, offset: int, dim1: int, dim2: int) -> Any:
    n = x.shape[-1] + abs(offset)
    out = np.zeros((*x.shape[:-1], n, n), x.dtype)
    along = np.arange(x.shape[-1])
    out[..., along + max(-offset, 0), along + max(offset, 0)] = x
    return np.moveaxis(out, (-2, -1), (dim1, dim2))


def _diag_embed_rule(g: Any, y: Any, x: Any, offset: int, dim1: int, dim2: int) -> Any:
    return r.through(DIAGONAL, g, offset=offset, dim1=dim1, dim2=dim2)


def _windows(x: Any, dimension: int, size: int, step: int) -> Any:
    if not x.ndim:
        return np.asarray(x).reshape(1)[:size]
    seen = np.lib.stride_tricks.sliding_window_view(x, size, dimension)
    return seen[at(dimension, slice(None, None, step))]


def _windows_rule(g: Any, y: Any, x: Any, dimension: int, size: int, step: int) -> Any:
    shape = r.plain(x).shape
    positions = _windows(np.arange(int(np.prod(shape))).reshape(shape), dimension, size, step)
    return r.put(g, shape, np.unravel_index(positions, shape))


def _row(
    name: str, forward: Callable[..., Any], rule: Callable[..., Any], form: Callable[..., Any] | None, equation: str,
    examples: tuple[Example, ...], node: str = "", note: str = "", *, is_view: bool = False, is_variadic: bool = False,
    **facts: Any,
) -> Op:  # fmt: skip
    return Op(name, forward, (rule,), ("x",), (form,), equation, examples, names(""), node, note, is_view=is_view,
              is_variadic=is_variadic, keeps_integers=True, **facts)  # fmt: skip


ON_DIAGONAL = said("on_diagonal", "{0} on the diagonal, 0 elsewhere", _diagonal_rule)

VIEW = _row("view", lambda x, size: x.reshape(size), _back_to_shape, None, "y = x in another shape",
            (example(GRID, size=(3, 2)),), is_view=True, sign="shape", kind="move", is_plumbing=True)  # fmt: skip
RESHAPE_COPY = _row("unsafe_view", lambda x, size: x.reshape(size), _back_to_shape, None,
                    "y = x in another shape, copied", (example(GRID, size=(3, 2)),),
                    sign="shape", kind="move", is_plumbing=True)  # fmt: skip
SQUEEZE = _row("squeeze", lambda x: x.squeeze(), _back_to_shape, None, "y = x without dims of size 1",
               (example([GRID]),), is_view=True, sign="sq", kind="move", is_plumbing=True)  # fmt: skip
SQUEEZE_DIM = _row("squeeze", _squeezed, _back_to_shape, None, "y = x without a dim of size 1",
                   (example([GRID], dim=0), example([[[2.0]], [[3.0]]], dim=(1, 2))), "SqueezeBackward1",
                   is_view=True, sign="sq", kind="move", is_plumbing=True)  # fmt: skip
UNSQUEEZE = _row("unsqueeze", lambda x, dim: np.expand_dims(x, dim), lambda g, y, x, dim: g.squeeze(dim)
                 if r.is_tensor(g) else _back_to_shape(g, y, x), None,
                 "y = x with a new dim of size 1", (example(GRID, dim=1),), is_view=True,
                 sign="usq", kind="move", is_plumbing=True)  # fmt: skip
T_OP = _row("t", lambda x: x.T, lambda g, y, x: r.transpose(g) if r.plain(g).ndim == 2 else g, None, "y = xᵀ",
            (example(GRID),), is_view=True, sign="xᵀ", kind="move", is_plumbing=True)  # fmt: skip
TRANSPOSE = _row("transpose", _swapped, lambda g, y, x, dim0, dim1: r.transpose(g, dim0, dim1), None,
                 "y = x with two dims exchanged", (example([GRID], dim0=0, dim1=2),), is_view=True,
                 sign="xᵀ", kind="move", is_plumbing=True)  # fmt: skip
PERMUTE = _row("permute", lambda x, dims: x.transpose(dims), _permute_rule, said("permuted_back", "{0} with its dims in the order of {2}", _permute_rule),
               "y = x with its dims in another order", (example([GRID], dims=(2, 0, 1)),), is_view=True,
               sign="perm", kind="move", is_plumbing=True)  # fmt: skip
EXPAND = _row("expand", lambda x, size: np.broadcast_to(x, size), lambda g, y, x, size: sum_to(g, r.plain(x).shape),
              None, "y = x repeated along dims of size 1",
              (example([[1.0], [2.0]], size=(2, 2, 3)),),
              note=COPIES, is_view=True, sign="↔", kind="spread", is_plumbing=True)  # fmt: skip
REPEAT = _row("repeat", lambda x, repeats: np.tile(x, repeats), _repeat_rule, said("summed_copies", "{0} summed over the copies", _repeat_rule),
              "y = copies of x side by side", (example(GRID, repeats=(2, 1, 2)),), note=COPIES,
              sign="×n", kind="spread")  # fmt: skip
CAT = _row("cat", _cat, _cat_rule, lambda g, y, *xs, dim, slot: part_of(g, xs[slot], *xs, dim=dim, slot=slot), "y = the inputs one after another along dim",
           (example([[1.0, 2.0]], [[3.0, 4.0], [5.0, 6.0]], dim=0), example(GRID, GRID, dim=1)),
           is_variadic=True, sign="cat", kind="join")  # fmt: skip
STACK = _row("stack", _stack, lambda g, y, *xs, dim, slot: r.take(g, at(dim, slot)),
             lambda g, y, *xs, dim, slot: layer_of(g, xs[slot], dim, slot),
             "y = the inputs along a new dim", (example([1.0, 2.0], [3.0, 4.0], dim=1), example(2.0, 3.0, dim=0)),
             is_variadic=True, sign="stack", kind="join")  # fmt: skip
SELECT = _row("select", selected, _select_rule, None, "y = x[index] along dim",
              (example(GRID, dim=1, index=2), example([1.0, 2.0], dim=0, index=1)), is_view=True,
              sign="x[i]", kind="pick")  # fmt: skip
UNBIND = _row("unbind", selected, _select_rule, None, "y = x[index] along dim",
              (example(GRID, dim=1, index=2),), is_view=True, sign="x[i]", kind="pick")  # fmt: skip
SLICE = _row("slice", _part, _part_rule, None, "y = x[start:end:step] along dim",
             (example(GRID, dim=1, start=0, end=3, step=2),), is_view=True, sign="x[:]", kind="pick")  # fmt: skip
SPLIT = _row("split", _part, _part_rule, None, "y = a part of x",
             (example(GRID, dim=1, start=1, end=3, index=1),), is_view=True, sign="x[:]", kind="pick")  # fmt: skip
SPLIT_SIZES = _row("split_with_sizes", _part, _part_rule, None, "y = a part of x",
                   (example(GRID, dim=1, start=1, end=3, index=1),), is_view=True,
                   sign="x[:]", kind="pick")  # fmt: skip
FLIP = _row("flip", lambda x, dims: np.flip(x, dims), lambda g, y, x, dims: flip_of(g, dims), said("backwards", "{0} backwards", lambda g, y, x, dims: flip_of(g, dims)),
            "y = x backwards along dims", (example(GRID, dims=(0, 1)),), kind="move")  # fmt: skip
ROLL = _row("roll", _roll, _roll_rule, said("rolled_back", "{0} moved back", _roll_rule), "y = x moved on, around the end",
            (example(GRID, shifts=(1,), dims=(1,)), example(GRID, shifts=(2,), dims=None)), kind="move")  # fmt: skip
TRIL: Op = _row("tril", lambda x, diagonal: np.tril(x, diagonal), lambda g, y, x, diagonal: r.through(TRIL, g, diagonal=diagonal), None,
            "y = x, and 0 above the diagonal", (example(SQUARE, diagonal=0),), kind="pick")  # fmt: skip
TRIU: Op = _row("triu", lambda x, diagonal: np.triu(x, diagonal), lambda g, y, x, diagonal: r.through(TRIU, g, diagonal=diagonal), None,
            "y = x, and 0 below the diagonal", (example(SQUARE, diagonal=1),), kind="pick")  # fmt: skip
DIAGONAL = _row("diagonal", lambda x, offset, dim1, dim2: np.diagonal(x, offset, dim1, dim2), _diagonal_rule,
                ON_DIAGONAL, "y = the diagonal of x",
                (example(GRID, offset=0, dim1=0, dim2=1), example([SQUARE], offset=1, dim1=1, dim2=2)),
                is_view=True, sign="diag", kind="pick")  # fmt: skip
DIAGONAL_COPY = _row("diagonal_copy", lambda x, offset, dim1, dim2: np.diagonal(x, offset, dim1, dim2).copy(),
                     _diagonal_rule, ON_DIAGONAL, "y = the diagonal of x",
                     (example(GRID, offset=0, dim1=0, dim2=1),), "DiagonalBackward0_copy",
                     sign="diag", kind="pick")  # fmt: skip
DIAG_EMBED = _row("diag_embed", _diag_embed, _diag_embed_rule,
                  said("diagonal_of", "the diagonal of {0}", _diag_embed_rule), "y = 0, with x on the diagonal",
                  (example([1.0, 2.0], offset=1, dim1=0, dim2=1), example(GRID, offset=0, dim1=0, dim2=2)),
                  sign="diag", kind="framed")  # fmt: skip
UNFOLD = _row("unfold", _windows, _windows_rule,
              said("summed_windows", "{0} summed over the windows that a number stands in", _windows_rule),
              "y = windows of x",
              (example([1.0, 2.0, 3.0, 4.0], dimension=0, size=2, step=1),), note=COPIES, is_view=True,
              sign="x[:]")  # fmt: skip

ALIAS = Op(
    name="alias",
    forward=lambda x: x,
    vjp=(lambda g, y, x: g,),
    equation="y = x",
    node="AliasBackward0",
    sign="=",
    kind="copy",
    is_plumbing=True,
)
"""All of a tensor, as `x[...]` gives it."""

TABLE = (
    VIEW, RESHAPE_COPY, SQUEEZE, SQUEEZE_DIM, UNSQUEEZE, T_OP, TRANSPOSE, PERMUTE, EXPAND, REPEAT, CAT, STACK, SELECT,
    UNBIND, SLICE, SPLIT, SPLIT_SIZES, FLIP, ROLL, TRIL, TRIU, DIAGONAL, DIAGONAL_COPY, DIAG_EMBED, UNFOLD, ALIAS,
)  # fmt: skip
"""The rows of this family."""
