"""dtype, copies, and the way back to Python numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from gradviz.imitation.engine.creation import full
from gradviz.imitation.engine.dtypes import FLOATING, DType
from gradviz.imitation.engine.functions.arguments import need, refuse_other_dtype
from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.half.rounding import forward
from gradviz.imitation.engine.memory import storage
from gradviz.imitation.engine.op import Op
from gradviz.imitation.engine.shape_errors import fit_together
from gradviz.imitation.engine.tensor import Tensor, apply, constant, record
from gradviz.errors import TorchError


def asked_dtype(dtype: Any) -> DType:
    """A dtype, given as it is or as an object that has one.

    Raises:
        TypeError: it is no dtype; a text that numpy would take for one is none.
    """
    if isinstance(dtype, str | bytes):
        raise TypeError(f"'dtype' must be torch.dtype, not {type(dtype).__name__}")
    found: DType = np.dtype(dtype)
    return found


def to(self: Tensor, dtype: Any) -> Tensor:
    """The tensor in another dtype; itself where it has it.

    Raises:
        TypeError: it is no dtype.
    """
    dtype = asked_dtype(dtype)
    if self.dtype == dtype:
        return self
    if dtype.kind not in FLOATING or not self.requires_grad:
        return constant(self.data.astype(dtype), self.tape)
    return apply(OPS["to"], (self,), dtype=dtype.name)


def applied_as(op: Op, x: Tensor, dtype: Any, **params: Any) -> Tensor:
    """A reduction that computes in the dtype that is asked for, in a node that takes x as it is.

    Raises:
        TypeError: it is no dtype.
        TorchError: x takes a gradient, which whole numbers have not.
    """
    if dtype is None or (x.dtype == asked_dtype(dtype) and x.dtype.kind in FLOATING):
        return apply(op, (x,), **params)
    given = to(constant(x.data, x.tape), dtype).data
    value = np.asarray(forward(op, (given,), params)).astype(given.dtype)[()]

    def rule(g: Any, y: Any, x: Any, **params: Any) -> Any:
        return op.rule(g, y, to(x, g.dtype) if isinstance(x, Tensor) else x.astype(g.dtype), **params)

    return record(replace(op, vjp=(rule,)), (x,), params, value)


def detach(self: Tensor) -> Tensor:
    return storage.alias(self, tracked=True)


ITEM_MAPPED = (
    "vmap: It looks like you're calling .item() on a Tensor. We don't support vmap over calling .item() on a Tensor, "
    "please try to rewrite what you're doing with other operations. If error is occurring somewhere inside PyTorch "
    "internals, please file a bug report."
)
TRUTH_MAPPED = (
    "vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow. We don't support that "
    "yet, please file an issue at https://github.com/pytorch/pytorch/issues ."
)
UNMAPPED = "Inside vmap a tensor stands for many: use torch.where instead of `if`, and tensors instead of numbers."


def item(self: Tensor) -> Any:
    """The one number as a Python number.

    Raises:
        TorchError: more or less than one element.
    """
    if self.tape.mapped:
        raise TorchError(ITEM_MAPPED, hint=UNMAPPED)
    if self.data.size != 1:
        raise TorchError(
            f"a Tensor with {self.data.size} elements cannot be converted to Scalar",
            hint="Reduce it first, e.g. with .sum() or .mean(), or take one element.",
        )
    return self.data.item()


def truth(self: Tensor) -> bool:
    """`bool(tensor)`."""
    if self.tape.mapped:
        raise TorchError(TRUTH_MAPPED, hint=UNMAPPED)
    if self.data.size != 1:
        many = "more than one value" if self.data.size else "no values"
        raise TorchError(
            f"Boolean value of Tensor with {many} is ambiguous",
            hint="Use .any() or .all(), or compare one element.",
        )
    return bool(self.data.item())


def zeros_like(input: Tensor, *, dtype: DType | None = None, requires_grad: bool = False) -> Tensor:
    x = need("zeros_like", input)
    return x.tape.tensor(np.zeros(x.shape, dtype or x.dtype)[()], requires_grad=requires_grad)


def ones_like(input: Tensor, *, dtype: DType | None = None, requires_grad: bool = False) -> Tensor:
    x = need("ones_like", input)
    return x.tape.tensor(np.ones(x.shape, dtype or x.dtype)[()], requires_grad=requires_grad)


def full_like(input: Tensor, fill_value: Any, *, dtype: DType | None = None, requires_grad: bool = False) -> Tensor:
    x = need("full_like", input)
    value = fill_value.data.item() if isinstance(fill_value, Tensor) else fill_value
    return full(x.tape, x.shape, value, x.dtype if dtype is None else asked_dtype(dtype), requires_grad)


def allclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    a, b = need("allclose", input), need("allclose", other, "other", 2)
    refuse_other_dtype(a, b)
    fit_together(OPS["add"], a.data, b.data)
    return bool(np.allclose(a.data, b.data, float(rtol), float(atol), equal_nan))


def equal(input: Tensor, other: Tensor) -> bool:
    a, b = need("equal", input), need("equal", other, "other", 2)
    return a.shape == b.shape and bool(np.array_equal(a.data, b.data))
