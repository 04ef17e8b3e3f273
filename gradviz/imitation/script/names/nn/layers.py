"""Modules with parameters of their own: linear, convolution, norms, embedding."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradviz.imitation.engine.creation import check_size
from gradviz.errors import TorchError
from gradviz.imitation.script.names.nn.embeddings import embedding_classes
from gradviz.imitation.script.names.nn.kinds import Kinds, repeated
from gradviz.imitation.script.names.nn.norms import norm_classes
from gradviz.imitation.script.torch_values import Size
from gradviz.imitation.script.values import Class, Instance


def layer_classes(kinds: Kinds) -> dict[str, Class]:
    """All of them by name, as far as the functions they need exist."""
    functional = kinds.functional
    found = {"Linear": _linear(kinds), "Bilinear": _bilinear(kinds), **norm_classes(kinds)}
    for dims in (1, 2, 3):
        if f"conv{dims}d" in functional:
            found[f"Conv{dims}d"] = _convolution(kinds, dims)
        if f"conv_transpose{dims}d" in functional:
            found[f"ConvTranspose{dims}d"] = _transposed(kinds, dims)
    if "embedding" in functional:
        found |= embedding_classes(kinds)
    if "prelu" in functional:
        found["PReLU"] = _prelu(kinds)
    return found


def _linear(kinds: Kinds) -> Class:
    linear = kinds.functional["linear"]

    def init(
        module: Instance, in_features: int, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        module.attributes |= {"in_features": in_features, "out_features": out_features}
        kinds.affine(module, (out_features, in_features), bias, fan_in=in_features, outputs=out_features)

    return kinds.cls(
        "Linear",
        init,
        lambda a, input: linear(input, a["weight"], a["bias"]),
        lambda a: f"in_features={a['in_features']}, out_features={a['out_features']}, bias={a['bias'] is not None}",
        "linear",
    )


def _bilinear(kinds: Kinds) -> Class:
    def init(
        module: Instance, in1_features: int, in2_features: int, out_features: int, bias: bool = True,
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        if in1_features == 0:
            raise TorchError("in1_features must be > 0, but got (in1_features=0)", kind="ValueError")
        module.attributes |= {"in1_features": in1_features, "in2_features": in2_features, "out_features": out_features}
        size = check_size((out_features, in1_features, in2_features), "empty")
        bound = 1 / math.sqrt(in1_features)
        kinds.parameter(module, "weight", kinds.uniform(size, bound))
        kinds.optional(module, "bias", kinds.uniform((out_features,), bound) if bias else None)

    bilinear = kinds.functional["bilinear"]
    return kinds.cls(
        "Bilinear",
        init,
        lambda a, input1, input2: bilinear(input1, input2, a["weight"], a["bias"]),
        lambda a: (
            f"in1_features={a['in1_features']}, in2_features={a['in2_features']}, "
            f"out_features={a['out_features']}, bias={a['bias'] is not None}"
        ),
        "linear",
    )


# ---- convolution ----


def _conv_text(a: dict[str, Any]) -> str:
    text = f"{a['in_channels']}, {a['out_channels']}, kernel_size={a['kernel_size']}, stride={a['stride']}"
    for name, default in (("padding", 0), ("dilation", 1), ("output_padding", 0)):
        if a[name] != (default,) * len(a[name]):
            text += f", {name}={a[name]}"
    text += "" if a["groups"] == 1 else f", groups={a['groups']}"
    text += ", bias=False" if a["bias"] is None else ""
    return text + ("" if a["padding_mode"] == "zeros" else f", padding_mode={a['padding_mode']}")


def _channels(in_channels: int, out_channels: int, groups: int) -> None:
    if groups <= 0:
        raise TorchError("groups must be a positive integer", kind="ValueError")
    if in_channels % groups:
        raise TorchError("in_channels must be divisible by groups", kind="ValueError")
    if out_channels % groups:
        raise TorchError("out_channels must be divisible by groups", kind="ValueError")


PADDING_MODES = ("zeros", "reflect", "replicate", "circular")


def _check_padding(padding: Any, mode: str, stride: Any) -> None:
    if isinstance(padding, str):
        if padding not in ("same", "valid"):
            raise TorchError(
                f"Invalid padding string {padding!r}, should be one of {{'same', 'valid'}}", kind="ValueError"
            )
        if padding == "same" and any(n != 1 for n in stride):
            raise TorchError("padding='same' is not supported for strided convolutions", kind="ValueError")
    if mode not in PADDING_MODES:
        raise TorchError(
            f"padding_mode must be one of {{'zeros', 'reflect', 'circular', 'replicate'}}, but got "
            f"padding_mode={mode!r}",
            kind="ValueError",
        )


def _border(a: dict[str, Any]) -> list[int]:
    """The widths for `pad`, the last axis first."""
    padding = a["padding"]
    if padding == "valid":
        return [0, 0] * len(a["kernel_size"])
    if padding == "same":
        totals = [d * (k - 1) for d, k in zip(a["dilation"], a["kernel_size"], strict=True)]
        return [width for total in reversed(totals) for width in (total // 2, total - total // 2)]
    return [width for n in reversed(padding) for width in (n, n)]


def _convolution(kinds: Kinds, dims: int) -> Class:
    function, pad = kinds.functional[f"conv{dims}d"], kinds.functional["pad"]

    def init(
        module: Instance,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        _channels(in_channels, out_channels, groups)
        stride = repeated(module, stride, dims)
        _check_padding(padding, padding_mode, stride)
        kernel = repeated(module, kernel_size, dims)
        module.attributes |= {
            "in_channels": in_channels, "out_channels": out_channels, "kernel_size": kernel,
            "stride": stride, "padding": padding if isinstance(padding, str) else repeated(module, padding, dims),
            "dilation": repeated(module, dilation, dims), "output_padding": (0,) * dims, "groups": groups,
            "padding_mode": padding_mode, "transposed": False,
        }  # fmt: skip
        shape = (out_channels, in_channels // groups, *kernel)
        kinds.affine(module, shape, bias, fan_in=math.prod(shape[1:]), outputs=out_channels)

    def forward(a: dict[str, Any], input: Any) -> Any:
        padding = a["padding"]
        if a["padding_mode"] != "zeros":
            input, padding = pad(input, _border(a), a["padding_mode"]), (0,) * dims
        return function(input, a["weight"], a["bias"], a["stride"], padding, a["dilation"], a["groups"])

    return kinds.cls(f"Conv{dims}d", init, forward, _conv_text, "conv")


def _transposed(kinds: Kinds, dims: int) -> Class:
    function = kinds.functional[f"conv_transpose{dims}d"]

    def init(
        module: Instance,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Any = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        _channels(in_channels, out_channels, groups)
        if padding_mode != "zeros":
            raise TorchError(f'Only "zeros" padding mode is supported for ConvTranspose{dims}d', kind="ValueError")
        kernel = repeated(module, kernel_size, dims)
        module.attributes |= {
            "in_channels": in_channels, "out_channels": out_channels, "kernel_size": kernel,
            "stride": repeated(module, stride, dims), "padding": repeated(module, padding, dims),
            "dilation": repeated(module, dilation, dims), "output_padding": repeated(module, output_padding, dims),
            "groups": groups, "padding_mode": padding_mode, "transposed": True,
        }  # fmt: skip
        shape = (in_channels, out_channels // groups, *kernel)
        kinds.affine(module, shape, bias, fan_in=math.prod(shape[1:]), outputs=out_channels)

    def forward(a: dict[str, Any], input: Any, output_size: Any = None) -> Any:
        more = a["output_padding"] if output_size is None else _output_padding(a, input.shape, output_size)
        return function(input, a["weight"], a["bias"], a["stride"], a["padding"], more, a["groups"], a["dilation"])

    return kinds.cls(f"ConvTranspose{dims}d", init, forward, _conv_text, "conv")


def _output_padding(a: dict[str, Any], shape: tuple[int, ...], wanted: Any) -> tuple[int, ...]:
    """What a transposed convolution adds at the ends, so that its result has the wanted size.

    Raises:
        TorchError: it cannot have it.
    """
    dims = len(a["kernel_size"])
    before = 2 if len(shape) == dims + 2 else 1
    sizes = wanted[before:] if len(wanted) == before + dims else wanted
    if len(sizes) != dims:
        raise TorchError(
            f"ConvTranspose{dims}D: for {len(shape)}D input, output_size must have {dims} or {before + dims} elements "
            f"(got {len(sizes)})",
            kind="ValueError",
        )
    if len(shape) < before + dims:
        low, high = -len(shape), len(shape) - 1
        raise TorchError(
            f"Dimension out of range (expected to be in range of [{low}, {high}], but got {len(shape)})",
            kind="IndexError",
        )
    each = zip(shape[before:], a["stride"], a["padding"], a["dilation"], a["kernel_size"], strict=True)
    least = [(n - 1) * stride - 2 * padding + dilation * (k - 1) + 1 for n, stride, padding, dilation, k in each]
    most = [n + stride - 1 for n, stride in zip(least, a["stride"], strict=True)]
    if not all(low <= n <= high for low, n, high in zip(least, sizes, most, strict=True)):
        raise TorchError(
            f"requested an output size of {sizes}, but valid sizes range from {least} to {most} (for an input of "
            f"{Size(shape[2:])})",
            kind="ValueError",
        )
    return tuple(n - low for n, low in zip(sizes, least, strict=True))


# ---- PReLU ----


def _prelu(kinds: Kinds) -> Class:
    function = kinds.functional["prelu"]

    def init(
        module: Instance, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None
    ) -> None:
        module.attributes["num_parameters"] = num_parameters
        kinds.parameter(module, "weight", np.full(check_size(num_parameters, "empty"), init, kinds.dtype))

    return kinds.cls(
        "PReLU",
        init,
        lambda a, input: function(input, a["weight"]),
        lambda a: f"num_parameters={a['num_parameters']}",
        "activation",
    )
