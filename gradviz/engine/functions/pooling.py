"""Pooling as people call it: the maximum or the mean of each window, also with windows that adapt to a wanted size.

Images are [N, C, *size] with one or two spatial dims.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradviz.engine.apply import apply
from gradviz.engine.functions.given import numbers_given
from gradviz.engine.operands import tensor_given
from gradviz.engine.tensor import Tensor, constant, current
from gradviz.ops.pooling import ADAPTIVE_AVG, AVG_POOL, DIMS, MAX_POOL, max_positions, pooled_sizes
from gradviz.ops.windows import Sizes

# ---- what people call -------------------------------------------------------------------------------------------


def _batched(function: str, dims: int, input: Any) -> tuple[Tensor, bool]:
    """Images as a batch, and whether they were one."""
    x = tensor_given(function, input)
    array = current(x).array
    if array.ndim not in (dims + 1, dims + 2):
        if dims == 1:
            raise RuntimeError(
                f"{function}: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for input, but "
                f"got:{list(array.shape)}"
            )
        raise RuntimeError(f"non-empty {dims + 1}D or {dims + 2}D (batch mode) tensor expected for input")
    return (x, True) if array.ndim == dims + 2 else (x.unsqueeze(0), False)


def _window_given(
    function: str, x: Tensor, dims: int, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool
) -> dict[str, Any]:
    """Kernel, stride, padding and dilation for each spatial dim, checked."""
    kernel = numbers_given(kernel_size, dims)
    window = {
        "kernel": kernel, "stride": kernel if stride is None or stride in ((), []) else numbers_given(stride, dims),
        "padding": numbers_given(padding, dims), "dilation": numbers_given(dilation, dims),
    }  # fmt: skip
    if any(len(given) != dims for given in window.values()):
        raise RuntimeError(f"{function}: every setting must be a single int, or a tuple of {dims} ints")
    if min(*window["kernel"], *window["stride"], *window["dilation"]) < 1:
        raise RuntimeError(f"{function}: kernel size, stride and dilation should be greater than zero")
    for k, p, d in zip(kernel, window["padding"], window["dilation"], strict=True):
        if not 0 <= p <= (d * (k - 1) + 1) // 2:
            raise RuntimeError(
                f"pad should be at most half of effective kernel size, but got pad={p}, kernel_size={k} and "
                f"dilation={d}"
            )
    shape = current(x).array.shape
    out = pooled_sizes(shape[2:], **window, ceil_mode=ceil_mode)
    if min(out) < 1:
        before, after = ("x".join(map(str, (shape[1], *sizes))) for sizes in (shape[2:], [max(n, 0) for n in out]))
        raise RuntimeError(f"Given input size: ({before}). Calculated output size: ({after}). Output size is too small")
    return window


def _max_pooling(dims: int) -> Callable[..., Any]:
    function = f"max_pool{dims}d"

    def pool(
        input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
        ceil_mode: bool = False, return_indices: bool = False,
    ) -> Any:  # fmt: skip
        x, is_batched = _batched(function, dims, input)
        window = _window_given(function, x, dims, kernel_size, stride, padding, dilation, ceil_mode)
        y = apply(MAX_POOL[dims], (x,), ceil_mode=bool(ceil_mode), **window)
        y = y if is_batched else y.squeeze(0)
        if not return_indices:
            return y
        positions = max_positions(current(x).array, bool(ceil_mode), **window)
        return y, constant(positions if is_batched else positions[0])

    pool.__name__ = pool.__qualname__ = function
    pool.__doc__ = f"""The largest number of each window of images with {dims} spatial dim{"s" if dims > 1 else ""}.

    Args:
        input: [N, C, *size], or [C, *size] for one image alone.
        kernel_size, stride, padding, dilation: one number, or one for each spatial dim; stride is kernel_size if None.
        ceil_mode: whether a last window may jut out.
        return_indices: whether to return where the maxima stand too, as flat indices.

    Raises:
        RuntimeError: no window fits.
    """
    return pool


def _avg_pooling(dims: int) -> Callable[..., Tensor]:
    function = f"avg_pool{dims}d"

    def pool(
        input: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
        count_include_pad: bool = True, divisor_override: int | None = None,
    ) -> Tensor:  # fmt: skip
        x, is_batched = _batched(function, dims, input)
        window = _window_given(function, x, dims, kernel_size, stride, padding, 1, ceil_mode)
        y = apply(
            AVG_POOL[dims][0], (x,), size=current(x).array.shape[2:], ceil_mode=bool(ceil_mode),
            counts_padding=bool(count_include_pad), divisor=divisor_override, **window,
        )  # fmt: skip
        return y if is_batched else y.squeeze(0)

    pool.__name__ = pool.__qualname__ = function
    pool.__doc__ = f"""The mean of each window of images with {dims} spatial dim{"s" if dims > 1 else ""}.

    Args:
        input: [N, C, *size], or [C, *size] for one image alone.
        kernel_size, stride, padding: one number, or one for each spatial dim; stride is kernel_size if None.
        count_include_pad: whether padding counts as numbers.
        divisor_override: what sums are divided by instead of the window's size.

    Raises:
        RuntimeError: no window fits.
    """
    return pool


def _out_given(x: Tensor, wanted: Any, dims: int) -> Sizes:
    """The wanted sizes; None stands for the size that the image has."""
    sizes = wanted if isinstance(wanted, tuple | list) else (wanted,) * dims
    if len(sizes) != dims:
        raise RuntimeError(f"adaptive pooling: output_size must have {dims} elements, but got {len(sizes)}")
    return tuple([int(n) if o is None else int(o) for n, o in zip(current(x).array.shape[2:], sizes, strict=True)])


def _adaptive_avg(dims: int) -> Callable[..., Tensor]:
    function = f"adaptive_avg_pool{dims}d"

    def pool(input: Tensor, output_size: Any) -> Tensor:
        x, is_batched = _batched(function, dims, input)
        out = _out_given(x, output_size, dims)
        if dims > 1 and set(out) == {1}:
            y: Tensor = x.mean(tuple(range(-dims, 0)), keepdim=True)
        else:
            y = apply(ADAPTIVE_AVG[dims][0], (x,), size=current(x).array.shape[2:], out=out)
        return y if is_batched else y.squeeze(0)

    pool.__name__ = pool.__qualname__ = function
    pool.__doc__ = "Means over windows chosen such that the result has a wanted size, one number or one for each dim."
    return pool


max_pool1d, max_pool2d = (_max_pooling(n) for n in DIMS)
avg_pool1d, avg_pool2d = (_avg_pooling(n) for n in DIMS)
adaptive_avg_pool1d, adaptive_avg_pool2d = (_adaptive_avg(n) for n in DIMS)

NAMESPACE: dict[str, Callable[..., Any]] = {
    "adaptive_avg_pool1d": adaptive_avg_pool1d, "avg_pool1d": avg_pool1d,
    "max_pool1d": max_pool1d, "max_pool2d": max_pool2d,
}  # fmt: skip
"""What is a function of torch but no method of tensors."""
