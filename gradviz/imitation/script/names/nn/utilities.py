"""`torch.nn.utils`: clipping of gradients, and parameters as one vector."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.imitation.engine.functions import FUNCTIONS as F
from gradviz.imitation.engine.functions.shapes.shaping import view
from gradviz.imitation.engine.kernels.reductions import length
from gradviz.imitation.engine.memory import storage
from gradviz.imitation.engine.tensor import Tensor
from gradviz.imitation.engine.warn import warn
from gradviz.errors import TorchError
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.library.late import Late
from gradviz.imitation.script.names.library.looking import signature
from gradviz.imitation.script.names.nn import weight_hooks
from gradviz.imitation.script.names.nn.parametrized import fusion, parametrizations, parametrize, prune
from gradviz.imitation.script.names.nn.sequences import sequences_namespace
from gradviz.imitation.script.syntax.imports import COVERED
from gradviz.imitation.script.tensors.members import grad
from gradviz.imitation.script.tensors.settings import set_data
from gradviz.imitation.script.values import Namespace, Native, type_name

NO_GRADS = (
    "Expected !nested_tensorlist[0].empty() to be true, but got false.  (Could this error message be improved?  If so, "
    "please report an enhancement request to PyTorch.)"
)


def _grads(machine: Machine, parameters: Any) -> list[Tensor]:
    given = [parameters] if isinstance(parameters, Tensor) else machine.listed(parameters)
    return [g for p in given if (g := grad(p)) is not None]


def _norm(array: Any, kind: float) -> Any:
    """A vector norm in the array's own dtype."""
    if math.isinf(kind):
        sizes = np.abs(array)
        return (sizes.max() if kind > 0 else sizes.min()) if array.size else array.dtype.type(0)
    if kind == 0:
        return array.dtype.type(np.count_nonzero(array))
    if kind == 2:
        return length(array, None, False)
    return (np.abs(array) ** kind).sum(dtype=array.dtype) ** (1 / kind)


def total_norm(machine: Machine, grads: list[Tensor], norm_type: float) -> Tensor:
    """The norm of the norms: that of all gradients as one vector."""
    if not grads:
        return machine.tape.tensor(np.float32(0.0))
    norms = np.stack([_norm(g.data, norm_type) for g in grads])
    return machine.tape.tensor(norms.dtype.type(_norm(norms, norm_type)))


def clip_grad_norm_(
    machine: Machine,
    parameters: Any,
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: Any = None,
) -> Tensor:
    """Scale all gradients so that their norm is at most `max_norm`; returns the norm before."""
    grads = _grads(machine, parameters)
    total = total_norm(machine, grads, float(norm_type))
    if error_if_nonfinite and not np.isfinite(total.data):
        raise TorchError(
            f"The total norm of order {float(norm_type)} for gradients from `parameters` is non-finite, so it cannot "
            "be clipped. To disable this error and scale the gradients by the non-finite norm anyway, set "
            "`error_if_nonfinite=False`"
        )
    _scale(grads, max_norm, total)
    return total


def _scale(grads: list[Tensor], max_norm: float, total: Tensor) -> None:
    kind = total.dtype.type
    scale = np.minimum(kind(max_norm) / (total.data + kind(1e-6)), kind(1.0))
    for g in grads:
        storage.write(g, g.data * g.dtype.type(scale))


def clip_grads_with_norm_(
    machine: Machine, parameters: Any, max_norm: float, total_norm: Tensor, foreach: Any = None
) -> None:
    """Scale all gradients as `clip_grad_norm_` does, where their norm is known."""
    _scale(_grads(machine, parameters), max_norm, total_norm)


OLD_NAME = "`torch.nn.utils.clip_grad_norm` is now deprecated in favor of `torch.nn.utils.clip_grad_norm_`."


def clip_grad_norm(machine: Machine, parameters: Any, max_norm: float, *options: Any, **named: Any) -> Tensor:
    """The old name."""
    warn(OLD_NAME, "FutureWarning")
    return clip_grad_norm_(machine, parameters, max_norm, *options, **named)


def clip_grad_value_(machine: Machine, parameters: Any, clip_value: float, foreach: Any = None) -> None:
    """Clamp every element of the gradients to +-clip_value."""
    grads = _grads(machine, parameters)
    if not grads:
        raise TorchError(NO_GRADS, hint="Call backward() first, and clip before zero_grad().")
    for g in grads:
        storage.write(g, np.clip(g.data, -float(clip_value), float(clip_value)))


def parameters_to_vector(machine: Machine, parameters: Any) -> Tensor:
    return F["cat"]([F["reshape"](p, -1) for p in machine.listed(parameters)])  # type: ignore[no-any-return]


def vector_to_parameters(machine: Machine, vec: Any, parameters: Any) -> None:
    """The parameters look into the memory of the vector from now on, as in PyTorch."""
    if not isinstance(vec, Tensor):
        raise TorchError(f"expected torch.Tensor, but got: {type_name(vec)}", kind="TypeError")
    start = 0
    for p in machine.listed(parameters):
        size = p.data.size
        begin = min(start, vec.shape[0])
        part = view(F["narrow"](vec, 0, begin, min(size, vec.shape[0] - begin)), *p.shape)
        set_data(p, storage.alias(part, tracked=False))
        start += size


def skip_init(machine: Machine, module_cls: Any, *args: Any, **kwargs: Any) -> Any:
    """A module whose numbers no generator drew: they are whatever is there, as in PyTorch.

    Raises:
        TorchError: no class of modules, or one that takes no `device`.
    """
    if not machine.call(machine.builtins["issubclass"], (module_cls, machine.state["Module"]), {}):
        raise TorchError(f"Expected a Module; got {module_cls!r}")
    if "device" not in signature(machine, module_cls).parameters:
        raise TorchError("Module must support a 'device' arg to skip initialization")
    before = machine.random.get_state()
    try:
        return machine.call(module_cls, args, kwargs)
    finally:
        machine.random.set_state(before)


def _stateless() -> dict[str, Any]:
    from gradviz.imitation.script.names.func.modules import stateless_call

    return {"functional_call": Native("functional_call", stateless_call, needs_machine=True)}


FUSED = ("fuse_conv_bn_eval", "fuse_conv_bn_weights", "fuse_linear_bn_eval", "fuse_linear_bn_weights")


def _of(machine: Machine, module: Late, name: str) -> Callable[..., Any]:
    return lambda *arguments, **keywords: machine.call(module.members[name], arguments, keywords)


def vectors_namespace(machine: Machine) -> Namespace:
    """`torch.nn.utils`."""
    functions: tuple[Callable[..., Any], ...] = (
        clip_grad_norm_, clip_grad_norm, clip_grads_with_norm_, clip_grad_value_,
        parameters_to_vector, vector_to_parameters, skip_init,
    )  # fmt: skip
    members: dict[str, Any] = {f.__name__: Native(f.__name__, f, needs_machine=True) for f in functions}
    members |= {name: Native(name, run, needs_machine=True) for name, run in weight_hooks.FUNCTIONS.items()}
    members["get_total_norm"] = Native(
        "get_total_norm",
        lambda tensors, norm_type=2.0, **_: total_norm(machine, machine.listed(tensors), float(norm_type)),
    )
    for room in ("weight_norm", "spectral_norm"):
        names = Namespace(f"torch.nn.utils.{room}", {name: members[name] for name in (room, f"remove_{room}")})
        machine.state.setdefault(COVERED, {})[names.name] = names
    vectors = ("parameters_to_vector", "vector_to_parameters")
    members["convert_parameters"] = Namespace(
        "torch.nn.utils.convert_parameters", {name: members[name] for name in vectors}
    )
    members["clip_grad"] = Namespace("torch.nn.utils.clip_grad", dict(members))
    core = members["parametrize"] = parametrize(machine)
    members["parametrizations"] = parametrizations(machine, core)
    members["prune"] = prune(machine)
    members["fusion"] = fused = fusion(machine)
    for name in FUSED:
        members[name] = Native(name, _of(machine, fused, name))
    members["stateless"] = Late("torch.nn.utils.stateless", _stateless)
    members["rnn"] = sequences_namespace(machine)
    return Namespace("torch.nn.utils", members)
