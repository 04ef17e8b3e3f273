"""Differences between neighbours, areas, slopes, covariance: chains of simpler ops, as PyTorch records them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.imitation.engine.dtypes import FLOATING, type_name
from gradviz.imitation.engine.functions.arguments import ints, must_have_dims, need
from gradviz.imitation.engine.functions.linalg.matmul import mm
from gradviz.imitation.engine.functions.losses.options import over, times
from gradviz.imitation.engine.functions.numbers.arithmetic import add, div, mul, sqrt, sub
from gradviz.imitation.engine.functions.numbers.comparison import bitwise_xor, clamp
from gradviz.imitation.engine.functions.reducing.running import cumsum
from gradviz.imitation.engine.functions.shapes.moving import diagonal, narrow
from gradviz.imitation.engine.functions.shapes.shaping import cat, squeeze, t, unsqueeze, view
from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.indexing.reading import view as view_op
from gradviz.imitation.engine.shapes import broadcasts, one_dim
from gradviz.imitation.engine.tensor import Tensor, apply, constant
from gradviz.imitation.engine.warn import warn
from gradviz.errors import ScriptError, TorchError


def _between(x: Tensor, axis: int, start: int, end: int) -> Tensor:
    """x from start to end along an axis; ends below 0 count from behind."""
    n = x.shape[axis]
    bounds = slice(start, end).indices(n)
    return view_op("slice", x, dim=axis, start=bounds[0], end=max(bounds[0], bounds[1]), step=1)


def _minus(x: Tensor, axis: int, of: tuple[int, int], taken: tuple[int, int]) -> Tensor:
    """One part of x minus another. PyTorch makes what is taken away first, which its backward pass runs last."""
    away = _between(x, axis, *taken)
    return sub(_between(x, axis, *of), away)


# ---- differences ----


def diff(
    input: Tensor, n: int = 1, dim: int = -1, prepend: Tensor | None = None, append: Tensor | None = None
) -> Tensor:
    x = need("diff", input)
    if not x.ndim:
        raise TorchError("diff expects input to be at least one-dimensional")
    if n < 0:
        raise TorchError(f"order must be non-negative but got {n}")
    axis = one_dim(dim, x.ndim)
    for beside in (prepend, append):
        if beside is not None:
            _must_fit(x, beside, axis)
    parts = [part for part in (prepend, x, append) if part is not None]
    if len(parts) > 1:
        x = cat(parts, axis)
    if not n:
        return apply(OPS["clone"], (x,))
    for _ in range(min(n, x.shape[axis])):
        length = x.shape[axis] - 1
        earlier, later = narrow(x, axis, 0, length), narrow(x, axis, 1, length)
        x = bitwise_xor(later, earlier) if x.dtype.kind == "b" else sub(later, earlier)
    return x


def _must_fit(x: Tensor, beside: Tensor, axis: int) -> None:
    if beside.ndim != x.ndim:
        raise TorchError("diff expects prepend or append to be the same dimension as input")
    for i, (size, other) in enumerate(zip(x.shape, beside.shape, strict=True)):
        if i != axis and size != other:
            raise TorchError(
                "diff expects the shape of tensor to prepend or append to match that of input except along the "
                f"differencing dimension; input.size({i}) = {size}, but got tensor.size({i}) = {other}"
            )


# ---- areas ----


def _refuse_bools(function: str, y: Tensor, x: Tensor | None) -> None:
    if any(each is not None and each.dtype.kind == "b" for each in (y, x)):
        which = "`y`" if x is None else "`x` or `y`"
        text = f"{function}: received a bool input for {which}, but bool is not supported"
        raise TorchError(text, hint="Convert with .float() first.")


def _widths(function: str, y: Tensor, x: Tensor, axis: int) -> Tensor:
    """The distances between sample points, to stand beside y."""
    if x.ndim == 1:
        if x.shape[0] != y.shape[axis]:
            raise TorchError(f"{function}: There must be one `x` value for each sample point")
        x = view(x, *(-1 if i == axis else 1 for i in range(y.ndim)))
    elif x.ndim < y.ndim:
        x = view(x, *(1,) * (y.ndim - x.ndim), *x.shape)
    left = _between(x, axis, 0, -1)
    return sub(_between(x, axis, 1, x.shape[axis]), left)


def trapezoid(y: Tensor, x: Tensor | None = None, *, dx: Any = 1, dim: int = -1) -> Tensor:
    samples = need("trapezoid", y, "y")
    _refuse_bools("trapezoid", y, x)
    must_have_dims(samples, dim if x is None else 0)
    axis = one_dim(dim, samples.ndim)
    n = samples.shape[axis]
    if x is not None:
        widths = _widths("trapezoid", samples, x, axis)
        pairs = add(_between(samples, axis, 0, -1), _between(samples, axis, 1, n))
        return over(apply(OPS["sum"], (mul(pairs, widths),), dim=(axis,), keepdim=False), 2.0)
    if not n:
        size = [m for i, m in enumerate(samples.shape) if i != axis]
        return constant(np.zeros(size, samples.dtype)[()], samples.tape)
    last, first = (view_op("select", samples, dim=axis, index=at) for at in (n - 1, 0))
    ends = times(add(first, last), 0.5)
    return times(sub(apply(OPS["sum"], (samples,), dim=(axis,), keepdim=False), ends), _step(dx))


def _step(dx: Any) -> Any:
    return dx.data.item() if isinstance(dx, Tensor) else dx


def cumulative_trapezoid(y: Tensor, x: Tensor | None = None, *, dx: Any = 1, dim: int = -1) -> Tensor:
    samples = need("cumulative_trapezoid", y, "y")
    _refuse_bools("cumulative_trapezoid", y, x)
    if not samples.ndim:
        raise TorchError("slice() cannot be applied to a 0-dim tensor.", kind="IndexError")
    axis = one_dim(dim, samples.ndim)
    widths = None if x is None else _widths("cumulative_trapezoid", samples, x, axis)
    pairs = add(_between(samples, axis, 0, -1), _between(samples, axis, 1, samples.shape[axis]))
    if widths is not None:
        return over(cumsum(mul(pairs, widths), axis), 2.0)
    return cumsum(times(pairs, _step(dx) / 2.0), axis)


# ---- slopes ----


def gradient(input: Tensor, *, spacing: Any = 1, dim: Any = None, edge_order: int = 1) -> tuple[Tensor, ...]:
    x = need("gradient", input)
    dims = (
        list(range(x.ndim))
        if dim is None
        else [one_dim(d, x.ndim) for d in ints((dim,) if isinstance(dim, int) else tuple(dim))]
    )
    if edge_order not in (1, 2):
        raise TorchError("torch.gradient only supports edge_order=1 and edge_order=2.")
    for axis in dims:
        if x.shape[axis] < edge_order + 1:
            raise TorchError("torch.gradient expected each dimension size to be at least edge_order+1")
    if isinstance(spacing, Tensor) and not spacing.ndim:
        spacing = spacing.data.item()
    steps = list(spacing) if isinstance(spacing, list | tuple) else [spacing] * len(dims)
    if len(steps) != len(dims):
        raise TorchError(
            "torch.gradient expected spacing to be unspecified, a scalar, or a list of length equal to "
            f"'self.dim() = {x.ndim}', but got a list of length {len(steps)}"
        )
    return tuple(_slope(x, axis, step, edge_order) for axis, step in zip(dims, steps, strict=True))


def _slope(x: Tensor, axis: int, step: Any, edge_order: int) -> Tensor:
    if isinstance(step, Tensor):
        if edge_order == 2:
            raise ScriptError(
                "torch.gradient with coordinates and edge_order=2 is not supported", hint="Use edge_order=1."
            )
        return _slope_at(x, axis, step)
    n = x.shape[axis]
    inner = over(_minus(x, axis, (2, n), (0, -2)), step)
    if edge_order == 1:
        first, last = (over(_minus(x, axis, *places), step) for places in _edges(n))
        return cat((first, over(inner, 2), last), axis)
    c, b, a = (times(_between(x, axis, i, i + 1), by) for i, by in ((2, 0.5), (1, 2), (0, -1.5)))
    first = over(sub(add(a, b), c), step)
    c, b, a = (times(_between(x, axis, n - i, n - i + 1), by) for i, by in ((1, 1.5), (2, 2), (3, 0.5)))
    last = over(add(sub(a, b), c), step)
    return cat((first, over(inner, 2), last), axis)


def _edges(n: int) -> tuple[Any, Any]:
    """The places whose difference is the slope at the first and at the last point."""
    return ((1, 2), (0, 1)), ((-1, n), (-2, -1))


def _slope_at(x: Tensor, axis: int, at: Tensor) -> Tensor:
    """The slope where the distances differ: that of a parabola through each three points."""
    n = x.shape[axis]
    if at.shape != (n,):
        raise TorchError(
            "torch.gradient expected each tensor to have size equal to the size of the dimension it corresponds to"
        )
    steps = np.diff(at.data)
    if steps.dtype.kind != "f":
        steps = steps.astype(x.tape.float_dtype)
    before, behind = (_beside(x, axis, part) for part in (steps[:-1], steps[1:]))
    weights = (-behind / (before * (before + behind)), (behind - before) / (before * behind),
               before / (behind * (before + behind)))  # fmt: skip
    c, b, a = (mul(constant(weights[i], x.tape), _between(x, axis, i, n - 2 + i)) for i in (2, 1, 0))
    inner = add(add(a, b), c)
    first, last = (
        div(_minus(x, axis, *places), constant(step, x.tape))
        for places, step in zip(_edges(n), (steps[0], steps[-1]), strict=True)
    )
    return cat((first, inner, last), axis)


def _beside(x: Tensor, axis: int, steps: Any) -> Any:
    return steps.reshape([-1 if i == axis else 1 for i in range(x.ndim)])


# ---- covariance ----


def _as_rows(name: str, input: Tensor) -> Tensor:
    x = need(name, input)
    if x.ndim > 2:
        raise TorchError(
            f"{name}(): expected input to have two or fewer dimensions but got an input with {x.ndim} dimensions"
        )
    if x.dtype.kind == "b":
        raise TorchError("cov(): bool dtype is not supported for input", hint="Convert the mask with .float() first.")
    return x


def cov(
    input: Tensor, *, correction: int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None
) -> Tensor:
    x = _as_rows("cov", input)
    rows = x if x.ndim == 2 else view(x, 1, -1)
    count: Any = rows.shape[1]
    _check_weights("fweights", fweights, count, "integral", "iu")
    _check_weights("aweights", aweights, count, "floating point", FLOATING)
    weight = _weights(fweights, aweights)
    if weight is None:
        mean = div(apply(OPS["sum"], (rows,), dim=(1,), keepdim=False), float(count))
    else:
        count = weight.data.sum()
        if not count:
            raise TorchError("cov(): weights sum to zero, can't be normalized")
        mean = div(apply(OPS["sum"], (mul(rows, weight),), dim=(1,), keepdim=False), float(count))
    free = _degrees(count, correction, weight, aweights)
    if free <= 0:
        warn("cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of observations.")
        free = 0
    centred = sub(rows, unsqueeze(mean, 1))
    other = t(mul(centred, weight) if weight is not None else centred)
    divisor = constant(np.asarray(free, x.dtype if x.dtype.kind in FLOATING else np.float32)[()], x.tape)
    return squeeze(div(mm(centred, other), divisor))


def _check_weights(name: str, weights: Tensor | None, count: int, what: str, kinds: str) -> None:
    if weights is None:
        return
    if weights.ndim > 1:
        raise TorchError(
            f"cov(): expected {name} to have one or fewer dimensions but got {name} with {weights.ndim} dimensions"
        )
    if weights.dtype.kind not in kinds:
        raise TorchError(
            f"cov(): expected {name} to have {what} dtype but got {name} with {type_name(weights.dtype)} dtype"
        )
    if weights.data.size != count:
        raise TorchError(
            f"cov(): expected {name} to have the same numel as there are observations in the input but got "
            f"{weights.data.size} != {count}"
        )
    if not (weights.data >= 0).all():
        raise TorchError(f"cov(): {name} cannot be negative")


def _weights(fweights: Tensor | None, aweights: Tensor | None) -> Tensor | None:
    if fweights is not None and aweights is not None:
        return mul(fweights, aweights)
    return fweights if fweights is not None else aweights


def _degrees(count: Any, correction: int, weight: Tensor | None, aweights: Tensor | None) -> Any:
    if weight is None or aweights is None or not correction:
        return count - correction
    return count - correction * (weight.data * aweights.data).sum() / count


def corrcoef(input: Tensor) -> Tensor:
    c = cov(_as_rows("corrcoef", input))
    if not c.ndim:
        return div(c, c)
    spread = sqrt(diagonal(c))
    return clamp(div(div(c, view(spread, -1, 1)), view(spread, 1, -1)), -1, 1)


# ---- broadcasting undone ----


def sum_to_size(self: Tensor, *size: Any) -> Tensor:
    if not size:
        raise TorchError('sum_to_size() missing 1 required positional arguments: "size"', kind="TypeError")
    wanted = ints(size)
    if not broadcasts(wanted, self.shape):
        raise TorchError(f"size {{{list(wanted)}}} is not expandable to size {{{list(self.shape)}}}.")
    if not wanted:
        return apply(OPS["sum"], (self,), dim=None, keepdim=False)
    added = self.ndim - len(wanted)
    stretched = [i for i in range(added, self.ndim) if wanted[i - added] == 1 and self.shape[i] != 1]
    out = self
    if added or stretched:
        out = apply(OPS["sum"], (self,), dim=(*range(added), *stretched), keepdim=True)
    return view(out, *wanted) if added else out


FUNCTIONS: dict[str, Callable[..., Any]] = {
    f.__name__: f for f in (diff, trapezoid, cumulative_trapezoid, gradient, cov, corrcoef)
} | {"trapz": trapezoid}
METHODS: dict[str, Callable[..., Any]] = {"diff": diff, "cov": cov, "corrcoef": corrcoef, "sum_to_size": sum_to_size}
