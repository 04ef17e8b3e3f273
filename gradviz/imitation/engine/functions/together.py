"""Ops of several inputs with PyTorch's promotion and broadcasting."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.imitation.engine.dtypes import convert, result_of
from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.half.rounding import forward
from gradviz.imitation.engine.shape_errors import raise_shape_error
from gradviz.imitation.engine.tensor import Tensor, record


def together(name: str, *tensors: Tensor, **params: Any) -> Tensor:
    """Record an op on inputs brought to one dtype.

    Raises:
        TorchError: the shapes do not broadcast.
    """
    dtype = result_of(x.data for x in tensors)
    xs = [convert(x.data, dtype) for x in tensors]
    _check_shapes(name, xs)
    return record(OPS[name], tensors, params, forward(OPS[name], xs, params))


def _check_shapes(name: str, xs: list[Any]) -> None:
    first = xs[0]
    for x in xs[1:]:
        try:
            shape = np.broadcast_shapes(first.shape, x.shape)
        except ValueError as error:
            raise_shape_error(OPS[name], first, x, error)
        first = np.broadcast_to(first, shape)
