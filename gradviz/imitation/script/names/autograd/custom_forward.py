"""A custom Function inside `vmap`, `torch.func` and forward mode: what it must have, its `jvp` and its `vmap`.

A forward derivative is the derivative of v·J with respect to v. So a Function's `jvp` is used turned round: v·J is
the gradient of v · jvp(t) with respect to t, for the jvp is linear in t.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from gradviz.imitation.engine import autograd
from gradviz.imitation.engine.custom.context import Context
from gradviz.imitation.engine.dtypes import FLOATING
from gradviz.imitation.engine.functions import FUNCTIONS as F
from gradviz.imitation.engine.tensor import Tensor
from gradviz.errors import TorchError
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.readers import READERS, fields
from gradviz.imitation.script.values import Class, Static

SEE = "For more details, please see https://pytorch.org/docs/main/notes/extending.func.html"
NO_SETUP = (
    "In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, ...), it must override "
    f"the setup_context staticmethod. {SEE}"
)
NO_JVP = "You must implement the jvp function for custom autograd.Function to use it with forward mode AD."
NO_VMAP = (
    "You tried to vmap over {name}, but it does not have vmap support. Please override and implement the vmap "
    f"staticmethod or set generate_vmap_rule=True. {SEE}"
)
TWO_VMAPS = (
    "You tried to vmap over {name}, but it has both generate_vmap_rule=True and an overridden vmap staticmethod. "
    f"Please set generate_vmap_rule=False or delete the overridden vmap staticmethod to avoid ambiguity. {SEE}"
)
STACK = "transforms"
PUSHING = "pushing"


class VmapInfo(NamedTuple):
    """What a Function's `vmap` is told."""

    batch_size: int
    randomness: str


READERS[VmapInfo] = fields("batch_size", "randomness")


def method(cls: Class, name: str) -> Any:
    """A method of a Function that the script wrote, static or not; None where it has none."""
    found = cls.find(name)
    return found.function if isinstance(found, Static) else found


@contextmanager
def transforming(machine: Machine, kind: str) -> Iterator[None]:
    """A function is called by "vmap", "grad", "jvp", or inside a "dual" level."""
    stack: list[str] = machine.state.setdefault(STACK, [])
    stack.append(kind)
    counts = kind != "dual"
    machine.tape.transformed += counts
    try:
        yield
    finally:
        stack.pop()
        machine.tape.transformed -= counts


@contextmanager
def pushing(machine: Machine) -> Iterator[None]:
    """Gradients are asked for to be turned into forward derivatives."""
    before, machine.state[PUSHING] = machine.state.get(PUSHING, False), True
    try:
        yield
    finally:
        machine.state[PUSHING] = before


def check(machine: Machine, cls: Class, arguments: Sequence[Any]) -> None:
    """Raise where a Function lacks what the transforms around its call need."""
    stack = machine.state.get(STACK, ())
    if not stack:
        return
    if set(stack) != {"dual"} and method(cls, "setup_context") is None:
        raise TorchError(NO_SETUP)
    if "vmap" in stack:
        has_rule, has_own = bool(cls.find("generate_vmap_rule")), method(cls, "vmap") is not None
        if has_rule == has_own:
            raise TorchError((TWO_VMAPS if has_rule else NO_VMAP).format(name=cls.name))
    if _has_tangents(machine, arguments) and method(cls, "jvp") is None:
        raise TorchError(NO_JVP, kind="NotImplementedError")


def _has_tangents(machine: Machine, arguments: Sequence[Any]) -> bool:
    stack = machine.state.get(STACK, ())
    takes = any(isinstance(x, Tensor) and x.requires_grad for x in arguments)
    return takes and ("jvp" in stack or "dual" in stack)


def is_pushing(machine: Machine, ctx: Context) -> bool:
    """Whether a Function's `jvp` stands for its backward now."""
    return bool(machine.state.get(PUSHING, False)) and ctx.pushed is not None


def run_jvp(machine: Machine, cls: Class, ctx: Context) -> None:
    """Call a Function's `jvp`, once after its forward as PyTorch does, where tangents come in."""
    if ctx.pushed is not None or not _has_tangents(machine, ctx.arguments):
        return
    tangents = [
        machine.tensor(np.zeros(x.shape, x.dtype)[()], requires_grad=True)
        if isinstance(x, Tensor) and x.dtype.kind in FLOATING
        else None
        for x in ctx.arguments
    ]
    with machine.tape.grad_mode(True), ctx.reading_forward():
        results = machine.call(method(cls, "jvp"), (ctx, *tangents), {})
    ctx.pushed = tangents, results if isinstance(results, tuple) else (results,)


def turned(machine: Machine, ctx: Context, gradients: Sequence[Any]) -> tuple[Any, ...]:
    """v·J of each argument, made of what the Function's `jvp` gave."""
    assert ctx.pushed is not None
    tangents, results = ctx.pushed
    pairs = [(y, g) for y, g in zip(results, gradients, strict=False) if isinstance(y, Tensor) and g is not None]
    pairs = [(y, g if g.dtype == y.dtype else F["type_as"](g, y)) for y, g in pairs if y.requires_grad]
    asked = [t for t in tangents if t is not None]
    if not pairs:
        return (None,) * len(tangents)
    found = iter(autograd.grad(
        [y for y, _ in pairs], asked, [g for _, g in pairs], create_graph=True, allow_unused=True,
    ))  # fmt: skip
    return tuple(None if t is None else next(found) for t in tangents)


def mapped(machine: Machine, cls: Class, size: int, randomness: str, in_dims: Any, arguments: Sequence[Any]) -> Any:
    """A Function's own `vmap`: (results for all slices at once, where their slices lie)."""
    info = VmapInfo(size, randomness)
    result = machine.call(method(cls, "vmap"), (info, in_dims, *arguments), {})
    if not isinstance(result, tuple) or len(result) != 2:
        raise TorchError(f"Expected vmap to return a tuple of (output, out_dims), got {type(result).__name__}")
    return result
