"""How `return`, `break` and `continue` leave what surrounds them, and whether a condition holds."""

from __future__ import annotations

import ast
from typing import Any

from gradviz.errors import GradvizError
from gradviz.imitation.script.errors.failures import converted, located


class Signal:
    """How a statement leaves its block; `value` is what `return` returns."""

    __slots__ = ("value",)

    def __init__(self, value: Any = None) -> None:
        self.value = value


BREAK, CONTINUE = Signal(), Signal()


def truth(value: Any, node: ast.AST) -> bool:
    """Whether a condition holds; what cannot tell is an error at its place."""
    try:
        return bool(value)
    except GradvizError as error:
        raise located(error, node) from None
    except ValueError as error:
        raise converted(error, node) from None
