"""What training loops do with all parameters at once: `torch.nn.utils`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from gradviz.engine.dtypes import type_name_of
from gradviz.engine.known import missing_of
from gradviz.engine.modes import no_grad
from gradviz.engine.nn.utils import rnn
from gradviz.engine.ops.shape import cat
from gradviz.engine.state import state, warn
from gradviz.engine.tensor import Tensor, constant, current
from gradviz.engine.views import replace, set_data

Tensors = Tensor | Iterable[Tensor]


def _grads(parameters: Tensors) -> list[Tensor]:
    given = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    return [x.grad for x in given if x.grad is not None]


def get_total_norm(
    tensors: Tensors, norm_type: float = 2.0, error_if_nonfinite: bool = False, foreach: bool | None = None
) -> Tensor:
    """The norm of all tensors together, as if they were one vector.

    Raises:
        RuntimeError: the norm is infinite or NaN, and that is an error.
    """
    given = [tensors] if isinstance(tensors, Tensor) else list(tensors)
    if not given:
        return constant(state.dtype.type(0.0))
    p = float(norm_type)
    norms = np.array([np.linalg.norm(current(x).array.reshape(-1), p) for x in given], current(given[0]).array.dtype)
    total = np.linalg.norm(norms, p).astype(norms.dtype)
    if error_if_nonfinite and not np.isfinite(total):
        raise RuntimeError(
            f"The total norm of order {p} for gradients from `parameters` is non-finite, so it cannot be clipped. To "
            "disable this error and scale the gradients by the non-finite norm anyway, set `error_if_nonfinite=False`"
        )
    return constant(total)


def clip_grads_with_norm_(
    parameters: Tensors, max_norm: float, total_norm: Tensor, foreach: bool | None = None
) -> None:
    """Scale all gradients down, so that a norm that they have together becomes at most max_norm."""
    total = current(total_norm).array
    factor = min(float(max_norm) / (total + total.dtype.type(1e-6)), total.dtype.type(1.0))
    factor = total.dtype.type(np.nan) if np.isnan(total) else factor
    for grad in _grads(parameters):
        array = current(grad).array
        replace(grad, array * array.dtype.type(factor))


def clip_grad_norm_(
    parameters: Tensors,
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Scale all gradients down in place, so that their norm together is at most max_norm.

    Returns:
        The norm that they had.

    Source: Pascanu et al., On the difficulty of training recurrent neural networks, 2013.
    """
    given = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    if not given and isinstance(parameters, Iterator):
        warn("`parameters` is an empty generator, no gradient clipping will occur.")
    total = get_total_norm(_grads(given), norm_type, error_if_nonfinite)
    clip_grads_with_norm_(given, max_norm, total)
    return total


def clip_grad_norm(
    parameters: Tensors,
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """`clip_grad_norm_` under its old name."""
    warn(
        "`torch.nn.utils.clip_grad_norm` is now deprecated in favor of `torch.nn.utils.clip_grad_norm_`.",
        FutureWarning,
    )
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)


def clip_grad_value_(parameters: Tensors, clip_value: float, foreach: bool | None = None) -> None:
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
    "clip_grad_norm", "clip_grad_norm_", "clip_grad_value_", "clip_grads_with_norm_", "get_total_norm",
    "parameters_to_vector", "rnn", "vector_to_parameters",
]  # fmt: skip
