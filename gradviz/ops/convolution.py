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
from typing import Any

import numpy as np

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
    smallest = transposed_sizes(out, kernel, params["stride"], params["padding"], params["dilation"], (0,) * len(out))
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


def transposed_sizes(
    size: Sizes, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, output_padding: Sizes
) -> Sizes:
    return tuple(
        [(n - 1) * s - 2 * p + d * (k - 1) + 1 + more
         for n, k, s, p, d, more in zip(size, kernel, stride, padding, dilation, output_padding, strict=True)]
    )  # fmt: skip


def _transposed_forward(x: Any, w: Any, *bias: Any, output_padding: Sizes, **params: Any) -> Any:
    size = transposed_sizes(x.shape[2:], w.shape[2:], output_padding=output_padding,
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
        sign="convᵀ" if transposed else "conv", kind="convolution",
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
        tuple(examples), names("v x"), "ConvolutionBackwardBackward0", sign="conv", kind="convolution",
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
    examples=(example(_waves(1, 2, 3, 4), **_PATCHES),), node="Im2ColBackward0", sign="x[:]",
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
