"""`torch.autograd.graph`: hooks around what nodes save, and the class of nodes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradviz.imitation.engine.hooks.on_saved_tensors import Hooks, current, set_hooks
from gradviz.imitation.engine.hooks.on_several_tensors import Together, register_first
from gradviz.imitation.engine.inference import is_inference
from gradviz.imitation.engine.memory.sharing import own_copy
from gradviz.imitation.engine.memory.storage import write
from gradviz.imitation.engine.tensor import Tensor, constant
from gradviz.errors import TorchError
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.tensors.grad_nodes import GradientEdge, GradNode, called, gradient_edge
from gradviz.imitation.script.torch_values import MultiHandle, Scoped
from gradviz.imitation.script.values import Class, Instance, Namespace, Native, can_be_iterated

MODULE = "torch.autograd.graph"
MODES = ("all", "any")


DISABLED = "why saved tensor hooks are disabled"


BEFORE = "(hooks before)"
"""Under this name an instance keeps the hooks that were set when it was entered, innermost last."""


def _init(self: Instance, pack_hook: Any, unpack_hook: Any) -> None:
    self.attributes |= {"pack_hook": pack_hook, "unpack_hook": unpack_hook, BEFORE: []}


def _init_on_cpu(self: Instance, pin_memory: bool = False, device_type: str = "cuda") -> None:
    """There is only the CPU here, so nothing is moved; as with all hooks, changes of what was saved go unnoticed."""
    same = Native("same", lambda x: x)
    _init(self, same, same)


def _enter(self: Instance) -> None:
    machine, pack, unpack = self.machine, self.attributes["pack_hook"], self.attributes["unpack_hook"]
    hooks = Hooks(lambda x: machine.call(pack, (x,), {}), lambda x: machine.call(unpack, (x,), {}))
    self.attributes[BEFORE].append(_begin(machine, hooks))


def _exit(self: Instance, *_: Any) -> None:
    set_hooks(self.machine.tape, self.attributes[BEFORE].pop())


def _class_of(name: str, bases: tuple[Class, ...], methods: dict[str, Callable[..., Any]]) -> Class:
    table = {key: Native(f"{name}.{key}", run, is_method=True) for key, run in methods.items()}
    return Class(name, bases, table, module=MODULE)


def _begin(machine: Machine, hooks: Hooks) -> Hooks | None:
    """Set hooks; gives those before.

    Raises:
        TorchError: `disable_saved_tensors_hooks` forbids it.
    """
    if machine.state.get(DISABLED) is not None:
        raise TorchError(machine.state[DISABLED])
    before = current(machine.tape)
    set_hooks(machine.tape, hooks)
    return before


def disable_saved_tensors_hooks(machine: Machine, error_message: str) -> Scoped:
    """`with disable_saved_tensors_hooks(text):` an error with that text where hooks are set inside."""

    def enter() -> Any:
        before = machine.state.get(DISABLED)
        machine.state[DISABLED] = error_message
        return before

    def leave(before: Any) -> None:
        machine.state[DISABLED] = before

    return Scoped("disable_saved_tensors_hooks", enter, leave)


ALLOWED = "whether changing saved tensors is allowed"
NESTED = "allow_mutation_on_saved_tensors contexts cannot be nested"
LEFT = (
    "Trying to backward outside of the 'allow_mutation_on_saved_tensors' context"
    "in which the graph was originally recorded."
)


def allow_mutation_on_saved_tensors(machine: Machine) -> Scoped:
    """`with allow_mutation_on_saved_tensors():` what nodes save inside is read there as it was when they saved it."""
    inside: list[bool] = []

    def unpack(saved: Tensor) -> Tensor:
        if not inside or not machine.state.get(ALLOWED):
            raise TorchError(LEFT, kind="AssertionError", hint="Call backward before the with block ends.")
        return saved

    def enter() -> Hooks | None:
        if machine.state.get(ALLOWED):
            machine.state[ALLOWED] = False  # PyTorch's outer block has lost its right by then, too
            raise TorchError(NESTED)
        before = _begin(machine, Hooks(lambda x: constant(own_copy(x.data), x.tape), unpack))
        machine.state[ALLOWED] = True
        inside.append(True)
        return before

    def leave(before: Hooks | None) -> None:
        set_hooks(machine.tape, before)
        machine.state[ALLOWED] = False
        inside.clear()

    return Scoped("_AllowMutationOnSavedContext", enter, leave, gives="itself", module=MODULE)


def increment_version(tensor: Any) -> None:
    """Count a change of a tensor, or of each of several, as if its numbers had been written once more."""
    if not can_be_iterated(tensor):
        raise TorchError("increment_version expect a Iterable[Tensor] as input")
    for each in [tensor] if isinstance(tensor, Tensor) else tensor:
        if not isinstance(each, Tensor):
            raise TorchError("increment_version expects each element of the iterable to be a tensor")
        if not is_inference(each):
            write(each, each.data)


def register_multi_grad_hook(machine: Machine, tensors: Any, fn: Any, *, mode: str = "all") -> MultiHandle:
    """One hook for several tensors: called with all gradients, or with that which comes first."""
    if mode not in MODES:
        raise TorchError(f"Expects mode to be one of {MODES} but got {mode}", kind="ValueError")
    hook, each = called(machine, fn), list(tensors)
    removes = Together(each, hook).register() if mode == "all" else register_first(each, hook)
    return MultiHandle(lambda: [remove() for remove in removes])


def namespace(machine: Machine) -> Namespace:
    """The module."""
    node = Class("Node", python=(GradNode,), module="torch.autograd.graph")
    around = _class_of("saved_tensors_hooks", (), {"__init__": _init, "__enter__": _enter, "__exit__": _exit})
    return Namespace(
        MODULE,
        {
            "Node": node,
            "GradientEdge": Class(
                "GradientEdge",
                python=(GradientEdge,),
                module="torch.autograd.graph",
                make=Native("GradientEdge", GradientEdge),
            ),
            "get_gradient_edge": Native("get_gradient_edge", gradient_edge),
            "increment_version": Native("increment_version", increment_version),
            "saved_tensors_hooks": around,
            "save_on_cpu": _class_of("save_on_cpu", (around,), {"__init__": _init_on_cpu}),
            **{
                run.__name__: Native(run.__name__, run, needs_machine=True)
                for run in (allow_mutation_on_saved_tensors, disable_saved_tensors_hooks, register_multi_grad_hook)
            },
        },
    )
