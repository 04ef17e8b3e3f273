"""Shapes: dims as PyTorch counts them, and broadcasting undone."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from gradviz.imitation.engine.dtypes import class_of
from gradviz.imitation.engine.kernels.summation import total
from gradviz.errors import TorchError

Dims = int | tuple[int, ...] | None
Shape = tuple[int, ...]


class FromEnd(int):
    """A place that was counted from the end, as a number counted from the front; `given` is what was written."""

    given: int


def from_front(place: int, size: int) -> int:
    """A place among `size` counted from the front: one below 0 was counted from the end."""
    return place if place >= 0 else _from_end(place, size)


@lru_cache
def _from_end(place: int, size: int) -> FromEnd:
    found = FromEnd(place + size)
    found.given = place
    return found


def one_dim(dim: int, ndim: int) -> int:
    """A dim counted from the front.

    Raises:
        TorchError: out of range, in PyTorch's words.
    """
    limit = max(ndim, 1)
    if not -limit <= dim < limit:
        raise TorchError(
            f"Dimension out of range (expected to be in range of [{-limit}, {limit - 1}], but got {dim})",
            kind="IndexError",
            hint=f"Dims count from 0: the last is {limit - 1}, or -1.",
        )
    return from_front(dim, limit)


def axes_of(dim: Dims, ndim: int) -> tuple[int, ...] | None:
    """numpy's axes for PyTorch's dim: None or () means all; a 0-d tensor accepts dim 0 and −1.

    Raises:
        TorchError: a dim out of range, or named twice.
    """
    if dim is None or dim == ():
        return None
    dims = [one_dim(d, ndim) for d in (dim if isinstance(dim, tuple) else (dim,))]
    for d in dims:
        if dims.count(d) > 1:
            raise TorchError(f"dim {d} appears multiple times in the list of dims")
    return tuple(dims) if ndim else None


def kept_shape(shape: Shape, dim: Dims) -> Shape:
    """The shape after a reduction that keeps the reduced axes as 1."""
    axes = axes_of(dim, len(shape))
    return tuple(1 if axes is None or i in axes else size for i, size in enumerate(shape))


def sum_axes(grad_shape: Shape, shape: Shape) -> tuple[tuple[int, ...], bool]:
    """The axes that broadcasting `shape` to `grad_shape` added or stretched, and whether some were added."""
    added = len(grad_shape) - len(shape)
    stretched = tuple(i + added for i, size in enumerate(shape) if size == 1 and grad_shape[i + added] != 1)
    return (*range(added), *stretched), added > 0


def unbroadcast(grad: Any, shape: Shape) -> Any:
    """Sum `grad` over the axes that broadcasting added or stretched.

    Args:
        grad: dL/dy of a broadcast operand; any shape that `shape` broadcasts to.
        shape: the operand's own shape, e.g. (3, 1).

    Returns:
        dL/dx, exactly of shape `shape`, dtype of `grad`.

    Raises:
        TorchError: `shape` does not broadcast to `grad.shape`.

    Source: the adjoint of broadcasting is summation.
    """
    if grad.shape == shape:
        return grad
    summed = total(grad, _axes_summed(grad.shape, shape))
    return summed if summed.shape == shape else summed.reshape(shape)


@lru_cache(maxsize=1024)
def _axes_summed(grad_shape: Shape, shape: Shape) -> tuple[int, ...]:
    if not broadcasts(shape, grad_shape):
        raise TorchError(f"a gradient of shape {list(grad_shape)} does not fit an input of shape {list(shape)}")
    return sum_axes(grad_shape, shape)[0]


@lru_cache(maxsize=1024)
def broadcasts(shape: Shape, to: Shape) -> bool:
    """Whether numpy broadcasts `shape` to `to`."""
    if len(shape) > len(to):
        return False
    return all(a in (1, b) for a, b in zip(reversed(shape), reversed(to), strict=False))


def numel(shape: Shape) -> int:
    """Number of elements."""
    total = 1
    for size in shape:
        total *= size
    return total


def expand_error(shape: Shape, to: Shape, kind: str = "Float") -> TorchError:
    """PyTorch's error for a shape that cannot be expanded to another; `kind` is the dtype's name, e.g. "Double"."""
    if len(shape) > len(to):
        return TorchError(
            f"expand({class_of(kind)}{{{list(shape)}}}, size={list(to)}): the number of sizes provided ({len(to)}) "
            f"must be greater or equal to the number of dimensions in the tensor ({len(shape)})"
        )
    for dim in reversed(range(len(to))):
        have = dim - (len(to) - len(shape))
        if have >= 0 and shape[have] not in (1, to[dim]):
            return TorchError(
                f"The expanded size of the tensor ({to[dim]}) must match the existing size ({shape[have]}) at "
                f"non-singleton dimension {dim}.  Target sizes: {list(to)}.  Tensor sizes: {list(shape)}"
            )
    return TorchError(f"shape {list(shape)} does not expand to {list(to)}")


def view_shape(size: Shape, numel_: int) -> Shape:
    """A shape with −1 worked out.

    Raises:
        TorchError: the sizes do not multiply to the number of elements.
    """
    known = numel(tuple(n for n in size if n != -1))
    if size.count(-1) > 1:
        raise TorchError("only one dimension can be inferred")
    if -1 in size and known and numel_ % known == 0:
        return tuple(numel_ // known if n == -1 else n for n in size)
    if -1 in size and not known and not numel_:
        raise TorchError(
            f"cannot reshape tensor of 0 elements into shape {list(size)} because the unspecified dimension size -1 "
            "can be any value and is ambiguous"
        )
    if -1 in size or known != numel_:
        raise TorchError(
            f"shape '{list(size)}' is invalid for input of size {numel_}",
            hint=f"The sizes must multiply to {numel_}.",
        )
    return size
