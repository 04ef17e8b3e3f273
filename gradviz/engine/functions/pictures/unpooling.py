"""The way back from max pooling: each number to the place it was found at, zeros elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from gradviz.engine.creation import check_size
from gradviz.engine.dtypes import type_name
from gradviz.engine.functions.arguments import ints, need
from gradviz.engine.functions.pictures.convolution import each
from gradviz.engine.functions.shapes.shaping import squeeze, unsqueeze
from gradviz.engine.generic import OPS
from gradviz.engine.tensor import Tensor, apply
from gradviz.errors import TorchError

Ints = tuple[int, ...]


def _size(x: Tensor, kernel: Ints, stride: Ints, padding: Ints, wanted: Any) -> Ints:
    """The spatial size of the result.

    Raises:
        TorchError: a wish that no pooling of these numbers can have come from.
    """
    axes = zip(x.shape[-len(kernel) :], kernel, stride, padding, strict=True)
    usual = tuple((n - 1) * s + k - 2 * p for n, k, s, p in axes)
    if wanted is None:
        return usual
    given = ints(tuple(wanted))
    if len(given) == len(kernel) + 2:
        given = given[2:]
    if len(given) != len(kernel):
        raise TorchError(
            f"output_size should be a sequence containing {len(kernel)} or {len(kernel) + 2} elements, but it has a "
            f"length of '{len(given)}'",
            kind="ValueError",
        )
    for d, (n, s) in enumerate(zip(usual, stride, strict=True)):
        if not n - s < given[d] < n + s:
            shown = f"torch.Size({list(given)})" if type(wanted).__name__ == "Size" else wanted
            raise TorchError(
                f'invalid output_size "{shown}" (dim {d} must be between {n - s} and {n + s})', kind="ValueError"
            )
    return given


def _unpooled(axes: int, x: Tensor, indices: Any, out: Ints) -> Tensor:
    places = need(f"max_unpool{axes}d", indices, "indices", 2)
    if places.dtype != np.int64:
        raise TorchError("elements in indices should be type int64 but got: " + type_name(places.dtype))
    if places.shape != x.shape:
        raise TorchError(
            f"Expected shape of indices to be same as that of the input tensor ({list(x.shape)}) but got indices "
            f"tensor with shape: {list(places.shape)}"
        )
    lead = x.shape[:-axes]
    check_size((*lead, *out))
    channel = prod(out)
    wrong = (places.data < 0) | (places.data >= channel)
    if wrong.any():
        sizes = "x".join(map(str, out))
        raise TorchError(
            f"Found an invalid max index: {int(places.data[wrong].reshape(-1)[0])} (output volumes are of size {sizes})"
        )
    starts = (np.arange(prod(lead)) * channel).reshape(*lead, *(1,) * axes)
    return apply(OPS[f"max_unpool{axes}d"], (x,), size=(*lead, *out), places=places.data + starts)


def _unpool(axes: int) -> Callable[..., Tensor]:
    name = f"max_unpool{axes}d"

    def function(
        input: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
    ) -> Tensor:  # fmt: skip
        x, kernel = need(name, input), each(kernel_size, axes)
        steps = kernel if stride is None else each(stride, axes)
        out = _size(x, kernel, steps, each(padding, axes), output_size)
        if axes > 1:
            return _unpooled(axes, x, indices, out)
        return squeeze(_unpooled(2, unsqueeze(x, -1), unsqueeze(indices, -1), (*out, 1)), -1)

    function.__name__ = name
    return function


FUNCTIONS: dict[str, Callable[..., Any]] = {}
METHODS: dict[str, Callable[..., Any]] = {}
NEURAL: dict[str, Callable[..., Any]] = {f"max_unpool{axes}d": _unpool(axes) for axes in (1, 2, 3)}
