"""What stands around the functions of `torch`: dtypes, devices, generators, threads, back ends, functions in place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.imitation.engine import creation
from gradviz.imitation.engine.functions.arguments import ints, need
from gradviz.imitation.engine.tensor import Tensor
from gradviz.imitation.engine.warn import warn
from gradviz.errors import ScriptError, TorchError
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.torch import devices, drawn, generators, spectral_windows, type_info
from gradviz.imitation.script.tensors.in_place import NEURAL_IN_PLACE, OF_TORCH
from gradviz.imitation.script.tensors.kinds import strided, strides
from gradviz.imitation.script.tensors.members import TENSOR_ATTRIBUTES, TENSOR_METHODS
from gradviz.imitation.script.torch_values import STRIDED, Device, Layout, Memory, Size
from gradviz.imitation.script.values import Class, Namespace, Native


class Settings(Namespace):
    """A namespace whose members a script may set, such as `torch.backends.cudnn`."""

    __slots__ = ()


class MemoryFormat:
    """`torch.contiguous_format` and the like."""

    shown_as = "memory_format"
    shown_in = "torch"

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"torch.{self.name}"


def install(machine: Machine, members: dict[str, Any], dtype_of: Callable[[Any], Any]) -> None:
    """Put all of it into torch's members."""
    members |= {f"{name}_": Native(f"{name}_", TENSOR_METHODS[f"{name}_"].run) for name in OF_TORCH & _in_place()}
    members |= type_info.members(machine, dtype_of)
    members |= generators.members(machine)
    members |= {name: Native(name, run) for name, run in _switches(machine).items()}
    made = _makers(machine, dtype_of) | spectral_windows.functions(machine, dtype_of)
    members |= {name: Native(name, run) for name, run in devices.makers(made).items()}
    members |= {name: Native(name, run) for name, run in drawn.functions(machine).items()}
    members |= {"accelerator": devices.accelerator()}
    members |= {"cuda": devices.cuda(), "backends": backends(), "strided": STRIDED}
    members |= {
        name: MemoryFormat(name)
        for name in ("contiguous_format", "preserve_format", "channels_last", "channels_last_3d")
    }
    members |= {
        "broadcast_shapes": Native("broadcast_shapes", broadcast_shapes),
        "complex": Native("complex", no_complex), "view_as_real": Native("view_as_real", view_as_real),
        "view_as_complex": Native("view_as_complex", no_complex),
        **{name: Native(name, TENSOR_METHODS[name].run) for name in METHODS_TOO},
        **{name: Native(name, run) for name, run in NEURAL_IN_PLACE.items() if name in NEURAL_TOO},
        "real": Native("real", TENSOR_METHODS["conj"].run),
        "imag": Native("imag", TENSOR_ATTRIBUTES["imag"]),
        "is_storage": Native("is_storage", lambda obj: isinstance(obj, Memory)),
        "set_flush_denormal": Native("set_flush_denormal", keep_denormal),
        "get_default_device": Native("get_default_device", lambda: Device("cpu")),
        "get_device": Native("get_device", TENSOR_METHODS["get_device"].run),
        "is_warn_always_enabled": Native("is_warn_always_enabled", lambda: False),
        "layout": Class("layout", python=(Layout,), module="torch"),
        "memory_format": Class("memory_format", python=(MemoryFormat,), module="torch"),
        "is_same_size": Native("is_same_size", lambda x, other: x.shape == other.shape),
    }  # fmt: skip


METHODS_TOO = ("adjoint", "conj", "conj_physical", "resolve_conj", "resolve_neg", "is_conj", "is_neg", "is_signed",
               "put", "resize_as_")  # fmt: skip
"""Methods that `torch` has as functions."""
NEURAL_TOO = ("celu_", "selu_", "threshold_")


def _in_place() -> set[str]:
    return {name[:-1] for name in TENSOR_METHODS if name.endswith("_")}


def view_as_real(input: Tensor) -> Any:
    """Refused: no tensor here is complex."""
    need("view_as_real", input)
    raise TorchError("view_as_real is only supported for complex tensors")


def no_complex(*_: Any, **__: Any) -> Any:
    """Complex tensors are refused.

    Raises:
        ScriptError: always.
    """
    raise ScriptError("complex tensors are not supported by gradviz", hint="Use two real tensors.")


def keep_denormal(mode: bool) -> bool:
    """`torch.set_flush_denormal(False)`, which is how numpy computes anyway.

    Raises:
        ScriptError: numbers near 0 shall become 0.
    """
    if mode:
        raise ScriptError("torch.set_flush_denormal(True) is not supported by gradviz", hint="Leave it out.")
    return True


def backends() -> Namespace:
    """`torch.backends`: what the CPU has, and settings that change nothing here."""
    missing = Native("is_available", lambda: False)
    parts: dict[str, dict[str, Any]] = {
        "cudnn": {"deterministic": False, "benchmark": False, "enabled": True, "allow_tf32": True},
        "mps": {"is_built": Native("is_built", lambda: False)},
        "cuda": {"is_built": Native("is_built", lambda: False), "matmul": Settings("matmul", {"allow_tf32": False})},
        "mkl": {}, "mkldnn": {"enabled": True}, "openmp": {},
        "opt_einsum": {"enabled": False, "strategy": None},
    }  # fmt: skip
    there = Native("is_available", lambda: True)
    return Namespace(
        "torch.backends",
        {
            name: Settings(f"torch.backends.{name}", {"is_available": there if name in _PRESENT else missing} | members)
            for name, members in parts.items()
        },
    )


_PRESENT = ("mkl", "mkldnn", "openmp")


def _switches(machine: Machine) -> dict[str, Callable[..., Any]]:
    """Settings that are remembered and change nothing here."""
    kept = {"threads": 1, "interop": 1, "deterministic": False, "precision": "highest"}

    def setter(name: str) -> Callable[..., None]:
        def run(value: Any, **_: Any) -> None:
            kept[name] = value

        return run

    def reader_of(name: str) -> Callable[[], Any]:
        return lambda: kept[name]

    table: dict[str, Callable[..., Any]] = {}
    for name, reader, writer in (
        ("threads", "get_num_threads", "set_num_threads"),
        ("interop", "get_num_interop_threads", "set_num_interop_threads"),
        ("deterministic", "are_deterministic_algorithms_enabled", "use_deterministic_algorithms"),
        ("precision", "get_float32_matmul_precision", "set_float32_matmul_precision"),
    ):
        table[reader] = reader_of(name)
        table[writer] = setter(name)
    table["set_default_device"] = devices.require
    return table


RANGE = (
    "torch.range is deprecated and will be removed in a future release because its behavior is inconsistent with "
    "Python's range builtin. Instead, use torch.arange, which produces values in [start, end)."
)


def ends(name: str, start: Any, end: Any) -> tuple[Any, Any]:
    """Both ends of a span, as plain numbers.

    Raises:
        TorchError: tensors of one dim or more.
    """
    given = (("start", start), ("end", end))
    dims = [f"{which} with {x.ndim} dimension(s)" for which, x in given if isinstance(x, Tensor) and x.ndim]
    if dims:
        raise TorchError(f"{name} only supports 0-dimensional start and end tensors, but got {' and '.join(dims)}.")
    low, high = (
        x.data.item() if isinstance(x, Tensor) else x.item() if isinstance(x, np.generic) else x for x in (start, end)
    )
    return low, high


def _makers(machine: Machine, dtype_of: Callable[[Any], Any]) -> dict[str, Callable[..., Any]]:
    """Functions that make tensors, beyond those of `torch.names`."""

    def indices(lower: bool) -> Callable[..., Tensor]:
        def run(row: int, col: int, offset: int = 0, *, dtype: Any = None) -> Tensor:
            creation.check_size((row, col))
            mask = np.tri(row, col, offset if lower else offset - 1, np.bool_)
            places = np.array(np.nonzero(mask if lower else ~mask))
            return machine.tensor(places.astype(dtype_of(dtype) or np.int64))

        return run

    def scalar_tensor(s: Any, *, dtype: Any = None, requires_grad: bool = False) -> Tensor:
        kind = dtype_of(dtype) or machine.tape.float_dtype
        return machine.tensor(kind.type(s), requires_grad=requires_grad)

    def logspace(
        start: float, end: float, steps: int, base: float = 10.0, *, dtype: Any = None, requires_grad: bool = False
    ) -> Tensor:
        kind = dtype_of(dtype) or machine.tape.float_dtype
        low, high = ends("logspace", start, end)
        exponents = creation.linspace(machine.tape, low, high, steps, np.dtype(np.float64), False).data
        return machine.tensor((base**exponents).astype(kind), requires_grad=requires_grad)

    def range_(start: float, end: float, step: float = 1, *, dtype: Any = None, requires_grad: bool = False) -> Tensor:
        warn(RANGE)
        kind = dtype_of(dtype) or machine.tape.float_dtype
        if not step:
            raise TorchError("step must be nonzero")
        if not np.isfinite(end - start):
            raise TorchError(f"unsupported range: {start:g} -> {end:g}")
        if (end - start) * step < 0:
            raise TorchError("upper bound and lower bound inconsistent with step sign")
        count = int(np.floor((end - start) / step)) + 1
        numbers = start + step * np.arange(*creation.check_size((count,)))
        return machine.tensor(numbers.astype(kind), requires_grad=requires_grad)

    def like(input: Tensor, draw: Callable[..., Any], dtype: Any, requires_grad: bool) -> Tensor:
        kind = dtype_of(dtype) or input.dtype
        return machine.tensor(np.asarray(draw(input.shape)).astype(kind)[()], requires_grad=requires_grad)

    def randint_like(
        input: Tensor,
        low: int = 0,
        high: int | None = None,
        *,
        dtype: Any = None,
        requires_grad: bool = False,
        generator: Any = None,
    ) -> Tensor:
        ends = (0, low) if high is None else (low, high)
        numbers = generators.stream(machine, generator)
        return like(input, lambda shape: numbers.randint(*ends, shape), dtype, requires_grad)

    def empty_strided(size: Any, stride: Any, *, dtype: Any = None, requires_grad: bool = False, **_: Any) -> Tensor:
        empty = strided(ints((size,)), ints((stride,)), dtype_of(dtype) or machine.tape.float_dtype)
        return machine.tensor(empty, requires_grad=requires_grad)

    def empty_permuted(size: Any, physical_layout: Any, **named: Any) -> Tensor:
        shape = ints((size,))
        steps, step = [0] * len(shape), 1
        for dim in reversed(ints((physical_layout,))):
            steps[dim], step = step, step * shape[dim]
        return empty_strided(shape, steps, **named)

    def empty_like(input: Tensor, *, dtype: Any = None, requires_grad: bool = False, **_: Any) -> Tensor:
        return like(input, np.zeros, dtype, requires_grad)

    return {
        "tril_indices": indices(True), "triu_indices": indices(False), "scalar_tensor": scalar_tensor,
        "logspace": logspace, "range": range_, "randint_like": randint_like, "empty_like": empty_like,
        "empty_strided": empty_strided, "empty_permuted": empty_permuted,
    }  # fmt: skip


def broadcast_shapes(*shapes: Any) -> Size:
    """The shape that several broadcast to.

    Raises:
        TorchError: they do not.
    """
    given = [(n,) if isinstance(n, int) else tuple(n) for n in shapes]
    try:
        return Size(np.broadcast_shapes(*given))
    except ValueError:
        raise TorchError(
            "Shape mismatch: objects cannot be broadcast to a single shape",
            hint="Sizes must be equal or 1, counted from the right.",
        ) from None


__all__ = ["Settings", "broadcast_shapes", "install", "strides"]
