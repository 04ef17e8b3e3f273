"""Functions of `torch` beneath those of `torch.nn.functional`, with arguments in another order and fewer checks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradviz.imitation.engine.dtypes import check_fits, check_word
from gradviz.imitation.engine.functions.arguments import need
from gradviz.imitation.engine.functions.layers import norms
from gradviz.imitation.engine.functions.pictures.padding import pad as padded
from gradviz.imitation.engine.functions.places import placing
from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.tensor import Tensor, apply
from gradviz.errors import TorchError


def fill(input: Tensor, value: Any) -> Tensor:
    """A tensor of its shape and dtype, all of one number."""
    x = need("fill", input)
    if not isinstance(value, Tensor):
        check_word(value)
        check_fits(value, x.dtype)
        return apply(OPS["fill_number"], (x,), value=value, is_apart=True)
    if value.ndim:
        raise TorchError(f"fill_ only supports 0-dimension value tensor but got tensor with {value.ndim} dimensions.")
    return apply(OPS["fill"], (x, value), is_apart=True)


def embedding(
    weight: Tensor, indices: Tensor, padding_idx: int = -1, scale_grad_by_freq: bool = False, sparse: bool = False
) -> Tensor:
    """Rows of the weight; no row is taken for padding by a number below 0."""
    row = padding_idx if padding_idx >= 0 else None
    return placing.embedding(indices, weight, row, scale_grad_by_freq=scale_grad_by_freq, sparse=sparse)


def constant_pad_nd(input: Tensor, pad: Any, value: float = 0) -> Tensor:
    """One number around it."""
    if len(pad) % 2:
        raise TorchError(f"Length of pad must be even but instead it equals {len(pad)}")
    if len(pad) > 2 * input.ndim:
        raise TorchError(
            "Length of pad should be no more than twice the number of dimensions of the input. Pad length is "
            f"{len(pad)}while the input has {input.ndim}dimensions."
        )
    return padded(input, pad, "constant", value)


def batch_norm(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None,
    running_var: Tensor | None, training: bool, momentum: float, eps: float,
    cudnn_enabled: bool,  # noqa: ARG001 - there is the CPU alone
) -> Tensor:  # fmt: skip
    """Also moves the running statistics, in place, when training."""
    return norms.plain_batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps)


def instance_norm(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None,
    running_var: Tensor | None, use_input_stats: bool, momentum: float, eps: float,
    cudnn_enabled: bool,  # noqa: ARG001 - there is the CPU alone
) -> Tensor:  # fmt: skip
    """Batch norm of each example by itself."""
    return norms.instance_norm(input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps)


BENEATH: dict[str, Callable[..., Any]] = {f.__name__: f for f in (embedding, batch_norm, instance_norm)}
"""Those that `torch.nn.functional` has by the same name."""
FUNCTIONS: dict[str, Callable[..., Any]] = {f.__name__: f for f in (fill, constant_pad_nd)}
METHODS: dict[str, Callable[..., Any]] = {}
