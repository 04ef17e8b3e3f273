"""What PyTorch says of arrays that do not fit each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gradviz.imitation.engine.dtypes import category
from gradviz.errors import TorchError

if TYPE_CHECKING:
    from gradviz.imitation.engine.op import Op


TWO_BOOLS = (
    "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` operator "
    "instead."
)
ONE_BOOL = (
    "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, use the "
    "`~` or `logical_not()` operator instead."
)
BOOLS_HINT = "Convert the mask to numbers first, e.g. with .float()."


def refuse_bools(a: Any, b: Any) -> None:
    """Raise for a − b where one of them is a bool; each is a tensor, an array or a Python number."""
    bools = [x is True or x is False or getattr(getattr(x, "dtype", None), "kind", "") == "b" for x in (a, b)]
    if any(bools):
        raise TorchError(TWO_BOOLS if all(bools) else ONE_BOOL, hint=BOOLS_HINT)


def fit_together(op: Op, *arrays: Any) -> None:
    """Raise what PyTorch raises where several arrays do not broadcast, the first with the second and so on."""
    so_far = arrays[0]
    for array in arrays[1:]:
        try:
            so_far = np.broadcast_to(np.bool_(False), np.broadcast_shapes(so_far.shape, array.shape))
        except ValueError as error:
            raise_shape_error(op, so_far, array, error)


def mismatch(x: tuple[int, ...], y: tuple[int, ...], what: str = "The operation") -> TorchError | None:
    """PyTorch's error for two shapes that do not broadcast; None where they do."""
    for offset in range(1, min(len(x), len(y)) + 1):
        a, b = x[-offset], y[-offset]
        if a != b and 1 not in (a, b):
            dim = max(len(x), len(y)) - offset
            return TorchError(
                f"The size of tensor a ({a}) must match the size of tensor b ({b}) at non-singleton dimension {dim}",
                hint=f"{what} got shapes {list(x)} and {list(y)}: sizes must be equal or 1, counted from the right.",
            )
    return None


def invalid_gradient(node: str, slot: int, got: Sequence[int], expected: Sequence[int], hint: str) -> TorchError:
    """PyTorch's error for a gradient that does not fit the input at a slot of a node; of none where `node` is ""."""
    told = f"invalid gradient at index {slot} - got {list(got)} but expected shape compatible with {list(expected)}"
    return TorchError(f"Function {node} returned an {told}" if node else told, hint=hint)


def raise_shape_error(op: Op, x: Any, y: Any, error: Exception) -> None:
    """Say what PyTorch says of two arrays that do not fit."""
    found = mismatch(x.shape, y.shape, f"'{op.name}'")
    if found is not None:
        raise found from None
    if category(x.dtype) == category(y.dtype) == 0 and op.name == "sub":
        raise TorchError(TWO_BOOLS, hint=BOOLS_HINT) from None
    if category(x.dtype) == category(y.dtype) == 0:
        raise TorchError(f"'{op.name}' is not supported for bool tensors; convert them to another dtype") from None
    raise TorchError(f"'{op.name}' cannot be computed: {error}") from error
