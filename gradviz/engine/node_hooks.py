"""Hooks of backward nodes: `grad_fn.register_prehook` and `grad_fn.register_hook`.

A node with hooks gets an op of its own around the op it had; the reverse loop sees an op that sends all its
gradients in one call, as that of a custom Function. Tensor hooks have run by then, as in PyTorch.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from gradviz.engine.backward import _send, _send_tensors
from gradviz.engine.op import Op
from gradviz.engine.tensor import Tape, Tensor, constant
from gradviz.errors import TorchError

Hook = Callable[..., Any]


class Hooked:
    """The hooks of one node, by number in order of registration; `before` run ahead of the node, `after` behind it."""

    def __init__(self, tape: Tape, position: int, inner: Op) -> None:
        self.tape = tape
        self.position = position
        self.inner = inner
        self.before: dict[int, Hook] = {}
        self.after: dict[int, Hook] = {}

    def send(self, g: Tensor, _needs: tuple[bool, ...]) -> tuple[Any, ...]:
        """All outgoing gradients, after the hooks."""
        came = (g,)
        for hook in list(self.before.values()):
            came = _changed(hook(came), came)
        entry = self.tape.entries[self.position]
        sources = [self.tape.entries[i] for i in entry.inputs]
        if self.tape.grad_enabled:
            sent = _send_tensors(self.inner, came[0], entry, sources)
        else:
            sent = tuple(
                None if out is None else constant(out, self.tape)
                for out in _send(self.inner, came[0].data, entry, sources)
            )
        for hook in list(self.after.values()):
            sent = _changed(hook(sent, came), sent)
        return sent


def _changed(returned: Any, before: tuple[Any, ...]) -> tuple[Any, ...]:
    """What a hook returned in place of the gradients, checked."""
    if returned is None:
        return before
    given = returned if isinstance(returned, tuple) else (returned,)
    if len(given) != len(before):
        raise TorchError(
            f"hook 'hook' has returned an incorrect number of values (got {len(given)}, but expected {len(before)})"
        )
    return given


def hooked(tensor: Tensor) -> Hooked:
    """The hooks of the node that made a tensor, made on first use."""
    assert tensor.op is not None
    found = getattr(tensor.op.joint, "__self__", None)
    if isinstance(found, Hooked):
        return found
    made = Hooked(tensor.tape, tensor.index, tensor.op)
    op = replace(tensor.op, joint=made.send, vjp=())
    tensor.op = tensor.tape.entries[tensor.index].op = op
    return made


def register_prehook(tensor: Tensor, hook: Hook) -> Callable[[], Any]:
    """Call hook(grad_outputs) before the node runs; what it returns takes their place. Returns how to remove it."""
    return _register(hooked(tensor).before, hook)


def register_hook(tensor: Tensor, hook: Hook) -> Callable[[], Any]:
    """Call hook(grad_inputs, grad_outputs) after the node ran; what it returns takes the place of grad_inputs."""
    return _register(hooked(tensor).after, hook)


def _register(table: dict[int, Hook], hook: Hook) -> Callable[[], Any]:
    number = max(table, default=-1) + 1
    table[number] = hook
    return lambda: table.pop(number, None)
