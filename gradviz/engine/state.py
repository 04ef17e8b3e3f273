"""What PyTorch keeps globally, in one place: whether gradients are recorded, the default dtype, who listens.

A script runs in a process of its own, so this is the state of one run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from gradviz.engine.sweep import Sweep
    from gradviz.engine.tensor import Memory, Tensor


INFERENCE = -2
"""The index of tensors made in inference mode, which no graph takes up."""


class State:
    """The state of the engine.

    Attributes:
        grad_enabled: whether ops are recorded; see `no_grad`.
        dtype: of tensors made from Python floats.
        on_entry: called with every entry that an op makes; None while nobody records.
        tape: the entries in order, where the listener keeps them all; the reverse loop then need not search them.
        on_begin: called with every backward pass that begins, and `on_sweep`, with every one that has run; None while
            nobody records.
        on_cut: called with what was computed outside of the graph (None for numbers of Python), the tensors that it was
            computed from, and by what: "detach()". None while nobody records.
        on_write: called with a memory that was written to in a way that PyTorch does not count; None while nobody
            records.
        on_module: called with a module and whether its call begins (True) or ends; None while nobody records.
        warned: the messages that are given but once, and were.
        on_warning: called with the message and the category of a warning; None for Python's own warnings.
        unrecorded: the index of tensors that no recorded op made: -1, or `INFERENCE` in inference mode.
        detects_anomaly: whether a NaN in a backward pass is an error.
        has_leaf_hooks: whether a hook was ever registered at a leaf, whose turn in a pass then matters.
        passes: how many backward passes run now, one inside another.
        names: what the variable is called that an entry was assigned to, and whether it is the script's own, by `id`; of
            entries that the listener keeps, and that have nothing else that only few tensors have (`tensor.Extra`).
        mapped: how many vmaps run now, one inside another; inside them PyTorch's tensors stand for many numbers.
    """

    __slots__ = (
        "detects_anomaly", "dtype", "grad_enabled", "has_leaf_hooks", "mapped", "names", "on_begin", "on_cut", "on_entry",
        "on_module", "on_sweep", "on_warning", "on_write", "passes", "tape", "unrecorded", "warned",
    )  # fmt: skip

    def __init__(self) -> None:
        self.grad_enabled = True
        self.dtype: np.dtype[np.floating] = np.dtype(np.float32)
        self.on_entry: Callable[[Tensor], object] | None = None
        self.tape: list[Tensor] | None = None
        self.on_begin: Callable[[Sweep], object] | None = None
        self.on_sweep: Callable[[Sweep], object] | None = None
        self.on_cut: Callable[[Tensor | None, tuple[Tensor, ...], str], object] | None = None
        self.on_write: Callable[[Memory], object] | None = None
        self.on_module: Callable[[object, bool], object] | None = None
        self.on_warning: Callable[[str, type[Warning]], object] | None = None
        self.unrecorded = -1
        self.detects_anomaly = False
        self.has_leaf_hooks = False
        self.passes = 0
        self.mapped = 0
        self.names: dict[int, tuple[str, bool]] = {}
        self.warned: set[str] = set()


state = State()
"""The one state of this process."""


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn as PyTorch does: to whoever listens, else by Python's warnings at the caller outside the engine."""
    if state.on_warning is not None:
        state.on_warning(message, category)
        return
    import sys
    import warnings

    level, frame = 2, sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").startswith(("gradviz.engine", "gradviz.ops")):
        level, frame = level + 1, frame.f_back  # type: ignore[assignment]
    warnings.warn(message, category, stacklevel=level)


def warn_once(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn the first time in this process."""
    if message not in state.warned:
        state.warned.add(message)
        warn(message, category)
