"""What may go wrong where rules and formulas are fed what a file says, told in one place.

A file may give an op other params and shapes than it ever has, and a script's own backward may do anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

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


@contextmanager
def answering(what: str | Callable[[], str], *, hint: str = "", runs_script: bool = False) -> Iterator[None]:
    """A block in which rules run on recorded numbers: NaN and infinity are answers there, and no warnings.

    Args:
        what: what cannot be done where one raises: the beginning of the sentence, or what gives it.
        hint: what to do then.
        runs_script: whether the script's own functions run too, which may raise anything.

    Raises:
        Unanswered: instead of whatever was raised, which is its cause; one that comes from further inside goes on.
    """
    with np.errstate(all="ignore"):
        try:
            yield
        except Exception as error:
            is_known = isinstance(error, Unanswered | Cancelled)
            if is_known or not (runs_script or isinstance(error, RAISED)):
                raise
            begins = what if isinstance(what, str) else what()
            raise Unanswered(f"{begins}: {str(error) or type(error).__name__}", hint=hint) from error
