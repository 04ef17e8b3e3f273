"""`numpy`: what scripts exchange with tensors. Arrays are numpy's own; their attributes are on an allow-list."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.errors import LimitError
from gradviz.imitation.script.arrays.values import Grid, Index
from gradviz.imitation.script.classes.special_methods import OF_ARRAYS
from gradviz.imitation.script.errors.overheard import HEARD, USUAL, told
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.numpy import beside, files, polynomials, printing, texts, windows
from gradviz.imitation.script.names.numpy.calls import plain, room, wrapped
from gradviz.imitation.script.names.numpy.random import random_module
from gradviz.imitation.script.readers import READERS, fields
from gradviz.imitation.script.silent import Silent
from gradviz.imitation.script.values import Class, Namespace, Native

SAFE = (
    "sqrt exp log sin cos tan tanh abs sum mean max min std var prod dot matmul maximum minimum stack concatenate",
    "vstack hstack where allclose array_equal argmax argmin cumsum sign floor ceil square outer clip round isnan isinf",
    "expand_dims squeeze transpose reshape ravel diag arcsin arccos arctan arctan2 sinh cosh log1p expm1 log2 log10",
    "power add subtract multiply divide negative reciprocal mod fmod sort argsort unique median percentile average",
    "cumprod dstack column_stack atleast_1d atleast_2d swapaxes moveaxis roll flip fliplr flipud rot90 split",
    "array_split any all nonzero count_nonzero argwhere isclose isfinite logical_and logical_or logical_not",
    "nansum nanmean nanmax nanmin inner trace triu tril cross einsum interp bincount searchsorted digitize ndim shape",
    "size broadcast_to copy ptp minimum fabs hypot exp2 cbrt sinc trunc rint heaviside amax amin append",
    "floor_divide true_divide remainder float_power logaddexp nan_to_num positive signbit radians degrees deg2rad",
    "rad2deg arcsinh arccosh arctanh gradient polyfit polyval ediff1d trapezoid flatnonzero isin intersect1d",
    "union1d setdiff1d fmax fmin greater greater_equal less less_equal equal not_equal bitwise_and bitwise_or",
    "bitwise_xor invert left_shift right_shift logical_xor vdot cov corrcoef histogram convolve nancumsum nanstd",
    "nanvar nanargmax nanargmin nanmedian quantile nanpercentile argpartition partition compress extract",
    "array_equiv rollaxis hsplit vsplit insert delete resize trim_zeros real imag angle conj iscomplexobj isreal",
    "gcd lcm take take_along_axis put_along_axis fill_diagonal diagflat isposinf isneginf nanprod fix around unwrap",
    "select choose divmod modf frexp ldexp copyto put putmask tril_indices_from triu_indices_from diag_indices_from",
    "row_stack copysign isrealobj histogram2d shares_memory may_share_memory",
    "tril_indices triu_indices diag_indices unravel_index ravel_multi_index vander lexsort block",
    "ix_ broadcast_arrays roots poly polyadd polysub polymul polydiv polyder polyint correlate diagonal setxor1d",
    "nanquantile nancumprod bitwise_not bitwise_count absolute conjugate logaddexp2 nextafter spacing concat unstack",
    "matrix_transpose permute_dims vecdot matvec vecmat cumulative_sum cumulative_prod iscomplex ascontiguousarray",
    "asfortranarray asanyarray acos asin atan atan2 acosh asinh atanh pow bitwise_left_shift bitwise_right_shift",
    "bitwise_invert histogram_bin_edges atleast_3d packbits real_if_close i0 sort_complex unique_values unique_counts",
    "unique_inverse unique_all base_repr binary_repr asarray_chkfinite dsplit isfortran isnat place require broadcast",
)
LINALG = (
    "norm inv solve det eig eigh eigvals eigvalsh svd qr cholesky pinv matrix_rank lstsq matrix_power cond slogdet "
)
LINALG += (
    "tensorinv tensorsolve matrix_norm vector_norm svdvals trace diagonal matrix_transpose cross outer matmul vecdot"
)


OF_COMPLEX = ("sqrt", "log", "log2", "log10", "logn", "power", "arccos", "arcsin", "arctanh")
WINDOWS = ("hamming", "hanning", "blackman", "bartlett")
TRANSFORMS = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
OF_SEVERAL_AXES = ("fft2", "ifft2", "fftn", "ifftn", "rfft2", "rfftn", "irfft2", "irfftn")


def _fft() -> Namespace:
    def count(a: Any, n: int | None = None, *_: Any, **__: Any) -> float:
        return float(np.size(a) if n is None else n)

    def area(a: Any, s: Any = None, axes: Any = None, *_: Any, **__: Any) -> float:
        shape = list(np.shape(a))
        for n, axis in zip(s or (), range(-len(s or ()), 0) if axes is None else axes, strict=False):
            shape[axis] = max(shape[axis], n)
        return float(math.prod(shape))

    return Namespace("numpy.fft", {
        **{name: wrapped(name, _ranged(getattr(np.fft, name), count)) for name in TRANSFORMS},
        **{name: wrapped(name, _ranged(getattr(np.fft, name), area)) for name in OF_SEVERAL_AXES},
        **{name: wrapped(name, getattr(np.fft, name)) for name in ("fftshift", "ifftshift")},
        **{name: wrapped(name, _ranged(getattr(np.fft, name), lambda n, d=1.0: n)) for name in ("fftfreq", "rfftfreq")},
    })  # fmt: skip


def _chained(arrays: Any, **out: Any) -> Any:
    """`np.linalg.multi_dot`: whatever order it takes, no product has more rows and columns than the most there are."""
    sizes = [n for each in arrays for n in np.shape(each)]
    room((max(sizes, default=0), max(sizes, default=0)))
    return np.linalg.multi_dot(arrays, **out)


MOST_SUBTRACTIONS = 1_000_000_000


def _differences(a: Any, n: Any = 1, *ends: Any, **named: Any) -> Any:
    """`np.diff`: after as many rounds as there are numbers none is left, though numpy would go on without an end."""
    if hasattr(n, "__index__") and np.ndim(n) == 0:
        size = sum(map(np.size, (a, *ends, *named.values())))
        n = min(operator.index(n), size + 1)
        if n * size > MOST_SUBTRACTIONS:
            raise LimitError(f"{n:,} rounds of differences take too long", hint="Use fewer, or a smaller array.")
    return np.diff(a, n, *ends, **named)


def _linalg(errors: dict[str, Class]) -> Namespace:
    functions = {name: wrapped(name, getattr(np.linalg, name)) for name in LINALG.split()}
    functions["multi_dot"] = wrapped("multi_dot", _chained)
    return Namespace("numpy.linalg", {**functions, "LinAlgError": errors["LinAlgError"]})


def _errors(machine: Machine) -> dict[str, Class]:
    """numpy's own exceptions, by name; an error of numpy is told as one of them."""
    known = machine.state["exceptions"]
    made = {
        "LinAlgError": Class("LinAlgError", (known["ValueError"],), {}, module="numpy.linalg"),
        "AxisError": Class("AxisError", (known["ValueError"], known["IndexError"]), {}, module="numpy.exceptions"),
        "UFuncTypeError": Class("UFuncTypeError", (known["TypeError"],), {}, module="numpy._core._exceptions"),
    }
    known |= {name: cls for name, cls in made.items() if name not in known}
    return made


READERS[np.broadcast] = fields("shape", "size", "nd", "ndim", "numiter", "index")
OF_LINALG = ("EigResult", "EighResult", "QRResult", "SlogdetResult", "SVDResult")
READERS.update({kind: fields(*kind._fields) for name in OF_LINALG if (kind := getattr(np.linalg._linalg, name))})

OF_SETS = ("UniqueAllResult", "UniqueCountsResult", "UniqueInverseResult")
READERS.update({kind: fields(*kind._fields) for name in OF_SETS if (kind := getattr(np.lib._arraysetops_impl, name))})

MAKERS = ("zeros", "ones", "empty")

KINDS = {
    "integer": np.integer, "floating": np.floating, "number": np.number, "generic": np.generic, "bool": np.bool_,
    "uint16": np.uint16, "uint32": np.uint32, "uint64": np.uint64, "int_": np.int64,
    "signedinteger": np.signedinteger, "unsignedinteger": np.unsignedinteger, "inexact": np.inexact,
    "byte": np.int8, "ubyte": np.uint8, "short": np.int16, "ushort": np.uint16, "intc": np.int32, "uintc": np.uint32,
    "uint": np.uint64, "long": np.int64, "ulong": np.uint64, "longlong": np.int64, "ulonglong": np.uint64,
    "str_": np.str_, "complex128": np.complex128, "complex64": np.complex64, "complexfloating": np.complexfloating,
    "datetime64": np.datetime64, "timedelta64": np.timedelta64, "bytes_": np.bytes_,
    "character": np.character, "object_": np.object_, "flexible": np.flexible,
    "single": np.float32, "double": np.float64, "half": np.float16, "intp": np.intp,
}  # fmt: skip
"""Types besides the usual ones; the abstract ones only for `isinstance` and `issubdtype`."""


def _sized(function: Callable[..., Any]) -> Callable[..., Any]:
    def run(*arguments: Any, **keywords: Any) -> Any:
        room(arguments[0] if arguments else keywords.get("shape", keywords.get("dimensions", ())))
        return function(*arguments, **keywords)

    return run


def _indices(machine: Machine, dimensions: Any, dtype: Any = int, sparse: bool = False) -> Any:
    """`np.indices`, whose sizes may come from a generator."""
    sizes = tuple(machine.listed(dimensions))
    room(sizes)
    return told(np.indices, sizes, plain(dtype), sparse)


def _square(function: Callable[..., Any]) -> Callable[..., Any]:
    def run(*arguments: Any, **keywords: Any) -> Any:
        n = arguments[0] if arguments else keywords.get("N")
        m = arguments[1] if len(arguments) > 1 else keywords.get("M")
        room((n, n if m is None else m))
        return function(*arguments, **keywords)

    return run


def _ranged(function: Callable[..., Any], count: Callable[..., float]) -> Callable[..., Any]:
    """A function whose result has so many elements; where they cannot be counted, numpy says what is wrong."""

    def run(*arguments: Any, **keywords: Any) -> Any:
        for each in arguments:
            if isinstance(each, Silent):
                each.number()
        try:
            elements = int(count(*arguments, **keywords))
        except (TypeError, ZeroDivisionError, OverflowError, ValueError, IndexError):
            elements = 0
        room(elements)
        return function(*arguments, **keywords)

    return run


def _arange_count(start: Any = 0, stop: Any = None, step: Any = 1, dtype: Any = None, **_: Any) -> float:
    if any(isinstance(each, str | np.datetime64) for each in (start, stop)):
        return _date_count([each for each in (start, stop, step) if each is not None], dtype)
    count = (start if stop is None else stop - start) / step
    return abs(count) if isinstance(count, complex) else max(0.0, count)


def _linspace_count(start: float, stop: float, num: int = 50, **_: Any) -> float:
    return num


def _scalar(kind: Any) -> Callable[..., Any]:
    return lambda *given: told(kind, *map(plain, given))


def _date_count(given: list[Any], dtype: Any) -> float:
    """How many dates a range has: all are whole numbers of its unit."""
    dates = [each for each in given if not isinstance(each, int | np.timedelta64)]
    numbers = np.array(dates, dtype).astype(np.int64)
    step = next((np.timedelta64(each).astype(int) for each in given[2:]), 1)
    return abs(float(numbers[-1] - numbers[0])) / max(1, abs(int(step))) + sum(
        float(each) for each in given[:2] if isinstance(each, int)
    )


def module(machine: Machine, seed: int) -> Namespace:
    """The namespace `numpy`."""
    errors = _errors(machine)
    HEARD.set(USUAL)
    np.set_printoptions(**printing.USUALLY)
    types = {
        name: Class(kind.__name__, python=(kind,), make=Native(name, _scalar(kind)), module="numpy")
        for name, kind in {
            "float16": np.float16, "float32": np.float32, "float64": np.float64, "int64": np.int64, "int32": np.int32,
            "int16": np.int16, "int8": np.int8, "uint8": np.uint8, "bool_": np.bool_, **KINDS,
        }.items()
    }  # fmt: skip
    return Namespace(
        "numpy",
        {
            # Newer numpy has taken some away: row_stack went with 2.5.
            **{name: wrapped(name, getattr(np, name)) for name in " ".join(SAFE).split() if hasattr(np, name)},
            **{name: wrapped(name, _sized(getattr(np, name))) for name in MAKERS},
            "array": wrapped("array", np.array),
            "asarray": wrapped("asarray", np.asarray),
            "zeros_like": wrapped("zeros_like", np.zeros_like),
            "ones_like": wrapped("ones_like", np.ones_like),
            "full": wrapped("full", _sized(np.full)),
            "eye": wrapped("eye", _square(np.eye)),
            "arange": wrapped("arange", _ranged(np.arange, _arange_count)),
            "linspace": wrapped("linspace", _ranged(np.linspace, _linspace_count)),
            "meshgrid": wrapped("meshgrid", np.meshgrid),
            "linalg": _linalg(errors),
            "exceptions": Namespace("numpy.exceptions", {"AxisError": errors["AxisError"]}),
            "mgrid": Grid("mgrid", np.mgrid),
            "ogrid": Grid("ogrid", np.ogrid),
            "c_": Grid("c_", np.c_),
            "r_": Grid("r_", np.r_),
            "s_": Index("s_", False),
            "index_exp": Index("index_exp", True),
            "full_like": wrapped("full_like", np.full_like),
            "empty_like": wrapped("empty_like", np.zeros_like),
            "identity": wrapped("identity", _ranged(np.identity, lambda n, *_, **__: n * n)),
            "tile": wrapped("tile", np.tile),
            "repeat": wrapped("repeat", np.repeat),
            "logspace": wrapped("logspace", _ranged(np.logspace, _linspace_count)),
            "geomspace": wrapped("geomspace", _ranged(np.geomspace, _linspace_count)),
            "pad": wrapped("pad", np.pad),
            "diff": wrapped("diff", _differences),
            "kron": wrapped("kron", _ranged(np.kron, lambda a, b: np.size(a) * np.size(b))),
            "tensordot": wrapped("tensordot", _ranged(np.tensordot, lambda a, b, *_, **__: np.size(a) * np.size(b))),
            **{name: wrapped(name, _ranged(getattr(np, name), lambda M, *_: M)) for name in (*WINDOWS, "kaiser")},
            "fft": _fft(),
            "tri": wrapped("tri", _square(np.tri)),
            "unpackbits": wrapped("unpackbits", _ranged(np.unpackbits, lambda a, *_, **__: 8 * np.size(a))),
            "indices": Native("indices", _indices, needs_machine=True),
            "emath": Namespace("numpy.emath", {name: wrapped(name, getattr(np.emath, name)) for name in OF_COMPLEX}),
            "random": random_module(seed),
            "ndarray": _ndarray(),
            "pi": np.pi,
            "e": np.e,
            "inf": np.inf,
            "nan": np.nan,
            "newaxis": None,
            "euler_gamma": np.euler_gamma,
            "True_": np.True_,
            "False_": np.False_,
            "__version__": np.__version__,
            **types,
            **beside.members(machine),
            **printing.members(),
            **polynomials.members(),
            **windows.members(),
            **files.members(),
            **texts.members(),
        },
    )


def _ndarray() -> Class:
    def run(shape: Any, dtype: Any = float, *, order: Any = None) -> Any:
        return np.zeros(shape, dtype, order or "C")  # what numpy leaves in memory is nobody's to say

    return Class("ndarray", (), dict(OF_ARRAYS), python=(np.ndarray,), make=wrapped("ndarray", _sized(run)),
                 module="numpy")  # fmt: skip
