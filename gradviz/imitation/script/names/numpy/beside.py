"""What stands beside numpy's functions: einsum, functions over functions, limits of types, `np.testing`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from numbers import Number
from typing import Any

import numpy as np

from gradviz.imitation.engine.creation import check_size
from gradviz.imitation.engine.tensor import Tensor
from gradviz.errors import TorchError
from gradviz.imitation.script import attributes
from gradviz.imitation.script.arrays.operands import held
from gradviz.imitation.script.arrays.values import NumpyType, Walk
from gradviz.imitation.script.errors.overheard import HEARD, USUAL, told
from gradviz.imitation.script.limits.sizes import admit
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.managed import Managed
from gradviz.imitation.script.names.numpy.calls import Elementwise, numbers, plain
from gradviz.imitation.script.readers import READERS, found_by
from gradviz.imitation.script.syntax.calls import callable_value
from gradviz.imitation.script.tensors.grad_nodes import NOTHING
from gradviz.imitation.script.values import Class, Instance, Namespace, Native, can_be_iterated, type_name

EQUATION = re.compile(r"[a-zA-Z,.> \-]{1,200}")


def _einsum(equation: Any, *operands: Any) -> Any:
    """`np.einsum`, by a text."""
    if not isinstance(equation, str) or not EQUATION.fullmatch(equation):
        raise TorchError("einsum takes an equation such as 'ij,jk->ik'", kind="TypeError")
    arrays = tuple(map(plain, operands))
    admit("einsum", (equation, *map(np.asarray, arrays)), {})
    return numbers(np.einsum(equation, *arrays))


# ---- functions of the script over arrays ----


def _vectorize(machine: Machine, function: Any, otypes: Any = None, *_: Any, **__: Any) -> Native:
    """`np.vectorize(f)`: calls f for every element; the first result says which dtype all are of."""

    def run(*arguments: Any, **named: Any) -> Any:
        given = [np.asarray(plain(x)) for x in arguments]
        check_size(np.broadcast_shapes(*(each.shape for each in given)))
        arrays = np.broadcast_arrays(*given)
        if not arrays[0].size and otypes is None:
            said = "cannot call `vectorize` on size 0 inputs unless `otypes` is set"
            raise TorchError(said, kind="ValueError", hint="Give otypes, or inputs that are not empty.")
        values = [plain(machine.call(function, row, named)) for row in zip(*map(_each_item, arrays), strict=True)]
        several = bool(values) and isinstance(values[0], tuple)
        columns = list(zip(*values, strict=True)) if several else [tuple(values)]
        kinds = _kinds(otypes) or [np.asarray(column[0]).dtype for column in columns]
        made = tuple(
            numbers(_filled(column, kind, arrays[0].shape)) for column, kind in zip(columns, kinds, strict=False)
        )
        return made if several else made[0]

    return Native("vectorize", run)


def _each_item(array: np.ndarray) -> list[Any]:
    """The elements as a function that is called for each gets them: numbers of numpy, or the objects themselves."""
    return array.ravel().tolist() if array.dtype.hasobject else list(array.ravel())


def _kinds(otypes: Any) -> list[Any]:
    if otypes is None:
        return []
    return [told(np.dtype, plain(each)) for each in otypes]


def _filled(values: Any, kind: Any, shape: tuple[int, ...]) -> Any:
    made = np.empty(len(values), object)
    for place, value in enumerate(values):
        made[place] = value[()] if isinstance(value, np.ndarray) and not value.ndim else value
    return told(made.astype, kind).reshape(shape)[()] if shape else told(made.astype, kind)[0]


def _from_pyfunc(machine: Machine, func: Any, /, nin: int, nout: int, *, identity: Any = None) -> Native:
    """`np.frompyfunc`: like `vectorize`, and what it makes is an array of objects."""
    call = np.frompyfunc(lambda *row: machine.call(func, row, {}), nin, nout)

    def run(*arguments: Any) -> Any:
        given = [np.asarray(plain(x), object) for x in arguments]
        check_size(np.broadcast_shapes(*(each.shape for each in given)))
        return numbers(told(call, *given))

    name = f"{getattr(func, 'name', '?')} (vectorized)"
    return Elementwise(name, run)


def _along(machine: Machine, func1d: Any, axis: int, arr: Any, *rest: Any) -> Any:
    """`np.apply_along_axis`."""
    call: Callable[[Any], Any] = lambda row: plain(machine.call(func1d, (row, *rest), {}))  # noqa: E731 - one line
    return numbers(np.apply_along_axis(call, axis, np.asarray(plain(arr))))


def _over_axes(machine: Machine, func: Any, a: Any, axes: Any) -> Any:
    """`np.apply_over_axes`."""
    call: Callable[..., Any] = lambda *given: plain(machine.call(func, given, {}))  # noqa: E731 - one line
    return numbers(told(np.apply_over_axes, call, np.asarray(plain(a)), plain(axes)))


def _from_function(
    machine: Machine, function: Any, shape: Any, *, dtype: Any = float, like: Any = None, **k: Any
) -> Any:
    check_size(shape)
    return machine.call(function, tuple(np.indices(shape, dtype=plain(dtype))), k)


def _piecewise(machine: Machine, x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> Any:
    """`np.piecewise`: a function is called with the numbers that its condition holds for."""
    functions = [
        (lambda part, each=each: plain(machine.call(each, (part, *args), kw))) if callable_value(each) else plain(each)
        for each in funclist
    ]
    return numbers(told(np.piecewise, np.asarray(plain(x)), plain(condlist), functions))


def _from_iterable(machine: Machine, iterable: Any, dtype: Any = float, count: int = -1) -> Any:
    return numbers(
        told(np.array, [plain(x) for x in machine.listed(iterable)][: None if count < 0 else count], plain(dtype))
    )


def _from_bytes(buffer: Any, dtype: Any = float, count: int = -1, offset: int = 0) -> Any:
    """`np.frombuffer`: of bytes and of an array the same numbers, of a bytearray a copy."""
    if isinstance(buffer, Tensor) or not isinstance(buffer, bytes | bytearray | np.ndarray):
        said = f"a bytes-like object is required, not '{type_name(buffer)}'"
        raise TorchError(said, kind="TypeError", hint="Give it bytes.")
    numbers_in = bytearray(buffer) if isinstance(buffer, bytearray) else buffer
    return told(np.frombuffer, numbers_in, plain(dtype), count, offset)


def _each_place(array: Any) -> Iterator[Any]:
    return np.ndenumerate(plain(array))


def _places(*shape: Any) -> Iterator[tuple[int, ...]]:
    sizes = shape[0] if len(shape) == 1 and isinstance(shape[0], tuple | list) else shape
    return np.ndindex(check_size(sizes))


def _walk(array: Any, *rest: Any, **named: Any) -> Walk:
    given = array if isinstance(array, list | tuple) and any(map(_is_array, array)) else (array,)
    return Walk(tuple(None if each is None else np.asarray(plain(each)) for each in given), *rest, **named)


def _is_array(value: Any) -> bool:
    """Whether it is an operand of its own, or None for one to be made."""
    return value is None or isinstance(value, np.ndarray | Tensor)


def _walked(machine: Any, owner: Walk, name: str) -> Any:
    if name not in Walk.READ:
        return NOTHING
    found = getattr(owner, name)
    return Native(name, found) if callable(found) else found


# ---- types ----


class Limits:
    """`np.finfo` and `np.iinfo`."""

    READ = ("eps", "max", "min", "tiny", "bits", "resolution", "smallest_normal", "smallest_subnormal", "precision",
            "epsneg", "iexp", "machep", "maxexp", "minexp", "negep", "nexp", "nmant")  # fmt: skip

    def __init__(self, info: Any) -> None:
        self.info = info

    def read(self, name: str) -> Any:
        """One of its numbers, or None."""
        if name == "dtype":
            return NumpyType(self.info.dtype)
        return getattr(self.info, name, None) if name in self.READ else None

    def __repr__(self) -> str:
        return repr(self.info)

    def __str__(self) -> str:
        return str(self.info)


def _limits(info: Callable[[Any], Any]) -> Callable[[Any], Limits]:
    return lambda dtype: Limits(told(info, plain(dtype)))


def _dtype(name: Any) -> NumpyType:
    made = told(np.dtype, plain(name))
    if not held(made):
        raise TorchError(f"arrays of dtype {made} are not supported", kind="TypeError", hint="Use numbers.")
    return NumpyType(made)


def _of_types(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function over dtypes, or what has one."""

    def run(*given: Any, **named: Any) -> Any:
        found = told(function, *map(plain, given), **named)
        return NumpyType(found) if isinstance(found, np.dtype) else found

    return run


ABOUT_TYPES = ("can_cast", "result_type", "promote_types", "issubdtype", "min_scalar_type")


def _heard(**given: Any) -> Managed:
    """`np.errstate`."""
    tokens: list[Any] = []
    return Managed(
        "numpy.errstate",
        lambda: tokens.append(HEARD.set(_chosen(dict(given)))),
        lambda _: HEARD.reset(tokens.pop()),
        lambda: _heard(**given),
    )


def _chosen(given: dict[str, Any]) -> dict[str, Any]:
    """What is heard, some of it changed."""
    every = given.pop("all", None)
    asked = {**({} if every is None else dict.fromkeys(USUAL, every)), **given}
    for name, value in asked.items():
        if name not in USUAL:
            raise TorchError(f"errstate.__init__() got an unexpected keyword argument '{name}'", kind="TypeError")
        if value not in ("ignore", "warn", "raise"):
            raise TorchError(f"'{value}' is not supported here", kind="ValueError", hint="Use 'ignore' or 'warn'.")
    return {**HEARD.get(), **{name: value for name, value in asked.items() if value is not None}}


def _hear(all: Any = None, **given: Any) -> dict[str, Any]:
    """`np.seterr`."""
    before = HEARD.get()
    HEARD.set(_chosen({"all": all, **given}))
    return before


# ---- testing ----


def _asserted(name: str) -> Native:
    function = getattr(np.testing, name)

    def run(*arguments: Any, **keywords: Any) -> None:
        given = [plain(x) if not isinstance(x, str) else x for x in arguments[:3]]
        named = {key: value if isinstance(value, str) else plain(value) for key, value in keywords.items()}
        function(*given, **named)

    return Native(name, run)


def _raising(name: str) -> Native:
    """A test of numpy's that is one of `unittest`'s."""

    def run(machine: Machine, *arguments: Any, **keywords: Any) -> Any:
        case = machine.call(machine.modules["unittest"].members["TestCase"], (), {})
        return machine.call(attributes.get(machine, case, name), arguments, keywords)

    return Native(name, run, needs_machine=True)


RAISING = {"assert_raises": "assertRaises", "assert_raises_regex": "assertRaisesRegex"}
TESTS = (
    "assert_allclose", "assert_array_equal", "assert_almost_equal", "assert_array_almost_equal", "assert_equal",
    "assert_array_less", "assert_approx_equal", "assert_array_almost_equal_nulp", "assert_array_max_ulp",
    "assert_string_equal",
)  # fmt: skip


def _is_scalar(x: Any) -> bool:
    return isinstance(x, Number | str | bytes | np.generic) and not isinstance(x, Instance)


def _is_dtype(dtype: Any, kind: Any) -> bool:
    return bool(told(np.isdtype, plain(dtype), plain(kind)))


def _astype(x: Any, dtype: Any, how: dict[str, Any]) -> Any:
    if not isinstance(x, np.ndarray):
        raise TorchError(f"Input should be a NumPy array. It is of type {type_name(x)}.", kind="TypeError")
    return numbers(told(np.astype, x, plain(dtype), **how))


def members(machine: Machine) -> dict[str, Any]:
    """The names."""
    plain_ones: dict[str, Callable[..., Any]] = {
        "einsum": _einsum, "ndenumerate": _each_place, "ndindex": _places, "finfo": _limits(np.finfo),
        "iinfo": _limits(np.iinfo), "errstate": _heard,
        "seterr": _hear, "geterr": HEARD.get, "isscalar": _is_scalar, "nditer": _walk, "frombuffer": _from_bytes,
        "iterable": can_be_iterated, "isdtype": _is_dtype, "astype": lambda x, dtype, /, **how: _astype(x, dtype, how),
    }  # fmt: skip
    of_script: dict[str, Callable[..., Any]] = {
        "vectorize": _vectorize, "frompyfunc": _from_pyfunc,
        "apply_along_axis": _along, "apply_over_axes": _over_axes, "fromfunction": _from_function,
        "fromiter": _from_iterable, "piecewise": _piecewise,
    }  # fmt: skip
    return {
        **{name: Native(name, run) for name, run in plain_ones.items()},
        **{name: Native(name, run, needs_machine=True) for name, run in of_script.items()},
        **{name: Native(name, _of_types(getattr(np, name))) for name in ABOUT_TYPES},
        "broadcast_shapes": Native("broadcast_shapes", lambda *shapes: told(np.broadcast_shapes, *map(plain, shapes))),
        "dtype": Class("dtype", python=(NumpyType,), make=Native("dtype", _dtype), module="numpy"),
        "testing": Namespace("numpy.testing", {
            **{name: _asserted(name) for name in TESTS}, **{name: _raising(own) for name, own in RAISING.items()},
        }),
    }  # fmt: skip


READERS[Walk] = _walked
READERS[Limits] = found_by(lambda _, owner, name: owner.read(name))
