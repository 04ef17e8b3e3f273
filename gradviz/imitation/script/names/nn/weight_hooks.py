"""`nn.utils.spectral_norm` and `nn.utils.weight_norm`: a weight that is worked out anew before every call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from gradviz.imitation.engine.functions import FUNCTIONS as F
from gradviz.imitation.engine.functions.linalg.distances import normalize
from gradviz.imitation.engine.functions.shapes.shaping import contiguous, view
from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.memory import storage
from gradviz.imitation.engine.tensor import Tensor, apply
from gradviz.imitation.engine.warn import warn
from gradviz.errors import TorchError
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.nn.books import BOOKS, books
from gradviz.imitation.script.names.nn.hooks import register_forward_pre_hook
from gradviz.imitation.script.names.nn.parameter import is_parameter, new_parameter
from gradviz.imitation.script.names.nn.register import register_buffer, register_parameter
from gradviz.imitation.script.values import Instance, Native

OLD = "`torch.nn.utils.weight_norm` is deprecated in favor of `torch.nn.utils.parametrizations.weight_norm`."


class Reworked:
    """What a module keeps of one such weight, in its books.

    Attributes:
        work: gives the weight.
        parts: the ends of the names of what it is worked out of.
        handle: takes the hook away.
    """

    def __init__(self, work: Callable[[], Tensor], parts: tuple[str, ...], handle: Any) -> None:
        self.work = work
        self.parts = parts
        self.handle = handle


def _parameter(module: Instance, name: str, what: str) -> Tensor:
    if (what, name) in books(module).reworked:
        raise TorchError(f"Cannot register two {what} hooks on the same parameter {name}")
    if name not in module.attributes and what == "weight_norm":
        raise TorchError(f"'{module.cls.name}' object has no attribute '{name}'", kind="AttributeError")
    found = module.attributes.get(name)
    if not isinstance(found, Tensor) or not is_parameter(found):
        raise TorchError(repr(name), kind="KeyError")
    return found


def _keep(module: Instance, what: str, name: str, work: Callable[[], Tensor], parts: tuple[str, ...]) -> Instance:
    def hook(*_: Any) -> None:
        module.attributes[name] = work()

    handle = register_forward_pre_hook(module, Native(what, hook))
    books(module).reworked[what, name] = Reworked(work, parts, handle)
    return module


def _removal(what: str) -> Callable[..., Instance]:
    def remove(machine: Machine, module: Instance, name: str = "weight") -> Instance:
        kept = books(module).reworked.pop((what, name), None)
        if kept is None:
            raise TorchError(f"{what} of '{name}' not found in {module!r}", kind="ValueError")
        kept.handle.remove()
        with machine.tape.grad_mode(False):
            weight = kept.work()
        for part in ("", *kept.parts):
            del module.attributes[name + part]
            module.attributes[BOOKS].buffers.pop(name + part, None)
        register_parameter(module, name, new_parameter(machine, weight.data))
        return module

    return remove


# ---- the largest singular value is 1 ----


def spectral_norm(
    machine: Machine,
    module: Instance,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> Instance:
    """The weight by an estimate of its largest singular value, which gets better with every call in training."""
    if n_power_iterations <= 0:
        raise TorchError(
            f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}",
            kind="ValueError",
        )
    weight = _parameter(module, name, "spectral_norm")
    axis = dim if dim is not None else 1 if module.attributes.get("transposed") else 0
    rows = weight.shape[axis]
    sizes = (rows, weight.data.size // max(rows, 1))
    with machine.tape.grad_mode(False):
        drawn = [machine.tensor(machine.random.normal((n,), 0.0, 1.0, weight.dtype.name)) for n in sizes]
        u, v = (normalize(x, dim=0, eps=eps) for x in drawn)
    del module.attributes[name]
    register_parameter(module, f"{name}_orig", weight)
    module.attributes[name] = storage.alias(weight, tracked=False)
    register_buffer(module, f"{name}_u", u)
    register_buffer(module, f"{name}_v", v)

    def work() -> Tensor:
        a = module.attributes
        rounds = n_power_iterations if a["training"] else 0
        return _scaled(a[f"{name}_orig"], a[f"{name}_u"], a[f"{name}_v"], axis, rounds, eps)

    return _keep(module, "spectral_norm", name, work, ("_orig", "_u", "_v"))


def _scaled(weight: Tensor, u: Tensor, v: Tensor, axis: int, rounds: int, eps: float) -> Tensor:
    others = [d for d in range(weight.ndim) if d != axis]
    turned = weight if axis == 0 else F["permute"](weight, (axis, *others))
    matrix = F["reshape"](turned, (weight.shape[axis], -1))
    with weight.tape.grad_mode(False):
        for _ in range(rounds):
            storage.write(v, normalize(F["mv"](F["t"](matrix), u), dim=0, eps=eps).data)
            storage.write(u, normalize(F["mv"](matrix, v), dim=0, eps=eps).data)
        if rounds:
            u, v = F["clone"](u), F["clone"](v)
    return F["div"](weight, F["dot"](u, F["mv"](matrix, v)))  # type: ignore[no-any-return]


# ---- length and direction apart ----


def weight_norm(machine: Machine, module: Instance, name: str = "weight", dim: int | None = 0) -> Instance:
    """The weight as a length for each row and a direction."""
    warn(OLD, "FutureWarning", once=True)
    weight = _parameter(module, name, "weight_norm")
    axis = -1 if dim is None else dim
    with machine.tape.grad_mode(False):
        length = _lengths(weight, axis)
    del module.attributes[name]
    register_parameter(module, f"{name}_g", new_parameter(machine, length.data))
    register_parameter(module, f"{name}_v", new_parameter(machine, weight.data))

    def work() -> Tensor:
        v, g = (module.attributes[f"{name}_{end}"] for end in "vg")
        if axis in (0, v.ndim - 1):
            return by_length(v, g, axis)
        return F["mul"](v, F["div"](g, _lengths(v, axis)))  # type: ignore[no-any-return]

    module.attributes[name] = work()
    return _keep(module, "weight_norm", name, work, ("_g", "_v"))


NORM_OF_ALL = replace(OPS["norm_p"], node="NormBackward0")


def _lengths(v: Tensor, axis: int) -> Tensor:
    """The lengths of the parts of v along an axis, beside which they stand; of all of v for −1."""
    if axis == -1:
        return apply(NORM_OF_ALL, (v,), p=2.0, dim=None, keepdim=False)
    turned = F["transpose"](v, 0, axis)
    found = apply(OPS["norm_p"], (view(contiguous(turned), turned.shape[0], -1),), p=2.0, dim=1, keepdim=False)
    return F["transpose"](view(found, -1, *(1,) * (v.ndim - 1)), 0, axis)  # type: ignore[no-any-return]


def by_length(v: Tensor, g: Tensor, dim: int) -> Tensor:
    """v, its parts along an axis made as long as g says."""
    return apply(OPS["weight_norm"], (v, g), axes=tuple(d for d in range(v.ndim) if d != dim))


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "spectral_norm": spectral_norm, "remove_spectral_norm": _removal("spectral_norm"),
    "weight_norm": weight_norm, "remove_weight_norm": _removal("weight_norm"),
}  # fmt: skip
