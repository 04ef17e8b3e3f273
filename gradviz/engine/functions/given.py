"""What the functions of layers and losses are given: checks that several families share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradviz.engine.dtypes import dtype_of
from gradviz.engine.operands import tensor_given
from gradviz.engine.state import state
from gradviz.engine.tensor import Tensor, current
from gradviz.engine.views import refuse_write, write


def floats_given(function: str, x: Any, kernel: str, name: str = "input", position: int = 1) -> Tensor:
    """A tensor of floats.

    Args:
        kernel: what PyTorch's message names.

    Raises:
        TypeError: it is no tensor.
        NotImplementedError: it holds whole numbers or bools.
    """
    now = current(tensor_given(function, x, name, position))
    if now.array.dtype.kind != "f":
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{dtype_of(now.array.dtype).type_name}'")
    return now


def refuse_gradient(function: str, name: str, *tensors: Any) -> None:
    """Raise where an argument that no gradient flows into asks for one.

    Raises:
        RuntimeError: one of them requires grad, and gradients are recorded.
    """
    if state.grad_enabled and any(isinstance(x, Tensor) and current(x).tracked for x in tensors):
        raise RuntimeError(
            f"The function '{function}' is not differentiable with respect to argument '{name}'. This input cannot have "
            "requires_grad True."
        )


def in_place_of(x: Tensor, made: Tensor, inplace: bool) -> Tensor:
    """The result of a function, written to its input where `inplace=True`."""
    if not inplace:
        return made
    refuse_write(x)
    return write(x, made)


def numbers_given(value: Any, count: int) -> tuple[int, ...]:
    """One whole number for each spatial dim: a single number stands for all of them."""
    if isinstance(value, Sequence) and not isinstance(value, str):
        found = tuple([int(each) for each in value])
        return found * count if len(found) == 1 else found
    return (int(value),) * count


def shape_text(x: Tensor) -> str:
    """A shape as PyTorch's messages print it."""
    return f"torch.Size({list(current(x).array.shape)})"
