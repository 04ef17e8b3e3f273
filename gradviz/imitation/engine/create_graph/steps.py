"""Steps that several rules of PyTorch are made of. All take tensors and make new nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradviz.imitation.engine import generic as F
from gradviz.imitation.engine.generic import plain
from gradviz.imitation.engine.rules.calling import call
from gradviz.imitation.engine.shapes import axes_of


def masked(x: Any, mask: Any) -> Any:
    """`x.masked_fill(mask, 0)`."""
    return call("masked_fill", x, index=np.broadcast_to(mask, x.shape), value=0)


def power(x: Any, exponent: float) -> Any:
    """`x.pow(exponent)`."""
    return call("pow", x, exponent=exponent)


def reshaped(x: Any, size: tuple[int, ...]) -> Any:
    """`x.reshape(size)`: a view where the numbers lie so that it can be one, else a copy; a node in any case."""
    numbers = np.asarray(x.data)
    if numbers.flags.c_contiguous:
        return viewed(x, size)
    if np.may_share_memory(numbers.reshape(size), numbers):
        return call("reshape_alias", x, size=size)
    return call("unsafe_view", call("clone", x), size=size)


def viewed(x: Any, size: tuple[int, ...]) -> Any:
    """`x.view(size)`, a node even where the shape stays."""
    return call("view", x, size=size)


def new_zeros(shape: tuple[int, ...], like: Any) -> Any:
    """Zeros of a shape, in the dtype of a tensor."""
    return F.constant(np.zeros(shape, like.dtype)[()], like.tape)


def constant(values: Any, like: Any) -> Any:
    """An array, in the dtype of a tensor, which takes no gradient."""
    return F.constant(np.asarray(values).astype(like.dtype)[()], like.tape)


def unsqueezed(g: Any, x: Any, dim: Any, keepdim: bool) -> Any:
    """A reduced result beside x: an axis of size 1 for each that was named. One of all numbers stays as it is."""
    if keepdim or dim is None or not x.ndim:
        return g
    for axis in sorted(axes_of(dim, x.ndim) or ()):
        g = call("unsqueeze", g, dim=axis)
    return g


def expanded(g: Any, size: tuple[int, ...]) -> Any:
    """`g.expand(size)`, a node even where the size stays."""
    return F.apply(F.OPS["expand"], (g,), size=size)


def count(mask: Any, dim: Any) -> Any:
    """How often a condition holds, along the axes that stay as 1."""
    mask = np.asarray(mask)
    return mask.sum(axis=axes_of(dim, mask.ndim), keepdims=dim is not None)


def narrow(x: Any, dim: int, start: int, length: int) -> Any:
    """`x.narrow(dim, start, length)`, a node even where it is all of x."""
    return call("slice", x, dim=dim % x.ndim, start=start, end=start + length, step=1)


def transposed(x: Any) -> Any:
    """`x.mT`: a node of its own even of a matrix."""
    return call("transpose", x, dim0=x.ndim - 2, dim1=x.ndim - 1)


def zero_like(x: Any) -> Any:
    """Zeros that are there, as `zeros_like` gives: another pass goes on with them."""
    return new_zeros(plain(x).shape, x)


def gradients(name: str, needs: Sequence[bool], g: Any, *xs: Any, **params: Any) -> tuple[Any, ...]:
    """The results of a derivative that is one node: those that are wanted."""
    inputs = (g, *xs)[: len(F.OPS[name].inputs)]
    return tuple(F.apply(F.OPS[name], inputs, **params, output=i) if wanted else None for i, wanted in enumerate(needs))
