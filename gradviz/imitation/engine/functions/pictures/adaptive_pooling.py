"""Pooling by the size of the result: windows as even as the size allows."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from math import prod
from typing import Any

import numpy as np

from gradviz.imitation.engine.creation import check_size
from gradviz.imitation.engine.functions.arguments import need, refuse_whole
from gradviz.imitation.engine.functions.reducing.reduction import mean
from gradviz.imitation.engine.functions.shapes.shaping import squeeze, unsqueeze
from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.hooks.on_saved_tensors import keep
from gradviz.imitation.engine.kernels.even_windows import Windows
from gradviz.imitation.engine.tensor import Tensor, apply, constant
from gradviz.errors import TorchError

Ints = tuple[int, ...]


def _bounds(n: int, m: int) -> list[tuple[int, int]]:
    return [(i * n // m, -(-(i + 1) * n // m)) for i in range(m)]


def _even(n: int, m: int) -> Windows:
    starts, ends = np.array(_bounds(n, m), np.int64).reshape(m, 2).T
    return Windows(n, starts, ends)


def refuse_rows(name: str, x: Tensor) -> None:
    """Raise for what is no row of numbers, or several of them."""
    if x.ndim not in (2, 3):
        raise TorchError(
            f"Expected 2 to 3 dimensions, but got {x.ndim}-dimensional tensor for argument #1 'self' (while checking "
            f"arguments for {name})"
        )


def _one(name: str, size: Any) -> int:
    """The length of the result where there is one axis.

    Raises:
        TorchError: several lengths.
    """
    given = size if isinstance(size, list | tuple) else (size,)
    if len(given) != 1:
        raise TorchError(f"{name}() argument 'output_size' should contain one int (got {len(given)})")
    return int(given[0])


def _filled(x: Tensor, size: Any, axes: int) -> Ints:
    """The spatial size of the result, where None keeps that of an axis.

    Raises:
        TorchError: the input has too few dims.
    """
    if not isinstance(size, list | tuple):
        return (int(size),) * axes
    if x.ndim <= len(size):
        raise TorchError(f"Input dimension should be at least {len(size) + 1}", kind="ValueError")
    lengths = x.shape[x.ndim - len(size) :]
    return tuple(n if m is None else int(m) for n, m in zip(lengths, size, strict=True))


def _refuse_dims(name: str, x: Tensor, axes: int) -> None:
    """Raise for an input of too few or too many dims."""
    if x.ndim not in (axes + 1, axes + 2):
        colon = "" if "avg" in name else ":"
        raise TorchError(f"{name}(): Expected {axes + 1}D or {axes + 2}D tensor, but got{colon} {list(x.shape)}")


def _refuse_empty(name: str, x: Tensor, first: int) -> None:
    """Raise for an axis without numbers, from dim `first` on."""
    for dim in range(first, x.ndim):
        if not x.shape[dim]:
            raise TorchError(
                f"{name}(): Expected input to have non-zero size for non-batch dimensions, but input has sizes "
                f"{list(x.shape)} with dimension {dim} being empty"
            )


def _refuse_sizes(name: str, out: Ints, axes: int) -> None:
    """Raise for too few or too many lengths, or one below zero."""
    if len(out) != axes:
        raise TorchError(f"{name}: output_size must be {axes}")
    if min(out) < 0:
        shown = f"{', '.join(map(str, out[:2]))}{''.join(f',{n}' for n in out[2:])}"  # as PyTorch has it
        raise TorchError(f"{name}: elements of output_size must be greater than or equal to 0 but received {{{shown}}}")


def _average(axes: int) -> Callable[[Tensor, Any], Tensor]:
    name = f"adaptive_avg_pool{axes}d"

    def function(input: Tensor, output_size: Any) -> Tensor:
        x = need(name, input)
        out = _filled(x, output_size, axes)
        _refuse_sizes(name, out, axes)
        if out == (1,) * axes:  # PyTorch takes a mean before it looks at any dim
            return mean(x, tuple(range(-1, -axes - 1, -1)), True)
        if axes == 3:
            _refuse_empty(name, x, 1)
        _refuse_dims(name, x, axes)
        _refuse_empty(name, x, x.ndim - axes)
        if axes == 2 and 0 in (*x.shape, *out) and x.dtype.kind != "f":
            return constant(np.zeros((*x.shape[:-axes], *out), x.dtype), x.tape)
        refuse_whole(x, name if axes == 2 else f"{name}_cpu")
        matrices = tuple(_even(n, m) for n, m in zip(x.shape[-axes:], out, strict=True))
        return apply(OPS[name], (x,), matrices=matrices)

    function.__name__ = name
    return function


adaptive_avg_pool2d, adaptive_avg_pool3d = _average(2), _average(3)


def adaptive_avg_pool1d(input: Tensor, output_size: Any) -> Tensor:
    x = need("adaptive_avg_pool1d", input)
    refuse_rows("adaptive_avg_pool1d", x)
    size = _one("adaptive_avg_pool1d", output_size)
    return squeeze(adaptive_avg_pool2d(unsqueeze(x, -2), (1, size)), -2)


AVERAGES = {1: adaptive_avg_pool1d, 2: adaptive_avg_pool2d, 3: adaptive_avg_pool3d}
"""By the number of axes."""


def _windows(size: Ints, out: Ints) -> Iterator[tuple[tuple[Any, ...], tuple[Any, ...]]]:
    """Each place of the result with the window it looks at."""
    bounds = [list(enumerate(_bounds(n, m))) for n, m in zip(size, out, strict=True)]
    for chosen in itertools.product(*bounds):
        yield (..., *(i for i, _ in chosen)), (..., *(slice(a, b) for _, (a, b) in chosen))


def _largest(x: Any, axes: int, out: Ints) -> Any:
    """For each window the place, in all of x laid out flat, of its first largest number."""
    lead = x.shape[:-axes]
    places = np.arange(x.size).reshape(x.shape)
    index = np.empty((*lead, *out), np.int64)
    for place, window in _windows(x.shape[-axes:], out):
        part, at = (t[window].reshape(*lead, prod(t[window].shape[-axes:])) for t in (x, places))
        first = np.where(np.isnan(part).any(-1), np.isnan(part).argmax(-1), part.argmax(-1))
        index[place] = np.take_along_axis(at, first[..., None], -1)[..., 0]
    return index


def _maximum(axes: int) -> Callable[..., Any]:
    name = f"adaptive_max_pool{axes}d"

    def function(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
        x = need(name, input)
        out = _filled(x, output_size, axes)
        _refuse_dims(name, x, axes)
        _refuse_empty(name, x, 1)
        if len(out) != axes:
            raise TorchError(f"{name}(): internal error: output_size.size() must be {axes}")
        check_size((*x.shape[:-axes], *out))
        refuse_whole(x, name if axes == 2 else f"{name}_cpu")
        index = _largest(x.data, axes, out)
        y, indices = apply(OPS[name], (x,), index=index), within(x, index, axes)
        return (keep(y, indices=indices), indices) if return_indices else keep(y, indices=indices)

    function.__name__ = name
    return function


def within(x: Tensor, index: Any, axes: int) -> Tensor:
    """Places counted inside each channel, as PyTorch returns them."""
    return constant(index % int(np.prod(x.shape[-axes:])), x.tape)


adaptive_max_pool2d, adaptive_max_pool3d = _maximum(2), _maximum(3)


def adaptive_max_pool1d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    x = need("adaptive_max_pool1d", input)
    refuse_rows("adaptive_max_pool1d", x)
    size = _one("adaptive_max_pool1d", output_size)
    _refuse_empty("adaptive_max_pool1d", x, 1)
    y, index = adaptive_max_pool2d(unsqueeze(x, -2), (1, size), True)
    return (squeeze(y, -2), squeeze(index, -2)) if return_indices else squeeze(y, -2)


MAXIMA = {1: adaptive_max_pool1d, 2: adaptive_max_pool2d, 3: adaptive_max_pool3d}


def _both(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    def pooled(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:  # noqa: ARG001 - PyTorch has it too
        return function(input, output_size, True)

    pooled.__name__ = name
    return pooled


NEURAL: dict[str, Callable[..., Any]] = {
    **{f"adaptive_avg_pool{axes}d": f for axes, f in AVERAGES.items()},
    **{f"adaptive_max_pool{axes}d": f for axes, f in MAXIMA.items()},
    **{
        f"adaptive_max_pool{axes}d_with_indices": _both(f, f"adaptive_max_pool{axes}d_with_indices")
        for axes, f in MAXIMA.items()
    },
}
FUNCTIONS: dict[str, Callable[..., Any]] = {"adaptive_avg_pool1d": adaptive_avg_pool1d}
METHODS: dict[str, Callable[..., Any]] = {}
