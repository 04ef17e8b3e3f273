"""What PyTorch asks of the factors of a product before it multiplies: sizes, dtypes, in the order of its kernels."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from gradviz.imitation.engine.dtypes import BOOL, c_name, type_name
from gradviz.imitation.engine.functions.arguments import must_have_dims, node_has_sizes, size_at
from gradviz.imitation.engine.shapes import broadcasts, expand_error, numel
from gradviz.imitation.engine.tensor import Tensor
from gradviz.errors import TorchError


def check_product(a: Tensor, b: Tensor, product: str = "mm") -> None:
    """Raise where two matrices, or stacks of them, cannot be multiplied."""
    if product == "addmm":
        same_dtype(a, b, product)
    rows = b.shape[-2] if b.ndim > 1 else b.shape[0]
    if a.shape[-1] != rows or a.shape[:-2] != b.shape[:-2]:
        if a.ndim == b.ndim == 2:
            text = (
                f"mat1 and mat2 shapes cannot be multiplied ({a.shape[0]}x{a.shape[1]} and {b.shape[0]}x{b.shape[1]})"
            )
        else:
            text = (
                f"Expected size for first two dimensions of batch2 tensor to be: [{numel(a.shape[:-2])}, "
                f"{a.shape[-1]}] but got: [{numel(b.shape[:-2])}, {rows}]."
            )
        raise TorchError(text, hint=f"The inner sizes {a.shape[-1]} and {rows} must be equal.")
    if product != "bmm" or (a.data.size and b.data.size):  # which is not asked of nothing
        same_dtype(a, b, product)  # last, as in PyTorch's kernels; addmm alone asks first


DIFFERENT: dict[str, Callable[..., str]] = {
    "mm": lambda a, b: f"expected m1 and m2 to have the same dtype, but got: {c_name(a)} != {c_name(b)}",
    "addmm": lambda a, b: f"mat1 and mat2 must have the same dtype, but got {type_name(a)} and {type_name(b)}",
    "mv": lambda a, b: (
        f"addmv input tensors must have the same dtype, but got {type_name(b)}, {type_name(a)}, and {type_name(b)}"
    ),
    "dot": lambda a, b: f"dot : expected both vectors to have same dtype, but found {type_name(a)} and {type_name(b)}",
    "bmm": lambda a, b: f"expected scalar type {type_name(a)} but found {type_name(b)}",
}
"""What each product says of two dtypes."""


KERNELS = {"mm": "addmm_impl_cpu_", "addmm": "addmm_impl_cpu_", "mv": "addmv_impl_cpu", "dot": "dot", "bmm": "bmm"}
"""The names of the kernels, which know no bool."""
CONVERT = "Convert one of them, e.g. with .float() or .double()."


def same_dtype(a: Tensor, b: Tensor, product: str = "mm") -> None:
    """Raise where two factors differ in dtype, or are bool."""
    if a.dtype != b.dtype:
        raise TorchError(DIFFERENT[product](a.dtype, b.dtype), hint=CONVERT)
    if a.dtype is BOOL and (product == "dot" or (a.data.size and b.data.size)):  # of nothing no kernel is asked
        refuse_bools(KERNELS[product])


def refuse_bools(kernel: str) -> None:
    """Raise for bool tensors, which a kernel does not know."""
    raise TorchError(
        f"\"{kernel}\" not implemented for 'Bool'",
        kind="NotImplementedError",
        hint="Convert the mask to numbers first, e.g. with .float().",
    )


def check_vector(a: Tensor, b: Tensor, c: Tensor | None = None) -> None:
    """Raise where a matrix and a vector cannot be multiplied and added to c, by default to as many zeros as fit."""
    added = 1 if c is None else c.ndim
    if c is None and not a.ndim:  # mv asks for its rows before anything else
        must_have_dims(a, 0)
    if a.ndim != 2 or b.ndim != 1 or added > 1:
        raise TorchError(f"vector + matrix @ vector expected, got {added}, {a.ndim}, {b.ndim}")
    n = a.shape[0] if c is None else c.data.size
    if a.shape[1] != b.shape[0] or n not in (a.shape[0], *((1,) if c is not None else ())):
        raise TorchError(f"size mismatch, got input ({n}), mat ({a.shape[0]}x{a.shape[1]}), vec ({b.shape[0]})")
    if c is None or c.dtype == a.dtype == b.dtype:
        same_dtype(a, b, "mv")
        return
    names = [type_name(x.dtype) for x in (c, a, b)]
    raise TorchError(
        f"addmv input tensors must have the same dtype, but got {names[0]}, {names[1]}, and {names[2]}", hint=CONVERT
    )


def fits(c: Tensor, size: tuple[int, ...]) -> None:
    """Raise where what is added does not expand to the size of the product."""
    if not broadcasts(c.shape, size):
        raise expand_error(c.shape, size, type_name(c.dtype))


def check_added(c: Tensor, b: Tensor) -> None:
    """Raise where what is added differs in dtype from the second factor, of which addmm asks first."""
    if c.dtype != b.dtype:
        names = [type_name(x.dtype) for x in (c, b)]
        raise TorchError(f"self and mat2 must have the same dtype, but got {names[0]} and {names[1]}", hint=CONVERT)


def check_addmm(c: Tensor, a: Tensor, b: Tensor) -> None:
    """Raise where two matrices cannot be multiplied and added to c."""
    check_added(c, b)
    same_dtype(a, b, "addmm")
    for name, x in (("mat1", a), ("mat2", b)):
        if x.ndim != 2:
            raise TorchError(f"{name} must be a matrix, got {x.ndim}-D tensor")
    check_product(a, b, "addmm")
    fits(c, (a.shape[0], b.shape[1]))


def check_stacks(c: Tensor, a: Tensor, b: Tensor, *, summed: bool) -> None:
    """Raise where two stacks of matrices cannot be multiplied and added to c; `summed` over the stack, as addbmm."""
    if summed:
        node_has_sizes(a, 0)
    for x, dim in ((a, 1), (b, 2)) if summed else ((a, 0), (a, 1), (b, 2)):
        size_at(x, dim)
    size = (a.shape[1], b.shape[2])
    fits(c, size if summed else (a.shape[0], *size))
    if a.ndim != 3 or b.ndim != 3:
        raise TorchError("batch1 must be a 3D tensor" if a.ndim != 3 else "batch2 must be a 3D tensor")
    if summed:
        check_added(c, b)
        if a.shape[0] != b.shape[0]:
            raise TorchError(f"batch1 and batch2 must have same number of batches, got {a.shape[0]} and {b.shape[0]}")
        if a.shape[2] != b.shape[1]:
            sizes = f"{a.shape[1]}x{a.shape[2]} and {b.shape[1]}x{b.shape[2]}"
            raise TorchError(f"Incompatible matrix sizes for bmm ({sizes})")
        check_product(a, b, "bmm" if a.dtype == b.dtype else "addmm")
        return
    if c.dtype != a.dtype:
        names = [c_name(x.dtype) for x in (c, a, b)]
        raise TorchError(
            f"Input dtypes must be the same, got: input {names[0]}, batch1: {names[1]}, batch2: {names[2]}",
            hint=CONVERT,
        )
    check_product(a, b, "bmm")


def check_chain(xs: list[Tensor]) -> None:
    """Raise where matrices cannot be multiplied one after the other."""
    for i, x in enumerate(xs):
        if i in (0, len(xs) - 1) and x.ndim not in (1, 2):
            raise TorchError(f"multi_dot(): the {'last' if i else 'first'} tensor must be 1D or 2D but got {x.ndim}D")
    for i, x in enumerate(xs[1:-1], 1):
        if x.ndim != 2:
            raise TorchError(f"multi_dot(): tensor {i} must be 2D but got {x.ndim}D")
    for i, x in enumerate(xs[1:], 1):
        if x.dtype != xs[0].dtype:
            raise TorchError(
                f"multi_dot(): all tensors must have be the same dtype but tensor 0 is {c_name(xs[0].dtype)} and "
                f"tensor {i} {c_name(x.dtype)}",
                hint=CONVERT,
            )
    for i, (x, y) in enumerate(pairwise(xs)):
        if x.shape[-1] != y.shape[0]:
            raise TorchError(
                f"multi_dot(): tensors {i} and {i + 1} with shapes {list(x.shape)} and {list(y.shape)} cannot be "
                "multiplied"
            )
