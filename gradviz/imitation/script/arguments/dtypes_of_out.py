"""Which dtypes the kernels of PyTorch write into `out=`, and what each says of another."""

from __future__ import annotations

from collections.abc import Sequence

from gradviz.imitation.engine.dtypes import FLOATING, INT64, DType, c_name, category, class_of, type_name
from gradviz.errors import TorchError


def refuse_dtype(name: str, dtype: DType, target: DType) -> None:
    """Raise where a result cannot be written in the dtype of the target, in the words of the kernel.

    Args:
        name: the kernel; or the function, where that looks at the dtype itself.
        dtype: of the result.
        target: of what it is written into.
    """
    if dtype == target or (name in TAKES_ALL and not (name == "cumsum" and target.kind == "b")):
        return
    if name in ("all", "any") and target.name in ("bool", "uint8"):
        return
    names = type_name(dtype), type_name(target), c_name(dtype), c_name(target)
    is_smaller = category(dtype) > category(target)
    told = (CANNOT_CAST.get(name) if is_smaller else None) or TAKES_SAME.get(name)
    if told:
        raise TorchError(told.format(*names, name=name), kind="TypeError" if name in JOINING else "RuntimeError")
    kernel = (target.kind == "b" and NOT_OF_BOOL.get(name)) or (target.kind not in FLOATING and OF_FLOATS.get(name))
    if kernel:
        raise TorchError(f"\"{kernel}\" not implemented for '{names[1]}'", kind="NotImplementedError")
    if is_smaller:
        raise TorchError("result type {} can't be cast to the desired output type {}".format(*names))


def refuse_pair(name: str, dtype: DType, targets: Sequence[DType]) -> None:
    """Raise where numbers and their places cannot be written, in the words of a function that looks at both first.

    Args:
        dtype: of the numbers.
        targets: of what both are written into.
    """
    if name not in PAIRED:
        return
    wanted = dtype, INT64
    for at in (1, 0) if "median" in name else (0, 1):
        if at < len(targets) and targets[at] != wanted[at]:
            named = (type_name(wanted[at]), type_name(targets[at]))
            raise TorchError(PAIRED[name][at].format(*named, *map(class_of, named)))


LOOKED_AT_FIRST = frozenset(("mode", "cummax", "cummin", "logcumsumexp"))
"""Those that look at the dtypes before anything else."""
_SCALAR_TYPE = "expected scalar_type {0} but found {1}"
_OTHER_TYPE = (
    "Expected tensor for 'values' to have the same type as tensor for argument #2 'self'; but type {3} does not equal "
    "{2} (while checking arguments for median)"
)
_NO_LONG = (
    "Expected tensor for argument #1 'indices' to have scalar type Long; but got {3} instead (while checking arguments "
    "for median)"
)
PAIRED: dict[str, tuple[str, ...]] = {
    "mode": tuple(f"expected scalar type '{{0}}' but got '{{1}}' for {part} output" for part in ("values", "indices")),
    "kthvalue": ("output values must be of same type as input", "output indices must be of scalar type Long"),
    **dict.fromkeys(("cummax", "cummin"), (_SCALAR_TYPE, _SCALAR_TYPE)),
    "logcumsumexp": (_SCALAR_TYPE,),
    **dict.fromkeys(("median", "nanmedian"), (_OTHER_TYPE, _NO_LONG)),
}
"""What is said of the dtypes of numbers, and of their places."""

TAKES_ALL = frozenset(("sum", "prod", "cumsum", "cumprod", "zeros", "ones", "full", "empty", "bernoulli"))
COUNTED = ("arange", "linspace", "logspace", "range")
"""Those that count in the dtype of what they write into."""
NOT_OF_BOOL = {"cumsum": "cumsum_out_cpu", "randperm": "randperm", **{name: f"{name}_cpu" for name in COUNTED}}
OF_FLOATS = {"rand": "check_uniform_bounds", "randn": "normal_kernel_cpu", "normal": "normal_kernel_cpu"}
"""The kernels that know some dtypes only."""
JOINING = ("cat", "stack")
_SAFELY = "{}: Expected result to be safely castable from {{0}} dtype, but got result with dtype {{1}}"
CANNOT_CAST = {
    **dict.fromkeys(JOINING, "torch.cat(): input types can't be cast to the desired output type {1}"),
    **dict.fromkeys(
        ("diag_embed", "diagonal_copy"), "diag: result type {0} can't be cast to the desired out= type {1}"
    ),
    "cholesky": _SAFELY.format("cholesky"),
    "logsumexp": "logsumexp(): Expected floating point type for result tensor, but got: {1}",
    "linalg_cond": _SAFELY.format("linalg.cond"),
    "linalg_pinv": _SAFELY.format("linalg.pinv"),
    **dict.fromkeys(("matrix_power", "linalg_matrix_power"), _SAFELY.format("matrix_power")),
}
"""What functions say of a dtype of fewer values."""
_EXPECTED = """
    topk mm matmul addmm bmm mv addmv argmax argmin gather isin diag_embed diagonal_copy softmax log_softmax sort tril
    triu
    linalg_cholesky_ex linalg_cross linalg_inv_ex linalg_vector_norm _linalg_det _linalg_eigh _linalg_solve_ex
    _linalg_svd
"""
TAKES_SAME = {
    **dict.fromkeys(
        ("abs", "bitwise_not", "ceil", "clamp", "floor", "neg", "round", "sgn", "trunc"),
        "Found dtype {1} but expected {0}",
    ),
    **dict.fromkeys(_EXPECTED.split(), "Expected out tensor to have dtype {2}, but got {3} instead"),
    **dict.fromkeys(
        ("amax", "amin"),
        "Expected the dtype for input and out to match, but got {0} for input's dtype and {1} for out's dtype.",
    ),
    **dict.fromkeys(
        ("bucketize", "searchsorted"),
        "torch.searchsorted(): output tensor's dtype is wrong, it can only be Int(int32) or Long(int64) depending on "
        "whether out_int32 flag is True, but we got output tensor's dtype {1} and out_int32 flag is False",
    ),
    **dict.fromkeys(
        ("inner", "tensordot"),
        "tensordot: Expected the output tensor to have dtype {0}, but got an output tensor with dtype {1}",
    ),
    **dict.fromkeys(("quantile", "nanquantile"), "quantile() out tensor must be same dtype as the input tensor"),
    **{f"linalg_{x}": f"linalg.{x} expected out tensor dtype {{0}} but got: {{1}}" for x in ("matrix_norm", "norm")},
    **{name: f"{name}(): self and result must have the same scalar type" for name in ("index_select", "masked_select")},
    **dict.fromkeys(("all", "any"), "{name} only supports bool tensor for result, got: {1}"),
    **dict.fromkeys(("isneginf", "isposinf", "signbit"), "{name} does not support non-boolean outputs."),
    "dot": "result dtype {1} does not match input dtype {0}",
    "heaviside": "heaviside is not yet implemented for tensors with different dtypes.",
    "histc": "torch.histogram: input tensor and hist tensor should have the same dtype, but got input {2} and hist {3}",
    "multi_dot": "multi_dot(): expected out tensor to have dtype {2} but got {3}",
    "multinomial": "multinomial expects Long tensor out, got: {1}",
    "nan_to_num": "nan_to_num: dtype of out: {1} should be same as input: {0}",
    "nonzero": "nonzero: Expected out tensor to have scalar type Long but got scalar type{1}",
    "take": "take(): self and out expected to have the same dtype, but got self.dtype = {0} and out.dtype = {1}",
    "vecdot": "linalg.vecdot: Expected out of dtype{0} but found {1}",
    "where": "Expected out type to be {0} but got {1}",
}
"""What functions say that write in one dtype only."""
