"""`functorch`: what became `torch.func`, each name with the warning that says so, and models as functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradviz.imitation.engine.warn import warn
from gradviz.errors import TorchError
from gradviz.imitation.script.copies import deep
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.func.modules import check_alike, functional_call, stacked
from gradviz.imitation.script.names.nn.books import named_buffers, named_parameters
from gradviz.imitation.script.values import Instance, Namespace, Native

OLD = (
    "We've integrated functorch into PyTorch. As the final step of the integration, `functorch.{old}` is deprecated "
    "as of PyTorch 2.0 and will be deleted in a future version of PyTorch >= 2.3. Please use `{new}` instead; see "
    "the PyTorch 2.0 release notes and/or the `torch.func` migration guide for more details "
    "https://pytorch.org/docs/main/func.migrating.html"
)
MOVED = {"vmap": "torch.vmap"} | {
    name: f"torch.func.{name}"
    for name in ("grad", "grad_and_value", "vjp", "jvp", "jacrev", "jacfwd", "hessian")
}  # fmt: skip
"""What each name is called now."""


def make_functional(machine: Machine, model: Instance, disable_autograd_tracking: bool = False) -> tuple[Any, ...]:
    """A model as a function of its parameters, and the parameters.

    Raises:
        TorchError: the model has buffers.
    """
    if any(named_buffers(model)):
        raise TorchError(
            "make_functional(model): `model` has buffers. Please use make_functional_with_buffers(model) instead."
        )
    run, parameters, _ = make_functional_with_buffers(machine, model, disable_autograd_tracking)
    return Native("FunctionalModule", lambda given, *rest, **named: run.run(given, (), *rest, **named)), parameters


def make_functional_with_buffers(
    machine: Machine, model: Instance, disable_autograd_tracking: bool = False
) -> tuple[Native, tuple[Any, ...], tuple[Any, ...]]:
    """A copy of a model as a function of its parameters and buffers, and these."""
    own = deep(machine, model)
    parameters, buffers = dict(named_parameters(own)), dict(named_buffers(own))
    if disable_autograd_tracking:
        for p in parameters.values():
            p.requires_grad = False

    def run(given: Any, kept: Any, *arguments: Any, **keywords: Any) -> Any:
        state = dict(zip(parameters, machine.listed(given), strict=False))
        state |= dict(zip(buffers, machine.listed(kept), strict=False))
        return functional_call(machine, own, state, arguments, keywords)

    return Native("FunctionalModuleWithBuffers", run), tuple(parameters.values()), tuple(buffers.values())


def combine_state_for_ensemble(machine: Machine, models: Any) -> tuple[Native, tuple[Any, ...], tuple[Any, ...]]:
    """The first of several models of one kind as a function, and the stacked parameters and buffers of all."""
    models = machine.listed(models)
    check_alike(models, "combine_state_for_ensemble")
    run, _, _ = make_functional_with_buffers(machine, models[0])
    parameters, buffers = (
        tuple(machine.tensor(stacked(list(parts))) for parts in zip(*states, strict=True))
        for states in (
            [[x for _, x in names(model)] for model in models] for names in (named_parameters, named_buffers)
        )
    )
    return run, parameters, buffers


MADE: dict[str, tuple[Callable[..., Any], str]] = {
    "make_functional": (make_functional, "torch.func.functional_call"),
    "make_functional_with_buffers": (make_functional_with_buffers, "torch.func.functional_call"),
    "combine_state_for_ensemble": (combine_state_for_ensemble, "torch.func.stack_module_state"),
}


def namespace(machine: Machine, func: Namespace) -> Namespace:
    """`functorch`, whose functions are those of `torch.func`."""
    members = {old: _warning(machine, old, new, func.members[old].run) for old, new in MOVED.items()}
    members |= {old: _warning(machine, old, new, run) for old, (run, new) in MADE.items()}
    return Namespace("functorch", dict(members))


def _warning(machine: Machine, old: str, new: str, run: Callable[..., Any]) -> Native:
    def call(*arguments: Any, **keywords: Any) -> Any:
        warn(OLD.format(old=old, new=new), "FutureWarning")
        return run(machine, *arguments, **keywords)

    return Native(old, call)


__all__ = ["namespace"]
