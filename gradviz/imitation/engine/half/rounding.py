"""Numbers of 16 bits as PyTorch computes with them on a CPU: in float32, each result rounded once.

So no kernel of the rule table knows float16 and bfloat16. What goes into one is made float32, what comes out is
rounded; a rule runs over tensors (see `by_node`), since PyTorch rounds after each op that its formula calls.

Source: aten/src/ATen/native/cpu/BinaryOpsKernel.cpp, `binary_kernel_reduced_floating_vec_opmath_support`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gradviz.imitation.engine.dtypes import FLOAT32, FLOATING, HALVES, DType, convert
from gradviz.imitation.engine.half.kernels import KERNELS
from gradviz.imitation.engine.op import Op

UNROUNDED = frozenset({"mul", "div"})
"""Ops whose second operand, where it is one number, is taken as it is and not rounded to 16 bits before."""


def single(x: Any) -> Any:
    """An array or numpy scalar of 16 bits as float32; any other as it is."""
    return x.astype(FLOAT32) if x.dtype in HALVES else x


def rounded(value: Any, dtype: DType) -> Any:
    """What a kernel gave for numbers of 16 bits, in their dtype; masks and indices as they are."""
    return value.astype(dtype) if value.dtype.kind == "f" else value


def beside(name: str, dtype: DType, number: float) -> Any:
    """A Python number next to a tensor of 16 bits, as the op of that name reads it."""
    return FLOAT32.type(number) if name in UNROUNDED else dtype.type(number)


def operand(name: str, dtype: DType, y: Any) -> Any:
    """The second operand of an op whose result has a dtype of 16 bits."""
    return y.astype(FLOAT32) if name in UNROUNDED and not y.ndim else convert(y, dtype)


def forward(op: Op, arrays: Sequence[Any], params: Mapping[str, Any]) -> Any:
    """The forward of an op on arrays of any dtype."""
    return computed(op, arrays, params) if HALVES else op.forward(*arrays, **params)


def computed(op: Op, arrays: Sequence[Any], params: Mapping[str, Any]) -> Any:
    """The forward of an op, in the dtype of its first floating input where that has 16 bits."""
    kinds = [x.dtype for x in arrays if x.dtype.kind in FLOATING]
    if op.is_view or op.name in AS_THEY_ARE or not any(dtype in HALVES for dtype in kinds):
        return op.forward(*arrays, **params)
    kernel = KERNELS.get(op.name)
    if kernel is not None and all(dtype is kinds[0] for dtype in kinds):
        return kernel(op, *arrays, **params)
    value = op.forward(*map(single, arrays), **params)
    is_joined = op.is_variadic and any(dtype is not kinds[0] for dtype in kinds)  # to the widest of them
    return rounded(value, kinds[0]) if kinds[0] in HALVES and not is_joined else value


AS_THEY_ARE = frozenset(("to", "copy", "unsafe_split", "unsafe_split_with_sizes"))
"""Ops besides views that compute nothing; of some of them the result lies in the memory of the input."""
