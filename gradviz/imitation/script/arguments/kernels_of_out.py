"""Which kernel of PyTorch writes into `out=`, as messages call it, and what it leaves in the graph.

Most kernels with `out=` refuse whatever takes a gradient. Those without a formula do so for leaves only: any other
target becomes the result of a node NotImplemented. A few functions copy their result, as `copy_` does.

Source: torch/csrc/autograd/autograd_not_implemented_fallback.cpp; tools/autograd/derivatives.yaml.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from gradviz.imitation.engine.functions.reducing.counting import underivable
from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.memory import storage
from gradviz.imitation.engine.memory.views import root
from gradviz.imitation.engine.op import Op
from gradviz.imitation.engine.tensor import Tensor, record
from gradviz.errors import TorchError

_CALLED = {
    "abs": "absolute", "atan2": "arctan2", "cat": "concat concatenate hstack vstack dstack column_stack row_stack",
    "clamp": "clip", "digamma": "special.psi", "div": "divide true_divide", "gather": "take_along_dim",
    "igamma": "special.gammainc", "igammac": "special.gammaincc", "lgamma": "special.gammaln",
    "linalg_cross": "cross", "linalg_householder_product": "orgqr", "linalg_vector_norm": "norm",
    "linalg_cholesky_ex": "linalg.cholesky", "linalg_inv_ex": "inverse linalg.inv", "matmul": "linalg.matmul",
    "_linalg_det": "linalg.det", "_linalg_solve_ex": "linalg.solve",
    "_linalg_eigh": "linalg.eigvalsh", "_linalg_svd": "linalg.svdvals",
    "mm": "spmm dsmm chain_matmul linalg.multi_dot", "mul": "multiply outer ger kron",
    "mvlgamma": "special.multigammaln", "nansum": "nanmean", "neg": "negative", "pow": "float_power square",
    "sigmoid": "special.expit", "sort": "msort", "sub": "diff subtract", "trunc": "fix",
    "sum": "linalg.matrix_rank linalg.vecdot",
    "acos": "arccos", "acosh": "arccosh", "asin": "arcsin", "asinh": "arcsinh", "atan": "arctan", "atanh": "arctanh",
}  # fmt: skip
_SPECIAL = "entr erfcx i0e i1 i1e log_ndtr ndtri xlog1py zeta"
_KERNELS = {f"special.{name}": f"special_{name}" for name in _SPECIAL.split()} | {
    name: kernel for kernel, names in _CALLED.items() for name in names.split()
}
_NONE = """
    arange bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor diag diagonal_copy eye
    floor_divide full gcd heaviside lcm linspace log_softmax logspace normal ones rand randint randperm range softmax
    zeros
"""
_WITHOUT_FORMULA = frozenset(_NONE.split())
_COPIES = """
    inner matrix_power nanquantile nuclear_norm quantile tensordot linalg.cond linalg.matrix_norm linalg.matrix_power
    linalg.norm special.ndtr
"""
_COPYING = frozenset(_COPIES.split())


def kernel_of(function: str, inputs: Sequence[Tensor]) -> str:
    """What messages call the kernel that writes, e.g. "cat" of `torch.hstack`.

    Args:
        function: as "hstack" or "linalg.norm".
        inputs: the tensors that it reads.
    """
    if function == "diag" and inputs:
        return "diagonal_copy" if inputs[0].ndim > 1 else "diag_embed"
    space, _, name = function.rpartition(".")
    return _KERNELS.get(function, f"linalg_{name}" if space == "linalg" else name)


def has_no_formula(function: str, inputs: Sequence[Tensor]) -> bool:
    """Whether PyTorch records the call as one that has no derivative."""
    return function in _WITHOUT_FORMULA and not (function == "normal" and inputs)


def copies(function: str) -> bool:
    """Whether the result is copied into the target, with the graph that it has."""
    return function in _COPYING


def refuse_leaf(kernel: str, target: Tensor) -> None:
    """Raise for a leaf, or a view of one, into which a kernel without a formula would write."""
    first = root(target)
    if target.requires_grad and first.requires_grad and first.op is None:
        raise refused(f"aten::{kernel}")


def refused(kernel: str) -> TorchError:
    """PyTorch's error where a gradient could flow through what is written."""
    return TorchError(
        f"{kernel}(): functions with out=... arguments don't support automatic differentiation, but one of the "
        "arguments requires grad.",
        hint="Leave out= away, or detach the arguments.",
    )


def write_without_formula(kernel: str, target: Tensor, value: Tensor, inputs: Sequence[Tensor]) -> None:
    """Write a result into a target, which becomes that of a node NotImplemented."""
    given = tuple(x for x in (*inputs, target) if x.requires_grad)
    out = record(_op(kernel, len(given)), given, {}, np.asarray(value.data).astype(target.dtype)[()])
    out.more.is_in_place = target.index >= 0
    storage.become(target, out)


def write_copy(target: Tensor, result: Tensor) -> None:
    """Write a result into a target as `copy_` does.

    Raises:
        TorchError: the target is a leaf that takes a gradient.
    """
    storage.refuse_leaf(target, by=(result,))
    storage.become(target, record(OPS["copy"], (target, result), {}, result.data))


@cache
def _op(kernel: str, count: int) -> Op:
    message = f"derivative for aten::{kernel} is not implemented"
    return underivable(kernel, "NotImplemented", message, "RuntimeError", count=count)
