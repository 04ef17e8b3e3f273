"""Tensors made in `torch.inference_mode`: no graph ever sees them, and outside they can be neither saved nor changed.

A tensor that no graph has used has position -1 on the tape; one of inference mode has `INFERENCE` in its place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from gradviz.errors import TorchError

if TYPE_CHECKING:
    from gradviz.imitation.engine.op import Op
    from gradviz.imitation.engine.tensor import Tape, Tensor

INFERENCE = -2

USE_NO_GRAD = "Use torch.no_grad() instead of torch.inference_mode(), or clone() the tensor."
SAVED = (
    "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in "
    "computation tracked by autograd. To work around this, you can make a clone to get a normal tensor and use it in "
    "autograd, or use `torch.no_grad()` instead of `torch.inference_mode()`."
)
CHANGED = (
    "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a normal "
    "tensor before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more details."
)
REQUIRED = "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed."
NO_VERSION = "Inference tensors do not track version counter."
OUT = (
    "{}(): functions with out=... arguments don't support automatic differentiation, but one of the arguments requires "
    "grad."
)

FINDING = ("mode", "sort", "topk")
"""Ops that find the places that they save; others are given them."""
OTHERWISE = {
    "clone": ("CopyBackwards", 0), "to": ("CopyBackwards", 0), "rsub": ("SubBackward0", 0),
    "fmod_number": ("FmodBackward1", 1), "remainder_number": ("RemainderBackward1", 1),
}  # fmt: skip
"""Ops that copy into a tensor which they have made, or make one of their number: the node, and where that stands."""
WRITTEN = {
    **dict.fromkeys(("abs", "nan_to_num", "deg2rad", "rad2deg", "logsumexp", "kthvalue"), ""),
    "mean": "sum", "std": "sum", "var": "sum", "inv": "_linalg_solve_ex", "rpow": "pow", "renorm": "mul",
}  # fmt: skip
"""Ops that write their result by a call with out=, and that call, where it is another."""


def is_inference(tensor: Tensor) -> bool:
    """Whether a tensor was made in inference mode, or is a view of one that was."""
    return tensor.index == INFERENCE


def looks_into_one(tensor: Tensor) -> bool:
    """Whether it is one, or what a custom Function returned of one as it was."""
    while tensor.index != INFERENCE and tensor.extra is not None and tensor.extra.base is not None:
        tensor = tensor.extra.base
    return tensor.index == INFERENCE


def are_all(inputs: Sequence[Tensor]) -> bool:
    """Whether all inputs of an op were made in inference mode."""
    return all(x.index == INFERENCE for x in inputs)


def recorded_op(op: Op, inputs: Sequence[Tensor]) -> Op | None:
    """What PyTorch records of an op, some or all inputs of which were made in inference mode; None for nothing.

    Where all were, that is what its kernel does with ordinary tensors: places that it is given, and results that it
    makes before it writes them.

    Raises:
        TorchError: the kernel writes its result by a call that refuses what takes a gradient.
    """
    if not are_all(inputs):
        return op
    if is_on(inputs[0].tape):
        return None
    if op.name in OTHERWISE:
        return _otherwise(op)
    if op.name in WRITTEN and any(x.requires_grad for x in inputs):
        raise TorchError(OUT.format(WRITTEN[op.name] or op.name), hint=USE_NO_GRAD)
    return op if "index" in op.saves and op.name not in FINDING else None


@cache
def _otherwise(op: Op) -> Op:
    node, place = OTHERWISE[op.name]
    return replace(op, node=node, gaps=(place,))


def counts_alone(tensor: Tensor) -> bool:
    """Whether a tensor of inference mode has a version counter of its own, as `detach()` gives one outside."""
    return tensor.extra is not None and tensor.extra.apart is not None and not tensor.extra.is_uncounted


def is_uncounted(tensor: Tensor) -> bool:
    """Whether its changes are not counted, as those of what was made in inference mode, whatever it is by now."""
    return (is_inference(tensor) and not counts_alone(tensor)) or (
        tensor.extra is not None and tensor.extra.is_uncounted
    )


def take_kind(tensor: Tensor, value: Tensor) -> None:
    """`tensor.data = value`: the tensor is one of inference mode where the value is, but keeps its version counter."""
    if is_uncounted(tensor):
        tensor.more.is_uncounted = True
    if is_inference(value) or is_inference(tensor):
        tensor.index = INFERENCE if is_inference(value) else -1


def is_on(tape: Tape) -> bool:
    """Whether inference mode is on."""
    return tape.fresh == INFERENCE


def records_calls(tape: Tape) -> bool:
    """Whether calls of custom Functions are recorded: in inference mode what nobody else listens to says so."""
    return tape.told if is_on(tape) else tape.grad_enabled


def switch(tape: Tape, enabled: bool) -> None:
    """Turn it on or off; with it, recording is off or on."""
    tape.fresh, tape.grad_enabled = (INFERENCE if enabled else -1), not enabled


def refuse_input(tensor: Tensor, op: Op | None, slot: int, inputs: Sequence[Tensor]) -> None:
    """Raise if a recorded op would save an input that was made in inference mode, or that nothing counts changes of."""
    needs = [x.requires_grad for x in inputs] or [i != slot for i in range(2)]
    if op is not None and op.saves and (op.is_variadic or op.keeps(op.input_name(slot), needs)):
        raise TorchError(SAVED if is_inference(tensor) else NO_VERSION, hint=USE_NO_GRAD)


def refuse_saving(tensor: Tensor | None) -> None:
    """Raise if a tensor of inference mode is to be saved."""
    if tensor is not None and is_inference(tensor):
        raise TorchError(SAVED, hint=USE_NO_GRAD)


def refuse_change(tensor: Tensor) -> None:
    """Raise if a tensor of inference mode is changed in place outside of it."""
    if is_on(tensor.tape):
        return
    if is_uncounted(tensor) or (looks_into_one(tensor) and not counts_alone(tensor)):
        raise TorchError(CHANGED, hint=USE_NO_GRAD)


def refuse_requires_grad(tensor: Tensor) -> None:
    """Raise if a tensor of inference mode is asked to take a gradient outside of it."""
    if is_inference(tensor) and not is_on(tensor.tape):
        raise TorchError(REQUIRED, hint=USE_NO_GRAD)


def version_of(tensor: Tensor) -> int:
    """`tensor._version`.

    Raises:
        TorchError: it was made in inference mode.
    """
    from gradviz.imitation.engine.memory.sharing import late_writes
    from gradviz.imitation.engine.memory.storage import version

    if is_uncounted(tensor):
        raise TorchError(NO_VERSION)
    return version(tensor) + late_writes(tensor)
