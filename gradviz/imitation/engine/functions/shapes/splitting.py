"""Functions that split tensors into parts."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.imitation.engine.dtypes import type_name
from gradviz.imitation.engine.functions.arguments import ints, need
from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.indexing.reading import view as view_op
from gradviz.imitation.engine.kind_names import kind_name
from gradviz.imitation.engine.memory import storage
from gradviz.imitation.engine.shapes import one_dim
from gradviz.imitation.engine.tensor import Tensor, apply
from gradviz.errors import TorchError

NO_BOOL = "      didn't match because some of the arguments have invalid types: (Tensor, !bool!, !KIND!)"
BOOL_SIZE = f"""split() received an invalid combination of arguments - got (Tensor, bool, KIND), but expected one of:
 * (Tensor input, int split_size, int dim = 0)\n{NO_BOOL}
 * (Tensor input, tuple of ints split_size, int dim = 0)\n{NO_BOOL}\n"""


def split(tensor: Tensor, split_size_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    x = need("split", tensor, "tensor")
    if isinstance(split_size_or_sections, bool):
        raise TorchError(BOOL_SIZE.replace("KIND", kind_name(dim)), kind="TypeError", hint="Give a size.")
    if not isinstance(split_size_or_sections, list | tuple):
        return _pieces("split", x, *_bounds(x, int(split_size_or_sections), dim))
    return _pieces("split_with_sizes", x, *_sections(x, split_size_or_sections, dim))


def split_here(self: Tensor, split_size: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """The method, whose argument has another name than that of the function."""
    return split(self, split_size, dim)


def _sections(x: Tensor, given_sizes: Any, dim: int) -> tuple[int, list[int]]:
    """The dim counted from the front, and where parts of such sizes begin and end."""
    if x.ndim == 0:
        raise TorchError("split expects at least a 1-dimensional tensor")
    axis = one_dim(dim, x.ndim)
    n, sizes = x.shape[axis], ints(tuple(given_sizes))
    if min(sizes, default=0) < 0:
        given = f"but got split_sizes={list(sizes)}"
        raise TorchError(f"split_with_sizes expects split_sizes have only non-negative entries, {given}")
    if sum(sizes) != n:
        raise TorchError(
            f"split_with_sizes expects split_sizes to sum exactly to {n} (input tensor's size at dimension {dim}), but "
            f"got split_sizes={list(sizes)}"
        )
    return axis, list(itertools.accumulate(sizes, initial=0))


def _bounds(x: Tensor, step: int, dim: int) -> tuple[int, list[int]]:
    """The dim counted from the front, and where the parts along it begin and end."""
    if x.ndim == 0:
        raise TorchError("split expects at least a 1-dimensional tensor")
    if step < 0:
        raise TorchError(f"split expects split_size be non-negative, but got split_size={step}")
    axis = one_dim(dim, x.ndim)
    n = x.shape[axis]
    if step == 0 and n:
        raise TorchError(f"split_size can only be 0 if dimension size is 0, but got dimension size of {n}")
    return axis, [*range(0, max(n, 1), step or 1), n]


def unsafe_split(tensor: Tensor, split_size: int, dim: int = 0) -> tuple[Tensor, ...]:
    """Parts that share the memory and are no views to PyTorch: each may be changed in place."""
    x = need("unsafe_split", tensor, "tensor")
    return _unnoticed("unsafe_split", x, *_bounds(x, int(split_size), dim))


def unsafe_split_with_sizes(input: Tensor, split_sizes: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """The same of such sizes."""
    x = need("unsafe_split_with_sizes", input)
    return _unnoticed("unsafe_split_with_sizes", x, *_sections(x, split_sizes, dim))


def unsafe_chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """The same of so many."""
    x = need("unsafe_chunk", input)
    axis, step = _chunks(x, chunks, dim)
    if not step:
        return unsafe_split_with_sizes(x, (0,) * chunks, axis)
    return unsafe_split(x, step, axis)


def _unnoticed(name: str, x: Tensor, dim: int, bounds: list[int]) -> tuple[Tensor, ...]:
    pieces = enumerate(itertools.pairwise(bounds))
    parts = [apply(OPS[name], (x,), dim=dim, start=a, end=b, output=i) for i, (a, b) in pieces]
    return tuple(storage.share_unnoticed(x, part) for part in parts)


def _pieces(name: str, x: Tensor, dim: int, bounds: list[int]) -> tuple[Tensor, ...]:
    places = enumerate(itertools.pairwise(bounds))
    return tuple(view_op(name, x, dim=dim, start=a, end=b, output=i) for i, (a, b) in places)


def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    x = need("chunk", input)
    axis, step = _chunks(x, chunks, dim)
    return split(x, step, axis) if step else _pieces("split_with_sizes", x, axis, [0] * (chunks + 1))


def _chunks(x: Tensor, chunks: int, dim: int) -> tuple[int, int]:
    """The dim counted from the front, and the size of so many parts along it."""
    if x.ndim == 0:
        raise TorchError("chunk expects at least a 1-dimensional tensor")
    if chunks < 1:
        raise TorchError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    axis = one_dim(dim, x.ndim)
    return axis, -(-x.shape[axis] // chunks)


def tensor_split(input: Tensor, indices_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    x = need("tensor_split", input)
    if x.ndim == 0:
        raise TorchError("tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims")
    axis = one_dim(dim, x.ndim)
    n, parts = x.shape[axis], _split_parts(indices_or_sections)
    if isinstance(parts, int):
        if parts < 1:
            raise TorchError(f"number of sections must be larger than 0, got {parts}")
        small, larger = divmod(n, parts)
        bounds = list(itertools.accumulate((small + (i < larger) for i in range(parts)), initial=0))
    else:
        bounds = [0, *(slice(i).indices(n)[1] for i in parts), n]
    return tuple(view_op("slice", x, dim=axis, start=a, end=max(a, b), step=1) for a, b in itertools.pairwise(bounds))


def _split_parts(given: Any) -> int | tuple[int, ...]:
    """How many parts, or where they begin, as `tensor_split` is told it."""
    if not isinstance(given, Tensor):
        return given if isinstance(given, int) else ints(tuple(given))
    if given.dtype != np.int64:
        raise TorchError(
            f"tensor_split expected tensor_indices_or_sections to have dtype of long, but got {type_name(given.dtype)}"
        )
    if given.ndim > 1:
        raise TorchError(
            "tensor_split expected tensor_indices_or_sections to be a zero-dimensional or one-dimensional tensor, but "
            f"got a tensor with {given.ndim} dims"
        )
    return tuple(given.data.tolist()) if given.ndim else int(given.data)


def _evenly(name: str, axis: int) -> Callable[..., tuple[Tensor, ...]]:
    """`hsplit`, `vsplit` or `dsplit`, which take a number only where the parts have all the same size."""

    def function(input: Tensor, *indices_or_sections: Any) -> tuple[Tensor, ...]:
        x = need(name, input)
        least, dim = max(axis + 1, 2) if name != "hsplit" else 1, min(axis, max(x.ndim - 1, 0))
        if x.ndim < least:
            raise TorchError(
                f"torch.{name} requires a tensor with at least {least} dimension, but got a tensor with {x.ndim} "
                "dimensions!"
            )
        parts = indices_or_sections[0] if len(indices_or_sections) == 1 else indices_or_sections
        if isinstance(parts, int) and (parts == 0 or x.shape[dim] % parts):
            raise TorchError(
                f"torch.{name} attempted to split along dimension {dim}, but the size of the dimension {x.shape[dim]} "
                f"is not divisible by the split_size {parts}!"
            )
        return tensor_split(x, parts, dim)

    function.__name__ = name
    return function


hsplit, vsplit, dsplit = _evenly("hsplit", 1), _evenly("vsplit", 0), _evenly("dsplit", 2)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    f.__name__: f for f in (
        split, chunk, unsafe_split, unsafe_split_with_sizes, unsafe_chunk, tensor_split, hsplit, vsplit, dsplit,
    )
}  # fmt: skip
METHODS: dict[str, Callable[..., Any]] = {**FUNCTIONS, "split": split_here}
