"""Backward hooks of modules: what comes in at a module's outputs and goes out at its inputs, seen on the way.

Inputs and outputs go through an identity whose backward step calls the hooks. One tensor has one entry in the graph,
but a hook sees the gradients of all of them together: those of one border are numbered in a row, so when the first of
them runs, everything that comes in at the others is already summed there.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradviz.engine.apply import view
from gradviz.engine.graph import grad_fn
from gradviz.engine.state import state, warn
from gradviz.engine.tensor import Tensor, constant, current, extra_of
from gradviz.ops.fitting import Gradient
from gradviz.ops.op import Op
from gradviz.ops.symbols import said

Grads = tuple[Any, ...]
"""One gradient (a tensor) or None for each argument or result of a module."""

CHANGED = (
    "Output 0 of BackwardHookFunction is a view and is being modified inplace. This view was created inside a "
    "custom Function (or because an input was returned as-is) and the autograd logic to handle view+inplace would "
    "override the custom backward associated with the custom Function, leading to incorrect gradients. This behavior "
    "is forbidden. You can fix this by cloning the output of the custom Function."
)
NO_INPUT = (
    "Full backward hook is firing when gradients are computed with respect to module outputs since no inputs require "
    "gradients. See https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html"
    "#torch.nn.Module.register_full_backward_hook for more details."
)


class Border:
    """The identity around all inputs of one call of a module, or around all its outputs.

    Attributes:
        see: called with the gradients; gives those that go on.
        entries: the entry of each argument or result; None for what is no tensor that takes a gradient.
        waiting: what goes on at the entries that have not run yet, by their slot.
    """

    def __init__(self, see: Callable[[Grads], Sequence[Any]]) -> None:
        self.see = see
        self.entries: list[Tensor | None] = []
        self.waiting: dict[int, Gradient | None] = {}

    def pass_through(self, x: Any) -> Any:
        """The next argument or result, behind the identity where it is a tensor."""
        slot = len(self.entries)
        if not isinstance(x, Tensor):
            self.entries.append(None)
            return x
        made = view(HOOKED, x, context=self, slot=slot)
        if made.tracked:
            extra_of(made).refusal = CHANGED
        self.entries.append(made if made.tracked else None)
        return made


def _send_on(entry: Tensor, g: Gradient) -> Sequence[Gradient | None]:
    """The backward step of one entry of a border; the first one to run calls the hooks for all."""
    border: Border = entry.params["context"]
    slot: int = entry.params["slot"]
    if slot in border.waiting:
        return (border.waiting.pop(slot),)
    came = [None if x is None else _gradient(x.incoming) for x in border.entries]
    came[slot] = g
    gone = border.see(tuple([x if x is None or isinstance(x, Tensor) else constant(x) for x in came]))
    for was, x in zip(came, gone, strict=True):
        if was is not None and x is not None and x.shape != was.shape:
            raise RuntimeError("hook 'hook' has changed the size of value")
    border.waiting = {
        i: x if x is None or isinstance(was, Tensor) else current(x).array
        for i, (x, was) in enumerate(zip(gone, came, strict=True))
        if was is not None
    }
    return (border.waiting.pop(slot),)


def _gradient(incoming: Any) -> Gradient | None:
    return incoming if isinstance(incoming, Tensor | np.ndarray | np.generic) else None


HOOKED = Op(
    name="BackwardHookFunction",
    forward=lambda x, context, slot: x,
    vjp=(lambda g, y, x, context, slot: g,),
    form=(said("after_hooks", "{0} after the backward hooks of the module", lambda g, y, x, context, slot: g),),
    equation="y = x",
    node="BackwardHookFunctionBackward",
    is_view=True,
    joint=_send_on,
)


class HookedCall:
    """The backward hooks of one call of a module.

    Attributes:
        module: the module.
        before: its backward pre-hooks: hook(module, grad_output).
        after: its backward hooks: hook(module, grad_input, grad_output).
    """

    def __init__(self, module: object, before: Sequence[Callable[..., Any]], after: Sequence[Callable[..., Any]]):
        self.module = module
        self.before = before
        self.after = after
        self._args: tuple[Any, ...] = ()
        self._takes_gradient = False
        self._came: Grads | None = None

    def enter(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments, behind the identity."""
        self._args = args
        if not self.after or not state.grad_enabled:
            return args
        self._takes_gradient = any(isinstance(x, Tensor) and current(x).tracked for x in args)
        if not self._takes_gradient:
            return args
        border = Border(self._at_inputs)
        return tuple([border.pass_through(x) for x in args])

    def leave(self, result: Any) -> Any:
        """What the module gives, behind the identity."""
        if not state.grad_enabled:
            return result
        border = Border(self._at_outputs)
        if isinstance(result, Tensor):
            return border.pass_through(result)
        if not isinstance(result, tuple) or not all(isinstance(x, Tensor) for x in result):
            warn(
                "For backward hooks to be called, module output should be a Tensor or a tuple of Tensors but received "
                f"{type(result)}"
            )
            return result
        made = [border.pass_through(x) for x in result]
        return type(result)(*made) if hasattr(result, "_fields") else tuple(made)

    def _at_outputs(self, came: Grads) -> Grads:
        for hook in self.before:
            given = hook(self.module, came)
            if given is not None:
                came = _of_length(given, len(came), "Backward pre hook", "grad_output")
        self._came = came
        if self.after and not self._takes_gradient:
            warn(NO_INPUT)
            for hook in self.after:
                given = hook(self.module, (None,) * len(self._args), came)
                if given is not None and any(x is not None for x in _as_tuple(given)):
                    raise RuntimeError(
                        "Backward hook for Modules where no input requires gradient should always return None or None "
                        "for all gradients."
                    )
        return came

    def _at_inputs(self, gone: Grads) -> Grads:
        if self._came is None:
            # A derivative of higher order comes to the inputs without having passed the outputs.
            return gone
        came, self._came = self._came, None
        gone = tuple([_zeros(x) if g is None else g for g, x in zip(gone, self._args, strict=True)])
        for hook in self.after:
            given = hook(self.module, gone, came)
            if given is not None:
                gone = _of_length(given, len(gone), "Backward hook", "grad_input")
        return gone


# ---- hooks of the first versions --------------------------------------------------------------------------------

TWO_KINDS = (
    "Cannot use both regular backward hooks and full backward hooks on a single Module. Please use only one of them."
)
NOT_FULL = (
    "Using a non-full backward hook when the forward contains multiple autograd Nodes is deprecated and will be removed "
    "in future versions. This hook will be missing some grad_input. Please use register_full_backward_hook to get the "
    "documented behavior."
)


def hook_last_node(module: object, args: tuple[Any, ...], result: Any, hooks: Sequence[Callable[..., Any]]) -> None:
    """Register hooks of the old kind: hook(module, grad_input, grad_output) of the op that made the first result.

    Such a hook sees the inputs of that one op, not those of the module, which PyTorch warns of.
    """
    first = result
    while not isinstance(first, Tensor):
        if not isinstance(first, dict | list | tuple) or not first:
            return
        first = next(iter(first.values() if isinstance(first, dict) else first))
    node = grad_fn(first)
    if node is None:
        return
    for hook in hooks:
        node.register_hook(functools.partial(hook, module))
    before = {made for x in args if isinstance(x, Tensor) and (made := grad_fn(x)) is not None}
    if before != {after for after, _ in node.next_functions}:
        warn(NOT_FULL, FutureWarning)


def _zeros(x: Any) -> Tensor | None:
    """The gradient of an argument to which none came; None for what is no tensor."""
    return constant(np.zeros_like(current(x).array)[()]) if isinstance(x, Tensor) else None


def _as_tuple(x: Any) -> Grads:
    return tuple(x) if isinstance(x, tuple | list) else (x,)


def _of_length(given: Any, length: int, who: str, what: str) -> Grads:
    """What a hook gave, as a tuple; a tensor that it gave without one counts as the tuple of its rows, as in PyTorch.

    Raises:
        RuntimeError: it is not one gradient for each.
    """
    found = tuple(given)
    if len(found) != length:
        raise RuntimeError(f"{who} returned an invalid number of {what}, got {len(found)}, but expected {length}")
    return found
