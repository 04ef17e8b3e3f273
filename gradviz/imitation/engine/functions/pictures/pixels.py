"""Pixels made channels, and channels dealt out anew."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradviz.imitation.engine.functions.arguments import need
from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.rules.pictures.pixels import refuse_channels
from gradviz.imitation.engine.tensor import Tensor, apply
from gradviz.errors import TorchError


def _refuse_factor(name: str, factor: str, r: int) -> None:
    if r <= 0:
        raise TorchError(f"{name} expects a positive {factor}, but got {r}")


def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    x, r = need("pixel_shuffle", input), upscale_factor
    if x.ndim < 3:
        raise TorchError(
            f"pixel_shuffle expects input to have at least 3 dimensions, but got input with {x.ndim} dimension(s)"
        )
    _refuse_factor("pixel_shuffle", "upscale_factor", r)
    refuse_channels(x.shape, r)
    return apply(OPS["pixel_shuffle"], (x,), factor=r)


def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    x, r = need("pixel_unshuffle", input), downscale_factor
    if x.ndim < 3:
        raise TorchError(
            f"pixel_unshuffle expects input to have at least 3 dimensions, but got input with {x.ndim} dimension(s)"
        )
    _refuse_factor("pixel_unshuffle", "downscale_factor", r)
    for name, axis in (("height", -2), ("width", -1)):
        if x.shape[axis] % r:
            raise TorchError(
                f"pixel_unshuffle expects {name} to be divisible by downscale_factor, but input.size({axis})="
                f"{x.shape[axis]} is not divisible by {r}"
            )
    return apply(OPS["pixel_unshuffle"], (x,), factor=r)


def channel_shuffle(input: Tensor, groups: int) -> Tensor:
    x = need("channel_shuffle", input)
    if x.ndim < 3:
        raise TorchError(f"channel_shuffle expects input with > 2 dims, but got input with sizes {list(x.shape)}")
    if groups <= 0:
        raise TorchError(f"Number of groups to divide channels in must be positive. Value of groups:{groups}")
    if x.shape[1] % groups:
        raise TorchError(
            f"Number of channels must be divisible by groups. Got {x.shape[1]} channels and {groups} groups."
        )
    return apply(OPS["channel_shuffle"], (x,), groups=groups)


FUNCTIONS: dict[str, Callable[..., Any]] = {f.__name__: f for f in (pixel_shuffle, pixel_unshuffle, channel_shuffle)}
METHODS: dict[str, Callable[..., Any]] = {}
NEURAL = FUNCTIONS
