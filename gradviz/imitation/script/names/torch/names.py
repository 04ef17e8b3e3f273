"""`torch` as a script sees it: creation, functions, autograd, dtypes. Neural networks are in `neural`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.imitation.engine import autograd, creation
from gradviz.imitation.engine.dtypes import ALIASES, TYPE_NAMES, DType
from gradviz.imitation.engine.dtypes import type_name as kind_name
from gradviz.imitation.engine.functions import FUNCTIONS
from gradviz.imitation.engine.functions.arguments import ints
from gradviz.imitation.engine.functions.numbers.conversion import to
from gradviz.imitation.engine.memory import storage
from gradviz.imitation.engine.printing.options import DEFAULT, with_options
from gradviz.imitation.engine.random.generator import in_memory_order
from gradviz.imitation.engine.refused_data import refuse_array
from gradviz.imitation.engine.tensor import Tensor
from gradviz.imitation.engine.warn import Once, warn
from gradviz.errors import TorchError
from gradviz.imitation.script.arguments.checking import reader_of
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.autograd import grad_modes
from gradviz.imitation.script.names.autograd import names as autograd_names
from gradviz.imitation.script.names.func import transforms as func
from gradviz.imitation.script.names.nn.register import path_of
from gradviz.imitation.script.names.numpy.calls import plain
from gradviz.imitation.script.names.torch import around, devices, neural, old_kinds, surroundings
from gradviz.imitation.script.names.torch.generators import Stream, stream
from gradviz.imitation.script.tensors.members import TENSOR_METHODS
from gradviz.imitation.script.tensors.nested import as_lists
from gradviz.imitation.script.torch_values import Device, LateDTypeName, Size, is_dtype
from gradviz.imitation.script.values import Class, Namespace, Native, type_name


def dtype_of(dtype: Any) -> DType | None:
    """numpy's dtype for what a script gives as dtype.

    Raises:
        TorchError: no dtype.
    """
    if dtype is None:
        return None
    if is_dtype(dtype):
        return dtype.dtype  # type: ignore[no-any-return]
    raise TorchError(
        f"tensor(): argument 'dtype' must be torch.dtype, not {type(dtype).__name__}",
        kind="TypeError",
        hint="Write it without quotes, e.g. torch.float64.",
    )


UNSPECIFIED = (
    "torch.asarray: unspecified requires_grad now defaults to obj.requires_grad instead of False. Pass "
    "requires_grad=False explicitly to get the old behavior and silence this warning."
)


class Creation:
    """The functions that make tensors out of nothing, for one machine."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine

    def _made(self, data: Any, requires_grad: bool) -> Tensor:
        return self.machine.made(self.machine.tape.tensor(data, requires_grad=requires_grad))

    def tensor(self, data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
        if isinstance(data, np.ndarray):
            refuse_array(data)
        return self.machine.made(creation.from_data(self.machine.tape, as_lists(data), dtype_of(dtype), requires_grad))

    def as_tensor(self, data: Any, dtype: Any = None, device: Any = None) -> Tensor:
        """A tensor as it is, an array without a copy, anything else as `tensor` makes it."""
        wanted = dtype_of(dtype)
        if isinstance(data, Tensor):
            return data if wanted is None or data.dtype == wanted else to(data, wanted)
        if isinstance(data, np.ndarray) and (wanted is None or data.dtype == wanted):
            return self.from_numpy(data)
        return self.tensor(data, dtype=dtype, device=device)

    def asarray(
        self, obj: Any, *, dtype: Any = None, device: Any = None, copy: bool | None = None, requires_grad: Any = None
    ) -> Tensor:
        """A tensor or an array without a copy, where neither its dtype nor `copy` asks for one.

        Raises:
            TorchError: copy=False, and it has to be copied.
        """
        wanted = dtype_of(dtype)
        if not isinstance(obj, Tensor | np.ndarray):
            if copy is False:
                raise TorchError("can't alias arbitrary sequence into a tensor.", kind="ValueError")
            return self.tensor(obj, dtype=dtype, requires_grad=bool(requires_grad))
        x = obj if isinstance(obj, Tensor) else self.from_numpy(obj)
        wanted = wanted or x.dtype
        if copy is False and x.dtype != wanted:
            names = f"dtype '{kind_name(x.dtype)}' into dtype '{kind_name(wanted)}'"
            raise TorchError(f"can't alias tensor with {names}.", kind="ValueError")
        if requires_grad is None and x.requires_grad:
            warn(UNSPECIFIED, once=Once("asarray"))
        is_kept = not copy and x.dtype == wanted
        if requires_grad is not None and (not is_kept or x.requires_grad > requires_grad):
            x = FUNCTIONS["detach"](x)
        if not is_kept:
            x = FUNCTIONS["clone"](x) if x.dtype == wanted else to(x, wanted)
        if requires_grad and not x.requires_grad:
            autograd.set_requires_grad(x, True, by_method=True)
        return x

    def filled(self, value: Any) -> Callable[..., Tensor]:
        """`torch.zeros` or `torch.ones`."""

        def run(
            *sizes: Any, size: Any = (), dtype: Any = None, device: Any = None, requires_grad: bool = False, **_: Any
        ) -> Tensor:
            shape = creation.check_size(ints(sizes or (size,)))
            return self._made(
                np.full(shape, value, dtype_of(dtype) or self.machine.tape.float_dtype)[()], requires_grad
            )

        return run

    def full(
        self, size: Any, fill_value: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
    ) -> Tensor:
        if not isinstance(size, list | tuple):
            said = f"full(): argument 'size' (position 1) must be tuple of ints, not {type_name(size)}"
            raise TorchError(said, kind="TypeError", hint="Write torch.full((n,), ...) for one axis.")
        shape = ints((size,))
        return self.machine.made(
            creation.full(self.machine.tape, shape, plain(_number(fill_value)), dtype_of(dtype), requires_grad)
        )

    def eye(
        self, n: int, m: int | None = None, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
    ) -> Tensor:
        creation.check_size((n, n if m is None else m))
        return self._made(np.eye(n, m, dtype=dtype_of(dtype) or self.machine.tape.float_dtype), requires_grad)

    def arange(
        self, *bounds: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False, **named: Any
    ) -> Tensor:
        given = [*map(_number, bounds)]
        start, end = (given[0], given[1]) if len(given) > 1 else (0, given[0] if given else named.get("end"))
        step = given[2] if len(given) > 2 else named.get("step", 1)
        start = named.get("start", start)
        return self.machine.made(
            creation.arange(self.machine.tape, start, named.get("end", end), step, dtype_of(dtype), requires_grad)
        )

    def linspace(
        self, start: Any, end: Any, steps: int, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
    ) -> Tensor:
        low, high = surroundings.ends("linspace", start, end)
        return self.machine.made(creation.linspace(self.machine.tape, low, high, steps, dtype_of(dtype), requires_grad))

    def random(self, draw: str) -> Callable[..., Tensor]:
        """`torch.rand` or `torch.randn`."""

        def run(
            *size: Any,
            dtype: Any = None,
            device: Any = None,
            requires_grad: bool = False,
            generator: Any = None,
            **named: Any,
        ) -> Tensor:
            shape = creation.check_size(ints((named["size"],)) if "size" in named else ints(size))
            name = (dtype_of(dtype) or self.machine.tape.float_dtype).name
            return self._made(getattr(stream(self.machine, generator), draw)(shape, name), requires_grad)

        return run

    def random_like(self, draw: str) -> Callable[..., Tensor]:
        """`torch.rand_like` or `torch.randn_like`."""

        def run(
            input: Tensor, *, dtype: Any = None, requires_grad: bool = False, generator: Any = None, **_: Any
        ) -> Tensor:
            name = (dtype_of(dtype) or input.dtype).name
            source = getattr(stream(self.machine, generator), draw)
            return self._made(in_memory_order(input.data, lambda shape: source(shape, name)), requires_grad)

        return run

    def randint(
        self, *args: Any, dtype: Any = None, requires_grad: bool = False, generator: Any = None, **named: Any
    ) -> Tensor:
        named = {key: named[key] for key in named if key in ("low", "high", "size")}
        places = ("low", "high", "size") if len(args) + len(named) > 2 else ("high", "size")
        given = dict(zip(places, args, strict=False)) | named
        low, high = given.get("low", 0), given["high"]
        if not isinstance(given["size"], list | tuple) or isinstance(low, float) or isinstance(high, float):
            raise TypeError("randint() received an invalid combination of arguments")  # told in PyTorch's words
        shape = creation.check_size(ints((given["size"],)))
        numbers = stream(self.machine, generator).randint(low, high, shape)
        return self._made(numbers.astype(dtype_of(dtype) or np.int64), requires_grad)

    def randperm(self, n: int, *, dtype: Any = None, generator: Any = None, **_: Any) -> Tensor:
        creation.check_size((n,))
        numbers = stream(self.machine, generator).randperm(n)
        return self._made(numbers.astype(dtype_of(dtype) or np.int64), False)

    def normal(
        self,
        mean: Any = 0.0,
        std: Any = 1.0,
        size: Any = None,
        *,
        requires_grad: bool = False,
        generator: Any = None,
        dtype: Any = None,
        **_: Any,
    ) -> Tensor:
        source = stream(self.machine, generator)
        if size is None:
            given = [x.data if isinstance(x, Tensor) else x for x in (mean, std)]
            return self._made(source.normal_like(*given), False)
        shape = creation.check_size(ints((size,)))
        name = (dtype_of(dtype) or self.machine.tape.float_dtype).name
        return self._made(source.normal(shape, mean, std, name), requires_grad)

    def from_numpy(self, array: Any) -> Tensor:
        if not isinstance(array, np.ndarray):
            raise TorchError(f"expected np.ndarray (got {type_name(array)})", kind="TypeError")
        refuse_array(array)
        if not array.flags.writeable:
            warn(READ_ONLY, once=True)
        return storage.borrow(self._made(array, False))


READ_ONLY = (
    "The given NumPy array is not writable, and PyTorch does not support non-writable tensors. This means writing to "
    "this tensor will result in undefined behavior. You may want to copy the array to protect its data or make it "
    "writable before converting it to a tensor. This type of warning will be suppressed for the rest of this program."
)


def _number(x: Any) -> Any:
    if isinstance(x, Tensor):
        return x.data.item()
    return x.item() if isinstance(x, np.generic) else x


def _creation(machine: Machine) -> dict[str, Any]:
    make = Creation(machine)
    table: dict[str, Callable[..., Any]] = {
        **{name: FUNCTIONS[name] for name in ("zeros_like", "ones_like", "full_like")},
        "tensor": make.tensor, "as_tensor": make.as_tensor, "asarray": make.asarray,
        "zeros": make.filled(0), "ones": make.filled(1), "empty": make.filled(0), "full": make.full, "eye": make.eye,
        "arange": make.arange, "linspace": make.linspace, "rand": make.random("rand"), "randn": make.random("randn"),
        "rand_like": make.random_like("rand"), "randn_like": make.random_like("randn"), "randint": make.randint,
        "randperm": make.randperm, "normal": make.normal, "from_numpy": make.from_numpy,
    }  # fmt: skip
    machine.state["make"] = make
    return {
        **{name: Native(name, run) for name, run in devices.makers(table).items()},
        **old_kinds.classes(machine, make),
    }


def manual_seed(machine: Machine, seed: int) -> Stream:
    machine.random.manual_seed(int(seed))
    return machine.state["generator"]  # type: ignore[no-any-return]


def set_printoptions(machine: Machine, **options: Any) -> None:
    machine.tape.print_options = with_options(machine.tape.print_options or DEFAULT, **options)


def is_tensor(x: Any) -> bool:
    return isinstance(x, Tensor)


def numel(x: Tensor) -> int:
    return int(x.data.size)


def module(machine: Machine) -> Namespace:
    """The namespace `torch`."""
    with_machine: dict[str, Callable[..., Any]] = {
        "manual_seed": manual_seed, "set_printoptions": set_printoptions,
    }  # fmt: skip
    members: dict[str, Any] = {
        **{name: Native(name, run) for name, run in FUNCTIONS.items()},
        **_creation(machine),
        **{name: Native(name, run, needs_machine=True) for name, run in with_machine.items()},
        **{name: LateDTypeName(ALIASES.get(name, name)) for name in (*TYPE_NAMES, *ALIASES)},
        "is_tensor": Native("is_tensor", is_tensor),
        "numel": Native("numel", numel),
        "Size": Class("Size", python=(Size,), make=Native("Size", Size.of), module="torch"),
        "device": Class("device", python=(Device,), make=Native("device", devices.device), module="torch"),
        "pi": float(np.pi),
        "e": float(np.e),
        "inf": float("inf"),
        "nan": float("nan"),
        "newaxis": None,
    }
    made = devices.checked(old_kinds.maker(machine.state["make"]))
    tensor_class = Class("Tensor", python=(Tensor,), make=Native("Tensor", made), module="torch")
    machine.state["Tensor"] = members["Tensor"] = tensor_class
    tensor_class.attributes |= {name: Native(name, f) for name, f in _unbound_methods().items()}
    switches = grad_modes.names(machine)
    members |= switches
    members["autograd"] = autograd_names.namespace(machine, switches)
    neural.install(machine, members)
    surroundings.install(machine, members, dtype_of)
    members["typename"] = Native("typename", path_of)
    members["func"] = func.namespace(machine)
    members["vmap"] = members["func"].members["vmap"]
    around.install(machine, members)
    for name, member in members.items():
        if isinstance(member, Native):
            member.reader = reader_of("torch", name)
    return Namespace("torch", members)


def _unbound_methods() -> dict[str, Any]:
    return {name: native.run for name, native in TENSOR_METHODS.items() if not native.needs_machine}
