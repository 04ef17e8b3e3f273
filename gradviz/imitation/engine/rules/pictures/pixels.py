"""Pixels made channels and channels made pixels, each undone by the other; and channels dealt out anew."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradviz.imitation.engine.op import Rule
from gradviz.imitation.engine.rules.calling import call
from gradviz.imitation.engine.rules.entry import Op, case
from gradviz.imitation.engine.rules.shapes.moving import back_name, moves
from gradviz.imitation.engine.rules.shapes.shaping import shape
from gradviz.imitation.engine.shape_errors import invalid_gradient
from gradviz.imitation.engine.shapes import broadcasts
from gradviz.errors import TorchError


def shuffled(x: Any, factor: int) -> Any:
    """(..., C r r, H, W) to (..., C, H r, W r)."""
    *batch, c, h, w = x.shape
    r = factor
    split = x.reshape(*batch, c // (r * r), r, r, h, w)
    n = len(batch)
    turned = split.transpose(*range(n), n, n + 3, n + 1, n + 4, n + 2)
    return turned.copy().reshape(*batch, c // (r * r), h * r, w * r)


def unshuffled(x: Any, factor: int) -> Any:
    """(..., C, H r, W r) to (..., C r r, H, W); what is empty keeps its shape, as PyTorch leaves it."""
    if not x.size:
        return x.copy()
    *batch, c, h, w = x.shape
    r = factor
    split = x.reshape(*batch, c, h // r, r, w // r, r)
    n = len(batch)
    turned = split.transpose(*range(n), n, n + 2, n + 4, n + 1, n + 3)
    return turned.copy().reshape(*batch, c * r * r, h // r, w // r)


def refuse_channels(size: tuple[int, ...], factor: int) -> None:
    """Raise where the channels of a picture cannot be made pixels."""
    if size[-3] % (factor * factor):
        raise TorchError(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, "
            f"but input.size(-3)={size[-3]} is not divisible by {factor * factor}"
        )


def _undone_by(other: str, node: str) -> Rule:
    """The rule of an op that another undoes, but where nothing is in the picture: there PyTorch's fail each other."""

    def rule(g: Any, y: Any, x: Any, factor: int) -> Any:
        if other == "pixel_shuffle":
            refuse_channels(shape(g), factor)
        out = call(other, g, factor=factor)
        if not math.prod(shape(x)) and not broadcasts(shape(x), shape(out)):
            raise invalid_gradient(node, 0, shape(out), shape(x), "PyTorch cannot go back through an empty picture.")
        return out

    return rule


def channels_shuffled(x: Any, groups: int) -> Any:
    """The channels of (N, C, ...) dealt out as a pack of cards is."""
    n, c, *rest = x.shape
    return x.reshape(n, groups, c // groups, *rest).swapaxes(1, 2).copy().reshape(x.shape)


TABLE = (
    Op("pixel_shuffle", "pix", shuffled, (_undone_by("pixel_unshuffle", "PixelShuffleBackward0"),), ("x",),
       ("back(g)",), "y = channels of x made pixels", (case(np.arange(16.0).reshape(1, 4, 2, 2), factor=2),),
       "PixelShuffleBackward0", keeps_integers=True),
    Op("pixel_unshuffle", "pix", unshuffled, (_undone_by("pixel_shuffle", "PixelUnshuffleBackward0"),), ("x",),
       ("back(g)",), "y = pixels of x made channels", (case(np.arange(16.0).reshape(1, 1, 4, 4), factor=2),),
       "PixelUnshuffleBackward0", keeps_integers=True),
    moves("channel_shuffle", "chan", channels_shuffled, "y = x with its channels in another order",
          (case(np.arange(8.0).reshape(1, 4, 2), groups=2),), "ChannelShuffleBackward0"),
)  # fmt: skip

OF_PARAMS = {op.name: back_name(op.forward) for op in TABLE}
