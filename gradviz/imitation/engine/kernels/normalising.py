"""Values and gradients of layer, group and batch norm, of arrays, rounded as PyTorch's kernels round them.

Each kind gives the normalised values of x, and dL/dx, dL/dw and dL/db for an incoming gradient g. x, g and the results
have one shape; w and b (or None in the place of both) are one number for each channel, or for each place of a layer.
Sources: layer_norm_kernel.cpp, group_norm_kernel.cpp and batch_norm_kernel.cpp of PyTorch, with two threads; which
steps round once was found by trying.
"""

from __future__ import annotations

from math import prod
from typing import Any, Protocol

import numpy as np

from gradviz.imitation.engine.kernels.moments import halves, moments, product_sums, row_sums
from gradviz.imitation.engine.kernels.nearest import DOUBLE, fused
from gradviz.imitation.engine.kernels.summation import REGISTER, total

Params = dict[str, Any]


class Kind(Protocol):
    """The kernels of one kind of normalisation."""

    def forward(self, x: Any, w: Any, b: Any, p: Params) -> Any: ...

    def x_gradient(self, g: Any, x: Any, w: Any, p: Params) -> Any: ...

    def w_gradient(self, g: Any, x: Any, p: Params) -> Any: ...

    def b_gradient(self, g: Any, x: Any, p: Params, /) -> Any: ...


def _in_turn(rows: Any) -> Any:
    """The sum of the rows, one after the other."""
    return np.add.accumulate(rows, axis=0)[-1] if len(rows) else rows.sum(0)


def _fused_in_turn(a: Any, b: Any) -> Any:
    """The sum of products of rows, one after the other, each added with one rounding."""
    out = np.zeros(a.shape[1:], a.dtype)
    for left, right in zip(a, b, strict=True):
        out = fused(left, right, out)
    return out


class Layer:
    """Each row of the last axes by itself."""

    def _rows(self, x: Any, p: Params) -> Any:
        size = p["normalized_shape"]
        return x.reshape(prod(x.shape[: x.ndim - len(size)]), prod(size))

    def _moments(self, rows: Any, p: Params) -> tuple[Any, Any]:
        """Mean and one over the standard deviation of each row, as columns."""
        mean, variance = moments(rows)
        number = rows.dtype.type
        return mean[:, None], (number(1) / np.sqrt(variance + number(p["eps"])))[:, None]

    def forward(self, x: Any, w: Any, b: Any, p: Params) -> Any:
        """(x − mean) / deviation, times w, plus b."""
        if not x.size:
            return x
        rows = self._rows(x, p)
        mean, inverse = self._moments(rows, p)
        y = (rows - mean) * inverse
        return (y if w is None else fused(y, w.reshape(-1), b.reshape(-1))).reshape(x.shape)

    def x_gradient(self, g: Any, x: Any, w: Any, p: Params) -> Any:
        """g w / deviation + slope · x + level, with one slope and level for each row."""
        if not x.size:
            return g
        rows, given = self._rows(x, p), self._rows(g, p)
        mean, inverse = self._moments(rows, p)
        if w is None:
            products, sums = product_sums(given, rows, True), row_sums(given)
        else:
            w = w.reshape(-1)
            products = product_sums(given * rows, np.broadcast_to(w, rows.shape), True)
            sums = product_sums(given, np.broadcast_to(w, rows.shape), True)
        products, sums, share = products[:, None], sums[:, None], x.dtype.type(1 / rows.shape[1])
        slope = fused(sums, mean, -products) * inverse * inverse * inverse * share
        level = fused(-slope, mean, -(sums * inverse * share))
        scaled = inverse * given if w is None else inverse * given * w
        return (fused(slope, rows, scaled) + level).reshape(x.shape)

    def w_gradient(self, g: Any, x: Any, p: Params) -> Any:
        """Σ g h over the rows, two halves by themselves."""
        if not x.size:
            return np.zeros(p["normalized_shape"], x.dtype)
        rows = self._rows(x, p)
        mean, inverse = self._moments(rows, p)
        normal = fused(inverse, rows, -inverse * mean)
        parts = _fused_in_turn(halves(self._rows(g, p)), halves(normal))
        return _in_turn(parts).reshape(p["normalized_shape"])

    def b_gradient(self, g: Any, _: Any, p: Params) -> Any:
        """Σ g over the rows, two halves by themselves."""
        if not g.size:
            return np.zeros(p["normalized_shape"], g.dtype)
        return _in_turn(_in_turn(halves(self._rows(g, p)))).reshape(p["normalized_shape"])


class Group:
    """Groups of channels of each example."""

    def _channels(self, x: Any, p: Params) -> Any:
        """(examples, groups, channels of a group, numbers of a channel)."""
        return x.reshape(len(x), p["groups"], x.shape[1] // p["groups"], prod(x.shape[2:]))

    def _moments(self, channels: Any, p: Params) -> tuple[Any, Any]:
        """Mean and one over the standard deviation, each (examples, groups, 1)."""
        kept = (*channels.shape[:2], 1)
        mean, variance = moments(channels.reshape(prod(kept), prod(channels.shape[2:])))
        inverse = 1 / np.sqrt(np.maximum(variance, 0).astype(DOUBLE) + p["eps"])
        return mean.reshape(kept), inverse.astype(channels.dtype).reshape(kept)

    def forward(self, x: Any, w: Any, b: Any, p: Params) -> Any:
        """scale · x + offset, with both for each channel; without w and b (x − mean) / deviation."""
        channels = self._channels(x, p)
        mean, inverse = self._moments(channels, p)
        if w is None:
            return ((channels - mean[..., None]) * inverse[..., None]).reshape(x.shape)
        scale = inverse * w.reshape(p["groups"], -1)
        offset = fused(-scale, mean, b.reshape(p["groups"], -1))
        return fused(scale[..., None], channels, offset[..., None]).reshape(x.shape)

    def x_gradient(self, g: Any, x: Any, w: Any, p: Params) -> Any:
        """scale · g + slope · x + level, with one slope and level for each group."""
        channels, given = self._channels(x, p), self._channels(g, p)
        mean, inverse = self._moments(channels, p)
        share = x.dtype.type(1 / max(prod(channels.shape[2:]), 1))
        weights = None if w is None else w.reshape(p["groups"], -1)
        products = _of_channels(product_sums(given, channels, False), weights)
        sums = _of_channels(row_sums(given), weights)
        slope = fused(sums, mean, -products) * inverse * inverse * inverse * share
        level = fused(-(sums * inverse), share, -slope * mean)
        scale = (inverse if weights is None else inverse * weights)[..., None]
        return (fused(scale, given, slope[..., None] * channels) + level[..., None]).reshape(x.shape)

    def w_gradient(self, g: Any, x: Any, p: Params) -> Any:
        """Σ g h over the examples."""
        channels, given = self._channels(x, p), self._channels(g, p)
        mean, inverse = self._moments(channels, p)
        centred = fused(-row_sums(given), mean, product_sums(given, channels, False))
        return _fused_in_turn(centred, np.broadcast_to(inverse, centred.shape)).reshape(-1)

    def b_gradient(self, g: Any, _: Any, p: Params) -> Any:
        """Σ g over the examples."""
        return _in_turn(row_sums(self._channels(g, p))).reshape(-1)


def _of_channels(sums: Any, weights: Any) -> Any:
    """Σ sums · weights over the channels of each group, which are kept as 1: lane by lane, the lanes in turn."""
    lanes, count = REGISTER // sums.itemsize, sums.shape[-1]
    whole = count // lanes * lanes
    weights = np.ones_like(sums) if weights is None else np.broadcast_to(weights, sums.shape)
    parts = [np.moveaxis(z[..., :whole].reshape(*z.shape[:-1], whole // lanes, lanes), -2, 0) for z in (sums, weights)]
    out = np.add.accumulate(_fused_in_turn(*parts), axis=-1)[..., -1] if whole else np.zeros_like(sums[..., 0])
    for i in range(whole, count):
        out = fused(sums[..., i], weights[..., i], out)
    return out[..., None]


class Batch:
    """Each channel over all examples; with a running mean and variance given, those in the place of its own.

    Channels of one number for each example are added row by row, by two threads; longer ones number by number.
    """

    def _channels(self, x: Any) -> Any:
        """(examples, channels, numbers of a channel)."""
        return x.reshape(*x.shape[:2], -1)

    def statistics(self, x: Any) -> tuple[Any, Any]:
        """Mean and summed squared distances of each channel."""
        channels = self._channels(x)
        count = x.dtype.type(channels[:, 0].size)
        if _is_apart(x):
            mean = total(x, _all_but_channels(x)) / count
            centred = channels.astype(DOUBLE) - mean[:, None]
            return mean, (centred * centred).sum(axis=(0, 2))
        if channels.shape[2] > 1:
            mean = (channels.sum(axis=(0, 2), dtype=DOUBLE) / count).astype(x.dtype)
            centred = channels - mean[:, None]
            return mean, (centred * centred).sum(axis=(0, 2), dtype=DOUBLE).astype(x.dtype)
        rows = channels[..., 0]
        mean = (_in_turn(halves(rows)).sum(axis=0, dtype=DOUBLE) / count).astype(x.dtype)
        centred = halves(rows - mean)
        return mean, _fused_in_turn(centred, centred).sum(axis=0, dtype=DOUBLE).astype(x.dtype)

    def _moments(self, x: Any, p: Params) -> tuple[Any, Any]:
        """Mean and one over the standard deviation of each channel, as the gradients take them."""
        if "running_mean" in p:
            mean, variance = (p[name].astype(x.dtype) for name in ("running_mean", "running_var"))
        else:
            mean, squares = self.statistics(x)
            variance = squares / x.dtype.type(x.size // x.shape[1])
        return mean, (1 / np.sqrt(variance.astype(DOUBLE) + p["eps"])).astype(x.dtype)

    def forward(self, x: Any, w: Any, b: Any, p: Params) -> Any:
        """scale · x + offset, with both for each channel."""
        mean, scale = self._moments(x, p)
        if "running_mean" in p:
            number = x.dtype.type
            scale = number(1) / np.sqrt(p["running_var"].astype(x.dtype) + number(p["eps"]))
        if _is_apart(x):
            y = (self._channels(x) - mean[:, None]) * scale[:, None]
            return (y if w is None else y * w[:, None] + b[:, None]).reshape(x.shape)
        scale = scale if w is None else scale * w
        offset = fused(-mean, scale, np.zeros_like(scale) if b is None else b)
        return fused(self._channels(x), scale[:, None], offset[:, None]).reshape(x.shape)

    def _sums(self, given: Any) -> Any:
        """Σ g of each channel, in double precision where parts of it are added up."""
        parts = row_sums(given) if given.shape[2] > 1 else _in_turn(halves(given[..., 0]))
        return parts.sum(axis=0, dtype=DOUBLE)

    def _products(self, given: Any, centred: Any) -> Any:
        """Σ g (x − mean), likewise."""
        if given.shape[2] > 1:
            return product_sums(centred, given, True).sum(axis=0, dtype=DOUBLE)
        return _fused_in_turn(halves(centred[..., 0]), halves(given[..., 0])).sum(axis=0, dtype=DOUBLE)

    def _products_apart(self, given: Any, centred: Any) -> Any:
        """Σ g (x − mean) of gradients that lie apart in memory: number by number in double precision."""
        return (centred * given).sum(axis=(0, 2), dtype=DOUBLE)

    def x_gradient(self, g: Any, x: Any, w: Any, p: Params) -> Any:
        """(g − mean of g − slope (x − mean)) w / deviation; with mean and variance given, g w / deviation."""
        mean, inverse = self._moments(x, p)
        out = given = self._channels(g)
        if "running_mean" not in p and _is_apart(g, x):
            centred = self._channels(x) - mean[:, None]
            number = x.dtype.type(given[:, 0].size)
            slope = self._products_apart(given, centred).astype(x.dtype) * inverse * inverse / number
            out = given - (self.b_gradient(g, x, p) / number)[:, None] - centred * slope[:, None]
        elif "running_mean" not in p:
            number, centred = x.dtype.type(given[:, 0].size), self._channels(x) - mean[:, None]
            slope = self._products(given, centred).astype(x.dtype) * inverse * inverse / number
            out = _less(given - self._mean(self._sums(given), given)[:, None], centred, slope[:, None])
        out = out * inverse[:, None]
        return (out if w is None else out * w[:, None]).reshape(x.shape)

    def _mean(self, sums: Any, channels: Any) -> Any:
        """Sums over the count; row by row they are rounded before that."""
        number = channels.dtype.type(channels[:, 0].size)
        return ((sums if channels.shape[2] > 1 else sums.astype(channels.dtype)) / number).astype(channels.dtype)

    def w_gradient(self, g: Any, x: Any, p: Params) -> Any:
        """Σ g (x − mean), over the standard deviation."""
        mean, inverse = self._moments(x, p)
        given, centred = self._channels(g), self._channels(x) - mean[:, None]
        if _is_apart(g, x):
            return (self._products_apart(given, centred) * inverse).astype(x.dtype)
        products = self._products(given, centred)
        # Row by row the sum is rounded before it is scaled.
        return ((products if given.shape[2] > 1 else products.astype(x.dtype)) * inverse).astype(x.dtype)

    def b_gradient(self, g: Any, x: Any, _: Params) -> Any:
        """Σ g of each channel."""
        if _is_apart(g, x):
            return total(g, _all_but_channels(g), False)
        return self._sums(self._channels(g)).astype(g.dtype)


def _is_apart(*arrays: Any) -> bool:
    """Whether one lies apart in memory, as what `cat` sends back or is turned: PyTorch has other loops for that."""
    return not all(x.flags.c_contiguous or (x.ndim > 3 and np.moveaxis(x, 1, -1).flags.c_contiguous) for x in arrays)


def _all_but_channels(x: Any) -> tuple[int, ...]:
    return (0, *range(2, x.ndim))


def _less(z: Any, x: Any, slope: Any) -> Any:
    """z − x · slope with one rounding; of rows the columns that fill no register with two."""
    out = fused(-x, slope, z)
    if x.shape[2] == 1:
        whole = x.shape[1] // (REGISTER // x.itemsize) * (REGISTER // x.itemsize)
        out[:, whole:] = z[:, whole:] - x[:, whole:] * slope[whole:]
    return out


LAYER, GROUP, BATCH = Layer(), Group(), Batch()
