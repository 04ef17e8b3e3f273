"""Hooks of a script on the way of a gradient: of tensors, and of nodes before and after their rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.engine.dtypes import dtype_of
from gradviz.engine.saved import FREED
from gradviz.engine.sweep import Sweep
from gradviz.engine.tensor import Tensor, constant, current
from gradviz.ops.fitting import Gradient


def run_tensor_hooks(entry: Tensor, g: Gradient, sweep: Sweep) -> Gradient:
    """What comes in at an entry, after the hooks of its tensor.

    Raises:
        TypeError: a hook gave back something else than a tensor.
        RuntimeError: it gave back another shape or dtype.
    """
    assert entry.extra is not None
    for hook in tuple((entry.extra.hooks or {}).values()):
        g = _hooked(hook, g, sweep)
    return g


def run_pre_hooks(entry: Tensor, g: Gradient) -> Gradient:
    """What comes in at an entry, after the hooks that its node has before its rules."""
    assert entry.extra is not None
    for is_early, hook in tuple((entry.extra.node_hooks or {}).values()):
        if is_early:
            given = hook((as_tensor(g),))
            g = g if given is None else _taken(given[0] if isinstance(given, tuple) else given, g)
    return g


def run_node_hooks(entry: Tensor, sent: tuple[Gradient | None, ...], g: Gradient) -> tuple[Gradient | None, ...]:
    """What goes out of an entry, after the hooks of its node.

    Raises:
        RuntimeError: a hook gave back another shape.
    """
    assert entry.extra is not None
    for is_early, hook in tuple((entry.extra.node_hooks or {}).values()):
        if is_early:
            continue
        given = hook(tuple([None if out is None else as_tensor(out) for out in sent]), (as_tensor(g),))
        if given is not None:
            found = tuple([None if out is None else _taken(out, g) for out in given])
            for out, was in zip(found, sent, strict=False):
                if out is not None and was is not None and out.shape != was.shape:
                    raise RuntimeError(f"hook '{_name_of(hook)}' has changed the size of value")
            sent = found
    return sent


def is_same(g: Gradient, other: Gradient) -> bool:
    """Whether two gradients have the same numbers."""
    mine, theirs = (each.array if isinstance(each, Tensor) else each for each in (g, other))
    return bool(np.array_equal(mine, theirs, equal_nan=mine.dtype.kind in "fc"))


def as_tensor(g: Gradient) -> Tensor:
    """A gradient as scripts are handed it."""
    return constant(g) if g.__class__ is np.ndarray or not isinstance(g, Tensor) else g


def _hooked(hook: Callable[[Tensor], Tensor | None], g: Gradient, sweep: Sweep) -> Gradient:
    handed = as_tensor(g)
    given = hook(handed)
    if handed.extra is not None and handed.extra.memory is not None and handed.extra.memory.version:
        _share_change(g, current(handed).array, sweep)
        g = current(handed) if isinstance(g, Tensor) else current(handed).array
    if given is None:
        return g
    if not isinstance(given, Tensor):
        raise TypeError(f"expected Variable, but hook returned '{type(given).__name__}'")
    now, was = current(given).array, g.array if isinstance(g, Tensor) else g
    if now.shape != was.shape:
        raise RuntimeError(f"hook '{_name_of(hook)}' has changed the size of value")
    if now.dtype != was.dtype:
        types = [f"torch.{dtype_of(each.dtype).type_name}Tensor" for each in (was, now)]
        raise RuntimeError(f"hook '{_name_of(hook)}' has changed the type of value (was {types[0]} got {types[1]})")
    return _taken(given, g)


def _share_change(g: Gradient, now: Any, sweep: Sweep) -> None:
    """A hook changed its gradient in place: whoever was sent the same numbers gets the changed ones too."""
    old = g.array if isinstance(g, Tensor) else g
    for x in {x for step in sweep.steps for x in step[0].inputs}:
        came = x.incoming
        if came is None or came is FREED:
            continue
        array = came.array if isinstance(came, Tensor) else came
        if array is old:
            sweep.hooked.add(x)
            x.incoming = constant(now) if isinstance(came, Tensor) else now
        elif isinstance(array, np.ndarray) and isinstance(old, np.ndarray) and np.shares_memory(array, old):
            raise RuntimeError(
                "a hook changed its gradient in place, and a part of it is still on its way to another tensor; "
                "return the changed gradient from the hook instead: return grad * 2"
            )


def _taken(given: Tensor, like: Gradient) -> Gradient:
    return given if isinstance(like, Tensor) else current(given).array


def _name_of(hook: object) -> str:
    return getattr(hook, "__name__", "hook")
