"""`torch.FloatTensor` and its kin, of the time before dtypes: types that make tensors, and that `isinstance` knows."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from gradviz.imitation.engine import creation
from gradviz.imitation.engine.dtypes import DTYPES, TYPE_NAMES, DType, c_name
from gradviz.imitation.engine.memory.storage import alias
from gradviz.imitation.engine.tensor import Tensor
from gradviz.errors import TorchError
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.torch.devices import checked
from gradviz.imitation.script.tensors.nested import is_sequence
from gradviz.imitation.script.torch_values import DTypeName, LateDTypeName, Size
from gradviz.imitation.script.values import Class, Native, type_name

if TYPE_CHECKING:
    from gradviz.imitation.script.names.torch.names import Creation

OPTIONS = (
    "TensorOptions(dtype={}, device=cpu, layout=Strided, requires_grad=false (default), pinned_memory=false (default), "
    "memory_format=(nullopt))"
)


def maker(make: Creation, kind: str = "") -> Callable[..., Tensor]:
    """`torch.Tensor(...)`, `torch.LongTensor(...)`: sizes where whole numbers are given, else the data."""

    def run(*data: Any, **named: Any) -> Tensor:
        if named:
            raise TorchError(_refused(data, named), kind="TypeError", hint="torch.tensor takes dtype=.")
        dtype = DTYPES[kind] if kind else make.machine.tape.float_dtype
        if len(data) == 1 and not isinstance(data[0], int | Size):
            return _same(data[0], dtype if kind else None) if isinstance(data[0], Tensor) else _of(make, data[0], dtype)
        sizes = tuple(data[0]) if len(data) == 1 and isinstance(data[0], Size) else data or (0,)
        for place, n in enumerate(sizes, 1):
            if not isinstance(n, int):
                raise TorchError(
                    f"new(): argument 'size' failed to unpack the object at pos {place} with error \"type must be "
                    f'tuple of ints,but got {type_name(n)}"',
                    kind="TypeError",
                    hint="Put numbers into a list: torch.tensor([1.0, 2.5]).",
                )
        return make.machine.tensor(np.zeros(creation.check_size(sizes), dtype)[()])

    return run


def _refused(data: tuple[Any, ...], named: dict[str, Any]) -> str:
    kinds = [*map(type_name, data), *(f"{key}={_kind(value)}" for key, value in named.items())]
    return (
        f"new() received an invalid combination of arguments - got ({', '.join(kinds)}), but expected one of:\n"
        " * (*, torch.device device = None)\n      didn't match because some of the keywords were incorrect: "
        f"{', '.join(named)}\n * (torch.Storage storage)\n * (Tensor other)\n"
        " * (tuple of ints size, *, torch.device device = None)\n * (object data, *, torch.device device = None)\n"
    )


def _kind(value: Any) -> str:
    return "torch.dtype" if isinstance(value, DTypeName) else type_name(value)


def _same(other: Tensor, dtype: DType | None) -> Tensor:
    """Another tensor, seen again."""
    if dtype is not None and other.dtype != dtype:
        wanted, got = (OPTIONS.format(c_name(d)) for d in (dtype, other.dtype))
        raise TorchError(f"expected {wanted} (got {got})", kind="TypeError", hint="Convert with .to(dtype).")
    return alias(other, tracked=True)


def _of(make: Creation, data: Any, dtype: DType) -> Tensor:
    if not is_sequence(data) and not isinstance(data, np.ndarray):
        raise TorchError(f"new(): data must be a sequence (got {type_name(data)})", kind="TypeError")
    return make.tensor(data, dtype=DTypeName(dtype))


def classes(machine: Machine, make: Creation) -> dict[str, Class]:
    """The types by name."""
    kind_of_kinds = Class("tensortype", (machine.builtins["type"],), module="torch")
    found = {}
    for dtype, word in TYPE_NAMES.items():
        name = f"{word}Tensor"
        cls = found[name] = Class(name, make=Native(name, checked(maker(make, dtype))), module="torch")
        cls.meta = kind_of_kinds
        cls.check = _has(dtype)
        cls.attributes["dtype"] = LateDTypeName(dtype)
    return found


def _has(dtype: str) -> Callable[[Any], bool]:
    return lambda x: isinstance(x, Tensor) and x.dtype.name == dtype
