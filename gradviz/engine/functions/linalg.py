"""Products of vectors and matrices, linear layers, and equations of indices (einsum), as people call them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from gradviz.engine.apply import apply
from gradviz.engine.dtypes import dtype_of
from gradviz.engine.errors import Beyond
from gradviz.engine.functions import elementwise as e
from gradviz.engine.functions import reduction
from gradviz.engine.functions import shape as s
from gradviz.engine.functions.dims import dims_within
from gradviz.engine.operands import broadcast_text, tensor_given
from gradviz.engine.tensor import Tensor, constant, current
from gradviz.ops.linalg import ADDMM, BMM, DOT, EINSUM, LETTERS, MATMUL, MM, MV, ROW_AS_VECTOR, Equation
from gradviz.ops.op import Op
from gradviz.ops.shape import RESHAPE_COPY

# ---- products of matrices: what people call ----------------------------------------------------------------------


def kind_word(array: Any) -> str:
    """What PyTorch's texts about products call a dtype, e.g. "long int"."""
    words = {"float32": "float", "float64": "double", "int64": "long int", "int32": "int", "int16": "short int",
             "int8": "signed char", "uint8": "unsigned char", "bool": "bool"}  # fmt: skip
    return words[array.dtype.name]


def _pair(function: str, a: Any, b: Any, second: str = "mat2") -> tuple[Any, Any]:
    """The arrays of two tensors of one dtype."""
    x, y = current(tensor_given(function, a)).array, current(tensor_given(function, b, second, 2)).array
    if x.dtype != y.dtype:
        raise _two_dtypes(x, y, is_added=function == "addmm")
    return x, y


def _two_dtypes(x: Any, y: Any, *, is_added: bool) -> RuntimeError:
    """The error of a product of two dtypes, which PyTorch words otherwise where something is added to the product."""
    if is_added:
        first, second = (dtype_of(each.dtype).type_name for each in (x, y))
        return RuntimeError(f"mat1 and mat2 must have the same dtype, but got {first} and {second}")
    return RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {kind_word(x)} != {kind_word(y)}")


def _cannot(a: tuple[int, ...], b: tuple[int, ...]) -> RuntimeError:
    return RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({a[0]}x{a[1]} and {b[0]}x{b[1]})")


def mm(input: Tensor, mat2: Tensor) -> Tensor:
    """The product of two matrices.

    Raises:
        RuntimeError: they are no matrices, do not fit, or have different dtypes.
    """
    a, b = _pair("mm", input, mat2)
    for name, x in (("self", a), ("mat2", b)):
        if x.ndim != 2:
            raise RuntimeError(f"{name} must be a matrix")
    if a.shape[1] != b.shape[0]:
        raise _cannot(a.shape, b.shape)
    return apply(MM, (input, mat2))


def mv(input: Tensor, vec: Tensor) -> Tensor:
    """A matrix times a vector.

    Raises:
        RuntimeError: they do not fit.
    """
    a, b = current(tensor_given("mv", input)).array, current(tensor_given("mv", vec, "vec", 2)).array
    if a.ndim != 2 or b.ndim != 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got 1, {a.ndim}, {b.ndim}")
    if a.dtype != b.dtype:
        first, second = (dtype_of(x.dtype).type_name for x in (a, b))
        raise RuntimeError(f"addmv input tensors must have the same dtype, but got {second}, {first}, and {second}")
    if a.shape[1] != b.shape[0]:
        raise RuntimeError(
            f"size mismatch, got input ({a.shape[0]}), mat ({a.shape[0]}x{a.shape[1]}), vec ({b.shape[0]})"
        )
    return apply(MV, (input, vec))


def dot(input: Tensor, tensor: Tensor) -> Tensor:
    """The sum of the products of two vectors.

    Raises:
        RuntimeError: they are no vectors of one size and dtype.
    """
    a, b = current(tensor_given("dot", input)).array, current(tensor_given("dot", tensor, "tensor", 2)).array
    if a.ndim != 1 or b.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {a.ndim}D and {b.ndim}D tensors")
    if a.dtype != b.dtype:
        first, second = (dtype_of(x.dtype).type_name for x in (a, b))
        raise RuntimeError(f"dot : expected both vectors to have same dtype, but found {first} and {second}")
    if a.size != b.size:
        raise RuntimeError(
            f"inconsistent tensor size, expected tensor [{a.size}] and src [{b.size}] to have the same number of "
            f"elements, but got {a.size} and {b.size} elements respectively"
        )
    return apply(DOT, (input, tensor))


def bmm(input: Tensor, mat2: Tensor) -> Tensor:
    """The products of two stacks of matrices, pair by pair.

    Raises:
        RuntimeError: they are no stacks, or do not fit.
    """
    a, b = _pair("bmm", input, mat2)
    for i, x in enumerate((a, b), 1):
        if x.ndim != 3:
            raise RuntimeError(f"batch{i} must be a 3D tensor")
    if a.shape[0] != b.shape[0] or a.shape[2] != b.shape[1]:
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{a.shape[0]}, {a.shape[2]}] but got: "
            f"[{b.shape[0]}, {b.shape[1]}]."
        )
    return apply(BMM, (input, mat2))


def matmul(input: Tensor, other: Any) -> Tensor:
    """The product of vectors, matrices or stacks of matrices, `a @ b`.

    Raises:
        RuntimeError: they do not fit, or have different dtypes.
    """
    x, y = current(tensor_given("matmul", input)).array, current(tensor_given("matmul", other, "other", 2)).array
    m, n = x.ndim, y.ndim
    if m == 2 and n == 2:
        return mm(input, other)
    if not m or not n:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {m}D and {n}D")
    if m == 1 and n == 1:
        return dot(input, other)
    if m == 2 and n == 1:
        return mv(input, other)
    _pair("matmul", input, other, "other")
    if x.shape[-1] != y.shape[-2 if n > 1 else -1]:
        raise _matmul_error(x.shape, y.shape)
    try:
        np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    except ValueError:
        raise RuntimeError(broadcast_text(x.shape[:-2], y.shape[:-2])) from None
    if m == 1 and n == 2:
        return apply(ROW_AS_VECTOR, (mm(s.unsqueeze(input, 0), other),), dim=0)
    return apply(MATMUL, (input, other))


def times(a: Any, b: Any) -> Any:
    """The operator `a @ b`: of tensors, or of a tensor and a numpy array."""
    x, y = (constant(each) if isinstance(each, np.ndarray) else each for each in (a, b))
    if not isinstance(x, Tensor) or not isinstance(y, Tensor):
        return NotImplemented
    return matmul(x, y)


def _matmul_error(a: tuple[int, ...], b: tuple[int, ...]) -> RuntimeError:
    if len(a) <= 2:
        return _cannot((1, *a)[-2:], b) if len(b) == 2 else _batches(a, b)
    if len(b) == 2:
        return _cannot((int(np.prod(a[:-1])), a[-1]), b)
    if len(b) == 1:
        rows = int(np.prod(a[:-1]))
        return RuntimeError(f"size mismatch, got input ({rows}), mat ({rows}x{a[-1]}), vec ({b[0]})")
    return _batches(a, b)


def _batches(a: tuple[int, ...], b: tuple[int, ...]) -> RuntimeError:
    count = int(np.prod(np.broadcast_shapes(a[:-2], b[:-2])))
    return RuntimeError(
        f"Expected size for first two dimensions of batch2 tensor to be: [{count}, {a[-1]}] but got: "
        f"[{count}, {b[-2]}]."
    )


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """A linear layer: input @ weightᵀ + bias.

    Raises:
        RuntimeError: they do not fit, or have different dtypes.
    """
    x, w = current(tensor_given("linear", input)).array, current(tensor_given("linear", weight, "weight", 2)).array
    if x.dtype != w.dtype:
        raise _two_dtypes(x, w, is_added=bias is not None)
    if x.shape[-1:] != w.shape[-1:]:
        if w.ndim == 1:
            rows = int(np.prod(x.shape[:-1]))
            raise RuntimeError(f"size mismatch, got input ({rows}), mat ({rows}x{x.shape[-1]}), vec ({w.shape[0]})")
        raise _cannot((int(np.prod(x.shape[:-1])), x.shape[-1] if x.ndim else 1), w.shape[::-1])
    if w.ndim == 1:
        found = matmul(input, weight)
        return found if bias is None else e.add(found, bias)
    flat, turned_weight = input if x.ndim == 2 else s.reshape(input, (-1, x.shape[-1])), s.t(weight)
    shape = (*x.shape[:-1], w.shape[0])
    if bias is None:
        found = apply(MM, (flat, turned_weight))
        return found if x.ndim == 2 else apply(RESHAPE_COPY, (found,), size=shape)
    b = current(tensor_given("linear", bias, "bias", 3)).array
    if b.dtype != x.dtype:
        first, second = (dtype_of(each.dtype).type_name for each in (b, w))
        raise RuntimeError(f"self and mat2 must have the same dtype, but got {first} and {second}")
    if b.shape != w.shape[:1]:
        s.expand(bias, shape)  # which says what does not fit
    found = apply(ADDMM, (bias, flat, turned_weight), beta=1, alpha=1)
    return found if x.ndim == 2 else s.reshape(found, shape)


def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    """beta · input + alpha · mat1 @ mat2.

    Raises:
        RuntimeError: they do not fit.
    """
    a, b = _pair("addmm", mat1, mat2)
    if a.ndim != 2 or b.ndim != 2 or a.shape[1] != b.shape[0]:
        raise _cannot((*a.shape, 1)[:2], (*b.shape, 1)[:2])
    given, shape = current(tensor_given("addmm", input)).array.shape, (a.shape[0], b.shape[1])
    if given != shape and np.broadcast_shapes(given, shape) != shape:
        s.expand(input, shape)  # which says what does not fit
    return apply(ADDMM, (input, mat1, mat2), beta=beta, alpha=alpha)


def outer(input: Tensor, vec2: Tensor) -> Tensor:
    """The products of each element of a vector with each of another.

    Raises:
        RuntimeError: they are no vectors.
    """
    for name, x in (("self", input), ("vec2", vec2)):
        ndim = current(tensor_given("outer", x, name)).array.ndim
        if ndim != 1:
            raise RuntimeError(f"outer: Expected 1-D argument {name}, but got {ndim}-D")
    return e.mul(s.view_of(input, (-1, 1)), vec2)


def inner(input: Tensor, other: Tensor) -> Tensor:
    """The sums of products over the last dims of both.

    Raises:
        RuntimeError: the last dims differ in size.
    """
    a, b = current(tensor_given("inner", input)).array, current(tensor_given("inner", other, "other", 2)).array
    if not a.ndim or not b.ndim:
        return e.mul(input, other)
    if a.shape[-1] != b.shape[-1]:
        raise RuntimeError(
            "inner() the last dimension must match on both input tensors but got shapes "
            f"{list(a.shape)} and {list(b.shape)}"
        )
    if a.ndim == b.ndim == 1:
        return dot(input, other)
    return tensordot(input, other, ([-1], [-1]))


def tensordot(a: Tensor, b: Tensor, dims: Any = 2) -> Tensor:
    """The sums of products over some dims of both: as many last and first ones, or those of two lists.

    Raises:
        RuntimeError: the dims differ in size.
    """
    x, y = current(tensor_given("tensordot", a)).array, current(tensor_given("tensordot", b, "b", 2)).array
    if isinstance(dims, Tensor):
        dims = current(dims).array.tolist()
    if isinstance(dims, int):
        dims = (range(-dims, 0), range(dims))
    named = [(each,) if isinstance(each, int) else tuple(each) for each in dims]
    if len(named[0]) != len(named[1]):
        raise RuntimeError("both dimension lists should have same length")
    first, second = dims_within(named[0], x.ndim), dims_within(named[1], y.ndim)
    for i, j, said_i, said_j in zip(first, second, *named, strict=True):
        if 1 in (x.shape[i], y.shape[j]) and x.shape[i] != y.shape[j]:  # a dim of size 1 goes with all of the other
            if x.shape[i] == 1:
                b = reduction.sum(b, j, True)
            else:
                a = reduction.sum(a, i, True)
            x, y = current(a).array, current(b).array
        if x.shape[i] != y.shape[j]:
            raise RuntimeError(
                f"contracted dimensions need to match, but first has size {x.shape[i]} in dim {said_i} and second "
                f"has size {y.shape[j]} in dim {said_j}"
            )
    kept_a, kept_b = ([i for i in range(each.ndim) if i not in over] for each, over in ((x, first), (y, second)))
    count = int(np.prod([x.shape[i] for i in first]))
    left = s.reshape(s.permute(a, (*kept_a, *first)), (-1, count))
    right = s.reshape(s.permute(b, (*second, *kept_b)), (count, -1))
    return s.reshape(mm(left, right), (*[x.shape[i] for i in kept_a], *[y.shape[i] for i in kept_b]))


def _spelled(text: str, ndims: Sequence[int]) -> Equation:
    """An equation with letters in place of the ellipsis, and with its output.

    Raises:
        RuntimeError: it does not fit the number of inputs or their dims.
    """
    text = text.replace(" ", "")
    left, arrow, right = text.partition("->")
    parts = left.split(",")
    if len(parts) != len(ndims):
        more = "more" if len(ndims) > len(parts) else "fewer"
        raise RuntimeError(f"einsum(): {more} operands were provided than specified in the equation")
    free = [letter for letter in LETTERS if letter not in text]
    widths = [ndim - len(part.replace("...", "")) for part, ndim in zip(parts, ndims, strict=True)]
    most = max([width for part, width in zip(parts, widths, strict=True) if "..." in part], default=0)
    inputs = []
    for i, (part, width) in enumerate(zip(parts, widths, strict=True)):
        if width < 0 or (width and "..." not in part):
            raise RuntimeError(
                f"einsum(): the number of subscripts in the equation ({len(part.replace('...', ''))}) "
                f"{'is more than' if width < 0 and '...' in part else 'does not match'} the number of dimensions "
                f"({ndims[i]}) for operand {i}{' and no ellipsis was given' if '...' not in part else ''}"
            )
        inputs.append(part.replace("...", "".join(free[most - width : most])))
    spread = "".join(free[:most])
    if arrow:
        output = right.replace("...", spread)
    else:
        named = left.replace("...", "").replace(",", "")
        output = spread + "".join(sorted(letter for letter in set(named) if named.count(letter) == 1))
    for letter in output:
        if not any(letter in part for part in inputs):
            raise RuntimeError(
                f"einsum(): output subscript {letter} does not appear in the equation for any input operand"
            )
        if output.count(letter) > 1:
            raise RuntimeError(f"einsum(): output subscript {letter} appears more than once in the output")
    return Equation(tuple(inputs), output)


def _check_sizes(equation: Equation, shapes: Sequence[tuple[int, ...]]) -> None:
    sizes: dict[str, int] = {}
    for i, (letters, shape) in enumerate(zip(equation.inputs, shapes, strict=True)):
        for letter, n in zip(letters, shape, strict=True):
            seen = sizes.get(letter, 1)
            if n not in (1, seen) and seen != 1:
                raise RuntimeError(
                    f"einsum(): subscript {letter} has size {n} for operand {i} which does not broadcast with "
                    f"previously seen size {seen}"
                )
            sizes[letter] = max(n, seen)


@cache
def _einsum_op(node: str) -> Op:
    return replace(EINSUM, node=node)


def _last_node(equation: Equation) -> str:
    """The node that PyTorch's result of an einsum has: it is made of several, a sum or a product among them."""
    *before, last = equation.inputs
    if not before:
        return "PermuteBackward0" if set(last) <= set(equation.output) else "SumBackward1"
    letters = set(last if len(before) > 1 else before[0] + last)
    return "MulBackward0" if letters <= set(equation.output) else "ViewBackward0"


def einsum(*args: Any) -> Tensor:
    """Sums of products as an equation says, e.g. einsum("ij,jk->ik", a, b) for a @ b.

    Raises:
        RuntimeError: the equation does not fit the inputs.
    """
    if not args:
        raise RuntimeError("einsum(): must provide at least one operand")
    if isinstance(args[0], Tensor):
        raise Beyond("einsum without an equation")
    text, tensors = args[0], args[1] if len(args) == 2 and isinstance(args[1], tuple | list) else args[1:]
    if not tensors:
        raise RuntimeError("einsum(): must provide at least one operand")
    shapes = [current(tensor_given("einsum", x, "operands", 2)).array.shape for x in tensors]
    equation = _spelled(text, [len(shape) for shape in shapes])
    _check_sizes(equation, shapes)
    return apply(_einsum_op(_last_node(equation)), tuple(tensors), equation=str(equation))


FUNCTIONS: dict[str, Callable[..., Any]] = {
    each.__name__: each for each in (addmm, bmm, dot, inner, matmul, mm, mv, outer)
}
"""What is a function of torch and a method of tensors alike."""
NAMESPACE: dict[str, Callable[..., Any]] = {"einsum": einsum, "tensordot": tensordot}
"""What is a function of torch but no method of tensors."""
SECOND_NAMES = {"ger": "outer"}
"""Second names of the functions."""
IN_PLACE = "addmm"
"""What is also done in place, under the name with an underscore."""
