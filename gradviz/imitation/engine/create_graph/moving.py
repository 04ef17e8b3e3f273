"""Moving numbers about: undone by the same op in the other direction, or by one that is made for it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradviz.imitation.engine import generic as F
from gradviz.imitation.engine.create_graph.steps import new_zeros, reshaped, viewed
from gradviz.imitation.engine.rules.backward_ops.moving import BY_SIZE, LARGEST, MEANS
from gradviz.imitation.engine.rules.calling import call
from gradviz.imitation.engine.rules.shapes.shaping import fit


def _same(name: str) -> Any:
    return lambda g, y, x, **params: call(name, g, **params)


def _roll(g: Any, y: Any, x: Any, shifts: Any, dims: Any) -> Any:
    if dims is None:
        return call("roll", g, shifts=-shifts, dims=None)
    return call("roll", g, shifts=tuple(-n for n in reversed(shifts)), dims=tuple(reversed(dims)))


def _repeat(g: Any, y: Any, x: Any, sizes: Sequence[int]) -> Any:
    if 0 in sizes:
        return new_zeros(x.shape, g)
    added = len(sizes) - x.ndim
    for _ in range(added):
        g = F.sum(g, 0)
    apart: list[int] = []
    copies = []
    for times, n in zip(sizes[added:], x.shape, strict=True):
        if times != 1:
            copies.append(len(apart))
            apart.append(times)
        apart.append(n)
    return F.sum(F.reshape(g, tuple(apart)), tuple(copies)) if copies else g


def _expand(g: Any, y: Any, x: Any, size: Any) -> Any:
    return F.sum(g) if not x.ndim else fit(g, x.shape)


# ---- several results ----


def _unbind(came: Any, made: Any, sources: Any, needs: Any) -> tuple[Any, ...]:
    like = next(g for g in came if g is not None)
    dim, count = made[0].params["dim"], sources[0].shape[made[0].params["dim"]]
    given = [*came, *[None] * (count - len(came))]
    return (call("stack", *(new_zeros(like.shape, like) if g is None else g for g in given), dim=dim),)


def _split(came: Any, made: Any, sources: Any, needs: Any) -> tuple[Any, ...]:
    """The pieces one after another, with zeros where nothing came, or where no piece is left of the tape."""
    like, dim, size = next(g for g in came if g is not None), made[0].params["dim"], sources[0].shape
    pieces, done = [], 0
    for piece in made:
        start, end = piece.params["start"], piece.params["end"]
        g = came[piece.params["output"]]
        if start > done or g is None:
            first = done if start > done else start
            last = end if g is None else start
            pieces.append(new_zeros((*size[:dim], last - first, *size[dim + 1 :]), like))
        if g is not None:
            pieces.append(g)
        done = end
    if done < size[dim]:
        pieces.append(new_zeros((*size[:dim], size[dim] - done, *size[dim + 1 :]), like))
    return (call("cat", *pieces, dim=dim),)


def _pooled(name: str) -> Any:
    return lambda g, y, x, **params: call(f"{name}_backward", g, x, **params)


def _sized(name: str) -> Any:
    return lambda g, y, x, **params: call(f"{name}_backward", g, input_size=x.shape, **params)


def _unpooled(dims: int) -> Any:
    """The numbers at the places, each picture apart."""

    def rule(g: Any, y: Any, x: Any, size: Any, places: Any) -> Any:
        planes = x.shape[:-dims]
        flat = viewed(g, (*planes, math.prod(size[-dims:])))
        index = np.asarray(places) % math.prod(size[-dims:])
        index = index.reshape(*planes, math.prod(index.shape[-dims:]))
        return viewed(call("gather", flat, dim=len(planes), index=index), x.shape)

    return rule


def _diagonal_copy(g: Any, y: Any, x: Any, offset: int) -> Any:
    return call("diagonal_backward", g, input_size=x.shape, offset=offset, dim1=0, dim2=1)


RULES: dict[str, Any] = {
    "diagonal_copy": (_diagonal_copy,),
    **{name: (_pooled(name),) for name in (*LARGEST, *MEANS)},
    **{name: (_sized(name),) for name in (*BY_SIZE, "embedding")},
    "max_unpool2d": (_unpooled(2),),
    "max_unpool3d": (_unpooled(3),),
    **dict.fromkeys(("view", "reshape", "unsafe_view", "reshape_alias"), (lambda g, y, x, size: reshaped(g, x.shape),)),
    "flip": (_same("flip"),),
    "tril": (_same("tril"),),
    "triu": (_same("triu"),),
    "roll": (_roll,),
    "rot90": (lambda g, y, x, k, dims: call("rot90", g, k=-k, dims=dims),),
    "diag_embed": (_same("diagonal"),),
    "constant_pad_nd": (
        lambda g, y, x, widths, value: call("constant_pad_nd", g, widths=tuple((-a, -b) for a, b in widths), value=0.0),
    ),
    "repeat": (_repeat,),
    "expand": (_expand,),
}
OF_RESULTS: dict[str, Any] = {
    **dict.fromkeys(("split", "unsafe_split", "unsafe_split_with_sizes", "split_with_sizes"), _split),
    "unbind": _unbind,
}  # fmt: skip
