"""`torch.autograd.gradcheck`: analytic gradients against central differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.engine.errors import refuse_options
from gradviz.engine.gradients import grad
from gradviz.engine.modes import enable_grad
from gradviz.engine.state import warn
from gradviz.engine.tensor import Tensor, constant, current


class GradcheckError(RuntimeError):
    """The analytic gradient is not what differences say."""

    __module__ = "torch.autograd.gradcheck"


def _tensors(x: Any) -> tuple[Tensor, ...]:
    given = x if isinstance(x, tuple | list) else (x,)
    return tuple([each for each in given if isinstance(each, Tensor)])


def _numeric(func: Callable[..., Any], inputs: tuple[Any, ...], slot: int, eps: float) -> list[Any]:
    """For each output the Jacobian with respect to one input, of shape (input size, output size)."""
    base = current(inputs[slot]).array
    columns: list[list[Any]] = []
    for i in range(base.size):
        values = []
        for sign in (1, -1):
            moved = np.array(base, copy=True).reshape(-1)
            moved[i] += sign * eps
            given = list(inputs)
            given[slot] = constant(moved.reshape(base.shape)[()])
            given[slot].tracked = True
            values.append([np.array(current(y).array, np.float64).reshape(-1) for y in _tensors(func(*given))])
        columns.append([(up - down) / (2 * eps) for up, down in zip(*values, strict=True)])
    return [np.stack([column[k] for column in columns]) for k in range(len(columns[0]))] if columns else []


def _analytic(y: Tensor, x: Tensor) -> Any:
    """The Jacobian by one pass for each number of the output, of shape (input size, output size)."""
    array, size = current(y).array, current(x).array.size
    found = np.zeros((size, array.size))
    if not current(y).tracked:
        return found
    for j in range(array.size):
        unit = np.zeros(array.size, array.dtype)
        unit[j] = 1
        (g,) = grad(y, x, constant(unit.reshape(array.shape)[()]), retain_graph=True, allow_unused=True)
        if g is not None:
            found[:, j] = current(g).array.reshape(-1)
    return found


def gradcheck(
    func: Callable[..., Any],
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    **others: Any,
) -> bool:
    """Compare the gradients of a function with central differences.

    Args:
        func: a function of tensors that gives a tensor or a tuple of them.
        inputs: where to compare; float64 with requires_grad=True.
        eps: how far each number is moved; `atol` and `rtol`, how large the difference may be.

    Raises:
        GradcheckError: they differ, unless raise_exception is False.
        ValueError: no input requires grad.
        Beyond: another kind of check.
    """
    passing = ("nondet_tol", "check_undefined_grad", "check_backward_ad", "fast_mode", "masked")
    asked = {name: value for name, value in others.items() if name not in passing}
    refuse_options(
        "gradcheck", asked, "check_grad_dtypes check_batched_grad check_batched_forward_grad check_forward_ad"
    )
    given = tuple(inputs) if isinstance(inputs, tuple | list) else (inputs,)
    slots = [i for i, x in enumerate(given) if isinstance(x, Tensor) and current(x).tracked]
    if not slots:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of the them have requires_grad=True."
        )
    for slot in slots:
        if current(given[slot]).array.dtype != np.float64:
            warn(
                f"Input #{slot} requires gradient and is not a double precision floating point or complex. This check "
                "will likely fail if all the inputs are not of double precision floating point or complex. "
            )
    with enable_grad():
        outputs = _tensors(func(*given))
        for slot in slots:
            numeric = _numeric(func, given, slot, eps)
            for number, y in enumerate(outputs):
                analytic = _analytic(y, given[slot])
                if not np.allclose(analytic, numeric[number], rtol, atol, equal_nan=True):
                    if not raise_exception:
                        return False
                    raise GradcheckError(
                        f"Jacobian mismatch for output {number} with respect to input {slot},\n"
                        f"numerical:{_printed(numeric[number])}\nanalytical:{_printed(analytic)}\n"
                    )
    return True


def _printed(array: Any) -> str:
    return repr(constant(array))
