"""Hooks of backward nodes (`grad_fn.register_prehook`, `register_hook`) and of the accumulation into `.grad`.

They belong to the node, so of several results of one call all have the same, and so have all uses of a leaf.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

from gradviz.imitation.engine.dtypes import type_name
from gradviz.imitation.engine.kind_names import kind_name
from gradviz.imitation.engine.memory.storage import version
from gradviz.imitation.engine.memory.views import renew
from gradviz.imitation.engine.nodes import head
from gradviz.imitation.engine.tensor import Tensor, constant
from gradviz.errors import TorchError

Hook = Callable[..., Any]
Values = tuple[Any, ...]

_numbers = itertools.count()
"""One count for all hooks: those of several results of a node run in the order in which they were registered."""


class NodeHooks:
    """The hooks of one node, by number in order of registration.

    Attributes:
        before: called with (gradients of the outputs,) before the node runs.
        after: called with (gradients of the inputs, gradients of the outputs) after it ran.
        accumulated: of a leaf, called with the leaf once its `.grad` is up to date.
        shown: what user code knows the node by, which is the same object each time.
    """

    __slots__ = ("accumulated", "after", "before", "shown")

    def __init__(self) -> None:
        self.before: dict[int, Hook] = {}
        self.after: dict[int, Hook] = {}
        self.accumulated: dict[int, Hook] = {}
        self.shown: Any = None


def hooks_of(tensor: Tensor) -> NodeHooks:
    """The hooks of the node that made a tensor (for a leaf, that accumulates its gradient), made on first use."""
    more = head(tensor).more
    if more.node_hooks is None:
        more.node_hooks = NodeHooks()
    tensor.tape.by_node = True
    return more.node_hooks


def register_prehook(tensor: Tensor, hook: Hook) -> Callable[[], Any]:
    """Call hook(grad_outputs) before the node runs; what it returns takes their place. Returns how to remove it."""
    return register(hooks_of(tensor).before, hook)


def register_hook(tensor: Tensor, hook: Hook) -> Callable[[], Any]:
    """Call hook(grad_inputs, grad_outputs) after the node ran; what it returns takes the place of grad_inputs."""
    return register(hooks_of(tensor).after, hook)


def register_accumulated(leaf: Tensor, hook: Hook) -> Callable[[], Any]:
    """Call hook(leaf) each time a gradient was added to its `.grad`. Returns how to remove it.

    Raises:
        TorchError: it takes no gradient, or is no leaf.
    """
    if not leaf.requires_grad:
        raise TorchError("cannot register a hook on a tensor that doesn't require gradient")
    renew(leaf)
    if leaf.op is not None:
        raise TorchError("post accumulate grad hooks cannot be registered on non-leaf tensors")
    return register(hooks_of(leaf).accumulated, hook)


def register(table: dict[int, Hook], hook: Hook) -> Callable[[], Any]:
    """Put a hook into a table; returns how to remove it."""
    number = next(_numbers)
    table[number] = hook
    return lambda: table.pop(number, None)


# ---- called ----


def run_tensor_hooks(tensors: list[Tensor], came: list[Tensor | None]) -> list[Tensor | None]:
    """The gradients of a node's outputs after the hooks of the tensors; each sees what the one before left."""
    found = [
        (number, at, hook)
        for at, x in enumerate(tensors)
        if x.extra is not None and x.extra.hooks
        for number, hook in x.extra.hooks.items()
    ]
    if len(tensors) > 1:
        found.sort(key=lambda item: item[0])
    for _, at, hook in found:
        returned = hook(came[at])
        if returned is not None:
            check_result(hook, returned, came[at])
            came[at] = returned
    return came


def changed_by(
    run: Callable[[list[Any]], Sequence[Any]], shown: list[Tensor | None]
) -> list[tuple[Tensor | None, bool]]:
    """Gradients after `run` called hooks with them, and whether each is another one or was changed in place."""
    before = [(None, 0) if x is None else (x.data, version(x)) for x in shown]
    return [
        (new, new is not old or (old is not None and (old.data is not data or version(old) != count)))
        for new, old, (data, count) in zip(run(list(shown)), shown, before, strict=True)
    ]


def as_tensor(g: Any, like: Tensor) -> Tensor | None:
    """A gradient as user code sees it."""
    return g if g is None or isinstance(g, Tensor) else constant(g, like.tape)


def run_node_hooks(table: dict[int, Hook], values: Values, *context: Values) -> Values:
    """Tensors (or None) after the hooks of a node, each called with (values, *context)."""
    for hook in list(table.values()):
        returned = hook(values, *context)
        if returned is None:
            continue
        _check_tuple(hook, returned, values)
        values = returned
    return values


def run_accumulated(table: dict[int, Hook], leaf: Tensor) -> None:
    """Tell that the `.grad` of a leaf is up to date; a hook after one that returned a tensor is called with that."""
    shown = leaf
    for hook in list(table.values()):
        returned = hook(shown)
        if returned is not None:
            check_result(hook, returned, shown)
            shown = returned
    if shown is not leaf:
        raise TorchError(
            "Tensor post accumulate grad hooks should return None.",
            hint="A lambda returns its value: write a def that returns nothing.",
        )


def _kind(value: Any) -> str:
    return kind_name(value)


def _check_tuple(hook: Hook, returned: Any, before: Values) -> None:
    if not isinstance(returned, tuple):
        raise TorchError(
            f"expected tuple, but hook returned '{_kind(returned)}'",
            kind="TypeError",
            hint="A hook of a node returns one gradient for each, as a tuple: (g,).",
        )
    if len(returned) != len(before):
        raise TorchError(
            f"hook '{_name(hook)}' has returned an incorrect number of values (got {len(returned)}, but expected "
            f"{len(before)})"
        )
    for result, g in zip(returned, before, strict=True):
        if result is not None:
            check_result(hook, result, g)


def check_result(hook: Hook, result: Any, g: Any) -> None:
    """Raise if what a hook returned cannot take the place of the gradient g."""
    if g is None:
        raise TorchError("can't replace a None gradient with a non-None value")
    if not isinstance(result, Tensor):
        raise TorchError(f"expected Variable, but hook returned '{_kind(result)}'", kind="TypeError")
    if result.dtype != g.dtype:
        was, got = (f"torch.{type_name(x.dtype)}Tensor" for x in (g, result))
        raise TorchError(f"hook '{_name(hook)}' has changed the type of value (was {was} got {got})")
    if result.shape != g.shape:
        raise TorchError(f"hook '{_name(hook)}' has changed the size of value")


def _name(hook: Hook) -> str:
    return str(getattr(hook, "__name__", "<unknown>"))
