"""The lines of a custom `backward` with their numbers: it is called once more, and its assignments are noted.

A rewritten script tells the name of every tensor that it assigns, for the picture. Here the same calls are listened to.
"""

from __future__ import annotations

import inspect
import sys
from types import CodeType
from typing import Any

import numpy as np

from gradviz.engine.autograd.function import Call, Function
from gradviz.engine.tensor import Tensor, current
from gradviz.recording import Array
from gradviz.run.levels import Trace

MOST_LINES = 200
"""Assignments that are noted: a loop in a backward may make any number."""
MOST_NUMBERS = 64
"""Elements of a tensor whose numbers are told; of a larger one its shape and norm."""
LONGEST_TEXT = 60
_SIMPLE = (bool, int, float, str, tuple, type(None))


def lines_inside(call: Call, v: Array, trace: Trace) -> dict[str, Any]:
    """What the script's backward does with a v, as plain JSON.

    Args:
        call: of the Function.
        v: what comes in, of the shape of its entry.
        trace: which is told the names of the script's variables.

    Returns:
        "arguments" and "returned" as pairs of a name and a value, and "lines": for each assignment its line and such
        pairs. A value is a shape with numbers (or a norm), a text, or None.

    Raises:
        Exception: whatever the script's backward raises.
    """
    rule = call.function.vjp if call.function.vjp is not Function.vjp else call.function.backward
    code = getattr(inspect.unwrap(rule), "__code__", None)
    call.reached = {i for i, kind in enumerate(call.outputs) if kind is not None}
    incoming = call._split(v)
    names = _parameters(rule)[1:]
    notes = _Notes(code, trace)
    known, trace.name = trace.name, notes.take  # type: ignore[method-assign]
    try:
        given = rule(call.ctx, *incoming)
    finally:
        trace.name = known  # type: ignore[method-assign]
    sent = given if isinstance(given, tuple | list) else (given,)
    forward = _parameters(call.function.forward)
    takes_ctx = call.function.setup_context is Function.setup_context
    inputs = forward[1:] if takes_ctx else forward
    return {
        "arguments": [[_at(names, i), told(x)] for i, x in enumerate(incoming)],
        "lines": notes.lines,
        "returned": [[_at(inputs, i), told(x)] for i, x in enumerate(sent)],
    }


class _Notes:
    """What the variables of one function are given, in the order in which that happens."""

    def __init__(self, code: CodeType | None, trace: Trace) -> None:
        self._code, self._known = code, trace.name
        self.lines: list[dict[str, Any]] = []

    def take(self, value: Any, name: str, is_global: bool) -> None:
        """A variable was given a value; only the function's own count."""
        frame: Any = sys._getframe(1)
        while frame is not None and frame.f_code is not self._code:
            frame = frame.f_back if frame.f_code.co_filename != getattr(self._code, "co_filename", "") else None
        if frame is None:
            self._known(value, name, is_global)
            return
        line = frame.f_lineno
        if self.lines and self.lines[-1]["line"] == line and name not in dict(self.lines[-1]["values"]):
            self.lines[-1]["values"].append([name, told(value)])
        elif len(self.lines) < MOST_LINES:
            self.lines.append({"line": line, "values": [[name, told(value)]]})


def told(value: object) -> dict[str, Any] | None:
    """A value as plain JSON."""
    if isinstance(value, Tensor):
        array = np.asarray(current(value).array)
        if array.size <= MOST_NUMBERS:
            return {"shape": list(array.shape), "numbers": array.astype(np.float64).ravel().tolist()}
        return {"shape": list(array.shape), "norm": float(np.linalg.norm(array.astype(np.float64)))}
    if value is None:
        return None
    text = repr(value) if isinstance(value, _SIMPLE) and type(value) in _SIMPLE else f"a {type(value).__name__}"
    return {"text": text if len(text) <= LONGEST_TEXT else f"{text[: LONGEST_TEXT - 1]}…"}


def _parameters(function: Any) -> list[str]:
    found = []
    for parameter in inspect.signature(function).parameters.values():
        is_rest = parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        found.append(f"*{parameter.name}" if is_rest else parameter.name)
    return found


def _at(names: list[str], number: int) -> str:
    """The name of a parameter; those behind a star are numbered."""
    name = names[min(number, len(names) - 1)] if names else ""
    return f"{name[1:]}[{number - len(names) + 1}]" if name.startswith("*") else name if number < len(names) else ""
