"""Functions that join tensors, or make their shapes fit each other."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.imitation.engine.functions.arguments import all_tensors, need
from gradviz.imitation.engine.functions.places.placing import masked_select
from gradviz.imitation.engine.functions.shapes.shaping import cat, expand, meshgrid, reshape, stack, unsqueeze
from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.tensor import Tensor, apply, constant
from gradviz.errors import TorchError

# ---- joined ----


def atleast_1d(*tensors: Any) -> Any:
    return _each(tensors, lambda x: reshape(x, 1) if x.ndim == 0 else x)


def atleast_2d(*tensors: Any) -> Any:
    return _each(tensors, lambda x: reshape(x, 1, 1) if x.ndim == 0 else unsqueeze(x, 0) if x.ndim == 1 else x)


def _three(x: Tensor) -> Tensor:
    if x.ndim == 0:
        return reshape(x, 1, 1, 1)
    if x.ndim == 1:
        return unsqueeze(unsqueeze(x, 0), -1)
    return unsqueeze(x, -1) if x.ndim == 2 else x


def atleast_3d(*tensors: Any) -> Any:
    return _each(tensors, _three)


def _each(tensors: tuple[Any, ...], change: Callable[[Tensor], Tensor]) -> Any:
    if len(tensors) == 1 and isinstance(tensors[0], Tensor):
        return change(tensors[0])
    return tuple(map(change, all_tensors(tensors[0] if len(tensors) == 1 else tensors)))


def hstack(tensors: Any) -> Tensor:
    xs = atleast_1d(_some("hstack", tensors))
    return cat(xs, 0 if xs[0].ndim == 1 else 1)


def vstack(tensors: Any) -> Tensor:
    return cat(atleast_2d(_some("vstack", tensors)), 0)


def dstack(tensors: Any) -> Tensor:
    return cat(atleast_3d(_some("dstack", tensors)), 2)


def column_stack(tensors: Any) -> Tensor:
    return hstack([reshape(x, x.data.size, 1) if x.ndim <= 1 else x for x in _some("column_stack", tensors)])


def _some(name: str, tensors: Any) -> tuple[Any, ...]:
    if not tensors:
        raise TorchError(f"{name} expects a non-empty TensorList")
    return tuple(tensors)


def broadcast_to(input: Tensor, *size: Any) -> Tensor:
    return expand(need("broadcast_to", input), *size)


def broadcast_tensors(*tensors: Any) -> tuple[Tensor, ...]:
    given = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], list | tuple) else tensors
    xs = all_tensors(given)
    try:
        size = np.broadcast_shapes(*(x.shape for x in xs))
    except ValueError:
        from gradviz.imitation.engine.shape_errors import raise_shape_error

        raise_shape_error(OPS["add"], xs[0].data, xs[1].data, ValueError("the shapes do not broadcast"))
        raise
    return tuple(x if x.shape == size else expand(x, size) for x in xs)


def cartesian_prod(*tensors: Any) -> Tensor:
    xs = all_tensors(tensors)
    for x in xs:
        if x.ndim != 1:
            raise TorchError(f"Expect a 1D vector, but got shape {list(x.shape)}")
    if len(xs) == 1:
        return xs[0]
    return stack([reshape(x, -1) for x in meshgrid(xs, indexing="ij")], 1)


def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    x = need("combinations", input)
    if x.ndim != 1:
        raise TorchError(f"Expect a 1D vector, but got shape {list(x.shape)}")
    places = np.indices((x.shape[0],) * r)
    follows = np.less_equal if with_replacement else np.less
    holds = np.ones(places.shape[1:], np.bool_)
    for a, b in itertools.pairwise(places):
        holds &= follows(a, b)
    mask = constant(holds, x.tape)
    return stack([masked_select(grid, mask) for grid in meshgrid([x] * r, indexing="ij")], 1)


def block_diag(*tensors: Any) -> Tensor:
    xs = all_tensors(tensors)
    for number, x in enumerate(xs):
        if x.ndim > 2:
            raise TorchError(
                "torch.block_diag: Input tensors must have 2 or fewer dimensions. "
                f"Input {number} has {x.ndim} dimensions"
            )
    return apply(OPS["block_diag"], tuple(xs))


FUNCTIONS: dict[str, Callable[..., Any]] = {
    f.__name__: f
    for f in (
        atleast_1d, atleast_2d, atleast_3d, hstack, vstack, dstack, column_stack, broadcast_to, broadcast_tensors,
        cartesian_prod, combinations, block_diag,
    )
} | {"row_stack": vstack}  # fmt: skip
METHODS: dict[str, Callable[..., Any]] = {"broadcast_to": broadcast_to}
NEURAL: dict[str, Callable[..., Any]] = {}
