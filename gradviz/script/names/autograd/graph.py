"""`torch.autograd.graph`: hooks around what nodes save, and the class of nodes."""

from __future__ import annotations

from typing import Any

from gradviz.engine.multi_hooks import Together, register_first
from gradviz.engine.saved_hooks import Hooks, current, set_hooks
from gradviz.errors import TorchError
from gradviz.script.grad_nodes import GradientEdge, GradNode, called, gradient_edge
from gradviz.script.machine import Machine
from gradviz.script.torch_values import MultiHandle, Scoped
from gradviz.script.values import Class, Namespace, Native

MODULE = "torch.autograd.graph"
MODES = ("all", "any")


DISABLED = "why saved tensor hooks are disabled"


def saved_tensors_hooks(machine: Machine, pack_hook: Any, unpack_hook: Any) -> Scoped:
    """`with saved_tensors_hooks(pack, unpack):`"""
    tape = machine.tape
    hooks = Hooks(lambda x: machine.call(pack_hook, (x,), {}), lambda x: machine.call(unpack_hook, (x,), {}))

    return Scoped(
        "saved_tensors_hooks", lambda: _begin(machine, hooks), lambda before: set_hooks(tape, before), module=MODULE
    )


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


def register_multi_grad_hook(machine: Machine, tensors: Any, fn: Any, *, mode: str = "all") -> MultiHandle:
    """One hook for several tensors: called with all gradients, or with that which comes first."""
    if mode not in MODES:
        raise TorchError(f"Expects mode to be one of {MODES} but got {mode}", kind="ValueError")
    hook, each = called(machine, fn), list(tensors)
    removes = Together(each, hook).register() if mode == "all" else register_first(each, hook)
    return MultiHandle(lambda: [remove() for remove in removes])


def save_on_cpu(machine: Machine, pin_memory: bool = False, device_type: str = "cuda") -> Scoped:
    """There is only the CPU here, so nothing is moved; as with all hooks, changes of what was saved go unnoticed."""
    hooks = Hooks(lambda x: x, lambda x: x)
    return Scoped(
        "save_on_cpu",
        lambda: _begin(machine, hooks),
        lambda before: set_hooks(machine.tape, before),
        module=MODULE,
    )


def namespace(machine: Machine) -> Namespace:
    """The module."""
    node = Class("Node", python=(GradNode,), module="torch.autograd.graph")
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
            **{
                run.__name__: Native(run.__name__, run, needs_machine=True)
                for run in (save_on_cpu, saved_tensors_hooks, disable_saved_tensors_hooks, register_multi_grad_hook)
            },
        },
    )
