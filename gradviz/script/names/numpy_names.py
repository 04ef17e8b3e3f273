"""`numpy`: what scripts exchange with tensors. Arrays are numpy's own; their attributes are on an allow-list."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.engine.creation import check_size
from gradviz.engine.tensor import Tensor
from gradviz.errors import TorchError
from gradviz.script.torch_values import DTypeName
from gradviz.script.values import Class, Namespace, Native

SAFE = (
    "sqrt exp log sin cos tan tanh abs sum mean max min std var prod dot matmul maximum minimum stack concatenate",
    "vstack hstack where allclose array_equal argmax argmin cumsum sign floor ceil square outer clip round isnan isinf",
    "expand_dims squeeze transpose reshape ravel diag",
)
MAKERS = ("zeros", "ones", "empty")


def plain(value: Any) -> Any:
    """Arguments as numpy takes them: tensors as arrays, dtypes of torch as numpy's."""
    if isinstance(value, Tensor):
        if value.requires_grad:
            raise TorchError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
        return np.array(value.data)
    if isinstance(value, DTypeName):
        return value.dtype
    if isinstance(value, Class) and value.python and issubclass(value.python[0], np.generic):
        return value.python[0]
    if isinstance(value, Class):
        return {"float": np.float64, "int": np.int64, "bool": np.bool_}.get(value.name, value)
    return [plain(item) for item in value] if isinstance(value, list | tuple) else value


def wrapped(name: str, function: Callable[..., Any]) -> Native:
    """A numpy function; what it returns is an array or a number."""

    def run(*arguments: Any, **keywords: Any) -> Any:
        return function(*map(plain, arguments), **{key: plain(value) for key, value in keywords.items()})

    return Native(name, run)


def _sized(function: Callable[..., Any]) -> Callable[..., Any]:
    def run(shape: Any, *rest: Any, **keywords: Any) -> Any:
        check_size(shape if isinstance(shape, list | tuple) else (shape,))
        return function(shape, *rest, **keywords)

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
    generator = np.random.RandomState(seed)
    names = "rand randn randint uniform normal random choice shuffle permutation seed"
    return Namespace(
        "numpy.random", {name: wrapped(name, _limited(getattr(generator, name))) for name in names.split()}
    )


def _limited(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def run(*arguments: Any, **keywords: Any) -> Any:
        sizes = [a for a in (*arguments, keywords.get("size")) if isinstance(a, int | tuple | list)]
        total = 1
        for size in sizes:
            for n in size if isinstance(size, tuple | list) else (size,):
                total *= max(1, n) if isinstance(n, int) and function.__name__ in ("rand", "randn") else 1
        check_size((total,))
        if "size" in keywords and keywords["size"] is not None:
            size = keywords["size"]
            check_size(size if isinstance(size, tuple | list) else (size,))
        return function(*arguments, **keywords)

    return run


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
            "eye": wrapped("eye", _sized(np.eye)),
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
