"""Norms of vectors and matrices by any order, and renorm."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.imitation.engine.dtypes import FLOATING, DType, type_name
from gradviz.imitation.engine.functions.arguments import dims_of, int_dim, need, size_at
from gradviz.imitation.engine.functions.numbers.conversion import applied_as, asked_dtype, to
from gradviz.imitation.engine.functions.reducing.reduction import amax, amin
from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.kernels.summation import total
from gradviz.imitation.engine.kind_names import kind_name
from gradviz.imitation.engine.op import Op
from gradviz.imitation.engine.shapes import axes_of, one_dim
from gradviz.imitation.engine.tensor import Tensor, apply, constant
from gradviz.errors import ScriptError, TorchError

NORM_0 = Op(
    "norm_0", "≠ 0", lambda x, dim, keepdim: total(np.asarray(x != 0).astype(x.dtype), axes_of(dim, x.ndim), keepdim),
    (lambda *_, **__: None,), ("x",), ("none",), "y = how many numbers are not 0", node="LinalgVectorNormBackward0",
    saves=frozenset("xy"),
)  # fmt: skip
"""The norm with p = 0, through which no gradient flows."""


def vector_norm(
    x: Tensor, ord: Any = 2, dim: Any = None, keepdim: bool = False, *, dtype: DType | None = None
) -> Tensor:
    """(Σ |x|ᵖ)^(1/p) over dims, all where None."""
    given = need("linalg_vector_norm", x)
    if isinstance(ord, str) or not isinstance(ord, int | float | np.number | Tensor):
        raise TorchError(
            f"linalg_vector_norm(): argument 'ord' (position 2) must be Number, not {kind_name(ord)}",
            kind="TypeError",
        )
    p = float(ord.data if isinstance(ord, Tensor) else ord)
    if given.dtype.kind not in FLOATING:
        raise _no_float("vector", given)
    if isinstance(dim, str | float):
        raise TorchError(
            f"linalg_vector_norm(): argument 'dim' (position 3) must be tuple of ints, not {kind_name(dim)}",
            kind="TypeError",
        )
    if not given.data.size and (p < 0 or math.isinf(p)):
        must_have_some(given, p, dim)
    _check_dtype("vector", given, dtype)
    named = {"dim": dims_of(dim, given), "keepdim": keepdim}
    if p == 0:
        return applied_as(NORM_0, given, dtype, **named)
    if p in (1, 2):
        return applied_as(OPS["norm" if p == 2 else "norm_1"], given, dtype, **named)
    return applied_as(OPS["norm_inf" if math.isinf(p) else "vector_norm"], given, dtype, ord=p, **named)


def _check_dtype(kind: str, x: Tensor, dtype: Any) -> None:
    """Raise for a dtype that a length cannot be counted in.

    Raises:
        TypeError: it is no dtype.
    """
    if dtype is None:
        return
    asked = asked_dtype(dtype)
    if asked.kind not in FLOATING:
        names = type_name(asked)
        raise TorchError(f"linalg.{kind}_norm: dtype should be floating point or complex, but got {names}")
    if np.promote_types(x.dtype, asked) != asked:
        raise TorchError(
            f"linalg.{kind}_norm: the dtype of the input ({type_name(x.dtype)}) should be convertible without "
            f"narrowing to the specified dtype ({type_name(asked)})"
        )


def _no_float(kind: str, x: Tensor) -> TorchError:
    return TorchError(
        f"linalg.{kind}_norm: Expected a floating point or complex tensor as input. Got {type_name(x.dtype)}",
        hint="Convert with .float() first.",
    )


def must_have_some(x: Tensor, p: float, dims: Any) -> None:
    """Raise where nothing is left to compare in a tensor of no numbers."""
    text = f"linalg.vector_norm cannot compute the {_plain(p)} norm on "
    given = dims if isinstance(dims, list | tuple) else () if dims is None else (dims,)
    if not given:
        raise TorchError(f"{text}an empty tensor because the operation does not have an identity")
    for d in given:
        if not size_at(x, int(d)):
            raise TorchError(
                f"{text}the dimension {d}because this dimension is empty and the operation does not have an identity"
            )


def _plain(p: float) -> str:
    return str(int(p)) if p == p // 1 and not math.isinf(p) else str(p)


# ---- of matrices ----


def matrix_norm(
    A: Tensor, ord: Any = "fro", dim: Any = (-2, -1), keepdim: bool = False, *, dtype: DType | None = None
) -> Tensor:
    x = need("linalg_matrix_norm", A, "A")
    if (ord not in ("fro", "nuc")) if isinstance(ord, str) else (abs(ord) not in (1, 2, math.inf)):
        shown = ord if isinstance(ord, str) else _plain(float(ord))
        raise TorchError(f"linalg.matrix_norm: Order {shown} not supported.")
    by_values = ord == "nuc" or (ord != "fro" and abs(ord) == 2)
    first, second = _two_dims(x, dim, takes_halves=not by_values)
    _check_dtype("matrix", x, dtype)
    if ord == "fro":
        return vector_norm(x, 2, (first, second), keepdim, dtype=dtype)
    if by_values:
        return _of_singular_values(x if dtype is None else to(x, dtype), ord, first, second, keepdim)
    if math.isinf(ord):
        first, second = second, first
    sums = vector_norm(x, 1, (first,), keepdim, dtype=dtype)
    return _extreme(sums, ord > 0, second - (1 if not keepdim and first < second else 0), keepdim)


def _extreme(x: Tensor, is_largest: bool, at: int, keepdim: bool) -> Tensor:
    """The largest or the smallest along a dim; of nothing, 0 is the largest."""
    if x.shape[at] or not is_largest:
        return (amax if is_largest else amin)(x, at, keepdim)
    return filled(x, np.zeros(x.shape, x.dtype).sum(at, keepdims=keepdim))


def filled(like: Tensor, numbers: Any) -> Tensor:
    """A constant that PyTorch writes into room it has made, which counts as a change."""
    out = constant(numbers[()], like.tape)
    out.more.first_version = 1
    return out


def _two_dims(x: Tensor, dim: Any, *, takes_halves: bool) -> tuple[int, int]:
    """The two dims of a matrix.

    Raises:
        TorchError: no matrix, a dtype that has no such norm, or other dims than two.
    """
    if x.ndim < 2:
        raise TorchError("linalg.matrix_norm: The input tensor A must have at least 2 dimensions.")
    if x.dtype.kind not in FLOATING:
        raise _no_float("matrix", x)
    if x.dtype.itemsize == 2 and not takes_halves:
        text = f"linalg.matrix_norm: Low precision dtypes not supported. Got {type_name(x.dtype)}"
        raise TorchError(text, hint="Convert with .float() first.")
    dims = [int(d) for d in dim] if isinstance(dim, list | tuple) else [int(dim)]
    if len(dims) != 2:
        raise TorchError(f"linalg.matrix_norm: dim must be a 2-tuple. Got {' '.join(map(str, dims))}")
    first, second = (one_dim(d, x.ndim) for d in dims)
    if first == second:
        raise TorchError(f"linalg.matrix_norm: dims must be different. Got ({dims[0]}, {dims[1]})")
    return first, second


def _of_singular_values(x: Tensor, ord: Any, first: int, second: int, keepdim: bool) -> Tensor:
    """Their largest, smallest or sum."""
    from gradviz.imitation.engine.functions.families import LINALG
    from gradviz.imitation.engine.functions.shapes.shaping import permute, unsqueeze

    singular_values = LINALG.get("svdvals")
    if singular_values is None:
        raise ScriptError(
            f"the matrix norm with ord={ord!r} is not supported: it needs singular values",
            hint="Use 'fro', 1 or inf, or the norm of a vector.",
        )
    order = (*(i for i in range(x.ndim) if i not in (first, second)), first, second)
    values = singular_values(permute(x, order))
    if ord == "nuc":
        out = apply(OPS["sum"], (values,), dim=(values.ndim - 1,), keepdim=keepdim)
    else:
        out = _extreme(values, ord > 0, -1, keepdim)
    return permute(unsqueeze(out, -1), tuple(np.argsort(order).tolist())) if keepdim else out


# ---- whichever fits ----


def linalg_norm(
    A: Tensor, ord: Any = None, dim: Any = None, keepdim: bool = False, *, dtype: DType | None = None
) -> Tensor:
    x = need("linalg_norm", A)
    dims = None if dim is None else list(dim) if isinstance(dim, list | tuple) else [dim]
    if dims is not None and len(dims) not in (1, 2):
        raise TorchError(f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got {dims}")
    if dims is None and ord is not None and x.ndim not in (1, 2):
        raise TorchError(f"linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {x.ndim}D.")
    is_matrix = len(dims) == 2 if dims is not None else x.ndim == 2
    if isinstance(ord, str) or (ord is not None and is_matrix):
        return matrix_norm(x, ord, (-2, -1) if dims is None else dims, keepdim, dtype=dtype)
    return vector_norm(x, 2 if ord is None else ord, dims, keepdim, dtype=dtype)


def norm(input: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, dtype: DType | None = None) -> Tensor:
    """`torch.norm`: of vectors, unless p says otherwise."""
    x = need("norm", input)
    dims = dim if dim is None or isinstance(dim, list | tuple) else [dim]
    if isinstance(p, str) and isinstance(dim, float):
        raise TorchError("object of type 'float' has no len()", kind="TypeError")
    if not isinstance(p, str):
        return vector_norm(x, 2 if p is None else p, dims, keepdim, dtype=dtype)
    if p == "fro" and (dims is None or len(dims) <= 2):
        return vector_norm(x, 2, dims, keepdim, dtype=dtype)
    return matrix_norm(x, p, list(range(x.ndim)) if dims is None else dims, keepdim, dtype=dtype)


def renorm(input: Tensor, p: float, dim: int, maxnorm: float) -> Tensor:
    x = need("renorm", input)
    if p <= 0:
        raise TorchError("renorm: non-positive-norm not supported")
    if maxnorm < 0:
        raise TorchError(f"renorm: expected maxnorm to be >= 0 but got {_plain(float(maxnorm))}")
    if x.ndim < 2:
        raise TorchError(f"renorm: input needs at least 2 dimensions, got {x.ndim} dimensions")
    axis = int_dim("renorm", dim, x.ndim, 2)
    if x.dtype.kind not in FLOATING:
        raise _no_float("vector", x)
    if math.isinf(p) and not x.data.size:
        must_have_some(x, p, tuple(i for i in range(x.ndim) if i != axis))
    return apply(OPS["renorm"], (x,), p=float(p), dim=axis, maxnorm=float(maxnorm))


FUNCTIONS: dict[str, Callable[..., Any]] = {"norm": norm, "renorm": renorm}
METHODS = FUNCTIONS
LINALG: dict[str, Callable[..., Any]] = {"norm": linalg_norm, "vector_norm": vector_norm, "matrix_norm": matrix_norm}
