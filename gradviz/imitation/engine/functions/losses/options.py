"""What all losses share: how they are reduced, the arguments of old, and what they say of targets that do not fit."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.imitation.engine.dtypes import FLOAT32, FLOATING, convert, result_dtype, type_name
from gradviz.imitation.engine.functions.reducing.reduction import mean, sum
from gradviz.imitation.engine.functions.shapes.shaping import expand
from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.kind_names import kind_name
from gradviz.imitation.engine.shape_errors import raise_shape_error
from gradviz.imitation.engine.tensor import Tensor, apply, constant
from gradviz.imitation.engine.warn import warn, warn_here
from gradviz.errors import TorchError

REDUCTIONS = ("none", "mean", "sum")


def size_text(x: Tensor) -> str:
    """The shape as messages print it."""
    return f"torch.Size({list(x.shape)})"


def old_reduction(size_average: Any, reduce: Any, place: str) -> str:
    """The reduction that the arguments of old stand for; warns, as they are deprecated."""
    try:
        average, reduced = size_average is None or bool(size_average), reduce is None or bool(reduce)
    except TorchError as error:  # the output and target, which a class of torch.nn does not take
        error.hint = "A loss of torch.nn is made first and called then: nn.MSELoss()(output, target)."
        raise
    found = "none" if not reduced else "mean" if average else "sum"
    warn(f"size_average and reduce args will be deprecated, please use reduction='{found}' instead.", once=place)
    return found


def reduction_of(size_average: Any, reduce: Any, reduction: str, place: str) -> str:
    """The reduction asked for, by its name or by the arguments of old; `place` is the function that asks."""
    return reduction if size_average is None and reduce is None else old_reduction(size_average, reduce, place)


def checked(reduction: Any) -> str:
    """The name of a reduction.

    Raises:
        TorchError: there is none of that name.
    """
    if reduction == "elementwise_mean":
        warn("reduction='elementwise_mean' is deprecated. Please use reduction='mean' instead.", once=True)
        return "mean"
    if reduction not in REDUCTIONS:
        raise TorchError(
            f"{reduction} is not a valid value for reduction", kind="ValueError", hint="Use 'none', 'mean' or 'sum'."
        )
    return str(reduction)


def reduced(losses: Tensor, reduction: str) -> Tensor:
    """All losses, their mean, or their sum."""
    return losses if reduction == "none" else mean(losses) if reduction == "mean" else sum(losses)


# ---- targets ----


def sized(*given: Any) -> None:
    """Refuse what has no size.

    Raises:
        TorchError: a number or a list in the place of a tensor.
    """
    for x in given:
        if isinstance(x, np.ndarray | np.generic):  # whose size is a number
            raise TorchError("'int' object is not callable", kind="TypeError", hint="Use torch.from_numpy(...).")
        if not isinstance(x, Tensor):
            raise TorchError(
                f"'{kind_name(x)}' object has no attribute 'size'",
                kind="AttributeError",
                hint="Wrap it with torch.tensor(...).",
            )


def must_keep_shape(target: Tensor, weight: Tensor) -> None:
    """Raise where losses of the shape of the target would take another beside a weight."""
    shape = broadcast_shape(target, weight)
    if shape != target.shape:
        raise TorchError(
            f"output with shape {list(target.shape)} doesn't match the broadcast shape {list(shape)}",
            hint="Give a weight with no more dims than the target has.",
        )


def broadcast_shape(*tensors: Tensor) -> tuple[int, ...]:
    """The shape that all broadcast to.

    Raises:
        TorchError: there is none.
    """
    first = tensors[0].data
    for x in tensors[1:]:
        try:
            shape = np.broadcast_shapes(first.shape, x.shape)
        except ValueError as error:
            raise_shape_error(OPS["sub"], first, x.data, error)
        first = np.broadcast_to(first, shape)
    return tuple(first.shape)


def beside_each_other(x: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """Both in one shape, with a warning where they had two."""
    if x.shape == target.shape:
        return x, target
    warn_here(
        f"Using a target size ({size_text(target)}) that is different to the input size ({size_text(x)}). This will "
        "likely lead to incorrect results due to broadcasting. Please ensure they have the same size."
    )
    size = broadcast_shape(x, target)
    return x if x.shape == size else expand(x, *size), target if target.shape == size else expand(target, *size)


def alike(name: str, *tensors: Tensor) -> tuple[Tensor, ...]:
    """Tensors brought to one floating dtype; whole numbers become constants of it.

    Args:
        name: of the kernel, as PyTorch's message has it where none is floating.

    Raises:
        TorchError: none is floating.
    """
    seen = tensors[0].data
    for x in tensors[1:]:
        seen = np.empty((1,) * max(seen.ndim, x.ndim), result_dtype(seen, x.data))[()]
    if seen.dtype.kind not in FLOATING:
        raise TorchError(
            f"\"{name}\" not implemented for '{type_name(seen.dtype)}'",
            kind="NotImplementedError",
            hint="Convert with .float() first.",
        )
    return tuple(x if x.dtype.kind in FLOATING else constant(convert(x.data, seen.dtype), x.tape) for x in tensors)


def refuse_gradient(function: str, name: str, x: Tensor | None) -> None:
    """Refuse a gradient where PyTorch has no derivative.

    Raises:
        TorchError: x takes a gradient.
    """
    if x is not None and x.requires_grad and x.tape.grad_enabled:
        raise TorchError(
            f"The function '{function}' is not differentiable with respect to argument '{name}'. "
            "This input cannot have requires_grad True.",
            hint="Give it .detach().",
        )


# ---- arithmetic with a number inside PyTorch ----


def floating(x: Tensor) -> Tensor:
    """Whole numbers as float32."""
    return x if x.dtype.kind in FLOATING else constant(convert(x.data, np.dtype(np.float32)), x.tape)


def plus(x: Tensor, number: float) -> Tensor:
    """x + number: AddBackward1."""
    return apply(OPS["add_number"], (floating(x),), other=number)


def minus(x: Tensor, number: float) -> Tensor:
    """x − number: SubBackward1."""
    return apply(OPS["sub_number"], (floating(x),), other=number)


def times(x: Tensor, number: float) -> Tensor:
    """x · number: MulBackward1."""
    return apply(OPS["mul_number"], (floating(x),), other=number)


def over(x: Tensor, number: float) -> Tensor:
    """x / number: DivBackward1."""
    return apply(OPS["div_number"], (floating(x),), other=number)


def number_minus(number: float, x: Tensor) -> Tensor:
    """number − x, the number in the dtype of x: SubBackward0, whose first input is no node."""
    found: Tensor = constant(np.full_like(x.data, number), x.tape) - x
    return found


def refuse_in_place(x: Tensor, other: Tensor, size: tuple[int, ...]) -> None:
    """Raise where a loss that PyTorch works out in the memory of x has another shape, or numbers x has none for."""
    if size != x.shape:
        raise TorchError(f"output with shape {list(x.shape)} doesn't match the broadcast shape {list(size)}")
    if x.dtype.kind not in FLOATING:
        kind = type_name(other.dtype if other.dtype.kind in FLOATING else FLOAT32)
        raise TorchError(f"result type {kind} can't be cast to the desired output type {type_name(x.dtype)}")
