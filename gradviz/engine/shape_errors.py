"""What PyTorch says of arrays that do not fit each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gradviz.engine.dtypes import category
from gradviz.errors import TorchError

if TYPE_CHECKING:
    from gradviz.engine.op import Op


def raise_shape_error(op: Op, x: Any, y: Any, error: Exception) -> None:
    """Say what PyTorch says of two arrays that do not fit."""
    shapes = x.shape, y.shape
    for offset in range(1, min(len(s) for s in shapes) + 1):
        a, b = shapes[0][-offset], shapes[1][-offset]
        if a != b and 1 not in (a, b):
            dim = max(len(s) for s in shapes) - offset
            raise TorchError(
                f"The size of tensor a ({a}) must match the size of tensor b ({b}) at non-singleton dimension {dim}",
                hint=f"'{op.name}' got shapes {list(shapes[0])} and {list(shapes[1])}: "
                "sizes must be equal or 1, counted from the right.",
            ) from None
    if category(x.dtype) == category(y.dtype) == 0:
        raise TorchError(f"'{op.name}' is not supported for bool tensors; convert them to another dtype") from None
    raise TorchError(f"'{op.name}' cannot be computed: {error}") from error
