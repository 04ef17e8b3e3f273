"""`ctc_loss`: a row of labels against a longer row of frames."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.imitation.engine.dtypes import FLOATING, type_name
from gradviz.imitation.engine.functions.arguments import need
from gradviz.imitation.engine.functions.losses.options import checked
from gradviz.imitation.engine.functions.numbers.comparison import where
from gradviz.imitation.engine.functions.reducing.reduction import mean, sum
from gradviz.imitation.engine.functions.shapes.shaping import squeeze, unsqueeze
from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.tensor import Tensor, apply, constant
from gradviz.errors import ScriptError, TorchError

Ints = tuple[int, ...]
CHECKED = "(while checking arguments for ctc_loss_allocate_outputs)"


def ctc_loss(
    log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any, blank: int = 0,
    reduction: str = "mean", zero_infinity: bool = False,
) -> Tensor:  # fmt: skip
    x, labels = need("ctc_loss", log_probs), need("ctc_loss", targets, "targets", 2)
    checked(reduction)
    is_single = x.ndim == 2
    scores = unsqueeze(x, 1) if is_single else x
    frames, counts = (_lengths(given, name) for given, name in (
        (input_lengths, "input_lengths"), (target_lengths, "target_lengths")))  # fmt: skip
    _check(scores, frames, counts, blank)
    rows = _rows(labels, counts, is_single)
    _check_labels(rows, scores.shape[2])
    found = apply(OPS["ctc_loss"], (scores,), labels=rows, lengths=frames, blank=blank, zero_infinity=zero_infinity)
    if zero_infinity:
        zero = constant(found.dtype.type(0), found.tape)
        found = where(constant(np.isinf(found.data), found.tape), zero, found)
    if reduction == "mean":
        found = mean(found / constant(np.maximum(counts, 1).astype(found.dtype), found.tape))
    elif reduction == "sum":
        found = sum(found)
    return squeeze(found, 0) if is_single and reduction == "none" else found


def _lengths(given: Any, name: str) -> Ints:
    numbers = np.atleast_1d(given.data if isinstance(given, Tensor) else np.array(given, np.int64))
    if numbers.dtype.kind not in "iu":
        raise TorchError(f"{name} must be integral", hint="Give whole numbers, e.g. torch.tensor([50, 48]).")
    return tuple(int(n) for n in numbers)


def _check(scores: Tensor, frames: Ints, counts: Ints, blank: int) -> None:
    if scores.dtype.kind not in FLOATING:
        kind = type_name(scores.dtype)
        raise TorchError(f"\"ctc_loss_cpu\" not implemented for '{kind}'", kind="NotImplementedError")
    length, batch, classes = scores.shape
    if not 0 <= blank < classes:
        raise TorchError("blank must be in label range", hint="It is one of the classes.")
    for name, given in (("input_lengths", frames), ("target_lengths", counts)):
        if len(given) != batch:
            raise TorchError(f"{name} must be of size batch_size", hint=f"One number for each of the {batch} rows.")
    for n in frames:
        if n > length:
            raise TorchError(
                f"Expected input_lengths to have value at most {length}, but got value {n} {CHECKED}",
                hint="log_probs has the shape (frames, batch, classes): is the batch first by mistake?",
            )


def _rows(labels: Tensor, counts: Ints, is_single: bool) -> tuple[Ints, ...]:
    """The labels of each row, given side by side or one after the other."""
    numbers = labels.data.astype(np.int64)
    total = int(np.sum(counts))
    if labels.ndim == 1:
        if is_single:
            total = max(total, labels.shape[0])
        if labels.shape[0] != total:
            raise TorchError(
                f"Expected tensor to have size {total} at dimension 0, but got size {labels.shape[0]} for argument #2 "
                f"'targets' {CHECKED}"
            )
        starts = np.cumsum((0, *counts[:-1]))
        return tuple(tuple(numbers[at : at + n].tolist()) for at, n in zip(starts, counts, strict=True))
    most = max(counts, default=0)
    if labels.shape[1] < most:
        raise TorchError(
            f"Expected tensor to have size at least {most} at dimension 1, but got size {labels.shape[1]} for argument "
            f"#2 'targets' {CHECKED}"
        )
    return tuple(tuple(row[:n].tolist()) for row, n in zip(numbers, counts, strict=True))


def _check_labels(rows: tuple[Ints, ...], classes: int) -> None:
    """A label that is no class is refused: PyTorch reads beyond the scores, and what it finds there is chance."""
    wrong = next((label for row in rows for label in row if not 0 <= label < classes), None)
    if wrong is not None:
        raise ScriptError(
            f"ctc_loss: the label {wrong} is none of the {classes} classes",
            hint=f"Labels go from 0 to {classes - 1}; PyTorch would read past the end of log_probs.",
        )


FUNCTIONS: dict[str, Callable[..., Any]] = {}
METHODS: dict[str, Callable[..., Any]] = {}
NEURAL: dict[str, Callable[..., Any]] = {"ctc_loss": ctc_loss}
