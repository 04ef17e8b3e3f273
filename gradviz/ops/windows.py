"""What a window sees that slides over images: as views, in columns, and added back.

Images are [N, C, *size] with one to three spatial dims.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

Sizes = tuple[int, ...]
"""One whole number for each spatial dim."""


def out_sizes(size: Sizes, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes) -> Sizes:
    """The spatial sizes of a convolution's result."""
    return tuple(
        [(n + 2 * p - d * (k - 1) - 1) // s + 1
         for n, k, s, p, d in zip(size, kernel, stride, padding, dilation, strict=True)]
    )  # fmt: skip


def padded(x: Any, before: Sizes, after: Sizes, value: float = 0.0) -> Any:
    """Images with a border of one value; themselves where there is none."""
    if not any(before) and not any(after):
        return x
    sizes = x.shape[2:]
    out: Any = np.full(
        (*x.shape[:2], *[a + n + b for a, n, b in zip(before, sizes, after, strict=True)]), value, x.dtype
    )
    out[(..., *[slice(a, a + n) for a, n in zip(before, sizes, strict=True)])] = x
    return out


def windows(x: Any, kernel: Sizes, stride: Sizes, dilation: Sizes, out: Sizes) -> Any:
    """A view of shape [N, C, *kernel, *out] of images [N, C, *size]: what each kernel element sees."""
    steps = x.strides[2:]
    inside = [n * d for n, d in zip(steps, dilation, strict=True)]
    across = [n * s for n, s in zip(steps, stride, strict=True)]
    return as_strided(x, (*x.shape[:2], *kernel, *out), (*x.strides[:2], *inside, *across), writeable=False)


def columns(x: Any, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int = 1) -> Any:
    """The patches of images in columns, [N, groups, C / groups · kernel elements, positions]."""
    out = out_sizes(x.shape[2:], kernel, stride, padding, dilation)
    view = windows(padded(x, padding, padding), kernel, stride, dilation, out)
    return view.reshape((x.shape[0], groups, x.shape[1] // groups * math.prod(kernel), math.prod(out)))


def add_patches(patches: Any, size: Sizes, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes) -> Any:
    """The adjoint of `columns`: patches [N, C, *kernel, *out] added up where they overlap, [N, C, *size]."""
    out = patches.shape[-len(size) :]
    full = [n + 2 * p for n, p in zip(size, padding, strict=True)]
    images: Any = np.zeros((*patches.shape[:2], *full), patches.dtype)
    for offset in np.ndindex(*kernel):
        seen = [
            slice(k * d, k * d + s * (n - 1) + 1, s) for k, d, s, n in zip(offset, dilation, stride, out, strict=True)
        ]
        images[(..., *seen)] += patches[(slice(None), slice(None), *offset)]
    if any(padding):
        images = images[(..., *[slice(p, p + n) for p, n in zip(padding, size, strict=True)])]
    return images
