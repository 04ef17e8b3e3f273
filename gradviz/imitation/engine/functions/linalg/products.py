"""Further products: outer, inner, of many factors, with a term added, along chosen dims; in PyTorch's own steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from gradviz.imitation.engine.dtypes import BOOL, type_name
from gradviz.imitation.engine.functions.arguments import all_tensors, need, size_at
from gradviz.imitation.engine.functions.linalg import matmul as basic
from gradviz.imitation.engine.functions.linalg.matmul import dot, mm
from gradviz.imitation.engine.functions.linalg.product_checks import (
    CONVERT,
    check_addmm,
    check_chain,
    check_stacks,
    check_vector,
    fits,
    refuse_bools,
)
from gradviz.imitation.engine.functions.numbers.arithmetic import mul
from gradviz.imitation.engine.functions.reducing.reduction import sum as total
from gradviz.imitation.engine.functions.shapes.shaping import (
    is_contiguous,
    permute,
    reshape,
    squeeze,
    unsafe_view,
    unsqueeze,
    view,
)
from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.kind_names import kind_name
from gradviz.imitation.engine.shape_errors import mismatch
from gradviz.imitation.engine.shapes import numel, one_dim
from gradviz.imitation.engine.tensor import Tensor, apply
from gradviz.imitation.engine.warn import warn
from gradviz.errors import TorchError


def outer(input: Tensor, vec2: Tensor) -> Tensor:
    a, b = need("outer", input), need("outer", vec2, "vec2", 2)
    for name, x in (("self", a), ("vec2", b)):
        if x.ndim != 1:
            raise TorchError(f"outer: Expected 1-D argument {name}, but got {x.ndim}-D")
    return mul(reshape(a, a.shape[0], 1), b)


def vdot(input: Tensor, other: Tensor) -> Tensor:
    a, b = need("vdot", input), need("vdot", other, "other", 2)
    if a.ndim != 1 or b.ndim != 1 or a.shape != b.shape or a.dtype != b.dtype or a.dtype is BOOL:
        return dot(a, b)
    return apply(OPS["vdot"], (a, b))


def inner(input: Tensor, other: Tensor) -> Tensor:
    a, b = need("inner", input), need("inner", other, "other", 2)
    if a.ndim == 0 or b.ndim == 0:
        return mul(a, b)
    if a.shape[-1] != b.shape[-1]:
        raise TorchError(
            "inner() the last dimension must match on both input tensors but got shapes "
            f"{list(a.shape)} and {list(b.shape)}"
        )
    return tensordot(a, b, ([-1], [-1]))


def tensordot(a: Tensor, b: Tensor, dims: Any = 2) -> Tensor:
    x, y = need("tensordot", a, "a"), need("tensordot", b, "b", 2)
    first, second = _contracted(x, y, dims)
    if len(first) != len(second):
        raise TorchError("both dimension lists should have same length")
    if x.dtype != y.dtype:
        raise TorchError("both inputs should have same dtype", hint=CONVERT)
    left, right = x, y
    for i, j in zip(first, second, strict=True):
        m, n = size_at(x, i), size_at(y, j)
        if n == 1:  # what is repeated is summed right away
            left = total(left, [i], True, dtype=x.dtype)
        elif m == 1:
            right = total(right, [j], True, dtype=y.dtype)
        elif m != n:
            raise TorchError(
                f"contracted dimensions need to match, but first has size {m} in dim {i} and second has size {n} in "
                f"dim {j}"
            )
    inside_x, inside_y = ([one_dim(d, t.ndim) for d in ds] for t, ds in ((x, first), (y, second)))
    return _multiplied(left, right, inside_x, inside_y)


def _multiplied(x: Tensor, y: Tensor, inside_x: list[int], inside_y: list[int]) -> Tensor:
    """The sum of products over the inner dims of both, which have the same sizes."""
    outside_x, outside_y = (_outside(t, ds) for t, ds in ((x, inside_x), (y, inside_y)))
    first, second = (*outside_x, *inside_x), (*inside_y, *outside_y)
    shared, height, width = (
        numel(tuple(t.shape[d] for d in ds)) for t, ds in ((x, inside_x), (x, outside_x), (y, outside_y))
    )
    size = (*(x.shape[d] for d in outside_x), *(y.shape[d] for d in outside_y))
    if height == width == 1:
        left, right = permute(x, first), permute(y, second)
        if is_contiguous(left) and is_contiguous(right):
            return view(dot(*(t if t.ndim == 1 else reshape(t, -1) for t in (left, right))), *size)
        return view(total(mul(squeeze(left), squeeze(right))), *size)
    left = reshape(permute(x, first), height, shared)  # before the other is turned: the order of the nodes
    return view(mm(left, reshape(permute(y, second), shared, width)), *size)


def _contracted(x: Tensor, y: Tensor, dims: Any) -> tuple[Sequence[int], Sequence[int]]:
    """The dims of both that are summed over, as a script gave them or as the last and the first of so many."""
    if isinstance(dims, Tensor) and dims.data.size > 1:
        if dims.shape[0] != 2:
            raise TorchError(
                f"dims tensor must have size 2 in first dimension, got {dims.shape[0]}", kind="AssertionError"
            )
        dims = dims.data.tolist()
    elif isinstance(dims, Tensor):
        dims = int(dims.data.item())
    if isinstance(dims, int):
        if dims < 0:
            raise TorchError(f"tensordot expects dims >= 0, but got dims={dims}")
        if dims > min(x.ndim, y.ndim):
            raise TorchError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
        return range(-dims, 0), range(dims)
    if not isinstance(dims, list | tuple):
        raise TorchError(
            "tensordot expects dims to be int or tuple[list[int], list[int]] or list[list[int]] containing two lists, "
            f"but got dims={dims}"
        )
    if len(dims) != 2:
        few = f"not enough values to unpack (expected 2, got {len(dims)})"
        raise TorchError(few if len(dims) < 2 else "too many values to unpack (expected 2)", kind="ValueError")
    for number, (name, given) in enumerate(zip(("dims_self", "dims_other"), dims, strict=True), 3):
        start = f"tensordot(): argument '{name}' (position {number}) must be tuple of ints, "
        if not isinstance(given, list | tuple):
            raise TorchError(f"{start}not {kind_name(given)}", kind="TypeError")
        wrong = next((place for place, d in enumerate(given) if not isinstance(d, int)), None)
        if wrong is not None:
            kind = kind_name(given[wrong])
            raise TorchError(f"{start}but found element of type {kind} at pos {wrong}", kind="TypeError")
    return dims[0], dims[1]


def _outside(x: Tensor, inside: list[int]) -> list[int]:
    """The dims that stay.

    Raises:
        TorchError: one is summed over twice.
    """
    twice = next((d for place, d in enumerate(inside) if d in inside[:place]), None)
    if twice is not None:
        raise TorchError(f"dim {twice} appears multiple times in the list of dims")
    return [d for d in range(x.ndim) if d not in inside]


def kron(input: Tensor, other: Tensor) -> Tensor:
    a, b = need("kron", input), need("kron", other, "other", 2)
    n = max(a.ndim, b.ndim)
    tall, wide = ((1,) * (n - x.ndim) + x.shape for x in (a, b))
    left = unsafe_view(a, tuple(k for m in tall for k in (m, 1)))
    right = unsafe_view(b, tuple(k for m in wide for k in (1, m)))
    return unsafe_view(mul(left, right), tuple(m * k for m, k in zip(tall, wide, strict=True)))


def cross(input: Tensor, other: Tensor, dim: int | None = None) -> Tensor:
    a, b = need("cross", input), need("cross", other, "other", 2)
    if dim is None:
        warn(WITHOUT_DIM, once=True)
        dim = next((i for i, n in enumerate(a.shape) if n == 3), None)
        if dim is None:
            raise TorchError("no dimension of size 3 in input")
    return _crossed(a, b, dim)


WITHOUT_DIM = (
    "Using torch.cross without specifying the dim arg is deprecated.\n"
    "Please either pass the dim explicitly or simply use torch.linalg.cross.\n"
    "The default value of dim will change to agree with that of linalg.cross in a future release."
)


def linalg_cross(input: Tensor, other: Tensor, *, dim: int = -1) -> Tensor:
    return _crossed(need("linalg_cross", input), need("linalg_cross", other, "other", 2), dim)


def _crossed(a: Tensor, b: Tensor, dim: int) -> Tensor:
    if a.ndim != b.ndim:
        raise TorchError("linalg.cross: inputs must have the same number of dimensions.")
    if size_at(a, dim) != 3 or size_at(b, dim) != 3:
        raise TorchError(
            f"linalg.cross: inputs dimension {dim} must have length 3. Got {size_at(a, dim)} and {size_at(b, dim)}"
        )
    if found := mismatch(a.shape, b.shape, "'cross'"):
        raise found
    if a.dtype != b.dtype:
        raise TorchError(f"expected scalar type {type_name(a.dtype)} but found {type_name(b.dtype)}", hint=CONVERT)
    return apply(OPS["cross"], (a, b), dim=one_dim(dim, a.ndim))


def trace(input: Tensor) -> Tensor:
    x = need("trace", input)
    if x.dtype is BOOL:
        refuse_bools("trace")
    if x.ndim != 2:
        raise TorchError(f"trace: expected a matrix, but got tensor with dim {x.ndim}")
    return apply(OPS["trace"], (x,))


def _check_outer(c: Tensor, a: Tensor, b: Tensor) -> None:
    for name, x in (("vec1", a), ("vec2", b)):
        if x.ndim != 1:
            raise TorchError(f"addr: Expected 1-D argument {name}, but got {x.ndim}-D")
    fits(c, (a.shape[0], b.shape[0]))


CHECKS: dict[str, Callable[[Tensor, Tensor, Tensor], None]] = {
    "baddbmm": partial(check_stacks, summed=False),
    "addbmm": partial(check_stacks, summed=True),
    "addmv": lambda c, a, b: check_vector(a, b, c),
    "addr": _check_outer,
}


def _with_term(name: str) -> Callable[..., Tensor]:
    check = CHECKS[name]

    def function(input: Tensor, first: Tensor, second: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
        c, a, b = need(name, input), need(name, first, "1", 2), need(name, second, "2", 3)
        check(c, a, b)
        return apply(OPS[name], (c, a, b), beta=beta, alpha=alpha)

    function.__name__ = name
    return function


baddbmm, addbmm, addmv, addr = (_with_term(name) for name in ("baddbmm", "addbmm", "addmv", "addr"))


def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    if (beta, alpha) == (1, 1):
        return basic.addmm(input, mat1, mat2)
    check_addmm(input, mat1, mat2)
    return apply(OPS["addmm_scaled"], (input, mat1, mat2), beta=beta, alpha=alpha)


def multi_dot(tensors: Any) -> Tensor:
    """The product of several matrices, in the order that takes the fewest multiplications."""
    xs = [need("multi_dot", x, "tensors") for x in tensors]
    if len(xs) < 2:
        raise TorchError(f"multi_dot(): expected at least 2 tensors but got {len(xs)}")
    check_chain(xs)
    first, last = xs[0].ndim == 1, xs[-1].ndim == 1
    rows = [unsqueeze(xs[0], 0) if first else xs[0], *xs[1:-1], unsqueeze(xs[-1], 1) if last else xs[-1]]
    out = _chain(rows)
    size = (*(() if first else out.shape[:1]), *(() if last else out.shape[1:]))
    return view(out, *size)


def _chain(xs: list[Tensor]) -> Tensor:
    """Matrices multiplied pair by pair, at each turn the pair that shares the largest size."""
    while len(xs) > 1:
        at = max(range(len(xs) - 1), key=lambda i: (xs[i].shape[1], -i))
        xs[at : at + 2] = [mm(xs[at], xs[at + 1])]
    return xs[0]


def chain_matmul(*matrices: Any) -> Tensor:
    warn(CHAINED, once=True)
    if not matrices:
        raise TorchError("chain_matmul(): Expected one or more matrices")
    xs = all_tensors(matrices)
    for x in xs:
        if x.ndim != 2:
            raise TorchError(f"Tensor dimension is {x.ndim}, expected 2 instead.")
    return multi_dot(xs) if len(xs) > 1 else apply(OPS["clone"], (xs[0],))


CHAINED = (
    "torch.chain_matmul is deprecated and will be removed in a future PyTorch release. Use torch.linalg.multi_dot "
    "instead, which accepts a list of two or more tensors rather than multiple parameters."
)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    f.__name__: f
    for f in (outer, vdot, inner, tensordot, kron, cross, trace, addmm, baddbmm, addbmm, addmv, addr, chain_matmul)
} | {"ger": outer}
METHODS: dict[str, Callable[..., Any]] = {
    name: f for name, f in FUNCTIONS.items() if name not in {"tensordot", "chain_matmul"}
}
NEURAL: dict[str, Callable[..., Any]] = {}
LINALG: dict[str, Callable[..., Any]] = {"cross": linalg_cross, "multi_dot": multi_dot, "matmul": basic.matmul}
