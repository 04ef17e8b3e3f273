"""Functions that count: unique, bincount, histograms, and which numbers are among others. No gradient flows."""

# ruff: noqa: ARG001 - PyTorch takes arguments that change nothing here: `sorted`, `assume_unique`

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.imitation.engine.dtypes import FLOATING, INT64, type_name
from gradviz.imitation.engine.functions.arguments import dims_of, int_dim, must_have_dims, need
from gradviz.imitation.engine.kind_names import kind_name
from gradviz.imitation.engine.op import Op
from gradviz.imitation.engine.shapes import axes_of
from gradviz.imitation.engine.tensor import Tensor, constant, record
from gradviz.errors import TorchError


def underivable(name: str, node: str, message: str, kind: str, output: str = "", count: int = 1) -> Op:
    """An op of so many inputs that PyTorch gives no derivative: the graph holds it, and backward() refuses it."""

    def refuse(*_: Any, **__: Any) -> Any:
        raise TorchError(message, kind=kind, hint="Detach its result, or use another function.")

    inputs = ("x",) if count == 1 else tuple(f"x{i}" for i in range(count))
    return Op(name, name, refuse, (refuse,) * count, inputs, ("none",) * count, "", node=node, output=output)


def _no_derivative(name: str, node: str) -> Op:
    message = f"the derivative for '{name}' is not implemented."
    return underivable(name.strip("_"), node, message, "NotImplementedError")


UNIQUE = _no_derivative("_unique2", "Unique2Backward0")
UNIQUE_DIM = _no_derivative("unique_dim", "UniqueDimBackward0")
CONSECUTIVE = _no_derivative("unique_consecutive", "UniqueConsecutiveBackward0")
# ---- each number once ----


def _grouped(rows: Any, order: Any) -> tuple[Any, Any]:
    """Which of the rows in an order begin a group of equal ones, and the group of each row."""
    taken = rows[order]
    starts = np.ones(len(taken), np.bool_)
    starts[1:] = (taken[1:] != taken[:-1]).any(axis=tuple(range(1, taken.ndim)))
    groups = np.empty(len(taken), np.int64)
    groups[order] = np.cumsum(starts) - 1
    return order[starts], groups


def _several(
    op: Op, x: Tensor, values: Any, groups: Any, shape: Any, *, return_inverse: bool, return_counts: bool
) -> Any:
    """The values, and beside them what is asked for."""
    found: list[Tensor] = [record(op, (x,), {}, values)]
    if return_inverse:
        found.append(constant(np.asarray(groups.reshape(shape))[()], x.tape))
    if return_counts:
        count = int(groups.max()) + 1 if groups.size else 0
        found.append(constant(np.bincount(groups, minlength=count).astype(np.int64), x.tape))
    return tuple(found) if len(found) > 1 else found[0]


def _slices(x: Tensor, axis: int) -> Any:
    """The slices along an axis as rows."""
    if x.data.size == 0 and x.shape[axis]:
        raise TorchError("There are 0 sized dimensions, and they aren't selected, so unique cannot be applied")
    turned = np.moveaxis(x.data, axis, 0)
    return turned.reshape(len(turned), -1) if x.data.size else turned.reshape(0, 0)


def _need_flags(function: str, flags: dict[str, Any]) -> None:
    for name, flag in flags.items():
        if not isinstance(flag, bool):
            text = f"{function}(): argument '{name}' must be bool, not {kind_name(flag)}"
            raise TorchError(text, kind="TypeError")


def unique(
    input: Tensor, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False, dim: Any = None
) -> Any:
    x = need("_unique2", input)
    wanted = {"return_inverse": return_inverse, "return_counts": return_counts}
    _need_flags("_unique2" if dim is None else "unique_dim", {"sorted": sorted, **wanted})
    if dim is None:
        flat = np.asarray(x.data).reshape(-1)
        first, groups = _grouped(flat, np.argsort(flat, kind="stable"))
        return _several(UNIQUE, x, flat[first], groups, x.shape, **wanted)
    must_have_dims(x, dim)
    axis = int_dim("unique_dim", dim, x.ndim, 2)
    rows = _slices(x, axis)
    order = np.lexsort(rows.T[::-1]) if rows.shape[1] else np.arange(len(rows))
    first, groups = _grouped(rows, order)
    return _several(UNIQUE_DIM, x, np.take(x.data, first, axis), groups, -1, **wanted)


def unique_consecutive(
    input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: Any = None
) -> Any:
    x = need("unique_consecutive", input)
    wanted = {"return_inverse": return_inverse, "return_counts": return_counts}
    _need_flags("unique_consecutive", wanted)
    if dim is None:
        flat = np.asarray(x.data).reshape(-1)
        first, groups = _grouped(flat, np.arange(flat.size))
        return _several(CONSECUTIVE, x, flat[first], groups, x.shape, **wanted)
    must_have_dims(x, dim)
    axis = int_dim("unique_consecutive", dim, x.ndim, 0)
    rows = _slices(x, axis)
    first, groups = _grouped(rows, np.arange(len(rows)))
    return _several(CONSECUTIVE, x, np.take(x.data, first, axis), groups, -1, **wanted)


def _chosen_consecutive(input: Tensor, *given: Any, **named: Any) -> Any:
    """`torch.unique_consecutive`: by place it looks one too far for what to give back, and gives an empty one then."""
    asked = dict(zip(CHOOSES, given, strict=False)) | named
    by_place = given[1::-1] if len(given) > 1 else (False, *given, False)[:2]
    wanted = [bool(named.get(name, other)) for name, other in zip(CHOOSES, by_place, strict=False)]
    found = unique_consecutive(input, *given, **named)
    if wanted == [bool(asked.get(name)) for name in CHOOSES]:
        return found
    values, *others = found if isinstance(found, tuple) else (found,)
    empty = constant(np.zeros(0, INT64), values.tape)
    kept = [others.pop(0) if asked.get(name) else empty for name in CHOOSES]
    result = [values, *(x for x, is_wanted in zip(kept, wanted, strict=True) if is_wanted)]
    return tuple(result) if len(result) > 1 else values


CHOOSES = ("return_inverse", "return_counts")
chosen_consecutive = functools.wraps(unique_consecutive)(_chosen_consecutive)


# ---- how many of each ----


def count_nonzero(input: Tensor, dim: Any = None, *more: Any) -> Tensor:
    x = need("count_nonzero", input)
    dim = (dim, *more) if more else dim
    found: Any = np.count_nonzero(x.data, axis=axes_of(dims_of(dim, x), x.ndim))
    return constant(np.asarray(found, INT64)[()], x.tape)


def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    x = need("bincount", input)
    if x.dtype.kind in FLOATING or x.dtype.kind == "b":
        raise TorchError(
            f"\"bincount_cpu\" not implemented for '{type_name(x.dtype)}'",
            kind="NotImplementedError",
            hint="Convert with .long() first.",
        )
    if minlength < 0:
        raise TorchError("minlength should be >= 0")
    if x.ndim != 1 or (x.data.size and x.data.min() < 0):
        raise TorchError("bincount only supports 1-d non-negative integral inputs.")
    if weights is not None and weights.shape != x.shape:
        raise TorchError("weights should be 1-d and have the same length as input")
    length = max(int(x.data.max()) + 1 if x.data.size else 0, minlength)
    if weights is None:
        return constant(np.bincount(x.data, minlength=length).astype(np.int64), x.tape)
    dtype = weights.dtype if weights.dtype == np.float32 else np.dtype(np.float64)
    out = np.zeros(length, dtype)
    np.add.at(out, x.data, weights.data.astype(dtype))
    return constant(out, x.tape)


# ---- among others ----


def isin(elements: Any, test_elements: Any, *, assume_unique: bool = False, invert: bool = False) -> Tensor:
    given = [e for e in (elements, test_elements) if isinstance(e, Tensor)]
    others = [e for e in (elements, test_elements) if not isinstance(e, Tensor)]
    if not given or not all(isinstance(e, int | float) for e in others):
        kinds = ", ".join("Tensor" if isinstance(e, Tensor) else kind_name(e) for e in (elements, test_elements))
        raise TorchError(_ISIN.format(kinds=kinds), kind="TypeError", hint="Wrap lists with torch.tensor(...).")
    if any(isinstance(e, bool) or (isinstance(e, Tensor) and e.dtype.kind == "b") for e in (elements, test_elements)):
        raise TorchError("Unsupported input type encountered for isin(): Bool", hint="Convert with .int() first.")
    a, b = (e.data if isinstance(e, Tensor) else e for e in (elements, test_elements))
    return constant(np.asarray(np.isin(a, b, invert=invert), order="C")[()], given[0].tape)


_ISIN = """isin() received an invalid combination of arguments - got ({kinds}), but expected one of:
 * (Tensor elements, Tensor test_elements, *, bool assume_unique = False, bool invert = False, Tensor out = None)
 * (Number element, Tensor test_elements, *, bool assume_unique = False, bool invert = False, Tensor out = None)
 * (Tensor elements, Number test_element, *, bool assume_unique = False, bool invert = False, Tensor out = None)
"""


FUNCTIONS: dict[str, Callable[..., Any]] = {
    f.__name__: f for f in (unique, unique_consecutive, count_nonzero, bincount, isin)
}
METHODS: dict[str, Callable[..., Any]] = {name: f for name, f in FUNCTIONS.items() if name != "isin"}
FUNCTIONS["unique_consecutive"] = chosen_consecutive
