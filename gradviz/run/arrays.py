"""numpy as scripts see it: arrays without the ways that lead from them to memory.

An array of objects is memory full of addresses. Whoever writes numbers into it, through a buffer, another dtype or
other strides, has the whole process; and a comparison that changes the array while it is sorted has ended numpy before.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np

from gradviz.run.classes import stand_for
from gradviz.run.refused import Refused
from gradviz.run.visible import bases_of, home_of, is_class, show_as


def is_array(value: object) -> bool:
    """Whether it is an array or a scalar of numpy."""
    return any(kind is np.ndarray or kind is np.generic for kind in bases_of(type(value)))


def read_of_array(owner: Any, name: str, found: Any) -> Any:
    """An attribute whose name leads to memory on an array, and is harmless on anything else.

    Raises:
        Refused: it does lead there.
    """
    if is_array(owner):
        allowed = _ALLOWED.get(name)
        if allowed is None:
            raise Refused(f"'{name}' of an array leads to its memory, which no script may touch here")
        return allowed(owner, found)
    if is_class(owner) and (np.ndarray in bases_of(owner) or np.generic in bases_of(owner)):
        raise Refused(f"'{owner.__name__}.{name}' is not available here: write it behind an array")
    if name == "fields" and np.dtype in bases_of(type(owner)):
        return None if found is None else dict(found)
    if name == "set_state" and is_class(owner) and home_of(owner).startswith("numpy"):
        raise Refused(f"'{owner.__name__}.{name}' is not available here: write it behind an object")
    if home_of(type(owner)).startswith("numpy"):
        if name == "set_state":
            return _set_state(found)
        if name in ("ctypes", "cffi", "capsule"):
            raise Refused(f"'{name}' is not available here")
    return found


def has_objects(value: Any) -> bool:
    """Whether it is an array of objects, or of records with objects in them."""
    return is_array(value) and bool(value.dtype.hasobject)


_NUMBERS = "biufcmM"
"""The kinds of dtypes whose bytes may be anything."""


def _view(owner: Any, found: Any) -> Callable[..., Any]:
    def view(dtype: Any = None, type: Any = None) -> Any:
        if type is not None or (is_class(dtype) and np.ndarray in bases_of(dtype)):
            raise Refused("an array cannot be viewed as another class here")
        if dtype is None:
            return found()
        if owner.dtype.kind not in _NUMBERS or np.dtype(dtype).kind not in _NUMBERS:
            raise Refused("only numbers can be viewed as other numbers here")
        return found(dtype)

    return view


def _unless_objects(what: str) -> Callable[[Any, Any], Any]:
    def allowed(owner: Any, found: Any) -> Any:
        if has_objects(owner):
            raise Refused(f"an array of objects cannot be {what} here")
        return found

    return allowed


def _resize(_: Any, __: Any) -> Any:
    raise Refused("an array cannot change its size in place here: write a = np.resize(a, shape)")


def _set_flags(_: Any, found: Any) -> Callable[..., None]:
    def setflags(write: Any = None, align: Any = None, uic: Any = None) -> None:  # noqa: ARG001
        if write is not None:
            found(write=bool(write))

    return setflags


class Flags:
    """`a.flags`; numpy's own ends the process when it is given the wrong key."""

    __slots__ = ("_array",)

    def __init__(self, array: Any) -> None:
        self._array = array

    def __getattr__(self, name: str) -> Any:
        if name[:1] == "_":
            raise AttributeError(name)
        return getattr(self._array.flags, name)

    def __getitem__(self, name: Any) -> Any:
        return self._array.flags[_ascii(name)]

    def __setitem__(self, name: Any, value: Any) -> None:
        self._array.flags[_ascii(name)] = bool(value)

    @property
    def writeable(self) -> Any:
        """Whether the array may be written to."""
        return self._array.flags.writeable

    @writeable.setter
    def writeable(self, value: Any) -> None:
        self._array.flags.writeable = bool(value)

    def __repr__(self) -> str:
        return repr(self._array.flags)


def _ascii(name: Any) -> Any:
    if type(name) is not str or not name.isascii():
        raise KeyError("Unknown flag")
    return name


_ALLOWED: dict[str, Callable[[Any, Any], Any]] = {
    "view": _view,
    "flags": lambda owner, _: Flags(owner),
    "setflags": _set_flags,
    "tobytes": _unless_objects("turned into bytes"),
    "resize": _resize,
    **dict.fromkeys(("sort", "argsort", "partition", "argpartition", "searchsorted"), _unless_objects("sorted")),
    # a scalar of records has fields of any name
    **dict.fromkeys(("format", "format_map", "mro", "obj", "fields", "set_state"), lambda _, found: found),
}  # fmt: skip
"""What an array gives for names that could lead to its memory; what is missing here is refused."""


# ---- numpy's class of arrays ----


class _ArrayKind(type):
    """Lets `np.ndarray` be asked for, and nothing be made with it."""

    def __call__(cls, shape: Any = (), dtype: Any = float, *rest: Any, **named: Any) -> Any:
        if rest or named:
            raise Refused("np.ndarray(...) of other memory is not available here: use np.array or np.empty")
        return np.zeros(shape, dtype)

    def __instancecheck__(cls, instance: object) -> bool:
        return np.ndarray in bases_of(type(instance))

    def __subclasscheck__(cls, kind: type) -> bool:
        return np.ndarray in bases_of(kind)


class Ndarray(np.ndarray, metaclass=_ArrayKind):
    """`numpy.ndarray` as scripts see it."""


Ndarray.__module__, Ndarray.__name__, Ndarray.__qualname__ = "numpy", "ndarray", "ndarray"
show_as(np.ndarray, Ndarray)
stand_for(type(np.mean))  # made by a script, one crashes the process when it goes


# ---- functions ----


_Function = TypeVar("_Function", bound=Callable[..., Any])


def named_as(function: Any) -> Callable[[_Function], _Function]:
    """`functools.wraps` without `__wrapped__`, by which a script would come to the function itself."""

    def name(made: _Function) -> _Function:
        functools.update_wrapper(made, function)
        del vars(made)["__wrapped__"]
        return made

    return name


def _refuse_objects(function: Any, what: str) -> Any:
    @named_as(function)
    def checked(*given: Any, **named: Any) -> Any:
        for value in (*given, *named.values()):
            array = np.asarray(value) if type(value) in (list, tuple) else value
            if has_objects(array):
                raise Refused(f"an array of objects cannot be {what} here")
        return function(*given, **named)

    return checked


def _frombuffer(buffer: Any, dtype: Any = float, count: int = -1, offset: int = 0, **_: Any) -> Any:
    """`np.frombuffer`, of bytes alone."""
    if type(buffer) not in (bytes, bytearray):
        raise Refused("np.frombuffer takes bytes here")
    return np.frombuffer(bytes(buffer), dtype, count, offset)


def _set_state(found: Any) -> Callable[..., None]:
    """`RandomState.set_state`, whose position numpy does not check."""

    def set_state(state: Any, *_: Any) -> None:
        if type(state) is dict:
            inner = dict(state["state"])
            inner["pos"] = _position(inner["pos"])
            found({**state, "state": inner})
        else:
            parts = tuple(state)
            found((*parts[:2], _position(parts[2]), *parts[3:]) if len(parts) > 2 else parts)

    return set_state


def _position(given: Any) -> int:
    position = int(given)
    if not 0 <= position <= 624:
        raise ValueError("the position in a state of the random numbers is 0 to 624")
    return position


def _array(function: Any) -> Any:
    """Without `like=`, which calls what it is given."""

    @named_as(function)
    def made(*given: Any, **named: Any) -> Any:
        if named.pop("like", None) is not None:
            raise Refused("like= is not available here")
        return function(*given, **named)

    return made


SORTED = (
    "sort", "argsort", "lexsort", "unique", "unique_all", "unique_counts", "unique_inverse", "unique_values", "median",
    "nanmedian", "percentile", "nanpercentile", "quantile", "nanquantile", "sort_complex", "partition", "argpartition",
    "searchsorted", "digitize", "histogram", "intersect1d", "union1d", "setdiff1d", "setxor1d", "isin", "in1d",
    "ediff1d", "interp", "histogram_bin_edges", "histogram2d", "histogramdd", "trim_zeros",
)  # fmt: skip

DENIED = frozenset(
    """
    ndarray memmap recarray record rec matrix asmatrix mat bmat chararray void char ma ctypeslib lib core compat f2py
    distutils testing test show_config show_runtime get_include add_docstring add_newdoc add_newdoc_ufunc source
    lookfor who info DataSource load loads save savez savez_compressed savetxt loadtxt genfromtxt fromfile fromregex
    frombuffer fromstring from_dlpack nditer nested_iters sctypeDict sctypes byte_bounds may_share_memory
    seterrcall geterrcall set_numeric_ops set_string_function typing dtypes version
    tracemalloc_domain getbufsize setbufsize fromiter
    """.split()
)
"""Names of numpy that scripts do not have, or have in the form below."""

SUBMODULES = {
    "linalg": "numpy.linalg", "random": "numpy.random", "fft": "numpy.fft", "polynomial": "numpy.polynomial",
    "exceptions": "numpy.exceptions", "strings": "numpy.strings",
}  # fmt: skip
"""Modules of numpy whose public functions scripts have."""

DENIED_IN = {
    "numpy.random": frozenset({"bit_generator", "mtrand", "set_bit_generator", "get_bit_generator", "test"}),
    "numpy.linalg": frozenset({"test", "linalg"}),
    "numpy.fft": frozenset({"test", "helper"}),
    "numpy.polynomial": frozenset({"test"}),
}


def numpy_names() -> dict[str, Any]:
    """The names of `numpy` for scripts, but for its modules."""
    names = {
        name: getattr(np, name)
        for name in np.__all__
        if name not in DENIED and name[:1] != "_" and not hasattr(getattr(np, name), "__path__")
    }
    names = {name: value for name, value in names.items() if type(value) is not type(np)}
    for name in SORTED:
        if name in names:
            names[name] = _refuse_objects(names[name], "sorted")
    for name in ("array", "asarray", "zeros", "ones", "empty", "full", "arange", "eye", "identity", "asanyarray"):
        names[name] = _array(names[name])
    names["fromiter"] = _fromiter
    names["frombuffer"] = _frombuffer
    names["ndarray"] = Ndarray
    names["nditer"] = Nditer
    names["__version__"] = np.__version__
    return names


def _fromiter(iter: Any, dtype: Any, count: int = -1) -> Any:
    """`np.fromiter`; of objects by way of a list, since numpy holds half an array while the script runs."""
    return np.array(list(iter), dtype) if count < 0 else np.array([item for item, _ in zip(iter, range(count))], dtype)  # noqa: B905


def submodule_names(path: str) -> dict[str, Any]:
    """The names of one of numpy's modules for scripts."""
    module = importlib.import_module(path)
    denied = DENIED_IN.get(path, frozenset())
    public = getattr(module, "__all__", None) or [name for name in vars(module) if name[:1] != "_"]
    names = {name: getattr(module, name) for name in public if name not in denied and hasattr(module, name)}
    names = {name: value for name, value in names.items() if type(value) is not type(np)}
    if path == "numpy.random":
        names["set_state"] = _set_state(np.random.set_state)
    return names


class Nditer:
    """`np.nditer` over one array: its elements one after the other, with their indices."""

    def __init__(self, array: Any, flags: Any = (), op_flags: Any = (), order: str = "K") -> None:  # noqa: ARG002
        self._array: Any = np.asarray(array)
        self._indices = list(np.ndindex(self._array.shape)) if order != "F" else [
            index[::-1] for index in np.ndindex(self._array.shape[::-1])
        ]  # fmt: skip
        self._at = 0

    @property
    def multi_index(self) -> tuple[int, ...]:
        """The index of the present element."""
        return self._indices[self._at]

    @property
    def index(self) -> int:
        """How many elements came before."""
        return self._at

    @property
    def finished(self) -> bool:
        """Whether all elements were visited."""
        return self._at >= len(self._indices)

    def iternext(self) -> bool:
        """Go on; False after the last."""
        self._at += 1
        return not self.finished

    def __iter__(self) -> Iterator[Any]:
        while not self.finished:
            yield self[0]
            self._at += 1

    def __getitem__(self, operand: int) -> Any:
        return self._array[(*self.multi_index, ...)]

    def __setitem__(self, operand: int, value: Any) -> None:
        self._array[(*self.multi_index, ...)] = value

    @property
    def value(self) -> Any:
        """The present element."""
        return self[0]

    def __enter__(self) -> Nditer:
        return self

    def __exit__(self, *_: object) -> None:
        return None


def testing_names() -> dict[str, Any]:
    """`numpy.testing`: what compares arrays."""
    from numpy import testing

    return {name: getattr(testing, name) for name in
            ("assert_allclose", "assert_almost_equal", "assert_array_almost_equal", "assert_array_equal",
             "assert_array_less", "assert_equal")}  # fmt: skip


def stride_names() -> dict[str, Any]:
    """`numpy.lib.stride_tricks`, without the one that looks into other memory."""
    from numpy.lib import stride_tricks

    return {"sliding_window_view": stride_tricks.sliding_window_view, "broadcast_to": np.broadcast_to}


def typing_names() -> dict[str, Any]:
    """`numpy.typing`."""
    from numpy import typing as npt

    return {name: getattr(npt, name) for name in ("ArrayLike", "DTypeLike", "NDArray")}
