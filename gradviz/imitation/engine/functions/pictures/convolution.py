"""Convolutions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradviz.imitation.engine.dtypes import c_name, class_of, type_name
from gradviz.imitation.engine.functions.arguments import need
from gradviz.imitation.engine.functions.pictures.padding import pad
from gradviz.imitation.engine.functions.shapes.shaping import squeeze, unsqueeze
from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.kernels.convolving import is_by_one_dnn
from gradviz.imitation.engine.rules.pictures.convolution import transposed_size
from gradviz.imitation.engine.tensor import Tensor, apply
from gradviz.imitation.engine.warn import warn
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
        x, w = need(name, input), need(name, weight, "weight", 2)
        if bias is not None and bias.dtype != x.dtype and not isinstance(padding, str):
            raise TorchError(
                f"Input type ({c_name(x.dtype)}) and bias type ({c_name(bias.dtype)}) should be the same",
                hint="Convert one of them, e.g. with .float() or .double().",
            )
        batched = _batched(name, x, axes)
        given = {"stride": _listed(stride, axes), "padding": (0,), "dilation": _listed(dilation, axes)}
        if isinstance(padding, str):
            batched, given["padding"] = _border(batched, w, padding, given, groups)
        else:
            given["padding"] = _listed(padding, axes)
        params = checked(name, batched, w, bias, given, groups)
        y = _applied(name, batched, w, bias, params | {"groups": groups})
        return squeeze(y, 0) if x.ndim == axes + 1 else y

    function.__name__ = name
    return function


def checked(
    name: str, x: Tensor, w: Tensor, bias: Tensor | None, given: dict[str, Ints], groups: int
) -> dict[str, Any]:  # fmt: skip
    """Stride, padding and dilation for each axis, once all is asked that PyTorch asks of a convolution, in its order.

    Raises:
        TorchError: numbers, sizes, channels or dtypes do not fit.
    """
    params = _expanded(given, w, groups)
    _check_input(x, w, params, groups)
    _check_sizes(x, w, bias, params, groups)
    _check_kernel(name, x, w, bias, params, groups)
    return params


def _listed(value: Any, axes: int) -> Ints:
    """The numbers as a call gives them; one that stands alone is meant for each axis."""
    return tuple(int(n) for n in value) if isinstance(value, list | tuple) else (int(value),) * axes


def _batched(name: str, x: Tensor, axes: int) -> Tensor:
    if x.ndim not in (axes + 1, axes + 2):
        raise TorchError(
            f"Expected {axes + 1}D (unbatched) or {axes + 2}D (batched) input to {name}, but got input of size: "
            f"{list(x.shape)}"
        )
    return unsqueeze(x, 0) if x.ndim == axes + 1 else x


def _expanded(given: dict[str, Ints], w: Tensor, groups: int) -> dict[str, Any]:
    """Numbers for each axis of the weight, which PyTorch goes by and not by the function's name."""
    _check_groups(w, groups)
    axes = w.ndim - 2
    for name, numbers in given.items():
        if len(numbers) not in (1, axes):
            raise TorchError(
                f"expected {name} to be a single integer value or a list of {axes} values to match the convolution "
                f"dimensions, but got {name}={list(numbers)}"
            )
    return {name: numbers * axes if len(numbers) == 1 else numbers for name, numbers in given.items()}


def _check_groups(w: Tensor, groups: int) -> None:
    if w.ndim < 3:
        raise TorchError("weight should have at least three dimensions")
    if groups < 1:
        raise TorchError("non-positive groups is not supported")


def _check_input(x: Tensor, w: Tensor, params: dict[str, Ints], groups: int) -> None:
    """What all convolutions ask of the numbers, of the input and of the groups, in PyTorch's order."""
    for name in ("padding", "output_padding"):
        if any(n < 0 for n in params.get(name, ())):
            raise TorchError(f"negative {name} is not supported")
    if any(n < 1 for n in params["stride"]):
        raise TorchError("non-positive stride is not supported")
    if any(n < 0 for n in params["dilation"]):
        raise TorchError("dilation should be greater than zero")
    if w.ndim != x.ndim:
        raise TorchError(
            f"Expected {w.ndim}-dimensional input for {w.ndim}-dimensional weight {list(w.shape)}, but got "
            f"{x.ndim}-dimensional input of size {list(x.shape)} instead"
        )
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


def _check_channels(x: Tensor, expected: int, given: str) -> None:
    if x.shape[1] != expected:
        raise TorchError(
            f"Given {given}, expected input{list(x.shape)} to have {expected} channels, but got {x.shape[1]} channels "
            "instead"
        )


def _check_bias(bias: Tensor | None, expected: int, given: str) -> None:
    if bias is not None and bias.shape != (expected,):
        raise TorchError(
            f"Given {given}, expected bias to be 1-dimensional with {expected} elements, but got bias of size "
            f"{list(bias.shape)} instead"
        )


SLOW = {"conv1d": "slow_conv2d_cpu", "conv2d": "slow_conv2d_cpu", "conv3d": "slow_conv3d_cpu"} | {
    f"conv_transpose{axes}d": f"slow_conv_transpose{max(axes, 2)}d_out_cpu" for axes in (1, 2, 3)
}


def _check_kernel(name: str, x: Tensor, w: Tensor, bias: Tensor | None, params: dict[str, Ints], groups: int) -> None:
    """What PyTorch's kernels look at before they begin; an empty batch has none."""
    if 0 in x.shape[:2]:
        if x.shape[1] and not w.data.size:
            raise TorchError("select(): index 0 out of range for tensor of size [0] at dimension 0", kind="IndexError")
        return
    seen, kernel = ((*t.shape[:2], 1, *t.shape[2:]) if t.ndim == 3 else t.shape for t in (x, w))
    if 0 in seen:
        raise TorchError(f"Only zero batch or zero channel inputs are supported, but got input shape: {[*seen]}")
    after, spread = params.get("output_padding"), params["dilation"]
    is_big = after is not None and any(n >= s for n, s in zip(after, params["stride"], strict=True))
    is_single = x.dtype.name == "float32" and is_by_one_dnn(seen, kernel[2:], groups)
    if not is_big and (x.dtype.name in ("bfloat16", "float16") or is_single):
        _check_dtypes_of_one_dnn(x, w, bias)
    if 0 in kernel[2:]:
        raise TorchError(f"kernel size should be greater than zero, but got {_told({'kernel': kernel[2:]})}")
    if 0 in spread:
        spread = (1, *spread)[-max(2, len(spread)) :]
        shown = [*spread] if after is None else _told({"dilation": spread}, ", ")
        raise TorchError(f"dilation should be greater than zero, but got {shown}")
    if after is not None:
        _check_output_padding(after, params["stride"], params["dilation"])
        _check_result(transposed_size(x.shape[2:], w.shape[2:], *params.values()), x.shape[2:])
    if w.dtype != x.dtype and x.dtype.kind == "b":
        raise TorchError(f"\"{SLOW[name]}\" not implemented for 'Bool'", kind="NotImplementedError")
    if w.dtype != x.dtype:
        raise TorchError(
            f"expected scalar type {type_name(x.dtype)} but found {type_name(w.dtype)}",
            hint="Convert one of them, e.g. with .float() or .double().",
        )


def _check_dtypes_of_one_dnn(x: Tensor, w: Tensor, bias: Tensor | None) -> None:
    names = ["" if t is None else class_of(type_name(t.dtype)) for t in (x, w, bias)]
    for what, name in zip(("weight", "bias"), names[1:], strict=True):
        if name not in ("", names[0]):
            raise TorchError(
                f"Input type ({names[0]}) and {what} type ({name}) should be the same or input should be a MKLDNN "
                f"tensor and {what} is a dense tensor",
                hint="Convert one of them, e.g. with .float().",
            )


def _applied(name: str, x: Tensor, w: Tensor, bias: Tensor | None, params: dict[str, Any]) -> Tensor:
    if bias is None:
        return apply(OPS[f"{name}_plain"], (x, w), **params)
    return apply(OPS[name], (x, w, bias), **params)


UNEVEN_BORDER = (
    "Using padding='same' with even kernel lengths and odd dilation may require a zero-padded copy of the input be "
    "created"
)


def _border(x: Tensor, w: Tensor, padding: str, given: dict[str, Ints], groups: int) -> tuple[Tensor, Ints]:
    """The numbers for a word; "same" pads x itself where the border is uneven, as PyTorch does."""
    if padding == "valid":
        return x, (0,)
    if padding != "same":
        raise TorchError(f"Invalid padding string: '{padding}'")
    axes = w.ndim - 2
    _check_groups(w, groups)
    if x.ndim != w.ndim:
        raise TorchError(
            f"Expected {w.ndim}-dimensional input for {w.ndim}-dimensional weight{list(w.shape)}, but got "
            f"{x.ndim}-dimensional input of size {list(x.shape)} instead"
        )
    for name in ("stride", "dilation"):
        if len(given[name]) not in (1, axes):
            raise TorchError(f"{name} cannot broadcast to {axes} dimensions")
    if any(s != 1 for s in given["stride"]):
        raise TorchError("padding='same' is not supported for strided convolutions")
    totals = [d * (k - 1) for d, k in zip(each(given["dilation"], axes), w.shape[2:], strict=True)]
    if any(total % 2 for total in totals):
        warn(UNEVEN_BORDER, once=True)
        added = [n for total in reversed(totals) for n in (0, total % 2)]
        x = pad(x, added)
    return x, tuple(total // 2 for total in totals)


def _check_sizes(x: Tensor, w: Tensor, bias: Tensor | None, params: dict[str, Ints], groups: int) -> None:
    weight = f"weight of size {list(w.shape)}"
    _check_channels(x, w.shape[1] * groups, f"groups={groups}, {weight}")
    _check_bias(bias, w.shape[0], weight)
    padded = [n + 2 * p for n, p in zip(x.shape[2:], params["padding"], strict=True)]
    wide = [d * (k - 1) + 1 for d, k in zip(params["dilation"], w.shape[2:], strict=True)]
    if any(n < k for n, k in zip(padded, wide, strict=True)):
        raise TorchError(
            f"Calculated padded input size per channel: ({' x '.join(map(str, padded))}). Kernel size: "
            f"({' x '.join(map(str, wide))}). Kernel size can't be greater than actual input size"
        )


def _transposed(axes: int) -> Callable[..., Tensor]:
    name = f"conv_transpose{axes}d"

    def function(
        input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: Any = 1, padding: Any = 0,
        output_padding: Any = 0, groups: int = 1, dilation: Any = 1,
    ) -> Tensor:  # fmt: skip
        x, w = need(name, input), need(name, weight, "weight", 2)
        batched = _batched(name, x, axes)
        given = {"stride": stride, "padding": padding, "dilation": dilation, "output_padding": output_padding}
        params = _expanded({key: _listed(numbers, axes) for key, numbers in given.items()}, w, groups)
        _check_input(batched, w, params, groups)
        _check_channels(batched, w.shape[0], f"transposed=1, weight of size {list(w.shape)}")
        _check_bias(bias, w.shape[1] * groups, f"transposed=1, weight of size {list(w.shape)}")
        _check_kernel(name, batched, w, bias, params, groups)
        size = transposed_size(batched.shape[2:], w.shape[2:], *params.values())
        del params["output_padding"]
        y = _applied(name, batched, w, bias, params | {"groups": groups, "size": size})
        return squeeze(y, 0) if x.ndim == axes + 1 else y

    function.__name__ = name
    return function


_AXES = ("depth", "height", "width")


def _check_output_padding(after: Ints, stride: Ints, dilation: Ints) -> None:
    """Refuse more numbers behind the last than a step or a gap between two has."""
    if all(n < max(s, d) for n, s, d in zip(after, stride, dilation, strict=True)):
        return
    given = {"output_padding": after, "stride": stride, "dilation": dilation}
    if len(after) == 1:  # a row is taken for a picture of one row
        given = {name: (0 if name == "output_padding" else 1, *numbers) for name, numbers in given.items()}
    raise TorchError(f"output padding must be smaller than either stride or dilation, but got {_told(given)}")


def _told(given: dict[str, Ints], between: str = " ") -> str:
    """The numbers under the names of their axes."""
    return between.join(
        f"{name}_{axis}: {n}"
        for name, numbers in given.items()
        for axis, n in zip(_AXES[-len(numbers) :], numbers, strict=True)
    )


def _check_result(size: Ints, given: Ints) -> None:
    if any(n < 1 for n in size):
        before, after = (" x ".join(map(str, (1, *n)[-max(2, len(n)) :])) for n in (given, size))
        raise TorchError(
            f"Given input size per channel: ({before}). Calculated output size per channel: ({after}). Output size is "
            "too small"
        )


conv1d, conv2d, conv3d = (_convolution(axes) for axes in (1, 2, 3))
conv_transpose1d, conv_transpose2d, conv_transpose3d = (_transposed(axes) for axes in (1, 2, 3))

FUNCTIONS: dict[str, Callable[..., Any]] = {
    f.__name__: f for f in (conv1d, conv2d, conv3d, conv_transpose1d, conv_transpose2d, conv_transpose3d)
}
METHODS: dict[str, Callable[..., Any]] = {}
NEURAL = FUNCTIONS
