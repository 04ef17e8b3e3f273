"""`numpy`: what scripts exchange with tensors. Arrays are numpy's own; their attributes are on an allow-list."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.engine.creation import check_size
from gradviz.engine.tensor import Tensor
from gradviz.errors import TorchError
from gradviz.script.sizes import admit
from gradviz.script.torch_values import DTypeName
from gradviz.script.values import Class, Namespace, Native, type_name

SAFE = (
    "sqrt exp log sin cos tan tanh abs sum mean max min std var prod dot matmul maximum minimum stack concatenate",
    "vstack hstack where allclose array_equal argmax argmin cumsum sign floor ceil square outer clip round isnan isinf",
    "expand_dims squeeze transpose reshape ravel diag",
)
MAKERS = ("zeros", "ones", "empty")


def plain(value: Any) -> Any:
    """An argument as numpy takes it: tensors as arrays, dtypes of torch as numpy's. Only numbers go through.

    Raises:
        TorchError: something that numpy would keep as an object, or a tensor that requires grad.
    """
    if value is None or value is Ellipsis or isinstance(value, NUMBERS | slice):
        return value
    if isinstance(value, Tensor):
        if value.requires_grad:
            raise TorchError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
        return np.array(value.data)
    if isinstance(value, list | tuple):
        return list(map(plain, value)) if isinstance(value, list) else tuple(map(plain, value))
    if isinstance(value, range):
        check_size((len(value),))
        return np.arange(value.start, value.stop, value.step)
    return _word(value)


NUMBERS = bool | int | float | complex | np.ndarray | np.generic
DTYPE_NAMES = {
    "float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "bool", "float", "int", "f", "f4",
    "f8", "i", "i4", "i8", "d",
}  # fmt: skip
WORDS = {
    "ij", "xy", "C", "F", "K", "A", "same", "full", "valid", "linear", "nearest", "constant", "edge", "wrap", "left",
    "right",
}  # fmt: skip


def _word(value: Any) -> Any:
    if isinstance(value, DTypeName):
        return value.dtype
    if isinstance(value, Class) and value.python and issubclass(value.python[0], np.generic):
        return value.python[0]
    if isinstance(value, Class) and value.name in BUILT_IN_DTYPES:
        return BUILT_IN_DTYPES[value.name]
    if isinstance(value, str) and (value in DTYPE_NAMES or value in WORDS):
        return value
    raise TorchError(
        f"arrays hold numbers here, not {type_name(value)}", kind="TypeError", hint="Give numbers, lists or arrays."
    )


BUILT_IN_DTYPES = {"float": np.float64, "int": np.int64, "bool": np.bool_}


def wrapped(name: str, function: Callable[..., Any], *receiver: Any) -> Native:
    """A numpy function; what it returns is an array of numbers, a number, or a sequence of these.

    Args:
        name: how the script spells it.
        function: numpy's.
        receiver: for a method, the array that it belongs to.
    """

    def run(*arguments: Any, **keywords: Any) -> Any:
        given = tuple(map(plain, arguments))
        named = {key: plain(value) for key, value in keywords.items()}
        admit(name, (*receiver, *given), named)
        return numbers(function(*given, **named))

    return Native(name, run)


def numbers(result: Any) -> Any:
    """A result of numpy that a script may hold.

    Raises:
        TorchError: an array of objects, texts or dates.
    """
    if isinstance(result, np.ndarray | np.generic) and result.dtype.kind not in "biufc":
        raise TorchError(f"arrays of dtype {result.dtype} are not supported", kind="TypeError", hint="Use numbers.")
    if isinstance(result, list | tuple):
        return type(result)(map(numbers, result)) if type(result) in (list, tuple) else tuple(map(numbers, result))
    return result


def _sized(function: Callable[..., Any]) -> Callable[..., Any]:
    def run(shape: Any, *rest: Any, **keywords: Any) -> Any:
        check_size(shape if isinstance(shape, list | tuple) else (shape,))
        return function(shape, *rest, **keywords)

    return run


def _square(function: Callable[..., Any]) -> Callable[..., Any]:
    def run(n: int, m: int | None = None, *rest: Any, **keywords: Any) -> Any:
        check_size((n, n if m is None else m))
        return function(n, m, *rest, **keywords)

    return run


def _ranged(function: Callable[..., Any], count: Callable[..., float]) -> Callable[..., Any]:
    def run(*arguments: Any, **keywords: Any) -> Any:
        check_size((int(count(*arguments, **keywords)),))
        return function(*arguments, **keywords)

    return run


def _arange_count(start: float, stop: Any = None, step: float = 1, **_: Any) -> float:
    return max(0.0, (start if stop is None else stop - start) / step)


def _linspace_count(start: float, stop: float, num: int = 50, **_: Any) -> float:
    return num


def random_module(seed: int) -> Namespace:
    """`numpy.random` with a generator of its own for each run."""
    own = np.random.RandomState(seed)

    def sized(name: str) -> Native:
        draw = getattr(own, name)

        def run(*arguments: Any, **keywords: Any) -> Any:
            given = dict(zip(RANDOM[name], arguments, strict=False)) | keywords
            size = given.get("size")
            if size is not None:
                check_size(size if isinstance(size, tuple | list) else (size,))
            if name in ("choice", "permutation") and isinstance(given["a"], int):
                check_size((given["a"],))
            return draw(*arguments, **keywords)

        return wrapped(name, run)

    def many(name: str) -> Native:
        draw = getattr(own, name)
        return wrapped(name, lambda *size: draw(*check_size(size)))

    return Namespace("numpy.random", {
        **{name: sized(name) for name in RANDOM}, **{name: many(name) for name in ("rand", "randn")},
        "seed": Native("seed", lambda seed=None: own.seed(seed)),
        "shuffle": Native("shuffle", own.shuffle),
    })  # fmt: skip


RANDOM = {
    "randint": ("low", "high", "size", "dtype"),
    "uniform": ("low", "high", "size"),
    "normal": ("loc", "scale", "size"),
    "random": ("size",),
    "choice": ("a", "size", "replace", "p"),
    "permutation": ("a",),
}
"""The draws with their arguments in order."""


def module(seed: int) -> Namespace:
    """The namespace `numpy`."""
    types = {
        name: Class(name, python=(kind,), make=Native(name, lambda x=0, kind=kind: kind(plain(x))), module="numpy")
        for name, kind in {
            "float32": np.float32, "float64": np.float64, "int64": np.int64, "int32": np.int32, "bool_": np.bool_,
        }.items()
    }  # fmt: skip
    return Namespace(
        "numpy",
        {
            **{name: wrapped(name, getattr(np, name)) for name in " ".join(SAFE).split()},
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
            "set_printoptions": Native("set_printoptions", lambda **_: None),
            "random": random_module(seed),
            "ndarray": Class("ndarray", python=(np.ndarray,), make=Native("ndarray", _no_ndarray), module="numpy"),
            "pi": np.pi,
            "e": np.e,
            "inf": np.inf,
            "nan": np.nan,
            "newaxis": None,
            **types,
        },
    )


def _no_ndarray(*_: Any, **__: Any) -> None:
    raise TorchError("numpy.ndarray(...) is not supported", kind="TypeError", hint="Use np.array or np.zeros.")
