"""What may go wrong where rules and formulas are fed what a file says, told in one place.

A file may give an op other params and shapes than it ever has, and a script's own backward may do anything.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from gradviz.errors import Cancelled, Unanswered

RAISED = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    MemoryError,
    RuntimeError,
    TypeError,
    ValueError,
)
"""By functions of the table that are fed other params, shapes and numbers than any run has given them."""


class Missing(Unanswered):
    """A value that a rule needs was not kept: that of `node`."""

    def __init__(self, node: int) -> None:
        super().__init__(f"The value of node {node} was not kept, and the rule needs it.")
        self.node = node


def answering(what: str | Callable[[], str], *, hint: str = "", runs_script: bool = False) -> _Answer:
    """A block in which rules run on recorded numbers: NaN and infinity are answers there, and no warnings.

    Args:
        what: what cannot be done where one raises: the beginning of the sentence, or what gives it.
        hint: what to do then.
        runs_script: whether the script's own functions run too, which may raise anything.

    Raises:
        Unanswered: instead of whatever was raised, which is its cause; one that comes from further inside goes on.
    """
    return _Answer(what, hint, Exception if runs_script else RAISED)


class _Answer:
    """The block of `answering`: a class, since a generator costs as much as a small op."""

    __slots__ = ("_hint", "_quiet", "_raised", "_what")

    def __init__(
        self, what: str | Callable[[], str], hint: str, raised: type[Exception] | tuple[type[Exception], ...]
    ) -> None:
        self._what, self._hint, self._raised = what, hint, raised
        self._quiet = np.errstate(all="ignore")

    def __enter__(self) -> None:
        self._quiet.__enter__()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, *place: Any) -> Literal[False]:
        self._quiet.__exit__(kind, error, *place)
        if isinstance(error, self._raised) and not isinstance(error, Unanswered | Cancelled):
            begins = self._what if isinstance(self._what, str) else self._what()
            raise Unanswered(f"{begins}: {str(error) or type(error).__name__}", hint=self._hint) from error
        return False
