"""Pooling and normalisation by powers of neighbours, in the steps in which PyTorch takes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf, prod
from typing import Any

from gradviz.imitation.engine.functions.arguments import need
from gradviz.imitation.engine.functions.numbers.arithmetic import abs, add, div, mul, neg, pow, relu
from gradviz.imitation.engine.functions.numbers.elementary import FUNCTIONS as ELEMENTARY
from gradviz.imitation.engine.functions.pictures.convolution import each
from gradviz.imitation.engine.functions.pictures.padding import pad
from gradviz.imitation.engine.functions.pictures.pooling import NEURAL as POOLS
from gradviz.imitation.engine.functions.shapes.shaping import squeeze, unsqueeze, view
from gradviz.imitation.engine.tensor import Tensor
from gradviz.errors import TorchError


def _refuse_lengths(given: Sequence[Any], axes: int) -> None:
    """Raise in Python's words for other than one length for each axis, which PyTorch takes apart there."""
    if len(given) == axes:
        return
    said = f"too many values to unpack (expected {axes})"
    if len(given) < axes:
        said = f"not enough values to unpack (expected {axes}, got {len(given)})"
    raise TorchError(said, kind="ValueError")


def _power_pool(axes: int) -> Callable[..., Tensor]:
    sign, largest, average = ELEMENTARY["sign"], POOLS[f"max_pool{axes}d"], POOLS[f"avg_pool{axes}d"]

    def function(
        input: Tensor, norm_type: Any, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
    ) -> Tensor:  # fmt: skip
        x = need(f"lp_pool{axes}d", input)
        if axes > 1 and isinstance(kernel_size, list | tuple):
            _refuse_lengths(kernel_size, axes)
        if norm_type == inf:
            return largest(abs(x), kernel_size, stride, 0, 1, ceil_mode)  # type: ignore[no-any-return]
        if norm_type == -inf:
            return neg(largest(neg(abs(x)), kernel_size, stride, 0, 1, ceil_mode))
        out = average(pow(x, norm_type), kernel_size, stride, 0, ceil_mode)
        upward = mul(sign(out), relu(abs(out)))
        return pow(mul(upward, prod(each(kernel_size, axes))), 1.0 / norm_type)

    function.__name__ = f"lp_pool{axes}d"
    return function


def local_response_norm(
    input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0
) -> Tensor:  # fmt: skip
    x = need("local_response_norm", input)
    if x.ndim < 3:
        gap = " " * 26
        raise TorchError(f"Expected 3D or higher dimensionality{gap}input (got {x.ndim} dimensions)", kind="ValueError")
    if not x.data.size:
        return x
    squares, before, after = mul(x, x), size // 2, (size - 1) // 2
    if x.ndim == 3:
        rows = pad(unsqueeze(squares, 1), (0, 0, before, after))
        near = squeeze(POOLS["avg_pool2d"](rows, (size, 1), stride=1), 1)
    else:
        flat = view(squares, x.shape[0], 1, x.shape[1], x.shape[2], -1)
        rows = pad(flat, (0, 0, 0, 0, before, after))
        near = view(squeeze(POOLS["avg_pool3d"](rows, (size, 1, 1), stride=1), 1), *x.shape)
    return div(x, pow(add(mul(near, alpha), k), beta))


FUNCTIONS: dict[str, Callable[..., Any]] = {}
METHODS: dict[str, Callable[..., Any]] = {}
NEURAL: dict[str, Callable[..., Any]] = {
    **{f"lp_pool{axes}d": _power_pool(axes) for axes in (1, 2, 3)}, "local_response_norm": local_response_norm,
}  # fmt: skip
