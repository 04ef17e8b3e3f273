"""Products of vectors and matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.imitation.engine import generic as F
from gradviz.imitation.engine.generic import T, matmul, plain
from gradviz.imitation.engine.kernels import products
from gradviz.imitation.engine.rules.entry import Op, case, saves

A = [[1.0, -2.0, 0.5], [0.3, 1.5, -1.0]]
B = [[0.7, 1.1], [-0.4, 0.2], [2.0, -1.3]]
V = [0.5, -1.5, 2.0]


def _node(_params: Any, shapes: list[tuple[int, ...]]) -> str:
    return "MmBackward0" if all(len(s) == 2 for s in shapes) else "BmmBackward0"


def right_rule(g: Any, y: Any, a: Any, b: Any) -> Any:
    """dL/db of a @ b: where b lies in columns, as a transposed weight does, so does its gradient, without a copy."""
    return T(matmul(T(g), a)) if _in_columns(b) else matmul(T(a), g)


def left_rule(g: Any, y: Any, a: Any, b: Any) -> Any:
    """dL/da of a @ b; of tensors in PyTorch's own steps, which go by how a lies in memory."""
    return T(matmul(b, T(g))) if isinstance(g, F.Tensor) and _in_columns(a) else matmul(g, T(b))


def _in_columns(x: Any) -> bool:
    numbers = plain(x)
    return (
        isinstance(numbers, np.ndarray)
        and numbers.ndim == 2
        and numbers.strides == (numbers.itemsize, numbers.itemsize * numbers.shape[0])
    )


TABLE = (
    Op("matmul", "@", matmul, (left_rule, right_rule), ("a", "b"),
       ("g @ T(b)", "T(a) @ g"), "y = a @ b", (case(A, B), case([A, A], B)), _node, saves("a b")),
    Op("mm", "@", matmul, (left_rule, right_rule), ("a", "b"),
       ("g @ T(b)", "T(a) @ g"), "y = a @ b", (case(A, B),), "MmBackward0", saves("a b")),
    Op("bmm", "@", matmul, (lambda g, y, a, b: matmul(g, T(b)), lambda g, y, a, b: matmul(T(a), g)), ("a", "b"),
       ("g @ T(b)", "T(a) @ g"), "y = a @ b, one pair of matrices at a time", (case([A, A], [B, B]),), "BmmBackward0",
       saves("a b")),
    Op("mv", "@", products.matmul, (lambda g, y, a, b: F.outer(g, b), lambda g, y, a, b: mv(T(a), g)), ("a", "b"),
       ("outer(g, b)", "T(a) @ g"), "y = a @ b", (case(A, V),), "MvBackward0", saves("a b")),
    Op("dot", "·", products.matmul, (lambda g, y, a, b: g * b, lambda g, y, a, b: g * a), ("a", "b"), ("g * b", "g * a"),
       "y = Σ a · b", (case(V, [1.0, 2.0, -0.5]),), "DotBackward0", saves("a b")),
    Op("addmm", "linear", products.addmm,
       (lambda g, y, c, a, b: g, lambda g, y, c, a, b: left_rule(g, y, a, b),
        lambda g, y, c, a, b: right_rule(g, y, a, b)),
       ("c", "a", "b"), ("g", "g @ T(b)", "T(a) @ g"), "y = c + a @ b", (case([0.1, 0.2], A, B),), "AddmmBackward0",
       saves("a b")),
)  # fmt: skip


def mv(a: Any, b: Any) -> Any:
    """Matrix times vector."""
    if isinstance(a, F.Tensor) or isinstance(b, F.Tensor):
        column = matmul(a, F.reshape(b, (*plain(b).shape, 1)))
        return F.reshape(column, plain(column).shape[:-1])
    return products.matmul(a, b)
