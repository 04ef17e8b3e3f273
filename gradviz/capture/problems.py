"""The error that ended a run: PyTorch's own words, where it was, and a sentence of ours."""

from __future__ import annotations

import re
import traceback
from typing import Any

from gradviz.capture.scopes import USER, kind_of

HINTS = (
    (
        r"Trying to backward through the graph a second time",
        "Give the first backward() retain_graph=True, or compute the loss again.",
    ),
    (
        r"modified by an inplace operation",
        "A value that backward() needs was changed in place: use y = y * 2 rather than y *= 2 there.",
    ),
    (
        r"does not require grad and does not have a grad_fn",
        "Nothing that led here takes a gradient: set requires_grad=True on a leaf, and compute outside of no_grad().",
    ),
    (
        r"grad can be implicitly created only for scalar outputs",
        "Give backward() a v of the output's shape, such as torch.ones_like(y), or reduce the output first: y.sum().",
    ),
    (
        r"shapes cannot be multiplied|size mismatch",
        "The columns of the left matrix must be as many as the rows of the right one.",
    ),
    (
        r"must match the size of tensor",
        "Two shapes broadcast only where their dimensions, counted from the last, are equal or 1.",
    ),
    (r"a leaf Variable that requires grad is being used in an in-place", "Change a leaf inside torch.no_grad()."),
    (r"returned nan values", "The marked node is where NaN first appears in backward."),
    (r"out of memory", "There is no memory left: use smaller batches, or record summaries only."),
    (
        r"expected .*same dtype|expected scalar type|must have the same dtype",
        "Bring both to one dtype, as by x.float().",
    ),
    (r"Expected all tensors to be on the same device", "Bring both tensors to one device with .to(device)."),
)
"""What PyTorch says, as a pattern, and our sentence below it."""


def hint_for(message: str) -> str:
    """Our sentence below a message of PyTorch's; "" where there is none."""
    return next((hint for pattern, hint in HINTS if re.search(pattern, message)), "")


def explained(error: BaseException, main: str | None) -> dict[str, Any]:
    """{"message", "hint", "line", "column", "file"}: the line is the script's where it is among the frames."""
    text = str(error)
    if isinstance(error, KeyError) and error.args:
        text = repr(error.args[0])
    message = f"{type(error).__name__}: {text}" if text else type(error).__name__
    line = column = file = None
    if isinstance(error, SyntaxError):
        message = f"{type(error).__name__}: {error.msg}"
        line, column, file = error.lineno, error.offset, error.filename
    else:
        found = None
        for frame, number in traceback.walk_tb(error.__traceback__):
            name = frame.f_code.co_filename
            if name == main or (main is None and kind_of(frame.f_code) == USER):
                found = (number, name, _column(frame, error))
            elif found is None and kind_of(frame.f_code) == USER:
                found = (number, name, None)
        if found is not None:
            line, file, column = found
    return {"message": message, "hint": hint_for(message), "line": line, "column": column, "file": file}


def _column(frame: Any, error: BaseException) -> int | None:
    """The column, from 1, where the innermost frame of this code stood; known since Python 3.11."""
    positions = getattr(frame.f_code, "co_positions", None)
    if positions is None:
        return None
    trace = error.__traceback__
    found: int | None = None
    while trace is not None:
        if trace.tb_frame is frame:
            at = next((each for n, each in enumerate(positions()) if n == trace.tb_lasti // 2), None)
            found = at[2] + 1 if at is not None and at[2] is not None else None
        trace = trace.tb_next
    return found
