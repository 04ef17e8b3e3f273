"""`torch.nn.functional.dropout` and its kin, with the masks that PyTorch's generator draws."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.engine.dtypes import FLOATING, type_name
from gradviz.engine.functions import FUNCTIONS as F
from gradviz.engine.functions.arguments import need
from gradviz.engine.random import in_memory_order
from gradviz.engine.tensor import Tensor, constant
from gradviz.errors import TorchError
from gradviz.script.machine import Machine


def functions(machine: Machine) -> dict[str, Callable[..., Tensor]]:
    """By name: of single numbers, and of whole channels of one, two and three spatial axes."""
    whole = {f"dropout{axes}d": _dropout(machine, f"dropout{axes}d", 2) for axes in (1, 2, 3)}
    return {"dropout": _dropout(machine, "dropout", None), **whole}


def _dropout(machine: Machine, name: str, leading: int | None) -> Callable[..., Tensor]:
    """Each number of the first `leading` axes (all where None) is kept or dropped with all that lies below it."""

    def function(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
        x = need(name, input)
        if not 0 <= p <= 1:
            raise TorchError(f"dropout probability has to be between 0 and 1, but got {p}", kind="ValueError")
        if not training or p == 0 or x.data.size == 0:
            return x
        if x.dtype.kind not in FLOATING:
            raise TorchError(
                f"result type Float can't be cast to the desired output type {type_name(x.dtype)}",
                hint="Convert with .float() first.",
            )
        like = x.data if leading is None else np.empty(_shape(x, leading))
        mask: Any = in_memory_order(like, lambda shape: machine.random.dropout_mask(shape, p, x.dtype.name))
        out: Tensor = F["mul"](x, constant(mask, x.tape))
        if not inplace:
            return out
        from gradviz.engine import storage

        storage.refuse_leaf(x)
        return storage.become(x, out)

    function.__name__ = name
    return function


def _shape(x: Tensor, leading: int) -> tuple[int, ...]:
    return (*x.shape[:leading], *(1,) * (x.ndim - leading))
