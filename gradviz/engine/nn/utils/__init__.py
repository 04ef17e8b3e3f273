"""What training loops do with all parameters at once: `torch.nn.utils`."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gradviz.engine.dtypes import type_name_of
from gradviz.engine.functions.shape import cat
from gradviz.engine.known import missing_of
from gradviz.engine.modes import no_grad
from gradviz.engine.nn.utils import rnn
from gradviz.engine.state import state, warn
from gradviz.engine.tensor import Tensor, constant, current
from gradviz.engine.views import replace, set_data

Tensors = Tensor | Iterable[Tensor]


def _grads(parameters: Tensors) -> list[Tensor]:
    given = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    return [x.grad for x in given if x.grad is not None]


def clip_grad_norm_(
    parameters: Tensors, max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False
) -> Tensor:
    """Scale all gradients down in place, so that their norm together is at most max_norm.

    Returns:
        The norm that they had.

    Raises:
        RuntimeError: the norm is infinite or NaN, and that is an error.

    Source: Pascanu et al., On the difficulty of training recurrent neural networks, 2013.
    """
    grads = _grads(parameters)
    if not grads:
        return constant(state.dtype.type(0.0))
    p = float(norm_type)
    arrays = [current(grad).array for grad in grads]
    norms = np.array([np.linalg.norm(array.reshape(-1), p) for array in arrays], arrays[0].dtype)
    total = np.linalg.norm(norms, p).astype(norms.dtype)
    if error_if_nonfinite and not np.isfinite(total):
        raise RuntimeError(
            f"The total norm of order {p} for gradients from `parameters` is non-finite, so it cannot be clipped. To "
            "disable this error and scale the gradients by the non-finite norm anyway, set `error_if_nonfinite=False`"
        )
    factor = np.minimum(float(max_norm) / (total + total.dtype.type(1e-6)), total.dtype.type(1.0))
    for grad, array in zip(grads, arrays, strict=True):
        replace(grad, array * array.dtype.type(factor))
    return constant(total)


def clip_grad_norm(parameters: Tensors, max_norm: float, norm_type: float = 2.0) -> Tensor:
    """`clip_grad_norm_` under its old name."""
    warn(
        "`torch.nn.utils.clip_grad_norm` is now deprecated in favor of `torch.nn.utils.clip_grad_norm_`.",
        FutureWarning,
    )
    return clip_grad_norm_(parameters, max_norm, norm_type)


def clip_grad_value_(parameters: Tensors, clip_value: float) -> None:
    """Keep every element of all gradients within ±clip_value, in place."""
    for grad in _grads(parameters):
        array = current(grad).array
        limit = array.dtype.type(clip_value)
        replace(grad, np.clip(array, -limit, limit))


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """All parameters one after the other in one vector."""
    return cat([x.reshape(-1) for x in parameters])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Give parameters the numbers of a vector, one after the other.

    Raises:
        TypeError: it is no tensor.
    """
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {type_name_of(vec)}")
    start = 0
    for x in parameters:
        end = start + x.numel()
        with no_grad():
            set_data(x, vec[start:end].reshape(x.shape).clone())
        start = end


__getattr__ = missing_of("torch.nn.utils")


__all__ = [
    "clip_grad_norm", "clip_grad_norm_", "clip_grad_value_", "parameters_to_vector", "rnn", "vector_to_parameters",
]  # fmt: skip
