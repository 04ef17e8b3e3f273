"""The way back from max pooling: each number to the place it was found at, zeros elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from gradviz.imitation.engine.creation import check_size
from gradviz.imitation.engine.dtypes import type_name
from gradviz.imitation.engine.functions.arguments import ints, need, refuse_whole
from gradviz.imitation.engine.functions.shapes.shaping import squeeze, unsqueeze
from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.kind_names import kind_name
from gradviz.imitation.engine.tensor import Tensor, apply
from gradviz.errors import TorchError

Ints = tuple[int, ...]


def _settings(value: Any, axes: int) -> tuple[Any, ...]:
    """One setting for each axis; several are taken as they are, their number is looked at later."""
    return tuple(value) if isinstance(value, list | tuple) else (value,) * axes


def _size(
    x: Tensor, kernel: tuple[Any, ...], stride: tuple[Any, ...], padding: tuple[Any, ...], wanted: Any
) -> tuple[Any, ...]:
    """The spatial size of the result.

    Raises:
        TorchError: a wish that no pooling of these numbers can have come from; too few dims or settings.
    """
    if min(x.ndim, len(stride), len(padding)) < len(kernel):
        raise TorchError("tuple index out of range", kind="IndexError")
    axes = zip(x.shape[x.ndim - len(kernel) :], kernel, stride, padding, strict=False)
    usual = tuple((n - 1) * s + k - 2 * p for n, k, s, p in axes)
    out = usual if wanted is None else _wanted(usual, stride, wanted)
    for d, n in enumerate(out):
        if n < 0:
            raise TorchError(
                "max_unpooling: output_size must contain non-negative spatial dimensions, but got "
                f"output_size[{d}]={n}",
                kind="ValueError",
            )
    return out


def _wanted(usual: Ints, stride: Ints, wanted: Any) -> Ints:
    given = ints(tuple(wanted))
    axes = len(usual)
    if len(given) == axes + 2:
        given = given[2:]
    if len(given) != axes:
        raise TorchError(
            f"output_size should be a sequence containing {axes} or {axes + 2} elements, but it has a length of "
            f"'{len(given)}'",
            kind="ValueError",
        )
    for d, (n, s) in enumerate(zip(usual, stride, strict=False)):
        if not n - s < given[d] < n + s:
            shown = f"torch.Size({list(given)})" if type(wanted).__name__ == "Size" else wanted
            raise TorchError(
                f'invalid output_size "{shown}" (dim {d} must be between {n - s} and {n + s})', kind="ValueError"
            )
    return given


_NUMBERS = {2: "two elements (height, width)", 3: "three elements (depth, height, width)"}


def _refuse(axes: int, x: Tensor, places: Tensor, out: tuple[Any, ...], stride: Ints) -> None:
    """Raise for what the kernel of so many axes does not take, in the order in which PyTorch looks."""
    name = f"max_unpooling{axes}d"
    for at, n in enumerate(out):
        if not isinstance(n, int):
            found = f"but found element of type {kind_name(n)} at pos {at}"
            position = f"max_unpool{axes}d(): argument 'output_size' (position 3) must be tuple of ints, {found}"
            raise TorchError(position, kind="TypeError")
    if places.dtype != np.int64:
        found = f" but got: {type_name(places.dtype)}" if axes == 2 else ""
        raise TorchError(f"elements in indices should be type int64{found}")
    has_length, has_dims = len(out) == axes, x.ndim in (axes + 1, axes + 2)
    if not has_length and (axes == 2 or has_dims):
        raise TorchError(f"There should be exactly {_NUMBERS[axes]} in output_size, but got {len(out)} elements.")
    if not has_dims:
        raise TorchError(
            f"Input to {name} should be a {axes + 1}d or {axes + 2}d Tensor, but got a tensor with {x.ndim} dimensions."
        )
    if places.shape != x.shape:
        raise TorchError(
            f"Expected shape of indices to be same as that of the input tensor ({list(x.shape)}) but got indices "
            f"tensor with shape: {list(places.shape)}"
        )
    for dim in range(1, x.ndim):
        if not x.shape[dim]:
            kernel = f"{name}_forward_out_cpu()"
            raise TorchError(
                f"{kernel}: Expected input to have non-zero size for non-batch dimensions, but got {list(x.shape)} "
                f"with dimension {dim} being empty."
            )
    if axes == 3 and min(stride) < 1:
        raise TorchError(f"strides should be greater than zero, but got stride: {list(stride)}")


def _unpooled(axes: int, x: Tensor, indices: Any, out: Ints, stride: Ints) -> Tensor:
    places = need(f"max_unpool{axes}d", indices, "indices", 2)
    _refuse(axes, x, places, out, stride)
    lead = x.shape[:-axes]
    check_size((*lead, *out))
    if x.data.size:
        refuse_whole(x, f"max_unpool{axes}d")
    channel = prod(out)
    wrong = (places.data < 0) | (places.data >= channel)
    if wrong.any() and channel:
        sizes = "x".join(map(str, out))
        raise TorchError(
            f"Found an invalid max index: {int(places.data[wrong][-1])} (output volumes are of size {sizes})"
        )
    starts = (np.arange(prod(lead)) * channel).reshape(*lead, *(1,) * axes)
    return apply(OPS[f"max_unpool{axes}d"], (x,), size=(*lead, *out), places=places.data + starts)


def _unpool(axes: int) -> Callable[..., Tensor]:
    name = f"max_unpool{axes}d"

    def function(
        input: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
    ) -> Tensor:  # fmt: skip
        x, kernel = need(name, input), _settings(kernel_size, axes)
        steps = kernel if stride is None else _settings(stride, axes)
        out = _size(x, kernel, steps, _settings(padding, axes), output_size)
        if axes > 1:
            return _unpooled(axes, x, indices, out, steps)
        return squeeze(_unpooled(2, unsqueeze(x, -1), unsqueeze(indices, -1), (*out, 1), steps), -1)

    function.__name__ = name
    return function


FUNCTIONS: dict[str, Callable[..., Any]] = {}
METHODS: dict[str, Callable[..., Any]] = {}
NEURAL: dict[str, Callable[..., Any]] = {f"max_unpool{axes}d": _unpool(axes) for axes in (1, 2, 3)}
