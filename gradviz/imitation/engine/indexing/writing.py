"""`tensor[index] = value`: a change of a part, as PyTorch comes to it: through views, at places, or of all of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradviz.imitation.engine.dtypes import FLOATING, type_name
from gradviz.imitation.engine.generic import OPS, has_arrays
from gradviz.imitation.engine.indexing.errors import is_mask
from gradviz.imitation.engine.inference import is_inference
from gradviz.imitation.engine.memory.refused_writes import is_repeated, no_places, other_source
from gradviz.imitation.engine.memory.storage import (
    EXPANDED,
    become,
    change,
    refuse_leaf,
    take_place_of_base,
    tracked_views,
    write,
)
from gradviz.imitation.engine.memory.views import look_again, places, places_of_part, renew, root, with_part
from gradviz.imitation.engine.shapes import expand_error
from gradviz.imitation.engine.tensor import Tensor, record
from gradviz.imitation.engine.warn import warn


def is_full(part: Any) -> bool:
    return isinstance(part, slice) and part == slice(None)


def _at_places(index: Any) -> bool:
    # Places alone are put into the tensor itself, as in PyTorch; other slices make a view of it first.
    parts = [part for part in (index if isinstance(index, tuple) else (index,)) if not is_full(part)]
    return bool(parts) and all(isinstance(part, np.ndarray | list) for part in parts)


def part_name(index: Any) -> str:
    """The last op by which PyTorch comes to the part that an index names; arrays are no step of the way."""
    parts = [part for part in (index if isinstance(index, tuple) else (index,)) if not is_full(part)]
    steps = [part for part in parts if not (isinstance(part, np.ndarray | list) and np.ndim(part))]
    last = steps[-1] if steps else slice(None)
    if last is None or isinstance(last, np.ndarray):
        return "Unsqueeze"
    return "Slice" if isinstance(last, slice) else "Select"


def overwrite(tensor: Tensor, index: Any, value: Tensor) -> None:
    """`tensor[...] = value`, which PyTorch records as `copy_`, and as `fill_` of a number; `index` names all of it."""
    written = _written(tensor, index, value)
    refuse_leaf(tensor, by=(value,))
    if not tensor.tape.grad_enabled or is_inference(tensor) or not (tensor.requires_grad or value.requires_grad):
        write(tensor, written, fills=value is tensor)
        return
    if value.ndim == 0 and tensor.ndim:
        change(tensor, OPS["fill"], value)
        return
    become(tensor, record(OPS["copy"], (tensor, value), {}, np.asarray(written)[()]), fills=value is tensor)


def put_part(tensor: Tensor, index: Any, value: Tensor, *, made_by: str = "") -> None:
    """`tensor[index] = value`; `made_by` names the op that gives the view into which PyTorch writes places alone."""
    watched = tensor.tape.grad_enabled and not is_inference(tensor) and (tensor.requires_grad or value.requires_grad)
    if not made_by and not _at_places(index):
        made_by = part_name(index)
    if watched and made_by and tensor.dtype.kind not in FLOATING and (value.ndim or not np.ndim(tensor.data[index])):
        watched = False  # PyTorch copies it into a view of whole numbers, through which nothing flows
    if not watched:
        if not made_by:  # of one made in inference mode PyTorch asks whether it is a leaf, and of a view of it not
            refuse_leaf(tensor, by=(value,))
        write(tensor, _written(tensor, index, value), index)
        return
    if made_by:
        renew(tensor)  # PyTorch makes the view of it first
    if has_arrays(index):
        refuse_leaf(tensor, made_by, (value,))
    written, base = _written(tensor, index, value), root(tensor)
    refuse_leaf(tensor, made_by, (value,))
    if base is tensor:
        op = OPS["copy_slices" if made_by else "index_put"]
        out = record(op, (tensor, value), {"index": index}, written)
        out.more.is_assigned = True
        become(tensor, out, index)
        return
    # A part of a view is a part of its base: one change of the base, as PyTorch records it.
    views = tracked_views(tensor, base)
    seen = {id(view): places(view, base) for view in views}
    at = seen[id(tensor)]
    whole = with_part(base, places_of_part(at, tensor.shape, index), value, _through_slices(tensor.data, index))
    whole.more.is_assigned = True
    write(tensor, written, index)
    take_place_of_base(base, whole)
    for view in views:
        look_again(view, base, seen[id(view)])


def warn_of_repeated(tensor: Tensor, index: Any, value: Tensor, *, made_by: str) -> None:
    """Warn where numbers are put at places of a view that shows numbers several times; `made_by` as `put_part`."""
    if not is_repeated(tensor.data) or not is_repeated(_through_slices(tensor.data, index)):
        return
    refuse_leaf(tensor, made_by, (value,))
    warn(EXPANDED.format(name="index_put_", shown="[indices] = tensor"))
    if value.ndim == 0 and is_one_mask(index):
        warn(EXPANDED.format(name="masked_fill_", shown="[mask] = scalar"))


def _through_slices(x: Any, index: Any) -> Any:
    """The view of an array into which PyTorch puts numbers: of the places that arrays name it sees all."""
    parts = index if isinstance(index, tuple) else (index,)
    return x[tuple(_step(part) for part in parts)]


def _step(part: Any) -> Any:
    if not isinstance(part, np.ndarray | list):
        return part
    return slice(None) if np.ndim(part) else None


def _written(tensor: Tensor, index: Any, value: Tensor) -> Any:
    out = np.array(tensor.data)
    try:
        out[index] = value.data
    except (ValueError, TypeError):
        if has_arrays(index):
            raise no_places(value.shape, out[index].shape) from None
        raise expand_error(value.shape, out[index].shape, type_name(value.dtype)) from None
    if value.dtype is not tensor.dtype and has_arrays(index) and not (value.data.size == 1 and is_one_mask(index)):
        raise other_source(tensor.dtype, value.dtype)
    return out


def numbered(at: Any, shape: tuple[int, ...]) -> tuple[Any, ...]:
    """An index of the elements with these numbers, counted along rows."""
    return np.unravel_index(at, shape) if shape else (*(None,) * (at.ndim - 1), np.asarray(at.size > 0))


def before_arrays(parts: Sequence[Any]) -> tuple[Any, ...]:
    """What comes before the arrays of an index: numbers, slices and new axes."""
    steps: list[Any] = []
    for part in parts:
        if not isinstance(part, np.ndarray):
            steps.append(part)
        elif part.ndim:
            steps += [slice(None)] * (part.ndim if is_mask(part) else 1)
        else:
            steps.append(None)
    return tuple(steps)


def is_one_mask(index: Any) -> bool:
    """Whether PyTorch fills where a mask holds, and does not put numbers at places."""
    arrays = [part for part in (index if isinstance(index, tuple) else (index,)) if isinstance(part, np.ndarray)]
    return len(arrays) == 1 and arrays[0].dtype.kind == "b" and arrays[0].ndim > 0
