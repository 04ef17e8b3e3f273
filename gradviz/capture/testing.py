"""For tests: gradients held against what they should be, with a recording to look at where they are not."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Any, Callable, Union

import torch

from gradviz.capture.recorder import Recorder

Function = Callable[..., Any]
_STEP = 1e-6


def assert_gradients_close(
    actual: Function,
    expected: Function | Sequence[torch.Tensor] | None,
    *inputs: Any,
    seed: torch.Tensor | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    path: Union[str, os.PathLike[str], None] = None,  # noqa: UP007 # read by Python 3.9
) -> None:
    """Assert that a function has the gradients that it should; where not, write a recording of its backward pass.

    Args:
        actual: called with `inputs`; gives a tensor.
        expected: another function of the same inputs, or the gradients (one for each input that takes one), or None for
            central differences in double precision.
        inputs: tensors and whatever else the functions take; `.grad` is left alone.
        seed: the v of v·J, of the output's shape; ones without it.
        rtol: relative tolerance; with `atol` as `torch.testing.assert_close` has them, 1e-4 for central differences.
        atol: absolute tolerance.
        path: of the recording; beside the test, by its name, without it.

    Raises:
        AssertionError: they differ; the message says where, and which file to open.
        ValueError: no input takes a gradient, or there are more or fewer gradients than inputs that do.

    Example:
        >>> x = torch.rand(3, requires_grad=True)
        >>> assert_gradients_close(torch.sin, lambda x: torch.cos(x - torch.pi / 2), x)
        >>> assert_gradients_close(torch.sin, None, x)
    """
    asked = [at for at, x in enumerate(inputs) if isinstance(x, torch.Tensor) and x.requires_grad]
    if not asked:
        raise ValueError("None of the inputs takes a gradient: give one requires_grad=True.")
    recorder = Recorder()
    with recorder:
        found = _gradients(actual, inputs, asked, seed)
    if expected is None:
        wanted = [_difference(actual, inputs, at, seed) for at in asked]
        rtol, atol = 1e-4 if rtol is None else rtol, 1e-4 if atol is None else atol
    elif callable(expected):
        wanted = _gradients(expected, inputs, asked, seed)
    else:
        wanted = list(expected)
    if len(wanted) != len(asked):
        raise ValueError(
            f"{len(asked)} inputs take a gradient, but {len(wanted)} gradients are expected: give one for each."
        )
    for at, g, right in zip(asked, found, wanted):
        try:
            torch.testing.assert_close(g, right.to(g.dtype), rtol=rtol, atol=atol, equal_nan=True)
        except AssertionError as error:
            place = os.fspath(path) if path is not None else _path()
            recorder.problem = {"message": f"The gradient of input {at} is not what it should be.", "hint": "",
                                "line": None, "column": None, "file": None, "ended": False}  # fmt: skip
            recorder.save(place)
            raise AssertionError(
                f"The gradient of input {at} is not what it should be. {error}\nOpen the recording: gradviz {place}"
            ) from None


def _gradients(function: Function, inputs: Sequence[Any], asked: Sequence[int], seed: Any) -> list[Any]:
    y = function(*inputs)
    v = torch.ones_like(y) if seed is None else seed
    leaves = [inputs[at] for at in asked]
    found = torch.autograd.grad(y, leaves, v, allow_unused=True)
    return [torch.zeros_like(x) if g is None else g for x, g in zip(leaves, found)]


def _difference(function: Function, inputs: Sequence[Any], at: int, seed: Any) -> Any:
    """Central differences of v·y by every element of one input."""
    given = [x.detach().double() if isinstance(x, torch.Tensor) and x.is_floating_point() else x for x in inputs]
    x = given[at]
    found = torch.zeros_like(x)
    with torch.no_grad():
        for index in range(x.numel()):
            values = []
            for step in (_STEP, -_STEP):
                moved = x.clone()
                moved.view(-1)[index] += step
                y = function(*given[:at], moved, *given[at + 1 :])
                values.append((y if seed is None else y * seed).sum())
            found.view(-1)[index] = (values[0] - values[1]) / (2 * _STEP)
    return found


def _path() -> str:
    """Named after the test that pytest runs, in the current folder."""
    name = os.environ.get("PYTEST_CURRENT_TEST", "gradients").rpartition(" ")[0].rpartition("::")[2] or "gradients"
    return os.path.abspath(re.sub(r"[^\w.-]+", "_", name) + ".gradviz")
