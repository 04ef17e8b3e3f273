"""`tensor[...]`: an index taken apart into the select, slice, unsqueeze and index steps that PyTorch records."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradviz.engine import storage, untracked
from gradviz.engine.generic import OPS
from gradviz.engine.kind_names import kind_name
from gradviz.engine.tensor import Tensor, constant, record
from gradviz.engine.warn import warn
from gradviz.errors import TorchError


def view(op_name: str, x: Tensor, **params: Any) -> Tensor:
    """Apply an op whose result shares memory with its input, and note that it does."""
    op = OPS[op_name]
    if op.is_view and not isinstance(x.data, np.ndarray):
        x.data = np.array(x.data)  # memory that both can look into
    value = op.forward(x.data, **params)
    out = record(op, (x,), params, value)
    if isinstance(value, np.ndarray) and isinstance(x.data, np.ndarray) and (op.is_view or _shares(value, x.data)):
        storage.share(x, out)
    if x.requires_grad and not x.tape.grad_enabled:
        untracked.mark(out, x)
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
    has_arrays = any(isinstance(part, np.ndarray) for part in parts)
    out = _by_arrays(x, parts) if has_arrays else _by_steps(x, parts, keeps_full=isinstance(index, slice))
    return view("alias", x) if out is x else out


def spelled_out(x: Tensor, index: Any) -> list[Any]:
    """The parts of an index: ints, slices, None and arrays; no ellipsis, one part for each dim named.

    Raises:
        TorchError: as `get`.
    """
    parts = [_part(part) for part in (index if isinstance(index, tuple) else (index,))]
    used = sum(part.ndim if _is_mask(part) else 1 for part in parts if part is not None and part is not Ellipsis)
    if x.ndim == 0 and len(parts) == 1 and isinstance(parts[0], slice):
        raise TorchError("slice() cannot be applied to a 0-dim tensor.", kind="IndexError")
    if x.ndim == 0 and len(parts) == 1 and isinstance(parts[0], int):
        raise TorchError(
            "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert "
            "a 0-dim tensor to a number",
            kind="IndexError",
        )
    if used > x.ndim:
        raise TorchError(f"too many indices for tensor of dimension {x.ndim}", kind="IndexError")
    if Ellipsis in [part for part in parts if not isinstance(part, np.ndarray)]:
        at = next(i for i, part in enumerate(parts) if part is Ellipsis)
        parts[at : at + 1] = [slice(None)] * (x.ndim - used)
    _check_bounds(x, parts)
    _check_empty_masks(x, parts)
    return parts


def _check_empty_masks(x: Tensor, parts: list[Any]) -> None:
    """Raise for a mask without elements of another shape, which numpy takes."""
    dim = 0
    for part in parts:
        if _is_mask(part) and part.ndim and not part.size and part.shape != x.shape[dim : dim + part.ndim]:
            raise TorchError(_mask_error(part, x, dim), kind="IndexError")
        dim += 0 if part is None else part.ndim if _is_mask(part) else 1


BYTES = "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead."


def _is_mask(part: Any) -> bool:
    return isinstance(part, np.ndarray) and part.dtype.kind == "b"


def _part(part: Any) -> Any:
    if isinstance(part, Tensor):
        data = part.data
        if data.dtype.kind == "f":
            raise TorchError(
                "tensors used as indices must be long, int, byte or bool tensors",
                kind="IndexError",
                hint="Convert the index with .long().",
            )
        if data.dtype == np.uint8 and data.ndim:
            warn(BYTES)
            return data.astype(np.bool_)
        return int(data) if data.ndim == 0 and data.dtype.kind != "b" else np.asarray(data)
    if isinstance(part, slice):
        return slice(*(_number(bound) for bound in (part.start, part.stop, part.step)))
    if isinstance(part, list | range | np.ndarray):
        return np.asarray(part)
    if isinstance(part, bool):
        return np.asarray(part)
    if part is None or part is Ellipsis or isinstance(part, int):
        return part
    raise TorchError(
        "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices "
        f"(got {kind_name(part)})",
        kind="IndexError",
    )


def _number(bound: Any) -> Any:
    return int(bound.data) if isinstance(bound, Tensor) else bound


def _check_bounds(x: Tensor, parts: list[Any]) -> None:
    dim = 0
    for part in parts:
        if part is None:
            continue
        if isinstance(part, int) and not -x.shape[dim] <= part < x.shape[dim]:
            raise TorchError(
                f"index {part} is out of bounds for dimension {dim} with size {x.shape[dim]}", kind="IndexError"
            )
        if isinstance(part, slice) and part.step is not None and part.step < 1:
            raise TorchError("step must be greater than zero", kind="ValueError", hint="Use torch.flip to reverse.")
        dim += part.ndim if _is_mask(part) else 1


def _by_steps(x: Tensor, parts: list[Any], *, keeps_full: bool = False) -> Tensor:
    """One view after another; a part that is an array leaves its dims as they are.

    Args:
        keeps_full: whether a slice of everything is recorded too, as PyTorch does for x[:] but not for x[:, 0].
    """
    dim = 0
    for part in parts:
        if isinstance(part, np.ndarray):
            dim += part.ndim if _is_mask(part) else 1
        elif part is None:
            x = view("unsqueeze", x, dim=dim)
            dim += 1
        elif isinstance(part, int):
            x = view("select", x, dim=dim, index=part % x.shape[dim])
        else:
            start, end, step = part.indices(x.shape[dim])
            if keeps_full or (start, end, step) != (0, x.shape[dim], 1):
                x = view("slice", x, dim=dim, start=start, end=max(start, end), step=step)
            dim += 1
    return x


def _by_arrays(x: Tensor, parts: list[Any]) -> Tensor:
    # Numbers, slices and None first, as views; numpy, given all at once, would order the dims in another way.
    x = _by_steps(x, parts)
    left = [part if isinstance(part, np.ndarray) else slice(None) for part in parts if not isinstance(part, int)]
    while not isinstance(left[-1], np.ndarray):
        left.pop()
    index = tuple(left)
    try:
        value = np.asarray(x.data)[index]
    except IndexError:
        raise TorchError(_bounds_text(x, left), kind="IndexError") from None
    return record(OPS["index"], (x,), {"index": index}, value)


def _bounds_text(x: Tensor, parts: list[Any]) -> str:
    for dim, part in enumerate(p for p in parts if p is not None):
        if isinstance(part, np.ndarray) and part.dtype.kind in "iu" and dim < x.ndim:
            bad = part[(part < -x.shape[dim]) | (part >= x.shape[dim])]
            if bad.size and not x.shape[dim]:
                return "index is out of bounds for dimension with size 0"
            if bad.size:
                return f"index {bad.flat[0]} is out of bounds for dimension {dim} with size {x.shape[dim]}"
        if _is_mask(part) and part.shape != x.shape[dim : dim + part.ndim]:
            return _mask_error(part, x, dim)
    shapes = ", ".join(str(list(part.shape)) for part in parts if isinstance(part, np.ndarray))
    return f"shape mismatch: indexing tensors could not be broadcast together with shapes {shapes}"


def _mask_error(mask: Any, x: Tensor, dim: int) -> str:
    """What PyTorch says of a mask that does not fit the tensor from `dim` on."""
    sizes = zip(mask.shape, x.shape[dim : dim + mask.ndim], strict=False)
    at = next((i for i, (a, b) in enumerate(sizes) if a != b), 0)
    return (
        f"The shape of the mask {list(mask.shape)} at index {at} does not match the shape of the indexed "
        f"tensor {list(x.shape)} at index {dim + at}"
    )


def set(x: Tensor, index: Any, value: Any) -> None:
    """`x[index] = value`, by the rules of in-place changes."""
    parts = tuple(spelled_out(x, index))
    if not isinstance(value, Tensor):
        value = constant(np.asarray(value, dtype=x.dtype), x.tape)
    if not any(isinstance(part, np.ndarray) for part in parts):
        dims = x.ndim - sum(isinstance(part, int) for part in parts) + sum(part is None for part in parts)
        if value.ndim > dims and math.prod(value.shape[: value.ndim - dims]) == 1:
            value = view("view", value, size=value.shape[value.ndim - dims :])  # PyTorch drops sizes of 1 in front
    if all(isinstance(part, slice) and range(n)[part] == range(n) for part, n in zip(parts, x.shape, strict=False)):
        storage.overwrite(x, parts, value)
    else:
        storage.put(x, parts, value)
