"""What PyTorch says of an index that does not fit, and in which order it looks."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from gradviz.imitation.engine.memory.refused_writes import no_places
from gradviz.imitation.engine.shapes import broadcasts
from gradviz.imitation.engine.tensor import Tensor
from gradviz.errors import TorchError

_BOUNDS = {int, type(None)}


def are_plain(parts: tuple[Any, ...], shape: tuple[int, ...]) -> bool:
    """Whether all are numbers and slices of numbers that fit, as most are: of these nothing more is asked."""
    if len(parts) > len(shape):
        return False
    for part, n in zip(parts, shape, strict=False):
        if type(part) is slice:
            bounds = {type(part.start), type(part.stop), type(part.step)}
            if not bounds <= _BOUNDS or (part.step is not None and part.step < 1):
                return False
        elif type(part) is not int or not -n <= part < n:
            return False
    return True


def check_bounds(x: Tensor, parts: list[Any], left_out: int) -> None:
    """Raise for a number too far or a step backwards; `left_out` is how many dims an ellipsis stands for."""
    dim = 0
    for position, part in enumerate(parts):
        if part is None:
            continue
        if isinstance(part, int) and not -x.shape[dim] <= part < x.shape[dim]:  # PyTorch names the place in the index
            raise TorchError(
                f"index {part} is out of bounds for dimension {position} with size {x.shape[dim]}", kind="IndexError"
            )
        if isinstance(part, slice) and part.step is not None and part.step < 1:
            raise TorchError("step must be greater than zero", kind="ValueError", hint="Use torch.flip to reverse.")
        dim += left_out if part is Ellipsis else part.ndim if is_mask(part) else 1


def check_empty_masks(x: Tensor, parts: list[Any]) -> None:
    """Raise for a mask without elements of another shape, which numpy takes."""
    dim = 0
    for part in parts:
        if is_mask(part) and part.ndim and not part.size and part.shape != x.shape[dim : dim + part.ndim]:
            raise TorchError(_mask_error(part, x, dim), kind="IndexError")
        dim += 0 if part is None else part.ndim if is_mask(part) else 1


def refuse_places(x: Tensor, parts: list[Any]) -> None:
    """Raise for masks of other shapes, arrays that do not fit each other, and places along an axis that has none."""
    found, shapes, dim = [part for part in parts if isinstance(part, np.ndarray)], [], 0
    for part in parts:
        if is_mask(part) and part.shape != x.shape[dim : dim + part.ndim]:
            raise TorchError(_mask_error(part, x, dim), kind="IndexError")
        dim += part.ndim if is_mask(part) else 1
    listed = [shape for part in found for shape in _listed_shapes(part)]
    try:
        shapes = list(np.broadcast_shapes(*listed))
    except ValueError:
        text = ", ".join(str(list(shape)) for shape in listed)
        raise TorchError(
            f"shape mismatch: indexing tensors could not be broadcast together with shapes {text}", kind="IndexError"
        ) from None
    if 0 not in shapes and any(_is_places(part) and not n for part, n in zip(parts, x.shape, strict=False)):
        raise TorchError("index is out of bounds for dimension with size 0", kind="IndexError")


def refuse_value(value: Tensor, seen: Tensor, arrays: list[Any]) -> None:
    """Raise for a value that does not fit the places that arrays name, wherever these are."""
    with suppress(IndexError):
        parts = tuple(at_front(arrays))
        within = tuple(max(n, 1) if at < len(parts) else n for at, n in enumerate(seen.shape))
        shape = np.broadcast_to(np.empty(()), within)[parts].shape
        if not broadcasts(value.shape, shape):
            raise no_places(value.shape, shape)


def too_far(x: Tensor, parts: list[Any]) -> TorchError:
    """PyTorch's error for the first place that is too far."""
    dim = number = 0  # PyTorch counts the dims that arrays name
    for part in parts:
        if _is_places(part):
            bad = part[(part < -x.shape[dim]) | (part >= x.shape[dim])]
            if bad.size:
                break
        width = part.ndim if is_mask(part) else 1
        dim += width
        number += width if isinstance(part, np.ndarray) else 0
    text = f"index {bad.flat[0]} is out of bounds for dimension {number} with size {x.shape[dim]}"
    return TorchError(text, kind="IndexError")


def _mask_error(mask: Any, x: Tensor, dim: int) -> str:
    """What PyTorch says of a mask that does not fit the tensor from `dim` on."""
    sizes = zip(mask.shape, x.shape[dim : dim + mask.ndim], strict=False)
    at = next((i for i, (a, b) in enumerate(sizes) if a != b), 0)
    return (
        f"The shape of the mask {list(mask.shape)} at index {at} does not match the shape of the indexed "
        f"tensor {list(x.shape)} at index {dim + at}"
    )


def _listed_shapes(part: Any) -> list[tuple[int, ...]]:
    """The shapes of the places that an array names: a mask names those where it holds, dim by dim."""
    return [(int(np.count_nonzero(part)),)] * part.ndim if is_mask(part) else [part.shape]


def _is_places(part: Any) -> bool:
    return isinstance(part, np.ndarray) and part.dtype.kind in "iu"


def is_mask(part: Any) -> bool:
    return isinstance(part, np.ndarray) and part.dtype.kind == "b"


def at_front(arrays: list[Any]) -> list[Any]:
    return [np.zeros_like(part) if _is_places(part) else part for part in arrays]


def not_one(count: int) -> TorchError:
    """Of a number only one can be selected."""
    return TorchError(f"index_select(): Index to scalar can have only 1 value, got {count} value(s)")


def refuse_selected(size: tuple[int, ...], axis: int, places: Any) -> None:
    """Raise where a place to be selected does not lie along a dim of a tensor of that size."""
    n = size[axis] if size else 1
    bad = places[(places < 0) | (places >= n)]
    if bad.size and len(size) > 1 and (axis == 1 or 0 in size):
        raise TorchError(f"INDICES element is out of DATA bounds, id={bad.flat[0]} axis_dim={n}")
    if bad.size:
        raise TorchError("index out of range in self", kind="IndexError")
