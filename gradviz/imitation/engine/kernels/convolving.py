"""Convolutions of float32 arrays and their gradients, added in the order in which PyTorch's libraries add them.

oneDNN takes batches of several examples, large kernels and large images: each result is a chain of fused multiply-adds
over the kernel's places and, inside, 16 channels; further channels follow in chains of their own. The gradient of the
weights is one chain over all examples and places, or one for each of two threads. What is left PyTorch does by products
of matrices. Found by probing PyTorch 2.13 with registers of 512 bits and two threads.

Shapes: x (N, C, *in), w (O, C / groups, *kernel), y and g (N, O, *out). Windows: (groups, kernel, C / groups, N, out).
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from gradviz.imitation.engine.kernels import products
from gradviz.imitation.engine.kernels.products import chains
from gradviz.imitation.engine.kernels.registers import LANES

Ints = tuple[int, ...]
LARGE_IMAGE, LARGE_KERNEL = 20_480, 3
"""Numbers of one example, and a kernel's size, beyond which oneDNN takes also one example."""
FEW_CHANNELS = 3
"""So many are not filled up to a register."""
FEW_ROWS = 4
"""Fewer rows of one example are not shared out."""
WEIGHT_COST = 8
"""What a thread pays for a number of the weights, where one of the input or of the result costs 1."""


def is_by_one_dnn(size: Ints, kernel: Ints, groups: int) -> bool:
    """Whether oneDNN does it. `size`: of x, whole; `kernel`: without channels."""
    many = groups > 1 or size[0] > 1 or prod(size) > LARGE_IMAGE
    return many or all(n > LARGE_KERNEL for n in (1, *kernel)[-2:])


def forward(x: Any, w: Any, b: Any, windows: Any) -> Any:
    """(O, N, out). b may be None."""
    groups, places, channels, n, out = windows.shape
    kernels = w.reshape(groups, -1, channels, places)
    parts = []
    for group in range(groups):
        bias = None if b is None else b.reshape(groups, -1, 1)[group]
        seen = windows[group].reshape(places, channels, n * out)
        if is_by_one_dnn(x.shape, w.shape[2:], groups):
            starts, block = places == 1 or channels == 1 < groups, channels if places == 1 else LANES
            parts.append(_by_channels(kernels[group], seen, bias, starts, block))
        else:
            parts.append(_by_matrices(kernels[group], seen, bias))
    return np.concatenate(parts).reshape(-1, n, out)


def _by_channels(kernels: Any, seen: Any, bias: Any, starts: bool, block: int = LANES) -> Any:
    """`starts`: whether the bias is what the first chain starts from; else it is added to that chain."""
    total = None
    for at in range(0, kernels.shape[1], block):
        left = kernels[:, at : at + block].swapaxes(1, 2).reshape(len(kernels), -1)
        right = seen[:, at : at + block].reshape(left.shape[1], -1)
        first = total is None and bias is not None
        part = chains(left, right, bias if first and starts else None)
        total = part if total is None else total + part
        if first and not starts:
            total = total + bias
    return total


def _by_matrices(kernels: Any, seen: Any, bias: Any) -> Any:
    left, right = kernels.reshape(len(kernels), -1), seen.swapaxes(0, 1).reshape(-1, seen.shape[-1])
    if len(left) == 1:
        return products.columns(right, left[0], None if bias is None else bias[0, 0])[None]
    y = chains(left, right)
    return y if bias is None else y + bias


def input_gradient(spread: Any, w: Any, groups: int, stride: Ints, width: int) -> Any:
    """(C, N, in), by oneDNN, of g where the places of the kernel take it, and of the width of the input.

    With strides all channels are one chain; where the width is a multiple, each column of the kernel has its own.
    `spread`: (groups, kernel, O / groups, N, in).
    """
    _, places, outputs, n, size = spread.shape
    kernels = w.reshape(groups, outputs, -1, places)
    apart = w.shape[-1] if stride[-1] > 1 and width % stride[-1] == 0 else 1
    block = outputs if max(stride) > 1 or places == 1 else LANES
    parts = []
    for group in range(groups):
        turned, seen = kernels[group].swapaxes(0, 1), spread[group].reshape(places, outputs, n * size)
        total = _by_channels(turned[..., ::apart], seen[::apart], None, False, block)
        for column in range(1, apart):
            total = total + _by_channels(turned[..., column::apart], seen[column::apart], None, False, block)
        parts.append(total)
    return np.concatenate(parts).reshape(-1, n, size)


def weight_gradient(g: Any, x: Any, w_shape: Ints, windows: Any) -> Any:
    """(groups, O / groups, C / groups · kernel)."""
    groups, places, channels, n, out = windows.shape
    given = np.moveaxis(g.reshape(n, groups, -1, out), 0, 2).reshape(groups, -1, n * out)
    if not is_by_one_dnn(x.shape, w_shape[2:], groups):
        seen = windows.swapaxes(1, 2).reshape(groups, channels * places, n * out)
        return np.stack([products.matmul(left, right.T) for left, right in zip(given, seen, strict=True)])
    parts, seen = _threads(x, w_shape, g.shape), windows.reshape(groups, places * channels, n * out)
    sums = [[_long_chains(left[:, part], right[:, part]) for part in parts]
            for left, right in zip(given, seen, strict=True)]  # fmt: skip
    found = np.stack([sum(halves[1:], halves[0]) for halves in sums])
    return found.reshape(groups, -1, places, channels).swapaxes(2, 3)


def bias_gradient(g: Any, x: Any, w: Any, is_transposed: bool = False) -> Any:
    """(O,), where oneDNN does it: chains over what the chains of the gradient of the weights are over."""
    rows = np.moveaxis(g, 1, 0).reshape(g.shape[1], -1)
    parts = _threads(g, w.shape, x.shape) if is_transposed else _threads(x, w.shape, g.shape)
    if is_transposed and len(parts) > 1:
        half = (len(g) - len(g) // 2) * prod(g.shape[2:])
        parts = [slice(0, half), slice(half, None)]
    sums = [np.add.accumulate(rows[:, part], axis=1)[:, -1] for part in parts if rows[:, part].size]
    return sum(sums[1:], sums[0])


def _long_chains(a: Any, b: Any) -> Any:
    """a @ bᵀ, each result one chain however long the inner axis is."""
    step, total = 256, None
    for at in range(0, a.shape[1], step):
        total = chains(a[:, at : at + step], b[:, at : at + step].T, total)
    return total


def _threads(x: Any, w_shape: Ints, g_shape: Ints) -> list[slice]:
    """The places of each chain of the gradient of the weights, of all examples: all, or the halves of two threads.

    The threads share out what makes each read and write less: examples (of one example its rows), channels of the
    result, or channels of the input.
    """
    n, outputs, *out = g_shape
    shared, each = (n, prod(out)) if n > 1 else (out[0], prod(out[1:]))
    half = (shared - shared // 2) * each
    whole, halves = [slice(None)], [slice(0, half), slice(half, None)]
    channels, places = w_shape[1], prod(w_shape[2:])
    is_narrow = FEW_CHANNELS < channels <= LANES // 2
    width = LANES // 2 if is_narrow else LANES
    rows, columns = -(-outputs // width), 1 if channels <= FEW_CHANNELS else -(-channels // width)
    if shared == 1 or (n == 1 and shared < FEW_ROWS) or (is_narrow and rows > 1):
        return whole
    inner = channels if channels <= FEW_CHANNELS else width
    image = prod(x.shape[2:]) * n // shared

    def cost(count: int, rows: int, columns: int) -> int:
        numbers: int = columns * inner * image + rows * width * each
        return count * numbers + WEIGHT_COST * rows * columns * places * inner * width

    other = [cost(shared, -(-rows // 2), columns)] * (rows > 1) + [cost(shared, rows, -(-columns // 2))] * (columns > 1)
    return whole if other and min(other) <= cost(shared - shared // 2, rows, columns) else halves
