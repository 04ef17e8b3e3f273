"""Arguments checked and brought into one form, with PyTorch's words where they do not fit."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.imitation.engine.dtypes import FLOATING, type_name
from gradviz.imitation.engine.kind_names import kind_name
from gradviz.imitation.engine.shapes import axes_of, one_dim
from gradviz.imitation.engine.tensor import Tensor, wrap
from gradviz.errors import ScriptError, TorchError


def need(function: str, x: Any, name: str = "input", position: int = 1) -> Tensor:
    """x as a tensor.

    Raises:
        TorchError: it is none, in PyTorch's words.
    """
    if isinstance(x, Tensor):
        return x
    raise TorchError(
        f"{function}(): argument '{name}' (position {position}) must be Tensor, not {kind_name(x)}",
        kind="TypeError",
        hint="Wrap it with torch.tensor(...).",
    )


def refuse_bool(x: Tensor, kernel: str) -> None:
    """Raise for a bool tensor where PyTorch's kernel of that name takes numbers only."""
    if x.dtype.kind == "b":
        raise TorchError(
            f"\"{kernel}\" not implemented for 'Bool'",
            kind="NotImplementedError",
            hint="Convert the mask to numbers first, e.g. with .float().",
        )


def refuse_whole(x: Tensor, kernel: str) -> None:
    """Raise for whole numbers and bools where PyTorch's kernel of that name takes floating point only."""
    if x.dtype.kind not in FLOATING:
        raise TorchError(
            f"\"{kernel}\" not implemented for '{type_name(x.dtype)}'",
            kind="NotImplementedError",
            hint="Convert with .float() first.",
        )


def refuse_other_dtype(a: Tensor, b: Tensor) -> None:
    """Raise for two dtypes where PyTorch compares numbers of one only."""
    if a.dtype != b.dtype:
        raise TorchError(
            f"{type_name(a.dtype)} did not match {type_name(b.dtype)}",
            hint="Convert one of them, e.g. with .float() or .double().",
        )


def all_tensors(tensors: Any) -> list[Tensor]:
    """Tensors that were given one by one.

    Raises:
        TorchError: one of them is none.
    """
    for number, x in enumerate(tensors):
        if not isinstance(x, Tensor):
            text = f"expected Tensor as element {number} in argument 0, but got {kind_name(x)}"
            raise TorchError(text, kind="TypeError", hint="Wrap it with torch.tensor(...).")
    return list(tensors)


def ints(sizes: tuple[Any, ...]) -> tuple[int, ...]:
    """Sizes given one by one or as one list."""
    given = sizes[0] if len(sizes) == 1 and isinstance(sizes[0], list | tuple) else sizes
    for n in given:
        if not isinstance(n, int | np.integer) and not (isinstance(n, Tensor) and n.dtype.kind in "iu"):
            raise TorchError(f"sizes must be integers, not {kind_name(n)}", kind="TypeError")
    return tuple(int(n.data) if isinstance(n, Tensor) else int(n) for n in given)


def pair(function: str, a: Any, b: Any) -> tuple[Tensor, Tensor]:
    if not isinstance(a, Tensor) and not isinstance(b, Tensor):
        need(function, a)
    if not isinstance(a, Tensor):
        a = wrap(a, b)
    return a, b if isinstance(b, Tensor) else wrap(b, a)


def dims_of(dim: Any, x: Tensor) -> Any:
    if dim is None:
        return None
    dims = ints((dim,)) if not isinstance(dim, list | tuple) else ints(tuple(dim))
    axes = axes_of(dims, x.ndim)
    return None if axes is None and not dims else (axes if axes is not None else (0,))


def int_dim(function: str, dim: Any, ndim: int, position: int = 1) -> int:
    """One dim, counted from the front.

    Args:
        position: of the argument among the others, as messages give it; 0 for one that is given by name alone.

    Raises:
        TorchError: no whole number, or out of range.
    """
    if isinstance(dim, Tensor) and dim.dtype.kind in "iu":
        dim = int(dim.data)
    if not isinstance(dim, int | np.integer):
        place = f" (position {position})" if position else ""
        raise TorchError(
            f"{function}(): argument 'dim'{place} must be int, not {kind_name(dim)}",
            kind="TypeError",
            hint="Give one dim.",
        )
    return one_dim(int(dim), ndim)


def must_have_dims(x: Tensor, dim: Any) -> None:
    """Raise for a 0-d tensor where PyTorch takes none, not even for dim 0."""
    if not x.ndim:
        raise TorchError(f"Dimension specified as {dim} but tensor has no dimensions", kind="IndexError")


def size_at(x: Tensor, dim: int) -> int:
    """`x.size(dim)`.

    Raises:
        TorchError: there is no such dim.
    """
    must_have_dims(x, dim)
    return x.shape[one_dim(dim, x.ndim)]


def node_has_sizes(x: Tensor, *dims: int) -> None:
    """Raise for a dim that x has not, where x takes a gradient: the sizes that its node needs are read first of all."""
    if x.requires_grad and x.tape.grad_enabled:
        for dim in dims:
            size_at(x, dim)


def is_standard(memory_format: Any) -> bool:
    """Whether `torch.contiguous_format` is asked for; None and `torch.preserve_format` keep the order of axes.

    Raises:
        ScriptError: a layout with the channels last.
    """
    if "channels_last" in repr(memory_format):
        raise ScriptError(f"{memory_format!r} is not supported", hint="Leave memory_format out: no value changes.")
    return repr(memory_format) == "torch.contiguous_format"


def refuse_mapped(x: Tensor, kernel: str) -> None:
    """Raise inside vmap, where a result may have another size for each slice."""
    if x.tape.mapped:
        raise TorchError(
            "vmap: We do not support batching operators that can output dynamic shape. Attempted to vmap over "
            f"aten::{kernel}. Please file an issue at https://github.com/pytorch/pytorch/issues if you need this "
            "feature.",
            hint="Keep the size: use torch.where or a product with the mask.",
        )
