"""Convolutions in one and two dims, their transposes, and unfold and fold, as people call them.

Shapes, here for two dims: x [N, C, H, W], w [O, C / groups, kernel height, kernel width], y [N, O, height, width].
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradviz.engine.apply import apply
from gradviz.engine.dtypes import dtype_of
from gradviz.engine.functions.given import numbers_given
from gradviz.engine.functions.image import pad
from gradviz.engine.operands import tensor_given
from gradviz.engine.tensor import Tensor, current
from gradviz.ops.convolution import BIASED, DIMS, PLAIN, TRANSPOSED_BIASED, TRANSPOSED_PLAIN, UNFOLD, transposed_sizes
from gradviz.ops.windows import Sizes

# ---- what people call -------------------------------------------------------------------------------------------


def _one_each(name: str, value: Any, dims: int, least: int, complaint: str) -> Sizes:
    found = numbers_given(value, dims)
    if len(found) != dims:
        raise RuntimeError(
            f"expected {name} to be a single integer value or a list of {dims} values to match the convolution "
            f"dimensions, but got {name}={list(found)}"
        )
    if min(found) < least:
        raise RuntimeError(complaint)
    return found


def _batched(function: str, dims: int, x: Tensor) -> tuple[Tensor, bool]:
    """Images as a batch, and whether they were one."""
    ndim = current(x).array.ndim
    if ndim not in (dims + 1, dims + 2):
        raise RuntimeError(
            f"Expected {dims + 1}D (unbatched) or {dims + 2}D (batched) input to {function}, but got input of size: "
            f"{list(current(x).array.shape)}"
        )
    return (x, True) if ndim == dims + 2 else (x.unsqueeze(0), False)


def _check(x: Any, w: Any, bias: Any, groups: int, dims: int, *, transposed: bool) -> None:
    """Raise what PyTorch raises of shapes and dtypes that do not fit."""
    if x.ndim == dims + 1:
        x = x[None]
    channels = w.shape[0] if transposed else w.shape[1] * groups
    if w.ndim != dims + 2:
        raise RuntimeError(
            f"Expected {dims + 2}-dimensional weight for {dims + 2}-dimensional input {list(x.shape)}, but got weight "
            f"of size {list(w.shape)} instead"
        )
    if groups <= 0:
        raise RuntimeError("non-positive groups is not supported")
    if w.shape[0] % groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but got weight of "
            f"size {list(w.shape)} instead"
        )
    if x.shape[1] != channels:
        raise RuntimeError(
            f"Given {'transposed' if transposed else 'groups'}={1 if transposed else groups}, weight of size "
            f"{list(w.shape)}, expected input{list(x.shape)} to have {channels} channels, but got {x.shape[1]} "
            "channels instead"
        )
    outputs = w.shape[1] * groups if transposed else w.shape[0]
    if bias is not None and bias.shape != (outputs,):
        raise RuntimeError(
            f"Given {'transposed=1, ' if transposed else ''}weight of size {list(w.shape)}, expected bias to be "
            f"1-dimensional with {outputs} elements, but got bias of size {list(bias.shape)} instead"
        )
    kinds = [dtype_of(each.dtype).type_name for each in (x, w)]
    if kinds[0] != kinds[1]:
        raise RuntimeError(f"expected scalar type {kinds[0]} but found {kinds[1]}")
    if bias is not None and bias.dtype != x.dtype:
        names_ = [{"float32": "float", "float64": "double"}.get(each.dtype.name, each.dtype.name) for each in (x, bias)]
        raise RuntimeError(f"Input type ({names_[0]}) and bias type ({names_[1]}) should be the same")


def _same(x: Tensor, kernel: Sizes, stride: Sizes, dilation: Sizes) -> tuple[Tensor, Sizes]:
    """The input and the padding by which the result has the input's size; an odd pixel is added at the end."""
    if any(s != 1 for s in stride):
        raise RuntimeError("padding='same' is not supported for strided convolutions")
    total = [d * (k - 1) for k, d in zip(kernel, dilation, strict=True)]
    if any(n % 2 for n in total):
        x = pad(x, [k for n in reversed(total) for k in (0, n % 2)])
    return x, tuple([n // 2 for n in total])


def _convolution(dims: int) -> Callable[..., Tensor]:
    function = f"conv{dims}d"

    def convolve(
        input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = 1, padding: Any = 0,
        dilation: Any = 1, groups: int = 1,
    ) -> Tensor:  # fmt: skip
        w = current(tensor_given(function, weight, "weight", 2)).array
        x, is_batched = _batched(function, dims, tensor_given(function, input))
        b = None if bias is None else current(tensor_given(function, bias, "bias", 3)).array
        _check(current(x).array, w, b, groups, dims, transposed=False)
        kernel = w.shape[2:]
        strides = _one_each("stride", stride, dims, 1, "non-positive stride is not supported")
        dilations = _one_each("dilation", dilation, dims, 1, "dilation should be greater than zero")
        if isinstance(padding, str):
            if padding not in ("same", "valid"):
                raise RuntimeError(f"Invalid padding string: '{padding}'")
            x, pads = _same(x, kernel, strides, dilations) if padding == "same" else (x, (0,) * dims)
        else:
            pads = _one_each("padding", padding, dims, 0, "negative padding is not supported")
        size = [n + 2 * p for n, p in zip(current(x).array.shape[2:], pads, strict=True)]
        reach = [d * (k - 1) + 1 for k, d in zip(kernel, dilations, strict=True)]
        if any(n < k for n, k in zip(size, reach, strict=True)):
            texts = [" x ".join(map(str, each)) for each in (size, reach)]
            raise RuntimeError(
                f"Calculated padded input size per channel: ({texts[0]}). Kernel size: ({texts[1]}). Kernel size can't "
                "be greater than actual input size"
            )
        row, inputs = (PLAIN[dims], (x, weight)) if bias is None else (BIASED[dims], (x, weight, bias))
        y = apply(row, inputs, stride=strides, padding=pads, dilation=dilations, groups=groups)
        return y if is_batched else y.squeeze(0)

    convolve.__name__ = convolve.__qualname__ = function
    convolve.__doc__ = f"""Convolve with kernels over {dims} spatial dim{"s" if dims > 1 else ""}.

    Args:
        input: [N, C, *size], or [C, *size] for one image alone.
        weight: [O, C / groups, *kernel].
        bias: [O].
        stride, padding, dilation: one number, or one for each spatial dim; padding may be "same" or "valid".
        groups: how many blocks of channels see only their own outputs.

    Raises:
        RuntimeError: shapes or dtypes that do not fit.
    """
    return convolve


def _transposed_convolution(dims: int) -> Callable[..., Tensor]:
    function = f"conv_transpose{dims}d"

    def convolve(
        input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = 1, padding: Any = 0,
        output_padding: Any = 0, groups: int = 1, dilation: Any = 1,
    ) -> Tensor:  # fmt: skip
        w = current(tensor_given(function, weight, "weight", 2)).array
        x, is_batched = _batched(function, dims, tensor_given(function, input))
        b = None if bias is None else current(tensor_given(function, bias, "bias", 3)).array
        _check(current(x).array, w, b, groups, dims, transposed=True)
        params = {
            "stride": _one_each("stride", stride, dims, 1, "non-positive stride is not supported"),
            "padding": _one_each("padding", padding, dims, 0, "negative padding is not supported"),
            "dilation": _one_each("dilation", dilation, dims, 1, "dilation should be greater than zero"),
        }
        more = _one_each("output_padding", output_padding, dims, 0, "negative output_padding is not supported")
        for extra, s, d in zip(more, params["stride"], params["dilation"], strict=True):
            if extra >= s and extra >= d:
                raise RuntimeError(
                    f"output padding must be smaller than either stride or dilation, but got output_padding: "
                    f"{list(more)} stride: {list(params['stride'])} dilation: {list(params['dilation'])}"
                )
        size = transposed_sizes(current(x).array.shape[2:], w.shape[2:], output_padding=more, **params)
        if min(size) < 1:
            raise RuntimeError(f"Calculated output size per channel: {list(size)}. Output size is too small")
        row, inputs = (TRANSPOSED_PLAIN, (x, weight)) if bias is None else (TRANSPOSED_BIASED, (x, weight, bias))
        y = apply(row[dims], inputs, **params, groups=groups, output_padding=more)
        return y if is_batched else y.squeeze(0)

    convolve.__name__ = convolve.__qualname__ = function
    convolve.__doc__ = f"""The adjoint of `conv{dims}d`: it makes larger images of smaller ones.

    Args:
        input: [N, C, *size], or [C, *size] for one image alone.
        weight: [C, O / groups, *kernel].
        bias: [O].
        output_padding: how much larger the result is on one side; smaller than the stride or the dilation.

    Raises:
        RuntimeError: shapes or dtypes that do not fit.
    """
    return convolve


conv1d, conv2d = (_convolution(n) for n in DIMS)
conv_transpose1d, conv_transpose2d = (_transposed_convolution(n) for n in DIMS)


def unfold(input: Tensor, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Tensor:
    """The patches of images [N, C, H, W] in columns, [N, C · kernel elements, positions]."""
    x, is_batched = _batched("im2col", 2, tensor_given("unfold", input))
    params = {
        "kernel": numbers_given(kernel_size, 2), "stride": numbers_given(stride, 2),
        "padding": numbers_given(padding, 2), "dilation": numbers_given(dilation, 2),
    }  # fmt: skip
    y = apply(UNFOLD, (x,), **params, size=current(x).array.shape[2:])
    return y if is_batched else y.squeeze(0)


NAMESPACE: dict[str, Callable[..., Tensor]] = {
    "conv1d": conv1d, "conv2d": conv2d, "conv_transpose1d": conv_transpose1d, "conv_transpose2d": conv_transpose2d,
}  # fmt: skip
"""What is a function of torch but no method of tensors."""
