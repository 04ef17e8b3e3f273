"""`torch.nn.functional.dropout` and its kin, with the masks that PyTorch's generator draws."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.imitation.engine.dtypes import FLOATING, type_name
from gradviz.imitation.engine.functions import FUNCTIONS as F
from gradviz.imitation.engine.functions.arguments import need
from gradviz.imitation.engine.memory import storage
from gradviz.imitation.engine.random.generator import in_memory_order
from gradviz.imitation.engine.tensor import Tensor, constant
from gradviz.imitation.engine.warn import warn_here
from gradviz.errors import TorchError
from gradviz.imitation.script.machine import Machine

SPATIAL = {f"dropout{axes}d": axes for axes in (1, 2, 3)}
"""Those that drop whole channels, with the number of axes below a channel."""
ALPHA = 1.7580993408473766
"""What a dropped number becomes in networks with SELU is this below zero."""

OTHER_AXES = (
    "dropout{axes}d: Received a {ndim}-D input to dropout{axes}d, which is deprecated and will result in an error in "
    "a future release. To retain the behavior and silence this warning, please use dropout instead. Note that "
    "dropout{axes}d exists to provide channel-wise dropout on inputs with {axes} spatial dimensions, a channel "
    "dimension, and an optional batch dimension (i.e. {alone}D or {many}D inputs)."
)
CHANNELS_IN_ROWS = (
    "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior is desired - input "
    "is interpreted as shape (N, C, L), where C is the channel dim. This behavior will change in a future release to "
    "interpret the input as one without a batch dimension, i.e. shape (C, H, W). To maintain the 1D channel-wise "
    "dropout behavior, please switch to using dropout1d instead."
)


def functions(machine: Machine) -> dict[str, Callable[..., Tensor]]:
    """By name: of single numbers, of whole channels of one, two and three spatial axes, and both for SELU networks."""
    return {
        "dropout": _dropout(machine, "dropout"),
        **{name: _dropout(machine, name) for name in SPATIAL},
        "alpha_dropout": _alpha_dropout(machine, "alpha_dropout", is_by_channel=False),
        "feature_alpha_dropout": _alpha_dropout(machine, "feature_alpha_dropout", is_by_channel=True),
    }


def _refuse_chance(p: float) -> None:
    if not 0 <= p <= 1:
        raise TorchError(f"dropout probability has to be between 0 and 1, but got {p}", kind="ValueError")


def _refuse_whole(x: Tensor, said: str) -> None:
    if x.dtype.kind not in FLOATING:
        raise TorchError(
            f"result type Float can't be cast to the desired output type {said}", hint="Convert with .float() first."
        )


def _refuse_rows(x: Tensor, leading: int) -> None:
    if x.ndim < leading:
        raise TorchError("Feature dropout requires at least 2 dimensions in the input")


def _changed(operation: str, x: Tensor, other: Any, inplace: bool) -> Tensor:
    out: Tensor = F[operation](x, constant(other, x.tape))
    if not inplace:
        return out
    storage.refuse_leaf(x)
    return storage.become(x, out)


def _alpha_dropout(machine: Machine, name: str, *, is_by_channel: bool) -> Callable[..., Tensor]:
    """Dropout that keeps mean and variance behind a SELU."""

    def function(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
        x = need(name, input)
        _refuse_chance(p)
        if not training or p == 0 or x.data.size == 0:
            return x
        if p == 1:
            return _changed("mul", x, np.zeros((), x.dtype)[()], inplace)
        if is_by_channel:
            _refuse_rows(x, 2)
        _refuse_whole(x, "Long" if x.dtype.kind == "b" else type_name(x.dtype))  # bools become numbers before
        like = np.empty(_shape(x, 2)) if is_by_channel else x.data
        kept: Any = in_memory_order(like, lambda shape: machine.random.bernoulli_mask(shape, 1 - p, x.dtype.name))
        a, kind = 1.0 / math.sqrt((ALPHA**2 * p + 1) * (1 - p)), x.dtype.type
        shift = (kept - kind(1)) * kind(ALPHA * a) + kind(ALPHA * a * p)
        return _changed("add", _changed("mul", x, kept * kind(a), inplace), shift, inplace)

    function.__name__ = name
    return function


def _dropout(machine: Machine, name: str) -> Callable[..., Tensor]:
    """Each number, or each channel, is kept or dropped with all that lies below it."""
    axes = SPATIAL.get(name, 0)

    def function(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
        x = need(name, input)
        _refuse_chance(p)
        if axes:
            _check_axes(axes, x.ndim)
        if axes not in (1, 3) or x.ndim == axes + 2:
            return drop(x, p, training, inplace, leading=2)
        if inplace:
            return drop(x, p, training, inplace, leading=1)
        batch = F["unsqueeze"](x, 0)  # one picture is a batch of one
        return F["squeeze"](drop(batch, p, training, inplace, leading=2), 0)  # type: ignore[no-any-return]

    def drop(x: Tensor, p: float, training: bool, inplace: bool, leading: int) -> Tensor:
        if not training or p == 0 or x.data.size == 0:
            return x
        if p == 1:
            return _changed("mul", x, np.zeros((), x.dtype)[()], inplace)
        if axes:
            _refuse_rows(x, leading)
        _refuse_whole(x, type_name(x.dtype))
        like = np.empty(_shape(x, leading)) if axes else x.data
        mask: Any = in_memory_order(like, lambda shape: machine.random.dropout_mask(shape, p, x.dtype.name))
        return _changed("mul", x, mask, inplace)

    function.__name__ = name
    return function


def _shape(x: Tensor, leading: int) -> tuple[int, ...]:
    """One number for each sample and channel."""
    return (*x.shape[:leading], *(1,) * (x.ndim - leading))


def _check_axes(axes: int, ndim: int) -> None:
    """Refuse an input of other axes, or warn of it."""
    if axes == 1 and ndim not in (2, 3):
        raise TorchError(
            f"dropout1d: Expected 2D or 3D input, but received a {ndim}D input. Note that dropout1d exists to provide "
            "channel-wise dropout on inputs with 1 spatial dimension, a channel dimension, and an optional batch "
            "dimension (i.e. 2D or 3D inputs)."
        )
    if axes > 1 and ndim not in (axes + 1, axes + 2):
        warn_here(OTHER_AXES.format(axes=axes, ndim=ndim, alone=axes + 1, many=axes + 2))
    if axes == 2 and ndim == 3:
        warn_here(CHANNELS_IN_ROWS)
