"""Convolution of any number of spatial axes, and its adjoints, as products of matrices of windows.

conv(x, w), its adjoint for x (which is the transposed convolution) and its adjoint for w are the three ways to look
at one trilinear form, so the rule of each is made of the other two, to any order.

Shapes: x (N, C, *in), w (O, C / groups, *kernel), y (N, O, *out).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

import numpy as np

from gradviz.imitation.engine import generic as F
from gradviz.imitation.engine.dtypes import convert
from gradviz.imitation.engine.kernels import convolving
from gradviz.imitation.engine.rules.entry import Op, case, saves
from gradviz.imitation.engine.rules.shapes.shaping import shape

Ints = tuple[int, ...]
MANY = 4_000_000
"""Numbers in all windows beyond which the last digit is not worth its time."""
MANY_PRODUCTS = 50_000_000
"""Multiplications for the gradient of the weights, beyond which it is not."""


def out_size(size: Ints, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints) -> Ints:
    """The spatial size of a convolution's result."""
    axes = zip(size, kernel, stride, padding, dilation, strict=True)
    return tuple((n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, s, p, d in axes)


def _bordered(x: Any, padding: Ints) -> Any:
    return np.pad(x, [(0, 0), (0, 0), *((p, p) for p in padding)]) if any(padding) else x


def windows_at(kernel: Ints, out: Ints, stride: Ints, dilation: Ints) -> Iterator[tuple[Ints, tuple[Any, ...]]]:
    """For each place in the kernel, where the bordered input meets it."""
    for offset in itertools.product(*map(range, kernel)):
        axes = zip(offset, out, stride, dilation, strict=True)
        yield offset, (..., *(slice(o * d, o * d + s * (n - 1) + 1, s) for o, n, s, d in axes))


def columns(x: Any, kernel: Ints, out: Ints, stride: Ints, padding: Ints, dilation: Ints, groups: int) -> Any:
    """The windows of x as matrices (N, groups, C / groups · kernel, out)."""
    x = _bordered(x, padding)
    n, c = x.shape[:2]
    found = np.empty((n, c, *kernel, *out), x.dtype)
    for offset, place in windows_at(kernel, out, stride, dilation):
        window: tuple[Any, ...] = (slice(None), slice(None), *offset)
        found[window] = x[place]
    return found.reshape(n, groups, c // groups * prod(kernel), prod(out))


def _is_exact(a: Any, b: Any, work: int = 1, most: int = MANY) -> bool:
    """Whether the order in which PyTorch adds is known, and the work of it is not too much."""
    return bool(a.dtype.char == b.dtype.char == "f" and a.size and b.size and work <= most)


def _windows(x: Any, kernel: Ints, out: Ints, stride: Ints, padding: Ints, dilation: Ints, groups: int) -> Any:
    """The windows (groups, kernel, C / groups, N, out)."""
    bordered = _bordered(x, padding).swapaxes(0, 1)
    found = np.empty((*kernel, x.shape[1], x.shape[0], *out), x.dtype)
    for offset, place in windows_at(kernel, out, stride, dilation):
        found[offset] = bordered[place]
    return found.reshape(prod(kernel), groups, -1, len(x), prod(out)).swapaxes(0, 1)


def _exact_conv(
    x: Any, w: Any, b: Any, stride: Ints, padding: Ints, dilation: Ints, groups: int
) -> Any:  # fmt: skip
    out = out_size(x.shape[2:], w.shape[2:], stride, padding, dilation)
    windows = _windows(x, w.shape[2:], out, stride, padding, dilation, groups)
    return _in_rows(convolving.forward(x, w, b, windows), (len(x), w.shape[0], *out))


def _in_rows(found: Any, size: Ints) -> Any:
    """(channels, N, places) as (N, channels, *places); strides show, and random numbers are drawn in their order."""
    return np.ascontiguousarray(np.moveaxis(found, 1, 0)).reshape(size)


def biased_conv(
    x: Any, w: Any, b: Any, stride: Ints, padding: Ints, dilation: Ints, groups: int
) -> Any:  # fmt: skip
    """The convolution of arrays, with a bias."""
    if _is_exact(x, w, x.size * prod(w.shape[2:])):
        return _exact_conv(x, w, convert(b, x.dtype), stride, padding, dilation, groups)
    return conv(x, w, stride, padding, dilation, groups) + _offset(convert(b, x.dtype), x.ndim - 2)


def conv(x: Any, w: Any, stride: Ints, padding: Ints, dilation: Ints, groups: int) -> Any:
    """The convolution, of arrays or tensors."""
    if isinstance(x, F.Tensor) or isinstance(w, F.Tensor):
        return _node(
            f"conv{len(stride)}d_plain", x, w, stride=stride, padding=padding, dilation=dilation, groups=groups
        )
    if _is_exact(x, w, x.size * prod(w.shape[2:])):
        return _exact_conv(x, w, None, stride, padding, dilation, groups)
    kernel = w.shape[2:]
    out = out_size(x.shape[2:], kernel, stride, padding, dilation)
    seen = columns(x, kernel, out, stride, padding, dilation, groups)
    y = np.matmul(w.reshape(groups, w.shape[0] // groups, -1), seen)
    return y.reshape(x.shape[0], w.shape[0], *out)


def conv_input(
    g: Any, w: Any, size: Ints, stride: Ints, padding: Ints, dilation: Ints, groups: int
) -> Any:  # fmt: skip
    """The adjoint for x: each number of g spread over the window it came from. `size`: the spatial size of x."""
    if isinstance(g, F.Tensor) or isinstance(w, F.Tensor):
        return _node(f"conv_transpose{len(stride)}d_plain", g, w, size=size, stride=stride, padding=padding,
                     dilation=dilation, groups=groups)  # fmt: skip
    n, out, kernel, channels = g.shape[0], g.shape[2:], w.shape[2:], w.shape[1] * groups
    if _is_exact(g, w, g.size * prod(kernel)) and convolving.is_by_one_dnn((n, channels, *size), kernel, groups):
        spread = _spread(g, kernel, size, stride, padding, dilation, groups)
        return _in_rows(convolving.input_gradient(spread, w, groups, stride, size[-1]), (n, channels, *size))
    matrix = w.reshape(groups, w.shape[0] // groups, -1).swapaxes(1, 2)
    seen = np.matmul(matrix, g.reshape(n, groups, w.shape[0] // groups, prod(out)))
    seen = seen.reshape(n, channels, *kernel, *out)
    wide = np.zeros((n, channels, *(m + 2 * p for m, p in zip(size, padding, strict=True))), seen.dtype)
    for offset, place in windows_at(kernel, out, stride, dilation):
        wide[place] += seen[(slice(None), slice(None), *offset)]
    inner: tuple[Any, ...] = (..., *(slice(p, p + m) for m, p in zip(size, padding, strict=True)))
    return np.ascontiguousarray(wide[inner])


def _spread(
    g: Any, kernel: Ints, size: Ints, stride: Ints, padding: Ints, dilation: Ints, groups: int
) -> Any:  # fmt: skip
    """For each place in the kernel, g where the input meets it there: (groups, kernel, O / groups, N, in)."""
    n, outputs, *out = g.shape
    given = g.swapaxes(0, 1)
    found = np.zeros((*kernel, outputs, n, *(m + 2 * p for m, p in zip(size, padding, strict=True))), g.dtype)
    for offset, place in windows_at(kernel, tuple(out), stride, dilation):
        found[offset][place] = given
    inner: tuple[Any, ...] = (..., *(slice(p, p + m) for m, p in zip(size, padding, strict=True)))
    return found[inner].reshape(prod(kernel), groups, outputs // groups, n, prod(size)).swapaxes(0, 1)


def conv_weight(
    g: Any, x: Any, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints, groups: int
) -> Any:  # fmt: skip
    """The adjoint for w: g times the windows of x. `kernel`: the spatial size of w."""
    if _is_exact(g, x, g.size * (x.shape[1] // groups) * prod(kernel), MANY_PRODUCTS):
        size = (g.shape[1], x.shape[1] // groups, *kernel)
        windows = _windows(x, kernel, g.shape[2:], stride, padding, dilation, groups)
        return np.ascontiguousarray(convolving.weight_gradient(g, x, size, windows)).reshape(size)
    seen = columns(x, kernel, g.shape[2:], stride, padding, dilation, groups)
    flat = g.reshape(g.shape[0], groups, g.shape[1] // groups, -1)
    total = np.einsum("ngop,ngkp->gok", flat, seen, optimize=True)
    return total.reshape(g.shape[1], x.shape[1] // groups, *kernel)


def _node(name: str, a: Any, b: Any, **params: Any) -> Any:
    like = a if isinstance(a, F.Tensor) else b
    a, b = (t if isinstance(t, F.Tensor) else F.constant(t, like.tape) for t in (a, b))
    return F.apply(F.OPS[name], (a, b), **params)


def per_channel(g: Any) -> Any:
    """g summed over all but its channels: the gradient of a bias."""
    return F.sum(g, (0, *range(2, len(shape(g)))), False)


def _offset(b: Any, axes: int) -> Any:
    return b.reshape(-1, *(1,) * axes)


def spatial(x: Any) -> Ints:
    """The sizes after batch and channels."""
    return shape(x)[2:]


# ---- rules ----


def _x_rule(g: Any, y: Any, x: Any, w: Any, *rest: Any, **p: Any) -> Any:
    return conv_input(g, w, size=spatial(x), **p)


def _w_rule(g: Any, y: Any, x: Any, w: Any, *rest: Any, **p: Any) -> Any:
    return conv_weight(g, x, kernel=spatial(w), **p)


def _b_rule(g: Any, y: Any, x: Any, w: Any, b: Any, groups: int, **p: Any) -> Any:
    if isinstance(g, F.Tensor) or not _is_exact(g, x) or not convolving.is_by_one_dnn(x.shape, w.shape[2:], groups):
        return per_channel(g)
    return convolving.bias_gradient(g, x, w)


def _tb_rule(g: Any, y: Any, x: Any, w: Any, b: Any, groups: int, **p: Any) -> Any:
    if isinstance(g, F.Tensor) or not _is_exact(g, x) or not convolving.is_by_one_dnn(x.shape, w.shape[2:], groups):
        return per_channel(g)
    return convolving.bias_gradient(g, x, w, is_transposed=True)


def _tx_rule(g: Any, y: Any, x: Any, w: Any, *rest: Any, size: Ints, **p: Any) -> Any:
    return conv(g, w, **p)


def _tw_rule(g: Any, y: Any, x: Any, w: Any, *rest: Any, size: Ints, **p: Any) -> Any:
    return conv_weight(x, g, kernel=spatial(w), **p)


_HOW = "stride, padding, dilation, groups)"
_X, _W, _B = f"conv_input(g, w, spatial(x), {_HOW}", f"conv_weight(g, x, spatial(w), {_HOW}", "per_channel(g)"
_TX, _TW = f"conv(g, w, {_HOW}", f"conv_weight(x, g, spatial(w), {_HOW}"
_W2 = np.linspace(-1, 1, 16).reshape(4, 1, 2, 2)
_X2 = np.linspace(-2, 1.5, 24).reshape(1, 2, 3, 4)
_PARAMS: dict[str, Any] = {"stride": (2, 1), "padding": (1, 0), "dilation": (1, 2), "groups": 2}
_T_IN = np.linspace(-1, 1, 16).reshape(1, 4, 2, 2)


def _entries(axes: int) -> Iterator[Op]:
    """The convolution of so many axes and its transpose, with and without a bias."""
    x, w, t = _X2.reshape(1, 2, -1)[..., :6], _W2.reshape(4, 1, 4)[..., :2], _T_IN.reshape(1, 4, -1)[..., :3]
    p = {name: (value[:1] if isinstance(value, tuple) else value) for name, value in _PARAMS.items()}
    x, w, t = (a.reshape(*a.shape[:2], *(1,) * (axes - 1), a.shape[2]) for a in (x, w, t))
    p = {n: (((0,) if n == "padding" else (1,)) * (axes - 1) + v if isinstance(v, tuple) else v) for n, v in p.items()}
    if axes == 2:
        x, w, t, p = _X2, _W2, _T_IN, _PARAMS
    b, tb, size = np.array([0.5, -1.0, 0.2, 1.0]), np.array([0.5, -1.0]), _t_size(t, w, p)
    name, transposed = f"conv{axes}d", f"conv_transpose{axes}d"
    ahead, back = "y = w over each window of x", "y = each number of x spread by w"
    yield _entry(name, biased_conv, (_x_rule, _w_rule, _b_rule), (_X, _W, _B), f"{ahead}, + b", case(x, w, b, **p))
    yield _entry(f"{name}_plain", conv, (_x_rule, _w_rule), (_X, _W), ahead, case(x, w, **p))
    example = case(t, w, tb, **p, size=size)
    yield _entry(transposed, _biased_input, (_tx_rule, _tw_rule, _tb_rule), (_TX, _TW, _B), f"{back}, + b", example)
    yield _entry(f"{transposed}_plain", conv_input, (_tx_rule, _tw_rule), (_TX, _TW), back, case(t, w, **p, size=size))


def _biased_input(x: Any, w: Any, b: Any, **p: Any) -> Any:
    return conv_input(x, w, **p) + _offset(convert(b, x.dtype), x.ndim - 2)


def _entry(name: str, forward: Any, vjp: Any, formula: tuple[str, ...], equation: str, example: Any) -> Op:
    inputs = ("x", "w", "b")[: len(vjp)]
    return Op(name, "conv", forward, vjp, inputs, formula, equation, (example,), "ConvolutionBackward0", saves("x w"),
              absent=3 - len(vjp))  # fmt: skip


def _t_size(x: Any, w: Any, p: dict[str, Any]) -> Ints:
    return transposed_size(x.shape[2:], w.shape[2:], p["stride"], p["padding"], p["dilation"], (0,) * (x.ndim - 2))


def transposed_size(
    size: Sequence[int], kernel: Sequence[int], stride: Ints, padding: Ints, dilation: Ints, added: Ints
) -> Ints:
    """The spatial size of a transposed convolution's result."""
    axes = zip(size, kernel, stride, padding, dilation, added, strict=True)
    return tuple((n - 1) * s - 2 * p + d * (k - 1) + a + 1 for n, k, s, p, d, a in axes)


TABLE = (
    *itertools.chain.from_iterable(_entries(axes) for axes in (1, 2, 3)),
)  # fmt: skip

NAMES: dict[str, Any] = {
    "conv": conv, "conv_input": conv_input, "conv_weight": conv_weight, "per_channel": per_channel, "spatial": spatial,
}  # fmt: skip
OF_PARAMS: dict[str, Any] = {}
