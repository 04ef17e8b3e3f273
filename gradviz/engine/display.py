"""What `print(x)` and `repr(x)` give for a tensor, and `torch.set_printoptions`."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.engine.dtypes import dtype_of
from gradviz.engine.printing import DEFAULT_OPTIONS, PrintOptions, change_options, format_tensor
from gradviz.engine.state import state
from gradviz.engine.tensor import Tensor, behind_changes, current


class Display:
    """The print options of a run.

    Attributes:
        options: what `torch.set_printoptions` set last.
    """

    def __init__(self) -> None:
        self.options: PrintOptions = DEFAULT_OPTIONS


display = Display()
"""The one display of this process."""


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: float | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """`torch.set_printoptions`: how tensors are printed from now on; see `PrintOptions`.

    Raises:
        ValueError: a precision or a number of edge items that is no whole number of 0 or more.
    """
    display.options = change_options(display.options, precision, threshold, edgeitems, linewidth, profile, sci_mode)


def tensor_text(self: Tensor, prefix: str = "") -> str:
    """The text of a tensor, as PyTorch prints it.

    Args:
        prefix: the word before the bracket; "" for "tensor", or the name of the class for a subclass.
    """
    now = current(self)
    made_by = behind_changes(now).op
    return format_tensor(
        now.array,
        dtype_of(now.array.dtype),
        requires_grad=now.tracked,
        grad_fn_name=None if made_by is None or not now.tracked else made_by.node_name.rpartition(":")[2],
        prefix=prefix or ("tensor" if type(self) is Tensor else type(self).__name__),
        default_dtype=dtype_of(np.dtype(state.dtype)),
        options=display.options,
    )


METHODS: dict[str, Any] = {"__repr__": tensor_text, "__str__": tensor_text}
"""What tensors have of these functions."""
