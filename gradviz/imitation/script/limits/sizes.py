"""How large a result will be, worked out before it is made: from shapes alone, in microseconds.

No tensor or array of a script has more elements than `MAX_ELEMENTS`, so what keeps or shrinks the size of its
input needs no look. What can grow has a rule here by its name; every other call with several tensors is taken to
broadcast them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import zip_longest
from math import comb, prod
from typing import Any

import numpy as np

from gradviz.imitation.engine.creation import MAX_ELEMENTS
from gradviz.imitation.engine.tensor import Tensor
from gradviz.errors import LimitError

MAX_WORK = 100_000_000_000
"""Multiplications of one matrix product: a few seconds, in which Stop cannot be heard."""

LARGE = 100_000
"""A result of more elements counts as more than one step."""

Rule = Callable[..., float]


def shape_of(x: Any) -> tuple[int, ...] | None:
    """The shape of a tensor or array; None for anything else."""
    if type(x) is Tensor:
        return x.data.shape  # type: ignore[no-any-return]
    return x.shape if isinstance(x, np.ndarray | np.generic) else None


def admit(name: str, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> None:
    """Let a call through whose result stays within the limit.

    Raises:
        LimitError: it would have too many elements, or take too long.
    """
    rule = RULES.get(name)
    if rule is None:
        elements: float = broadcast(arguments)
        if not elements:
            return
    else:
        try:
            elements = rule(*arguments, **keywords)
        except (TypeError, ValueError, LookupError, AttributeError):
            return  # the function itself says what is wrong with its arguments
    if elements > MAX_ELEMENTS:
        raise too_large(name, elements)


def too_large(name: str, elements: float) -> LimitError:
    """The error for a result that would be too large."""
    return LimitError(
        f"the result of {name} would have {elements:,.0f} elements; gradviz allows {MAX_ELEMENTS:,}",
        hint="Use smaller tensors, or check which dims are broadcast.",
    )


def broadcast(values: Iterable[Any]) -> int:
    """Elements of what the tensors and arrays among the values broadcast to; 0 where there is at most one."""
    shapes = [
        value.data.shape if type(value) is Tensor else value.shape
        for value in values
        if type(value) is Tensor or type(value) is np.ndarray
    ]
    return joint(shapes) if len(shapes) > 1 else 0


def joint(shapes: Iterable[tuple[int, ...]]) -> int:
    """Elements of the broadcast shape; 0 for shapes that do not broadcast, as of a loss and its class numbers."""
    total = 1
    for sizes in zip_longest(*(shape[::-1] for shape in shapes), fillvalue=1):
        largest = max(sizes)
        if any(size not in (1, largest) for size in sizes):
            return 0
        total *= largest
    return total


def pair_fits(symbol: str, x: Any, y: Any) -> None:
    """Check an operator between two tensors or arrays of different shape.

    Raises:
        LimitError: the result would be too large.
    """
    for operand in (x, y):
        if type(operand) is range:
            check_range(operand)
    a, b = shape_of(x), shape_of(y)
    if a and b and (a != b or symbol == "@"):
        elements = _product(x, y) if symbol == "@" else joint((a, b))
        if elements > MAX_ELEMENTS:
            raise too_large(f"'{symbol}'", elements)


def check_range(numbers: range) -> None:
    """Check a range that numpy is to make an array of.

    Raises:
        LimitError: it is too long.
    """
    if numbers[MAX_ELEMENTS:]:
        raise LimitError(
            f"numpy would make an array of {numbers!r}; gradviz allows {MAX_ELEMENTS:,} elements",
            hint="Use a shorter range.",
        )


# ---- rules: elements of the result, from the arguments ----


def _shape(x: Any) -> tuple[int, ...]:
    shape = shape_of(x)
    if shape is None:
        raise TypeError
    return shape


def _product(x: Any, y: Any, *_: Any, **__: Any) -> float:
    a, b = _shape(x), _shape(y)
    rows, inner = (a[-2], a[-1]) if len(a) > 1 else (1, prod(a))
    columns = b[-1] if len(b) > 1 else 1
    elements = joint((a[:-2], b[:-2])) * rows * columns
    return _worked(elements, inner)


def _worked(elements: int, inner: int) -> int:
    if elements <= MAX_ELEMENTS and elements * inner > MAX_WORK:
        raise LimitError(
            f"this product takes {elements * inner:,} multiplications; gradviz allows {MAX_WORK:,}",
            hint="Use smaller matrices.",
        )
    return elements


def _added(_: Any, x: Any, y: Any, *__: Any, **___: Any) -> float:
    return _product(x, y)


def _linear(x: Any, weight: Any, *_: Any, **__: Any) -> float:
    a, (rows, inner) = _shape(x), _shape(weight)
    return _worked(prod(a[:-1]) * rows, inner)


def _all_pairs(x: Any, y: Any, *_: Any, **__: Any) -> float:
    return prod(_shape(x)) * prod(_shape(y))


def _distances(x: Any, y: Any, *_: Any, **__: Any) -> float:
    return prod(_shape(x)[:-1]) * _shape(y)[-2]


def _einsum(equation: Any, *operands: Any, **_: Any) -> float:
    sizes: dict[str, int] = {}
    for letters, x in zip(equation.replace(" ", "").split("->")[0].split(","), operands, strict=True):
        sizes.update(zip(letters, _shape(x), strict=True))
    result = equation.replace(" ", "").partition("->")[2]
    elements = prod(sizes[letter] for letter in result)
    return _worked(elements, prod(sizes.values()) // max(1, elements))


def _together(items: Any, *_: Any, **__: Any) -> float:
    return sum(prod(_shape(x)) for x in items)


def _grid(*axes: Any, **_: Any) -> float:
    given = axes[0] if len(axes) == 1 and isinstance(axes[0], list | tuple) else axes
    return prod(prod(_shape(x)) for x in given)


def _sizes(given: tuple[Any, ...]) -> list[int]:
    listed = given[0] if len(given) == 1 and isinstance(given[0], list | tuple) else given
    return [int(n) for n in listed]


def _expanded(x: Any, *size: Any, **_: Any) -> float:
    given, shape = _sizes(size), _shape(x)
    return prod(n if n >= 0 else old for n, old in zip_longest(given[::-1], shape[::-1], fillvalue=1))


def _as_other(x: Any, other: Any, *_: Any, **__: Any) -> float:
    return joint((_shape(x), _shape(other)))


def _repeated(x: Any, *times: Any, **_: Any) -> float:
    return prod(_shape(x)) * prod(_sizes(times))


def _interleaved(x: Any, repeats: Any, dim: Any = None, **_: Any) -> float:
    if not isinstance(repeats, Tensor):
        return prod(_shape(x)) * int(repeats)
    shape = _shape(x)
    others = 1 if dim is None else prod(shape) // max(1, shape[dim])
    return float(repeats.data.sum()) * others


def _padded(x: Any, pad: Any, *_: Any, **__: Any) -> float:
    if not isinstance(x, Tensor):
        wide = 2.0 * float(np.max(np.abs(pad)))
        return float(np.prod([n + wide for n in np.shape(x)]))
    shape = list(_shape(x))
    for number in range(len(pad) // 2):
        shape[-1 - number] += int(pad[2 * number]) + int(pad[2 * number + 1])
    return prod(shape)


def _one_hot(x: Any, num_classes: int = -1, **_: Any) -> float:
    return prod(_shape(x)) * (num_classes if num_classes > 0 else int(x.data.max()) + 1)


def _covariance(x: Any, **_: Any) -> float:
    if not isinstance(x, Tensor):
        return _each_with_each(x)
    shape = _shape(x)
    rows, columns = shape if len(shape) == 2 else (1, 1)
    return _worked(rows * rows, columns)


def _quantiles(x: Any, q: Any, dim: Any = None, *_: Any, **__: Any) -> float:
    if not isinstance(x, Tensor):
        return _shares(x, q)
    shape = _shape(x)
    rows = 1 if dim is None or not shape else prod(shape) // max(1, shape[dim])
    return rows * (prod(_shape(q)) if isinstance(q, Tensor) else 1)


def _diagonal(x: Any, *offset: Any, **_: Any) -> float:
    shape = _shape(x)
    return prod(shape[:-1]) * (shape[-1] + abs(offset[0] if offset else 0)) ** 2 if len(shape) == 1 else 0


def _selected(x: Any, dim: int, index: Any, *_: Any, **__: Any) -> float:
    shape = _shape(x)
    return prod(shape) // max(1, shape[dim]) * prod(_shape(index))


def _rows(index: Any, weight: Any, *_: Any, **__: Any) -> float:
    return prod(_shape(index)) * prod(_shape(weight)[1:])


def indexed(x: Any, index: Any) -> float:
    """Elements of x[index] where the index holds tensors, arrays or lists, whose places may repeat."""
    places: list[tuple[int, ...]] = []
    shape = list(_shape(x))
    at = 0
    for part in index if isinstance(index, tuple) else (index,):
        if part is None:
            continue
        if part is Ellipsis:
            return joint(places) * prod(shape)  # an upper bound: what comes after is not looked at
        found = shape_of(part) if not isinstance(part, list) else (len(part),)
        width = len(found) if found and _is_mask(part) else 1
        if not isinstance(part, slice):
            shape[at : at + width] = [1] * width
        if found is not None:
            places.append((prod(found),) if width > 1 else found)
        at += width
    return joint(places) * prod(shape) if places else 0


def _is_mask(x: Any) -> bool:
    return not isinstance(x, list) and (x.data.dtype if type(x) is Tensor else x.dtype).kind == "b"


def _grown(sizes: Iterable[int], factor: Any, more: Any) -> list[float]:
    """Each size times a factor plus something, both given once or one by one."""
    spatial = list(sizes)
    factors, added = ([float(n) for n in _each(value, len(spatial))] for value in (factor, more))
    return [size * by + plus for size, by, plus in zip(spatial, factors, added, strict=False)]


def _each(value: Any, count: int) -> list[Any]:
    if isinstance(value, str):
        return [0] * count  # "same" and "valid" add nothing
    return list(value) * (count if len(value) == 1 else 1) if isinstance(value, list | tuple) else [value] * count


def _convolved(x: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, *_: Any, **__: Any) -> float:
    a, w = _shape(x), _shape(weight)
    batch = a[0] if len(a) == len(w) else 1
    count = len(w) - 2
    padded = _grown(a[len(a) - count :], 1, [2 * p for p in _each(padding, count)])
    strides = prod(_each(stride, count))
    elements = int(batch * w[0] * prod(padded) / max(1, strides))
    return _worked(elements, prod(w[1:]))


def _transposed(x: Any, weight: Any, bias: Any = None, stride: Any = 1, *_: Any, **__: Any) -> float:
    a, w = _shape(x), _shape(weight)
    batch = a[0] if len(a) == len(w) else 1
    count = len(w) - 2
    elements = int(batch * w[1] * prod(_grown(a[len(a) - count :], stride, list(w[2:]))))
    return _worked(elements, w[0])


def _resized(x: Any, size: Any = None, scale_factor: Any = None, *_: Any, **__: Any) -> float:
    shape = _shape(x)
    count = len(shape) - 2
    spatial = _each(size, count) if size is not None else _grown(shape[2:], scale_factor, 0)
    return float(prod(shape[:2]) * prod(spatial))


def _blocks(*items: Any, **_: Any) -> float:
    shapes = [(1, 1, *_shape(x))[-2:] for x in items]
    return sum(rows for rows, _ in shapes) * sum(columns for _, columns in shapes)


def _chosen(x: Any, r: int = 2, *_: Any, **__: Any) -> float:
    count = prod(_shape(x))
    return comb(count, r) * r if r < 20 else MAX_ELEMENTS + 1


def _windows(x: Any, *arguments: Any, **_: Any) -> float:
    size = arguments[1] if len(arguments) > 1 else arguments[0]
    return float(prod(_shape(x)) * prod(_each(size, 2 if len(arguments) < 3 else 1)))


def _outer_added(_: Any, x: Any, y: Any, *__: Any, **___: Any) -> float:
    return _all_pairs(x, y)


# ---- numpy's own ----


def _powers(x: Any, N: int | None = None, *_: Any, **__: Any) -> float:
    return float(np.size(x)) * (np.size(x) if N is None else abs(N))


def _fitted(x: Any, y: Any, deg: int, *_: Any, **__: Any) -> float:
    return float(np.size(x)) * (abs(deg) + 1)


def _poured(x: Any, new_shape: Any, **_: Any) -> float:
    return float(np.prod(np.asarray(new_shape, np.float64)))


def _triangle(n: int, k: int = 0, m: int | None = None, **_: Any) -> float:
    return 2.0 * n * (n if m is None else m)


def _counts(x: Any, weights: Any = None, minlength: int = 0, **_: Any) -> float:
    numbers = x.data if isinstance(x, Tensor) else x
    # A complex number raises TypeError here, and the function itself says what it takes.
    return max(float(np.max(numbers).item()) + 1 if np.size(numbers) else 0.0, minlength)


def _bins(x: Any, bins: Any = 10, *_: Any, **__: Any) -> float:
    return float(bins if isinstance(bins, int) else np.size(bins.data if isinstance(bins, Tensor) else bins))


def _boxes(x: Any, bins: Any, *_: Any, **__: Any) -> float:
    dims = (np.shape(x.data) or (1,))[-1]
    each = [_bins(x, given) for given in (bins if isinstance(bins, list | tuple) else [bins] * dims)]
    return float(prod(each))


def _each_with_each(x: Any, *_: Any, **__: Any) -> float:
    return float(max(np.shape(x) or (1,))) ** 2


def _shares(x: Any, q: Any, *_: Any, **__: Any) -> float:
    return float(np.size(x)) * np.size(q)


def _no_growth(*_: Any, **__: Any) -> float:
    return 0


RULES: dict[str, Rule] = {
    **dict.fromkeys(("conv1d", "conv2d", "conv3d"), _convolved),
    **dict.fromkeys(("conv_transpose1d", "conv_transpose2d", "conv_transpose3d"), _transposed),
    **dict.fromkeys(("searchsorted", "bucketize", "isin", "take", "scatter", "scatter_add", "index_add"), _no_growth),
    "interpolate": _resized, "block_diag": _blocks, "combinations": _chosen, "unfold": _windows, "addr": _outer_added,
    **dict.fromkeys(("matmul", "mm", "bmm", "mv", "dot", "vdot", "__matmul__", "inner"), _product),
    **dict.fromkeys(("addmm", "addmv", "baddbmm", "addbmm"), _added),
    **dict.fromkeys(("outer", "ger", "kron", "tensordot"), _all_pairs),
    "vander": _powers, "polyfit": _fitted, "resize": _poured, "bincount": _counts, "histogram": _bins, "histc": _bins,
    "histogramdd": _boxes,
    **dict.fromkeys(("tril_indices", "triu_indices", "diag_indices"), _triangle),
    **dict.fromkeys(("cov", "corrcoef"), _covariance),
    **dict.fromkeys(("percentile", "nanpercentile"), _shares),
    **dict.fromkeys(("quantile", "nanquantile"), _quantiles),
    **dict.fromkeys(
        ("cat", "stack", "concat", "concatenate", "vstack", "hstack", "dstack", "column_stack", "row_stack"), _together
    ),
    **dict.fromkeys(("meshgrid", "cartesian_prod"), _grid),
    **dict.fromkeys(("expand", "broadcast_to"), _expanded),
    **dict.fromkeys(("tile", "repeat"), _repeated),
    **dict.fromkeys(("diag", "diag_embed", "diagflat"), _diagonal),
    "linear": _linear, "einsum": _einsum, "expand_as": _as_other, "repeat_interleave": _interleaved, "pad": _padded,
    "one_hot": _one_hot, "index_select": _selected, "embedding": _rows, "cdist": _distances,
    "gather": lambda x, dim, index, **_: prod(_shape(index)),
}  # fmt: skip
