"""Convolutions in one and two dims, their transposes, and unfold and fold, which lie beneath them.

What deep learning calls a convolution slides the kernel over the image without turning it round. It is computed as a
product of matrices: the patches that the kernel sees stand in columns ("im2col"), so that BLAS does the work. Three
maps belong together, each linear in both its arguments:

    y  = correlate(x, w)             what the layer computes
    dx = spread_back(g, w)           its adjoint with respect to x, which is what a transposed convolution computes
    dw = correlate_with(g, x)        its adjoint with respect to w

The derivative of each is made of the other two, to any order.

Shapes, here for two dims: x [N, C, H, W], w [O, C / groups, kernel height, kernel width], y [N, O, height, width].
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.engine.apply import apply
from gradviz.engine.dtypes import dtype_of
from gradviz.engine.operands import tensor_given
from gradviz.engine.ops.given import numbers_given
from gradviz.engine.ops.image import pad
from gradviz.engine.tensor import Tensor, current
from gradviz.ops import functions as r
from gradviz.ops.op import Example, Op, example, names
from gradviz.ops.symbols import Traced, said
from gradviz.ops.windows import Sizes, add_patches, columns, out_sizes

# ---- the three maps, of arrays -----------------------------------------------------------------------------------


def correlate(x: Any, w: Any, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int) -> Any:
    """Convolve images [N, C, *size] with kernels [O, C / groups, *kernel]."""
    out = out_sizes(x.shape[2:], w.shape[2:], stride, padding, dilation)
    patches = columns(x, w.shape[2:], stride, padding, dilation, groups)
    y = w.reshape((groups, w.shape[0] // groups, -1)) @ patches
    return y.reshape((x.shape[0], w.shape[0], *out))


def spread_back(g: Any, w: Any, size: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int) -> Any:
    """What `correlate` sends back to images of a size, from g [N, O, *out]."""
    count, channels = g.shape[0], w.shape[1] * groups
    weights = w.reshape((groups, w.shape[0] // groups, -1)).swapaxes(1, 2)
    patches = weights @ g.reshape((count, groups, w.shape[0] // groups, -1))
    patches = patches.reshape((count, channels, *w.shape[2:], *g.shape[2:]))
    return add_patches(patches, size, w.shape[2:], stride, padding, dilation)


def correlate_with(g: Any, x: Any, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int) -> Any:
    """What `correlate` sends back to its kernels, from g [N, O, *out] and images x [N, C, *size]."""
    patches = columns(x, kernel, stride, padding, dilation, groups)
    g = g.reshape((g.shape[0], groups, g.shape[1] // groups, -1))
    if groups == 1 and g.shape[-1] < 32:  # few positions: one large product rather than one for each image
        found = np.tensordot(g[:, 0], patches[:, 0], ((0, 2), (0, 2)))
    else:
        found = (g @ patches.swapaxes(2, 3)).sum(0)
    return found.reshape((g.shape[1] * g.shape[2], x.shape[1] // groups, *kernel))


# ---- the three maps, of arrays and of tensors --------------------------------------------------------------------


def _convolve(x: Any, w: Any, **params: Any) -> Any:
    return r.through(PLAIN[r.plain(x).ndim - 2], x, w, **params)


def _transposed(g: Any, w: Any, size: Sizes, **params: Any) -> Any:
    if not isinstance(g, Traced) and not isinstance(w, Traced):
        return spread_back(g, w, size, **params)
    out, kernel = r.plain(g).shape[2:], r.plain(w).shape[2:]
    smallest = _transposed_sizes(out, kernel, params["stride"], params["padding"], params["dilation"], (0,) * len(out))
    rest = tuple([n - least for n, least in zip(size, smallest, strict=True)])
    return r.through(TRANSPOSED_PLAIN[len(size)], g, w, output_padding=rest, **params)


def _weight_gradient(g: Any, x: Any, kernel: Sizes, **params: Any) -> Any:
    return r.through(WEIGHT[len(kernel)], g, x, kernel=tuple(kernel), **params)


def _size(x: Any) -> Sizes:
    found: Sizes = r.plain(x).shape[2:]
    return found


def _per_channel(g: Any) -> Any:
    """The sum over images and positions, for the bias."""
    return r.total(g, (0, *range(2, r.plain(g).ndim)))


def _with_bias(y: Any, bias: tuple[Any, ...]) -> Any:
    if bias:
        y += bias[0].reshape((-1, *(1,) * (y.ndim - 2)))
    return y


# ---- rows --------------------------------------------------------------------------------------------------------


def _conv_forward(x: Any, w: Any, *bias: Any, **params: Any) -> Any:
    return _with_bias(correlate(x, w, **params), bias)


def _conv_x(g: Any, y: Any, x: Any, w: Any, *bias: Any, **params: Any) -> Any:
    return _transposed(g, w, _size(x), **params)


def _conv_w(g: Any, y: Any, x: Any, w: Any, *bias: Any, **params: Any) -> Any:
    return _weight_gradient(g, x, _size(w), **params)


def _bias_rule(g: Any, y: Any, x: Any, w: Any, bias: Any, **params: Any) -> Any:
    return _per_channel(g)


def _transposed_sizes(
    size: Sizes, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, output_padding: Sizes
) -> Sizes:
    return tuple(
        [(n - 1) * s - 2 * p + d * (k - 1) + 1 + more
         for n, k, s, p, d, more in zip(size, kernel, stride, padding, dilation, output_padding, strict=True)]
    )  # fmt: skip


def _transposed_forward(x: Any, w: Any, *bias: Any, output_padding: Sizes, **params: Any) -> Any:
    size = _transposed_sizes(x.shape[2:], w.shape[2:], output_padding=output_padding,
                             **{name: params[name] for name in ("stride", "padding", "dilation")})  # fmt: skip
    return _with_bias(spread_back(x, w, size, **params), bias)


def _transposed_x(g: Any, y: Any, x: Any, w: Any, *bias: Any, output_padding: Sizes, **params: Any) -> Any:
    return _convolve(g, w, **params)


def _transposed_w(g: Any, y: Any, x: Any, w: Any, *bias: Any, output_padding: Sizes, **params: Any) -> Any:
    return _weight_gradient(x, g, _size(w), **params)


def _weight_forward(g: Any, x: Any, kernel: Sizes, **params: Any) -> Any:
    return correlate_with(g, x, kernel, **params)


def _weight_g(v: Any, y: Any, g: Any, x: Any, kernel: Sizes, **params: Any) -> Any:
    return _convolve(x, v, **params)


def _weight_x(v: Any, y: Any, g: Any, x: Any, kernel: Sizes, **params: Any) -> Any:
    return _transposed(g, v, _size(x), **params)


def _waves(*shape: int) -> Any:
    return np.sin(np.arange(1.0, math.prod(shape) + 1) * 1.7).reshape(shape)


def _settings(dims: int) -> tuple[dict[str, Any], ...]:
    """Params to test rows on."""
    every = {
        "stride": (1,) * dims, "padding": (0,) * dims, "dilation": (1,) * dims, "groups": 1,
    }  # fmt: skip
    moved = {"stride": (2,) * dims, "padding": (1,) * dims, "dilation": (1,) * dims, "groups": 2}
    return every, moved, {**every, "dilation": (2,) * dims}


def _examples(dims: int, *, transposed: bool, bias: bool) -> tuple[Example, ...]:
    found = []
    for params in _settings(dims):
        size = (5,) * dims if params["padding"][0] == 0 else (3,) * dims
        weight = _waves(2, 2 // params["groups"], *((2,) * dims))
        more = {"output_padding": tuple(s - 1 for s in params["stride"])} if transposed else {}
        found.append(example(_waves(1, 2, *size), weight, *([_waves(2)] if bias else []), **params, **more))
    return tuple(found)


def _row(dims: int, *, transposed: bool, bias: bool) -> Op:
    name = f"conv_transpose{dims}d" if transposed else f"conv{dims}d"
    back = f"conv{dims}d" if transposed else f"conv_transpose{dims}d"
    patches = "{0} under {2}" if transposed else "{2} under {0}"
    return Op(
        name,
        _transposed_forward if transposed else _conv_forward,
        (*((_transposed_x, _transposed_w) if transposed else (_conv_x, _conv_w)), *((_bias_rule,) if bias else ())),
        ("x", "weight", "bias") if bias else ("x", "weight"),
        (said(f"{name}_x", f"{back}({{0}}, {{3}})", _transposed_x if transposed else _conv_x),
         said(f"{name}_w", f"for each kernel element, the sum of {{0}} · {{2}} over all positions ({patches})",
              _transposed_w if transposed else _conv_w),
         *((said(f"{name}_b", "{0} summed over images and positions", _bias_rule),) if bias else ())),
        f"y = {name}(x, weight){' + bias' if bias else ''}",
        _examples(dims, transposed=transposed, bias=bias),
        names("x weight"),
        "ConvolutionBackward0",
    )  # fmt: skip


def _weight_row(dims: int) -> Op:
    examples = []
    for params in _settings(dims):
        size = (5,) * dims if params["padding"][0] == 0 else (3,) * dims
        kernel = (2,) * dims
        out = out_sizes(size, kernel, params["stride"], params["padding"], params["dilation"])
        examples.append(example(_waves(1, 2, *out), _waves(1, 2, *size), kernel=kernel, **params))
    return Op(
        f"conv{dims}d_weight", _weight_forward, (_weight_g, _weight_x), ("v", "x"),
        (said(f"conv{dims}d_weight_g", f"conv{dims}d({{3}}, {{0}})", _weight_g),
         said(f"conv{dims}d_weight_x", f"conv_transpose{dims}d({{2}}, {{0}})", _weight_x)),
        f"y = the gradient of the weight of conv{dims}d, for images x and what comes in, v",
        tuple(examples), names("v x"), "ConvolutionBackwardBackward0",
    )  # fmt: skip


DIMS = (1, 2)
PLAIN = {n: _row(n, transposed=False, bias=False) for n in DIMS}
BIASED = {n: _row(n, transposed=False, bias=True) for n in DIMS}
TRANSPOSED_PLAIN = {n: _row(n, transposed=True, bias=False) for n in DIMS}
TRANSPOSED_BIASED = {n: _row(n, transposed=True, bias=True) for n in DIMS}
WEIGHT = {n: _weight_row(n) for n in DIMS}

# ---- unfold and fold ---------------------------------------------------------------------------------------------


def _unfold(x: Any, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, size: Sizes) -> Any:
    return columns(x, kernel, stride, padding, dilation)[:, 0]


def _fold(x: Any, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, size: Sizes) -> Any:
    out = out_sizes(size, kernel, stride, padding, dilation)
    return add_patches(x.reshape((x.shape[0], -1, *kernel, *out)), size, kernel, stride, padding, dilation)


def _unfold_rule(g: Any, y: Any, x: Any, **params: Any) -> Any:
    return r.through(FOLD, g, **params)


def _fold_rule(g: Any, y: Any, x: Any, **params: Any) -> Any:
    return r.through(UNFOLD, g, **params)


_PATCHES = {"kernel": (2, 2), "stride": (1, 2), "padding": (1, 0), "dilation": (1, 1), "size": (3, 4)}
UNFOLD = Op(
    "unfold", _unfold, (_unfold_rule,), equation="y = the patches of x, one in each column",
    examples=(example(_waves(1, 2, 3, 4), **_PATCHES),), node="Im2ColBackward0",
)  # fmt: skip
FOLD = Op(
    "fold", _fold, (_fold_rule,), equation="y = patches added up where they overlap",
    examples=(example(_waves(1, 4, 8), **_PATCHES),), node="Col2ImBackward0",
)  # fmt: skip

TABLE = (
    *PLAIN.values(), *BIASED.values(), *TRANSPOSED_PLAIN.values(), *TRANSPOSED_BIASED.values(), *WEIGHT.values(),
    UNFOLD, FOLD,
)  # fmt: skip
"""The rows of this family."""

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
        size = _transposed_sizes(current(x).array.shape[2:], w.shape[2:], output_padding=more, **params)
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
