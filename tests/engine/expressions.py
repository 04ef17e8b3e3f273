"""Expressions over tensors a, b, c, evaluated on the engine, and recorded arrays read back."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np

import gradviz.imitation.engine.protocol  # noqa: F401 - gives tensors Python's operators
from gradviz.imitation.engine.functions import FUNCTIONS, METHODS, NEURAL
from gradviz.imitation.engine.functions.families import LINALG
from gradviz.imitation.engine.functions.losses import by_number as losses_by_number
from gradviz.imitation.engine.functions.numbers.conversion import to
from gradviz.imitation.engine.functions.numbers.special import SPECIAL
from gradviz.imitation.engine.functions.shapes import turning
from gradviz.imitation.engine.passes.backward import node_name
from gradviz.imitation.engine.tensor import Tape, Tensor

NAMES: dict[str, Any] = {
    **METHODS,
    **turning.METHODS,
    **NEURAL,
    **FUNCTIONS,
    **{name: NEURAL[name] for name in losses_by_number.FUNCTIONS},
    "unfold": METHODS["unfold"],
    "double": lambda x: to(x, np.dtype(np.float64)),
    "T": lambda x: METHODS["permute"](x, tuple(reversed(range(x.ndim)))),
    "linalg": SimpleNamespace(**LINALG),
    "neural": SimpleNamespace(**NEURAL),
    "special": SimpleNamespace(**FUNCTIONS | SPECIAL),
    "inf": math.inf,
}


CURVED = ("eigh", "eigvalsh", "svd", "qr(", "pinv", "lstsq", "solve_triangular", "cond(", "ndtri", "lu(", "matrix_exp",
          "igamma", "gammainc")  # fmt: skip
"""Where rounding errors grow by the condition of a matrix, or by the exponent of a power."""


def evaluate(expression: str, tensors: dict[str, Tensor]) -> Tensor:
    """The expression on the engine; its names are PyTorch's functions."""
    return eval(expression, NAMES, tensors)


def array(dtype: str, shape: list[int], data: list[Any], turned: bool = False) -> Any:
    """A recorded array; a numpy scalar for shape ()."""
    flat = np.array([float(x) if isinstance(x, str) else x for x in data], dtype).reshape(shape)
    return np.asfortranarray(flat) if turned else flat[()]


def leaves(tape: Tape, arrays: dict[str, Any]) -> dict[str, Tensor]:
    """The arrays as tensors that take a gradient where they can."""
    return {name: tape.tensor(x, requires_grad=x.dtype.kind == "f") for name, x in arrays.items()}


def node_names(out: Tensor) -> list[str]:
    """Names of the backward nodes that `out` depends on, in the order of their making."""
    entries, wanted = out.tape.entries, {out.index}
    for entry in reversed(entries):
        if entry.index in wanted:
            wanted.update(entry.inputs)
    return [node_name(entry) for entry in entries if entry.index in wanted and entry.op is not None]


def same(
    ours: Any, theirs: Any, coarsest: str = "f8", scale: float = 0, ulps: float = 4, zero_signs: bool = True
) -> bool:
    """Equal in dtype, shape, sign of zero, and in value up to a few units of the last place of the largest number.

    Args:
        coarsest: the dtype of the computation; sums are formed in another order than PyTorch's.
        scale: how large the numbers are that were added up, where they are larger than the result.
        zero_signs: whether −0 and 0 differ; which of them a product of matrices gives depends on its library.
    """
    if ours.dtype != theirs.dtype or ours.shape != theirs.shape:
        return False
    if ours.dtype.kind != "f":
        return bool(np.array_equal(ours, theirs))
    largest = np.abs(theirs[np.isfinite(theirs)]).max(initial=scale)
    tolerance = ulps * max(np.finfo(theirs.dtype).eps, np.finfo(coarsest).eps)
    close = np.allclose(ours, theirs, tolerance, tolerance * largest, equal_nan=True)
    zero = zero_signs & (np.asarray(ours) == 0) & (np.asarray(theirs) == 0)
    return bool(close and np.array_equal(np.signbit(ours)[zero], np.signbit(theirs)[zero]))
