"""Forward derivatives: `torch.autograd.forward_ad`, and what torch.func and gradcheck make of them.

J·t is the derivative of v·J with respect to v, along t. A dual tensor is a leaf that takes a gradient, or a view of
a tensor that does; its tangent is kept beside it, and that of a result is worked out when it is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradviz.imitation.engine import autograd
from gradviz.imitation.engine.dtypes import FLOATING
from gradviz.imitation.engine.indexing.reading import view
from gradviz.imitation.engine.kind_names import kind_name
from gradviz.imitation.engine.tensor import Tape, Tensor, constant
from gradviz.errors import TorchError
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.autograd.calls import run_sweep
from gradviz.imitation.script.names.autograd.custom_forward import STACK, pushing
from gradviz.imitation.script.names.library.containers import fill_record
from gradviz.imitation.script.names.library.making import with_machine
from gradviz.imitation.script.torch_values import DTypeName, Scoped
from gradviz.imitation.script.values import Class, Namespace

Tensors = Sequence[Tensor]
NO_LEVEL = "Trying to create a dual Tensor for forward AD but no level exists, make sure to enter_dual_level() first."
NESTED = "Nested forward mode AD is not supported at the moment"
NOT_LAST = "Trying to exit a forward AD level that was not the last one that was created. This is not supported."
AGAIN = (
    "Making a dual Tensor based on a Tensor that already has a forward gradient at the same level 0 is not supported."
)
OTHER_SIZE = (
    "Trying to set a forward gradient that has a different size than that of the original Tensor, this is not "
    "supported. Tensor is of size {wanted} while the given forward gradient is of size {given}."
)
MODULE = "torch.autograd.forward_ad"
LEVELS = "dual levels"
HIDDEN = "leaves of transforms"


def leaf(machine: Machine, data: Any) -> Tensor:
    """A leaf that takes a gradient for us: a script does not see that what comes of it does."""
    made = machine.tensor(data, requires_grad=True)
    machine.state.setdefault(HIDDEN, set()).add(machine.tape.enter(made) if made.index < 0 else made.index)
    return made


def takes_gradient(machine: Machine, x: Tensor) -> bool:
    """Whether a leaf of the script is behind a tensor, so that it takes a gradient for the script."""
    hidden: set[int] = machine.state.get(HIDDEN, set())
    if not x.requires_grad or x.index < 0:
        return x.requires_grad
    return any(at not in hidden for at in _leaves(x.tape, x.index))


def _leaves(tape: Tape, start: int) -> list[int]:
    """Positions of the leaves behind an entry that take a gradient."""
    seen, pending, found = {start}, [start], []
    while pending:
        at = pending.pop()
        entry = tape.entries[at]
        if not entry.requires_grad:
            continue
        if entry.op is None:
            found.append(at)
        fresh = [i for i in entry.inputs if i not in seen]
        seen.update(fresh)
        pending += fresh
    return found


def push(machine: Machine, outputs: Tensors, inputs: Tensors, tangents: Tensors) -> list[Tensor | None]:
    """J·t for each output; None where it depends on no input."""
    vs = [leaf(machine, np.zeros(y.shape, y.dtype)[()]) for y in outputs]
    with machine.tape.grad_mode(True), pushing(machine):
        pulled = _gradients(machine, outputs, inputs, vs)
        pairs = [(g, t) for g, t in zip(pulled, tangents, strict=True) if g is not None and g.requires_grad]
        outs, seeds = [g for g, _ in pairs], [t for _, t in pairs]
        return _gradients(machine, outs, vs, seeds)


def _gradients(machine: Machine, outputs: Tensors, inputs: Tensors, seeds: Tensors) -> list[Tensor | None]:
    pairs = [(y, v) for y, v in zip(outputs, seeds, strict=True) if y.requires_grad]
    if not pairs:
        return [None] * len(inputs)
    ys, vs = [y for y, _ in pairs], [v for _, v in pairs]
    return list(run_sweep(machine, lambda: autograd.grad(ys, inputs, vs, create_graph=True, allow_unused=True), ys))


# ---- dual tensors ----


class DualLevel:
    """What is between `enter_dual_level` and `exit_dual_level`.

    Attributes:
        duals: the dual tensors made in it, with their tangents.
    """

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.duals: list[tuple[Tensor, Tensor]] = []
        self._found: dict[int, tuple[Tensor, Tensor | None]] = {}

    def make(self, x: Tensor, tangent: Tensor) -> Tensor:
        """x with a tangent."""
        dual = view("alias", x) if x.requires_grad else leaf(self.machine, x.data)
        self.duals.append((dual, tangent))
        return dual

    def tangent(self, x: Tensor) -> Tensor | None:
        """Of a dual tensor what it was given, of a result what comes of that; None where there is none."""
        for dual, tangent in self.duals:
            if dual is x:
                return tangent
        if not x.requires_grad or not self.duals or self._is_tangent(x):
            return None
        if id(x) not in self._found:
            self._found[id(x)] = x, self._worked_out(x)
        return self._found[id(x)][1]

    def _is_tangent(self, x: Tensor) -> bool:
        """Whether it was found as one: a level is left there, and so it has none itself."""
        return any(tangent is x for _, tangent in self._found.values())

    def _worked_out(self, x: Tensor) -> Tensor | None:
        (found,) = push(self.machine, [x], [dual for dual, _ in self.duals], [t for _, t in self.duals])
        return None if found is None else self.plain(found)

    def tangent_now(self, x: Tensor) -> Tensor | None:
        """The tangent as it is printed: none any more once the level was left."""
        return self.tangent(x) if _current(self.machine) is self else None

    def plain(self, x: Tensor) -> Tensor:
        """The tensor as a script sees it: without a gradient where it only takes one for us."""
        return x if self.takes_gradient(x) else constant(x.data, x.tape)

    def takes_gradient(self, x: Tensor) -> bool:
        """Whether a leaf of the script is behind it."""
        return takes_gradient(self.machine, x)


def _current(machine: Machine) -> DualLevel | None:
    levels: list[DualLevel] = machine.state.setdefault(LEVELS, [])
    return levels[-1] if levels else None


def _enter(machine: Machine) -> int:
    if _current(machine) is not None:
        raise TorchError(NESTED, hint="Leave the outer level first.")
    level = DualLevel(machine)
    machine.state[LEVELS].append(level)
    machine.state.setdefault(STACK, []).append("dual")
    machine.tape.dual = level
    return 0


def _exit(machine: Machine, *, level: int | None = None) -> None:
    current = -1 if _current(machine) is None else 0
    if level is not None and level != current:
        raise TorchError(NOT_LAST)
    if current < 0:
        raise TorchError("Dual level must be a positive number.")
    machine.state[LEVELS].pop()
    machine.state[STACK].remove("dual")


def _dual_level(machine: Machine) -> Scoped:
    return Scoped("dual_level", lambda: _enter(machine), lambda _: _exit(machine), gives="result", module=MODULE)


def make_dual(machine: Machine, tensor: Tensor, tangent: Tensor, *, level: int | None = None) -> Tensor:
    current = _current(machine)
    if current is None:
        raise TorchError(NO_LEVEL)
    for name, x in (("primal", tensor), ("tangent", tangent)):
        if not isinstance(x, Tensor):
            kind = kind_name(x)
            raise TorchError(f"'{kind}' object has no attribute 'is_floating_point'", kind="AttributeError")
        if x.dtype.kind not in FLOATING:
            raise TorchError(
                f"Expected {name} to be floating point or complex, but got: {DTypeName(x.dtype)}", kind="ValueError"
            )
    if tensor.shape != tangent.shape:
        raise TorchError(OTHER_SIZE.format(wanted=list(tensor.shape), given=list(tangent.shape)))
    if current.tangent(tensor) is not None:
        raise TorchError(AGAIN, hint="Unpack it first, or make the dual of its primal.")
    return current.make(tensor, tangent)


def _unpacked_class(machine: Machine) -> Class:
    """`UnpackedDualTensor`, the named tuple that `unpack_dual` gives."""
    cls = Class("UnpackedDualTensor", (machine.builtins["tuple"],), module="torch.autograd.forward_ad")
    fill_record(machine, cls, ["primal", "tangent"], {})
    return cls


def namespace(machine: Machine) -> Namespace:
    """`torch.autograd.forward_ad`."""
    unpacked = _unpacked_class(machine)

    def unpack_dual(machine: Machine, tensor: Tensor, *, level: int | None = None) -> Any:
        current = _current(machine)
        if current is not None and not isinstance(tensor, Tensor):
            raise TorchError(
                f"_unpack_dual(): argument 'dual' (position 1) must be Tensor, not {kind_name(tensor)}",
                kind="TypeError",
            )
        pair = (tensor, None) if current is None else (current.plain(tensor), current.tangent(tensor))
        return machine.call(unpacked, pair, {})

    return Namespace("torch.autograd.forward_ad", {"UnpackedDualTensor": unpacked, **with_machine({
        "dual_level": _dual_level, "make_dual": make_dual, "unpack_dual": unpack_dual,
        "enter_dual_level": _enter, "exit_dual_level": _exit,
    })})  # fmt: skip
