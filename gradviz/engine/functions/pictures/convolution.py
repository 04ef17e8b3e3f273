"""Convolutions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradviz.engine.dtypes import c_name, type_name
from gradviz.engine.functions.arguments import need
from gradviz.engine.functions.pictures.padding import pad
from gradviz.engine.functions.shapes.shaping import squeeze, unsqueeze
from gradviz.engine.generic import OPS
from gradviz.engine.rules.pictures.convolution import out_size, transposed_size
from gradviz.engine.tensor import Tensor, apply
from gradviz.engine.warn import warn
from gradviz.errors import TorchError

Ints = tuple[int, ...]


def each(value: Any, axes: int) -> Ints:
    """One number for each spatial axis."""
    if isinstance(value, list | tuple):
        return tuple(int(n) for n in value) * (axes if len(value) == 1 and axes > 1 else 1)
    return (int(value),) * axes


def _convolution(axes: int) -> Callable[..., Tensor]:
    name = f"conv{axes}d"

    def function(
        input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
        groups: int = 1,
    ) -> Tensor:  # fmt: skip
        x, w = operands(name, input, weight, bias, axes)
        steps, spread = each(stride, axes), each(dilation, axes)
        batched = unsqueeze(x, 0) if x.ndim == axes + 1 else x
        batched, border = _border(batched, w, padding, steps, spread)
        check(batched, w, bias, groups, steps, border, spread)
        check_kinds(name, x, w)
        params: dict[str, Any] = {"stride": steps, "padding": border, "dilation": spread, "groups": groups}
        y = _applied(name, batched, w, bias, params)
        return squeeze(y, 0) if x.ndim == axes + 1 else y

    function.__name__ = name
    return function


def operands(name: str, input: Any, weight: Any, bias: Any, axes: int) -> tuple[Tensor, Tensor]:
    """Input and weight of a convolution with so many spatial axes; raises TorchError for other dims and dtypes."""
    x, w = need(name, input), need(name, weight, "weight", 2)
    is_transposed = "transpose" in name
    if bias is not None and bias.dtype != x.dtype and not is_transposed:
        raise TorchError(
            f"Input type ({c_name(x.dtype)}) and bias type ({c_name(bias.dtype)}) should be the same",
            hint="Convert one of them, e.g. with .float() or .double().",
        )
    if x.ndim not in (axes + 1, axes + 2):
        raise TorchError(
            f"Expected {axes + 1}D (unbatched) or {axes + 2}D (batched) input to {name}, but got input of size: "
            f"{list(x.shape)}"
        )
    if w.ndim < 3:
        raise TorchError("weight should have at least three dimensions")
    if len(w.shape) != axes + 2:
        _refuse_weight(x, w, axes)
    return x, w


ONE_DNN = {"float16": "torch.HalfTensor", "bfloat16": "CPUBFloat16Type"}
"""Dtypes whose kernel is oneDNN's, the first to look, and their names there."""
SLOW = {"conv1d": "slow_conv2d_cpu", "conv2d": "slow_conv2d_cpu", "conv3d": "slow_conv3d_cpu"} | {
    f"conv_transpose{axes}d": f"slow_conv_transpose{max(axes, 2)}d_out_cpu" for axes in (1, 2, 3)
}


def check_kinds(name: str, x: Tensor, w: Tensor) -> None:
    """Refuse a weight of another dtype, as the kernels do."""
    if w.dtype == x.dtype:
        return
    if x.dtype.name in ONE_DNN:
        raise TorchError(
            f"Input type ({ONE_DNN[x.dtype.name]}) and weight type (torch.{type_name(w.dtype)}Tensor) should be the "
            "same or input should be a MKLDNN tensor and weight is a dense tensor",
            hint="Convert one of them, e.g. with .float().",
        )
    if x.dtype.kind == "b":
        raise TorchError(f"\"{SLOW[name]}\" not implemented for 'Bool'", kind="NotImplementedError")
    raise TorchError(
        f"expected scalar type {type_name(x.dtype)} but found {type_name(w.dtype)}",
        hint="Convert one of them, e.g. with .float() or .double().",
    )


def _refuse_weight(x: Tensor, w: Tensor, axes: int) -> None:
    """Raise for a weight of other dims: PyTorch takes them for the number of axes."""
    if axes > 1:
        raise TorchError(
            f"expected stride to be a single integer value or a list of {w.ndim - 2} values to match the convolution "
            f"dimensions, but got stride={[1] * axes}"
        )
    batched = x.shape if x.ndim == axes + 2 else (1, *x.shape)
    raise TorchError(
        f"Expected {w.ndim}-dimensional input for {w.ndim}-dimensional weight {list(w.shape)}, but got "
        f"{len(batched)}-dimensional input of size {list(batched)} instead"
    )


def _applied(name: str, x: Tensor, w: Tensor, bias: Tensor | None, params: dict[str, Any]) -> Tensor:
    if bias is None:
        return apply(OPS[f"{name}_plain"], (x, w), **params)
    return apply(OPS[name], (x, w, bias), **params)


UNEVEN_BORDER = (
    "Using padding='same' with even kernel lengths and odd dilation may require a zero-padded copy of the input be "
    "created"
)


def _border(x: Tensor, w: Tensor, padding: Any, stride: Ints, dilation: Ints) -> tuple[Tensor, Ints]:
    """The numbers for `padding`; "same" pads x itself where the border is uneven, as PyTorch does."""
    axes = len(stride)
    if not isinstance(padding, str):
        return x, each(padding, axes)
    if padding == "valid":
        return x, (0,) * axes
    if padding != "same":
        raise TorchError(f"Invalid padding string: '{padding}'")
    if any(s != 1 for s in stride):
        raise TorchError("padding='same' is not supported for strided convolutions")
    totals = [d * (k - 1) for d, k in zip(dilation, w.shape[2:], strict=True)]
    if any(total % 2 for total in totals):
        warn(UNEVEN_BORDER, once=True)
        added = [n for total in reversed(totals) for n in (0, total % 2)]
        x = pad(x, added)
    return x, tuple(total // 2 for total in totals)


def check(x: Tensor, w: Tensor, bias: Tensor | None, groups: int, stride: Ints, padding: Ints, dilation: Ints) -> None:
    """Raise TorchError where channels, groups and sizes do not fit."""
    size, kernel = x.shape[2:], w.shape[2:]
    _check_steps(stride, padding, dilation)
    if w.shape[0] < groups:
        raise TorchError(
            f"Given groups={groups}, expected weight to be at least {groups} at dimension 0, but got weight of size "
            f"{list(w.shape)} instead"
        )
    if w.shape[0] % groups:
        raise TorchError(
            f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but got weight of "
            f"size [{list(w.shape)}] instead"
        )
    if x.shape[1] != w.shape[1] * groups:
        raise TorchError(
            f"Given groups={groups}, weight of size {list(w.shape)}, expected input{list(x.shape)} to have "
            f"{w.shape[1] * groups} channels, but got {x.shape[1]} channels instead"
        )
    if bias is not None and bias.shape != w.shape[:1]:
        raise TorchError(
            f"Given weight of size {list(w.shape)}, expected bias to be 1-dimensional with {w.shape[0]} elements, but "
            f"got bias of size {list(bias.shape)} instead"
        )
    if any(n < 1 for n in out_size(size, kernel, stride, padding, dilation)):
        padded = _crossed(tuple(n + 2 * p for n, p in zip(size, padding, strict=True)))
        wide = _crossed(tuple(d * (k - 1) + 1 for d, k in zip(dilation, kernel, strict=True)))
        raise TorchError(
            f"Calculated padded input size per channel: ({padded}). Kernel size: ({wide}). Kernel size can't be "
            "greater than actual input size"
        )
    _check_kernel_size(kernel)
    if 0 in dilation:
        raise TorchError(f"dilation should be greater than zero, but got {[1] * (len(dilation) == 1) + [*dilation]}")


def _check_steps(stride: Ints, padding: Ints, dilation: Ints, after: Ints = ()) -> None:
    """Refuse settings below what any kernel takes; a dilation of 0 each kernel refuses in its own words."""
    if any(p < 0 for p in padding):
        raise TorchError("negative padding is not supported")
    if any(n < 0 for n in after):
        raise TorchError("negative output_padding is not supported")
    if any(s < 1 for s in stride):
        raise TorchError("non-positive stride is not supported")
    if any(d < 0 for d in dilation):
        raise TorchError("dilation should be greater than zero")


def _transposed(axes: int) -> Callable[..., Tensor]:
    name = f"conv_transpose{axes}d"

    def function(
        input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = 1, padding: Any = 0,
        output_padding: Any = 0, groups: int = 1, dilation: Any = 1,
    ) -> Tensor:  # fmt: skip
        x, w = operands(name, input, weight, bias, axes)
        steps, border, spread = (each(n, axes) for n in (stride, padding, dilation))
        after = each(output_padding, axes)
        _check_steps(steps, border, spread, after)
        batched = unsqueeze(x, 0) if x.ndim == axes + 1 else x
        if batched.shape[1] != w.shape[0]:
            raise TorchError(
                f"Given transposed=1, weight of size {list(w.shape)}, expected input{list(batched.shape)} to have "
                f"{w.shape[0]} channels, but got {batched.shape[1]} channels instead"
            )
        _check_transposed(w.shape[2:], steps, spread, after)
        size = transposed_size(batched.shape[2:], w.shape[2:], steps, border, spread, after)
        _check_transposed_size(batched.shape, size)
        check_kinds(name, x, w)
        params: dict[str, Any] = {
            "stride": steps, "padding": border, "dilation": spread, "groups": groups, "size": size,
        }  # fmt: skip
        y = _applied(name, batched, w, bias, params)
        return squeeze(y, 0) if x.ndim == axes + 1 else y

    function.__name__ = name
    return function


_AXES = ("depth", "height", "width")


def _by_axis(numbers: Ints, name: str, first: int = 1) -> list[str]:
    """Settings with the names of their axes; a row is taken for a picture of one row, of which `first` holds."""
    each_axis = (first, *numbers) if len(numbers) == 1 else numbers
    return [f"{name}_{axis}: {n}" for axis, n in zip(_AXES[-len(each_axis) :], each_axis, strict=True)]


def _check_kernel_size(kernel: Ints) -> None:
    if min(kernel) > 0:
        return
    shown = f" {' '.join(_by_axis(kernel, 'kernel'))}" if len(kernel) < 3 else f": {_crossed(kernel)} (TxHxW)"
    raise TorchError(f"kernel size should be greater than zero, but got{shown}")


def _crossed(numbers: Ints) -> str:
    return " x ".join(map(str, numbers))


def _check_transposed(kernel: Ints, stride: Ints, dilation: Ints, after: Ints) -> None:
    """Refuse no step within the kernel, and more numbers behind the last than a step or a gap between two has."""
    _check_kernel_size(kernel)
    if 0 in dilation:
        raise TorchError(f"dilation should be greater than zero, but got {', '.join(_by_axis(dilation, 'dilation'))}")
    if all(n < max(s, d) for n, s, d in zip(after, stride, dilation, strict=True)):
        return
    told = _by_axis(after, "output_padding", 0) + _by_axis(stride, "stride") + _by_axis(dilation, "dilation")
    raise TorchError(f"output padding must be smaller than either stride or dilation, but got {' '.join(told)}")


def _check_transposed_size(shape: Ints, out: Ints) -> None:
    size, lead = shape[2:], (1,) if len(out) == 1 else ()
    if 0 in size:
        raise TorchError(
            f"Only zero batch or zero channel inputs are supported, but got input shape: {[*shape[:2], *lead, *size]}"
        )
    if min(out) > 0:
        return
    given, found = (_crossed((*lead, *numbers)) for numbers in (size, out))
    raise TorchError(
        f"Given input size per channel: ({given}). Calculated output size per channel: ({found}). Output size is too "
        "small"
    )


conv1d, conv2d, conv3d = (_convolution(axes) for axes in (1, 2, 3))
conv_transpose1d, conv_transpose2d, conv_transpose3d = (_transposed(axes) for axes in (1, 2, 3))

FUNCTIONS: dict[str, Callable[..., Any]] = {
    f.__name__: f for f in (conv1d, conv2d, conv3d, conv_transpose1d, conv_transpose2d, conv_transpose3d)
}
METHODS: dict[str, Callable[..., Any]] = {}
NEURAL = FUNCTIONS
