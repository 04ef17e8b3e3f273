"""Tape: what one run recorded, in order of creation, and the state of its recording."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from gradviz.imitation.engine import inference
from gradviz.imitation.engine.dtypes import FLOAT32, FLOATING, HALVES, DType, meet
from gradviz.imitation.engine.inference import INFERENCE
from gradviz.imitation.engine.tensor_class import Tensor, constant
from gradviz.errors import TorchError

if TYPE_CHECKING:
    from gradviz.imitation.engine.functions.autocast import Region
    from gradviz.imitation.engine.memory.sharing import Beside
    from gradviz.imitation.engine.op import Op
    from gradviz.imitation.engine.passes.by_node import NodePass
    from gradviz.imitation.engine.passes.sweep_record import SweepRecord


def _go_on() -> None:
    """Nobody wants to stop it."""


class Tape:
    """What one run recorded.

    Attributes:
        entries: every tensor of the graph in order of creation; a tensor's `index` is its position.
        grad_enabled: whether ops are recorded (False inside `no_grad`).
        sweeps: the backward passes that ran.
        freed: positions whose saved tensors a pass without retain_graph has freed.
        is_watched: whether some tensor was changed in place.
        checked_until: up to this position a pass must look whether a node was freed, or what it saved changed.
        fresh: the position of a tensor that no recorded op has used: -1, or that of inference mode.
        told: whether gradients are recorded as the script was told, which inference mode has no ear for.
        by_node: whether a pass must go node by node, since code of the user's (a hook, a custom Function) looks on.
        casting: its autocast, once a script has used it; see `functions.autocast`.
        in_rule: whether the rules of the table are at work on tensors: PyTorch's C++ multiplies with numbers by
            nodes of their own, `MulBackward1`.
        finds_nan: whether a pass stops where a node returns NaN (`detect_anomaly`).
        trace: in anomaly mode, where an entry was made, as text: trace(position); else None.
        shown: what `repr` gives of a tensor inside those calls, or None.
        transformed: how many calls of functions by torch.func and vmap are going on.
        dual: what knows the tangents of tensors, once a script has asked for forward mode; see `names.forward_mode`.
        batched: whether a pass for a whole batch of seeds is going on.
        mapped: how many calls of `vmap` are going on.
        names: variable names by position.
        lines: source lines by position, of the leaves and constants that were made before their first use;
            `levels`: where the script was.
        apart, holes, sparse, sparse_until: what was dropped; see `dropping`.
        pulse: called now and then by what takes long; raises where the user pressed Stop.
        passes: those that run now node by node, the innermost last.
        packed: what pack hooks gave for what nodes saved, by position and name; see `hooks.on_saved_tensors`.
        print_options: how tensors print (`torch.set_printoptions`); None for PyTorch's defaults.
        float_dtype: of what is made of Python floats (`torch.set_default_dtype`).
    """

    __slots__ = (
        "apart",
        "batched",
        "beside",
        "by_node",
        "casting",
        "checked_until",
        "dual",
        "entries",
        "finds_nan",
        "float_dtype",
        "freed",
        "fresh",
        "grad_enabled",
        "holes",
        "in_rule",
        "is_watched",
        "levels",
        "lines",
        "mapped",
        "names",
        "packed",
        "passes",
        "print_options",
        "pulse",
        "shown",
        "sparse",
        "sparse_until",
        "sweeps",
        "told",
        "trace",
        "transformed",
    )  # fmt: skip

    def __init__(self) -> None:
        self.entries: list[Tensor] = []
        self.grad_enabled = True
        self.sweeps: list[SweepRecord] = []
        self.freed: set[int] = set()
        self.checked_until = -1
        self.is_watched = False
        self.by_node = False
        self.casting: Region | None = None
        self.in_rule = False
        self.packed: dict[int, dict[str, Any]] = {}
        self.beside: dict[int, tuple[Beside, ...]] = {}
        self.mapped = 0
        self.batched = False
        self.transformed = 0
        self.dual: Any = None
        self.shown: Callable[[Tensor], str] | None = None
        self.passes: list[NodePass] = []
        self.fresh = -1
        self.told = True
        self.finds_nan = False
        self.trace: Callable[[int], str] | None = None
        self.names: dict[int, str] = {}
        self.lines: dict[int, int] = {}
        self.levels: dict[int, Any] = {}
        self.print_options: Any = None
        self.float_dtype: DType = FLOAT32
        self.pulse: Callable[[], None] = _go_on
        self.apart: set[int] = set()
        self.holes = 0
        self.sparse: list[int] = []
        self.sparse_until = 0

    def enter(self, tensor: Tensor, op: Op | None = None, slot: int = 0, inputs: tuple[Tensor, ...] = ()) -> int:
        """Give a leaf or constant its position on the tape, as an input of an op.

        Raises:
            TorchError: the op would save it, but it was made in inference mode.
        """
        if tensor.index == INFERENCE:
            inference.refuse_input(tensor, op, slot, inputs)
            made, tensor = tensor, self.constant(tensor.data)  # it stays what it is, and stands for itself here only
            if made.requires_grad:
                tensor.requires_grad, tensor.more.owner = True, made
                tensor.op, tensor.inputs, tensor.params, tensor.more.node = (
                    made.op,
                    made.inputs,
                    made.params,
                    made.more.node,
                )
        elif tensor.extra is not None and tensor.extra.is_uncounted:
            inference.refuse_input(tensor, op, slot, inputs)
        elif tensor.extra is not None and tensor.extra.untracked is not None:
            from gradviz.imitation.engine.memory.views import renew

            renew(tensor)
            if tensor.index >= 0:
                return tensor.index
            tensor = self.constant(tensor.data)  # PyTorch sends no gradient into it
        elif tensor.extra is not None and tensor.extra.is_outdated and tensor.extra.base is not None:
            from gradviz.imitation.engine.memory.views import renew

            renew(tensor)
            if tensor.index >= 0:
                return tensor.index
        index = tensor.index = len(self.entries)
        self.entries.append(tensor)
        if HALVES and tensor.data.dtype in HALVES:
            self.by_node = True
        if (extra := tensor.extra) is not None:
            if (name := extra.label or extra.nickname) is not None:
                self.names[index] = name
            if extra.line is not None:
                self.lines[index] = extra.line
                self.levels[index] = extra.level
            if extra.is_outdated:
                self.checked_until = index
            if extra.node is not None:
                self.by_node = True
            if extra.storage is not None:
                extra.storage.come_back(tensor)
                if extra.storage.is_lent:
                    extra.shown = np.array(tensor.data)
        return index

    def watch(self) -> None:
        """Note a change in place: whatever is recorded so far may have saved what is changed."""
        self.is_watched = True
        self.checked_until = len(self.entries) - 1

    def constant(self, data: Any) -> Tensor:
        """A tensor that no recorded op made and that takes no gradient."""
        return constant(data, self)

    def tensor(self, data: Any, *, requires_grad: bool = False) -> Tensor:
        """A new leaf or constant around an array; the array is taken, not copied.

        Raises:
            TorchError: requires_grad for a dtype that is not floating point.
        """
        made = constant(data, self)
        meet(made.data.dtype)
        return self.leaf(made) if requires_grad else made

    def leaf(self, tensor: Tensor) -> Tensor:
        """A constant as a leaf from now on.

        Raises:
            TorchError: its dtype is not floating point.
        """
        if tensor.dtype.kind not in FLOATING:
            raise TorchError("Only Tensors of floating point and complex dtype can require gradients")
        tensor.requires_grad = True
        self.enter(tensor)
        return tensor

    def close(self) -> None:
        """Let go of everything recorded. Tape and tensors hold each other; this spares the collector the work."""
        self.entries.clear()
        self.sweeps.clear()

    @contextmanager
    def recording(self) -> Iterator[Tape]:
        """Run a whole script: numpy's warnings are off, as PyTorch gives none, and the garbage collector pauses.

        A growing tape of live objects makes each full collection slower and frees nothing.
        """
        was_enabled = gc.isenabled()
        gc.disable()
        try:
            with np.errstate(all="ignore"):
                yield self
        finally:
            if was_enabled:
                gc.enable()

    @contextmanager
    def rules_at_work(self) -> Iterator[None]:
        """What is recorded inside is recorded by a rule of the table, and not by the script."""
        before = self.in_rule
        self.in_rule = True
        try:
            yield
        finally:
            self.in_rule = before

    @contextmanager
    def grad_mode(self, enabled: bool) -> Iterator[None]:
        """Record or do not record inside, as `torch.set_grad_enabled`."""
        before = self.grad_enabled, self.told
        self.grad_enabled = self.told = enabled
        try:
            yield
        finally:
            self.grad_enabled, self.told = before
