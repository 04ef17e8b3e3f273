"""Code that may stop at a `yield`: a Python generator for each run of a statement, and how it is run to its end."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, NamedTuple

from gradviz.imitation.script.errors.failures import Code
from gradviz.imitation.script.machine import Frame
from gradviz.imitation.script.producer import Steps

StepCode = Callable[[Frame], Steps]


class Parts(NamedTuple):
    """How the parts of a compound statement are compiled: where a `yield` may stand in them, and where not.

    Attributes:
        block: statements in order; the result is a signal or None.
        value: an expression.
    """

    block: Callable[[list[ast.stmt]], StepCode]
    value: Callable[[ast.expr], StepCode]


def unstopped(code: Code) -> StepCode:
    """Code without a `yield`, as a part of code that has one."""

    def run(frame: Frame) -> Steps:
        return code(frame)
        yield

    return run


def run_through(steps: StepCode) -> Code:
    """Code none of whose parts has a `yield`, as a plain closure."""

    def run(frame: Frame) -> Any:
        try:
            next(steps(frame))
        except StopIteration as end:
            return end.value
        raise AssertionError("a part without a yield stopped")

    return run
