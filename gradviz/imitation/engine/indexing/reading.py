"""`tensor[...]`: an index taken apart into the select, slice, unsqueeze and index steps that PyTorch records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradviz.imitation.engine.creation import check_size
from gradviz.imitation.engine.dtypes import FLOATING, DType, stored, type_name
from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.hooks.on_saved_tensors import keep
from gradviz.imitation.engine.indexing.errors import (
    are_plain,
    at_front,
    check_bounds,
    check_empty_masks,
    is_mask,
    refuse_places,
    refuse_value,
    too_far,
)
from gradviz.imitation.engine.indexing.writing import (
    before_arrays,
    is_full,
    is_one_mask,
    numbered,
    overwrite,
    part_name,
    put_part,
    warn_of_repeated,
)
from gradviz.imitation.engine.kind_names import kind_name
from gradviz.imitation.engine.memory import storage
from gradviz.imitation.engine.memory.layouts import at_places
from gradviz.imitation.engine.memory.refused_writes import other_source, refuse_overlap, share_memory
from gradviz.imitation.engine.memory.steps import laid_out, seen_through
from gradviz.imitation.engine.memory.views import root
from gradviz.imitation.engine.refused_data import places_of, refuse_array
from gradviz.imitation.engine.shapes import broadcasts, expand_error, from_front
from gradviz.imitation.engine.tensor import Tensor, constant, record
from gradviz.imitation.engine.warn import warn
from gradviz.errors import TorchError


def view(op_name: str, x: Tensor, **params: Any) -> Tensor:
    """Apply an op whose result shares memory with its input, and note that it does."""
    op = OPS[op_name]
    if op.is_view:
        x.data = laid_out(x)  # memory that both can look into
    value = op.forward(x.data, **params)
    if op.is_view:
        value = seen_through(op_name, x.data, value, params)
    out = record(op, (x,), params, value)
    if isinstance(value, np.ndarray) and isinstance(x.data, np.ndarray) and (op.is_view or _shares(value, x.data)):
        storage.share_view(x, out, is_one_of_several=op.output != "")
    return out


def _shares(value: Any, base: Any) -> bool:
    """Whether a result looks into the memory of what it was made of."""
    return (value.base is base and value.size > 0) or np.may_share_memory(value, base)


def get(x: Tensor, index: Any) -> Tensor:
    """`x[index]`.

    Raises:
        TorchError: out of bounds, too many indices, or an index of a kind that is not supported.
    """
    parts = spelled_out(x, index)
    if x.tape.mapped and any(is_mask(part) for part in parts):
        raise TorchError(MASK_MAPPED, hint="Keep the size: use torch.where or a product with the mask.")
    has_arrays = any(isinstance(part, np.ndarray) for part in parts)
    if has_arrays:
        return keep_places(_by_arrays(x, parts), index)
    out = _by_steps(x, parts, keeps_full=isinstance(index, slice))
    return view("alias", x) if out is x else out


def keep_places(out: Tensor, index: Any) -> Tensor:
    """Note the tensors of places that the node of a result has saved."""
    places = [part for part in (index if isinstance(index, tuple) else (index,)) if isinstance(part, Tensor)]
    return keep(out, **{f"indices{i}": part for i, part in enumerate(places) if part.ndim})


def spelled_out(x: Tensor, index: Any) -> list[Any]:
    """The parts of an index: ints, slices, None and arrays; no ellipsis, one part for each dim named.

    Raises:
        TorchError: as `get`.
    """
    plain = index if type(index) is tuple else (index,)
    if are_plain(plain, x.shape):
        return list(plain)
    given = index if _is_several(index) else (index,)
    if sum(map(_dims_named, given)) > x.ndim and not isinstance(index, slice | int):
        raise TorchError(f"too many indices for tensor of dimension {x.ndim}", kind="IndexError")
    parts = [_part(part) for part in given]
    used = sum(part.ndim if is_mask(part) else 1 for part in parts if part is not None and part is not Ellipsis)
    if x.ndim == 0 and isinstance(index, slice):
        raise TorchError("slice() cannot be applied to a 0-dim tensor.", kind="IndexError")
    if x.ndim == 0 and type(index) is int and index:
        raise TorchError(f"index {index} is out of bounds for dimension 0 with size 0", kind="IndexError")
    if x.ndim == 0 and type(index) is int:
        raise TorchError(
            "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert "
            "a 0-dim tensor to a number",
            kind="IndexError",
        )
    if used > x.ndim:
        raise TorchError(f"too many indices for tensor of dimension {x.ndim}", kind="IndexError")
    check_bounds(x, parts, x.ndim - used)
    if Ellipsis in [part for part in parts if not isinstance(part, np.ndarray)]:
        at = next(i for i, part in enumerate(parts) if part is Ellipsis)
        parts[at : at + 1] = [slice(None)] * (x.ndim - used)
    if any(_is_no_index(part) for part in given):
        raise TorchError(
            "tensors used as indices must be long, int, byte or bool tensors",
            kind="IndexError",
            hint="Convert the index with .long().",
        )
    check_empty_masks(x, parts)
    return parts


INDICES = (np.int64, np.int32, np.uint8, np.bool_)


def _is_no_index(part: Any) -> bool:
    return isinstance(part, Tensor) and part.dtype not in INDICES


def _dims_named(part: Any) -> int:
    """How many dims a part of an index names before anything else of it is looked at."""
    if isinstance(part, Tensor) and part.dtype in (np.bool_, np.uint8):
        return part.ndim
    return 0 if part is None or part is Ellipsis or isinstance(part, bool | np.ndarray | list) else 1


def _is_several(index: Any) -> bool:
    """Whether PyTorch takes it for several indices: a tuple, or a short list with something else than numbers in it."""
    if isinstance(index, tuple):
        return True
    if not isinstance(index, list | str) or len(index) >= SHORT:
        return False
    found = any(
        isinstance(part, (Tensor, list, tuple, str, range, slice, np.ndarray)) or part is None or part is Ellipsis
        for part in index
    )
    if found:
        warn(NON_TUPLE)
    return found and isinstance(index, list)


SHORT = 32
NON_TUPLE = (
    "Using a non-tuple sequence for multidimensional indexing is deprecated and will be changed in pytorch 2.9; use "
    "x[tuple(seq)] instead of x[seq]. In pytorch 2.9 this will be interpreted as tensor index, x[torch.tensor(seq)], "
    "which will result either in an error or a different result"
)


MASK_MAPPED = (
    "vmap: We do not support batching operators that can support dynamic shape. Attempting to batch over indexing with "
    "a boolean mask."
)
BYTES = "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead."


def _part(part: Any) -> Any:
    if isinstance(part, Tensor):
        data = part.data
        if data.dtype == np.uint8 and data.ndim:
            return _mask_of(data)
        return int(data) if data.ndim == 0 and data.dtype.kind in "iu" else np.asarray(data)
    if isinstance(part, slice):
        return slice(*(_number(bound) for bound in (part.start, part.stop, part.step)))
    if isinstance(part, list | range):
        check_size((len(part),))
        places = places_of(part)
        return places.astype(np.int64) if places.dtype.kind in FLOATING else places  # as PyTorch cuts them
    if isinstance(part, np.ndarray):
        refuse_array(part)
        if part.dtype == np.uint8 and part.ndim:
            return _mask_of(part)
        return part.astype(np.int64) if part.dtype.kind in FLOATING else part
    if isinstance(part, bool | np.bool_):
        return np.asarray(part)
    if part is None or part is Ellipsis or isinstance(part, int):
        return part
    if isinstance(part, np.integer):
        return int(part)
    if isinstance(part, str):
        raise TorchError("new(): invalid data type 'str'", kind="TypeError")
    raise TorchError(
        "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices "
        f"(got {kind_name(part)})",
        kind="IndexError",
    )


def _mask_of(data: Any) -> Any:
    """The mask that an array of bytes stands for, as once all masks were."""
    warn(BYTES)
    return data.astype(np.bool_)


def _number(bound: Any) -> Any:
    return int(bound.data) if isinstance(bound, Tensor) else bound


def _by_steps(x: Tensor, parts: list[Any], *, keeps_full: bool = False) -> Tensor:
    """One view after another; a part that is an array leaves its dims as they are.

    Args:
        keeps_full: whether a slice of everything is recorded too, as PyTorch does for x[:] but not for x[:, 0].
    """
    dim = 0
    for part in parts:
        if isinstance(part, np.ndarray) and part.ndim:
            dim += part.ndim if is_mask(part) else 1
        elif part is None or isinstance(part, np.ndarray):
            x = view("unsqueeze", x, dim=dim)
            dim += 1
        elif isinstance(part, int):
            x = view("select", x, dim=dim, index=from_front(part, x.shape[dim]))
        else:
            if keeps_full or not _is_all(part, x.shape[dim]):
                start, end, step = _counted(part, x.shape[dim])
                x = view("slice", x, dim=dim, start=start, end=max(start, end), step=step)
            dim += 1
    return x


def _counted(part: slice, n: int) -> tuple[int, int, int]:
    """Start, end and step of a slice of n places; those counted from the end still know it."""
    start, end, step = part.indices(n)
    return (
        start if part.start is None or part.start < -n else from_front(min(part.start, start), n),
        end if part.stop is None or part.stop < -n else from_front(min(part.stop, end), n),
        step,
    )


def _is_all(part: slice, n: int) -> bool:
    """Whether PyTorch sees at once that a slice names all of n places: x[-3:] of three is cut like any other."""
    return part.start in (None, 0) and part.step in (None, 1) and (part.stop is None or part.stop >= n)


def _by_arrays(x: Tensor, parts: list[Any]) -> Tensor:
    # Numbers, slices and None first, as views; numpy, given all at once, would order the dims in another way.
    x = _by_steps(x, parts)
    left = _arrays(parts)
    index = tuple(left)
    try:
        value = np.asarray(x.data)[index]
    except IndexError:
        refuse_places(x, left)
        if x.data.size:
            raise too_far(x, left) from None
        value = np.asarray(x.data)[tuple(at_front(left))]  # of nothing no place is read
    if value.ndim > 1:
        value = at_places(value, x.data, index)
    return record(OPS["index"], (x,), {"index": index}, value)


def _are_places(parts: Sequence[Any]) -> bool:
    """Whether it is arrays of places and `:`, for which PyTorch makes no view; for True and False it makes one."""
    return all(is_full(part) or (isinstance(part, np.ndarray) and part.ndim) for part in parts)


def _arrays(parts: Sequence[Any]) -> list[Any]:
    """What is left of an index after numbers, slices and new axes; True and False pick from an axis of their own."""
    left = [part if isinstance(part, np.ndarray) else slice(None) for part in parts if not isinstance(part, int)]
    while not isinstance(left[-1], np.ndarray):
        left.pop()
    return [np.arange(int(part)) if isinstance(part, np.ndarray) and not part.ndim else part for part in left]


def set(x: Tensor, index: Any, value: Any) -> None:
    """`x[index] = value`, by the rules of in-place changes."""
    if isinstance(index, bool):
        if not index:
            return
        index = None
    if any(
        isinstance(part, Tensor) and part.dtype not in INDICES for part in (index if _is_several(index) else (index,))
    ):
        storage.refuse_leaf(x)
    parts = _short(x, spelled_out(x, index))
    if not isinstance(value, Tensor):
        value = constant(_assigned_number(value, x.dtype), x.tape)
    if any(isinstance(part, np.ndarray) for part in parts):
        count = len(x.tape.entries)
        _set_by_arrays(x, parts, _without_ones(value))
        changed = root(x)
        if changed.index >= count:  # recorded
            keep_places(changed, index)
        return
    value = _fitted(value, _shape_of_part(x.shape, parts))
    is_whole = len(parts) <= x.ndim and all(map(is_full, parts))
    if value.ndim:  # a number is read before
        _refuse_overlap(x, value, "" if is_whole else part_name(parts), parts)
    (overwrite if is_whole else put_part)(x, parts, value)


def _assigned_number(value: Any, dtype: DType) -> Any:
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise TorchError("Overflow when unpacking long long", kind="ValueError")
    return np.asarray(stored(value, dtype) if isinstance(value, int | float) else value, dtype)


def _short(x: Tensor, parts: list[Any]) -> tuple[Any, ...]:
    """The parts with slices of all spelled `:`, of which PyTorch makes no view."""
    dim, found = 0, []
    for part in parts:
        found.append(slice(None) if isinstance(part, slice) and _is_all(part, x.shape[dim]) else part)
        dim += 0 if part is None else part.ndim if is_mask(part) else 1
    return tuple(found)


def _without_ones(value: Tensor) -> Tensor:
    """A value without its sizes of 1 in front, which PyTorch drops before it writes."""
    count = _ones_in_front(value.shape)
    return view("view", value, size=value.shape[count:]) if count else value


def _ones_in_front(shape: tuple[int, ...]) -> int:
    return next((i for i, n in enumerate(shape) if n != 1), len(shape))


def _fitted(value: Tensor, shape: tuple[int, ...]) -> Tensor:
    """A value repeated to the shape of the part that it is written to; a number is written as it is."""
    if value.shape == shape or not value.ndim:
        return value
    value = view("view", value, size=value.shape[_ones_in_front(value.shape) :])
    if not broadcasts(value.shape, shape):
        raise expand_error(value.shape, shape, type_name(value.dtype))
    return value if value.shape == shape else view("expand", value, size=shape)


def _set_by_arrays(x: Tensor, parts: tuple[Any, ...], value: Tensor) -> None:
    parts = _steps_left(x.shape, parts)
    warn_of_repeated(x, parts, value, made_by="" if _are_places(parts) else part_name(parts))
    if value.ndim or not is_one_mask(tuple(_arrays(parts))):
        steps, name = before_arrays(parts), "" if _are_places(parts) else part_name(parts)
        _refuse_overlap(x, value, name, steps, even_whole=True)
    # numpy takes slices and arrays together as PyTorch does; of the rest it makes arrays, or orders dims otherwise.
    is_plain = all(isinstance(part, slice) or (isinstance(part, np.ndarray) and part.ndim) for part in parts)
    left = _arrays(parts)
    try:
        if is_plain:
            put_part(x, parts, value)
        else:
            if value.data.size == 1 and is_one_mask(tuple(left)) and not value.requires_grad:
                value = constant(value.data.astype(x.dtype), x.tape)  # PyTorch fills where a mask holds
            at = np.arange(x.data.size).reshape(x.shape)[before_arrays(parts)][tuple(left)]
            put_part(x, numbered(at, x.shape), value, made_by=part_name(parts))
    except IndexError:
        storage.refuse_leaf(x, "" if _are_places(parts) else part_name(parts))
        seen = _by_steps(x, list(parts))
        refuse_places(seen, left)
        refuse_value(value, seen, left)
        if value.dtype is not x.dtype and not is_one_mask(tuple(left)):
            raise other_source(x.dtype, value.dtype) from None
        raise too_far(seen, left) from None


def _refuse_overlap(x: Tensor, value: Tensor, part_name: str, part: Sequence[Any], *, even_whole: bool = False) -> None:
    """Raise where a value lies in the memory of the part that it is written to."""
    if not share_memory(x, value):
        return
    try:
        whole = constant(laid_out(x), x.tape)
        whole.more.has_steps = True
        seen = None if all(map(is_full, part)) else _by_steps(whole, [*part]).data
        refuse_overlap(x, value, part=seen, even_whole=even_whole)
    except TorchError:
        storage.refuse_leaf(x, part_name, (value,))
        raise


def _steps_left(shape: tuple[int, ...], parts: tuple[Any, ...]) -> tuple[Any, ...]:
    """An index with `:` for each slice of a whole dim, of which PyTorch makes no view."""
    found: list[Any] = []
    dim = 0
    for part in parts:
        is_whole = isinstance(part, slice) and dim < len(shape) and _is_all(part, shape[dim])
        found.append(slice(None) if is_whole else part)
        dim += 0 if part is None else part.ndim if is_mask(part) else 1
    return tuple(found)


def _shape_of_part(shape: tuple[int, ...], parts: tuple[Any, ...]) -> tuple[int, ...]:
    """The shape of what an index without arrays names."""
    place: tuple[Any, ...] = parts if parts else (...,)
    found: tuple[int, ...] = np.broadcast_to(np.empty(()), shape)[place].shape
    return found
